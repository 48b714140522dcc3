/* Named connections, both ends in one process. */
#include "named_parts.h"

/* ---- the region --------------------------------------------------------------------------------------- */

TEST(a_client_needs_no_server_and_its_messages_stay)
{
    ipc_named_connection *client = open_client(NULL);
    CHECK(!ipc_named_is_connected(client));
    send_number(client, 11, 1);
    send_number(client, 22, 2);
    CHECK_EQUAL(2, ipc_named_sent(client));
    CHECK_EQUAL(2, ipc_named_unacknowledged(client));
    CHECK_EQUAL(0, ipc_named_received(client));
    ipc_named_close(client, 0, NULL);
    CHECK_EQUAL(1, test_files());

    client = open_client(NULL); /* nobody was there meanwhile */
    CHECK_EQUAL(2, ipc_named_sent(client));
    send_number(client, 33, 3);

    ipc_named_listener *listener = open_server(NULL);
    ipc_named_connection *server = log_in(client, listener);
    ipc_named_event event = next_event(listener, IPC_NAMED_READABLE);
    CHECK(event.connection == server);
    receive_number(server, 11, 1, false);
    receive_number(server, 22, 2, false);
    receive_number(server, 33, 3, false);
    ipc_named_acknowledge(server, 0);
    CHECK_EQUAL(3, ipc_named_acknowledged(server));
    CHECK_EQUAL(0, ipc_named_unacknowledged(client));
    ipc_named_return(listener, server);
    ipc_named_close(server, 0, NULL);
    ipc_named_listener_close(listener, 0, NULL);
    ipc_named_close(client, 0, NULL);
    remove_conversation();
    CHECK_EQUAL(0, test_files());
}

TEST(two_live_clients_of_one_name_are_refused_and_so_are_names_that_are_none)
{
    ipc_named_connection *client = open_client(NULL);
    ipc_named_connection *second = NULL;
    CHECK_STATUS(IPC_E_IN_USE, ipc_named_open(SERVER, CLIENT, NULL, &second));
    check_error_says("client \"trader-7\"");
    CHECK_STATUS(IPC_E_INVALID_NAME, ipc_named_open(SERVER, "a~b", NULL, &second));
    CHECK_STATUS(IPC_E_INVALID_NAME, ipc_named_open("", "a", NULL, &second));
    CHECK_STATUS(IPC_E_INVALID_ARGUMENT, ipc_named_open("machine/x", "a", NULL, &second));
    CHECK_STATUS(IPC_E_IN_USE, ipc_named_remove(SERVER, CLIENT));
    CHECK_STATUS(IPC_E_NOT_FOUND, ipc_named_remove(SERVER, "nobody"));
    ipc_named_close(client, 0, NULL);
    remove_conversation();
}

TEST(a_name_of_two_names_is_no_other_regions)
{
    ipc_ring_writer *writer = NULL;
    CHECK_STATUS(IPC_E_INVALID_NAME, ipc_ring_writer_open(SERVER "~~" CLIENT, NULL, &writer));
}

TEST(login_and_reply_reach_the_other_side)
{
    const ipc_named_options options = {.login = "secret", .login_length = 6};
    ipc_named_connection *client = open_client(&options);
    ipc_named_listener *listener = open_server("X-1");
    ipc_named_connection *server = log_in(client, listener);
    uint32_t length = 0;
    CHECK(memcmp("secret", ipc_named_login(server, &length), 6) == 0);
    CHECK_EQUAL(6, length);
    CHECK(memcmp("hi", ipc_named_reply(client, &length), 2) == 0);
    CHECK_EQUAL(2, length);
    char identity[IPC_NAMED_NAME_MAX + 1];
    CHECK_EQUAL(3, ipc_named_identity(client, identity, sizeof identity));
    CHECK(strcmp("X-1", identity) == 0);
    CHECK(strcmp(CLIENT, ipc_named_client_name(server)) == 0);
    CHECK(strcmp(SERVER, ipc_named_server_name(server)) == 0);
    CHECK(ipc_named_peer_pid(client) == ipc_named_peer_pid(server));
    ipc_named_close(client, 5, NULL);
    ipc_named_event event = next_event(listener, IPC_NAMED_LOGOUT);
    CHECK(event.connection == server);
    CHECK_EQUAL(5, event.code);
    ipc_named_end end;
    CHECK_OK(ipc_named_ended(server, &end));
    CHECK_EQUAL(5, end.code);
    CHECK(!end.died);
    ipc_named_close(server, 0, NULL);
    ipc_named_listener_close(listener, 0, NULL);
    remove_conversation();
}

/* ---- both directions ----------------------------------------------------------------------------------- */

TEST(a_server_sends_to_a_client_that_has_gone_and_the_client_gets_it_when_it_comes)
{
    ipc_named_connection *client = open_client(NULL);
    ipc_named_listener *listener = open_server(NULL);
    ipc_named_connection *server = log_in(client, listener);
    ipc_named_close(client, 0, NULL);
    CHECK(next_event(listener, IPC_NAMED_LOGOUT).connection == server);
    CHECK(!ipc_named_is_connected(server));
    send_number(server, 5, 1);
    send_number(server, 6, 2);
    client = open_client(NULL);
    receive_number(client, 5, 1, false); /* it is there, logged in or not */
    CHECK(log_in(client, listener) == server);
    receive_number(client, 6, 2, false);
    ipc_named_acknowledge(client, 1);
    CHECK_EQUAL(1, ipc_named_unacknowledged(server));
    ipc_named_close(client, 0, NULL);
    client = open_client(NULL); /* 2 was received, and not acknowledged */
    receive_number(client, 6, 2, true);
    ipc_named_acknowledge(client, 0);
    CHECK_EQUAL(0, ipc_named_unacknowledged(server));
    ipc_named_close(client, 0, NULL);
    ipc_named_listener_close(listener, 0, NULL);
    ipc_named_message message;
    CHECK_STATUS(IPC_CLOSED, ipc_named_try_receive(server, &message));
    CHECK_STATUS(IPC_CLOSED, ipc_named_try_send(server, "x", 1, 0, NULL));
    ipc_named_close(server, 0, NULL);
    remove_conversation();
}

TEST(a_server_opens_a_conversation_whose_client_is_not_there)
{
    ipc_named_connection *client = open_client(NULL);
    send_number(client, 1, 1);
    ipc_named_close(client, 0, NULL);
    ipc_named_listener *listener = open_server(NULL);
    ipc_named_connection *server = NULL;
    ipc_named_connection *same = NULL;
    CHECK_STATUS(IPC_E_NOT_FOUND, ipc_named_listener_open_connection(listener, "nobody", &server));
    CHECK_OK(ipc_named_listener_open_connection(listener, CLIENT, &server));
    CHECK_OK(ipc_named_listener_open_connection(listener, CLIENT, &same));
    CHECK(same == server);
    receive_number(server, 1, 1, false);
    ipc_named_acknowledge(server, 0);
    send_number(server, 2, 1);
    client = open_client(NULL);
    CHECK(log_in(client, listener) == server);
    receive_number(client, 2, 1, false);
    ipc_named_acknowledge(client, 0);
    ipc_named_close(server, IPC_CLOSE_PROTOCOL, "enough");
    ipc_named_message message;
    CHECK_STATUS(IPC_TIMEOUT, ipc_named_receive(client, ipc_deadline_after(30000000), NULL, &message));
    ipc_named_end end;
    CHECK_OK(ipc_named_ended(client, &end));
    CHECK_EQUAL(IPC_CLOSE_PROTOCOL, end.code);
    CHECK(strcmp("enough", end.text) == 0);
    ipc_named_close(client, 0, NULL);
    ipc_named_listener_close(listener, 0, NULL);
    remove_conversation();
}

/* ---- acknowledging ------------------------------------------------------------------------------------- */

TEST(messages_are_acknowledged_one_by_one_late_and_loans_among_them)
{
    const ipc_named_options options = {.to_server_capacity = 4096, .loan_budget = 1 << 20};
    ipc_named_connection *client = open_client(&options);
    ipc_named_listener *listener = open_server(NULL);
    ipc_named_connection *server = log_in(client, listener);
    static uint8_t bytes[100000];
    const uint32_t lengths[5] = {10, 100000, 20, 50000, 1000};
    for (uint32_t i = 0; i < 5; i++) {
        memset(bytes, (int)i, lengths[i]);
        CHECK_OK(ipc_named_try_send(client, bytes, lengths[i], (uint16_t)i, NULL));
    }
    (void)next_event(listener, IPC_NAMED_READABLE);
    ipc_named_message messages[5];
    for (uint32_t i = 0; i < 5; i++)
        CHECK_OK(ipc_named_try_receive(server, &messages[i]));
    CHECK_STATUS(IPC_EMPTY, ipc_named_try_receive(server, &(ipc_named_message){0}));
    for (uint32_t done = 0; done < 5; done++) {
        for (uint32_t i = done; i < 5; i++) { /* what is not acknowledged is still there */
            CHECK_EQUAL(lengths[i], messages[i].length);
            CHECK_EQUAL(i, ((const uint8_t *)messages[i].payload)[0]);
            CHECK_EQUAL(i, ((const uint8_t *)messages[i].payload)[lengths[i] - 1]);
        }
        CHECK_EQUAL(5 - done, ipc_named_unacknowledged(client));
        const ipc_named_ends *ends = ipc_named_current(server);
        CHECK_EQUAL(done < 2 ? 2 : done < 4 ? 1 : 0, ends->reader.loan_count);
        ipc_named_acknowledge(server, done + 1);
    }
    ipc_named_return(listener, server);
    /* More than was received, and less than was acknowledged, is nothing. */
    ipc_named_acknowledge(server, 99);
    ipc_named_acknowledge(server, 2);
    CHECK_EQUAL(5, ipc_named_acknowledged(server));
    ipc_named_close(server, 0, NULL);
    ipc_named_close(client, 0, NULL);
    ipc_named_listener_close(listener, 0, NULL);
    remove_conversation();
}

TEST(what_was_acknowledged_late_is_room_at_once_although_the_server_sleeps)
{
    const ipc_named_options options = {.to_server_capacity = 4096, .loan_budget = IPC_NO_LOANS};
    ipc_named_connection *client = open_client(&options);
    ipc_named_listener *listener = open_server(NULL);
    ipc_named_connection *server = log_in(client, listener);
    for (uint64_t i = 1; i <= 5; i++) /* less than a portion: a reader that is awake would hold it back */
        send_number(client, i, i);
    (void)next_event(listener, IPC_NAMED_READABLE);
    for (uint64_t i = 1; i <= 5; i++)
        receive_number(server, i, i, false);
    ipc_named_return(listener, server);
    ipc_named_event event;
    /* So long that it is armed then, on a busy machine, too: 1 ms passed under a sanitizer before it was. */
    CHECK_STATUS(IPC_TIMEOUT, ipc_named_listener_next(listener, ipc_deadline_after(200000000), NULL, &event));
    ipc_named_acknowledge(server, 5);
    uint64_t number = 5;
    while (ipc_named_try_send(client, &number, sizeof number, 7, NULL) == IPC_OK)
        number++;
    CHECK_EQUAL(5 + 4096 / 64 - 1, number);
    ipc_named_close(server, 0, NULL);
    ipc_named_close(client, 0, NULL);
    ipc_named_listener_close(listener, 0, NULL);
    remove_conversation();
}

TEST(a_full_ring_is_full_until_the_server_acknowledges_and_no_longer)
{
    const ipc_named_options options = {.to_server_capacity = 4096, .loan_budget = IPC_NO_LOANS, .no_reconnect = true};
    ipc_named_connection *client = open_client(&options);
    uint64_t number = 0;
    uint64_t sequence = 0;
    while (ipc_named_try_send(client, &number, sizeof number, 7, &sequence) == IPC_OK)
        CHECK_EQUAL(++number, sequence);
    CHECK(number >= 30);
    CHECK_STATUS(IPC_TIMEOUT, ipc_named_send(client, "x", 1, 0, ipc_deadline_after(1000000), NULL, NULL));
    CHECK_STATUS(IPC_E_TOO_LARGE, ipc_named_try_send(client, NULL, 5000, 0, NULL));
    CHECK_EQUAL(2048 - 16, ipc_named_max_payload(client));
    ipc_named_close(client, 0, NULL);
    remove_conversation();
}

TEST(a_batch_goes_out_with_its_numbers)
{
    ipc_named_connection *client = open_client(NULL);
    ipc_named_listener *listener = open_server(NULL);
    ipc_named_connection *server = log_in(client, listener);
    for (uint64_t i = 1; i <= 10; i++) {
        void *payload = NULL;
        uint64_t sequence = 0;
        CHECK_OK(ipc_named_try_claim(client, 100, &payload));
        memcpy(payload, &i, sizeof i);
        CHECK_OK(ipc_named_commit_batched(client, sizeof i, 7, &sequence));
        CHECK_EQUAL(i, sequence);
    }
    void *payload = NULL;
    CHECK_OK(ipc_named_try_claim(client, 8, &payload));
    ipc_named_abandon(client);
    CHECK_STATUS(IPC_E_INVALID_STATE, ipc_named_commit(client, 8, 7, NULL));
    ipc_named_message message;
    CHECK_STATUS(IPC_EMPTY, ipc_named_try_receive(server, &message));
    ipc_named_flush(client);
    for (uint64_t i = 1; i <= 10; i++)
        receive_number(server, i, i, false);
    ipc_named_close(server, 0, NULL);
    ipc_named_close(client, 0, NULL);
    ipc_named_listener_close(listener, 0, NULL);
    remove_conversation();
}

/* ---- waking -------------------------------------------------------------------------------------------------- */

static void *lead_once(void *listener)
{
    ipc_named_event event = {0}; /* a deadline would be a look */
    CHECK_OK(ipc_named_listener_next(listener, IPC_FOREVER, NULL, &event));
    CHECK_EQUAL(IPC_NAMED_READABLE, event.kind);
    return NULL;
}

static bool is_armed(const ipc_named_connection *client)
{
    return (ipc_load_relaxed32(&ipc_named_current(client)->writer.header->data.word) & IPC_WAITER_SLEEPING) != 0;
}

/* Killing found it: a wake takes the flag with it that the leader has set, which sleeps on its doorbell. */
TEST(a_wake_of_all_waiters_does_not_make_the_server_deaf)
{
    ipc_named_connection *client = open_client(NULL);
    ipc_named_listener *listener = open_server(NULL);
    ipc_named_connection *server = log_in(client, listener);
    for (uint64_t i = 1; i <= 3; i++) {
        test_thread leader;
        test_thread_start(&leader, lead_once, listener);
        WAIT_FOR(is_armed(client));
        test_pause(5); /* it sleeps */
        if (i == 1)
            ipc_region_wake_all(ipc_named_current(client)->region); /* as the client's watch does */
        if (i == 2)
            ipc_region_wake_all(ipc_named_current(server)->region);
        if (i == 3)
            ipc_named_stop(server);
        ipc_named_resume(server);
        send_number(client, i, i);
        test_thread_join(&leader);
        receive_number(server, i, i, false);
        ipc_named_acknowledge(server, 0);
        ipc_named_return(listener, server);
    }
    ipc_named_close(server, 0, NULL);
    ipc_named_close(client, 0, NULL);
    ipc_named_listener_close(listener, 0, NULL);
    remove_conversation();
}

/* ---- refusing, another server ---------------------------------------------------------------------------- */

TEST(a_refusal_ends_the_wait_with_its_words)
{
    ipc_named_connection *client = open_client(NULL);
    ipc_named_listener *listener = open_server(NULL);
    ipc_named_push_login(client);
    CHECK_OK(ipc_named_refuse(next_event(listener, IPC_NAMED_LOGIN).connection, "not today"));
    ipc_named_message message;
    CHECK_STATUS(IPC_E_REFUSED, ipc_named_receive(client, SOON, NULL, &message));
    check_error_says("not today");
    send_number(client, 1, 1); /* stays, and is sent */
    ipc_named_close(client, 0, NULL);
    ipc_named_listener_close(listener, 0, NULL);
    remove_conversation();
}

TEST(a_listener_that_is_none_of_named_connections_says_so)
{
    ipc_named_connection *client = open_client(NULL);
    ipc_listener *listener = NULL;
    const ipc_listener_options options = {.protocol = {.id = IPC_PROTOCOL_CALLS, .version = 1}};
    CHECK_OK(ipc_listener_open(SERVER, &options, &listener));
    CHECK_STATUS(IPC_E_WRONG_KIND, ipc_named_connect(client, SOON, NULL));
    ipc_listener_close(listener);
    CHECK_STATUS(IPC_E_NOT_FOUND, ipc_named_connect(client, IPC_NOW, NULL));
    CHECK_STATUS(IPC_E_NOT_FOUND, ipc_named_connect(client, ipc_deadline_after(20000000), NULL));
    ipc_named_close(client, 0, NULL);
    remove_conversation();
}

TEST(another_server_begins_another_conversation_and_says_what_was_given_up)
{
    ipc_named_connection *client = open_client(NULL);
    ipc_named_listener *listener = open_server("A");
    ipc_named_connection *server = log_in(client, listener);
    for (uint64_t i = 1; i <= 3; i++)
        send_number(client, i, i);
    (void)next_event(listener, IPC_NAMED_READABLE);
    receive_number(server, 1, 1, false);
    ipc_named_acknowledge(server, 1);
    send_number(server, 1, 1);
    send_number(server, 2, 2);
    send_number(server, 3, 3);
    receive_number(client, 1, 1, false);
    receive_number(client, 2, 2, false);
    ipc_named_acknowledge(client, 1);
    ipc_named_close(server, 0, NULL);
    ipc_named_listener_close(listener, 0, NULL);

    void *payload = NULL;
    CHECK_OK(ipc_named_try_claim(client, 8, &payload)); /* in the former conversation */
    listener = open_server("B");
    ipc_named_reset reset;
    ipc_named_last_reset(client, &reset);
    CHECK_EQUAL(0, reset.count);
    test_pause(2);
    ipc_named_push_login(client);
    ipc_named_event event;
    CHECK_STATUS(IPC_TIMEOUT, ipc_named_listener_next(listener, ipc_deadline_after(5000000), NULL, &event));
    server = log_in(client, listener);
    ipc_named_last_reset(client, &reset);
    CHECK_EQUAL(1, reset.count);
    CHECK(strcmp("A", reset.old_identity) == 0);
    CHECK(strcmp("B", reset.new_identity) == 0);
    CHECK_EQUAL(2, reset.unacknowledged_sent);
    CHECK_EQUAL(2, reset.unacknowledged_received);
    CHECK_STATUS(IPC_E_INVALID_STATE, ipc_named_commit(client, 8, 7, NULL));
    check_error_says("given up");
    send_number(client, 9, 1);
    (void)next_event(listener, IPC_NAMED_READABLE);
    receive_number(server, 9, 1, false);
    ipc_named_close(server, 0, NULL);
    ipc_named_listener_close(listener, 0, NULL);
    ipc_named_close(client, 0, NULL);
    CHECK_EQUAL(1, test_files());
    remove_conversation();
}

TEST(a_server_of_another_identity_does_not_open_what_is_not_its)
{
    ipc_named_connection *client = open_client(NULL);
    ipc_named_listener *listener = open_server("A");
    ipc_named_close(log_in(client, listener), 0, NULL);
    ipc_named_close(client, 0, NULL);
    ipc_named_listener_close(listener, 0, NULL);
    listener = open_server("B");
    ipc_named_connection *server = NULL;
    CHECK_STATUS(IPC_E_WRONG_VERSION, ipc_named_listener_open_connection(listener, CLIENT, &server));
    check_error_says("with \"A\", this server is \"B\"");
    ipc_named_listener_close(listener, 0, NULL);
    remove_conversation();
}

TEST(a_ring_that_is_too_large_for_the_server_is_refused)
{
    ipc_named_connection *client = open_client(NULL);
    ipc_named_listener *listener = NULL;
    const ipc_named_listener_options options = {.max_ring_capacity = 65536};
    CHECK_OK(ipc_named_listener_open(SERVER, &options, &listener));
    ipc_named_push_login(client);
    ipc_named_event event;
    CHECK_STATUS(IPC_TIMEOUT, ipc_named_listener_next(listener, ipc_deadline_after(5000000), NULL, &event));
    ipc_named_message message;
    CHECK_STATUS(IPC_E_REFUSED, ipc_named_receive(client, SOON, NULL, &message));
    check_error_says("1048576 bytes, this server allows 65536");
    ipc_named_close(client, 0, NULL);
    ipc_named_listener_close(listener, 0, NULL);
    remove_conversation();
}

/* ---- ending waits ---------------------------------------------------------------------------------------- */

static void *stop_soon(void *connection)
{
    test_pause(20);
    ipc_named_stop(connection);
    return NULL;
}

TEST(a_stop_ends_the_search_for_a_server_and_the_wait_for_its_answer)
{
    ipc_named_connection *client = open_client(NULL);
    ipc_named_listener *listener = NULL;
    ipc_named_message message;
    test_thread thread;
    for (int has_server = 0; has_server < 2; has_server++) {
        if (has_server != 0)
            listener = open_server(NULL); /* which does not answer */
        test_thread_start(&thread, stop_soon, client);
        CHECK_STATUS(IPC_STOPPED, ipc_named_receive(client, IPC_FOREVER, NULL, &message));
        test_thread_join(&thread);
        CHECK_STATUS(IPC_STOPPED, ipc_named_connect(client, IPC_FOREVER, NULL));
        ipc_named_resume(client);
        test_thread_start(&thread, stop_soon, client);
        CHECK_STATUS(IPC_STOPPED, ipc_named_connect(client, IPC_FOREVER, NULL));
        test_thread_join(&thread);
        ipc_named_resume(client);
    }
    ipc_named_close(client, 0, NULL);
    ipc_named_listener_close(listener, 0, NULL);
    remove_conversation();
}

static void *cancel_soon(void *cancel)
{
    test_pause(20);
    ipc_cancel_trigger(cancel);
    return NULL;
}

TEST(a_cancellation_ends_the_search_for_a_server_and_the_wait_for_its_answer)
{
    ipc_named_connection *client = open_client(NULL);
    ipc_named_listener *listener = NULL;
    ipc_named_message message;
    for (int has_server = 0; has_server < 2; has_server++) {
        if (has_server != 0)
            listener = open_server(NULL);
        for (int connects = 0; connects < 2; connects++) {
            test_thread thread;
            ipc_cancel *cancel = NULL;
            CHECK_OK(ipc_cancel_create(&cancel));
            test_thread_start(&thread, cancel_soon, cancel);
            if (connects != 0)
                CHECK_STATUS(IPC_CANCELLED, ipc_named_connect(client, IPC_FOREVER, cancel));
            else
                CHECK_STATUS(IPC_CANCELLED, ipc_named_receive(client, IPC_FOREVER, cancel, &message));
            test_thread_join(&thread);
            ipc_cancel_destroy(cancel);
        }
    }
    ipc_named_close(client, 0, NULL);
    ipc_named_listener_close(listener, 0, NULL);
    remove_conversation();
}

static void *receive_until_closed(void *connection)
{
    ipc_named_connection *client = connection;
    ipc_named_message message;
    CHECK_STATUS(IPC_CLOSED, ipc_named_receive(client, IPC_FOREVER, NULL, &message));
    ipc_end_leave(&client->receivers);
    return NULL;
}

TEST(a_close_ends_the_waits_with_a_server_and_without)
{
    for (int has_server = 0; has_server < 2; has_server++) {
        ipc_named_connection *client = open_client(NULL);
        ipc_named_listener *listener = has_server != 0 ? open_server(NULL) : NULL;
        test_thread thread;
        ipc_end_enter(&client->receivers); /* close waits for who is inside, and not for who is about to call */
        test_thread_start(&thread, receive_until_closed, client);
        if (has_server != 0)
            CHECK_OK(ipc_named_accept(next_event(listener, IPC_NAMED_LOGIN).connection, NULL, 0));
        test_pause(20);
        ipc_named_close(client, 0, NULL);
        test_thread_join(&thread);
        if (has_server != 0)
            ipc_named_close(next_event(listener, IPC_NAMED_LOGOUT).connection, 0, NULL);
        ipc_named_listener_close(listener, 0, NULL);
        remove_conversation();
    }
}

TEST(a_deadline_passes_while_a_server_does_not_answer)
{
    ipc_named_connection *client = open_client(NULL);
    ipc_named_listener *listener = open_server(NULL);
    ipc_named_message message;
    CHECK_STATUS(IPC_TIMEOUT, ipc_named_receive(client, ipc_deadline_after(20000000), NULL, &message));
    CHECK_STATUS(IPC_TIMEOUT, ipc_named_receive(client, IPC_NOW, NULL, &message));
    CHECK_STATUS(IPC_TIMEOUT, ipc_named_connect(client, ipc_deadline_after(20000000), NULL));
    send_number(client, 1, 1); /* it is not held up by that */
    ipc_named_close(client, 0, NULL);
    ipc_named_listener_close(listener, 0, NULL);
    remove_conversation();
}

TEST(a_closed_listener_tells_its_clients_why)
{
    ipc_named_connection *client = open_client(NULL);
    ipc_named_listener *listener = open_server(NULL);
    ipc_named_connection *server = log_in(client, listener);
    ipc_named_listener_close(listener, 0, "maintenance");
    ipc_named_message message;
    CHECK_STATUS(IPC_TIMEOUT, ipc_named_receive(client, ipc_deadline_after(10000000), NULL, &message));
    ipc_named_end end;
    CHECK_OK(ipc_named_ended(client, &end));
    CHECK_EQUAL(IPC_CLOSE_SHUTDOWN, end.code);
    CHECK(strcmp("maintenance", end.text) == 0);
    listener = open_server(NULL); /* while the former one's connection is there, closed */
    CHECK(log_in(client, listener) != server);
    ipc_named_close(server, 0, NULL);
    ipc_named_close(client, 0, NULL);
    ipc_named_event event = next_event(listener, IPC_NAMED_LOGOUT);
    ipc_named_close(event.connection, 0, NULL);
    ipc_named_listener_close(listener, 0, NULL);
    remove_conversation();
}
