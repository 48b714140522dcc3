/*
 * Messages that are longer than a block: the slot holds a descriptor, the bytes stand in a block of the pool.
 *
 * The order decides what a crash leaves: the descriptor is in the slot and the loan Published before the slot is Ready;
 * the slot is Free before the loan is. In between the loan is named by nobody, and the sweep of the next recovery frees
 * it.
 */
#include "queues/queue.h"

#include <string.h>

static uint64_t offset_of(const ipc_queue *queue, const ipc_block_slot *slot)
{
    return (uint64_t)((const uint8_t *)slot - queue->place.region->base);
}

/* The block's two words: generation and index; class, a mark that there is a loan, and (a receiver's) length. */
static void remember(ipc_block *block, const ipc_loan *loan, uint32_t length)
{
    block->reserved[IPC_BLOCK_LOAN] = (uint64_t)loan->generation << 32 | loan->index;
    block->reserved[IPC_BLOCK_LOAN_MORE] = (uint64_t)length << 32 | 1u << 16 | loan->klass;
}

static ipc_loan loan_of(const ipc_queue *queue, const ipc_block *block)
{
    const ipc_loan loan = {
        .bytes = block->payload,
        .capacity = block->length,
        .generation = (uint32_t)(block->reserved[IPC_BLOCK_LOAN] >> 32),
        .index = (uint32_t)block->reserved[IPC_BLOCK_LOAN],
        .klass = (uint16_t)block->reserved[IPC_BLOCK_LOAN_MORE],
        .owner = (uint16_t)queue->owner,
    };
    return loan;
}

void ipc_queue_attach_loan(ipc_block *block, const ipc_loan *loan)
{
    block->payload = loan->bytes;
    remember(block, loan, block->length);
}

void ipc_queue_give_back_loan(ipc_queue *queue, const ipc_block *block)
{
    const ipc_loan loan = loan_of(queue, block);
    ipc_pool_give_back(&queue->pool, &loan);
}

bool ipc_queue_publish_loan(ipc_queue *queue, const ipc_block *block, uint32_t length)
{
    ipc_block_slot *slot = ipc_queue_slot_of(block);
    const ipc_loan loan = loan_of(queue, block);
    const ipc_loan_descriptor descriptor = ipc_pool_describe(&loan, length);
    memcpy(ipc_slot_payload(slot), &descriptor, sizeof descriptor);
    ipc_store_release32(ipc_slot_loan_lap(slot), ipc_slot_lap(block->reserved[IPC_BLOCK_WORD])); /* [loan] */
    slot->flags = IPC_BLOCK_HAS_LOAN;
    return ipc_pool_publish(&queue->pool, &loan, offset_of(queue, slot)); /* [loan] */
}

void ipc_queue_retract_loan(ipc_queue *queue, const ipc_block *block, uint32_t length)
{
    const ipc_loan loan = loan_of(queue, block);
    const ipc_loan_descriptor descriptor = ipc_pool_describe(&loan, length);
    ipc_pool_free(&queue->pool, &descriptor);
}

ipc_status ipc_queue_resolve_loan(ipc_queue *queue, ipc_block_slot *slot, uint64_t word, ipc_block *block)
{
    ipc_loan_descriptor descriptor;
    ipc_loan loan;
    if (!ipc_pool_exists(&queue->pool) || !ipc_queue_descriptor(slot, word, &descriptor))
        return ipc_fail(IPC_E_CORRUPT, "a message says that it is a loan, and there is none; it was dropped");
    ipc_status status = ipc_pool_resolve(&queue->pool, &descriptor, &loan);
    if (status != IPC_OK)
        return status;
    block->payload = loan.bytes;
    block->length = descriptor.length;
    remember(block, &loan, descriptor.length);
    return IPC_OK;
}

void ipc_queue_free_loan(ipc_queue *queue, const ipc_block *block)
{
    const ipc_loan loan = loan_of(queue, block);
    const ipc_loan_descriptor descriptor =
        ipc_pool_describe(&loan, (uint32_t)(block->reserved[IPC_BLOCK_LOAN_MORE] >> 32));
    ipc_pool_free(&queue->pool, &descriptor);
}
