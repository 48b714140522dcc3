/*
 * Receiving: take, read in place, release.
 *
 * The fast path is one CAS of the slot at the head. Where that slot is not Ready, or a dead receiver has left
 * something, it is queue_walk.c that looks for a message.
 */
#include "platform/fault.h"
#include "queues/queue.h"

/* ---- handing out ------------------------------------------------------------------------------------- */

/* The sender's words mean nothing: its message is dropped, so that it does not come again. */
IPC_NOINLINE static ipc_status refuse(ipc_queue *queue, ipc_block_slot *slot, uint64_t word, uint32_t length,
                                      uint16_t flags)
{
    const uint32_t index = (uint32_t)((uint64_t)((uint8_t *)slot - queue->view.first.slots) %
                                      queue->view.segment_stride / queue->view.first.stride);
    uint64_t expected = word;
    if (ipc_queue_change(slot, &expected, ipc_queue_freed(word)))
        ipc_waiter_signal(&queue->view.header->space, queue->process_fences);
    return ipc_fail(IPC_E_CORRUPT,
                    "a message in block %u has %u bytes and flags %x, a block has room for %u; it was dropped", index,
                    length, flags, queue->view.block_size);
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
    if (IPC_UNLIKELY(flags == IPC_BLOCK_HAS_LOAN))
        return hand_out_loan(queue, slot, word, block);
    if (IPC_UNLIKELY(flags != 0 || length > queue->view.block_size))
        return refuse(queue, slot, word, length, flags);
    block->payload = ipc_slot_payload(slot);
    block->length = length;
    return IPC_OK;
}

ipc_status ipc_queue_hand_out(ipc_queue *queue, ipc_block_slot *slot, uint64_t word, ipc_block *block)
{
    return hand_out(queue, slot, word, block);
}

/* ---- receiving and releasing ------------------------------------------------------------------------- */

ipc_status ipc_queue_try_receive(ipc_queue *queue, ipc_block *block)
{
    if (IPC_LIKELY(queue->single && !ipc_queue_has_orphans(queue))) {
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
    return ipc_queue_find(queue, block);
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
    if (segment >= queue->view.segment_limit || ipc_queue_has_orphans(queue))
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
    return receive->block == NULL ? ipc_queue_find(receive->queue, NULL)
                                  : ipc_queue_try_receive(receive->queue, receive->block);
}

static bool attend(void *subject)
{
    return ipc_attachment_attend(&((const receive_wait *)subject)->queue->place);
}

static ipc_wait wait_of(receive_wait *receive, ipc_deadline deadline, ipc_cancel *cancel)
{
    ipc_queue *queue = receive->queue;
    const ipc_wait wait = {
        .end = &queue->receiving,
        .waiter = &queue->view.header->data,
        .check = check_receive,
        .attend = attend,
        .subject = receive,
        .deadline = deadline,
        .cancel = cancel,
        .lag = &queue->receiving_lag,
        .progress = received_so_far(queue),
    };
    return wait;
}

static ipc_status wait_for_message(ipc_queue *queue, ipc_deadline deadline, ipc_cancel *cancel, ipc_block *block)
{
    receive_wait receive = {queue, block};
    const ipc_wait wait = wait_of(&receive, deadline, cancel);
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

ipc_status ipc_queue_arm(ipc_queue *queue, ipc_deadline deadline, ipc_cancel *cancel, ipc_ready_handle *handle)
{
    receive_wait receive = {queue, NULL};
    const ipc_wait wait = wait_of(&receive, deadline, cancel);
    return ipc_wait_arm(&wait, handle);
}
