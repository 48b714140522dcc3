/*
 * region_changes.h - who is in a region, and who has come and gone since the last question.
 *
 * Each change of a participant moves the region's `change` word; what changed is found by comparing the table with what
 * was reported last. Whoever comes and goes between two questions may therefore never be reported.
 */
#ifndef IPC_REGION_CHANGES_H
#define IPC_REGION_CHANGES_H

#include "regions/crowd.h"
#include "regions/region.h"
#include "waiting/wait.h"

typedef struct ipc_known_participant ipc_known_participant;

typedef struct ipc_region_changes {
    ipc_region *region;
    ipc_crowd *crowd;
    ipc_end end; /* of who waits for changes */
    ipc_mutex mutex;
    ipc_known_participant *known; /* one per entry; made by the first question */
    uint32_t next;                /* entry to look at first, so that a busy one hides no other */
} ipc_region_changes;

void ipc_region_changes_init(ipc_region_changes *changes, ipc_region *region, ipc_crowd *crowd, ipc_wait_mode mode);
/* Waits of other threads return IPC_CLOSED first. Nothing happens to what was not initialised. */
void ipc_region_changes_close(ipc_region_changes *changes);
/* In a forked child. */
void ipc_region_changes_abandon(ipc_region_changes *changes);
/* The next change among the others, waited for: first everybody who is here. Any thread. */
ipc_status ipc_region_changes_next(ipc_region_changes *changes, ipc_deadline deadline, ipc_cancel *cancel,
                                   ipc_change *change);

/* Everybody who is live, us included: fills in at most `capacity`, returns how many there are. */
uint32_t ipc_region_list(const ipc_region *region, ipc_participant_info *array, uint32_t capacity);

#endif
