#include "test.h"

#include <stdarg.h>
#include <unistd.h>

#define WATCHDOG_LONG_SECONDS 1800

static test_case *cases;
static char directory[512];
static const char *running = "";

void test_register(test_case *one)
{
    test_case **link = &cases;
    while (*link != NULL)
        link = &(*link)->next;
    *link = one;
}

void test_fail(const char *file, int line, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "%s:%d: %s: ", file, line, running);
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "\n");
    va_end(arguments);
    if (test_is_main_process())
        test_remove_directory(directory);
    _exit(1);
}

void test_skip(const char *reason)
{
    printf("skipped: %s: %s\n", running, reason);
    fflush(stdout);
    test_remove_directory(directory);
    _exit(77);
}

void check_error_says(const char *words)
{
    if (strstr(ipc_last_error(), words) == NULL)
        test_fail("error", 0, "\"%s\" does not say \"%s\"", ipc_last_error(), words);
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

static void count_file(const char *name, void *count)
{
    if (!test_is_nameless(name))
        ++*(int *)count;
}

int test_files(void)
{
    int count = 0;
    test_for_each_file(directory, count_file, &count);
    return count;
}

/* docs/wire-format.md, typed once more. 0 for what is behind the end. */
static uint64_t word_at(const char *path, uint64_t offset, size_t size)
{
    uint64_t word = 0;
    return test_read_file(path, offset, &word, size) == size ? word : 0;
}

static bool ring_holds(const char *file, uint64_t body)
{
    const uint64_t capacity = word_at(file, body + 8, 8);
    const uint64_t data = word_at(file, body + 16, 8);
    uint64_t header = word_at(file, data + word_at(file, body + 256, 8) % (capacity == 0 ? 1 : capacity), 8);
    if (header >> 62 == 3) /* padding: the record stands at the beginning of the next lap */
        header = word_at(file, data, 8);
    return header != 0;
}

static bool queue_holds(const char *file, uint64_t body)
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
    const uint64_t kind = word_at(path, 12, 4);
    const uint64_t body = word_at(path, 32, 8);
    const bool waits = word_at(path, 76, 4) == 2 && word_at(path, 128, 4) == 1;
    return waits && ((kind == 1 && ring_holds(path, body)) || (kind == 4 && queue_holds(path, body)));
}

static void count_leaked(const char *name, void *count)
{
    *(int *)count += !is_kept(name) && !test_may_stay(name);
}

static int leaked_files(void)
{
    int count = 0;
    test_for_each_file(directory, count_leaked, &count);
    return count;
}

static void make_directory(void)
{
    static char parent[256];
    static bool asked; /* once: from the first test on it is that test's */
    if (!asked) {
        const char *given = getenv("IPC_DIR");
        (void)snprintf(parent, sizeof parent, "%s", given != NULL ? given : "");
        asked = true;
    }
    test_make_directory(parent[0] == '\0' ? NULL : parent, directory, sizeof directory);
    test_set_environment("IPC_DIR", directory);
}

static void run(const test_case *one)
{
    running = one->name;
    make_directory();
    test_watch(test_is_long() ? WATCHDOG_LONG_SECONDS : TEST_WATCHDOG_SECONDS);
    one->run();
    test_watch(0);
    const int files = leaked_files();
    test_remove_directory(directory);
    if (files != 0)
        test_fail(one->name, 0, "%d files were left behind", files);
    printf("ok %s\n", one->name);
    fflush(stdout);
}

static bool is_named(const char *name, int count, char **arguments)
{
    for (int i = 1; i < count; i++) {
        if (strcmp(arguments[i], name) == 0)
            return true;
    }
    return false;
}

int main(int count, char **arguments)
{
    int ran = 0;
    const char *parents = getenv("IPC_DIR");
    (void)snprintf(directory, sizeof directory, "%s", parents != NULL ? parents : "");
    test_run_child(count, arguments); /* who is one has its parent's directory */
    directory[0] = '\0';
    for (const test_case *one = cases; one != NULL; one = one->next) {
        if (count > 1 && !is_named(one->name, count, arguments))
            continue;
        run(one);
        ran++;
    }
    if (ran == 0)
        fprintf(stderr, "no test %s\n", count > 1 ? arguments[1] : "at all");
    return ran == 0;
}
