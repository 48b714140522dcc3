/* Where the system does not allow membarrier or pidfd_open (old kernels, tight containers): the same promises. */
#define _GNU_SOURCE
#include "connections/connection.h"
#include "connections/listener.h"
#include "platform/platform.h"
#include "rings/ring.h"
#include "sync/sync.h"
#include "test.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_futex_waitv
#define SYS_futex_waitv 449
#endif

static const ipc_ring_options asleep = {.capacity = 4096, .wait_mode = IPC_WAIT_BLOCK};

/* From now on these calls fail in this process as if the kernel did not have them. */
static void take_away(long first, long second)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)first, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)second, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = {.len = sizeof filter / sizeof filter[0], .filter = filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        test_skip("system calls cannot be filtered here");
    CHECK(syscall(first) < 0 && errno == ENOSYS);
}

static int echo(uint64_t rounds)
{
    ipc_ring_reader *reader = NULL;
    ipc_ring_writer *writer = NULL;
    ipc_status status = ipc_ring_reader_open("there", &asleep, &reader);
    if (status == IPC_OK)
        status = ipc_ring_writer_open("back", &asleep, &writer);
    for (uint64_t i = 0; i < rounds && status == IPC_OK; i++) {
        ipc_record record;
        status = ipc_ring_read(reader, SOON, NULL, &record);
        if (status == IPC_OK)
            status = ipc_ring_write(writer, record.payload, record.length, record.type, SOON, NULL);
        ipc_ring_release(reader);
    }
    ipc_ring_reader_close(reader);
    ipc_ring_writer_close(writer);
    return status == IPC_OK ? 0 : 1;
}

static int ask(uint64_t rounds)
{
    ipc_ring_reader *reader = NULL;
    ipc_ring_writer *writer = NULL;
    ipc_status status = ipc_ring_writer_open("there", &asleep, &writer);
    if (status == IPC_OK)
        status = ipc_ring_reader_open("back", &asleep, &reader);
    for (uint64_t i = 0; i < rounds && status == IPC_OK; i++) {
        ipc_record record;
        status = ipc_ring_write(writer, &i, 8, (uint16_t)i, SOON, NULL);
        if (status == IPC_OK)
            status = ipc_ring_read(reader, SOON, NULL, &record); /* 20 s: a lost wake-up */
        if (status == IPC_OK && memcmp(record.payload, &i, 8) != 0)
            status = IPC_E_CORRUPT;
        ipc_ring_release(reader);
    }
    ipc_ring_writer_close(writer);
    ipc_ring_reader_close(reader);
    return status == IPC_OK ? 0 : 1;
}

typedef struct side {
    bool without;
    int (*run)(uint64_t rounds);
    uint64_t rounds;
} side;

static int run_side(void *argument)
{
    const side *one = argument;
    if (one->without)
        take_away(SYS_membarrier, SYS_membarrier);
    return one->run(one->rounds);
}

TEST(no_wake_up_is_lost_without_membarrier_on_either_side)
{
    for (int without = 1; without <= 3; without++) {
        side sides[2] = {{(without & 1) != 0, echo, 5000}, {(without & 2) != 0, ask, 5000}};
        pid_t echoing = test_fork(run_side, &sides[0], sizeof sides[0]);
        pid_t asking = test_fork(run_side, &sides[1], sizeof sides[1]);
        const int echoed = test_wait_exit(echoing);
        const int asked = test_wait_exit(asking);
        if (echoed == 77 || asked == 77)
            test_skip("system calls cannot be filtered here");
        CHECK_EQUAL(0, echoed);
        CHECK_EQUAL(0, asked);
    }
}

TEST(a_sleeper_without_membarrier_asks_for_fences)
{
    ipc_ring_reader *reader = NULL;
    ipc_record record;
    take_away(SYS_membarrier, SYS_membarrier);
    CHECK_OK(ipc_ring_reader_open("r", &asleep, &reader));
    CHECK(ipc_waiter_process_fences());
    CHECK_EQUAL(0, ipc_load_acquire32(&reader->header->data.fence_required));
    CHECK_STATUS(IPC_TIMEOUT, ipc_ring_read(reader, ipc_deadline_after(1000000), NULL, &record));
    CHECK_EQUAL(1, ipc_load_acquire32(&reader->header->data.fence_required));
    ipc_ring_reader_close(reader);
}

/* It was there when the process started, and is forbidden later. */
TEST(a_sleeper_whose_membarrier_fails_asks_for_fences)
{
    ipc_ring_reader *reader = NULL;
    ipc_record record;
    CHECK_OK(ipc_ring_reader_open("r", &asleep, &reader));
    if (ipc_waiter_process_fences())
        test_skip("there is no membarrier here");
    take_away(SYS_membarrier, SYS_membarrier);
    CHECK_STATUS(IPC_TIMEOUT, ipc_ring_read(reader, ipc_deadline_after(1000000), NULL, &record));
    CHECK_EQUAL(1, ipc_load_acquire32(&reader->header->data.fence_required));
    ipc_ring_reader_close(reader);
}

static void *set_unnoticed(void *argument)
{
    ipc_sync_body *body = argument;
    while ((ipc_load_acquire32(&body->waiter.word) & IPC_WAITER_SLEEPING) == 0)
        ipc_platform_yield();
    ipc_store_release32(&body->word, 1); /* its load of the flag was before that, and of the request, too */
    return NULL;
}

/* The one who asked first may have gone by then, or take what the other one waits for. */
TEST(whoever_sleeps_at_first_dozes_where_others_have_asked_for_fences)
{
    const ipc_sync_options options = {.wait_mode = IPC_WAIT_BLOCK};
    ipc_shared_event *event = NULL;
    test_thread thread;
    take_away(SYS_membarrier, SYS_membarrier);
    CHECK_OK(ipc_shared_event_open("e", &options, &event));
    ipc_sync_body *body = ((ipc_sync *)(void *)event)->body; /* its first field */
    /* By somebody else, just now. */
    ipc_store_release32(&body->waiter.fence_required, 1);
    test_thread_start(&thread, set_unnoticed, body);
    const uint64_t began = ipc_platform_now();
    CHECK_OK(ipc_shared_event_wait(event, SOON, NULL));
    CHECK(ipc_platform_now() - began < 10000000000u); /* at the end of its time it looks in any case: after 20 s */
    test_thread_join(&thread);
    ipc_shared_event_close(event);
}

static void *connect_and_close(void *unused)
{
    const ipc_connect_options options = {.deadline = SOON};
    ipc_connection *connection = NULL;
    CHECK_OK(ipc_connect("l", &options, &connection));
    ipc_connection_close(connection);
    return unused;
}

/* What a listener has armed it may leave to its flag: nobody would look there again. */
TEST(a_server_asks_for_fences_before_its_client_publishes)
{
    ipc_listener *listener = NULL;
    ipc_event event;
    test_thread thread;
    take_away(SYS_membarrier, SYS_membarrier);
    CHECK_OK(ipc_listener_open("l", NULL, &listener));
    test_thread_start(&thread, connect_and_close, NULL);
    CHECK_OK(ipc_listener_next(listener, SOON, NULL, &event));
    CHECK_EQUAL(1, ipc_load_acquire32(&ipc_connection_reader(event.connection)->header->data.fence_required));
    CHECK_OK(ipc_connection_accept(event.connection));
    test_thread_join(&thread);
    ipc_connection_close(event.connection);
    ipc_listener_close(listener);
}

static void *connect_and_keep(void *place)
{
    const ipc_connect_options options = {.deadline = SOON, .loan_budget = IPC_NO_LOANS};
    CHECK_OK(ipc_connect("l", &options, (ipc_connection **)place));
    return NULL;
}

/* Half of what it polls goes at a time, with one barrier: where that fails, each of them has to ask. */
TEST(a_server_whose_membarrier_fails_asks_all_that_it_does_not_poll_any_more)
{
    enum { POLLED = IPC_HOT_MAX, ALL = POLLED + 1 };
    ipc_listener *listener = NULL;
    ipc_connection *there[ALL];
    ipc_connection *here[ALL];
    ipc_event event;
    test_thread thread;
    CHECK_OK(ipc_listener_open("l", NULL, &listener));
    if (ipc_waiter_process_fences())
        test_skip("there is no membarrier here");
    for (int i = 0; i < ALL; i++) {
        test_thread_start(&thread, connect_and_keep, &there[i]);
        CHECK_OK(ipc_listener_next(listener, SOON, NULL, &event));
        CHECK_OK(ipc_connection_accept(event.connection));
        test_thread_join(&thread);
        here[i] = event.connection;
        ipc_listener_return(listener, here[i]);
    }
    for (int i = 0; i < ALL; i++) { /* they were armed often while the others came, and asked for now */
        ipc_waiter *waiter = &ipc_connection_reader(here[i])->header->data;
        ipc_store_relaxed32(&waiter->fence_required, ipc_load_relaxed32(&waiter->fence_required) & ~7u);
    }
    take_away(SYS_membarrier, SYS_membarrier);
    CHECK_STATUS(IPC_TIMEOUT, ipc_listener_next(listener, IPC_NOW, NULL, &event));
    for (int i = 0; i < POLLED / 2; i++) {
        ipc_waiter *waiter = &ipc_connection_reader(here[i])->header->data;
        CHECK(ipc_waiter_is_marked(waiter));
        CHECK_EQUAL(1, ipc_load_acquire32(&waiter->fence_required));
    }
    for (int i = 0; i < ALL; i++)
        ipc_connection_close(there[i]);
    ipc_listener_close(listener);
}

/* From now on the kernel does not know how to populate a mapping, as before Linux 5.14. */
static void take_populate_away(void)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)SYS_madvise, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 23, 0, 1), /* MADV_POPULATE_WRITE */
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EINVAL),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = {.len = sizeof filter / sizeof filter[0], .filter = filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        test_skip("system calls cannot be filtered here");
    CHECK(ipc_platform_populate_needs_file());
}

TEST(loans_get_their_memory_where_mappings_cannot_be_populated)
{
    static const ipc_ring_options lending = {.capacity = 4096};
    ipc_ring_writer *writer = NULL;
    ipc_ring_reader *reader = NULL;
    ipc_record record;
    void *payload = NULL;
    const uint32_t length = 3000000;
    take_populate_away();
    CHECK_OK(ipc_ring_writer_open("r", &lending, &writer));
    CHECK_OK(ipc_ring_reader_open("r", &lending, &reader));
    CHECK_OK(ipc_ring_try_claim(writer, length, &payload));
    memset(payload, 'x', length);
    CHECK_OK(ipc_ring_commit(writer, length, 1));
    CHECK_OK(ipc_ring_try_read(reader, &record));
    CHECK_EQUAL(length, record.length);
    CHECK_EQUAL('x', ((const uint8_t *)record.payload)[length - 1]);
    ipc_ring_writer_close(writer);
    ipc_ring_reader_close(reader);
}

_Noreturn static void stay(void)
{
    for (;;)
        (void)pause(); /* until killed */
}

static int hold_writer(void *argument)
{
    ipc_ring_writer *writer = NULL;
    const char result = ipc_ring_writer_open("r", &asleep, &writer) == IPC_OK ? 'y' : 'n';
    (void)!write(((const int *)argument)[1], &result, 1);
    stay();
}

/* As when a process has no descriptors left. */
TEST(a_death_is_noticed_without_a_watch)
{
    int ends[2];
    char result = 0;
    ipc_ring_reader *reader = NULL;
    ipc_record record;
    CHECK(pipe(ends) == 0);
    pid_t pid = test_fork(hold_writer, ends, sizeof ends);
    CHECK(read(ends[0], &result, 1) == 1 && result == 'y');
    take_away(SYS_epoll_create1, SYS_eventfd2);
    CHECK_OK(ipc_ring_reader_open("r", &asleep, &reader));
    CHECK_EQUAL(IPC_PEER_LIVE, ipc_ring_reader_peer(reader));
    test_kill(pid);
    CHECK_STATUS(IPC_PEER_DIED, ipc_ring_read(reader, SOON, NULL, &record));
    ipc_ring_reader_close(reader);
    (void)close(ends[0]);
    (void)close(ends[1]);
}

static int hold_connection(void *argument)
{
    const ipc_connect_options options = {.deadline = SOON};
    ipc_connection *connection = NULL;
    const char result = ipc_connect("l", &options, &connection) == IPC_OK ? 'y' : 'n';
    (void)!write(((const int *)argument)[1], &result, 1);
    stay();
}

TEST(a_listener_that_sleeps_notices_a_death_without_a_watch)
{
    const ipc_listener_options options = {.wait_mode = IPC_WAIT_BLOCK};
    int ends[2];
    char result = 0;
    ipc_listener *listener = NULL;
    ipc_event event;
    CHECK(pipe(ends) == 0);
    pid_t pid = test_fork(hold_connection, ends, sizeof ends);
    CHECK_OK(ipc_listener_open("l", &options, &listener));
    take_away(SYS_epoll_create1, SYS_eventfd2);
    CHECK_OK(ipc_listener_next(listener, SOON, NULL, &event));
    CHECK_OK(ipc_connection_accept(event.connection));
    CHECK(read(ends[0], &result, 1) == 1 && result == 'y');
    ipc_listener_return(listener, event.connection);
    test_kill(pid);
    CHECK_OK(ipc_listener_next(listener, SOON, NULL, &event));
    CHECK_EQUAL(IPC_EVENT_CLOSED, event.kind);
    CHECK(ipc_ring_reader_peer(ipc_connection_reader(event.connection)) == IPC_PEER_DEAD);
    ipc_connection_close(event.connection);
    ipc_listener_close(listener);
    (void)close(ends[0]);
    (void)close(ends[1]);
}

/* A server that has seen the request, and never answers. */
static int keep_asking(void *argument)
{
    ipc_listener *listener = NULL;
    ipc_event event;
    char result = 'n';
    if (ipc_listener_open("l", NULL, &listener) == IPC_OK &&
        ipc_listener_next(listener, SOON, NULL, &event) == IPC_OK)
        result = 'y';
    (void)!write(((const int *)argument)[1], &result, 1);
    stay();
}

typedef struct doomed {
    int end;
    pid_t pid;
} doomed;

static void *kill_when_asked(void *argument)
{
    const doomed *one = argument;
    char result = 0;
    CHECK(read(one->end, &result, 1) == 1 && result == 'y');
    test_kill(one->pid);
    return NULL;
}

TEST(who_waits_for_an_answer_notices_a_death_without_a_watch)
{
    const ipc_connect_options options = {.deadline = SOON, .wait_mode = IPC_WAIT_BLOCK};
    int ends[2];
    ipc_connection *connection = NULL;
    test_thread thread;
    CHECK(pipe(ends) == 0);
    doomed server = {ends[0], test_fork(keep_asking, ends, sizeof ends)};
    take_away(SYS_epoll_create1, SYS_eventfd2);
    test_thread_start(&thread, kill_when_asked, &server);
    CHECK_STATUS(IPC_PEER_DIED, ipc_connect("l", &options, &connection));
    test_thread_join(&thread);
    (void)close(ends[0]);
    (void)close(ends[1]);
}

TEST(a_death_is_noticed_without_pidfd)
{
    int ends[2];
    char result = 0;
    ipc_ring_reader *reader = NULL;
    ipc_record record;
    CHECK(pipe(ends) == 0);
    pid_t pid = test_fork(hold_writer, ends, sizeof ends);
    CHECK(read(ends[0], &result, 1) == 1 && result == 'y');
    take_away(SYS_pidfd_open, SYS_membarrier);
    CHECK_OK(ipc_ring_reader_open("r", &asleep, &reader));
    CHECK_EQUAL(IPC_PEER_LIVE, ipc_ring_reader_peer(reader));
    test_kill(pid);
    CHECK_STATUS(IPC_PEER_DIED, ipc_ring_read(reader, SOON, NULL, &record)); /* within 250 ms, give or take */
    ipc_ring_reader_close(reader);
    (void)close(ends[0]);
    (void)close(ends[1]);
}

static int serve_one_client(void *argument)
{
    ipc_named_listener *listener = NULL;
    ipc_named_event event;
    char result = 'n';
    if (ipc_named_listener_open("exchange", NULL, &listener) == IPC_OK) {
        (void)!write(((const int *)argument)[1], "y", 1);
        if (ipc_named_listener_next(listener, SOON, NULL, &event) == IPC_OK &&
            ipc_named_accept(event.connection, NULL, 0) == IPC_OK)
            result = 'y';
    }
    (void)!write(((const int *)argument)[1], &result, 1);
    stay();
}

/* Only the watch is late here, by up to 250 ms; on a busy machine it is late everywhere. */
TEST(who_asks_for_a_session_is_not_given_one_whose_server_has_died_unnoticed)
{
    const ipc_named_options options = {.wait_mode = IPC_WAIT_BLOCK, .no_reconnect = true};
    int ends[2];
    char result = 0;
    ipc_named_connection *client = NULL;
    CHECK(pipe(ends) == 0);
    const pid_t pid = test_fork(serve_one_client, ends, sizeof ends);
    CHECK(read(ends[0], &result, 1) == 1 && result == 'y');
    take_away(SYS_pidfd_open, SYS_membarrier);
    CHECK_OK(ipc_named_open("exchange", "trader", &options, &client));
    CHECK_OK(ipc_named_connect(client, SOON, NULL));
    CHECK(read(ends[0], &result, 1) == 1 && result == 'y');
    CHECK_OK(ipc_named_connect(client, IPC_NOW, NULL)); /* it lives */
    test_kill(pid);
    CHECK_STATUS(IPC_E_NOT_FOUND, ipc_named_connect(client, IPC_NOW, NULL));
    CHECK(!ipc_named_is_connected(client));
    ipc_named_close(client, 0, NULL);
    CHECK_OK(ipc_named_remove("exchange", "trader"));
    (void)close(ends[0]);
    (void)close(ends[1]);
}

/* As before Linux 5.16: a thread sleeps on one word, and each armed handle has a thread. */
TEST(ready_handles_work_where_a_thread_can_sleep_on_one_word_only)
{
    enum { SOME = 5 };
    ipc_ready_handle *handles[SOME];
    ipc_shared_event *event = NULL;
    ipc_shared_event *other = NULL;
    const ipc_sync_options manual = {.manual_reset = true};
    take_away(SYS_futex_waitv, SYS_futex_waitv);
    CHECK_EQUAL(1, ipc_platform_sleep_words());
    CHECK_OK(ipc_shared_event_open("e", &manual, &event));
    CHECK_OK(ipc_shared_event_open("other", &manual, &other));
    for (int i = 0; i < SOME; i++)
        CHECK_OK(ipc_ready_handle_create(NULL, NULL, &handles[i]));
    for (int round = 0; round < 20; round++) {
        for (int i = 0; i < SOME; i++) { /* each thread leaves one word for another */
            CHECK_STATUS(IPC_EMPTY, ipc_shared_event_arm(other, IPC_FOREVER, NULL, handles[i]));
            CHECK_STATUS(IPC_EMPTY, ipc_shared_event_arm(event, IPC_FOREVER, NULL, handles[i]));
        }
        CHECK_OK(ipc_ready_handle_disarm(handles[round % SOME]));
        ipc_shared_event_set(event);
        for (int i = 0; i < SOME; i++) {
            struct pollfd one = {.fd = ipc_ready_handle_descriptor(handles[i]), .events = POLLIN};
            CHECK_EQUAL(i == round % SOME ? 0 : 1, poll(&one, 1, i == round % SOME ? 0 : 20000));
        }
        ipc_shared_event_reset(event);
    }
    for (int i = 0; i < SOME; i++)
        ipc_ready_handle_destroy(handles[i]);
    ipc_shared_event_close(event);
    ipc_shared_event_close(other);
}
