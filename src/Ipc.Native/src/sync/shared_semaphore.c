/*
 * A semaphore between processes: a word for each permit, 0 or the name of its holder, taken and given back by a CAS
 * [owner]. So no count has to be right after a death. What recovery frees it counts first in `abandoned`: who takes
 * that very permit finds the number raised, and a recovery that is killed in between makes one owner too many look
 * twice, never one too few.
 */
#include "diagnostics/fault.h"
#include "sync/sync.h"
#include "waiting/waiter.h"

#include <inttypes.h>
#include <stdlib.h>

struct ipc_shared_semaphore {
    ipc_sync sync;
    ipc_atomic32 hint; /* where a permit was taken or given back last */
};

/* ---- the region -------------------------------------------------------------------------------------- */

static ipc_status permits_in(const ipc_region *region, uint32_t *permits)
{
    ipc_status status = ipc_sync_check(region, IPC_SEMAPHORE_TABLE, IPC_SEMAPHORE_MAGIC);
    if (status != IPC_OK)
        return status;
    const uint32_t found = *(const volatile uint32_t *)&ipc_sync_body_of(region)->parameter; /* once */
    const uint64_t room = (region->geometry.body_size - IPC_SEMAPHORE_TABLE) / sizeof(ipc_atomic32);
    if (found < 1 || found > IPC_SEMAPHORE_PERMITS_MAX || found > room)
        return ipc_fail(IPC_E_CORRUPT, "%s has %u permits and room for %" PRIu64 "; 1 to %u are possible", region->path,
                        found, room, IPC_SEMAPHORE_PERMITS_MAX);
    *permits = found;
    return IPC_OK;
}

static ipc_status check_body(ipc_region *region)
{
    uint32_t permits = 0;
    return permits_in(region, &permits);
}

static void take_back(const ipc_region *region, uint32_t gone)
{
    uint32_t permits = 0;
    if (permits_in(region, &permits) != IPC_OK)
        return;
    ipc_atomic32 *table = ipc_region_at(region, region->geometry.body_offset + IPC_SEMAPHORE_TABLE);
    for (uint32_t permit = 0; permit < permits; permit++) {
        uint32_t owner = ipc_load_acquire32(&table[permit]);
        if (owner == 0 || !ipc_sync_is_gone(region, owner, gone))
            continue;
        (void)ipc_add32(&ipc_sync_body_of(region)->word, 1);
        (void)ipc_cas32(&table[permit], &owner, 0); /* [owner] */
    }
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

const ipc_region_kind ipc_semaphore_region_kind = {
    .kind = IPC_KIND_SEMAPHORE,
    .check_body = check_body,
    .admit = admit,
    .clean_up = clean_up,
    .wake = ipc_sync_wake,
};

/* ---- the calls --------------------------------------------------------------------------------------- */

ipc_status ipc_shared_semaphore_open(const char *name, const ipc_sync_options *options,
                                     ipc_shared_semaphore **semaphore)
{
    ipc_shared_semaphore *made = calloc(1, sizeof *made);
    if (made == NULL)
        return ipc_fail(IPC_E_NO_MEMORY, "no memory for a semaphore's handle");
    ipc_status status = ipc_sync_open(&made->sync, name, options, &ipc_semaphore_region_kind);
    if (status == IPC_OK && (status = permits_in(made->sync.region, &made->sync.parameter)) != IPC_OK)
        ipc_sync_close(&made->sync);
    if (status != IPC_OK) {
        free(made);
        return status;
    }
    *semaphore = made;
    return IPC_OK;
}

void ipc_shared_semaphore_close(ipc_shared_semaphore *semaphore)
{
    if (semaphore == NULL)
        return;
    ipc_sync_close(&semaphore->sync);
    free(semaphore);
}

/* Changes one word of the table, any one that is `from`. */
static bool change(ipc_sync *sync, uint32_t from, uint32_t to)
{
    ipc_atomic32 *hint = &((ipc_shared_semaphore *)(void *)sync)->hint; /* sync is its first member */
    const uint32_t start = ipc_load_relaxed32(hint);
    for (uint32_t i = 0; i < sync->parameter; i++) {
        const uint32_t permit = start + i < sync->parameter ? start + i : start + i - sync->parameter;
        uint32_t expected = from;
        if (ipc_load_relaxed32(&sync->table[permit]) == from &&
            ipc_cas32(&sync->table[permit], &expected, to)) { /* [owner] */
            ipc_store_relaxed32(hint, permit);
            return true;
        }
    }
    return false;
}

/* Takes one off the number of abandoned permits, if there are any. */
static bool is_told(ipc_sync *sync)
{
    uint32_t abandoned = ipc_load_acquire32(&sync->body->word);
    while (abandoned != 0) {
        if (ipc_cas32(&sync->body->word, &abandoned, abandoned - 1))
            return true;
    }
    return false;
}

static ipc_status take(void *subject)
{
    if (!change(subject, 0, ((const ipc_sync *)subject)->owner))
        return IPC_EMPTY;
    IPC_FAULT_POINT("semaphore.acquire.taken");
    return is_told(subject) ? IPC_ABANDONED : IPC_OK;
}

static bool may_take(const void *subject)
{
    const ipc_sync *sync = subject;
    for (uint32_t permit = 0; permit < sync->parameter; permit++) {
        if (ipc_load_relaxed32(&sync->table[permit]) == 0)
            return true;
    }
    return false;
}

static bool put_back(ipc_sync *sync)
{
    if (!change(sync, sync->owner, 0))
        return false;
    IPC_FAULT_POINT("semaphore.release.after");
    ipc_sync_signal(sync);
    return true;
}

ipc_status ipc_shared_semaphore_acquire(ipc_shared_semaphore *semaphore, ipc_deadline deadline, ipc_cancel *cancel)
{
    return ipc_sync_acquire(&semaphore->sync, take, may_take, put_back, deadline, cancel);
}

ipc_status ipc_shared_semaphore_release(ipc_shared_semaphore *semaphore)
{
    if (!ipc_sync_is_closed(&semaphore->sync) && put_back(&semaphore->sync))
        return IPC_OK;
    return ipc_fail(IPC_E_STATE, "a permit of %s was to be released by an object that has none",
                    semaphore->sync.region->path);
}

uint32_t ipc_shared_semaphore_available(const ipc_shared_semaphore *semaphore)
{
    uint32_t available = 0;
    for (uint32_t permit = 0; permit < semaphore->sync.parameter && !ipc_sync_is_closed(&semaphore->sync); permit++)
        available += ipc_load_relaxed32(&semaphore->sync.table[permit]) == 0;
    return available;
}

uint32_t ipc_shared_semaphore_permits(const ipc_shared_semaphore *semaphore)
{
    return semaphore->sync.parameter;
}

void ipc_shared_semaphore_stop(ipc_shared_semaphore *semaphore)
{
    ipc_end_stop(&semaphore->sync.end);
}

void ipc_shared_semaphore_resume(ipc_shared_semaphore *semaphore)
{
    ipc_end_resume(&semaphore->sync.end);
}
