/* The ring: put it in a state, act once, look at the bytes. */
#include "memory_ring.h"
#include "test.h"

#define CAPACITY 4096u
#define MAX      (CAPACITY / 2 - 8)

TEST(a_commit_writes_the_header_word_of_the_wire_format)
{
    memory_ring memory;
    memory_ring_open(&memory, CAPACITY, 0, IPC_WAIT_ADAPTIVE);
    memory_ring_write(&memory, 100, 0xAB, 0x1234);
    CHECK_EQUAL(0x8000123400000064ull, memory_ring_word(&memory, 0));
    CHECK_EQUAL(0xABABABABABABABABull, memory_ring_word(&memory, 64));
    memory_ring_check_zeroes(&memory, 128);
    memory_ring_expect(&memory, 100, 0xAB, 0x1234);
    memory_ring_expect_empty(&memory);
    memory_ring_close(&memory);
}

TEST(a_publish_that_meets_a_sleeper_counts_one_wake)
{
    memory_ring memory;
    memory_ring_open(&memory, CAPACITY, 0, IPC_WAIT_BLOCK);
    memory_ring_write(&memory, 1, 0, 1);
    CHECK_EQUAL(0, ipc_ring_writer_wakes(&memory.writer));
    for (uint64_t sleeps = 1; sleeps <= 2; sleeps++) {
        ipc_waiter_arm(&memory.ring.header->data); /* what a reader does before it sleeps */
        memory_ring_write(&memory, 1, 0, 1);
        CHECK_EQUAL(sleeps, ipc_ring_writer_wakes(&memory.writer));
        memory_ring_write(&memory, 1, 0, 1);
        CHECK_EQUAL(sleeps, ipc_ring_writer_wakes(&memory.writer));
    }
    memory_ring_close(&memory);
}

TEST(an_empty_payload_is_a_record)
{
    memory_ring memory;
    memory_ring_open(&memory, CAPACITY, 0, IPC_WAIT_ADAPTIVE);
    memory_ring_write(&memory, 0, 0, 7);
    CHECK_EQUAL(0x8000000700000000ull, memory_ring_word(&memory, 0));
    memory_ring_expect(&memory, 0, 0, 7);
    memory_ring_close(&memory);
}

TEST(a_claim_that_is_not_committed_leaves_no_trace)
{
    memory_ring memory;
    memory_ring_open(&memory, CAPACITY, 0, IPC_WAIT_ADAPTIVE);
    memset(memory_ring_claim(&memory, 1000), 0xFF, 1000);
    CHECK_EQUAL(0, memory_ring_word(&memory, 0));
    ipc_ring_abandon(&memory.writer);
    memory_ring_check_zeroes(&memory, 0);
    memory_ring_expect_empty(&memory);
    memory_ring_write(&memory, 5, 1, 1);
    memory_ring_expect(&memory, 5, 1, 1);
    memory_ring_close(&memory);
}

TEST(a_new_claim_replaces_an_open_one)
{
    memory_ring memory;
    memory_ring_open(&memory, CAPACITY, 0, IPC_WAIT_ADAPTIVE);
    memset(memory_ring_claim(&memory, 1000), 0xFF, 1000);
    memory_ring_write(&memory, 10, 2, 3);
    memory_ring_check_zeroes(&memory, 64);
    memory_ring_expect(&memory, 10, 2, 3);
    memory_ring_expect_empty(&memory);
    memory_ring_close(&memory);
}

TEST(a_commit_of_less_than_claimed_gives_the_rest_back)
{
    memory_ring memory;
    memory_ring_open(&memory, CAPACITY, 0, IPC_WAIT_ADAPTIVE);
    memset(memory_ring_claim(&memory, 1000), 0xEE, 1000);
    CHECK_OK(ipc_ring_commit(&memory.writer, 56, 1));
    CHECK_EQUAL(0x8000000100000038ull, memory_ring_word(&memory, 0));
    memory_ring_check_zeroes(&memory, 64);
    memory_ring_write(&memory, 8, 9, 2);
    memory_ring_expect(&memory, 56, 0xEE, 1);
    memory_ring_expect(&memory, 8, 9, 2);
    memory_ring_close(&memory);
}

TEST(every_commit_length_of_every_claim_keeps_the_lines_behind_it_zero)
{
    for (uint32_t claimed = 0; claimed <= 260; claimed += 13) {
        for (uint32_t length = 0; length <= claimed; length++) {
            memory_ring memory;
            memory_ring_open(&memory, CAPACITY, 0, IPC_WAIT_ADAPTIVE);
            memset(memory_ring_claim(&memory, claimed), 0xDD, claimed);
            CHECK_OK(ipc_ring_commit(&memory.writer, length, 0));
            memory_ring_check_zeroes(&memory, ipc_record_size(length));
            memory_ring_close(&memory);
        }
    }
}

TEST(a_record_that_does_not_fit_before_the_end_starts_the_next_lap)
{
    memory_ring memory;
    memory_ring_open(&memory, CAPACITY, CAPACITY - 128, IPC_WAIT_ADAPTIVE);
    memory_ring_write(&memory, 200, 0x11, 4);
    CHECK_EQUAL(0xC000000000000000ull + 120, memory_ring_word(&memory, CAPACITY - 128));
    CHECK_EQUAL(0x80000004000000C8ull, memory_ring_word(&memory, CAPACITY));
    memory_ring_check_zeroes(&memory, CAPACITY + 256);
    memory_ring_expect(&memory, 200, 0x11, 4);
    memory_ring_expect_empty(&memory);
    ipc_ring_release(&memory.reader);
    CHECK_EQUAL(CAPACITY + 256, ipc_load_acquire64(&memory.ring.header->read_position));
    memory_ring_close(&memory);
}

TEST(a_record_that_fits_exactly_before_the_end_needs_no_padding)
{
    memory_ring memory;
    memory_ring_open(&memory, CAPACITY, CAPACITY - 128, IPC_WAIT_ADAPTIVE);
    memory_ring_write(&memory, 120, 0x22, 5);
    CHECK_EQUAL(0x8000000500000078ull, memory_ring_word(&memory, CAPACITY - 128));
    memory_ring_expect(&memory, 120, 0x22, 5);
    memory_ring_write(&memory, 1, 0x23, 6);
    CHECK_EQUAL(0x8000000600000001ull, memory_ring_word(&memory, CAPACITY));
    memory_ring_expect(&memory, 1, 0x23, 6);
    memory_ring_close(&memory);
}

TEST(abandoning_a_claim_of_the_next_lap_leaves_no_padding)
{
    memory_ring memory;
    memory_ring_open(&memory, CAPACITY, CAPACITY - 128, IPC_WAIT_ADAPTIVE);
    memset(memory_ring_claim(&memory, 500), 0xFF, 500);
    ipc_ring_abandon(&memory.writer);
    memory_ring_check_zeroes(&memory, CAPACITY - 128);
    memory_ring_write(&memory, 100, 1, 1);
    memory_ring_expect(&memory, 100, 1, 1);
    memory_ring_close(&memory);
}

TEST(the_largest_record_fits_into_an_empty_ring_at_every_position)
{
    for (uint64_t position = 0; position < CAPACITY; position += 64) {
        memory_ring memory;
        memory_ring_open(&memory, CAPACITY, position, IPC_WAIT_ADAPTIVE);
        CHECK_EQUAL(MAX, ipc_ring_writer_max_payload(&memory.writer));
        memory_ring_write(&memory, MAX, 0x5A, 1);
        memory_ring_expect(&memory, MAX, 0x5A, 1);
        memory_ring_expect_empty(&memory);
        memory_ring_close(&memory);
    }
}

TEST(a_record_larger_than_half_the_ring_is_refused_with_both_sizes)
{
    memory_ring memory;
    void *payload;
    memory_ring_open(&memory, CAPACITY, 0, IPC_WAIT_ADAPTIVE);
    CHECK_STATUS(IPC_E_TOO_LARGE, ipc_ring_try_claim(&memory.writer, MAX + 1, &payload));
    check_error_says("2041");
    check_error_says("2040");
    CHECK_STATUS(IPC_E_TOO_LARGE, ipc_ring_try_claim(&memory.writer, UINT32_MAX, &payload));
    CHECK_STATUS(IPC_E_TOO_LARGE, ipc_ring_claim(&memory.writer, MAX + 1, IPC_FOREVER, NULL, &payload));
    memory_ring_close(&memory);
}

TEST(a_full_ring_keeps_one_line_zero_and_asks_for_space)
{
    memory_ring memory;
    void *payload;
    memory_ring_open(&memory, CAPACITY, 0, IPC_WAIT_ADAPTIVE);
    for (uint32_t i = 0; i < CAPACITY / 64 - 1; i++)
        memory_ring_write(&memory, 56, (int)i, (uint16_t)i);
    CHECK_EQUAL(0, memory_ring_word(&memory, CAPACITY - 64));
    CHECK_EQUAL(0, ipc_load_acquire32(&memory.ring.header->space.wanted));
    CHECK_STATUS(IPC_FULL, ipc_ring_try_claim(&memory.writer, 1, &payload));
    CHECK_EQUAL(1, ipc_load_acquire32(&memory.ring.header->space.wanted));

    memory_ring_expect(&memory, 56, 0, 0); /* read, not released: still full */
    CHECK_STATUS(IPC_FULL, ipc_ring_try_claim(&memory.writer, 1, &payload));
    ipc_ring_release(&memory.reader); /* far less than an eighth, but wanted */
    CHECK_EQUAL(64, ipc_load_acquire64(&memory.ring.header->free_position));
    CHECK_EQUAL(0, ipc_load_acquire32(&memory.ring.header->space.wanted));
    CHECK_OK(ipc_ring_try_claim(&memory.writer, 56, &payload));
    memory_ring_close(&memory);
}

TEST(a_reader_holds_back_less_than_an_eighth)
{
    memory_ring memory;
    memory_ring_open(&memory, CAPACITY, 0, IPC_WAIT_ADAPTIVE);
    for (uint32_t i = 0; i < 7; i++) {
        memory_ring_write(&memory, 56, 1, 1);
        memory_ring_expect(&memory, 56, 1, 1);
        ipc_ring_release(&memory.reader);
    }
    CHECK_EQUAL(7 * 64, ipc_load_acquire64(&memory.ring.header->read_position));
    CHECK_EQUAL(0, ipc_load_acquire64(&memory.ring.header->free_position));
    memory_ring_write(&memory, 56, 1, 1);
    memory_ring_expect(&memory, 56, 1, 1);
    ipc_ring_release(&memory.reader);
    CHECK_EQUAL(CAPACITY / 8, ipc_load_acquire64(&memory.ring.header->free_position));
    memory_ring_check_zeroes(&memory, CAPACITY / 8);
    memory_ring_close(&memory);
}

TEST(an_empty_look_returns_the_space_that_is_wanted)
{
    memory_ring memory;
    void *payload;
    memory_ring_open(&memory, CAPACITY, 0, IPC_WAIT_ADAPTIVE);
    memory_ring_write(&memory, 56, 1, 1);
    memory_ring_expect(&memory, 56, 1, 1);
    ipc_ring_release(&memory.reader);
    for (uint32_t i = 0; i < CAPACITY / 64 - 2; i++)
        memory_ring_write(&memory, 56, 1, 1);
    for (uint32_t i = 0; i < CAPACITY / 64 - 2; i++)
        memory_ring_expect(&memory, 56, 1, 1);
    CHECK_STATUS(IPC_FULL, ipc_ring_try_claim(&memory.writer, 56, &payload));
    memory_ring_expect_empty(&memory); /* nothing is released by this, but what was released before goes back */
    CHECK_EQUAL(64, ipc_load_acquire64(&memory.ring.header->free_position));
    CHECK_OK(ipc_ring_try_claim(&memory.writer, 56, &payload));
    memory_ring_close(&memory);
}

TEST(reading_ahead_and_releasing_once_releases_all)
{
    memory_ring memory;
    memory_ring_open(&memory, CAPACITY, 0, IPC_WAIT_ADAPTIVE);
    for (int i = 0; i < 5; i++)
        memory_ring_write(&memory, 10, i, (uint16_t)i);
    for (int i = 0; i < 5; i++)
        memory_ring_expect(&memory, 10, i, (uint16_t)i);
    CHECK_EQUAL(0, ipc_load_acquire64(&memory.ring.header->read_position));
    ipc_ring_release(&memory.reader);
    CHECK_EQUAL(5 * 64, ipc_load_acquire64(&memory.ring.header->read_position));
    memory_ring_close(&memory);
}

TEST(a_ring_is_drained_when_all_of_it_is_released)
{
    memory_ring memory;
    memory_ring_open(&memory, CAPACITY, 0, IPC_WAIT_ADAPTIVE);
    CHECK(ipc_ring_reader_is_drained(&memory.reader));
    for (uint32_t record = 0; record < 3 * CAPACITY / 128; record++) { /* three laps, of two lines and then padding */
        memory_ring_write(&memory, 1 + 100 * (record % 2), 0, 1);
        CHECK(!ipc_ring_reader_is_drained(&memory.reader));
        (void)memory_ring_read(&memory);
        CHECK(!ipc_ring_reader_is_drained(&memory.reader)); /* somebody is at it */
        ipc_ring_release(&memory.reader);
        CHECK(ipc_ring_reader_is_drained(&memory.reader));
    }
    memory_ring_close(&memory);
}

TEST(a_batch_is_invisible_until_its_first_header_is_stored)
{
    memory_ring memory;
    memory_ring_open(&memory, CAPACITY, 0, IPC_WAIT_ADAPTIVE);
    for (uint16_t i = 0; i < 4; i++) {
        memset(memory_ring_claim(&memory, 20), i, 20);
        CHECK_OK(ipc_ring_commit_batched(&memory.writer, 20, i));
    }
    CHECK_EQUAL(0, memory_ring_word(&memory, 0));
    CHECK(memory_ring_word(&memory, 64) != 0);
    memory_ring_expect_empty(&memory);
    ipc_ring_flush(&memory.writer);
    for (uint16_t i = 0; i < 4; i++)
        memory_ring_expect(&memory, 20, i, i);
    ipc_ring_flush(&memory.writer); /* nothing to publish: nothing happens */
    memory_ring_expect_empty(&memory);
    memory_ring_close(&memory);
}

TEST(a_commit_publishes_the_batch_before_it)
{
    memory_ring memory;
    memory_ring_open(&memory, CAPACITY, 0, IPC_WAIT_ADAPTIVE);
    memset(memory_ring_claim(&memory, 20), 1, 20);
    CHECK_OK(ipc_ring_commit_batched(&memory.writer, 20, 1));
    memory_ring_write(&memory, 20, 2, 2);
    memory_ring_expect(&memory, 20, 1, 1);
    memory_ring_expect(&memory, 20, 2, 2);
    memory_ring_close(&memory);
}

TEST(a_batch_may_begin_or_continue_with_padding)
{
    for (int before = 0; before < 2; before++) {
        memory_ring memory;
        memory_ring_open(&memory, CAPACITY, CAPACITY - 128, IPC_WAIT_ADAPTIVE);
        if (before != 0) {
            memset(memory_ring_claim(&memory, 1), 7, 1);
            CHECK_OK(ipc_ring_commit_batched(&memory.writer, 1, 7));
        }
        memset(memory_ring_claim(&memory, 300), 8, 300);
        CHECK_OK(ipc_ring_commit_batched(&memory.writer, 300, 8));
        memory_ring_expect_empty(&memory);
        ipc_ring_flush(&memory.writer);
        if (before != 0)
            memory_ring_expect(&memory, 1, 7, 7);
        memory_ring_expect(&memory, 300, 8, 8);
        memory_ring_expect_empty(&memory);
        memory_ring_close(&memory);
    }
}

TEST(a_full_ring_publishes_the_batch_that_fills_it)
{
    memory_ring memory;
    void *payload = NULL;
    memory_ring_open(&memory, CAPACITY, 0, IPC_WAIT_ADAPTIVE);
    (void)memory_ring_claim(&memory, MAX);
    CHECK_OK(ipc_ring_commit_batched(&memory.writer, MAX, 1));
    memory_ring_expect_empty(&memory);
    CHECK_STATUS(IPC_FULL, ipc_ring_try_claim(&memory.writer, MAX, &payload));
    CHECK_EQUAL(1, memory_ring_read(&memory).type);
    memory_ring_close(&memory);
}

TEST(many_laps_of_every_size_keep_content_and_order)
{
    memory_ring memory;
    memory_ring_open(&memory, CAPACITY, 0, IPC_WAIT_ADAPTIVE);
    uint32_t seed = 12345;
    uint32_t written = 0;
    uint32_t read = 0;
    uint32_t sizes[64];
    while (read < 20000) {
        void *payload = NULL;
        seed = seed * 1664525u + 1013904223u;
        const uint32_t length = (seed >> 8) % (MAX + 1);
        if (written - read < 64 && ipc_ring_try_claim(&memory.writer, length, &payload) == IPC_OK) {
            memset(payload, (int)(written & 0xFF), length);
            sizes[written % 64] = length;
            if (seed & 0x10000) {
                CHECK_OK(ipc_ring_commit_batched(&memory.writer, length, (uint16_t)written));
            } else {
                CHECK_OK(ipc_ring_commit(&memory.writer, length, (uint16_t)written));
            }
            written++;
            continue;
        }
        ipc_ring_flush(&memory.writer);
        while (read < written) {
            memory_ring_expect(&memory, sizes[read % 64], (int)(read & 0xFF), (uint16_t)read);
            read++;
            if (seed & 0x20000)
                ipc_ring_release(&memory.reader);
        }
        ipc_ring_release(&memory.reader);
        memory_ring_check_zeroes(&memory, memory.writer.tail);
    }
    memory_ring_close(&memory);
}
