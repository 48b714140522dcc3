/* What the calling thread's last failing call has to say. */
#ifndef IPC_ERROR_H
#define IPC_ERROR_H

#include "ipc.h"

#if defined(__MINGW32__)
#define IPC_PRINTF(format_index, first) __attribute__((format(gnu_printf, format_index, first)))
#elif defined(__GNUC__)
#define IPC_PRINTF(format_index, first) __attribute__((format(printf, format_index, first)))
#else
#define IPC_PRINTF(format_index, first)
#endif

/* Records the words (both values where two did not match, and what to do) and returns `status`. */
ipc_status ipc_fail(ipc_status status, const char *format, ...) IPC_PRINTF(2, 3);

/* The same for what failed because a call before it did: keeps that one's error of the system, for ipc_last_errno. */
ipc_status ipc_fail_because(ipc_status status, const char *format, ...) IPC_PRINTF(2, 3);

/* The same for a failed system call: picks the status from `error`, which is an errno (on Windows what GetLastError
   says), and adds its words. */
ipc_status ipc_fail_system(int error, const char *format, ...) IPC_PRINTF(2, 3);

/* The same for what is no failure of a call, but how it ended (IPC_TIMEOUT, IPC_CLOSED, ...): fixed words, for the
   price of a store. Without it the words of an older failure would seem to be this one's. */
ipc_status ipc_ended(ipc_status status);

/* posix_error.c, windows_error.c */
ipc_status ipc_error_status(int error);
void ipc_error_words(int error, char *text, size_t size); /* ": what it means (errno 2)", cut where it has to be */

#endif
