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
        return ipc_fail(IPC_E_INVALID_NAME, "a name has 1 to %d characters, this one has %zu", NAME_MAX_LENGTH, length);
    if (name[0] == '.')
        return ipc_fail(IPC_E_INVALID_NAME, "a name does not begin with a dot: \"%s\" does", name);
    for (const char *c = name; *c != '\0'; c++) {
        if (!is_name_character(*c))
            return ipc_fail(IPC_E_INVALID_NAME,
                            "a name has only the characters A-Z a-z 0-9 . _ -: \"%s\" has another one", name);
    }
    if (ipc_platform_name_is_reserved(name))
        return ipc_fail(IPC_E_INVALID_NAME, "\"%s\" is a name that this system keeps for itself", name);
    return IPC_OK;
}

static ipc_status check_access(const char *name, const ipc_access *access, bool is_machine)
{
    if (access->kind == IPC_ACCESS_USER)
        return IPC_OK;
    if (access->kind < IPC_ACCESS_USER || access->kind > IPC_ACCESS_USERS)
        return ipc_fail(IPC_E_INVALID_ARGUMENT, "access %d is none of the four", (int)access->kind);
    if (!is_machine)
        return ipc_fail(IPC_E_INVALID_ARGUMENT,
                        "\"%s\" is a name of this user's own: what is shared with other users has the name " IPC_MACHINE
                        "%s",
                        name, name);
    if (access->kind == IPC_ACCESS_USERS && (access->user_count == 0 || access->user_count > IPC_ACCESS_USERS_MAX))
        return ipc_fail(IPC_E_INVALID_ARGUMENT, "a list has 1 to %u users, not %u", IPC_ACCESS_USERS_MAX,
                        access->user_count);
    return IPC_OK;
}

ipc_status ipc_region_place(const char *name, const ipc_access *access, char *path, size_t size, ipc_share *share)
{
    static const ipc_access this_user = {.kind = IPC_ACCESS_USER};
    char directory[IPC_PATH_MAX];
    const size_t prefix = sizeof IPC_MACHINE - 1;
    *share = (ipc_share){.access = access == NULL ? this_user : *access};
    share->is_machine = name != NULL && strncmp(name, IPC_MACHINE, prefix) == 0;
    if (share->is_machine)
        name += prefix;
    ipc_status status = check_name(name);
    if (status == IPC_OK)
        status = check_access(name, &share->access, share->is_machine);
    if (status == IPC_OK)
        status = share->is_machine ? ipc_platform_machine_directory(directory, sizeof directory)
                                   : ipc_platform_directory(directory, sizeof directory);
    if (status != IPC_OK)
        return status;
    const int length = snprintf(path, size, "%s/%s", directory, name);
    if (length < 0 || (size_t)length >= size)
        return ipc_fail(IPC_E_INVALID_ARGUMENT, "the path of region %s is too long", name);
    return IPC_OK;
}

ipc_status ipc_region_path(const char *name, char *path, size_t size)
{
    ipc_share share;
    return ipc_region_place(name, NULL, path, size, &share);
}

const char *ipc_region_name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

ipc_status ipc_region_not_found(const ipc_region_kind *kind, const char *path)
{
    const char *one = ipc_region_kind_name(kind->kind); /* "a ring" */
    return ipc_fail_because(IPC_E_NOT_FOUND,
                            "there is no live %s \"%s\" (%s): start the other side first, or wait longer for it",
                            strchr(one, ' ') + 1, ipc_region_name_of(path), path);
}
