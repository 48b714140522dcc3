/*
 * What both sides do with a connection.
 *
 * [close] A side closes by its own word, once, after the text and after everything that it published; then it wakes
 * every waiter, and the client rings the doorbell too. The other side looks at that word only when it has found its
 * ring empty, and then once more at the ring.
 */
#include "connections/connection.h"

#include "platform/fault.h"

#include <stdlib.h>
#include <string.h>

static ipc_atomic32 *close_word(const ipc_connection *connection, bool of_server)
{
    return of_server ? &connection->body->server_close : &connection->body->client_close;
}

/* ---- the peer ---------------------------------------------------------------------------------------- */

static bool peer_has_left_the_table(const ipc_connection *connection)
{
    return !ipc_region_has(connection->view->region, connection->peer_index, connection->peer_generation);
}

ipc_peer_state ipc_connection_peer_state(void *owner)
{
    ipc_connection *connection = owner;
    const ipc_atomic32 *word = close_word(connection, !connection->is_server);
    if (ipc_load_acquire32(word) != 0) /* [close] */
        return IPC_PEER_LEFT;
    if (ipc_load_acquire32(&connection->peer_gone) == 0 && !peer_has_left_the_table(connection))
        return IPC_PEER_LIVE;
    return ipc_load_acquire32(word) != 0 ? IPC_PEER_LEFT : IPC_PEER_DEAD; /* once more: it closed, then left */
}

static void wake_ours(ipc_connection *connection)
{
    ipc_waiter_wake(&connection->writer.header->data);
    ipc_waiter_wake(&connection->writer.header->space);
    ipc_waiter_wake(&connection->reader.header->data);
    ipc_waiter_wake(&connection->reader.header->space);
    ipc_waiter_wake(&connection->body->session);
}

/* On the watch thread. */
static ipc_watch_answer peer_died(void *owner)
{
    ipc_connection *connection = owner;
    const ipc_watch_answer answer =
        ipc_region_recover(connection->view->region, connection->peer_index, connection->peer_generation);
    if (answer != IPC_WATCH_DONE)
        return answer;
    ipc_store_release32(&connection->peer_gone, 1);
    wake_ours(connection);
    if (connection->is_server)
        ipc_listener_notify(connection->view, connection->slot);
    return IPC_WATCH_DONE;
}

void ipc_connection_watch(ipc_connection *connection)
{
    ipc_region_process process;
    ipc_region_process_to_watch(connection->view->region, connection->peer_index, &process);
    connection->watching = true;
    if (process.is_here && process.pid == ipc_platform_pid())
        return; /* both ends are ours: it does not die without us */
    connection->watching = ipc_watch_add(&connection->watch, process.pid, process.start_time, process.is_here,
                                         peer_died, connection) == IPC_OK;
}

void ipc_connection_ask_for_peer(ipc_connection *connection)
{
    if (ipc_connection_peer_state(connection) == IPC_PEER_LIVE &&
        !ipc_region_is_alive(connection->view->region, connection->peer_index))
        ipc_store_release32(&connection->peer_gone, 1); /* the watch recovers and wakes, when it is told */
}

bool ipc_connection_attend(void *owner)
{
    ipc_connection *connection = owner;
    if (!connection->watching) /* no descriptors, no thread: who waits asks the lock himself */
        (void)peer_died(connection);
    return connection->watching;
}

static void peer_is_corrupt(void *owner)
{
    ipc_connection_shutdown(owner, IPC_CLOSE_CORRUPT, "the other side wrote what is not a ring");
}

/* ---- starting and ending ----------------------------------------------------------------------------- */

static void abandon(void *owner)
{
    ipc_connection *connection = owner;
    ipc_ring_writer_abandon(&connection->writer);
    ipc_ring_reader_abandon(&connection->reader);
}

ipc_status ipc_connection_start(ipc_connection *connection, ipc_wait_mode mode, uint64_t spin_ns)
{
    ipc_connection_body *body = ipc_region_at(connection->region, connection->region->geometry.body_offset);
    const bool is_server = connection->is_server;
    const ipc_ring_peer peer = {
        .state = ipc_connection_peer_state,
        .attend = ipc_connection_attend,
        .corrupt = peer_is_corrupt,
        .owner = connection,
        .processors = {is_server ? &body->server_processor : &body->client_processor,
                       is_server ? &body->client_processor : &body->server_processor},
    };
    ipc_ring to_server;
    ipc_ring to_client;
    ipc_status status = ipc_connection_locate(connection->region, &to_server, &to_client);
    if (status == IPC_OK)
        status = ipc_ring_writer_start(&connection->writer, connection->is_server ? &to_client : &to_server, true, mode,
                                       &peer);
    if (status == IPC_OK)
        status = ipc_ring_reader_start(&connection->reader, connection->is_server ? &to_server : &to_client, false,
                                       mode, &peer);
    if (status != IPC_OK)
        return status;
    ipc_end_limit_spin(&connection->writer.end, spin_ns);
    ipc_end_limit_spin(&connection->reader.end, spin_ns);
    ipc_end_show_spin(&connection->writer.end, &connection->writer.header->writer_spin);
    ipc_end_show_spin(&connection->reader.end, &connection->reader.header->reader_spin);

    const ipc_participant *entry = ipc_region_participant(connection->view->region, connection->peer_index);
    connection->body = body;
    connection->peer_generation = ipc_load_acquire32(&entry->generation);
    connection->peer_pid = ipc_load_relaxed32(&entry->pid);
    if (connection->is_server) {
        connection->reader.sleeps_on = &connection->view->body->doorbell;
        connection->reader.end.wakes[0] = &connection->view->body->doorbell;
        /* Its client publishes when it has the reply: the listener, which may forget whom it has armed, is never
           missed. */
        ipc_waiter_ask_early(&connection->reader.header->data);
    } else {
        connection->writer.ring_doorbell = ipc_connection_ring_doorbell;
    }
    ipc_region_at_fork(connection->region, abandon, connection);
    return IPC_OK;
}

void ipc_connection_close_file(ipc_connection *connection)
{
    const bool grows = connection->writer.present != UINT64_MAX || ipc_pool_exists(&connection->writer.ring.pool) ||
                       ipc_pool_exists(&connection->reader.ring.pool);
    if (!grows || !ipc_platform_populate_needs_file())
        ipc_region_close_file(connection->region);
}

void ipc_connection_ring_doorbell(void *owner)
{
    const ipc_connection *connection = owner;
    ipc_listener_notify(connection->view, connection->slot);
}

bool ipc_connection_set_close(ipc_connection *connection, uint32_t code, const char *text)
{
    ipc_atomic32 *word = close_word(connection, connection->is_server);
    uint32_t open = 0;
    if (ipc_load_relaxed32(word) == 0 && connection->is_server)
        ipc_connection_set_server_text(connection->body, text);
    if (!ipc_cas32(word, &open, code == 0 ? IPC_CLOSE_NORMAL : code)) /* [close] */
        return false;
    IPC_FAULT_POINT("connection.close.word");
    wake_ours(connection);
    if (!connection->is_server)
        ipc_listener_notify(connection->view, connection->slot);
    return true;
}

void ipc_connection_shutdown_at(ipc_connection *connection, uint32_t code, const char *text, uint64_t handled)
{
    /* Whoever sees the close word sees this too [close]. */
    if (connection->is_server && ipc_load_relaxed32(close_word(connection, true)) == 0)
        ipc_store_relaxed64(&connection->body->server_handled, handled + 1);
    ipc_connection_shutdown(connection, code, text);
}

void ipc_connection_shutdown(ipc_connection *connection, uint32_t code, const char *text)
{
    (void)ipc_connection_set_close(connection, code, text);
    ipc_end_mark_closed(&connection->writer.end);
    ipc_end_mark_closed(&connection->reader.end);
    if (connection->is_server)
        ipc_listener_notify(connection->view, connection->slot); /* its own leader, unless it is lent */
}

void ipc_connection_unmap(ipc_connection *connection)
{
    if (!connection->region->forked) {
        ipc_end_close(&connection->writer.end);
        ipc_end_close(&connection->reader.end);
        ipc_watch_remove(&connection->watch);
    }
    ipc_ring_reader_dispose(&connection->reader);
    ipc_region_discard(connection->region);
}

void ipc_connection_dispose(ipc_connection *connection)
{
    ipc_connection_unmap(connection);
    free(connection);
}

/* ---- asking ------------------------------------------------------------------------------------------ */

ipc_ring_writer *ipc_connection_writer(ipc_connection *connection)
{
    return &connection->writer;
}

ipc_ring_reader *ipc_connection_reader(ipc_connection *connection)
{
    return &connection->reader;
}

bool ipc_connection_is_open(const ipc_connection *connection)
{
    return ipc_load_acquire32(close_word(connection, connection->is_server)) == 0 &&
           ipc_connection_peer_state((void *)(uintptr_t)connection) == IPC_PEER_LIVE;
}

uint32_t ipc_connection_close_code(const ipc_connection *connection)
{
    return ipc_load_acquire32(close_word(connection, !connection->is_server)); /* [close] */
}

uint64_t ipc_connection_handled(const ipc_connection *connection)
{
    if (connection->is_server || ipc_connection_close_code(connection) == 0) /* [close] */
        return UINT64_MAX;
    return ipc_load_relaxed64(&connection->body->server_handled) - 1; /* 0, of one that says nothing: the largest */
}

uint32_t ipc_connection_close_text(const ipc_connection *connection, char *text, uint32_t size)
{
    if (size == 0)
        return 0;
    uint32_t length = 0;
    if (!connection->is_server && ipc_connection_close_code(connection) != 0) {
        length = ipc_load_acquire32(&connection->body->server_text_length);
        length = length > IPC_CONNECTION_TEXT_MAX ? IPC_CONNECTION_TEXT_MAX : length;
        length = length > size - 1 ? size - 1 : length;
        memcpy(text, connection->body->server_text, length);
    }
    text[length] = '\0';
    return length;
}

uint32_t ipc_connection_slot(const ipc_connection *connection)
{
    return connection->slot;
}

int32_t ipc_connection_peer_pid(const ipc_connection *connection)
{
    return (int32_t)connection->peer_pid;
}

/* Who makes a region owns its file: the client that of the connection, the server that of the listener. */
uint32_t ipc_connection_peer_user(const ipc_connection *connection)
{
    return connection->is_server ? connection->region->user : connection->view->region->user;
}

uint32_t ipc_connection_protocol_version(const ipc_connection *connection)
{
    return connection->protocol_version;
}

const void *ipc_connection_hello(const ipc_connection *connection, uint32_t *length)
{
    *length = connection->hello_length;
    return connection->hello;
}

void ipc_connection_set_context(ipc_connection *connection, void *context)
{
    connection->context = context;
}

void *ipc_connection_context(const ipc_connection *connection)
{
    return connection->context;
}
