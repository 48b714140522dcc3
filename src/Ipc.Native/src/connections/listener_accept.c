/*
 * A request to connect: everything in it was written by a stranger. The region is opened, checked and mapped, its name
 * removed, and only then is the slot "attached". Whatever is wrong with it, the slot goes back to idle, which tells the
 * client.
 */
#include "connections/listener.h"

#include "connections/connection_protocol.h"
#include "platform/fault.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_continuation(uint8_t byte)
{
    return (byte & 0xC0) == 0x80;
}

void ipc_connection_set_server_text(ipc_connection_body *body, const char *text)
{
    size_t length = text == NULL ? 0 : strlen(text);
    if (length > IPC_CONNECTION_TEXT_MAX) {
        length = IPC_CONNECTION_TEXT_MAX;
        while (length > 0 && is_continuation((uint8_t)text[length])) /* not in the middle of a character */
            length--;
    }
    if (length != 0)
        memcpy(body->server_text, text, length);
    ipc_store_release32(&body->server_text_length, (uint32_t)length);
}

static void reply(ipc_connection *connection, uint32_t answer)
{
    connection->answer = answer;
    ipc_store_release32(&connection->body->reply, answer); /* [reply] */
    IPC_FAULT_POINT("listener.accept.replied");
    ipc_waiter_wake(&connection->body->session);
}

void ipc_connection_free_slot(const ipc_connection *connection)
{
    uint64_t attached = ipc_slot_of(connection->id, IPC_SLOT_ATTACHED);
    (void)ipc_cas64(&connection->view->slots[connection->slot].word, &attached, IPC_SLOT_IDLE); /* [slot] */
    IPC_FAULT_POINT("listener.slot_idle");
}

ipc_status ipc_connection_accept(ipc_connection *connection)
{
    if (!connection->is_server || connection->answer != IPC_REPLY_NONE)
        return ipc_fail(IPC_E_INVALID_STATE, "this connection does not wait for an answer");
    reply(connection, IPC_REPLY_ACCEPTED);
    return IPC_OK;
}

ipc_status ipc_connection_refuse(ipc_connection *connection, const char *reason)
{
    if (!connection->is_server || connection->answer != IPC_REPLY_NONE)
        return ipc_fail(IPC_E_INVALID_STATE, "this connection does not wait for an answer");
    ipc_connection_turn_down(connection, reason == NULL ? "" : reason);
    return IPC_OK;
}

void ipc_connection_turn_away(ipc_connection *connection, uint32_t code, const char *text)
{
    (void)ipc_connection_set_close(connection, code, text); /* before the reply: no refusal */
    ipc_connection_turn_down(connection, NULL);
}

void ipc_connection_turn_down(ipc_connection *connection, const char *reason)
{
    if (reason != NULL)
        ipc_connection_set_server_text(connection->body, reason);
    reply(connection, IPC_REPLY_REFUSED);
    ipc_listener_forget(connection);
}

/* The private copy of what the client says about itself. */
static ipc_status read_body(ipc_connection *connection)
{
    const uint64_t id = connection->id;
    ipc_connection_body *body = connection->body;
    const uint64_t said_id = *(volatile uint64_t *)&body->connection_id; /* once each */
    const uint32_t said_slot = *(volatile uint32_t *)&body->slot;
    const uint32_t length = ipc_load_acquire32(&body->hello_length);
    if (said_id != id || said_slot != connection->slot)
        return ipc_fail(IPC_E_CORRUPT,
                        "the region of slot %u and id %016" PRIx64 " says it has slot %u and id %016" PRIx64,
                        connection->slot, id, said_slot, said_id);
    if (length > IPC_CONNECTION_TEXT_MAX)
        return ipc_fail(IPC_E_CORRUPT, "a connection's hello has %u bytes, at most %u are possible", length,
                        IPC_CONNECTION_TEXT_MAX);
    memcpy(connection->hello, body->hello, length);
    connection->hello_length = length;
    connection->protocol = ipc_load_relaxed32(&body->protocol);
    return IPC_OK;
}

static ipc_status open_request(ipc_connection *connection, const char *path)
{
    /* IPC_NOW: a client that says that it has retired its region, and keeps its lock, holds nobody up */
    const bool is_machine = connection->view->region->share.is_machine;
    const ipc_share share = {.is_machine = is_machine,
                             .access = {.kind = is_machine ? IPC_ACCESS_EVERYBODY : IPC_ACCESS_USER}};
    ipc_status status = ipc_region_open(path, &share, &ipc_connection_kind, connection, IPC_NOW, &connection->region);
    /* Else what is in it may be another's than its owner's, who is taken for the client. */
    if (status == IPC_OK && share.is_machine &&
        !ipc_platform_file_is_private(connection->region->file, ipc_platform_user()))
        status = ipc_fail(IPC_E_ACCESS_DENIED, "%s is open to others than its owner and its server", path);
    if (status == IPC_OK)
        status = ipc_connection_start(connection, connection->listener->mode, connection->listener->spin_ns);
    if (status == IPC_OK)
        status = read_body(connection);
    return status;
}

static const char is_ending[] = "the server is shutting down";

/* NULL: welcome. */
static const char *objection(ipc_listener *listener, ipc_connection *connection, char *text, size_t size)
{
    const uint64_t to_server = connection->reader.capacity;
    const uint64_t to_client = connection->writer.capacity;
    ipc_mutex_lock(&listener->mutex);
    const bool closed = listener->closed;
    const uint32_t connections = listener->references - 1;
    ipc_mutex_unlock(&listener->mutex);
    if (closed || ipc_load_relaxed32(&listener->followed) != 0)
        return is_ending;
    if (connections >= listener->max_connections) {
        (void)snprintf(text, size, "the server has %u connections, its maximum", connections);
        return text;
    }
    if (to_server > listener->view.max_ring_capacity || to_client > listener->view.max_ring_capacity) {
        (void)snprintf(text, size, "the rings have %" PRIu64 " and %" PRIu64 " bytes, this server allows %" PRIu64,
                       to_server, to_client, listener->view.max_ring_capacity);
        return text;
    }
    if (!ipc_share_admits(&listener->view.region->share, connection->region->user)) {
        (void)snprintf(text, size, "this server does not serve user %" PRIu32, connection->region->user);
        return text;
    }
    const uint64_t loans_to_server = connection->reader.ring.pool.budget;
    const uint64_t loans_to_client = connection->writer.ring.pool.budget;
    if (loans_to_server > listener->max_loan_budget || loans_to_client > listener->max_loan_budget) {
        (void)snprintf(text, size,
                       "the loan budgets are %" PRIu64 " and %" PRIu64 " bytes, this server allows %" PRIu64,
                       loans_to_server, loans_to_client, listener->max_loan_budget);
        return text;
    }
    /* A client that reads what the listener says does not come so far. */
    if (ipc_protocol_agree(listener->protocol, connection->protocol, &connection->protocol_version) != IPC_OK) {
        char ours[80];
        char theirs[80];
        ipc_protocol_describe(listener->protocol, ours, sizeof ours);
        ipc_protocol_describe(connection->protocol, theirs, sizeof theirs);
        (void)snprintf(text, size, "the client speaks %s, this server %s", theirs, ours);
        return text;
    }
    return NULL;
}

static void discard(ipc_connection *connection)
{
    if (connection->region != NULL)
        ipc_connection_dispose(connection);
    else
        free(connection);
}

ipc_connection *ipc_listener_take_request(ipc_listener *listener, uint32_t slot_index)
{
    ipc_slot *slot = &listener->view.slots[slot_index];
    uint64_t requested = ipc_load_acquire64(&slot->word); /* [slot] */
    char path[IPC_PATH_MAX];
    char text[IPC_CONNECTION_TEXT_MAX];
    if (ipc_slot_state(requested) != IPC_SLOT_REQUESTED)
        return NULL;
    ipc_connection *connection = calloc(1, sizeof *connection);
    if (connection == NULL)
        return NULL; /* the request stays, and its client's deadline with it */
    connection->is_server = true;
    connection->listener = listener;
    connection->view = &listener->view;
    connection->watched = &connection->reader;
    connection->slot = slot_index;
    connection->peer_index = slot_index;
    connection->id = ipc_slot_id(requested);

    ipc_listener_connection_path(listener->view.region, connection->id, path, sizeof path);
    ipc_status status = open_request(connection, path);
    IPC_FAULT_POINT("listener.accept.mapped");
    (void)ipc_platform_file_unlink(path); /* where only the client can it does so, when it has its answer */
    IPC_FAULT_POINT("listener.accept.unlinked");
    if (status != IPC_OK)
        ipc_listener_see_off(listener, slot_index);
    /* From the word that was seen, id and all: if the client was cleaned up meanwhile, the slot may be asking for
       another one by now, whose ready bit is on its way. */
    const uint64_t next = status == IPC_OK ? ipc_slot_of(connection->id, IPC_SLOT_ATTACHED) : IPC_SLOT_IDLE;
    if (!ipc_cas64(&slot->word, &requested, next) || status != IPC_OK) { /* [slot] */
        discard(connection);
        return NULL;
    }
    const char *reason = objection(listener, connection, text, sizeof text);
    if (reason != NULL || ipc_load_acquire32(&connection->body->client_close) != 0) {
        if (reason == is_ending)
            (void)ipc_connection_set_close(connection, IPC_CLOSE_SHUTDOWN, reason); /* before the reply: no refusal */
        else
            ipc_connection_set_server_text(connection->body, reason);
        reply(connection, IPC_REPLY_REFUSED);
        if (reason != is_ending)
            ipc_listener_see_off(listener, slot_index);
        ipc_connection_free_slot(connection);
        discard(connection);
        return NULL;
    }
    ipc_connection_close_file(connection);
    ipc_connection_watch(connection);
    return connection;
}
