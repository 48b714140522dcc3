/*
 * What test.h asks of Windows. There is no fork: test_fork starts the program once more, which is linked for one address,
 * so that functions and constants are where they are here; the child gets a copy of its argument on the command line.
 */
#include "test.h"

#define WIN32_LEAN_AND_MEAN
#include <windows.h>

#include <fcntl.h>
#include <inttypes.h>
#include <io.h>
#include <malloc.h>
#include <tlhelp32.h>
#include <unistd.h>

#define KILLED 137u /* 128 + SIGKILL */

typedef LONG(NTAPI *process_function)(HANDLE process);

static bool is_child;
static bool others_were_here; /* other processes */

void test_yield(void)
{
    if (!SwitchToThread())
        Sleep(0);
}

void *test_allocate(size_t alignment, size_t size)
{
    void *memory = _aligned_malloc(size, alignment);
    CHECK(memory != NULL);
    return memory;
}

void test_free(void *memory)
{
    _aligned_free(memory);
}

void test_pause(unsigned milliseconds)
{
    Sleep(milliseconds);
}

void test_set_environment(const char *name, const char *value)
{
    char text[1024];
    (void)snprintf(text, sizeof text, "%s=%s", name, value);
    (void)_putenv(text); /* the C library's and the system's */
}

/* ---- files ------------------------------------------------------------------------------------------- */

void test_make_directory(const char *parent, char *path, size_t size)
{
    static unsigned made;
    char temporary[MAX_PATH];
    if (parent == NULL) {
        CHECK(GetTempPathA(sizeof temporary, temporary) != 0);
        parent = temporary;
    }
    (void)CreateDirectoryA(parent, NULL);
    (void)snprintf(path, size, "%s/ipc-test-native.%lu-%u-%llu", parent, GetCurrentProcessId(), made++,
                   (unsigned long long)GetTickCount64());
    if (!CreateDirectoryA(path, NULL))
        test_fail(__FILE__, __LINE__, "cannot make %s", path);
}

void test_for_each_file(const char *path, test_name_function each, void *argument)
{
    char pattern[1024];
    WIN32_FIND_DATAA found;
    (void)snprintf(pattern, sizeof pattern, "%s/*", path);
    HANDLE search = FindFirstFileA(pattern, &found);
    if (search == INVALID_HANDLE_VALUE)
        return;
    do {
        if (strcmp(found.cFileName, ".") != 0 && strcmp(found.cFileName, "..") != 0)
            each(found.cFileName, argument);
    } while (FindNextFileA(search, &found));
    (void)FindClose(search);
}

/* docs/wire-format/windows.md section 2: it was removed, or has yet to get its name. */
static bool has_no_name(const char *name)
{
    return strncmp(name, "~dead.", 6) == 0 || strncmp(name, "~tmp.", 5) == 0;
}

static bool is_open(const char *name)
{
    char path[1024];
    test_path(name, path, sizeof path);
    HANDLE file = CreateFileA(path, DELETE, 0, NULL, OPEN_EXISTING, 0, NULL);
    if (file == INVALID_HANDLE_VALUE)
        return true;
    (void)CloseHandle(file);
    return false;
}

/* Another process may have been killed before it could delete it. */
bool test_may_stay(const char *name)
{
    return has_no_name(name) && others_were_here && !is_open(name);
}

/* One that nobody has open counts as a file, for whoever unmapped it should have deleted it. */
bool test_is_nameless(const char *name)
{
    return has_no_name(name) && (others_were_here || is_open(name));
}

static void remove_file(const char *name, void *directory)
{
    char path[1024];
    (void)snprintf(path, sizeof path, "%s/%s", (const char *)directory, name);
    (void)DeleteFileA(path);
}

void test_remove_directory(const char *path)
{
    test_for_each_file(path, remove_file, (void *)(uintptr_t)path);
    (void)RemoveDirectoryA(path);
}

size_t test_read_file(const char *path, uint64_t offset, void *buffer, size_t size)
{
    OVERLAPPED place = {0};
    DWORD length = 0;
    HANDLE file = CreateFileA(path, GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL,
                              OPEN_EXISTING, 0, NULL);
    if (file == INVALID_HANDLE_VALUE)
        return 0;
    place.Offset = (DWORD)offset;
    place.OffsetHigh = (DWORD)(offset >> 32);
    const bool read = ReadFile(file, buffer, (DWORD)size, &length, &place) != 0;
    (void)CloseHandle(file);
    return read ? length : 0;
}

void test_write_file(const char *path, const void *bytes, size_t size)
{
    DWORD length = 0;
    HANDLE file = CreateFileA(path, GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL,
                              CREATE_ALWAYS, 0, NULL);
    CHECK(file != INVALID_HANDLE_VALUE);
    CHECK(WriteFile(file, bytes, (DWORD)size, &length, NULL) && length == size);
    (void)CloseHandle(file);
}

void test_remove_file(const char *path)
{
    static unsigned removed;
    char nameless[1024];
    char name[64];
    (void)snprintf(name, sizeof name, "~dead.%lu-%u", GetCurrentProcessId(), removed++);
    test_path(name, nameless, sizeof nameless);
    CHECK(MoveFileA(path, nameless)); /* what is mapped cannot be deleted, but its name can be taken away */
    (void)DeleteFileA(nameless);
}

void *test_map_file(const char *path, size_t *size)
{
    LARGE_INTEGER length;
    HANDLE file = CreateFileA(path, GENERIC_READ | GENERIC_WRITE,
                              FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL, OPEN_EXISTING, 0, NULL);
    CHECK(file != INVALID_HANDLE_VALUE && GetFileSizeEx(file, &length));
    HANDLE section = CreateFileMappingA(file, NULL, PAGE_READWRITE, 0, 0, NULL);
    CHECK(section != NULL);
    void *base = MapViewOfFile(section, FILE_MAP_READ | FILE_MAP_WRITE, 0, 0, 0);
    CHECK(base != NULL);
    (void)CloseHandle(section);
    (void)CloseHandle(file);
    *size = (size_t)length.QuadPart;
    return base;
}

void test_unmap_file(void *base, size_t size)
{
    (void)size;
    (void)UnmapViewOfFile(base);
}

/* ---- threads ----------------------------------------------------------------------------------------- */

typedef struct thread_start {
    void *(*function)(void *);
    void *argument;
} thread_start;

static DWORD WINAPI run_thread(void *argument)
{
    const thread_start start = *(thread_start *)argument;
    free(argument);
    (void)start.function(start.argument);
    return 0;
}

void test_thread_start(test_thread *thread, void *(*function)(void *), void *argument)
{
    thread_start *start = malloc(sizeof *start);
    CHECK(start != NULL);
    *start = (thread_start){function, argument};
    HANDLE handle = CreateThread(NULL, 0, run_thread, start, 0, NULL);
    if (handle == NULL)
        test_fail(__FILE__, __LINE__, "no thread");
    thread->id[0] = (uintptr_t)handle;
}

void test_thread_join(test_thread *thread)
{
    HANDLE handle = (HANDLE)(uintptr_t)thread->id[0];
    (void)WaitForSingleObject(handle, INFINITE);
    (void)CloseHandle(handle);
}

static void CALLBACK watchdog(void *unused, BOOLEAN timed_out)
{
    (void)unused;
    (void)timed_out;
    static const char message[] = "watchdog: the test hangs\n";
    (void)!write(2, message, sizeof message - 1);
    (void)TerminateProcess(GetCurrentProcess(), 134);
}

void test_watch(unsigned seconds)
{
    static HANDLE timer;
    if (timer != NULL)
        (void)DeleteTimerQueueTimer(NULL, timer, NULL);
    timer = NULL;
    if (seconds != 0)
        CHECK(CreateTimerQueueTimer(&timer, NULL, watchdog, NULL, seconds * 1000, 0, WT_EXECUTEONLYONCE));
}

/* ---- processes --------------------------------------------------------------------------------------- */

typedef struct started {
    struct started *next;
    DWORD pid;
    HANDLE process;
} started;

static started *processes;

static HANDLE process_of(pid_t pid)
{
    for (const started *one = processes; one != NULL; one = one->next) {
        if (one->pid == (DWORD)pid)
            return one->process;
    }
    test_fail(__FILE__, __LINE__, "process %d is not ours", (int)pid);
}

static pid_t start(const char *program, char *command, HANDLE input, HANDLE output)
{
    STARTUPINFOA info = {.cb = sizeof info};
    PROCESS_INFORMATION made;
    info.dwFlags = STARTF_USESTDHANDLES;
    info.hStdInput = input;
    info.hStdOutput = output;
    info.hStdError = GetStdHandle(STD_ERROR_HANDLE);
    fflush(NULL);
    others_were_here = true;
    for (int tried = 1; !CreateProcessA(program, command, NULL, NULL, TRUE, 0, NULL, NULL, &info, &made); tried++) {
        /* wine, of a new process that did not come up: on a busy machine, now and then, before any code of ours runs */
        if (GetLastError() != ERROR_INTERNAL_ERROR || tried == 5)
            test_fail(__FILE__, __LINE__, "cannot start %s: error %lu", command, GetLastError());
        Sleep(100);
    }
    (void)CloseHandle(made.hThread);
    started *one = calloc(1, sizeof *one);
    CHECK(one != NULL);
    one->pid = made.dwProcessId;
    one->process = made.hProcess;
    one->next = processes;
    processes = one;
    return (pid_t)made.dwProcessId;
}

bool test_is_main_process(void)
{
    return !is_child;
}

static unsigned digit(char c)
{
    return (unsigned)(c <= '9' ? c - '0' : c - 'a' + 10);
}

/* --child IMAGE FUNCTION POINTER BYTES */
void test_run_child(int count, char **arguments)
{
    static uint64_t copy[512];
    if (count != 6 || strcmp(arguments[1], "--child") != 0)
        return;
    is_child = true;
    if (strtoull(arguments[2], NULL, 16) != (uintptr_t)&test_run_child)
        test_fail(__FILE__, __LINE__, "this program is not where its parent is");
    const char *bytes = arguments[5];
    void *argument = (void *)(uintptr_t)strtoull(arguments[4], NULL, 16);
    for (size_t i = 0; bytes[2 * i] != '\0' && bytes[0] != '-'; i++) {
        ((uint8_t *)copy)[i] = (uint8_t)(digit(bytes[2 * i]) << 4 | digit(bytes[2 * i + 1]));
        argument = copy;
    }
    int (*child)(void *) = NULL;
    const uintptr_t place = (uintptr_t)strtoull(arguments[3], NULL, 16);
    memcpy(&child, &place, sizeof child);
    test_watch(TEST_WATCHDOG_SECONDS);
    const int code = child(argument);
    fflush(NULL);
    _exit(code);
}

pid_t test_fork(int (*child)(void *), const void *argument, size_t size)
{
    char program[MAX_PATH];
    char command[MAX_PATH + 64 + 2 * 4096];
    uintptr_t place = 0;
    memcpy(&place, &child, sizeof place);
    CHECK(size <= 4096);
    CHECK(GetModuleFileNameA(NULL, program, sizeof program) != 0);
    int length = snprintf(command, sizeof command, "\"%s\" --child %" PRIxPTR " %" PRIxPTR " %" PRIxPTR " ", program,
                          (uintptr_t)&test_run_child, place, (uintptr_t)argument);
    if (size == 0)
        length += snprintf(command + length, sizeof command - (size_t)length, "-");
    for (size_t i = 0; i < size; i++)
        length += snprintf(command + length, sizeof command - (size_t)length, "%02x", ((const uint8_t *)argument)[i]);
    return start(program, command, GetStdHandle(STD_INPUT_HANDLE), GetStdHandle(STD_OUTPUT_HANDLE));
}

static void set_or_clear(const char *name, const char *value)
{
    test_set_environment(name, value == NULL ? "" : value);
}

pid_t test_start(const char *program, const char *fault, const char *action, int *input, const char *const *words)
{
    SECURITY_ATTRIBUTES inherited = {.nLength = sizeof inherited, .bInheritHandle = TRUE};
    char path[MAX_PATH + 64];
    char command[2048];
    HANDLE in = NULL;
    HANDLE ours = NULL;
    CHECK(GetModuleFileNameA(NULL, path, MAX_PATH) != 0);
    (void)snprintf(strrchr(path, '\\') + 1, 64, "%s.exe", program);
    int length = snprintf(command, sizeof command, "\"%s\"", path);
    for (int i = 0; words[i] != NULL; i++)
        length += snprintf(command + length, sizeof command - (size_t)length, " %s", words[i]);
    CHECK(CreatePipe(&in, &ours, &inherited, 0));
    CHECK(SetHandleInformation(ours, HANDLE_FLAG_INHERIT, 0));
    HANDLE nowhere = CreateFileA("NUL", GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE, &inherited, OPEN_EXISTING, 0,
                                 NULL);
    set_or_clear("IPC_FAULT", fault);
    set_or_clear("IPC_FAULT_ACTION", action);
    const pid_t pid = start(path, command, in, nowhere);
    set_or_clear("IPC_FAULT", NULL);
    set_or_clear("IPC_FAULT_ACTION", NULL);
    (void)CloseHandle(in);
    (void)CloseHandle(nowhere);
    *input = _open_osfhandle((intptr_t)ours, _O_WRONLY);
    return pid;
}

int test_wait_exit(pid_t pid)
{
    DWORD code = 0;
    HANDLE process = process_of(pid);
    (void)WaitForSingleObject(process, INFINITE);
    CHECK(GetExitCodeProcess(process, &code));
    for (started **link = &processes; *link != NULL; link = &(*link)->next) {
        if ((*link)->process == process) {
            started *one = *link;
            *link = one->next;
            free(one);
            break;
        }
    }
    (void)CloseHandle(process);
    return (int)code;
}

bool test_has_ended(pid_t pid)
{
    return WaitForSingleObject(process_of(pid), 0) == WAIT_OBJECT_0;
}

void test_send_kill(pid_t pid)
{
    (void)TerminateProcess(process_of(pid), KILLED);
}

void test_kill(pid_t pid)
{
    test_send_kill(pid);
    CHECK_EQUAL(KILLED, test_wait_exit(pid));
}

static process_function find(const char *name)
{
    process_function function = NULL;
    const FARPROC found = GetProcAddress(GetModuleHandleA("ntdll.dll"), name);
    CHECK(found != NULL);
    memcpy(&function, &found, sizeof function);
    return function;
}

void test_stop(pid_t pid)
{
    CHECK(find("NtSuspendProcess")(process_of(pid)) == 0);
}

void test_continue(pid_t pid)
{
    CHECK(find("NtResumeProcess")(process_of(pid)) == 0);
}

/* Is each thread of it suspended? */
static bool is_stopped(DWORD pid)
{
    THREADENTRY32 entry = {.dwSize = sizeof entry};
    HANDLE all = CreateToolhelp32Snapshot(TH32CS_SNAPTHREAD, 0);
    CHECK(all != INVALID_HANDLE_VALUE);
    int running = 0;
    int threads = 0;
    for (BOOL more = Thread32First(all, &entry); more; more = Thread32Next(all, &entry)) {
        if (entry.th32OwnerProcessID != pid)
            continue;
        HANDLE thread = OpenThread(THREAD_SUSPEND_RESUME, FALSE, entry.th32ThreadID);
        if (thread == NULL)
            continue;
        const DWORD before = SuspendThread(thread); /* how often it was suspended already */
        threads++;
        running += before == 0;
        if (before != (DWORD)-1)
            (void)ResumeThread(thread);
        (void)CloseHandle(thread);
    }
    (void)CloseHandle(all);
    return threads > 0 && running == 0;
}

void test_wait_stopped(pid_t pid)
{
    WAIT_FOR(is_stopped((DWORD)pid));
}

void test_stop_self(void)
{
    CHECK(find("NtSuspendProcess")(GetCurrentProcess()) == 0);
}

_Noreturn void test_stay(void)
{
    for (;;)
        Sleep(INFINITE);
}

_Noreturn void test_die(void)
{
    (void)TerminateProcess(GetCurrentProcess(), KILLED);
    test_stay();
}

/* ---- pipes ------------------------------------------------------------------------------------------- */

void test_pipe_open(test_pipe *made)
{
    SECURITY_ATTRIBUTES inherited = {.nLength = sizeof inherited, .bInheritHandle = TRUE};
    HANDLE ends[2];
    CHECK(CreatePipe(&ends[0], &ends[1], &inherited, 0));
    made->ends[0] = (intptr_t)ends[0];
    made->ends[1] = (intptr_t)ends[1];
}

void test_pipe_close(test_pipe *made)
{
    (void)CloseHandle((HANDLE)made->ends[0]);
    (void)CloseHandle((HANDLE)made->ends[1]);
}

void test_say(const test_pipe *made, char word)
{
    DWORD written = 0;
    (void)WriteFile((HANDLE)made->ends[1], &word, 1, &written, NULL);
}

char test_hear(const test_pipe *made)
{
    DWORD length = 0;
    char word = 0;
    return ReadFile((HANDLE)made->ends[0], &word, 1, &length, NULL) && length == 1 ? word : (char)0;
}
