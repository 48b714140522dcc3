/*
 * Opening and closing a listener, and the life of its connections. Connections that are lent out keep the listener's
 * memory: closing the listener shuts them down, and whoever has them closes them before or after.
 */
#include "connections/listener.h"

#include "connections/connection_protocol.h"

#include <stdlib.h>

#define DEFAULT_CONNECTIONS       1023u
#define DEFAULT_MAX_RING_CAPACITY (64ull << 20)
#define DEFAULT_MAX_LOAN_BUDGET   (sizeof(void *) == 4 ? 8ull << 20 : 1ull << 30)

static void abandon(void *owner)
{
    ipc_listener *listener = owner;
    ipc_mutex_init(&listener->mutex); /* another thread of the parent may have held it */
    ipc_store_relaxed32(&listener->end.flags, IPC_END_CLOSED);
    ipc_store_relaxed32(&listener->end.inside, 0);
}

static ipc_status check_options(const ipc_listener_options *options, uint32_t *slot_count, uint32_t *protocol)
{
    const uint32_t connections = options->max_connections == 0 ? DEFAULT_CONNECTIONS : options->max_connections;
    if (connections >= IPC_LISTENER_CAPACITY_MAX)
        return ipc_fail(IPC_E_INVALID_ARGUMENT, "a listener has 1 to %u connections, not %u",
                        IPC_LISTENER_CAPACITY_MAX - 1, connections);
    if (options->max_ring_capacity != 0 && options->max_ring_capacity < IPC_RING_CAPACITY_MIN)
        return ipc_fail(IPC_E_INVALID_ARGUMENT, "max_ring_capacity is at least %llu", IPC_RING_CAPACITY_MIN);
    *slot_count = (connections + 1 + 63) / 64 * 64; /* the server is participant 0 */
    return ipc_protocol_check(&options->protocol, protocol);
}

ipc_status ipc_listener_open(const char *name, const ipc_listener_options *options, ipc_listener **listener)
{
    static const ipc_listener_options defaults;
    char path[IPC_PATH_MAX];
    ipc_share share;
    uint32_t slot_count = 64;
    uint32_t protocol = 0;
    if (options == NULL)
        options = &defaults;
    ipc_status status = check_options(options, &slot_count, &protocol);
    if (status == IPC_OK)
        status = ipc_region_place(name, options->access, path, sizeof path, &share);
    if (status != IPC_OK)
        return status;

    ipc_listener *made = calloc(1, sizeof *made);
    ipc_connection **table = calloc(slot_count, sizeof(ipc_connection *));
    if (made == NULL || table == NULL) {
        free(made);
        free((void *)table);
        return ipc_fail(IPC_E_NO_MEMORY, "no memory for a listener of %u connections", slot_count);
    }
    ipc_waiter_prepare_process();
    ipc_region *region = NULL;
    const ipc_listener_plan plan = {
        .slot_count = slot_count,
        .protocol = protocol,
        .max_ring_capacity =
            options->max_ring_capacity == 0 ? DEFAULT_MAX_RING_CAPACITY : options->max_ring_capacity,
        .take_over = options->take_over,
    };
    status = ipc_listener_region_create(path, &share, &plan, &region);
    if (status == IPC_OK)
        status = ipc_listener_locate(region, &made->view);
    if (status != IPC_OK) {
        ipc_region_leave(region);
        free(made);
        free((void *)table);
        return status;
    }
    made->table = table;
    made->references = 1;
    made->mode = options->wait_mode;
    made->spin_ns = options->spin_ns;
    made->max_loan_budget = options->max_loan_budget == 0              ? DEFAULT_MAX_LOAN_BUDGET
                            : options->max_loan_budget == IPC_NO_LOANS ? 0
                                                                       : options->max_loan_budget;
    made->protocol = protocol;
    made->hands_over = options->take_over;
    made->max_connections = options->max_connections == 0 ? DEFAULT_CONNECTIONS : options->max_connections;
    made->due_last = &made->due_first;
    ipc_mutex_init(&made->mutex);
    ipc_end_init(&made->end, options->wait_mode);
    ipc_end_limit_spin(&made->end, options->spin_ns);
    ipc_end_show_spin(&made->end, &ipc_region_participant(region, region->index)->spin);
    ipc_end_one_waits(&made->end);
    made->end.wakes[0] = &made->view.body->doorbell;
    ipc_region_at_fork(region, abandon, made);
    *listener = made;
    return IPC_OK;
}

void ipc_listener_stop(ipc_listener *listener)
{
    ipc_end_stop(&listener->end);
}

bool ipc_listener_is_followed(const ipc_listener *listener)
{
    return ipc_load_acquire32(&listener->followed) != 0 ||
           (listener->hands_over && ipc_listener_has_successor(&listener->view));
}

void ipc_listener_resume(ipc_listener *listener)
{
    ipc_end_resume(&listener->end);
}

/* ---- closing ----------------------------------------------------------------------------------------- */

static void release(ipc_listener *listener)
{
    ipc_mutex_lock(&listener->mutex);
    const bool last = --listener->references == 0;
    ipc_mutex_unlock(&listener->mutex);
    if (!last)
        return;
    ipc_listener_forget_leavers(listener);
    ipc_region_discard(listener->view.region);
    ipc_mutex_destroy(&listener->mutex);
    free((void *)listener->table);
    free(listener);
}

void ipc_listener_add(ipc_listener *listener, ipc_connection *connection)
{
    ipc_mutex_lock(&listener->mutex);
    listener->table[connection->slot] = connection;
    listener->references++;
    if (!connection->watching)
        ipc_store_relaxed32(&listener->unwatched, ipc_load_relaxed32(&listener->unwatched) + 1);
    ipc_mutex_unlock(&listener->mutex);
}

/* Under the mutex: nobody gives back meanwhile. */
static void take_off_returned(ipc_listener *listener, const ipc_connection *connection)
{
    ipc_connection *each = ipc_exchange_pointer(&listener->returned, NULL);
    while (each != NULL) {
        ipc_connection *next = each->next;
        if (each != connection)
            ipc_listener_push_returned(listener, each);
        each = next;
    }
}

/* Who shuts down may close a connection that is not lent: then nobody leads, and what is the leader's is ours. But who
   closes one that is lent to it does so beside a leader, and leaves the stack of what others give back alone: while it
   was off, the leader would find nothing there and go to sleep. */
static void take_off_lists(ipc_listener *listener, ipc_connection *connection)
{
    if (connection->given_back)
        take_off_returned(listener, connection);
    else if (connection->place != PLACE_LENT)
        ipc_listener_drop(listener, connection);
}

/* Out of the table first, so that the leader does not find it; the slot last, so that nobody new has it while the
   old one is there. */
static void remove_connection(ipc_connection *connection)
{
    ipc_listener *listener = connection->listener;
    const uint32_t slot = connection->slot;
    ipc_mutex_lock(&listener->mutex);
    listener->table[slot] = NULL;
    if (!connection->watching)
        ipc_store_relaxed32(&listener->unwatched, ipc_load_relaxed32(&listener->unwatched) - 1);
    take_off_lists(listener, connection);
    const bool closed = listener->closed;
    ipc_mutex_unlock(&listener->mutex);
    if (!closed) /* else nobody looks at the table any more */
        ipc_listener_see_off(listener, slot);
    ipc_connection_unmap(connection);
    if (!listener->view.region->forked)
        ipc_connection_free_slot(connection);
    free(connection);
    release(listener);
}

void ipc_listener_forget(ipc_connection *connection)
{
    if (!connection->region->forked && connection->answer != IPC_REPLY_REFUSED)
        ipc_connection_shutdown(connection, IPC_CLOSE_NORMAL, "");
    remove_connection(connection);
}

static void refuse_requests(ipc_listener *listener)
{
    for (uint32_t i = 1; i < listener->view.slot_count; i++) {
        if (listener->table[i] == NULL)
            (void)ipc_listener_take_request(listener, i); /* a closed listener has an objection to everybody */
    }
}

void ipc_listener_close(ipc_listener *listener)
{
    if (listener == NULL)
        return;
    const bool forked = listener->view.region->forked;
    if (!forked)
        ipc_end_close(&listener->end);

    ipc_mutex_lock(&listener->mutex);
    listener->closed = true;
    ipc_mutex_unlock(&listener->mutex);
    ipc_listener_drain_returned(listener);
    for (uint32_t i = 1; i < listener->view.slot_count; i++) {
        ipc_mutex_lock(&listener->mutex);
        ipc_connection *connection = listener->table[i];
        const bool ours = connection != NULL && connection->place != PLACE_LENT;
        if (connection != NULL && !forked)
            ipc_connection_shutdown(connection, IPC_CLOSE_SHUTDOWN, "the server has closed its listener");
        ipc_mutex_unlock(&listener->mutex);
        if (ours)
            remove_connection(connection);
    }
    if (!forked) {
        refuse_requests(listener);
        ipc_region_exit(listener->view.region);
    }
    release(listener);
}
