/* Senders and receivers in processes of their own, which are killed or stopped. The survivor's behaviour is the
   assertion. */
#define _GNU_SOURCE
#include "queues/queue.h"
#include "test.h"

#ifndef _WIN32
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>
#endif

static const ipc_queue_options small = {.block_size = 64, .block_count = 8, .loan_budget = 1u << 20};

static ipc_queue *open_queue(const ipc_queue_options *options)
{
    ipc_queue *queue = NULL;
    CHECK_OK(ipc_queue_open("q", options, &queue));
    return queue;
}

typedef struct child_plan {
    const ipc_queue_options *options;
    int sends;       /* committed */
    int receives;    /* received and released */
    int claims;      /* ... and then claimed */
    int holds;       /* ... or received and not released */
    uint32_t length; /* of what is claimed; 0: 8 */
    bool commits;    /* once it goes on after it was stopped */
    test_pipe ready; /* written to when the plan is done */
} child_plan;

static ipc_status do_plan(const child_plan *plan, ipc_queue *queue, ipc_block *last)
{
    ipc_status status = IPC_OK;
    ipc_block block;
    for (uint64_t i = 0; i < (uint64_t)plan->sends && status == IPC_OK; i++)
        status = ipc_queue_send(queue, &i, 8, (uint16_t)i, SOON, NULL);
    for (int i = 0; i < plan->receives && status == IPC_OK; i++) {
        status = ipc_queue_receive(queue, SOON, NULL, &block);
        ipc_queue_release(queue, &block);
    }
    for (int i = 0; i < plan->claims && status == IPC_OK; i++) {
        status = ipc_queue_claim(queue, plan->length == 0 ? 8 : plan->length, SOON, NULL, last);
        if (status == IPC_OK)
            memset(last->payload, 0xFF, last->length);
    }
    for (int i = 0; i < plan->holds && status == IPC_OK; i++)
        status = ipc_queue_receive(queue, SOON, NULL, &block);
    return status;
}

static int run_child(void *argument)
{
    const child_plan *plan = argument;
    ipc_queue *queue = NULL;
    ipc_block last = {0};
    ipc_status status = ipc_queue_open("q", plan->options, &queue);
    if (status == IPC_OK)
        status = do_plan(plan, queue, &last);
    test_say(&plan->ready, status == IPC_OK ? 'y' : 'n');
    if (plan->commits) {
        test_stop_self();
        status = ipc_queue_commit(queue, &last, last.length, 77);
        ipc_queue_close(queue);
        return status == IPC_OK ? 0 : 1;
    }
    test_stay();
}

static pid_t start_child(child_plan *plan)
{
    if (plan->options == NULL)
        plan->options = &small;
    test_pipe_open(&plan->ready);
    pid_t pid = test_fork(run_child, plan, sizeof *plan);
    CHECK_EQUAL('y', test_hear(&plan->ready));
    test_pipe_close(&plan->ready);
    return pid;
}

/* As if nobody had ever been there: all blocks can be claimed, all loans too, nothing is to be received. */
static void expect_as_new(ipc_queue *queue)
{
    ipc_block blocks[8];
    ipc_block loan;
    CHECK_STATUS(IPC_EMPTY, ipc_queue_try_receive(queue, &loan));
    for (int i = 0; i < 8; i++)
        CHECK_OK(ipc_queue_try_claim(queue, 8, &blocks[i]));
    CHECK_STATUS(IPC_FULL, ipc_queue_try_claim(queue, 8, &loan));
    for (int i = 0; i < 8; i++)
        ipc_queue_abandon(queue, &blocks[i]);
    CHECK_OK(ipc_queue_try_claim(queue, 1u << 20, &loan));
    ipc_queue_abandon(queue, &loan);
    CHECK_EQUAL(1, ipc_queue_participants(queue, NULL, 0));
}

TEST(a_killed_sender_leaves_what_it_committed_and_nothing_else)
{
    ipc_queue *queue = open_queue(&small);
    child_plan plan = {.sends = 3, .claims = 2};
    pid_t pid = start_child(&plan);
    ipc_block block;
    CHECK_EQUAL(2, ipc_queue_participants(queue, NULL, 0));
    test_kill(pid);
    for (uint16_t i = 0; i < 3; i++) {
        CHECK_OK(ipc_queue_receive(queue, SOON, NULL, &block));
        CHECK(block.type == i && !block.redelivered);
        ipc_queue_release(queue, &block);
    }
    WAIT_FOR(ipc_queue_participants(queue, NULL, 0) == 1);
    expect_as_new(queue);
    ipc_queue_close(queue);
}

TEST(what_a_killed_receiver_held_is_received_again_and_marked)
{
    ipc_queue *queue = open_queue(&small);
    child_plan plan = {.receives = 1, .holds = 2};
    ipc_block block;
    for (uint64_t i = 0; i < 4; i++)
        CHECK_OK(ipc_queue_send(queue, &i, 8, (uint16_t)i, IPC_NOW, NULL));
    pid_t pid = start_child(&plan);
    CHECK_OK(ipc_queue_receive(queue, SOON, NULL, &block));
    CHECK(block.type == 3 && !block.redelivered);
    ipc_queue_release(queue, &block);
    CHECK_STATUS(IPC_EMPTY, ipc_queue_try_receive(queue, &block));
    test_kill(pid);
    for (uint16_t i = 1; i < 3; i++) { /* asleep or not: the death wakes us */
        CHECK_OK(ipc_queue_receive(queue, SOON, NULL, &block));
        CHECK(block.type == i && block.redelivered);
        ipc_queue_release(queue, &block);
    }
    WAIT_FOR(ipc_queue_participants(queue, NULL, 0) == 1);
    expect_as_new(queue);
    ipc_queue_info info;
    ipc_queue_get_info(queue, &info);
    CHECK_EQUAL(2, info.redelivered);
    ipc_queue_close(queue);
}

TEST(a_killed_receiver_makes_room_where_orphans_are_dropped)
{
    static const ipc_queue_options drops = {
        .block_size = 64, .block_count = 8, .loan_budget = 1u << 20, .drop_orphans = true};
    ipc_queue *queue = open_queue(&drops);
    child_plan plan = {.options = &drops, .holds = 8};
    ipc_block block;
    for (uint64_t i = 0; i < 8; i++)
        CHECK_OK(ipc_queue_send(queue, &i, 8, (uint16_t)i, IPC_NOW, NULL));
    pid_t pid = start_child(&plan);
    CHECK_STATUS(IPC_FULL, ipc_queue_try_claim(queue, 8, &block));
    test_kill(pid);
    CHECK_OK(ipc_queue_claim(queue, 8, SOON, NULL, &block));
    ipc_queue_abandon(queue, &block);
    WAIT_FOR(ipc_queue_participants(queue, NULL, 0) == 1);
    expect_as_new(queue);
    ipc_queue_close(queue);
}

TEST(loans_of_the_killed_are_freed_or_delivered_again)
{
    ipc_queue *queue = open_queue(&small);
    child_plan holder = {.holds = 1};
    child_plan claimer = {.claims = 1, .length = 400000};
    ipc_block block;
    uint8_t *bytes = calloc(1, 300000);
    CHECK(bytes != NULL);
    bytes[299999] = 42;
    CHECK_OK(ipc_queue_send(queue, bytes, 300000, 5, IPC_NOW, NULL));
    pid_t pids[2] = {start_child(&holder), start_child(&claimer)};
    test_kill(pids[0]);
    test_kill(pids[1]);
    CHECK_OK(ipc_queue_receive(queue, SOON, NULL, &block));
    CHECK(block.redelivered && block.length == 300000 && block.type == 5);
    CHECK_EQUAL(42, ((const uint8_t *)block.payload)[299999]);
    ipc_queue_release(queue, &block);
    WAIT_FOR(ipc_queue_participants(queue, NULL, 0) == 1);
    expect_as_new(queue);
    free(bytes);
    ipc_queue_close(queue);
}

/* A death is noticed also by who only sends, and never waits. */
TEST(a_full_queue_notices_that_who_holds_it_up_is_dead)
{
    ipc_queue *queue = open_queue(&small);
    child_plan plan = {.claims = 1};
    pid_t pid = start_child(&plan);
    ipc_block block;
    for (uint64_t i = 0; i < 7; i++)
        CHECK_OK(ipc_queue_send(queue, &i, 8, (uint16_t)i, IPC_NOW, NULL));
    for (uint64_t i = 0; i < 7; i++) {
        CHECK_OK(ipc_queue_try_receive(queue, &block));
        CHECK_EQUAL(i, block.type);
        ipc_queue_release(queue, &block);
    }
    CHECK_STATUS(IPC_FULL, ipc_queue_try_claim(queue, 8, &block));
    test_kill(pid);
    WAIT_FOR(ipc_queue_try_claim(queue, 8, &block) == IPC_OK);
    ipc_queue_abandon(queue, &block);
    WAIT_FOR(ipc_queue_participants(queue, NULL, 0) == 1);
    expect_as_new(queue);
    ipc_queue_close(queue);
}

TEST(a_stopped_sender_keeps_its_block_and_holds_up_nobody)
{
    ipc_queue *queue = open_queue(&small);
    child_plan plan = {.claims = 1, .commits = true};
    pid_t pid = start_child(&plan);
    ipc_block block;
    test_wait_stopped(pid);
    for (uint64_t i = 0; i < 7; i++) {
        CHECK_OK(ipc_queue_send(queue, &i, 8, (uint16_t)i, IPC_NOW, NULL));
        CHECK_OK(ipc_queue_receive(queue, SOON, NULL, &block));
        CHECK_EQUAL(i, block.type);
        ipc_queue_release(queue, &block);
    }
    CHECK_STATUS(IPC_TIMEOUT, ipc_queue_claim(queue, 8, ipc_deadline_after(300000000), NULL, &block));
    CHECK_EQUAL(2, ipc_queue_participants(queue, NULL, 0));
    test_continue(pid);
    CHECK_OK(ipc_queue_receive(queue, SOON, NULL, &block));
    CHECK_EQUAL(77, block.type);
    ipc_queue_release(queue, &block);
    CHECK_EQUAL(0, test_wait_exit(pid));
    WAIT_FOR(ipc_queue_participants(queue, NULL, 0) == 1);
    expect_as_new(queue);
    ipc_queue_close(queue);
}

TEST(deaths_and_departures_are_told_apart)
{
    ipc_queue *queue = open_queue(&small);
    child_plan plan = {.sends = 0};
    ipc_change change;
    pid_t pid = start_child(&plan);
    CHECK_OK(ipc_queue_next_change(queue, SOON, NULL, &change));
    CHECK(change.kind == IPC_CHANGE_ATTACHED && change.participant.pid == (uint32_t)pid);
    test_kill(pid);
    CHECK_OK(ipc_queue_next_change(queue, SOON, NULL, &change));
    CHECK(change.kind == IPC_CHANGE_DIED && change.participant.pid == (uint32_t)pid);
    ipc_queue *other = open_queue(&small);
    CHECK_OK(ipc_queue_next_change(queue, SOON, NULL, &change));
    CHECK(change.kind == IPC_CHANGE_ATTACHED && change.participant.pid == ipc_platform_pid());
    ipc_queue_close(other);
    CHECK_OK(ipc_queue_next_change(queue, SOON, NULL, &change));
    CHECK(change.kind == IPC_CHANGE_LEFT);
    ipc_queue_close(queue);
}

TEST(what_everybody_left_behind_in_death_is_inherited)
{
    child_plan plan = {.sends = 2, .claims = 1};
    pid_t pids[2] = {start_child(&plan), start_child(&plan)};
    test_kill(pids[0]);
    test_kill(pids[1]);
    CHECK_EQUAL(1, test_files());
    ipc_queue *queue = open_queue(&small);
    ipc_block block;
    for (int i = 0; i < 4; i++) {
        CHECK_OK(ipc_queue_try_receive(queue, &block));
        CHECK(!block.redelivered);
        ipc_queue_release(queue, &block);
    }
    expect_as_new(queue);
    ipc_queue_close(queue);
    pids[0] = start_child(&plan);
    CHECK_STATUS(IPC_E_IN_USE, ipc_clear("q"));
    char words[64];
    (void)snprintf(words, sizeof words, "process %d", (int)pids[0]);
    check_error_says(words);
    test_kill(pids[0]);
    CHECK_OK(ipc_clear("q"));
}

#ifndef _WIN32
static int use_parents_queue(void *argument)
{
    ipc_queue *queue = argument;
    ipc_block block;
    ipc_change change;
    ipc_queue_info info;
    bool right =
        ipc_queue_try_claim(queue, 8, &block) == IPC_CLOSED && ipc_queue_try_receive(queue, &block) == IPC_CLOSED;
    right = right && ipc_queue_send(queue, "x", 1, 1, IPC_FOREVER, NULL) == IPC_CLOSED;
    right = right && ipc_queue_receive(queue, IPC_FOREVER, NULL, &block) == IPC_CLOSED;
    right = right && ipc_queue_claim(queue, 5000, IPC_FOREVER, NULL, &block) == IPC_CLOSED;
    right = right && ipc_queue_next_change(queue, IPC_FOREVER, NULL, &change) == IPC_CLOSED;
    ipc_queue_get_info(queue, &info);
    ipc_queue_trim_loans(queue);
    ipc_queue_close(queue);
    return right ? 0 : 1;
}

POSIX_TEST(in_a_forked_child_the_parents_queue_is_closed)
{
    for (uint32_t expansions = 0; expansions < 2; expansions++) {
        const ipc_queue_options options = {.block_count = 8, .max_expansions = expansions};
        ipc_queue *queue = open_queue(&options);
        ipc_block block;
        CHECK_OK(ipc_queue_send(queue, "x", 1, 9, IPC_NOW, NULL));
        CHECK_EQUAL(0, test_wait_exit(test_fork(use_parents_queue, queue, 0)));
        CHECK_OK(ipc_queue_try_receive(queue, &block));
        CHECK_EQUAL(9, block.type);
        ipc_queue_release(queue, &block);
        CHECK_EQUAL(1, ipc_queue_participants(queue, NULL, 0));
        ipc_queue_close(queue);
    }
}

/* In a file system of its own, 256 KiB small. Nothing may be checked before it is gone again. */
POSIX_TEST(growth_into_a_full_disk_is_full_and_no_signal)
{
    char path[600];
    (void)snprintf(path, sizeof path, "%s/small", test_directory());
    CHECK(mkdir(path, 0700) == 0);
    if (geteuid() != 0 || mount("none", path, "tmpfs", 0, "size=256k") != 0) {
        CHECK(rmdir(path) == 0);
        test_skip("needs the right to mount a small file system");
    }
    char before[512];
    (void)snprintf(before, sizeof before, "%s", getenv("IPC_DIR"));
    (void)setenv("IPC_DIR", path, 1);
    const ipc_queue_options options = {.block_size = 992, .block_count = 64, .max_expansions = 9, .loan_budget = 4096};
    ipc_queue *queue = NULL;
    ipc_queue_info info = {0};
    uint64_t sent = 0;
    uint64_t received = 0;
    ipc_status opened = ipc_queue_open("q", &options, &queue);
    ipc_status last = IPC_OK;
    uint8_t bytes[992] = {0};
    for (int turn = 0; turn < 3 && opened == IPC_OK; turn++) {
        while ((last = ipc_queue_send(queue, bytes, sizeof bytes, 1, IPC_NOW, NULL)) == IPC_OK)
            sent++;
        ipc_block block;
        while (ipc_queue_try_receive(queue, &block) == IPC_OK) {
            ipc_queue_release(queue, &block);
            received++;
        }
    }
    if (opened == IPC_OK)
        ipc_queue_get_info(queue, &info);
    struct statfs disk;
    const int looked = statfs(path, &disk);
    ipc_queue_close(queue);
    (void)setenv("IPC_DIR", before, 1);
    CHECK(umount(path) == 0);
    CHECK(rmdir(path) == 0);
    CHECK_STATUS(IPC_OK, opened);
    CHECK_STATUS(IPC_TIMEOUT, last);
    CHECK(info.segments > 1 && info.segments < 10);
    CHECK(info.growth_failures != 0);
    CHECK(looked == 0 &&
          disk.f_bfree != 0); /* nothing has changed: the part of the segment that fitted is free again */
    CHECK_EQUAL(3ull * info.segments * 64, sent);
    CHECK_EQUAL(sent, received);
}
#endif
