#include "echo_server.h"

static void echo(echo_server *one, ipc_connection *connection)
{
    ipc_ring_reader *reader = ipc_connection_reader(connection);
    ipc_record record;
    ipc_status status;
    while ((status = ipc_ring_try_read(reader, &record)) == IPC_OK) {
        CHECK_OK(
            ipc_ring_write(ipc_connection_writer(connection), record.payload, record.length, record.type, SOON, NULL));
        ipc_ring_release(reader);
    }
    if (one->closes_at_once) {
        ipc_connection_shutdown(connection, IPC_CLOSE_PROTOCOL, "enough");
        ipc_connection_close(connection);
    } else if (status != IPC_EMPTY) {
        ipc_connection_close(connection);
        one->closed++;
    } else {
        ipc_listener_return(one->listener, connection);
    }
}

void *echo_server_serve(void *argument)
{
    echo_server *one = argument;
    ipc_event event;
    while ((one->ended = ipc_listener_next(one->listener, SOON, NULL, &event)) == IPC_OK) {
        if (event.kind == IPC_EVENT_READABLE) {
            echo(one, event.connection);
        } else if (event.kind == IPC_EVENT_CLOSED) {
            ipc_connection_close(event.connection);
            one->closed++;
        } else if (one->refuses != NULL) {
            CHECK_OK(ipc_connection_refuse(event.connection, one->refuses));
        } else {
            CHECK_OK(ipc_connection_accept(event.connection));
            one->connected++;
            ipc_listener_return(one->listener, event.connection);
        }
    }
    return NULL;
}

void echo_server_start(echo_server *one, const ipc_listener_options *options)
{
    CHECK_OK(ipc_listener_open("l", options, &one->listener));
    test_thread_start(&one->thread, echo_server_serve, one);
}

void echo_server_stop(echo_server *one)
{
    ipc_listener_stop(one->listener);
    test_thread_join(&one->thread);
    CHECK_STATUS(IPC_STOPPED, one->ended);
    ipc_listener_close(one->listener);
}

ipc_connection *connect_to(const ipc_connect_options *options)
{
    ipc_connection *connection = NULL;
    ipc_connect_options patient = options != NULL ? *options : (ipc_connect_options){0};
    if (patient.deadline == 0)
        patient.deadline = SOON; /* 5 s by default, which a loaded machine may need */
    if (patient.loan_budget == 0 && sizeof(void *) == 4)
        patient.loan_budget = 1 << 20; /* both ends of many connections are in this process, which has few addresses */
    CHECK_OK(ipc_connect("l", &patient, &connection));
    return connection;
}

void expect_echo(ipc_connection *connection, uint64_t number)
{
    ipc_record record;
    CHECK_OK(ipc_ring_write(ipc_connection_writer(connection), &number, 8, (uint16_t)number, SOON, NULL));
    CHECK_OK(ipc_ring_read(ipc_connection_reader(connection), SOON, NULL, &record));
    CHECK(record.length == 8 && memcmp(record.payload, &number, 8) == 0 && record.type == (uint16_t)number);
    ipc_ring_release(ipc_connection_reader(connection));
}
