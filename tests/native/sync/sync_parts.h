/* What the tests of mutex, semaphore and event have in common. */
#ifndef SYNC_PARTS_H
#define SYNC_PARTS_H

#include "sync/sync.h"
#include "test.h"

static inline void remove_file(const char *name)
{
    char path[512];
    test_path(name, path, sizeof path);
    test_remove_file(path);
}

static inline ipc_shared_mutex *mutex(const ipc_sync_options *options)
{
    ipc_shared_mutex *opened = NULL;
    CHECK_OK(ipc_shared_mutex_open("m", options, &opened));
    return opened;
}

static inline ipc_shared_semaphore *semaphore(const ipc_sync_options *options)
{
    ipc_shared_semaphore *opened = NULL;
    CHECK_OK(ipc_shared_semaphore_open("s", options, &opened));
    return opened;
}

static inline ipc_shared_event *event(const ipc_sync_options *options)
{
    ipc_shared_event *opened = NULL;
    CHECK_OK(ipc_shared_event_open("e", options, &opened));
    return opened;
}

static inline ipc_sync *inside(void *object)
{
    return object; /* the common part is the first member of each */
}

typedef struct waiting {
    void *object;
    ipc_cancel *cancel;
    _Atomic int result;
    ipc_status (*call)(void *object, ipc_deadline deadline, ipc_cancel *cancel);
} waiting;

static inline ipc_status acquire_mutex(void *object, ipc_deadline deadline, ipc_cancel *cancel)
{
    return ipc_shared_mutex_acquire(object, deadline, cancel);
}

static inline ipc_status acquire_permit(void *object, ipc_deadline deadline, ipc_cancel *cancel)
{
    return ipc_shared_semaphore_acquire(object, deadline, cancel);
}

static inline ipc_status wait_for_event(void *object, ipc_deadline deadline, ipc_cancel *cancel)
{
    return ipc_shared_event_wait(object, deadline, cancel);
}

static inline void *wait_for_it(void *argument)
{
    waiting *one = argument;
    one->result = (int)one->call(one->object, SOON, one->cancel);
    return NULL;
}

static inline bool sleeps(void *object)
{
    return ipc_load_acquire32(&inside(object)->end.inside) != 0 && /* the flag may be an earlier wait's */
           (ipc_load_acquire32(&inside(object)->body->waiter.word) & IPC_WAITER_SLEEPING) != 0;
}

#endif
