/*
 * attachment.h - the place that one object has in a region which any number may share: who else is there, its waits,
 * and its end.
 *
 * What a queue, the ends of a topic, and locks have in common. What an object gives back when it closes, and what
 * becomes of its memory, is its own; in all of them waits end first, and the region is left last.
 */
#ifndef IPC_ATTACHMENT_H
#define IPC_ATTACHMENT_H

#include "regions/crowd.h"
#include "regions/region_changes.h"
#include "waiting/wait.h"

#define IPC_ATTACHMENT_ENDS 2

typedef struct ipc_attachment {
    ipc_region *region; /* NULL: not entered */
    ipc_crowd crowd;
    ipc_region_changes changes;
    ipc_end *ends[IPC_ATTACHMENT_ENDS]; /* of the object's waits; NULL: it has fewer */
} ipc_attachment;

/* After the region was entered; the object has initialised its ends, and lives as long as the attachment. `place` is
   zeroes but for the region. Fails with IPC_E_NO_MEMORY; then it is to be left. */
ipc_status ipc_attachment_start(ipc_attachment *place, ipc_wait_mode mode);

/* Waits of other threads return IPC_CLOSED; when none is inside any more, the region is left. In a forked child, only
   what the child has is freed. Nothing but this, and the object's own memory, comes after it. */
void ipc_attachment_close(ipc_attachment *place);

/* The same for what nobody waits on, as after a failed ipc_attachment_start. A place of zeroes is fine. */
void ipc_attachment_leave(ipc_attachment *place);

/* In a forked child: the mapping is zeroes, the watches and the waits stayed with the parent. */
void ipc_attachment_abandon(ipc_attachment *place);

/* All waits return IPC_STOPPED, now and until resumed. Any thread. */
void ipc_attachment_stop(ipc_attachment *place);
void ipc_attachment_resume(ipc_attachment *place);

/* Everybody who is live, us included: fills in at most `capacity`, returns how many there are. Any thread. */
uint32_t ipc_attachment_participants(ipc_attachment *place, ipc_participant_info *array, uint32_t capacity);

/* Sees to it that the death of every other participant is noticed. Cheap while nobody comes or goes. False: it may not
   be; sleep for a while only. Any thread. */
static inline bool ipc_attachment_attend(ipc_attachment *place)
{
    return ipc_crowd_attend(&place->crowd);
}

#endif
