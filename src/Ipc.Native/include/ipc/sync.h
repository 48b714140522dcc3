/*
 * sync.h - mutex, semaphore and event between processes
 *
 * What a process holds when it dies, or closes without releasing it, becomes free by itself: the next owner gets it with
 * IPC_ABANDONED, once, because what it guards may be inconsistent.
 *
 * Threads. Any number of threads may use one object. What is held belongs to the object, not to the thread that
 * acquired it. Waiters are not served in the order of their arrival.
 */
#ifndef IPC_SYNC_H
#define IPC_SYNC_H

#include "base.h"
#include "ready_handle.h"

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
    ipc_lifetime lifetime; /* while it is used, or persistent; 0 = what there is; a new one goes with its last user */
    ipc_open_mode open_mode;
    ipc_wait_mode wait_mode;
    uint64_t spin_ns;      /* the longest spin before sleeping; 0 = as measured (50 us) */
    ipc_deadline
        deadline; /* for IPC_OPEN_EXISTING; 0 = do not wait (5 s for a stopped participant that keeps all others out) */
    ipc_cancel *cancel; /* for IPC_OPEN_EXISTING */
    const ipc_access *access; /* with whom it is shared, for a name of the machine; NULL = this user */
} ipc_sync_options;

/* Opens the mutex NAME, and creates it if the options say so. 256 objects may be open on one.
 *
 * name       1 to 120 of the characters A-Z a-z 0-9 . _ -, no dot in front
 * options    NULL: all defaults
 * mutex      the new object: the caller's, to be closed
 * Returns    IPC_OK; IPC_E_TABLE_FULL; IPC_E_NOT_FOUND (IPC_OPEN_EXISTING), IPC_E_EXISTS (IPC_CREATE_NEW),
 *            IPC_E_INVALID_NAME, IPC_E_WRONG_KIND, IPC_E_WRONG_VERSION, IPC_E_CORRUPT, IPC_E_ACCESS_DENIED,
 *            IPC_E_NO_SPACE, IPC_E_INVALID_ARGUMENT, IPC_E_NO_MEMORY, IPC_E_SYSTEM_ERROR; IPC_TIMEOUT or IPC_CANCELLED
 *            while it waits; IPC_E_WRONG_LIFETIME.
 * Blocks     until options->deadline for a creator (IPC_OPEN_EXISTING), and up to 5 s for a stopped process that holds
 *            the region's lock. Allocates the object. Threads: any.
 */
IPC_API IPC_MUST_USE ipc_status ipc_shared_mutex_open(const char *name, const ipc_sync_options *options, ipc_shared_mutex **mutex);

/* Leaves and frees the object. A mutex that it holds is abandoned: the next owner gets IPC_ABANDONED. Threads that wait
 * in it return IPC_CLOSED first, and must not touch it again; no thread may be inside any other call.
 *
 * mutex      the object; NULL is fine
 * Blocks     until waits in it have returned. Allocates nothing. Threads: any.
 */
IPC_API void ipc_shared_mutex_close(ipc_shared_mutex *mutex);

/* Acquires the mutex, waiting for it while it is held, also while this object holds it. Waiters are not served in the
 * order of their arrival.
 *
 * mutex      the mutex object
 * deadline   when to give up: a moment of CLOCK_MONOTONIC in ns
 * cancel     ends the wait when it is triggered, or NULL
 * Returns    IPC_OK: this object holds it; IPC_ABANDONED: this object holds it, and the last holder died or closed
 *            without releasing it: what it guards may be inconsistent; IPC_TIMEOUT, IPC_STOPPED, IPC_CANCELLED,
 *            IPC_CLOSED.
 * Blocks     until DEADLINE. Allocates nothing. Threads: any number at once.
 */
IPC_API IPC_MUST_USE ipc_status ipc_shared_mutex_acquire(ipc_shared_mutex *mutex, ipc_deadline deadline, ipc_cancel *cancel);

/* Arms the handle: it becomes ready when the mutex may be free, or the deadline has passed, or it is cancelled, stopped
 * or closed. Then ipc_shared_mutex_acquire with IPC_NOW is called until there is no more, and the handle armed again.
 *
 * mutex      the mutex object
 * deadline   when it becomes ready at the latest: a moment of CLOCK_MONOTONIC in ns
 * cancel     makes it ready when it is triggered, or NULL; must be there as long as the handle is armed
 * handle     armed here until it is ready, wherever it was before
 * Returns    IPC_EMPTY: it is armed. IPC_OK: there is something already; IPC_TIMEOUT, IPC_STOPPED, IPC_CANCELLED,
 *            IPC_CLOSED and errors are those of a wait: it is not armed, and a descriptor is readable.
 *            IPC_E_SYSTEM_ERROR, IPC_E_NO_MEMORY: the library's thread could not be started.
 * Blocks     never. Allocates nothing, but with the first armed one of the process a thread. Threads: any number at once.
 */
IPC_API IPC_MUST_USE ipc_status ipc_shared_mutex_arm(ipc_shared_mutex *mutex, ipc_deadline deadline, ipc_cancel *cancel,
                                                     ipc_ready_handle *handle);

/* Releases the mutex; wakes a waiter.
 *
 * mutex      the mutex object
 * Returns    IPC_OK; IPC_E_INVALID_STATE: this object does not hold it.
 * Blocks     never. Allocates nothing. Threads: any number at once: any may release what another acquired.
 */
IPC_API ipc_status ipc_shared_mutex_release(ipc_shared_mutex *mutex);

/* Waits of this object, now and from now on, return IPC_STOPPED until it is resumed.
 *
 * mutex      the mutex object
 * Blocks     never. Allocates nothing. Threads: any.
 */
IPC_API void ipc_shared_mutex_stop(ipc_shared_mutex *mutex);

/* Takes ipc_shared_mutex_stop back.
 *
 * mutex      the mutex object
 * Blocks     never. Allocates nothing. Threads: any.
 */
IPC_API void ipc_shared_mutex_resume(ipc_shared_mutex *mutex);

/* Opens the semaphore NAME, and creates it if the options say so. 256 objects may be open on one.
 *
 * name       1 to 120 of the characters A-Z a-z 0-9 . _ -, no dot in front
 * options    NULL: all defaults
 * semaphore  the new object: the caller's, to be closed
 * Returns    IPC_OK; IPC_E_TABLE_FULL; IPC_E_NOT_FOUND (IPC_OPEN_EXISTING), IPC_E_EXISTS (IPC_CREATE_NEW),
 *            IPC_E_INVALID_NAME, IPC_E_WRONG_KIND, IPC_E_WRONG_VERSION, IPC_E_CORRUPT, IPC_E_ACCESS_DENIED,
 *            IPC_E_NO_SPACE, IPC_E_INVALID_ARGUMENT, IPC_E_NO_MEMORY, IPC_E_SYSTEM_ERROR; IPC_TIMEOUT or IPC_CANCELLED
 *            while it waits; IPC_E_WRONG_LIFETIME.
 * Blocks     until options->deadline for a creator (IPC_OPEN_EXISTING), and up to 5 s for a stopped process that holds
 *            the region's lock. Allocates the object. Threads: any.
 */
IPC_API IPC_MUST_USE ipc_status ipc_shared_semaphore_open(const char *name, const ipc_sync_options *options,
                                             ipc_shared_semaphore **semaphore);

/* Leaves and frees the object. Permits that it holds are abandoned: their next owners get IPC_ABANDONED. Threads
 * that wait in it return IPC_CLOSED first, and must not touch it again; no thread may be inside any other call.
 *
 * semaphore  the object; NULL is fine
 * Blocks     until waits in it have returned. Allocates nothing. Threads: any.
 */
IPC_API void ipc_shared_semaphore_close(ipc_shared_semaphore *semaphore);

/* Acquires one permit, waiting for it if none is free. Waiters are not served in the order of their arrival.
 *
 * semaphore  the semaphore object
 * deadline   when to give up: a moment of CLOCK_MONOTONIC in ns
 * cancel     ends the wait when it is triggered, or NULL
 * Returns    IPC_OK: this object holds a permit; IPC_ABANDONED: it holds one whose last holder died or closed without
 *            releasing it; IPC_TIMEOUT, IPC_STOPPED, IPC_CANCELLED, IPC_CLOSED.
 * Blocks     until DEADLINE. Allocates nothing. Threads: any number at once.
 */
IPC_API IPC_MUST_USE ipc_status ipc_shared_semaphore_acquire(ipc_shared_semaphore *semaphore, ipc_deadline deadline,
                                                ipc_cancel *cancel);

/* Arms the handle: it becomes ready when a permit may be free, or the deadline has passed, or it is cancelled, stopped
 * or closed. Then ipc_shared_semaphore_acquire with IPC_NOW is called until there is no more, and the handle armed
 * again.
 *
 * semaphore  the semaphore object
 * deadline   when it becomes ready at the latest: a moment of CLOCK_MONOTONIC in ns
 * cancel     makes it ready when it is triggered, or NULL; must be there as long as the handle is armed
 * handle     armed here until it is ready, wherever it was before
 * Returns    IPC_EMPTY: it is armed. IPC_OK: there is something already; IPC_TIMEOUT, IPC_STOPPED, IPC_CANCELLED,
 *            IPC_CLOSED and errors are those of a wait: it is not armed, and a descriptor is readable.
 *            IPC_E_SYSTEM_ERROR, IPC_E_NO_MEMORY: the library's thread could not be started.
 * Blocks     never. Allocates nothing, but with the first armed one of the process a thread. Threads: any number at once.
 */
IPC_API IPC_MUST_USE ipc_status ipc_shared_semaphore_arm(ipc_shared_semaphore *semaphore, ipc_deadline deadline, ipc_cancel *cancel,
                                                         ipc_ready_handle *handle);

/* Releases one permit; wakes a waiter.
 *
 * semaphore  the semaphore object
 * Returns    IPC_OK; IPC_E_INVALID_STATE: this object holds none.
 * Blocks     never. Allocates nothing. Threads: any number at once: any may release what another acquired.
 */
IPC_API ipc_status ipc_shared_semaphore_release(ipc_shared_semaphore *semaphore);

/* How many permits are free now.
 *
 * semaphore  the semaphore object
 * Returns    0 to ipc_shared_semaphore_permits().
 * Blocks     never. Allocates nothing. Threads: any number at once.
 */
IPC_API uint32_t ipc_shared_semaphore_available(const ipc_shared_semaphore *semaphore);

/* How many permits there are altogether, as its creator chose.
 *
 * semaphore  the semaphore object
 * Returns    1 to 4096.
 * Blocks     never. Allocates nothing. Threads: any number at once.
 */
IPC_API uint32_t ipc_shared_semaphore_permits(const ipc_shared_semaphore *semaphore);

/* Waits of this object, now and from now on, return IPC_STOPPED until it is resumed.
 *
 * semaphore  the semaphore object
 * Blocks     never. Allocates nothing. Threads: any.
 */
IPC_API void ipc_shared_semaphore_stop(ipc_shared_semaphore *semaphore);

/* Takes ipc_shared_semaphore_stop back.
 *
 * semaphore  the semaphore object
 * Blocks     never. Allocates nothing. Threads: any.
 */
IPC_API void ipc_shared_semaphore_resume(ipc_shared_semaphore *semaphore);

/* Opens the event NAME, and creates it if the options say so. 256 objects may be open on one.
 *
 * name       1 to 120 of the characters A-Z a-z 0-9 . _ -, no dot in front
 * options    NULL: all defaults
 * event      the new object: the caller's, to be closed
 * Returns    IPC_OK; IPC_E_TABLE_FULL; IPC_E_NOT_FOUND (IPC_OPEN_EXISTING), IPC_E_EXISTS (IPC_CREATE_NEW),
 *            IPC_E_INVALID_NAME, IPC_E_WRONG_KIND, IPC_E_WRONG_VERSION, IPC_E_CORRUPT, IPC_E_ACCESS_DENIED,
 *            IPC_E_NO_SPACE, IPC_E_INVALID_ARGUMENT, IPC_E_NO_MEMORY, IPC_E_SYSTEM_ERROR; IPC_TIMEOUT or IPC_CANCELLED
 *            while it waits; IPC_E_WRONG_LIFETIME.
 * Blocks     until options->deadline for a creator (IPC_OPEN_EXISTING), and up to 5 s for a stopped process that holds
 *            the region's lock. Allocates the object. Threads: any.
 */
IPC_API IPC_MUST_USE ipc_status ipc_shared_event_open(const char *name, const ipc_sync_options *options, ipc_shared_event **event);

/* Leaves and frees the object. Threads that wait in it return IPC_CLOSED first, and must not touch it again; no
 * thread may be inside any other call.
 *
 * event      the object; NULL is fine
 * Blocks     until waits in it have returned. Allocates nothing. Threads: any.
 */
IPC_API void ipc_shared_event_close(ipc_shared_event *event);

/* Sets the event. With manual reset all waits succeed until the reset; otherwise one wait does. Setting an event that
 * is set has no effect.
 *
 * event      the event object
 * Blocks     never. Allocates nothing. Threads: any number at once.
 */
IPC_API void ipc_shared_event_set(ipc_shared_event *event);

/* Resets the event. It has no effect if it is not set.
 *
 * event      the event object
 * Blocks     never. Allocates nothing. Threads: any number at once.
 */
IPC_API void ipc_shared_event_reset(ipc_shared_event *event);

/* Waits until the event is set. The wait resets it, unless the event has manual reset.
 *
 * event      the event object
 * deadline   when to give up: a moment of CLOCK_MONOTONIC in ns
 * cancel     ends the wait when it is triggered, or NULL
 * Returns    IPC_OK; IPC_TIMEOUT, IPC_STOPPED, IPC_CANCELLED, IPC_CLOSED.
 * Blocks     until DEADLINE. Allocates nothing. Threads: any number at once.
 */
IPC_API IPC_MUST_USE ipc_status ipc_shared_event_wait(ipc_shared_event *event, ipc_deadline deadline, ipc_cancel *cancel);

/* Arms the handle: it becomes ready when the event may be set, or the deadline has passed, or it is cancelled, stopped
 * or closed. Then ipc_shared_event_wait with IPC_NOW is called until there is no more, and the handle armed again.
 *
 * event      the event object
 * deadline   when it becomes ready at the latest: a moment of CLOCK_MONOTONIC in ns
 * cancel     makes it ready when it is triggered, or NULL; must be there as long as the handle is armed
 * handle     armed here until it is ready, wherever it was before
 * Returns    IPC_EMPTY: it is armed. IPC_OK: there is something already; IPC_TIMEOUT, IPC_STOPPED, IPC_CANCELLED,
 *            IPC_CLOSED and errors are those of a wait: it is not armed, and a descriptor is readable.
 *            IPC_E_SYSTEM_ERROR, IPC_E_NO_MEMORY: the library's thread could not be started.
 * Blocks     never. Allocates nothing, but with the first armed one of the process a thread. Threads: any number at once.
 */
IPC_API IPC_MUST_USE ipc_status ipc_shared_event_arm(ipc_shared_event *event, ipc_deadline deadline, ipc_cancel *cancel,
                                                     ipc_ready_handle *handle);

/* Whether it stays set until it is reset, as its creator chose.
 *
 * event      the event object
 * Returns    true: manual reset.
 * Blocks     never. Allocates nothing. Threads: any number at once.
 */
IPC_API bool ipc_shared_event_is_manual_reset(const ipc_shared_event *event);

/* Waits of this object, now and from now on, return IPC_STOPPED until it is resumed.
 *
 * event      the event object
 * Blocks     never. Allocates nothing. Threads: any.
 */
IPC_API void ipc_shared_event_stop(ipc_shared_event *event);

/* Takes ipc_shared_event_stop back.
 *
 * event      the event object
 * Blocks     never. Allocates nothing. Threads: any.
 */
IPC_API void ipc_shared_event_resume(ipc_shared_event *event);

#ifdef __cplusplus
}
#endif
#endif
