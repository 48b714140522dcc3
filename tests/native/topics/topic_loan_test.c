/* Messages that are longer than a topic's blocks. */
#include "topic_steps.h"

static const ipc_topic_options with_loans = {.block_size = 8, .block_count = BLOCKS, .loan_budget = 64 * 4096};

static void publish_long(ipc_topic_writer *writer, uint32_t length, uint8_t byte)
{
    ipc_block block;
    CHECK_OK(ipc_topic_claim(writer, length, IPC_NOW, NULL, &block));
    memset(block.payload, byte, length);
    CHECK_OK(ipc_topic_commit(writer, &block, length, 7, byte));
}

static void expect_long(ipc_topic_reader *reader, uint32_t length, uint8_t byte)
{
    ipc_message message;
    CHECK_OK(ipc_topic_try_read(reader, &message));
    CHECK_EQUAL(length, message.length);
    CHECK_EQUAL(byte, message.key);
    for (uint32_t i = 0; i < length; i++)
        CHECK_EQUAL(byte, ((const uint8_t *)message.payload)[i]);
}

static uint32_t loans_out(const ipc_topic_writer *writer)
{
    ipc_pool_info info;
    ipc_pool_get_info(writer->pool, &info);
    return info.lent;
}

TEST(long_messages_travel_as_loans)
{
    ipc_topic_writer *writer = NULL;
    ipc_topic_reader *reader = NULL;
    CHECK_OK(ipc_topic_writer_open("t", &with_loans, &writer));
    CHECK_OK(ipc_topic_reader_open("t", &with_loans, &reader));
    ipc_topic_reader *lossy = open_reader(IPC_LOSSY, IPC_JOIN_NEWEST);
    ipc_topic_reader *latest = open_reader(IPC_LATEST, IPC_JOIN_NEWEST);
    const uint32_t lengths[] = {8, 9, 100, 4096, 4097, 50000, 64 * 4096};
    for (uint8_t i = 0; i < 7; i++) {
        publish_long(writer, lengths[i], i);
        expect_long(reader, lengths[i], i);
        expect_long(lossy, lengths[i], i);
        expect_long(latest, lengths[i], i);
        CHECK_OK(ipc_topic_release(reader));
    }
    CHECK_STATUS(IPC_E_TOO_LARGE, ipc_topic_try_claim(writer, 64 * 4096 + 1, &(ipc_block){0}));
    for (uint32_t round = 0; round < 500; round++) { /* many times what the budget holds at one time */
        publish_long(writer, 20000 + round, (uint8_t)round);
        expect_long(reader, 20000 + round, (uint8_t)round);
        CHECK_OK(ipc_topic_release(reader));
    }
    publish_all(writer, 0, BLOCKS); /* short ones in their places: the loans are free */
    CHECK_EQUAL(0, loans_out(writer));
    ipc_topic_reader_close(latest);
    ipc_topic_reader_close(lossy);
    ipc_topic_reader_close(reader);
    ipc_topic_writer_close(writer);
}

TEST(loans_that_a_reliable_reader_needs_are_not_taken_back)
{
    ipc_topic_writer *writer = NULL;
    ipc_topic_reader *reader = NULL;
    CHECK_OK(ipc_topic_writer_open("t", &with_loans, &writer));
    CHECK_OK(ipc_topic_reader_open("t", &with_loans, &reader));
    for (uint8_t i = 0; i < 4; i++)
        publish_long(writer, 16 * 4096, i); /* the whole budget */
    CHECK_STATUS(IPC_FULL, ipc_topic_try_claim(writer, 100, &(ipc_block){0}));
    check_error_says("no loan");
    CHECK_STATUS(IPC_TIMEOUT, ipc_topic_claim(writer, 100, ipc_deadline_after(1000000), NULL, &(ipc_block){0}));
    check_error_says("slow reader 0");
    CHECK_OK(publish(writer, 9)); /* short ones need none */
    expect_long(reader, 16 * 4096, 0);
    CHECK_STATUS(IPC_FULL, ipc_topic_try_claim(writer, 16 * 4096, &(ipc_block){0}));
    CHECK_OK(ipc_topic_release(reader));
    publish_long(writer, 16 * 4096, 4);
    for (uint8_t i = 1; i < 4; i++)
        expect_long(reader, 16 * 4096, i);
    expect(reader, 9, 0);
    expect_long(reader, 16 * 4096, 4);
    CHECK_OK(ipc_topic_release(reader));
    publish_long(writer, 64 * 4096, 5); /* all of it: every earlier one is taken back */
    CHECK_EQUAL(1, loans_out(writer));
    ipc_topic_reader_close(reader);
    ipc_topic_writer_close(writer);
}

TEST(a_message_whose_loan_was_taken_back_is_counted_as_lost)
{
    ipc_topic_writer *writer = NULL;
    CHECK_OK(ipc_topic_writer_open("t", &with_loans, &writer));
    ipc_topic_reader *lossy = open_reader(IPC_LOSSY, IPC_JOIN_NEWEST);
    ipc_topic_reader *latest = open_reader(IPC_LATEST, IPC_JOIN_NEWEST);
    for (uint8_t i = 0; i < 4; i++)
        publish_long(writer, 16 * 4096, i);
    CHECK_OK(ipc_topic_wait(latest, IPC_NOW, NULL)); /* it knows the four keys */
    publish_long(writer, 32 * 4096, 4);              /* takes back two */
    ipc_message message;
    CHECK_OK(ipc_topic_try_read(lossy, &message));
    CHECK_EQUAL(2, message.key);
    CHECK_EQUAL(2, message.lost);
    expect_long(lossy, 16 * 4096, 3);
    expect_long(lossy, 32 * 4096, 4);
    CHECK_EQUAL(2, info_of(lossy).lost);
    expect_long(latest, 16 * 4096, 2);
    CHECK_EQUAL(2, info_of(latest).lost);
    ipc_topic_reader_close(latest);
    ipc_topic_reader_close(lossy);
    ipc_topic_writer_close(writer);
}

TEST(who_holds_all_loans_can_be_evicted)
{
    ipc_topic_writer *writer = NULL;
    CHECK_OK(ipc_topic_writer_open("t", &with_loans, &writer));
    ipc_topic_reader *reader = open_reader(IPC_EVICT, IPC_JOIN_NEWEST);
    ipc_message message;
    publish_long(writer, 64 * 4096, 1);
    CHECK_OK(ipc_topic_try_read(reader, &message));
    publish_long(writer, 64 * 4096, 2);
    CHECK_STATUS(IPC_EVICTED, ipc_topic_release(reader));
    CHECK_OK(ipc_topic_rejoin(reader, IPC_JOIN_LAST));
    expect_long(reader, 64 * 4096, 2);
    ipc_topic_reader_close(reader);
    ipc_topic_writer_close(writer);
}

TEST(abandoned_and_shortened_loans_are_accounted_for)
{
    ipc_topic_writer *writer = NULL;
    ipc_topic_reader *reader = NULL;
    ipc_block block;
    CHECK_OK(ipc_topic_writer_open("t", &with_loans, &writer));
    CHECK_OK(ipc_topic_reader_open("t", &with_loans, &reader));
    for (int i = 0; i < 200; i++) {
        CHECK_OK(ipc_topic_try_claim(writer, 30 * 4096, &block));
        CHECK_EQUAL(1, loans_out(writer));
        ipc_topic_abandon(writer, &block);
        CHECK_EQUAL(0, loans_out(writer));
        expect_empty(reader);
    }
    CHECK_OK(ipc_topic_try_claim(writer, 30 * 4096, &block));
    memset(block.payload, 3, 5);
    CHECK_OK(ipc_topic_commit(writer, &block, 5, 7, 3));
    expect_long(reader, 5, 3);
    CHECK_OK(ipc_topic_try_claim(writer, 20 * 4096, &block)); /* left open */
    ipc_topic_writer_close(writer);
    CHECK_OK(ipc_topic_writer_open("t", &with_loans, &writer));
    CHECK_EQUAL(1, loans_out(writer));
    CHECK_OK(ipc_topic_release(reader));
    ipc_topic_info info;
    ipc_topic_writer_get_info(writer, &info);
    CHECK_EQUAL(64 * 4096, info.loan_budget);
    CHECK(info.loans_present >= 30 * 4096);
    expect_empty(reader); /* it passes over what the closed writer left */
    publish_all(writer, 0, BLOCKS);
    ipc_topic_writer_trim_loans(writer);
    ipc_topic_writer_get_info(writer, &info);
    CHECK_EQUAL(0, info.loans_present);
    ipc_topic_reader_close(reader);
    ipc_topic_writer_close(writer);
}

TEST(a_topic_without_loans_takes_blocks_only)
{
    ipc_topic_writer *writer = NULL;
    const ipc_topic_options options = {.block_size = 16, .loan_budget = IPC_NO_LOANS};
    CHECK_OK(ipc_topic_writer_open("t", &options, &writer));
    CHECK_STATUS(IPC_E_TOO_LARGE, ipc_topic_try_claim(writer, 17, &(ipc_block){0}));
    check_error_says("17 bytes does not fit: this topic takes at most 16");
    publish_all(writer, 0, 5);
    ipc_topic_writer_close(writer);
}

/* 4,000 tries, each of which would wait for a lock that somebody has: pages for a loan are made under it. */
TEST(trying_to_claim_does_not_wait_for_the_region_lock)
{
    char path[IPC_PATH_MAX];
    static const uint8_t loan[100000];
    ipc_topic_writer *writer = NULL;
    ipc_region *region = NULL;
    ipc_block block = {0};
    const ipc_topic_options options = {.block_size = 64, .block_count = 8, .loan_budget = 1 << 20};
    CHECK_OK(ipc_topic_writer_open("t", &options, &writer));
    CHECK_OK(ipc_region_path("t", path, sizeof path));
    CHECK_OK(ipc_region_open(path, NULL, NULL, NULL, IPC_NOW, &region));
    CHECK_OK(ipc_region_lock(region, SOON));
    const ipc_deadline until = SOON;
    for (int i = 0; i < 2000; i++) {
        CHECK_STATUS(IPC_FULL, ipc_topic_try_claim(writer, sizeof loan, &block));
        CHECK_STATUS(IPC_TIMEOUT, ipc_topic_publish(writer, loan, sizeof loan, 1, 1, IPC_NOW, NULL));
    }
    CHECK(ipc_platform_now() < until);
    ipc_region_unlock(region);
    CHECK_OK(ipc_topic_try_claim(writer, sizeof loan, &block));
    ipc_topic_abandon(writer, &block);
    ipc_region_discard(region);
    ipc_topic_writer_close(writer);
}

TEST(after_a_burst_a_topic_becomes_small_by_itself)
{
    static const ipc_topic_options options = {.block_size = 8, .block_count = BLOCKS, .loan_budget = 64u << 20};
    ipc_topic_writer *writer = NULL;
    CHECK_OK(ipc_topic_writer_open("t", &options, &writer));
    publish_long(writer, 10u << 20, 1);
    publish_long(writer, 10u << 20, 2);
    ipc_pool_info info;
    ipc_pool_get_info(writer->pool, &info);
    CHECK(info.present >= 20u << 20);
    for (uint32_t i = 0; i < 3000; i++)
        publish_long(writer, 4, (uint8_t)i);
    ipc_pool_get_info(writer->pool, &info);
    CHECK(info.present <= 1u << 20);
    ipc_topic_writer_close(writer);
}
