/*
 * What both sides do with a named connection without waiting: which ends are whose, sending, receiving, asking.
 *
 * A thread that sends or receives counts itself into the ring's end that it uses, for as long as the call takes, and
 * then looks whether that end is closed: who closes it does the reverse, and waits. So a message is committed before its
 * conversation was given up, and counted among those that were, or it is not committed.
 */
#include "named/named.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- whose ends --------------------------------------------------------------------------------------- */

ipc_named_connection *ipc_named_make(const char *server, const char *client, bool is_client, ipc_wait_mode mode,
                                     uint64_t spin_ns)
{
    ipc_named_connection *made = calloc(1, sizeof *made);
    if (made == NULL)
        return NULL;
    ipc_mutex_init(&made->mutex);
    ipc_mutex_init(&made->logging_in);
    (void)snprintf(made->server, sizeof made->server, "%s", server);
    (void)snprintf(made->client, sizeof made->client, "%s", client);
    made->is_client = is_client;
    made->wait_mode = mode;
    made->spin_ns = spin_ns;
    ipc_end *const ends[3] = {&made->senders, &made->receivers, &made->logins};
    for (int i = 0; i < 3; i++)
        ipc_end_init(ends[i], IPC_WAIT_BLOCK);
    ipc_end_one_waits(&made->senders);
    ipc_end_one_waits(&made->receivers);
    made->logins.wakes[0] = &made->naps;
    return made;
}

/* Under the mutex. The former ones, if nobody has them any more. */
static ipc_named_ends *replace(ipc_named_ends **place, ipc_named_ends *with)
{
    ipc_named_ends *former = *place;
    with->references++;
    *place = with;
    return former != NULL && --former->references == 0 ? former : NULL;
}

void ipc_named_install(ipc_named_connection *connection, ipc_named_ends *ends)
{
    ipc_mutex_lock(&connection->mutex);
    ipc_named_ends *former = ipc_named_current(connection);
    ipc_named_ends *unused = replace(&former, ends);
    (void)ipc_exchange_pointer(&connection->ends, ends);
    if (connection->sending == NULL) {
        (void)replace(&connection->sending, ends);
        (void)replace(&connection->receiving, ends);
    }
    if (connection->is_stopped) {
        ipc_end_stop(&ends->writer.end);
        ipc_end_stop(&ends->reader.end);
    }
    if (ipc_named_is_closed(connection)) { /* who closes has seen the former ones only, and waits for our threads */
        ipc_end_mark_closed(&ends->writer.end);
        ipc_end_mark_closed(&ends->reader.end);
    }
    ipc_mutex_unlock(&connection->mutex);
    ipc_waiter_wake(&connection->naps); /* who waits for other ends */
    ipc_named_ends_free(unused);
}

IPC_NOINLINE static ipc_named_ends *move(ipc_named_connection *connection, ipc_named_ends **place)
{
    ipc_mutex_lock(&connection->mutex);
    ipc_named_ends *ends = ipc_named_current(connection);
    ipc_named_ends *unused = *place == ends ? NULL : replace(place, ends);
    ipc_mutex_unlock(&connection->mutex);
    ipc_named_ends_free(unused);
    return ends;
}

static inline ipc_named_ends *ends_for(ipc_named_connection *connection, ipc_named_ends **place)
{
    ipc_named_ends *ends = ipc_named_current(connection);
    return IPC_LIKELY(ends == *place) ? ends : move(connection, place);
}

IPC_NOINLINE ipc_status ipc_named_closed(ipc_named_connection *connection)
{
    ipc_mutex_lock(&connection->mutex); /* who closes says so under it, and shuts the ends there */
    const bool is_closed = ipc_named_is_closed(connection);
    ipc_mutex_unlock(&connection->mutex);
    if (!is_closed)
        return ipc_fail(IPC_E_INVALID_STATE,
                        "the conversation of \"%s\" with \"%s\" was given up, and is begun anew with another server: "
                        "ipc_named_last_reset() says what was lost",
                        connection->client, connection->server);
    return ipc_ended(IPC_CLOSED);
}

void ipc_named_shut(ipc_named_connection *connection)
{
    ipc_mutex_lock(&connection->mutex);
    ipc_named_ends *ends = ipc_named_current(connection);
    ipc_store_release32(&connection->is_closed, 1);
    if (ends != NULL && !ends->region->forked) {
        ipc_end_mark_closed(&connection->senders);
        ipc_end_mark_closed(&connection->receivers);
        ipc_end_mark_closed(&connection->logins);
        ipc_end_mark_closed(&ends->writer.end);
        ipc_end_mark_closed(&ends->reader.end);
    }
    ipc_mutex_unlock(&connection->mutex);
    if (ends == NULL || ends->region->forked)
        return;
    ipc_end_drain(&connection->senders);
    ipc_end_drain(&connection->receivers);
    ipc_end_drain(&connection->logins); /* it wakes what comes and goes under the mutex */
    ipc_named_ends_shut(ipc_named_current(connection)); /* who was inside may have replaced them */
}

void ipc_named_free(ipc_named_connection *connection)
{
    ipc_named_ends *const all[3] = {ipc_named_current(connection), connection->sending, connection->receiving};
    for (int i = 0; i < 3; i++) {
        if (all[i] != NULL && --all[i]->references == 0)
            ipc_named_ends_free(all[i]);
    }
    ipc_mutex_destroy(&connection->mutex);
    ipc_mutex_destroy(&connection->logging_in);
    free(connection);
}

/* ---- sending ------------------------------------------------------------------------------------------ */

static inline uint32_t max_payload(const ipc_named_ends *ends)
{
    return ends->writer.max_payload - IPC_NAMED_SEQUENCE_SIZE;
}

ipc_status ipc_named_try_claim(ipc_named_connection *connection, uint32_t length, void **payload)
{
    void *place = NULL;
    ipc_status status;
    for (;;) {
        ipc_named_ends *ends = ends_for(connection, &connection->sending);
        if (IPC_UNLIKELY(length > max_payload(ends)))
            return ipc_fail(IPC_E_TOO_LARGE,
                            "a message of %u bytes does not fit: this conversation takes at most %u; nothing was sent: "
                            "send less at a time, or begin it with a larger capacity or a larger loan budget",
                            length, max_payload(ends));
        ipc_end_enter(&ends->writer.end);
        status = ipc_named_is_shut(&ends->writer.end)
                     ? ipc_named_closed(connection)
                     : ipc_ring_try_claim(&ends->writer, length + IPC_NAMED_SEQUENCE_SIZE, &place);
        if (IPC_LIKELY(status == IPC_OK && place != NULL)) {
            *(uint64_t *)place = ipc_load_relaxed64(&ends->next);
            *payload = (uint8_t *)place + IPC_NAMED_SEQUENCE_SIZE;
        }
        ipc_end_leave(&ends->writer.end);
        if (IPC_LIKELY(status != IPC_E_INVALID_STATE))
            return status;
        if (ends == ipc_named_current(connection))
            return IPC_FULL; /* there are no others yet */
    }
}

/* The claim is in the ends that the sending thread used last. */
static inline ipc_status commit(ipc_named_connection *connection, uint32_t length, uint16_t type, bool batched,
                                uint64_t *sequence)
{
    ipc_named_ends *ends = connection->sending;
    if (IPC_UNLIKELY(length > UINT32_MAX - IPC_NAMED_SEQUENCE_SIZE))
        return ipc_fail(IPC_E_INVALID_ARGUMENT, "commit of %u bytes, which nobody can have claimed", length);
    ipc_end_enter(&ends->writer.end);
    ipc_status status;
    if (ipc_named_is_shut(&ends->writer.end))
        status = ipc_named_closed(connection);
    else if (batched)
        status = ipc_ring_commit_batched(&ends->writer, length + IPC_NAMED_SEQUENCE_SIZE, type);
    else
        status = ipc_ring_commit(&ends->writer, length + IPC_NAMED_SEQUENCE_SIZE, type);
    if (IPC_LIKELY(status == IPC_OK)) {
        const uint64_t number = ipc_load_relaxed64(&ends->next);
        ipc_store_relaxed64(&ends->next, number + 1);
        if (sequence != NULL)
            *sequence = number;
    }
    ipc_end_leave(&ends->writer.end);
    return status;
}

ipc_status ipc_named_commit(ipc_named_connection *connection, uint32_t length, uint16_t type, uint64_t *sequence)
{
    return commit(connection, length, type, false, sequence);
}

ipc_status ipc_named_commit_batched(ipc_named_connection *connection, uint32_t length, uint16_t type,
                                    uint64_t *sequence)
{
    return commit(connection, length, type, true, sequence);
}

void ipc_named_flush(ipc_named_connection *connection)
{
    ipc_named_ends *ends = connection->sending;
    ipc_end_enter(&ends->writer.end);
    if (!ipc_named_is_shut(&ends->writer.end))
        ipc_ring_flush(&ends->writer);
    ipc_end_leave(&ends->writer.end);
}

void ipc_named_abandon(ipc_named_connection *connection)
{
    ipc_named_ends *ends = connection->sending;
    ipc_end_enter(&ends->writer.end);
    if (!ipc_named_is_shut(&ends->writer.end))
        ipc_ring_abandon(&ends->writer);
    ipc_end_leave(&ends->writer.end);
}

ipc_status ipc_named_fill(ipc_named_connection *connection, void *place, const void *payload, uint32_t length,
                          uint16_t type, uint64_t *sequence)
{
    if (length != 0 && place != NULL)
        memcpy(place, payload, length);
    return ipc_named_commit(connection, length, type, sequence);
}

ipc_status ipc_named_try_send(ipc_named_connection *connection, const void *payload, uint32_t length, uint16_t type,
                              uint64_t *sequence)
{
    for (;;) {
        void *place = NULL;
        ipc_status status = ipc_named_try_claim(connection, length, &place);
        if (status != IPC_OK)
            return status;
        status = ipc_named_fill(connection, place, payload, length, type, sequence);
        if (IPC_LIKELY(status != IPC_E_INVALID_STATE))
            return status; /* else it was given up since: once more, in what has been begun anew */
    }
}

/* ---- receiving ---------------------------------------------------------------------------------------- */

ipc_status ipc_named_try_receive(ipc_named_connection *connection, ipc_named_message *message)
{
    for (;;) {
        ipc_named_ends *ends = ends_for(connection, &connection->receiving);
        ipc_end_enter(&ends->reader.end);
        const ipc_status status = ipc_named_is_shut(&ends->reader.end) ? ipc_named_closed(connection)
                                                             : ipc_named_ends_receive(ends, message);
        ipc_end_leave(&ends->reader.end);
        if (IPC_LIKELY(status != IPC_E_INVALID_STATE))
            return status;
        if (ends == ipc_named_current(connection))
            return IPC_EMPTY; /* there are no others yet */
    }
}

void ipc_named_acknowledge(ipc_named_connection *connection, uint64_t sequence)
{
    ipc_named_ends *ends = connection->receiving; /* from which they were received */
    ipc_end_enter(&ends->reader.end);
    if (!ipc_named_is_shut(&ends->reader.end)) {
        ipc_named_ends_acknowledge(ends, sequence);
        /* Whoever has armed it does not look at `wanted` [wanted]: this thread has, which leads, unless it is lent. */
        if (!connection->is_client && ipc_waiter_is_marked(&ends->reader.header->data))
            ipc_ring_return_all(&ends->reader);
    }
    ipc_end_leave(&ends->reader.end);
}

/* ---- asking ------------------------------------------------------------------------------------------- */

uint32_t ipc_named_max_payload(const ipc_named_connection *connection)
{
    ipc_named_connection *it = (ipc_named_connection *)(uintptr_t)connection;
    ipc_mutex_lock(&it->mutex);
    const uint32_t longest = max_payload(ipc_named_current(it));
    ipc_mutex_unlock(&it->mutex);
    return longest;
}

static uint64_t ask(const ipc_named_connection *connection, uint64_t (*what)(const ipc_named_ends *ends))
{
    ipc_named_connection *it = (ipc_named_connection *)(uintptr_t)connection;
    ipc_mutex_lock(&it->mutex);
    const uint64_t number = what(ipc_named_current(it));
    ipc_mutex_unlock(&it->mutex);
    return number;
}

static uint64_t sent(const ipc_named_ends *ends)
{
    return ipc_load_relaxed64(&ends->next) - 1;
}

static uint64_t received(const ipc_named_ends *ends)
{
    return ipc_load_relaxed64(&ends->last);
}

static uint64_t acknowledged(const ipc_named_ends *ends)
{
    return ipc_load_relaxed64(&ends->acknowledged);
}

uint64_t ipc_named_sent(const ipc_named_connection *connection)
{
    return ask(connection, sent);
}

uint64_t ipc_named_received(const ipc_named_connection *connection)
{
    return ask(connection, received);
}

uint64_t ipc_named_acknowledged(const ipc_named_connection *connection)
{
    return ask(connection, acknowledged);
}

uint64_t ipc_named_unacknowledged(const ipc_named_connection *connection)
{
    return ask(connection, ipc_named_ends_outstanding);
}
