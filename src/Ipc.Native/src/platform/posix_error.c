/* What an errno means. */
#include "platform/error.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

ipc_status ipc_error_status(int error)
{
    switch (error) {
    case ENOSPC:
    case EDQUOT:
        return IPC_E_NO_SPACE;
    case EACCES:
    case EPERM:
    case EROFS:
        return IPC_E_ACCESS_DENIED;
    case ENOMEM:
        return IPC_E_NO_MEMORY;
    case ENOENT:
        return IPC_E_NOT_FOUND;
    case EEXIST:
        return IPC_E_EXISTS;
    default:
        return IPC_E_SYSTEM_ERROR;
    }
}

void ipc_error_words(int error, char *text, size_t size)
{
    (void)snprintf(text, size, ": %s (errno %d)", strerror(error), error);
}
