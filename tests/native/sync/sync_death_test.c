/* Mutex, semaphore, event: who dies with them, and between any two steps. A child inherits the fault point that its
   parent has looked up, or not found: the cases that kill by one open nothing before they fork. */
#include "ignore.h"
#include "sync_parts.h"

static const ipc_sync_options lasting = {.lifetime = IPC_LIFETIME_PERSISTENT, .permits = 3};

/* All of it once, in a process that a fault point kills. */
static int go_through(void *fault)
{
    static const ipc_sync_options options = {.lifetime = IPC_LIFETIME_PERSISTENT, .permits = 3, .wait_mode = IPC_WAIT_BLOCK};
    test_set_environment("IPC_FAULT", fault);
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
    CHECK_EQUAL(128 + SIGKILL, test_wait_exit(test_fork(go_through, fault, 0)));
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
        CHECK_EQUAL(0, test_wait_exit(test_fork(dies_at, faults[i], 0)));
}

static int open_and_die(void *fault)
{
    test_set_environment("IPC_FAULT", fault);
    (void)semaphore(&lasting);
    return 0;
}

static int recoverer_dies(void *fault)
{
    CHECK_EQUAL(128 + SIGKILL, test_wait_exit(test_fork(go_through, "semaphore.acquire.taken", 0)));
    CHECK_EQUAL(128 + SIGKILL, test_wait_exit(test_fork(open_and_die, fault, 0)));
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
    CHECK_EQUAL(0, test_wait_exit(test_fork(recoverer_dies, "sync.recover.done", 0)));
    CHECK_EQUAL(0, test_wait_exit(test_fork(recoverer_dies, "semaphore.recover.counted", 0)));
    CHECK_EQUAL(0, test_wait_exit(test_fork(recoverer_dies, "recover.before_free", 0)));
}

typedef struct conversation {
    test_pipe to_child;
    test_pipe to_us;
} conversation;

static int set_and_die(void *argument)
{
    const conversation *pipes = argument;
    test_set_environment("IPC_FAULT", "event.set.after");
    ipc_shared_event *e = NULL;
    CHECK_OK(ipc_shared_event_open("e", &lasting, &e));
    test_say(&pipes->to_us, 'o');
    CHECK_EQUAL('g', test_hear(&pipes->to_child));
    ipc_shared_event_set(e);
    return 0;
}

TEST(a_setter_that_dies_before_it_signals_loses_no_waiter)
{
    static const ipc_sync_options asleep = {.wait_mode = IPC_WAIT_BLOCK};
    conversation pipes;
    test_thread thread;
    test_pipe_open(&pipes.to_child);
    test_pipe_open(&pipes.to_us);
    pid_t setter = test_fork(set_and_die, &pipes, sizeof pipes);
    CHECK_EQUAL('o', test_hear(&pipes.to_us));
    waiting one = {.object = event(&asleep), .call = wait_for_event, .result = 99};
    test_thread_start(&thread, wait_for_it, &one);
    WAIT_FOR(sleeps(one.object));
    test_say(&pipes.to_child, 'g');
    CHECK_EQUAL(128 + SIGKILL, test_wait_exit(setter));
    test_thread_join(&thread);
    CHECK_EQUAL(IPC_OK, one.result);
    ipc_shared_event_close(one.object);
    remove_file("e");
}

static int hold_everything(void *ready)
{
    ipc_shared_mutex *m = mutex(NULL);
    ipc_shared_semaphore *s = semaphore(NULL);
    CHECK_OK(ipc_shared_mutex_acquire(m, SOON, NULL));
    CHECK_OK(ipc_shared_semaphore_acquire(s, SOON, NULL));
    CHECK_OK(ipc_shared_semaphore_acquire(s, SOON, NULL));
    test_say(ready, 'h');
    test_stay();
}

TEST(what_a_killed_process_held_comes_back_to_who_sleeps_for_it)
{
    static const ipc_sync_options asleep = {.wait_mode = IPC_WAIT_BLOCK, .permits = 2};
    ipc_shared_mutex *m = mutex(&asleep);
    ipc_shared_semaphore *s = semaphore(&asleep);
    test_thread threads[2];
    test_pipe ready;
    test_pipe_open(&ready);
    for (int round = 0; round < 3; round++) {
        waiting for_mutex = {.object = m, .call = acquire_mutex};
        waiting for_permit = {.object = s, .call = acquire_permit};
        pid_t holder = test_fork(hold_everything, &ready, sizeof ready);
        CHECK_EQUAL('h', test_hear(&ready));
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
    test_pipe_close(&ready);
}
