/* Threads that take turns at leading: what one gives back, another must find, whatever a third one closes meanwhile. */
#include "echo_server.h"
#include "platform/platform.h"

enum { LEADERS = 3 };

typedef struct crew {
    ipc_listener *listener;
    test_thread threads[LEADERS];
    ipc_mutex lead;
} crew;

static void handle(ipc_listener *listener, const ipc_event *event)
{
    ipc_connection *connection = event->connection;
    ipc_record record;
    if (event->kind == IPC_EVENT_CLOSED) {
        ipc_connection_close(connection);
        return;
    }
    if (event->kind == IPC_EVENT_CONNECT)
        CHECK_OK(ipc_connection_accept(connection));
    while (ipc_ring_try_read(ipc_connection_reader(connection), &record) == IPC_OK) {
        CHECK_OK(ipc_ring_write(ipc_connection_writer(connection), record.payload, record.length, record.type, SOON, NULL));
        ipc_ring_release(ipc_connection_reader(connection));
    }
    ipc_listener_return(listener, connection);
}

static void *lead(void *argument)
{
    crew *all = argument;
    for (;;) {
        ipc_event event;
        ipc_mutex_lock(&all->lead);
        const ipc_status status = ipc_listener_next(all->listener, IPC_FOREVER, NULL, &event);
        ipc_mutex_unlock(&all->lead);
        if (status != IPC_OK)
            return NULL;
        handle(all->listener, &event);
    }
}

/* Who closed a lent connection took the stack of what was given back off for a moment, and put it back without waking
   anybody. A leader that looked in this moment went to sleep, and nobody looked at those connections any more until
   something else rang. So here nothing else does: each step of the one client waits for the one before. */
TEST(what_is_given_back_while_another_one_is_closed_is_found)
{
    const ipc_listener_options options = {.wait_mode = IPC_WAIT_BLOCK};
    const int rounds = test_is_long() ? 100000 : 1000;
    crew all = {.lead = IPC_MUTEX_INIT};
    CHECK_OK(ipc_listener_open("l", &options, &all.listener));
    for (int i = 0; i < LEADERS; i++)
        test_thread_start(&all.threads[i], lead, &all);
    const ipc_connect_options small = {
        .to_server_capacity = 4096, .to_client_capacity = 4096, .loan_budget = IPC_NO_LOANS};
    ipc_connection *stays = connect_to(&small);
    for (int i = 0; i < rounds; i++) {
        ipc_connection *goes = connect_to(&small);
        const uint64_t number = (uint64_t)i;
        CHECK_OK(ipc_ring_write(ipc_connection_writer(stays), &number, sizeof number, 1, SOON, NULL));
        ipc_connection_close(goes);
        ipc_record record;
        CHECK_OK(ipc_ring_read(ipc_connection_reader(stays), SOON, NULL, &record));
        ipc_ring_release(ipc_connection_reader(stays));
        expect_echo(stays, number);
    }
    ipc_connection_close(stays);
    ipc_listener_stop(all.listener);
    for (int i = 0; i < LEADERS; i++)
        test_thread_join(&all.threads[i]);
    ipc_listener_close(all.listener);
    CHECK_EQUAL(0, test_files());
}
