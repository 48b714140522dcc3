/* The kind of a ring that has a region of its own. */
#include "rings/ring_region.h"

static ipc_status check_body(ipc_region *region)
{
    ipc_ring ring;
    return ipc_ring_locate(region, region->geometry.body_offset, &ring);
}

static ipc_status admit(ipc_region *region, uint32_t role)
{
    return ipc_ring_roles_check_free(region, ipc_ring_region_header(region), role,
                                     role == IPC_ROLE_WRITER ? "writer" : "reader");
}

static bool names(ipc_region *region, uint32_t index)
{
    return ipc_ring_roles_name(ipc_ring_region_header(region), index);
}

void ipc_ring_region_enter(ipc_region *region, uint32_t index, uint32_t role)
{
    ipc_ring_end *end = region->owner;
    end->before = ipc_ring_roles_enter(ipc_ring_region_header(region), index, role);
}

static void clean_up(ipc_region *region, uint32_t index, bool died)
{
    ipc_ring_roles_vacate(region, ipc_ring_region_header(region), index, died);
}

static void wake(ipc_region *region)
{
    ipc_ring_roles_wake(ipc_ring_region_header(region));
}

static bool holds_messages(ipc_region *region)
{
    ipc_ring ring;
    return ipc_ring_locate(region, region->geometry.body_offset, &ring) == IPC_OK && ipc_ring_holds_messages(&ring);
}

const ipc_region_kind ipc_ring_kind = {
    .kind = IPC_KIND_RING,
    .check_body = check_body,
    .admit = admit,
    .names = names,
    .enter = ipc_ring_region_enter,
    .clean_up = clean_up,
    .wake = wake,
    .holds_messages = holds_messages,
};
