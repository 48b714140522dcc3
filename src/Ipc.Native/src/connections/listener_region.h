/* The region of a listener: slots, ready bits, doorbell; and what is done with them by both sides. */
#ifndef IPC_LISTENER_REGION_H
#define IPC_LISTENER_REGION_H

#include "layout/listener_layout.h"
#include "regions/region.h"

/* A listener's region, geometry checked. */
typedef struct ipc_listener_view {
    ipc_region *region;
    ipc_listener_body *body;
    ipc_slot *slots;
    ipc_atomic64 *ready;
    uint32_t slot_count;
    uint64_t max_ring_capacity;
    uint32_t protocol; /* as it was when it was located */
    bool process_fences;
} ipc_listener_view;

extern const ipc_region_kind ipc_listener_kind;

ipc_status ipc_listener_locate(ipc_region *region, ipc_listener_view *view);

typedef struct ipc_listener_plan {
    uint32_t slot_count;
    uint32_t protocol;
    uint64_t max_ring_capacity;
    bool take_over;
} ipc_listener_plan;

/* The server's: makes the region, replacing a left-over, or taking the name of a live server that was opened like this.
   IPC_E_IN_USE: a live server has it. */
ipc_status ipc_listener_region_create(const char *path, const ipc_share *share, const ipc_listener_plan *plan,
                                      ipc_region **region);
/* Server: it was said that another one has the name [follow]. Has it? Then it stays so; else it is taken back. False:
   somebody has the region lock, ask again. */
bool ipc_listener_look_for_successor(const ipc_listener_view *view, bool *followed);
/* The same without the lock, for who asks in passing: nothing is taken back. */
bool ipc_listener_has_successor(const ipc_listener_view *view);
/* Of a region that is about to get the name. */
void ipc_listener_between_path(const ipc_region *region, char *path, size_t size);

/* The path of the connection `id`. */
void ipc_listener_connection_path(const ipc_region *region, uint64_t id, char *path, size_t size);

/* Says "look at slot i" and wakes the server [ready]. */
void ipc_listener_notify(const ipc_listener_view *view, uint32_t slot);

#endif
