/* Ready handles that wait for room: who sends without a thread is told of everything that would have ended its wait. */
#include "ready.h"

enum { LONG = 200000 };

/* ---- a queue ----------------------------------------------------------------------------------------- */

static ipc_queue *open_queue(uint64_t loan_budget)
{
    const ipc_queue_options options = {
        .block_count = 4, .loan_budget = loan_budget, .lifetime = IPC_LIFETIME_WHILE_USED};
    ipc_queue *queue = NULL;
    CHECK_OK(ipc_queue_open("q", &options, &queue));
    return queue;
}

static void fill_queue(ipc_queue *queue)
{
    ipc_status status = IPC_OK;
    while (status == IPC_OK)
        status = ipc_queue_send(queue, "x", 1, 1, IPC_NOW, NULL);
    CHECK_STATUS(IPC_TIMEOUT, status);
}

static void receive(ipc_queue *queue)
{
    ipc_block block;
    CHECK_OK(ipc_queue_try_receive(queue, &block));
    ipc_queue_release(queue, &block);
}

TEST(room_in_a_queue_brings_it_once_for_each_arming)
{
    ipc_queue *queue = open_queue(IPC_NO_LOANS);
    ipc_queue *other = open_queue(IPC_NO_LOANS);
    ipc_ready_handle *handle = make();
    ipc_block block;
    fill_queue(queue);
    for (int i = 0; i < 3; i++) {
        CHECK_STATUS(IPC_FULL, ipc_queue_try_claim(queue, 1, &block));
        CHECK_STATUS(IPC_EMPTY, ipc_queue_arm_room(queue, 1, IPC_FOREVER, NULL, handle));
        is_quiet(handle);
        receive(other);
        comes(handle);
        CHECK_OK(ipc_queue_try_claim(queue, 1, &block));
        CHECK_OK(ipc_queue_commit(queue, &block, 1, 1));
    }
    receive(other);
    CHECK_OK(ipc_queue_arm_room(queue, 1, IPC_FOREVER, NULL, handle)); /* there is some already */
    ipc_ready_handle_destroy(handle);
    ipc_queue_close(other);
    ipc_queue_close(queue);
}

TEST(a_wait_for_room_ends_as_any_other)
{
    ipc_queue *queue = open_queue(IPC_NO_LOANS);
    ipc_ready_handle *handle = make();
    ipc_cancel *cancel = NULL;
    CHECK_OK(ipc_cancel_create(&cancel));
    fill_queue(queue);
    CHECK_STATUS(IPC_TIMEOUT, ipc_queue_arm_room(queue, 1, IPC_NOW, NULL, handle));
    ipc_status armed = IPC_TIMEOUT; /* what arms first starts the library's thread, which may take longer than that */
    for (int i = 0; armed == IPC_TIMEOUT && i < 1000; i++)
        armed = ipc_queue_arm_room(queue, 1, ipc_deadline_after(1000000), NULL, handle);
    CHECK_STATUS(IPC_EMPTY, armed);
    comes(handle);
    CHECK_STATUS(IPC_EMPTY, ipc_queue_arm_room(queue, 1, IPC_FOREVER, cancel, handle));
    ipc_cancel_trigger(cancel);
    comes(handle);
    CHECK_STATUS(IPC_CANCELLED, ipc_queue_arm_room(queue, 1, IPC_FOREVER, cancel, handle));
    CHECK_STATUS(IPC_EMPTY, ipc_queue_arm_room(queue, 1, IPC_FOREVER, NULL, handle));
    ipc_queue_stop(queue);
    comes(handle);
    CHECK_STATUS(IPC_STOPPED, ipc_queue_arm_room(queue, 1, IPC_FOREVER, NULL, handle));
    ipc_queue_resume(queue);
    CHECK_STATUS(IPC_E_TOO_LARGE, ipc_queue_arm_room(queue, LONG, IPC_FOREVER, NULL, handle));
    CHECK_STATUS(IPC_EMPTY, ipc_queue_arm_room(queue, 1, IPC_FOREVER, NULL, handle));
    ipc_queue_close(queue);
    comes(handle);
    CHECK_STATUS(IPC_CLOSED, ipc_ready_handle_disarm(handle));
    ipc_ready_handle_destroy(handle);
    ipc_cancel_destroy(cancel);
}

TEST(a_long_message_is_told_of_a_slot_and_of_a_loan)
{
    ipc_queue *queue = open_queue(1 << 20);
    ipc_ready_handle *handle = make();
    ipc_block block;
    fill_queue(queue);
    CHECK_STATUS(IPC_FULL, ipc_queue_try_claim(queue, LONG, &block));
    CHECK_STATUS(IPC_EMPTY, ipc_queue_arm_room(queue, LONG, IPC_FOREVER, NULL, handle));
    receive(queue);
    comes(handle);
    CHECK_OK(ipc_queue_try_claim(queue, LONG, &block));
    CHECK_OK(ipc_queue_commit(queue, &block, LONG, 1));
    ipc_ready_handle_destroy(handle);
    ipc_queue_close(queue);
}

/* ---- a ring ------------------------------------------------------------------------------------------ */

static uint64_t fill_ring(ipc_ring_writer *writer, uint32_t length, const void *payload)
{
    uint64_t written = 0;
    ipc_status status = IPC_OK;
    while ((status = ipc_ring_write(writer, payload, length, 1, IPC_NOW, NULL)) == IPC_OK)
        written++;
    CHECK_STATUS(IPC_TIMEOUT, status);
    return written;
}

TEST(room_in_a_ring_brings_it_and_so_does_its_readers_end)
{
    const ipc_ring_options options = {.capacity = 4096, .loan_budget = IPC_NO_LOANS};
    static const char text[100];
    ipc_ring_writer *writer = NULL;
    ipc_ring_reader *reader = NULL;
    ipc_record record;
    void *payload = NULL;
    ipc_ready_handle *handle = make();
    CHECK_OK(ipc_ring_writer_open("r", &options, &writer));
    CHECK_OK(ipc_ring_reader_open("r", &options, &reader));
    CHECK(fill_ring(writer, sizeof text, text) > 10);
    CHECK_STATUS(IPC_FULL, ipc_ring_try_claim(writer, sizeof text, &payload));
    CHECK_STATUS(IPC_EMPTY, ipc_ring_arm_room(writer, sizeof text, IPC_FOREVER, NULL, handle));
    is_quiet(handle);
    while (ipc_ring_try_read(reader, &record) == IPC_OK)
        continue;
    ipc_ring_release(reader);
    comes(handle);
    CHECK_OK(ipc_ring_try_claim(writer, sizeof text, &payload));
    CHECK_OK(ipc_ring_commit(writer, sizeof text, 1));
    (void)fill_ring(writer, sizeof text, text);
    CHECK_STATUS(IPC_EMPTY, ipc_ring_arm_room(writer, sizeof text, IPC_FOREVER, NULL, handle));
    ipc_ring_reader_close(reader);
    comes(handle);
    CHECK_STATUS(IPC_PEER_CLOSED, ipc_ring_arm_room(writer, sizeof text, IPC_FOREVER, NULL, handle));
    ipc_ring_writer_close(writer);
    ipc_ready_handle_destroy(handle);
}

/* What was withheld nobody can read, so nobody would make room. */
TEST(a_batch_is_published_before_a_ring_is_waited_for)
{
    const ipc_ring_options options = {.capacity = 4096, .loan_budget = IPC_NO_LOANS};
    ipc_ring_writer *writer = NULL;
    ipc_ring_reader *reader = NULL;
    ipc_record record;
    void *payload = NULL;
    ipc_ready_handle *handle = make();
    CHECK_OK(ipc_ring_writer_open("r", &options, &writer));
    CHECK_OK(ipc_ring_reader_open("r", &options, &reader));
    for (int i = 0; i < 3; i++) {
        CHECK_OK(ipc_ring_try_claim(writer, 1000, &payload));
        CHECK_OK(ipc_ring_commit_batched(writer, 1000, 1));
    }
    CHECK_OK(ipc_ring_try_claim(writer, 10, &payload)); /* open: given back */
    CHECK_STATUS(IPC_EMPTY, ipc_ring_arm_room(writer, 1500, IPC_FOREVER, NULL, handle));
    for (int i = 0; i < 3; i++) {
        CHECK_OK(ipc_ring_try_read(reader, &record));
        CHECK_EQUAL(1000u, record.length);
    }
    ipc_ring_release(reader);
    comes(handle);
    CHECK_OK(ipc_ring_try_claim(writer, 1500, &payload));
    ipc_ring_abandon(writer);
    ipc_ring_writer_close(writer);
    ipc_ring_reader_close(reader);
    ipc_ready_handle_destroy(handle);
}

TEST(a_ring_brings_it_when_a_loan_can_be_had)
{
    const ipc_ring_options options = {.capacity = 4096, .loan_budget = 1 << 20};
    static const char text[LONG];
    ipc_ring_writer *writer = NULL;
    ipc_ring_reader *reader = NULL;
    ipc_record record;
    void *payload = NULL;
    ipc_ready_handle *handle = make();
    CHECK_OK(ipc_ring_writer_open("r", &options, &writer));
    CHECK_OK(ipc_ring_reader_open("r", &options, &reader));
    CHECK(fill_ring(writer, LONG, text) > 1);
    CHECK_STATUS(IPC_EMPTY, ipc_ring_arm_room(writer, LONG, IPC_FOREVER, NULL, handle));
    while (ipc_ring_try_read(reader, &record) == IPC_OK)
        continue;
    ipc_ring_release(reader);
    for (;;) { /* it may come before the loan can be had: as long as there is none, it is armed again */
        comes(handle);
        ipc_status status = ipc_ring_try_claim(writer, LONG, &payload);
        if (status == IPC_OK)
            break;
        CHECK_STATUS(IPC_FULL, status);
        status = ipc_ring_arm_room(writer, LONG, IPC_FOREVER, NULL, handle);
        CHECK(status == IPC_EMPTY || status == IPC_OK);
    }
    CHECK_OK(ipc_ring_commit(writer, LONG, 1));
    ipc_ring_writer_close(writer);
    ipc_ring_reader_close(reader);
    ipc_ready_handle_destroy(handle);
}

/* ---- a topic ----------------------------------------------------------------------------------------- */

static void fill_topic(ipc_topic_writer *writer)
{
    ipc_block block;
    ipc_status status = IPC_OK;
    while ((status = ipc_topic_try_claim(writer, 1, &block)) == IPC_OK)
        CHECK_OK(ipc_topic_commit(writer, &block, 1, 1, 0));
    CHECK_STATUS(IPC_FULL, status);
}

TEST(a_reader_that_reads_on_brings_it_to_the_writer_of_a_topic)
{
    const ipc_topic_options options = {.block_size = 64, .block_count = 4, .policy = IPC_RELIABLE};
    ipc_topic_writer *writer = NULL;
    ipc_topic_reader *reader = NULL;
    ipc_message message;
    ipc_block block;
    ipc_ready_handle *handle = make();
    CHECK_OK(ipc_topic_writer_open("t", &options, &writer));
    CHECK_OK(ipc_topic_reader_open("t", &options, &reader));
    fill_topic(writer);
    CHECK_STATUS(IPC_EMPTY, ipc_topic_arm_room(writer, 1, IPC_FOREVER, NULL, handle));
    is_quiet(handle);
    CHECK_OK(ipc_topic_try_read(reader, &message));
    CHECK_OK(ipc_topic_release(reader));
    comes(handle);
    CHECK_OK(ipc_topic_try_claim(writer, 1, &block));
    CHECK_OK(ipc_topic_commit(writer, &block, 1, 1, 0));
    CHECK_STATUS(IPC_FULL, ipc_topic_try_claim(writer, 1, &block));
    CHECK_STATUS(IPC_EMPTY, ipc_topic_arm_room(writer, 1, IPC_FOREVER, NULL, handle));
    ipc_topic_reader_close(reader);
    comes(handle);
    CHECK_OK(ipc_topic_try_claim(writer, 1, &block));
    ipc_topic_abandon(writer, &block);
    ipc_topic_writer_close(writer);
    ipc_ready_handle_destroy(handle);
}

/* A slot that another writer has claimed a lap ago is announced where readers sleep. */
TEST(a_writer_that_commits_brings_it_to_the_one_that_has_come_round)
{
    const ipc_topic_options options = {.block_size = 64, .block_count = 4};
    ipc_topic_writer *writer = NULL, *other = NULL;
    ipc_block slow, block;
    ipc_ready_handle *handle = make();
    CHECK_OK(ipc_topic_writer_open("t", &options, &writer));
    CHECK_OK(ipc_topic_writer_open("t", &options, &other));
    CHECK_OK(ipc_topic_try_claim(other, 1, &slow));
    fill_topic(writer);
    CHECK_STATUS(IPC_EMPTY, ipc_topic_arm_room(writer, 1, IPC_FOREVER, NULL, handle));
    is_quiet(handle);
    CHECK_OK(ipc_topic_commit(other, &slow, 1, 1, 0));
    comes(handle);
    CHECK_OK(ipc_topic_try_claim(writer, 1, &block));
    ipc_topic_abandon(writer, &block);
    ipc_topic_writer_close(other);
    ipc_topic_writer_close(writer);
    ipc_ready_handle_destroy(handle);
}
