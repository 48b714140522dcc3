/* Time, futex, membarrier on Linux. */
#define _GNU_SOURCE
#include "platform/platform.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static uint64_t nanoseconds(clockid_t clock)
{
    struct timespec now;
    (void)clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t ipc_platform_now(void)
{
    return nanoseconds(CLOCK_MONOTONIC);
}

uint32_t ipc_platform_processor(void)
{
    const int processor = sched_getcpu();
    return processor < 0 ? UINT32_MAX - 1 : (uint32_t)processor;
}

uint64_t ipc_platform_unix_time(void)
{
    return nanoseconds(CLOCK_REALTIME);
}

/* As the kernel has it, whatever time_t is: the call of 32 bits that SYS_futex names reads seconds of 32 bits, and with
   more of them the upper half as nanoseconds. Its successor is there since 5.1; before, such a wait does not sleep. */
typedef struct kernel_time {
    int64_t seconds;
    int64_t nanoseconds;
} kernel_time;

#ifdef SYS_futex_time64
#define FUTEX_UNTIL SYS_futex_time64
#else
#define FUTEX_UNTIL SYS_futex
#endif

/* NULL: for ever. */
static kernel_time *limit_of(ipc_deadline deadline, kernel_time *until)
{
    const uint64_t seconds = deadline / 1000000000u;
    if (deadline == IPC_FOREVER || seconds > INT32_MAX) /* later than 68 years after boot is never */
        return NULL;
    until->seconds = (int64_t)seconds;
    until->nanoseconds = (int64_t)(deadline % 1000000000u);
    return until;
}

void ipc_platform_futex_wait(ipc_atomic32 *word, ipc_atomic64 *asleep, uint32_t expected, ipc_deadline deadline)
{
    (void)asleep; /* the kernel knows */
    kernel_time until;
    const kernel_time *limit = limit_of(deadline, &until);
    /* Shared, not private; absolute CLOCK_MONOTONIC. EAGAIN, EINTR and ETIMEDOUT all mean: let the caller look. */
    (void)syscall(FUTEX_UNTIL, word, FUTEX_WAIT_BITSET, expected, limit, NULL, FUTEX_BITSET_MATCH_ANY);
}

void ipc_platform_futex_wake(ipc_atomic32 *word, ipc_atomic64 *asleep)
{
    (void)asleep;
    (void)syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

#ifndef SYS_futex_waitv
#define SYS_futex_waitv 449
#endif
#define WORD_OF_32_BITS 2u

/* As the kernel has it since 5.16; its headers may be older. */
struct sleeper {
    uint64_t value;
    uint64_t word;
    uint32_t flags;
    uint32_t reserved;
};

uint32_t ipc_platform_sleep_words(void)
{
    static ipc_atomic32 known;
    uint32_t words = ipc_load_relaxed32(&known);
    if (words == 0) {
        /* Of no words it says that they are too few, where it exists and may be called. */
        (void)syscall(SYS_futex_waitv, NULL, 0, 0, NULL, CLOCK_MONOTONIC);
        words = errno == EINVAL ? IPC_SLEEP_WORDS_MAX : 1;
        ipc_store_relaxed32(&known, words);
    }
    return words;
}

void ipc_platform_futex_wait_any(const ipc_sleep_word *words, uint32_t count, ipc_deadline deadline)
{
    struct sleeper sleepers[IPC_SLEEP_WORDS_MAX];
    kernel_time until;
    if (count == 1) {
        ipc_platform_futex_wait(words[0].word, words[0].asleep, words[0].expected, deadline);
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct sleeper one = {words[i].expected, (uint64_t)(uintptr_t)words[i].word, WORD_OF_32_BITS, 0};
        sleepers[i] = one;
    }
    (void)syscall(SYS_futex_waitv, sleepers, count, 0, limit_of(deadline, &until), CLOCK_MONOTONIC);
}

bool ipc_platform_barrier_register(void)
{
    return syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED, 0, 0) == 0;
}

bool ipc_platform_barrier(void)
{
    return syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL_EXPEDITED, 0, 0) == 0;
}

bool ipc_platform_barrier_here(void)
{
    return false; /* whose membarrier works is registered */
}

void ipc_platform_yield(void)
{
    (void)sched_yield();
}

void ipc_platform_random(void *buffer, size_t length)
{
    size_t done = 0;
    while (done < length) {
        ssize_t count = getrandom((char *)buffer + done, length - done, 0);
        if (count > 0)
            done += (size_t)count;
        else if (errno != EINTR)
            abort(); /* getrandom of a few bytes fails on no kernel that has it */
    }
}

/* A list such as "0" or "0-3,6". sysconf would do, but in some C libraries it counts what this thread may use. */
static bool has_one_processor(void)
{
    char list[64];
    const int file = open("/sys/devices/system/cpu/online", O_RDONLY | O_CLOEXEC);
    const ssize_t length = file < 0 ? -1 : read(file, list, sizeof list);
    if (file >= 0)
        (void)close(file);
    if (length <= 0)
        return sysconf(_SC_NPROCESSORS_ONLN) == 1;
    return memchr(list, '-', (size_t)length) == NULL && memchr(list, ',', (size_t)length) == NULL;
}

bool ipc_platform_has_one_processor(void)
{
    enum { UNKNOWN, ONE, MORE };
    static ipc_atomic32 known;
    uint32_t answer = ipc_load_relaxed32(&known);
    if (answer == UNKNOWN) {
        answer = has_one_processor() ? ONE : MORE;
        ipc_store_relaxed32(&known, answer);
    }
    return answer == ONE;
}
