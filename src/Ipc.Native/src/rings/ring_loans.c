/*
 * What is too long for a record: a loan from the ring's pool, whose descriptor is the record (docs/wire-format.md
 * section 11).
 *
 * Writing. The record's line is free before the loan is taken, and stays untouched until the commit; then the
 * descriptor is written into it, the block becomes Published with the record's position, and only then is the record
 * itself published. A writer that dies in between leaves a block whose record is behind the tail: the next writer frees
 * it. Reading. Descriptors that were read are kept until the release. Then the position is released first and the
 * blocks are freed after: a reader that dies in between leaves blocks that are named by released records: the next
 * reader frees them. A writer that waits for a loan waits as for room: `wanted`, `space`.
 */
#include "platform/fault.h"
#include "rings/ring.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_LOANS 16u

/* ---- claiming ---------------------------------------------------------------------------------------- */

static ipc_status too_large(const ipc_ring_writer *writer, uint32_t length)
{
    return ipc_fail(IPC_E_TOO_LARGE,
                    "a message of %u bytes does not fit: this ring takes at most %u; nothing was sent: send less at a "
                    "time, or create the ring with a larger capacity or a larger loan budget",
                    length, writer->max_payload);
}

/* A loan, or "full" with the reader asked to free what it has done with. */
static ipc_status take(ipc_ring_writer *writer, uint32_t length, ipc_loan *loan)
{
    ipc_status status = ipc_pool_take(&writer->ring.pool, writer->ring.owner, length, loan);
    if (status != IPC_FULL)
        return status;
    ipc_ring_ask_for_space(writer); /* [wanted] */
    return ipc_pool_take(&writer->ring.pool, writer->ring.owner, length, loan);
}

static void open_loan(ipc_ring_writer *writer, const ipc_loan *loan, uint32_t length, void **payload)
{
    writer->loan = *loan;
    writer->loan_length = length;
    writer->loan_is_open = true;
    writer->limit = 0;
    *payload = loan->bytes;
}

static void close_loan(ipc_ring_writer *writer)
{
    writer->loan_is_open = false;
    ipc_ring_set_limit(writer);
}

void ipc_ring_drop_loan(ipc_ring_writer *writer)
{
    if (!writer->loan_is_open)
        return;
    ipc_pool_give_back(&writer->ring.pool, &writer->loan);
    close_loan(writer);
}

ipc_status ipc_ring_claim_loan(ipc_ring_writer *writer, uint32_t length, void **payload)
{
    ipc_loan loan;
    if (length > writer->max_payload)
        return too_large(writer, length);
    ipc_ring_abandon(writer);
    if (writer->tail + IPC_LINE > writer->limit) {
        ipc_status status = ipc_ring_make_room(writer, writer->tail + IPC_LINE);
        if (status != IPC_OK)
            return status;
    }
    ipc_status status = take(writer, length, &loan);
    if (status != IPC_OK)
        return status;
    open_loan(writer, &loan, length, payload);
    IPC_FAULT_POINT("ring.claim.done");
    return IPC_OK;
}

ipc_status ipc_ring_move_to_loan(ipc_ring_writer *writer, uint32_t length, void **payload)
{
    ipc_loan loan;
    if (length > writer->max_payload)
        return too_large(writer, length);
    ipc_status status = take(writer, length, &loan);
    if (status != IPC_OK)
        return status;
    memcpy(loan.bytes, writer->data + (writer->claim & (writer->capacity - 1)) + IPC_RECORD_HEADER_SIZE,
           writer->claimed);
    ipc_ring_abandon(writer); /* the claim had room for a line at the tail, or at the start of the next lap */
    open_loan(writer, &loan, length, payload);
    return IPC_OK;
}

ipc_status ipc_ring_extend_loan(ipc_ring_writer *writer, uint32_t length, void **payload)
{
    if (!writer->loan_is_open)
        return ipc_fail(IPC_E_INVALID_STATE, "there is no open claim: claim first");
    if (length > writer->max_payload)
        return too_large(writer, length);
    if (length > writer->loan_length && ipc_pool_extend(&writer->ring.pool, &writer->loan, length) != IPC_OK) {
        ipc_loan loan;
        ipc_status status = take(writer, length, &loan);
        if (status != IPC_OK)
            return status;
        memcpy(loan.bytes, writer->loan.bytes, writer->loan_length);
        ipc_pool_give_back(&writer->ring.pool, &writer->loan);
        writer->loan = loan;
    }
    if (length > writer->loan_length)
        writer->loan_length = length;
    *payload = writer->loan.bytes;
    return IPC_OK;
}

/* ---- committing -------------------------------------------------------------------------------------- */

ipc_status ipc_ring_commit_loan(ipc_ring_writer *writer, uint32_t length, uint16_t type, bool batched)
{
    if (length > writer->loan_length)
        return ipc_fail(IPC_E_INVALID_ARGUMENT, "commit of %u bytes, %u were claimed", length, writer->loan_length);
    const ipc_loan_descriptor descriptor = ipc_pool_describe(&writer->loan, length);
    memcpy(writer->data + (writer->tail & (writer->capacity - 1)) + IPC_RECORD_HEADER_SIZE, &descriptor,
           sizeof descriptor);
    IPC_FAULT_POINT("ring.loan.recorded");
    const bool is_ours = ipc_pool_publish(&writer->ring.pool, &writer->loan, writer->tail); /* [loan] */
    close_loan(writer);
    if (!is_ours) {
        if (!writer->corrupt)
            writer->peer.corrupt(writer->peer.owner);
        writer->corrupt = true;
        return ipc_fail(IPC_E_CORRUPT, "somebody took the loan away that was being written");
    }
    ipc_ring_append(writer, ipc_record_loan_word(type), IPC_LINE, batched);
    return IPC_OK;
}

void ipc_ring_writer_trim_loans(ipc_ring_writer *writer)
{
    /* A block that is free here stays so: nobody else takes any. So nobody waits for what this gives back, either. */
    if (ipc_pool_exists(&writer->ring.pool) && (ipc_load_relaxed32(&writer->end.flags) & IPC_END_CLOSED) == 0)
        ipc_pool_trim(&writer->ring.pool, writer->ring.owner);
}

/* ---- waiting ----------------------------------------------------------------------------------------- */

static bool may_have_loan(const void *subject)
{
    const ipc_ring_writer *writer = subject; /* the reader returns space when it frees loans that are wanted */
    return ipc_load_relaxed64(&writer->header->free_position) != writer->free_seen;
}

static ipc_status check_loan(void *subject)
{
    ipc_ring_writer *writer = subject;
    void *payload = NULL;
    /* The state first: what a reader released before it went is seen by the look that follows. */
    const ipc_peer_state state = writer->peer.state(writer->peer.owner);
    ipc_status status = ipc_ring_claim_loan(writer, writer->loan_length, &payload);
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
        .check = check_loan,
        .attend = attend_reader,
        .subject = writer,
        .processors = writer->peer.processors,
        .deadline = deadline,
        .cancel = cancel,
        .longest_sleep_ns = IPC_POOL_LOOK_NS,
    };
    return wait;
}

ipc_status ipc_ring_arm_loan(ipc_ring_writer *writer, uint32_t length, ipc_deadline deadline, ipc_cancel *cancel,
                             ipc_ready_handle *handle)
{
    ipc_ring_abandon(writer);
    ipc_wait wait = wait_of(writer, deadline, cancel);
    wait.length = length;
    writer->loan_length = length;
    ipc_status status = ipc_wait_arm(&wait, handle);
    ipc_ring_drop_loan(writer); /* who was told that there is one takes it */
    return status;
}

ipc_status ipc_ring_wait_for_loan(ipc_ring_writer *writer, uint32_t length, ipc_deadline deadline, ipc_cancel *cancel,
                                  void **payload)
{
    const ipc_wait wait = wait_of(writer, deadline, cancel);
    writer->loan_length = length;
    ipc_status status = ipc_wait_until(&wait, may_have_loan);
    if (status == IPC_OK)
        *payload = writer->loan.bytes;
    return status;
}

/* ---- reading ----------------------------------------------------------------------------------------- */

static bool make_place(ipc_ring_reader *reader)
{
    if (reader->loan_first + reader->loan_count < reader->loan_capacity)
        return true;
    if (reader->loan_first > reader->loan_capacity / 2) { /* half of them were released, one by one */
        memmove(reader->loans, reader->loans + reader->loan_first, reader->loan_count * sizeof *reader->loans);
        reader->loan_first = 0;
        return true;
    }
    const uint32_t capacity = reader->loan_capacity == 0 ? FIRST_LOANS : reader->loan_capacity * 2;
    ipc_read_loan *loans = realloc(reader->loans, capacity * sizeof *loans);
    if (loans == NULL)
        return false;
    reader->loans = loans;
    reader->loan_capacity = capacity;
    return true;
}

ipc_status ipc_ring_read_loan(ipc_ring_reader *reader, uint64_t position, uint16_t type, ipc_record *record)
{
    ipc_loan_descriptor descriptor;
    ipc_loan loan;
    const ipc_atomic64 *words = ipc_record_at(reader->data, reader->capacity, position);
    const uint64_t copy[2] = {ipc_load_relaxed64(&words[1]), ipc_load_relaxed64(&words[2])}; /* once */
    memcpy(&descriptor, copy, sizeof descriptor);
    ipc_status status = ipc_pool_resolve(&reader->ring.pool, &descriptor, &loan);
    if (status != IPC_OK)
        return status;
    if (!make_place(reader))
        return ipc_fail(IPC_E_NO_MEMORY, "no memory to remember %u unreleased loans", reader->loan_count + 1);
    reader->loans[reader->loan_first + reader->loan_count++] = (ipc_read_loan){position, descriptor};
    reader->return_at = 0;
    record->payload = loan.bytes;
    record->length = descriptor.length;
    record->type = type;
    return IPC_OK;
}

void ipc_ring_free_loans(ipc_ring_reader *reader)
{
    IPC_FAULT_POINT("ring.release.before_loans");
    while (reader->loan_count != 0 && reader->loans[reader->loan_first].position < reader->released) {
        ipc_pool_free(&reader->ring.pool, &reader->loans[reader->loan_first].descriptor); /* [loan] */
        reader->loan_first++;
        reader->loan_count--;
    }
    if (reader->loan_count == 0)
        reader->loan_first = 0;
    ipc_full_fence(); /* [wanted]: freed, then the look whether somebody waits for it */
}

/* ---- taking over ------------------------------------------------------------------------------------- */

typedef struct named_range {
    const ipc_ring_header *header;
    uint64_t tail;
} named_range;

/* Blocks of records that are released, or that were never published, are nobody's. */
static bool names(void *context, uint64_t holder, const ipc_loan_descriptor *descriptor)
{
    const named_range *range = context;
    (void)descriptor;
    return holder < range->tail && ipc_load_acquire64(&range->header->read_position) <= holder; /* [release] */
}

void ipc_ring_writer_sweep(ipc_ring_writer *writer)
{
    named_range range = {.header = writer->header, .tail = writer->tail};
    ipc_pool_recover(&writer->ring.pool, 0, names, &range);
}

void ipc_ring_reader_sweep(ipc_ring_reader *reader)
{
    named_range range = {.header = reader->header, .tail = UINT64_MAX};
    ipc_pool_recover(&reader->ring.pool, IPC_POOL_NOBODY, names, &range);
}
