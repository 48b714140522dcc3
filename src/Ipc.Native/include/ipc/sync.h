/*
 * sync.h - mutex, semaphore and event between processes. What a process holds when it dies, or closes without giving it
 * back, comes back by itself: the next owner gets it with IPC_ABANDONED, once, and knows that what it guards may be
 * half done.
 *
 * Threads. Any number of threads may use one object. What is held belongs to the object, not to the thread that
 * acquired it. Nobody is served in the order of asking.
 */
#ifndef IPC_SYNC_H
#define IPC_SYNC_H

#include "../ipc.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ipc_shared_mutex ipc_shared_mutex;
typedef struct ipc_shared_semaphore ipc_shared_semaphore;
typedef struct ipc_shared_event ipc_shared_event;

/* The first four are used only when it is created. */
typedef struct ipc_sync_options {
    uint32_t permits;   /* semaphore: 1 to 4096; 0 = 1 */
    bool manual_reset;  /* event: once set it stays set until it is reset; otherwise each set lets one wait pass */
    bool initially_set; /* event */
    bool persistent;    /* it stays when the last participant leaves */
    ipc_open_mode open_mode;
    ipc_wait_mode wait_mode;
    ipc_deadline deadline; /* for IPC_OPEN; 0 = do not wait (5 s for a stopped participant that keeps all others out) */
    ipc_cancel *cancel;    /* for IPC_OPEN */
} ipc_sync_options;

/* Opens NAME (options NULL: defaults). IPC_E_KIND when the name is another kind of region's; IPC_E_TABLE_FULL when 256
   objects are open already; IPC_E_ARGUMENT, IPC_E_NO_SPACE. */
IPC_API ipc_status ipc_shared_mutex_open(const char *name, const ipc_sync_options *options, ipc_shared_mutex **mutex);
/* Leaves; what it holds is abandoned. Threads that wait in it return IPC_CLOSED first, and must not touch it again; no
   thread may be inside any other call. NULL is fine. */
IPC_API void ipc_shared_mutex_close(ipc_shared_mutex *mutex);
/* IPC_OK and IPC_ABANDONED: it is ours. Otherwise IPC_TIMEOUT, IPC_STOPPED, IPC_CANCELLED, IPC_CLOSED. An object that
   holds it already waits like everybody. */
IPC_API ipc_status ipc_shared_mutex_acquire(ipc_shared_mutex *mutex, ipc_deadline deadline, ipc_cancel *cancel);
/* IPC_E_STATE: this object does not hold it. */
IPC_API ipc_status ipc_shared_mutex_release(ipc_shared_mutex *mutex);
/* All waits of this object return IPC_STOPPED until it is resumed. Any thread. */
IPC_API void ipc_shared_mutex_stop(ipc_shared_mutex *mutex);
IPC_API void ipc_shared_mutex_resume(ipc_shared_mutex *mutex);

/* The same for so many permits. */
IPC_API ipc_status ipc_shared_semaphore_open(const char *name, const ipc_sync_options *options,
                                             ipc_shared_semaphore **semaphore);
IPC_API void ipc_shared_semaphore_close(ipc_shared_semaphore *semaphore);
/* One permit. IPC_ABANDONED: it is ours, and one of those who held one has not given it back. */
IPC_API ipc_status ipc_shared_semaphore_acquire(ipc_shared_semaphore *semaphore, ipc_deadline deadline,
                                                ipc_cancel *cancel);
/* One permit. IPC_E_STATE: this object has none. */
IPC_API ipc_status ipc_shared_semaphore_release(ipc_shared_semaphore *semaphore);
IPC_API uint32_t ipc_shared_semaphore_available(const ipc_shared_semaphore *semaphore); /* now */
IPC_API uint32_t ipc_shared_semaphore_permits(const ipc_shared_semaphore *semaphore);   /* altogether */
IPC_API void ipc_shared_semaphore_stop(ipc_shared_semaphore *semaphore);
IPC_API void ipc_shared_semaphore_resume(ipc_shared_semaphore *semaphore);

IPC_API ipc_status ipc_shared_event_open(const char *name, const ipc_sync_options *options, ipc_shared_event **event);
IPC_API void ipc_shared_event_close(ipc_shared_event *event);
/* Lets pass who waits: everybody until the reset, or one. A second set that nobody has waited for in between changes
   nothing. */
IPC_API void ipc_shared_event_set(ipc_shared_event *event);
IPC_API void ipc_shared_event_reset(ipc_shared_event *event);
/* Waits until it is set, and takes that back unless the reset is manual. */
IPC_API ipc_status ipc_shared_event_wait(ipc_shared_event *event, ipc_deadline deadline, ipc_cancel *cancel);
IPC_API bool ipc_shared_event_is_manual(const ipc_shared_event *event); /* as its creator chose */
IPC_API void ipc_shared_event_stop(ipc_shared_event *event);
IPC_API void ipc_shared_event_resume(ipc_shared_event *event);

#ifdef __cplusplus
}
#endif
#endif
