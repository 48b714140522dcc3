/* A queue under threads: what ends a wait, and content, order and count while many send and receive. */
#include "queues/queue.h"
#include "test.h"

static const ipc_wait_mode modes[] = {IPC_WAIT_ADAPTIVE, IPC_WAIT_SPIN, IPC_WAIT_BLOCK};

static ipc_queue *open_queue(const ipc_queue_options *options)
{
    ipc_queue *queue = NULL;
    CHECK_OK(ipc_queue_open("q", options, &queue));
    return queue;
}

/* ---- what ends a wait -------------------------------------------------------------------------------- */

typedef struct waiting {
    ipc_queue *queue;
    ipc_cancel *cancel;
    ipc_deadline deadline;
    ipc_status status;
    ipc_block block;
    ipc_change change;
} waiting;

static void *receive_in_thread(void *argument)
{
    waiting *wait = argument;
    wait->status = ipc_queue_receive(wait->queue, wait->deadline, wait->cancel, &wait->block);
    return NULL;
}

static void *wait_in_thread(void *argument)
{
    waiting *wait = argument;
    wait->status = ipc_queue_wait(wait->queue, wait->deadline, wait->cancel);
    return NULL;
}

static void *claim_in_thread(void *argument)
{
    waiting *wait = argument;
    wait->status = ipc_queue_claim(wait->queue, 8, wait->deadline, wait->cancel, &wait->block);
    return NULL;
}

static void *change_in_thread(void *argument)
{
    waiting *wait = argument;
    wait->status = ipc_queue_next_change(wait->queue, wait->deadline, wait->cancel, &wait->change);
    return NULL;
}

static bool are_inside(const ipc_queue *queue, uint32_t senders, uint32_t receivers, uint32_t watchers)
{
    return ipc_load_acquire32(&queue->sending.inside) == senders &&
           ipc_load_acquire32(&queue->receiving.inside) == receivers &&
           ipc_load_acquire32(&queue->place.changes.end.inside) == watchers;
}

static void fill(ipc_queue *queue)
{
    ipc_status status = IPC_OK;
    for (uint64_t i = 0; status == IPC_OK; i++)
        status = ipc_queue_send(queue, &i, 8, 1, IPC_NOW, NULL);
    CHECK_STATUS(IPC_TIMEOUT, status);
}

static bool is_asleep(const ipc_waiter *waiter)
{
    return (ipc_load_acquire32(&waiter->word) & 1) != 0;
}

/* Only `stop` comes from elsewhere. */
TEST(one_thread_alone_waits_and_is_stopped_as_many_are)
{
    const ipc_queue_options options = {
        .block_count = 2, .wait_mode = IPC_WAIT_BLOCK, .single_threaded = true, .lifetime = IPC_LIFETIME_WHILE_USED};
    ipc_queue *queue = open_queue(&options);
    ipc_queue *other = open_queue(&options);
    waiting wait = {.queue = queue, .deadline = SOON};
    test_thread thread;
    test_thread_start(&thread, receive_in_thread, &wait);
    WAIT_FOR(is_asleep(&other->view.header->data));
    CHECK_EQUAL(IPC_COUNTS_THREADS(&queue->receiving) ? 1 : 0, ipc_load_acquire32(&queue->receiving.inside));
    CHECK_OK(ipc_queue_send(other, "x", 1, 1, IPC_NOW, NULL));
    test_thread_join(&thread);
    CHECK_OK(wait.status);
    ipc_queue_release(queue, &wait.block);
    test_thread_start(&thread, receive_in_thread, &wait);
    WAIT_FOR(is_asleep(&other->view.header->data));
    ipc_queue_stop(queue);
    test_thread_join(&thread);
    CHECK_STATUS(IPC_STOPPED, wait.status);
    ipc_queue_resume(queue);
    wait.deadline = ipc_deadline_after(1000000);
    (void)receive_in_thread(&wait);
    CHECK_STATUS(IPC_TIMEOUT, wait.status);
    CHECK(are_inside(queue, 0, 0, 0));
    ipc_queue_close(queue);
    ipc_queue_close(other);
}

TEST(a_message_ends_a_wait_and_so_does_room)
{
    for (int i = 0; i < 3; i++) {
        const ipc_queue_options options = {
            .block_count = 2, .lifetime = IPC_LIFETIME_WHILE_USED, .wait_mode = modes[i]};
        ipc_queue *queue = open_queue(&options);
        ipc_queue *other = open_queue(&options);
        waiting wait = {.queue = queue, .deadline = SOON};
        ipc_block block;
        test_thread thread;
        test_thread_start(&thread, wait_in_thread, &wait);
        WAIT_FOR(are_inside(queue, 0, 1, 0));
        CHECK_OK(ipc_queue_send(other, "x", 1, 9, IPC_NOW, NULL));
        test_thread_join(&thread);
        CHECK_STATUS(IPC_OK, wait.status);
        CHECK_OK(ipc_queue_receive(queue, SOON, NULL, &block)); /* the wait has not consumed it */
        ipc_queue_release(queue, &block);

        test_thread_start(&thread, receive_in_thread, &wait);
        WAIT_FOR(are_inside(queue, 0, 1, 0));
        CHECK_OK(ipc_queue_send(other, "x", 1, 9, IPC_NOW, NULL));
        test_thread_join(&thread);
        CHECK_STATUS(IPC_OK, wait.status);
        CHECK_EQUAL(9, wait.block.type);
        ipc_queue_release(queue, &wait.block);

        fill(queue);
        test_thread_start(&thread, claim_in_thread, &wait);
        WAIT_FOR(are_inside(queue, 1, 0, 0));
        CHECK_OK(ipc_queue_try_receive(other, &block));
        ipc_queue_release(other, &block);
        test_thread_join(&thread);
        CHECK_STATUS(IPC_OK, wait.status);
        ipc_queue_abandon(queue, &wait.block);
        ipc_queue_close(queue);
        ipc_queue_close(other);
    }
}

TEST(what_a_leaver_held_wakes_who_waits)
{
    for (int i = 0; i < 3; i++) {
        const ipc_queue_options options = {
            .block_count = 2, .lifetime = IPC_LIFETIME_WHILE_USED, .wait_mode = modes[i]};
        ipc_queue *queue = open_queue(&options);
        ipc_queue *leaves = open_queue(&options);
        waiting wait = {.queue = queue, .deadline = SOON};
        ipc_block block;
        test_thread thread;
        CHECK_OK(ipc_queue_send(queue, "x", 1, 9, IPC_NOW, NULL));
        CHECK_OK(ipc_queue_try_receive(leaves, &block));
        test_thread_start(&thread, receive_in_thread, &wait);
        WAIT_FOR(are_inside(queue, 0, 1, 0));
        ipc_queue_close(leaves);
        test_thread_join(&thread);
        CHECK_STATUS(IPC_OK, wait.status);
        CHECK(wait.block.redelivered && wait.block.type == 9);
        ipc_queue_release(queue, &wait.block);
        ipc_queue_close(queue);
    }
}

static void fail_otherwise(void)
{
    ipc_queue *none = NULL;
    CHECK_STATUS(IPC_E_INVALID_NAME, ipc_queue_open("", NULL, &none));
    CHECK(strstr(ipc_last_error(), "a name has") != NULL);
}

TEST(what_an_ended_wait_says_is_its_own_and_no_older_failures)
{
    const ipc_queue_options options = {.block_count = 2, .lifetime = IPC_LIFETIME_WHILE_USED};
    ipc_queue *queue = open_queue(&options);
    ipc_cancel *cancel = NULL;
    CHECK_OK(ipc_cancel_create(&cancel));
    ipc_block block;
    CHECK_STATUS(IPC_E_NOT_FOUND,
                 ipc_queue_open("nobody", &(ipc_queue_options){.open_mode = IPC_OPEN_EXISTING}, &queue));
    CHECK(ipc_last_errno() != 0);
    CHECK_STATUS(IPC_TIMEOUT, ipc_queue_receive(queue, IPC_NOW, NULL, &block));
    CHECK(strstr(ipc_last_error(), "deadline") != NULL);
    CHECK_EQUAL(0, ipc_last_errno());
    fail_otherwise();
    CHECK_STATUS(IPC_TIMEOUT, ipc_queue_receive(queue, ipc_deadline_after(1000000), NULL, &block));
    CHECK(strstr(ipc_last_error(), "deadline") != NULL);
    fail_otherwise();
    ipc_cancel_trigger(cancel);
    CHECK_STATUS(IPC_CANCELLED, ipc_queue_receive(queue, SOON, cancel, &block));
    CHECK(strstr(ipc_last_error(), "cancelled") != NULL);
    fail_otherwise();
    ipc_queue_stop(queue);
    CHECK_STATUS(IPC_STOPPED, ipc_queue_receive(queue, SOON, NULL, &block));
    CHECK(strstr(ipc_last_error(), "stopped") != NULL);
    ipc_cancel_destroy(cancel);
    ipc_queue_close(queue);
}

TEST(who_finds_a_queue_full_keeps_the_words_of_the_last_failure)
{
    const ipc_queue_options options = {.block_count = 2, .max_expansions = 1, .lifetime = IPC_LIFETIME_WHILE_USED};
    ipc_queue *queue = open_queue(&options);
    ipc_queue *other = open_queue(&options);
    CHECK_OK(ipc_region_lock(other->place.region, IPC_NOW)); /* nobody grows it now */
    CHECK_OK(ipc_queue_send(queue, "a", 1, 1, IPC_NOW, NULL));
    CHECK_OK(ipc_queue_send(queue, "b", 1, 1, IPC_NOW, NULL));
    fail_otherwise();
    ipc_block block;
    CHECK_STATUS(IPC_FULL, ipc_queue_try_claim(queue, 1, &block));
    CHECK(strstr(ipc_last_error(), "a name has") != NULL);
    ipc_region_unlock(other->place.region);
    ipc_queue_close(other);
    ipc_queue_close(queue);
}

TEST(a_deadline_ends_a_wait)
{
    for (int i = 0; i < 3; i++) {
        const ipc_queue_options options = {
            .block_count = 2, .lifetime = IPC_LIFETIME_WHILE_USED, .wait_mode = modes[i], .spin_ns = 2000};
        ipc_queue *queue = open_queue(&options);
        ipc_block block;
        CHECK_STATUS(IPC_TIMEOUT, ipc_queue_receive(queue, IPC_NOW, NULL, &block));
        const ipc_deadline deadline = ipc_deadline_after(3000000);
        CHECK_STATUS(IPC_TIMEOUT, ipc_queue_receive(queue, deadline, NULL, &block));
        CHECK(ipc_deadline_after(0) >= deadline);
        fill(queue);
        CHECK_STATUS(IPC_TIMEOUT, ipc_queue_claim(queue, 8, ipc_deadline_after(1000000), NULL, &block));
        ipc_queue_close(queue);
    }
}

TEST(stop_and_cancel_end_every_wait)
{
    for (int i = 0; i < 3; i++) {
        for (int cancelled = 0; cancelled < 2; cancelled++) {
            const ipc_queue_options options = {
                .block_count = 2, .lifetime = IPC_LIFETIME_WHILE_USED, .wait_mode = modes[i]};
            ipc_queue *full = open_queue(&options);
            ipc_queue *empty = NULL;
            ipc_cancel *cancel = NULL;
            ipc_block block;
            test_thread threads[4];
            waiting waits[4];
            CHECK_OK(ipc_queue_open("empty", &options, &empty));
            CHECK_OK(ipc_cancel_create(&cancel));
            fill(full);
            for (int k = 0; k < 4; k++) {
                waits[k] = (waiting){
                    .queue = k < 2 ? full : empty, .deadline = IPC_FOREVER, .cancel = cancelled == 1 ? cancel : NULL};
                test_thread_start(&threads[k], k < 2 ? claim_in_thread : receive_in_thread, &waits[k]);
            }
            WAIT_FOR(are_inside(full, 2, 0, 0) && are_inside(empty, 0, 2, 0));
            if (cancelled == 1) {
                ipc_cancel_trigger(cancel);
            } else {
                ipc_queue_stop(full);
                ipc_queue_stop(empty);
            }
            for (int k = 0; k < 4; k++) {
                test_thread_join(&threads[k]);
                CHECK_STATUS(cancelled == 1 ? IPC_CANCELLED : IPC_STOPPED, waits[k].status);
            }
            if (cancelled == 0) {
                CHECK_STATUS(IPC_STOPPED, ipc_queue_receive(empty, IPC_FOREVER, NULL, &block)); /* it stays so */
                CHECK_OK(ipc_queue_receive(full, IPC_FOREVER, NULL, &block)); /* what is there needs no wait */
                ipc_queue_release(full, &block);
                ipc_queue_resume(empty);
                CHECK_STATUS(IPC_TIMEOUT, ipc_queue_receive(empty, ipc_deadline_after(1000), NULL, &block));
            }
            ipc_cancel_destroy(cancel);
            ipc_queue_close(full);
            ipc_queue_close(empty);
        }
    }
}

TEST(a_thousand_closes_under_threads_that_send_receive_and_watch)
{
    for (int i = 0; i < 1000; i++) {
        const ipc_queue_options options = {
            .block_count = 2, .lifetime = IPC_LIFETIME_WHILE_USED, .wait_mode = modes[i % 3], .participants = 2};
        ipc_queue *queue = open_queue(&options);
        ipc_queue *other = open_queue(&options);
        waiting waits[3] = {{.queue = queue, .deadline = IPC_FOREVER},
                            {.queue = queue, .deadline = IPC_FOREVER},
                            {.queue = queue, .deadline = IPC_FOREVER}};
        test_thread threads[3];
        ipc_block held[2];
        fill(queue);
        CHECK_OK(ipc_queue_try_receive(other, &held[0])); /* full and empty at the same time */
        CHECK_OK(ipc_queue_try_receive(other, &held[1]));
        CHECK_OK(ipc_queue_next_change(queue, IPC_NOW, NULL, &waits[2].change));
        test_thread_start(&threads[0], claim_in_thread, &waits[0]);
        test_thread_start(&threads[1], receive_in_thread, &waits[1]);
        test_thread_start(&threads[2], change_in_thread, &waits[2]);
        WAIT_FOR(are_inside(queue, 1, 1, 1));
        ipc_queue_close(queue);
        for (int k = 0; k < 3; k++) {
            test_thread_join(&threads[k]);
            CHECK_STATUS(IPC_CLOSED, waits[k].status);
        }
        ipc_queue_close(other);
    }
}

/* ---- traffic ----------------------------------------------------------------------------------------- */

enum { SENDERS = 4, RECEIVERS = 4, HEAD = 16, LONGEST = 9000 };

typedef struct traffic {
    ipc_queue_options options;
    bool one_object; /* all threads use one queue object (which ThreadSanitizer can follow), or each its own */
    uint32_t longest;
    uint64_t each; /* messages per sender */
    ipc_queue *shared;
    _Atomic uint64_t received;
    _Atomic uint8_t *seen; /* SENDERS x each */
} traffic;

typedef struct worker {
    traffic *traffic;
    uint32_t number;
    test_thread thread;
} worker;

static ipc_queue *join_queue(const worker *one)
{
    return one->traffic->one_object ? one->traffic->shared : open_queue(&one->traffic->options);
}

static void leave_queue(const worker *one, ipc_queue *queue)
{
    if (!one->traffic->one_object)
        ipc_queue_close(queue);
}

static uint32_t length_of(const traffic *all, uint64_t number)
{
    return HEAD + (uint32_t)(number * 2654435761u % (all->longest - HEAD + 1));
}

static void *send_all(void *argument)
{
    const worker *one = argument;
    ipc_queue *queue = join_queue(one);
    for (uint64_t i = 0; i < one->traffic->each; i++) {
        const uint64_t head[2] = {one->number, i};
        const uint32_t length = length_of(one->traffic, i);
        ipc_block block;
        if (i % 7 == 3) { /* a claim that comes to nothing */
            CHECK_OK(ipc_queue_claim(queue, length, SOON, NULL, &block));
            memset(block.payload, 0xEE, length);
            ipc_queue_abandon(queue, &block);
        }
        CHECK_OK(ipc_queue_claim(queue, length, SOON, NULL, &block));
        memcpy(block.payload, head, sizeof head);
        memset((uint8_t *)block.payload + HEAD, (int)(i + one->number), length - HEAD);
        CHECK_OK(ipc_queue_commit(queue, &block, length, (uint16_t)i));
    }
    leave_queue(one, queue);
    return NULL;
}

static void *receive_all(void *argument)
{
    const worker *one = argument;
    traffic *all = one->traffic;
    ipc_queue *queue = join_queue(one);
    uint64_t next[SENDERS] = {0};
    while (all->received < SENDERS * all->each) {
        ipc_block block;
        ipc_status status = ipc_queue_receive(queue, ipc_deadline_after(2000000), NULL, &block);
        if (status == IPC_TIMEOUT)
            continue;
        CHECK_OK(status);
        uint64_t head[2];
        memcpy(head, block.payload, sizeof head);
        CHECK(head[0] < SENDERS && head[1] < all->each);
        CHECK_EQUAL(length_of(all, head[1]), block.length);
        CHECK_EQUAL((uint16_t)head[1], block.type);
        CHECK(!block.redelivered);
        for (uint32_t i = HEAD; i < block.length; i++) {
            if (((const uint8_t *)block.payload)[i] != (uint8_t)(head[0] + head[1]))
                test_fail(__FILE__, __LINE__, "byte %u of message %llu of %llu", i, (unsigned long long)head[1],
                          (unsigned long long)head[0]);
        }
        ipc_queue_release(queue, &block);
        CHECK(head[1] >= next[head[0]]); /* each receiver sees each sender's messages in their order */
        next[head[0]] = head[1] + 1;
        CHECK(atomic_fetch_add(&all->seen[head[0] * all->each + head[1]], 1) == 0);
        all->received++;
    }
    leave_queue(one, queue);
    return NULL;
}

static void run_traffic(traffic *all)
{
    worker workers[SENDERS + RECEIVERS];
    const uint64_t total = SENDERS * all->each;
    all->seen = calloc(total, 1);
    CHECK(all->seen != NULL);
    all->shared = open_queue(&all->options);
    for (uint32_t i = 0; i < SENDERS + RECEIVERS; i++) {
        workers[i] = (worker){.traffic = all, .number = i % SENDERS};
        test_thread_start(&workers[i].thread, i < SENDERS ? send_all : receive_all, &workers[i]);
    }
    for (int i = 0; i < SENDERS + RECEIVERS; i++)
        test_thread_join(&workers[i].thread);
    CHECK_EQUAL(total, all->received);
    ipc_queue_info info;
    ipc_queue_get_info(all->shared, &info);
    CHECK_EQUAL(0, info.depth);
    CHECK_EQUAL(1, info.participants);
    ipc_queue_trim_loans(all->shared);
    ipc_queue_get_info(all->shared, &info);
    CHECK_EQUAL(0, info.loans_present);
    ipc_block block;
    CHECK_STATUS(IPC_EMPTY, ipc_queue_try_receive(all->shared, &block));
    ipc_queue_close(all->shared);
    free((void *)all->seen);
}

static uint64_t scaled(uint64_t count)
{
    return test_is_long() ? count * 50 : count;
}

TEST(four_threads_send_and_four_receive_everything_once)
{
    for (int own = 0; own < 2; own++) {
        traffic all = {.options = {.block_size = 64, .block_count = 64},
                       .one_object = own == 0,
                       .longest = 64,
                       .each = scaled(3000)};
        run_traffic(&all);
    }
}

TEST(threads_in_a_queue_that_is_always_full_or_empty)
{
    for (int own = 0; own < 2; own++) {
        traffic all = {.options = {.block_size = 64, .block_count = 2},
                       .one_object = own == 0,
                       .longest = 64,
                       .each = scaled(500)};
        run_traffic(&all);
    }
}

TEST(threads_in_a_queue_that_grows_and_reuses_its_segments)
{
    for (int own = 0; own < 2; own++) {
        traffic all = {.options = {.block_size = 64, .block_count = 4, .max_expansions = 3},
                       .one_object = own == 0,
                       .longest = 64,
                       .each = scaled(1000)};
        run_traffic(&all);
    }
}

TEST(threads_with_messages_of_all_lengths)
{
    for (int own = 0; own < 2; own++) {
        traffic all = {.options = {.block_size = 64, .block_count = 16, .max_expansions = 1, .loan_budget = 64u << 10},
                       .one_object = own == 0,
                       .longest = LONGEST,
                       .each = scaled(300)};
        run_traffic(&all);
    }
}

TEST(threads_that_block_at_once)
{
    traffic all = {.options = {.block_size = 64, .block_count = 4, .wait_mode = IPC_WAIT_BLOCK},
                   .one_object = true,
                   .longest = 64,
                   .each = scaled(500)};
    run_traffic(&all);
}
