/*
 * Opening and closing a listener of named connections. A connection stays with it until the application closes it,
 * whether or not its client is there.
 */
#include "named/named_listener.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_MAX_RING_CAPACITY (64ull << 20)
#define DEFAULT_MAX_LOAN_BUDGET   (sizeof(void *) == 4 ? 8ull << 20 : 1ull << 30)
#define LOCK_DEADLINE_NS          5000000000ull

static void release(ipc_named_listener *listener)
{
    ipc_mutex_lock(&listener->mutex);
    const bool last = --listener->references == 0;
    ipc_mutex_unlock(&listener->mutex);
    if (!last)
        return;
    ipc_mutex_destroy(&listener->mutex);
    free(listener);
}

ipc_status ipc_named_listener_open(const char *name, const ipc_named_listener_options *options,
                                   ipc_named_listener **listener)
{
    static const ipc_named_listener_options defaults;
    if (options == NULL)
        options = &defaults;
    ipc_status status = ipc_named_check_name(name);
    if (status != IPC_OK)
        return status;
    const char *identity = options->identity == NULL ? name : options->identity;
    const size_t identity_length = strlen(identity);
    if (identity_length == 0 || identity_length > IPC_NAMED_NAME_MAX)
        return ipc_fail(IPC_E_INVALID_ARGUMENT, "the identity has %zu bytes, 1 to %u are possible", identity_length,
                        IPC_NAMED_NAME_MAX);
    ipc_named_listener *made = calloc(1, sizeof *made);
    if (made == NULL)
        return ipc_fail(IPC_E_NO_MEMORY, "no memory for a listener of named connections");
    const ipc_listener_options of_sessions = {
        .max_connections = options->max_connections,
        .wait_mode = options->wait_mode,
        .spin_ns = options->spin_ns,
        .max_ring_capacity = IPC_RING_CAPACITY_MIN, /* nobody sends anything in a session */
        .max_loan_budget = IPC_NO_LOANS,
        .protocol = {.id = IPC_PROTOCOL_NAMED, .version = 1, .least_version = 1},
    };
    status = ipc_listener_open(name, &of_sessions, &made->listener);
    if (status != IPC_OK) {
        free(made);
        return status;
    }
    (void)snprintf(made->name, sizeof made->name, "%s", name);
    memcpy(made->identity, identity, identity_length + 1);
    made->identity_length = (uint32_t)identity_length;
    made->max_ring_capacity = options->max_ring_capacity == 0 ? DEFAULT_MAX_RING_CAPACITY : options->max_ring_capacity;
    made->max_loan_budget = options->max_loan_budget == 0              ? DEFAULT_MAX_LOAN_BUDGET
                            : options->max_loan_budget == IPC_NO_LOANS ? 0
                                                                       : options->max_loan_budget;
    made->wait_mode = options->wait_mode;
    made->spin_ns = options->spin_ns;
    made->references = 1;
    ipc_mutex_init(&made->mutex);
    ipc_end_init(&made->leaders, IPC_WAIT_BLOCK);
    ipc_end_one_waits(&made->leaders);
    *listener = made;
    return IPC_OK;
}

void ipc_named_listener_stop(ipc_named_listener *listener)
{
    ipc_listener_stop(listener->listener);
}

void ipc_named_listener_resume(ipc_named_listener *listener)
{
    ipc_listener_resume(listener->listener);
}

ipc_status ipc_named_listener_open_connection(ipc_named_listener *listener, const char *client,
                                              ipc_named_connection **connection)
{
    uint32_t code = 0;
    ipc_status status = ipc_named_check_name(client);
    if (status != IPC_OK)
        return status;
    ipc_mutex_lock(&listener->mutex);
    ipc_named_connection *found = ipc_named_listener_find(listener, client);
    if (listener->is_closed)
        status = ipc_ended(IPC_CLOSED);
    else if (found == NULL)
        status = ipc_named_listener_attach(listener, client, NULL, ipc_deadline_after(LOCK_DEADLINE_NS), &code, &found);
    if (status == IPC_OK)
        found->is_seen = true;
    ipc_mutex_unlock(&listener->mutex);
    if (status == IPC_OK)
        *connection = found;
    return status;
}

void ipc_named_listener_forget(ipc_named_connection *connection, uint32_t code, const char *text)
{
    ipc_named_listener *listener = connection->listener;
    if (listener == NULL)
        return; /* it was never handed out */
    ipc_mutex_lock(&listener->mutex);
    if (!listener->is_closed)
        ipc_named_listener_drop(listener, connection, code, text);
    ipc_mutex_unlock(&listener->mutex);
    release(listener);
}

void ipc_named_listener_abandon(ipc_named_listener *listener)
{
    ipc_mutex_init(&listener->mutex); /* another thread of the parent may have held it */
    ipc_store_relaxed32(&listener->leaders.inside, 0);
}

void ipc_named_listener_close(ipc_named_listener *listener, uint32_t code, const char *text)
{
    if (listener == NULL)
        return;
    if (code == 0)
        code = IPC_CLOSE_SHUTDOWN;
    if (!listener->listener->view.region->forked) {
        ipc_end_mark_closed(&listener->listener->end);
        ipc_end_close(&listener->leaders);
    }
    ipc_mutex_lock(&listener->mutex);
    while (listener->first != NULL) {
        ipc_named_connection *connection = listener->first;
        const bool is_seen = connection->is_seen; /* else its login waits in the queue */
        ipc_named_listener_drop(listener, connection, code, text == NULL ? "the server has ended" : text);
        if (!is_seen) {
            listener->references--;
            ipc_named_free(connection);
        }
    }
    listener->is_closed = true;
    ipc_mutex_unlock(&listener->mutex);
    ipc_listener_close(listener->listener);
    release(listener);
}
