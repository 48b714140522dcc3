/* Writers, readers and sweepers that die between any two steps of a loan. The process of a case opens nothing itself: a
   child inherits the fault point that its parent has looked up, or not found. */
#include "ignore.h"
#include "ring_loan_parts.h"


static const ipc_ring_options lasting = {.capacity = 4096, .loan_budget = 1024 * KIB, .lifetime = IPC_LIFETIME_PERSISTENT};

static void remove_ring(void)
{
    char path[512];
    test_path("r", path, sizeof path);
    test_remove_file(path);
}

static int write_until_killed(void *fault)
{
    ipc_ring_writer *writer = NULL;
    test_set_environment("IPC_FAULT", fault);
    if (ipc_ring_writer_open("r", &lasting, &writer) != IPC_OK)
        return 1;
    write_one(writer, 5000, 1);
    write_one(writer, LONG, 2); /* the second pass of the point kills */
    return 0;
}

/* In a process of its own: a child inherits the fault point that its parent has looked up, or not found. */
static int writer_dies_at(void *fault)
{
    both ends;
    CHECK_EQUAL(128 + SIGKILL, test_wait_exit(test_fork(write_until_killed, fault, 0)));
    open_both(&ends, &lasting);
    const bool was_published = strstr(fault, "after_publish") != NULL;
    CHECK_EQUAL(was_published ? 2 : 1, lent(&ends.reader->ring));
    write_one(ends.writer, 3000, 3);
    (void)read_one(ends.reader, 5000, 1);
    if (was_published)
        (void)read_one(ends.reader, LONG, 2);
    (void)read_one(ends.reader, 3000, 3);
    ipc_ring_release(ends.reader);
    CHECK_EQUAL(0, lent(&ends.reader->ring));
    write_one(ends.writer, 1024 * KIB, 4); /* the whole budget is there */
    close_both(&ends);
    remove_ring();
    return 0;
}

TEST(a_writer_that_dies_at_any_step_of_a_loan_leaves_nothing_taken)
{
    static const char *const faults[] = {
        "pool.take.owned:2",           "pool.grow.claimed:2",   "pool.grow.present:2",          "ring.claim.done:2",
        "ring.loan.recorded:2",        "pool.publish.before:2", "ring.commit.before_publish:2", "pool.publish.after:2",
        "ring.commit.after_publish:2",
    };
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++)
        CHECK_EQUAL(0, test_wait_exit(test_fork(writer_dies_at, faults[i], 0)));
}

static int write_three(void *unused)
{
    ipc_ring_writer *writer = NULL;
    (void)unused;
    CHECK_OK(ipc_ring_writer_open("r", &lasting, &writer));
    write_one(writer, 5000, 1);
    write_one(writer, LONG, 2);
    write_one(writer, 2 * LONG, 3);
    ipc_ring_writer_close(writer);
    return 0;
}

static int read_until_killed(void *fault)
{
    ipc_ring_reader *reader = NULL;
    test_set_environment("IPC_FAULT", fault);
    CHECK_OK(ipc_ring_reader_open("r", &lasting, &reader));
    (void)read_one(reader, 5000, 1);
    (void)read_one(reader, LONG, 2);
    ipc_ring_release(reader);
    return 0;
}

static int reader_dies_at(void *fault)
{
    both ends;
    CHECK_EQUAL(0, test_wait_exit(test_fork(write_three, NULL, 0)));
    CHECK_EQUAL(128 + SIGKILL, test_wait_exit(test_fork(read_until_killed, fault, 0)));
    open_both(&ends, &lasting);
    const bool was_released = strcmp(fault, "ring.read.done:2") != 0 && strcmp(fault, "ring.release.before_store") != 0;
    CHECK_EQUAL(was_released ? 1 : 3, lent(&ends.reader->ring));
    if (!was_released) {
        CHECK(read_one(ends.reader, 5000, 1).redelivered);
        CHECK(read_one(ends.reader, LONG, 2).redelivered);
    }
    CHECK(read_one(ends.reader, 2 * LONG, 3).redelivered);
    write_one(ends.writer, 4000, 4);
    CHECK(!read_one(ends.reader, 4000, 4).redelivered);
    ipc_ring_release(ends.reader);
    CHECK_EQUAL(0, lent(&ends.reader->ring));
    close_both(&ends);
    remove_ring();
    return 0;
}

TEST(a_reader_that_dies_leaves_its_unreleased_loans_to_the_next_and_no_others)
{
    static const char *const faults[] = {"ring.read.done:2",         "ring.release.before_store",
                                         "ring.release.after_store", "ring.release.before_loans",
                                         "pool.free.before:1",       "pool.free.before:2"};
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++)
        CHECK_EQUAL(0, test_wait_exit(test_fork(reader_dies_at, faults[i], 0)));
}

static int sweep_until_killed(void *fault)
{
    ipc_ring_writer *writer = NULL;
    test_set_environment("IPC_FAULT", fault);
    ignore(ipc_ring_writer_open("r", &lasting, &writer));
    return 0;
}

static int sweeper_dies(void *fault)
{
    CHECK_EQUAL(128 + SIGKILL, test_wait_exit(test_fork(write_until_killed, "pool.take.owned:2", 0)));
    CHECK_EQUAL(128 + SIGKILL, test_wait_exit(test_fork(sweep_until_killed, fault, 0)));
    both ends;
    open_both(&ends, &lasting);
    CHECK_EQUAL(1, lent(&ends.reader->ring));
    (void)read_one(ends.reader, 5000, 1);
    ipc_ring_release(ends.reader);
    write_one(ends.writer, 1024 * KIB, 2);
    close_both(&ends);
    remove_ring();
    return 0;
}

TEST(a_sweep_that_is_killed_is_done_again)
{
    CHECK_EQUAL(0, test_wait_exit(test_fork(sweeper_dies, "pool.free.before", 0)));
    CHECK_EQUAL(0, test_wait_exit(test_fork(sweeper_dies, "pool.recover.block", 0)));
}
