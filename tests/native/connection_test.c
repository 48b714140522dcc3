/* Listener and connection: connecting, refusing, events, closing, many clients, deaths. */
#define _GNU_SOURCE
#include "connections/connection.h"
#include "test.h"

#include <signal.h>
#include <unistd.h>

static const ipc_wait_mode modes[] = {IPC_WAIT_ADAPTIVE, IPC_WAIT_SPIN, IPC_WAIT_BLOCK};

/* An echo server in a thread of its own. */
typedef struct server {
    ipc_listener *listener;
    test_thread thread;
    const char *refuses; /* everybody, with this text */
    bool closes_at_once; /* closes a connection when it has something to read */
    _Atomic int connected;
    _Atomic int closed;
    ipc_status ended;
} server;

static void echo(server *one, ipc_connection *connection)
{
    ipc_ring_reader *reader = ipc_connection_reader(connection);
    ipc_record record;
    ipc_status status;
    while ((status = ipc_ring_try_read(reader, &record)) == IPC_OK) {
        CHECK_OK(ipc_ring_write(ipc_connection_writer(connection), record.payload, record.length, record.type, SOON, NULL));
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

static void *serve(void *argument)
{
    server *one = argument;
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

static void server_start(server *one, const ipc_listener_options *options)
{
    CHECK_OK(ipc_listener_open("l", options, &one->listener));
    test_thread_start(&one->thread, serve, one);
}

static void server_stop(server *one)
{
    ipc_listener_stop(one->listener);
    test_thread_join(&one->thread);
    CHECK_STATUS(IPC_STOPPED, one->ended);
    ipc_listener_close(one->listener);
}

static ipc_connection *connect_to(const ipc_connect_options *options)
{
    ipc_connection *connection = NULL;
    CHECK_OK(ipc_connect("l", options, &connection));
    return connection;
}

static void expect_echo(ipc_connection *connection, uint64_t number)
{
    ipc_record record;
    CHECK_OK(ipc_ring_write(ipc_connection_writer(connection), &number, 8, (uint16_t)number, SOON, NULL));
    CHECK_OK(ipc_ring_read(ipc_connection_reader(connection), SOON, NULL, &record));
    CHECK(record.length == 8 && memcmp(record.payload, &number, 8) == 0 && record.type == (uint16_t)number);
    ipc_ring_release(ipc_connection_reader(connection));
}

TEST(records_travel_both_ways_in_every_wait_mode)
{
    for (int i = 0; i < 9; i++) {
        server one = {0};
        const ipc_listener_options listener_options = {.wait_mode = modes[i / 3]};
        const ipc_connect_options options = {.wait_mode = modes[i % 3], .to_server_capacity = 4096, .to_client_capacity = 4096};
        server_start(&one, &listener_options);
        ipc_connection *connection = connect_to(&options);
        CHECK(ipc_connection_is_open(connection));
        CHECK_EQUAL(getpid(), ipc_connection_peer_pid(connection));
        for (uint64_t k = 0; k < 500; k++)
            expect_echo(connection, k);
        ipc_connection_close(connection);
        WAIT_FOR(one.closed == 1);
        server_stop(&one);
    }
}

TEST(a_server_sleeps_and_is_woken_for_each_record)
{
    server one = {0};
    const ipc_listener_options listener_options = {.wait_mode = IPC_WAIT_BLOCK};
    server_start(&one, &listener_options);
    ipc_connection *connection = connect_to(NULL);
    ipc_waiter *doorbell = &connection->view->body->doorbell;
    for (uint64_t k = 0; k < 200; k++) {
        WAIT_FOR((ipc_load_acquire32(&doorbell->word) & IPC_WAITER_SLEEPING) != 0);
        expect_echo(connection, k);
    }
    ipc_connection_close(connection);
    server_stop(&one);
}

TEST(there_is_no_server)
{
    ipc_connection *connection = NULL;
    ipc_cancel *cancel = NULL;
    CHECK_STATUS(IPC_E_NOT_FOUND, ipc_connect("l", NULL, &connection));
    const ipc_connect_options patient = {.deadline = ipc_deadline_after(20000000)};
    CHECK_STATUS(IPC_E_NOT_FOUND, ipc_connect("l", &patient, &connection));
    CHECK_OK(ipc_cancel_create(&cancel));
    ipc_cancel_trigger(cancel);
    const ipc_connect_options cancelled = {.deadline = IPC_FOREVER, .cancel = cancel};
    CHECK_STATUS(IPC_CANCELLED, ipc_connect("l", &cancelled, &connection));
    ipc_cancel_destroy(cancel);
}

TEST(a_ring_of_that_name_is_not_a_listener)
{
    ipc_ring_writer *writer = NULL;
    ipc_listener *listener = NULL;
    ipc_connection *connection = NULL;
    CHECK_OK(ipc_ring_writer_open("l", NULL, &writer));
    CHECK_STATUS(IPC_E_KIND, ipc_connect("l", NULL, &connection));
    CHECK_STATUS(IPC_E_KIND, ipc_listener_open("l", NULL, &listener));
    ipc_ring_writer_close(writer);
}

TEST(a_second_live_server_is_refused)
{
    ipc_listener *first = NULL;
    ipc_listener *second = NULL;
    CHECK_OK(ipc_listener_open("l", NULL, &first));
    CHECK_STATUS(IPC_E_IN_USE, ipc_listener_open("l", NULL, &second));
    ipc_listener_close(first);
    CHECK_OK(ipc_listener_open("l", NULL, &second));
    ipc_listener_close(second);
}

TEST(a_server_that_does_not_answer_is_a_time_out_and_the_slot_comes_back)
{
    server one = {0};
    ipc_connection *connection = NULL;
    const ipc_listener_options options = {.max_connections = 1};
    CHECK_OK(ipc_listener_open("l", &options, &one.listener));
    for (int i = 0; i < 5; i++) {
        const ipc_connect_options impatient = {.deadline = ipc_deadline_after(5000000)};
        CHECK_STATUS(IPC_TIMEOUT, ipc_connect("l", &impatient, &connection));
        CHECK_EQUAL(1, test_files()); /* no connection's file is left */
    }
    test_thread_start(&one.thread, serve, &one); /* it finds five requests that nobody wants answered any more */
    connection = connect_to(NULL);
    expect_echo(connection, 5);
    ipc_connection_close(connection);
    server_stop(&one);
}

TEST(a_refusal_says_why)
{
    server one = {.refuses = "not today: \xC3\xA9"};
    ipc_connection *connection = NULL;
    server_start(&one, NULL);
    CHECK_STATUS(IPC_E_REFUSED, ipc_connect("l", NULL, &connection));
    check_error_says("not today: \xC3\xA9");
    server_stop(&one);
}

TEST(a_long_reason_is_cut_between_characters)
{
    char reason[400];
    ipc_connection *connection = NULL;
    memset(reason, 'x', sizeof reason);
    memcpy(reason + 239, "\xC3\xA9", 2); /* stands on the edge of 240 bytes */
    reason[399] = '\0';
    server one = {.refuses = reason};
    server_start(&one, NULL);
    CHECK_STATUS(IPC_E_REFUSED, ipc_connect("l", NULL, &connection));
    CHECK_EQUAL(239, strlen(ipc_last_error()));
    server_stop(&one);
}

TEST(rings_that_are_too_large_for_the_server_are_refused_with_both_sizes)
{
    server one = {0};
    ipc_connection *connection = NULL;
    const ipc_listener_options options = {.max_ring_capacity = 65536};
    const ipc_connect_options large = {.to_client_capacity = 131072, .to_server_capacity = 4096};
    server_start(&one, &options);
    CHECK_STATUS(IPC_E_REFUSED, ipc_connect("l", &large, &connection));
    check_error_says("131072");
    check_error_says("65536");
    server_stop(&one);
}

TEST(one_more_than_the_maximum_is_refused)
{
    server one = {0};
    ipc_connection *connection = NULL;
    const ipc_listener_options options = {.max_connections = 2};
    server_start(&one, &options);
    ipc_connection *first = connect_to(NULL);
    ipc_connection *second = connect_to(NULL);
    CHECK_STATUS(IPC_E_REFUSED, ipc_connect("l", NULL, &connection));
    check_error_says("2 connections");
    ipc_connection_close(first);
    WAIT_FOR(one.closed == 1);
    connection = connect_to(NULL);
    expect_echo(second, 1);
    expect_echo(connection, 2);
    ipc_connection_close(second);
    ipc_connection_close(connection);
    server_stop(&one);
}

static void *connect_with_hello(void *unused)
{
    (void)unused;
    const ipc_connect_options options = {.hello = "who I am", .hello_length = 8};
    ipc_connection_close(connect_to(&options));
    return NULL;
}

TEST(the_server_reads_the_hello_before_it_answers)
{
    ipc_listener *listener = NULL;
    ipc_event event;
    test_thread thread;
    uint32_t length = 0;
    ipc_connection *connection = NULL;
    const ipc_connect_options too_long = {.hello = "", .hello_length = 241};
    CHECK_OK(ipc_listener_open("l", NULL, &listener));
    CHECK_STATUS(IPC_E_ARGUMENT, ipc_connect("l", &too_long, &connection));
    test_thread_start(&thread, connect_with_hello, NULL);
    CHECK_OK(ipc_listener_next(listener, SOON, NULL, &event));
    CHECK_EQUAL(IPC_EVENT_CONNECT, event.kind);
    const char *hello = ipc_connection_hello(event.connection, &length);
    CHECK(length == 8 && memcmp(hello, "who I am", 8) == 0);
    CHECK_EQUAL(1, test_files()); /* the connection's name is gone as soon as it is mapped */
    ipc_connection_set_context(event.connection, &length);
    CHECK(ipc_connection_context(event.connection) == &length);
    CHECK_OK(ipc_connection_accept(event.connection));
    CHECK_STATUS(IPC_E_STATE, ipc_connection_accept(event.connection));
    ipc_listener_return(listener, event.connection);
    test_thread_join(&thread);
    CHECK_OK(ipc_listener_next(listener, SOON, NULL, &event));
    CHECK_EQUAL(IPC_EVENT_CLOSED, event.kind);
    ipc_connection_close(event.connection);
    ipc_listener_close(listener);
}

TEST(what_was_published_before_a_close_is_still_read)
{
    server one = {.closes_at_once = true};
    ipc_record record;
    char text[100];
    server_start(&one, NULL);
    ipc_connection *connection = connect_to(NULL);
    expect_echo(connection, 1);
    CHECK_STATUS(IPC_PEER_CLOSED, ipc_ring_read(ipc_connection_reader(connection), SOON, NULL, &record));
    CHECK_EQUAL(IPC_CLOSE_PROTOCOL, ipc_connection_close_code(connection));
    CHECK_EQUAL(6, ipc_connection_close_text(connection, text, sizeof text));
    CHECK(strcmp(text, "enough") == 0);
    CHECK(!ipc_connection_is_open(connection));
    ipc_connection_close(connection);
    server_stop(&one);
}

TEST(a_client_that_closes_is_read_to_the_end_first)
{
    ipc_listener *listener = NULL;
    ipc_event event;
    ipc_record record;
    test_thread thread;
    CHECK_OK(ipc_listener_open("l", NULL, &listener));
    test_thread_start(&thread, connect_with_hello, NULL);
    CHECK_OK(ipc_listener_next(listener, SOON, NULL, &event));
    ipc_connection *connection = event.connection;
    /* the client's last record, put there on its behalf while it still waits for the answer */
    ipc_connection_body *body = connection->body;
    CHECK_EQUAL(0, ipc_load_acquire32(&body->client_close));
    ipc_store_release64(ipc_record_at(connection->reader.data, connection->reader.capacity, 0), ipc_record_word(4, 9));
    CHECK_OK(ipc_connection_accept(connection));
    test_thread_join(&thread); /* it has closed */
    ipc_listener_return(listener, connection);
    CHECK_OK(ipc_listener_next(listener, SOON, NULL, &event));
    CHECK_EQUAL(IPC_EVENT_READABLE, event.kind);
    CHECK_OK(ipc_ring_try_read(ipc_connection_reader(connection), &record));
    ipc_ring_release(ipc_connection_reader(connection));
    ipc_listener_return(listener, connection);
    CHECK_OK(ipc_listener_next(listener, SOON, NULL, &event));
    CHECK_EQUAL(IPC_EVENT_CLOSED, event.kind);
    CHECK_EQUAL(IPC_CLOSE_NORMAL, ipc_connection_close_code(connection));
    ipc_connection_close(connection);
    ipc_listener_close(listener);
}

TEST(closing_the_listener_tells_every_client)
{
    enum { COUNT = 20 };
    server one = {0};
    ipc_connection *clients[COUNT];
    ipc_record record;
    server_start(&one, NULL);
    for (int i = 0; i < COUNT; i++)
        clients[i] = connect_to(NULL);
    server_stop(&one);
    CHECK_EQUAL(0, test_files());
    for (int i = 0; i < COUNT; i++) {
        CHECK_STATUS(IPC_PEER_CLOSED, ipc_ring_read(ipc_connection_reader(clients[i]), SOON, NULL, &record));
        CHECK_EQUAL(IPC_CLOSE_SHUTDOWN, ipc_connection_close_code(clients[i]));
        ipc_connection_close(clients[i]);
    }
}

TEST(a_lent_connection_outlives_its_listener)
{
    ipc_listener *listener = NULL;
    ipc_event event;
    test_thread thread;
    for (int i = 0; i < 2; i++) {
        CHECK_OK(ipc_listener_open("l", NULL, &listener));
        test_thread_start(&thread, connect_with_hello, NULL);
        CHECK_OK(ipc_listener_next(listener, SOON, NULL, &event));
        CHECK_OK(ipc_connection_accept(event.connection));
        test_thread_join(&thread);
        ipc_listener_close(listener);
        CHECK(!ipc_connection_is_open(event.connection));
        if (i == 0)
            ipc_connection_close(event.connection);
        else
            ipc_listener_return(listener, event.connection); /* late: it is closed instead */
    }
}

typedef struct corrupting {
    int direction; /* 0: what the client sends */
    uint64_t word;
} corrupting;

TEST(a_corrupt_peer_is_closed_and_others_go_on)
{
    server one = {0};
    ipc_record record;
    server_start(&one, NULL);
    ipc_connection *good = connect_to(NULL);
    ipc_connection *bad = connect_to(NULL);
    expect_echo(bad, 1);
    const ipc_ring_writer *writer = ipc_connection_writer(bad);
    ipc_store_release64(ipc_record_at(writer->data, writer->capacity, writer->tail), 0x1234);
    ipc_connection_ring_doorbell(bad);
    CHECK_STATUS(IPC_PEER_CLOSED, ipc_ring_read(ipc_connection_reader(bad), SOON, NULL, &record));
    CHECK_EQUAL(IPC_CLOSE_CORRUPT, ipc_connection_close_code(bad));
    expect_echo(good, 2);
    ipc_connection_close(bad);
    ipc_connection_close(good);
    server_stop(&one);
}

/* ---- what a stranger may put into a slot -------------------------------------------------------------------------------------- */

typedef struct request_mutation {
    const char *field;
    uint64_t offset; /* in the file; the region of two rings of 4096 */
    uint32_t size;
    uint64_t value;
} request_mutation;

/* Asks as ipc_connect does, with one field of the region changed before the server can see it. */
static uint32_t ask_with(const request_mutation *mutation)
{
    char path[IPC_PATH_MAX];
    ipc_listener_view view;
    ipc_region *listener = NULL;
    ipc_region *region = NULL;
    CHECK_OK(ipc_region_path("l", NULL, path, sizeof path));
    CHECK_OK(ipc_region_attach(path, &ipc_listener_kind, NULL, IPC_ROLE_CLIENT, &listener));
    CHECK_OK(ipc_listener_locate(listener, &view));
    const uint32_t slot = listener->index;
    const ipc_connection_plan plan = {
        .to_server_capacity = 4096, .to_client_capacity = 4096, .connection_id = 0x1234567890ABCDEF, .slot = slot};
    ipc_store_relaxed64(&view.slots[slot].connection_id, plan.connection_id);
    ipc_store_release32(&view.slots[slot].state, IPC_SLOT_OPENING);
    ipc_listener_connection_path(listener, plan.connection_id, path, sizeof path);
    CHECK_OK(ipc_connection_region_build(path, &plan, &region));
    CHECK_OK(ipc_region_link(region));
    memcpy(region->base + mutation->offset, &mutation->value, mutation->size);
    ipc_store_release32(&view.slots[slot].state, IPC_SLOT_REQUESTED);
    ipc_listener_notify(&view, slot);

    ipc_connection_body *body = ipc_region_at(region, 1024);
    WAIT_FOR(ipc_load_acquire32(&view.slots[slot].state) == IPC_SLOT_IDLE || ipc_load_acquire32(&body->reply) != IPC_REPLY_NONE);
    const uint32_t reply = ipc_load_acquire32(&body->reply);
    if (reply == IPC_REPLY_ACCEPTED) {
        ipc_store_release32(&body->client_close, IPC_CLOSE_NORMAL);
        ipc_listener_notify(&view, slot);
    }
    WAIT_FOR(ipc_load_acquire32(&view.slots[slot].state) == IPC_SLOT_IDLE);
    CHECK_EQUAL(1, test_files());
    ipc_region_discard(region);
    ipc_region_leave(listener);
    return reply;
}

TEST(every_field_of_a_request_is_checked)
{
    static const request_mutation mutations[] = {
        {"nothing", 0, 0, 0},
        {"region magic", 0, 4, 1},
        {"kind", 12, 4, 1},
        {"total_size", 16, 8, 1 << 20},
        {"body_offset", 32, 8, 4096},
        {"body_offset", 32, 8, 8192},
        {"magic", 1024, 4, 0},
        {"slot", 1024 + 4, 4, 77},
        {"to_server", 1024 + 8, 8, 64},
        {"to_server", 1024 + 8, 8, UINT64_MAX - 127},
        {"to_server", 1024 + 8, 8, 3072}, /* both rings one */
        {"to_client", 1024 + 16, 8, 2048},
        {"to_client", 1024 + 16, 8, 1024}, /* over the body */
        {"connection_id", 1024 + 24, 8, 1},
        {"hello_length", 1024 + 516, 4, 241},
        {"hello_length", 1024 + 516, 4, UINT32_MAX},
        {"to_server magic", 2048, 4, 0},
        {"to_server capacity", 2048 + 8, 8, 16384},
        {"to_server data_offset", 2048 + 16, 8, 8192}, /* the other ring's */
        {"to_server data_offset", 2048 + 16, 8, 0},
        {"to_server read_position", 2048 + 256, 8, 3},
        {"to_client capacity", 3072 + 8, 8, 1},
        {"to_client data_offset", 3072 + 16, 8, 1ull << 40},
    };
    server one = {0};
    server_start(&one, NULL);
    for (size_t i = 0; i < sizeof mutations / sizeof mutations[0]; i++) {
        const uint32_t reply = ask_with(&mutations[i]);
        if (reply != (i == 0 ? IPC_REPLY_ACCEPTED : IPC_REPLY_NONE))
            test_fail(__FILE__, __LINE__, "%s (%zu): the reply was %u", mutations[i].field, i, reply);
    }
    ipc_connection *connection = connect_to(NULL); /* and the server is none the worse */
    expect_echo(connection, 1);
    ipc_connection_close(connection);
    server_stop(&one);
}

TEST(random_words_in_the_listener_do_not_harm_its_server)
{
    server one = {0};
    uint64_t seed = 5;
    server_start(&one, NULL);
    ipc_connection *connection = connect_to(NULL);
    const ipc_listener_view *view = connection->view;
    for (int i = 0; i < 3000; i++) {
        seed = seed * 6364136223846793005ull + 1442695040888963407ull;
        const uint32_t slot = 2 + (uint32_t)((seed >> 40) % (view->slot_count - 2)); /* ours is 1 */
        ipc_store_relaxed64(&view->slots[slot].connection_id, seed);
        ipc_store_release32(&view->slots[slot].state, (uint32_t)(seed >> 20) % 5);
        (void)ipc_or64(&view->ready[slot / 64], seed);
        if (i % 100 == 0)
            expect_echo(connection, (uint64_t)i);
    }
    expect_echo(connection, 9);
    ipc_connection_close(connection);
    server_stop(&one);
}

/* ---- many ------------------------------------------------------------------------------------------------------------------------ */

TEST(a_thousand_connections_at_once)
{
    enum { COUNT = 1000 };
    static ipc_connection *clients[COUNT];
    server one = {0};
    const ipc_connect_options options = {.to_server_capacity = 4096, .to_client_capacity = 4096};
    server_start(&one, NULL);
    for (int i = 0; i < COUNT; i++)
        clients[i] = connect_to(&options);
    CHECK_EQUAL(COUNT, one.connected);
    for (int i = 0; i < COUNT; i++)
        expect_echo(clients[i], (uint64_t)i);
    for (int i = 0; i < 5000; i++) /* more of them awake than are polled */
        expect_echo(clients[i * 7 % 100], (uint64_t)i);
    for (int i = 0; i < COUNT; i++)
        ipc_connection_close(clients[i]);
    WAIT_FOR(one.closed == COUNT);
    server_stop(&one);
}

static void *connect_and_echo(void *unused)
{
    (void)unused;
    for (int i = 0; i < 20; i++) {
        const ipc_connect_options options = {.to_server_capacity = 4096, .to_client_capacity = 4096, .wait_mode = modes[i % 3]};
        ipc_connection *connection = connect_to(&options);
        for (uint64_t k = 0; k < 50; k++)
            expect_echo(connection, k);
        ipc_connection_close(connection);
    }
    return NULL;
}

TEST(clients_come_and_go_from_many_threads)
{
    server one = {0};
    test_thread threads[4];
    server_start(&one, NULL);
    for (int i = 0; i < 4; i++)
        test_thread_start(&threads[i], connect_and_echo, NULL);
    for (int i = 0; i < 4; i++)
        test_thread_join(&threads[i]);
    WAIT_FOR(one.closed == 80);
    server_stop(&one);
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
        test_thread_start(&client, connect_with_hello, NULL);
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
        test_thread_start(&client, connect_with_hello, NULL);
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
