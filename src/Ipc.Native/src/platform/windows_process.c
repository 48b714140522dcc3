/* Who is this process, and does that one exist? */
#include "platform/windows_api.h"

#include <string.h>

uint32_t ipc_platform_pid(void)
{
    return GetCurrentProcessId();
}

static uint64_t creation_time(HANDLE process)
{
    FILETIME created;
    FILETIME other;
    FILETIME kernel;
    FILETIME user;
    if (!GetProcessTimes(process, &created, &other, &kernel, &user))
        return 0;
    return (uint64_t)created.dwHighDateTime << 32 | created.dwLowDateTime;
}

uint32_t ipc_platform_user(void)
{
    return IPC_NO_USER;
}

uint64_t ipc_platform_start_time(void)
{
    return creation_time(GetCurrentProcess());
}

uint64_t ipc_platform_pid_namespace(void)
{
    return 1; /* all processes of the machine are in one */
}

bool ipc_platform_process_exists(uint32_t pid, uint64_t start_time)
{
    HANDLE process = OpenProcess(SYNCHRONIZE | PROCESS_QUERY_LIMITED_INFORMATION, FALSE, pid);
    if (process == NULL)
        return GetLastError() != ERROR_INVALID_PARAMETER; /* we may not look at it: we cannot know, so it lives */
    const uint64_t created = creation_time(process);
    const bool other = start_time != 0 && created != 0 && created != start_time;
    const bool ended = WaitForSingleObject(process, 0) == WAIT_OBJECT_0; /* somebody's handle keeps what has ended */
    (void)CloseHandle(process);
    return !other && !ended;
}

typedef LONG(NTAPI *suspend_function)(HANDLE process);

void ipc_platform_end_self(bool stop)
{
    if (stop) {
        suspend_function suspend = NULL;
        const FARPROC found = GetProcAddress(GetModuleHandleW(L"ntdll.dll"), "NtSuspendProcess");
        memcpy(&suspend, &found, sizeof suspend);
        if (suspend != NULL && suspend(GetCurrentProcess()) == 0)
            return;
    }
    (void)TerminateProcess(GetCurrentProcess(), 137); /* what a shell says of SIGKILL */
    for (;;)
        Sleep(INFINITE); /* it is on its way */
}
