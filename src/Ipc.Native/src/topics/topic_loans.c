/*
 * Messages of a topic that are longer than its blocks.
 *
 * A claim that is longer than a block takes a loan first and then a slot, which gets the loan's descriptor at commit.
 * The loan lives as long as its slot's message: whoever claims the slot anew frees it. A writer that gets no loan takes
 * back, oldest first, those of messages that no reader that writers wait for needs any more.
 */
#include "platform/fault.h"
#include "topics/topic.h"

/* The slot is ours; `word` is what it was before. Its message's loan, if it has one, is nobody's now. */
void ipc_topic_free_old_loan(ipc_topic_writer *writer, ipc_block_slot *slot, uint64_t word)
{
    const ipc_loan_descriptor descriptor = ipc_topic_load_descriptor(slot);
    if (ipc_slot_phase(word) == IPC_PHASE_READY && ipc_load_relaxed32(ipc_slot_loan_lap(slot)) == ipc_slot_lap(word))
        ipc_pool_free(writer->pool, &descriptor);
}

/* Ready -> Gap: the message at `position` gives its loan back. False: it has none (any more). */
static bool reclaim(ipc_topic_writer *writer, uint64_t position)
{
    ipc_block_slot *slot = ipc_slot_at(&writer->ring, position);
    uint64_t word = ipc_load_acquire64(&slot->state);
    if (!ipc_topic_is_ready(&writer->ring, position, word) ||
        (ipc_topic_flags(ipc_load_relaxed64(ipc_topic_details(slot))) & IPC_BLOCK_HAS_LOAN) == 0)
        return false;
    const ipc_loan_descriptor descriptor = ipc_topic_load_descriptor(slot); /* before the slot is given away */
    const uint64_t gap = (word & ~IPC_SLOT_PHASE) | IPC_SLOT_RECLAIMED | IPC_PHASE_GAP;
    if (!ipc_cas64(&slot->state, &word, gap))
        return false;
    IPC_FAULT_POINT("topic.reclaim.gap");
    ipc_pool_free(writer->pool, &descriptor);
    return true;
}

/* Takes back the oldest loan that no reader that writers wait for needs any more. */
static bool reclaim_oldest(ipc_topic_writer *writer)
{
    ipc_topic_holder slowest;
    const uint64_t least = ipc_topic_scan(&writer->base.topic, &slowest);
    const uint64_t tail = ipc_load_acquire64(&writer->header->tail);
    if (tail > IPC_TOPIC_POSITION_MAX || least > tail || tail < writer->slot_count)
        return false;
    if (writer->reclaimed < tail - writer->slot_count)
        writer->reclaimed = tail - writer->slot_count;
    while (writer->reclaimed < least) {
        if (reclaim(writer, writer->reclaimed++))
            return true;
    }
    return false;
}

/* One past the oldest message that has a loan. */
bool ipc_topic_find_oldest_loan(ipc_topic_writer *writer, uint64_t *behind)
{
    const uint64_t tail = ipc_load_acquire64(&writer->header->tail);
    for (uint64_t position = tail - writer->slot_count; position < tail; position++) {
        ipc_block_slot *slot = ipc_slot_at(&writer->ring, position);
        if (!ipc_topic_is_ready(&writer->ring, position, ipc_load_acquire64(&slot->state)) ||
            (ipc_topic_flags(ipc_load_relaxed64(ipc_topic_details(slot))) & IPC_BLOCK_HAS_LOAN) == 0)
            continue;
        *behind = position + 1;
        return true;
    }
    return false;
}

/* Until a claim has it, the loan is the writer's. */
ipc_status ipc_topic_take_loan(ipc_topic_writer *writer, uint32_t length)
{
    static const ipc_atomic64 nothing_to_see;
    if (writer->has_loan)
        return IPC_OK;
    ipc_status status = ipc_pool_take(writer->pool, writer->me, length, &writer->loan);
    while (status == IPC_FULL && reclaim_oldest(writer))
        status = ipc_pool_take(writer->pool, writer->me, length, &writer->loan);
    writer->has_loan = status == IPC_OK;
    if (status != IPC_FULL)
        return status;
    return ipc_topic_is_closed(&writer->base) ? ipc_ended(IPC_CLOSED)
                                              : ipc_topic_full(writer, IPC_BY_LOAN, &nothing_to_see, 0);
}

void ipc_topic_give_loan_back(ipc_topic_writer *writer)
{
    if (!writer->has_loan)
        return;
    writer->has_loan = false;
    ipc_pool_give_back(writer->pool, &writer->loan);
}

static ipc_loan loan_of(const ipc_topic_writer *writer, const ipc_block *block)
{
    const ipc_loan loan = {
        .index = (uint32_t)block->reserved[IPC_CLAIM_BLOCK],
        .klass = (uint16_t)(block->reserved[IPC_CLAIM_BLOCK] >> 32),
        .generation = (uint32_t)block->reserved[IPC_CLAIM_LOAN],
        .owner = (uint16_t)writer->me,
    };
    return loan;
}

/* The slot names the loan first, then the loan names the slot, then the slot is published. */
bool ipc_topic_put_loan(ipc_topic_writer *writer, const ipc_block *block, ipc_block_slot *slot, uint32_t length)
{
    const ipc_loan loan = loan_of(writer, block);
    const ipc_loan_descriptor descriptor = ipc_pool_describe(&loan, length);
    ipc_topic_store_descriptor(slot, &descriptor);
    ipc_store_release32(ipc_slot_loan_lap(slot), ipc_slot_lap(block->reserved[IPC_CLAIM_WORD])); /* [loan] */
    return ipc_pool_publish(writer->pool, &loan, (uint64_t)((uint8_t *)slot - writer->base.place.region->base));
}

void ipc_topic_retract_loan(ipc_topic_writer *writer, const ipc_block *block, uint32_t length)
{
    const ipc_loan loan = loan_of(writer, block);
    const ipc_loan_descriptor descriptor = ipc_pool_describe(&loan, length);
    ipc_pool_free(writer->pool, &descriptor);
}

void ipc_topic_attach_loan(ipc_topic_writer *writer, ipc_block *block)
{
    writer->has_loan = false;
    block->payload = writer->loan.bytes;
    block->reserved[IPC_CLAIM_BLOCK] = (uint64_t)writer->loan.klass << 32 | writer->loan.index;
    block->reserved[IPC_CLAIM_LOAN] = IPC_CLAIM_HAS_LOAN | writer->loan.generation;
}

void ipc_topic_abandon_loan(ipc_topic_writer *writer, const ipc_block *block)
{
    const ipc_loan loan = loan_of(writer, block);
    ipc_pool_give_back(writer->pool, &loan);
}

void ipc_topic_writer_trim_loans(ipc_topic_writer *writer)
{
    if (!ipc_pool_exists(writer->pool) || ipc_topic_is_closed(&writer->base))
        return;
    ipc_pool_trim(writer->pool, writer->me);
    ipc_waiter_wake(&writer->header->space); /* who found no block while we held them all looks again */
}
