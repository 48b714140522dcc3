/*
 * The reading end: look at the slot of the private position, read in place or copy, release.
 *
 * Readers that writers wait for read in place what has come since they joined: their cursor keeps it from being
 * overwritten. Everything else is copied, and counts only if the slot's word is the same afterwards [overwrite]. An
 * evictable reader reads in place too, and learns at its release whether it was evicted meanwhile: its cursor is stored
 * first, then its state is looked at, behind all reads of the payload.
 */
#include "platform/fault.h"
#include "topics/topic.h"

#include <inttypes.h>
#include <string.h>

/* ---- starting ---------------------------------------------------------------------------------------- */

static ipc_status begin(ipc_topic_reader *reader, const ipc_topic_start *start)
{
    if (start->joined <= reader->ring.mask || start->joined > IPC_TOPIC_POSITION_MAX)
        return ipc_fail(IPC_E_CORRUPT, "the tail of %s is %" PRIu64 ", with %u slots", reader->base.place.region->path,
                        start->joined, reader->ring.mask + 1);
    reader->state = start->state;
    reader->joined = start->joined;
    reader->position = start->position;
    reader->released = start->position;
    reader->in_place_from = reader->is_waited_for ? start->joined : UINT64_MAX;
    return reader->is_waited_for && start->position == start->joined
               ? IPC_OK
               : ipc_topic_reserve_copy(reader, reader->block_size);
}

ipc_status ipc_topic_reader_start(ipc_topic_reader *reader, const ipc_topic_options *options)
{
    const ipc_topic *topic = &reader->base.topic;
    const ipc_region *region = reader->base.place.region;
    ipc_platform_touch(topic->ring.slots, topic->slot_count * (uint64_t)topic->ring.stride);
    reader->ring = topic->ring;
    reader->entry = &topic->entries[region->index];
    reader->header = topic->header;
    reader->block_size = topic->block_size;
    reader->policy = options->policy;
    reader->is_waited_for = options->policy <= IPC_EVICT;
    reader->may_be_evicted = options->policy == IPC_EVICT;
    ipc_lag_init(&reader->base.lag, reader->base.end.mode, reader->base.end.spin_max_ns, reader->ring.mask + 1);
    reader->process_fences = ipc_waiter_process_fences();
    reader->base.end.wakes[0] = &topic->header->data;
    if (options->ignore != NULL) {
        const ipc_region *theirs = options->ignore->base.place.region;
        if (memcmp(ipc_region_header_of(theirs)->region_id, ipc_region_header_of(region)->region_id,
                   sizeof ipc_region_header_of(region)->region_id) != 0)
            return ipc_fail(IPC_E_INVALID_ARGUMENT, "the writer to ignore is one of %s, not of %s", theirs->path,
                            region->path);
        reader->ignored = options->ignore->me;
        reader->ignored_generation =
            ipc_load_relaxed32(&ipc_region_participant(region, reader->ignored - 1)->generation);
    }
    ipc_status status = begin(reader, &reader->base.start);
    return status == IPC_OK && options->policy == IPC_LATEST ? ipc_topic_latest_init(&reader->latest) : status;
}

/* ---- releasing --------------------------------------------------------------------------------------- */

/* Only who held writers back wakes them: the releases of others make no room, except for loans. The tail is read behind
   the flag, so it is not older than the one at which the sleeper found the topic full. */
IPC_NOINLINE static void signal_space(ipc_topic_reader *reader, uint64_t before)
{
    ipc_acquire_fence();
    if (reader->has_read_loan || ipc_load_acquire64(&reader->header->tail) - before > reader->ring.mask)
        ipc_waiter_signal_sleeper(&reader->header->space);
}

static inline void store_cursor(ipc_topic_reader *reader, uint64_t before)
{
    const uint64_t cursor = reader->released < reader->joined ? reader->joined : reader->released;
    ipc_store_release64(&reader->entry->cursor, cursor); /* [cursor] */
    IPC_FAULT_POINT("topic.release.after_cursor");
    if (reader->is_waited_for &&
        IPC_UNLIKELY(ipc_waiter_is_armed(&reader->header->space, reader->process_fences))) /* [sleep] */
        signal_space(reader, before < reader->joined ? reader->joined : before);
}

static inline bool is_evicted(const ipc_topic_reader *reader)
{
    return reader->may_be_evicted && ipc_load_acquire32(&reader->entry->state) != reader->state;
}

/* By an evicted reader. */
static uint64_t first_missed(const ipc_topic_reader *reader)
{
    return reader->released < reader->joined ? reader->joined : reader->released;
}

IPC_NOINLINE static ipc_status evicted(const ipc_topic_reader *reader, ipc_message *message)
{
    if (ipc_topic_is_closed(&reader->base))
        return ipc_ended(IPC_CLOSED);
    const uint64_t missed = ipc_load_acquire64(&reader->header->tail) - first_missed(reader);
    if (message != NULL) {
        memset(message, 0, sizeof *message);
        message->position = first_missed(reader);
        message->lost = missed;
    }
    return ipc_fail(IPC_EVICTED,
                    "this reader was cut off at position %" PRIu64 ", it misses %" PRIu64 " messages by now: rejoin",
                    ipc_load_relaxed64(&reader->entry->evicted_at), missed);
}

ipc_status ipc_topic_release(ipc_topic_reader *reader)
{
    const uint64_t before = reader->released;
    if (before != reader->position) {
        IPC_FAULT_POINT("topic.release.before_cursor");
        reader->released = reader->position;
        store_cursor(reader, before);
        reader->has_read_loan = false;
    }
    if (reader->may_be_evicted) {
        ipc_acquire_fence(); /* [overwrite]: behind all reads of what is released */
        if (IPC_UNLIKELY(is_evicted(reader))) {
            reader->released = before; /* these count as missed: they may have been torn */
            return evicted(reader, NULL);
        }
    }
    return IPC_OK;
}

/* ---- moving on --------------------------------------------------------------------------------------- */

IPC_NOINLINE ipc_status ipc_topic_corrupt_slot(const ipc_topic_reader *reader, uint64_t position, uint64_t word)
{
    if (ipc_topic_is_closed(&reader->base))
        return ipc_ended(IPC_CLOSED);
    return ipc_fail(IPC_E_CORRUPT, "the slot of position %" PRIu64 " of %s, with %u slots, says %016" PRIx64, position,
                    reader->base.place.region->path, reader->ring.mask + 1, word);
}

/* Passes over what is not delivered. When nothing is held before it, it is released at once: nobody else would. */
static void pass(ipc_topic_reader *reader)
{
    const uint64_t before = reader->position++;
    if (reader->released != before)
        return;
    reader->released = reader->position;
    store_cursor(reader, before);
}

/* Messages before the reader joined that are gone are not its loss. */
static void count_lost(ipc_topic_reader *reader, uint64_t from, uint64_t to)
{
    const uint64_t first = from < reader->joined ? reader->joined : from;
    if (first >= to)
        return;
    reader->lost_now += to - first;
    reader->lost += to - first;
    ipc_store_relaxed64(&reader->entry->lost, reader->lost);
}

/* Our message was overwritten. IPC_OK: go on at the position that is set now. */
IPC_NOINLINE static ipc_status overrun(ipc_topic_reader *reader, uint64_t word)
{
    const uint64_t position = reader->position;
    const uint64_t count = (uint64_t)reader->ring.mask + 1;
    const uint64_t tail = ipc_load_acquire64(&reader->header->tail);
    if (is_evicted(reader))
        return evicted(reader, NULL);
    /* Who overwrote it had seen the tail a lap further on. */
    if (position >= reader->in_place_from || (int64_t)(tail - position) < (int64_t)count ||
        tail > IPC_TOPIC_POSITION_MAX)
        return ipc_topic_corrupt_slot(reader, position, word);
    uint64_t next = tail - count + (count >= 8 ? count / 8 : 1);
    if (next > reader->in_place_from) /* from there on nothing is overwritten */
        next = reader->in_place_from;
    count_lost(reader, position, next);
    reader->position = next;
    if (reader->released == position) {
        reader->released = next;
        store_cursor(reader, position);
    }
    return IPC_OK;
}

/* What follows may have been published by the entry's next owner: then it is not ours to ignore. */
static inline bool is_ignored(const ipc_topic_reader *reader, uint64_t word)
{
    return reader->ignored != 0 && ipc_slot_owner(word) == reader->ignored &&
           ipc_load_acquire32(&ipc_region_participant(reader->base.place.region, reader->ignored - 1)->generation) ==
               reader->ignored_generation;
}

/* Is there anything to look at more closely? */
static inline bool is_unsettled(const ipc_topic_reader *reader, uint64_t word)
{
    const int32_t ahead = ipc_slot_ahead(word, ipc_slot_lap_of(&reader->ring, reader->position));
    return ahead > 0 || ahead < -1 || (ahead == 0 && ipc_slot_phase(word) != IPC_PHASE_WRITING);
}

static ipc_status nothing_yet(ipc_topic_reader *reader, uint64_t word)
{
    if (ipc_topic_is_closed(&reader->base))
        return ipc_ended(IPC_CLOSED);
    if (is_evicted(reader))
        return evicted(reader, NULL);
    if (ipc_slot_phase(word) == IPC_PHASE_WRITING)
        (void)ipc_attachment_attend(&reader->base.place); /* should the writer be dead, we want to know */
    return IPC_EMPTY;
}

ipc_status ipc_topic_settle(ipc_topic_reader *reader)
{
    for (;;) {
        const uint64_t position = reader->position;
        const uint64_t word = ipc_load_acquire64(&ipc_slot_at(&reader->ring, position)->state); /* [ready-slot] */
        if (ipc_topic_is_ready(&reader->ring, position, word)) {
            if (!is_ignored(reader, word))
                return is_evicted(reader) ? evicted(reader, NULL) : IPC_OK;
            pass(reader);
            continue;
        }
        if (!is_unsettled(reader, word))
            return nothing_yet(reader, word);
        if (ipc_slot_ahead(word, ipc_slot_lap_of(&reader->ring, position)) > 0) {
            ipc_status status = overrun(reader, word);
            if (status != IPC_OK)
                return status;
            continue;
        }
        if (ipc_slot_lap(word) != ipc_slot_lap_of(&reader->ring, position) || ipc_slot_phase(word) != IPC_PHASE_GAP)
            return ipc_topic_corrupt_slot(reader, position, word);
        if ((word & IPC_SLOT_RECLAIMED) != 0 && !reader->is_waited_for) /* there was a message */
            count_lost(reader, position, position + 1);
        pass(reader);
    }
}

/* ---- reading ----------------------------------------------------------------------------------------- */

/* A message that writers leave alone until we release it. */
static inline ipc_status read_in_place(ipc_topic_reader *reader, ipc_block_slot *slot, uint64_t word,
                                       ipc_message *message)
{
    const uint64_t details = ipc_load_relaxed64(ipc_topic_details(slot));
    const uint64_t key = ipc_load_relaxed64(ipc_topic_key(slot));
    ipc_topic_fill_in(message, ipc_slot_payload(slot), details, key, reader->position, word);
    if (IPC_UNLIKELY(ipc_topic_flags(details) != 0 || message->length > reader->block_size)) {
        ipc_status status = ipc_topic_find_loan(reader, slot, details, message);
        if (status != IPC_OK)
            return is_evicted(reader)        ? evicted(reader, message)
                   : status == IPC_E_CORRUPT ? status
                                             : ipc_topic_corrupt_slot(reader, reader->position, word);
    }
    reader->position++;
    IPC_FAULT_POINT("topic.read.done");
    return IPC_OK;
}

/* A copied message needs no release of its own; but the cursor shows how far we are. */
static ipc_status read_copy(ipc_topic_reader *reader, ipc_message *message)
{
    ipc_status status = ipc_topic_copy_out(reader, reader->position, message);
    if (status != IPC_OK)
        return status;
    message->lost = reader->lost_now;
    reader->lost_now = 0;
    reader->position++;
    IPC_FAULT_POINT("topic.read.done");
    return IPC_OK;
}

IPC_NOINLINE static ipc_status read_slowly(ipc_topic_reader *reader, ipc_message *message)
{
    if (reader->policy == IPC_LATEST)
        return ipc_topic_latest_read(reader, message);
    for (;;) {
        ipc_status status = ipc_topic_settle(reader);
        if (status == IPC_EVICTED)
            return evicted(reader, message);
        if (status != IPC_OK)
            return status;
        if (reader->position < reader->in_place_from) {
            status = read_copy(reader, message);
            if (status != IPC_EMPTY) /* overwritten while it was copied: we are told how far to go on */
                return status;
            continue;
        }
        ipc_block_slot *slot = ipc_slot_at(&reader->ring, reader->position);
        return read_in_place(reader, slot, ipc_load_acquire64(&slot->state), message);
    }
}

ipc_status ipc_topic_try_read(ipc_topic_reader *reader, ipc_message *message)
{
    const uint64_t position = reader->position;
    ipc_block_slot *slot = ipc_slot_at(&reader->ring, position);
    const uint64_t word = ipc_load_acquire64(&slot->state); /* [ready-slot] */
    if (IPC_LIKELY(ipc_topic_is_ready(&reader->ring, position, word) && position >= reader->in_place_from &&
                   reader->ignored == 0 && !is_evicted(reader)))
        return read_in_place(reader, slot, word, message);
    return read_slowly(reader, message);
}

/* ---- waiting ----------------------------------------------------------------------------------------- */

static bool may_have_message(const void *subject)
{
    const ipc_topic_reader *reader = subject;
    const uint64_t word = ipc_load_acquire64(&ipc_slot_at(&reader->ring, reader->position)->state);
    return is_unsettled(reader, word) || is_evicted(reader);
}

static ipc_status check_message(void *subject)
{
    ipc_topic_reader *reader = subject;
    return reader->policy == IPC_LATEST ? ipc_topic_latest_look(reader) : ipc_topic_settle(reader);
}

static bool attend(void *subject)
{
    return ipc_attachment_attend(&((ipc_topic_reader *)subject)->base.place);
}

static ipc_wait wait_of(ipc_topic_reader *reader, ipc_deadline deadline, ipc_cancel *cancel)
{
    return (ipc_wait){
        .end = &reader->base.end,
        .waiter = &reader->header->data,
        .check = check_message,
        .attend = attend,
        .subject = reader,
        .deadline = deadline,
        .cancel = cancel,
        .lag = &reader->base.lag,
        .progress = reader->position,
    };
}

ipc_status ipc_topic_arm(ipc_topic_reader *reader, ipc_deadline deadline, ipc_cancel *cancel, ipc_ready_handle *handle)
{
    const ipc_wait wait = wait_of(reader, deadline, cancel);
    return ipc_wait_arm(&wait, handle);
}

ipc_status ipc_topic_wait(ipc_topic_reader *reader, ipc_deadline deadline, ipc_cancel *cancel)
{
    const ipc_wait wait = wait_of(reader, deadline, cancel);
    ipc_status status = check_message(reader);
    return status != IPC_EMPTY ? status : ipc_wait_until(&wait, may_have_message);
}

IPC_NOINLINE static ipc_status read_waiting(ipc_topic_reader *reader, ipc_deadline deadline, ipc_cancel *cancel,
                                            ipc_message *message)
{
    for (;;) {
        ipc_status status = ipc_topic_wait(reader, deadline, cancel);
        if (status == IPC_EVICTED)
            return evicted(reader, message);
        if (status != IPC_OK)
            return status;
        status = ipc_topic_try_read(reader, message);
        if (status != IPC_EMPTY)
            return status;
        if (ipc_platform_now() >= deadline) /* it was overwritten since we saw it, and that may happen again */
            return ipc_ended(IPC_TIMEOUT);
    }
}

ipc_status ipc_topic_read(ipc_topic_reader *reader, ipc_deadline deadline, ipc_cancel *cancel, ipc_message *message)
{
    ipc_status status = ipc_topic_try_read(reader, message);
    return IPC_LIKELY(status != IPC_EMPTY) ? status : read_waiting(reader, deadline, cancel, message);
}

/* ---- the rest ---------------------------------------------------------------------------------------- */

ipc_status ipc_topic_rejoin(ipc_topic_reader *reader, ipc_join join)
{
    ipc_region *region = reader->base.place.region;
    ipc_topic_start start;
    if ((unsigned)join > IPC_JOIN_LAST)
        return ipc_fail(IPC_E_INVALID_ARGUMENT, "join %d is none of the three", (int)join);
    if (ipc_topic_is_closed(&reader->base))
        return ipc_ended(IPC_CLOSED);
    ipc_status status = ipc_region_lock(region, ipc_deadline_after(IPC_REGION_LOCK_TIMEOUT_NS));
    if (status != IPC_OK)
        return status;
    const bool was_evicted = is_evicted(reader);
    ipc_topic_start_reading(&reader->base.topic, region->index, reader->policy, join, &start);
    ipc_region_wake_all(region); /* who waits for readers has one more, who waits for room one less in the way */
    ipc_region_unlock(region);
    if (was_evicted)
        count_lost(reader, first_missed(reader), start.position);
    reader->lost_now = 0; /* the caller has been told */
    reader->has_read_loan = false;
    ipc_topic_latest_forget(&reader->latest);
    return begin(reader, &start);
}
