/*
 * Removing files (docs/wire-format/windows.md section 2). Windows deletes nothing that somebody has mapped, and a deleted
 * file keeps its name until its last handle is closed. So a file loses its name first: it gets a dead one, which is made
 * of its own id, and whoever unmaps it last deletes it. What a killed process has left is swept by the next one.
 */
#include "platform/windows_api.h"

#include <stdio.h>
#include <string.h>

static void dead_name(const char *folder, const FILE_ID_INFO *id, char *path, size_t size)
{
    int length = snprintf(path, size, "%s/~dead.", folder);
    for (size_t i = 0; i < sizeof id->FileId && length > 0 && (size_t)length < size; i++)
        length += snprintf(path + length, size - (size_t)length, "%02x", id->FileId.Identifier[i]);
}

bool ipc_windows_rename(HANDLE file, const wchar_t *to)
{
    union {
        FILE_RENAME_INFO info;
        uint8_t bytes[sizeof(FILE_RENAME_INFO) + IPC_WIDE_PATH_MAX * sizeof(wchar_t)];
    } rename;
    const size_t length = wcslen(to) * sizeof(wchar_t);
    memset(&rename, 0, sizeof rename); /* ReplaceIfExists: no */
    rename.info.FileNameLength = (DWORD)length;
    memcpy(rename.info.FileName, to, length);
    return SetFileInformationByHandle(file, FileRenameInfo, &rename, sizeof rename) != 0;
}

static HANDLE open_to_delete(const wchar_t *wide, DWORD share, DWORD flags)
{
    return CreateFileW(wide, DELETE | FILE_READ_ATTRIBUTES, share, NULL, OPEN_EXISTING,
                       FILE_FLAG_OPEN_REPARSE_POINT | flags, NULL);
}

static void delete_and_close(HANDLE file)
{
    FILE_DISPOSITION_INFO gone = {.DeleteFile = TRUE};
    /* Refused while somebody has it mapped: then who unmaps it comes here again. */
    (void)SetFileInformationByHandle(file, FileDispositionInfo, &gone, sizeof gone);
    (void)CloseHandle(file);
}

bool ipc_platform_file_unlink(const char *path)
{
    wchar_t wide[IPC_WIDE_PATH_MAX];
    wchar_t dead_wide[IPC_WIDE_PATH_MAX];
    char folder[IPC_PATH_MAX];
    char dead[IPC_PATH_MAX + 64];
    FILE_ID_INFO id;
    if (ipc_windows_wide(path, wide, IPC_WIDE_PATH_MAX) != IPC_OK)
        return true;
    HANDLE file = open_to_delete(wide, IPC_SHARE_ALL, 0);
    if (file == INVALID_HANDLE_VALUE)
        return true; /* gone already is as good */
    ipc_windows_folder(path, folder, sizeof folder);
    if (GetFileInformationByHandleEx(file, FileIdInfo, &id, sizeof id)) {
        dead_name(folder, &id, dead, sizeof dead);
        if (ipc_windows_wide(dead, dead_wide, IPC_WIDE_PATH_MAX) == IPC_OK)
            (void)ipc_windows_rename(file, dead_wide); /* not possible: it keeps its name until it is closed by all */
    }
    delete_and_close(file);
    return true;
}

void ipc_windows_bury(const char *folder, const FILE_ID_INFO *id)
{
    wchar_t wide[IPC_WIDE_PATH_MAX];
    char dead[IPC_PATH_MAX + 64];
    dead_name(folder, id, dead, sizeof dead);
    if (ipc_windows_wide(dead, wide, IPC_WIDE_PATH_MAX) != IPC_OK)
        return;
    HANDLE file = open_to_delete(wide, IPC_SHARE_ALL, 0);
    if (file != INVALID_HANDLE_VALUE)
        delete_and_close(file);
}

/* Calls `each` for all whose names begin so: the system's own search also finds names by their short forms. */
static void for_all(const char *prefix, void (*each)(const char *path, void *argument), void *argument)
{
    wchar_t pattern[IPC_WIDE_PATH_MAX];
    WIN32_FIND_DATAW found;
    char folder[IPC_PATH_MAX];
    char path[IPC_PATH_MAX + 64];
    ipc_windows_folder(prefix, folder, sizeof folder);
    const char *start = prefix + strlen(folder) + 1;
    if (ipc_windows_wide(prefix, pattern, IPC_WIDE_PATH_MAX - 1) != IPC_OK)
        return;
    wcscat(pattern, L"*");
    HANDLE search = FindFirstFileW(pattern, &found);
    if (search == INVALID_HANDLE_VALUE)
        return;
    do {
        char name[3 * MAX_PATH + 1];
        if (WideCharToMultiByte(CP_UTF8, 0, found.cFileName, -1, name, sizeof name, NULL, NULL) == 0 ||
            _strnicmp(name, start, strlen(start)) != 0)
            continue;
        const int length = snprintf(path, sizeof path, "%s/%s", folder, name);
        if (length > 0 && (size_t)length < sizeof path)
            each(path, argument);
    } while (FindNextFileW(search, &found));
    (void)FindClose(search);
}

/* Whose creator, or last user, lives is open, and cannot be opened without sharing. */
static void sweep_one(const char *path, void *unused)
{
    (void)unused;
    wchar_t wide[IPC_WIDE_PATH_MAX];
    if (ipc_windows_wide(path, wide, IPC_WIDE_PATH_MAX) != IPC_OK)
        return;
    HANDLE file = open_to_delete(wide, 0, 0);
    if (file != INVALID_HANDLE_VALUE)
        delete_and_close(file);
}

void ipc_windows_sweep(const char *folder)
{
    static const char *const left_over[] = {"~tmp.", "~dead."};
    for (size_t i = 0; i < sizeof left_over / sizeof *left_over; i++) {
        char prefix[IPC_PATH_MAX + 16];
        (void)snprintf(prefix, sizeof prefix, "%s/%s", folder, left_over[i]);
        for_all(prefix, sweep_one, NULL);
    }
}
