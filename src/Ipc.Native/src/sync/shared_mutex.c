/*
 * A mutex between processes: one word that names its owner, or nobody, or says that the last owner has not given it
 * back. Taken by a CAS from the second and third, given back by a CAS from our own name [owner]; then the waiter is
 * signalled. Whoever dies in between leaves sleepers, which the recovery of its participant wakes.
 */
#include "platform/fault.h"
#include "sync/sync.h"
#include "waiting/waiter.h"

#include <stdlib.h>

struct ipc_shared_mutex {
    ipc_sync sync;
};

/* ---- the region -------------------------------------------------------------------------------------- */

static ipc_status check_body(ipc_region *region)
{
    return ipc_sync_check(region, IPC_SYNC_BODY_SIZE, IPC_MUTEX_MAGIC);
}

/* Under the region lock: what the gone one holds. */
static void take_back(const ipc_region *region, uint32_t gone)
{
    ipc_atomic32 *word = &ipc_sync_body_of(region)->word;
    uint32_t owner = ipc_load_acquire32(word);
    if (owner != 0 && owner != IPC_SYNC_ABANDONED && ipc_sync_is_gone(region, owner, gone))
        (void)ipc_cas32(word, &owner, IPC_SYNC_ABANDONED); /* [owner] */
}

static ipc_status admit(ipc_region *region, uint32_t role)
{
    (void)role;
    take_back(region, 0);
    return IPC_OK;
}

static void clean_up(ipc_region *region, uint32_t index, bool died)
{
    take_back(region, index + 1);
    if (died)
        IPC_FAULT_POINT("sync.recover.done");
}

const ipc_region_kind ipc_mutex_region_kind = {
    .kind = IPC_KIND_MUTEX,
    .check_body = check_body,
    .admit = admit,
    .clean_up = clean_up,
    .wake = ipc_sync_wake,
};

/* ---- the calls --------------------------------------------------------------------------------------- */

ipc_status ipc_shared_mutex_open(const char *name, const ipc_sync_options *options, ipc_shared_mutex **mutex)
{
    ipc_shared_mutex *made = calloc(1, sizeof *made);
    if (made == NULL)
        return ipc_fail(IPC_E_NO_MEMORY, "no memory for a mutex's handle");
    ipc_status status = ipc_sync_open(&made->sync, name, options, &ipc_mutex_region_kind);
    if (status != IPC_OK) {
        free(made);
        return status;
    }
    *mutex = made;
    return IPC_OK;
}

void ipc_shared_mutex_close(ipc_shared_mutex *mutex)
{
    if (mutex == NULL)
        return;
    ipc_sync_close(&mutex->sync);
    free(mutex);
}

static bool may_take(const void *subject)
{
    const uint32_t owner = ipc_load_relaxed32(&((const ipc_sync *)subject)->body->word);
    return owner == 0 || owner == IPC_SYNC_ABANDONED;
}

static ipc_status take(void *subject)
{
    ipc_sync *sync = subject;
    uint32_t owner = ipc_load_relaxed32(&sync->body->word);
    while (owner == 0 || owner == IPC_SYNC_ABANDONED) {
        const bool abandoned = owner != 0;
        if (ipc_cas32(&sync->body->word, &owner, sync->owner)) { /* [owner] */
            IPC_FAULT_POINT("mutex.acquire.owned");
            return abandoned ? IPC_ABANDONED : IPC_OK;
        }
    }
    return IPC_EMPTY;
}

static bool put_back(ipc_sync *sync, bool abandoned)
{
    uint32_t owner = sync->owner;
    IPC_FAULT_POINT("mutex.release.before");
    if (!ipc_cas32(&sync->body->word, &owner, abandoned ? IPC_SYNC_ABANDONED : 0)) /* [owner] */
        return false;
    IPC_FAULT_POINT("mutex.release.after");
    ipc_sync_signal(sync);
    return true;
}

ipc_status ipc_shared_mutex_acquire(ipc_shared_mutex *mutex, ipc_deadline deadline, ipc_cancel *cancel)
{
    return ipc_sync_acquire(&mutex->sync, take, may_take, put_back, deadline, cancel);
}

ipc_status ipc_shared_mutex_arm(ipc_shared_mutex *mutex, ipc_deadline deadline, ipc_cancel *cancel,
                                ipc_ready_handle *handle)
{
    return ipc_sync_arm(&mutex->sync, may_take, deadline, cancel, handle);
}

ipc_status ipc_shared_mutex_release(ipc_shared_mutex *mutex)
{
    if (!ipc_sync_is_closed(&mutex->sync) && put_back(&mutex->sync, false))
        return IPC_OK;
    return ipc_fail(IPC_E_INVALID_STATE, "%s was to be released by an object that does not hold it",
                    mutex->sync.place.region->path);
}

void ipc_shared_mutex_stop(ipc_shared_mutex *mutex)
{
    ipc_end_stop(&mutex->sync.end);
}

void ipc_shared_mutex_resume(ipc_shared_mutex *mutex)
{
    ipc_end_resume(&mutex->sync.end);
}
