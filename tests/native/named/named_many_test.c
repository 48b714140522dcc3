/* Many clients of one thread; several threads of one client; and nothing to do. */
#include "named_parts.h"

#include <time.h>

#define CLIENTS  200
#define MESSAGES 50

typedef struct echo_server {
    ipc_named_listener *listener;
    ipc_named_connection *all[CLIENTS];
    uint32_t count;
    uint64_t handled;
    test_thread thread;
} echo_server;

static void echo(ipc_named_connection *connection, echo_server *server)
{
    ipc_named_message message;
    while (ipc_named_try_receive(connection, &message) == IPC_OK) {
        CHECK_OK(ipc_named_send(connection, message.payload, message.length, message.type, SOON, NULL, NULL));
        ipc_named_acknowledge(connection, message.sequence);
        server->handled++;
    }
}

static void *serve(void *argument)
{
    echo_server *server = argument;
    ipc_named_event event;
    ipc_status status;
    while ((status = ipc_named_listener_next(server->listener, IPC_FOREVER, NULL, &event)) == IPC_OK) {
        if (event.kind == IPC_NAMED_LOGIN) {
            bool known = false;
            for (uint32_t i = 0; i < server->count; i++)
                known = known || server->all[i] == event.connection;
            if (!known)
                server->all[server->count++] = event.connection;
            CHECK_OK(ipc_named_accept(event.connection, NULL, 0));
        } else if (event.kind == IPC_NAMED_READABLE) {
            echo(event.connection, server);
            ipc_named_return(server->listener, event.connection);
        }
    }
    CHECK_EQUAL(IPC_STOPPED, status);
    return NULL;
}

static void start_server(echo_server *server)
{
    memset(server, 0, sizeof *server);
    server->listener = open_server(NULL);
    test_thread_start(&server->thread, serve, server);
}

static void end_server(echo_server *server)
{
    ipc_named_listener_stop(server->listener);
    test_thread_join(&server->thread);
    ipc_named_listener_close(server->listener, 0, NULL);
    for (uint32_t i = 0; i < server->count; i++)
        ipc_named_close(server->all[i], 0, NULL);
}

static void name_of(uint32_t i, char *name, size_t size)
{
    (void)snprintf(name, size, "client-%u", i);
}

static ipc_named_connection *clients[CLIENTS];
static echo_server server;

TEST(two_hundred_clients_on_one_thread_and_all_of_them_come_again)
{
    const ipc_named_options options = {.to_server_capacity = 4096, .to_client_capacity = 4096, .loan_budget = IPC_NO_LOANS};
    char name[32];
    start_server(&server);
    for (uint64_t round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < CLIENTS; i++) {
            name_of(i, name, sizeof name);
            CHECK_OK(ipc_named_open(SERVER, name, &options, &clients[i]));
            CHECK_OK(ipc_named_connect(clients[i], SOON, NULL));
        }
        for (uint64_t n = round * MESSAGES + 1; n <= (round + 1) * MESSAGES; n++) {
            for (uint32_t i = 0; i < CLIENTS; i++)
                send_number(clients[i], n, n);
            for (uint32_t i = 0; i < CLIENTS; i++) {
                receive_number(clients[i], n, n, false);
                ipc_named_acknowledge(clients[i], 0);
            }
        }
        for (uint32_t i = 0; i < CLIENTS; i++)
            ipc_named_close(clients[i], 0, NULL);
    }
    end_server(&server);
    CHECK_EQUAL(CLIENTS, server.count);
    CHECK_EQUAL(2 * CLIENTS * MESSAGES, server.handled);
    for (uint32_t i = 0; i < CLIENTS; i++) {
        name_of(i, name, sizeof name);
        CHECK_OK(ipc_named_remove(SERVER, name));
    }
}

/* ---- threads --------------------------------------------------------------------------------------------- */

#define STREAM 20000

static void *send_stream(void *connection)
{
    for (uint64_t i = 1; i <= STREAM; i++)
        send_number(connection, i, i);
    return NULL;
}

static void *receive_stream(void *connection)
{
    for (uint64_t i = 1; i <= STREAM; i++) {
        receive_number(connection, i, i, false);
        if (i % 3 == 0)
            ipc_named_acknowledge(connection, i);
    }
    ipc_named_acknowledge(connection, 0);
    return NULL;
}

TEST(one_thread_sends_and_another_receives_and_no_wake_up_is_lost)
{
    const ipc_named_options options = {.to_server_capacity = 4096, .to_client_capacity = 8192,
                                       .loan_budget = IPC_NO_LOANS, .wait_mode = IPC_WAIT_BLOCK};
    ipc_named_connection *client = open_client(&options);
    test_thread sender;
    test_thread receiver;
    test_thread_start(&sender, send_stream, client); /* the two log in by themselves */
    test_thread_start(&receiver, receive_stream, client);
    start_server(&server);
    test_thread_join(&sender);
    test_thread_join(&receiver);
    ipc_named_close(client, 0, NULL);
    end_server(&server);
    remove_conversation();
}

TEST(a_server_comes_and_goes_under_two_threads_and_each_message_arrives)
{
    const ipc_named_options options = {.to_server_capacity = 16384, .to_client_capacity = 16384,
                                       .loan_budget = IPC_NO_LOANS};
    ipc_named_connection *client = open_client(&options);
    test_thread sender;
    test_thread receiver;
    test_thread_start(&sender, send_stream, client);
    test_thread_start(&receiver, receive_stream, client);
    while (ipc_named_received(client) < STREAM) {
        const uint64_t before = ipc_named_received(client);
        start_server(&server);
        WAIT_FOR(ipc_named_received(client) >= before + 500 || ipc_named_received(client) == STREAM);
        end_server(&server);
    }
    test_thread_join(&sender);
    test_thread_join(&receiver);
    ipc_named_close(client, 0, NULL);
    remove_conversation();
}

typedef struct resetting {
    ipc_named_connection *connection;
    _Atomic bool is_over;
    uint64_t committed; /* and not received by any server */
} resetting;

static void *send_on(void *argument)
{
    resetting *it = argument;
    uint64_t number = 7;
    while (!it->is_over) {
        const ipc_status status =
            ipc_named_send(it->connection, &number, sizeof number, 7, ipc_deadline_after(1000000), NULL, NULL);
        CHECK(status == IPC_OK || status == IPC_TIMEOUT);
        if (status == IPC_OK)
            it->committed++;
    }
    return NULL;
}

TEST(what_a_thread_sends_while_another_begins_anew_is_counted_as_lost_or_arrives)
{
    const ipc_named_options options = {.to_server_capacity = 65536, .to_client_capacity = 4096,
                                       .loan_budget = IPC_NO_LOANS};
    resetting it = {.connection = open_client(&options)};
    test_thread sender;
    uint64_t arrived = 0;
    uint64_t lost = 0;
    uint64_t seen = 0;
    test_thread_start(&sender, send_on, &it);
    for (int round = 0; round < 60; round++) {
        ipc_named_listener *listener = open_server(round % 2 == 0 ? "A" : "B");
        ipc_named_connection *there = NULL;
        const ipc_deadline until = ipc_deadline_after(5000000);
        ipc_named_event event;
        ipc_named_message message;
        while (ipc_deadline_after(0) < until || there == NULL) {
            if (ipc_named_listener_next(listener, ipc_deadline_after(1000000), NULL, &event) != IPC_OK)
                continue;
            there = event.connection;
            if (event.kind == IPC_NAMED_LOGIN)
                CHECK_OK(ipc_named_accept(there, NULL, 0));
            if (event.kind != IPC_NAMED_READABLE)
                continue;
            for (int i = 0; i < 100 && ipc_named_try_receive(there, &message) == IPC_OK; i++) {
                arrived++;
                ipc_named_acknowledge(there, message.sequence);
            }
            ipc_named_return(listener, there);
        }
        ipc_named_reset reset;
        ipc_named_last_reset(it.connection, &reset);
        CHECK(reset.count <= seen + 1);
        if (reset.count == seen + 1)
            lost += reset.unacknowledged_sent;
        seen = reset.count;
        if (round == 59) {
            it.is_over = true;
            test_thread_join(&sender);
            while (ipc_named_try_receive(there, &message) == IPC_OK)
                arrived++;
            ipc_named_acknowledge(there, 0);
        }
        ipc_named_close(there, 0, NULL);
        ipc_named_listener_close(listener, 0, NULL);
    }
    CHECK_EQUAL(it.committed, arrived + lost);
    CHECK(seen > 50);
    ipc_named_close(it.connection, 0, NULL);
    remove_conversation();
}

/* ---- two threads, one session ------------------------------------------------------------------------------ */

static void *receive_one(void *connection)
{
    ipc_named_message message;
    CHECK_OK(ipc_named_receive(connection, IPC_FOREVER, NULL, &message));
    return NULL;
}

static void *send_one(void *connection)
{
    CHECK_OK(ipc_named_send(connection, "1", 1, 7, IPC_FOREVER, NULL, NULL));
    return NULL;
}

/* The other thread finds that the server has gone, and does not come again: who sleeps has to look for it. */
TEST(who_waits_looks_for_the_server_when_another_thread_has_lost_it)
{
    for (int sends = 0; sends < 2; sends++) {
        const ipc_named_options options = {.to_server_capacity = 4096};
        ipc_named_connection *client = open_client(&options);
        ipc_named_listener *listener = open_server(NULL);
        ipc_named_connection *there = log_in(client, listener);
        while (sends != 0 && ipc_named_try_send(client, "1", 1, 7, NULL) == IPC_OK)
            ;
        test_thread waiter;
        test_thread_start(&waiter, sends != 0 ? send_one : receive_one, client);
        test_pause(30);
        ipc_named_ends *ends = ipc_named_current(client);
        ipc_atomic32 *state = sends != 0 ? &ends->reader.header->writer_state : &ends->writer.header->reader_state;
        ipc_store_relaxed32(state, IPC_OWNER_LEFT); /* that the waiter does not look at */
        ipc_named_lose(client, ends);
        ipc_store_relaxed32(state, IPC_OWNER_LIVE);

        ipc_named_event event = {0}; /* what has come before, then the end of the session, then the next one */
        do {
            CHECK_OK(ipc_named_listener_next(listener, SOON, NULL, &event));
            if (event.kind == IPC_NAMED_READABLE)
                ipc_named_return(listener, event.connection);
        } while (event.kind != IPC_NAMED_LOGIN);
        CHECK_OK(ipc_named_accept(there, NULL, 0));
        ipc_named_message message;
        if (sends != 0) {
            CHECK_OK(ipc_named_receive(there, SOON, NULL, &message));
            ipc_named_acknowledge(there, 0);
        } else {
            CHECK_OK(ipc_named_send(there, "1", 1, 7, SOON, NULL, NULL));
        }
        test_thread_join(&waiter);
        ipc_named_close(client, 0, NULL);
        ipc_named_close(there, 0, NULL);
        ipc_named_listener_close(listener, 0, NULL);
        remove_conversation();
    }
}

/* ---- nothing to do --------------------------------------------------------------------------------------- */

static void *wait_for_message(void *connection)
{
    ipc_named_message message;
    CHECK_STATUS(IPC_CLOSED, ipc_named_receive(connection, IPC_FOREVER, NULL, &message));
    return NULL;
}

static uint64_t processor_ns(void)
{
    struct timespec time;
    CHECK_EQUAL(0, clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time));
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

TEST(who_has_nothing_to_do_uses_no_processor)
{
    test_thread waiters[4];
    char name[32];
    start_server(&server);
    for (uint32_t i = 0; i < 4; i++) {
        name_of(i, name, sizeof name);
        CHECK_OK(ipc_named_open(SERVER, name, NULL, &clients[i]));
        CHECK_OK(ipc_named_connect(clients[i], SOON, NULL));
        test_thread_start(&waiters[i], wait_for_message, clients[i]);
    }
    test_pause(50);
    const uint64_t before = processor_ns();
    test_pause(400);
    CHECK(processor_ns() - before < 20000000); /* of 400 ms of five threads */
    for (uint32_t i = 0; i < 4; i++) {
        ipc_named_close(clients[i], 0, NULL);
        test_thread_join(&waiters[i]);
    }
    end_server(&server);
    for (uint32_t i = 0; i < 4; i++) {
        name_of(i, name, sizeof name);
        CHECK_OK(ipc_named_remove(SERVER, name));
    }
}
