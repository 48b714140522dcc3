/*
 * One side's ends of a named connection's region, and the numbers of the messages.
 *
 * [acknowledge] The reader stores `acknowledged` before the `read_position` that lets the message go. Who takes over
 * loads it after `read_position`: what is released by then is acknowledged by then. A new writer looks at the last
 * message that is there first, and at `read_position` after that; what is not released then was not when it was read.
 */
#include "named/named.h"
#include "platform/fault.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_PLACES 16u

static bool is_client(const ipc_named_ends *ends)
{
    return ends->connection->is_client;
}

/* ---- the peer ---------------------------------------------------------------------------------------- */

/* A client whose session has ended has no peer, whatever the ring says: it looks for one. */
static ipc_peer_state peer_state(ipc_named_ends *ends, ipc_ring_role *role)
{
    const ipc_atomic32 *saw = role == &ends->writing ? &ends->sender_saw : &ends->receiver_saw;
    const ipc_peer_state state =
        is_client(ends) ? ipc_named_session_state(ends->connection, ipc_load_relaxed32(saw)) : IPC_PEER_LIVE;
    return state == IPC_PEER_LIVE ? ipc_ring_role_peer_state(role) : state;
}

static ipc_peer_state reader_state(void *owner)
{
    ipc_named_ends *ends = owner;
    return peer_state(ends, &ends->writing);
}

static ipc_peer_state writer_state(void *owner)
{
    ipc_named_ends *ends = owner;
    return peer_state(ends, &ends->reading);
}

static bool attend_reader(void *owner)
{
    ipc_named_ends *ends = owner;
    return ipc_ring_role_attend(&ends->writing);
}

static bool attend_writer(void *owner)
{
    ipc_named_ends *ends = owner;
    return ipc_ring_role_attend(&ends->reading);
}

static void peer_is_corrupt(void *owner)
{
    ipc_named_ends *ends = owner;
    ipc_named_corrupt(ends->connection);
}

/* The server may sleep on the ring's own word, or on its listener's doorbell. */
static void ring_doorbell(void *owner)
{
    ipc_named_ends *ends = owner;
    ipc_waiter_wake_disarmed(&ends->writer.header->data);
    ipc_named_notify(ends->connection);
}

/* ---- opening ----------------------------------------------------------------------------------------- */

/* Of the message whose record stands there. It may have been released, and freed, since it was found. */
static uint64_t sequence_at(const ipc_ring *ring, uint64_t position)
{
    const ipc_atomic64 *words = ipc_record_at(ring->data, ring->capacity, position);
    const uint64_t header = ipc_load_acquire64(words); /* [publish] */
    if ((header & IPC_RECORD_LOAN) == 0)
        return (uint32_t)header < IPC_NAMED_SEQUENCE_SIZE ? 0 : ipc_load_relaxed64(&words[1]);
    ipc_loan_descriptor descriptor;
    ipc_loan loan;
    const uint64_t copy[2] = {ipc_load_relaxed64(&words[1]), ipc_load_relaxed64(&words[2])}; /* once */
    memcpy(&descriptor, copy, sizeof descriptor);
    if (!ipc_pool_exists(&ring->pool) || ipc_pool_resolve(&ring->pool, &descriptor, &loan) != IPC_OK ||
        descriptor.length < IPC_NAMED_SEQUENCE_SIZE)
        return 0;
    return ipc_load_relaxed64((const ipc_atomic64 *)(const void *)loan.bytes);
}

static ipc_status find_next(ipc_named_ends *ends)
{
    const ipc_ring_writer *writer = &ends->writer;
    const uint64_t found = writer->last_record == IPC_NO_RECORD ? 0 : sequence_at(&writer->ring, writer->last_record);
    uint64_t last = found;
    if (ipc_load_acquire64(&writer->header->read_position) == writer->tail)  /* [release], after it was read */
        last = ipc_load_acquire64(&writer->header->acknowledged); /* [acknowledge] */
    else if (found == 0)
        return ipc_fail(IPC_E_CORRUPT, "%s has a message without a number at position %" PRIu64, ends->region->path,
                        writer->last_record);
    if (last > IPC_POSITION_MAX)
        return ipc_fail(IPC_E_CORRUPT, "%s has %" PRIu64 " as the number of its last message", ends->region->path,
                        last);
    ipc_store_relaxed64(&ends->next, last + 1);
    return IPC_OK;
}

static ipc_status start_reader(ipc_named_ends *ends)
{
    const ipc_named_connection *connection = ends->connection;
    const ipc_ring *ring = is_client(ends) ? &ends->to_client : &ends->to_server;
    ipc_ring_role_set(&ends->reading, ends->region, ring->header);
    const ipc_ring_peer peer = {
        .state = writer_state,
        .attend = attend_writer,
        .corrupt = peer_is_corrupt,
        .owner = ends,
        .processors = ipc_ring_role_processors(&ends->reading),
    };
    ipc_status status = ipc_ring_reader_start(&ends->reader, ring, ends->reader_before == IPC_PEER_DEAD,
                                              connection->wait_mode, &peer);
    if (status != IPC_OK)
        return status;
    if (ends->reader_before != IPC_PEER_NEVER)
        ipc_ring_reader_sweep(&ends->reader);
    ipc_end_limit_spin(&ends->reader.end, connection->spin_ns);
    ipc_end_show_spin(&ends->reader.end, &ring->header->reader_spin);
    ends->reader.end.wakes[1] = &ipc_region_header_of(ends->region)->change;
    const uint64_t acknowledged = ipc_load_acquire64(&ring->header->acknowledged); /* [acknowledge] */
    if (acknowledged > IPC_POSITION_MAX)
        return ipc_fail(IPC_E_CORRUPT, "%s has %" PRIu64 " as the number of the last message that was acknowledged",
                        ends->region->path, acknowledged);
    ipc_store_relaxed64(&ends->last, acknowledged);
    ipc_store_relaxed64(&ends->acknowledged, acknowledged);
    return IPC_OK;
}

static ipc_status start_writer(ipc_named_ends *ends)
{
    const ipc_named_connection *connection = ends->connection;
    const ipc_ring *ring = is_client(ends) ? &ends->to_server : &ends->to_client;
    ipc_ring_role_set(&ends->writing, ends->region, ring->header);
    const ipc_ring_peer peer = {
        .state = reader_state,
        .attend = attend_reader,
        .corrupt = peer_is_corrupt,
        .owner = ends,
        .processors = ipc_ring_role_processors(&ends->writing),
    };
    const bool fresh = ends->writer_before == IPC_PEER_NEVER;
    ipc_status status = ipc_ring_writer_start(&ends->writer, ring, fresh, connection->wait_mode, &peer);
    if (status != IPC_OK)
        return status;
    if (!fresh)
        ipc_ring_writer_sweep(&ends->writer);
    ipc_end_limit_spin(&ends->writer.end, connection->spin_ns);
    ipc_end_show_spin(&ends->writer.end, &ring->header->writer_spin);
    ends->writer.end.wakes[1] = &ipc_region_header_of(ends->region)->change;
    if (is_client(ends))
        ends->writer.ring_doorbell = ring_doorbell;
    ipc_store_relaxed64(&ends->next, 1);
    return fresh ? IPC_OK : find_next(ends);
}

static void abandon(void *owner)
{
    ipc_named_ends *ends = owner;
    ipc_named_connection *connection = ends->connection;
    ipc_end *const waits[3] = {&connection->senders, &connection->receivers, &connection->logins};
    /* Other threads of the parent may have been anywhere. */
    ipc_mutex_init(&connection->mutex);
    ipc_mutex_init(&connection->logging_in);
    for (int i = 0; i < 3; i++)
        ipc_store_relaxed32(&waits[i]->inside, 0);
    ipc_store_relaxed32(&connection->is_closed, 1);
    if (connection->listener != NULL)
        ipc_named_listener_abandon(connection->listener);
    ipc_ring_role_abandon(&ends->writing);
    ipc_ring_role_abandon(&ends->reading);
    if (ends->is_started) {
        ipc_ring_writer_abandon(&ends->writer);
        ipc_ring_reader_abandon(&ends->reader);
    }
}

ipc_status ipc_named_ends_open(ipc_named_connection *connection, ipc_deadline lock_deadline, ipc_named_ends **ends)
{
    ipc_named_ends *made = calloc(1, sizeof *made);
    if (made == NULL)
        return ipc_fail(IPC_E_NO_MEMORY, "no memory for a named connection");
    made->connection = connection;
    made->place_count = FIRST_PLACES;
    made->places = malloc(FIRST_PLACES * sizeof *made->places);
    ipc_ring_role_begin(&made->writing, IPC_ROLE_WRITER);
    ipc_ring_role_begin(&made->reading, IPC_ROLE_READER);
    ipc_waiter_prepare_process();
    ipc_status status = made->places == NULL      ? ipc_fail(IPC_E_NO_MEMORY, "no memory for a named connection")
                        : connection->is_client ? ipc_named_region_enter(made)
                                                : ipc_named_region_attach(made, lock_deadline);
    if (status == IPC_OK) {
        made->to_server.owner = made->region->index + 1;
        made->to_client.owner = made->region->index + 1;
        status = start_reader(made); /* first: it writes down what may have been handled before */
    }
    if (status == IPC_OK)
        status = start_writer(made);
    if (status != IPC_OK) {
        ipc_named_ends_free(made);
        return status;
    }
    made->is_started = true;
    ipc_region_at_fork(made->region, abandon, made);
    *ends = made;
    return IPC_OK;
}

/* ---- closing ----------------------------------------------------------------------------------------- */

void ipc_named_ends_shut(ipc_named_ends *ends)
{
    ipc_end_close(&ends->writer.end);
    ipc_end_close(&ends->reader.end);
}

void ipc_named_ends_leave(ipc_named_ends *ends)
{
    if (ends->region->forked)
        return;
    ipc_ring_abandon(&ends->writer); /* an open loan would be out of use until the next writer comes */
    ipc_ring_reader_tell_read(&ends->reader);
    ipc_region_exit(ends->region);
}

void ipc_named_ends_free(ipc_named_ends *ends)
{
    if (ends == NULL)
        return;
    ipc_ring_reader_dispose(&ends->reader);
    ipc_ring_role_end(&ends->writing);
    ipc_ring_role_end(&ends->reading);
    if (ends->region != NULL && ends->region->index == IPC_NO_PARTICIPANT)
        ipc_region_discard(ends->region); /* it has left */
    else
        ipc_region_leave(ends->region);
    free(ends->places);
    free(ends);
}

/* ---- receiving --------------------------------------------------------------------------------------- */

static ipc_status corrupt(ipc_named_ends *ends, const char *what, uint64_t number)
{
    const uint64_t last = ipc_load_relaxed64(&ends->last);
    ipc_named_corrupt(ends->connection);
    return ipc_fail(IPC_E_CORRUPT,
                    "%s: %s %" PRIu64 " follows message %" PRIu64 ", %" PRIu64
                    " was expected: the other side has lost its place; remove this named connection, and begin anew",
                    ends->region->path, what, number, last, last + 1);
}

static uint64_t *place_of(const ipc_named_ends *ends, uint64_t sequence)
{
    return &ends->places[(sequence - 1) & (ends->place_count - 1)];
}

/* Room for one more. */
static ipc_status make_place(ipc_named_ends *ends)
{
    const uint64_t last = ipc_load_relaxed64(&ends->last);
    const uint64_t acknowledged = ipc_load_relaxed64(&ends->acknowledged);
    if (IPC_LIKELY(last - acknowledged < ends->place_count))
        return IPC_OK;
    uint64_t *places = ends->place_count > UINT32_MAX / 2 ? NULL : malloc(2 * sizeof *places * ends->place_count);
    if (places == NULL)
        return ipc_fail(IPC_E_NO_MEMORY, "no memory to remember %" PRIu64 " messages that are not acknowledged",
                        last - acknowledged + 1);
    for (uint64_t sequence = acknowledged + 1; sequence <= last; sequence++)
        places[(sequence - 1) & (2ull * ends->place_count - 1)] = *place_of(ends, sequence);
    free(ends->places);
    ends->places = places;
    ends->place_count *= 2;
    return IPC_OK;
}

ipc_status ipc_named_ends_receive(ipc_named_ends *ends, ipc_named_message *message)
{
    ipc_record record;
    ipc_status status = make_place(ends);
    for (;;) {
        if (IPC_LIKELY(status == IPC_OK))
            status = ipc_ring_try_read(&ends->reader, &record);
        if (status != IPC_OK)
            return status;
        if (IPC_UNLIKELY(record.length < IPC_NAMED_SEQUENCE_SIZE))
            return corrupt(ends, "a message without a number, of bytes", record.length);
        const uint64_t sequence = ipc_load_relaxed64(record.payload);
        const uint64_t last = ipc_load_relaxed64(&ends->last);
        if (IPC_LIKELY(sequence == last + 1)) {
            *place_of(ends, sequence) = ends->reader.position;
            ipc_store_relaxed64(&ends->last, sequence);
            message->payload = (const uint8_t *)record.payload + IPC_NAMED_SEQUENCE_SIZE;
            message->length = record.length - IPC_NAMED_SEQUENCE_SIZE;
            message->type = record.type;
            message->redelivered = record.redelivered;
            message->sequence = sequence;
            return IPC_OK;
        }
        /* A predecessor acknowledged it, and was killed before it released it. It was there when we came. */
        const uint64_t acknowledged = ipc_load_relaxed64(&ends->acknowledged);
        if (sequence > acknowledged || last != acknowledged || !record.redelivered)
            return corrupt(ends, "message", sequence);
        ipc_ring_release(&ends->reader);
    }
}

void ipc_named_ends_acknowledge(ipc_named_ends *ends, uint64_t sequence)
{
    const uint64_t last = ipc_load_relaxed64(&ends->last);
    const uint64_t acknowledged = ipc_load_relaxed64(&ends->acknowledged);
    if (sequence == 0 || sequence > last)
        sequence = last;
    if (sequence <= acknowledged)
        return;
    const uint64_t place = *place_of(ends, sequence);
    ipc_store_release64(&ends->reader.header->acknowledged, sequence); /* [acknowledge] */
    IPC_FAULT_POINT("named.acknowledge.stored");
    ipc_store_relaxed64(&ends->acknowledged, sequence);
    ipc_ring_release_to(&ends->reader, place);
}

uint64_t ipc_named_ends_outstanding(const ipc_named_ends *ends)
{
    const uint64_t acknowledged = ipc_load_acquire64(&ends->writer.header->acknowledged); /* [acknowledge] */
    const uint64_t sent = ipc_load_relaxed64(&ends->next) - 1;
    return acknowledged > sent ? 0 : sent - acknowledged;
}

uint64_t ipc_named_ends_unacknowledged(const ipc_named_ends *ends)
{
    const ipc_ring *ring = &ends->reader.ring;
    const uint64_t end = ends->reader.freed + ring->capacity - IPC_LINE;
    const uint64_t acknowledged = ipc_load_relaxed64(&ends->acknowledged);
    uint64_t count = 0;
    for (uint64_t position = ends->reader.released; position < end;) {
        ipc_record_view view;
        const uint64_t word = ipc_load_acquire64(ipc_record_at(ring->data, ring->capacity, position)); /* [publish] */
        if (!ipc_record_decode_any(ring, word, position, &view))
            break;
        if (!view.padding && sequence_at(ring, position) > acknowledged)
            count++;
        position += view.size;
    }
    return count;
}

/* ---- what they say to each other ----------------------------------------------------------------------- */

uint32_t ipc_named_read_data(ipc_named_ends *ends, bool of_client, uint8_t *data)
{
    const ipc_named_header *header = ends->header;
    const uint32_t said = ipc_load_acquire32(of_client ? &header->login_length : &header->reply_length);
    const uint32_t length = said > IPC_NAMED_DATA_MAX ? IPC_NAMED_DATA_MAX : said;
    memcpy(data, of_client ? header->login : header->reply, length);
    return length;
}

void ipc_named_write_data(ipc_named_ends *ends, bool of_client, const void *data, uint32_t length)
{
    ipc_named_header *header = ends->header;
    ipc_atomic32 *said = of_client ? &header->login_length : &header->reply_length;
    ipc_store_release32(said, 0);
    if (length != 0)
        memcpy(of_client ? header->login : header->reply, data, length);
    ipc_store_release32(said, length);
}

uint32_t ipc_named_read_identity(const ipc_named_ends *ends, uint8_t *identity)
{
    const uint32_t said = ipc_load_acquire32(&ends->header->identity_length); /* [login] */
    const uint32_t length = said > IPC_NAMED_NAME_MAX ? IPC_NAMED_NAME_MAX : said;
    memcpy(identity, ends->header->identity, length);
    return length;
}

void ipc_named_write_identity(ipc_named_ends *ends, const uint8_t *identity, uint32_t length)
{
    memcpy(ends->header->identity, identity, length);
    ipc_store_release32(&ends->header->identity_length, length); /* [login] */
}
