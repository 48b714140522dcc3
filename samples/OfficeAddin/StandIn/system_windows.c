#include "system.h"

#include "checks.h"

#define WIN32_LEAN_AND_MEAN
#include <windows.h>

#include <fcntl.h>
#include <io.h>
#include <shellapi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tlhelp32.h>

enum {
    START_MS = 60000,
    STARTS = 5,
    KILLED = 137, /* 128 + SIGKILL, as a shell shows it elsewhere */
    MOST_HEAPS = 256,
    LONGEST_PATH = 4096,
};

typedef LONG(NTAPI *process_function)(HANDLE process);

static char *utf8_of(const wchar_t *wide)
{
    int size = WideCharToMultiByte(CP_UTF8, 0, wide, -1, NULL, 0, NULL, NULL);
    char *text = malloc((size_t)size);
    if (text == NULL || WideCharToMultiByte(CP_UTF8, 0, wide, -1, text, size, NULL, NULL) == 0)
        give_up("a text that is no text");
    return text;
}

static wchar_t *wide_of(const char *text)
{
    int size = MultiByteToWideChar(CP_UTF8, 0, text, -1, NULL, 0);
    wchar_t *wide = malloc((size_t)size * sizeof *wide);
    if (wide == NULL || MultiByteToWideChar(CP_UTF8, 0, text, -1, wide, size) == 0)
        give_up("a text that is no text");
    return wide;
}

void system_arguments(int *count, char ***arguments)
{
    wchar_t **wide = CommandLineToArgvW(GetCommandLineW(), count);
    *arguments = calloc((size_t)*count + 1, sizeof **arguments);
    if (wide == NULL || *arguments == NULL)
        give_up("no command line");
    for (int i = 0; i < *count; i++)
        (*arguments)[i] = utf8_of(wide[i]);
    LocalFree(wide);
    _setmode(_fileno(stdout), _O_BINARY); /* its last line ends as on every other system: scripts read it */
}

double now_ms(void)
{
    LARGE_INTEGER frequency, now;
    QueryPerformanceFrequency(&frequency);
    QueryPerformanceCounter(&now);
    return (double)now.QuadPart * 1e3 / (double)frequency.QuadPart;
}

void pause_ms(unsigned milliseconds)
{
    Sleep(milliseconds);
}

struct start {
    void *(*function)(void *);
    void *argument;
};

static DWORD WINAPI run(void *argument)
{
    struct start start = *(struct start *)argument;
    free(argument);
    start.function(start.argument);
    return 0;
}

void thread_start(struct thread *thread, void *(*function)(void *), void *argument)
{
    struct start *start = malloc(sizeof *start);
    if (start == NULL)
        give_up("no memory for a thread");
    *start = (struct start){function, argument};
    HANDLE handle = CreateThread(NULL, 0, run, start, 0, NULL);
    if (handle == NULL)
        give_up("no thread");
    thread->id = (uintptr_t)handle;
}

void thread_join(const struct thread *thread)
{
    HANDLE handle = (HANDLE)thread->id;
    WaitForSingleObject(handle, INFINITE);
    CloseHandle(handle);
}

uintptr_t thread_self(void)
{
    return GetCurrentThreadId();
}

int process_threads(void)
{
    THREADENTRY32 entry = {.dwSize = sizeof entry};
    HANDLE all = CreateToolhelp32Snapshot(TH32CS_SNAPTHREAD, 0);
    if (all == INVALID_HANDLE_VALUE)
        give_up("nobody knows the threads: error %lu", GetLastError());
    int count = 0;
    for (BOOL more = Thread32First(all, &entry); more; more = Thread32Next(all, &entry))
        count += entry.th32OwnerProcessID == GetCurrentProcessId();
    CloseHandle(all);
    return count;
}

size_t process_heap(void)
{
    static HANDLE heaps[MOST_HEAPS];
    DWORD count = GetProcessHeaps(MOST_HEAPS, heaps);
    if (count == 0 || count > MOST_HEAPS)
        give_up("%lu heaps", count);
    size_t bytes = 0;
    for (DWORD i = 0; i < count; i++) {
        PROCESS_HEAP_ENTRY entry = {.lpData = NULL};
        HeapLock(heaps[i]);
        while (HeapWalk(heaps[i], &entry))
            bytes += (entry.wFlags & PROCESS_HEAP_ENTRY_BUSY) != 0 ? entry.cbData : 0;
        HeapUnlock(heaps[i]);
    }
    return bytes;
}

static size_t whole_pages(size_t size, size_t *page)
{
    SYSTEM_INFO system;
    GetSystemInfo(&system);
    *page = system.dwPageSize;
    return (size + *page - 1) / *page * *page;
}

void *memory_with_an_edge(size_t size)
{
    size_t page, usable = whole_pages(size, &page);
    char *memory = VirtualAlloc(NULL, usable + page, MEM_RESERVE, PAGE_NOACCESS);
    if (memory == NULL || VirtualAlloc(memory, usable, MEM_COMMIT, PAGE_READWRITE) == NULL)
        give_up("no memory of %zu bytes", size);
    return memory + usable - size;
}

void memory_with_an_edge_free(void *memory, size_t size)
{
    size_t page, usable = whole_pages(size, &page);
    VirtualFree((char *)memory + size - usable, 0, MEM_RELEASE);
}

void *library_load(const char *path)
{
    wchar_t *wide = wide_of(path);
    HMODULE library = LoadLibraryW(wide);
    if (library == NULL)
        give_up("%s cannot be loaded: error %lu", path, GetLastError());
    free(wide);
    return library;
}

void library_unload(void *library)
{
    FreeLibrary(library);
}

library_entry library_export(void *library, const char *name)
{
    library_entry entry = NULL;
    FARPROC found = GetProcAddress(library, name);
    memcpy(&entry, &found, sizeof entry);
    return entry;
}

void library_path(void *library, char *path, size_t size)
{
    static wchar_t wide[LONGEST_PATH];
    DWORD length = GetModuleFileNameW(library, wide, LONGEST_PATH);
    if (length == 0 || length == LONGEST_PATH ||
        WideCharToMultiByte(CP_UTF8, 0, wide, -1, path, (int)size, NULL, NULL) == 0)
        give_up("nobody knows where the add-in is");
}

/* Whoever is in this job ends when its last handle is closed, which the system does when this process ends. */
static HANDLE job_of_daemons(void)
{
    static HANDLE job;
    if (job != NULL)
        return job;
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits = {
        .BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE,
    };
    job = CreateJobObjectW(NULL, NULL);
    if (job == NULL || !SetInformationJobObject(job, JobObjectExtendedLimitInformation, &limits, sizeof limits))
        give_up("no job: error %lu", GetLastError());
    return job;
}

static HANDLE start(const char *command, HANDLE output)
{
    SECURITY_ATTRIBUTES inherited = {.nLength = sizeof inherited, .bInheritHandle = TRUE};
    STARTUPINFOW info = {.cb = sizeof info, .dwFlags = STARTF_USESTDHANDLES, .hStdOutput = output};
    PROCESS_INFORMATION made;
    info.hStdInput =
        CreateFileW(L"NUL", GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_WRITE, &inherited, OPEN_EXISTING, 0, NULL);
    info.hStdError = GetStdHandle(STD_ERROR_HANDLE);
    wchar_t *line = wide_of(command);
    for (int tried = 1; !CreateProcessW(NULL, line, NULL, NULL, TRUE, CREATE_SUSPENDED, NULL, NULL, &info, &made);
         tried++) {
        /* wine, of a process that did not come up: on a busy machine, now and then, before any code of ours runs */
        if (GetLastError() != ERROR_INTERNAL_ERROR || tried == STARTS)
            give_up("%s cannot be started: error %lu", command, GetLastError());
        Sleep(100);
    }
    free(line);
    CloseHandle(info.hStdInput);
    if (!AssignProcessToJobObject(job_of_daemons(), made.hProcess)) {
        TerminateProcess(made.hProcess, KILLED);
        give_up("%s would outlive this program: error %lu", command, GetLastError());
    }
    ResumeThread(made.hThread);
    CloseHandle(made.hThread);
    return made.hProcess;
}

struct daemon daemon_start(const char *command)
{
    SECURITY_ATTRIBUTES inherited = {.nLength = sizeof inherited, .bInheritHandle = TRUE};
    HANDLE ours, output;
    if (!CreatePipe(&ours, &output, &inherited, 0) || !SetHandleInformation(ours, HANDLE_FLAG_INHERIT, 0))
        give_up("no pipe for %s", command);
    HANDLE process = start(command, output);
    CloseHandle(output);

    /* Our end of its output stays open: a daemon that says more must not die of it. */
    double until = now_ms() + START_MS;
    char byte = 0;
    while (byte != '\n') {
        DWORD there = 0, got = 0;
        if (!PeekNamedPipe(ours, NULL, 0, NULL, &there, NULL) || now_ms() > until)
            give_up("it did not start: %s", command); /* and ends with this process */
        if (there == 0)
            Sleep(1);
        else if (!ReadFile(ours, &byte, 1, &got, NULL) || got != 1)
            give_up("it did not start: %s", command);
    }
    return (struct daemon){(intptr_t)process, (intptr_t)ours};
}

void daemon_kill(struct daemon daemon)
{
    HANDLE process = (HANDLE)daemon.process;
    TerminateProcess(process, KILLED);
    WaitForSingleObject(process, INFINITE);
    CloseHandle(process);
    CloseHandle((HANDLE)daemon.output);
}

/* Functions that every debugger uses and no header declares. */
static void call(const char *name, struct daemon daemon)
{
    process_function function = NULL;
    FARPROC found = GetProcAddress(GetModuleHandleA("ntdll.dll"), name);
    memcpy(&function, &found, sizeof function);
    if (function == NULL || function((HANDLE)daemon.process) != 0)
        give_up("%s has failed", name);
}

void daemon_stop(struct daemon daemon)
{
    call("NtSuspendProcess", daemon);
}

void daemon_continue(struct daemon daemon)
{
    call("NtResumeProcess", daemon);
}
