/*
 * Growing by a segment.
 *
 * Under the region lock, in steps of which each leaves a queue that works, for the holder may die between any two: a
 * segment that takes no turn is made ready (memory behind it, SEALED removed), the full one gets its number as `next`,
 * and then SEALED: that is the step that counts, and it fails when a slot has become free meanwhile. Whoever meets
 * SEALED moves `send` on.
 *
 * A segment takes no turn when it is not in the chain from `receive` to `send`. One of those whose first slot is still
 * held by a slow receiver would be full at once: it is passed over.
 *
 * The region lock is only tried: its holder may be stopped, and senders do not wait for others. Who waits for room
 * looks again soon (`lock_was_busy`), for not everybody who has had the lock signals `space` after giving it back.
 */
#include "platform/fault.h"
#include "platform/platform.h"
#include "queues/queue.h"

#include <inttypes.h>

#define GROW_AGAIN_NS 100000000u /* after a failure: a full file system is not asked at every look */
#define NO_SEGMENT    UINT32_MAX

ipc_status ipc_queue_bad_turn(const ipc_queue *queue, uint64_t turn)
{
    return ipc_fail(IPC_E_CORRUPT, "%s goes on in segment %u, it has at most %u, as turn %" PRIu64,
                    queue->place.region->path, ipc_turn_segment(turn), queue->view.segment_limit,
                    ipc_turn_sequence(turn));
}

ipc_status ipc_queue_restless(const ipc_queue *queue)
{
    return ipc_fail(IPC_E_CORRUPT, "%s was looked at %" PRIu64 " times and still says that there is more to look at",
                    queue->place.region->path, queue->look_limit);
}

ipc_status ipc_queue_bad_slot(const ipc_queue *queue, uint64_t position, uint64_t word)
{
    return ipc_fail(IPC_E_CORRUPT, "the slot of position %" PRIu64 " of %s, with %u slots, says %016" PRIx64, position,
                    queue->place.region->path, queue->view.slot_count, word);
}

/* The position at which the segment's turn stands, which the hint may be behind; false: it leads nowhere. */
static bool find_tail(const ipc_queue *queue, uint32_t segment, uint64_t *position, uint64_t *word)
{
    const ipc_slot_ring ring = ipc_queue_slots(&queue->view, segment);
    uint64_t t = ipc_load_acquire64(&queue->view.segments[segment].tail);
    for (uint64_t looks = 0; looks < queue->look_limit; looks++, t++) {
        const uint64_t found = ipc_load_acquire64(&ipc_slot_at(&ring, t)->state);
        const int32_t ahead = ipc_slot_ahead(found, ipc_slot_lap_of(&ring, t));
        if (ahead < 0 || (ahead == 0 && ipc_slot_phase(found) == IPC_PHASE_FREE)) {
            *position = t;
            *word = found;
            return true;
        }
    }
    return false;
}

/* Could a turn begin in this segment now? */
static bool is_usable(const ipc_queue *queue, uint32_t segment)
{
    uint64_t position = 0;
    uint64_t word = 0;
    if (!find_tail(queue, segment, &position, &word))
        return false;
    const ipc_slot_ring ring = ipc_queue_slots(&queue->view, segment);
    return ipc_slot_ahead(word, ipc_slot_lap_of(&ring, position)) == 0;
}

/* A prepared segment that takes no turn. `send` is `turn`. */
static uint32_t find_spare(const ipc_queue *queue, uint64_t turn)
{
    bool busy[IPC_QUEUE_SEGMENTS_MAX] = {false};
    uint64_t at = ipc_load_acquire64(&queue->view.header->receive);
    for (uint32_t steps = 0; steps < queue->view.segment_limit; steps++) {
        const uint32_t segment = ipc_turn_segment(at);
        if (segment >= queue->view.segment_limit || ipc_turn_sequence(at) > ipc_turn_sequence(turn))
            return NO_SEGMENT; /* `receive` has moved on since: look again later */
        busy[segment] = true;
        if (at == turn)
            break;
        at = ipc_load_acquire64(&queue->view.segments[segment].next); /* [seal] */
    }
    if (at != turn)
        return NO_SEGMENT;
    const uint32_t prepared = ipc_queue_prepared(&queue->view);
    for (uint32_t segment = 0; segment < prepared; segment++) {
        if (!busy[segment] && is_usable(queue, segment))
            return segment;
    }
    return NO_SEGMENT;
}

/* Memory for one more segment. Under the region lock. */
static uint32_t prepare_segment(ipc_queue *queue)
{
    ipc_queue_header *header = queue->view.header;
    const uint32_t segment = ipc_queue_prepared(&queue->view);
    if (segment >= queue->view.segment_limit)
        return NO_SEGMENT;
    const uint64_t offset =
        (uint64_t)(queue->view.first.slots - queue->place.region->base) + segment * queue->view.segment_stride;
    if (ipc_platform_populate(queue->place.region->file, queue->place.region->base, offset,
                              queue->view.segment_stride) != IPC_OK) {
        /* as much as there was */
        (void)ipc_platform_give_back_pages(queue->place.region->base, offset, queue->view.segment_stride);
        (void)ipc_add32(&header->growth_failures, 1);
        return NO_SEGMENT;
    }
    IPC_FAULT_POINT("queue.grow.populated");
    ipc_store_release32(&header->segments, segment + 1); /* [present] */
    return segment;
}

/* The end of its last turn is the beginning of its next. */
static bool unseal(ipc_queue *queue, uint32_t segment)
{
    uint64_t position = 0;
    uint64_t word = 0;
    const ipc_slot_ring ring = ipc_queue_slots(&queue->view, segment);
    if (!find_tail(queue, segment, &position, &word))
        return false;
    ipc_block_slot *slot = ipc_slot_at(&ring, position);
    while ((word & IPC_SLOT_SEALED) != 0 && ipc_slot_ahead(word, ipc_slot_lap_of(&ring, position)) <= 0) {
        if (ipc_cas64(&slot->state, &word, ipc_slot_unsealed(word)))
            break;
    }
    return true;
}

/* `turn` is full: it ends here. Under the region lock. False: it is not full any more. */
static bool link_segment(ipc_queue *queue, uint64_t turn, uint64_t position, uint64_t word, uint32_t segment)
{
    ipc_queue_segment *full = &queue->view.segments[ipc_turn_segment(turn)];
    const ipc_slot_ring ring = ipc_queue_slots(&queue->view, ipc_turn_segment(turn));
    const uint64_t next = ipc_turn_after(turn, segment);
    ipc_store_release64(&full->next, next);
    IPC_FAULT_POINT("queue.grow.linked");
    const uint32_t lap = ipc_slot_lap_of(&ring, position);
    ipc_block_slot *slot = ipc_slot_at(&ring, position);
    while (!ipc_cas64(&slot->state, &word, word | IPC_SLOT_SEALED)) { /* [seal] */
        if (ipc_slot_ahead(word, lap) >= 0)
            return false;
    }
    IPC_FAULT_POINT("queue.grow.sealed");
    (void)ipc_cas64(&queue->view.header->send, &turn, next);
    IPC_FAULT_POINT("queue.grow.moved");
    return true;
}

/* Under the region lock. IPC_OK: look again. */
static ipc_status grow_locked(ipc_queue *queue, uint64_t turn)
{
    uint64_t position = 0;
    uint64_t word = 0;
    const uint32_t current = ipc_turn_segment(turn);
    if (ipc_load_acquire64(&queue->view.header->send) != turn)
        return IPC_OK;
    if (!find_tail(queue, current, &position, &word))
        return ipc_queue_restless(queue);
    const ipc_slot_ring ring = ipc_queue_slots(&queue->view, current);
    if (ipc_slot_ahead(word, ipc_slot_lap_of(&ring, position)) >= 0 || (word & IPC_SLOT_SEALED) != 0)
        return IPC_OK; /* room again, or the end of a turn that only `send` does not know of yet */
    uint32_t segment = find_spare(queue, turn);
    if (segment == NO_SEGMENT)
        segment = prepare_segment(queue);
    if (segment == NO_SEGMENT || !unseal(queue, segment))
        return IPC_FULL;
    (void)link_segment(queue, turn, position, word, segment);
    return IPC_OK;
}

/* Without the lock, for who would only find out in vain. */
static bool may_grow(const ipc_queue *queue, uint64_t turn)
{
    if (find_spare(queue, turn) != NO_SEGMENT)
        return true;
    const uint64_t after = ipc_load_relaxed64(&queue->grow_after);
    return ipc_queue_prepared(&queue->view) < queue->view.segment_limit && (after == 0 || ipc_platform_now() >= after);
}

ipc_status ipc_queue_grow(ipc_queue *queue, uint64_t turn)
{
    if (!may_grow(queue, turn))
        return IPC_FULL;
    const bool locked = ipc_region_try_lock(queue->place.region, IPC_NOW);
    ipc_store_relaxed32(&queue->lock_was_busy, locked ? 0 : 1);
    if (!locked)
        return IPC_FULL;
    ipc_status status = grow_locked(queue, turn);
    ipc_region_unlock(queue->place.region);
    if (status == IPC_OK) {
        ipc_store_relaxed64(&queue->grow_after, 0);
        ipc_waiter_signal(&queue->view.header->space, queue->process_fences); /* who did not get the lock may sleep */
    } else {
        ipc_store_relaxed64(&queue->grow_after, ipc_deadline_after(GROW_AGAIN_NS));
    }
    return status;
}

void ipc_queue_prepare_ahead(ipc_queue *queue, uint64_t turn)
{
    const ipc_queue_segment *current = &queue->view.segments[ipc_turn_segment(turn)];
    const uint64_t used = ipc_load_relaxed64(&current->tail) - ipc_load_relaxed64(&current->head);
    if (used < queue->view.slot_count - queue->view.min_expansion_distance ||
        ipc_queue_prepared(&queue->view) >= queue->view.segment_limit || find_spare(queue, turn) != NO_SEGMENT ||
        !may_grow(queue, turn) || !ipc_region_try_lock(queue->place.region, IPC_NOW))
        return;
    bool prepared = false;
    bool failed = false;
    if (ipc_load_acquire64(&queue->view.header->send) == turn && find_spare(queue, turn) == NO_SEGMENT) {
        prepared = prepare_segment(queue) != NO_SEGMENT;
        failed = !prepared;
    }
    ipc_region_unlock(queue->place.region);
    if (failed)
        ipc_store_relaxed64(&queue->grow_after, ipc_deadline_after(GROW_AGAIN_NS));
    if (prepared)
        ipc_waiter_signal(&queue->view.header->space, queue->process_fences);
}
