/*
 * Messages that a reader does not read in place, and messages in loans.
 *
 * A copy counts only if the slot's word is the same afterwards [overwrite].
 */
#include "topics/topic.h"

#include <inttypes.h>
#include <stdlib.h>

ipc_status ipc_topic_reserve_copy(ipc_topic_reader *reader, uint64_t size)
{
    if (size <= reader->copy_size)
        return IPC_OK;
    uint8_t *larger = realloc(reader->copy, (size_t)size);
    if (larger == NULL)
        return ipc_fail(IPC_E_NO_MEMORY, "no memory for a copy of a message of %" PRIu64 " bytes", size);
    reader->copy = larger;
    reader->copy_size = size;
    return IPC_OK;
}

/* The payload of a long message. IPC_EMPTY: what the slot says is neither a loan nor a message. */
IPC_NOINLINE ipc_status ipc_topic_find_loan(ipc_topic_reader *reader, ipc_block_slot *slot, uint64_t details,
                                            ipc_message *message)
{
    ipc_loan loan;
    const ipc_loan_descriptor descriptor = ipc_topic_load_descriptor(slot);
    if (ipc_topic_flags(details) != IPC_BLOCK_HAS_LOAN || !ipc_pool_exists(&reader->base.pool) ||
        ipc_load_relaxed32(ipc_slot_loan_lap(slot)) != ipc_slot_lap_of(&reader->ring, message->position) ||
        descriptor.length != ipc_topic_length(details))
        return IPC_EMPTY;
    ipc_status status = ipc_pool_resolve(&reader->base.pool, &descriptor, &loan);
    if (status != IPC_OK)
        return status;
    message->payload = loan.bytes;
    reader->has_read_loan = true;
    return IPC_OK;
}

/* From the file, not from the mapping: the block may have been given back, and to look at a page that is gone would ask
   for memory that there may not be. */
static ipc_status copy_loan(ipc_topic_reader *reader, const ipc_message *message)
{
    ipc_status status = ipc_topic_reserve_copy(reader, message->length);
    if (status != IPC_OK)
        return status;
    const uint64_t offset = (uint64_t)((const uint8_t *)message->payload - reader->base.place.region->base);
    return ipc_platform_file_read(reader->base.place.region->file, offset, reader->copy, message->length);
}

ipc_status ipc_topic_copy_out(ipc_topic_reader *reader, uint64_t position, ipc_message *message)
{
    ipc_block_slot *slot = ipc_slot_at(&reader->ring, position);
    const uint64_t word = ipc_load_acquire64(&slot->state); /* [ready-slot] */
    if (!ipc_topic_is_ready(&reader->ring, position, word))
        return IPC_EMPTY;
    const uint64_t details = ipc_load_relaxed64(ipc_topic_details(slot));
    ipc_status status = IPC_OK;
    ipc_topic_fill_in(message, NULL, details, ipc_load_relaxed64(ipc_topic_key(slot)), position, word);
    if (ipc_topic_flags(details) != 0 || message->length > reader->block_size) {
        status = ipc_topic_find_loan(reader, slot, details, message);
        if (status == IPC_OK)
            status = copy_loan(reader, message);
    } else {
        ipc_copy_racing(reader->copy, ipc_slot_payload(slot), message->length);
    }
    ipc_acquire_fence(); /* [overwrite] */
    if (ipc_load_relaxed64(&slot->state) != word)
        return IPC_EMPTY;
    message->payload = reader->copy;
    return status == IPC_EMPTY ? ipc_topic_corrupt_slot(reader, position, word) : status;
}

void ipc_topic_reader_finish(ipc_topic_reader *reader)
{
    ipc_topic_latest_free(&reader->latest);
    if (!ipc_region_keeps_memory()) /* a message may be in there */
        free(reader->copy);
}
