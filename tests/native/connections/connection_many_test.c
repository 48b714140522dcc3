/* Many connections, many threads. */
#include <time.h>

#include "connections/connection.h"
#include "echo_server.h"

static const ipc_wait_mode modes[] = {IPC_WAIT_ADAPTIVE, IPC_WAIT_SPIN, IPC_WAIT_BLOCK};

static void *connect_and_close(void *unused)
{
    (void)unused;
    ipc_connection_close(connect_to(NULL));
    return NULL;
}

enum { THOUSAND = 1000 };

static ipc_connection *clients[THOUSAND];

static void connect_a_thousand(echo_server *one)
{
    /* without loans: a thousand times the address space of the default budget is more than a sanitizer leaves */
    const ipc_connect_options options = {
        .to_server_capacity = 4096, .to_client_capacity = 4096, .loan_budget = IPC_NO_LOANS};
    echo_server_start(one, NULL);
    for (int i = 0; i < THOUSAND; i++)
        clients[i] = connect_to(&options);
    WAIT_FOR(one->connected == THOUSAND); /* counted after the reply */
    for (int i = 0; i < THOUSAND; i++)
        expect_echo(clients[i], (uint64_t)i);
}

static void close_the_thousand(echo_server *one)
{
    for (int i = 0; i < THOUSAND; i++)
        ipc_connection_close(clients[i]);
    WAIT_FOR(one->closed == THOUSAND);
    echo_server_stop(one);
}

TEST(a_thousand_connections_at_once)
{
    echo_server one = {0};
    connect_a_thousand(&one);
    for (int i = 0; i < 5000; i++) /* more of them awake than are polled */
        expect_echo(clients[i * 7 % 100], (uint64_t)i);
    close_the_thousand(&one);
}

static uint64_t processor_ns(void)
{
    return (uint64_t)clock() * (1000000000u / CLOCKS_PER_SEC);
}

/* The server and its clients are in this process. */
POSIX_TEST(a_thousand_idle_connections_use_no_processor)
{
    echo_server one = {0};
    connect_a_thousand(&one);
    test_pause(50);
    const uint64_t before = processor_ns();
    test_pause(1000); /* what is measured: a second of nothing */
    CHECK(processor_ns() - before < 20000000);
    expect_echo(clients[THOUSAND - 1], 1);
    close_the_thousand(&one);
}

static void *connect_and_echo(void *unused)
{
    (void)unused;
    for (int i = 0; i < 20; i++) {
        const ipc_connect_options options = {
            .to_server_capacity = 4096, .to_client_capacity = 4096, .wait_mode = modes[i % 3]};
        ipc_connection *connection = connect_to(&options);
        for (uint64_t k = 0; k < 50; k++)
            expect_echo(connection, k);
        ipc_connection_close(connection);
    }
    return NULL;
}

TEST(clients_come_and_go_from_many_threads)
{
    echo_server one = {0};
    test_thread threads[4];
    echo_server_start(&one, NULL);
    for (int i = 0; i < 4; i++)
        test_thread_start(&threads[i], connect_and_echo, NULL);
    for (int i = 0; i < 4; i++)
        test_thread_join(&threads[i]);
    WAIT_FOR(one.closed == 80);
    echo_server_stop(&one);
}

static void *close_from_elsewhere(void *connection)
{
    ipc_connection_close(connection);
    return NULL;
}

TEST(a_connection_closed_by_another_thread_frees_its_slot)
{
    ipc_listener *listener = NULL;
    const ipc_listener_options options = {.max_connections = 1};
    CHECK_OK(ipc_listener_open("l", &options, &listener));
    for (int i = 0; i < 50; i++) {
        ipc_event event;
        test_thread client;
        test_thread closer;
        test_thread_start(&client, connect_and_close, NULL);
        CHECK_OK(ipc_listener_next(listener, SOON, NULL, &event));
        CHECK_EQUAL(IPC_EVENT_CONNECT, event.kind);
        CHECK_OK(ipc_connection_accept(event.connection));
        test_thread_start(&closer, close_from_elsewhere, event.connection);
        CHECK_STATUS(IPC_TIMEOUT, ipc_listener_next(listener, ipc_deadline_after(100000), NULL, &event));
        test_thread_join(&closer);
        test_thread_join(&client);
    }
    ipc_listener_close(listener);
}

typedef struct blocked_reader {
    ipc_connection *connection;
    ipc_status status;
} blocked_reader;

static void *read_blocked(void *argument)
{
    blocked_reader *one = argument;
    ipc_record record;
    one->status = ipc_ring_read(ipc_connection_reader(one->connection), SOON, NULL, &record);
    return NULL;
}

TEST(a_server_may_wait_on_a_lent_connection)
{
    ipc_listener *listener = NULL;
    ipc_event event;
    test_thread client;
    test_thread waiting;
    const ipc_listener_options options = {.wait_mode = IPC_WAIT_BLOCK};
    CHECK_OK(ipc_listener_open("l", &options, &listener));
    for (int i = 0; i < 20; i++) {
        test_thread_start(&client, connect_and_close, NULL);
        CHECK_OK(ipc_listener_next(listener, SOON, NULL, &event));
        blocked_reader one = {.connection = event.connection};
        test_thread_start(&waiting, read_blocked, &one);
        CHECK_OK(ipc_connection_accept(event.connection)); /* upon which the client closes */
        test_thread_join(&client);
        test_thread_join(&waiting);
        CHECK_STATUS(IPC_PEER_CLOSED, one.status);
        ipc_connection_close(event.connection);
    }
    ipc_listener_close(listener);
}
