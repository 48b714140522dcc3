/*
 * test.h - what a test program needs: cases, checks, a region directory of its own, a watchdog.
 *
 * A program holds the cases of one topic: TEST(name_that_states_a_fact) { ... }. `program` runs them all, `program
 * NAME` one of them; CTest runs each by itself. Every case gets a fresh IPC_DIR, and fails if it leaves a file in it. A
 * case that hangs is killed by the watchdog. SKIP ends a program with exit code 77, with the reason.
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

typedef struct test_case {
    const char *name;
    void (*run)(void);
    struct test_case *next;
} test_case;

void test_register(test_case *one);
_Noreturn void test_fail(const char *file, int line, const char *format, ...) __attribute__((format(printf, 3, 4)));
_Noreturn void test_skip(const char *reason);

#define TEST(function)                                                                                                 \
    static void function(void);                                                                                        \
    static test_case function##_case = {#function, function, NULL};                                                    \
    __attribute__((constructor)) static void function##_register(void)                                                 \
    {                                                                                                                  \
        test_register(&function##_case);                                                                               \
    }                                                                                                                  \
    static void function(void)

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
bool test_is_long(void);          /* IPC_TEST_LONG=1 */
const char *test_directory(void); /* this case's IPC_DIR */
int test_files(void);             /* how many files are in it */
void test_path(const char *name, char *path, size_t size);

/* Threads that must end. */
typedef struct test_thread {
    unsigned long long id[2];
} test_thread;
void test_thread_start(test_thread *thread, void *(*function)(void *), void *argument);
void test_thread_join(test_thread *thread);

/* Runs `child` in a forked process, which ends with its result. */
pid_t test_fork(int (*child)(void *), void *argument);
int test_wait_exit(pid_t pid); /* exit code; 128 + signal when killed */
void test_kill(pid_t pid);     /* SIGKILL, and waits for it */

#endif
