/* The names that a client has to do with: its server's, and those of the files that it makes for connections. */
#include "connections/connect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

ipc_status ipc_connect_place(const char *name, const ipc_connect_options *options, char *path, size_t size,
                             ipc_share *share)
{
    ipc_status status = ipc_region_place(name, options->access, path, size, share);
    share->takes_open = true; /* nobody believes what stands in the listener's table, and a connection is closed to others */
    return status;
}

void ipc_connect_answered(const ipc_connection *connection)
{
    if (connection->region->share.is_machine)
        (void)ipc_platform_file_unlink(connection->region->path);
}

/* ---- what a dead client has left --------------------------------------------------------------------- */

typedef struct left_names {
    const ipc_listener_view *view;
    const char *prefix; /* NAME~ */
    size_t length;
} left_names;

static bool is_asked_for(const ipc_listener_view *view, uint64_t id)
{
    for (uint32_t i = 1; i < view->slot_count; i++) {
        if (ipc_slot_id(ipc_load_acquire64(&view->slots[i].word)) == id) /* [slot] */
            return true;
    }
    return false;
}

static bool remove_left(void *context, const char *name)
{
    const left_names *left = context;
    char path[IPC_PATH_MAX];
    if (strncmp(name, left->prefix, left->length) != 0 || strlen(name + left->length) != 16)
        return true;
    const uint64_t id = strtoull(name + left->length, NULL, 16);
    if (is_asked_for(left->view, id))
        return true;
    ipc_listener_connection_path(left->view->region, id, path, sizeof path);
    if (ipc_platform_file_user(path) == ipc_platform_user())
        (void)ipc_platform_file_unlink(path);
    return true;
}

void ipc_connect_sweep(const ipc_listener_view *view)
{
    char prefix[IPC_PATH_MAX];
    char directory[IPC_PATH_MAX];
    if (!view->region->share.is_machine)
        return;
    const char *path = view->region->path;
    const char *name = ipc_region_name_of(path);
    (void)snprintf(prefix, sizeof prefix, "%s~", name);
    (void)snprintf(directory, sizeof directory, "%.*s", (int)(name - path - 1), path);
    left_names left = {.view = view, .prefix = prefix, .length = strlen(prefix)};
    ipc_platform_files_in(directory, remove_left, &left);
}
