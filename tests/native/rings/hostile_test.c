/* A peer that writes whatever it likes: no crash, nothing read outside, no endless loop, and the right word for it. */
#include "hostile.h"
#include "memory_ring.h"
#include "test.h"

#define CAPACITY 4096u

static uint64_t random_state = 88172645463325252ull;

static ipc_status read_at(uint64_t position, uint64_t word, memory_ring *memory)
{
    ipc_record record;
    memory_ring_open(memory, CAPACITY, position, IPC_WAIT_ADAPTIVE);
    memory_ring_set_word(memory, position, word);
    return ipc_ring_try_read(&memory->reader, &record);
}

static void expect_corrupt(uint64_t position, uint64_t word)
{
    memory_ring memory;
    CHECK_STATUS(IPC_E_CORRUPT, read_at(position, word, &memory));
    CHECK_EQUAL(1, memory.corruptions);
    CHECK_EQUAL(position, memory.reader.position); /* it did not move on */
    memory_ring_close(&memory);
}

static void expect_fine(uint64_t position, uint64_t word)
{
    memory_ring memory;
    CHECK_STATUS(IPC_OK, read_at(position, word, &memory));
    memory_ring_close(&memory);
}

TEST(a_header_without_bit_63_is_corrupt)
{
    expect_corrupt(0, 1);
    expect_corrupt(0, 0x7FFFFFFFFFFFFFFF);
    expect_corrupt(0, IPC_RECORD_PADDING | 100);
}

TEST(every_reserved_bit_is_corrupt)
{
    for (int bit = 48; bit <= 61; bit++)
        expect_corrupt(0, IPC_RECORD_PUBLISHED | 1ull << bit | 8);
}

TEST(a_length_beyond_half_the_ring_is_corrupt)
{
    expect_fine(0, ipc_record_word(CAPACITY / 2 - 8, 1));
    expect_corrupt(0, ipc_record_word(CAPACITY / 2 - 7, 1));
    expect_corrupt(0, ipc_record_word(UINT32_MAX, 1));
    expect_corrupt(0, ipc_record_word(UINT32_MAX - 7, 1));
}

TEST(a_length_beyond_the_lap_is_corrupt_at_every_line)
{
    for (uint64_t position = CAPACITY / 2; position < CAPACITY; position += 64) {
        const uint32_t most = (uint32_t)(CAPACITY - position - 8);
        expect_fine(position, ipc_record_word(most, 1));
        expect_corrupt(position, ipc_record_word(most + 1, 1));
    }
}

TEST(padding_must_cover_exactly_the_rest_of_the_lap)
{
    expect_corrupt(0, ipc_record_padding(CAPACITY)); /* a whole lap of it */
    for (uint64_t position = 64; position < CAPACITY; position += 64) {
        const uint64_t rest = CAPACITY - position;
        memory_ring memory;
        ipc_record record;
        memory_ring_open(&memory, CAPACITY, position, IPC_WAIT_ADAPTIVE);
        memory_ring_set_word(&memory, position, ipc_record_padding(rest));
        memory_ring_set_word(&memory, CAPACITY, ipc_record_word(0, 3));
        CHECK_STATUS(IPC_OK, ipc_ring_try_read(&memory.reader, &record));
        memory_ring_close(&memory);
        expect_corrupt(position, ipc_record_padding(rest) + 1);
        expect_corrupt(position, ipc_record_padding(rest) - 1);
    }
}

TEST(padding_behind_padding_is_corrupt)
{
    memory_ring memory;
    ipc_record record;
    memory_ring_open(&memory, CAPACITY, CAPACITY - 64, IPC_WAIT_ADAPTIVE);
    memory_ring_set_word(&memory, CAPACITY - 64, ipc_record_padding(64));
    memory_ring_set_word(&memory, CAPACITY, ipc_record_padding(CAPACITY));
    CHECK_STATUS(IPC_E_CORRUPT, ipc_ring_try_read(&memory.reader, &record));
    memory_ring_set_word(&memory, CAPACITY, 0); /* nothing behind it */
    CHECK_STATUS(IPC_E_CORRUPT, ipc_ring_try_read(&memory.reader, &record));
    memory_ring_close(&memory);
}

TEST(a_ring_without_a_zero_ends_at_its_capacity)
{
    memory_ring memory;
    ipc_record record;
    memory_ring_open(&memory, CAPACITY, 0, IPC_WAIT_ADAPTIVE);
    for (uint64_t position = 0; position < CAPACITY; position += 64)
        memory_ring_set_word(&memory, position, ipc_record_word(8, 1));
    for (uint32_t i = 0; i < CAPACITY / 64; i++)
        CHECK_STATUS(IPC_OK, ipc_ring_try_read(&memory.reader, &record));
    CHECK_STATUS(IPC_E_CORRUPT,
                 ipc_ring_try_read(&memory.reader, &record)); /* not round again to what is not released */
    CHECK_STATUS(IPC_E_CORRUPT, memory_ring_restart_writer(&memory));
    memory_ring_close(&memory);
}

TEST(random_header_words_never_lead_outside)
{
    for (int round = 0; round < 20000; round++) {
        memory_ring memory;
        memory_ring_open(&memory, CAPACITY, next_random(&random_state) % 64 * 64, IPC_WAIT_ADAPTIVE);
        for (uint64_t position = 0; position < CAPACITY; position += 64) {
            uint64_t word = next_random(&random_state);
            if (word % 3 != 0)
                word = IPC_RECORD_PUBLISHED | (word & 0xFFFF000007FFull) | (word % 5 == 0 ? IPC_RECORD_PADDING : 0);
            memory_ring_set_word(&memory, position, word);
        }
        ipc_record record;
        ipc_status status = IPC_OK;
        for (int i = 0; i < 1000 && status == IPC_OK; i++) {
            status = ipc_ring_try_read(&memory.reader, &record);
            if (status == IPC_OK) {
                const uint8_t *payload = record.payload;
                CHECK(payload >= memory.ring.data && payload + record.length <= memory.ring.data + CAPACITY);
            }
        }
        CHECK(status != IPC_OK);
        status = memory_ring_restart_writer(&memory);
        CHECK(status == IPC_OK || status == IPC_E_CORRUPT);
        memory_ring_close(&memory);
    }
}

TEST(a_free_position_out_of_range_is_corrupt)
{
    static const uint64_t wrong[] = {64, 3 * 64, 128 + CAPACITY, 130, UINT64_MAX, 1ull << 63, 0};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        memory_ring memory;
        void *payload;
        memory_ring_open(&memory, CAPACITY, 128, IPC_WAIT_ADAPTIVE);
        CHECK_OK(ipc_ring_try_claim(&memory.writer, 2000, &payload));
        CHECK_OK(ipc_ring_commit(&memory.writer, 2000, 1));
        ipc_store_release64(&memory.ring.header->free_position, wrong[i]);
        const bool in_range =
            wrong[i] == 3 * 64; /* inside a record: not the reader's to give, but harmless to the writer */
        CHECK_STATUS(in_range ? IPC_FULL : IPC_E_CORRUPT, ipc_ring_try_claim(&memory.writer, 2040, &payload));
        CHECK_EQUAL(!in_range, memory.corruptions);
        memory_ring_close(&memory);
    }
}

TEST(positions_out_of_range_are_refused_by_successors)
{
    static const uint64_t pairs[][2] = {/* read, free */
                                        {0, 64},
                                        {CAPACITY + 64, 0},
                                        {100, 0},
                                        {128, 100},
                                        {UINT64_MAX - 63, UINT64_MAX - 63},
                                        {1ull << 63, 1ull << 63}};
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        memory_ring memory;
        memory_ring_open(&memory, CAPACITY, 0, IPC_WAIT_ADAPTIVE);
        ipc_store_release64(&memory.ring.header->read_position, pairs[i][0]);
        ipc_store_release64(&memory.ring.header->free_position, pairs[i][1]);
        CHECK_STATUS(IPC_E_CORRUPT, memory_ring_restart_reader(&memory, true));
        CHECK_STATUS(IPC_E_CORRUPT, memory_ring_restart_writer(&memory));
        memory_ring_close(&memory);
    }
}

static void *move_read_position(void *argument)
{
    memory_ring *memory = argument;
    for (uint64_t position = 0; memory->reader_state == IPC_PEER_LIVE; position = (position + 64) % (1ull << 40))
        ipc_store_release64(&memory->ring.header->read_position, position);
    return NULL;
}

TEST(a_reader_that_makes_its_positions_up_does_not_hold_a_new_writer)
{
    memory_ring memory;
    test_thread thread;
    memory_ring_open(&memory, CAPACITY, 0, IPC_WAIT_ADAPTIVE);
    test_thread_start(&thread, move_read_position, &memory);
    for (int i = 0; i < 100; i++) {
        ipc_status status = memory_ring_restart_writer(&memory);
        CHECK(status == IPC_OK || status == IPC_E_CORRUPT);
    }
    memory.reader_state = IPC_PEER_LEFT;
    test_thread_join(&thread);
    memory_ring_close(&memory);
}

static void *scramble_word(void *argument)
{
    memory_ring *memory = argument;
    while (memory->reader_state == IPC_PEER_LIVE)
        (void)ipc_exchange32(&memory->ring.header->data.word, (uint32_t)random_state++);
    return NULL;
}

TEST(a_waiter_word_that_changes_all_the_time_holds_nobody)
{
    memory_ring memory;
    test_thread thread;
    memory_ring_open(&memory, CAPACITY, 0, IPC_WAIT_BLOCK);
    test_thread_start(&thread, scramble_word, &memory);
    for (int i = 0; i < 1000; i++) {
        ipc_record record;
        CHECK_OK(ipc_ring_write(&memory.writer, "x", 1, 1, SOON, NULL));
        CHECK_OK(ipc_ring_read(&memory.reader, SOON, NULL, &record));
        ipc_ring_release(&memory.reader);
        CHECK_STATUS(IPC_TIMEOUT, ipc_ring_read(&memory.reader, ipc_deadline_after(1000), NULL, &record));
    }
    memory.reader_state = IPC_PEER_LEFT;
    test_thread_join(&thread);
    memory_ring_close(&memory);
}
