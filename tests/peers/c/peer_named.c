/*
 * peer named-client, peer named-server: a conversation that goes on when either is killed.
 *
 *   named-client SERVER CLIENT COUNT SIZE|random [SEED]
 *       sends the numbers up to COUNT, each as its message's number, beginning behind the last one that was sent; receives
 *       the echoes, and acknowledges; "done" and 0 when everything is acknowledged by the server and received
 *   named-server NAME [IDENTITY]
 *       prints "ready"; echoes each message, then acknowledges; ends with its input
 *
 * Each prints a line for each message that it has received, before it answers or acknowledges:
 *
 *   got SEQUENCE REDELIVERED NUMBER            the client; REDELIVERED is 0 or 1
 *   got CLIENT SEQUENCE REDELIVERED NUMBER     the server
 *   login CLIENT [TEXT], logout CLIENT CODE    the server; CODE 0: died
 *   reset COUNT OLD NEW SENT RECEIVED          the client, when it has begun anew
 *
 * Options besides the others': --log FILE (the lines are appended there instead), --acknowledge N (after each N messages,
 * and when there is no other; default 1), --login TEXT.
 */
#include "ignore.h"
#include "peer.h"

#include <pthread.h>
#include <unistd.h>

const char *peer_log;
const char *peer_login;
uint64_t peer_acknowledge = 1;

#define BURST     64
#define PAUSE_NS  1000000u

static bool open_log(void)
{
    if (peer_log != NULL && freopen(peer_log, "a", stdout) == NULL)
        return false;
    setvbuf(stdout, NULL, _IOLBF, 0);
    return true;
}

static uint64_t number_of(const ipc_named_message *message)
{
    uint64_t number = 0;
    if (message->length >= 8)
        memcpy(&number, message->payload, 8);
    return number;
}

/* ---- client ------------------------------------------------------------------------------------------- */

typedef struct client_state {
    ipc_named_connection *connection;
    uint64_t count;
    const char *size;
    uint64_t seed;
    uint64_t held; /* received and not acknowledged */
    uint64_t resets;
} client_state;

static ipc_status send_some(client_state *state)
{
    ipc_named_connection *connection = state->connection;
    for (int i = 0; i < BURST && ipc_named_sent(connection) < state->count; i++) {
        const uint64_t number = ipc_named_sent(connection) + 1;
        const uint32_t length = peer_next_size(state->size, ipc_named_max_payload(connection), &state->seed);
        void *payload = NULL;
        uint64_t sequence = 0;
        ipc_status status = ipc_named_try_claim(connection, length, &payload);
        if (status != IPC_OK)
            return status;
        peer_fill(payload, number, length);
        status = ipc_named_commit(connection, length, (uint16_t)number, &sequence);
        if (status != IPC_OK)
            return status;
        if (sequence != number)
            exit(peer_wrong("number %llu was sent as message %llu", (unsigned long long)number,
                            (unsigned long long)sequence));
    }
    return IPC_OK;
}

static void tell_of_reset(client_state *state)
{
    ipc_named_reset reset;
    ipc_named_last_reset(state->connection, &reset);
    if (reset.count == state->resets)
        return;
    state->resets = reset.count;
    printf("reset %llu %s %s %llu %llu\n", (unsigned long long)reset.count, reset.old_identity, reset.new_identity,
           (unsigned long long)reset.unacknowledged_sent, (unsigned long long)reset.unacknowledged_received);
}

static int take(client_state *state, const ipc_named_message *message)
{
    const uint64_t number = number_of(message);
    printf("got %llu %d %llu\n", (unsigned long long)message->sequence, message->redelivered,
           (unsigned long long)number);
    const int result = peer_check(message->payload, number, message->length);
    if (++state->held >= peer_acknowledge) {
        ipc_named_acknowledge(state->connection, message->sequence);
        state->held = 0;
    }
    return result;
}

/* True when it is through. */
static bool is_done(client_state *state)
{
    return ipc_named_sent(state->connection) >= state->count && ipc_named_unacknowledged(state->connection) == 0;
}

static int talk(client_state *state)
{
    for (;;) {
        ipc_named_message message;
        const bool done = is_done(state); /* before the look: the echoes were sent before the acknowledgements */
        ipc_status status = ipc_named_try_receive(state->connection, &message);
        if (status == IPC_EMPTY && done) {
            ipc_named_acknowledge(state->connection, 0);
            return 0;
        }
        if (status == IPC_EMPTY) {
            ipc_named_acknowledge(state->connection, 0);
            state->held = 0;
            status = send_some(state);
            if (status == IPC_OK || status == IPC_FULL)
                status = ipc_named_receive(state->connection, ipc_deadline_after(PAUSE_NS), NULL, &message);
        }
        tell_of_reset(state);
        if (status == IPC_OK) {
            const int result = take(state, &message);
            if (result != 0)
                return result;
        } else if (status != IPC_TIMEOUT && status != IPC_E_INVALID_STATE) {
            return peer_error(status);
        }
        if (ipc_deadline_after(0) >= peer_deadline)
            return peer_error(IPC_TIMEOUT);
    }
}

int peer_named_client(char **arguments, int count)
{
    client_state state = {.count = strtoull(arguments[2], NULL, 10), .size = arguments[3]};
    state.seed = count > 4 ? strtoull(arguments[4], NULL, 10) : 1;
    const ipc_named_options options = {
        .to_server_capacity = peer_ring_options.capacity,
        .to_client_capacity = peer_ring_options.capacity,
        .loan_budget = peer_ring_options.loan_budget,
        .wait_mode = peer_ring_options.wait_mode,
        .login = peer_login,
        .login_length = peer_login == NULL ? 0 : (uint32_t)strlen(peer_login),
    };
    if (!open_log())
        return 3;
    ipc_status status = ipc_named_open(arguments[0], arguments[1], &options, &state.connection);
    if (status != IPC_OK)
        return peer_error(status);
    const int result = talk(&state);
    ipc_named_close(state.connection, IPC_CLOSE_NORMAL, NULL);
    if (result == 0)
        printf("done\n");
    return result;
}

/* ---- server ------------------------------------------------------------------------------------------- */

static volatile bool ending;

static void *stop_at_input_end(void *listener)
{
    peer_wait_for_input_end();
    ending = true;
    ipc_named_listener_stop(listener);
    return NULL;
}

/* Waits for room for as long as the client has none: a test's server has nothing better to do. */
static ipc_status answer(ipc_named_connection *connection, const ipc_named_message *message)
{
    ipc_status status;
    do {
        status = ipc_named_send(connection, message->payload, message->length, message->type,
                                ipc_deadline_after(PAUSE_NS), NULL, NULL);
    } while (status == IPC_TIMEOUT && !ending);
    return status;
}

static ipc_status serve(ipc_named_connection *connection)
{
    ipc_named_message message;
    ipc_status status;
    uint64_t held = 0;
    while ((status = ipc_named_try_receive(connection, &message)) == IPC_OK) {
        const uint64_t number = number_of(&message);
        printf("got %s %llu %d %llu\n", ipc_named_client_name(connection), (unsigned long long)message.sequence,
               message.redelivered, (unsigned long long)number);
        if (peer_check(message.payload, number, message.length) != 0)
            exit(1);
        status = answer(connection, &message);
        if (status != IPC_OK)
            return status;
        if (++held >= peer_acknowledge) {
            ipc_named_acknowledge(connection, message.sequence);
            held = 0;
        }
    }
    ipc_named_acknowledge(connection, 0);
    return status == IPC_EMPTY ? IPC_OK : status;
}

static ipc_status handle(ipc_named_listener *listener, const ipc_named_event *event)
{
    uint32_t length = 0;
    ipc_status status = IPC_OK;
    const char *name = ipc_named_client_name(event->connection);
    switch (event->kind) {
    case IPC_NAMED_LOGIN: {
        const char *text = ipc_named_login(event->connection, &length);
        printf("login %s%s%.*s\n", name, length == 0 ? "" : " ", (int)length, text);
        return ipc_named_accept(event->connection, "ok", 2);
    }
    case IPC_NAMED_READABLE:
        status = serve(event->connection);
        ipc_named_return(listener, event->connection);
        return status;
    case IPC_NAMED_LOGOUT:
        printf("logout %s %u\n", name, event->code);
        return IPC_OK;
    }
    return IPC_E_INVALID_STATE;
}

int peer_named_server(char **arguments, int count)
{
    const ipc_named_listener_options options = {
        .wait_mode = peer_ring_options.wait_mode,
        .identity = count > 1 ? arguments[1] : NULL,
    };
    ipc_named_listener *listener = NULL;
    pthread_t stopper;
    if (!open_log())
        return 3;
    ipc_status status = ipc_named_listener_open(arguments[0], &options, &listener);
    if (status != IPC_OK)
        return peer_error(status);
    if (pthread_create(&stopper, NULL, stop_at_input_end, listener) != 0)
        return 3;
    printf("ready\n");
    while (status == IPC_OK) {
        ipc_named_event event;
        status = ipc_named_listener_next(listener, peer_deadline, NULL, &event);
        if (status == IPC_OK)
            status = handle(listener, &event);
    }
    const bool in_order = status == IPC_STOPPED || (ending && status == IPC_TIMEOUT);
    const int result = in_order ? 0 : peer_error(status);
    if (in_order)
        (void)pthread_join(stopper, NULL); /* otherwise it waits for input; the process ends */
    ipc_named_listener_close(listener, 0, NULL);
    return result;
}
