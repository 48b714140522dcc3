/* Time, sleeping, fences on Windows (docs/wire-format/windows.md sections 5 to 7). */
#include "platform/windows_places.h"

#include <bcrypt.h>
#include <stdlib.h>

#define NS_PER_MS 1000000u

uint64_t ipc_platform_now(void)
{
    static uint64_t frequency; /* of ticks; it never changes, so it does not matter who writes it */
    LARGE_INTEGER ticks;
    if (frequency == 0) {
        LARGE_INTEGER asked;
        (void)QueryPerformanceFrequency(&asked);
        frequency = (uint64_t)asked.QuadPart;
    }
    (void)QueryPerformanceCounter(&ticks);
    const uint64_t now = (uint64_t)ticks.QuadPart;
    return now / frequency * 1000000000u + now % frequency * 1000000000u / frequency;
}

uint32_t ipc_platform_processor(void)
{
    PROCESSOR_NUMBER number;
    GetCurrentProcessorNumberEx(&number);
    return number.Group * 64u + number.Number;
}

uint64_t ipc_platform_unix_time(void)
{
    FILETIME time;
    GetSystemTimePreciseAsFileTime(&time);
    const uint64_t since_1601 = (uint64_t)time.dwHighDateTime << 32 | time.dwLowDateTime;
    return (since_1601 - 116444736000000000u) * 100;
}

/* In whole ms, not less than there are. */
static DWORD time_left(ipc_deadline deadline)
{
    if (deadline == IPC_FOREVER)
        return INFINITE;
    const uint64_t now = ipc_platform_now();
    const uint64_t left = deadline <= now ? 0 : (deadline - now - 1) / NS_PER_MS + 1;
    return left < INFINITE - 1 ? (DWORD)left : INFINITE - 1;
}

/* On a word of this process alone. A pause that is shorter than the system's clock ticks is no sleep. */
static void wait_here(ipc_atomic32 *word, uint32_t expected, ipc_deadline deadline)
{
    const DWORD left = time_left(deadline);
    if (left <= 1)
        ipc_platform_yield();
    else
        (void)WaitOnAddress(word, &expected, sizeof expected, left);
}

void ipc_platform_futex_wait(ipc_atomic32 *word, ipc_atomic64 *asleep, uint32_t expected, ipc_deadline deadline)
{
    HANDLE event = NULL;
    bool known = false;
    const uint32_t place = ipc_windows_place_take(word, &event, &known);
    if (!known) {
        wait_here(word, expected, deadline);
        return;
    }
    if (place == IPC_NO_PLACE) { /* more threads than places: look again soon */
        Sleep(1);
        return;
    }
    const uint64_t bit = 1ull << place % 64;
    (void)ipc_or64(&asleep[place / 64], bit); /* [signal] */
    if (ipc_load_acquire32(word) == expected) /* [signal] */
        (void)WaitForSingleObject(event, time_left(deadline));
    (void)ipc_and64(&asleep[place / 64], ~bit);
    ipc_windows_place_return(word, place);
}

void ipc_platform_futex_wake(ipc_atomic32 *word, ipc_atomic64 *asleep)
{
    ipc_full_fence(); /* [signal] after the change of the word */
    if (!ipc_windows_places_wake(word, asleep))
        WakeByAddressAll(word);
}

uint32_t ipc_platform_sleep_words(void)
{
    return 1;
}

void ipc_platform_futex_wait_any(const ipc_sleep_word *words, uint32_t count, ipc_deadline deadline)
{
    (void)count; /* never more than that */
    ipc_platform_futex_wait(words[0].word, words[0].asleep, words[0].expected, deadline);
}

bool ipc_platform_barrier_register(void)
{
    return false; /* what Windows has fences this process alone */
}

bool ipc_platform_barrier(void)
{
    return false;
}

bool ipc_platform_barrier_here(void)
{
    FlushProcessWriteBuffers();
    return true;
}

void ipc_platform_yield(void)
{
    if (!SwitchToThread())
        Sleep(0);
}

void ipc_platform_random(void *buffer, size_t length)
{
    if (BCryptGenRandom(NULL, buffer, (ULONG)length, BCRYPT_USE_SYSTEM_PREFERRED_RNG) != 0)
        abort(); /* it fails on no system that works */
}

bool ipc_platform_has_one_processor(void)
{
    return GetActiveProcessorCount(ALL_PROCESSOR_GROUPS) == 1;
}
