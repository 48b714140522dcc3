/* peer listen, peer connect: echo over a listener. */
#include "ignore.h"
#include "peer.h"

#include <pthread.h>
#include <unistd.h>

/* The end of the input stops the server. */
static void *stop_at_input_end(void *listener)
{
    peer_wait_for_input_end();
    ipc_listener_stop(listener);
    return NULL;
}

/* Echoes what there is. The reply waits for room: a client that never reads holds up this server, which is a test's,
   not a product's. */
static ipc_status echo(ipc_connection *connection)
{
    ipc_ring_reader *reader = ipc_connection_reader(connection);
    ipc_record record;
    ipc_status status;
    while ((status = ipc_ring_try_read(reader, &record)) == IPC_OK) {
        status = ipc_ring_write(ipc_connection_writer(connection), record.payload, record.length, record.type,
                                peer_deadline, NULL);
        if (status != IPC_OK)
            return status;
        ipc_ring_release(reader);
    }
    return status == IPC_EMPTY ? IPC_OK : status;
}

static void handle(ipc_listener *listener, const ipc_event *event)
{
    switch (event->kind) {
    case IPC_EVENT_CONNECT:
        ignore(ipc_connection_accept(event->connection));
        break;
    case IPC_EVENT_READABLE:
        if (echo(event->connection) != IPC_OK) {
            ipc_connection_close(event->connection);
            return;
        }
        break;
    case IPC_EVENT_CLOSED:
        ipc_connection_close(event->connection);
        return;
    case IPC_EVENT_FOLLOWED:
        return;
    }
    ipc_listener_return(listener, event->connection);
}

int peer_listen(char **arguments, int count)
{
    (void)count;
    const ipc_listener_options options = {.wait_mode = peer_ring_options.wait_mode};
    ipc_listener *listener = NULL;
    ipc_status status = ipc_listener_open(arguments[0], &options, &listener);
    if (status != IPC_OK)
        return peer_error(status);
    pthread_t stopper;
    if (pthread_create(&stopper, NULL, stop_at_input_end, listener) != 0)
        return 3;
    printf("ready\n");
    for (;;) {
        ipc_event event;
        status = ipc_listener_next(listener, peer_deadline, NULL, &event);
        if (status != IPC_OK)
            break;
        handle(listener, &event);
    }
    if (status == IPC_STOPPED)
        (void)pthread_join(stopper, NULL); /* otherwise it waits for input; the process ends */
    int result = status == IPC_STOPPED ? 0 : peer_error(status);
    ipc_listener_close(listener);
    return result;
}

static int exchange(ipc_connection *connection, uint64_t number, uint32_t size)
{
    void *payload = NULL;
    ipc_record record;
    ipc_status status = ipc_ring_claim(ipc_connection_writer(connection), size, peer_deadline, NULL, &payload);
    if (status != IPC_OK)
        return peer_error(status);
    peer_fill(payload, number, size);
    status = ipc_ring_commit(ipc_connection_writer(connection), size, (uint16_t)number);
    if (status == IPC_OK)
        status = ipc_ring_read(ipc_connection_reader(connection), peer_deadline, NULL, &record);
    if (status != IPC_OK)
        return peer_error(status);
    if (record.type != (uint16_t)number || record.length != size)
        return peer_wrong("type %u, %u bytes came back for number %llu", record.type, record.length,
                          (unsigned long long)number);
    int result = peer_check(record.payload, number, record.length);
    ipc_ring_release(ipc_connection_reader(connection));
    return result;
}

int peer_connect(char **arguments, int count)
{
    (void)count;
    const uint64_t records = strtoull(arguments[1], NULL, 10);
    const uint32_t size = (uint32_t)strtoul(arguments[2], NULL, 10);
    if (size < 8)
        return 2;
    const ipc_connect_options options = {
        .to_server_capacity = peer_ring_options.capacity,
        .to_client_capacity = peer_ring_options.capacity,
        .loan_budget = peer_ring_options.loan_budget,
        .wait_mode = peer_ring_options.wait_mode,
        .deadline = peer_ring_options.deadline,
    };
    ipc_connection *connection = NULL;
    ipc_status status = ipc_connect(arguments[0], &options, &connection);
    if (status != IPC_OK)
        return peer_error(status);
    int result = 0;
    for (uint64_t i = 0; i < records && result == 0; i++)
        result = exchange(connection, i, size);
    ipc_connection_close(connection);
    return result;
}
