/*
 * An event between processes: one word, set or not. Nobody holds it, so a death leaves nothing to take back; but one
 * who dies between setting and signalling leaves sleepers, which the recovery of its participant wakes.
 */
#include "platform/fault.h"
#include "sync/sync.h"
#include "waiting/waiter.h"

#include <stdlib.h>

struct ipc_shared_event {
    ipc_sync sync;
};

static ipc_status check_body(ipc_region *region)
{
    ipc_status status = ipc_sync_check(region, IPC_SYNC_BODY_SIZE, IPC_EVENT_MAGIC);
    if (status != IPC_OK)
        return status;
    const uint32_t manual = *(const volatile uint32_t *)&ipc_sync_body_of(region)->parameter;
    if (manual > 1)
        return ipc_fail(IPC_E_CORRUPT, "%s is an event that is manual %u, neither 0 nor 1", region->path, manual);
    return IPC_OK;
}

static ipc_status admit(ipc_region *region, uint32_t role)
{
    (void)region;
    (void)role;
    return IPC_OK;
}

static void clean_up(ipc_region *region, uint32_t index, bool died)
{
    (void)region;
    (void)index;
    if (died)
        IPC_FAULT_POINT("sync.recover.done");
}

const ipc_region_kind ipc_event_region_kind = {
    .kind = IPC_KIND_EVENT,
    .check_body = check_body,
    .admit = admit,
    .clean_up = clean_up,
    .wake = ipc_sync_wake,
};

ipc_status ipc_shared_event_open(const char *name, const ipc_sync_options *options, ipc_shared_event **event)
{
    ipc_shared_event *made = calloc(1, sizeof *made);
    if (made == NULL)
        return ipc_fail(IPC_E_NO_MEMORY, "no memory for an event's handle");
    ipc_status status = ipc_sync_open(&made->sync, name, options, &ipc_event_region_kind);
    if (status != IPC_OK) {
        free(made);
        return status;
    }
    *event = made;
    return IPC_OK;
}

void ipc_shared_event_close(ipc_shared_event *event)
{
    if (event == NULL)
        return;
    ipc_sync_close(&event->sync);
    free(event);
}

void ipc_shared_event_set(ipc_shared_event *event)
{
    if (ipc_sync_is_closed(&event->sync))
        return;
    ipc_store_release32(&event->sync.body->word, 1); /* [owner] */
    IPC_FAULT_POINT("event.set.after");
    ipc_sync_signal(&event->sync);
}

void ipc_shared_event_reset(ipc_shared_event *event)
{
    if (!ipc_sync_is_closed(&event->sync))
        ipc_store_release32(&event->sync.body->word, 0);
}

static bool may_take(const void *subject)
{
    return ipc_load_relaxed32(&((const ipc_sync *)subject)->body->word) != 0;
}

static ipc_status take(void *subject)
{
    ipc_sync *sync = subject;
    if (sync->parameter != 0)
        return ipc_load_acquire32(&sync->body->word) != 0 ? IPC_OK : IPC_EMPTY; /* [owner] */
    uint32_t set = 1;
    if (!ipc_cas32(&sync->body->word, &set, 0)) /* [owner] */
        return IPC_EMPTY;
    IPC_FAULT_POINT("event.wait.consumed");
    return IPC_OK;
}

/* Closed meanwhile: another one shall pass instead. */
static bool put_back(ipc_sync *sync, bool abandoned)
{
    (void)abandoned;
    if (sync->parameter == 0) {
        ipc_store_release32(&sync->body->word, 1); /* [owner] */
        ipc_sync_signal(sync);
    }
    return true;
}

ipc_status ipc_shared_event_wait(ipc_shared_event *event, ipc_deadline deadline, ipc_cancel *cancel)
{
    return ipc_sync_acquire(&event->sync, take, may_take, put_back, deadline, cancel);
}

ipc_status ipc_shared_event_arm(ipc_shared_event *event, ipc_deadline deadline, ipc_cancel *cancel,
                                ipc_ready_handle *handle)
{
    return ipc_sync_arm(&event->sync, may_take, deadline, cancel, handle);
}

bool ipc_shared_event_is_manual_reset(const ipc_shared_event *event)
{
    return event->sync.parameter != 0;
}

void ipc_shared_event_stop(ipc_shared_event *event)
{
    ipc_attachment_stop(&event->sync.place);
}

void ipc_shared_event_resume(ipc_shared_event *event)
{
    ipc_attachment_resume(&event->sync.place);
}
