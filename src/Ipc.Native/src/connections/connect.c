/*
 * The client's side: entering the listener's table, making the connection's region, asking, waiting for the answer; and
 * leaving.
 *
 * Until the slot says "requested" the server does not look at it, and a death is cleaned up by whoever finds it: the
 * slot names the file. A client that gives up while it is asking closes its side, removes the file and frees the slot,
 * unless the server has just taken it. The file gets its name under the listener's region lock, where a server that
 * leaves withdraws all who ask: either it finds the slot, or we find it gone.
 */
#include "connections/connect.h"
#include "connections/connection_protocol.h"
#include "platform/fault.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_CAPACITY  (256ull << 10)
#define ANSWER_TIMEOUT_NS 5000000000ull
#define LOOK_MIN_NS       1000000u
#define LOOK_MAX_NS       20000000u
#define PROTOCOL_MAX      80u /* bytes of its description */

ipc_status ipc_connect_check(const ipc_connect_options *options, ipc_connection_plan *plan)
{
    plan->to_server_capacity = options->to_server_capacity == 0 ? DEFAULT_CAPACITY : options->to_server_capacity;
    plan->to_client_capacity = options->to_client_capacity == 0 ? DEFAULT_CAPACITY : options->to_client_capacity;
    plan->hello = options->hello;
    plan->hello_length = options->hello_length;
    if (options->hello_length > IPC_CONNECTION_TEXT_MAX || (options->hello_length != 0 && options->hello == NULL))
        return ipc_fail(IPC_E_INVALID_ARGUMENT, "the hello has %u bytes, at most %u are possible",
                        options->hello_length, IPC_CONNECTION_TEXT_MAX);
    ipc_status status = ipc_protocol_check(&options->protocol, &plan->protocol);
    if (status == IPC_OK)
        status = ipc_ring_check_capacity(plan->to_server_capacity);
    if (status == IPC_OK)
        status = ipc_ring_check_capacity(plan->to_client_capacity);
    return status == IPC_OK ? ipc_pool_budget(options->loan_budget, &plan->loan_budget) : status;
}

static ipc_status enter(const char *path, const ipc_share *share, const ipc_connect_options *options,
                        ipc_region **region)
{
    uint64_t pause = LOOK_MIN_NS;
    for (;;) {
        ipc_status status = ipc_region_attach(path, share, &ipc_listener_kind, NULL, IPC_ROLE_CLIENT,
                                              IPC_LIFETIME_DEFAULT, ipc_region_lock_deadline(options->deadline),
                                              region);
        if (status != IPC_E_NOT_FOUND && status != IPC_TIMEOUT)
            return status;
        if (ipc_cancel_is_triggered(options->cancel))
            return ipc_ended(IPC_CANCELLED);
        if (ipc_platform_now() >= options->deadline)
            return status == IPC_E_NOT_FOUND ? ipc_region_not_found(&ipc_listener_kind, path) : status;
        const ipc_deadline next = ipc_deadline_after(pause);
        ipc_cancel_pause(options->cancel, next < options->deadline ? next : options->deadline);
        pause = pause * 2 > LOOK_MAX_NS ? LOOK_MAX_NS : pause * 2;
    }
}

/* idle -> opening, and a region that has no name yet. */
static ipc_status make_region(ipc_connection *connection, ipc_connection_plan *plan)
{
    char path[IPC_PATH_MAX];
    uint64_t idle = IPC_SLOT_IDLE;
    ipc_platform_random(&connection->id, sizeof connection->id);
    connection->id = connection->id % IPC_SLOT_ID_MAX + 1;
    plan->slot = connection->slot;
    plan->connection_id = connection->id;
    if (!ipc_cas64(&connection->view->slots[connection->slot].word, &idle,
                   ipc_slot_of(connection->id, IPC_SLOT_OPENING))) /* [slot] */
        return ipc_fail(IPC_E_CORRUPT, "slot %u of %s is somebody else's: %016" PRIx64, connection->slot,
                        connection->view->region->path, idle);
    IPC_FAULT_POINT("connect.slot_opening");
    ipc_listener_connection_path(connection->view->region, connection->id, path, sizeof path);
    /* Whoever the listener admits: this is between two users. */
    const ipc_share share = ipc_share_with(&connection->view->region->share, connection->view->region->user);
    return ipc_connection_region_build(path, &share, plan, &connection->region);
}

static ipc_status lock_listener(const ipc_connection *connection, const ipc_connect_options *options)
{
    for (;;) {
        ipc_status status = ipc_region_lock(connection->view->region, ipc_region_lock_deadline(options->deadline));
        if (status != IPC_TIMEOUT || ipc_platform_now() >= options->deadline)
            return status;
        if (ipc_cancel_is_triggered(options->cancel))
            return ipc_ended(IPC_CANCELLED);
    }
}

/* `the server "NAME" (process PID) ...`, as every failure to connect begins. */
static ipc_status server_failed(const ipc_connection *connection, ipc_status status, const char *what)
{
    const ipc_region *listener = connection->view->region;
    return ipc_fail(status, "the server \"%s\" (process %u) %s", ipc_region_name_of(listener->path),
                    ipc_load_relaxed32(&ipc_region_participant(listener, IPC_LISTENER_SERVER)->pid), what);
}

ipc_status ipc_connect_unanswered(const ipc_connection *connection)
{
    return server_failed(connection, IPC_TIMEOUT,
                         "did not answer the request to connect in time: it is busy or stopped");
}

/* The end of a server, as whoever was asking it sees it. */
static ipc_status server_has_gone(const ipc_connection *connection)
{
    const ipc_region *listener = connection->view->region;
    const bool alive =
        ipc_region_is_alive(listener, IPC_LISTENER_SERVER); /* first: what it ended as stands before it is free */
    const uint32_t ended = ipc_load_acquire32(&ipc_region_participant(listener, IPC_LISTENER_SERVER)->ended);
    /* Who cleans up after a dead one withdraws what it had not answered first, and says that it is dead last; but the
       dead one has no lock any more. */
    const bool died = ended == IPC_ENDED_DIED || (ended != IPC_ENDED_LEFT && !alive);
    return server_failed(connection, died ? IPC_PEER_DIED : IPC_PEER_CLOSED, "ended while it was being connected to");
}

ipc_status ipc_connect_request(ipc_connection *connection)
{
    const ipc_listener_view *view = connection->view;
    uint64_t opening = ipc_slot_of(connection->id, IPC_SLOT_OPENING);
    if (ipc_load_acquire32(&ipc_region_header_of(view->region)->state) != IPC_REGION_LIVE ||
        ipc_load_acquire32(&view->body->server_state) != IPC_SERVER_OPEN) {
        ipc_region_unlock(view->region);
        return server_has_gone(connection);
    }
    ipc_connect_sweep(view);
    ipc_status status = ipc_region_link(connection->region);
    if (status == IPC_OK) {
        IPC_FAULT_POINT("connect.region_linked");
        if (!ipc_cas64(&view->slots[connection->slot].word, &opening,
                       ipc_slot_of(connection->id, IPC_SLOT_REQUESTED))) { /* [slot] */
            (void)ipc_platform_file_unlink(connection->region->path);
            status = server_has_gone(connection);
        }
    }
    ipc_region_unlock(view->region);
    return status;
}

/* ---- the answer -------------------------------------------------------------------------------------- */

static bool has_reply(const void *subject)
{
    const ipc_connection *connection = subject;
    return ipc_load_relaxed32(&connection->body->reply) != IPC_REPLY_NONE;
}

/* By a server that has stored why it closes, too: it ends, and has nothing against this client. */
static ipc_status refused(const ipc_connection *connection)
{
    const bool ending = ipc_load_acquire32(&connection->body->server_close) == IPC_CLOSE_SHUTDOWN; /* [close] */
    uint32_t length = ipc_load_acquire32(&connection->body->server_text_length);
    length = length > IPC_CONNECTION_TEXT_MAX ? IPC_CONNECTION_TEXT_MAX : length;
    char text[IPC_CONNECTION_TEXT_MAX + 1];
    memcpy(text, connection->body->server_text, length);
    text[length] = '\0';
    if (ending) {
        char what[sizeof text + 32];
        (void)snprintf(what, sizeof what, "takes no further clients: %s", text[0] != '\0' ? text : "it is ending.");
        return server_failed(connection, IPC_PEER_CLOSED, what);
    }
    if (text[0] != '\0')
        return ipc_fail(IPC_E_REFUSED, "%s", text);
    return server_failed(connection, IPC_E_REFUSED, "refused the connection and gave no reason");
}

static ipc_status judge_reply(const ipc_connection *connection)
{
    const uint32_t reply = ipc_load_acquire32(&connection->body->reply); /* [reply] */
    if (reply == IPC_REPLY_ACCEPTED)
        return IPC_OK;
    if (reply == IPC_REPLY_REFUSED)
        return refused(connection);
    if (reply != IPC_REPLY_NONE) {
        char what[64];
        (void)snprintf(what, sizeof what, "replied %u, neither accepted (1) nor refused (2)", reply);
        return server_failed(connection, IPC_E_CORRUPT, what);
    }
    return IPC_EMPTY;
}

static ipc_status check_reply(void *subject)
{
    ipc_connection *connection = subject;
    ipc_status status = judge_reply(connection);
    if (status != IPC_EMPTY)
        return status;
    const ipc_peer_state state = ipc_connection_peer_state(connection);
    const uint64_t word = ipc_load_acquire64(&connection->view->slots[connection->slot].word); /* [slot] */
    if (state == IPC_PEER_LIVE && ipc_slot_id(word) == connection->id)
        return IPC_EMPTY;
    status = judge_reply(connection); /* once more: it answered, then went */
    if (status != IPC_EMPTY)
        return status;
    if (state == IPC_PEER_LIVE && ipc_load_acquire32(&connection->view->body->server_state) != IPC_SERVER_OPEN)
        return server_has_gone(connection); /* what it had not answered was withdrawn */
    if (state == IPC_PEER_LIVE)
        return server_failed(connection, IPC_E_REFUSED,
                             "could not use the connection's region and dropped the request; if it is a process of 32 "
                             "bits, connect with a smaller loan budget");
    if (state != IPC_PEER_LEFT)
        return server_has_gone(connection); /* it may have left in order, and never have seen this region */
    return server_failed(connection, IPC_PEER_CLOSED, "ended while it was being connected to");
}

static bool attend_reply(void *subject)
{
    (void)ipc_connection_attend(subject);
    return false; /* a server that cannot even map the region says so in the slot only, which wakes nobody: look around
                     now and then */
}

ipc_wait ipc_connect_reply(ipc_connection *connection, ipc_deadline deadline, ipc_cancel *cancel)
{
    const ipc_wait wait = {
        .end = &connection->session,
        .waiter = &connection->body->session,
        .check = check_reply,
        .attend = attend_reply,
        .subject = connection,
        .deadline = deadline,
        .cancel = cancel,
    };
    return wait;
}

ipc_deadline ipc_connect_answer_deadline(ipc_deadline deadline)
{
    return deadline == IPC_NOW ? ipc_deadline_after(ANSWER_TIMEOUT_NS) : deadline;
}

/* ---- connecting -------------------------------------------------------------------------------------- */

/* The newest version that both speak. */
static ipc_status agree(ipc_connection *connection, ipc_connection_plan *plan)
{
    const uint32_t theirs = connection->view->protocol;
    const ipc_status status = ipc_protocol_agree(plan->protocol, theirs, &connection->protocol_version);
    if (status != IPC_OK) {
        char server[PROTOCOL_MAX];
        char client[PROTOCOL_MAX];
        char what[2 * PROTOCOL_MAX + 64];
        ipc_protocol_describe(theirs, server, sizeof server);
        ipc_protocol_describe(plan->protocol, client, sizeof client);
        (void)snprintf(what, sizeof what, "speaks %s, and this program %s: one of them has to be another", server,
                       client);
        return server_failed(connection, status, what);
    }
    plan->protocol = ipc_protocol_exactly(plan->protocol, connection->protocol_version);
    return IPC_OK;
}

ipc_connection *ipc_connect_make(ipc_region *listener)
{
    ipc_connection *made = calloc(1, sizeof *made);
    if (made == NULL)
        return NULL;
    made->view = &made->own_view;
    made->slot = listener->index;
    made->peer_index = IPC_LISTENER_SERVER;
    made->own_view.region = listener;
    return made;
}

ipc_status ipc_connect_prepare(ipc_connection *connection, const ipc_connect_options *options,
                               const ipc_connection_plan *plan)
{
    ipc_connection_plan mine = *plan;
    ipc_status status = ipc_listener_locate(connection->own_view.region, &connection->own_view);
    if (status == IPC_OK)
        status = agree(connection, &mine);
    if (status == IPC_OK)
        status = make_region(connection, &mine);
    if (status == IPC_OK)
        status = ipc_connection_start(connection, options->wait_mode, options->spin_ns);
    return status; /* who leaves frees its slot */
}

void ipc_connect_ring(ipc_connection *connection, const ipc_connect_options *options)
{
    ipc_connection_close_file(connection);
    ipc_connection_watch(connection);
    ipc_end_init(&connection->session, options->wait_mode);
    ipc_end_limit_spin(&connection->session, options->spin_ns);

    ipc_listener_notify(connection->view, connection->slot);
    IPC_FAULT_POINT("connect.requested");
}

void ipc_connect_withdraw(ipc_connection *connection)
{
    (void)ipc_connection_set_close(connection, IPC_CLOSE_NORMAL, "");
    (void)ipc_platform_file_unlink(connection->region->path); /* also where leaving has to do without the region lock */
}

bool ipc_connect_has_successor(const ipc_connection *connection, ipc_status status)
{
    const ipc_region *listener = connection->own_view.region;
    return (status == IPC_PEER_CLOSED || status == IPC_PEER_DIED) &&
           !ipc_platform_file_is_named(listener->file, listener->path) &&
           ipc_platform_file_user(listener->path) != IPC_NO_USER;
}

static ipc_status ask(ipc_connection *connection, const ipc_connect_options *options, const ipc_connection_plan *plan,
                      ipc_deadline answer)
{
    ipc_status status = ipc_connect_prepare(connection, options, plan);
    if (status == IPC_OK)
        status = lock_listener(connection, options);
    if (status == IPC_OK)
        status = ipc_connect_request(connection);
    if (status != IPC_OK)
        return status;
    ipc_connect_ring(connection, options);
    const ipc_wait wait = ipc_connect_reply(connection, answer, options->cancel);
    status = ipc_wait_until(&wait, has_reply);
    if (status == IPC_OK)
        ipc_connect_answered(connection);
    else
        ipc_connect_withdraw(connection);
    return status == IPC_TIMEOUT ? ipc_connect_unanswered(connection) : status;
}

void ipc_connect_leave(ipc_connection *connection)
{
    ipc_region *listener = connection->own_view.region;
    if (connection->region != NULL)
        ipc_connection_dispose(connection);
    else
        free(connection);
    ipc_region_leave(listener);
}

ipc_status ipc_connect(const char *name, const ipc_connect_options *options, ipc_connection **connection)
{
    static const ipc_connect_options defaults;
    char path[IPC_PATH_MAX];
    ipc_share share;
    if (options == NULL)
        options = &defaults;
    ipc_status status = ipc_connect_place(name, options, path, sizeof path, &share);
    if (status != IPC_OK)
        return status;
    ipc_connection_plan plan = {0};
    status = ipc_connect_check(options, &plan);
    if (status != IPC_OK)
        return status;
    const ipc_deadline answer = ipc_connect_answer_deadline(options->deadline);
    for (;;) {
        ipc_region *listener = NULL;
        status = enter(path, &share, options, &listener);
        if (status != IPC_OK)
            return status;
        ipc_connection *made = ipc_connect_make(listener);
        if (made == NULL) {
            ipc_region_leave(listener);
            return ipc_fail(IPC_E_NO_MEMORY, "no memory for a connection");
        }
        status = ask(made, options, &plan, answer);
        if (status == IPC_OK) {
            *connection = made;
            return IPC_OK;
        }
        const bool again = ipc_connect_has_successor(made, status) && ipc_platform_now() < answer;
        ipc_connect_leave(made);
        if (!again)
            return status;
    }
}

static void close_client(ipc_connection *connection)
{
    if (!connection->region->forked)
        ipc_connection_shutdown(connection, IPC_CLOSE_NORMAL, "");
    ipc_connect_leave(connection);
}

void ipc_connection_close(ipc_connection *connection)
{
    if (connection == NULL)
        return;
    if (!connection->is_server)
        close_client(connection);
    else if (!connection->region->forked && connection->answer == IPC_REPLY_NONE)
        ipc_connection_turn_down(connection, ipc_load_relaxed32(&connection->body->server_close) != 0
                                                 ? NULL
                                                 : "the server closed the connection without accepting it");
    else
        ipc_listener_forget(connection);
}
