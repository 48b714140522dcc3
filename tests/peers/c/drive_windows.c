/* drive: what the system has to do with it, on Windows. */
#include "drive_parts.h"

#define WIN32_LEAN_AND_MEAN
#include <windows.h>

bool drive_system(const char *command)
{
    (void)command; /* fork-idle and the like are not here */
    return false;
}

volatile uint64_t *drive_open_side(const char *path)
{
    HANDLE file = CreateFileA(path, GENERIC_READ | GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
                              NULL, OPEN_ALWAYS, 0, NULL);
    if (file == INVALID_HANDLE_VALUE)
        return NULL;
    HANDLE section = CreateFileMappingA(file, NULL, PAGE_READWRITE, 0, 4096, NULL);
    void *memory = section == NULL ? NULL : MapViewOfFile(section, FILE_MAP_READ | FILE_MAP_WRITE, 0, 0, 4096);
    if (section != NULL)
        (void)CloseHandle(section);
    (void)CloseHandle(file);
    return memory;
}

void drive_await(const ipc_ready_handle *handle)
{
    (void)handle; /* has no descriptor here */
    Sleep(1);
}
