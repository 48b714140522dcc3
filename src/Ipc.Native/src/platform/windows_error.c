/* What GetLastError means. */
#include "platform/error.h"
#include "platform/windows_api.h"

#include <stdio.h>

#ifndef ERROR_DISK_QUOTA_EXCEEDED /* not in every winerror.h */
#define ERROR_DISK_QUOTA_EXCEEDED 1295
#endif

ipc_status ipc_error_status(int error)
{
    switch ((DWORD)error) {
    case ERROR_DISK_FULL:
    case ERROR_HANDLE_DISK_FULL:
    case ERROR_DISK_QUOTA_EXCEEDED:
        return IPC_E_NO_SPACE;
    case ERROR_ACCESS_DENIED:
    case ERROR_WRITE_PROTECT:
    case ERROR_INVALID_OWNER:
        return IPC_E_ACCESS_DENIED;
    case ERROR_NOT_ENOUGH_MEMORY:
    case ERROR_OUTOFMEMORY:
    case ERROR_COMMITMENT_LIMIT:
        return IPC_E_NO_MEMORY;
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND:
        return IPC_E_NOT_FOUND;
    case ERROR_FILE_EXISTS:
    case ERROR_ALREADY_EXISTS:
        return IPC_E_EXISTS;
    case ERROR_SHARING_VIOLATION:
        return IPC_E_IN_USE;
    default:
        return IPC_E_SYSTEM_ERROR;
    }
}

void ipc_error_words(int error, char *text, size_t size)
{
    wchar_t wide[256];
    char words[3 * sizeof wide / sizeof *wide];
    DWORD length = FormatMessageW(FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS, NULL, (DWORD)error, 0,
                                  wide, sizeof wide / sizeof *wide, NULL);
    while (length > 0 && (wide[length - 1] <= L' ' || wide[length - 1] == L'.'))
        length--; /* it ends like a line */
    const int bytes = length == 0 ? 0
                                  : WideCharToMultiByte(CP_UTF8, 0, wide, (int)length, words, (int)sizeof words - 1,
                                                        NULL, NULL);
    words[bytes] = '\0';
    (void)snprintf(text, size, ": %s (error %d)", bytes == 0 ? "the system has no words for it" : words, error);
}
