/* What becomes of readers that are too slow: reliable, evicted, lossy, conflating. */
#include "topic_steps.h"

TEST(a_reliable_reader_makes_the_writer_fail_and_is_named)
{
    ipc_topic_writer *writer = open_writer();
    ipc_topic_reader *fast = open_reader(IPC_RELIABLE, IPC_JOIN_NEWEST);
    ipc_topic_reader *slow = open_reader(IPC_RELIABLE, IPC_JOIN_NEWEST);
    ipc_block block;
    char words[64];
    publish_all(writer, 0, 3);
    expect_range(fast, 0, 3);
    CHECK_OK(ipc_topic_release(fast));
    publish_all(writer, 3, BLOCKS);
    expect_range(fast, 3, BLOCKS);
    CHECK_OK(ipc_topic_release(fast));
    (void)snprintf(words, sizeof words, "slow reader 1, process %u, %u behind", ipc_platform_pid(), BLOCKS);
    CHECK_STATUS(IPC_FULL, ipc_topic_try_claim(writer, 8, &block));
    check_error_says(words);
    CHECK_STATUS(IPC_TIMEOUT, ipc_topic_claim(writer, 8, ipc_deadline_after(2000000), NULL, &block));
    check_error_says(words);
    expect(slow, 0, 0);
    CHECK_STATUS(IPC_FULL, ipc_topic_try_claim(writer, 8, &block)); /* read, not released */
    CHECK_OK(ipc_topic_release(slow));
    CHECK_OK(publish(writer, BLOCKS));
    CHECK_STATUS(IPC_FULL, ipc_topic_try_claim(writer, 8, &block));
    expect_range(slow, 1, BLOCKS + 1);
    expect(fast, BLOCKS, 0);
    ipc_topic_reader_close(slow); /* who has gone holds nobody back */
    CHECK_OK(ipc_topic_release(fast));
    publish_all(writer, 0, BLOCKS);
    ipc_topic_reader_close(fast);
    publish_all(writer, 0, 3 * BLOCKS);
    ipc_topic_writer_close(writer);
}

TEST(an_evictable_reader_is_cut_off_at_the_deadline_and_told_how_many_it_misses)
{
    ipc_topic_writer *writer = open_writer();
    ipc_topic_reader *reader = open_reader(IPC_EVICT, IPC_JOIN_NEWEST);
    ipc_message message;
    publish_all(writer, 0, BLOCKS);
    expect(reader, 0, 0);
    CHECK_OK(ipc_topic_release(reader));
    CHECK_OK(publish(writer, BLOCKS));
    CHECK_STATUS(IPC_FULL, ipc_topic_try_claim(writer, 8, &(ipc_block){0})); /* evicts nobody */
    expect(reader, 1, 0);
    CHECK_OK(publish(writer, BLOCKS + 1)); /* its deadline is now */
    CHECK_STATUS(IPC_EVICTED, ipc_topic_try_read(reader, &message));
    CHECK_EQUAL(BLOCKS + 1, message.lost); /* 1, which was read and not released, to BLOCKS + 1 */
    check_error_says("misses 17 messages");
    CHECK_STATUS(IPC_EVICTED, ipc_topic_wait(reader, IPC_NOW, NULL));
    CHECK_STATUS(IPC_EVICTED, ipc_topic_read(reader, SOON, NULL, &message));
    CHECK_EQUAL(BLOCKS + 1, message.lost);
    CHECK_STATUS(IPC_EVICTED, ipc_topic_release(reader));
    CHECK_EQUAL(0, info_of(reader).lost); /* counted when it is known how many */
    ipc_topic_info info;
    ipc_topic_writer_get_info(writer, &info);
    CHECK_EQUAL(1, info.evictions);
    CHECK_EQUAL(0, info.readers);
    publish_all(writer, 0, BLOCKS); /* it is in nobody's way */
    CHECK_OK(ipc_topic_rejoin(reader, IPC_JOIN_NEWEST));
    CHECK_EQUAL(2 * BLOCKS + 1, info_of(reader).lost);
    CHECK_EQUAL(1, info_of(reader).readers);
    expect_empty(reader);
    CHECK_OK(publish(writer, 99));
    expect(reader, 99, 0);
    CHECK_OK(ipc_topic_release(reader));
    ipc_topic_reader_close(reader);
    ipc_topic_writer_close(writer);
}

TEST(what_is_overwritten_while_it_is_read_is_never_taken_for_good)
{
    ipc_topic_writer *writer = open_writer();
    ipc_topic_reader *reader = open_reader(IPC_EVICT, IPC_JOIN_NEWEST);
    ipc_message message;
    publish_all(writer, 0, BLOCKS);
    CHECK_OK(ipc_topic_try_read(reader, &message));
    CHECK_EQUAL(0, value_of(&message));
    publish_all(writer, 100, 100 + BLOCKS);
    uint64_t value = 0;
    memcpy(&value, message.payload, sizeof value);
    CHECK_EQUAL(100, value);                              /* torn under its eyes ... */
    CHECK_STATUS(IPC_EVICTED, ipc_topic_release(reader)); /* ... and it is told */
    ipc_topic_reader_close(reader);
    ipc_topic_writer_close(writer);
}

TEST(nobody_is_evicted_when_a_reliable_reader_is_in_the_way_too)
{
    ipc_topic_writer *writer = open_writer();
    ipc_topic_reader *evictable = open_reader(IPC_EVICT, IPC_JOIN_NEWEST);
    ipc_topic_reader *reliable = open_reader(IPC_RELIABLE, IPC_JOIN_NEWEST);
    publish_all(writer, 0, BLOCKS);
    CHECK_STATUS(IPC_TIMEOUT, publish(writer, 9));
    check_error_says("slow reader 1");
    expect_range(evictable, 0, BLOCKS);
    CHECK_OK(ipc_topic_release(evictable));
    ipc_topic_reader_close(evictable);
    ipc_topic_reader_close(reliable);
    ipc_topic_writer_close(writer);
}

TEST(a_slow_eviction_does_not_hit_the_entrys_next_reader)
{
    ipc_topic_writer *writer = open_writer();
    ipc_topic_reader *reader = open_reader(IPC_EVICT, IPC_JOIN_NEWEST);
    const uint32_t before = ipc_load_acquire32(&reader->entry->state);
    publish_all(writer, 0, BLOCKS);
    CHECK_OK(publish(writer, 1));
    CHECK_EQUAL(before + 1, ipc_load_acquire32(&reader->entry->state));
    CHECK_OK(ipc_topic_rejoin(reader, IPC_JOIN_NEWEST));
    uint32_t seen = before; /* a writer that looked before the first eviction, and was stopped there */
    CHECK(!ipc_cas32(&reader->entry->state, &seen, before + 1));
    ipc_topic_reader_close(reader);
    CHECK_EQUAL(0, before & ~0x1FFu);
    reader = open_reader(IPC_RELIABLE, IPC_JOIN_NEWEST);
    CHECK_EQUAL(before + 2 * IPC_READER_JOIN, ipc_load_acquire32(&reader->entry->state));
    ipc_topic_reader_close(reader);
    ipc_topic_writer_close(writer);
}

TEST(a_lossy_reader_holds_nobody_back_and_is_told_how_many_it_lost)
{
    ipc_topic_writer *writer = open_writer();
    ipc_topic_reader *reader = open_reader(IPC_LOSSY, IPC_JOIN_NEWEST);
    publish_all(writer, 0, 3);
    expect(reader, 0, 0);
    publish_all(writer, 3, 100); /* it goes on at tail - N + N/8 = 100 - 16 + 2 */
    expect(reader, 86, 85);
    expect_range(reader, 87, 100);
    expect_empty(reader);
    CHECK_OK(ipc_topic_release(reader));
    CHECK_EQUAL(85, info_of(reader).lost);
    CHECK_EQUAL(85, ipc_load_relaxed64(&reader->entry->lost));
    CHECK_EQUAL(0, info_of(reader).behind);
    publish_all(writer, 100, 100 + BLOCKS); /* a whole lap behind is not yet overrun */
    expect_range(reader, 100, 100 + BLOCKS);
    CHECK_EQUAL(85, info_of(reader).lost);
    ipc_topic_reader_close(reader);
    ipc_topic_writer_close(writer);
}

TEST(a_topic_of_two_blocks_works)
{
    ipc_topic_writer *writer = NULL;
    ipc_topic_reader *reliable = NULL;
    ipc_topic_options options = {.block_size = 1 + 7, .block_count = 2};
    CHECK_OK(ipc_topic_writer_open("t", &options, &writer));
    CHECK_OK(ipc_topic_reader_open("t", &options, &reliable));
    ipc_topic_reader *lossy = open_reader(IPC_LOSSY, IPC_JOIN_NEWEST);
    for (uint64_t value = 0; value < 20; value++) {
        CHECK_OK(publish(writer, value));
        expect(reliable, value, 0);
        CHECK_OK(ipc_topic_release(reliable));
    }
    expect(lossy, 19, 19);
    expect_empty(lossy);
    ipc_topic_reader_close(lossy);
    ipc_topic_reader_close(reliable);
    ipc_topic_writer_close(writer);
}

/* ---- conflation -------------------------------------------------------------------------------------- */

static void publish_keyed(ipc_topic_writer *writer, uint64_t key, uint64_t value)
{
    CHECK_OK(ipc_topic_publish(writer, &value, sizeof value, 7, key, IPC_NOW, NULL));
}

static void expect_keyed(ipc_topic_reader *reader, uint64_t key, uint64_t value, uint64_t conflated)
{
    ipc_message message;
    uint64_t read = 0;
    CHECK_OK(ipc_topic_try_read(reader, &message));
    CHECK_EQUAL(key, message.key);
    memcpy(&read, message.payload, sizeof read);
    CHECK_EQUAL(value, read);
    CHECK_EQUAL(conflated, message.lost);
}

TEST(latest_delivers_the_newest_of_each_key_in_the_order_of_the_first)
{
    ipc_topic_writer *writer = open_writer();
    ipc_topic_reader *reader = open_reader(IPC_LATEST, IPC_JOIN_NEWEST);
    publish_keyed(writer, 10, 1);
    publish_keyed(writer, 20, 2);
    publish_keyed(writer, 10, 3);
    publish_keyed(writer, 30, 4);
    publish_keyed(writer, 10, 5);
    publish_keyed(writer, 20, 6);
    CHECK_OK(ipc_topic_wait(reader, IPC_NOW, NULL));
    expect_keyed(reader, 10, 5, 2);
    publish_keyed(writer, 30, 7); /* still pending: this takes its place in the row */
    publish_keyed(writer, 10, 8); /* delivered: it lines up again */
    expect_keyed(reader, 20, 6, 1);
    expect_keyed(reader, 30, 7, 1);
    expect_keyed(reader, 10, 8, 0);
    expect_empty(reader);
    CHECK_EQUAL(0, info_of(reader).lost);
    CHECK_EQUAL(4, info_of(reader).conflated);
    ipc_topic_reader_close(reader);
    ipc_topic_writer_close(writer);
}

TEST(latest_counts_what_was_overwritten_before_its_turn)
{
    ipc_topic_writer *writer = open_writer();
    ipc_topic_reader *reader = open_reader(IPC_LATEST, IPC_JOIN_NEWEST);
    publish_keyed(writer, 1, 1);
    publish_keyed(writer, 2, 2);
    CHECK_OK(ipc_topic_wait(reader, IPC_NOW, NULL)); /* both are pending */
    for (uint64_t i = 0; i < BLOCKS; i++)
        publish_keyed(writer, 3, i);
    expect_keyed(reader, 3, BLOCKS - 1, BLOCKS - 1);
    CHECK_EQUAL(2, info_of(reader).lost);
    CHECK_EQUAL(BLOCKS - 1, info_of(reader).conflated);
    ipc_topic_reader_close(reader);
    ipc_topic_writer_close(writer);
}

TEST(latest_keeps_its_table_straight_with_more_keys_than_it_ever_delivers)
{
    enum { MANY = 512 };
    ipc_topic_writer *writer = NULL;
    ipc_topic_options options = {.block_size = 8, .block_count = MANY};
    CHECK_OK(ipc_topic_writer_open("t", &options, &writer));
    ipc_topic_reader *reader = open_reader(IPC_LATEST, IPC_JOIN_NEWEST);
    uint64_t published = 0;
    uint64_t delivered = 0;
    uint64_t newest[1000] = {0};
    uint64_t seen[1000] = {0};
    uint64_t random = 88172645463325252ull;
    for (int round = 0; round < 400; round++) {
        ipc_message message;
        for (uint64_t i = 0; i < (uint64_t)(round % 7) * 100; i++) {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            newest[random % 1000] = ++published;
            publish_keyed(writer, random % 1000, published);
            if (i % 100 == 50)
                CHECK_OK(ipc_topic_wait(reader, IPC_NOW, NULL)); /* it takes in, and delivers nothing */
        }
        for (int i = 0; i < round % 5 * 60 && ipc_topic_try_read(reader, &message) == IPC_OK; i++) {
            uint64_t value = 0;
            memcpy(&value, message.payload, sizeof value);
            CHECK(value > seen[message.key]);
            CHECK_EQUAL(newest[message.key], value);
            seen[message.key] = value;
            delivered++;
        }
    }
    ipc_message message;
    while (ipc_topic_try_read(reader, &message) == IPC_OK)
        delivered++;
    const ipc_topic_info info = info_of(reader);
    CHECK_EQUAL(published, delivered + info.lost + info.conflated);
    CHECK(info.lost != 0 && info.conflated != 0);
    ipc_topic_reader_close(reader);
    ipc_topic_writer_close(writer);
}

/* ---- two writers at their deadlines ------------------------------------------------------------------- */

#define SLOW_READERS 60u
#define ROUNDS       300u

typedef struct rivals {
    ipc_topic_writer *writers[2];
    ipc_atomic32 here;
    ipc_atomic32 done;
    ipc_status status[2];
} rivals;

typedef struct rival {
    rivals *of;
    uint32_t number;
} rival;

static void wait_for(const ipc_atomic32 *count, uint32_t least)
{
    for (uint32_t turn = 0; ipc_load_acquire32(count) < least; turn++) {
        if (turn % 10000 == 9999)
            test_yield(); /* spins otherwise, to begin at the same moment */
    }
}

static void *publish_at_the_deadline(void *argument)
{
    const rival *me = argument;
    rivals *both = me->of;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        wait_for(&both->done, 3 * round);
        (void)ipc_add32(&both->here, 1);
        wait_for(&both->here, 2 * (round + 1));
        both->status[me->number] = ipc_topic_publish(both->writers[me->number], "x", 1, 0, 0, IPC_NOW, NULL);
        (void)ipc_add32(&both->done, 1);
    }
    return NULL;
}

/* One cuts the slow readers off. The other one, which finds nobody left to be cut off, was told that it had waited in
   vain. */
TEST(who_finds_the_readers_cut_off_by_another_goes_on)
{
    static const ipc_topic_options options = {
        .block_size = 64, .block_count = 8, .policy = IPC_EVICT, .loan_budget = IPC_NO_LOANS};
    ipc_topic_reader *readers[SLOW_READERS];
    test_thread threads[2];
    rivals both = {0};
    rival each[2] = {{&both, 0}, {&both, 1}};
    for (uint32_t i = 0; i < 2; i++)
        CHECK_OK(ipc_topic_writer_open("t", &options, &both.writers[i]));
    for (uint32_t i = 0; i < SLOW_READERS; i++)
        CHECK_OK(ipc_topic_reader_open("t", &options, &readers[i]));
    for (int i = 0; i < 8; i++)
        CHECK_OK(ipc_topic_publish(both.writers[0], "x", 1, 0, 0, IPC_NOW, NULL));
    for (uint32_t i = 0; i < 2; i++)
        test_thread_start(&threads[i], publish_at_the_deadline, &each[i]);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        wait_for(&both.done, 3 * round + 2);
        CHECK_OK(both.status[0]);
        CHECK_OK(both.status[1]);
        for (uint32_t i = 0; i < SLOW_READERS; i++)
            CHECK_OK(ipc_topic_rejoin(readers[i], IPC_JOIN_NEWEST));
        for (int i = 0; i < 8; i++)
            CHECK_OK(ipc_topic_publish(both.writers[0], "x", 1, 0, 0, IPC_NOW, NULL));
        (void)ipc_add32(&both.done, 1);
    }
    for (uint32_t i = 0; i < 2; i++)
        test_thread_join(&threads[i]);
    for (uint32_t i = 0; i < SLOW_READERS; i++)
        ipc_topic_reader_close(readers[i]);
    for (uint32_t i = 0; i < 2; i++)
        ipc_topic_writer_close(both.writers[i]);
}
