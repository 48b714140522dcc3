/* A queue in one process: what each call does, order, room, growth, and the numbers at their ends. */
#include "queues/queue.h"
#include "test.h"

static ipc_queue *open_queue(const ipc_queue_options *options)
{
    ipc_queue *queue = NULL;
    CHECK_OK(ipc_queue_open("q", options, &queue));
    return queue;
}

static void send_number(ipc_queue *queue, uint64_t number)
{
    CHECK_OK(ipc_queue_send(queue, &number, sizeof number, (uint16_t)number, IPC_NOW, NULL));
}

static uint64_t number_in(const ipc_block *block)
{
    uint64_t number = 0;
    CHECK_EQUAL(sizeof number, block->length);
    memcpy(&number, block->payload, sizeof number);
    CHECK_EQUAL((uint16_t)number, block->type);
    return number;
}

static uint64_t receive_number(ipc_queue *queue)
{
    ipc_block block;
    CHECK_OK(ipc_queue_try_receive(queue, &block));
    const uint64_t number = number_in(&block);
    ipc_queue_release(queue, &block);
    return number;
}

static void expect_empty(ipc_queue *queue)
{
    ipc_block block;
    CHECK_STATUS(IPC_EMPTY, ipc_queue_try_receive(queue, &block));
}

static void expect_full(ipc_queue *queue)
{
    ipc_block block;
    CHECK_STATUS(IPC_FULL, ipc_queue_try_claim(queue, 8, &block));
}

static ipc_queue_info info_of(const ipc_queue *queue)
{
    ipc_queue_info info;
    ipc_queue_get_info(queue, &info);
    return info;
}

/* ---- single calls ------------------------------------------------------------------------------------ */

TEST(each_message_goes_to_one_receiver_with_its_length_and_type)
{
    const ipc_queue_options options = {.block_size = 40, .block_count = 4};
    ipc_queue *a = open_queue(&options);
    ipc_queue *b = open_queue(&options);
    ipc_block block;
    expect_empty(a);
    CHECK_OK(ipc_queue_send(a, "hello", 5, 7, IPC_NOW, NULL));
    CHECK_OK(ipc_queue_send(a, NULL, 0, 65535, IPC_NOW, NULL));
    CHECK_OK(ipc_queue_try_receive(b, &block));
    CHECK(block.length == 5 && block.type == 7 && !block.redelivered && memcmp(block.payload, "hello", 5) == 0);
    ipc_block second;
    CHECK_OK(ipc_queue_try_receive(a, &second));
    CHECK(second.length == 0 && second.type == 65535);
    expect_empty(a);
    expect_empty(b);
    ipc_queue_release(a, &second); /* in any order */
    ipc_queue_release(b, &block);
    ipc_queue_release(b, &block); /* once is enough */
    CHECK_EQUAL(0, info_of(a).depth);
    ipc_queue_close(a);
    ipc_queue_close(b);
}

TEST(geometry_is_read_from_the_queue_and_not_from_the_options)
{
    const ipc_queue_options creator = {.block_size = 33, .block_count = 5, .max_expansions = 2, .participants = 3};
    const ipc_queue_options other = {.block_size = 4096, .block_count = 2, .participants = 100};
    ipc_queue *a = open_queue(&creator);
    ipc_queue *b = open_queue(&other);
    const ipc_queue_info info = info_of(b);
    CHECK_EQUAL(40, info.block_size);
    CHECK_EQUAL(8, info.block_count);
    CHECK_EQUAL(1, info.segments);
    CHECK_EQUAL(3, info.segment_limit);
    CHECK_EQUAL(2, info.participants);
    CHECK_EQUAL(3, info.participant_capacity);
    CHECK_EQUAL(TEST_DEFAULT_BUDGET, info.loan_budget);
    ipc_queue_close(a);
    ipc_queue_close(b);
}

TEST(options_that_make_no_queue_are_refused_with_both_numbers)
{
    static const struct {
        ipc_queue_options options;
        const char *words;
    } bad[] = {
        {{.block_size = 7}, "8 to 16777216 bytes, not 7"},
        {{.block_size = (16u << 20) + 1}, "not 16777217"},
        {{.block_count = 1}, "2 to 1048576 blocks, not 1"},
        {{.block_count = (1u << 20) + 1}, "not 1048577"},
        {{.max_expansions = 256}, "has 0 to 255 expansions, not 256"},
        {{.participants = 4097}, "has 1 to 4096 participants, not 4097"},
        {{.block_count = 4, .min_expansion_distance = 4}, "is 0 to 3 blocks, not 4"},
        {{.open_mode = (ipc_open_mode)7}, "open_mode 7"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        ipc_queue *queue = NULL;
        CHECK_STATUS(IPC_E_INVALID_ARGUMENT, ipc_queue_open("q", &bad[i].options, &queue));
        check_error_says(bad[i].words);
        CHECK(queue == NULL);
    }
    ipc_queue *queue = NULL;
    CHECK_STATUS(IPC_E_INVALID_NAME, ipc_queue_open("no/name", NULL, &queue));
    const ipc_queue_options existing = {.open_mode = IPC_OPEN_EXISTING};
    CHECK_STATUS(IPC_E_NOT_FOUND, ipc_queue_open("q", &existing, &queue));
}

TEST(create_and_open_say_what_is_there)
{
    const ipc_queue_options create = {.open_mode = IPC_CREATE_NEW};
    const ipc_queue_options existing = {.open_mode = IPC_OPEN_EXISTING};
    ipc_queue *a = open_queue(&create);
    ipc_queue *b = NULL;
    CHECK_STATUS(IPC_E_EXISTS, ipc_queue_open("q", &create, &b));
    b = open_queue(&existing);
    ipc_ring_writer *writer = NULL;
    CHECK_STATUS(IPC_E_WRONG_KIND, ipc_ring_writer_open("q", NULL, &writer));
    check_error_says("is a queue, not a ring");
    ipc_queue_close(a);
    send_number(b, 5); /* the creator is a participant like any other */
    CHECK_EQUAL(5, receive_number(b));
    ipc_queue_close(b);
}

TEST(a_full_table_is_said)
{
    const ipc_queue_options options = {.participants = 2};
    ipc_queue *a = open_queue(&options);
    ipc_queue *b = open_queue(&options);
    ipc_queue *c = NULL;
    CHECK_STATUS(IPC_E_TABLE_FULL, ipc_queue_open("q", &options, &c));
    check_error_says("2 participants");
    ipc_queue_close(a);
    CHECK_OK(ipc_queue_open("q", &options, &c));
    ipc_queue_close(b);
    ipc_queue_close(c);
}

TEST(what_is_abandoned_was_never_there)
{
    const ipc_queue_options options = {.block_count = 2};
    ipc_queue *queue = open_queue(&options);
    for (int lap = 0; lap < 5; lap++) {
        ipc_block block;
        CHECK_OK(ipc_queue_try_claim(queue, 8, &block));
        send_number(queue, 1);
        expect_full(queue);
        ipc_queue_abandon(queue, &block);
        ipc_queue_abandon(queue, &block);
        CHECK_STATUS(IPC_E_INVALID_STATE, ipc_queue_commit(queue, &block, 8, 1));
        CHECK_EQUAL(1, receive_number(queue));
        expect_empty(queue);
    }
    ipc_queue_close(queue);
}

TEST(a_commit_may_be_shorter_than_its_claim_and_never_longer)
{
    ipc_queue *queue = open_queue(NULL);
    ipc_block block;
    CHECK_OK(ipc_queue_try_claim(queue, 100, &block));
    memset(block.payload, 'x', 100);
    CHECK_STATUS(IPC_E_INVALID_ARGUMENT, ipc_queue_commit(queue, &block, 101, 1));
    CHECK_OK(ipc_queue_commit(queue, &block, 3, 1)); /* still claimed */
    CHECK_STATUS(IPC_E_INVALID_STATE, ipc_queue_commit(queue, &block, 3, 1));
    CHECK_OK(ipc_queue_try_receive(queue, &block));
    CHECK(block.length == 3 && memcmp(block.payload, "xxx", 3) == 0);
    ipc_queue_release(queue, &block);
    ipc_queue_close(queue);
}

TEST(without_loans_a_message_has_the_length_of_a_block_at_most)
{
    const ipc_queue_options options = {.block_size = 64, .loan_budget = IPC_NO_LOANS};
    ipc_queue *queue = open_queue(&options);
    uint8_t bytes[65] = {0};
    CHECK_OK(ipc_queue_send(queue, bytes, 64, 1, IPC_NOW, NULL));
    CHECK_STATUS(IPC_E_TOO_LARGE, ipc_queue_send(queue, bytes, 65, 1, IPC_NOW, NULL));
    check_error_says("65 bytes does not fit: this queue takes at most 64");
    CHECK_EQUAL(1, info_of(queue).depth);
    CHECK_EQUAL(0, info_of(queue).loan_budget);
    ipc_queue_close(queue);
}

/* ---- order and looking past -------------------------------------------------------------------------- */

TEST(a_sender_that_is_still_writing_holds_up_only_itself)
{
    const ipc_queue_options options = {.block_count = 16};
    ipc_queue *slow = open_queue(&options);
    ipc_queue *fast = open_queue(&options);
    ipc_block writing;
    send_number(slow, 10);
    CHECK_OK(ipc_queue_try_claim(slow, 8, &writing)); /* ... and is stopped here */
    send_number(fast, 20);
    send_number(slow, 12); /* another thread of the slow one */
    send_number(fast, 21);
    CHECK_EQUAL(10, receive_number(fast));
    CHECK_EQUAL(20, receive_number(fast));
    CHECK_EQUAL(21, receive_number(fast));
    expect_empty(fast); /* 12 comes after 11 */
    const uint64_t number = 11;
    memcpy(writing.payload, &number, 8);
    CHECK_OK(ipc_queue_commit(slow, &writing, 8, 11));
    CHECK_EQUAL(11, receive_number(fast));
    CHECK_EQUAL(12, receive_number(fast));
    expect_empty(fast);
    ipc_queue_close(slow);
    ipc_queue_close(fast);
}

TEST(sixteen_writing_senders_are_looked_past_and_a_seventeenth_is_waited_for)
{
    enum { SLOW = 17 };
    const ipc_queue_options options = {.block_count = 64};
    ipc_queue *slow[SLOW];
    ipc_block writing[SLOW];
    ipc_queue *fast = open_queue(&options);
    for (int i = 0; i < SLOW; i++) {
        slow[i] = open_queue(&options);
        CHECK_OK(ipc_queue_try_claim(slow[i], 8, &writing[i]));
        if (i == SLOW - 2)
            send_number(fast, 1); /* behind sixteen */
    }
    send_number(fast, 2);
    CHECK_EQUAL(1, receive_number(fast));
    expect_empty(fast);
    ipc_queue_abandon(slow[3], &writing[3]);
    CHECK_EQUAL(2, receive_number(fast));
    for (int i = 0; i < SLOW; i++)
        ipc_queue_close(slow[i]); /* leaving abandons what is claimed */
    for (uint64_t i = 0; i < 64; i++)
        send_number(fast, i);
    for (uint64_t i = 0; i < 64; i++)
        CHECK_EQUAL(i, receive_number(fast));
    ipc_queue_close(fast);
}

TEST(a_receiver_that_holds_its_message_holds_up_nobody_but_a_full_queue)
{
    const ipc_queue_options options = {.block_count = 4};
    ipc_queue *queue = open_queue(&options);
    ipc_block held;
    for (uint64_t i = 0; i < 4; i++)
        send_number(queue, i);
    CHECK_OK(ipc_queue_try_receive(queue, &held));
    CHECK_EQUAL(1, receive_number(queue));
    CHECK_EQUAL(2, receive_number(queue));
    expect_full(queue); /* the next block in line is the held one */
    ipc_queue_release(queue, &held);
    send_number(queue, 4);
    CHECK_EQUAL(3, receive_number(queue));
    CHECK_EQUAL(4, receive_number(queue));
    ipc_queue_close(queue);
}

/* A leaver's unreleased messages come again, marked, before everything else. */
TEST(what_a_leaver_has_not_released_is_received_again)
{
    const ipc_queue_options options = {.block_count = 8};
    ipc_queue *stays = open_queue(&options);
    ipc_queue *leaves = open_queue(&options);
    ipc_block held[2];
    ipc_block block;
    for (uint64_t i = 0; i < 4; i++)
        send_number(stays, i);
    CHECK_OK(ipc_queue_try_receive(leaves, &held[0]));
    CHECK_OK(ipc_queue_try_receive(leaves, &held[1]));
    CHECK_OK(ipc_queue_try_claim(leaves, 8, &block));
    ipc_queue_close(leaves);
    for (uint64_t i = 0; i < 4; i++) {
        CHECK_OK(ipc_queue_try_receive(stays, &block));
        CHECK_EQUAL(i, number_in(&block));
        CHECK_EQUAL(i < 2, block.redelivered);
        ipc_queue_release(stays, &block);
    }
    expect_empty(stays);
    CHECK_EQUAL(2, info_of(stays).redelivered);
    CHECK_EQUAL(0, info_of(stays).dropped);
    for (uint64_t i = 0; i < 20; i++) { /* nothing of it is left in the way */
        send_number(stays, i);
        CHECK_EQUAL(i, receive_number(stays));
    }
    ipc_queue_close(stays);
}

TEST(a_queue_that_drops_orphans_frees_what_a_leaver_held)
{
    const ipc_queue_options options = {.block_count = 4, .drop_orphans = true};
    ipc_queue *stays = open_queue(&options);
    ipc_queue *leaves = open_queue(&options);
    ipc_block held;
    send_number(stays, 1);
    send_number(stays, 2);
    CHECK_OK(ipc_queue_try_receive(leaves, &held));
    ipc_queue_close(leaves);
    CHECK_EQUAL(2, receive_number(stays));
    expect_empty(stays);
    CHECK_EQUAL(1, info_of(stays).dropped);
    CHECK_EQUAL(0, info_of(stays).redelivered);
    for (uint64_t i = 0; i < 4; i++)
        send_number(stays, i);
    ipc_queue_close(stays);
}

TEST(a_persistent_queue_keeps_what_was_sent)
{
    const ipc_queue_options options = {.lifetime = IPC_LIFETIME_PERSISTENT};
    ipc_queue *queue = open_queue(&options);
    ipc_block held;
    send_number(queue, 1);
    send_number(queue, 2);
    CHECK_OK(ipc_queue_try_receive(queue, &held));
    ipc_queue_close(queue);
    queue = open_queue(NULL);
    CHECK_EQUAL(1, receive_number(queue));
    CHECK_EQUAL(2, receive_number(queue));
    expect_empty(queue);
    ipc_queue_close(queue);
    CHECK_OK(ipc_clear("q"));
    CHECK_STATUS(IPC_E_NOT_FOUND, ipc_clear("q"));
}

/* ---- laps -------------------------------------------------------------------------------------------- */

/* As if `lap` laps had gone by. Nobody else may be there. */
static void begin_at_lap(ipc_queue *queue, uint64_t lap)
{
    for (uint32_t segment = 0; segment < ipc_queue_prepared(&queue->view); segment++) {
        const ipc_slot_ring ring = ipc_queue_slots(&queue->view, segment);
        for (uint32_t i = 0; i < queue->view.slot_count; i++)
            ipc_store_relaxed64(&ipc_slot_at(&ring, i)->state, ipc_slot_word((uint32_t)lap, 0, 0, IPC_PHASE_FREE));
        ipc_store_relaxed64(&queue->view.segments[segment].tail, lap << ring.shift);
        ipc_store_relaxed64(&queue->view.segments[segment].head, lap << ring.shift);
    }
}

TEST(laps_wrap)
{
    for (uint32_t expansions = 0; expansions < 2; expansions++) {
        const ipc_queue_options options = {.block_count = 4, .max_expansions = expansions, .preallocate = true};
        ipc_queue *queue = open_queue(&options);
        ipc_queue *other = open_queue(&options);
        ipc_block writing;
        begin_at_lap(queue, (1ull << 32) - 2);
        for (uint64_t i = 0; i < 1000; i += 4) {
            send_number(queue, i);
            CHECK_OK(ipc_queue_try_claim(other, 8, &writing));
            send_number(queue, i + 1);
            send_number(queue, i + 2);
            CHECK_EQUAL(i, receive_number(queue));
            CHECK_EQUAL(i + 1, receive_number(queue));
            CHECK_EQUAL(i + 2, receive_number(queue));
            expect_empty(queue);
            ipc_queue_abandon(other, &writing);
            for (uint64_t k = 0; k < 4 + 4 * expansions; k++)
                send_number(queue, i + k);
            if (expansions == 0)
                expect_full(queue);
            for (uint64_t k = 0; k < 4 + 4 * expansions; k++)
                CHECK_EQUAL(i + k, receive_number(queue));
        }
        ipc_queue_close(queue);
        ipc_queue_close(other);
    }
}

/* ---- growth ------------------------------------------------------------------------------------------ */

TEST(a_queue_grows_when_it_is_full_and_stops_at_its_maximum)
{
    const ipc_queue_options options = {.block_count = 8, .max_expansions = 3};
    ipc_queue *queue = open_queue(&options);
    ipc_queue *other = open_queue(NULL);
    for (int turn = 0; turn < 5; turn++) {
        for (uint64_t i = 0; i < 32; i++) {
            send_number(queue, i);
            if (turn == 0)
                CHECK_EQUAL(1 + i / 8, info_of(other).segments);
        }
        expect_full(queue);
        expect_full(other);
        CHECK_EQUAL(32, info_of(other).depth);
        for (uint64_t i = 0; i < 32; i++)
            CHECK_EQUAL(i, receive_number(other));
        expect_empty(queue);
        expect_empty(other);
        CHECK_EQUAL(4, info_of(queue).segments);
        CHECK_EQUAL(0, info_of(queue).growth_failures);
    }
    ipc_queue_close(queue);
    ipc_queue_close(other);
}

TEST(segments_take_turns_while_the_queue_breathes)
{
    const ipc_queue_options options = {.block_count = 2, .max_expansions = 4};
    ipc_queue *queue = open_queue(&options);
    uint64_t sent = 0;
    uint64_t received = 0;
    uint32_t random = 12345;
    for (int i = 0; i < 20000; i++) {
        random = random * 1664525u + 1013904223u;
        ipc_block block;
        if ((random >> 16) % 5 < 2 + (unsigned)(i / 500 % 2)) {
            ipc_status status = ipc_queue_try_claim(queue, 8, &block);
            if (status == IPC_OK) {
                memcpy(block.payload, &sent, 8);
                CHECK_OK(ipc_queue_commit(queue, &block, 8, (uint16_t)sent));
                sent++;
            } else {
                CHECK_STATUS(IPC_FULL, status);
                CHECK(sent - received >= 8); /* at the least, whatever segment is only partly free */
            }
        } else if (ipc_queue_try_receive(queue, &block) == IPC_OK) {
            CHECK_EQUAL(received, number_in(&block));
            ipc_queue_release(queue, &block);
            received++;
        } else {
            CHECK_EQUAL(sent, received);
        }
    }
    CHECK(sent > 1000);
    ipc_queue_close(queue);
}

TEST(a_segment_is_prepared_before_the_queue_is_full)
{
    const ipc_queue_options options = {.block_count = 16, .max_expansions = 1, .min_expansion_distance = 8};
    ipc_queue *queue = open_queue(&options);
    for (uint64_t i = 0; i < 6; i++)
        send_number(queue, i);
    CHECK_EQUAL(1, info_of(queue).segments);
    for (uint64_t i = 6; i < 12; i++)
        send_number(queue, i);
    CHECK_EQUAL(2, info_of(queue).segments);
    for (uint64_t i = 12; i < 32; i++)
        send_number(queue, i);
    expect_full(queue);
    for (uint64_t i = 0; i < 32; i++)
        CHECK_EQUAL(i, receive_number(queue));
    ipc_queue_close(queue);
}

TEST(preallocation_has_all_segments_from_the_start)
{
    const ipc_queue_options options = {.block_count = 4, .max_expansions = 2, .preallocate = true};
    ipc_queue *queue = open_queue(&options);
    CHECK_EQUAL(3, info_of(queue).segments);
    for (uint64_t i = 0; i < 12; i++)
        send_number(queue, i);
    expect_full(queue);
    for (uint64_t i = 0; i < 12; i++)
        CHECK_EQUAL(i, receive_number(queue));
    ipc_queue_close(queue);
}

TEST(a_slow_sender_is_looked_past_over_the_end_of_a_segment)
{
    const ipc_queue_options options = {.block_count = 2, .max_expansions = 3};
    ipc_queue *slow = open_queue(&options);
    ipc_queue *fast = open_queue(&options);
    ipc_block writing;
    CHECK_OK(ipc_queue_try_claim(slow, 8, &writing));
    for (uint64_t i = 0; i < 5; i++)
        send_number(fast, i);
    for (uint64_t i = 0; i < 5; i++)
        CHECK_EQUAL(i, receive_number(fast));
    expect_empty(fast);
    const uint64_t late = 99;
    memcpy(writing.payload, &late, 8);
    CHECK_OK(ipc_queue_commit(slow, &writing, 8, 99));
    CHECK_EQUAL(99, receive_number(fast));
    expect_empty(fast);
    for (uint64_t i = 0; i < 50; i++) {
        send_number(fast, i);
        CHECK_EQUAL(i, receive_number(slow));
    }
    ipc_queue_close(slow);
    ipc_queue_close(fast);
}

/* Otherwise each receive would walk over everything that was ever received behind the slow sender. */
TEST(the_head_of_a_later_segment_moves_on_behind_a_slow_sender)
{
    const ipc_queue_options options = {.block_count = 8, .max_expansions = 1};
    ipc_queue *slow = open_queue(&options);
    ipc_queue *fast = open_queue(&options);
    ipc_block writing;
    CHECK_OK(ipc_queue_try_claim(slow, 8, &writing));
    for (uint64_t i = 0; i < 8; i++)
        send_number(fast, i); /* the last one opens the second segment */
    for (uint64_t i = 0; i < 1000; i++) {
        CHECK_EQUAL(i, receive_number(fast));
        send_number(fast, i + 8);
    }
    const uint32_t segment = ipc_turn_segment(ipc_load_relaxed64(&fast->view.header->send));
    const uint64_t head = ipc_load_relaxed64(&fast->view.segments[segment].head);
    CHECK_EQUAL(1, segment);
    CHECK(head + 8 >= ipc_load_relaxed64(&fast->view.segments[segment].tail));
    ipc_queue_abandon(slow, &writing);
    for (uint64_t i = 1000; i < 1008; i++)
        CHECK_EQUAL(i, receive_number(slow));
    expect_empty(slow);
    ipc_queue_close(slow);
    ipc_queue_close(fast);
}

/* Claims that are abandoned while nobody receives leave slots that are many laps ahead of the head: a receiver that
   went over them one by one would look for ever, or take it for damage. So many that no number of looks gets past them.
 */
TEST(claims_abandoned_in_circles_leave_an_empty_queue)
{
    for (uint32_t expansions = 0; expansions < 2; expansions++) {
        const ipc_queue_options options = {.block_size = 8, .block_count = 2, .max_expansions = expansions};
        ipc_queue *queue = open_queue(&options);
        ipc_block block;
        for (int i = expansions == 0 ? 10000000 : 80000; i != 0; i--) {
            CHECK_OK(ipc_queue_try_claim(queue, 8, &block));
            ipc_queue_abandon(queue, &block);
        }
        expect_empty(queue);
        for (uint64_t number = 0; number < 10; number++) {
            send_number(queue, number);
            CHECK_EQUAL(number, receive_number(queue));
        }
        expect_empty(queue);
        ipc_queue_close(queue);
    }
}

/* ---- loans ------------------------------------------------------------------------------------------- */

static void check_bytes(const uint8_t *bytes, uint32_t length, uint8_t first)
{
    for (uint32_t i = 0; i < length; i++) {
        if (bytes[i] != (uint8_t)(first + i * 7))
            test_fail(__FILE__, __LINE__, "byte %u is %u", i, bytes[i]);
    }
}

TEST(longer_messages_travel_as_loans_and_give_their_memory_back)
{
    static const uint32_t lengths[] = {8, 9, 4096, 4097, 100000, 1u << 20, 3u << 20};
    const ipc_queue_options options = {.block_size = 8, .block_count = 4, .loan_budget = 8u << 20};
    ipc_queue *queue = open_queue(&options);
    for (int turn = 0; turn < 20; turn++) {
        for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
            ipc_block block;
            CHECK_OK(ipc_queue_try_claim(queue, lengths[i], &block));
            for (uint32_t k = 0; k < lengths[i]; k++)
                ((uint8_t *)block.payload)[k] = (uint8_t)((unsigned)turn + k * 7);
            CHECK_OK(ipc_queue_commit(queue, &block, lengths[i], 3));
            CHECK_OK(ipc_queue_try_receive(queue, &block));
            CHECK_EQUAL(lengths[i], block.length);
            check_bytes(block.payload, block.length, (uint8_t)turn);
            ipc_queue_release(queue, &block);
        }
    }
    CHECK(info_of(queue).loans_present <= 8u << 20);
    CHECK(info_of(queue).loans_present != 0);
    ipc_queue_trim_loans(queue);
    CHECK_EQUAL(0, info_of(queue).loans_present);
    ipc_queue_close(queue);
}

TEST(a_budget_that_is_used_up_is_full_and_more_than_it_is_too_large)
{
    const ipc_queue_options options = {.block_size = 8, .block_count = 8, .loan_budget = 64u << 10};
    ipc_queue *queue = open_queue(&options);
    ipc_queue *other = open_queue(&options);
    ipc_block a;
    ipc_block b;
    CHECK_STATUS(IPC_E_TOO_LARGE, ipc_queue_try_claim(queue, (64u << 10) + 1, &a));
    check_error_says("65537 bytes does not fit: this queue takes at most 65536");
    CHECK_OK(ipc_queue_try_claim(queue, 40000, &a));
    CHECK_STATUS(IPC_FULL, ipc_queue_try_claim(queue, 40000, &b));
    CHECK_STATUS(IPC_TIMEOUT, ipc_queue_claim(queue, 40000, ipc_deadline_after(1000000), NULL, &b));
    send_number(other, 1); /* blocks are not loans */
    CHECK_EQUAL(1, receive_number(queue));
    ipc_queue_abandon(queue, &a);
    for (int i = 0; i < 100; i++) {
        CHECK_OK(ipc_queue_try_claim(queue, 40000, &a));
        CHECK_OK(ipc_queue_commit(queue, &a, 20000, 1));
        CHECK_OK(ipc_queue_try_receive(queue, &b));
        CHECK_EQUAL(20000, b.length);
        ipc_queue_release(queue, &b);
    }
    ipc_queue_close(other);
    ipc_queue_close(queue);
}

TEST(a_full_queue_takes_no_loan_for_good)
{
    const ipc_queue_options options = {.block_size = 8, .block_count = 2, .loan_budget = 64u << 10};
    ipc_queue *queue = open_queue(&options);
    ipc_block block;
    send_number(queue, 1);
    send_number(queue, 2);
    for (int i = 0; i < 1000; i++)
        CHECK_STATUS(IPC_FULL, ipc_queue_try_claim(queue, 5000, &block));
    CHECK_EQUAL(1, receive_number(queue));
    CHECK_OK(ipc_queue_try_claim(queue, 65536, &block));
    ipc_queue_abandon(queue, &block);
    ipc_queue_close(queue);
}

TEST(a_leavers_loans_are_freed_or_delivered_again)
{
    const ipc_queue_options options = {.block_size = 8, .block_count = 8, .loan_budget = 1u << 20};
    ipc_queue *stays = open_queue(&options);
    ipc_queue *leaves = open_queue(&options);
    ipc_block block;
    uint8_t *bytes = malloc(300000);
    CHECK(bytes != NULL);
    for (uint32_t i = 0; i < 300000; i++)
        bytes[i] = (uint8_t)(5 + i * 7);
    CHECK_OK(ipc_queue_send(stays, bytes, 300000, 1, IPC_NOW, NULL));
    CHECK_OK(ipc_queue_try_receive(leaves, &block));
    CHECK_OK(ipc_queue_try_claim(leaves, 300000, &block));
    ipc_queue_close(leaves);
    CHECK_OK(ipc_queue_try_receive(stays, &block));
    CHECK(block.redelivered);
    CHECK_EQUAL(300000, block.length);
    check_bytes(block.payload, block.length, 5);
    ipc_queue_release(stays, &block);
    expect_empty(stays);
    CHECK_OK(ipc_queue_try_claim(stays, 1u << 20, &block)); /* the whole budget is there again */
    ipc_queue_abandon(stays, &block);
    free(bytes);
    ipc_queue_close(stays);
}

/* ---- who is there ------------------------------------------------------------------------------------ */

TEST(participants_are_listed_and_their_changes_told)
{
    ipc_queue *a = open_queue(NULL);
    ipc_queue *b = open_queue(NULL);
    ipc_participant_info all[4];
    ipc_change change;
    CHECK_EQUAL(2, ipc_queue_participants(a, NULL, 0));
    CHECK_EQUAL(2, ipc_queue_participants(a, all, 4));
    CHECK(all[0].index == 0 && all[1].index == 1 && all[1].role == 3 && all[1].runtime == 1);
    CHECK(all[0].pid == all[1].pid && all[0].attached != 0);
    CHECK_OK(ipc_queue_next_change(a, IPC_NOW, NULL, &change));
    CHECK(change.kind == IPC_CHANGE_ATTACHED && change.participant.index == 1);
    CHECK_STATUS(IPC_TIMEOUT, ipc_queue_next_change(a, IPC_NOW, NULL, &change));
    CHECK_STATUS(IPC_TIMEOUT, ipc_queue_next_change(a, ipc_deadline_after(1000000), NULL, &change));
    const uint32_t first = all[1].generation;
    ipc_queue_close(b);
    b = open_queue(NULL); /* in the same place */
    CHECK_OK(ipc_queue_next_change(a, IPC_NOW, NULL, &change));
    CHECK(change.kind == IPC_CHANGE_LEFT && change.participant.generation == first);
    CHECK_OK(ipc_queue_next_change(a, IPC_NOW, NULL, &change));
    CHECK(change.kind == IPC_CHANGE_ATTACHED && change.participant.generation == first + 1);
    CHECK_STATUS(IPC_TIMEOUT, ipc_queue_next_change(a, IPC_NOW, NULL, &change));
    CHECK_STATUS(IPC_E_IN_USE, ipc_clear("q"));
    check_error_says("in use by process");
    ipc_queue_close(b);
    CHECK_OK(ipc_queue_next_change(a, IPC_NOW, NULL, &change));
    CHECK(change.kind == IPC_CHANGE_LEFT);
    ipc_queue_close(a);
    CHECK_STATUS(IPC_E_NOT_FOUND, ipc_clear("q"));
}

TEST(clearing_removes_any_kind_of_storage_and_nothing_that_is_damaged)
{
    const ipc_ring_options ring = {.lifetime = IPC_LIFETIME_PERSISTENT, .capacity = 4096};
    ipc_ring_writer *writer = NULL;
    char path[600];
    CHECK_OK(ipc_ring_writer_open("r", &ring, &writer));
    CHECK_STATUS(IPC_E_IN_USE, ipc_clear("r"));
    ipc_ring_writer_close(writer);
    CHECK_EQUAL(1, test_files());
    CHECK_OK(ipc_clear("r"));
    CHECK_EQUAL(0, test_files());
    CHECK_STATUS(IPC_E_INVALID_NAME, ipc_clear("../r"));
    test_path("damaged", path, sizeof path);
    FILE *file = fopen(path, "w");
    CHECK(file != NULL);
    for (int i = 0; i < 8192; i++)
        (void)fputc('x', file);
    (void)fclose(file);
    CHECK_STATUS(IPC_E_CORRUPT, ipc_clear("damaged")); /* nobody can tell whose it is */
    CHECK_EQUAL(1, test_files());
    CHECK(remove(path) == 0);
}

/* 4,000 tries, each of which would wait for a lock that somebody has. */
TEST(trying_to_claim_does_not_wait_for_the_region_lock)
{
    char path[IPC_PATH_MAX];
    ipc_queue *queue = NULL;
    ipc_region *region = NULL;
    ipc_block block = {0};
    const ipc_queue_options options = {.block_size = 64, .block_count = 2, .max_expansions = 3, .loan_budget = 1 << 20};
    CHECK_OK(ipc_queue_open("q", &options, &queue));
    CHECK_OK(ipc_region_path("q", path, sizeof path));
    CHECK_OK(ipc_region_open(path, NULL, NULL, NULL, IPC_NOW, &region));
    CHECK_OK(ipc_region_lock(region, SOON));
    for (int i = 0; i < 2; i++)
        CHECK_OK(ipc_queue_send(queue, "x", 1, 1, SOON, NULL));
    const ipc_deadline until = SOON;
    for (int i = 0; i < 2000; i++) {
        CHECK_STATUS(IPC_FULL, ipc_queue_try_claim(queue, 8, &block));      /* another segment */
        CHECK_STATUS(IPC_FULL, ipc_queue_try_claim(queue, 100000, &block)); /* pages for a loan */
    }
    CHECK(ipc_platform_now() < until);
    ipc_region_unlock(region);
    CHECK_OK(ipc_queue_try_claim(queue, 8, &block));
    ipc_queue_abandon(queue, &block);
    ipc_region_discard(region);
    ipc_queue_close(queue);
}

TEST(after_a_burst_a_queue_becomes_small_by_itself)
{
    const ipc_queue_options options = {.block_size = 64, .block_count = 16, .max_expansions = 2, .loan_budget = 64u << 20};
    ipc_queue *queue = NULL;
    ipc_block block = {0};
    CHECK_OK(ipc_queue_open("q", &options, &queue));
    for (uint32_t i = 0; i < 3; i++) {
        CHECK_OK(ipc_queue_try_claim(queue, 10u << 20, &block));
        CHECK_OK(ipc_queue_commit(queue, &block, 10u << 20, 1));
    }
    for (uint32_t i = 0; i < 3; i++) {
        CHECK_OK(ipc_queue_try_receive(queue, &block));
        ipc_queue_release(queue, &block);
    }
    CHECK(info_of(queue).loans_present >= 30u << 20);
    for (uint32_t i = 0; i < 3000; i++) {
        CHECK_OK(ipc_queue_send(queue, &i, sizeof i, 1, IPC_NOW, NULL));
        CHECK_OK(ipc_queue_try_receive(queue, &block));
        ipc_queue_release(queue, &block);
    }
    CHECK(info_of(queue).loans_present <= 1u << 20);
    ipc_queue_close(queue);
}
