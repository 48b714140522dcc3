/*
 * The writing end: claim, fill, commit.
 *
 * A claim is private until its header word is stored; the bytes between are the writer's alone. A record never wraps:
 * when it does not fit before the end of the lap, padding fills the lap and the record starts the next one. Of the two
 * headers the one that stands first is stored last. A batch is the same idea with more records: its first header is
 * withheld, all others are written at once (a reader cannot get past the missing one), and one release store publishes
 * it all [publish].
 */
#include "platform/fault.h"
#include "rings/ring.h"

#include <inttypes.h>
#include <string.h>

/* ---- claiming ---------------------------------------------------------------------------------------- */

static ipc_status corrupt(ipc_ring_writer *writer, uint64_t free_position)
{
    if (!writer->corrupt) {
        writer->corrupt = true;
        writer->peer.corrupt(writer->peer.owner);
    }
    return ipc_fail(IPC_E_CORRUPT,
                    "the reader says it has freed up to %" PRIu64 "; it had freed up to %" PRIu64
                    " and there is data up to %" PRIu64,
                    free_position, writer->free_seen, writer->tail);
}

/* How far the reader has come [reclaim]. Its number is believed only in range. */
static ipc_status refresh_limit(ipc_ring_writer *writer)
{
    const uint64_t free_position = ipc_load_acquire64(&writer->header->free_position); /* [reclaim] */
    const uint64_t published = writer->withheld != 0 ? writer->withheld_at : writer->tail;
    if (writer->corrupt || free_position < writer->free_seen || free_position > published ||
        free_position % IPC_LINE != 0)
        return corrupt(writer, free_position);
    writer->free_seen = free_position;
    if (IPC_UNLIKELY(writer->tail - writer->window_from >= writer->window)) {
        writer->window_from = writer->tail;
        if (ipc_load_relaxed32(&writer->ring.pool.holds) != 0)
            ipc_pool_end_window(&writer->ring.pool, writer->ring.owner);
    }
    ipc_ring_set_limit(writer);
    return IPC_OK;
}

/* A writer that always finds room looks all the same when a window of the pool ends: what a burst of loans has taken is
 * to be given back while short messages follow. */
void ipc_ring_set_limit(ipc_ring_writer *writer)
{
    const uint64_t window_end = writer->window_from + writer->window;
    const uint64_t free_end = writer->free_seen + writer->capacity;
    writer->room = (free_end < writer->present ? free_end : writer->present) - IPC_LINE;
    writer->limit = writer->room < window_end ? writer->room : window_end;
}

void ipc_ring_ask_for_space(ipc_ring_writer *writer)
{
    ipc_ring_flush(writer);                                /* the reader cannot make room out of what it cannot see */
    ipc_store_relaxed32(&writer->header->space.wanted, 1); /* [wanted] */
    ipc_full_fence();
}

/* Looks again, then asks for space and looks once more [wanted]. */
IPC_NOINLINE ipc_status ipc_ring_make_room(ipc_ring_writer *writer, uint64_t end)
{
    if ((ipc_load_relaxed32(&writer->end.flags) & IPC_END_CLOSED) != 0)
        return ipc_ended(IPC_CLOSED);
    ipc_ring_drop_loan(writer); /* a new claim replaces it */
    ipc_status status = refresh_limit(writer);
    if (status == IPC_OK && end > writer->present - IPC_LINE && !ipc_ring_make_present(writer, end)) {
        ipc_ring_ask_for_space(writer); /* the batch is published, whatever it was that there was no room in */
        writer->wanted_end = end;
        return IPC_FULL;
    }
    if (status != IPC_OK || end <= writer->room)
        return status;
    ipc_ring_ask_for_space(writer);
    status = refresh_limit(writer);
    if (status != IPC_OK || end <= writer->room)
        return status;
    writer->wanted_end = end;
    return IPC_FULL;
}

static inline void *payload_at(const ipc_ring_writer *writer, uint64_t position)
{
    return writer->data + (position & (writer->capacity - 1)) + IPC_RECORD_HEADER_SIZE;
}

ipc_status ipc_ring_try_claim(ipc_ring_writer *writer, uint32_t length, void **payload)
{
    if (IPC_UNLIKELY(length > writer->longest_record))
        return ipc_ring_claim_loan(writer, length, payload);
    if (IPC_UNLIKELY(writer->claim_size != 0))
        ipc_ring_abandon(writer);

    const uint64_t size = ipc_record_size(length);
    const uint64_t to_end = writer->capacity - (writer->tail & (writer->capacity - 1));
    const uint64_t start = size <= to_end ? writer->tail : writer->tail + to_end;
    if (IPC_UNLIKELY(start + size > writer->limit)) {
        ipc_status status = ipc_ring_make_room(writer, start + size);
        if (status != IPC_OK)
            return status;
    }
    writer->claim = start;
    writer->claim_size = size;
    writer->claimed = length;
    writer->claim_moved = false;
    *payload = payload_at(writer, start);
    IPC_FAULT_POINT("ring.claim.done");
    return IPC_OK;
}

ipc_status ipc_ring_try_extend_claim(ipc_ring_writer *writer, uint32_t length, void **payload)
{
    if (writer->claim_size == 0)
        return ipc_ring_extend_loan(writer, length, payload);
    if (length > writer->longest_record)
        return ipc_ring_move_to_loan(writer, length, payload);
    if (length > writer->claimed) {
        const uint64_t size = ipc_record_size(length);
        const uint64_t to_end = writer->capacity - (writer->claim & (writer->capacity - 1));
        const uint64_t start = size <= to_end ? writer->claim : writer->claim + to_end;
        if (start + size > writer->limit) {
            ipc_status status = ipc_ring_make_room(writer, start + size);
            if (status != IPC_OK)
                return status;
        }
        if (start !=
            writer->claim) { /* a claim starts a lap at most once more, so there is only one place left behind */
            memcpy(payload_at(writer, start), payload_at(writer, writer->claim), writer->claimed);
            writer->claim_moved = true;
        }
        writer->claim = start;
        writer->claim_size = size;
        writer->claimed = length;
    }
    *payload = payload_at(writer, writer->claim);
    return IPC_OK;
}

void ipc_ring_abandon(ipc_ring_writer *writer)
{
    if (writer->claim_size == 0) {
        ipc_ring_drop_loan(writer);
        return;
    }
    /* The first line's header word has not been written. Of a claim that moved, neither has the tail's. */
    if (writer->claim_moved)
        ipc_ring_zero_lines(writer->data, writer->capacity, writer->tail + IPC_LINE, writer->claim);
    ipc_ring_zero_lines(writer->data, writer->capacity, writer->claim + IPC_LINE, writer->claim + writer->claim_size);
    writer->claim_size = 0;
}

/* ---- committing -------------------------------------------------------------------------------------- */

IPC_NOINLINE static void signal_reader(ipc_ring_writer *writer)
{
    if (!ipc_waiter_disarm(&writer->header->data))
        return;
    ipc_store_relaxed64(&writer->wakes, ipc_load_relaxed64(&writer->wakes) + 1); /* a count, nothing follows from it */
    if (writer->peer.processors.here != NULL)
        (void)ipc_processors_note(&writer->peer.processors); /* before it wakes: it will ask whether to spin */
    if (writer->ring_doorbell == NULL)
        ipc_waiter_wake_disarmed(&writer->header->data);
    else
        writer->ring_doorbell(writer->peer.owner);
}

static inline void publish(ipc_ring_writer *writer, uint64_t position, uint64_t word)
{
    IPC_FAULT_POINT("ring.commit.before_publish");
    ipc_store_release64(ipc_record_at(writer->data, writer->capacity, position), word); /* [publish] */
    IPC_FAULT_POINT("ring.commit.after_publish");
    if (IPC_UNLIKELY(ipc_waiter_is_armed(&writer->header->data, writer->process_fences))) /* [sleep] */
        signal_reader(writer);
}

static inline void put(ipc_ring_writer *writer, uint64_t position, uint64_t word)
{
    ipc_store_relaxed64(ipc_record_at(writer->data, writer->capacity, position),
                        word); /* plain is enough: unreachable yet */
}

IPC_NOINLINE static ipc_status commit_otherwise(ipc_ring_writer *writer, uint32_t length, uint16_t type, bool batched)
{
    if (writer->loan_is_open)
        return ipc_ring_commit_loan(writer, length, type, batched);
    if (writer->claim_size == 0)
        return ipc_fail(IPC_E_INVALID_STATE, "there is no open claim: claim first");
    return ipc_fail(IPC_E_INVALID_ARGUMENT, "commit of %u bytes, %u were claimed", length, writer->claimed);
}

/* Closes the claim at `length` bytes and moves the tail behind it. */
static inline void close_claim(ipc_ring_writer *writer, uint32_t length)
{
    const uint64_t size = ipc_record_size(length);
    if (IPC_UNLIKELY(size != writer->claim_size))
        ipc_ring_zero_lines(writer->data, writer->capacity, writer->claim + size, writer->claim + writer->claim_size);
    writer->tail = writer->claim + size;
    writer->claim_size = 0;
}

ipc_status ipc_ring_commit(ipc_ring_writer *writer, uint32_t length, uint16_t type)
{
    if (IPC_UNLIKELY(writer->claim_size == 0 || length > writer->claimed))
        return commit_otherwise(writer, length, type, false);
    if (IPC_UNLIKELY(writer->withheld != 0)) {
        ipc_status status = ipc_ring_commit_batched(writer, length, type);
        ipc_ring_flush(writer);
        return status;
    }

    uint64_t first = writer->tail;
    uint64_t word = ipc_record_word(length, type);
    if (IPC_UNLIKELY(writer->claim != first)) { /* the rest of the lap is padding, and stands first */
        put(writer, writer->claim, word);
        word = ipc_record_padding(writer->claim - first);
    }
    close_claim(writer, length);
    publish(writer, first, word);
    return IPC_OK;
}

static inline void put_or_withhold(ipc_ring_writer *writer, uint64_t position, uint64_t word)
{
    if (writer->withheld == 0) {
        writer->withheld = word;
        writer->withheld_at = position;
    } else {
        put(writer, position, word);
    }
}

ipc_status ipc_ring_commit_batched(ipc_ring_writer *writer, uint32_t length, uint16_t type)
{
    if (IPC_UNLIKELY(writer->claim_size == 0 || length > writer->claimed))
        return commit_otherwise(writer, length, type, true);
    if (writer->claim != writer->tail)
        put_or_withhold(writer, writer->tail, ipc_record_padding(writer->claim - writer->tail));
    put_or_withhold(writer, writer->claim, ipc_record_word(length, type));
    close_claim(writer, length);
    return IPC_OK;
}

void ipc_ring_flush(ipc_ring_writer *writer)
{
    const uint64_t word = writer->withheld;
    if (word == 0)
        return;
    writer->withheld = 0;
    IPC_FAULT_POINT("ring.batch.before_publish");
    publish(writer, writer->withheld_at, word);
}

void ipc_ring_append(ipc_ring_writer *writer, uint64_t word, uint64_t size, bool batched)
{
    const uint64_t position = writer->tail;
    writer->tail += size;
    if (batched || writer->withheld != 0) {
        put_or_withhold(writer, position, word);
        if (!batched)
            ipc_ring_flush(writer);
    } else {
        publish(writer, position, word);
    }
}

/* ---- waiting ----------------------------------------------------------------------------------------- */

static bool may_have_room(const void *subject)
{
    const ipc_ring_writer *writer = subject;
    return ipc_load_relaxed64(&writer->header->free_position) != writer->free_seen;
}

ipc_status ipc_ring_reader_gone(ipc_peer_state state)
{
    if (state != IPC_PEER_LEFT && state != IPC_PEER_DEAD)
        return IPC_EMPTY;
    return ipc_ended(state == IPC_PEER_LEFT ? IPC_PEER_CLOSED : IPC_PEER_DIED);
}

static ipc_status check_room(void *subject)
{
    ipc_ring_writer *writer = subject;
    /* The state first: what a reader released before it went is seen by the look that follows. */
    const ipc_peer_state state = writer->peer.state(writer->peer.owner);
    ipc_status status = ipc_ring_make_room(writer, writer->wanted_end);
    return status != IPC_FULL ? status : ipc_ring_reader_gone(state);
}

static bool attend_reader(void *subject)
{
    const ipc_ring_writer *writer = subject;
    return writer->peer.attend(writer->peer.owner);
}

static ipc_wait wait_of(ipc_ring_writer *writer, ipc_deadline deadline, ipc_cancel *cancel)
{
    const ipc_wait wait = {
        .end = &writer->end,
        .waiter = &writer->header->space,
        .check = check_room,
        .attend = attend_reader,
        .subject = writer,
        .processors = writer->peer.processors,
        .deadline = deadline,
        .cancel = cancel,
        .longest_sleep_ns = writer->present == UINT64_MAX ? 0 : IPC_POOL_LOOK_NS, /* a full disk may get room */
    };
    return wait;
}

ipc_status ipc_ring_arm_room(ipc_ring_writer *writer, uint32_t length, ipc_deadline deadline, ipc_cancel *cancel,
                             ipc_ready_handle *handle)
{
    if (length > writer->longest_record)
        return ipc_ring_arm_loan(writer, length, deadline, cancel, handle);
    ipc_ring_abandon(writer);
    const uint64_t size = ipc_record_size(length);
    const uint64_t to_end = writer->capacity - (writer->tail & (writer->capacity - 1));
    writer->wanted_end = (size <= to_end ? writer->tail : writer->tail + to_end) + size;
    ipc_wait wait = wait_of(writer, deadline, cancel);
    wait.length = length;
    return ipc_wait_arm(&wait, handle);
}

static ipc_status wait_for_room(ipc_ring_writer *writer, uint32_t length, ipc_deadline deadline, ipc_cancel *cancel,
                                void **payload)
{
    const ipc_wait wait = wait_of(writer, deadline, cancel);
    ipc_status status = ipc_wait_until(&wait, may_have_room);
    return status == IPC_OK ? ipc_ring_try_claim(writer, length, payload) : status;
}

ipc_status ipc_ring_claim(ipc_ring_writer *writer, uint32_t length, ipc_deadline deadline, ipc_cancel *cancel,
                          void **payload)
{
    ipc_status status = ipc_ring_try_claim(writer, length, payload);
    if (IPC_LIKELY(status != IPC_FULL))
        return status;
    ipc_end_enter(&writer->end); /* until it has been claimed: close waits for that */
    status = length > writer->longest_record ? ipc_ring_wait_for_loan(writer, length, deadline, cancel, payload)
                                             : wait_for_room(writer, length, deadline, cancel, payload);
    ipc_end_leave(&writer->end);
    return status;
}

ipc_status ipc_ring_write(ipc_ring_writer *writer, const void *payload, uint32_t length, uint16_t type,
                          ipc_deadline deadline, ipc_cancel *cancel)
{
    void *place = NULL;
    ipc_status status = ipc_ring_claim(writer, length, deadline, cancel, &place);
    if (status != IPC_OK)
        return status;
    if (length != 0 && place != NULL)
        memcpy(place, payload, length);
    return ipc_ring_commit(writer, length, type);
}
