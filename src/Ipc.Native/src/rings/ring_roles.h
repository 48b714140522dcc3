/*
 * ring_roles.h - who has which end of a ring in a region with participants: a ring's own, or a named connection's, which
 * has two.
 *
 * The roles are words in the ring's header, written under the region lock: participant index + 1, and what became of
 * the last holder. A role whose holder is dead is free. An end that waits watches its peer's process; it finds out whom
 * to watch from the same words, so a peer that attaches later (which wakes us) is watched from then on.
 *
 * `role` is IPC_ROLE_WRITER or IPC_ROLE_READER in all of this: the end of the ring, whatever the participant's role.
 */
#ifndef IPC_RING_ROLES_H
#define IPC_RING_ROLES_H

#include "rings/ring.h"

/* ---- the words, under the region lock ----------------------------------------------------------------- */

/* IPC_E_IN_USE: a live participant has the end. WHAT it is: `writer`. */
ipc_status ipc_ring_roles_check_free(const ipc_region *region, const ipc_ring_header *header, uint32_t role,
                                     const char *what);
/* Takes it for participant `index`. What had become of the last holder. */
ipc_peer_state ipc_ring_roles_enter(ipc_ring_header *header, uint32_t index, uint32_t role);
bool ipc_ring_roles_name(const ipc_ring_header *header, uint32_t index);
/* Gives back what participant `index` has. */
void ipc_ring_roles_vacate(const ipc_region *region, ipc_ring_header *header, uint32_t index, bool died);
void ipc_ring_roles_wake(ipc_ring_header *header);

/* ---- one end, and its peer ---------------------------------------------------------------------------- */

typedef struct ipc_ring_role {
    ipc_region *region;
    ipc_ring_header *header;
    uint32_t role;
    ipc_mutex watching;
    ipc_watch watch;
    uint32_t watched; /* owner word of the peer that `watch` looks at; 0 none */
    uint32_t watched_generation;
    uint32_t watched_at; /* the `change` word at that look */
} ipc_ring_role;

void ipc_ring_role_begin(ipc_ring_role *role, uint32_t which);
/* It has entered, or was created. */
void ipc_ring_role_set(ipc_ring_role *role, ipc_region *region, ipc_ring_header *header);
void ipc_ring_role_end(ipc_ring_role *role);
/* In a forked child. */
void ipc_ring_role_abandon(ipc_ring_role *role);

/* The peer's side of the ring: state, and whether its death will wake us (see ipc_ring_peer). */
ipc_peer_state ipc_ring_role_peer_state(void *role);
bool ipc_ring_role_attend(void *role);
bool ipc_ring_role_peer_is_live(const void *role); /* the cheap look */
ipc_processors ipc_ring_role_processors(const ipc_ring_role *role);

#endif
