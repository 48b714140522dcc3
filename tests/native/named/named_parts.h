/* What the tests of named connections have in common. */
#ifndef NAMED_PARTS_H
#define NAMED_PARTS_H

#include "ignore.h"
#include "named/named.h"
#include "test.h"

#define SERVER "exchange"
#define CLIENT "trader-7"

static inline ipc_named_connection *open_client(const ipc_named_options *options)
{
    ipc_named_connection *connection = NULL;
    CHECK_OK(ipc_named_open(SERVER, CLIENT, options, &connection));
    return connection;
}

static inline ipc_named_listener *open_server(const char *identity)
{
    ipc_named_listener *listener = NULL;
    const ipc_named_listener_options options = {.identity = identity};
    CHECK_OK(ipc_named_listener_open(SERVER, &options, &listener));
    return listener;
}

static inline void send_number(ipc_named_connection *connection, uint64_t number, uint64_t expected)
{
    uint64_t sequence = 0;
    CHECK_OK(ipc_named_send(connection, &number, sizeof number, 7, SOON, NULL, &sequence));
    CHECK_EQUAL(expected, sequence);
}

static inline void expect_number(const ipc_named_message *message, uint64_t number, uint64_t sequence, bool redelivered)
{
    uint64_t got = 0;
    CHECK_EQUAL(sizeof got, message->length);
    memcpy(&got, message->payload, sizeof got);
    CHECK_EQUAL(number, got);
    CHECK_EQUAL(7, message->type);
    CHECK_EQUAL(sequence, message->sequence);
    CHECK_EQUAL(redelivered, message->redelivered);
}

static inline void receive_number(ipc_named_connection *connection, uint64_t number, uint64_t sequence, bool redelivered)
{
    ipc_named_message message;
    CHECK_OK(ipc_named_receive(connection, SOON, NULL, &message));
    expect_number(&message, number, sequence, redelivered);
}

static inline ipc_named_event next_event(ipc_named_listener *listener, ipc_named_event_kind kind)
{
    ipc_named_event event = {0};
    CHECK_OK(ipc_named_listener_next(listener, SOON, NULL, &event));
    CHECK_EQUAL(kind, event.kind);
    return event;
}

/* In one thread: the client asks, the server accepts, the client learns of it. */
static inline ipc_named_connection *log_in(ipc_named_connection *client, ipc_named_listener *listener)
{
    ipc_named_event event = {0};
    const ipc_deadline until = SOON;
    do { /* it may not be time yet */
        CHECK(ipc_deadline_after(0) < until);
        ipc_named_push_login(client);
    } while (ipc_named_listener_next(listener, ipc_deadline_after(1000000), NULL, &event) == IPC_TIMEOUT);
    CHECK_EQUAL(IPC_NAMED_LOGIN, event.kind);
    CHECK_OK(ipc_named_accept(event.connection, "hi", 2));
    ipc_named_push_login(client);
    CHECK(ipc_named_is_connected(client));
    CHECK(ipc_named_is_connected(event.connection));
    return event.connection;
}

static inline void remove_conversation(void)
{
    CHECK_OK(ipc_named_remove(SERVER, CLIENT));
}

#endif
