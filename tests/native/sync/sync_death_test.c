/* Mutex, semaphore, event: who dies with them, and between any two steps. A child inherits the fault point that its
   parent has looked up, or not found: the cases that kill by one open nothing before they fork. */
#define _GNU_SOURCE
#include "ignore.h"
#include "sync_parts.h"

#include <signal.h>

static const ipc_sync_options lasting = {.lifetime = IPC_LIFETIME_PERSISTENT, .permits = 3};

static int ends[2];

static void tell(const char *what)
{
    CHECK(write(ends[1], what, 1) == 1);
}

static void hear(char what)
{
    char heard = 0;
    CHECK(read(ends[0], &heard, 1) == 1);
    CHECK_EQUAL(what, heard);
}

/* All of it once, in a process that a fault point kills. */
static int go_through(void *fault)
{
    static const ipc_sync_options options = {.lifetime = IPC_LIFETIME_PERSISTENT, .permits = 3, .wait_mode = IPC_WAIT_BLOCK};
    (void)setenv("IPC_FAULT", fault, 1);
    ipc_shared_mutex *m = mutex(&options);
    ipc_shared_semaphore *s = semaphore(&options);
    ipc_shared_event *e = event(&options);
    ignore(ipc_shared_mutex_acquire(m, SOON, NULL));
    (void)ipc_shared_mutex_release(m);
    ignore(ipc_shared_semaphore_acquire(s, SOON, NULL));
    (void)ipc_shared_semaphore_release(s);
    ipc_shared_event_set(e);
    ignore(ipc_shared_event_wait(e, SOON, NULL));
    return 0;
}

/* In a process of its own: a child inherits the fault point that its parent has looked up, or not found. */
static int dies_at(void *fault)
{
    CHECK_EQUAL(128 + SIGKILL, test_wait_exit(test_fork(go_through, fault)));
    ipc_shared_mutex *m = mutex(&lasting);
    ipc_shared_semaphore *s = semaphore(&lasting);
    ipc_shared_event *e = event(&lasting);
    const bool held_mutex = strcmp(fault, "mutex.acquire.owned") == 0 || strcmp(fault, "mutex.release.before") == 0;
    const bool held_permit = strcmp(fault, "semaphore.acquire.taken") == 0;
    CHECK_STATUS(held_mutex ? IPC_ABANDONED : IPC_OK, ipc_shared_mutex_acquire(m, IPC_NOW, NULL));
    CHECK_EQUAL(3, ipc_shared_semaphore_available(s));
    CHECK_STATUS(held_permit ? IPC_ABANDONED : IPC_OK, ipc_shared_semaphore_acquire(s, IPC_NOW, NULL));
    CHECK_OK(ipc_shared_semaphore_acquire(s, IPC_NOW, NULL));
    CHECK_STATUS(strcmp(fault, "event.set.after") == 0 ? IPC_OK : IPC_TIMEOUT, ipc_shared_event_wait(e, IPC_NOW, NULL));
    CHECK_OK(ipc_shared_mutex_release(m));
    ipc_shared_mutex_close(m);
    ipc_shared_semaphore_close(s);
    ipc_shared_event_close(e);
    remove_file("m");
    remove_file("s");
    remove_file("e");
    return 0;
}

TEST(a_death_at_any_step_leaves_nothing_held)
{
    static const char *const faults[] = {"mutex.acquire.owned",     "mutex.release.before",    "mutex.release.after",
                                         "semaphore.acquire.taken", "semaphore.release.after", "event.set.after",
                                         "event.wait.consumed"};
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++)
        CHECK_EQUAL(0, test_wait_exit(test_fork(dies_at, (void *)(uintptr_t)faults[i])));
}

static int open_and_die(void *fault)
{
    (void)setenv("IPC_FAULT", fault, 1);
    (void)semaphore(&lasting);
    return 0;
}

static int recoverer_dies(void *fault)
{
    CHECK_EQUAL(128 + SIGKILL, test_wait_exit(test_fork(go_through, (void *)(uintptr_t) "semaphore.acquire.taken")));
    CHECK_EQUAL(128 + SIGKILL, test_wait_exit(test_fork(open_and_die, fault)));
    ipc_shared_semaphore *s = semaphore(&lasting);
    CHECK_EQUAL(3, ipc_shared_semaphore_available(s));
    CHECK_STATUS(IPC_ABANDONED, ipc_shared_semaphore_acquire(s, IPC_NOW, NULL));
    for (int i = 0; i < 4; i++) { /* each permit, one of them twice: nobody else is told */
        CHECK_OK(ipc_shared_semaphore_acquire(s, IPC_NOW, NULL));
        if (i == 1)
            CHECK_OK(ipc_shared_semaphore_release(s));
        if (i == 2)
            for (int held = 0; held < 3; held++)
                CHECK_OK(ipc_shared_semaphore_release(s));
    }
    ipc_shared_semaphore_close(s);
    remove_file("m");
    remove_file("s");
    remove_file("e");
    return 0;
}

TEST(a_recovery_that_is_killed_is_done_again)
{
    CHECK_EQUAL(0, test_wait_exit(test_fork(recoverer_dies, (void *)(uintptr_t) "sync.recover.done")));
    CHECK_EQUAL(0, test_wait_exit(test_fork(recoverer_dies, (void *)(uintptr_t) "semaphore.recover.counted")));
    CHECK_EQUAL(0, test_wait_exit(test_fork(recoverer_dies, (void *)(uintptr_t) "recover.before_free")));
}

static int set_and_die(void *unused)
{
    (void)unused;
    (void)setenv("IPC_FAULT", "event.set.after", 1);
    ipc_shared_event *e = NULL;
    CHECK_OK(ipc_shared_event_open("e", &lasting, &e));
    tell("o");
    char go = 0;
    CHECK(read(ends[0], &go, 1) == 1);
    ipc_shared_event_set(e);
    return 0;
}

TEST(a_setter_that_dies_before_it_signals_loses_no_waiter)
{
    static const ipc_sync_options asleep = {.wait_mode = IPC_WAIT_BLOCK};
    int to_child[2];
    int to_us[2];
    char heard = 0;
    test_thread thread;
    CHECK(pipe(to_child) == 0 && pipe(to_us) == 0);
    ends[0] = to_child[0];
    ends[1] = to_us[1];
    pid_t setter = test_fork(set_and_die, NULL);
    CHECK(read(to_us[0], &heard, 1) == 1);
    waiting one = {.object = event(&asleep), .call = wait_for_event, .result = 99};
    test_thread_start(&thread, wait_for_it, &one);
    WAIT_FOR(sleeps(one.object));
    CHECK(write(to_child[1], "g", 1) == 1);
    CHECK_EQUAL(128 + SIGKILL, test_wait_exit(setter));
    test_thread_join(&thread);
    CHECK_EQUAL(IPC_OK, one.result);
    ipc_shared_event_close(one.object);
    remove_file("e");
}

static int hold_everything(void *unused)
{
    (void)unused;
    ipc_shared_mutex *m = mutex(NULL);
    ipc_shared_semaphore *s = semaphore(NULL);
    CHECK_OK(ipc_shared_mutex_acquire(m, SOON, NULL));
    CHECK_OK(ipc_shared_semaphore_acquire(s, SOON, NULL));
    CHECK_OK(ipc_shared_semaphore_acquire(s, SOON, NULL));
    tell("h");
    for (;;)
        (void)pause(); /* until killed */
}

TEST(what_a_killed_process_held_comes_back_to_who_sleeps_for_it)
{
    static const ipc_sync_options asleep = {.wait_mode = IPC_WAIT_BLOCK, .permits = 2};
    ipc_shared_mutex *m = mutex(&asleep);
    ipc_shared_semaphore *s = semaphore(&asleep);
    test_thread threads[2];
    CHECK(pipe(ends) == 0);
    for (int round = 0; round < 3; round++) {
        waiting for_mutex = {.object = m, .call = acquire_mutex};
        waiting for_permit = {.object = s, .call = acquire_permit};
        pid_t holder = test_fork(hold_everything, NULL);
        hear('h');
        test_thread_start(&threads[0], wait_for_it, &for_mutex);
        test_thread_start(&threads[1], wait_for_it, &for_permit);
        WAIT_FOR(sleeps(m) && sleeps(s));
        test_kill(holder);
        test_thread_join(&threads[0]);
        test_thread_join(&threads[1]);
        CHECK_EQUAL(IPC_ABANDONED, for_mutex.result);
        CHECK_EQUAL(IPC_ABANDONED, for_permit.result);
        CHECK_STATUS(IPC_ABANDONED, ipc_shared_semaphore_acquire(s, SOON, NULL)); /* two permits, told twice */
        CHECK_OK(ipc_shared_mutex_release(m));
        CHECK_OK(ipc_shared_semaphore_release(s));
        CHECK_OK(ipc_shared_semaphore_release(s));
        CHECK_OK(ipc_shared_mutex_acquire(m, IPC_NOW, NULL)); /* and not again */
        CHECK_OK(ipc_shared_semaphore_acquire(s, IPC_NOW, NULL));
        CHECK_OK(ipc_shared_mutex_release(m));
        CHECK_OK(ipc_shared_semaphore_release(s));
    }
    ipc_shared_mutex_close(m);
    ipc_shared_semaphore_close(s);
    (void)close(ends[0]);
    (void)close(ends[1]);
}
