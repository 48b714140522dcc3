/* ring_region.h - one end of a ring that has a region of its own. */
#ifndef IPC_RING_REGION_H
#define IPC_RING_REGION_H

#include "rings/ring_roles.h"

typedef struct ipc_ring_end {
    ipc_region *region;
    ipc_ring ring;
    ipc_ring_role role;
    const ipc_ring_options *options; /* while it is being opened */
    ipc_peer_state before;           /* what had become of the last holder of our role */
    ipc_end *end;
    void (*abandon)(struct ipc_ring_end *end);
    union {
        ipc_ring_writer writer;
        ipc_ring_reader reader;
    } as;
} ipc_ring_end;

extern const ipc_region_kind ipc_ring_kind;

static inline ipc_ring_header *ipc_ring_region_header(const ipc_region *region)
{
    return ipc_region_at(region, region->geometry.body_offset);
}

/* Takes the role for participant `index`; region->owner is the ipc_ring_end. Under the region lock, or before the
   region is linked. */
void ipc_ring_region_enter(ipc_region *region, uint32_t index, uint32_t role);

#endif
