/*
 * ring_region.h - one end of a ring that has a region of its own: its role there, and its peer.
 *
 * The roles are words in the ring's header, written under the region lock: participant index + 1, and what became of
 * the last holder. A role whose holder is dead is free. An end that waits watches its peer's process; it finds out whom
 * to watch from the same words, so a peer that attaches later (which wakes us) is watched from then on.
 */
#ifndef IPC_RING_REGION_H
#define IPC_RING_REGION_H

#include "rings/ring.h"

typedef struct ipc_ring_end {
    ipc_region *region;
    ipc_ring ring;
    uint32_t role;
    const ipc_ring_options *options; /* while it is being opened */
    ipc_peer_state before;           /* what had become of the last holder of our role */
    ipc_end *end;
    void (*abandon)(struct ipc_ring_end *end);

    ipc_mutex watching;
    ipc_watch watch;
    uint32_t watched; /* owner word of the peer that `watch` looks at; 0 none */
    uint32_t watched_generation;
    uint32_t watched_at; /* the `change` word at that look */
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

/* The peer's side of the ring: state, and whether its death will wake us (see ipc_ring_peer). */
ipc_peer_state ipc_ring_end_peer_state(void *end);
bool ipc_ring_end_attend(void *end);
bool ipc_ring_end_peer_is_live(const void *end); /* the cheap look */

#endif
