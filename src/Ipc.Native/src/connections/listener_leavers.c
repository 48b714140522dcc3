/*
 * Clients with which the server is through, and who still stand in its table: each frees its entry itself, unless it is
 * killed before. Then nobody else would: the connection, and the watch in it, are gone. So the process is watched until
 * the entry is free. Whose entry is free by then is forgotten when the next one comes, and when the listener goes.
 */
#include "connections/listener.h"

#include <stdlib.h>

struct ipc_leaver {
    ipc_watch watch;
    ipc_region *region;
    uint32_t index;
    uint32_t generation;
    ipc_leaver *next;
};

static bool has_left(const ipc_leaver *leaver)
{
    const ipc_participant *entry = ipc_region_participant(leaver->region, leaver->index);
    return ipc_load_acquire32(&entry->state) != IPC_PARTICIPANT_LIVE ||
           ipc_load_acquire32(&entry->generation) != leaver->generation;
}

/* On the watch thread. */
static ipc_watch_answer died(void *owner)
{
    const ipc_leaver *leaver = owner;
    return ipc_region_recover(leaver->region, leaver->index, leaver->generation);
}

static void forget(ipc_leaver *leaver)
{
    if (!leaver->region->forked)
        ipc_watch_remove(&leaver->watch);
    free(leaver);
}

/* Takes off the list whom WANTED names; all, without it. */
static ipc_leaver *take(ipc_listener *listener, bool (*wanted)(const ipc_leaver *leaver))
{
    ipc_leaver *taken = NULL;
    ipc_leaver **link = &listener->leavers;
    while (*link != NULL) {
        ipc_leaver *each = *link;
        if (wanted != NULL && !wanted(each)) {
            link = &each->next;
            continue;
        }
        *link = each->next;
        each->next = taken;
        taken = each;
    }
    return taken;
}

static void forget_all(ipc_leaver *leaver)
{
    while (leaver != NULL) {
        ipc_leaver *next = leaver->next;
        forget(leaver);
        leaver = next;
    }
}

void ipc_listener_see_off(ipc_listener *listener, const ipc_connection *connection)
{
    ipc_leaver made = {
        .region = listener->view.region,
        .index = connection->peer_index,
        .generation = connection->peer_generation,
    };
    if (made.region->forked || has_left(&made))
        return;
    ipc_region_process process;
    ipc_region_process_to_watch(made.region, made.index, &process);
    if (process.is_here && process.pid == ipc_platform_pid())
        return; /* it does not die without us */
    ipc_leaver *leaver = malloc(sizeof *leaver);
    if (leaver == NULL)
        return; /* its entry waits for whoever connects next */
    *leaver = made;
    if (ipc_watch_add(&leaver->watch, process.pid, process.start_time, process.is_here, died, leaver) != IPC_OK) {
        free(leaver);
        return;
    }
    ipc_mutex_lock(&listener->mutex);
    ipc_leaver *gone = take(listener, has_left);
    leaver->next = listener->leavers;
    listener->leavers = leaver;
    ipc_mutex_unlock(&listener->mutex);
    forget_all(gone);
}

void ipc_listener_forget_leavers(ipc_listener *listener)
{
    forget_all(take(listener, NULL));
}
