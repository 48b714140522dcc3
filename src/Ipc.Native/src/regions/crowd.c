#include "regions/crowd.h"

#include "platform/error.h"

#include <stdlib.h>

struct ipc_crowd_member {
    ipc_watch watch;
    ipc_crowd *crowd;
    uint32_t index;
    uint32_t generation;
    bool watched;
    bool given_up; /* it is watched because it has left without being cleaned up after */
};

ipc_status ipc_crowd_init(ipc_crowd *crowd, ipc_region *region)
{
    const uint32_t capacity = region->geometry.participant_capacity;
    crowd->region = region;
    crowd->members = calloc(capacity, sizeof *crowd->members);
    if (crowd->members == NULL)
        return ipc_fail(IPC_E_NO_MEMORY, "no memory for watching %u participants", capacity);
    for (uint32_t i = 0; i < capacity; i++) {
        crowd->members[i].crowd = crowd;
        crowd->members[i].index = i;
    }
    ipc_store_relaxed32(&crowd->seen, 0);
    ipc_mutex_init(&crowd->mutex);
    return IPC_OK;
}

/* On the watch thread. */
static ipc_watch_answer member_died(void *owner)
{
    const ipc_crowd_member *member = owner;
    return ipc_region_recover(member->crowd->region, member->index, member->generation);
}

/* False: its death may go unnoticed. */
static bool watch_member(ipc_crowd_member *member)
{
    ipc_region_process process;
    ipc_region_process_to_watch(member->crowd->region, member->index, &process);
    /* Who has given up lives: the lock of its entry has to be asked, at once and again. */
    const bool same = process.is_here && !member->given_up;
    if (same && process.pid == ipc_platform_pid())
        return true; /* another object of this process does not die without us */
    if (ipc_watch_add(&member->watch, process.pid, process.start_time, same, member_died, member) != IPC_OK)
        return false;
    member->watched = true;
    return true;
}

static bool attend_member(ipc_crowd *crowd, uint32_t index)
{
    const ipc_participant *entry = ipc_region_participant(crowd->region, index);
    ipc_crowd_member *member = &crowd->members[index];
    const bool live = index != crowd->region->index && ipc_load_acquire32(&entry->state) == IPC_PARTICIPANT_LIVE;
    const uint32_t generation = ipc_load_relaxed32(&entry->generation);
    const bool given_up = live && ipc_region_has_given_up(crowd->region, index);
    if (member->watched && live && member->generation == generation && member->given_up == given_up)
        return true;
    if (member->watched) {
        ipc_watch_remove(&member->watch);
        member->watched = false;
    }
    member->generation = generation;
    member->given_up = given_up;
    if (!live || watch_member(member))
        return true;
    /* No descriptors, no thread: who waits asks the locks himself, whenever it wakes to look around. */
    (void)ipc_region_recover(crowd->region, index, generation);
    return false;
}

bool ipc_crowd_attend_changed(ipc_crowd *crowd)
{
    const ipc_region *region = crowd->region;
    if (region->forked)
        return false;
    ipc_mutex_lock(&crowd->mutex);
    /* The word first: who comes while we walk changes it again. */
    const uint32_t change = ipc_load_acquire32(&ipc_region_header_of(region)->change.word) | 1;
    bool all = ipc_load_relaxed32(&crowd->seen) == change;
    if (!all) {
        all = true;
        for (uint32_t i = 0; i < region->geometry.participant_capacity; i++)
            all = attend_member(crowd, i) && all;
        ipc_store_release32(&crowd->seen, all ? change : 0);
    }
    ipc_mutex_unlock(&crowd->mutex);
    return all;
}

void ipc_crowd_close(ipc_crowd *crowd)
{
    if (crowd->members == NULL)
        return;
    for (uint32_t i = 0; i < crowd->region->geometry.participant_capacity; i++) {
        if (crowd->members[i].watched)
            ipc_watch_remove(&crowd->members[i].watch);
    }
    struct ipc_crowd_member *members = crowd->members;
    ipc_region_hold_forks(); /* a child that is made now looks for them */
    crowd->members = NULL;
    ipc_region_let_fork();
    free(members);
    ipc_mutex_destroy(&crowd->mutex);
}

void ipc_crowd_abandon(ipc_crowd *crowd)
{
    if (crowd->members == NULL)
        return;
    ipc_mutex_init(&crowd->mutex); /* another thread of the parent may have held it */
    for (uint32_t i = 0; i < crowd->region->geometry.participant_capacity; i++)
        crowd->members[i].watched = false;
}
