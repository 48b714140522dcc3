/*
 * Who is in a region: entering, leaving, the region lock, the dead.
 *
 * Recovery runs under the region lock, may be killed at any point and done again by somebody else: it only ever turns
 * words to the value that they have afterwards, and the entry itself is freed last.
 */
#include "platform/error.h"
#include "platform/fault.h"
#include "regions/region.h"
#include "waiting/cancel.h"

#include <inttypes.h>

/* Between two attempts to get the region lock: the kernel's queue for it has no deadline. */
#define LOCK_PAUSE_NS     20000u
#define LOCK_PAUSE_MAX_NS 2000000u

/* IPC_TIMEOUT: a thread of this process has it. IPC_E_IN_USE: another process has. Without words. */
static ipc_status lock(ipc_region *region, ipc_deadline deadline)
{
    uint64_t pause = LOCK_PAUSE_NS;
    if (deadline == IPC_NOW && !ipc_mutex_try_lock(&region->mutex)) /* its owner may wait for the region lock itself */
        return IPC_TIMEOUT;
    if (deadline != IPC_NOW)
        ipc_mutex_lock(&region->mutex);
    for (;;) {
        ipc_status status = region->forked ? IPC_E_INVALID_STATE : ipc_platform_lock_try(region->file, IPC_LOCK_REGION);
        if (status == IPC_OK)
            return IPC_OK;
        if (status == IPC_E_IN_USE && ipc_platform_now() < deadline) {
            ipc_cancel_pause(NULL, ipc_deadline_after(pause));
            pause = pause * 2 > LOCK_PAUSE_MAX_NS ? LOCK_PAUSE_MAX_NS : pause * 2;
            continue;
        }
        ipc_mutex_unlock(&region->mutex);
        return status;
    }
}

ipc_status ipc_region_lock(ipc_region *region, ipc_deadline deadline)
{
    const ipc_status status = lock(region, deadline);
    switch (status) {
    case IPC_TIMEOUT:
        return ipc_fail(IPC_TIMEOUT, "the region lock of %s is held by another thread of this process", region->path);
    case IPC_E_IN_USE:
        return ipc_fail(
            IPC_TIMEOUT,
            "the lock of region %s is held by a participant that is stopped, in a debugger perhaps: continue or "
            "end that process",
            region->path);
    case IPC_E_INVALID_STATE:
        return ipc_fail(IPC_E_INVALID_STATE, "the region was opened by the parent process");
    default:
        return status;
    }
}

bool ipc_region_try_lock(ipc_region *region, ipc_deadline deadline)
{
    return lock(region, deadline) == IPC_OK;
}

void ipc_region_unlock(ipc_region *region)
{
    if (!region->forked)
        ipc_platform_unlock(region->file, IPC_LOCK_REGION);
    ipc_mutex_unlock(&region->mutex);
}

void ipc_region_fill_entry(ipc_region *region, uint32_t index, uint32_t role)
{
    ipc_participant *entry = ipc_region_participant(region, index);
    ipc_store_relaxed32(&entry->generation, ipc_load_relaxed32(&entry->generation) + 1);
    ipc_store_relaxed32(&entry->pid, ipc_platform_pid());
    ipc_store_relaxed32(&entry->role, role);
    ipc_store_relaxed64(&entry->start_time, ipc_platform_start_time());
    ipc_store_relaxed64(&entry->attached, ipc_platform_unix_time());
    ipc_store_relaxed64(&entry->pid_namespace, ipc_platform_pid_namespace());
    ipc_store_relaxed32(&entry->runtime, IPC_RUNTIME_C);
    ipc_store_relaxed32(&entry->ended, IPC_ENDED_NOT);
    ipc_store_relaxed64(&entry->spin, 0); /* what its predecessor said */
    ipc_store_relaxed64(&entry->room_spin, 0);
    ipc_region_lock_process(region, index);
    IPC_FAULT_POINT("region.attach.entry_filled");
    ipc_store_release32(&entry->state, IPC_PARTICIPANT_LIVE); /* [live] */
    IPC_FAULT_POINT("region.attach.live");
}

ipc_status ipc_region_take_entry(ipc_region *region, uint32_t role, uint32_t *index)
{
    for (uint32_t i = 0; i < region->geometry.participant_capacity; i++) {
        if (ipc_load_acquire32(&ipc_region_participant(region, i)->state) != IPC_PARTICIPANT_FREE)
            continue;
        if (region->kind->names != NULL && region->kind->names(region, i))
            continue;
        ipc_status status = ipc_platform_lock_try(region->file, IPC_LOCK_PARTICIPANTS + i);
        if (status == IPC_E_IN_USE)
            continue; /* a forked child still has the description of one who was here */
        if (status != IPC_OK)
            return status;
        ipc_region_fill_entry(region, i, role);
        *index = i;
        return IPC_OK;
    }
    return ipc_fail(IPC_E_TABLE_FULL,
                    "%s has room for %u participants and all places are taken: close one, or create it with more",
                    region->path, region->geometry.participant_capacity);
}

void ipc_region_wake_all(ipc_region *region)
{
    ipc_waiter_wake(&ipc_region_header_of(region)->change);
    if (region->kind != NULL && region->kind->wake != NULL)
        region->kind->wake(region);
}

/* The entry first, then the word to whoever looks: told before, it would find the entry taken and look no more. */
static void free_entry(ipc_region *region, uint32_t index, uint32_t ended)
{
    ipc_store_relaxed32(&ipc_region_participant(region, index)->ended, ended);
    ipc_store_release32(&ipc_region_participant(region, index)->state, IPC_PARTICIPANT_FREE);
    if (region->kind != NULL && region->kind->freed != NULL)
        region->kind->freed(region, index);
}

static bool recover_one(ipc_region *region, uint32_t index)
{
    ipc_participant *entry = ipc_region_participant(region, index);
    if (index == region->index || ipc_load_acquire32(&entry->state) != IPC_PARTICIPANT_LIVE ||
        ipc_region_is_alive(region, index))
        return false;
    IPC_FAULT_POINT("recover.begin");
    const bool died = ipc_load_acquire32(&entry->ended) != IPC_ENDED_LEFT; /* [given-up] */
    if (region->kind != NULL && region->kind->clean_up != NULL)
        region->kind->clean_up(region, index, true);
    IPC_FAULT_POINT("recover.before_free");
    free_entry(region, index, died ? IPC_ENDED_DIED : IPC_ENDED_LEFT);
    if (died)
        (void)ipc_add32(&ipc_region_header_of(region)->recoveries, 1);
    return true;
}

void ipc_region_recover_locked(ipc_region *region)
{
    bool any = false;
    for (uint32_t i = 0; i < region->geometry.participant_capacity; i++)
        any = recover_one(region, i) || any;
    /* Unconditionally: the dead one may have changed a word and died before waking who slept on it. */
    if (any)
        ipc_region_wake_all(region);
}

void ipc_region_recover_suspects(ipc_region *region)
{
    for (uint32_t i = 0; region->kind->suspect != NULL && i < region->geometry.participant_capacity; i++) {
        if (ipc_load_acquire32(&ipc_region_participant(region, i)->state) == IPC_PARTICIPANT_LIVE && /* cheap, of a thousand */
            region->kind->suspect(region, i))
            (void)recover_one(region, i);
    }
}

ipc_watch_answer ipc_region_recover(ipc_region *region, uint32_t index, uint32_t generation)
{
    if (index >= region->geometry.participant_capacity)
        return IPC_WATCH_DONE;
    if (!ipc_region_try_lock(region, IPC_NOW)) /* a stopped process may hold many: none of them holds us up */
        return IPC_WATCH_ASK_SOON;
    (void)recover_one(region, index);
    /* By the entry, not by a second look at the process: one that has died since the first was not recovered. */
    const bool gone = !ipc_region_has(region, index, generation);
    /* Also when another has freed the entry: it may have been killed before it woke anybody. */
    if (gone)
        ipc_region_wake_all(region);
    ipc_region_unlock(region);
    return gone ? IPC_WATCH_DONE : IPC_WATCH_ASK_LATER;
}

void ipc_region_retire(ipc_region *region)
{
    const bool is_machine = region->share.is_machine;
    const bool is_named = ipc_platform_file_is_named(region->file, region->path);
    /* What is retired and has its name is to be removed by whoever comes next. Here not everybody can: the name goes
       first, and whoever has opened it before finds that it leads elsewhere. */
    if (is_machine && is_named) {
        if (!ipc_platform_file_unlink(region->path))
            return;
        IPC_FAULT_POINT("region.leave.unlinked");
    }
    ipc_store_release32(&ipc_region_header_of(region)->state, IPC_REGION_RETIRED);
    IPC_FAULT_POINT("region.leave.retired");
    if (!is_machine && is_named)
        (void)ipc_platform_file_unlink(region->path);
}

static void leave_locked(ipc_region *region)
{
    const uint32_t index = region->index;
    const ipc_region_kind *kind = region->kind;
    bool retires = false;
    if (index != IPC_NO_PARTICIPANT) {
        retires = kind->retires != NULL && kind->retires(region, index);
        if (retires)
            ipc_region_recover_suspects(region); /* nobody comes after us who would */
        if (kind->clean_up != NULL)
            kind->clean_up(region, index, false);
        free_entry(region, index, IPC_ENDED_LEFT);
        IPC_FAULT_POINT("region.leave.entry_freed");
        ipc_region_unlock_entry(region, index);
        region->index = IPC_NO_PARTICIPANT;
    }
    const bool live = ipc_load_acquire32(&ipc_region_header_of(region)->state) == IPC_REGION_LIVE;
    if (live && (retires || ipc_region_is_over(region)))
        ipc_region_retire(region);
    ipc_region_wake_all(region);
}

/* Without the lock, whose holder does not go on, we leave almost as the dead do: the lock on our entry ends, and others
   clean up. But our process lives, so nobody is told of its end: the entry says that we left, before its lock ends
   [given-up], and `change` and the waiters make everybody look. */
static void give_up(ipc_region *region)
{
    const uint32_t index = region->index;
    if (index == IPC_NO_PARTICIPANT)
        return;
    ipc_store_release32(&ipc_region_participant(region, index)->ended, IPC_ENDED_LEFT); /* [given-up] */
    IPC_FAULT_POINT("region.leave.given_up");
    ipc_region_unlock_entry(region, index);
    region->index = IPC_NO_PARTICIPANT;
    ipc_region_wake_all(region);
}

void ipc_region_exit(ipc_region *region)
{
    if (region->forked)
        return;
    if (!ipc_region_try_lock(region, ipc_deadline_after(IPC_REGION_LOCK_TIMEOUT_NS))) {
        give_up(region);
        return;
    }
    leave_locked(region);
    ipc_region_unlock(region);
}

void ipc_region_leave(ipc_region *region)
{
    if (region == NULL)
        return;
    ipc_region_exit(region);
    ipc_region_discard(region);
}
