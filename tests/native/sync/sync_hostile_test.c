/* A mutex, a semaphore and an event whose bytes were written by somebody hostile: every call returns, and none leaves
   the mapping. (Word by word, in both languages: tests/Ipc.Interop.Tests/HostileSyncTests.cs.) */
#include "hostile.h"
#include "sync_parts.h"

enum { PERMITS = 5 };

static uint32_t some_word(uint64_t *random)
{
    static const uint32_t words[] = {0, 1, 2, 3, 255, 256, 257, 4097, 0x7FFFFFFF, 0x80000000, 0x80000001, UINT32_MAX};
    const uint64_t chosen = next_random(random) % 16;
    return chosen < sizeof words / sizeof words[0] ? words[chosen] : (uint32_t)next_random(random);
}

/* The body, the table behind it, and what is behind that: all that the region has. */
static void scribble(const ipc_sync *sync, uint64_t *random)
{
    const ipc_region *region = sync->place.region;
    const uint64_t most = next_random(random) % 4 == 0 ? region->geometry.body_size : IPC_SEMAPHORE_TABLE + 4 * PERMITS;
    for (uint64_t count = 1 + next_random(random) % 8; count > 0; count--) {
        uint8_t *place = region->base + region->geometry.body_offset + next_random(random) % (most / 4) * 4;
        ipc_store_relaxed32((ipc_atomic32 *)(void *)place, some_word(random));
    }
}

static void expect_sane(ipc_status status)
{
    CHECK(status == IPC_OK || status == IPC_ABANDONED || status == IPC_TIMEOUT || status == IPC_E_CORRUPT ||
          status == IPC_E_INVALID_STATE);
}

typedef ipc_status (*wait_call)(void *object, ipc_deadline deadline, ipc_cancel *cancel);

static void wait_for(void *object, wait_call call, uint64_t *random)
{
    expect_sane(call(object, next_random(random) % 2 == 0 ? IPC_NOW : ipc_deadline_after(50000), NULL));
}

static const ipc_sync_options *options_of(uint64_t *random)
{
    static const ipc_sync_options options[] = {{.permits = PERMITS},
                                               {.permits = PERMITS, .wait_mode = IPC_WAIT_BLOCK},
                                               {.permits = PERMITS, .manual_reset = true}};
    return &options[next_random(random) % 3];
}

static void rounds_of(void (*round)(uint64_t *random))
{
    const int rounds = test_is_long() ? 20000 : 200;
    for (int i = 0; i < rounds; i++) {
        uint64_t random = 0x9E3779B97F4A7C15ull * (uint64_t)(i + 1);
        round(&random);
    }
}

static void mutex_round(uint64_t *random)
{
    ipc_shared_mutex *m = mutex(options_of(random));
    for (int step = 0; step < 20; step++) {
        ipc_shared_mutex *other = NULL;
        scribble(inside(m), random);
        const ipc_status opened = ipc_shared_mutex_open("m", options_of(random), &other);
        expect_sane(opened);
        if (opened == IPC_OK) {
            wait_for(other, acquire_mutex, random);
            scribble(inside(m), random);
            expect_sane(ipc_shared_mutex_release(other));
            wait_for(m, acquire_mutex, random);
            ipc_shared_mutex_close(other);
        }
        expect_sane(ipc_shared_mutex_release(m));
        inside(m)->body->magic = IPC_MUTEX_MAGIC; /* else nobody would come any more */
    }
    ipc_shared_mutex_close(m);
}

TEST(whatever_stands_in_a_mutex_every_call_returns)
{
    rounds_of(mutex_round);
}

static void semaphore_round(uint64_t *random)
{
    ipc_shared_semaphore *s = semaphore(options_of(random));
    for (int step = 0; step < 20; step++) {
        ipc_shared_semaphore *other = NULL;
        scribble(inside(s), random);
        const ipc_status opened = ipc_shared_semaphore_open("s", options_of(random), &other);
        expect_sane(opened);
        if (opened == IPC_OK) {
            wait_for(other, acquire_permit, random);
            CHECK(ipc_shared_semaphore_available(other) <= ipc_shared_semaphore_permits(other));
            scribble(inside(s), random);
            expect_sane(ipc_shared_semaphore_release(other));
            wait_for(s, acquire_permit, random);
            ipc_shared_semaphore_close(other);
        }
        expect_sane(ipc_shared_semaphore_release(s));
        CHECK_EQUAL(PERMITS, ipc_shared_semaphore_permits(s)); /* checked once, and never read again */
        inside(s)->body->magic = IPC_SEMAPHORE_MAGIC;
        inside(s)->body->parameter = next_random(random) % 4 == 0 ? 1 : PERMITS;
    }
    ipc_shared_semaphore_close(s);
}

TEST(whatever_stands_in_a_semaphore_every_call_returns)
{
    rounds_of(semaphore_round);
}

static void event_round(uint64_t *random)
{
    ipc_shared_event *e = event(options_of(random));
    for (int step = 0; step < 20; step++) {
        ipc_shared_event *other = NULL;
        scribble(inside(e), random);
        const ipc_status opened = ipc_shared_event_open("e", options_of(random), &other);
        expect_sane(opened);
        if (opened == IPC_OK) {
            wait_for(other, wait_for_event, random);
            scribble(inside(e), random);
            ipc_shared_event_set(other);
            wait_for(e, wait_for_event, random);
            ipc_shared_event_close(other);
        }
        ipc_shared_event_reset(e);
        inside(e)->body->magic = IPC_EVENT_MAGIC;
        inside(e)->body->parameter = 0;
    }
    ipc_shared_event_close(e);
}

TEST(whatever_stands_in_an_event_every_call_returns)
{
    rounds_of(event_round);
}

TEST(what_is_put_right_works_again)
{
    uint64_t random = 88172645463325252ull;
    ipc_shared_mutex *m = mutex(NULL);
    ipc_shared_semaphore *s = semaphore(&(ipc_sync_options){.permits = PERMITS});
    const ipc_sync_body mutex_before = *inside(m)->body, semaphore_before = *inside(s)->body;
    for (int step = 0; step < 500; step++) {
        scribble(inside(m), &random);
        scribble(inside(s), &random);
        wait_for(m, acquire_mutex, &random);
        wait_for(s, acquire_permit, &random);
        *inside(m)->body = mutex_before;
        *inside(s)->body = semaphore_before;
        memset((void *)(uintptr_t)inside(s)->table, 0, 4 * PERMITS);
        CHECK_OK(ipc_shared_mutex_acquire(m, IPC_NOW, NULL));
        CHECK_OK(ipc_shared_mutex_release(m));
        for (int i = 0; i < PERMITS; i++)
            CHECK_OK(ipc_shared_semaphore_acquire(s, IPC_NOW, NULL));
        CHECK_STATUS(IPC_TIMEOUT, ipc_shared_semaphore_acquire(s, IPC_NOW, NULL));
        for (int i = 0; i < PERMITS; i++)
            CHECK_OK(ipc_shared_semaphore_release(s));
    }
    ipc_shared_mutex_close(m);
    ipc_shared_semaphore_close(s);
}
