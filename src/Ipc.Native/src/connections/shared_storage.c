/* What lies in the region directory under a name, whatever its kind. */
#include "connections/listener_region.h"

/* Nothing beside the file belongs to the other kinds. */
static const ipc_region_kind *kind_of(uint32_t kind)
{
    return kind == IPC_KIND_LISTENER ? &ipc_listener_kind : NULL;
}

ipc_status ipc_clear(const char *name)
{
    char path[IPC_PATH_MAX];
    ipc_share share;
    ipc_status status = ipc_region_place(name, NULL, path, sizeof path, &share);
    share.access.kind = share.is_machine ? IPC_ACCESS_EVERYBODY : IPC_ACCESS_USER; /* whose it is decides later */
    return status == IPC_OK ? ipc_region_clear(path, &share, kind_of) : status;
}
