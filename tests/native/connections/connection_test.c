/* Listener and connection: connecting, refusing, events, closing, many clients, deaths. */
#define _GNU_SOURCE
#include "connections/connection.h"
#include "echo_server.h"


static const ipc_wait_mode modes[] = {IPC_WAIT_ADAPTIVE, IPC_WAIT_SPIN, IPC_WAIT_BLOCK};

TEST(records_travel_both_ways_in_every_wait_mode)
{
    for (int i = 0; i < 9; i++) {
        echo_server one = {0};
        const ipc_listener_options listener_options = {.wait_mode = modes[i / 3]};
        const ipc_connect_options options = {
            .wait_mode = modes[i % 3], .to_server_capacity = 4096, .to_client_capacity = 4096};
        echo_server_start(&one, &listener_options);
        ipc_connection *connection = connect_to(&options);
        CHECK(ipc_connection_is_open(connection));
        CHECK_EQUAL(ipc_platform_pid(), ipc_connection_peer_pid(connection));
        CHECK_EQUAL(ipc_platform_user(), ipc_connection_peer_user(connection));
        for (uint64_t k = 0; k < 500; k++)
            expect_echo(connection, k);
        ipc_connection_close(connection);
        WAIT_FOR(one.closed == 1);
        echo_server_stop(&one);
    }
}

TEST(a_server_sleeps_and_is_woken_for_each_record)
{
    echo_server one = {0};
    const ipc_listener_options listener_options = {.wait_mode = IPC_WAIT_BLOCK};
    echo_server_start(&one, &listener_options);
    ipc_connection *connection = connect_to(NULL);
    ipc_waiter *doorbell = &connection->view->body->doorbell;
    uint64_t k = 0;
    /* The word stays armed when the server finds something to do just before it sleeps: not every record is a wake. */
    for (; k < 200 || ipc_ring_writer_wakes(ipc_connection_writer(connection)) == 0; k++) {
        WAIT_FOR((ipc_load_acquire32(&doorbell->word) & IPC_WAITER_SLEEPING) != 0);
        expect_echo(connection, k);
    }
    CHECK(ipc_ring_writer_wakes(ipc_connection_writer(connection)) <= k);
    ipc_connection_close(connection);
    echo_server_stop(&one);
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
    CHECK_STATUS(IPC_E_WRONG_KIND, ipc_connect("l", NULL, &connection));
    CHECK_STATUS(IPC_E_WRONG_KIND, ipc_listener_open("l", NULL, &listener));
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
    echo_server one = {0};
    ipc_connection *connection = NULL;
    const ipc_listener_options options = {.max_connections = 1};
    CHECK_OK(ipc_listener_open("l", &options, &one.listener));
    for (int i = 0; i < 5; i++) {
        const ipc_connect_options impatient = {.deadline = ipc_deadline_after(5000000)};
        CHECK_STATUS(IPC_TIMEOUT, ipc_connect("l", &impatient, &connection));
        CHECK_EQUAL(1, test_files()); /* no connection's file is left */
    }
    test_thread_start(&one.thread, echo_server_serve,
                      &one); /* it finds five requests that nobody wants answered any more */
    connection = connect_to(NULL);
    expect_echo(connection, 5);
    ipc_connection_close(connection);
    echo_server_stop(&one);
}

TEST(a_refusal_says_why)
{
    echo_server one = {.refuses = "not today: \xC3\xA9"};
    ipc_connection *connection = NULL;
    echo_server_start(&one, NULL);
    CHECK_STATUS(IPC_E_REFUSED, ipc_connect("l", NULL, &connection));
    check_error_says("not today: \xC3\xA9");
    echo_server_stop(&one);
}

TEST(a_long_reason_is_cut_between_characters)
{
    char reason[400];
    ipc_connection *connection = NULL;
    memset(reason, 'x', sizeof reason);
    memcpy(reason + 239, "\xC3\xA9", 2); /* stands on the edge of 240 bytes */
    reason[399] = '\0';
    echo_server one = {.refuses = reason};
    echo_server_start(&one, NULL);
    CHECK_STATUS(IPC_E_REFUSED, ipc_connect("l", NULL, &connection));
    CHECK_EQUAL(239, strlen(ipc_last_error()));
    echo_server_stop(&one);
}

TEST(rings_that_are_too_large_for_the_server_are_refused_with_both_sizes)
{
    echo_server one = {0};
    ipc_connection *connection = NULL;
    const ipc_listener_options options = {.max_ring_capacity = 65536};
    const ipc_connect_options large = {.to_client_capacity = 131072, .to_server_capacity = 4096};
    echo_server_start(&one, &options);
    CHECK_STATUS(IPC_E_REFUSED, ipc_connect("l", &large, &connection));
    check_error_says("131072");
    check_error_says("65536");
    echo_server_stop(&one);
}

TEST(one_more_than_the_maximum_is_refused)
{
    echo_server one = {0};
    ipc_connection *connection = NULL;
    const ipc_listener_options options = {.max_connections = 2};
    echo_server_start(&one, &options);
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
    echo_server_stop(&one);
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
    CHECK_STATUS(IPC_E_INVALID_ARGUMENT, ipc_connect("l", &too_long, &connection));
    test_thread_start(&thread, connect_with_hello, NULL);
    CHECK_OK(ipc_listener_next(listener, SOON, NULL, &event));
    CHECK_EQUAL(IPC_EVENT_CONNECT, event.kind);
    const char *hello = ipc_connection_hello(event.connection, &length);
    CHECK(length == 8 && memcmp(hello, "who I am", 8) == 0);
    CHECK_EQUAL(1, test_files()); /* the connection's name is gone as soon as it is mapped */
    ipc_connection_set_context(event.connection, &length);
    CHECK(ipc_connection_context(event.connection) == &length);
    CHECK_OK(ipc_connection_accept(event.connection));
    CHECK_STATUS(IPC_E_INVALID_STATE, ipc_connection_accept(event.connection));
    ipc_listener_return(listener, event.connection);
    test_thread_join(&thread);
    CHECK_OK(ipc_listener_next(listener, SOON, NULL, &event));
    CHECK_EQUAL(IPC_EVENT_CLOSED, event.kind);
    ipc_connection_close(event.connection);
    ipc_listener_close(listener);
}

TEST(what_was_published_before_a_close_is_still_read)
{
    echo_server one = {.closes_at_once = true};
    ipc_record record;
    char text[100];
    echo_server_start(&one, NULL);
    ipc_connection *connection = connect_to(NULL);
    expect_echo(connection, 1);
    CHECK_STATUS(IPC_PEER_CLOSED, ipc_ring_read(ipc_connection_reader(connection), SOON, NULL, &record));
    CHECK_EQUAL(IPC_CLOSE_PROTOCOL, ipc_connection_close_code(connection));
    CHECK_EQUAL(6, ipc_connection_close_text(connection, text, sizeof text));
    CHECK(strcmp(text, "enough") == 0);
    CHECK(!ipc_connection_is_open(connection));
    ipc_connection_close(connection);
    echo_server_stop(&one);
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
    echo_server one = {0};
    ipc_connection *clients[COUNT];
    ipc_record record;
    echo_server_start(&one, NULL);
    for (int i = 0; i < COUNT; i++)
        clients[i] = connect_to(NULL);
    echo_server_stop(&one);
    CHECK_EQUAL(0, test_files());
    for (int i = 0; i < COUNT; i++) {
        CHECK_STATUS(IPC_PEER_CLOSED, ipc_ring_read(ipc_connection_reader(clients[i]), SOON, NULL, &record));
        CHECK_EQUAL(IPC_CLOSE_SHUTDOWN, ipc_connection_close_code(clients[i]));
        ipc_connection_close(clients[i]);
    }
}

static void *ask_a_server_that_ends(void *unused)
{
    ipc_connection *connection = NULL;
    (void)unused;
    CHECK_STATUS(IPC_PEER_CLOSED, ipc_connect("l", NULL, &connection));
    return NULL;
}

/* Not refused: a caller would take that for a decision about it, and not ask the server's successor. */
TEST(who_asks_a_server_that_ends_is_turned_away_and_not_refused)
{
    ipc_listener *listener = NULL;
    test_thread thread;
    CHECK_OK(ipc_listener_open("l", NULL, &listener));
    test_thread_start(&thread, ask_a_server_that_ends, NULL);
    WAIT_FOR(test_files() == 2);
    ipc_listener_close(listener);
    test_thread_join(&thread);
    CHECK_EQUAL(0, test_files());
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

TEST(a_connection_that_was_given_back_may_be_closed_with_its_listener)
{
    ipc_listener *listener = NULL;
    ipc_event event;
    test_thread thread;
    CHECK_OK(ipc_listener_open("l", NULL, &listener));
    test_thread_start(&thread, connect_with_hello, NULL);
    CHECK_OK(ipc_listener_next(listener, SOON, NULL, &event));
    CHECK_OK(ipc_connection_accept(event.connection));
    test_thread_join(&thread);
    ipc_listener_return(listener, event.connection);
    ipc_connection_close(event.connection); /* before the listener has looked at it again */
    ipc_listener_close(listener);
    CHECK_EQUAL(0, test_files());
}

static void *connect_and_stay(void *connection)
{
    *(ipc_connection **)connection = connect_to(NULL);
    return NULL;
}

static ipc_connection *accept_one(ipc_listener *listener, ipc_connection **client)
{
    ipc_event event;
    test_thread thread;
    test_thread_start(&thread, connect_and_stay, (void *)client);
    CHECK_OK(ipc_listener_next(listener, SOON, NULL, &event));
    CHECK_EQUAL(IPC_EVENT_CONNECT, event.kind);
    CHECK_OK(ipc_connection_accept(event.connection));
    test_thread_join(&thread);
    ipc_listener_return(listener, event.connection);
    return event.connection;
}

TEST(a_connection_that_is_not_lent_may_be_closed_while_nobody_leads)
{
    /* It stayed in the leader's lists: the next event was of freed memory. */
    enum { COUNT = 4 };
    ipc_listener *listener = NULL;
    ipc_connection *clients[COUNT] = {NULL}, *servers[COUNT];
    ipc_event event;
    CHECK_OK(ipc_listener_open("l", NULL, &listener));
    for (int i = 0; i < COUNT; i++)
        servers[i] = accept_one(listener, &clients[i]);
    CHECK_STATUS(IPC_TIMEOUT, ipc_listener_next(listener, IPC_NOW, NULL, &event)); /* all of them are polled, or armed */
    ipc_connection_close(servers[0]);
    for (int i = 1; i < COUNT; i++)
        CHECK_OK(ipc_ring_write(ipc_connection_writer(clients[i]), "due", 3, 1, IPC_NOW, NULL));
    CHECK_OK(ipc_listener_next(listener, SOON, NULL, &event)); /* the other two are due now */
    ipc_connection *last = NULL;
    for (int i = 1; i < COUNT; i++) {
        if (servers[i] == event.connection)
            continue;
        if (last != NULL)
            ipc_connection_close(servers[i]);
        else
            last = servers[i];
    }
    ipc_listener_return(listener, event.connection); /* unread: it is due once more, behind the one that is left */
    ipc_connection *first = event.connection;
    CHECK_OK(ipc_listener_next(listener, SOON, NULL, &event));
    CHECK(event.connection == last);
    CHECK_OK(ipc_listener_next(listener, SOON, NULL, &event));
    CHECK(event.connection == first);
    ipc_connection_close(first);
    ipc_connection_close(last);
    CHECK_STATUS(IPC_TIMEOUT, ipc_listener_next(listener, IPC_NOW, NULL, &event));
    ipc_listener_close(listener);
    for (int i = 0; i < COUNT; i++)
        ipc_connection_close(clients[i]);
    CHECK_EQUAL(0, test_files());
}

TEST(a_connection_that_is_shut_down_while_it_is_not_lent_comes_back)
{
    /* else nobody would free it before its client does something */
    ipc_listener *listener = NULL;
    ipc_connection *client = NULL;
    ipc_event event;
    ipc_record record;
    test_thread thread;
    CHECK_OK(ipc_listener_open("l", NULL, &listener));
    test_thread_start(&thread, connect_and_stay, (void *)&client);
    CHECK_OK(ipc_listener_next(listener, SOON, NULL, &event));
    ipc_connection *connection = event.connection;
    CHECK_OK(ipc_connection_accept(connection));
    test_thread_join(&thread);
    ipc_listener_return(listener, connection);
    CHECK_STATUS(IPC_TIMEOUT, ipc_listener_next(listener, IPC_NOW, NULL, &event));
    ipc_connection_shutdown(connection, IPC_CLOSE_PROTOCOL, "enough");
    CHECK_OK(ipc_listener_next(listener, SOON, NULL, &event));
    CHECK_EQUAL(IPC_EVENT_CLOSED, event.kind);
    CHECK(event.connection == connection);
    ipc_connection_close(connection);
    CHECK_STATUS(IPC_PEER_CLOSED, ipc_ring_read(ipc_connection_reader(client), SOON, NULL, &record));
    CHECK_EQUAL(IPC_CLOSE_PROTOCOL, ipc_connection_close_code(client));
    ipc_connection_close(client);
    ipc_listener_close(listener);
}
