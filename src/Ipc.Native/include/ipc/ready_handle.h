/*
 * ready_handle.h - waiting without a thread of one's own: for event loops, and for coroutines. Included by ipc.h.
 *
 * A ready handle is armed at an object that something is waited for. When there may be something, it becomes readable
 * (its descriptor, for poll, epoll, libuv and the like), or calls a function of yours. Then the object is asked by a
 * call that never blocks, ipc_queue_try_receive and the like, until it has no more; and the handle is armed again:
 *
 *     for (;;) {
 *         while ((status = ipc_queue_try_receive(queue, &block)) == IPC_OK)
 *             work(queue, &block);
 *         if (ipc_queue_arm(queue, IPC_FOREVER, NULL, handle) == IPC_EMPTY)
 *             poll(&(struct pollfd){ipc_ready_handle_descriptor(handle), POLLIN, 0}, 1, -1);
 *     }
 *
 * "May be": another one can have been faster, and some look around now and then. A stop, the close of the object, the
 * deadline and the cancellation that the arming was given make it ready, too: once, and never when it is not armed.
 *
 * Cost. One thread of the library serves all handles of the process that are armed, up to 127; each further 127 have
 * another. It runs from the first arming until the last handle is destroyed, and uses no processor while nothing
 * happens. Arming costs two or three calls of the system, so there is no sense in it while there is still something to
 * read. Where the system lets a thread sleep on one word only (Linux before 5.16, or a filter that forbids futex_waitv),
 * each armed handle has a thread.
 */
#ifndef IPC_READY_HANDLE_PUBLIC_H
#define IPC_READY_HANDLE_PUBLIC_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ipc_ready_handle ipc_ready_handle;
typedef void ipc_ready_function(void *context);

/* Makes a handle, armed nowhere: with a descriptor, or with a function to call.
 *
 * call       called on a thread of the library, or on one that closes the object. It hands the news over and returns:
 *            it calls nothing of this library, and does not wait for a thread that does. NULL: a descriptor
 * context    the caller's, for CALL
 * handle     the new handle: the caller's, to be destroyed
 * Returns    IPC_OK; IPC_E_NO_MEMORY, IPC_E_SYSTEM_ERROR: no descriptor left.
 * Blocks     never. Allocates the handle. Threads: any.
 */
IPC_API IPC_MUST_USE ipc_status ipc_ready_handle_create(ipc_ready_function *call, void *context,
                                                        ipc_ready_handle **handle);

/* The descriptor: readable from when there may be something until the handle is armed or disarmed. Only to be waited
 * for: what is read from it is gone.
 *
 * handle     made without a function
 * Returns    the handle's, always the same one, lives as long as it; -1 if it has a function.
 * Blocks     never. Allocates nothing. Threads: any.
 */
IPC_API int ipc_ready_handle_descriptor(const ipc_ready_handle *handle);

/* From now on it neither calls nor becomes readable, until it is armed again. Who is told by a function asks it first
 * whether the object is still there.
 *
 * handle     armed or not
 * Returns    IPC_OK; IPC_CLOSED: the object that it was armed at last has been closed since, and is not to be touched.
 * Blocks     until the function, if it is just running, has returned. Allocates nothing. Threads: any, but not within
 *            the function.
 */
IPC_API ipc_status ipc_ready_handle_disarm(ipc_ready_handle *handle);

/* Disarms and frees the handle. With the last one of the process ends the library's thread for them.
 *
 * handle     the handle; NULL is fine
 * Blocks     until the function, if it is just running, has returned. Allocates nothing. Threads: any, but not within
 *            the function.
 */
IPC_API void ipc_ready_handle_destroy(ipc_ready_handle *handle);

#ifdef __cplusplus
}
#endif
#endif
