/*
 * Room for a claim: who or what is in its way, and waiting until it is not.
 *
 * In the way is a reader that writers wait for and that is a lap behind, a writer that has not committed what it
 * claimed a lap ago, or that no loan is to be had. Each is announced by another waiter, so a wait is for one of them;
 * when that is out of the way and another is not, the claim goes round.
 */
#include "topics/topic.h"

#include <inttypes.h>

/* Memory for a loan may come back without a signal. */
#define LOAN_WAIT_NS 20000000u

/* ---- room -------------------------------------------------------------------------------------------- */

static uint32_t pid_of(const ipc_topic_end *end, uint32_t index)
{
    return index >= end->topic.participants
               ? 0
               : ipc_load_relaxed32(&ipc_region_participant(end->place.region, index)->pid);
}

static ipc_status blame_reader(const ipc_topic_writer *writer, const ipc_topic_holder *slowest, ipc_status status)
{
    const uint64_t tail = ipc_load_relaxed64(&writer->header->tail);
    return ipc_fail(status, "slow reader %u, process %u, %" PRIu64 " behind: %s is full", slowest->index,
                    pid_of(&writer->base, slowest->index), tail - slowest->cursor, writer->base.place.region->path);
}

static ipc_status blame_writer(const ipc_topic_writer *writer, uint64_t word, ipc_status status)
{
    const uint32_t index = ipc_slot_owner(word) - 1;
    return ipc_fail(status, "slow writer %u, process %u, has not committed what it claimed a lap ago: %s is full",
                    index, pid_of(&writer->base, index), writer->base.place.region->path);
}

IPC_NOINLINE static ipc_status corrupt_tail(const ipc_topic_writer *writer, uint64_t tail, uint64_t word)
{
    return ipc_fail(IPC_E_CORRUPT, "the tail of %s is %" PRIu64 ", with %u slots, and the slot there says %016" PRIx64,
                    writer->base.place.region->path, tail, writer->slot_count, word);
}

/* Looks at the cursors. IPC_FULL: `slowest` stands where the claim would go. */
ipc_status ipc_topic_look_for_room(ipc_topic_writer *writer, uint64_t tail, ipc_topic_holder *slowest)
{
    if (ipc_topic_is_closed(&writer->base))
        return ipc_ended(IPC_CLOSED);
    if (tail < writer->slot_count || tail > IPC_TOPIC_POSITION_MAX)
        return corrupt_tail(writer, tail, 0);
    const uint64_t least = ipc_topic_scan(&writer->base.topic, slowest);
    if (least > writer->minimum && least <= IPC_TOPIC_POSITION_MAX) /* it only grows */
        writer->minimum = least;
    if (tail - writer->minimum < writer->slot_count)
        return IPC_OK;
    if (tail < writer->minimum) /* it was moved on while we looked; it never moves back */
        return ipc_load_acquire64(&writer->header->tail) < writer->minimum ? corrupt_tail(writer, tail, 0) : IPC_OK;
    if (slowest->index == IPC_NO_PARTICIPANT)
        return corrupt_tail(writer, tail, 0);
    (void)ipc_attachment_attend(&writer->base.place); /* should it be dead, we want to know */
    return ipc_topic_full(writer, IPC_BY_READER, &writer->base.topic.entries[slowest->index].cursor, slowest->cursor);
}

/* The slot at the tail cannot be claimed as it is. IPC_OK: try again. */
IPC_NOINLINE ipc_status ipc_topic_obstructed(ipc_topic_writer *writer, uint64_t tail, ipc_block_slot *slot,
                                             uint64_t word)
{
    const int32_t ahead = ipc_slot_ahead(word, ipc_slot_lap_of(&writer->ring, tail));
    if (ipc_topic_is_closed(&writer->base))
        return ipc_ended(IPC_CLOSED);
    if (ahead == 0) { /* somebody has claimed it and not moved the tail yet */
        ipc_slot_help(&writer->header->tail, tail);
        return IPC_OK;
    }
    if (ipc_load_acquire64(&writer->header->tail) != tail) /* we were looking at an old one */
        return IPC_OK;
    if (ahead != -1 || ipc_slot_phase(word) != IPC_PHASE_WRITING)
        return corrupt_tail(writer, tail, word);
    (void)ipc_attachment_attend(&writer->base.place);
    return ipc_topic_full(writer, IPC_BY_WRITER, &slot->state, word);
}

/* Whose fault it is, as of now; evicts nobody. */
IPC_NOINLINE ipc_status ipc_topic_explain(ipc_topic_writer *writer, ipc_status status)
{
    ipc_topic_holder slowest;
    (void)ipc_topic_scan(&writer->base.topic, &slowest);
    const uint64_t tail = ipc_load_acquire64(&writer->header->tail);
    if (writer->held_up == IPC_BY_LOAN)
        return ipc_fail(status, "%s: no loan is to be had; the slowest reader, %d, is %" PRIu64 " messages behind",
                        writer->base.place.region->path, (int)slowest.index, tail - slowest.cursor);
    if (slowest.index != IPC_NO_PARTICIPANT && tail - slowest.cursor >= writer->slot_count)
        return blame_reader(writer, &slowest, status);
    const uint64_t word = ipc_load_acquire64(&ipc_slot_at(&writer->ring, tail)->state);
    if (ipc_slot_phase(word) == IPC_PHASE_WRITING)
        return blame_writer(writer, word, status);
    return ipc_fail(status, "%s was full a moment ago", writer->base.place.region->path);
}

/* ---- waiting for room -------------------------------------------------------------------------------- */

static bool may_have_room(const void *subject)
{
    const ipc_topic_writer *writer = subject;
    return ipc_load_relaxed64(writer->obstacle) != writer->obstacle_seen;
}

static ipc_status look_at_slot(ipc_topic_writer *writer)
{
    ipc_topic_holder slowest;
    const uint64_t tail = ipc_load_acquire64(&writer->header->tail);
    if (tail - writer->minimum >= writer->slot_count) {
        ipc_status status = ipc_topic_look_for_room(writer, tail, &slowest);
        if (status != IPC_OK)
            return status;
    }
    ipc_block_slot *slot = ipc_slot_at(&writer->ring, tail);
    const uint64_t word = ipc_load_acquire64(&slot->state);
    if (ipc_topic_may_be_overwritten(word, ipc_slot_lap_of(&writer->ring, tail)))
        return IPC_OK;
    return ipc_topic_obstructed(writer, tail, slot, word);
}

/* The same questions as a claim's, without claiming a slot. */
static ipc_status check_room(void *subject)
{
    ipc_topic_writer *writer = subject;
    ipc_status status = writer->wanted > writer->block_size ? ipc_topic_take_loan(writer, writer->wanted) : IPC_OK;
    if (status == IPC_OK)
        status = look_at_slot(writer);
    if (status != IPC_FULL)
        return status;
    /* What holds it up now is announced elsewhere: go round, and wait there. */
    return writer->held_up == writer->waits_for ? IPC_EMPTY : IPC_OK;
}

static bool attend(void *subject)
{
    return ipc_attachment_attend(&((ipc_topic_writer *)subject)->base.place);
}

/* At the deadline: what an evictable reader holds is taken, what a reliable one holds is not. IPC_OK: try again. */
ipc_status ipc_topic_make_room_by_force(ipc_topic_writer *writer)
{
    ipc_topic_holder slowest;
    uint64_t needed = ipc_load_acquire64(&writer->header->tail) - writer->slot_count + 1;
    if (writer->held_up == IPC_BY_LOAN && !ipc_topic_find_oldest_loan(writer, &needed))
        return IPC_FULL;
    ipc_status status = ipc_topic_evict(&writer->base.topic, needed, &slowest);
    if (status == IPC_TIMEOUT)
        return blame_reader(writer, &slowest, status);
    if (status == IPC_OK) {
        ipc_waiter_wake(&writer->header->space); /* others may be waiting for the same readers */
        ipc_waiter_wake(&writer->header->data);  /* which may be waiting themselves, and want to know */
    }
    return status;
}

static ipc_wait wait_of(ipc_topic_writer *writer, ipc_deadline deadline, ipc_cancel *cancel)
{
    const bool by_writer = writer->held_up == IPC_BY_WRITER; /* a commit signals `data` */
    const ipc_wait wait = {
        .end = &writer->base.end,
        .waiter = by_writer ? &writer->header->data : &writer->header->space,
        .check = check_room,
        .attend = attend,
        .subject = writer,
        .deadline = deadline,
        .cancel = cancel,
        .lag = &writer->base.lag,
        .progress = ipc_load_relaxed64(&writer->header->tail),
        .longest_sleep_ns = writer->held_up == IPC_BY_LOAN ? LOAN_WAIT_NS : 0,
    };
    writer->waits_for = writer->held_up;
    return wait;
}

ipc_status ipc_topic_wait_for_room(ipc_topic_writer *writer, ipc_deadline deadline, ipc_cancel *cancel)
{
    const ipc_wait wait = wait_of(writer, deadline, cancel);
    return ipc_wait_until(&wait, may_have_room);
}

ipc_status ipc_topic_arm_room(ipc_topic_writer *writer, uint32_t length, ipc_deadline deadline, ipc_cancel *cancel,
                              ipc_ready_handle *handle)
{
    ipc_wait wait = wait_of(writer, deadline, cancel);
    wait.length = length;
    writer->wanted = length;
    ipc_status status = ipc_wait_arm(&wait, handle);
    ipc_topic_give_loan_back(writer); /* who was told that there is one takes it */
    return status;
}
