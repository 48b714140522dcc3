/* Two processes, one of which is killed. The survivor's behaviour is the assertion. */
#define _GNU_SOURCE
#include "regions/region.h"
#include "rings/ring.h"
#include "test.h"

#ifndef _WIN32
#include <dirent.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

static const ipc_ring_options small = {.capacity = 4096};

typedef struct child_plan {
    bool writer;
    int records;    /* written and committed, or read and released */
    int unfinished; /* ... and then batched, or read and not released */
    test_pipe ready; /* written to when the plan is done */
} child_plan;

static int run_child(void *argument)
{
    const child_plan *plan = argument;
    ipc_ring_writer *writer = NULL;
    ipc_ring_reader *reader = NULL;
    ipc_status status =
        plan->writer ? ipc_ring_writer_open("r", &small, &writer) : ipc_ring_reader_open("r", &small, &reader);
    for (int i = 0; i < plan->records + plan->unfinished && status == IPC_OK; i++) {
        if (plan->writer) {
            void *payload = NULL;
            status = ipc_ring_claim(writer, 8, SOON, NULL, &payload);
            if (status != IPC_OK)
                break;
            memset(payload, 0xFF, 8);
            status = i < plan->records ? ipc_ring_commit(writer, 8, (uint16_t)i)
                                       : ipc_ring_commit_batched(writer, 8, (uint16_t)i);
        } else {
            ipc_record record;
            status = ipc_ring_read(reader, SOON, NULL, &record);
            if (i < plan->records)
                ipc_ring_release(reader);
        }
    }
    test_say(&plan->ready, status == IPC_OK ? 'y' : 'n');
    test_stay();
}

static pid_t start_child(child_plan *plan)
{
    test_pipe_open(&plan->ready);
    pid_t pid = test_fork(run_child, plan, sizeof *plan);
    CHECK_EQUAL('y', test_hear(&plan->ready));
    test_pipe_close(&plan->ready);
    return pid;
}

TEST(a_killed_writer_leaves_what_it_published_and_nothing_else)
{
    ipc_ring_reader *reader = NULL;
    ipc_record record;
    child_plan plan = {.writer = true, .records = 3, .unfinished = 4};
    pid_t pid = start_child(&plan);
    CHECK_OK(ipc_ring_reader_open("r", &small, &reader));
    CHECK_EQUAL(IPC_PEER_LIVE, ipc_ring_reader_peer(reader));
    test_kill(pid);
    for (uint16_t i = 0; i < 3; i++) {
        CHECK_OK(ipc_ring_read(reader, SOON, NULL, &record));
        CHECK_EQUAL(i, record.type);
        CHECK(!record.redelivered);
    }
    CHECK_STATUS(IPC_PEER_DIED, ipc_ring_read(reader, SOON, NULL, &record));
    CHECK_EQUAL(IPC_PEER_DEAD, ipc_ring_reader_peer(reader));

    child_plan next = {.writer = true, .records = 2}; /* a successor goes on */
    pid = start_child(&next);
    for (uint16_t i = 0; i < 2; i++) {
        CHECK_OK(ipc_ring_read(reader, SOON, NULL, &record));
        CHECK_EQUAL(i, record.type);
    }
    test_kill(pid);
    ipc_ring_reader_close(reader);
}

static void *kill_soon(void *pid)
{
    test_pause(20);
    test_send_kill(*(const pid_t *)pid);
    return NULL;
}

TEST(a_reader_asleep_learns_of_the_death_at_once)
{
    static const ipc_wait_mode modes[] = {IPC_WAIT_ADAPTIVE, IPC_WAIT_SPIN, IPC_WAIT_BLOCK};
    for (int i = 0; i < 3; i++) {
        const ipc_ring_options options = {.capacity = 4096, .wait_mode = modes[i]};
        ipc_ring_reader *reader = NULL;
        ipc_record record;
        child_plan plan = {.writer = true};
        CHECK_OK(ipc_ring_reader_open("r", &options, &reader));
        pid_t pid = start_child(&plan); /* it attaches to a reader that is there */
        test_thread killer;
        test_thread_start(&killer, kill_soon, &pid);
        CHECK_STATUS(IPC_PEER_DIED, ipc_ring_read(reader, SOON, NULL, &record));
        test_thread_join(&killer);
        CHECK_EQUAL(128 + SIGKILL, test_wait_exit(pid));
        ipc_ring_reader_close(reader);
    }
}

TEST(a_killed_reader_redelivers_to_its_successor)
{
    ipc_ring_writer *writer = NULL;
    ipc_ring_reader *reader = NULL;
    ipc_record record;
    CHECK_OK(ipc_ring_writer_open("r", &small, &writer));
    for (uint64_t i = 0; i < 10; i++)
        CHECK_OK(ipc_ring_write(writer, &i, 8, (uint16_t)i, IPC_NOW, NULL));
    child_plan plan = {.records = 3, .unfinished = 2};
    test_kill(start_child(&plan));
    CHECK_OK(ipc_ring_reader_open("r", &small, &reader));
    for (uint16_t i = 3; i < 10; i++) {
        CHECK_OK(ipc_ring_try_read(reader, &record));
        CHECK_EQUAL(i, record.type);
        CHECK(record.redelivered);
    }
    CHECK_OK(ipc_ring_write(writer, "new", 3, 77, IPC_NOW, NULL));
    CHECK_OK(ipc_ring_try_read(reader, &record));
    CHECK(record.type == 77 && !record.redelivered);
    ipc_ring_reader_close(reader);
    ipc_ring_writer_close(writer);
}

TEST(a_writer_waiting_for_room_learns_of_the_death_and_goes_on_with_the_successor)
{
    ipc_ring_writer *writer = NULL;
    ipc_ring_reader *reader = NULL;
    ipc_status status;
    uint8_t bytes[1000] = {0};
    CHECK_OK(ipc_ring_writer_open("r", &small, &writer));
    child_plan plan = {.records = 0};
    pid_t pid = start_child(&plan);
    while ((status = ipc_ring_write(writer, bytes, sizeof bytes, 1, IPC_NOW, NULL)) == IPC_OK)
        ;
    CHECK_STATUS(IPC_TIMEOUT, status);
    test_kill(pid);
    CHECK_STATUS(IPC_PEER_DIED, ipc_ring_write(writer, bytes, sizeof bytes, 1, SOON, NULL));
    CHECK_OK(ipc_ring_reader_open("r", &small, &reader));
    ipc_record record;
    CHECK_OK(ipc_ring_try_read(reader, &record));
    ipc_ring_release(reader);
    CHECK_OK(ipc_ring_write(writer, bytes, sizeof bytes, 1, SOON, NULL));
    ipc_ring_reader_close(reader);
    ipc_ring_writer_close(writer);
}

TEST(a_left_over_of_the_dead_is_replaced)
{
    ipc_ring_writer *writer = NULL;
    ipc_ring_reader *reader = NULL;
    const ipc_ring_options create = {.capacity = 8192, .open_mode = IPC_CREATE_NEW};
    const ipc_ring_options open_now = {.open_mode = IPC_OPEN_EXISTING};
    child_plan plan = {.writer = true}; /* nothing is in it: what holds a record is kept (lifetime_test.c) */
    test_kill(start_child(&plan));
    CHECK_EQUAL(1, test_files());
    CHECK_OK(ipc_ring_writer_open("r", &create, &writer));
    CHECK_EQUAL(8192, ipc_ring_writer_capacity(writer));
    ipc_ring_writer_close(writer);
    test_kill(start_child(&plan));
    CHECK_STATUS(IPC_E_NOT_FOUND, ipc_ring_reader_open("r", &open_now, &reader)); /* and the left-over goes */
    CHECK_EQUAL(0, test_files());
}

TEST(a_stopped_process_is_alive)
{
    ipc_ring_writer *writer = NULL;
    ipc_ring_reader *reader = NULL;
    ipc_record record;
    child_plan plan = {.writer = true};
    pid_t pid = start_child(&plan);
    test_stop(pid);
    CHECK_STATUS(IPC_E_IN_USE, ipc_ring_writer_open("r", &small, &writer));
    CHECK_OK(ipc_ring_reader_open("r", &small, &reader));
    CHECK_STATUS(IPC_TIMEOUT, ipc_ring_read(reader, ipc_deadline_after(50000000), NULL, &record));
    CHECK_EQUAL(IPC_PEER_LIVE, ipc_ring_reader_peer(reader));
    test_kill(pid);
    ipc_ring_reader_close(reader);
}

TEST(the_thirty_third_kill_changes_nothing)
{
    ipc_ring_reader *reader = NULL;
    CHECK_OK(ipc_ring_reader_open("r", &small, &reader));
    for (int i = 0; i < 40; i++) {
        ipc_record record;
        child_plan plan = {.writer = true, .records = 1};
        pid_t pid = start_child(&plan);
        CHECK_OK(ipc_ring_read(reader, SOON, NULL, &record));
        ipc_ring_release(reader);
        test_kill(pid);
        CHECK_STATUS(IPC_PEER_DIED, ipc_ring_read(reader, SOON, NULL, &record));
    }
    ipc_ring_reader_close(reader);
}

TEST(waiting_for_a_peer_sees_it_come)
{
    ipc_ring_reader *reader = NULL;
    child_plan plan = {.writer = true};
    CHECK_OK(ipc_ring_reader_open("r", &small, &reader));
    CHECK_EQUAL(IPC_PEER_NEVER, ipc_ring_reader_peer(reader));
    CHECK_STATUS(IPC_TIMEOUT, ipc_ring_reader_wait_for_peer(reader, ipc_deadline_after(1000000), NULL));
    test_pipe_open(&plan.ready);
    pid_t pid = test_fork(run_child, &plan, sizeof plan);
    CHECK_OK(ipc_ring_reader_wait_for_peer(reader, SOON, NULL));
    test_kill(pid);
    test_pipe_close(&plan.ready);
    ipc_ring_reader_close(reader);
}

/* ---- fork without exec ------------------------------------------------------------------------------- */

#ifndef _WIN32

static ipc_ring_writer *inherited_writer;
static ipc_ring_reader *inherited_reader;

static int open_descriptors(void)
{
    int count = 0;
    DIR *entries = opendir("/proc/self/fd");
    while (entries != NULL && readdir(entries) != NULL)
        count++;
    (void)closedir(entries);
    return count;
}

static int use_inherited(void *argument)
{
    const int descriptors_before_opening = *(const int *)argument;
    void *payload;
    ipc_record record;
    if (open_descriptors() != descriptors_before_opening)
        return 1;
    if (ipc_ring_try_claim(inherited_writer, 8, &payload) != IPC_CLOSED)
        return 2;
    if (ipc_ring_try_read(inherited_reader, &record) != IPC_CLOSED)
        return 3;
    if (ipc_ring_read(inherited_reader, IPC_FOREVER, NULL, &record) != IPC_CLOSED)
        return 4;
    ipc_ring_writer_close(inherited_writer);
    ipc_ring_reader_close(inherited_reader);
    ipc_ring_writer *own = NULL; /* and the library works in the child */
    if (ipc_ring_writer_open("own", &small, &own) != IPC_OK)
        return 5;
    ipc_ring_writer_close(own);
    return ipc_ring_writer_open("r", &small, &own) == IPC_E_IN_USE ? 0 : 6; /* the parent is still there */
}

POSIX_TEST(a_forked_child_has_nothing_of_the_parents)
{
    ipc_record record;
    const int before = open_descriptors();
    CHECK_OK(ipc_ring_writer_open("r", &small, &inherited_writer));
    CHECK_OK(ipc_ring_reader_open("r", &small, &inherited_reader));
    CHECK_OK(ipc_ring_write(inherited_writer, "x", 1, 1, IPC_NOW, NULL));
    CHECK_EQUAL(0, test_wait_exit(test_fork(use_inherited, &before, sizeof before)));
    CHECK_OK(ipc_ring_read(inherited_reader, IPC_NOW, NULL, &record)); /* untouched by the child */
    CHECK_EQUAL(IPC_PEER_LIVE, ipc_ring_reader_peer(inherited_reader));
    ipc_ring_reader_close(inherited_reader);
    ipc_ring_writer_close(inherited_writer);
    CHECK_EQUAL(before, open_descriptors());
}

typedef struct grandchild_plan {
    int pipe[2];
} grandchild_plan;

static int writer_with_a_child(void *argument)
{
    const grandchild_plan *plan = argument;
    ipc_ring_writer *writer = NULL;
    if (ipc_ring_writer_open("r", &small, &writer) != IPC_OK)
        return 1;
    /* Not fork(): the library would close its descriptors in the child. A program that is forked by other means
       keeps them. */
    pid_t child = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
    if (child == 0)
        test_stay();
    (void)!write(plan->pipe[1], &child, sizeof child);
    test_stay();
}

POSIX_TEST(a_child_of_the_dead_does_not_keep_it_alive)
{
    grandchild_plan plan;
    ipc_ring_reader *reader = NULL;
    ipc_record record;
    pid_t grandchild = 0;
    CHECK(pipe(plan.pipe) == 0);
    pid_t pid = test_fork(writer_with_a_child, &plan, sizeof plan);
    CHECK(read(plan.pipe[0], &grandchild, sizeof grandchild) == (ssize_t)sizeof grandchild);
    CHECK_OK(ipc_ring_reader_open("r", &small, &reader));
    test_kill(pid);
    CHECK_STATUS(IPC_PEER_DIED, ipc_ring_read(reader, SOON, NULL, &record));
    (void)kill(grandchild, SIGKILL);
    (void)close(plan.pipe[0]);
    (void)close(plan.pipe[1]);
    ipc_ring_reader_close(reader);
}

static _Atomic int opening_ends;

static void open_and_close_mutexes(void)
{
    static const ipc_sync_options options = {.open_mode = IPC_OPEN_OR_CREATE};
    ipc_shared_mutex *one = NULL;
    ipc_shared_mutex *other = NULL;
    CHECK_OK(ipc_shared_mutex_open("m", &options, &one));
    CHECK_OK(ipc_shared_mutex_open("m", &options, &other));
    ipc_shared_mutex_close(other);
    ipc_shared_mutex_close(one);
}

static void open_and_close_ring(void)
{
    ipc_ring_writer *writer = NULL;
    ipc_ring_reader *reader = NULL;
    CHECK_OK(ipc_ring_writer_open("r", &small, &writer));
    CHECK_OK(ipc_ring_reader_open("r", &small, &reader));
    ipc_ring_reader_close(reader);
    ipc_ring_writer_close(writer);
}

static void open_and_close_queues(void)
{
    static const ipc_queue_options options = {.block_size = 64, .block_count = 4};
    ipc_queue *one = NULL;
    ipc_queue *other = NULL;
    CHECK_OK(ipc_queue_open("q", &options, &one));
    CHECK_OK(ipc_queue_open("q", &options, &other));
    ipc_queue_close(other);
    ipc_queue_close(one);
}

static void open_and_close_topic(void)
{
    static const ipc_topic_options options = {.block_size = 64, .block_count = 4};
    ipc_topic_writer *writer = NULL;
    ipc_topic_reader *reader = NULL;
    CHECK_OK(ipc_topic_writer_open("t", &options, &writer));
    CHECK_OK(ipc_topic_reader_open("t", &options, &reader));
    ipc_topic_reader_close(reader);
    ipc_topic_writer_close(writer);
}

static void open_and_close_listener(void)
{
    ipc_listener *listener = NULL;
    CHECK_OK(ipc_listener_open("l", NULL, &listener));
    ipc_listener_close(listener);
}

static void *open_and_close(void *unused)
{
    (void)unused;
    while (!opening_ends) {
        open_and_close_mutexes();
        open_and_close_ring();
        open_and_close_queues();
        open_and_close_topic();
        open_and_close_listener();
    }
    return NULL;
}

/* How many descriptors of this process lead into the test's directory; nameless files count too. */
static int descriptors_there(void)
{
    int count = 0;
    for (int fd = 0; fd < 64; fd++) {
        char link[64];
        char target[512];
        (void)snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
        const ssize_t length = readlink(link, target, sizeof target - 1);
        if (length < 0)
            continue;
        target[length] = '\0';
        count += strstr(target, test_directory()) != NULL;
    }
    return count;
}

/* A descriptor that a child kept would keep the locks of a parent that is killed while it has them. Nor may the child
   look at what another thread has just freed, which the sanitizer sees. */
POSIX_TEST(a_child_has_no_file_of_a_region_whenever_it_is_made)
{
    test_thread thread;
    opening_ends = 0;
    test_thread_start(&thread, open_and_close, NULL);
    const int rounds = test_is_long() ? 20000 : 1000;
    for (int i = 0; i < rounds; i++) {
        const pid_t child = fork();
        CHECK(child >= 0);
        if (child == 0)
            _exit(descriptors_there());
        CHECK_EQUAL(0, test_wait_exit(child));
    }
    opening_ends = 1;
    test_thread_join(&thread);
}

#endif
