/* Claims that grow, claims that are given back, misuse; and successors of a writer or reader that has gone. */
#include "memory_ring.h"
#include "test.h"

#define CAPACITY 4096u
#define MAX      (CAPACITY / 2 - 8)

TEST(a_claim_extended_in_place_keeps_its_bytes)
{
    memory_ring memory;
    void *payload = NULL;
    memory_ring_open(&memory, CAPACITY, 0, IPC_WAIT_ADAPTIVE);
    void *first = memory_ring_claim(&memory, 50);
    memset(first, 3, 50);
    CHECK_OK(ipc_ring_try_extend_claim(&memory.writer, 500, &payload));
    CHECK(payload == first);
    memset((uint8_t *)payload + 50, 3, 450);
    CHECK_OK(ipc_ring_commit(&memory.writer, 500, 1));
    memory_ring_expect(&memory, 500, 3, 1);
    memory_ring_check_zeroes(&memory, 512);
    memory_ring_close(&memory);
}

TEST(a_claim_extended_past_the_lap_moves_with_its_bytes)
{
    memory_ring memory;
    void *payload = NULL;
    memory_ring_open(&memory, CAPACITY, CAPACITY - 256, IPC_WAIT_ADAPTIVE);
    memset(memory_ring_claim(&memory, 200), 4, 200);
    CHECK_OK(ipc_ring_try_extend_claim(&memory.writer, 600, &payload));
    memset((uint8_t *)payload + 200, 4, 400);
    CHECK_EQUAL(0, memory_ring_word(&memory, CAPACITY - 256));
    CHECK_OK(ipc_ring_try_extend_claim(&memory.writer, 1000, &payload)); /* and stays where it is from then on */
    memset((uint8_t *)payload + 600, 4, 400);
    CHECK_OK(ipc_ring_commit(&memory.writer, 1000, 2));
    memory_ring_expect(&memory, 1000, 4, 2);
    ipc_ring_release(&memory.reader);
    CHECK_EQUAL(ipc_load_acquire64(&memory.ring.header->read_position),
                ipc_load_acquire64(&memory.ring.header->free_position));
    memory_ring_check_zeroes(&memory, CAPACITY + 1024);
    memory_ring_close(&memory);
}

TEST(abandoning_a_claim_that_moved_cleans_both_places)
{
    memory_ring memory;
    void *payload = NULL;
    memory_ring_open(&memory, CAPACITY, CAPACITY - 256, IPC_WAIT_ADAPTIVE);
    memset(memory_ring_claim(&memory, 200), 0xFF, 200);
    CHECK_OK(ipc_ring_try_extend_claim(&memory.writer, 600, &payload));
    memset(payload, 0xFF, 600);
    ipc_ring_abandon(&memory.writer);
    memory_ring_check_zeroes(&memory, CAPACITY - 256);
    memory_ring_expect_empty(&memory);
    memory_ring_close(&memory);
}

TEST(a_claim_that_cannot_be_extended_stays_as_it_was)
{
    memory_ring memory;
    void *payload = NULL;
    memory_ring_open(&memory, CAPACITY, 0, IPC_WAIT_ADAPTIVE);
    CHECK_STATUS(IPC_E_INVALID_STATE, ipc_ring_try_extend_claim(&memory.writer, 5, &payload));
    memory_ring_write(&memory, MAX, 1, 1);
    memset(memory_ring_claim(&memory, 100), 6, 100);
    CHECK_STATUS(IPC_FULL, ipc_ring_try_extend_claim(&memory.writer, MAX, &payload));
    CHECK_STATUS(IPC_E_TOO_LARGE, ipc_ring_try_extend_claim(&memory.writer, MAX + 1, &payload));
    CHECK_OK(ipc_ring_try_extend_claim(&memory.writer, 10, &payload)); /* smaller: nothing changes */
    CHECK_OK(ipc_ring_commit(&memory.writer, 100, 2));
    memory_ring_expect(&memory, MAX, 1, 1);
    memory_ring_expect(&memory, 100, 6, 2);
    memory_ring_close(&memory);
}

TEST(misuse_is_told_and_changes_nothing)
{
    memory_ring memory;
    memory_ring_open(&memory, CAPACITY, 0, IPC_WAIT_ADAPTIVE);
    CHECK_STATUS(IPC_E_INVALID_STATE, ipc_ring_commit(&memory.writer, 0, 0));
    CHECK_STATUS(IPC_E_INVALID_STATE, ipc_ring_commit_batched(&memory.writer, 0, 0));
    (void)memory_ring_claim(&memory, 10);
    CHECK_STATUS(IPC_E_INVALID_ARGUMENT, ipc_ring_commit(&memory.writer, 11, 0));
    CHECK_OK(ipc_ring_commit(&memory.writer, 10, 0));
    ipc_ring_abandon(&memory.writer);
    ipc_ring_release(&memory.reader);
    CHECK_EQUAL(0, ipc_load_acquire64(&memory.ring.header->read_position));
    memory_ring_close(&memory);
}

TEST(a_new_writer_goes_on_behind_what_was_published)
{
    memory_ring memory;
    memory_ring_open(&memory, CAPACITY, CAPACITY - 128, IPC_WAIT_ADAPTIVE);
    memory_ring_write(&memory, 300, 1, 1);
    memset(memory_ring_claim(&memory, 500), 0xFF, 500); /* the old writer dies with a batch and a claim open */
    CHECK_OK(ipc_ring_commit_batched(&memory.writer, 500, 9));
    memset(memory_ring_claim(&memory, 100), 0xFF, 100);
    CHECK_OK(ipc_ring_commit_batched(&memory.writer, 100, 9));
    memset(memory_ring_claim(&memory, 700), 0xFF, 700);
    CHECK_OK(memory_ring_restart_writer(&memory));
    memory_ring_check_zeroes(&memory, CAPACITY + 320);
    memory_ring_write(&memory, 20, 2, 2);
    memory_ring_expect(&memory, 300, 1, 1);
    memory_ring_expect(&memory, 20, 2, 2);
    memory_ring_expect_empty(&memory);
    memory_ring_close(&memory);
}

TEST(a_new_reader_gets_again_what_was_not_released)
{
    memory_ring memory;
    memory_ring_open(&memory, CAPACITY, 0, IPC_WAIT_ADAPTIVE);
    for (int i = 0; i < 4; i++)
        memory_ring_write(&memory, 10, i, (uint16_t)i);
    memory_ring_expect(&memory, 10, 0, 0);
    ipc_ring_release(&memory.reader);
    memory_ring_expect(&memory, 10, 1, 1); /* read, not released */
    CHECK_OK(memory_ring_restart_reader(&memory, true));
    CHECK_EQUAL(64, ipc_load_acquire64(&memory.ring.header->free_position));
    CHECK_EQUAL(0, memory_ring_word(&memory, CAPACITY)); /* the released line was zeroed */
    memory_ring_write(&memory, 10, 4, 4);
    for (uint16_t i = 1; i < 5; i++) {
        const ipc_record record = memory_ring_read(&memory);
        CHECK_EQUAL(i, record.type);
        CHECK_EQUAL(i < 4, record.redelivered);
    }
    memory_ring_close(&memory);
}

TEST(a_reader_that_follows_one_that_left_gets_nothing_flagged)
{
    memory_ring memory;
    memory_ring_open(&memory, CAPACITY, 0, IPC_WAIT_ADAPTIVE);
    memory_ring_write(&memory, 10, 1, 1);
    CHECK_OK(memory_ring_restart_reader(&memory, false));
    CHECK(!memory_ring_read(&memory).redelivered);
    memory_ring_close(&memory);
}
