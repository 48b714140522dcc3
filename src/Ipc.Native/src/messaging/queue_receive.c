/*
 * Receiving: take, read in place, release.
 *
 * The straight path is one CAS of the slot at the head. Where that slot is not Ready, `find` walks on: past what others
 * have taken, past senders that are still writing (and whatever of theirs stands behind, so that the messages of one
 * sender stay in order), through the segments of all turns, until it finds a message, or a place where nobody has been
 * yet. Messages that the dead had received and not released come first.
 */
#include "diagnostics/fault.h"
#include "messaging/queue.h"

#include <inttypes.h>

/* Different senders that are writing at one time; more of them, and there is "nothing" until one has finished. */
#define SKIPPED_MAX 16
/* So often may others overtake one call that looks for a message: it then says that there is none to be had. */
#define ROUNDS_MAX 1000

typedef struct skipped_owners {
    uint32_t count;
    uint32_t owners[SKIPPED_MAX];
} skipped_owners;

static bool is_skipped(const skipped_owners *skipped, uint32_t owner)
{
    for (uint32_t i = 0; i < skipped->count; i++) {
        if (skipped->owners[i] == owner)
            return true;
    }
    return false;
}

/* False: there are too many. */
static bool skip(skipped_owners *skipped, uint32_t owner)
{
    if (is_skipped(skipped, owner))
        return true;
    if (skipped->count == SKIPPED_MAX)
        return false;
    skipped->owners[skipped->count++] = owner;
    return true;
}

/* ---- handing out ------------------------------------------------------------------------------------- */

/* The sender's words mean nothing: its message is dropped, so that it does not come again. */
IPC_NOINLINE static ipc_status refuse(ipc_queue *queue, ipc_block_slot *slot, uint64_t word, uint32_t length)
{
    const uint32_t index = (uint32_t)((uint64_t)((uint8_t *)slot - queue->view.first.slots) %
                                      queue->view.segment_stride / queue->view.first.stride);
    uint64_t expected = word;
    if (ipc_queue_change(slot, &expected, ipc_queue_freed(word)))
        ipc_waiter_signal(&queue->view.header->space, queue->process_fences);
    return ipc_fail(IPC_E_CORRUPT, "a message in block %u has %u bytes, a block has room for %u; it was dropped", index,
                    length, queue->view.block_size);
}

IPC_NOINLINE static ipc_status hand_out_loan(ipc_queue *queue, ipc_block_slot *slot, uint64_t word, ipc_block *block)
{
    ipc_status status = ipc_queue_resolve_loan(queue, slot, word, block);
    uint64_t expected = word;
    if (status != IPC_OK && ipc_queue_change(slot, &expected, ipc_queue_freed(word)))
        ipc_waiter_signal(&queue->view.header->space, queue->process_fences);
    return status;
}

/* The slot is ours, in Reading. What stands in it was written by its sender: each word once. */
static inline ipc_status hand_out(ipc_queue *queue, ipc_block_slot *slot, uint64_t word, ipc_block *block)
{
    const volatile ipc_block_slot *shared = slot;
    const uint32_t length = shared->length;
    const uint16_t flags = shared->flags;
    block->type = shared->type;
    block->redelivered = (word & IPC_SLOT_REDELIVERED) != 0;
    block->reserved[IPC_BLOCK_SLOT] = (uint64_t)(uintptr_t)slot;
    block->reserved[IPC_BLOCK_WORD] = word;
    block->reserved[IPC_BLOCK_LOAN_MORE] = 0;
    if (IPC_UNLIKELY((flags & IPC_BLOCK_HAS_LOAN) != 0))
        return hand_out_loan(queue, slot, word, block);
    if (IPC_UNLIKELY(length > queue->view.block_size))
        return refuse(queue, slot, word, length);
    block->payload = ipc_slot_payload(slot);
    block->length = length;
    return IPC_OK;
}

/* ---- what the dead had received ---------------------------------------------------------------------- */

static uint64_t taken_by(const ipc_queue *queue, uint64_t word)
{
    return ipc_slot_word(ipc_slot_lap(word), queue->owner, word & (IPC_SLOT_SEALED | IPC_SLOT_REDELIVERED),
                         IPC_PHASE_READING);
}

static inline bool has_orphans(const ipc_queue *queue)
{
    const ipc_queue_header *header = queue->view.header;
    return ipc_load_acquire64(&header->orphans) != ipc_load_relaxed64(&header->orphans_cleared); /* [orphans] */
}

/* Takes a slot that recovery has made Ready again; `block` NULL: only looks. IPC_EMPTY: there is none. */
IPC_NOINLINE static ipc_status find_orphan(ipc_queue *queue, ipc_block *block)
{
    ipc_queue_header *header = queue->view.header;
    const uint64_t orphans = ipc_load_acquire64(&header->orphans); /* [orphans]: before the scan */
    const uint32_t prepared = ipc_queue_prepared(&queue->view);
    for (uint32_t segment = 0; segment < prepared; segment++) {
        const ipc_slot_ring ring = ipc_queue_slots(&queue->view, segment);
        for (uint32_t i = 0; i < queue->view.slot_count; i++) {
            ipc_block_slot *slot = ipc_slot_at(&ring, i);
            uint64_t word = ipc_load_acquire64(&slot->state);
            while (ipc_slot_phase(word) == IPC_PHASE_READY && (word & IPC_SLOT_REDELIVERED) != 0) {
                if (block == NULL)
                    return IPC_OK;
                const uint64_t mine = taken_by(queue, word);
                if (ipc_cas64(&slot->state, &word, mine)) { /* [take]; it may fail for SEALED alone: again */
                    IPC_FAULT_POINT("queue.receive.reading");
                    IPC_FAULT_POINT("queue.receive.head");
                    return hand_out(queue, slot, mine, block);
                }
            }
        }
    }
    uint64_t cleared = ipc_load_relaxed64(&header->orphans_cleared);
    while (cleared < orphans && !ipc_cas64(&header->orphans_cleared, &cleared, orphans))
        continue; /* `cleared` has been read again */
    return IPC_EMPTY;
}

/* ---- what has not been received ---------------------------------------------------------------------- */

/* Where a walk through the queue stands. */
typedef struct walk {
    uint64_t turn; /* of `receive` when the walk began */
    uint64_t here; /* of the segment at which it is */
    uint64_t looks;
    uint64_t position;
    uint64_t entered; /* where the head of the segment was then */
    ipc_queue_segment *segment;
    ipc_slot_ring ring;
    skipped_owners skipped;
    bool left_some; /* in this segment: its head must stay before what was left there */
} walk;

static bool enter_segment(ipc_queue *queue, walk *at, uint64_t turn)
{
    const uint32_t segment = ipc_turn_segment(turn);
    if (segment >= queue->view.segment_limit)
        return false;
    at->segment = &queue->view.segments[segment];
    at->ring = ipc_queue_slots(&queue->view, segment);
    at->position = ipc_load_acquire64(&at->segment->head);
    at->entered = at->position;
    at->left_some = false;
    at->here = turn;
    return true;
}

/* Nothing of this walk counts once receivers have moved on: its segments may have had other turns since. */
static inline bool is_stale(const ipc_queue *queue, const walk *at)
{
    return queue->view.segment_limit > 1 && ipc_load_acquire64(&queue->view.header->receive) != at->turn;
}

/* The segment at which receivers stand is used up, or (something having been skipped) the walk goes on behind it. True:
   the walk begins anew. */
static bool pass_segment(ipc_queue *queue, walk *at, ipc_status *status)
{
    const uint64_t next = ipc_load_acquire64(&at->segment->next); /* [seal] */
    if (!ipc_turn_follows(next, at->here)) {
        *status = is_stale(queue, at) ? IPC_OK : ipc_queue_bad_turn(queue, next);
        return true;
    }
    if (at->skipped.count == 0) {
        uint64_t turn = at->turn;
        if (ipc_cas64(&queue->view.header->receive, &turn, next)) /* who waits for a free segment has one now */
            ipc_waiter_signal(&queue->view.header->space, queue->process_fences);
        return true;
    }
    if (!enter_segment(queue, at, next)) {
        *status = is_stale(queue, at) ? IPC_OK : ipc_queue_bad_turn(queue, next);
        return true;
    }
    return false;
}

typedef enum look { LOOK_AGAIN, LOOK_ON, LOOK_TAKE, LOOK_NOWHERE, LOOK_SEALED } look;

/* Helps the head past the position, and goes where it is then: others may be taking as fast as we look. Claims that
   were abandoned while nobody received can have gone round: positions are claimed in order, each only when the one a
   lap before has been passed, so a slot k laps ahead shows that the head may go on by k - 2 laps and one. */
static void pass_slot(walk *at, int32_t ahead)
{
    uint64_t seen = at->position;
    const uint64_t next = seen + 1 + (ahead > 2 ? (uint64_t)(ahead - 2) << at->ring.shift : 0);
    if (ipc_cas64(&at->segment->head, &seen, next))
        seen = next;
    at->position = (int64_t)(seen - next) > 0 ? seen - 1 : next - 1; /* the walk goes on from there */
}

/* What the slot at the walk's position means to it. */
static look judge(walk *at, uint64_t word)
{
    const int32_t ahead = ipc_slot_ahead(word, ipc_slot_lap_of(&at->ring, at->position));
    const uint32_t phase = ipc_slot_phase(word);
    if (ahead == 0 && phase == IPC_PHASE_READY && (word & IPC_SLOT_REDELIVERED) == 0) {
        if (!is_skipped(&at->skipped, ipc_slot_owner(word)))
            return LOOK_TAKE;
        at->left_some = true;
        return LOOK_ON;
    }
    if (ahead == 0 && phase == IPC_PHASE_WRITING) {
        at->left_some = true;
        return skip(&at->skipped, ipc_slot_owner(word)) ? LOOK_ON : LOOK_NOWHERE;
    }
    if (ahead > 0 || (ahead == 0 && phase != IPC_PHASE_FREE)) {
        if (!at->left_some)
            pass_slot(at, ahead);
        return LOOK_ON;
    }
    return ipc_queue_ends_at(word, ahead) ? LOOK_SEALED : LOOK_NOWHERE;
}

static look take(ipc_queue *queue, walk *at, ipc_block_slot *slot, uint64_t word, ipc_block *block, ipc_status *status)
{
    *status = IPC_OK;
    if (is_stale(queue, at))
        return LOOK_NOWHERE;
    if (block == NULL)
        return LOOK_TAKE;
    const uint64_t mine = taken_by(queue, word);
    if (!ipc_cas64(&slot->state, &word, mine)) /* [take] */
        return LOOK_AGAIN;
    IPC_FAULT_POINT("queue.receive.reading");
    if (!at->left_some)
        ipc_slot_help(&at->segment->head, at->position);
    IPC_FAULT_POINT("queue.receive.head");
    *status = hand_out(queue, slot, mine, block);
    return LOOK_TAKE;
}

/* One walk. True: `status` is the result; false: others have received meanwhile, begin anew. */
static bool walk_through(ipc_queue *queue, walk *at, ipc_block *block, ipc_status *status)
{
    for (at->looks = 0; at->looks < queue->look_limit; at->looks++) {
        ipc_block_slot *slot = ipc_slot_at(&at->ring, at->position);
        const uint64_t word = ipc_load_acquire64(&slot->state); /* [ready-slot] */
        look next = judge(at, word);
        if (next == LOOK_TAKE) {
            next = take(queue, at, slot, word, block, status);
            if (next == LOOK_TAKE)
                return true;
        }
        if (next == LOOK_SEALED && queue->view.segment_limit > 1) {
            *status = IPC_OK;
            if (pass_segment(queue, at, status))
                return *status != IPC_OK;
        } else if (next == LOOK_ON) {
            at->position++;
        } else if (next != LOOK_AGAIN) {
            if (is_stale(queue, at))
                return false;
            (void)ipc_crowd_attend(&queue->crowd); /* is who stands in the way alive? */
            *status = IPC_EMPTY;
            return true;
        }
    }
    if (ipc_load_acquire64(&at->segment->head) != at->entered || is_stale(queue, at))
        return false;
    *status = ipc_queue_restless(queue);
    return true;
}

/* `block` NULL: only looks whether there is one. */
static ipc_status find(ipc_queue *queue, ipc_block *block)
{
    walk at;
    ipc_status status = IPC_EMPTY;
    if (ipc_queue_is_closed(&queue->receiving))
        return IPC_CLOSED;
    for (int round = 0; round < ROUNDS_MAX; round++) {
        if (has_orphans(queue)) {
            status = find_orphan(queue, block);
            if (status != IPC_EMPTY)
                return status;
        }
        at.turn =
            queue->view.segment_limit > 1 ? ipc_load_acquire64(&queue->view.header->receive) : IPC_QUEUE_FIRST_TURN;
        at.skipped.count = 0;
        if (!enter_segment(queue, &at, at.turn))
            return ipc_queue_bad_turn(queue, at.turn);
        if (walk_through(queue, &at, block, &status))
            return status;
    }
    return IPC_EMPTY;
}

ipc_status ipc_queue_try_receive(ipc_queue *queue, ipc_block *block)
{
    if (IPC_LIKELY(queue->single && !has_orphans(queue))) {
        ipc_atomic64 *head = &queue->view.segments[0].head;
        const uint64_t h = ipc_load_acquire64(head);
        const uint32_t lap = ipc_slot_lap_of(&queue->view.first, h);
        ipc_block_slot *slot = ipc_slot_at(&queue->view.first, h);
        uint64_t word = ipc_load_relaxed64(&slot->state);
        if (IPC_LIKELY((word & ~IPC_SLOT_OWNER) == ipc_slot_word(lap, 0, 0, IPC_PHASE_READY))) {
            const uint64_t mine = ipc_slot_word(lap, queue->owner, 0, IPC_PHASE_READING);
            if (IPC_LIKELY(ipc_cas64(&slot->state, &word, mine))) { /* [ready-slot], [take] */
                IPC_FAULT_POINT("queue.receive.reading");
                ipc_slot_help(head, h);
                IPC_FAULT_POINT("queue.receive.head");
                return hand_out(queue, slot, mine, block);
            }
        }
    }
    return find(queue, block);
}

void ipc_queue_release(ipc_queue *queue, ipc_block *block)
{
    ipc_block_slot *slot = ipc_queue_slot_of(block);
    if (slot == NULL)
        return;
    uint64_t word = block->reserved[IPC_BLOCK_WORD];
    IPC_FAULT_POINT("queue.release.before_free");
    const bool freed = ipc_queue_change(slot, &word, ipc_queue_freed(word)); /* [free-slot] */
    IPC_FAULT_POINT("queue.release.after_free");
    if (IPC_UNLIKELY(ipc_block_has_loan(block)) && freed)
        ipc_queue_free_loan(queue, block);
    IPC_FAULT_POINT("queue.release.loan_freed");
    block->payload = NULL;
    block->reserved[IPC_BLOCK_SLOT] = 0;
    block->reserved[IPC_BLOCK_LOAN_MORE] = 0;
    if (IPC_LIKELY(freed))
        ipc_waiter_signal(&queue->view.header->space, queue->process_fences); /* [sleep] */
}

/* ---- waiting ----------------------------------------------------------------------------------------- */

typedef struct receive_wait {
    ipc_queue *queue;
    ipc_block *block; /* NULL: only until there is something */
} receive_wait;

/* The cheap look: is there anything at the head that is not simply "not yet"? */
static bool may_have_message(const void *subject)
{
    const ipc_queue *queue = ((const receive_wait *)subject)->queue;
    const uint64_t turn = queue->single ? IPC_QUEUE_FIRST_TURN : ipc_load_acquire64(&queue->view.header->receive);
    const uint32_t segment = ipc_turn_segment(turn);
    if (segment >= queue->view.segment_limit || has_orphans(queue))
        return true;
    const ipc_slot_ring ring = ipc_queue_slots(&queue->view, segment);
    const uint64_t h = ipc_load_acquire64(&queue->view.segments[segment].head);
    const uint64_t word = ipc_load_acquire64(&ipc_slot_at(&ring, h)->state);
    const int32_t ahead = ipc_slot_ahead(word, ipc_slot_lap_of(&ring, h));
    return ahead > 0 || (ahead == 0 && ipc_slot_phase(word) != IPC_PHASE_FREE) || (word & IPC_SLOT_SEALED) != 0;
}

/* For the lag: it only has to grow, and by one with each message. */
static uint64_t received_so_far(const ipc_queue *queue)
{
    const uint64_t turn = queue->single ? IPC_QUEUE_FIRST_TURN : ipc_load_relaxed64(&queue->view.header->receive);
    const uint32_t segment = ipc_turn_segment(turn);
    if (segment >= queue->view.segment_limit)
        return 0;
    return (turn << IPC_TURN_SEGMENT_BITS) + ipc_load_relaxed64(&queue->view.segments[segment].head);
}

static ipc_status check_receive(void *subject)
{
    const receive_wait *receive = subject;
    return receive->block == NULL ? find(receive->queue, NULL) : ipc_queue_try_receive(receive->queue, receive->block);
}

static bool attend(void *subject)
{
    return ipc_crowd_attend(&((const receive_wait *)subject)->queue->crowd);
}

static ipc_status wait_for_message(ipc_queue *queue, ipc_deadline deadline, ipc_cancel *cancel, ipc_block *block)
{
    receive_wait receive = {queue, block};
    const ipc_wait wait = {
        .end = &queue->receiving,
        .waiter = &queue->view.header->data,
        .check = check_receive,
        .attend = attend,
        .subject = &receive,
        .deadline = deadline,
        .cancel = cancel,
        .lag = &queue->receiving_lag,
        .progress = received_so_far(queue),
    };
    return ipc_wait_until(&wait, may_have_message);
}

ipc_status ipc_queue_receive(ipc_queue *queue, ipc_deadline deadline, ipc_cancel *cancel, ipc_block *block)
{
    ipc_status status = ipc_queue_try_receive(queue, block);
    return IPC_LIKELY(status != IPC_EMPTY) ? status : wait_for_message(queue, deadline, cancel, block);
}

ipc_status ipc_queue_wait(ipc_queue *queue, ipc_deadline deadline, ipc_cancel *cancel)
{
    return wait_for_message(queue, deadline, cancel, NULL);
}
