/* What the calling thread's last failing call has to say. */
#ifndef IPC_ERROR_H
#define IPC_ERROR_H

#include "ipc.h"

#if defined(__GNUC__)
#define IPC_PRINTF(format_index, first) __attribute__((format(printf, format_index, first)))
#else
#define IPC_PRINTF(format_index, first)
#endif

/* Records the words (both values where two did not match, and what to do) and returns `status`. */
ipc_status ipc_fail(ipc_status status, const char *format, ...) IPC_PRINTF(2, 3);

/* The same for a failed system call: picks the status from `error` (ENOSPC, EACCES, ...), adds its words. */
ipc_status ipc_fail_system(int error, const char *format, ...) IPC_PRINTF(2, 3);

#endif
