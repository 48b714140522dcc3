/*
 * Clients with which the server is through, and who still stand in its table: each frees its entry itself, unless it is
 * killed before. Then nobody else would: the connection, and the watch in it, are gone. So the process is watched until
 * the entry is free. Whoever frees it notifies the slot: the leader then forgets who has left. Where nobody leads any
 * more, whoever sees the next one off does, or closes the listener.
 */
#include "connections/listener.h"

#include <stdlib.h>

static bool has_left(const ipc_leaver *leaver)
{
    return !ipc_region_has(leaver->region, leaver->index, leaver->generation);
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

/* Who asks again and again, for nothing, is watched once. */
static bool is_seen_off(ipc_listener *listener, const ipc_leaver *leaver)
{
    ipc_mutex_lock(&listener->mutex);
    const ipc_leaver *each = listener->leavers;
    while (each != NULL && (each->index != leaver->index || each->generation != leaver->generation))
        each = each->next;
    ipc_mutex_unlock(&listener->mutex);
    return each != NULL;
}

void ipc_listener_see_off(ipc_listener *listener, uint32_t index)
{
    ipc_leaver made = {.region = listener->view.region, .index = index};
    made.generation = ipc_load_acquire32(&ipc_region_participant(made.region, index)->generation);
    if (made.region->forked || has_left(&made) || is_seen_off(listener, &made))
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
    leaver->next = listener->leavers;
    listener->leavers = leaver;
    ipc_mutex_unlock(&listener->mutex);
    ipc_listener_forget_gone(listener);
}

void ipc_listener_forget_gone(ipc_listener *listener)
{
    ipc_mutex_lock(&listener->mutex);
    ipc_leaver *gone = take(listener, has_left);
    ipc_mutex_unlock(&listener->mutex);
    forget_all(gone);
}

void ipc_listener_forget_leavers(ipc_listener *listener)
{
    forget_all(take(listener, NULL));
}
