/* Mutex, semaphore, event: who has it, who waits, who died with it. */
#define _GNU_SOURCE
#include "sync_parts.h"

/* ---- layout ------------------------------------------------------------------------------------------ */

TEST(the_bodies_are_section_12)
{
    CHECK_EQUAL(4, offsetof(ipc_sync_body, parameter));
    CHECK_EQUAL(128, offsetof(ipc_sync_body, word));
    CHECK_EQUAL(256, offsetof(ipc_sync_body, waiter));
    const uint32_t magics[3] = {IPC_MUTEX_MAGIC, IPC_SEMAPHORE_MAGIC, IPC_EVENT_MAGIC};
    CHECK(memcmp("MUTXSEMAEVNT", magics, 12) == 0);
    static const ipc_sync_options set_manual = {.manual_reset = true, .initially_set = true, .permits = 3};
    ipc_shared_mutex *m = mutex(NULL);
    ipc_shared_semaphore *s = semaphore(&set_manual);
    ipc_shared_event *e = event(&set_manual);
    CHECK_EQUAL(33792, inside(m)->place.region->geometry.body_offset); /* 256 participants */
    CHECK_EQUAL(36864, inside(m)->place.region->geometry.total_size);
    CHECK_EQUAL(3, *(const uint32_t *)(const void *)((const uint8_t *)inside(s)->body + 4));
    CHECK_EQUAL(512, (const uint8_t *)inside(s)->table - (const uint8_t *)inside(s)->body);
    CHECK_EQUAL(1, *(const uint32_t *)(const void *)((const uint8_t *)inside(e)->body + 4));
    CHECK_EQUAL(1, *(const uint32_t *)(const void *)((const uint8_t *)inside(e)->body + 128));
    ipc_shared_mutex_close(m);
    ipc_shared_semaphore_close(s);
    ipc_shared_event_close(e);
}

/* ---- mutex ------------------------------------------------------------------------------------------- */

TEST(a_mutex_has_one_owner)
{
    ipc_shared_mutex *a = mutex(NULL);
    ipc_shared_mutex *b = mutex(NULL);
    CHECK_STATUS(IPC_E_INVALID_STATE, ipc_shared_mutex_release(a));
    CHECK_OK(ipc_shared_mutex_acquire(a, IPC_NOW, NULL));
    CHECK_STATUS(IPC_TIMEOUT, ipc_shared_mutex_acquire(b, IPC_NOW, NULL));
    CHECK_STATUS(IPC_TIMEOUT, ipc_shared_mutex_acquire(b, ipc_deadline_after(1000000), NULL));
    CHECK_STATUS(IPC_TIMEOUT, ipc_shared_mutex_acquire(a, IPC_NOW, NULL)); /* not twice */
    CHECK_STATUS(IPC_E_INVALID_STATE, ipc_shared_mutex_release(b));
    CHECK_OK(ipc_shared_mutex_release(a));
    CHECK_STATUS(IPC_E_INVALID_STATE, ipc_shared_mutex_release(a));
    CHECK_OK(ipc_shared_mutex_acquire(b, IPC_NOW, NULL));
    CHECK_OK(ipc_shared_mutex_release(b));
    ipc_shared_mutex_close(a);
    ipc_shared_mutex_close(b);
}

TEST(closing_with_the_mutex_abandons_it_once)
{
    ipc_shared_mutex *a = mutex(NULL);
    ipc_shared_mutex *b = mutex(NULL);
    CHECK_OK(ipc_shared_mutex_acquire(a, IPC_NOW, NULL));
    ipc_shared_mutex_close(a);
    CHECK_STATUS(IPC_ABANDONED, ipc_shared_mutex_acquire(b, IPC_NOW, NULL));
    CHECK_OK(ipc_shared_mutex_release(b));
    CHECK_OK(ipc_shared_mutex_acquire(b, IPC_NOW, NULL));
    CHECK_OK(ipc_shared_mutex_release(b));
    ipc_shared_mutex_close(b);
}

typedef struct counted {
    ipc_shared_mutex *shared;
    ipc_shared_semaphore *permits;
    uint64_t number; /* guarded by the mutex, not atomic: for the threads of one object */
    _Atomic int within;
    _Atomic int most;
} counted;

static void *count_up(void *argument)
{
    counted *all = argument;
    for (int i = 0; i < 2000; i++) {
        CHECK_OK(ipc_shared_mutex_acquire(all->shared, SOON, NULL));
        CHECK_EQUAL(1, ++all->within);
        all->number++;
        --all->within;
        CHECK_OK(ipc_shared_mutex_release(all->shared));
    }
    return NULL;
}

static void *count_up_by_another(void *argument)
{
    counted *all = argument;
    ipc_shared_mutex *own = mutex(NULL);
    for (int i = 0; i < 2000; i++) {
        CHECK_OK(ipc_shared_mutex_acquire(own, SOON, NULL));
        CHECK_EQUAL(1, ++all->within);
        --all->within;
        CHECK_OK(ipc_shared_mutex_release(own));
    }
    ipc_shared_mutex_close(own);
    return NULL;
}

TEST(many_threads_and_objects_exclude_each_other)
{
    counted all = {.shared = mutex(NULL)};
    test_thread threads[6];
    for (int i = 0; i < 6; i++)
        test_thread_start(&threads[i], i % 2 == 0 ? count_up : count_up_by_another, &all);
    for (int i = 0; i < 6; i++)
        test_thread_join(&threads[i]);
    CHECK_EQUAL(6000, all.number);
    ipc_shared_mutex_close(all.shared);
}

/* Nothing is to be had: every way out of a wait. */
static void end_waits(void *object, ipc_status (*call)(void *, ipc_deadline, ipc_cancel *), void (*stop)(void *),
                      void (*resume)(void *), void (*close)(void *))
{
    test_thread thread;
    waiting one = {.object = object, .call = call};
    test_thread_start(&thread, wait_for_it, &one);
    WAIT_FOR(sleeps(object));
    stop(object);
    test_thread_join(&thread);
    CHECK_EQUAL(IPC_STOPPED, one.result);
    CHECK_STATUS(IPC_STOPPED, call(object, SOON, NULL));
    resume(object);
    CHECK_STATUS(IPC_TIMEOUT, call(object, ipc_deadline_after(2000000), NULL));

    CHECK_OK(ipc_cancel_create(&one.cancel));
    test_thread_start(&thread, wait_for_it, &one);
    WAIT_FOR(sleeps(object));
    ipc_cancel_trigger(one.cancel);
    test_thread_join(&thread);
    CHECK_EQUAL(IPC_CANCELLED, one.result);
    ipc_cancel_destroy(one.cancel);
    one.cancel = NULL;

    test_thread_start(&thread, wait_for_it, &one);
    WAIT_FOR(sleeps(object));
    close(object);
    test_thread_join(&thread);
    CHECK_EQUAL(IPC_CLOSED, one.result);
}

static void stop_mutex(void *object)
{
    ipc_shared_mutex_stop(object);
}

static void resume_mutex(void *object)
{
    ipc_shared_mutex_resume(object);
}

static void close_mutex(void *object)
{
    ipc_shared_mutex_close(object);
}

static void stop_semaphore(void *object)
{
    ipc_shared_semaphore_stop(object);
}

static void resume_semaphore(void *object)
{
    ipc_shared_semaphore_resume(object);
}

static void close_semaphore(void *object)
{
    ipc_shared_semaphore_close(object);
}

static void stop_event(void *object)
{
    ipc_shared_event_stop(object);
}

static void resume_event(void *object)
{
    ipc_shared_event_resume(object);
}

static void close_event(void *object)
{
    ipc_shared_event_close(object);
}

TEST(waits_end_by_stop_cancel_and_close)
{
    static const ipc_sync_options asleep = {.wait_mode = IPC_WAIT_BLOCK};
    ipc_shared_mutex *m = mutex(NULL);
    ipc_shared_semaphore *s = semaphore(NULL);
    CHECK_OK(ipc_shared_mutex_acquire(m, IPC_NOW, NULL));
    CHECK_OK(ipc_shared_semaphore_acquire(s, IPC_NOW, NULL));
    end_waits(mutex(&asleep), acquire_mutex, stop_mutex, resume_mutex, close_mutex);
    end_waits(semaphore(&asleep), acquire_permit, stop_semaphore, resume_semaphore, close_semaphore);
    end_waits(event(&asleep), wait_for_event, stop_event, resume_event, close_event);
    CHECK_OK(ipc_shared_mutex_release(m));
    CHECK_OK(ipc_shared_semaphore_release(s));
    ipc_shared_mutex_close(m);
    ipc_shared_semaphore_close(s);
}

TEST(a_release_wakes_a_sleeper)
{
    static const ipc_sync_options asleep = {.wait_mode = IPC_WAIT_BLOCK};
    ipc_shared_mutex *holder = mutex(NULL);
    waiting one = {.object = mutex(&asleep), .call = acquire_mutex};
    test_thread thread;
    CHECK_OK(ipc_shared_mutex_acquire(holder, IPC_NOW, NULL));
    test_thread_start(&thread, wait_for_it, &one);
    WAIT_FOR(sleeps(one.object));
    CHECK_OK(ipc_shared_mutex_release(holder));
    test_thread_join(&thread);
    CHECK_EQUAL(IPC_OK, one.result);
    CHECK_OK(ipc_shared_mutex_release(one.object));
    ipc_shared_mutex_close(one.object);
    ipc_shared_mutex_close(holder);
}

/* ---- semaphore --------------------------------------------------------------------------------------- */

TEST(a_semaphore_has_so_many_permits)
{
    static const ipc_sync_options five = {.permits = 5};
    static const ipc_sync_options too_many = {.permits = 4097};
    ipc_shared_semaphore *a = semaphore(&five);
    ipc_shared_semaphore *b = semaphore(NULL); /* the creator has chosen */
    ipc_shared_semaphore *none = NULL;
    CHECK_EQUAL(5, ipc_shared_semaphore_permits(b));
    CHECK_STATUS(IPC_E_INVALID_ARGUMENT, ipc_shared_semaphore_open("s", &too_many, &none));
    for (int i = 0; i < 3; i++)
        CHECK_OK(ipc_shared_semaphore_acquire(a, IPC_NOW, NULL));
    for (int i = 0; i < 2; i++)
        CHECK_OK(ipc_shared_semaphore_acquire(b, IPC_NOW, NULL));
    CHECK_EQUAL(0, ipc_shared_semaphore_available(a));
    CHECK_STATUS(IPC_TIMEOUT, ipc_shared_semaphore_acquire(b, ipc_deadline_after(1000000), NULL));
    for (int i = 0; i < 2; i++)
        CHECK_OK(ipc_shared_semaphore_release(b));
    CHECK_STATUS(IPC_E_INVALID_STATE, ipc_shared_semaphore_release(b)); /* the others are a's */
    CHECK_EQUAL(2, ipc_shared_semaphore_available(b));
    ipc_shared_semaphore_close(a); /* three come back, as abandoned */
    CHECK_EQUAL(5, ipc_shared_semaphore_available(b));
    for (int i = 0; i < 5; i++)
        CHECK_STATUS(i < 3 ? IPC_ABANDONED : IPC_OK, ipc_shared_semaphore_acquire(b, IPC_NOW, NULL));
    for (int i = 0; i < 5; i++)
        CHECK_OK(ipc_shared_semaphore_release(b));
    ipc_shared_semaphore_close(b);
}

static void *come_and_go(void *argument)
{
    counted *all = argument;
    for (int i = 0; i < 1000; i++) {
        CHECK_OK(ipc_shared_semaphore_acquire(all->permits, SOON, NULL));
        const int within = ++all->within;
        int most = all->most;
        while (within > most && !atomic_compare_exchange_strong(&all->most, &most, within))
            ;
        --all->within;
        CHECK_OK(ipc_shared_semaphore_release(all->permits));
    }
    return NULL;
}

TEST(never_more_are_in_than_there_are_permits)
{
    counted all = {.permits = semaphore(&(ipc_sync_options){.permits = 3})};
    test_thread threads[6];
    for (int i = 0; i < 6; i++)
        test_thread_start(&threads[i], come_and_go, &all);
    for (int i = 0; i < 6; i++)
        test_thread_join(&threads[i]);
    CHECK(all.most >= 1 && all.most <= 3);
    CHECK_EQUAL(3, ipc_shared_semaphore_available(all.permits));
    ipc_shared_semaphore_close(all.permits);
}

/* One at a time of many places: whoever releases looks for its own while those of the others move. */
static void *release_among_others(void *argument)
{
    counted *all = argument;
    for (int i = 0; i < 30000; i++) {
        CHECK_OK(ipc_shared_semaphore_acquire(all->permits, SOON, NULL));
        CHECK_OK(ipc_shared_semaphore_release(all->permits));
    }
    return NULL;
}

TEST(who_has_a_permit_can_release_it_while_others_move)
{
    counted all = {.permits = semaphore(&(ipc_sync_options){.permits = 5})};
    test_thread threads[4];
    for (int i = 0; i < 4; i++)
        test_thread_start(&threads[i], release_among_others, &all);
    for (int i = 0; i < 4; i++)
        test_thread_join(&threads[i]);
    CHECK_EQUAL(5, ipc_shared_semaphore_available(all.permits));
    CHECK_STATUS(IPC_E_INVALID_STATE, ipc_shared_semaphore_release(all.permits));
    ipc_shared_semaphore_close(all.permits);
}

/* ---- event ------------------------------------------------------------------------------------------- */

TEST(an_event_lets_one_pass_or_all_until_the_reset)
{
    static const ipc_sync_options manual = {.manual_reset = true};
    ipc_shared_event *one = event(NULL);
    CHECK(!ipc_shared_event_is_manual_reset(one));
    CHECK_STATUS(IPC_TIMEOUT, ipc_shared_event_wait(one, IPC_NOW, NULL));
    ipc_shared_event_set(one);
    ipc_shared_event_set(one); /* no more than once */
    CHECK_OK(ipc_shared_event_wait(one, IPC_NOW, NULL));
    CHECK_STATUS(IPC_TIMEOUT, ipc_shared_event_wait(one, IPC_NOW, NULL));
    ipc_shared_event_set(one);
    ipc_shared_event_reset(one);
    CHECK_STATUS(IPC_TIMEOUT, ipc_shared_event_wait(one, IPC_NOW, NULL));
    ipc_shared_event_close(one);

    ipc_shared_event *all = event(&manual);
    ipc_shared_event *other = event(NULL); /* the creator has chosen */
    CHECK(ipc_shared_event_is_manual_reset(other));
    ipc_shared_event_set(all);
    for (int i = 0; i < 3; i++)
        CHECK_OK(ipc_shared_event_wait(other, IPC_NOW, NULL));
    ipc_shared_event_reset(other);
    CHECK_STATUS(IPC_TIMEOUT, ipc_shared_event_wait(all, IPC_NOW, NULL));
    ipc_shared_event_close(all);
    ipc_shared_event_close(other);
}

TEST(each_set_lets_exactly_one_of_many_pass)
{
    static const ipc_sync_options asleep = {.wait_mode = IPC_WAIT_BLOCK};
    ipc_shared_event *shared = event(&asleep);
    waiting ones[5];
    test_thread threads[5];
    for (int i = 0; i < 5; i++) {
        ones[i] = (waiting){.object = shared, .call = wait_for_event, .result = 99};
        test_thread_start(&threads[i], wait_for_it, &ones[i]);
    }
    for (int set = 1; set <= 5; set++) {
        ipc_shared_event_set(shared);
        int passed;
        do {
            passed = 0;
            for (int i = 0; i < 5; i++)
                passed += ones[i].result == IPC_OK;
            test_yield();
        } while (passed < set);
        CHECK_EQUAL(set, passed);
    }
    for (int i = 0; i < 5; i++)
        test_thread_join(&threads[i]);
    ipc_shared_event_close(shared);
}

/* ---- a fork ----------------------------------------------------------------------------------------- */

#ifndef _WIN32
static int use_after_fork(void *object)
{
    return ipc_shared_mutex_acquire(object, IPC_NOW, NULL) == IPC_CLOSED &&
                   ipc_shared_mutex_release(object) == IPC_E_INVALID_STATE
               ? 0
               : 1;
}

POSIX_TEST(a_forked_child_holds_nothing)
{
    ipc_shared_mutex *m = mutex(NULL);
    CHECK_OK(ipc_shared_mutex_acquire(m, IPC_NOW, NULL));
    CHECK_EQUAL(0, test_wait_exit(test_fork(use_after_fork, m, 0)));
    CHECK_OK(ipc_shared_mutex_release(m));
    ipc_shared_mutex_close(m);
}
#endif

/* ---- hostile bytes, and other kinds ------------------------------------------------------------------ */

TEST(bodies_are_checked_and_words_of_nobody_taken_back)
{
    ipc_shared_mutex *m = mutex(NULL);
    ipc_shared_mutex *second = NULL;
    ipc_sync_body *body = inside(m)->body;
    body->magic ^= 1;
    CHECK_STATUS(IPC_E_CORRUPT, ipc_shared_mutex_open("m", NULL, &second));
    body->magic ^= 1;
    static const uint32_t owners[] = {0x7FFFFFFF, 0xFFFFFFFF, 257, 200, 0x80000001};
    for (size_t i = 0; i < sizeof owners / sizeof owners[0]; i++) {
        ipc_store_relaxed32(&body->word, owners[i]);
        CHECK_STATUS(IPC_TIMEOUT, ipc_shared_mutex_acquire(m, IPC_NOW, NULL));
        CHECK_STATUS(IPC_E_INVALID_STATE, ipc_shared_mutex_release(m));
        second = mutex(NULL); /* who joins takes back what is held by nobody */
        CHECK_STATUS(IPC_ABANDONED, ipc_shared_mutex_acquire(m, IPC_NOW, NULL));
        CHECK_OK(ipc_shared_mutex_release(m));
        ipc_shared_mutex_close(second);
    }
    ipc_shared_mutex_close(m);

    ipc_shared_semaphore *s = semaphore(&(ipc_sync_options){.permits = 2});
    ipc_shared_semaphore *other = NULL;
    static const uint32_t permits[] = {0, 4097, 4096, UINT32_MAX};
    for (size_t i = 0; i < sizeof permits / sizeof permits[0]; i++) {
        inside(s)->body->parameter = permits[i];
        CHECK_STATUS(IPC_E_CORRUPT, ipc_shared_semaphore_open("s", NULL, &other));
    }
    CHECK_EQUAL(2, ipc_shared_semaphore_permits(s)); /* what was checked once */
    inside(s)->body->parameter = 2;
    ipc_store_relaxed32(&inside(s)->table[0], UINT32_MAX);
    ipc_store_relaxed32(&inside(s)->table[1], 77);
    CHECK_STATUS(IPC_TIMEOUT, ipc_shared_semaphore_acquire(s, IPC_NOW, NULL));
    other = semaphore(NULL);
    CHECK_EQUAL(2, ipc_shared_semaphore_available(s));
    ipc_shared_semaphore_close(other);
    ipc_shared_semaphore_close(s);

    ipc_shared_event *e = event(NULL);
    inside(e)->body->parameter = 2;
    ipc_shared_event *another = NULL;
    CHECK_STATUS(IPC_E_CORRUPT, ipc_shared_event_open("e", NULL, &another));
    ipc_store_relaxed32(&inside(e)->body->word, 7);
    CHECK_STATUS(IPC_TIMEOUT, ipc_shared_event_wait(e, IPC_NOW, NULL)); /* neither set nor a crash */
    ipc_shared_event_close(e);
}

TEST(another_kind_of_that_name_is_refused)
{
    ipc_shared_mutex *m = mutex(NULL);
    ipc_shared_event *e = NULL;
    ipc_ring_writer *writer = NULL;
    CHECK_STATUS(IPC_E_WRONG_KIND, ipc_shared_event_open("m", NULL, &e));
    check_error_says("mutex");
    CHECK_STATUS(IPC_E_WRONG_KIND, ipc_ring_writer_open("m", NULL, &writer));
    ipc_shared_mutex_close(m);
    CHECK_STATUS(IPC_E_NOT_FOUND, ipc_shared_mutex_open("m", &(ipc_sync_options){.open_mode = IPC_OPEN_EXISTING}, &m));
}
