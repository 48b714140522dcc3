/* The writing end: taking it over, stopping it, what it says about itself. Its work is ring_writer.c's. */
#include "rings/ring.h"

/* ---- starting ---------------------------------------------------------------------------------------- */

ipc_status ipc_ring_writer_start(ipc_ring_writer *writer, const ipc_ring *ring, bool fresh, ipc_wait_mode mode,
                                 const ipc_ring_peer *peer)
{
    ipc_ring_tail tail = {.last_record = IPC_NO_RECORD};
    if (!fresh) {
        ipc_status status = ipc_ring_find_tail(ring, &tail);
        if (status != IPC_OK)
            return status;
        ipc_ring_zero_lines(ring->data, ring->capacity, tail.position, tail.freed + ring->capacity); /* invariant Z */
    }
    ipc_platform_touch(ring->data, ring->present == 0 ? ring->capacity : ring->present);
    writer->data = ring->data;
    writer->capacity = ring->capacity;
    writer->tail = tail.position;
    writer->last_record = tail.last_record;
    writer->free_seen = tail.freed;
    writer->present = ring->present == 0 ? UINT64_MAX : ring->present;
    writer->ring = *ring;
    writer->window = ring->capacity / 2 < IPC_POOL_WINDOW_BYTES ? IPC_POOL_WINDOW_BYTES : ring->capacity / 2;
    writer->window_from = writer->tail;
    ipc_ring_set_limit(writer);
    writer->claim_size = 0;
    writer->withheld = 0;
    writer->header = ring->header;
    writer->longest_record = (uint32_t)(ring->capacity / 2 - IPC_RECORD_HEADER_SIZE);
    writer->max_payload = writer->longest_record;
    if (ipc_pool_exists(&ring->pool) && ipc_pool_max_length(&ring->pool) > writer->max_payload)
        writer->max_payload = ipc_pool_max_length(&ring->pool);
    writer->loan_is_open = false;
    writer->peer = *peer;
    ipc_end_init(&writer->end, mode);
    ipc_end_one_waits(&writer->end);
    writer->process_fences = ipc_waiter_process_fences();
    writer->end.wakes[0] = &ring->header->space;
    return IPC_OK;
}

void ipc_ring_writer_abandon(ipc_ring_writer *writer)
{
    writer->limit = 0; /* every claim takes the slow path, and finds the end closed */
    writer->claim_size = 0;
    writer->withheld = 0;
    writer->loan_is_open = false;
    ipc_store_relaxed32(&writer->end.flags, IPC_END_CLOSED);
    ipc_store_relaxed32(&writer->end.inside, 0);
}

/* ---- the rest ---------------------------------------------------------------------------------------- */

uint64_t ipc_ring_writer_capacity(const ipc_ring_writer *writer)
{
    return writer->capacity;
}

uint32_t ipc_ring_writer_max_payload(const ipc_ring_writer *writer)
{
    return writer->max_payload;
}

uint64_t ipc_ring_writer_position(const ipc_ring_writer *writer)
{
    return writer->tail;
}

uint64_t ipc_ring_writer_wakes(const ipc_ring_writer *writer)
{
    return ipc_load_relaxed64(&writer->wakes);
}

void ipc_ring_writer_stop(ipc_ring_writer *writer)
{
    ipc_end_stop(&writer->end);
}

void ipc_ring_writer_resume(ipc_ring_writer *writer)
{
    ipc_end_resume(&writer->end);
}

ipc_peer_state ipc_ring_writer_peer(const ipc_ring_writer *writer)
{
    (void)writer->peer.attend(writer->peer.owner);
    return writer->peer.state(writer->peer.owner);
}
