#define _GNU_SOURCE
#include "test.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define WATCHDOG_SECONDS      280 /* less than test.sh gives CTest: 300. One slow core, ThreadSanitizer and others beside it take a test of 5 s to 160 */
#define WATCHDOG_LONG_SECONDS 1800

static test_case *cases;
static char directory[512];
static const char *running = "";
static pid_t main_process;

void test_register(test_case *one)
{
    test_case **link = &cases;
    while (*link != NULL)
        link = &(*link)->next;
    *link = one;
}

static void remove_directory(void)
{
    DIR *entries = opendir(directory);
    if (entries == NULL)
        return;
    for (struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries)) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            (void)unlinkat(dirfd(entries), entry->d_name, 0);
    }
    (void)closedir(entries);
    (void)rmdir(directory);
}

void test_fail(const char *file, int line, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "%s:%d: %s: ", file, line, running);
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "\n");
    va_end(arguments);
    if (getpid() == main_process)
        remove_directory();
    _exit(1);
}

void test_skip(const char *reason)
{
    printf("skipped: %s: %s\n", running, reason);
    fflush(stdout);
    remove_directory();
    _exit(77);
}

void check_error_says(const char *words)
{
    if (strstr(ipc_last_error(), words) == NULL)
        test_fail("error", 0, "\"%s\" does not say \"%s\"", ipc_last_error(), words);
}

void test_yield(void)
{
    (void)sched_yield();
}

bool test_is_long(void)
{
    const char *value = getenv("IPC_TEST_LONG");
    return value != NULL && value[0] == '1';
}

const char *test_directory(void)
{
    return directory;
}

void test_path(const char *name, char *path, size_t size)
{
    (void)snprintf(path, size, "%s/%s", directory, name);
}

int test_files(void)
{
    int count = 0;
    DIR *entries = opendir(directory);
    if (entries == NULL)
        return 0;
    for (struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries)) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            count++;
    }
    (void)closedir(entries);
    return count;
}

/* docs/wire-format.md, typed once more. 0 for what is behind the end. */
static uint64_t word_at(int file, uint64_t offset, size_t size)
{
    uint64_t word = 0;
    return pread(file, &word, size, (off_t)offset) == (ssize_t)size ? word : 0;
}

static bool ring_holds(int file, uint64_t body)
{
    const uint64_t capacity = word_at(file, body + 8, 8);
    const uint64_t data = word_at(file, body + 16, 8);
    uint64_t header = word_at(file, data + word_at(file, body + 256, 8) % (capacity == 0 ? 1 : capacity), 8);
    if (header >> 62 == 3) /* padding: the record stands at the beginning of the next lap */
        header = word_at(file, data, 8);
    return header != 0;
}

static bool queue_holds(int file, uint64_t body)
{
    const uint64_t slots = word_at(file, body + 8, 4);
    const uint64_t segments = word_at(file, body + 128, 4);
    for (uint64_t segment = 0; segment < segments; segment++) {
        for (uint64_t slot = 0; slot < slots; slot++) {
            const uint64_t place = word_at(file, body + 24, 8) + segment * word_at(file, body + 32, 8) +
                                   slot * word_at(file, body + 16, 8);
            if (word_at(file, place, 1) == 2) /* Ready */
                return true;
        }
    }
    return false;
}

/* A ring or a queue that stays until it is empty, and is not, must be left. */
static bool is_kept(const char *name)
{
    char path[1024];
    test_path(name, path, sizeof path);
    const int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (file < 0)
        return false;
    const uint64_t kind = word_at(file, 12, 4);
    const uint64_t body = word_at(file, 32, 8);
    const bool waits = word_at(file, 76, 4) == 2 && word_at(file, 128, 4) == 1;
    const bool kept = waits && ((kind == 1 && ring_holds(file, body)) || (kind == 4 && queue_holds(file, body)));
    (void)close(file);
    return kept;
}

static int leaked_files(void)
{
    int count = 0;
    DIR *entries = opendir(directory);
    if (entries == NULL)
        return 0;
    for (struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries)) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 && !is_kept(entry->d_name))
            count++;
    }
    (void)closedir(entries);
    return count;
}

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

pid_t test_fork(int (*child)(void *), void *argument)
{
    fflush(NULL);
    pid_t pid = fork();
    if (pid < 0)
        test_fail(__FILE__, __LINE__, "no process");
    if (pid == 0) {
        (void)alarm(WATCHDOG_SECONDS);
        _exit(child(argument));
    }
    return pid;
}

int test_wait_exit(pid_t pid)
{
    int status = 0;
    if (waitpid(pid, &status, 0) != pid)
        test_fail(__FILE__, __LINE__, "process %d is not ours", (int)pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void test_kill(pid_t pid)
{
    (void)kill(pid, SIGKILL);
    CHECK_EQUAL(128 + SIGKILL, test_wait_exit(pid));
}

static void watchdog(int unused)
{
    (void)unused;
    static const char message[] = "watchdog: the test hangs\n";
    (void)!write(2, message, sizeof message - 1);
    abort();
}

static void make_directory(void)
{
    static char parent[256];
    if (parent[0] == '\0') {
        const char *given = getenv("IPC_DIR");
        (void)snprintf(parent, sizeof parent, "%s", given != NULL && given[0] != '\0' ? given : "/dev/shm");
        (void)mkdir(parent, 0700);
    }
    (void)snprintf(directory, sizeof directory, "%s/ipc-test-native.XXXXXX", parent);
    if (mkdtemp(directory) == NULL)
        test_fail(__FILE__, __LINE__, "cannot make %s", directory);
    (void)setenv("IPC_DIR", directory, 1);
}

static void run(const test_case *one)
{
    running = one->name;
    make_directory();
    (void)alarm(test_is_long() ? WATCHDOG_LONG_SECONDS : WATCHDOG_SECONDS);
    one->run();
    (void)alarm(0);
    const int files = leaked_files();
    remove_directory();
    if (files != 0)
        test_fail(one->name, 0, "%d files were left behind", files);
    printf("ok %s\n", one->name);
    fflush(stdout);
}

int main(int count, char **arguments)
{
    int ran = 0;
    main_process = getpid();
    (void)signal(SIGALRM, watchdog);
    for (const test_case *one = cases; one != NULL; one = one->next) {
        if (count > 1 && strcmp(arguments[1], one->name) != 0)
            continue;
        run(one);
        ran++;
    }
    if (ran == 0)
        fprintf(stderr, "no test %s\n", count > 1 ? arguments[1] : "at all");
    return ran == 0;
}
