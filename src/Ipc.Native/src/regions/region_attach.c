#include "platform/error.h"
#include "platform/fault.h"
#include "regions/region.h"
#include "waiting/waiter.h"

/* For the region lock, between two looks at the caller's deadline. */
#define LOCK_SLICE_NS 100000000u

/* Each turn means that a region was retired between our opening and our locking it. */
#define TURNS 1000

static ipc_status check_kind(const ipc_region *region, const char *path)
{
    if (region->kind != NULL && region->kind->kind != region->geometry.kind)
        return ipc_fail(IPC_E_WRONG_KIND, "%s is %s, not %s: use another name", path,
                        ipc_region_kind_name(region->geometry.kind), ipc_region_kind_name(region->kind->kind));
    if (!ipc_region_lifetime_fits(region->geometry.kind, (uint32_t)region->geometry.lifetime))
        return ipc_fail(IPC_E_CORRUPT, "%s has lifetime %u, which is none that %s can have", path,
                        (unsigned)region->geometry.lifetime, ipc_region_kind_name(region->geometry.kind));
    return IPC_OK;
}

/* The name of a retired region, if it is still there, stands in everybody's way. Removing it needs the region lock:
   another process could be removing it too, and linking its own region in between. IPC_E_NOT_FOUND: the name is free.
 */
static ipc_status remove_retired(ipc_region *region, ipc_deadline lock_deadline)
{
    ipc_status status = ipc_region_lock(region, lock_deadline);
    if (status != IPC_OK)
        return status;
    const bool removed = !ipc_platform_file_is_named(region->file, region->path) ||
                         ipc_platform_file_unlink(region->path);
    ipc_region_unlock(region);
    if (!removed)
        return ipc_region_not_ours(region, "was retired");
    return ipc_fail(IPC_E_NOT_FOUND, "%s was retired by its last user", region->path);
}

static ipc_status open_and_map(ipc_region *region, ipc_deadline lock_deadline)
{
    ipc_file_facts facts = {0};
    ipc_region_header copy;
    ipc_region_hold_forks();
    ipc_status status = ipc_platform_file_open(region->path, !region->share.is_machine, &region->file, &facts);
    ipc_region_let_fork();
    if (status != IPC_OK)
        return status;
    region->user = facts.user;
    status = ipc_region_check_user(region, &facts);
    if (status != IPC_OK)
        return status;
    if (facts.size < IPC_REGION_SIZE_UNIT)
        return ipc_fail(
            IPC_E_CORRUPT,
            "%s has %llu bytes, a region has at least %u: it is truncated or not a region; remove it, or use another "
            "name",
            region->path, (unsigned long long)facts.size, IPC_REGION_SIZE_UNIT);
    status = ipc_platform_file_read(region->file, 0, &copy, sizeof copy);
    if (status == IPC_OK)
        status = ipc_region_check(&copy, facts.size, region->path, &region->geometry);
    if (status != IPC_OK)
        return status;
    if (ipc_load_relaxed32(&copy.state) == IPC_REGION_RETIRED)
        return remove_retired(region, lock_deadline);
    status = check_kind(region, region->path);
    if (status != IPC_OK)
        return status;
    return ipc_region_map(region);
}

ipc_status ipc_region_open(const char *path, const ipc_share *share, const ipc_region_kind *kind, void *owner,
                           ipc_deadline lock_deadline, ipc_region **region)
{
    ipc_region *made = NULL;
    ipc_status status = ipc_region_allocate(kind, owner, path, &made);
    if (status != IPC_OK)
        return status;
    if (share != NULL)
        made->share = *share;
    status = open_and_map(made, lock_deadline);
    if (status == IPC_OK && kind != NULL && kind->check_body != NULL)
        status = kind->check_body(made);
    if (status != IPC_OK) {
        ipc_region_discard(made);
        return status;
    }
    *region = made;
    return IPC_OK;
}

/* Under the region lock. IPC_E_NOT_FOUND: the region has ended, the name (if it was still there) is free. */
static ipc_status enter(ipc_region *region, uint32_t role, ipc_lifetime asked)
{
    const ipc_region_kind *kind = region->kind;
    if (ipc_load_acquire32(&ipc_region_header_of(region)->state) != IPC_REGION_LIVE) /* [live] */
        return ipc_fail(IPC_E_NOT_FOUND, "%s was retired", region->path);

    const bool judged = kind->first_judges && ipc_region_is_alive(region, 0);
    if (judged) {
        ipc_region_recover_suspects(region);
    } else {
        ipc_region_recover_locked(region);
        if (!ipc_region_has_living(region) && !ipc_region_is_kept(region)) {
            ipc_region_retire(region);
            return ipc_fail(IPC_E_NOT_FOUND, "%s was left over by processes that have died", region->path);
        }
    }
    ipc_status status = ipc_region_check_lifetime(region, asked);
    if (status == IPC_OK)
        status = kind->admit(region, role);
    if (status != IPC_OK)
        return status;

    uint32_t index = 0;
    status = ipc_region_take_entry(region, role, &index);
    if (status == IPC_E_TABLE_FULL && judged) {
        ipc_region_recover_locked(region);
        status = ipc_region_take_entry(region, role, &index);
    }
    if (status != IPC_OK)
        return status;
    region->index = index;
    /* Before it takes anything that others wait for: should it die with that, they must know whom to watch. */
    ipc_waiter_wake(&ipc_region_header_of(region)->change);
    if (kind->enter != NULL)
        kind->enter(region, index, role);
    ipc_region_wake_all(region); /* whoever sleeps has a new peer to look after */
    return IPC_OK;
}

ipc_deadline ipc_region_lock_deadline(ipc_deadline deadline)
{
    return ipc_deadline_after(deadline == IPC_NOW ? IPC_REGION_LOCK_TIMEOUT_NS : LOCK_SLICE_NS);
}

/* An owner that removes a region of the machine removes its name first; a listener's next server takes it. */
static bool has_lost_its_name(const ipc_region *region)
{
    return (region->share.is_machine || region->geometry.kind == IPC_KIND_LISTENER) &&
           !ipc_platform_file_is_named(region->file, region->path);
}

ipc_status ipc_region_attach(const char *path, const ipc_share *share, const ipc_region_kind *kind, void *owner,
                             uint32_t role, ipc_lifetime asked, ipc_deadline lock_deadline, ipc_region **region)
{
    for (int turn = 0; turn < TURNS; turn++) {
        ipc_region *opened = NULL;
        ipc_status status = ipc_region_open(path, share, kind, owner, lock_deadline, &opened);
        if (status != IPC_OK)
            return status;
        status = ipc_region_lock(opened, lock_deadline);
        if (status == IPC_OK) {
            IPC_FAULT_POINT("region.attach.locked");
            if (has_lost_its_name(opened)) {
                ipc_region_unlock(opened);
                ipc_region_discard(opened);
                continue;
            }
            const bool was_live = ipc_load_acquire32(&ipc_region_header_of(opened)->state) == IPC_REGION_LIVE;
            status = enter(opened, role, asked);
            ipc_region_unlock(opened);
            if (status == IPC_OK) {
                *region = opened;
                return IPC_OK;
            }
            if (!was_live) { /* retired while we were on our way in: the name may lead elsewhere by now */
                status = remove_retired(opened, lock_deadline);
                ipc_region_discard(opened);
                if (status != IPC_E_NOT_FOUND)
                    return status;
                continue;
            }
        }
        ipc_region_discard(opened);
        return status;
    }
    return ipc_fail(IPC_E_IN_USE, "%s was retired %d times while it was being opened", path, TURNS);
}
