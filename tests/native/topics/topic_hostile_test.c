/* A topic whose bytes were written by somebody hostile: every call returns, and none leaves the mapping. */
#include "hostile.h"
#include "ignore.h"
#include "topic_steps.h"

static uint64_t random_state = 88172645463325252ull;

TEST(a_header_that_describes_no_topic_is_refused)
{
    static const bad_field bad[] = {
        {"magic", 0, 4, 0x43504F55},
        {"block size 0", 4, 4, 0},
        {"block size 4", 4, 4, 4},
        {"block size 65", 4, 4, 65},
        {"block size another", 4, 4, 256},
        {"block size too large", 4, 4, (16u << 20) + 8},
        {"count 0", 8, 4, 0},
        {"count 1", 8, 4, 1},
        {"count 3", 8, 4, 3},
        {"count too large", 8, 4, 1u << 21},
        {"count that does not fit", 8, 4, 1u << 20},
        {"readers 0", 12, 4, 0},
        {"readers too many", 12, 4, 1025},
        {"readers and nobody to write", 12, 4, 128},
        {"stride", 16, 8, 256},
        {"stride 0", 16, 8, 0},
        {"stride huge", 16, 8, UINT64_MAX},
        {"slots in the header", 24, 8, 4096},
        {"slots unaligned", 24, 8, 36864 + 128},
        {"slots beyond", 24, 8, 1ull << 40},
        {"slots huge", 24, 8, UINT64_MAX - 4095},
        {"readers in the header", 32, 8, 1024},
        {"readers unaligned", 32, 8, 18432 + 64},
        {"readers in the slots", 32, 8, 36864},
        {"readers beyond", 32, 8, 1ull << 40},
        {"readers huge", 32, 8, UINT64_MAX - 127},
        {"pool in the slots", 48, 8, 36864},
        {"pool beyond", 48, 8, 1ull << 40},
        {"pool unaligned", 48, 8, 65536 + 1},
        {"pool that is none", 48, 8, 45056},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        ipc_topic_options options = options_of(IPC_RELIABLE, IPC_JOIN_NEWEST);
        options.loan_budget = 4096;
        ipc_topic_writer *writer = NULL;
        ipc_topic_reader *reader = NULL;
        CHECK_OK(ipc_topic_writer_open("t", &options, &writer));
        put(writer->base.place.region, bad[i].offset, bad[i].size, bad[i].value);
        ipc_status status = ipc_topic_reader_open("t", &options, &reader);
        if (status != IPC_E_CORRUPT)
            test_fail(__FILE__, __LINE__, "%s: %s", bad[i].what, ipc_status_name(status));
        CHECK(strlen(ipc_last_error()) > 10);
        publish_all(writer, 0, BLOCKS); /* who is in goes on with what it has checked */
        ipc_topic_writer_close(writer);
    }
}

static ipc_block_slot *slot_of(const ipc_topic_writer *writer, uint64_t position)
{
    return ipc_slot_at(&writer->ring, position);
}

TEST(a_slot_that_says_more_than_it_has_is_corrupt)
{
    for (int policy = IPC_RELIABLE; policy <= IPC_LATEST; policy++) {
        static const uint64_t bad[] = {
            65, /* longer than a block, and no loan */
            UINT32_MAX,
            8ull | 2ull << 48, /* an unknown flag */
            8ull | 1ull << 48, /* a loan: descriptor of nothing */
            (uint64_t)UINT32_MAX | 1ull << 48,
        };
        for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
            ipc_topic_writer *writer = open_writer();
            ipc_topic_reader *reader = open_reader((ipc_policy)policy, IPC_JOIN_NEWEST);
            ipc_message message;
            CHECK_OK(publish(writer, 0xFFFFFFFFFFFFFFFFull));
            ipc_store_relaxed64(ipc_topic_details(slot_of(writer, BLOCKS)), bad[i]);
            CHECK_STATUS(IPC_E_CORRUPT, ipc_topic_try_read(reader, &message));
            ipc_topic_reader_close(reader);
            ipc_topic_writer_close(writer);
        }
    }
}

TEST(a_message_whose_loan_was_taken_away_is_not_published)
{
    ipc_topic_options options = options_of(IPC_RELIABLE, IPC_JOIN_NEWEST);
    ipc_topic_writer *writer = NULL;
    ipc_topic_reader *reader = NULL;
    ipc_block block;
    options.loan_budget = 16384;
    CHECK_OK(ipc_topic_writer_open("t", &options, &writer));
    CHECK_OK(ipc_topic_reader_open("t", &options, &reader));
    CHECK_OK(ipc_topic_try_claim(writer, 5000, &block));
    ipc_pool_block *loan = ipc_pool_block_at(writer->pool, (uint32_t)(block.reserved[IPC_CLAIM_BLOCK] >> 32),
                                             (uint32_t)block.reserved[IPC_CLAIM_BLOCK]);
    const uint64_t freed =
        ipc_block_word(ipc_block_generation(ipc_load_relaxed64(&loan->state)) + 1, 0, IPC_BLOCK_FREE);
    ipc_store_relaxed64(&loan->state, freed);
    CHECK_STATUS(IPC_E_INVALID_STATE, ipc_topic_commit(writer, &block, 5000, 1, 0));
    check_error_says("nothing was published");
    CHECK_EQUAL(freed, ipc_load_relaxed64(&loan->state));
    expect_empty(reader);
    publish_all(writer, 0, BLOCKS);
    expect_range(reader, 0, BLOCKS);
    ipc_topic_reader_close(reader);
    ipc_topic_writer_close(writer);
}

TEST(a_word_that_no_writer_writes_is_corrupt_or_nothing)
{
    static const uint64_t words[] = {
        1ull << 32 | IPC_PHASE_FREE,
        1ull << 32 | IPC_PHASE_READING,
        1ull << 32 | 0xFF,
        1ull << 32 | 0x100 | IPC_PHASE_READY,
        1ull << 32 | 0xFF00 | IPC_PHASE_READY,
        5ull << 32 | IPC_PHASE_READY,
        0x7FFFFFFFull << 32 | IPC_PHASE_READY,
        0x80000001ull << 32,
        0xFFFFFFF0ull << 32 | IPC_PHASE_READY,
        2ull << 32 | IPC_PHASE_WRITING,
        0xFFFFFFFFFFFFFFFFull,
    };
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        for (int policy = IPC_RELIABLE; policy <= IPC_LATEST; policy++) {
            ipc_topic_writer *writer = open_writer();
            ipc_topic_reader *reader = open_reader((ipc_policy)policy, IPC_JOIN_NEWEST);
            ipc_message message;
            ipc_block block;
            ipc_store_release64(&slot_of(writer, BLOCKS)->state, words[i]);
            ipc_status status = ipc_topic_try_read(reader, &message);
            CHECK(status == IPC_E_CORRUPT || status == IPC_EMPTY);
            status = ipc_topic_claim(writer, 8, IPC_NOW, NULL, &block);
            CHECK(status == IPC_E_CORRUPT || status == IPC_TIMEOUT || status == IPC_OK);
            ipc_topic_reader_close(reader);
            ipc_topic_writer_close(writer);
        }
    }
}

TEST(a_tail_that_lies_stops_nobody_for_long)
{
    static const uint64_t tails[] = {0,        1,          BLOCKS - 1, BLOCKS + 1,     5 * BLOCKS,
                                     3u << 20, 1ull << 40, 1ull << 62, UINT64_MAX - 3, UINT64_MAX};
    for (size_t i = 0; i < sizeof tails / sizeof tails[0]; i++) {
        ipc_topic_writer *writer = open_writer();
        ipc_topic_reader *lossy = open_reader(IPC_LOSSY, IPC_JOIN_NEWEST);
        ipc_block block;
        ipc_message message;
        publish_all(writer, 0, 3);
        ipc_store_release64(&writer->header->tail, tails[i]);
        ipc_status status = ipc_topic_claim(writer, 8, IPC_NOW, NULL, &block);
        CHECK(status == IPC_E_CORRUPT || status == IPC_OK || status == IPC_TIMEOUT);
        for (int policy = IPC_RELIABLE; policy <= IPC_LATEST; policy++) {
            for (int join = IPC_JOIN_NEWEST; join <= IPC_JOIN_LAST; join++) {
                ipc_topic_reader *reader = NULL;
                const ipc_topic_options options = options_of((ipc_policy)policy, (ipc_join)join);
                status = ipc_topic_reader_open("t", &options, &reader);
                if (status == IPC_OK) {
                    ignore(ipc_topic_read(reader, IPC_NOW, NULL, &message));
                    (void)ipc_topic_release(reader);
                    ipc_topic_reader_close(reader);
                } else {
                    CHECK_STATUS(IPC_E_CORRUPT, status);
                }
            }
        }
        ignore(ipc_topic_try_read(lossy, &message));
        ipc_topic_reader_close(lossy);
        ipc_topic_writer_close(writer);
    }
}

TEST(a_lap_that_nobody_has_reached_is_corrupt_for_a_lossy_reader)
{
    static const uint64_t tails[] = {0, 1, BLOCKS, BLOCKS + 1}; /* behind the reader, and where it is */
    for (size_t i = 0; i < sizeof tails / sizeof tails[0]; i++) {
        ipc_topic_writer *writer = open_writer();
        ipc_topic_reader *lossy = open_reader(IPC_LOSSY, IPC_JOIN_NEWEST);
        ipc_message message;
        for (uint32_t slot = 0; slot < BLOCKS; slot++)
            ipc_store_release64(&ipc_slot_at(&writer->base.topic.ring, slot)->state,
                                ipc_slot_word(0x7FFFFFFF, 1, 0, IPC_PHASE_READY));
        ipc_store_release64(&writer->header->tail, tails[i]);
        CHECK_STATUS(IPC_E_CORRUPT, ipc_topic_try_read(lossy, &message));
        CHECK_EQUAL(0, lossy->lost);
        ipc_topic_reader_close(lossy);
        ipc_topic_writer_close(writer);
    }
}

/* Everything behind the participants is noise, again and again; what is read must lie within the mapping (the sanitizer
   watches the copies, this the places). */
TEST(noise_in_every_word_is_survived)
{
    const int rounds = test_is_long() ? 20000 : 1500;
    for (int round = 0; round < rounds; round++) {
        ipc_topic_options options = options_of(IPC_RELIABLE, IPC_JOIN_NEWEST);
        options.loan_budget = 16 * 4096;
        ipc_topic_writer *writer = NULL;
        ipc_topic_reader *readers[4];
        CHECK_OK(ipc_topic_writer_open("t", &options, &writer));
        for (int i = 0; i < 4; i++)
            readers[i] = open_reader((ipc_policy)i, IPC_JOIN_NEWEST);
        const ipc_region *region = writer->base.place.region;
        const ipc_topic *topic = &writer->base.topic;
        for (int step = 0; step < 60; step++) {
            const uint64_t position = topic->slot_count + next_random(&random_state) % 64;
            ipc_block_slot *slot = ipc_slot_at(&topic->ring, position);
            const uint64_t noise =
                next_random(&random_state) % 3 == 0 ? next_random(&random_state) : next_random(&random_state) % 256;
            switch (next_random(&random_state) % 12) {
            case 0:
                ipc_store_release64(&slot->state, noise);
                break;
            case 1:
                ipc_store_release64(&slot->state,
                                    ipc_slot_word((uint32_t)(position / BLOCKS), 1, 0, (uint32_t)(noise % 6)));
                break;
            case 2:
                ipc_store_release64(ipc_topic_details(slot), noise | (next_random(&random_state) & 1) << 48);
                break;
            case 3:
                ipc_store_release64(&topic->header->tail, next_random(&random_state) % 8 == 0 ? noise : position);
                break;
            case 4:
                ipc_store_release64(&topic->entries[next_random(&random_state) % 8].cursor, noise);
                break;
            case 5:
                ipc_store_release32(&topic->entries[next_random(&random_state) % 8].state, (uint32_t)noise);
                break;
            case 6:
                ipc_store_release64(&topic->header->active[next_random(&random_state) % 64], noise);
                break;
            case 7:
                ((uint64_t *)(void *)ipc_slot_payload(slot))[next_random(&random_state) % 2] = noise;
                break;
            case 8:
                ipc_store_release64(&writer->pool->blocks[next_random(&random_state) % writer->pool->block_count].state,
                                    noise);
                break;
            default:
                break;
            }
            ipc_block block;
            ipc_message message;
            const uint32_t length = (uint32_t)(next_random(&random_state) % 3 == 0 ? next_random(&random_state) % 20000
                                                                                   : next_random(&random_state) % 65);
            if (ipc_topic_claim(writer, length, IPC_NOW, NULL, &block) == IPC_OK) {
                CHECK((uint8_t *)block.payload >= region->base &&
                      (uint8_t *)block.payload + length <= region->base + region->geometry.total_size);
                if (next_random(&random_state) % 4 == 0)
                    ipc_topic_abandon(writer, &block);
                else
                    ignore(ipc_topic_commit(writer, &block, length, 1, next_random(&random_state) % 5));
            }
            for (int i = 0; i < 4; i++) {
                if (ipc_topic_try_read(readers[i], &message) == IPC_OK) {
                    const uint8_t *bytes = message.payload;
                    const uint8_t *base = readers[i]->base.place.region->base;
                    const bool in_mapping =
                        bytes >= base && bytes + message.length <= base + region->geometry.total_size;
                    volatile uint8_t touched =
                        message.length == 0 ? 0 : (uint8_t)(bytes[0] + bytes[message.length - 1]);
                    (void)touched;
                    CHECK(in_mapping || message.length <= readers[i]->copy_size);
                }
                if (next_random(&random_state) % 2 == 0 && ipc_topic_release(readers[i]) == IPC_EVICTED)
                    ignore(ipc_topic_rejoin(readers[i], (ipc_join)(next_random(&random_state) % 3)));
            }
        }
        for (int i = 0; i < 4; i++)
            ipc_topic_reader_close(readers[i]);
        ipc_topic_writer_close(writer);
    }
}
