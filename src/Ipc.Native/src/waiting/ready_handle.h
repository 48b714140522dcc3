/*
 * ready_handle.h - who waits without a thread: one thread of the process sleeps for them, on the words of all.
 *
 * A handle is armed with a word that has been announced (waiter.h), as a thread that sleeps on it alone would announce
 * it, and after the same look behind that [sleep]. The word still being what it was, nothing has been missed [signal]:
 * so the thread looks at words, never at what they stand for. Whose word has moved, or whose time has come, is taken
 * off and told; what there is, and whether there is anything, its owner finds out.
 *
 * The handles of an object hang at its `ipc_end` until they are disarmed or armed elsewhere, told or not: closing the
 * end marks them, so that who was told just before does not touch what is gone. The words are looked at under the lock
 * under which handles are taken off; so from there on nobody touches the object's memory, and it may be unmapped.
 */
#ifndef IPC_READY_HANDLE_H
#define IPC_READY_HANDLE_H

#include "ipc/ready_handle.h"
#include "waiting/cancel.h"

struct ipc_end;

/* Takes it from wherever it is armed, to be armed at a word of that end. From here on a cancellation wakes the word. */
void ipc_ready_handle_begin(ipc_ready_handle *handle, struct ipc_end *end, ipc_waiter *waiter, ipc_deadline deadline,
                            ipc_cancel *cancel);
/* Armed: the word was announced as `armed`, behind it was looked for `length` bytes of room (0: not for room); told at
   `until` at the latest. An error: no thread is to be had. */
ipc_status ipc_ready_handle_start(ipc_ready_handle *handle, uint32_t armed, uint32_t length, ipc_deadline until);
/* There is no need to arm it. A descriptor is readable then. */
void ipc_ready_handle_skip(ipc_ready_handle *handle);
/* It is armed just so already, and its word has not moved. */
bool ipc_ready_handle_stays(ipc_ready_handle *handle, const struct ipc_end *end, const ipc_waiter *waiter,
                            uint32_t length, ipc_deadline deadline, const ipc_cancel *cancel);
/* Marks and tells those of an end that is closed. */
void ipc_ready_handle_close_all(struct ipc_end *end);

#endif
