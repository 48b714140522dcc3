/* A queue whose bytes were written by somebody hostile: every call returns, and none leaves the mapping. */
#include "hostile.h"
#include "queues/queue.h"
#include "test.h"

static ipc_queue *open_queue(const ipc_queue_options *options)
{
    ipc_queue *queue = NULL;
    CHECK_OK(ipc_queue_open("q", options, &queue));
    return queue;
}

TEST(a_header_that_describes_no_queue_is_refused)
{
    static const bad_field bad[] = {
        {"magic", 0, 4, 0x55455550},
        {"block size 0", 4, 4, 0},
        {"block size 4", 4, 4, 4},
        {"block size 257", 4, 4, 257},
        {"block size another", 4, 4, 512},
        {"block size too large", 4, 4, (16u << 20) + 8},
        {"count 0", 8, 4, 0},
        {"count 1", 8, 4, 1},
        {"count 3", 8, 4, 3},
        {"count too large", 8, 4, 1u << 21},
        {"count that does not fit", 8, 4, 1u << 20},
        {"limit 0", 12, 4, 0},
        {"limit 257", 12, 4, 257},
        {"limit that does not fit", 12, 4, 256},
        {"stride", 16, 8, 128},
        {"stride huge", 16, 8, UINT64_MAX},
        {"segments inside the header", 24, 8, 4096},
        {"segments unaligned", 24, 8, 12288 + 128},
        {"segments beyond", 24, 8, 1ull << 40},
        {"segments huge", 24, 8, UINT64_MAX - 4095},
        {"segment stride", 32, 8, 4096},
        {"segment stride huge", 32, 8, 1ull << 63},
        {"distance", 44, 4, 16},
        {"pool inside the segments", 48, 8, 12288},
        {"pool beyond", 48, 8, 1ull << 40},
        {"pool unaligned", 48, 8, 12289},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        const ipc_queue_options options = {.block_count = 16, .max_expansions = 1, .loan_budget = 4096};
        ipc_queue *queue = open_queue(&options);
        ipc_queue *other = NULL;
        put(queue->place.region, bad[i].offset, bad[i].size, bad[i].value);
        ipc_status status = ipc_queue_open("q", &options, &other);
        if (status != IPC_E_CORRUPT)
            test_fail(__FILE__, __LINE__, "%s: %s", bad[i].what, ipc_status_name(status));
        CHECK(strlen(ipc_last_error()) > 10);
        ipc_block block; /* who is in goes on with what it has checked */
        CHECK_OK(ipc_queue_send(queue, "x", 1, 1, IPC_NOW, NULL));
        CHECK_OK(ipc_queue_try_receive(queue, &block));
        ipc_queue_release(queue, &block);
        ipc_queue_close(queue);
    }
}

TEST(a_message_longer_than_its_block_is_dropped_and_said)
{
    const ipc_queue_options options = {.block_size = 64, .block_count = 4, .loan_budget = 4096};
    ipc_queue *queue = open_queue(&options);
    for (int i = 0; i < 20; i++) {
        ipc_block block;
        CHECK_OK(ipc_queue_try_claim(queue, 64, &block));
        ipc_block_slot *slot = ipc_queue_slot_of(&block);
        const uint64_t descriptor[2] = {(uint64_t)i << 32, 0xFFFFFFFF00000000ull | (uint64_t)i};
        memcpy(block.payload, descriptor, sizeof descriptor);
        CHECK_OK(ipc_queue_commit(queue, &block, 64, 1));
        if (i % 2 == 0) {
            slot->length = 65;
        } else {
            slot->flags = IPC_BLOCK_HAS_LOAN;
            slot->loan_lap = ipc_slot_lap(ipc_load_relaxed64(&slot->state));
        }
        CHECK_STATUS(IPC_E_CORRUPT, ipc_queue_try_receive(queue, &block));
        check_error_says(i % 2 == 0 ? "has 65 bytes and flags 0, a block has room for 64" : "");
        CHECK_STATUS(IPC_EMPTY, ipc_queue_try_receive(queue, &block));
    }
    CHECK_OK(ipc_queue_send(queue, "x", 1, 1, IPC_NOW, NULL));
    ipc_queue_close(queue);
}

static ipc_pool_block *loan_of(const ipc_queue *queue, const ipc_block *block)
{
    return ipc_pool_block_at(&queue->pool, (uint16_t)block->reserved[IPC_BLOCK_LOAN_MORE],
                             (uint32_t)block->reserved[IPC_BLOCK_LOAN]);
}

TEST(a_message_whose_loan_or_slot_was_taken_away_is_not_sent)
{
    const ipc_queue_options options = {.block_size = 64, .block_count = 2, .loan_budget = 16384};
    ipc_queue *queue = open_queue(&options);
    ipc_block block;
    CHECK_OK(ipc_queue_try_claim(queue, 5000, &block));
    ipc_pool_block *loan = loan_of(queue, &block);
    const uint64_t freed =
        ipc_block_word(ipc_block_generation(ipc_load_relaxed64(&loan->state)) + 1, 0, IPC_BLOCK_FREE);
    ipc_store_relaxed64(&loan->state, freed);
    CHECK_STATUS(IPC_E_INVALID_STATE, ipc_queue_commit(queue, &block, 5000, 1));
    check_error_says("nothing was sent");
    CHECK_EQUAL(freed, ipc_load_relaxed64(&loan->state));
    CHECK_STATUS(IPC_EMPTY, ipc_queue_try_receive(queue, &block));

    CHECK_OK(ipc_queue_try_claim(queue, 5000, &block));
    loan = loan_of(queue, &block);
    ipc_block_slot *slot = ipc_queue_slot_of(&block);
    ipc_store_relaxed64(&slot->state, ipc_queue_freed(ipc_load_relaxed64(&slot->state)));
    CHECK_STATUS(IPC_E_INVALID_STATE, ipc_queue_commit(queue, &block, 5000, 1));
    check_error_says("not this process's any more");
    CHECK_EQUAL(IPC_BLOCK_FREE, ipc_block_phase(ipc_load_relaxed64(&loan->state)));

    for (int i = 0; i < 2; i++) /* no slot and no memory is missing */
        CHECK_OK(ipc_queue_send(queue, "0123456789", 10, 1, IPC_NOW, NULL));
    for (int i = 0; i < 2; i++) {
        CHECK_OK(ipc_queue_try_receive(queue, &block));
        ipc_queue_release(queue, &block);
    }
    CHECK_OK(ipc_queue_try_claim(queue, 16384, &block));
    ipc_queue_abandon(queue, &block);
    ipc_queue_close(queue);
}

TEST(hints_that_lead_nowhere_end_with_an_error)
{
    const ipc_queue_options options = {.block_count = 4, .max_expansions = 1, .preallocate = true};
    ipc_queue *queue = open_queue(&options);
    ipc_block block;
    put(queue->place.region, 256, 8, 1u << 16 | 2);
    put(queue->place.region, 384, 8, 1u << 16 | 0xFFFF);
    CHECK_STATUS(IPC_E_CORRUPT, ipc_queue_try_claim(queue, 8, &block));
    check_error_says("segment 2, it has at most 2");
    CHECK_STATUS(IPC_E_CORRUPT, ipc_queue_try_receive(queue, &block));
    CHECK_STATUS(IPC_E_CORRUPT, ipc_queue_claim(queue, 8, IPC_FOREVER, NULL, &block));
    CHECK_STATUS(IPC_E_CORRUPT, ipc_queue_receive(queue, IPC_FOREVER, NULL, &block));
    put(queue->place.region, 256, 8, 1u << 16);
    put(queue->place.region, 384, 8, 1u << 16);
    /* every slot says that it was passed long ago: the tail would go on for ever; the head leaps behind them all */
    for (uint32_t i = 0; i < 4; i++)
        ipc_store_relaxed64(&ipc_slot_at(&queue->view.first, i)->state, ipc_slot_word(0x7FFFFFFF, 0, 0, 0));
    CHECK_STATUS(IPC_E_CORRUPT, ipc_queue_try_claim(queue, 8, &block));
    check_error_says("still says that there is more");
    CHECK_STATUS(IPC_EMPTY, ipc_queue_try_receive(queue, &block));
    /* laps wrap: each slot is ahead of the one before, all around */
    static const uint32_t circle[4] = {0x55555555, 0xAAAAAAAA, 0xFFFFFFFF, 0xFFFFFFFF};
    for (uint32_t i = 0; i < 4; i++)
        ipc_store_relaxed64(&ipc_slot_at(&queue->view.first, i)->state, ipc_slot_word(circle[i], 0, 0, 0));
    ipc_store_relaxed64(&queue->view.segments[0].head, 0);
    CHECK_STATUS(IPC_E_CORRUPT, ipc_queue_try_receive(queue, &block));
    check_error_says("still says that there is more");
    CHECK_STATUS(IPC_E_CORRUPT, ipc_queue_receive(queue, ipc_deadline_after(100000), NULL, &block));
    CHECK_STATUS(IPC_E_CORRUPT, ipc_queue_wait(queue, ipc_deadline_after(100000), NULL));
    /* segments that follow each other in a circle */
    for (uint32_t segment = 0; segment < 2; segment++) {
        const ipc_slot_ring ring = ipc_queue_slots(&queue->view, segment);
        for (uint32_t i = 0; i < 4; i++)
            ipc_store_relaxed64(&ipc_slot_at(&ring, i)->state, IPC_SLOT_SEALED);
        ipc_store_relaxed64(&queue->view.segments[segment].tail, 0);
        ipc_store_relaxed64(&queue->view.segments[segment].head, 0);
        ipc_store_relaxed64(&queue->view.segments[segment].next, 1u << 16 | (1 - segment));
    }
    CHECK_STATUS(IPC_E_CORRUPT, ipc_queue_try_claim(queue, 8, &block));
    check_error_says("segment 1, it has at most 2, as turn 1");
    CHECK_STATUS(IPC_E_CORRUPT, ipc_queue_try_receive(queue, &block));
    check_error_says("segment 1, it has at most 2, as turn 1");
    ipc_queue_close(queue);
}

/* ---- anything anywhere ------------------------------------------------------------------------------- */

static uint64_t some_word(uint64_t *random)
{
    switch (next_random(random) % 6) {
    case 0:
        return next_random(random);
    case 1:
        return 0;
    case 2:
        return UINT64_MAX;
    case 3: /* nearly a state */
        return ipc_slot_word((uint32_t)next_random(random) % 4, (uint32_t)next_random(random) % 5,
                             next_random(random) & 0x700, (uint32_t)next_random(random) % 6);
    case 4: /* nearly a turn, or a position */
        return next_random(random) & 0x7000F;
    default:
        return next_random(random) & 0xFFFF;
    }
}

/* The queue as it may be touched by its calls: headers behind the fixed fields, and slots. Never the region's own
   header, which decides whether the file is removed at the end. */
static void scribble(ipc_queue *queue, uint64_t *random)
{
    uint8_t *body = queue->place.region->base + queue->place.region->geometry.body_offset;
    const uint64_t headers = IPC_QUEUE_HEADER_SIZE + (uint64_t)IPC_QUEUE_SEGMENT_HEADER * queue->view.segment_limit;
    const uint64_t slots = queue->view.segment_limit * queue->view.segment_stride;
    const unsigned count = 1 + (unsigned)(next_random(random) % 20);
    for (unsigned i = 0; i < count; i++) {
        uint8_t *place =
            next_random(random) % 3 == 0
                ? body + 128 + next_random(random) % (headers - 128) / 8 * 8
                : queue->view.first.slots + next_random(random) % (slots / 128) * 128 + next_random(random) % 5 * 8;
        ipc_store_relaxed64((ipc_atomic64 *)(void *)place, some_word(random));
    }
}

static void expect_sane(ipc_status status)
{
    CHECK(status == IPC_OK || status == IPC_FULL || status == IPC_EMPTY || status == IPC_TIMEOUT ||
          status == IPC_E_CORRUPT || status == IPC_E_INVALID_STATE);
}

static void use(ipc_queue *queue, uint64_t *random)
{
    ipc_block block;
    ipc_change change;
    ipc_queue_info info;
    const ipc_deadline soon = ipc_deadline_after(100000);
    ipc_status status;
    switch (next_random(random) % 7) {
    case 0:
    case 1:
        status = ipc_queue_claim(queue, next_random(random) % 3 == 0 ? 5000 : 64, soon, NULL, &block);
        expect_sane(status);
        if (status == IPC_OK) {
            memset(block.payload, 1, block.length);
            if (next_random(random) % 4 == 0)
                scribble(queue, random);
            if (next_random(random) % 4 == 0)
                ipc_queue_abandon(queue, &block);
            else
                expect_sane(ipc_queue_commit(queue, &block, block.length, 1));
        }
        break;
    case 2:
    case 3:
    case 4:
        status = ipc_queue_receive(queue, soon, NULL, &block);
        expect_sane(status);
        if (status == IPC_OK) {
            volatile uint8_t sum = 0;
            for (uint32_t i = 0; i < block.length; i++)
                sum = sum ^ ((const uint8_t *)block.payload)[i]; /* it can be read */
            if (next_random(random) % 4 == 0)
                scribble(queue, random);
            ipc_queue_release(queue, &block);
        }
        break;
    case 5:
        expect_sane(ipc_queue_wait(queue, soon, NULL));
        status = ipc_queue_next_change(queue, IPC_NOW, NULL, &change);
        expect_sane(status);
        break;
    default:
        ipc_queue_get_info(queue, &info);
        CHECK(info.segments <= info.segment_limit);
        ipc_queue_trim_loans(queue);
        break;
    }
}

TEST(whatever_stands_in_a_queue_every_call_returns)
{
    const int rounds = test_is_long() ? 20000 : 100;
    for (int round = 0; round < rounds; round++) {
        uint64_t random = 0x9E3779B97F4A7C15ull * (uint64_t)(round + 1);
        const ipc_queue_options options = {.block_size = 64,
                                           .block_count = 8,
                                           .max_expansions = round % 3 == 0 ? 0 : 2,
                                           .preallocate = true,
                                           .loan_budget = 16384,
                                           .participants = 4};
        ipc_queue *queue = open_queue(&options);
        for (int step = 0; step < 30; step++) {
            scribble(queue, &random);
            ipc_queue *other = NULL; /* another comes, does something, and is cleaned up after */
            CHECK_OK(ipc_queue_open("q", &options, &other));
            use(other, &random);
            use(queue, &random);
            use(other, &random);
            ipc_queue_close(other);
        }
        ipc_queue_close(queue);
    }
}
