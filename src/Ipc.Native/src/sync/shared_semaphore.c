/*
 * A semaphore between processes: a word for each permit, 0 or the name of its holder, taken and given back by a CAS
 * [owner]. So no count has to be right after a death. What recovery frees it marks as abandoned, in the permit's own
 * word: whoever takes that very permit is told, once, however often the recovery is killed and done again. The body's
 * word counts such permits, and may be wrong: it only makes those who acquire look for them first.
 */
#include "platform/fault.h"
#include "sync/sync.h"
#include "waiting/waiter.h"

#include <inttypes.h>
#include <stdlib.h>

struct ipc_shared_semaphore {
    ipc_sync sync;
    ipc_atomic32 hint; /* where a permit was taken or given back last */
    ipc_atomic32 held; /* permits that this object's threads have acquired; of this process alone */
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
        if (owner == 0 || owner == IPC_SYNC_ABANDONED || !ipc_sync_is_gone(region, owner, gone))
            continue;
        (void)ipc_add32(&ipc_sync_body_of(region)->word, 1); /* first: too high is found out, too low is not */
        IPC_FAULT_POINT("semaphore.recover.counted");
        (void)ipc_cas32(&table[permit], &owner, IPC_SYNC_ABANDONED); /* [owner] */
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
    if (status == IPC_OK && (status = permits_in(made->sync.place.region, &made->sync.parameter)) != IPC_OK)
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

/* Changes one word of the table, any one that is FROM or OR; `changed` is what it was. */
static bool change(ipc_sync *sync, uint32_t from, uint32_t or, uint32_t to, uint32_t *changed)
{
    ipc_atomic32 *hint = &((ipc_shared_semaphore *)(void *)sync)->hint; /* sync is its first member */
    const uint32_t start = ipc_load_relaxed32(hint);
    for (uint32_t i = 0; i < sync->parameter; i++) {
        const uint32_t permit = start + i < sync->parameter ? start + i : start + i - sync->parameter;
        uint32_t found = ipc_load_relaxed32(&sync->table[permit]);
        if ((found == from || found == or) && ipc_cas32(&sync->table[permit], &found, to)) { /* [owner] */
            *changed = found;
            ipc_store_relaxed32(hint, permit);
            return true;
        }
    }
    return false;
}

/* There are said to be abandoned permits: one of these, which is one less then; and one less when there is none. */
static bool take_abandoned(ipc_sync *sync, uint32_t said)
{
    uint32_t was = 0;
    const bool taken = change(sync, IPC_SYNC_ABANDONED, IPC_SYNC_ABANDONED, sync->owner, &was);
    while (said != 0 && !ipc_cas32(&sync->body->word, &said, said - 1))
        ;
    return taken;
}

static ipc_status take(void *subject)
{
    ipc_sync *sync = subject;
    uint32_t was = IPC_SYNC_ABANDONED;
    const uint32_t said = ipc_load_acquire32(&sync->body->word);
    if ((said == 0 || !take_abandoned(sync, said)) && !change(sync, 0, IPC_SYNC_ABANDONED, sync->owner, &was))
        return IPC_EMPTY;
    (void)ipc_add32(&((ipc_shared_semaphore *)subject)->held, 1);
    IPC_FAULT_POINT("semaphore.acquire.taken");
    return was == IPC_SYNC_ABANDONED ? IPC_ABANDONED : IPC_OK;
}

static bool is_available(const ipc_sync *sync, uint32_t permit)
{
    return (ipc_load_relaxed32(&sync->table[permit]) & ~IPC_SYNC_ABANDONED) == 0;
}

static bool may_take(const void *subject)
{
    const ipc_sync *sync = subject;
    for (uint32_t permit = 0; permit < sync->parameter; permit++) {
        if (is_available(sync, permit))
            return true;
    }
    return false;
}

/*
 * Whoever counts one down finds one: but other threads of this object move theirs while it looks, out of the places that it
 * still has to look at and into those that it has. Then it looks again; not for ever, for the table is shared memory.
 */
static bool put_back(ipc_sync *sync, bool abandoned)
{
    const unsigned most_looks = 100000;
    ipc_atomic32 *held = &((ipc_shared_semaphore *)(void *)sync)->held;
    uint32_t has = ipc_load_relaxed32(held);
    do {
        if (has == 0)
            return false;
    } while (!ipc_cas32(held, &has, has - 1));
    uint32_t was = 0;
    for (unsigned looks = 1; !change(sync, sync->owner, sync->owner, abandoned ? IPC_SYNC_ABANDONED : 0, &was); looks++) {
        if (looks == most_looks)
            return false;
    }
    IPC_FAULT_POINT("semaphore.release.after");
    ipc_sync_signal(sync);
    return true;
}

ipc_status ipc_shared_semaphore_acquire(ipc_shared_semaphore *semaphore, ipc_deadline deadline, ipc_cancel *cancel)
{
    return ipc_sync_acquire(&semaphore->sync, take, may_take, put_back, deadline, cancel);
}

ipc_status ipc_shared_semaphore_arm(ipc_shared_semaphore *semaphore, ipc_deadline deadline, ipc_cancel *cancel,
                                    ipc_ready_handle *handle)
{
    return ipc_sync_arm(&semaphore->sync, may_take, deadline, cancel, handle);
}

ipc_status ipc_shared_semaphore_release(ipc_shared_semaphore *semaphore)
{
    if (!ipc_sync_is_closed(&semaphore->sync) && put_back(&semaphore->sync, false))
        return IPC_OK;
    return ipc_fail(IPC_E_INVALID_STATE, "a permit of %s was to be released by an object that has none",
                    semaphore->sync.place.region->path);
}

uint32_t ipc_shared_semaphore_available(const ipc_shared_semaphore *semaphore)
{
    uint32_t available = 0;
    for (uint32_t permit = 0; permit < semaphore->sync.parameter && !ipc_sync_is_closed(&semaphore->sync); permit++)
        available += is_available(&semaphore->sync, permit);
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
