#include "platform/error.h"
#include "platform/fault.h"
#include "regions/region.h"

#include <stdio.h>
#include <string.h>

static void write_header(ipc_region *region, const ipc_region_plan *plan)
{
    ipc_region_header *header = ipc_region_header_of(region);
    header->magic = IPC_REGION_MAGIC;
    header->major = IPC_REGION_MAJOR;
    header->minor = IPC_REGION_MINOR;
    header->kind = region->kind->kind;
    header->total_size = plan->total_size;
    header->participant_offset = IPC_PARTICIPANT_OFFSET;
    header->participant_capacity = plan->participants;
    header->body_offset = plan->body_offset;
    header->body_size = plan->body_size;
    memcpy(header->region_id, region->geometry.region_id, sizeof header->region_id);
    header->created = ipc_platform_unix_time();
    header->creator_pid = ipc_platform_pid();
    header->lifetime = (uint32_t)plan->lifetime;
}

static ipc_status make_file(ipc_region *region, const ipc_region_plan *plan)
{
    char directory[IPC_PATH_MAX];
    const char *slash = strrchr(region->path, '/');
    (void)snprintf(directory, sizeof directory, "%.*s", slash == NULL ? 0 : (int)(slash - region->path), region->path);

    ipc_file_range reserved[1 + IPC_REGION_RESERVED] = {
        {0, plan->reserved_size == 0 ? plan->total_size : plan->reserved_size}};
    for (int i = 0; i < IPC_REGION_RESERVED; i++)
        reserved[1 + i] = plan->reserved[i];
    ipc_region_hold_forks();
    ipc_status status = ipc_platform_file_create(directory, &region->file, region->temporary, sizeof region->temporary);
    ipc_region_let_fork();
    if (status == IPC_OK && region->share.is_machine && region->temporary[0] != '\0')
        status = ipc_fail(IPC_E_ACCESS_DENIED,
                          "%s is on a file system without unnamed files, where regions of the machine cannot be",
                          directory);
    if (status == IPC_OK) /* before it has a name: it never is another's by mistake */
        status = ipc_platform_file_share(region->file, &region->share.access);
    if (status == IPC_OK)
        status = ipc_platform_file_reserve(region->file, plan->total_size, reserved, 1 + IPC_REGION_RESERVED);
    return status == IPC_OK ? ipc_region_map(region) : status;
}

ipc_status ipc_region_build(const char *path, const ipc_region_kind *kind, const ipc_region_plan *plan,
                            ipc_region **region)
{
    ipc_region *made = NULL;
    ipc_status status = ipc_region_allocate(kind, NULL, path, &made);
    if (status != IPC_OK)
        return status;

    if (plan->share != NULL)
        made->share = *plan->share;
    made->user = ipc_platform_user();
    made->geometry.kind = kind->kind;
    made->geometry.lifetime = plan->lifetime;
    made->geometry.participant_capacity = plan->participants;
    made->geometry.body_offset = plan->body_offset;
    made->geometry.body_size = plan->body_size;
    made->geometry.total_size = plan->total_size;
    ipc_platform_random(made->geometry.region_id, sizeof made->geometry.region_id);
    made->geometry.region_id[0] |= 1; /* not zero, whatever the dice say */
    status = make_file(made, plan);
    if (status == IPC_OK) {
        write_header(made, plan);
        if (plan->role != 0) {
            status = ipc_platform_lock_try(made->file, IPC_LOCK_PARTICIPANTS + plan->index);
            if (status == IPC_OK) {
                ipc_region_fill_entry(made, plan->index, plan->role);
                made->index = plan->index;
            }
        }
    }
    if (status != IPC_OK) {
        ipc_region_discard(made);
        return status;
    }
    *region = made;
    return IPC_OK;
}

ipc_status ipc_region_link(ipc_region *region)
{
    ipc_store_release32(&ipc_region_header_of(region)->state, IPC_REGION_LIVE); /* [live] */
    IPC_FAULT_POINT("region.create.before_link");
    ipc_status status = ipc_platform_file_publish(region->file, region->temporary, region->path);
    if (status != IPC_OK)
        return status;
    region->temporary[0] = '\0';
    IPC_FAULT_POINT("region.create.after_link");
    return IPC_OK;
}

static void retire_left_over(ipc_region *region)
{
    if (region->kind != NULL && region->kind->retire != NULL)
        region->kind->retire(region);
    ipc_region_retire(region);
}

/* Under the region lock. */
static bool is_retired(const ipc_region *region)
{
    return ipc_load_acquire32(&ipc_region_header_of(region)->state) == IPC_REGION_RETIRED;
}

static ipc_status open_any(const char *path, const ipc_share *share, const ipc_region_kind *(*kind_of)(uint32_t kind),
                           ipc_region **opened)
{
    ipc_region *region = NULL;
    ipc_status status =
        ipc_region_open(path, share, NULL, NULL, ipc_deadline_after(IPC_REGION_LOCK_TIMEOUT_NS), &region);
    if (status != IPC_OK)
        return status;
    region->kind = kind_of(region->geometry.kind);
    if (region->kind != NULL && region->kind->check_body != NULL)
        status = region->kind->check_body(region);
    if (status != IPC_OK) {
        ipc_region_discard(region);
        return status;
    }
    *opened = region;
    return IPC_OK;
}

/* The capacity, if nobody lives. */
static uint32_t first_living(ipc_region *region)
{
    uint32_t living = 0;
    while (living < region->geometry.participant_capacity && !ipc_region_is_alive(region, living))
        living++;
    return living;
}

ipc_status ipc_region_clear(const char *path, const ipc_share *share, const ipc_region_kind *(*kind_of)(uint32_t kind))
{
    ipc_region *region = NULL;
    ipc_status status = open_any(path, share, kind_of, &region);
    if (status != IPC_OK)
        return status;
    status = ipc_region_lock(region, ipc_deadline_after(IPC_REGION_LOCK_TIMEOUT_NS));
    if (status == IPC_OK) {
        const bool retired = is_retired(region);
        const uint32_t living = retired ? region->geometry.participant_capacity : first_living(region);
        if (living < region->geometry.participant_capacity) {
            status = ipc_fail(IPC_E_IN_USE, "%s is in use by process %u: it can be cleared when everybody has left",
                              path, ipc_load_relaxed32(&ipc_region_participant(region, living)->pid));
        } else if (retired) {
            status = ipc_fail(IPC_E_NOT_FOUND, "%s was retired by its last user", path);
        } else if (!ipc_region_may_remove(region)) {
            status = ipc_region_not_ours(region, "is not in use");
        } else {
            retire_left_over(region);
        }
        ipc_region_unlock(region);
    }
    ipc_region_discard(region);
    return status;
}

static ipc_status taken(ipc_region *region, const char *path)
{
    const uint32_t living = first_living(region);
    if (living < region->geometry.participant_capacity)
        return ipc_fail(IPC_E_EXISTS, "%s exists and process %u uses it: open it, or use another name", path,
                        ipc_load_relaxed32(&ipc_region_participant(region, living)->pid));
    if (!ipc_region_may_remove(region))
        return ipc_fail(IPC_E_EXISTS, "%s exists and belongs to user %u, who alone can remove it: open it", path,
                        region->user);
    return ipc_fail(IPC_E_EXISTS, "%s exists and %s: open it, or remove it first", path,
                    region->geometry.lifetime == IPC_LIFETIME_PERSISTENT ? "is persistent" : "holds unread messages");
}

ipc_status ipc_region_reap(const char *path, const ipc_share *share, const ipc_region_kind *kind)
{
    ipc_region *region = NULL;
    ipc_share to_remove = *share;
    to_remove.takes_open = true; /* nothing in it is believed but that it is not in use */
    ipc_status status =
        ipc_region_open(path, &to_remove, kind, NULL, ipc_deadline_after(IPC_REGION_LOCK_TIMEOUT_NS), &region);
    if (status == IPC_E_NOT_FOUND)
        return IPC_OK; /* gone, or retired and removed: the name is free */
    if (status != IPC_OK)
        return status;

    status = ipc_region_lock(region, ipc_deadline_after(IPC_REGION_LOCK_TIMEOUT_NS));
    if (status == IPC_OK) {
        const bool retired = is_retired(region);
        if (retired && !ipc_region_may_remove(region)) {
            status = ipc_region_not_ours(region, "was retired");
        } else if (!retired && !ipc_region_is_over(region)) {
            status = taken(region, path);
        } else {
            if (retired)
                ipc_region_retire(region);
            else
                retire_left_over(region);
        }
        ipc_region_unlock(region);
    }
    ipc_region_discard(region);
    return status;
}
