/* A client that waits for room on a live server that has nothing else to do gets it: what the reader holds back comes
   before it sleeps, and whenever it is asked. */
#define _GNU_SOURCE
#include "connections/connection.h"
#include "echo_server.h"

#define CAPACITY (256u << 10)

static const ipc_wait_mode modes[] = {IPC_WAIT_ADAPTIVE, IPC_WAIT_SPIN, IPC_WAIT_BLOCK};

/* A server that reads and says nothing. */
typedef struct sink {
    ipc_listener *listener;
    test_thread thread;
    _Atomic uint32_t read;
} sink;

static void *serve(void *argument)
{
    sink *one = argument;
    ipc_event event;
    while (ipc_listener_next(one->listener, SOON, NULL, &event) == IPC_OK) {
        ipc_record record;
        if (event.kind == IPC_EVENT_CLOSED) {
            ipc_connection_close(event.connection);
            continue;
        }
        if (event.kind == IPC_EVENT_CONNECT)
            CHECK_OK(ipc_connection_accept(event.connection));
        while (ipc_ring_try_read(ipc_connection_reader(event.connection), &record) == IPC_OK) {
            ipc_ring_release(ipc_connection_reader(event.connection));
            one->read++;
        }
        ipc_listener_return(one->listener, event.connection);
    }
    return NULL;
}

static void start(sink *one, ipc_wait_mode mode)
{
    const ipc_listener_options options = {.wait_mode = mode};
    CHECK_OK(ipc_listener_open("l", &options, &one->listener));
    test_thread_start(&one->thread, serve, one);
}

static void stop(sink *one)
{
    ipc_listener_stop(one->listener);
    test_thread_join(&one->thread);
    ipc_listener_close(one->listener);
}

static const uint8_t bytes[CAPACITY];

static void send_bytes(ipc_connection *connection, uint32_t length)
{
    CHECK_OK(ipc_ring_write(ipc_connection_writer(connection), bytes, length, 1, SOON, NULL));
}

/* 120,000 bytes are returned at once; of twenty times 1,000 less than an eighth of the ring is held back, and without
   that the next long record does not fit. */
static void fill_until_something_is_held_back(ipc_connection *connection)
{
    send_bytes(connection, 120000);
    for (int i = 0; i < 20; i++)
        send_bytes(connection, 1000);
}

TEST(a_request_that_fits_is_sent_however_the_server_waits)
{
    for (int i = 0; i < 9; i++) {
        sink one = {0};
        const ipc_connect_options options = {.wait_mode = modes[i % 3]};
        start(&one, modes[i / 3]);
        ipc_connection *connection = connect_to(&options);
        fill_until_something_is_held_back(connection);
        WAIT_FOR(one.read == 21);
        if (modes[i / 3] != IPC_WAIT_SPIN) /* it sleeps */
            WAIT_FOR((ipc_load_acquire32(&connection->view->body->doorbell.word) & IPC_WAITER_SLEEPING) != 0);
        send_bytes(connection, 125000);
        WAIT_FOR(one.read == 22);
        ipc_connection_close(connection);
        stop(&one);
    }
}

TEST(so_is_one_to_a_server_that_only_looks_now_and_then)
{
    ipc_listener *listener = NULL;
    ipc_event event;
    ipc_record record;
    sink one = {0};
    start(&one, IPC_WAIT_BLOCK);
    ipc_connection *connection = connect_to(NULL);
    ipc_listener_stop(one.listener);
    test_thread_join(&one.thread);
    ipc_listener_resume(one.listener);
    listener = one.listener;

    fill_until_something_is_held_back(connection);
    CHECK_OK(ipc_listener_next(listener, SOON, NULL, &event));
    while (ipc_ring_try_read(ipc_connection_reader(event.connection), &record) == IPC_OK)
        ipc_ring_release(ipc_connection_reader(event.connection));
    ipc_listener_return(listener, event.connection);

    void *payload = NULL;
    CHECK_STATUS(IPC_FULL, ipc_ring_try_claim(ipc_connection_writer(connection), 125000, &payload)); /* wanted */
    CHECK_STATUS(IPC_TIMEOUT, ipc_listener_next(listener, IPC_NOW, NULL, &event));
    CHECK_OK(ipc_ring_try_claim(ipc_connection_writer(connection), 125000, &payload));
    ipc_ring_abandon(ipc_connection_writer(connection));
    ipc_connection_close(connection);
    ipc_listener_close(listener);
}

/* More than a leader polls: some of them are put to sleep one by one. */
TEST(a_connection_that_makes_room_for_another_among_the_polled_ones_returns_its_space)
{
    enum { CLIENTS = 40 };
    ipc_connection *connections[CLIENTS];
    sink one = {0};
    start(&one, IPC_WAIT_SPIN); /* never asleep: it is the making of room that has to do it */
    for (int i = 0; i < CLIENTS; i++)
        connections[i] = connect_to(NULL);
    for (int i = 0; i < CLIENTS; i++)
        fill_until_something_is_held_back(connections[i]);
    WAIT_FOR(one.read == 21 * CLIENTS);
    for (int i = 0; i < CLIENTS; i++)
        send_bytes(connections[i], 125000);
    WAIT_FOR(one.read == 22 * CLIENTS);
    for (int i = 0; i < CLIENTS; i++)
        ipc_connection_close(connections[i]);
    stop(&one);
}

TEST(requests_of_random_sizes_all_fit)
{
    const int calls = test_is_long() ? 30000 : 3000;
    uint64_t random = 0x9E3779B97F4A7C15u;
    echo_server one = {0};
    echo_server_start(&one, NULL);
    ipc_connection *connection = connect_to(NULL);
    for (int i = 0; i < calls; i++) {
        ipc_record record;
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        const uint32_t length = (uint32_t)(random % 128001);
        send_bytes(connection, length);
        CHECK_OK(ipc_ring_read(ipc_connection_reader(connection), SOON, NULL, &record));
        CHECK_EQUAL(length, record.length);
        ipc_ring_release(ipc_connection_reader(connection));
    }
    ipc_connection_close(connection);
    echo_server_stop(&one);
}
