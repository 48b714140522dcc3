/* A server attaches to a conversation: is it there, is it ours, is it small enough? */
#include "named/named_listener.h"

#include <inttypes.h>
#include <string.h>

ipc_named_connection *ipc_named_listener_find(const ipc_named_listener *listener, const char *client)
{
    ipc_named_connection *each = listener->first;
    while (each != NULL && strcmp(each->client, client) != 0)
        each = each->next;
    return each;
}

static ipc_status check_size(const ipc_named_listener *listener, const ipc_named_ends *ends)
{
    const ipc_ring *const rings[2] = {&ends->to_server, &ends->to_client};
    for (int i = 0; i < 2; i++) {
        if (rings[i]->capacity > listener->max_ring_capacity)
            return ipc_fail(IPC_E_TOO_LARGE, "a ring has %" PRIu64 " bytes, this server allows %" PRIu64,
                            rings[i]->capacity, listener->max_ring_capacity);
        if (rings[i]->pool.budget > listener->max_loan_budget)
            return ipc_fail(IPC_E_TOO_LARGE, "a loan budget is %" PRIu64 " bytes, this server allows %" PRIu64,
                            rings[i]->pool.budget, listener->max_loan_budget);
    }
    return IPC_OK;
}

static ipc_status check_identity(const ipc_named_listener *listener, ipc_named_ends *ends)
{
    uint8_t theirs[IPC_NAMED_NAME_MAX];
    const uint32_t length = ipc_named_read_identity(ends, theirs);
    if (length == 0) {
        ipc_named_write_identity(ends, listener->identity, listener->identity_length);
        return IPC_OK;
    }
    if (length == listener->identity_length && memcmp(theirs, listener->identity, length) == 0)
        return IPC_OK;
    return ipc_fail(IPC_E_WRONG_VERSION, "the conversation of \"%s\" is with \"%.*s\", this server is \"%.*s\"",
                    ends->connection->client, (int)length, (const char *)theirs, (int)listener->identity_length,
                    (const char *)listener->identity);
}

ipc_status ipc_named_listener_check_region(const ipc_named_connection *connection, const uint8_t *region_id)
{
    const ipc_region *region = ipc_named_current(connection)->region;
    if (memcmp(region_id, region->geometry.region_id, sizeof region->geometry.region_id) == 0)
        return IPC_OK;
    return ipc_fail(IPC_E_REFUSED, "the conversation of \"%s\" with \"%s\" is another one by now", connection->client,
                    connection->server);
}

/* May be otherwise in a moment: another process is ending, or has the lock. */
static uint32_t code_of(ipc_status status)
{
    return status == IPC_E_WRONG_VERSION                        ? IPC_CLOSE_IDENTITY
           : status == IPC_E_IN_USE || status == IPC_TIMEOUT ? IPC_CLOSE_SHUTDOWN
                                                                : IPC_CLOSE_REFUSED;
}

ipc_status ipc_named_listener_attach(ipc_named_listener *listener, const char *client, const uint8_t *region_id,
                                     ipc_deadline lock_deadline, uint32_t *code, ipc_named_connection **connection)
{
    *code = IPC_CLOSE_SHUTDOWN;
    ipc_named_connection *made =
        ipc_named_make(listener->name, client, false, listener->wait_mode, listener->spin_ns);
    if (made == NULL)
        return ipc_fail(IPC_E_NO_MEMORY, "no memory for a named connection");
    ipc_named_ends *ends = NULL;
    ipc_status status = ipc_named_ends_open(made, lock_deadline, &ends);
    if (status != IPC_OK) {
        *code = status == IPC_E_WRONG_VERSION ? IPC_CLOSE_REFUSED : code_of(status); /* of the layout, that is */
        ipc_named_free(made);
        return status;
    }
    ipc_named_install(made, ends);
    if (region_id != NULL)
        status = ipc_named_listener_check_region(made, region_id);
    if (status == IPC_OK)
        status = check_size(listener, ends);
    if (status == IPC_OK)
        status = check_identity(listener, ends);
    *code = code_of(status);
    if (status != IPC_OK) {
        ipc_named_ends_leave(ends); /* first: the client may begin anew at once */
        ipc_named_free(made);
        return status;
    }
    made->listener = listener;
    made->next = listener->first;
    listener->first = made;
    listener->references++;
    *connection = made;
    return IPC_OK;
}
