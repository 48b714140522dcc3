/*
 * The client's side: entering the listener's table, making the connection's region, asking, waiting for the answer; and
 * leaving.
 *
 * Until the slot says "requested" the server does not look at it, and a death is cleaned up by whoever finds it: the
 * slot names the file. A client that gives up while it is asking closes its side and removes the file; the slot is then
 * the server's to free.
 */
#include "connections/connection.h"
#include "diagnostics/fault.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_CAPACITY   (256ull << 10)
#define ANSWER_PATIENCE_NS 5000000000ull
#define LOOK_MIN_NS        1000000u
#define LOOK_MAX_NS        20000000u

static ipc_status check_options(const ipc_connect_options *options, ipc_connection_plan *plan)
{
    plan->to_server_capacity = options->to_server_capacity == 0 ? DEFAULT_CAPACITY : options->to_server_capacity;
    plan->to_client_capacity = options->to_client_capacity == 0 ? DEFAULT_CAPACITY : options->to_client_capacity;
    plan->hello = options->hello;
    plan->hello_length = options->hello_length;
    if (options->hello_length > IPC_CONNECTION_TEXT_MAX || (options->hello_length != 0 && options->hello == NULL))
        return ipc_fail(IPC_E_ARGUMENT, "hello has %u bytes, at most %u are possible", options->hello_length,
                        IPC_CONNECTION_TEXT_MAX);
    ipc_status status = ipc_ring_check_capacity(plan->to_server_capacity);
    if (status == IPC_OK)
        status = ipc_ring_check_capacity(plan->to_client_capacity);
    return status == IPC_OK ? ipc_pool_budget(options->loan_budget, &plan->loan_budget) : status;
}

static ipc_status enter(const char *path, const ipc_connect_options *options, ipc_region **region)
{
    uint64_t pause = LOOK_MIN_NS;
    for (;;) {
        ipc_status status = ipc_region_attach(path, &ipc_listener_kind, NULL, IPC_ROLE_CLIENT,
                                              ipc_region_lock_deadline(options->deadline), region);
        if (status != IPC_E_NOT_FOUND && status != IPC_TIMEOUT)
            return status;
        if (ipc_cancel_is_triggered(options->cancel))
            return IPC_CANCELLED;
        if (ipc_platform_now() >= options->deadline)
            return status;
        const ipc_deadline next = ipc_deadline_after(pause);
        ipc_cancel_pause(options->cancel, next < options->deadline ? next : options->deadline);
        pause = pause * 2 > LOOK_MAX_NS ? LOOK_MAX_NS : pause * 2;
    }
}

static ipc_status make_region(ipc_connection *connection, ipc_connection_plan *plan)
{
    ipc_slot *slot = &connection->view->slots[connection->slot];
    for (;;) {
        char path[IPC_PATH_MAX];
        plan->slot = connection->slot;
        ipc_platform_random(&plan->connection_id, sizeof plan->connection_id);
        ipc_store_relaxed64(&slot->connection_id, plan->connection_id);
        ipc_store_release32(&slot->state, IPC_SLOT_OPENING);
        IPC_FAULT_POINT("connect.slot_opening");
        ipc_listener_connection_path(connection->view->region, plan->connection_id, path, sizeof path);
        ipc_status status = ipc_connection_region_build(path, plan, &connection->region);
        if (status != IPC_OK)
            return status;
        status = ipc_region_link(connection->region);
        if (status != IPC_E_EXISTS) {
            IPC_FAULT_POINT("connect.region_linked");
            return status;
        }
        ipc_region_discard(connection->region); /* one chance in 2^64: throw the dice again */
        connection->region = NULL;
    }
}

/* ---- the answer -------------------------------------------------------------------------------------- */

static bool has_reply(const void *subject)
{
    const ipc_connection *connection = subject;
    return ipc_load_relaxed32(&connection->body->reply) != IPC_REPLY_NONE;
}

static ipc_status refused(const ipc_connection *connection)
{
    uint32_t length = ipc_load_acquire32(&connection->body->server_text_length);
    length = length > IPC_CONNECTION_TEXT_MAX ? IPC_CONNECTION_TEXT_MAX : length;
    char text[IPC_CONNECTION_TEXT_MAX + 1];
    memcpy(text, connection->body->server_text, length);
    text[length] = '\0';
    return ipc_fail(IPC_E_REFUSED, "%s", text);
}

static ipc_status judge_reply(const ipc_connection *connection)
{
    const uint32_t reply = ipc_load_acquire32(&connection->body->reply); /* [reply] */
    if (reply == IPC_REPLY_ACCEPTED)
        return IPC_OK;
    if (reply == IPC_REPLY_REFUSED)
        return refused(connection);
    if (reply != IPC_REPLY_NONE)
        return ipc_fail(IPC_E_CORRUPT, "the server's reply is %u, neither accepted (1) nor refused (2)", reply);
    return IPC_EMPTY;
}

static ipc_status check_reply(void *subject)
{
    ipc_connection *connection = subject;
    ipc_status status = judge_reply(connection);
    if (status != IPC_EMPTY)
        return status;
    const ipc_peer_state state = ipc_connection_peer_state(connection);
    const uint32_t slot = ipc_load_acquire32(&connection->view->slots[connection->slot].state);
    if (state == IPC_PEER_LIVE && slot != IPC_SLOT_IDLE)
        return IPC_EMPTY;
    status = judge_reply(connection); /* once more: it answered, then went */
    if (status != IPC_EMPTY)
        return status;
    if (state == IPC_PEER_LIVE)
        return ipc_fail(IPC_E_REFUSED, "the server could not use the connection's region");
    return state == IPC_PEER_LEFT ? IPC_PEER_CLOSED : IPC_PEER_DIED;
}

static bool attend_reply(void *subject)
{
    (void)subject;
    return false; /* a server that cannot even map the region says so in the slot only, which wakes nobody: look around
                     now and then */
}

static ipc_status wait_for_reply(ipc_connection *connection, const ipc_connect_options *options)
{
    const ipc_wait wait = {
        .end = &connection->session,
        .waiter = &connection->body->session,
        .check = check_reply,
        .attend = attend_reply,
        .subject = connection,
        .deadline = options->deadline == 0 ? ipc_deadline_after(ANSWER_PATIENCE_NS) : options->deadline,
        .cancel = options->cancel,
    };
    return ipc_wait_until(&wait, has_reply);
}

/* ---- connecting -------------------------------------------------------------------------------------- */

static ipc_status ask(ipc_connection *connection, const ipc_connect_options *options)
{
    ipc_slot *slot = &connection->view->slots[connection->slot];
    ipc_connection_plan plan = {0};
    ipc_status status = check_options(options, &plan);
    if (status == IPC_OK)
        status = make_region(connection, &plan);
    if (status == IPC_OK)
        status = ipc_connection_start(connection, options->wait_mode);
    if (status != IPC_OK) {
        if (connection->region != NULL)
            ipc_platform_file_unlink(connection->region->path);
        ipc_store_release32(&slot->state, IPC_SLOT_IDLE);
        return status;
    }
    ipc_connection_close_file(connection);
    ipc_connection_watch(connection);
    ipc_end_init(&connection->session, options->wait_mode);

    ipc_store_release32(&slot->state, IPC_SLOT_REQUESTED);
    ipc_listener_notify(connection->view, connection->slot);
    IPC_FAULT_POINT("connect.requested");
    status = wait_for_reply(connection, options);
    if (status != IPC_OK) {
        (void)ipc_connection_set_close(connection, IPC_CLOSE_NORMAL, "");
        ipc_platform_file_unlink(
            connection->region->path); /* if the server has not: it then finds nothing, and frees the slot */
    }
    return status;
}

static void leave(ipc_connection *connection)
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
    if (options == NULL)
        options = &defaults;
    ipc_status status = ipc_region_path(name, NULL, path, sizeof path);
    if (status != IPC_OK)
        return status;
    ipc_connection *made = calloc(1, sizeof *made);
    if (made == NULL)
        return ipc_fail(IPC_E_NO_MEMORY, "no memory for a connection");

    ipc_region *listener = NULL;
    status = enter(path, options, &listener);
    if (status != IPC_OK) {
        free(made);
        return status;
    }
    made->view = &made->own_view;
    made->slot = listener->index;
    made->peer_index = IPC_LISTENER_SERVER;
    made->own_view.region = listener;
    status = ipc_listener_locate(listener, &made->own_view);
    if (status == IPC_OK)
        status = ask(made, options);
    if (status != IPC_OK) {
        leave(made);
        return status;
    }
    *connection = made;
    return IPC_OK;
}

static void close_client(ipc_connection *connection)
{
    if (!connection->region->forked)
        ipc_connection_shutdown(connection, IPC_CLOSE_NORMAL, "");
    leave(connection);
}

void ipc_connection_close(ipc_connection *connection)
{
    if (connection == NULL)
        return;
    if (connection->is_server)
        ipc_listener_forget(connection);
    else
        close_client(connection);
}
