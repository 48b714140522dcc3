/* A conversation is given up while threads are anywhere: between a claim and its commit, in a wait, closing. */
#include "named_parts.h"

#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

/* ---- bytes that hold up who copies them ------------------------------------------------------------------ */

static uint8_t *trap;
static long trap_size;
static _Atomic bool is_caught;
static _Atomic bool is_let_go;

static void hold_up(int signal_number)
{
    const struct timespec moment = {0, 1000000};
    (void)signal_number;
    is_caught = true;
    while (!is_let_go)
        (void)nanosleep(&moment, NULL);
}

/* Whoever reads them stops there, until they are let go. */
static const uint8_t *set_trap(void)
{
    const struct sigaction action = {.sa_handler = hold_up};
    trap_size = sysconf(_SC_PAGESIZE);
    trap = mmap(NULL, (size_t)trap_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(trap != MAP_FAILED);
    memset(trap, 'x', (size_t)trap_size);
    CHECK_EQUAL(0, sigaction(SIGSEGV, &action, NULL));
    CHECK_EQUAL(0, mprotect(trap, (size_t)trap_size, PROT_NONE));
    is_caught = false;
    is_let_go = false;
    return trap;
}

static void let_go(void)
{
    CHECK_EQUAL(0, mprotect(trap, (size_t)trap_size, PROT_READ));
    is_let_go = true;
}

static void end_trap(void)
{
    CHECK(signal(SIGSEGV, SIG_DFL) != SIG_ERR);
    CHECK_EQUAL(0, munmap(trap, (size_t)trap_size));
}

/* ---- sending --------------------------------------------------------------------------------------------- */

static void *send_trap(void *client)
{
    uint64_t sequence = 0;
    CHECK_OK(ipc_named_send(client, trap, 100, 7, SOON, NULL, &sequence));
    CHECK_EQUAL(1, sequence); /* of the new conversation */
    return NULL;
}

static void *try_to_send_trap(void *client)
{
    uint64_t sequence = 0;
    CHECK_OK(ipc_named_try_send(client, trap, 100, 7, &sequence));
    CHECK_EQUAL(1, sequence);
    return NULL;
}

static void send_across_a_reset(void *(*send)(void *client))
{
    ipc_named_connection *client = open_client(NULL);
    ipc_named_listener *listener = open_server("A");
    ipc_named_connection *server = log_in(client, listener);
    ipc_named_message message;
    send_number(client, 1, 1);
    test_thread sender;
    (void)set_trap();
    test_thread_start(&sender, send, client);
    WAIT_FOR(is_caught); /* it has claimed */
    ipc_named_close(server, 0, NULL);
    ipc_named_listener_close(listener, 0, NULL);
    listener = open_server("B");
    server = log_in(client, listener);
    let_go();
    test_thread_join(&sender);
    end_trap();
    ipc_named_reset reset;
    ipc_named_last_reset(client, &reset);
    CHECK_EQUAL(1, reset.count);
    CHECK_EQUAL(1, reset.unacknowledged_sent);
    CHECK_OK(ipc_named_receive(server, SOON, NULL, &message));
    CHECK_EQUAL(1, message.sequence);
    CHECK_EQUAL(100, message.length);
    CHECK_EQUAL('x', ((const uint8_t *)message.payload)[99]);
    ipc_named_close(server, 0, NULL);
    ipc_named_listener_close(listener, 0, NULL);
    ipc_named_close(client, 0, NULL);
    remove_conversation();
}

TEST(what_is_being_copied_when_the_conversation_is_given_up_is_sent_in_the_next_one)
{
    send_across_a_reset(send_trap);
    send_across_a_reset(try_to_send_trap);
}

/* ---- there are no others yet ------------------------------------------------------------------------------ */

#define TOO_MUCH (1ull << 50)

/* Another server has come, the former conversation is given up, and the next one cannot be made. */
static ipc_named_connection *give_up(bool no_reconnect, ipc_named_listener **listener)
{
    const ipc_named_options options = {.to_server_capacity = 4096, .no_reconnect = no_reconnect};
    ipc_named_connection *client = open_client(&options);
    ipc_named_listener *former = open_server("A");
    ipc_named_close(log_in(client, former), 0, NULL);
    ipc_named_listener_close(former, 0, NULL);
    *listener = open_server("B");
    client->options.to_server_capacity = TOO_MUCH;
    while (!client->begins_anew) {
        ipc_named_event event;
        ipc_named_push_login(client);
        CHECK_STATUS(IPC_TIMEOUT, ipc_named_listener_next(*listener, ipc_deadline_after(1000000), NULL, &event));
    }
    return client;
}

/* It is not time to try again. */
static void wait_long(ipc_named_connection *client)
{
    ipc_store_relaxed64(&client->next_attempt, IPC_FOREVER);
}

static uint64_t processor_ns(void)
{
    struct timespec time;
    CHECK_EQUAL(0, clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time));
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

typedef enum wait_kind { RECEIVES, CLAIMS, SENDS, WAITS } wait_kind;

static ipc_status wait_for(wait_kind kind, ipc_named_connection *client, ipc_deadline deadline, ipc_cancel *cancel)
{
    ipc_named_message message;
    void *place = NULL;
    return kind == RECEIVES ? ipc_named_receive(client, deadline, cancel, &message)
           : kind == CLAIMS ? ipc_named_claim(client, 8, deadline, cancel, &place)
                            : ipc_named_send(client, "12345678", 8, 7, deadline, cancel, NULL);
}

typedef struct waiting {
    wait_kind kind;
    ipc_named_connection *client;
    ipc_cancel *cancel;
    ipc_status expected;
    test_thread thread;
} waiting;

static ipc_end *half_of(const waiting *it)
{
    return it->kind == RECEIVES ? &it->client->receivers : &it->client->senders;
}

static void *wait_on(void *argument)
{
    const waiting *it = argument;
    CHECK_STATUS(it->expected, wait_for(it->kind, it->client, IPC_FOREVER, it->cancel));
    if (it->expected == IPC_CLOSED)
        ipc_end_leave(half_of(it));
    return NULL;
}

static void start_to_wait(waiting *it, wait_kind kind, ipc_named_connection *client, ipc_cancel *cancel,
                          ipc_status expected)
{
    *it = (waiting){.kind = kind, .client = client, .cancel = cancel, .expected = expected};
    if (expected == IPC_CLOSED)
        ipc_end_enter(half_of(it)); /* close waits for who is inside, and not for who is about to call */
    test_thread_start(&it->thread, wait_on, it);
    test_pause(10); /* it waits */
}

static void end_waits(wait_kind kind, bool no_reconnect)
{
    ipc_named_listener *listener = NULL;
    ipc_cancel *cancel = NULL;
    ipc_named_connection *client = give_up(no_reconnect, &listener);
    wait_long(client);
    CHECK_STATUS(IPC_TIMEOUT, wait_for(kind, client, IPC_NOW, NULL));
    const uint64_t before = processor_ns();
    CHECK_STATUS(IPC_TIMEOUT, wait_for(kind, client, ipc_deadline_after(400000000), NULL));
    CHECK(processor_ns() - before < 200000000); /* attempts to begin anew cost some, under an emulator most of 50 ms */

    waiting waiter;
    CHECK_OK(ipc_cancel_create(&cancel));
    start_to_wait(&waiter, kind, client, cancel, IPC_CANCELLED);
    ipc_cancel_trigger(cancel);
    test_thread_join(&waiter.thread);
    CHECK_STATUS(IPC_CANCELLED, wait_for(kind, client, IPC_FOREVER, cancel));
    ipc_cancel_destroy(cancel);

    start_to_wait(&waiter, kind, client, NULL, IPC_STOPPED);
    ipc_named_stop(client);
    test_thread_join(&waiter.thread);
    ipc_named_resume(client);

    start_to_wait(&waiter, kind, client, NULL, IPC_CLOSED);
    ipc_named_close(client, 0, NULL);
    test_thread_join(&waiter.thread);
    ipc_named_listener_close(listener, 0, NULL);
}

TEST(a_wait_ends_as_any_although_the_next_conversation_could_not_be_begun)
{
    for (wait_kind kind = RECEIVES; kind < WAITS; kind++) {
        end_waits(kind, true);
        end_waits(kind, false);
    }
}

TEST(between_two_conversations_there_is_no_message_and_no_room_and_what_was_claimed_is_lost)
{
    ipc_named_listener *listener = NULL;
    ipc_named_connection *client = give_up(true, &listener);
    ipc_named_message message;
    void *place = NULL;
    CHECK_STATUS(IPC_EMPTY, ipc_named_try_receive(client, &message));
    CHECK_STATUS(IPC_E_INVALID_STATE, ipc_named_commit(client, 8, 7, NULL));
    check_error_says("given up");
    CHECK_STATUS(IPC_FULL, ipc_named_try_claim(client, 8, &place));
    CHECK_STATUS(IPC_FULL, ipc_named_try_send(client, "x", 1, 7, NULL));
    waiting sender;
    start_to_wait(&sender, SENDS, client, NULL, IPC_OK);
    client->options.to_server_capacity = 4096; /* now it can */
    ipc_named_connection *server = log_in(client, listener);
    test_thread_join(&sender.thread);
    CHECK_OK(ipc_named_receive(server, SOON, NULL, &message));
    CHECK_EQUAL(1, message.sequence);
    ipc_named_close(server, 0, NULL);
    ipc_named_listener_close(listener, 0, NULL);
    ipc_named_close(client, 0, NULL);
    remove_conversation();
}

/* ---- closing --------------------------------------------------------------------------------------------- */

/* A login on one thread has made other ends while another closed: a third one must not wait in them for ever. */
TEST(ends_that_come_while_it_is_closed_are_shut)
{
    ipc_named_connection *client = ipc_named_make(SERVER, CLIENT, true, IPC_WAIT_ADAPTIVE, 0);
    ipc_named_ends *ends = NULL;
    CHECK_OK(ipc_named_ends_open(client, IPC_NOW, &ends));
    ipc_store_release32(&client->is_closed, 1);
    ipc_named_install(client, ends);
    CHECK_STATUS(IPC_CLOSED, ipc_ring_wait(&ends->reader, ipc_deadline_after(100000000), NULL));
    void *place = NULL;
    while (ipc_ring_try_claim(&ends->writer, 8, &place) == IPC_OK)
        CHECK_OK(ipc_ring_commit(&ends->writer, 8, 7));
    CHECK_STATUS(IPC_CLOSED, ipc_ring_claim(&ends->writer, 8, ipc_deadline_after(100000000), NULL, &place));
    ipc_named_close(client, 0, NULL);
    remove_conversation();
}

/* They are inside between two calls as well: close waits for who is, and not for who is about to call. */
static void *send_until_closed(void *argument)
{
    ipc_named_connection *connection = argument;
    ipc_status status;
    ipc_end_enter(&connection->senders);
    while ((status = ipc_named_send(connection, "12345678", 8, 7, IPC_FOREVER, NULL, NULL)) == IPC_OK)
        ;
    CHECK_STATUS(IPC_CLOSED, status);
    ipc_end_leave(&connection->senders);
    return NULL;
}

static void *receive_until_closed(void *argument)
{
    ipc_named_connection *connection = argument;
    ipc_named_message message;
    ipc_status status;
    ipc_end_enter(&connection->receivers);
    while ((status = ipc_named_receive(connection, IPC_FOREVER, NULL, &message)) == IPC_OK ||
           status == IPC_E_REFUSED)
        ipc_named_acknowledge(connection, 0);
    CHECK_STATUS(IPC_CLOSED, status);
    ipc_end_leave(&connection->receivers);
    return NULL;
}

typedef struct lead {
    ipc_named_listener *listener;
    int answers; /* 0 none, 1 yes, 2 no */
} lead;

static void *serve(void *argument)
{
    const lead *it = argument;
    ipc_named_event event;
    while (ipc_named_listener_next(it->listener, IPC_FOREVER, NULL, &event) == IPC_OK) {
        if (event.kind == IPC_NAMED_LOGIN && it->answers == 1)
            CHECK_OK(ipc_named_accept(event.connection, NULL, 0));
        else if (event.kind == IPC_NAMED_LOGIN && it->answers == 2)
            CHECK_OK(ipc_named_refuse(event.connection, "no"));
        else if (event.kind == IPC_NAMED_LOGOUT)
            ipc_named_close(event.connection, 0, NULL);
        /* what is readable is kept, so that the ring gets full */
    }
    return NULL;
}

/* Nobody, one who is silent, one who accepts, one who refuses, another one who accepts: closed at any moment. */
TEST(a_close_ends_sending_and_receiving_threads_at_any_moment_of_a_login)
{
    const ipc_named_options options = {.to_server_capacity = 4096, .to_client_capacity = 4096,
                                       .loan_budget = IPC_NO_LOANS};
    const int rounds = test_is_long() ? 2000 : 100;
    for (int round = 0; round < rounds; round++) {
        const int state = round % 5;
        lead server = {.answers = state == 2 || state == 4 ? 1 : state == 3 ? 2 : 0};
        ipc_named_connection *client = open_client(&options);
        if (state == 4) { /* which was with another one before */
            ipc_named_listener *former = open_server("A");
            ipc_named_close(log_in(client, former), 0, NULL);
            ipc_named_listener_close(former, 0, NULL);
        }
        test_thread leader;
        test_thread sender;
        test_thread receiver;
        if (state != 0) {
            server.listener = open_server(NULL);
            test_thread_start(&leader, serve, &server);
        }
        while (ipc_named_sent(client) < 63) /* there is no room for another one */
            CHECK_OK(ipc_named_send(client, "", 0, 7, SOON, NULL, NULL)); /* the server may begin anew between two */
        test_thread_start(&receiver, receive_until_closed, client);
        if (state != 3)
            test_thread_start(&sender, send_until_closed, client);
        WAIT_FOR(ipc_load_relaxed32(&client->receivers.inside) > 1); /* and in a call that waits */
        WAIT_FOR(state == 3 || ipc_load_relaxed32(&client->senders.inside) > 1);
        ipc_cancel *never = NULL;
        CHECK_OK(ipc_cancel_create(&never));
        if (round % 7 != 0)
            ipc_cancel_pause(never, ipc_deadline_after((uint64_t)(round % 13) * 200000));
        ipc_cancel_destroy(never);
        ipc_named_close(client, 0, NULL);
        test_thread_join(&receiver);
        if (state != 3)
            test_thread_join(&sender);
        if (state != 0) {
            ipc_named_listener_stop(server.listener);
            test_thread_join(&leader);
            ipc_named_connection *left = NULL;
            if (ipc_named_listener_open_connection(server.listener, CLIENT, &left) != IPC_OK)
                left = NULL;
            ipc_named_listener_close(server.listener, 0, NULL);
            ipc_named_close(left, 0, NULL);
        }
        remove_conversation();
    }
}

/* ---- a server's ------------------------------------------------------------------------------------------- */

static void *accept_with_trap(void *connection)
{
    CHECK_OK(ipc_named_accept(connection, trap, 100));
    return NULL;
}

TEST(a_login_that_comes_while_the_one_before_is_being_accepted_comes_again)
{
    ipc_named_connection *client = open_client(NULL);
    ipc_named_listener *listener = open_server(NULL);
    ipc_named_event event;
    ipc_named_push_login(client);
    ipc_named_connection *server = next_event(listener, IPC_NAMED_LOGIN).connection;
    test_thread accepting;
    (void)set_trap();
    test_thread_start(&accepting, accept_with_trap, server);
    WAIT_FOR(is_caught);
    ipc_named_close(client, 0, NULL);
    client = open_client(NULL);
    ipc_named_push_login(client);
    CHECK_STATUS(IPC_TIMEOUT, ipc_named_listener_next(listener, ipc_deadline_after(5000000), NULL, &event));
    let_go();
    test_thread_join(&accepting);
    end_trap();
    event.kind = IPC_NAMED_LOGOUT;
    while (event.kind == IPC_NAMED_LOGOUT) { /* of the one that has gone, seen or not */
        ipc_named_push_login(client);
        if (ipc_named_listener_next(listener, ipc_deadline_after(1000000), NULL, &event) != IPC_OK)
            event.kind = IPC_NAMED_LOGOUT;
    }
    CHECK_EQUAL(IPC_NAMED_LOGIN, event.kind);
    CHECK(event.connection == server);
    CHECK_OK(ipc_named_accept(server, NULL, 0));
    ipc_named_push_login(client);
    CHECK(ipc_named_is_connected(client));
    send_number(client, 5, 1);
    (void)next_event(listener, IPC_NAMED_READABLE);
    receive_number(server, 5, 1, false);
    ipc_named_close(server, 0, NULL);
    ipc_named_listener_close(listener, 0, NULL);
    ipc_named_close(client, 0, NULL);
    remove_conversation();
}
