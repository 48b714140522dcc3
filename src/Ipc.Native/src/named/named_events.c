/* The leader: logins, messages and ends, from the events of the listener of the sessions. */
#include "named/named_listener.h"
#include "platform/fault.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HELLO_ID_SIZE 16u
#define LOCK_NS       2000000u /* for a region's lock: a client that keeps it holds nobody up */

/* Under the mutex. */
static void queue(ipc_named_listener *listener, ipc_named_event_kind kind, ipc_named_connection *connection,
                  uint32_t code, const char *text)
{
    listener->queued[listener->queued_count++] =
        (ipc_named_event){.kind = kind, .connection = connection, .code = code, .text = text};
}

/* ---- the end of a session ------------------------------------------------------------------------------ */

/* The dead client's ends are free: who sends to it learns at once that it has gone. */
static void recover_client(const ipc_named_connection *connection)
{
    const ipc_named_ends *ends = ipc_named_current(connection);
    const uint32_t word = ipc_load_acquire32(&ends->to_server.header->writer);
    if (word != 0 && word <= ends->region->geometry.participant_capacity)
        (void)ipc_region_recover(
            ends->region, word - 1,
            ipc_load_acquire32(&ipc_region_participant(ends->region, word - 1)->generation));
}

/* Under the mutex. */
static void log_out(ipc_named_listener *listener, ipc_connection *session)
{
    ipc_named_connection *connection = ipc_connection_context(session);
    if (connection == NULL || ipc_named_take_session(connection, session) == NULL) {
        ipc_connection_close(session); /* its connection was closed before */
        return;
    }
    const uint32_t code = connection->ended.code;
    if (connection->ended.died)
        (void)snprintf(listener->text, sizeof listener->text, "the client \"%s\", process %d, has died",
                       connection->client, (int)ipc_connection_peer_pid(session));
    else if (code == 0)
        (void)snprintf(listener->text, sizeof listener->text, "the session of \"%s\" was ended here",
                       connection->client);
    else
        (void)snprintf(listener->text, sizeof listener->text, "the client \"%s\" has closed with code %u",
                       connection->client, code);
    ipc_connection_close(session);
    if (connection->ended.died)
        recover_client(connection);
    queue(listener, IPC_NAMED_LOGOUT, connection, code, listener->text);
}

/* ---- a login ------------------------------------------------------------------------------------------- */

static bool read_hello(ipc_connection *session, uint8_t *id, char *client)
{
    uint32_t length = 0;
    const uint8_t *hello = ipc_connection_hello(session, &length);
    if (length <= HELLO_ID_SIZE || length > HELLO_ID_SIZE + IPC_NAMED_NAME_MAX)
        return false;
    memcpy(id, hello, HELLO_ID_SIZE);
    memcpy(client, hello + HELLO_ID_SIZE, length - HELLO_ID_SIZE);
    client[length - HELLO_ID_SIZE] = '\0';
    return strlen(client) == length - HELLO_ID_SIZE && ipc_named_check_name(client) == IPC_OK;
}

/* Under the mutex. It stays the application's, which gets IPC_CLOSED from it. */
static void cut_off(ipc_named_listener *listener, ipc_named_connection *connection, uint32_t code, const char *text)
{
    ipc_named_connection **link = &listener->first;
    while (*link != NULL && *link != connection)
        link = &(*link)->next;
    if (*link != NULL)
        *link = connection->next;
    ipc_connection *asked = connection->asked;
    connection->asked = NULL;
    if (asked != NULL)
        ipc_connection_turn_away(asked, IPC_CLOSE_SHUTDOWN, text == NULL ? "" : text);
    ipc_connection *session = ipc_named_take_session(connection, NULL);
    if (session != NULL) {
        if (!session->region->forked)
            ipc_connection_shutdown(session, code, text);
        ipc_connection_close(session);
    }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < listener->queued_count; i++) {
        if (listener->queued[i].connection != connection)
            listener->queued[kept++] = listener->queued[i];
    }
    listener->queued_count = kept;
}

void ipc_named_listener_drop(ipc_named_listener *listener, ipc_named_connection *connection, uint32_t code,
                             const char *text)
{
    cut_off(listener, connection, code, text);
    ipc_named_shut(connection);
    ipc_named_ends *ends = ipc_named_current(connection);
    if (ends->region->index != IPC_NO_PARTICIPANT)
        ipc_named_ends_leave(ends);
}

static void refuse(ipc_connection *session, uint32_t code, const ipc_named_listener *listener)
{
    if (code == IPC_CLOSE_REFUSED) {
        ipc_connection_turn_down(session, ipc_last_error());
        return;
    }
    char identity[IPC_NAMED_NAME_MAX + 1] = "";
    memcpy(identity, listener->identity, listener->identity_length);
    ipc_connection_turn_away(session, code, code == IPC_CLOSE_IDENTITY ? identity : ipc_last_error());
}

/* Does the name still lead to our region? Leaves the words of the last failure alone. */
static bool is_named(const ipc_named_ends *ends)
{
    return ipc_platform_file_is_named(ends->region->file, ends->region->path);
}

/* Under the mutex. The session waits for an answer. */
static void log_in(ipc_named_listener *listener, ipc_connection *session)
{
    uint8_t id[HELLO_ID_SIZE];
    char client[IPC_NAMED_NAME_MAX + 1];
    char text[IPC_NAMED_TEXT_MAX + 1];
    uint32_t code = 0;
    if (!read_hello(session, id, client)) {
        ipc_connection_turn_down(
            session, "the hello of a named connection is a region's id and a name; this one was something else");
        return;
    }
    ipc_named_connection *connection = ipc_named_listener_find(listener, client);
    if (connection != NULL &&
        (ipc_load_acquire32(&connection->is_lent) != 0 || connection->asked != NULL || connection->is_answering)) {
        (void)snprintf(text, sizeof text, "the server is busy with messages of the former session of \"%s\": try again",
                       client);
        ipc_connection_turn_away(session, IPC_CLOSE_SHUTDOWN, text);
        return;
    }
    if (connection != NULL && ipc_named_listener_check_region(connection, id) != IPC_OK) {
        if (is_named(ipc_named_current(connection))) { /* what goes on there is not ended by who knows nothing of it */
            refuse(session, IPC_CLOSE_REFUSED, listener);
            return;
        }
        /* Somebody has removed that conversation, and this is another one. */
        ipc_named_listener_drop(listener, connection, IPC_CLOSE_NORMAL, "");
        connection = NULL;
    }
    if (connection == NULL &&
        ipc_named_listener_attach(listener, client, id, ipc_deadline_after(LOCK_NS), &code, &connection) != IPC_OK) {
        refuse(session, code, listener);
        return;
    }
    IPC_FAULT_POINT("named.accept.attached");
    if (connection->session != NULL)
        log_out(listener, connection->session); /* which nobody has seen the end of; it is not lent */
    connection->asked = session;
    ipc_connection_set_context(session, connection);
    queue(listener, IPC_NAMED_LOGIN, connection, 0, "");
}

/* ---- next --------------------------------------------------------------------------------------------- */

static void take(ipc_named_listener *listener, const ipc_event *found)
{
    ipc_connection *session = found->connection;
    ipc_mutex_lock(&listener->mutex);
    if (found->kind == IPC_EVENT_CONNECT) {
        log_in(listener, session);
    } else if (found->kind == IPC_EVENT_CLOSED) {
        log_out(listener, session);
    } else {
        ipc_named_connection *connection = ipc_connection_context(session);
        ipc_store_release32(&connection->is_lent, 1);
        queue(listener, IPC_NAMED_READABLE, connection, 0, "");
    }
    ipc_mutex_unlock(&listener->mutex);
}

static bool take_queued(ipc_named_listener *listener, ipc_named_event *event)
{
    ipc_mutex_lock(&listener->mutex);
    const bool has_one = listener->queued_count != 0;
    if (has_one) {
        *event = listener->queued[0];
        event->connection->is_seen = true;
        listener->queued_count--;
        memmove(listener->queued, listener->queued + 1, listener->queued_count * sizeof *event);
    }
    ipc_mutex_unlock(&listener->mutex);
    return has_one;
}

ipc_status ipc_named_listener_next(ipc_named_listener *listener, ipc_deadline deadline, ipc_cancel *cancel,
                                   ipc_named_event *event)
{
    ipc_status status = IPC_OK;
    ipc_end_enter(&listener->leaders);
    while (status == IPC_OK && !take_queued(listener, event)) {
        ipc_event found;
        status = ipc_listener_next(listener->listener, deadline, cancel, &found);
        if (status == IPC_OK)
            take(listener, &found);
    }
    ipc_end_leave(&listener->leaders);
    return status;
}

ipc_status ipc_named_listener_arm(ipc_named_listener *listener, ipc_deadline deadline, ipc_cancel *cancel,
                                  ipc_ready_handle *handle)
{
    ipc_mutex_lock(&listener->mutex);
    const bool has_one = listener->queued_count != 0;
    ipc_mutex_unlock(&listener->mutex);
    return has_one ? ipc_listener_arm_nowhere(listener->listener, handle)
                   : ipc_listener_arm(listener->listener, deadline, cancel, handle);
}

/* ---- answering ------------------------------------------------------------------------------------------ */

static ipc_connection *take_asked(ipc_named_connection *connection)
{
    ipc_named_listener *listener = connection->listener;
    if (listener == NULL)
        return NULL;
    ipc_mutex_lock(&listener->mutex);
    ipc_connection *asked = connection->asked;
    connection->asked = NULL;
    connection->is_answering = asked != NULL || connection->is_answering; /* another login finds it busy */
    ipc_mutex_unlock(&listener->mutex);
    return asked;
}

static ipc_status not_asked(void)
{
    return ipc_fail(IPC_E_INVALID_STATE, "this connection has no login to be answered");
}

ipc_status ipc_named_accept(ipc_named_connection *connection, const void *reply, uint32_t length)
{
    if (length > IPC_NAMED_DATA_MAX || (length != 0 && reply == NULL))
        return ipc_fail(IPC_E_INVALID_ARGUMENT, "the reply has %u bytes, at most %u are possible", length,
                        IPC_NAMED_DATA_MAX);
    ipc_connection *session = take_asked(connection);
    if (session == NULL)
        return not_asked();
    ipc_named_ends *ends = ipc_named_current(connection);
    ipc_named_write_data(ends, false, reply, length);
    IPC_FAULT_POINT("named.accept.written");
    session->watched = &ends->reader;
    ipc_mutex_lock(&connection->mutex);
    ipc_named_put_session(connection, session);
    ipc_mutex_unlock(&connection->mutex);
    ipc_status status = ipc_connection_accept(session);
    ipc_named_listener *listener = connection->listener;
    ipc_mutex_lock(&listener->mutex);
    connection->is_answering = false;
    ipc_listener_return(listener->listener, session);
    ipc_mutex_unlock(&listener->mutex); /* from here on others may end both */
    return status;
}

ipc_status ipc_named_refuse(ipc_named_connection *connection, const char *text)
{
    ipc_connection *session = take_asked(connection);
    if (session == NULL)
        return not_asked();
    ipc_connection_turn_down(session, text == NULL ? "" : text); /* it may ask again at once */
    ipc_named_close(connection, IPC_CLOSE_NORMAL, NULL);
    return IPC_OK;
}

void ipc_named_return(ipc_named_listener *listener, ipc_named_connection *connection)
{
    (void)listener;
    ipc_mutex_lock(&connection->mutex);
    ipc_connection *session = connection->session;
    ipc_store_release32(&connection->is_lent, 0);
    if (session != NULL)
        ipc_listener_return(session->listener, session);
    ipc_mutex_unlock(&connection->mutex);
}
