/* Sending and receiving, where that waits: for room, for a message, for the other side to come back. */
#include "named/named.h"

static ipc_deadline earlier(ipc_deadline a, ipc_deadline b)
{
    return a < b ? a : b;
}

static bool logs_in(const ipc_named_connection *connection)
{
    return connection->is_client && !connection->options.no_reconnect;
}

/* ---- the other side comes back -------------------------------------------------------------------------- */

typedef struct return_wait {
    ipc_named_ends *ends;
    ipc_ring_role *role;
} return_wait;

static ipc_status check_peer(void *subject)
{
    const return_wait *wait = subject;
    (void)ipc_ring_role_attend(wait->role);                    /* is it really alive? the watch will tell us */
    if (ipc_ring_role_peer_state(wait->role) == IPC_PEER_LIVE) /* [close] */
        return IPC_OK;
    /* [publish], after [close]: a client may have come, published and died since the last look. */
    return wait->role == &wait->ends->reading && ipc_ring_is_readable(&wait->ends->reader) ? IPC_OK : IPC_EMPTY;
}

static bool attend_peer(void *subject)
{
    const return_wait *wait = subject;
    return ipc_ring_role_attend(wait->role);
}

static bool peer_is_live(const void *subject)
{
    const return_wait *wait = subject;
    return ipc_ring_role_peer_is_live(wait->role);
}

static ipc_status wait_for_peer(ipc_named_ends *ends, ipc_ring_role *role, ipc_end *end, ipc_deadline deadline,
                                ipc_cancel *cancel)
{
    return_wait subject = {.ends = ends, .role = role};
    const ipc_wait wait = {
        .end = end,
        .waiter = &ipc_region_header_of(ends->region)->change,
        .check = check_peer,
        .attend = attend_peer,
        .subject = &subject,
        .deadline = deadline,
        .cancel = cancel,
    };
    return ipc_wait_until(&wait, peer_is_live);
}

/* ---- other ends ---------------------------------------------------------------------------------------- */

typedef struct ends_wait {
    const ipc_named_connection *connection;
    const ipc_named_ends *ends;
} ends_wait;

static bool are_others(const void *subject)
{
    const ends_wait *wait = subject;
    return ipc_named_current(wait->connection) != wait->ends;
}

static ipc_status check_others(void *subject)
{
    return are_others(subject) ? IPC_OK : IPC_EMPTY;
}

static bool attend_nobody(void *subject)
{
    (void)subject;
    return true;
}

/* Until there are others than these, or until then. IPC_OK: look again. */
static ipc_status wait_for_others(ipc_named_connection *connection, const ipc_named_ends *ends, ipc_deadline until,
                                  ipc_deadline deadline, ipc_cancel *cancel)
{
    ends_wait subject = {.connection = connection, .ends = ends};
    const ipc_wait wait = {
        .end = &connection->logins,
        .waiter = &connection->naps,
        .check = check_others,
        .attend = attend_nobody,
        .subject = &subject,
        .deadline = until,
        .cancel = cancel,
    };
    const ipc_status status = ipc_wait_until(&wait, are_others);
    return status == IPC_TIMEOUT && until < deadline && ipc_platform_now() < deadline ? IPC_OK : status;
}

/* ---- waiting in a ring --------------------------------------------------------------------------------- */

/* After a wait in a ring. IPC_OK: look again. */
static ipc_status after_wait(ipc_named_connection *connection, ipc_named_ends *ends, ipc_ring_role *role, ipc_end *end,
                             ipc_status status, ipc_deadline waited, ipc_deadline deadline, ipc_cancel *cancel)
{
    switch (status) {
    case IPC_TIMEOUT:
        return waited < deadline && ipc_platform_now() < deadline ? IPC_OK : status;
    case IPC_CLOSED:
        if (ipc_named_is_closed(connection) || !connection->is_client)
            return status;
        return wait_for_others(connection, ends, waited, deadline, cancel); /* given up */
    case IPC_PEER_CLOSED:
    case IPC_PEER_DIED:
        if (!connection->is_client)
            return wait_for_peer(ends, role, end, deadline, cancel);
        ipc_named_lose(connection, ends);
        /* A look at what ends the wait: the other side may say all the time that it has gone. */
        return logs_in(connection) ? wait_for_others(connection, ends, IPC_NOW, deadline, cancel) : status;
    default:
        return status;
    }
}

/* Until there is a session, or time to look for one again. IPC_OK: wait in the ring meanwhile, until UNTIL. SAW: of the
   ends that the caller waits in. One that has ended, and that nobody has given up, the wait itself notices. */
static ipc_status look_for_server(ipc_named_connection *connection, ipc_deadline deadline, ipc_cancel *cancel,
                                  ipc_atomic32 *saw, ipc_deadline *until)
{
    ipc_deadline again = IPC_FOREVER;
    const uint32_t sessions = ipc_load_acquire32(&connection->sessions);
    *until = deadline;
    ipc_store_relaxed32(saw, sessions);
    if (!logs_in(connection) || deadline == IPC_NOW || sessions % 2 != 0)
        return IPC_OK;
    const ipc_status status = ipc_named_attend(connection, deadline, cancel, &again);
    *until = earlier(deadline, again);
    return status == IPC_EMPTY ? IPC_OK : status;
}

/* ---- receiving ---------------------------------------------------------------------------------------- */

static ipc_status receive(ipc_named_connection *connection, ipc_deadline deadline, ipc_cancel *cancel,
                          ipc_named_message *message)
{
    for (;;) {
        ipc_deadline until = deadline;
        ipc_status status = ipc_named_try_receive(connection, message);
        if (status != IPC_EMPTY)
            return status;
        ipc_named_ends *ends = connection->receiving;
        status = look_for_server(connection, deadline, cancel, &ends->receiver_saw, &until);
        if (status != IPC_OK)
            return status;
        status = ipc_ring_wait(&ends->reader, until, cancel);
        if (status != IPC_OK)
            status = after_wait(connection, ends, &ends->reading, &ends->reader.end, status, until, deadline, cancel);
        if (status != IPC_OK)
            return status;
    }
}

ipc_status ipc_named_receive(ipc_named_connection *connection, ipc_deadline deadline, ipc_cancel *cancel,
                             ipc_named_message *message)
{
    ipc_status status = ipc_named_try_receive(connection, message);
    if (IPC_LIKELY(status == IPC_OK))
        return status;
    ipc_end_enter(&connection->receivers); /* until it has been received: close waits for that */
    status = receive(connection, deadline, cancel, message);
    ipc_end_leave(&connection->receivers);
    return status;
}

/* ---- sending ------------------------------------------------------------------------------------------ */

/* Waits for the room, and gives it back: who was told of it takes it. */
static ipc_status wait_for_room(ipc_named_ends *ends, uint32_t length, ipc_deadline until, ipc_cancel *cancel)
{
    void *place = NULL;
    ipc_end_enter(&ends->writer.end);
    const ipc_status status =
        ipc_named_is_shut(&ends->writer.end)
            ? ipc_ended(IPC_CLOSED) /* there may be room in it */
            : ipc_ring_claim(&ends->writer, length + IPC_NAMED_SEQUENCE_SIZE, until, cancel, &place);
    if (status == IPC_OK)
        ipc_ring_abandon(&ends->writer);
    ipc_end_leave(&ends->writer.end);
    return status;
}

static ipc_status claim(ipc_named_connection *connection, uint32_t length, ipc_deadline deadline, ipc_cancel *cancel,
                        void **payload)
{
    if (deadline != IPC_NOW && logs_in(connection))
        ipc_named_push_login(connection); /* a message that has room is not held up by it */
    for (;;) {
        ipc_deadline until = deadline;
        ipc_status status = ipc_named_is_closed(connection) ? ipc_ended(IPC_CLOSED)
                                                            : ipc_named_try_claim(connection, length, payload);
        if (status != IPC_FULL)
            return status;
        ipc_named_ends *ends = connection->sending;
        status = look_for_server(connection, deadline, cancel, &ends->sender_saw, &until);
        if (status != IPC_OK)
            return status;
        status = wait_for_room(ends, length, until, cancel);
        if (status != IPC_OK)
            status = after_wait(connection, ends, &ends->writing, &ends->writer.end, status, until, deadline, cancel);
        if (status != IPC_OK)
            return status;
    }
}

ipc_status ipc_named_claim(ipc_named_connection *connection, uint32_t length, ipc_deadline deadline, ipc_cancel *cancel,
                           void **payload)
{
    if (IPC_LIKELY(!connection->is_client || ipc_named_is_settled(connection, connection->sending))) {
        const ipc_status status = ipc_named_try_claim(connection, length, payload);
        if (IPC_LIKELY(status != IPC_FULL))
            return status;
    }
    ipc_end_enter(&connection->senders);
    const ipc_status status = claim(connection, length, deadline, cancel, payload);
    ipc_end_leave(&connection->senders);
    return status;
}

ipc_status ipc_named_send(ipc_named_connection *connection, const void *payload, uint32_t length, uint16_t type,
                          ipc_deadline deadline, ipc_cancel *cancel, uint64_t *sequence)
{
    for (;;) {
        void *place = NULL;
        ipc_status status = ipc_named_claim(connection, length, deadline, cancel, &place);
        if (status != IPC_OK)
            return status;
        status = ipc_named_fill(connection, place, payload, length, type, sequence);
        if (IPC_LIKELY(status != IPC_E_INVALID_STATE))
            return status; /* else it was given up since: once more, in what has been begun anew */
    }
}
