/* One operation of each structure, by a victim that is killed between any two of its instructions: see stepper.h. */
#include "stepper.h"

#include "numbered.h"

enum { LENGTH = 100, LONG_LENGTH = 3000 };

/* What the test's process has open, and what the victim has: one has what the other has not. */
static struct {
    ipc_ring_writer *writer;
    ipc_ring_reader *reader;
    ipc_queue *queue;
} mine;

static uint64_t number_of(const void *payload, uint32_t length)
{
    uint64_t number = 0;
    if (!is_numbered(payload, length, &number))
        test_fail(__FILE__, __LINE__, "a message of %u bytes is not whole", length);
    return number;
}

/* ---- ring --------------------------------------------------------------------------------------------------------- */

static const ipc_ring_options ring_options = {.capacity = 4096, .loan_budget = 1 << 20};

static void ring_write(uint64_t number, uint32_t length)
{
    unsigned char bytes[LONG_LENGTH];
    fill_numbered(bytes, length, number);
    CHECK_OK(ipc_ring_write(mine.writer, bytes, length, 1, SOON, NULL));
}

static void open_ring_writer(void)
{
    CHECK_OK(ipc_ring_writer_open("r", &ring_options, &mine.writer));
}

static void open_ring_reader(void)
{
    CHECK_OK(ipc_ring_reader_open("r", &ring_options, &mine.reader));
}

static void close_ring(void)
{
    step_expect_as_new("r", true);
    ipc_ring_writer_close(mine.writer);
    ipc_ring_reader_close(mine.reader);
}

/* 0 when the writer has died and everything is read. */
static uint64_t ring_next(void)
{
    ipc_record record;
    const ipc_status status = ipc_ring_read(mine.reader, SOON, NULL, &record);
    if (status == IPC_PEER_DIED)
        return 0;
    CHECK_OK(status);
    const uint64_t number = number_of(record.payload, record.length);
    ipc_ring_release(mine.reader);
    return number;
}

static void expect_traffic(uint64_t first)
{
    for (uint64_t i = first; i < first + 100; i++) { /* more than a lap */
        ring_write(i, LENGTH);
        CHECK_EQUAL(i, ring_next());
    }
    ring_write(first, LONG_LENGTH);
    CHECK_EQUAL(first, ring_next());
}

static void write_two(void)
{
    open_ring_writer();
    ring_write(1, LENGTH);
    ring_write(2, LONG_LENGTH);
}

static void write_one_more(void) { ring_write(3, LENGTH); }
static void write_a_loan(void) { ring_write(3, LONG_LENGTH); }

static void write_a_batch(void)
{
    unsigned char bytes[LENGTH];
    for (uint64_t i = 3; i < 6; i++) {
        void *payload = NULL;
        CHECK_OK(ipc_ring_try_claim(mine.writer, LENGTH, &payload));
        fill_numbered(bytes, LENGTH, i);
        memcpy(payload, bytes, LENGTH);
        CHECK_OK(ipc_ring_commit_batched(mine.writer, LENGTH, 1));
    }
    ipc_ring_flush(mine.writer);
}

static void check_writer(bool finished, uint64_t last)
{
    uint64_t expected = 1, number;
    while ((number = ring_next()) != 0)
        CHECK_EQUAL(expected++, number);
    CHECK(expected == last + 1 || (!finished && expected == 3)); /* a batch comes whole or not at all */
    open_ring_writer();
    expect_traffic(10);
    close_ring();
}

static void check_write(bool finished) { check_writer(finished, 3); }
static void check_batch(bool finished) { check_writer(finished, 5); }

TEST(a_ring_goes_on_whenever_a_writer_dies)
{
    step_through(&(step_subject){open_ring_reader, write_two, NULL, write_one_more, check_write});
}

TEST(a_ring_goes_on_whenever_the_writer_of_a_loan_dies)
{
    step_through(&(step_subject){open_ring_reader, write_two, NULL, write_a_loan, check_write});
}

TEST(a_ring_goes_on_whenever_the_writer_of_a_batch_dies)
{
    step_through(&(step_subject){open_ring_reader, write_two, NULL, write_a_batch, check_batch});
}

static void prepare_reader(void)
{
    open_ring_writer();
    for (uint64_t i = 1; i <= 20; i++)
        ring_write(i, i % 4 == 0 ? LONG_LENGTH : LENGTH);
}

static void read_one(void)
{
    open_ring_reader();
    CHECK_EQUAL(1, ring_next());
}

static void read_another(void) { CHECK_EQUAL(2, ring_next()); }
static void release(void) { ipc_ring_release(mine.reader); }

static void read_many(void)
{
    ipc_record record;
    read_one();
    for (int i = 2; i <= 12; i++)
        CHECK_OK(ipc_ring_try_read(mine.reader, &record));
}

/* The first that comes again is one of two; then all, in their order, and flagged when they may have been handled. */
static void check_reader(bool finished, uint64_t first, uint64_t second)
{
    open_ring_reader();
    ring_write(21, LENGTH);
    ipc_record record;
    uint64_t expected = 0;
    do {
        CHECK_OK(ipc_ring_read(mine.reader, SOON, NULL, &record));
        const uint64_t number = number_of(record.payload, record.length);
        if (expected == 0)
            CHECK(number == second || (!finished && number == first));
        else
            CHECK_EQUAL(expected, number);
        CHECK_EQUAL(number != 21, record.redelivered);
        expected = number + 1;
        ipc_ring_release(mine.reader);
    } while (expected <= 21);
    expect_traffic(100);
    close_ring();
}

static void check_read(bool finished) { check_reader(finished, 2, 3); }
static void check_release(bool finished) { check_reader(finished, 2, 13); }

TEST(a_ring_goes_on_whenever_a_reader_dies)
{
    step_through(&(step_subject){prepare_reader, read_one, NULL, read_another, check_read});
}

TEST(a_ring_goes_on_whenever_a_reader_dies_that_returns_space_and_loans)
{
    step_through(&(step_subject){prepare_reader, read_many, NULL, release, check_release});
}

static void nothing(void) {}

static void open_and_close(void)
{
    open_ring_writer();
    ipc_ring_writer_close(mine.writer);
}

static void check_opened(bool finished)
{
    (void)finished;
    open_ring_writer();
    open_ring_reader();
    expect_traffic(1);
    close_ring();
}

static void check_came_and_went(bool finished)
{
    (void)finished;
    open_ring_writer();
    expect_traffic(1);
    close_ring();
}

TEST(a_region_goes_on_whenever_who_makes_or_ends_it_dies)
{
    step_through(&(step_subject){nothing, nothing, NULL, open_and_close, check_opened});
}

TEST(a_region_goes_on_whenever_who_comes_or_leaves_dies)
{
    step_through(&(step_subject){open_ring_reader, nothing, NULL, open_and_close, check_came_and_went});
}

/* ---- queue -------------------------------------------------------------------------------------------------------- */

enum { BLOCKS = 8 };
static const ipc_queue_options queue_options = {.block_size = 128, .block_count = BLOCKS, .loan_budget = 1 << 20};

static void open_queue(void) { CHECK_OK(ipc_queue_open("q", &queue_options, &mine.queue)); }

static void send(uint64_t number, uint32_t length)
{
    unsigned char bytes[LONG_LENGTH];
    fill_numbered(bytes, length, number);
    CHECK_OK(ipc_queue_send(mine.queue, bytes, length, 1, SOON, NULL));
}

static uint64_t receive(ipc_deadline deadline)
{
    ipc_block block;
    const ipc_status status = ipc_queue_receive(mine.queue, deadline, NULL, &block);
    if (status == IPC_TIMEOUT || status == IPC_EMPTY)
        return 0;
    CHECK_OK(status);
    const uint64_t number = number_of(block.payload, block.length);
    ipc_queue_release(mine.queue, &block);
    return number;
}

/* Who comes buries whom nobody has missed: what the dead one had comes again from here on. */
static void bury(void)
{
    ipc_queue *other = NULL;
    CHECK_OK(ipc_queue_open("q", &queue_options, &other));
    ipc_queue_close(other);
}

static void expect_whole_queue(void)
{
    for (int round = 0; round < 3; round++) {
        for (uint64_t i = 1; i <= BLOCKS; i++)
            send(i, i % 4 == 0 ? LONG_LENGTH : LENGTH); /* no place is lost */
        CHECK_STATUS(IPC_TIMEOUT, ipc_queue_send(mine.queue, "full", 4, 1, IPC_NOW, NULL));
        for (uint64_t i = 1; i <= BLOCKS; i++)
            CHECK_EQUAL(i, receive(SOON));
    }
    step_expect_as_new("q", true);
    ipc_queue_close(mine.queue);
}

static void send_one(void)
{
    open_queue();
    send(1, LENGTH);
}

static void send_another(void) { send(2, LENGTH); }
static void send_a_loan(void) { send(2, LONG_LENGTH); }

static void check_sent(bool finished)
{
    bury();
    CHECK_EQUAL(1, receive(SOON));
    const uint64_t second = receive(IPC_NOW);
    CHECK(second == 2 || (!finished && second == 0));
    CHECK_EQUAL(0, receive(IPC_NOW));
    expect_whole_queue();
}

TEST(a_queue_goes_on_whenever_a_sender_dies)
{
    step_through(&(step_subject){open_queue, send_one, NULL, send_another, check_sent});
}

TEST(a_queue_goes_on_whenever_the_sender_of_a_loan_dies)
{
    step_through(&(step_subject){open_queue, send_one, NULL, send_a_loan, check_sent});
}

static void send_three(void)
{
    open_queue();
    send(1, LENGTH);
    send(2, LONG_LENGTH);
    send(3, LENGTH);
}

static void receive_one(void)
{
    open_queue();
    CHECK_EQUAL(1, receive(SOON));
}

static void receive_a_loan(void) { CHECK_EQUAL(2, receive(SOON)); }

static void check_received(bool finished)
{
    bury();
    uint64_t number = receive(SOON);
    CHECK(number == 3 || (!finished && number == 2));
    if (number == 2)
        number = receive(SOON);
    CHECK_EQUAL(3, number);
    CHECK_EQUAL(0, receive(IPC_NOW));
    expect_whole_queue();
}

TEST(a_queue_goes_on_whenever_a_receiver_dies)
{
    step_through(&(step_subject){send_three, receive_one, NULL, receive_a_loan, check_received});
}
