/*
 * test.h - what a test program needs: cases, checks, a region directory of its own, a watchdog.
 *
 * A program holds the cases of one topic: TEST(name_that_states_a_fact) { ... }. `program` runs them all, `program
 * NAME...` these of them; CTest runs each by itself. Every case gets a fresh IPC_DIR, and fails if it leaves a file in it. A
 * case that hangs is killed by the watchdog. SKIP ends a program with exit code 77, with the reason. What the system
 * has to do with it is in test_posix.c and test_windows.c.
 */
#ifndef IPC_TEST_H
#define IPC_TEST_H

#include "ipc.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#ifdef _WIN32
#define TEST_PRINTF gnu_printf
#define SIGKILL     9 /* 128 + 9 is the exit code of who was killed, there as well */
#else
#define TEST_PRINTF printf
#include <signal.h>
#endif

typedef struct test_case {
    const char *name;
    void (*run)(void);
    struct test_case *next;
} test_case;

void test_register(test_case *one);
_Noreturn void test_fail(const char *file, int line, const char *format, ...) __attribute__((format(TEST_PRINTF, 3, 4)));
_Noreturn void test_skip(const char *reason);

#define TEST(function)                                                                                                 \
    static void function(void);                                                                                        \
    static test_case function##_case = {#function, function, NULL};                                                    \
    __attribute__((constructor)) static void function##_register(void)                                                 \
    {                                                                                                                  \
        test_register(&function##_case);                                                                               \
    }                                                                                                                  \
    static void function(void)

/* The same, between #ifndef _WIN32 and #endif: what only a system with fork, mount or the like can show. */
#define POSIX_TEST(function) TEST(function)

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition))                                                                                              \
            test_fail(__FILE__, __LINE__, "not true: %s", #condition);                                                 \
    } while (0)

#define CHECK_EQUAL(expected, actual)                                                                                  \
    do {                                                                                                               \
        const unsigned long long expected_ = (unsigned long long)(expected);                                           \
        const unsigned long long actual_ = (unsigned long long)(actual);                                               \
        if (expected_ != actual_)                                                                                      \
            test_fail(__FILE__, __LINE__, "%s is %llu (0x%llx), not %llu (0x%llx)", #actual, actual_, actual_,         \
                      expected_, expected_);                                                                           \
    } while (0)

#define CHECK_STATUS(expected, call)                                                                                   \
    do {                                                                                                               \
        const ipc_status expected_ = (expected);                                                                       \
        const ipc_status actual_ = (call);                                                                             \
        if (expected_ != actual_)                                                                                      \
            test_fail(__FILE__, __LINE__, "%s is %s (%s), not %s", #call, ipc_status_name(actual_),                    \
                      actual_ < 0 ? ipc_last_error() : "an outcome", ipc_status_name(expected_));                      \
    } while (0)

#define CHECK_OK(call) CHECK_STATUS(IPC_OK, call)

/* The message of the calling thread's last failure has these words in it. */
void check_error_says(const char *words);

/* Long enough for a loaded machine, short enough to be noticed: nothing should ever take it. */
#define SOON ipc_deadline_after(20000000000ull)

/* Waits for a condition that another thread or process brings about. */
#define WAIT_FOR(condition)                                                                                            \
    do {                                                                                                               \
        const ipc_deadline until_ = SOON;                                                                              \
        while (!(condition)) {                                                                                         \
            if (ipc_deadline_after(0) >= until_)                                                                       \
                test_fail(__FILE__, __LINE__, "did not come about: %s", #condition);                                   \
            test_yield();                                                                                              \
        }                                                                                                              \
    } while (0)

void test_yield(void);
void *test_allocate(size_t alignment, size_t size); /* until test_free */
void test_free(void *memory);
bool test_is_long(void);          /* IPC_TEST_LONG=1 */
const char *test_directory(void); /* this case's IPC_DIR */
int test_files(void);             /* how many files are in it that have their name */
bool test_is_nameless(const char *name); /* Windows: it was removed, or has yet to get its name */
bool test_may_stay(const char *name);    /* the same, and the next process sweeps it */
void test_path(const char *name, char *path, size_t size);
/* How many bytes of the file were read: 0 if there is none. */
size_t test_read_file(const char *path, uint64_t offset, void *buffer, size_t size);
void test_write_file(const char *path, const void *bytes, size_t size); /* which is made or cut */
void test_remove_file(const char *path);                                /* which must be there */
void *test_map_file(const char *path, size_t *size); /* all of it, shared, behind the library's back */
void test_unmap_file(void *base, size_t size);
void test_pause(unsigned milliseconds); /* only to make likely what must hold anyway */
void test_set_environment(const char *name, const char *value);

/* Threads that must end. */
typedef struct test_thread {
    unsigned long long id[2];
} test_thread;
void test_thread_start(test_thread *thread, void *(*function)(void *), void *argument);
void test_thread_join(test_thread *thread);

/* Runs `child` in a process of its own, which ends with its result. Where there is no fork it gets a copy of the
   argument's `size` bytes; with 0 the pointer itself, to something constant of the program, or none. What else this
   process has in memory the child does not know. */
pid_t test_fork(int (*child)(void *), const void *argument, size_t size);
/* Becomes that program, with an emulator before it where it is one of another processor. Returns where it cannot. */
void test_execute(const char *path, char *const *arguments);
/* Starts the program that lies beside this one, whose output goes nowhere; NULL behind the last word. `input` leads to
   its standard input. `fault` and `action` (NULL: none) are IPC_FAULT and IPC_FAULT_ACTION. */
pid_t test_start(const char *program, const char *fault, const char *action, int *input, const char *const *words);
int test_wait_exit(pid_t pid); /* exit code; 128 + signal when killed */
bool test_has_ended(pid_t pid); /* its exit code can still be waited for */
void test_send_kill(pid_t pid); /* SIGKILL */
void test_kill(pid_t pid);     /* the same, and waits for it */
void test_stop(pid_t pid);     /* SIGSTOP */
void test_continue(pid_t pid);
void test_wait_stopped(pid_t pid); /* until it has stopped itself */
void test_stop_self(void);
_Noreturn void test_stay(void); /* until killed */
_Noreturn void test_die(void);  /* by SIGKILL */

/* One byte after the other, from process to process: a copy of it works in a child as well. */
typedef struct test_pipe {
    intptr_t ends[2];
} test_pipe;
void test_pipe_open(test_pipe *pipe);
void test_pipe_close(test_pipe *pipe);
void test_say(const test_pipe *pipe, char word);
char test_hear(const test_pipe *pipe); /* 0: nobody is left who could say anything */

/* The system's half of test.c. */
typedef void (*test_name_function)(const char *name, void *argument);
void test_make_directory(const char *parent, char *path, size_t size); /* parent NULL: where shared memory usually is */
void test_for_each_file(const char *path, test_name_function each, void *argument);
void test_remove_directory(const char *path);
/* Less than test.sh gives CTest: 300. One slow core, ThreadSanitizer and others beside it take a test of 5 s to 160. */
/* What an option of 0 means for loans. */
#define TEST_DEFAULT_BUDGET (sizeof(void *) == 4 ? 8ull << 20 : 256ull << 20)

#define TEST_WATCHDOG_SECONDS 280
void test_watch(unsigned seconds); /* ends the program when the time is over; 0: not any more */
void test_run_child(int count, char **arguments); /* does not return in a program that test_fork started */
bool test_is_main_process(void);

#endif
