/*
 * The writing end: claim a slot, fill it, commit.
 *
 * Each change of a slot is one CAS of its word. Between the claim and the commit the slot is the writer's alone; should
 * it die there, recovery makes the slot a gap. What the claim may overwrite is decided by the private minimum
 * (topic.h).
 */
#include "platform/fault.h"
#include "topics/topic.h"

#include <inttypes.h>
#include <string.h>

/* Slots whose lines a writer fetches together. */
#define FETCHED 8u

void ipc_topic_writer_start(ipc_topic_writer *writer)
{
    const ipc_topic *topic = &writer->base.topic;
    ipc_platform_touch(topic->ring.slots, topic->slot_count * (uint64_t)topic->ring.stride);
    writer->ring = topic->ring;
    writer->header = topic->header;
    writer->minimum = 0;
    writer->slot_count = topic->slot_count;
    writer->block_size = topic->block_size;
    writer->me = writer->base.place.region->index + 1;
    writer->process_fences = ipc_waiter_process_fences();
    writer->pool = &writer->base.pool;
    ipc_lag_init(&writer->base.lag, writer->base.end.mode, writer->base.end.spin_max_ns, topic->slot_count);
    writer->base.end.wakes[0] = &topic->header->space;
    writer->base.end.wakes[2] = &topic->header->data;
}

/* ---- claiming ---------------------------------------------------------------------------------------- */

/* Readers have looked at the slots that come next, so a writer must take each line back before it can change the slot,
   and its CAS waits for that. Plain stores wait for nothing, so those of some slots in a row travel side by side: the
   slots' lines are here when their turn comes. Worth: docs/performance.md. The word means nothing to anybody. */
static inline void fetch_lines(const ipc_topic_writer *writer, uint64_t tail)
{
    for (uint32_t i = 0; i < FETCHED; i++)
        ipc_store_relaxed32(&ipc_slot_at(&writer->ring, tail + i)->fetched, 0);
}

static inline ipc_status claim_slot(ipc_topic_writer *writer, ipc_block *block)
{
    for (;;) {
        const uint64_t tail = ipc_load_acquire64(&writer->header->tail);
        if (IPC_UNLIKELY(tail - writer->minimum >= writer->slot_count)) {
            ipc_topic_holder slowest;
            ipc_status status = ipc_topic_look_for_room(writer, tail, &slowest);
            if (status != IPC_OK)
                return status;
            if (tail - writer->minimum >= writer->slot_count)
                continue;
        }
        if (tail % FETCHED == 0)
            fetch_lines(writer, tail);
        ipc_block_slot *slot = ipc_slot_at(&writer->ring, tail);
        const uint32_t lap = ipc_slot_lap_of(&writer->ring, tail);
        uint64_t word = ipc_load_acquire64(&slot->state);
        if (IPC_UNLIKELY(!ipc_topic_may_be_overwritten(word, lap))) {
            ipc_status status = ipc_topic_obstructed(writer, tail, slot, word);
            if (status != IPC_OK)
                return status;
            continue;
        }
        const uint64_t mine = ipc_slot_word(lap, writer->me, 0, IPC_PHASE_WRITING);
        if (!ipc_cas64(&slot->state, &word, mine))
            continue;
        ipc_release_fence(); /* [overwrite]: who sees a byte of the new message sees this word, or a later one */
        IPC_FAULT_POINT("topic.claim.writing");
        if (IPC_UNLIKELY((ipc_topic_flags(ipc_load_relaxed64(ipc_topic_details(slot))) & IPC_BLOCK_HAS_LOAN) != 0))
            ipc_topic_free_old_loan(writer, slot, word);
        ipc_slot_help(&writer->header->tail, tail);
        if (IPC_UNLIKELY((tail & (writer->slot_count - 1)) == 0))
            ipc_pool_pass(writer->pool, writer->me, (uint32_t)writer->slot_count);
        IPC_FAULT_POINT("topic.claim.tail");
        writer->base.open_claims++;
        block->payload = ipc_slot_payload(slot);
        block->reserved[IPC_CLAIM_POSITION] = tail;
        block->reserved[IPC_CLAIM_WORD] = mine;
        block->reserved[IPC_CLAIM_LOAN] = 0;
        return IPC_OK;
    }
}

IPC_NOINLINE static ipc_status too_large(const ipc_topic_writer *writer, uint32_t length)
{
    const uint32_t most = ipc_pool_exists(writer->pool) ? ipc_pool_max_length(writer->pool) : 0;
    return ipc_fail(IPC_E_TOO_LARGE,
                    "a message of %u bytes does not fit: this topic takes at most %u; nothing was sent: send less at a "
                    "time, or create the topic with larger blocks or a larger loan budget",
                    length, most > writer->block_size ? most : writer->block_size);
}

IPC_NOINLINE static ipc_status claim_long(ipc_topic_writer *writer, uint32_t length, ipc_block *block)
{
    if (ipc_topic_is_closed(&writer->base))
        return ipc_ended(IPC_CLOSED);
    if (!ipc_pool_exists(writer->pool) || length > ipc_pool_max_length(writer->pool))
        return too_large(writer, length);
    ipc_status status = ipc_topic_take_loan(writer, length);
    if (status == IPC_OK)
        status = claim_slot(writer, block);
    if (status != IPC_OK) {
        if (status != IPC_FULL) /* who waits for a slot keeps it */
            ipc_topic_give_loan_back(writer);
        return status;
    }
    ipc_topic_attach_loan(writer, block);
    return IPC_OK;
}

static inline ipc_status claim_once(ipc_topic_writer *writer, uint32_t length, ipc_block *block)
{
    block->length = length;
    block->type = 0;
    block->redelivered = false;
    return IPC_LIKELY(length <= writer->block_size) ? claim_slot(writer, block) : claim_long(writer, length, block);
}

ipc_status ipc_topic_try_claim(ipc_topic_writer *writer, uint32_t length, ipc_block *block)
{
    ipc_status status = claim_once(writer, length, block);
    if (IPC_LIKELY(status != IPC_FULL))
        return status;
    ipc_topic_give_loan_back(writer);
    return ipc_topic_explain(writer, IPC_FULL);
}

/* ---- claiming, and waiting --------------------------------------------------------------------------- */

/* The deadline has come. */
static ipc_status claim_by_force(ipc_topic_writer *writer, uint32_t length, ipc_block *block)
{
    bool last = false;
    for (;;) { /* each turn but the last cuts somebody off */
        ipc_status status = claim_once(writer, length, block);
        if (status != IPC_FULL)
            return status;
        if (last)
            return ipc_topic_explain(writer, IPC_TIMEOUT);
        status = ipc_topic_make_room_by_force(writer);
        last = status == IPC_FULL; /* nobody is in the way: another writer may have cut them off since we looked */
        if (status != IPC_OK && !last)
            return status;
    }
}

IPC_NOINLINE static ipc_status claim_slowly(ipc_topic_writer *writer, uint32_t length, ipc_deadline deadline,
                                            ipc_cancel *cancel, ipc_block *block)
{
    ipc_status status;
    (void)ipc_add32(&writer->base.end.inside, 1); /* close waits for the loan to be given back */
    writer->wanted = length;
    do {
        status = ipc_topic_wait_for_room(writer, deadline, cancel);
        if (status == IPC_OK)
            status = claim_once(writer, length, block);
        else if (status == IPC_TIMEOUT)
            status = claim_by_force(writer, length, block);
    } while (status == IPC_FULL);
    ipc_topic_give_loan_back(writer);
    (void)ipc_add32(&writer->base.end.inside, UINT32_MAX);
    return status;
}

ipc_status ipc_topic_claim(ipc_topic_writer *writer, uint32_t length, ipc_deadline deadline, ipc_cancel *cancel,
                           ipc_block *block)
{
    ipc_status status = claim_once(writer, length, block);
    return IPC_LIKELY(status != IPC_FULL) ? status : claim_slowly(writer, length, deadline, cancel, block);
}

/* ---- committing -------------------------------------------------------------------------------------- */

/* Readers sleep on `data`, and so does a writer that has come round to this very slot: who waits for a reader, on
   `space`, is not helped by a commit. */
static inline void signal_data(ipc_topic_writer *writer)
{
    if (IPC_UNLIKELY(ipc_waiter_is_armed(&writer->header->data, writer->process_fences))) /* [sleep] */
        ipc_waiter_signal_sleeper(&writer->header->data);
}

/* False: there is no such claim (any more). */
static inline bool end_claim(ipc_topic_writer *writer, ipc_block *block, uint32_t phase)
{
    uint64_t mine = block->reserved[IPC_CLAIM_WORD];
    ipc_block_slot *slot = ipc_slot_at(&writer->ring, block->reserved[IPC_CLAIM_POSITION]);
    const uint64_t owned = phase == IPC_PHASE_GAP ? mine & ~IPC_SLOT_OWNER : mine; /* a gap is nobody's */
    const uint64_t next = (owned & ~IPC_SLOT_PHASE) | phase;
    block->payload = NULL;
    return ipc_cas64(&slot->state, &mine, next); /* [ready-slot] */
}

IPC_NOINLINE static ipc_status bad_commit(const ipc_block *block, uint32_t length)
{
    if (block->payload == NULL)
        return ipc_fail(IPC_E_INVALID_STATE, "commit of a block that is not claimed (any more)");
    return ipc_fail(IPC_E_INVALID_ARGUMENT, "commit of %u bytes, %u were claimed", length, block->length);
}

IPC_NOINLINE static ipc_status slot_taken_away(ipc_topic_writer *writer, const ipc_block *block, uint32_t length)
{
    if (block->reserved[IPC_CLAIM_LOAN] != 0)
        ipc_topic_retract_loan(writer, block, length);
    return ipc_fail(IPC_E_INVALID_STATE, "the slot was taken away from this writer");
}

IPC_NOINLINE static ipc_status loan_taken_away(ipc_topic_writer *writer, ipc_block *block)
{
    writer->base.open_claims--;
    if (end_claim(writer, block, IPC_PHASE_GAP))
        signal_data(writer);
    return ipc_fail(IPC_E_INVALID_STATE, "the claim's loan is not this process's any more: nothing was published");
}

ipc_status ipc_topic_commit(ipc_topic_writer *writer, ipc_block *block, uint32_t length, uint16_t type, uint64_t key)
{
    if (IPC_UNLIKELY(block->payload == NULL || length > block->length))
        return bad_commit(block, length);
    ipc_block_slot *slot = ipc_slot_at(&writer->ring, block->reserved[IPC_CLAIM_POSITION]);
    const bool is_loan = block->reserved[IPC_CLAIM_LOAN] != 0;
    ipc_store_relaxed64(ipc_topic_details(slot), ipc_topic_pack(length, type, is_loan ? IPC_BLOCK_HAS_LOAN : 0));
    ipc_store_relaxed64(ipc_topic_key(slot), key);
    if (IPC_UNLIKELY(is_loan) && !ipc_topic_put_loan(writer, block, slot, length))
        return loan_taken_away(writer, block);
    IPC_FAULT_POINT("topic.commit.before_ready");
    writer->base.open_claims--;
    if (IPC_UNLIKELY(!end_claim(writer, block, IPC_PHASE_READY)))
        return slot_taken_away(writer, block, length);
    IPC_FAULT_POINT("topic.commit.after_ready");
    signal_data(writer);
    return IPC_OK;
}

void ipc_topic_abandon(ipc_topic_writer *writer, ipc_block *block)
{
    if (block->payload == NULL)
        return;
    writer->base.open_claims--;
    if (block->reserved[IPC_CLAIM_LOAN] != 0)
        ipc_topic_abandon_loan(writer, block);
    if (!end_claim(writer, block, IPC_PHASE_GAP))
        return;
    IPC_FAULT_POINT("topic.abandon.done");
    signal_data(writer);
}

/* The caller had no part in it: somebody else has written where nobody may. */
IPC_NOINLINE static ipc_status taken_from_us(const ipc_topic_writer *writer)
{
    return ipc_fail(IPC_E_CORRUPT, "the topic %s holds a slot that was taken from its writer: nothing was published",
                    writer->base.place.region->path);
}

ipc_status ipc_topic_publish(ipc_topic_writer *writer, const void *payload, uint32_t length, uint16_t type,
                             uint64_t key, ipc_deadline deadline, ipc_cancel *cancel)
{
    ipc_block block;
    block.payload = NULL;
    ipc_status status = ipc_topic_claim(writer, length, deadline, cancel, &block);
    if (IPC_UNLIKELY(status != IPC_OK))
        return status;
    if (length != 0 && block.payload != NULL)
        memcpy(block.payload, payload, length);
    status = ipc_topic_commit(writer, &block, length, type, key);
    return IPC_LIKELY(status != IPC_E_INVALID_STATE) ? status : taken_from_us(writer);
}

/* ---- waiting for readers ----------------------------------------------------------------------------- */

static bool attend(void *subject)
{
    return ipc_attachment_attend(&((ipc_topic_writer *)subject)->base.place);
}

static bool may_have_readers(const void *subject)
{
    const ipc_topic_writer *writer = subject;
    return ipc_topic_count_readers(&writer->base.topic) >= writer->awaited_readers;
}

static ipc_status check_readers(void *subject)
{
    return may_have_readers(subject) ? IPC_OK : IPC_EMPTY;
}

ipc_status ipc_topic_writer_wait_for_readers(ipc_topic_writer *writer, uint32_t count, ipc_deadline deadline,
                                             ipc_cancel *cancel)
{
    if (count > writer->base.topic.max_readers)
        return ipc_fail(IPC_E_INVALID_ARGUMENT, "%s has room for %u readers, there will never be %u",
                        writer->base.place.region->path, writer->base.topic.max_readers, count);
    if (ipc_topic_is_closed(&writer->base))
        return ipc_ended(IPC_CLOSED);
    writer->awaited_readers = count;
    const ipc_wait wait = {
        .end = &writer->base.end,
        .waiter = &ipc_region_header_of(writer->base.place.region)->change,
        .check = check_readers,
        .attend = attend,
        .subject = writer,
        .deadline = deadline,
        .cancel = cancel,
    };
    return ipc_wait_until(&wait, may_have_readers);
}
