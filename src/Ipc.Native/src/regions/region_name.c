#include "platform/error.h"
#include "regions/region.h"

#include <stdio.h>
#include <string.h>

#define NAME_MAX_LENGTH 120

static bool is_name_character(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '_' ||
           c == '-';
}

static ipc_status check_name(const char *name)
{
    if (name == NULL)
        return ipc_fail(IPC_E_INVALID_NAME, "the name is NULL");
    const size_t length = strlen(name);
    if (length == 0 || length > NAME_MAX_LENGTH)
        return ipc_fail(IPC_E_INVALID_NAME, "a name has 1 to %d characters, this one has %s", NAME_MAX_LENGTH,
                        length == 0 ? "none" : "more");
    if (name[0] == '.')
        return ipc_fail(IPC_E_INVALID_NAME, "a name does not begin with '.': %s", name);
    for (const char *c = name; *c != '\0'; c++) {
        if (!is_name_character(*c))
            return ipc_fail(
                IPC_E_INVALID_NAME,
                "a name has only the characters A-Z a-z 0-9 . _ -: \"%s\" has one of code %u at position %zu", name,
                (unsigned)(unsigned char)*c, (size_t)(c - name));
    }
    if (ipc_platform_name_is_reserved(name))
        return ipc_fail(IPC_E_INVALID_NAME, "\"%s\" is a name that this system keeps for itself", name);
    return IPC_OK;
}

ipc_status ipc_region_path(const char *name, const char *suffix, char *path, size_t size)
{
    char directory[IPC_PATH_MAX];
    ipc_status status = check_name(name);
    if (status == IPC_OK)
        status = ipc_platform_directory(directory, sizeof directory);
    if (status != IPC_OK)
        return status;
    int length = snprintf(path, size, "%s/%s%s", directory, name, suffix == NULL ? "" : suffix);
    if (length < 0 || (size_t)length >= size)
        return ipc_fail(IPC_E_INVALID_ARGUMENT, "the path of region %s is too long", name);
    return IPC_OK;
}
