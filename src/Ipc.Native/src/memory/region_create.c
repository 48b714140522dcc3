#include "diagnostics/error.h"
#include "diagnostics/fault.h"
#include "memory/region.h"

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
    ipc_platform_random(header->region_id, sizeof header->region_id);
    header->region_id[0] |= 1; /* not zero, whatever the dice say */
    header->created = ipc_platform_unix_time();
    header->creator_pid = ipc_platform_pid();
    header->flags = plan->persistent ? IPC_REGION_PERSISTENT : 0;
}

static ipc_status make_file(ipc_region *region, const ipc_region_plan *plan)
{
    char directory[IPC_PATH_MAX];
    const char *slash = strrchr(region->path, '/');
    (void)snprintf(directory, sizeof directory, "%.*s", slash == NULL ? 0 : (int)(slash - region->path), region->path);

    ipc_status status = ipc_platform_file_create(directory, plan->total_size, &region->file, region->temporary,
                                                 sizeof region->temporary);
    if (status != IPC_OK)
        return status;
    void *base = NULL;
    status = ipc_platform_map(region->file, plan->total_size, &base);
    region->base = base;
    return status;
}

ipc_status ipc_region_build(const char *path, const ipc_region_kind *kind, const ipc_region_plan *plan,
                            ipc_region **region)
{
    ipc_region *made = NULL;
    ipc_status status = ipc_region_allocate(kind, NULL, path, &made);
    if (status != IPC_OK)
        return status;

    made->geometry.kind = kind->kind;
    made->geometry.persistent = plan->persistent;
    made->geometry.participant_capacity = plan->participants;
    made->geometry.body_offset = plan->body_offset;
    made->geometry.body_size = plan->body_size;
    made->geometry.total_size = plan->total_size;
    status = make_file(made, plan);
    if (status == IPC_OK) {
        write_header(made, plan);
        if (plan->role != 0) {
            status = ipc_platform_lock_try(made->file, IPC_LOCK_PARTICIPANTS);
            if (status == IPC_OK) {
                ipc_region_fill_entry(made, 0, plan->role);
                made->index = 0;
            }
        }
    }
    if (status != IPC_OK) {
        ipc_region_discard(made);
        return status;
    }
    ipc_region_register(made);
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

ipc_status ipc_region_reap(const char *path)
{
    ipc_region *region = NULL;
    ipc_status status = ipc_region_open(path, NULL, NULL, &region);
    if (status == IPC_E_NOT_FOUND)
        return IPC_OK; /* gone, or retired and removed: the name is free */
    if (status != IPC_OK)
        return status;

    status = ipc_region_lock(region, ipc_deadline_after(IPC_REGION_PATIENCE_NS));
    if (status == IPC_OK) {
        const bool retired = ipc_load_acquire32(&ipc_region_header_of(region)->state) == IPC_REGION_RETIRED;
        if (!retired && (region->geometry.persistent || ipc_region_has_living(region))) {
            status = ipc_fail(IPC_E_EXISTS, "%s exists and is in use: attach to it, or choose another name", path);
        } else {
            /* connections that were being made when everybody died; not those of a listener that has the name now */
            if (!retired && region->geometry.kind == IPC_KIND_LISTENER &&
                ipc_platform_file_is_named(region->file, path)) {
                char prefix[IPC_PATH_MAX + 1];
                (void)snprintf(prefix, sizeof prefix, "%s~", path);
                ipc_platform_file_unlink_prefix(prefix);
            }
            ipc_region_retire(region);
        }
        ipc_region_unlock(region);
    }
    ipc_region_discard(region);
    return status;
}
