/* Writers and readers of a topic in one process: order, joining, limits, laps. */
#include "topic_steps.h"

/* ---- reading ----------------------------------------------------------------------------------------- */

TEST(every_reader_gets_every_message_in_order)
{
    ipc_topic_writer *writer = open_writer();
    ipc_topic_reader *readers[3];
    for (int i = 0; i < 3; i++)
        readers[i] = open_reader(IPC_RELIABLE, IPC_JOIN_NEWEST);
    for (uint64_t round = 0; round < 100; round++) {
        publish_all(writer, round * 10, round * 10 + 10);
        for (int i = 0; i < 3; i++) {
            expect_range(readers[i], round * 10, round * 10 + 10);
            expect_empty(readers[i]);
            CHECK_OK(ipc_topic_release(readers[i]));
        }
    }
    for (int i = 0; i < 3; i++)
        ipc_topic_reader_close(readers[i]);
    ipc_topic_writer_close(writer);
}

TEST(a_message_says_who_wrote_it_and_where_it_stands)
{
    ipc_topic_writer *first = open_writer();
    ipc_topic_writer *second = open_writer();
    ipc_topic_reader *reader = open_reader(IPC_RELIABLE, IPC_JOIN_NEWEST);
    ipc_message message;
    CHECK_OK(publish(first, 1));
    CHECK_OK(publish(second, 2));
    CHECK_OK(ipc_topic_try_read(reader, &message));
    CHECK_EQUAL(BLOCKS, message.position);
    CHECK_EQUAL(64, message.writer); /* readers have the first places */
    CHECK_OK(ipc_topic_try_read(reader, &message));
    CHECK_EQUAL(BLOCKS + 1, message.position);
    CHECK_EQUAL(65, message.writer);
    ipc_topic_reader_close(reader);
    ipc_topic_writer_close(second);
    ipc_topic_writer_close(first);
}

TEST(an_open_claim_holds_up_what_is_behind_it)
{
    ipc_topic_writer *slow = open_writer();
    ipc_topic_writer *fast = open_writer();
    ipc_topic_reader *reader = open_reader(IPC_RELIABLE, IPC_JOIN_NEWEST);
    ipc_block block;
    const uint64_t value = 1;
    CHECK_OK(ipc_topic_try_claim(slow, sizeof value, &block));
    CHECK_OK(publish(fast, 2));
    expect_empty(reader);
    memcpy(block.payload, &value, sizeof value);
    CHECK_OK(ipc_topic_commit(slow, &block, sizeof value, 7, 1));
    expect_range(reader, 1, 3);
    CHECK_STATUS(IPC_E_INVALID_STATE, ipc_topic_commit(slow, &block, sizeof value, 7, 1));
    ipc_topic_reader_close(reader);
    ipc_topic_writer_close(fast);
    ipc_topic_writer_close(slow);
}

TEST(an_abandoned_claim_is_passed_over)
{
    ipc_topic_writer *writer = open_writer();
    ipc_topic_reader *reader = open_reader(IPC_RELIABLE, IPC_JOIN_NEWEST);
    ipc_block block;
    for (uint64_t value = 0; value < 3 * BLOCKS; value++) { /* also when nothing but gaps is released */
        CHECK_OK(ipc_topic_try_claim(writer, 8, &block));
        ipc_topic_abandon(writer, &block);
        ipc_topic_abandon(writer, &block); /* once is enough */
        expect_empty(reader);
    }
    CHECK_OK(publish(writer, 5));
    expect(reader, 5, 0);
    ipc_topic_reader_close(reader);
    ipc_topic_writer_close(writer);
}

TEST(closing_abandons_open_claims)
{
    ipc_topic_writer *writer = open_writer();
    ipc_topic_writer *other = open_writer();
    ipc_topic_reader *reader = open_reader(IPC_RELIABLE, IPC_JOIN_NEWEST);
    ipc_block blocks[3];
    for (int i = 0; i < 3; i++)
        CHECK_OK(ipc_topic_try_claim(writer, 8, &blocks[i]));
    CHECK_OK(publish(other, 9));
    expect_empty(reader);
    ipc_topic_writer_close(writer);
    expect(reader, 9, 0);
    ipc_topic_reader_close(reader);
    ipc_topic_writer_close(other);
}

TEST(a_commit_is_no_longer_than_its_claim)
{
    ipc_topic_writer *writer = open_writer();
    ipc_block block;
    CHECK_STATUS(IPC_E_TOO_LARGE, ipc_topic_try_claim(writer, UINT32_MAX, &block));
    CHECK_OK(ipc_topic_try_claim(writer, 5, &block));
    CHECK_STATUS(IPC_E_INVALID_ARGUMENT, ipc_topic_commit(writer, &block, 6, 0, 0));
    CHECK_OK(ipc_topic_commit(writer, &block, 4, 0, 0));
    ipc_topic_writer_close(writer);
}

TEST(a_reader_can_ignore_its_own_messages)
{
    ipc_topic_writer *own = open_writer();
    ipc_topic_writer *other = open_writer();
    ipc_topic_reader *reader = NULL;
    ipc_topic_options options = options_of(IPC_RELIABLE, IPC_JOIN_NEWEST);
    options.ignore = own;
    CHECK_OK(ipc_topic_reader_open("t", &options, &reader));
    for (uint64_t i = 0; i < 10 * BLOCKS; i++) { /* what is passed over does not hold writers back */
        CHECK_OK(publish(own, i));
        expect_empty(reader);
    }
    CHECK_OK(publish(own, 1));
    CHECK_OK(publish(other, 2));
    CHECK_OK(publish(own, 3));
    expect(reader, 2, 0);
    expect_empty(reader);
    ipc_topic_writer_close(own);
    ipc_topic_writer *next = open_writer(); /* who has its place now is somebody else */
    CHECK_EQUAL(64, next->base.place.region->index);
    CHECK_OK(publish(next, 4));
    expect(reader, 4, 0);
    ipc_topic_reader_close(reader);
    options.ignore = next;
    CHECK_STATUS(IPC_E_INVALID_ARGUMENT, ipc_topic_reader_open("another", &options, &reader));
    check_error_says("not of");
    ipc_topic_writer_close(next);
    ipc_topic_writer_close(other);
}

/* ---- joining ----------------------------------------------------------------------------------------- */

TEST(a_late_reader_sees_what_it_asked_for)
{
    ipc_topic_writer *writer = open_writer();
    publish_all(writer, 0, 5);
    ipc_topic_reader *newest = open_reader(IPC_RELIABLE, IPC_JOIN_NEWEST);
    ipc_topic_reader *oldest = open_reader(IPC_RELIABLE, IPC_JOIN_OLDEST);
    ipc_topic_reader *last = open_reader(IPC_RELIABLE, IPC_JOIN_LAST);
    ipc_topic_reader *lossy = open_reader(IPC_LOSSY, IPC_JOIN_OLDEST);
    CHECK_OK(publish(writer, 5));
    expect(newest, 5, 0);
    expect_range(oldest, 0, 6);
    expect_range(last, 4, 6);
    expect_range(lossy, 0, 6);
    ipc_topic_reader *none[] = {newest, oldest, last, lossy};
    for (int i = 0; i < 4; i++) {
        expect_empty(none[i]);
        ipc_topic_reader_close(none[i]);
    }
    ipc_topic_writer_close(writer);
}

TEST(oldest_is_one_less_than_a_lap)
{
    ipc_topic_writer *writer = open_writer();
    publish_all(writer, 0, 5 * BLOCKS + 3);
    ipc_topic_reader *oldest = open_reader(IPC_RELIABLE, IPC_JOIN_OLDEST);
    expect_range(oldest, 4 * BLOCKS + 4, 5 * BLOCKS + 3);
    expect_empty(oldest);
    CHECK_EQUAL(0, info_of(oldest).lost);
    ipc_topic_reader_close(oldest);
    ipc_topic_writer_close(writer);
}

TEST(the_last_value_is_found_behind_gaps)
{
    ipc_topic_writer *writer = open_writer();
    ipc_block block;
    publish_all(writer, 0, 3);
    for (int i = 0; i < 4; i++) {
        CHECK_OK(ipc_topic_try_claim(writer, 8, &block));
        ipc_topic_abandon(writer, &block);
    }
    ipc_topic_reader *last = open_reader(IPC_RELIABLE, IPC_JOIN_LAST);
    expect(last, 2, 0);
    expect_empty(last);
    ipc_topic_reader_close(last);
    ipc_topic_writer_close(writer);
}

TEST(a_topic_without_messages_has_no_oldest_and_no_last)
{
    ipc_topic_reader *oldest = open_reader(IPC_RELIABLE, IPC_JOIN_OLDEST);
    ipc_topic_reader *last = open_reader(IPC_LOSSY, IPC_JOIN_LAST);
    expect_empty(oldest);
    expect_empty(last);
    ipc_topic_reader_close(oldest);
    ipc_topic_reader_close(last);
}

TEST(what_was_there_before_a_reader_joined_is_not_kept_for_it_and_no_loss)
{
    ipc_topic_writer *writer = open_writer();
    publish_all(writer, 0, BLOCKS);
    ipc_topic_reader *oldest = open_reader(IPC_RELIABLE, IPC_JOIN_OLDEST);
    expect(oldest, 1, 0);
    publish_all(writer, BLOCKS, 2 * BLOCKS); /* over all that was there */
    CHECK_STATUS(IPC_FULL, ipc_topic_try_claim(writer, 8, &(ipc_block){0}));
    expect_range(oldest, BLOCKS, 2 * BLOCKS);
    CHECK_EQUAL(0, info_of(oldest).lost);
    CHECK_OK(ipc_topic_release(oldest));
    publish_all(writer, 0, BLOCKS);
    ipc_topic_reader_close(oldest);
    ipc_topic_writer_close(writer);
}

/* ---- who may come in --------------------------------------------------------------------------------- */

TEST(a_thousand_and_twenty_four_readers_are_admitted_and_not_one_more)
{
    ipc_topic_writer *writer = NULL;
    ipc_topic_writer *second = NULL;
    static ipc_topic_reader *readers[1025];
    const ipc_topic_options options = {.block_size = 8, .block_count = 4, .max_readers = 1024, .max_writers = 1};
    CHECK_OK(ipc_topic_writer_open("t", &options, &writer));
    for (int i = 0; i < 1024; i++)
        CHECK_OK(ipc_topic_reader_open("t", &options, &readers[i]));
    CHECK_STATUS(IPC_E_TABLE_FULL, ipc_topic_reader_open("t", &options, &readers[1024]));
    check_error_says("1024 readers already");
    CHECK_STATUS(IPC_E_TABLE_FULL, ipc_topic_writer_open("t", &options, &second));
    CHECK_OK(ipc_topic_writer_wait_for_readers(writer, 1024, IPC_NOW, NULL));
    CHECK_STATUS(IPC_E_INVALID_ARGUMENT, ipc_topic_writer_wait_for_readers(writer, 1025, IPC_NOW, NULL));
    for (uint64_t round = 0; round < 10; round++) {
        publish_all(writer, round * 4, round * 4 + 4);
        CHECK_STATUS(IPC_FULL, ipc_topic_try_claim(writer, 8, &(ipc_block){0}));
        for (int i = 0; i < 1024; i++) {
            expect_range(readers[i], round * 4, round * 4 + 4);
            CHECK_OK(ipc_topic_release(readers[i]));
        }
    }
    for (int i = 0; i < 1024; i++)
        ipc_topic_reader_close(readers[i]);
    ipc_topic_writer_close(writer);
}

TEST(the_thirty_third_reader_is_one_like_the_others)
{
    ipc_topic_writer *writer = open_writer();
    ipc_topic_reader *readers[33];
    for (int i = 0; i < 33; i++)
        readers[i] = open_reader(IPC_RELIABLE, IPC_JOIN_NEWEST);
    publish_all(writer, 0, BLOCKS);
    for (int i = 0; i < 33; i++) {
        CHECK_STATUS(IPC_FULL, ipc_topic_try_claim(writer, 8, &(ipc_block){0}));
        expect_range(readers[i], 0, BLOCKS);
        CHECK_OK(ipc_topic_release(readers[i]));
    }
    CHECK_OK(publish(writer, 0));
    for (int i = 0; i < 33; i++)
        ipc_topic_reader_close(readers[i]);
    ipc_topic_writer_close(writer);
}

TEST(after_ten_thousand_readers_the_table_is_as_new)
{
    ipc_topic_writer *writer = open_writer();
    const ipc_topic *topic = &writer->base.topic;
    for (int i = 0; i < 10000; i++) {
        ipc_topic_reader *reader = open_reader((ipc_policy)(i % 4), (ipc_join)(i % 3));
        CHECK_EQUAL(0, reader->base.place.region->index);
        ipc_topic_reader_close(reader);
    }
    for (uint32_t i = 0; i < 64; i++)
        CHECK_EQUAL(0, ipc_load_relaxed64(&topic->header->active[i]));
    for (uint32_t i = 0; i < topic->participants; i++) {
        CHECK_EQUAL(IPC_READER_NONE, ipc_load_relaxed32(&topic->entries[i].state) & IPC_READER_STATE);
        CHECK_EQUAL(i == 64, ipc_load_relaxed32(&ipc_region_participant(writer->base.place.region, i)->state));
    }
    publish_all(writer, 0, 5 * BLOCKS);
    ipc_topic_writer_close(writer);
}

TEST(a_route_has_one_writer)
{
    ipc_topic_writer *writer = NULL;
    ipc_topic_writer *second = NULL;
    const ipc_topic_options options = {.single_writer = true};
    CHECK_OK(ipc_topic_writer_open("t", &options, &writer));
    CHECK_STATUS(IPC_E_IN_USE, ipc_topic_writer_open("t", NULL, &second));
    check_error_says("a single writer");
    ipc_topic_reader *reader = open_reader(IPC_RELIABLE, IPC_JOIN_NEWEST);
    ipc_topic_writer_close(writer);
    CHECK_OK(ipc_topic_writer_open("t", NULL, &second)); /* the topic says it, not who opens it */
    ipc_topic_writer_close(second);
    ipc_topic_reader_close(reader);
}

TEST(a_topic_bounds_the_policies_of_its_readers)
{
    ipc_topic_writer *writer = NULL;
    ipc_topic_reader *reader = NULL;
    ipc_topic_options options = {.allowed_policies = 1u << IPC_LOSSY | 1u << IPC_LATEST};
    CHECK_STATUS(IPC_E_INVALID_ARGUMENT, ipc_topic_reader_open("t", &options, &reader)); /* reliable itself */
    CHECK_OK(ipc_topic_writer_open("t", &options, &writer));
    CHECK_STATUS(IPC_E_INVALID_ARGUMENT, ipc_topic_reader_open("t", NULL, &reader));
    check_error_says("does not allow its readers the policy 0: it allows the bits c");
    reader = open_reader(IPC_LOSSY, IPC_JOIN_NEWEST);
    ipc_topic_reader_close(reader);
    ipc_topic_writer_close(writer);
}

TEST(geometry_is_the_creators_and_bad_numbers_are_refused)
{
    ipc_topic_writer *writer = NULL;
    ipc_topic_reader *reader = NULL;
    ipc_topic_info info;
    const ipc_topic_options bad[] = {
        {.block_size = 7},        {.block_size = (16u << 20) + 1},
        {.block_count = 1},       {.block_count = (1u << 20) + 1},
        {.max_readers = 1025},    {.max_writers = 3073},
        {.allowed_policies = 16}, {.policy = (ipc_policy)4},
        {.join = (ipc_join)3},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        CHECK_STATUS(IPC_E_INVALID_ARGUMENT, ipc_topic_writer_open("t", &bad[i], &writer));
    const ipc_topic_options odd = {.block_size = 101, .block_count = 100, .max_readers = 7};
    CHECK_OK(ipc_topic_writer_open("t", &odd, &writer));
    CHECK_OK(ipc_topic_reader_open("t", NULL, &reader));
    ipc_topic_writer_get_info(writer, &info);
    CHECK_EQUAL(104, info.block_size);
    CHECK_EQUAL(128, info.block_count);
    CHECK_EQUAL(7, info.max_readers);
    CHECK_EQUAL(1, info.readers);
    CHECK_EQUAL(1, info.writers);
    CHECK_EQUAL(128, info.tail);
    ipc_ring_reader *ring = NULL;
    CHECK_STATUS(IPC_E_WRONG_KIND, ipc_ring_reader_open("t", NULL, &ring));
    ipc_topic_reader_close(reader);
    ipc_topic_writer_close(writer);
}

/* ---- laps -------------------------------------------------------------------------------------------- */

/* As if that many messages had been published and forgotten. */
static void move_to(ipc_topic_writer *writer, uint64_t position)
{
    const ipc_topic *topic = &writer->base.topic;
    ipc_store_relaxed64(&topic->header->tail, position);
    for (uint64_t i = 0; i < BLOCKS; i++) {
        const uint64_t before = position + i - BLOCKS;
        ipc_store_relaxed64(&ipc_slot_at(&topic->ring, before)->state,
                            ipc_slot_word((uint32_t)(before / BLOCKS), 1, 0, IPC_PHASE_GAP));
    }
}

TEST(laps_wrap_and_nothing_happens)
{
    ipc_topic_writer *writer = open_writer();
    move_to(writer, ((1ull << 32) - 2) * BLOCKS + 5);
    ipc_topic_reader *reliable = open_reader(IPC_RELIABLE, IPC_JOIN_NEWEST);
    ipc_topic_reader *lossy = open_reader(IPC_LOSSY, IPC_JOIN_OLDEST);
    ipc_topic_reader *latest = open_reader(IPC_LATEST, IPC_JOIN_NEWEST);
    for (uint64_t value = 0; value < 6 * BLOCKS; value++) {
        CHECK_OK(publish(writer, value));
        expect(reliable, value, 0);
        expect(lossy, value, 0);
        expect(latest, value, 0);
        CHECK_OK(ipc_topic_release(reliable));
    }
    publish_all(writer, 0, BLOCKS);
    CHECK_STATUS(IPC_TIMEOUT, publish(writer, 0));
    expect_range(reliable, 0, BLOCKS);
    ipc_topic_reader_close(latest);
    ipc_topic_reader_close(lossy);
    ipc_topic_reader_close(reliable);
    ipc_topic_writer_close(writer);
}

TEST(overruns_across_the_wrap_are_counted)
{
    ipc_topic_writer *writer = open_writer();
    move_to(writer, (1ull << 32) * BLOCKS - 3);
    ipc_topic_reader *lossy = open_reader(IPC_LOSSY, IPC_JOIN_NEWEST);
    publish_all(writer, 0, 50);
    expect(lossy, 50 - 14, 50 - 14);
    expect_range(lossy, 50 - 13, 50);
    expect_empty(lossy);
    ipc_topic_reader_close(lossy);
    ipc_topic_writer_close(writer);
}
