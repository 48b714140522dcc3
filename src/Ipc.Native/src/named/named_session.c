/*
 * The session of a named connection: whether both sides are there, as far as its ordinary connection tells.
 *
 * Any thread may lose it, and another sleep as if it were there: that one remembers how often a session had come or gone
 * when it looked for the server (`sessions`), and its wait ends when there is none and the count is another one.
 */
#include "named/named.h"

void ipc_named_put_session(ipc_named_connection *connection, ipc_connection *session)
{
    connection->session = session;
    ipc_store_release32(&connection->sessions, ipc_load_relaxed32(&connection->sessions) + 1);
}

ipc_connection *ipc_named_take_session(ipc_named_connection *connection, const ipc_connection *session)
{
    ipc_mutex_lock(&connection->mutex);
    ipc_connection *taken = connection->session;
    if (taken != NULL && session != NULL && taken != session)
        taken = NULL;
    if (taken != NULL) {
        ipc_named_end *ended = &connection->ended;
        connection->session = NULL;
        ipc_store_release32(&connection->sessions, ipc_load_relaxed32(&connection->sessions) + 1);
        connection->has_ended = true;
        const ipc_peer_state state = ipc_connection_peer_state(taken);
        ended->code = ipc_connection_close_code(taken);
        ended->died = state == IPC_PEER_DEAD;
        (void)ipc_connection_close_text(taken, ended->text, sizeof ended->text);
    }
    ipc_mutex_unlock(&connection->mutex);
    return taken;
}

ipc_peer_state ipc_named_session_state(ipc_named_connection *connection, uint32_t saw)
{
    ipc_mutex_lock(&connection->mutex);
    ipc_peer_state state = IPC_PEER_LEFT; /* another thread has given it up: ours has to look for the next one */
    if (connection->session != NULL)
        state = ipc_connection_peer_state(connection->session);
    else if (connection->options.no_reconnect)
        state = IPC_PEER_LIVE;
    else if (ipc_load_relaxed32(&connection->sessions) == saw)
        state = IPC_PEER_NEVER;
    ipc_mutex_unlock(&connection->mutex);
    return state;
}

void ipc_named_corrupt(ipc_named_connection *connection)
{
    ipc_mutex_lock(&connection->mutex);
    if (connection->session != NULL)
        ipc_connection_shutdown(connection->session, IPC_CLOSE_CORRUPT,
                                "the other side wrote what is not a ring, or not a message of a named connection");
    const ipc_named_ends *ends = ipc_named_current(connection);
    if (ends != NULL) { /* the other side sleeps there, and looks at the session's close word */
        ipc_ring_roles_wake(ends->to_server.header);
        ipc_ring_roles_wake(ends->to_client.header);
    }
    ipc_mutex_unlock(&connection->mutex);
}

void ipc_named_notify(ipc_named_connection *connection)
{
    ipc_mutex_lock(&connection->mutex);
    const bool has_session = connection->session != NULL;
    if (has_session)
        ipc_connection_ring_doorbell(connection->session);
    ipc_mutex_unlock(&connection->mutex);
    if (!has_session)
        ipc_named_notify_login(connection);
}

bool ipc_named_is_connected(const ipc_named_connection *connection)
{
    ipc_named_connection *it = (ipc_named_connection *)(uintptr_t)connection;
    ipc_mutex_lock(&it->mutex);
    const bool is_open = !ipc_named_is_closed(it) && it->session != NULL && ipc_connection_is_open(it->session);
    ipc_mutex_unlock(&it->mutex);
    return is_open;
}

void ipc_named_ask_for_server(ipc_named_connection *connection)
{
    ipc_mutex_lock(&connection->mutex); /* whoever closes the session has taken it before */
    if (connection->session != NULL)
        ipc_connection_ask_for_peer(connection->session);
    ipc_mutex_unlock(&connection->mutex);
}

int32_t ipc_named_peer_pid(const ipc_named_connection *connection)
{
    ipc_named_connection *it = (ipc_named_connection *)(uintptr_t)connection;
    ipc_mutex_lock(&it->mutex);
    const int32_t pid = it->session == NULL ? 0 : ipc_connection_peer_pid(it->session);
    ipc_mutex_unlock(&it->mutex);
    return pid;
}

void ipc_named_wake_threads(ipc_named_connection *connection)
{
    const ipc_named_ends *ends = ipc_named_current(connection);
    ipc_waiter_wake(&ends->reader.header->data);
    ipc_waiter_wake(&ends->writer.header->space);
    ipc_waiter_wake(&connection->naps);
}
