/* Many writers and readers at once: each reader gets all, in the order of each writer; nothing torn is taken for good;
   waits end as they should. */
#include "topic_steps.h"

#define MOST     8u
#define MESSAGES 20000u
#define WORDS    7u /* of a message: all the same, so that a torn one shows */

typedef struct traffic {
    uint32_t writers;
    uint32_t readers;
    uint64_t messages; /* of each writer */
    ipc_policy policy;
} traffic;

typedef struct actor {
    const traffic *of;
    uint32_t number;
    ipc_topic_writer *writer;
    ipc_topic_reader *reader;
    test_thread thread;
    uint64_t read;
} actor;

static const ipc_topic_options tight = {.block_size = 64, .block_count = 64};

static void *write_all(void *argument)
{
    actor *me = argument;
    for (uint64_t i = 0; i < me->of->messages; i++) {
        uint64_t words[WORDS];
        for (uint32_t w = 0; w < WORDS; w++)
            words[w] = (uint64_t)me->number << 32 | i;
        CHECK_OK(ipc_topic_publish(me->writer, words, sizeof words, 0, me->number, SOON, NULL));
    }
    return NULL;
}

/* What a message says, having looked at every word of it. */
static uint64_t checked(const ipc_message *message)
{
    uint64_t words[WORDS];
    CHECK_EQUAL(sizeof words, message->length);
    memcpy(words, message->payload, sizeof words);
    for (uint32_t w = 1; w < WORDS; w++)
        CHECK_EQUAL(words[0], words[w]);
    CHECK_EQUAL(words[0] >> 32, message->key);
    return words[0];
}

static void *read_all(void *argument)
{
    actor *me = argument;
    uint64_t next[MOST] = {0};
    for (uint64_t i = 0; i < me->of->messages * me->of->writers; i++) {
        ipc_message message;
        CHECK_OK(ipc_topic_read(me->reader, SOON, NULL, &message));
        const uint64_t word = checked(&message);
        CHECK_EQUAL(next[word >> 32], word & UINT32_MAX);
        next[word >> 32]++;
        if (i % 3 == 0) /* reads ahead a little */
            CHECK_OK(ipc_topic_release(me->reader));
    }
    CHECK_OK(ipc_topic_release(me->reader));
    return NULL;
}

/* Lossy and latest: until the last message of every writer, or what is lost, has been accounted for. */
static void *read_some(void *argument)
{
    actor *me = argument;
    uint64_t seen[MOST] = {0};
    ipc_topic_info info = info_of(me->reader);
    while (me->read + info.lost + info.conflated < me->of->messages * me->of->writers) {
        ipc_message message;
        ipc_status status = ipc_topic_read(me->reader, ipc_deadline_after(10000000), NULL, &message);
        if (status != IPC_TIMEOUT) {
            CHECK_OK(status);
            const uint64_t word = checked(&message);
            CHECK(seen[word >> 32] <= (word & UINT32_MAX));
            seen[word >> 32] = (word & UINT32_MAX) + 1;
            me->read++;
        }
        info = info_of(me->reader);
    }
    CHECK_EQUAL(me->of->messages * me->of->writers, me->read + info.lost + info.conflated);
    return NULL;
}

static void run(const traffic *of)
{
    actor writers[MOST];
    actor readers[MOST];
    for (uint32_t i = 0; i < of->writers; i++) {
        writers[i] = (actor){.of = of, .number = i};
        CHECK_OK(ipc_topic_writer_open("t", &tight, &writers[i].writer));
    }
    for (uint32_t i = 0; i < of->readers; i++) {
        ipc_topic_options options = tight;
        options.policy = of->policy;
        readers[i] = (actor){.of = of, .number = i};
        CHECK_OK(ipc_topic_reader_open("t", &options, &readers[i].reader));
        test_thread_start(&readers[i].thread, of->policy == IPC_RELIABLE ? read_all : read_some, &readers[i]);
    }
    for (uint32_t i = 0; i < of->writers; i++)
        test_thread_start(&writers[i].thread, write_all, &writers[i]);
    for (uint32_t i = 0; i < of->writers; i++)
        test_thread_join(&writers[i].thread);
    for (uint32_t i = 0; i < of->readers; i++) {
        test_thread_join(&readers[i].thread);
        ipc_topic_reader_close(readers[i].reader);
    }
    for (uint32_t i = 0; i < of->writers; i++)
        ipc_topic_writer_close(writers[i].writer);
}

TEST(one_writer_one_reader)
{
    run(&(traffic){.writers = 1, .readers = 1, .messages = MESSAGES});
}

TEST(one_writer_four_readers)
{
    run(&(traffic){.writers = 1, .readers = 4, .messages = MESSAGES});
}

TEST(four_writers_four_readers)
{
    run(&(traffic){.writers = 4, .readers = 4, .messages = MESSAGES / 4});
}

TEST(lossy_readers_get_whole_messages_in_order_and_know_what_they_lost)
{
    run(&(traffic){.writers = 2, .readers = 2, .messages = MESSAGES, .policy = IPC_LOSSY});
}

TEST(latest_readers_get_whole_messages_and_every_one_is_accounted_for)
{
    run(&(traffic){.writers = 2, .readers = 2, .messages = MESSAGES, .policy = IPC_LATEST});
}

/* ---- long messages ----------------------------------------------------------------------------------- */

static const ipc_topic_options few_loans = {.block_size = 16, .block_count = 16, .loan_budget = 32 * 4096};

static void *write_long(void *argument)
{
    actor *me = argument;
    for (uint64_t i = 0; i < me->of->messages; i++) {
        const uint32_t length = 8 + (uint32_t)(i * 7919 % 30000);
        ipc_block block;
        CHECK_OK(ipc_topic_claim(me->writer, length, SOON, NULL, &block));
        memset(block.payload, (int)(i & 0xFF), length);
        CHECK_OK(ipc_topic_commit(me->writer, &block, length, 0, (uint64_t)me->number << 32 | i));
    }
    return NULL;
}

static void *read_long(void *argument)
{
    actor *me = argument;
    uint64_t next[MOST] = {0};
    for (uint64_t n = 0; n < me->of->messages * me->of->writers; n++) {
        ipc_message message;
        CHECK_OK(ipc_topic_read(me->reader, SOON, NULL, &message));
        const uint64_t i = message.key & UINT32_MAX;
        CHECK_EQUAL(next[message.key >> 32]++, i);
        CHECK_EQUAL(8 + i * 7919 % 30000, message.length);
        for (uint32_t b = 0; b < message.length; b++) {
            if (((const uint8_t *)message.payload)[b] != (uint8_t)i)
                test_fail(__FILE__, __LINE__, "byte %u of message %llu is wrong", b, (unsigned long long)i);
        }
        CHECK_OK(ipc_topic_release(me->reader));
    }
    return NULL;
}

TEST(long_and_short_messages_of_two_writers_to_two_readers)
{
    const traffic of = {.writers = 2, .readers = 2, .messages = 500};
    actor actors[4];
    for (uint32_t i = 0; i < 4; i++) {
        actors[i] = (actor){.of = &of, .number = i % 2};
        if (i < 2)
            CHECK_OK(ipc_topic_reader_open("t", &few_loans, &actors[i].reader));
        else
            CHECK_OK(ipc_topic_writer_open("t", &few_loans, &actors[i].writer));
    }
    for (uint32_t i = 0; i < 4; i++)
        test_thread_start(&actors[i].thread, i < 2 ? read_long : write_long, &actors[i]);
    for (uint32_t i = 0; i < 4; i++)
        test_thread_join(&actors[i].thread);
    ipc_pool_info pool;
    ipc_pool_get_info(actors[2].writer->pool, &pool);
    CHECK(pool.present <= 32 * 4096);
    for (uint32_t i = 0; i < 4; i++) {
        ipc_topic_reader_close(actors[i].reader);
        ipc_topic_writer_close(actors[i].writer);
    }
}

/* ---- waits ------------------------------------------------------------------------------------------- */

typedef struct waiting {
    ipc_topic_writer *writer;
    ipc_topic_reader *reader;
    ipc_cancel *cancel;
    ipc_status expected;
    ipc_atomic32 begun;
    uint32_t length;
} waiting;

static void *wait_to_read(void *argument)
{
    waiting *one = argument;
    ipc_message message;
    ipc_store_release32(&one->begun, 1);
    CHECK_STATUS(one->expected, ipc_topic_read(one->reader, IPC_FOREVER, one->cancel, &message));
    return NULL;
}

static void *wait_to_write(void *argument)
{
    waiting *one = argument;
    ipc_block block;
    ipc_store_release32(&one->begun, 1);
    CHECK_STATUS(one->expected,
                 ipc_topic_claim(one->writer, one->length == 0 ? 8 : one->length, IPC_FOREVER, one->cancel, &block));
    return NULL;
}

/* A thread that is in that wait, or about to be. */
static void begin_waiting(waiting *one, void *(*function)(void *), test_thread *thread)
{
    ipc_store_release32(&one->begun, 0);
    test_thread_start(thread, function, one);
    WAIT_FOR(ipc_load_acquire32(&one->begun) != 0);
}

TEST(stop_and_cancel_end_waits_of_both_ends_and_resume_begins_anew)
{
    test_thread reading;
    test_thread writing;
    waiting one = {.writer = open_writer(), .reader = open_reader(IPC_RELIABLE, IPC_JOIN_NEWEST)};
    waiting two = {.writer = one.writer};
    one.expected = IPC_STOPPED;
    begin_waiting(&one, wait_to_read, &reading);
    ipc_topic_reader_stop(one.reader);
    test_thread_join(&reading);
    ipc_topic_reader_resume(one.reader);

    CHECK_OK(ipc_cancel_create(&one.cancel));
    one.expected = IPC_CANCELLED;
    begin_waiting(&one, wait_to_read, &reading);
    ipc_cancel_trigger(one.cancel);
    test_thread_join(&reading);
    ipc_cancel_destroy(one.cancel);

    publish_all(one.writer, 0, BLOCKS);
    two.expected = IPC_STOPPED;
    begin_waiting(&two, wait_to_write, &writing);
    ipc_topic_writer_stop(one.writer);
    test_thread_join(&writing);
    ipc_topic_writer_resume(one.writer);
    CHECK_OK(ipc_cancel_create(&two.cancel));
    two.expected = IPC_CANCELLED;
    begin_waiting(&two, wait_to_write, &writing);
    ipc_cancel_trigger(two.cancel);
    test_thread_join(&writing);
    ipc_cancel_destroy(two.cancel);

    two.cancel = NULL;
    two.expected = IPC_OK; /* and the wait itself still works */
    begin_waiting(&two, wait_to_write, &writing);
    expect(one.reader, 0, 0);
    CHECK_OK(ipc_topic_release(one.reader));
    test_thread_join(&writing);
    ipc_topic_reader_close(one.reader);
    ipc_topic_writer_close(one.writer);
}

TEST(closing_ends_the_waits_of_other_threads_a_thousand_times)
{
    for (int i = 0; i < 1000; i++) {
        test_thread reading;
        test_thread writing;
        const ipc_topic_options options = {.block_size = 8, .block_count = 2, .loan_budget = 4096};
        waiting one = {.expected = IPC_CLOSED, .length = i % 2 == 0 ? 8 : 100};
        waiting two = {.expected = IPC_CLOSED};
        CHECK_OK(ipc_topic_writer_open("t", &options, &one.writer));
        CHECK_OK(ipc_topic_reader_open("t", &options, &two.reader));
        ipc_topic_reader *slow = open_reader(IPC_RELIABLE, IPC_JOIN_NEWEST);
        for (uint64_t value = 0; value < 2; value++) {
            CHECK_OK(publish(one.writer, value));
            expect(two.reader, value, 0);
        }
        begin_waiting(&one, wait_to_write, &writing);
        begin_waiting(&two, wait_to_read, &reading);
        /* Both are inside their waits, so that closing is allowed to race with them. */
        WAIT_FOR(ipc_load_acquire32(&one.writer->base.end.inside) != 0);
        WAIT_FOR(ipc_load_acquire32(&two.reader->base.end.inside) != 0);
        ipc_topic_writer_close(one.writer);
        ipc_topic_reader_close(two.reader);
        test_thread_join(&writing);
        test_thread_join(&reading);
        ipc_topic_reader_close(slow);
    }
}

TEST(a_writer_that_waits_for_another_writer_is_woken_by_its_commit)
{
    test_thread writing;
    ipc_topic_writer *slow = open_writer();
    waiting one = {.writer = open_writer(), .expected = IPC_OK};
    ipc_block block;
    CHECK_OK(ipc_topic_try_claim(slow, 8, &block));
    publish_all(one.writer, 1, BLOCKS); /* nobody reads: only the open claim is in the way */
    CHECK_STATUS(IPC_FULL, ipc_topic_try_claim(one.writer, 8, &(ipc_block){0}));
    check_error_says("slow writer 64");
    for (int i = 0; i < 2; i++) {
        begin_waiting(&one, wait_to_write, &writing);
        const ipc_waiter *data = &slow->header->data;
        WAIT_FOR((ipc_load_acquire32(&data->word) & IPC_WAITER_SLEEPING) != 0);
        if (i == 0)
            CHECK_OK(ipc_topic_commit(slow, &block, 8, 7, 0));
        else
            ipc_topic_abandon(slow, &block);
        test_thread_join(&writing);
        if (i == 1)
            break;
        ipc_topic_writer_close(one.writer); /* abandons what it has just claimed */
        one.writer = open_writer();
        CHECK_OK(ipc_topic_try_claim(slow, 8, &block));
        publish_all(one.writer, 1, BLOCKS);
    }
    ipc_topic_writer_close(one.writer);
    ipc_topic_writer_close(slow);
}

static void *wait_for_two(void *argument)
{
    CHECK_OK(ipc_topic_writer_wait_for_readers(argument, 2, SOON, NULL));
    return NULL;
}

TEST(waiting_for_readers_sees_them_come)
{
    test_thread thread;
    ipc_topic_writer *writer = open_writer();
    CHECK_OK(ipc_topic_writer_wait_for_readers(writer, 0, IPC_NOW, NULL));
    CHECK_STATUS(IPC_TIMEOUT, ipc_topic_writer_wait_for_readers(writer, 1, IPC_NOW, NULL));
    ipc_topic_reader *first = open_reader(IPC_LOSSY, IPC_JOIN_NEWEST);
    CHECK_OK(ipc_topic_writer_wait_for_readers(writer, 1, IPC_NOW, NULL));
    CHECK_STATUS(IPC_TIMEOUT, ipc_topic_writer_wait_for_readers(writer, 2, ipc_deadline_after(1000000), NULL));
    test_thread_start(&thread, wait_for_two, writer);
    WAIT_FOR(ipc_load_acquire32(&writer->base.end.inside) != 0);
    ipc_topic_reader *second = open_reader(IPC_RELIABLE, IPC_JOIN_NEWEST);
    test_thread_join(&thread);
    ipc_topic_reader_close(second);
    CHECK_STATUS(IPC_TIMEOUT, ipc_topic_writer_wait_for_readers(writer, 2, IPC_NOW, NULL));
    ipc_topic_reader_close(first);
    ipc_topic_writer_close(writer);
}

TEST(a_timed_wait_lasts_at_least_its_time)
{
    ipc_topic_reader *reader = open_reader(IPC_RELIABLE, IPC_JOIN_NEWEST);
    ipc_message message;
    CHECK_STATUS(IPC_TIMEOUT, ipc_topic_read(reader, IPC_NOW, NULL, &message));
    const ipc_deadline until = ipc_deadline_after(30000000);
    CHECK_STATUS(IPC_TIMEOUT, ipc_topic_read(reader, until, NULL, &message));
    CHECK(ipc_deadline_after(0) >= until);
    ipc_topic_reader_close(reader);
}

/* ---- readers that come and go ------------------------------------------------------------------------ */

static ipc_atomic32 enough;

static void *join_again_and_again(void *argument)
{
    (void)argument;
    for (int turn = 0; turn < 300; turn++) {
        ipc_topic_options options = tight;
        options.join = (ipc_join)(turn % 3);
        ipc_topic_reader *reader = NULL;
        CHECK_OK(ipc_topic_reader_open("t", &options, &reader));
        uint64_t expected = 0; /* no message before it has come */
        for (int i = 0; i < 50; i++) {
            ipc_message message;
            CHECK_OK(ipc_topic_read(reader, SOON, NULL, &message));
            CHECK_EQUAL(message.position - tight.block_count + 1, checked(&message)); /* it is what stood there */
            CHECK(message.position >= expected);
            if (expected != 0 && message.position > expected) /* what was there before may be gone, the rest not */
                CHECK(message.position <= reader->joined);
            expected = message.position + 1;
            CHECK_OK(ipc_topic_release(reader));
        }
        CHECK_EQUAL(0, info_of(reader).lost);
        ipc_topic_reader_close(reader);
    }
    (void)ipc_add32(&enough, 1);
    return NULL;
}

TEST(readers_that_join_while_writers_run_get_everything_from_then_on)
{
    test_thread threads[3];
    ipc_topic_writer *writer = NULL;
    CHECK_OK(ipc_topic_writer_open("t", &tight, &writer));
    ipc_store_relaxed32(&enough, 0);
    for (int i = 0; i < 3; i++)
        test_thread_start(&threads[i], join_again_and_again, NULL);
    for (uint64_t value = 1; ipc_load_acquire32(&enough) < 3; value++) {
        uint64_t words[WORDS];
        for (uint32_t w = 0; w < WORDS; w++)
            words[w] = value;
        CHECK_OK(ipc_topic_publish(writer, words, sizeof words, 0, 0, SOON, NULL));
    }
    for (int i = 0; i < 3; i++)
        test_thread_join(&threads[i]);
    ipc_topic_writer_close(writer);
}
