/* What test.h asks of a system that has fork. */
#define _GNU_SOURCE
#include "test.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t main_process;

void test_yield(void)
{
    (void)sched_yield();
}

void *test_allocate(size_t alignment, size_t size)
{
    void *memory = aligned_alloc(alignment, size);
    CHECK(memory != NULL);
    return memory;
}

void test_free(void *memory)
{
    free(memory);
}

void test_pause(unsigned milliseconds)
{
    (void)usleep(milliseconds * 1000);
}

void test_set_environment(const char *name, const char *value)
{
    (void)setenv(name, value, 1);
}

/* ---- files ------------------------------------------------------------------------------------------- */

void test_make_directory(const char *parent, char *path, size_t size)
{
    if (parent == NULL)
        parent = "/dev/shm";
    (void)mkdir(parent, 0700);
    (void)snprintf(path, size, "%s/ipc-test-native.XXXXXX", parent);
    if (mkdtemp(path) == NULL)
        test_fail(__FILE__, __LINE__, "cannot make %s", path);
}

bool test_is_nameless(const char *name) /* such a file is in no directory */
{
    (void)name;
    return false;
}

bool test_may_stay(const char *name)
{
    (void)name;
    return false;
}

void test_for_each_file(const char *path, test_name_function each, void *argument)
{
    DIR *entries = opendir(path);
    if (entries == NULL)
        return;
    for (struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries)) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            each(entry->d_name, argument);
    }
    (void)closedir(entries);
}

static void remove_file(const char *name, void *directory)
{
    char path[1024];
    (void)snprintf(path, sizeof path, "%s/%s", (const char *)directory, name);
    (void)unlink(path);
}

void test_remove_directory(const char *path)
{
    test_for_each_file(path, remove_file, (void *)(uintptr_t)path);
    (void)rmdir(path);
}

size_t test_read_file(const char *path, uint64_t offset, void *buffer, size_t size)
{
    const int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (file < 0)
        return 0;
    const ssize_t length = pread(file, buffer, size, (off_t)offset);
    (void)close(file);
    return length < 0 ? 0 : (size_t)length;
}

void test_write_file(const char *path, const void *bytes, size_t size)
{
    const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    CHECK(file >= 0);
    CHECK(write(file, bytes, size) == (ssize_t)size);
    (void)close(file);
}

void test_remove_file(const char *path)
{
    CHECK(unlink(path) == 0);
}

void *test_map_file(const char *path, size_t *size)
{
    struct stat status;
    const int file = open(path, O_RDWR | O_CLOEXEC);
    CHECK(file >= 0 && fstat(file, &status) == 0);
    *size = (size_t)status.st_size;
    void *base = mmap(NULL, *size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    CHECK(base != MAP_FAILED);
    (void)close(file);
    return base;
}

void test_unmap_file(void *base, size_t size)
{
    (void)munmap(base, size);
}

/* ---- threads ----------------------------------------------------------------------------------------- */

_Static_assert(sizeof(pthread_t) <= sizeof(test_thread), "a thread's handle");

void test_thread_start(test_thread *thread, void *(*function)(void *), void *argument)
{
    pthread_t id;
    if (pthread_create(&id, NULL, function, argument) != 0)
        test_fail(__FILE__, __LINE__, "no thread");
    memcpy(thread->id, &id, sizeof id);
}

void test_thread_join(test_thread *thread)
{
    pthread_t id;
    memcpy(&id, thread->id, sizeof id);
    (void)pthread_join(id, NULL);
}

static void watchdog(int unused)
{
    (void)unused;
    static const char message[] = "watchdog: the test hangs\n";
    (void)!write(2, message, sizeof message - 1);
    abort();
}

void test_watch(unsigned seconds)
{
    (void)signal(SIGALRM, watchdog);
    (void)alarm(seconds);
}

/* ---- processes --------------------------------------------------------------------------------------- */

void test_run_child(int count, char **arguments)
{
    (void)count;
    (void)arguments;
    main_process = getpid();
}

bool test_is_main_process(void)
{
    return getpid() == main_process;
}

pid_t test_fork(int (*child)(void *), const void *argument, size_t size)
{
    (void)size; /* a child has all that we have */
    fflush(NULL);
    pid_t pid = fork();
    if (pid < 0)
        test_fail(__FILE__, __LINE__, "no process");
    if (pid == 0) {
        (void)alarm(TEST_WATCHDOG_SECONDS);
        _exit(child((void *)(uintptr_t)argument));
    }
    return pid;
}

void test_execute(const char *path, char *const *arguments)
{
#ifdef IPC_TEST_EMULATOR /* the system runs programs of another processor only where it has been told how */
    char *with[26] = {(char *)(uintptr_t)IPC_TEST_EMULATOR, (char *)(uintptr_t)path};
    for (int i = 1; i < 24 && arguments[i] != NULL; i++)
        with[i + 1] = arguments[i];
    (void)execvp(with[0], with);
#else
    (void)execv(path, arguments);
#endif
}

static void run_program(const char *program, const char *fault, const char *action, int input, const char *const *words)
{
    char path[PATH_MAX];
    char *arguments[24] = {path};
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 64);
    if (length <= 0)
        return;
    path[length] = '\0';
    (void)snprintf(strrchr(path, '/') + 1, 64, "%s", program);
    for (int i = 0; i < 22 && words[i] != NULL; i++)
        arguments[i + 1] = (char *)(uintptr_t)words[i];
    if (fault != NULL)
        (void)setenv("IPC_FAULT", fault, 1);
    if (action != NULL)
        (void)setenv("IPC_FAULT_ACTION", action, 1);
    (void)dup2(input, 0);
    (void)dup2(open("/dev/null", O_WRONLY | O_CLOEXEC), 1);
    test_execute(path, arguments);
}

pid_t test_start(const char *program, const char *fault, const char *action, int *input, const char *const *words)
{
    int ends[2];
    CHECK(pipe2(ends, O_CLOEXEC) == 0);
    fflush(NULL);
    pid_t pid = fork();
    CHECK(pid >= 0);
    if (pid == 0) {
        run_program(program, fault, action, ends[0], words);
        _exit(126);
    }
    (void)close(ends[0]);
    *input = ends[1];
    return pid;
}

int test_wait_exit(pid_t pid)
{
    int status = 0;
    if (waitpid(pid, &status, 0) != pid)
        test_fail(__FILE__, __LINE__, "process %d is not ours", (int)pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

bool test_has_ended(pid_t pid)
{
    siginfo_t ended = {0};
    return waitid(P_PID, (id_t)pid, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid == pid;
}

void test_send_kill(pid_t pid)
{
    (void)kill(pid, SIGKILL);
}

void test_kill(pid_t pid)
{
    (void)kill(pid, SIGKILL);
    CHECK_EQUAL(128 + SIGKILL, test_wait_exit(pid));
}

void test_stop(pid_t pid)
{
    CHECK(kill(pid, SIGSTOP) == 0);
}

void test_continue(pid_t pid)
{
    CHECK(kill(pid, SIGCONT) == 0);
}

void test_wait_stopped(pid_t pid)
{
    int status = 0;
    CHECK(waitpid(pid, &status, WUNTRACED) == pid && WIFSTOPPED(status));
}

void test_stop_self(void)
{
    (void)raise(SIGSTOP);
}

_Noreturn void test_stay(void)
{
    for (;;)
        (void)pause();
}

_Noreturn void test_die(void)
{
    for (;;)
        (void)raise(SIGKILL);
}

/* ---- pipes ------------------------------------------------------------------------------------------- */

void test_pipe_open(test_pipe *made)
{
    int ends[2];
    CHECK(pipe(ends) == 0);
    made->ends[0] = ends[0];
    made->ends[1] = ends[1];
}

void test_pipe_close(test_pipe *made)
{
    (void)close((int)made->ends[0]);
    (void)close((int)made->ends[1]);
}

void test_say(const test_pipe *made, char word)
{
    (void)!write((int)made->ends[1], &word, 1);
}

char test_hear(const test_pipe *made)
{
    char word = 0;
    return read((int)made->ends[0], &word, 1) == 1 ? word : (char)0;
}
