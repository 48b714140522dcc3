#include "regions/attachment.h"

ipc_status ipc_attachment_start(ipc_attachment *place, ipc_wait_mode mode)
{
    const ipc_status status = ipc_crowd_init(&place->crowd, place->region);
    if (status == IPC_OK)
        ipc_region_changes_init(&place->changes, place->region, &place->crowd, mode);
    return status;
}

void ipc_attachment_close(ipc_attachment *place)
{
    if (!place->region->forked) {
        for (int i = 0; i < IPC_ATTACHMENT_ENDS && place->ends[i] != NULL; i++)
            ipc_end_mark_closed(place->ends[i]); /* all of them, before one is waited for */
        for (int i = 0; i < IPC_ATTACHMENT_ENDS && place->ends[i] != NULL; i++)
            ipc_end_close(place->ends[i]);
    }
    ipc_attachment_leave(place);
}

void ipc_attachment_leave(ipc_attachment *place)
{
    ipc_region_changes_close(&place->changes);
    ipc_crowd_close(&place->crowd);
    ipc_region_leave(place->region);
}

void ipc_attachment_abandon(ipc_attachment *place)
{
    for (int i = 0; i < IPC_ATTACHMENT_ENDS && place->ends[i] != NULL; i++) {
        ipc_store_relaxed32(&place->ends[i]->flags, IPC_END_CLOSED);
        ipc_store_relaxed32(&place->ends[i]->inside, 0);
    }
    ipc_crowd_abandon(&place->crowd);
    ipc_region_changes_abandon(&place->changes);
}

void ipc_attachment_stop(ipc_attachment *place)
{
    for (int i = 0; i < IPC_ATTACHMENT_ENDS && place->ends[i] != NULL; i++)
        ipc_end_stop(place->ends[i]);
    ipc_end_stop(&place->changes.end);
}

void ipc_attachment_resume(ipc_attachment *place)
{
    for (int i = 0; i < IPC_ATTACHMENT_ENDS && place->ends[i] != NULL; i++)
        ipc_end_resume(place->ends[i]);
    ipc_end_resume(&place->changes.end);
}

uint32_t ipc_attachment_participants(ipc_attachment *place, ipc_participant_info *array, uint32_t capacity)
{
    (void)ipc_attachment_attend(place); /* the dead are to be missed soon */
    return ipc_region_list(place->region, array, capacity);
}
