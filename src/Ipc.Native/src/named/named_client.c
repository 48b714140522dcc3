/* Opening and closing a named connection, and what it says of itself and of the other side. */
#include "named/named.h"

#include <string.h>

/* ---- opening and closing ------------------------------------------------------------------------------- */

ipc_status ipc_named_open(const char *server, const char *client, const ipc_named_options *options,
                          ipc_named_connection **connection)
{
    static const ipc_named_options defaults;
    char path[IPC_PATH_MAX];
    if (options == NULL)
        options = &defaults;
    ipc_status status = ipc_named_path(server, client, path, sizeof path);
    if (status == IPC_OK)
        status = ipc_named_check_options(options);
    if (status != IPC_OK)
        return status;
    ipc_named_connection *made = ipc_named_make(server, client, true, options->wait_mode, options->spin_ns);
    if (made == NULL)
        return ipc_fail(IPC_E_NO_MEMORY, "no memory for a named connection");
    made->options = *options;
    if (options->login_length != 0)
        memcpy(made->login, options->login, options->login_length);
    made->options.login = made->login;
    ipc_named_ends *ends = NULL;
    status = ipc_named_ends_open(made, IPC_NOW, &ends);
    if (status != IPC_OK) {
        ipc_named_free(made);
        return status;
    }
    ipc_named_install(made, ends);
    *connection = made;
    return IPC_OK;
}

void ipc_named_close(ipc_named_connection *connection, uint32_t code, const char *text)
{
    if (connection == NULL)
        return;
    if (code == 0)
        code = IPC_CLOSE_NORMAL;
    ipc_named_shut(connection);
    if (connection->is_client)
        ipc_named_end_login(connection, code, text);
    else
        ipc_named_listener_forget(connection, code, text);
    ipc_named_ends *ends = ipc_named_current(connection);
    if (ends != NULL && ends->region->index != IPC_NO_PARTICIPANT)
        ipc_named_ends_leave(ends);
    ipc_named_free(connection);
}

void ipc_named_stop(ipc_named_connection *connection)
{
    ipc_mutex_lock(&connection->mutex);
    ipc_named_ends *ends = ipc_named_current(connection);
    connection->is_stopped = true;
    ipc_end_stop(&ends->writer.end);
    ipc_end_stop(&ends->reader.end);
    ipc_end_stop(&connection->logins);
    ipc_mutex_unlock(&connection->mutex);
}

void ipc_named_resume(ipc_named_connection *connection)
{
    ipc_mutex_lock(&connection->mutex);
    ipc_named_ends *ends = ipc_named_current(connection);
    connection->is_stopped = false;
    ipc_end_resume(&ends->writer.end);
    ipc_end_resume(&ends->reader.end);
    ipc_end_resume(&connection->logins);
    ipc_mutex_unlock(&connection->mutex);
}

/* ---- asking ------------------------------------------------------------------------------------------- */

static const void *data_of(const ipc_named_connection *connection, bool of_client, uint32_t *length)
{
    ipc_named_connection *it = (ipc_named_connection *)(uintptr_t)connection;
    uint8_t *copy = of_client ? it->login_copy : it->reply_copy;
    ipc_mutex_lock(&it->mutex);
    *length = ipc_named_read_data(ipc_named_current(it), of_client, copy);
    ipc_mutex_unlock(&it->mutex);
    return copy;
}

const void *ipc_named_reply(const ipc_named_connection *connection, uint32_t *length)
{
    return data_of(connection, false, length);
}

const void *ipc_named_login(const ipc_named_connection *connection, uint32_t *length)
{
    return data_of(connection, true, length);
}

const char *ipc_named_client_name(const ipc_named_connection *connection)
{
    return connection->client;
}

const char *ipc_named_server_name(const ipc_named_connection *connection)
{
    return connection->server;
}

uint32_t ipc_named_identity(const ipc_named_connection *connection, char *identity, uint32_t size)
{
    ipc_named_connection *it = (ipc_named_connection *)(uintptr_t)connection;
    uint8_t bytes[IPC_NAMED_NAME_MAX];
    if (size == 0)
        return 0;
    ipc_mutex_lock(&it->mutex);
    uint32_t length = ipc_named_read_identity(ipc_named_current(it), bytes);
    ipc_mutex_unlock(&it->mutex);
    length = length > size - 1 ? size - 1 : length;
    memcpy(identity, bytes, length);
    identity[length] = '\0';
    return length;
}

ipc_status ipc_named_ended(const ipc_named_connection *connection, ipc_named_end *reason)
{
    ipc_named_connection *it = (ipc_named_connection *)(uintptr_t)connection;
    ipc_mutex_lock(&it->mutex);
    const bool has_ended = it->has_ended;
    if (has_ended)
        *reason = it->ended;
    ipc_mutex_unlock(&it->mutex);
    return has_ended ? IPC_OK : IPC_EMPTY;
}

void ipc_named_last_reset(const ipc_named_connection *connection, ipc_named_reset *reset)
{
    ipc_named_connection *it = (ipc_named_connection *)(uintptr_t)connection;
    ipc_mutex_lock(&it->mutex);
    *reset = it->reset;
    ipc_mutex_unlock(&it->mutex);
}
