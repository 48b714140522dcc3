#include "regions/region_changes.h"

#include "platform/error.h"

#include <stdlib.h>

struct ipc_known_participant {
    bool live; /* reported as attached, and not yet as gone */
    ipc_participant_info info;
    uint64_t start_time;
    uint64_t pid_namespace;
};

static void read_entry(const ipc_participant *entry, uint32_t index, ipc_participant_info *info)
{
    info->index = index;
    info->generation = ipc_load_relaxed32(&entry->generation);
    info->pid = ipc_load_relaxed32(&entry->pid);
    info->role = ipc_load_relaxed32(&entry->role);
    info->runtime = ipc_load_relaxed32(&entry->runtime);
    info->attached = ipc_load_relaxed64(&entry->attached);
}

uint32_t ipc_region_list(const ipc_region *region, ipc_participant_info *array, uint32_t capacity)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < region->geometry.participant_capacity; i++) {
        const ipc_participant *entry = ipc_region_participant(region, i);
        if (ipc_load_acquire32(&entry->state) != IPC_PARTICIPANT_LIVE) /* [live] */
            continue;
        if (count < capacity)
            read_entry(entry, i, &array[count]);
        count++;
    }
    return count;
}

void ipc_region_changes_init(ipc_region_changes *changes, ipc_region *region, ipc_crowd *crowd, ipc_wait_mode mode)
{
    changes->region = region;
    changes->crowd = crowd;
    changes->known = NULL;
    changes->next = 0;
    ipc_mutex_init(&changes->mutex);
    ipc_end_init(&changes->end, mode);
    changes->end.wakes[0] = &ipc_region_header_of(region)->change;
}

void ipc_region_changes_close(ipc_region_changes *changes)
{
    if (changes->region == NULL)
        return;
    if (!changes->region->forked)
        ipc_end_close(&changes->end);
    free(changes->known);
    ipc_mutex_destroy(&changes->mutex);
    changes->region = NULL;
}

void ipc_region_changes_abandon(ipc_region_changes *changes)
{
    if (changes->region == NULL)
        return;
    ipc_mutex_init(&changes->mutex); /* another thread of the parent may have held it */
    ipc_store_relaxed32(&changes->end.flags, IPC_END_CLOSED);
    ipc_store_relaxed32(&changes->end.inside, 0);
}

/* How did it end? An entry that is somebody else's by now does not say it any more; its process does. */
static ipc_change_kind ending(const ipc_participant *entry, const ipc_known_participant *known)
{
    const uint32_t ended = ipc_load_relaxed32(&entry->ended);
    if (ipc_load_relaxed32(&entry->generation) == known->info.generation && ended != IPC_ENDED_NOT)
        return ended == IPC_ENDED_DIED ? IPC_CHANGE_DIED : IPC_CHANGE_LEFT;
    const uint64_t ours = ipc_platform_pid_namespace();
    const bool same = known->pid_namespace != 0 && known->pid_namespace == ours;
    return same && !ipc_platform_process_exists(known->info.pid, known->start_time) ? IPC_CHANGE_DIED : IPC_CHANGE_LEFT;
}

/* Compares one entry with what is known of it. */
static bool look_at(ipc_region_changes *changes, uint32_t index, ipc_change *change)
{
    const ipc_participant *entry = ipc_region_participant(changes->region, index);
    ipc_known_participant *known = &changes->known[index];
    const bool live = ipc_load_acquire32(&entry->state) == IPC_PARTICIPANT_LIVE; /* [live] */
    if (known->live && live && ipc_load_relaxed32(&entry->generation) == known->info.generation)
        return false;
    if (known->live) {
        known->live = false;
        change->kind = ending(entry, known);
        change->participant = known->info;
        return true;
    }
    if (!live || index == changes->region->index)
        return false;
    known->live = true;
    known->start_time = ipc_load_relaxed64(&entry->start_time);
    known->pid_namespace = ipc_load_relaxed64(&entry->pid_namespace);
    read_entry(entry, index, &known->info);
    change->kind = IPC_CHANGE_ATTACHED;
    change->participant = known->info;
    return true;
}

typedef struct change_wait {
    ipc_region_changes *changes;
    ipc_change *change;
} change_wait;

static ipc_status check_change(void *subject)
{
    const change_wait *wait = subject;
    ipc_region_changes *changes = wait->changes;
    const uint32_t capacity = changes->region->geometry.participant_capacity;
    ipc_status status = IPC_EMPTY;
    ipc_mutex_lock(&changes->mutex);
    if (changes->known == NULL)
        changes->known = calloc(capacity, sizeof *changes->known);
    if (changes->known == NULL) {
        ipc_mutex_unlock(&changes->mutex);
        return ipc_fail(IPC_E_NO_MEMORY, "no memory for looking at %u participants", capacity);
    }
    for (uint32_t i = 0; i < capacity && status == IPC_EMPTY; i++) {
        const uint32_t index = (changes->next + i) % capacity;
        if (look_at(changes, index, wait->change)) {
            /* somebody who has gone may have a successor already: the same entry once more */
            changes->next = wait->change->kind == IPC_CHANGE_ATTACHED ? (index + 1) % capacity : index;
            status = IPC_OK;
        }
    }
    ipc_mutex_unlock(&changes->mutex);
    return status;
}

static bool attend(void *subject)
{
    return ipc_crowd_attend(((const change_wait *)subject)->changes->crowd);
}

ipc_status ipc_region_changes_next(ipc_region_changes *changes, ipc_deadline deadline, ipc_cancel *cancel,
                                   ipc_change *change)
{
    if ((ipc_load_relaxed32(&changes->end.flags) & IPC_END_CLOSED) != 0)
        return ipc_ended(IPC_CLOSED);
    change_wait subject = {changes, change};
    const ipc_wait wait = {
        .end = &changes->end,
        .waiter = &ipc_region_header_of(changes->region)->change,
        .check = check_change,
        .attend = attend,
        .subject = &subject,
        .deadline = deadline,
        .cancel = cancel,
    };
    (void)ipc_crowd_attend(changes->crowd);
    ipc_status status = check_change(&subject);
    if (status != IPC_EMPTY)
        return status;
    if (deadline == IPC_NOW)
        return ipc_wait_once(&wait);
    (void)ipc_add32(&changes->end.inside, 1); /* changes are rare: nobody spins for them */
    status = ipc_wait_asleep(&wait);
    (void)ipc_add32(&changes->end.inside, UINT32_MAX);
    return status;
}
