/* Where the regions are, and how Windows wants to be told (docs/wire-format/windows.md section 1). */
#include "platform/error.h"
#include "platform/windows_api.h"

#include <stdio.h>
#include <string.h>

/* room for '/', a name of 120 characters and a connection's suffix of 17 */
#define NAME_ROOM 140

static ipc_status is_wrong(const char *path)
{
    return ipc_fail(IPC_E_INVALID_ARGUMENT, "%s is too long, or not UTF-8", path);
}

ipc_status ipc_windows_wide(const char *path, wchar_t *wide, size_t size)
{
    static const wchar_t prefix[] = L"\\\\?\\";
    const size_t room = size - (sizeof prefix / sizeof *prefix - 1);
    wchar_t *rest = wide + (sizeof prefix / sizeof *prefix - 1);
    memcpy(wide, prefix, sizeof prefix);
    if (MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, rest, (int)room) == 0)
        return is_wrong(path);
    for (; *rest != L'\0'; rest++) {
        if (*rest == L'/')
            *rest = L'\\';
    }
    return IPC_OK;
}

void ipc_windows_folder(const char *path, char *folder, size_t size)
{
    const char *slash = strrchr(path, '/');
    (void)snprintf(folder, size, "%.*s", slash == NULL ? 0 : (int)(slash - path), path);
}

static bool is_letter(wchar_t c)
{
    return (c >= L'A' && c <= L'Z') || (c >= L'a' && c <= L'z');
}

/* From "\\?\C:\a\" to "C:/a". */
static ipc_status tidy(wchar_t *absolute, char *path, size_t size)
{
    if (wcsncmp(absolute, L"\\\\?\\", 4) == 0 && is_letter(absolute[4]) && absolute[5] == L':')
        absolute += 4;
    if (!is_letter(absolute[0]) || absolute[1] != L':' || absolute[2] != L'\\')
        return ipc_fail(IPC_E_INVALID_ARGUMENT, "the region directory is not on a drive of this machine: IPC_DIR must begin like C:\\");
    size_t length = wcslen(absolute);
    while (length > 3 && absolute[length - 1] == L'\\')
        absolute[--length] = L'\0';
    for (size_t i = 0; i < length; i++) {
        if (absolute[i] == L'\\')
            absolute[i] = L'/';
    }
    if (length == 3)
        absolute[2] = L'\0'; /* the root of a drive: "C:", and the name follows behind a '/' */
    if (WideCharToMultiByte(CP_UTF8, WC_ERR_INVALID_CHARS, absolute, -1, path, (int)size, NULL, NULL) == 0 ||
        strlen(path) + NAME_ROOM > size)
        return ipc_fail(IPC_E_INVALID_ARGUMENT, "IPC_DIR is too long (at most %d bytes), or not Unicode",
                        (int)size - NAME_ROOM);
    return IPC_OK;
}

static bool variable(const wchar_t *name, wchar_t *value, DWORD size)
{
    const DWORD length = GetEnvironmentVariableW(name, value, size);
    return length != 0 && length < size;
}

/* As an absolute path, whether it is there or not. */
static ipc_status wanted(char *path, size_t size, bool *is_default)
{
    wchar_t given[IPC_WIDE_PATH_MAX];
    wchar_t absolute[IPC_WIDE_PATH_MAX];
    *is_default = GetEnvironmentVariableW(L"IPC_DIR", NULL, 0) <= 1; /* an empty one counts its end */
    if (!*is_default && !variable(L"IPC_DIR", given, IPC_PATH_MAX - NAME_ROOM))
        return ipc_fail(IPC_E_INVALID_ARGUMENT, "IPC_DIR is too long (at most %d characters)",
                        IPC_PATH_MAX - NAME_ROOM - 1);
    if (*is_default) {
        if (!variable(L"LOCALAPPDATA", given, IPC_PATH_MAX - NAME_ROOM))
            return ipc_fail(IPC_E_INVALID_ARGUMENT,
                            "there is no place for regions: LOCALAPPDATA is not set (or too long), and neither is IPC_DIR");
        wcscat(given, L"\\ipc");
    }
    const DWORD length = GetFullPathNameW(given, IPC_WIDE_PATH_MAX, absolute, NULL);
    if (length == 0 || length >= IPC_WIDE_PATH_MAX)
        return ipc_fail(IPC_E_INVALID_ARGUMENT, "IPC_DIR has no absolute path of at most %d characters",
                        IPC_WIDE_PATH_MAX - 1);
    return tidy(absolute, path, size);
}

static ipc_status check_drive(const char *path)
{
    const wchar_t root[] = {(wchar_t)path[0], L':', L'\\', L'\0'};
    if (GetDriveTypeW(root) == DRIVE_REMOTE)
        return ipc_fail(IPC_E_INVALID_ARGUMENT,
                        "%s is on another machine: what is mapped from there is not shared. Set IPC_DIR to a directory "
                        "on a drive of this machine",
                        path);
    return IPC_OK;
}

static ipc_status check_default(const wchar_t *wide, const char *path)
{
    HANDLE directory = CreateFileW(wide, READ_CONTROL | FILE_READ_ATTRIBUTES, IPC_SHARE_ALL, NULL, OPEN_EXISTING,
                                   FILE_FLAG_BACKUP_SEMANTICS | FILE_FLAG_OPEN_REPARSE_POINT, NULL);
    if (directory == INVALID_HANDLE_VALUE)
        return ipc_fail_system((int)GetLastError(), "cannot look at the region directory %s", path);
    FILE_ATTRIBUTE_TAG_INFO about;
    ipc_status status = IPC_OK;
    if (!GetFileInformationByHandleEx(directory, FileAttributeTagInfo, &about, sizeof about))
        status = ipc_fail_system((int)GetLastError(), "cannot look at the region directory %s", path);
    else if ((about.FileAttributes & FILE_ATTRIBUTE_DIRECTORY) == 0 ||
             (about.FileAttributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0)
        status = ipc_fail(IPC_E_ACCESS_DENIED, "%s must be a directory, and no link to one: remove it", path);
    else
        status = ipc_windows_check_owner(directory, path);
    (void)CloseHandle(directory);
    return status;
}

/* Once for each directory that this process comes to. */
static void sweep_once(const char *path)
{
    static ipc_mutex lock = IPC_MUTEX_INIT;
    static char swept[IPC_PATH_MAX];
    ipc_mutex_lock(&lock);
    const bool is_new = strcmp(swept, path) != 0;
    if (is_new)
        (void)snprintf(swept, sizeof swept, "%s", path);
    ipc_mutex_unlock(&lock);
    if (is_new)
        ipc_windows_sweep(path);
}

ipc_status ipc_platform_directory(char *path, size_t size)
{
    wchar_t wide[IPC_WIDE_PATH_MAX];
    SECURITY_ATTRIBUTES security;
    bool is_default = false;
    ipc_status status = wanted(path, size, &is_default);
    if (status == IPC_OK)
        status = check_drive(path);
    if (status == IPC_OK)
        status = ipc_windows_wide(path, wide, IPC_WIDE_PATH_MAX);
    if (status == IPC_OK)
        status = ipc_windows_security(IPC_WINDOWS_DIRECTORY, &security);
    if (status != IPC_OK)
        return status;
    if (path[2] == '\0')
        wcscat(wide, L"\\"); /* a drive is there, and without its '\' it is a device */
    else if (!CreateDirectoryW(wide, &security) && GetLastError() != ERROR_ALREADY_EXISTS)
        return ipc_fail_system((int)GetLastError(), "cannot create the region directory %s", path);
    if (is_default)
        status = check_default(wide, path);
    if (status == IPC_OK)
        sweep_once(path);
    return status;
}

/* ---- what there is not: all who meet are one user ------------------------------------------------------ */

ipc_status ipc_platform_machine_directory(char *path, size_t size)
{
    (void)path;
    (void)size;
    return ipc_fail(IPC_E_INVALID_ARGUMENT, "regions of the machine are not there on Windows: all who meet are one user "
                                            "here. Use a name without " IPC_MACHINE);
}

ipc_status ipc_platform_file_share(ipc_file file, const ipc_access *access)
{
    (void)file;
    (void)access;
    return IPC_OK;
}

bool ipc_platform_file_is_private(ipc_file file, uint32_t user)
{
    (void)file;
    (void)user;
    return true;
}

void ipc_platform_files_in(const char *directory, bool (*found)(void *context, const char *name), void *context)
{
    (void)directory;
    (void)found;
    (void)context;
}

uint32_t ipc_platform_file_user(const char *path)
{
    (void)path;
    return IPC_NO_USER;
}

static bool begins(const char *name, size_t length, const char *with)
{
    return strlen(with) == length && _strnicmp(name, with, length) == 0;
}

bool ipc_platform_name_is_reserved(const char *name)
{
    static const char *const devices[] = {"CON", "PRN", "AUX", "NUL"};
    const size_t whole = strlen(name);
    const size_t length = strcspn(name, ".");
    if (whole != 0 && name[whole - 1] == '.')
        return true;
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++) {
        if (begins(name, length, devices[i]))
            return true;
    }
    const bool is_port = length == 4 && (_strnicmp(name, "COM", 3) == 0 || _strnicmp(name, "LPT", 3) == 0);
    return is_port && name[3] >= '0' && name[3] <= '9';
}
