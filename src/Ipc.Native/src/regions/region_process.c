/*
 * Which process is a participant? What its entry says, anybody can write there; so nobody is judged by it. A
 * participant holds a second lock beside the one on its byte, in a window of its own: where that begins is its pid and
 * pid namespace, how long it is its start time (docs/wire-format.md section 2). The kernel tells who asks, and drops
 * both with the open file.
 */
#include "regions/region.h"

#define PIDS   (1ull << IPC_PROCESS_PID_BITS)
#define SPACES (1ull << IPC_PROCESS_SPACE_BITS)

_Static_assert(2 * PIDS * SPACES == IPC_LOCK_PROCESS_WINDOW, "a place and a length fit into a window");

/* The windows of so many lie before the other locks, and those of the rest behind. */
#define BEFORE ((IPC_LOCK_REGION - IPC_LOCK_PROCESSES) / IPC_LOCK_PROCESS_WINDOW)

_Static_assert(IPC_LOCK_PROCESSES + (BEFORE + 2) * IPC_LOCK_PROCESS_WINDOW >=
                   IPC_LOCK_PARTICIPANTS + IPC_LISTENER_CAPACITY_MAX,
               "two windows have the other locks");
_Static_assert(IPC_LISTENER_CAPACITY_MAX + 2 <= (INT64_MAX - IPC_LOCK_PROCESSES) / IPC_LOCK_PROCESS_WINDOW,
               "all windows lie within what can be locked");

static uint64_t window_of(uint32_t index)
{
    return IPC_LOCK_PROCESSES + (index < BEFORE ? index : index + 2) * IPC_LOCK_PROCESS_WINDOW;
}

void ipc_region_lock_process(const ipc_region *region, uint32_t index)
{
    const uint64_t pid = ipc_platform_pid();
    const uint64_t start_time = ipc_platform_start_time();
    const uint64_t space = ipc_platform_pid_namespace();
    if (space == 0 || pid >= PIDS || start_time == 0 || start_time >= PIDS * SPACES)
        return; /* it cannot be said: then the byte alone tells, and nobody is looked for in /proc */
    const uint64_t place = space % SPACES * PIDS + pid;
    (void)ipc_platform_range_lock_try(region->file, window_of(index) + place, start_time);
}

void ipc_region_unlock_entry(const ipc_region *region, uint32_t index)
{
    ipc_platform_range_unlock(region->file, window_of(index), IPC_LOCK_PROCESS_WINDOW);
    ipc_platform_unlock(region->file, IPC_LOCK_PARTICIPANTS + index); /* last: now others may take the entry */
}

bool ipc_region_process_of(const ipc_region *region, uint32_t index, ipc_region_process *process)
{
    uint64_t found = 0;
    uint64_t length = 0;
    if (!ipc_platform_range_find(region->file, window_of(index), IPC_LOCK_PROCESS_WINDOW, &found, &length))
        return false;
    const uint64_t place = found - window_of(index);
    process->pid = (uint32_t)(place % PIDS);
    process->start_time = length;
    process->is_here = place / PIDS == ipc_platform_pid_namespace() % SPACES && ipc_platform_pid_namespace() != 0;
    return true;
}

void ipc_region_process_to_watch(const ipc_region *region, uint32_t index, ipc_region_process *process)
{
    if (ipc_region_process_of(region, index, process))
        return;
    /* By another implementation. If its entry lies, its death is noticed late: the byte's lock decides all the same. */
    const ipc_participant *entry = ipc_region_participant(region, index);
    const uint64_t space = ipc_load_relaxed64(&entry->pid_namespace);
    process->pid = ipc_load_relaxed32(&entry->pid);
    process->start_time = ipc_load_relaxed64(&entry->start_time);
    process->is_here = space != 0 && space == ipc_platform_pid_namespace();
}

bool ipc_region_is_alive(const ipc_region *region, uint32_t index)
{
    if (index >= region->geometry.participant_capacity)
        return false;
    if (ipc_load_acquire32(&ipc_region_participant(region, index)->state) != IPC_PARTICIPANT_LIVE) /* [live] */
        return false;
    if (index == region->index)
        return true;
    if (!ipc_platform_lock_is_held(region->file, IPC_LOCK_PARTICIPANTS + index))
        return false;
    /* A child made by fork keeps its parent's locks open. It does not keep the parent alive. */
    ipc_region_process process;
    return !ipc_region_process_of(region, index, &process) || !process.is_here ||
           ipc_platform_process_exists(process.pid, process.start_time);
}

bool ipc_region_has_no_lock(const ipc_region *region, uint32_t index)
{
    return index != region->index &&
           ipc_load_acquire32(&ipc_region_participant(region, index)->state) == IPC_PARTICIPANT_LIVE && /* [live] */
           !ipc_platform_lock_is_held(region->file, IPC_LOCK_PARTICIPANTS + index);
}

bool ipc_region_has_given_up(const ipc_region *region, uint32_t index)
{
    return ipc_load_acquire32(&ipc_region_participant(region, index)->ended) != IPC_ENDED_NOT && /* [given-up] */
           ipc_region_has_no_lock(region, index);
}

bool ipc_region_has_living(const ipc_region *region)
{
    for (uint32_t i = 0; i < region->geometry.participant_capacity; i++) {
        if (i != region->index && ipc_region_is_alive(region, i))
            return true;
    }
    return false;
}
