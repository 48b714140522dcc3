/* A server of named connections that is driven by an event loop. */
#include "named/named_listener.h"
#include "named_parts.h"
#include "ready.h"

enum { ROUNDS = 100 };

static void *ask_often(void *unused)
{
    (void)unused;
    ipc_named_connection *client = open_client(NULL);
    for (uint64_t i = 1; i <= ROUNDS; i++) {
        send_number(client, i, i);
        receive_number(client, i, i, false);
        ipc_named_acknowledge(client, 0);
    }
    ipc_named_close(client, 0, NULL);
    return NULL;
}

static void send_back(ipc_named_connection *connection)
{
    ipc_named_message message;
    while (ipc_named_try_receive(connection, &message) == IPC_OK)
        CHECK_OK(ipc_named_send(connection, message.payload, message.length, message.type, SOON, NULL, NULL));
    ipc_named_acknowledge(connection, 0);
}

TEST(a_server_is_served_by_an_event_loop)
{
    ipc_named_listener *listener = open_server(NULL);
    ipc_ready_handle *handle = make();
    CHECK_STATUS(IPC_EMPTY, ipc_named_listener_arm(listener, IPC_FOREVER, NULL, handle));
    is_quiet(handle);
    test_thread thread;
    test_thread_start(&thread, ask_often, NULL);
    ipc_named_connection *served = NULL;
    for (bool gone = false; !gone;) {
        ipc_named_event event;
        while (!gone && ipc_named_listener_next(listener, IPC_NOW, NULL, &event) == IPC_OK) {
            served = event.connection;
            gone = event.kind == IPC_NAMED_LOGOUT;
            if (event.kind == IPC_NAMED_LOGIN)
                CHECK_OK(ipc_named_accept(served, NULL, 0));
            if (event.kind != IPC_NAMED_READABLE)
                continue;
            send_back(served);
            ipc_named_return(listener, served);
        }
        const ipc_status status = gone ? IPC_OK : ipc_named_listener_arm(listener, IPC_FOREVER, NULL, handle);
        CHECK(status == IPC_OK || status == IPC_EMPTY);
        if (!gone)
            comes(handle);
    }
    test_thread_join(&thread);
    ipc_named_listener_stop(listener);
    CHECK_STATUS(IPC_STOPPED, ipc_named_listener_arm(listener, IPC_FOREVER, NULL, handle));
    comes(handle);
    ipc_ready_handle_destroy(handle);
    ipc_named_close(served, 0, NULL);
    ipc_named_listener_close(listener, 0, NULL);
    remove_conversation();
}

/* A login beside the end of the former session: two events, of which the loop has taken one. */
TEST(an_event_that_was_found_makes_a_handle_ready)
{
    ipc_named_listener *listener = open_server(NULL);
    ipc_ready_handle *handle = make();
    ipc_named_event event = {.kind = IPC_NAMED_READABLE};
    ipc_named_connection *client = open_client(NULL);
    ipc_named_connection *server = log_in(client, listener);
    listener->queued[listener->queued_count++] = (ipc_named_event){
        .kind = IPC_NAMED_READABLE, .connection = server, .text = ""}; /* as the leader leaves it */
    CHECK_OK(ipc_named_listener_arm(listener, IPC_FOREVER, NULL, handle));
    comes(handle);
    CHECK_OK(ipc_named_listener_next(listener, IPC_NOW, NULL, &event));
    CHECK(event.connection == server);
    CHECK_STATUS(IPC_EMPTY, ipc_named_listener_arm(listener, IPC_FOREVER, NULL, handle));
    is_quiet(handle);
    ipc_ready_handle_destroy(handle);
    ipc_named_close(client, 0, NULL);
    ipc_named_close(server, 0, NULL);
    ipc_named_listener_close(listener, 0, NULL);
    remove_conversation();
}
