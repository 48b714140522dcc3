/*
 * crowd.h - watches every living participant of a region, so that the death of any of them wakes who waits for it.
 *
 * Who is in a region changes seldom, and each change moves the region's `change` word. So attending costs one load
 * while nothing has changed; otherwise the table is walked, and processes that have come are watched, those that have
 * gone no more. When a watched process ends, the watch thread recovers its participant (region_participants.c), which
 * signals every waiter. Where a process cannot be watched, `ipc_crowd_attend` says so: its caller then sleeps for a
 * while only, and looks again.
 */
#ifndef IPC_CROWD_H
#define IPC_CROWD_H

#include "regions/region.h"
#include "waiting/watch.h"

typedef struct ipc_crowd_member ipc_crowd_member;

typedef struct ipc_crowd {
    ipc_region *region;
    ipc_mutex mutex;           /* one thread walks */
    ipc_crowd_member *members; /* one per entry of the table, at its index */
    ipc_atomic32 seen;         /* the count of the change word at the last walk, with bit 0: all are watched */
} ipc_crowd;

/* Any thread. */
ipc_status ipc_crowd_init(ipc_crowd *crowd, ipc_region *region);
/* True: the death of every participant there is now will be noticed. Not under the region lock. */
bool ipc_crowd_attend_changed(ipc_crowd *crowd);
/* Ends all watches. Before the region is left; nobody attends any more. A crowd of zeroes is fine. */
void ipc_crowd_close(ipc_crowd *crowd);
/* In a forked child: the watches stayed with the parent. */
void ipc_crowd_abandon(ipc_crowd *crowd);

static inline bool ipc_crowd_attend(ipc_crowd *crowd)
{
    const uint32_t change = ipc_load_acquire32(&ipc_region_header_of(crowd->region)->change.word);
    return ipc_load_acquire32(&crowd->seen) == (change | 1) || ipc_crowd_attend_changed(crowd);
}

#endif
