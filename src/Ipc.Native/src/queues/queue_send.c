/*
 * Sending: claim, fill in place, commit.
 *
 * The fast path is one CAS of the slot at the tail. Everything else (somebody else was faster, the segment's turn
 * is over, there is no room) goes round in `claim_slot`, which ends after a number of looks that no honest queue
 * needs: whoever writes the words may be hostile.
 */
#include "platform/fault.h"
#include "queues/queue.h"

#include <inttypes.h>
#include <string.h>

/* ---- claiming ---------------------------------------------------------------------------------------- */

static inline void hand_out(ipc_queue *queue, ipc_block_slot *slot, uint64_t word, uint32_t length, ipc_block *block)
{
    (void)queue;
    IPC_FAULT_POINT("queue.claim.tail");
    block->payload = ipc_slot_payload(slot);
    block->length = length;
    block->type = 0;
    block->redelivered = false;
    block->reserved[IPC_BLOCK_SLOT] = (uint64_t)(uintptr_t)slot;
    block->reserved[IPC_BLOCK_WORD] = word;
    block->reserved[IPC_BLOCK_LOAN_MORE] = 0;
}

/* The claim of position `t` is ours: the tail goes on, and with few blocks left a segment is prepared. */
static inline void claimed(ipc_queue *queue, uint64_t turn, ipc_atomic64 *tail, uint64_t t)
{
    IPC_FAULT_POINT("queue.claim.writing");
    ipc_slot_help(tail, t);
    if (IPC_UNLIKELY((t & (queue->view.slot_count - 1)) == 0))
        ipc_pool_pass(&queue->pool, queue->owner, queue->view.slot_count);
    if (IPC_UNLIKELY(queue->view.min_expansion_distance != 0) && !queue->single) {
        const uint32_t portion = queue->view.slot_count >> 3;
        if (portion <= 1 || (t & (portion - 1)) == 0)
            ipc_queue_prepare_ahead(queue, turn);
    }
}

/* `turn` is over: senders go on in the segment behind it. */
static ipc_status follow_send(ipc_queue *queue, uint64_t turn)
{
    const uint64_t next = ipc_load_acquire64(&queue->view.segments[ipc_turn_segment(turn)].next); /* [seal] */
    if (!ipc_turn_follows(next, turn))
        return ipc_load_acquire64(&queue->view.header->send) == turn ? ipc_queue_bad_turn(queue, next) : IPC_OK;
    (void)ipc_cas64(&queue->view.header->send, &turn, next);
    return IPC_OK;
}

IPC_NOINLINE static ipc_status claim_slot(ipc_queue *queue, uint32_t length, ipc_block *block)
{
    const bool turns = queue->view.segment_limit > 1;
    ipc_queue_header *header = queue->view.header;
    if (ipc_queue_is_closed(&queue->sending))
        return ipc_ended(IPC_CLOSED);
    for (uint64_t looks = 0; looks < queue->look_limit; looks++) {
        const uint64_t turn = turns ? ipc_load_acquire64(&header->send) : IPC_QUEUE_FIRST_TURN;
        const uint32_t segment = ipc_turn_segment(turn);
        if (segment >= queue->view.segment_limit)
            return ipc_queue_bad_turn(queue, turn);
        const ipc_slot_ring ring = ipc_queue_slots(&queue->view, segment);
        ipc_atomic64 *tail = &queue->view.segments[segment].tail;
        const uint64_t t = ipc_load_acquire64(tail);
        const uint32_t lap = ipc_slot_lap_of(&ring, t);
        ipc_block_slot *slot = ipc_slot_at(&ring, t);
        uint64_t word = ipc_load_acquire64(&slot->state); /* [free-slot] */
        const int32_t ahead = ipc_slot_ahead(word, lap);

        if (ahead > 0 || (ahead == 0 && ipc_slot_phase(word) != IPC_PHASE_FREE)) {
            ipc_slot_help(tail, t);
        } else if (turns && ipc_queue_ends_at(word, ahead)) {
            const ipc_status status = follow_send(queue, turn);
            if (status != IPC_OK)
                return status;
        } else if (ahead == 0) {
            if (turns && ipc_load_acquire64(&header->send) != turn)
                continue; /* the segment may have had another turn since, and this position too */
            const uint64_t mine = ipc_slot_word(lap, queue->owner, word & IPC_SLOT_SEALED, IPC_PHASE_WRITING);
            if (!ipc_cas64(&slot->state, &word, mine))
                continue;
            claimed(queue, turn, tail, t);
            hand_out(queue, slot, mine, length, block);
            return IPC_OK;
        } else if (ipc_load_acquire64(tail) == t) {
            (void)ipc_attachment_attend(&queue->place); /* is who stands in the way alive? */
            ipc_status status = turns ? ipc_queue_grow(queue, turn) : IPC_FULL;
            if (status != IPC_OK)
                return status;
        }
    }
    return ipc_queue_restless(queue);
}

/* One CAS, in a queue that does not grow; everything else goes round. */
static inline ipc_status claim_fast(ipc_queue *queue, uint32_t length, ipc_block *block)
{
    if (IPC_LIKELY(queue->single)) {
        ipc_atomic64 *tail = &queue->view.segments[0].tail;
        const uint64_t t = ipc_load_acquire64(tail);
        const uint32_t lap = ipc_slot_lap_of(&queue->view.first, t);
        ipc_block_slot *slot = ipc_slot_at(&queue->view.first, t);
        uint64_t free_word = ipc_slot_word(lap, 0, 0, IPC_PHASE_FREE);
        const uint64_t mine = ipc_slot_word(lap, queue->owner, 0, IPC_PHASE_WRITING);
        if (IPC_LIKELY(ipc_load_relaxed64(&slot->state) == free_word && ipc_cas64(&slot->state, &free_word, mine))) {
            claimed(queue, IPC_QUEUE_FIRST_TURN, tail, t);
            hand_out(queue, slot, mine, length, block);
            return IPC_OK;
        }
    }
    return claim_slot(queue, length, block);
}

IPC_NOINLINE static ipc_status too_large(const ipc_queue *queue, uint32_t length)
{
    const uint32_t most =
        ipc_pool_exists(&queue->pool) ? ipc_pool_max_length(&queue->pool) : 0; /* may be less than a block */
    return ipc_fail(IPC_E_TOO_LARGE,
                    "a message of %u bytes does not fit: this queue takes at most %u; nothing was sent: send less at a "
                    "time, or create the queue with larger blocks or a larger loan budget",
                    length, most > queue->view.block_size ? most : queue->view.block_size);
}

/* A message that is longer than a block: the loan first, so that a slot is never taken in vain. */
IPC_NOINLINE static ipc_status claim_with_loan(ipc_queue *queue, uint32_t length, ipc_block *block)
{
    if (!ipc_pool_exists(&queue->pool) || length > ipc_pool_max_length(&queue->pool))
        return too_large(queue, length);
    if (ipc_queue_is_closed(&queue->sending))
        return ipc_ended(IPC_CLOSED);
    ipc_loan loan;
    ipc_status status = ipc_pool_take(&queue->pool, queue->owner, length, &loan);
    if (status != IPC_OK)
        return status;
    status = claim_fast(queue, length, block);
    if (status == IPC_OK)
        ipc_queue_attach_loan(block, &loan);
    else
        ipc_pool_give_back(&queue->pool, &loan);
    return status;
}

ipc_status ipc_queue_try_claim(ipc_queue *queue, uint32_t length, ipc_block *block)
{
    if (IPC_UNLIKELY(length > queue->view.block_size))
        return claim_with_loan(queue, length, block);
    return claim_fast(queue, length, block);
}

/* ---- committing and abandoning ----------------------------------------------------------------------- */

IPC_NOINLINE static ipc_status bad_commit(const ipc_block *block, uint32_t length)
{
    if (block->reserved[IPC_BLOCK_SLOT] == 0)
        return ipc_fail(IPC_E_INVALID_STATE, "commit of a block that is not claimed");
    return ipc_fail(IPC_E_INVALID_ARGUMENT, "commit of %u bytes, %u were claimed", length, block->length);
}

static void forget(ipc_block *block)
{
    block->payload = NULL;
    block->reserved[IPC_BLOCK_SLOT] = 0;
    block->reserved[IPC_BLOCK_LOAN_MORE] = 0;
}

IPC_NOINLINE static ipc_status taken_away(ipc_block *block, uint64_t expected, uint64_t found)
{
    forget(block);
    return ipc_fail(IPC_E_INVALID_STATE,
                    "the block is not this process's any more: its state was %016" PRIx64 " and is %016" PRIx64,
                    expected, found);
}

static void give_slot_back(ipc_queue *queue, ipc_block *block)
{
    ipc_block_slot *slot = ipc_queue_slot_of(block);
    uint64_t word = block->reserved[IPC_BLOCK_WORD];
    forget(block);
    if (!ipc_queue_change(slot, &word, ipc_queue_freed(word))) /* [free-slot] */
        return;
    IPC_FAULT_POINT("queue.abandon.done");
    ipc_waiter_signal(&queue->view.header->data, queue->process_fences); /* what it hid can be taken now */
    ipc_waiter_signal(&queue->view.header->space, queue->process_fences);
}

void ipc_queue_abandon(ipc_queue *queue, ipc_block *block)
{
    if (ipc_queue_slot_of(block) == NULL)
        return;
    if (ipc_block_has_loan(block))
        ipc_queue_give_back_loan(queue, block);
    give_slot_back(queue, block);
}

IPC_NOINLINE static ipc_status loan_taken_away(ipc_queue *queue, ipc_block *block)
{
    give_slot_back(queue, block);
    return ipc_fail(IPC_E_INVALID_STATE, "the block's loan is not this process's any more: nothing was sent");
}

ipc_status ipc_queue_commit(ipc_queue *queue, ipc_block *block, uint32_t length, uint16_t type)
{
    ipc_block_slot *slot = ipc_queue_slot_of(block);
    if (IPC_UNLIKELY(slot == NULL || length > block->length))
        return bad_commit(block, length);
    const uint64_t mine = block->reserved[IPC_BLOCK_WORD];
    uint64_t word = ipc_load_relaxed64(&slot->state);
    if (IPC_UNLIKELY(ipc_slot_unsealed(word) != ipc_slot_unsealed(mine))) { /* before anything is written there */
        if (ipc_block_has_loan(block))
            ipc_queue_give_back_loan(queue, block);
        return taken_away(block, mine, word);
    }
    slot->length = length;
    slot->type = type;
    slot->flags = 0;
    if (IPC_UNLIKELY(ipc_block_has_loan(block)) && !ipc_queue_publish_loan(queue, block, length))
        return loan_taken_away(queue, block);
    word = mine;
    IPC_FAULT_POINT("queue.commit.before_ready");
    if (!ipc_queue_change(slot, &word, mine - IPC_PHASE_WRITING + IPC_PHASE_READY)) { /* [ready-slot] */
        if (ipc_block_has_loan(block))
            ipc_queue_retract_loan(queue, block, length);
        return taken_away(block, mine, word);
    }
    forget(block);
    IPC_FAULT_POINT("queue.commit.after_ready");
    ipc_waiter_signal(&queue->view.header->data, queue->process_fences); /* [sleep] */
    return IPC_OK;
}

/* ---- waiting ----------------------------------------------------------------------------------------- */

typedef struct claim_wait {
    ipc_queue *queue;
    ipc_block *block;
    uint32_t length;
    ipc_wait *wait;
} claim_wait;

/* The cheap look: is the slot at the tail still of the lap before? */
static bool may_have_room(const void *subject)
{
    const ipc_queue *queue = ((const claim_wait *)subject)->queue;
    const uint64_t turn = queue->single ? IPC_QUEUE_FIRST_TURN : ipc_load_acquire64(&queue->view.header->send);
    const uint32_t segment = ipc_turn_segment(turn);
    if (segment >= queue->view.segment_limit)
        return true;
    const ipc_slot_ring ring = ipc_queue_slots(&queue->view, segment);
    const uint64_t t = ipc_load_acquire64(&queue->view.segments[segment].tail);
    const uint64_t word = ipc_load_acquire64(&ipc_slot_at(&ring, t)->state);
    return ipc_slot_ahead(word, ipc_slot_lap_of(&ring, t)) >= 0 || (word & IPC_SLOT_SEALED) != 0;
}

/* For the lag: it only has to grow, and by one with each message. */
static uint64_t sent_so_far(const ipc_queue *queue)
{
    const uint64_t turn = queue->single ? IPC_QUEUE_FIRST_TURN : ipc_load_relaxed64(&queue->view.header->send);
    const uint32_t segment = ipc_turn_segment(turn);
    if (segment >= queue->view.segment_limit)
        return 0;
    return (turn << IPC_TURN_SEGMENT_BITS) + ipc_load_relaxed64(&queue->view.segments[segment].tail);
}

static ipc_status check_claim(void *subject)
{
    const claim_wait *claim = subject;
    const bool is_long = claim->length > claim->queue->view.block_size;
    ipc_status status = is_long ? claim_with_loan(claim->queue, claim->length, claim->block)
                                : claim_slot(claim->queue, claim->length, claim->block);
    const bool naps = is_long || ipc_load_relaxed32(&claim->queue->lock_was_busy) != 0;
    claim->wait->longest_sleep_ns = naps ? IPC_QUEUE_NAP_NS : 0;
    return status == IPC_FULL ? IPC_EMPTY : status;
}

static bool attend(void *subject)
{
    return ipc_attachment_attend(&((const claim_wait *)subject)->queue->place);
}

ipc_status ipc_queue_claim(ipc_queue *queue, uint32_t length, ipc_deadline deadline, ipc_cancel *cancel,
                           ipc_block *block)
{
    ipc_status status = ipc_queue_try_claim(queue, length, block);
    if (IPC_LIKELY(status != IPC_FULL))
        return status;
    claim_wait claim = {queue, block, length, NULL};
    ipc_wait wait = {
        .end = &queue->sending,
        .waiter = &queue->view.header->space,
        .check = check_claim,
        .attend = attend,
        .subject = &claim,
        .deadline = deadline,
        .cancel = cancel,
        .lag = &queue->sending_lag,
        .progress = sent_so_far(queue),
    };
    claim.wait = &wait;
    return ipc_wait_until(&wait, may_have_room);
}

/* The cheap look only: a claim would have to be given back, which signals. Whether a long message finds a loan, and who
   has the lock that a new segment needs, is looked at again after a nap. */
static ipc_status check_room(void *subject)
{
    const claim_wait *claim = subject;
    return claim->length <= claim->queue->view.block_size && may_have_room(claim) ? IPC_OK : IPC_EMPTY;
}

ipc_status ipc_queue_arm_room(ipc_queue *queue, uint32_t length, ipc_deadline deadline, ipc_cancel *cancel,
                              ipc_ready_handle *handle)
{
    const bool is_long = length > queue->view.block_size;
    if (is_long && (!ipc_pool_exists(&queue->pool) || length > ipc_pool_max_length(&queue->pool)))
        return too_large(queue, length);
    claim_wait claim = {queue, NULL, length, NULL};
    const ipc_wait wait = {
        .end = &queue->sending,
        .waiter = &queue->view.header->space,
        .check = check_room,
        .attend = attend,
        .subject = &claim,
        .length = length,
        .deadline = deadline,
        .cancel = cancel,
        .longest_sleep_ns = is_long || ipc_load_relaxed32(&queue->lock_was_busy) != 0 ? IPC_QUEUE_NAP_NS : 0,
    };
    return ipc_wait_arm(&wait, handle);
}

/* The caller had no part in it: somebody else has written where nobody may. */
IPC_NOINLINE static ipc_status taken_from_us(const ipc_queue *queue)
{
    return ipc_fail(IPC_E_CORRUPT, "the queue %s holds a slot that was taken from its sender: nothing was sent",
                    queue->place.region->path);
}

ipc_status ipc_queue_send(ipc_queue *queue, const void *payload, uint32_t length, uint16_t type, ipc_deadline deadline,
                          ipc_cancel *cancel)
{
    ipc_block block = {0};
    ipc_status status = ipc_queue_claim(queue, length, deadline, cancel, &block);
    if (status != IPC_OK)
        return status;
    if (length != 0 && block.payload != NULL)
        memcpy(block.payload, payload, length);
    status = ipc_queue_commit(queue, &block, length, type);
    return IPC_LIKELY(status != IPC_E_INVALID_STATE) ? status : taken_from_us(queue);
}
