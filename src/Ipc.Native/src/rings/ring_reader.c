/*
 * The reading end: read in place, release.
 *
 * A record is there when its header word is not zero [publish]. Everything in that word was written by the peer: it is
 * loaded once and judged against the lap before anything is done with it. Released records count at once
 * (read_position, [release]), but their space goes back in portions: zeroing the lines and moving free_position
 * [reclaim] costs the two processes a cache line each, once per portion. A writer that has no room says so ([wanted])
 * and gets everything back at the reader's next look at an empty ring or next release.
 */
#include "platform/fault.h"
#include "rings/ring.h"

#include <inttypes.h>
#include <stdlib.h>

/* ---- starting ---------------------------------------------------------------------------------------- */

/* Everything published before a successor took over may have been handled by the dead reader already. */
static uint64_t end_of_published(const ipc_ring *ring, uint64_t position, uint64_t freed)
{
    const uint64_t end = freed + ring->capacity - IPC_LINE;
    while (position < end) {
        ipc_record_view view;
        const uint64_t word = ipc_load_acquire64(ipc_record_at(ring->data, ring->capacity, position)); /* [publish] */
        if (!ipc_record_decode_any(ring, word, position, &view)) /* zero, or corrupt: reading will tell */
            break;
        position += view.size;
    }
    return position;
}

ipc_status ipc_ring_reader_start(ipc_ring_reader *reader, const ipc_ring *ring, bool predecessor_died,
                                 ipc_wait_mode mode, const ipc_ring_peer *peer)
{
    const uint64_t freed = ipc_load_acquire64(&ring->header->free_position);
    const uint64_t position = ipc_load_acquire64(&ring->header->read_position); /* [release] */
    if (freed > position || position - freed > ring->capacity || position > IPC_POSITION_MAX ||
        position % IPC_LINE != 0 || freed % IPC_LINE != 0)
        return ipc_fail(IPC_E_CORRUPT,
                        "a ring of %" PRIu64 " bytes was read up to %" PRIu64 " and freed up to %" PRIu64,
                        ring->capacity, position, freed);
    /* Return that space, even if there is none: the predecessor may have died in the middle of it, or a writer may
       have gone to sleep since. */
    ipc_store_relaxed32(&ring->header->space.wanted, 0);
    ipc_release_fence(); /* [walk] */
    ipc_ring_zero_lines(ring->data, ring->capacity, freed, position);
    ipc_store_release64(&ring->header->free_position, position); /* [reclaim] */
    ipc_full_fence();
    ipc_waiter_wake(&ring->header->space);

    ipc_platform_touch(ring->data, ring->present == 0 ? ring->capacity : ring->present);
    reader->data = ring->data;
    reader->capacity = ring->capacity;
    reader->position = position;
    reader->released = position;
    reader->freed = position;
    reader->return_at = position + (ring->capacity >> IPC_RING_RETURN_SHIFT);
    reader->loans = NULL;
    reader->loan_first = 0;
    reader->loan_count = 0;
    reader->loan_capacity = 0;
    /* For our successors, too: ours may not get as far as this before we leave. */
    if (predecessor_died)
        ipc_store_relaxed64(&ring->header->redeliver_until, end_of_published(ring, position, position));
    reader->redelivered_until = ipc_load_relaxed64(&ring->header->redeliver_until);
    reader->header = ring->header;
    reader->ring = *ring;
    reader->peer = *peer;
    reader->sleeps_on = &ring->header->data;
    ipc_end_init(&reader->end, mode);
    ipc_end_one_waits(&reader->end);
    reader->end.wakes[0] = &ring->header->data;
    return IPC_OK;
}

void ipc_ring_reader_abandon(ipc_ring_reader *reader)
{
    ipc_store_relaxed32(&reader->end.flags,
                        IPC_END_CLOSED); /* the mapping is zeroes: every read is empty and finds this */
    ipc_store_relaxed32(&reader->end.inside, 0);
}

void ipc_ring_reader_tell_read(ipc_ring_reader *reader)
{
    if (reader->position > reader->released && reader->position > reader->redelivered_until)
        ipc_store_relaxed64(&reader->header->redeliver_until, reader->position);
}

void ipc_ring_reader_dispose(ipc_ring_reader *reader)
{
    free(reader->loans);
    reader->loans = NULL;
    reader->loan_first = 0;
    reader->loan_count = 0;
    reader->loan_capacity = 0;
}

/* ---- returning space --------------------------------------------------------------------------------- */

static void return_space(ipc_ring_reader *reader)
{
    ipc_store_relaxed32(&reader->header->space.wanted, 0); /* [wanted]: before the look of whoever sets it again */
    ipc_release_fence(); /* [walk]: who sees a zero of ours sees our read_position too */
    ipc_ring_zero_lines(reader->data, reader->capacity, reader->freed, reader->released);
    IPC_FAULT_POINT("ring.return.zeroed");
    ipc_store_release64(&reader->header->free_position, reader->released); /* [reclaim] */
    IPC_FAULT_POINT("ring.return.stored");
    reader->freed = reader->released;
    if (reader->loan_count == 0)
        reader->return_at = reader->freed + (reader->capacity >> IPC_RING_RETURN_SHIFT);
    ipc_full_fence(); /* once per portion: cheap, and the sleeping writer needs no more than this */
    if ((ipc_load_relaxed32(&reader->header->space.word) & IPC_WAITER_SLEEPING) != 0) { /* [sleep] */
        if (reader->peer.processors.here != NULL)
            (void)ipc_processors_note(&reader->peer.processors);
        ipc_waiter_signal_sleeper(&reader->header->space);
    }
}

void ipc_ring_return_all(ipc_ring_reader *reader)
{
    if (reader->freed != reader->released)
        return_space(reader);
}

static inline bool space_is_wanted(const ipc_ring_reader *reader)
{
    return ipc_load_relaxed32(&reader->header->space.wanted) != 0; /* [wanted] */
}

/* Frees what was lent, before the writer is told: it may be waiting for just that. What is released while a handle
   sleeps for the next record goes back at once: only who is told of a record looks at `wanted` again. */
static void release_more(ipc_ring_reader *reader)
{
    reader->armed = reader->armed && !ipc_ring_is_readable(reader);
    if (reader->loan_count != 0)
        ipc_ring_free_loans(reader);
    if (reader->armed || reader->released - reader->freed >= reader->capacity >> IPC_RING_RETURN_SHIFT ||
        space_is_wanted(reader))
        return_space(reader);
    reader->return_at =
        reader->armed || reader->loan_count != 0 ? 0 : reader->freed + (reader->capacity >> IPC_RING_RETURN_SHIFT);
}

void ipc_ring_release(ipc_ring_reader *reader)
{
    ipc_ring_release_to(reader, reader->position);
}

void ipc_ring_release_to(ipc_ring_reader *reader, uint64_t position)
{
    if (reader->released == position)
        return;
    IPC_FAULT_POINT("ring.release.before_store");
    reader->released = position;
    ipc_store_release64(&reader->header->read_position, reader->released); /* [release] */
    IPC_FAULT_POINT("ring.release.after_store");
    if (IPC_UNLIKELY(reader->released >= reader->return_at || space_is_wanted(reader)))
        release_more(reader);
}

/* ---- reading ----------------------------------------------------------------------------------------- */

static void tell_corrupt(ipc_ring_reader *reader)
{
    if (!reader->corrupt) {
        reader->corrupt = true;
        reader->peer.corrupt(reader->peer.owner);
    }
}

IPC_NOINLINE static ipc_status corrupt(ipc_ring_reader *reader, uint64_t position, uint64_t word)
{
    tell_corrupt(reader);
    return ipc_fail(IPC_E_CORRUPT,
                    "the writer put %016" PRIx64 " at position %" PRIu64 " of a ring of %" PRIu64
                    " bytes, which is no record",
                    word, position, reader->capacity);
}

static ipc_status empty(ipc_ring_reader *reader)
{
    if (ipc_ring_owes_space(reader))
        return_space(reader);
    return (ipc_load_relaxed32(&reader->end.flags) & IPC_END_CLOSED) != 0 ? ipc_ended(IPC_CLOSED) : IPC_EMPTY;
}

static inline bool within_ring(const ipc_ring_reader *reader, uint64_t position, uint64_t size)
{
    return position + size - reader->freed <=
           reader->capacity; /* reading ahead never comes round to what is not released */
}

static inline void hand_out(const ipc_ring_reader *reader, uint64_t position, const ipc_record_view *view,
                            ipc_record *record)
{
    record->payload = reader->data + (position & (reader->capacity - 1)) + IPC_RECORD_HEADER_SIZE;
    record->length = view->length;
    record->type = view->type;
}

/* Padding with a record behind it, a loan, or neither. A second padding in a row is nothing that a writer does. */
IPC_NOINLINE static ipc_status read_special(ipc_ring_reader *reader, uint64_t word, ipc_record *record)
{
    uint64_t position = reader->position;
    ipc_record_view view;
    if (ipc_record_decode(word, reader->capacity, position, &view) && view.padding) {
        if (!within_ring(reader, position, view.size))
            return corrupt(reader, position, word);
        position += view.size;
        word =
            ipc_load_acquire64(ipc_record_at(reader->data, reader->capacity, position)); /* [publish] of the padding */
    }
    if (!ipc_record_decode_any(&reader->ring, word, position, &view) || view.padding ||
        !within_ring(reader, position, view.size))
        return corrupt(reader, position, word);
    if ((word & IPC_RECORD_LOAN) != 0) {
        ipc_status status = ipc_ring_read_loan(reader, position, view.type, record);
        if (status == IPC_E_CORRUPT)
            tell_corrupt(reader);
        if (status != IPC_OK)
            return status;
    } else {
        hand_out(reader, position, &view, record);
    }
    record->redelivered = position < reader->redelivered_until;
    reader->position = position + view.size;
    IPC_FAULT_POINT("ring.read.done");
    return IPC_OK;
}

ipc_status ipc_ring_try_read(ipc_ring_reader *reader, ipc_record *record)
{
    const uint64_t position = reader->position;
    const uint64_t word = ipc_load_acquire64(ipc_record_at(reader->data, reader->capacity, position)); /* [publish] */
    if (word == 0)
        return empty(reader);

    ipc_record_view view;
    if (IPC_UNLIKELY(!ipc_record_decode(word, reader->capacity, position, &view) || view.padding))
        return read_special(reader, word, record);
    if (IPC_UNLIKELY(!within_ring(reader, position, view.size)))
        return corrupt(reader, position, word);

    hand_out(reader, position, &view, record);
    record->redelivered = position < reader->redelivered_until;
    reader->position = position + view.size;
    IPC_FAULT_POINT("ring.read.done");
    return IPC_OK;
}

/* ---- waiting ----------------------------------------------------------------------------------------- */

static bool has_record(const void *subject)
{
    const ipc_ring_reader *reader = subject;
    return ipc_ring_is_readable(reader) || ipc_ring_owes_space(reader);
}

static ipc_status check_record(void *subject)
{
    ipc_ring_reader *reader = subject;
    if (ipc_ring_is_readable(reader))
        return IPC_OK;
    ipc_status status = empty(reader);
    if (status != IPC_EMPTY)
        return status;
    const ipc_peer_state state = reader->peer.state(reader->peer.owner); /* [close] */
    if (state != IPC_PEER_LEFT && state != IPC_PEER_DEAD)
        return IPC_EMPTY;
    if (ipc_ring_is_readable(reader)) /* once more: published before the peer went */
        return IPC_OK;
    return ipc_ended(state == IPC_PEER_LEFT ? IPC_PEER_CLOSED : IPC_PEER_DIED);
}

static bool attend_writer(void *subject)
{
    ipc_ring_reader *reader = subject;
    ipc_ring_return_all(reader); /* while we sleep nobody would look at `wanted` */
    return reader->peer.attend(reader->peer.owner);
}

/* A server's thread sleeps on the doorbell: the client's signal on this word is what rings it. */
static ipc_armed arm_reader(void *subject)
{
    ipc_ring_reader *reader = subject;
    ipc_waiter *data = &reader->header->data;
    return reader->sleeps_on == data ? IPC_ARMED_SETTLED : ipc_waiter_arm(data);
}

static ipc_wait wait_of(ipc_ring_reader *reader, ipc_deadline deadline, ipc_cancel *cancel)
{
    const ipc_wait wait = {
        .end = &reader->end,
        .waiter = reader->sleeps_on,
        .arm = arm_reader,
        .check = check_record,
        .attend = attend_writer,
        .subject = reader,
        .processors = reader->peer.processors,
        .deadline = deadline,
        .cancel = cancel,
    };
    return wait;
}

ipc_status ipc_ring_wait(ipc_ring_reader *reader, ipc_deadline deadline, ipc_cancel *cancel)
{
    if (ipc_ring_is_readable(reader))
        return IPC_OK;
    const ipc_wait wait = wait_of(reader, deadline, cancel);
    return ipc_wait_until(&wait, has_record);
}

ipc_status ipc_ring_arm(ipc_ring_reader *reader, ipc_deadline deadline, ipc_cancel *cancel, ipc_ready_handle *handle)
{
    const ipc_wait wait = wait_of(reader, deadline, cancel);
    ipc_status status = ipc_wait_arm(&wait, handle);
    if (status == IPC_EMPTY) {
        reader->armed = true;
        reader->return_at = 0; /* what is released from now on is not held back [wanted] */
    }
    return status;
}

ipc_status ipc_ring_read(ipc_ring_reader *reader, ipc_deadline deadline, ipc_cancel *cancel, ipc_record *record)
{
    ipc_status status = ipc_ring_try_read(reader, record);
    if (status != IPC_EMPTY)
        return status;
    ipc_end_enter(&reader->end); /* until it has been read: close waits for that */
    status = ipc_ring_wait(reader, deadline, cancel);
    if (status == IPC_OK)
        status = ipc_ring_try_read(reader, record);
    ipc_end_leave(&reader->end);
    return status;
}

/* ---- the rest ---------------------------------------------------------------------------------------- */

uint64_t ipc_ring_reader_capacity(const ipc_ring_reader *reader)
{
    return reader->capacity;
}

uint64_t ipc_ring_reader_released(const ipc_ring_reader *reader)
{
    return reader->released;
}

bool ipc_ring_reader_is_drained(const ipc_ring_reader *reader)
{
    const ipc_ring *const ring = &reader->ring; /* never changes: the rest of the reader is its thread's */
    const uint64_t position = ipc_load_acquire64(&ring->header->read_position); /* [release] */
    const uint64_t line = position & ~(uint64_t)(IPC_LINE - 1);                 /* the peer can write it */
    /* [publish], or the reader's own zero, of a record that it has released: then it is not there any more [walk] */
    return ipc_load_acquire64(ipc_record_at(ring->data, ring->capacity, line)) == 0 &&
           ipc_load_acquire64(&ring->header->read_position) == position; /* [walk] */
}

void ipc_ring_reader_stop(ipc_ring_reader *reader)
{
    ipc_end_stop(&reader->end);
}

void ipc_ring_reader_resume(ipc_ring_reader *reader)
{
    ipc_end_resume(&reader->end);
}

ipc_peer_state ipc_ring_reader_peer(const ipc_ring_reader *reader)
{
    (void)reader->peer.attend(reader->peer.owner);
    return reader->peer.state(reader->peer.owner);
}
