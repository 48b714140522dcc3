/* Where a ring's records end: what a writer that takes over from a dead one, or from one that has left, has to know. */
#include "rings/ring.h"

#include <inttypes.h>

/* One walk over what is published, from the reader's position to the first zero. */
static ipc_status walk(const ipc_ring *ring, ipc_ring_tail *tail)
{
    const uint64_t free_position = ipc_load_acquire64(&ring->header->free_position); /* [reclaim] */
    uint64_t position = ipc_load_acquire64(&ring->header->read_position);            /* [release] */
    if (free_position > position || position - free_position > ring->capacity || position > IPC_POSITION_MAX ||
        position % IPC_LINE != 0 || free_position % IPC_LINE != 0)
        return ipc_fail(IPC_E_CORRUPT,
                        "a ring of %" PRIu64 " bytes was read up to %" PRIu64 " and freed up to %" PRIu64,
                        ring->capacity, position, free_position);
    const uint64_t end = free_position + ring->capacity - IPC_LINE;
    tail->last_record = IPC_NO_RECORD;
    for (;;) { /* at `end` there must be a zero */
        ipc_record_view view;
        const uint64_t word =
            ipc_load_acquire64(ipc_record_at(ring->data, ring->capacity, position)); /* [publish], [walk] */
        if (word == 0)
            break;
        if (!ipc_record_decode_any(ring, word, position, &view) || view.size > end - position)
            return ipc_fail(IPC_E_CORRUPT, "a ring has %016" PRIx64 " at position %" PRIu64 ", which is no record",
                            word, position);
        if (!view.padding)
            tail->last_record = position;
        position += view.size;
    }
    tail->position = position;
    tail->freed = free_position;
    return IPC_OK;
}

/* [walk] The reader may go on reading, and zeroing what it returns, while we walk. A zero of its making lies before
   its read_position, so at a zero that position is looked at again, and if the reader has passed us the walk begins
   there. Each turn costs it at least one record, and the dead writer publishes no more: more turns than lines is a
   reader that makes its positions up. */
ipc_status ipc_ring_find_tail(const ipc_ring *ring, ipc_ring_tail *tail)
{
    for (uint64_t turn = 0; turn <= ring->capacity / IPC_LINE; turn++) {
        ipc_status status = walk(ring, tail);
        if (status != IPC_OK || ipc_load_acquire64(&ring->header->read_position) <= tail->position)
            return status;
    }
    return ipc_fail(IPC_E_CORRUPT,
                    "the reader of a ring of %" PRIu64 " bytes has moved more often than there are records",
                    ring->capacity);
}

bool ipc_ring_holds_messages(const ipc_ring *ring)
{
    uint64_t position = ipc_load_acquire64(&ring->header->read_position); /* [release] */
    for (int paddings = 0; paddings < 2; paddings++) {
        ipc_record_view view;
        if (position % IPC_LINE != 0 || position > IPC_POSITION_MAX)
            return false;
        const uint64_t word = ipc_load_acquire64(ipc_record_at(ring->data, ring->capacity, position)); /* [publish] */
        if (!ipc_record_decode_any(ring, word, position, &view))
            return false; /* zero, or no record */
        if (!view.padding)
            return true;
        position += view.size;
    }
    return false;
}
