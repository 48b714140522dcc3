/* How long rings and queues stay, and what is in them while nobody is alive. */
#include "regions/region.h"
#include "test.h"

typedef enum { RING, QUEUE } structure;

typedef struct sender {
    structure kind;
    int records;
    bool claims;   /* and leaves one claim, or one withheld batch, open */
    bool receives; /* takes one (a queue: of its own), and does not release it */
    bool leaves;
    ipc_lifetime lifetime;
} sender;

#define LONG_ONE 100000u /* bytes: travels as a loan in both */

static uint8_t bytes[LONG_ONE];

/* The first one is long. */
static uint32_t length_of(int number)
{
    return number == 0 ? LONG_ONE : 8;
}

static int send_to_ring(const sender *plan)
{
    const ipc_ring_options options = {.capacity = 4096, .lifetime = plan->lifetime};
    ipc_ring_writer *writer = NULL;
    CHECK_OK(ipc_ring_writer_open("x", &options, &writer));
    for (int i = 0; i < plan->records; i++)
        CHECK_OK(ipc_ring_write(writer, bytes, length_of(i), (uint16_t)i, IPC_NOW, NULL));
    if (plan->claims) {
        void *payload = NULL;
        CHECK_OK(ipc_ring_try_claim(writer, 8, &payload));
        CHECK_OK(ipc_ring_commit_batched(writer, 8, 99)); /* not published yet */
        CHECK_OK(ipc_ring_try_claim(writer, 8, &payload));
    }
    if (plan->leaves)
        ipc_ring_writer_close(writer);
    return 0;
}

static int send_to_queue(const sender *plan)
{
    const ipc_queue_options options = {.block_size = 64, .block_count = 8, .lifetime = plan->lifetime};
    ipc_queue *queue = NULL;
    ipc_block block;
    CHECK_OK(ipc_queue_open("x", &options, &queue));
    for (int i = 0; i < plan->records; i++)
        CHECK_OK(ipc_queue_send(queue, bytes, length_of(i), (uint16_t)i, IPC_NOW, NULL));
    if (plan->claims)
        CHECK_OK(ipc_queue_try_claim(queue, 8, &block));
    if (plan->receives)
        CHECK_OK(ipc_queue_try_receive(queue, &block));
    if (plan->leaves)
        ipc_queue_close(queue);
    return 0;
}

static int run_sender(void *argument)
{
    const sender *plan = argument;
    const int result = plan->kind == RING ? send_to_ring(plan) : send_to_queue(plan);
    if (!plan->leaves)
        test_die();
    return result;
}

/* Nobody is alive when it returns. */
static void send(sender plan)
{
    CHECK_EQUAL(plan.leaves ? 0 : 128 + SIGKILL, test_wait_exit(test_fork(run_sender, &plan, sizeof plan)));
}

/* Opens as a receiver, gets so many and no more, releases them all. `again`: the first of them is flagged. */
static void receive(structure kind, int records, bool again)
{
    if (kind == RING) {
        const ipc_ring_options options = {.open_mode = IPC_OPEN_EXISTING};
        ipc_ring_reader *reader = NULL;
        ipc_record record;
        CHECK_OK(ipc_ring_reader_open("x", &options, &reader));
        for (int i = 0; i < records; i++) {
            CHECK_OK(ipc_ring_try_read(reader, &record));
            CHECK_EQUAL(i, record.type);
            CHECK_EQUAL(length_of(i), record.length);
            CHECK_EQUAL(again, record.redelivered);
            ipc_ring_release(reader);
        }
        CHECK_STATUS(IPC_EMPTY, ipc_ring_try_read(reader, &record));
        ipc_ring_reader_close(reader);
    } else {
        const ipc_queue_options options = {.open_mode = IPC_OPEN_EXISTING};
        ipc_queue *queue = NULL;
        ipc_block block;
        CHECK_OK(ipc_queue_open("x", &options, &queue));
        for (int i = 0; i < records; i++) {
            CHECK_OK(ipc_queue_try_receive(queue, &block));
            CHECK_EQUAL(i, block.type);
            CHECK_EQUAL(length_of(i), block.length);
            CHECK_EQUAL(again && i == 0, block.redelivered);
            ipc_queue_release(queue, &block);
        }
        CHECK_STATUS(IPC_EMPTY, ipc_queue_try_receive(queue, &block));
        ipc_queue_close(queue);
    }
}

TEST(what_a_killed_sender_had_committed_waits_for_a_receiver)
{
    for (int kind = RING; kind <= QUEUE; kind++) {
        send((sender){.kind = (structure)kind, .records = 3, .claims = true});
        CHECK_EQUAL(1, test_files());
        receive((structure)kind, 3, false);
        CHECK_EQUAL(0, test_files());
    }
}

TEST(what_a_sender_had_committed_that_left_in_order_waits_for_a_receiver)
{
    for (int kind = RING; kind <= QUEUE; kind++) {
        send((sender){.kind = (structure)kind, .records = 3, .leaves = true});
        CHECK_EQUAL(1, test_files());
        receive((structure)kind, 3, false);
        CHECK_EQUAL(0, test_files());
    }
}

TEST(what_was_only_claimed_keeps_nothing)
{
    for (int kind = RING; kind <= QUEUE; kind++) {
        for (int leaves = 0; leaves < 2; leaves++) {
            const ipc_queue_options queue = {.open_mode = IPC_OPEN_EXISTING};
            const ipc_ring_options ring = {.open_mode = IPC_OPEN_EXISTING};
            ipc_queue *in_queue = NULL;
            ipc_ring_reader *in_ring = NULL;
            send((sender){.kind = (structure)kind, .claims = kind == QUEUE || leaves == 0, .leaves = leaves != 0});
            CHECK_EQUAL(leaves == 0, test_files());
            if (kind == RING)
                CHECK_STATUS(IPC_E_NOT_FOUND, ipc_ring_reader_open("x", &ring, &in_ring));
            else
                CHECK_STATUS(IPC_E_NOT_FOUND, ipc_queue_open("x", &queue, &in_queue));
            CHECK_EQUAL(0, test_files());
        }
    }
}

TEST(what_the_last_one_held_when_it_died_or_left_comes_again_although_nobody_was_there)
{
    for (int leaves = 0; leaves < 2; leaves++) {
        send((sender){.kind = QUEUE, .records = 1, .receives = true, .leaves = leaves != 0});
        CHECK_EQUAL(1, test_files());
        receive(QUEUE, 1, true);
        CHECK_EQUAL(0, test_files());
    }
}

/* The last to leave is not the one that held it: nobody has cleaned up after that one yet. */
static int hold_one(void *unused)
{
    (void)unused;
    const sender plan = {.kind = QUEUE, .records = 0, .receives = true};
    (void)send_to_queue(&plan);
    test_die();
}

TEST(what_a_dead_receiver_held_keeps_the_queue_when_the_last_living_one_leaves)
{
    const ipc_queue_options options = {.block_size = 64, .block_count = 8};
    ipc_queue *queue = NULL;
    CHECK_OK(ipc_queue_open("x", &options, &queue));
    CHECK_OK(ipc_queue_send(queue, bytes, LONG_ONE, 0, IPC_NOW, NULL));
    CHECK_EQUAL(128 + SIGKILL, test_wait_exit(test_fork(hold_one, NULL, 0)));
    ipc_queue_close(queue);
    CHECK_EQUAL(1, test_files());
    receive(QUEUE, 1, true);
    CHECK_EQUAL(0, test_files());
}

TEST(a_region_that_lives_while_it_is_used_goes_with_what_is_in_it)
{
    for (int kind = RING; kind <= QUEUE; kind++) {
        send((sender){.kind = (structure)kind, .records = 2, .leaves = true, .lifetime = IPC_LIFETIME_WHILE_USED});
        CHECK_EQUAL(0, test_files());
    }
}

TEST(creating_where_messages_wait_is_refused_and_says_so)
{
    for (int kind = RING; kind <= QUEUE; kind++) {
        const ipc_queue_options queue = {.open_mode = IPC_CREATE_NEW};
        const ipc_ring_options ring = {.open_mode = IPC_CREATE_NEW};
        ipc_queue *in_queue = NULL;
        ipc_ring_reader *in_ring = NULL;
        send((sender){.kind = (structure)kind, .records = 1});
        if (kind == RING)
            CHECK_STATUS(IPC_E_EXISTS, ipc_ring_reader_open("x", &ring, &in_ring));
        else
            CHECK_STATUS(IPC_E_EXISTS, ipc_queue_open("x", &queue, &in_queue));
        check_error_says("unread messages");
        CHECK_OK(ipc_clear("x"));
        CHECK_EQUAL(0, test_files());
    }
}

TEST(who_asks_for_another_lifetime_than_there_is_is_told_both)
{
    ipc_queue *queue = NULL;
    ipc_ring_reader *ring = NULL;
    ipc_topic_reader *topic = NULL;
    ipc_shared_mutex *mutex = NULL;
    const ipc_queue_options persistent_queue = {.lifetime = IPC_LIFETIME_PERSISTENT};
    const ipc_ring_options used_ring = {.lifetime = IPC_LIFETIME_WHILE_USED};
    send((sender){.kind = QUEUE, .records = 1});
    CHECK_STATUS(IPC_E_WRONG_LIFETIME, ipc_queue_open("x", &persistent_queue, &queue));
    check_error_says("IPC_LIFETIME_UNTIL_EMPTY");
    check_error_says("IPC_LIFETIME_PERSISTENT");
    receive(QUEUE, 1, false); /* and nothing was changed */
    send((sender){.kind = RING, .records = 1, .lifetime = IPC_LIFETIME_UNTIL_EMPTY});
    CHECK_STATUS(IPC_E_WRONG_LIFETIME, ipc_ring_reader_open("x", &used_ring, &ring));
    receive(RING, 1, false);
    CHECK_EQUAL(0, test_files());

    const ipc_topic_options until_empty = {.lifetime = IPC_LIFETIME_UNTIL_EMPTY};
    CHECK_STATUS(IPC_E_INVALID_ARGUMENT, ipc_topic_reader_open("t", &until_empty, &topic));
    const ipc_sync_options no_lifetime = {.lifetime = (ipc_lifetime)4};
    CHECK_STATUS(IPC_E_INVALID_ARGUMENT, ipc_shared_mutex_open("m", &no_lifetime, &mutex));
    CHECK_EQUAL(0, test_files());
}

/* ---- what a dead reader of a ring may have handled ----------------------------------------------------- */

static int read_ten(void *unused)
{
    (void)unused;
    ipc_ring_reader *reader = NULL;
    ipc_record record;
    CHECK_OK(ipc_ring_reader_open("x", NULL, &reader));
    for (int i = 0; i < 10; i++)
        CHECK_OK(ipc_ring_try_read(reader, &record));
    test_die();
}

/* The second reader released one and closed in order; the third got the other nine as if nobody had ever seen them. */
TEST(what_a_dead_reader_may_have_handled_is_flagged_for_every_later_reader)
{
    const sender plan = {.kind = RING, .records = 10, .leaves = true};
    ipc_ring_writer *writer = NULL;
    CHECK_EQUAL(0, send_to_ring(&plan));
    CHECK_EQUAL(128 + SIGKILL, test_wait_exit(test_fork(read_ten, NULL, 0)));
    for (int turn = 0; turn < 10; turn++) {
        ipc_ring_reader *reader = NULL;
        ipc_record record;
        CHECK_OK(ipc_ring_reader_open("x", NULL, &reader));
        CHECK_OK(ipc_ring_try_read(reader, &record));
        CHECK_EQUAL(turn, record.type);
        CHECK(record.redelivered);
        ipc_ring_release(reader);
        if (turn == 9) { /* and what comes afterwards is new */
            CHECK_OK(ipc_ring_writer_open("x", NULL, &writer));
            CHECK_OK(ipc_ring_write(writer, bytes, 8, 10, IPC_NOW, NULL));
            CHECK_OK(ipc_ring_try_read(reader, &record));
            CHECK(!record.redelivered);
            ipc_ring_release(reader);
            ipc_ring_writer_close(writer);
        }
        ipc_ring_reader_close(reader);
    }
    CHECK_EQUAL(0, test_files());
}

TEST(what_a_reader_left_unreleased_is_flagged_too)
{
    const sender plan = {.kind = RING, .records = 8, .leaves = true};
    ipc_ring_reader *reader = NULL;
    ipc_record record;
    CHECK_EQUAL(0, send_to_ring(&plan));
    CHECK_OK(ipc_ring_reader_open("x", NULL, &reader));
    for (int i = 0; i < 5; i++) {
        CHECK_OK(ipc_ring_try_read(reader, &record));
        CHECK(!record.redelivered);
        if (i == 1)
            ipc_ring_release(reader);
    }
    ipc_ring_reader_close(reader);
    CHECK_OK(ipc_ring_reader_open("x", NULL, &reader));
    for (int i = 2; i < 8; i++) {
        CHECK_OK(ipc_ring_try_read(reader, &record));
        CHECK_EQUAL(i, record.type);
        CHECK_EQUAL(i < 5, record.redelivered); /* it never saw the others */
    }
    ipc_ring_release(reader);
    ipc_ring_reader_close(reader);
    CHECK_EQUAL(0, test_files());
}

/* Somebody has stopped, with the lock, between retiring a region and removing its name. */
TEST(a_name_that_somebody_keeps_is_waited_for_as_a_lock_is)
{
    const ipc_ring_options own = {.capacity = 4096};
    const ipc_ring_options patient = {
        .capacity = 4096, .open_mode = IPC_OPEN_EXISTING, .deadline = ipc_deadline_after(50000000)};
    ipc_ring_writer *writer = NULL;
    ipc_ring_reader *reader = NULL;
    ipc_region *keeper = NULL;
    char path[IPC_PATH_MAX];
    CHECK_OK(ipc_ring_writer_open("x", &own, &writer));
    CHECK_OK(ipc_region_path("x", path, sizeof path));
    CHECK_OK(ipc_region_open(path, NULL, NULL, NULL, IPC_NOW, &keeper));
    CHECK_OK(ipc_region_lock(keeper, SOON));
    ipc_store_release32(&ipc_region_header_of(keeper)->state, IPC_REGION_RETIRED);
    CHECK_STATUS(IPC_TIMEOUT, ipc_ring_reader_open("x", &patient, &reader));
    check_error_says("in a debugger perhaps");
    CHECK_STATUS(IPC_TIMEOUT, ipc_ring_reader_open("x", &own, &reader)); /* which would make one: once, not for ever */
    ipc_region_unlock(keeper);
    CHECK_OK(ipc_ring_reader_open("x", &own, &reader)); /* a new one */
    ipc_ring_reader_close(reader);
    ipc_region_discard(keeper);
    ipc_ring_writer_close(writer);
}
