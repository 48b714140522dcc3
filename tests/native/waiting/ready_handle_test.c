/* Ready handles: who waits without a thread is told of everything that would have ended a thread's wait. */
#include "connections/listener.h"
#include "queues/queue.h"
#include "sync/sync.h"
#include "echo_server.h"
#include "ready.h"

#include <pthread.h>
#include <unistd.h>

static ipc_queue *open_queue(void)
{
    const ipc_queue_options options = {.block_count = 4, .lifetime = IPC_LIFETIME_WHILE_USED};
    ipc_queue *queue = NULL;
    CHECK_OK(ipc_queue_open("q", &options, &queue));
    return queue;
}

static void send(ipc_queue *queue)
{
    CHECK_OK(ipc_queue_send(queue, "x", 1, 1, IPC_NOW, NULL));
}

static void receive(ipc_queue *queue)
{
    ipc_block block;
    CHECK_OK(ipc_queue_try_receive(queue, &block));
    ipc_queue_release(queue, &block);
}

/* ---- what brings it ---------------------------------------------------------------------------------- */

TEST(a_message_brings_it_once_for_each_arming)
{
    ipc_queue *queue = open_queue();
    ipc_queue *other = open_queue();
    ipc_ready_handle *handle = make();
    for (int i = 0; i < 3; i++) {
        CHECK_STATUS(IPC_EMPTY, ipc_queue_arm(queue, IPC_FOREVER, NULL, handle));
        is_quiet(handle);
        send(other);
        comes(handle);
        receive(queue);
        CHECK(is_readable(handle)); /* until it is armed again */
    }
    CHECK_OK(ipc_ready_handle_disarm(handle));
    CHECK(!is_readable(handle));
    send(other);
    receive(queue);
    CHECK(!is_readable(handle));
    ipc_ready_handle_destroy(handle);
    ipc_queue_close(other);
    ipc_queue_close(queue);
}

TEST(what_is_there_is_told_by_the_arming_itself)
{
    ipc_queue *queue = open_queue();
    ipc_ready_handle *handle = make();
    send(queue);
    CHECK_OK(ipc_queue_arm(queue, IPC_FOREVER, NULL, handle));
    CHECK(is_readable(handle)); /* a loop that ignores the result does not sleep */
    receive(queue);
    CHECK_STATUS(IPC_TIMEOUT, ipc_queue_arm(queue, IPC_NOW, NULL, handle));
    CHECK(is_readable(handle));
    ipc_queue_stop(queue);
    CHECK_STATUS(IPC_STOPPED, ipc_queue_arm(queue, IPC_FOREVER, NULL, handle));
    CHECK(is_readable(handle));
    ipc_ready_handle_destroy(handle);
    ipc_queue_close(queue);
}

TEST(an_arming_that_changes_nothing_leaves_it_as_it_is)
{
    ipc_queue *queue = open_queue();
    ipc_ready_handle *handle = make();
    CHECK_STATUS(IPC_EMPTY, ipc_queue_arm(queue, IPC_FOREVER, NULL, handle));
    const uint32_t word = ipc_load_acquire32(&queue->view.header->data.word);
    for (int i = 0; i < 3; i++) /* a loop that was woken for something else */
        CHECK_STATUS(IPC_EMPTY, ipc_queue_arm(queue, IPC_FOREVER, NULL, handle));
    CHECK_EQUAL(word, ipc_load_acquire32(&queue->view.header->data.word));
    send(queue);
    comes(handle);
    CHECK_OK(ipc_queue_arm(queue, IPC_FOREVER, NULL, handle));
    receive(queue);
    ipc_ready_handle_destroy(handle);
    ipc_queue_close(queue);
}

TEST(a_deadline_a_cancellation_and_a_stop_bring_it)
{
    ipc_queue *queue = open_queue();
    ipc_ready_handle *handle = make();
    ipc_cancel *cancel = NULL;
    CHECK_OK(ipc_cancel_create(&cancel));
    const ipc_deadline soon = ipc_deadline_after(1000000);
    const ipc_status status = ipc_queue_arm(queue, soon, NULL, handle);
    CHECK(status == IPC_EMPTY || status == IPC_TIMEOUT); /* a slow machine */
    comes(handle);
    WAIT_FOR(ipc_queue_arm(queue, soon, NULL, handle) == IPC_TIMEOUT);
    CHECK_STATUS(IPC_EMPTY, ipc_queue_arm(queue, IPC_FOREVER, cancel, handle));
    ipc_cancel_trigger(cancel);
    comes(handle);
    CHECK_STATUS(IPC_CANCELLED, ipc_queue_arm(queue, IPC_FOREVER, cancel, handle));
    ipc_cancel_destroy(cancel); /* not armed any more: nobody has it */
    CHECK_STATUS(IPC_EMPTY, ipc_queue_arm(queue, IPC_FOREVER, NULL, handle));
    ipc_queue_stop(queue);
    comes(handle);
    CHECK_STATUS(IPC_STOPPED, ipc_queue_arm(queue, IPC_FOREVER, NULL, handle));
    ipc_ready_handle_destroy(handle);
    ipc_queue_close(queue);
}

TEST(a_close_brings_it_and_is_told_also_to_who_was_told_before)
{
    ipc_ready_handle *armed = make();
    ipc_ready_handle *told = make();
    ipc_ready_handle *disarmed = make();
    ipc_ready_handle *elsewhere = make();
    ipc_queue *queue = open_queue();
    ipc_queue *other = open_queue();
    CHECK_STATUS(IPC_EMPTY, ipc_queue_arm(queue, IPC_FOREVER, NULL, told));
    send(other);
    comes(told);
    receive(other);
    CHECK_STATUS(IPC_EMPTY, ipc_queue_arm(queue, IPC_FOREVER, NULL, armed));
    CHECK_STATUS(IPC_EMPTY, ipc_queue_arm(queue, IPC_FOREVER, NULL, disarmed));
    CHECK_OK(ipc_ready_handle_disarm(disarmed));
    CHECK_STATUS(IPC_EMPTY, ipc_queue_arm(queue, IPC_FOREVER, NULL, elsewhere));
    CHECK_STATUS(IPC_EMPTY, ipc_queue_arm(other, IPC_FOREVER, NULL, elsewhere));
    ipc_queue_close(queue);
    comes(armed);
    CHECK_STATUS(IPC_CLOSED, ipc_ready_handle_disarm(armed));
    CHECK_STATUS(IPC_CLOSED, ipc_ready_handle_disarm(told));
    CHECK_OK(ipc_ready_handle_disarm(disarmed));
    send(other);
    comes(elsewhere);
    CHECK_OK(ipc_ready_handle_disarm(elsewhere));
    receive(other);
    ipc_ready_handle_destroy(armed);
    ipc_ready_handle_destroy(told);
    ipc_ready_handle_destroy(disarmed);
    ipc_queue_close(other);
    CHECK_STATUS(IPC_OK, ipc_ready_handle_disarm(elsewhere)); /* it was not armed there any more */
    ipc_ready_handle_destroy(elsewhere);
}

/* ---- everything that can be waited for --------------------------------------------------------------- */

TEST(a_ring_brings_it_by_a_record_and_by_its_writers_end)
{
    const ipc_ring_options options = {.capacity = 4096};
    ipc_ring_writer *writer = NULL;
    ipc_ring_reader *reader = NULL;
    ipc_record record;
    ipc_ready_handle *handle = make();
    CHECK_OK(ipc_ring_writer_open("r", &options, &writer));
    CHECK_OK(ipc_ring_reader_open("r", &options, &reader));
    CHECK_STATUS(IPC_EMPTY, ipc_ring_arm(reader, IPC_FOREVER, NULL, handle));
    CHECK_OK(ipc_ring_write(writer, "x", 1, 1, IPC_NOW, NULL));
    comes(handle);
    CHECK_OK(ipc_ring_try_read(reader, &record));
    ipc_ring_release(reader);
    CHECK_STATUS(IPC_EMPTY, ipc_ring_arm(reader, IPC_FOREVER, NULL, handle));
    ipc_ring_writer_close(writer);
    comes(handle);
    CHECK_STATUS(IPC_PEER_CLOSED, ipc_ring_arm(reader, IPC_FOREVER, NULL, handle));
    CHECK_STATUS(IPC_PEER_CLOSED, ipc_ring_read(reader, IPC_NOW, NULL, &record));
    ipc_ring_reader_close(reader);
    CHECK_STATUS(IPC_CLOSED, ipc_ready_handle_disarm(handle));
    ipc_ready_handle_destroy(handle);
}

/* Nobody looks at the writer's wish while the handle sleeps: what is released then must not be held back. */
TEST(what_is_released_after_the_arming_goes_back_at_once)
{
    static const ipc_ring_options options = {.capacity = 4096};
    static const uint8_t bytes[2040];
    ipc_ring_writer *writer = NULL;
    ipc_ring_reader *reader = NULL;
    ipc_record record;
    void *payload = NULL;
    CHECK_OK(ipc_ring_writer_open("r", &options, &writer));
    CHECK_OK(ipc_ring_reader_open("r", &options, &reader));
    ipc_ready_handle *handle = make();
    CHECK_OK(ipc_ring_write(writer, bytes, 2040, 1, IPC_NOW, NULL));
    CHECK_OK(ipc_ring_try_read(reader, &record));
    ipc_ring_release(reader);
    CHECK_OK(ipc_ring_write(writer, bytes, 440, 1, IPC_NOW, NULL)); /* less than the eighth that goes back unasked */
    CHECK_OK(ipc_ring_try_read(reader, &record));
    CHECK_STATUS(IPC_EMPTY, ipc_ring_arm(reader, IPC_FOREVER, NULL, handle));
    ipc_ring_release(reader);
    CHECK_OK(ipc_ring_try_claim(writer, 2040, &payload)); /* at the next lap: it takes what was released last */
    CHECK_OK(ipc_ring_commit(writer, 2040, 1));
    comes(handle);
    CHECK_OK(ipc_ring_try_read(reader, &record));
    CHECK_EQUAL(2040, record.length);
    ipc_ready_handle_destroy(handle);
    ipc_ring_writer_close(writer);
    ipc_ring_reader_close(reader);
}

TEST(room_for_another_length_is_another_thing_to_wait_for)
{
    static const ipc_ring_options options = {.capacity = 4096};
    static const uint8_t bytes[2040];
    ipc_ring_writer *writer = NULL;
    CHECK_OK(ipc_ring_writer_open("r", &options, &writer));
    ipc_ready_handle *handle = make();
    CHECK_OK(ipc_ring_write(writer, bytes, 2040, 1, IPC_NOW, NULL));
    CHECK_STATUS(IPC_EMPTY, ipc_ring_arm_room(writer, 2040, IPC_FOREVER, NULL, handle));
    is_quiet(handle);
    CHECK_OK(ipc_ring_arm_room(writer, 8, IPC_FOREVER, NULL, handle)); /* nobody would tell of what is there already */
    CHECK(is_readable(handle));
    CHECK_OK(ipc_ring_write(writer, bytes, 8, 1, IPC_NOW, NULL));
    ipc_ready_handle_destroy(handle);
    ipc_ring_writer_close(writer);
}

TEST(a_topic_brings_it_by_a_message)
{
    ipc_topic_writer *writer = NULL;
    ipc_topic_reader *reader = NULL;
    ipc_message message;
    ipc_ready_handle *handle = make();
    CHECK_OK(ipc_topic_writer_open("t", NULL, &writer));
    CHECK_OK(ipc_topic_reader_open("t", NULL, &reader));
    CHECK_STATUS(IPC_EMPTY, ipc_topic_arm(reader, IPC_FOREVER, NULL, handle));
    CHECK_OK(ipc_topic_publish(writer, "x", 1, 1, 0, IPC_NOW, NULL));
    comes(handle);
    CHECK_OK(ipc_topic_try_read(reader, &message));
    CHECK_OK(ipc_topic_release(reader));
    CHECK_STATUS(IPC_EMPTY, ipc_topic_arm(reader, IPC_FOREVER, NULL, handle));
    ipc_topic_reader_close(reader);
    comes(handle);
    CHECK_STATUS(IPC_CLOSED, ipc_ready_handle_disarm(handle));
    ipc_topic_writer_close(writer);
    ipc_ready_handle_destroy(handle);
}

TEST(a_mutex_a_semaphore_and_an_event_bring_it_and_are_not_taken)
{
    ipc_ready_handle *handle = make();
    ipc_shared_mutex *mutex = NULL;
    ipc_shared_mutex *holds = NULL;
    CHECK_OK(ipc_shared_mutex_open("m", NULL, &mutex));
    CHECK_OK(ipc_shared_mutex_open("m", NULL, &holds));
    CHECK_OK(ipc_shared_mutex_arm(mutex, IPC_FOREVER, NULL, handle)); /* free */
    CHECK_OK(ipc_shared_mutex_acquire(holds, IPC_NOW, NULL));         /* still */
    CHECK_STATUS(IPC_EMPTY, ipc_shared_mutex_arm(mutex, ipc_deadline_after(60000000000ull), NULL, handle));
    CHECK_OK(ipc_shared_mutex_release(holds));
    comes(handle);
    CHECK_OK(ipc_shared_mutex_acquire(mutex, IPC_NOW, NULL));
    ipc_shared_mutex_close(mutex);
    CHECK_STATUS(IPC_ABANDONED, ipc_shared_mutex_acquire(holds, IPC_NOW, NULL));
    ipc_shared_mutex_close(holds);

    ipc_shared_semaphore *semaphore = NULL;
    CHECK_OK(ipc_shared_semaphore_open("s", NULL, &semaphore));
    CHECK_OK(ipc_shared_semaphore_acquire(semaphore, IPC_NOW, NULL));
    CHECK_STATUS(IPC_EMPTY, ipc_shared_semaphore_arm(semaphore, IPC_FOREVER, NULL, handle));
    CHECK_OK(ipc_shared_semaphore_release(semaphore));
    comes(handle);
    CHECK_EQUAL(1, ipc_shared_semaphore_available(semaphore));
    ipc_shared_semaphore_close(semaphore);

    ipc_shared_event *event = NULL;
    CHECK_OK(ipc_shared_event_open("e", NULL, &event));
    CHECK_STATUS(IPC_EMPTY, ipc_shared_event_arm(event, IPC_FOREVER, NULL, handle));
    ipc_shared_event_set(event);
    comes(handle);
    CHECK_OK(ipc_shared_event_arm(event, IPC_FOREVER, NULL, handle));
    CHECK_OK(ipc_shared_event_wait(event, IPC_NOW, NULL));
    ipc_shared_event_close(event);
    ipc_ready_handle_destroy(handle);
}

/* A server and its client in one thread, as in an event loop. */
TEST(a_listener_and_both_sides_of_a_connection_bring_it)
{
    echo_server server = {0};
    echo_server_start(&server, NULL); /* echoes; the client is the loop */
    ipc_connection *client = connect_to(NULL);
    ipc_ready_handle *handle = make();
    ipc_record record;
    for (int i = 0; i < 100; i++) {
        CHECK_OK(ipc_ring_write(ipc_connection_writer(client), &i, sizeof i, 1, IPC_NOW, NULL));
        const ipc_status status = ipc_ring_arm(ipc_connection_reader(client), IPC_FOREVER, NULL, handle);
        CHECK(status == IPC_EMPTY || status == IPC_OK);
        comes(handle);
        CHECK_OK(ipc_ring_try_read(ipc_connection_reader(client), &record));
        ipc_ring_release(ipc_connection_reader(client));
    }
    ipc_connection_close(client);
    CHECK_STATUS(IPC_CLOSED, ipc_ready_handle_disarm(handle));
    ipc_ready_handle_destroy(handle);
    echo_server_stop(&server);
}

static void *connect_one(void *client)
{
    *(ipc_connection **)client = connect_to(NULL);
    return NULL;
}

static void *ask_often(void *unused)
{
    (void)unused;
    ipc_connection *client = connect_to(NULL);
    for (uint64_t i = 0; i < 200; i++)
        expect_echo(client, i);
    ipc_connection_close(client);
    return NULL;
}

TEST(a_listener_is_served_by_an_event_loop)
{
    ipc_listener *listener = NULL;
    CHECK_OK(ipc_listener_open("l", NULL, &listener));
    ipc_ready_handle *handle = make();
    test_thread thread;
    test_thread_start(&thread, ask_often, NULL);
    for (bool gone = false; !gone;) {
        ipc_event event;
        while (!gone && ipc_listener_next(listener, IPC_NOW, NULL, &event) == IPC_OK) {
            ipc_record record;
            if (event.kind == IPC_EVENT_CONNECT)
                CHECK_OK(ipc_connection_accept(event.connection));
            while (event.kind != IPC_EVENT_CLOSED &&
                   ipc_ring_try_read(ipc_connection_reader(event.connection), &record) == IPC_OK) {
                CHECK_OK(ipc_ring_write(ipc_connection_writer(event.connection), record.payload, record.length,
                                        record.type, SOON, NULL));
                ipc_ring_release(ipc_connection_reader(event.connection));
            }
            gone = event.kind == IPC_EVENT_CLOSED;
            if (gone)
                ipc_connection_close(event.connection);
            else
                ipc_listener_return(listener, event.connection);
        }
        const ipc_status status = gone ? IPC_OK : ipc_listener_arm(listener, IPC_FOREVER, NULL, handle);
        CHECK(status == IPC_OK || status == IPC_EMPTY);
        if (!gone)
            comes(handle);
    }
    test_thread_join(&thread);
    ipc_listener_close(listener);
    ipc_ready_handle_destroy(handle);
}

/* The leader looks once more after it has armed what it polls. A connection that comes to light in this look is polled,
   too, but not armed: to sleep now would be to sleep through what its client writes next. */
static ipc_connection *accept_one(ipc_listener *listener, ipc_connection **client, test_thread *thread)
{
    ipc_event event;
    test_thread_start(thread, connect_one, client);
    CHECK_OK(ipc_listener_next(listener, SOON, NULL, &event));
    CHECK_OK(ipc_connection_accept(event.connection));
    test_thread_join(thread);
    return event.connection;
}

static void expect_bell(ipc_listener *listener, ipc_connection *client, ipc_ready_handle *handle)
{
    CHECK_STATUS(IPC_EMPTY, ipc_listener_arm(listener, IPC_FOREVER, NULL, handle));
    while (is_readable(handle)) /* it comes at once when something came to light */
        CHECK_STATUS(IPC_EMPTY, ipc_listener_arm(listener, IPC_FOREVER, NULL, handle));
    CHECK_OK(ipc_ring_write(ipc_connection_writer(client), "x", 1, 1, IPC_NOW, NULL));
    comes(handle);
}

TEST(a_connection_that_comes_back_after_the_arming_is_armed_before_the_sleep)
{
    ipc_listener *listener = NULL;
    ipc_connection *client = NULL;
    test_thread thread;
    CHECK_OK(ipc_listener_open("l", NULL, &listener));
    ipc_ready_handle *handle = make();
    ipc_listener_return(listener, accept_one(listener, &client, &thread));
    expect_bell(listener, client, handle);
    ipc_connection_close(client);
    ipc_listener_close(listener);
    ipc_ready_handle_destroy(handle);
}

/* A client that was slow between its publish, which was read long ago, and its ready bit. */
TEST(a_late_ready_bit_leaves_nobody_unarmed)
{
    ipc_listener *listener = NULL;
    ipc_connection *client = NULL;
    ipc_event event;
    test_thread thread;
    CHECK_OK(ipc_listener_open("l", NULL, &listener));
    ipc_ready_handle *handle = make();
    ipc_connection *server = accept_one(listener, &client, &thread);
    ipc_listener_return(listener, server);
    CHECK_STATUS(IPC_TIMEOUT, ipc_listener_next(listener, IPC_NOW, NULL, &event));
    server->place = PLACE_COLD; /* as one of many would be, whose flag its client has cleared */
    listener->hot_count = 0;
    (void)ipc_or64(&listener->view.ready[server->slot / 64], 1ull << (server->slot % 64));
    expect_bell(listener, client, handle);
    ipc_connection_close(client);
    ipc_listener_close(listener);
    ipc_ready_handle_destroy(handle);
}

/* ---- many of them ------------------------------------------------------------------------------------ */

TEST(more_of_them_than_a_thread_can_sleep_for_all_become_ready)
{
    enum { MANY = 300 };
    const ipc_sync_options manual = {.manual_reset = true};
    ipc_shared_event *event = NULL;
    ipc_ready_handle *handles[MANY];
    CHECK_OK(ipc_shared_event_open("e", &manual, &event));
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < MANY; i++) {
            handles[i] = make();
            CHECK_STATUS(IPC_EMPTY, ipc_shared_event_arm(event, IPC_FOREVER, NULL, handles[i]));
        }
        for (int i = 0; i < MANY; i += 2)
            CHECK_OK(ipc_ready_handle_disarm(handles[i]));
        ipc_shared_event_set(event);
        for (int i = 1; i < MANY; i += 2)
            comes(handles[i]);
        for (int i = 0; i < MANY; i++) {
            CHECK_EQUAL(i % 2 != 0, is_readable(handles[i]));
            ipc_ready_handle_destroy(handles[i]);
        }
        ipc_shared_event_reset(event);
    }
    ipc_shared_event_close(event);
}

typedef struct crowd {
    ipc_queue *queue;
    _Atomic int received;
    int wanted;
} crowd;

static void *loop_in_thread(void *argument)
{
    crowd *all = argument;
    ipc_ready_handle *handle = make();
    while (all->received < all->wanted) {
        ipc_block block;
        while (ipc_queue_try_receive(all->queue, &block) == IPC_OK) {
            ipc_queue_release(all->queue, &block);
            all->received++;
        }
        if (all->received < all->wanted && ipc_queue_arm(all->queue, SOON, NULL, handle) == IPC_EMPTY)
            comes(handle);
    }
    ipc_ready_handle_destroy(handle);
    return NULL;
}

TEST(no_message_is_missed_by_loops_that_take_them_from_each_other)
{
    crowd all = {open_queue(), 0, test_is_long() ? 200000 : 5000};
    ipc_queue *sender = open_queue();
    test_thread threads[4];
    for (int i = 0; i < 4; i++)
        test_thread_start(&threads[i], loop_in_thread, &all);
    for (int i = 0; i < all.wanted; i++)
        CHECK_OK(ipc_queue_send(sender, &i, sizeof i, 1, SOON, NULL));
    while (all.received < all.wanted)
        test_yield();
    ipc_queue_stop(all.queue); /* those who found nothing last */
    for (int i = 0; i < 4; i++)
        test_thread_join(&threads[i]);
    ipc_queue_close(sender);
    ipc_queue_close(all.queue);
}

static void count(void *context)
{
    (void)__atomic_fetch_add((int *)context, 1, __ATOMIC_RELAXED);
}

TEST(a_function_is_called_once_and_not_after_a_disarming)
{
    int calls = 0;
    ipc_queue *queue = open_queue();
    ipc_ready_handle *handle = NULL;
    CHECK_OK(ipc_ready_handle_create(count, &calls, &handle));
    CHECK_EQUAL((uint32_t)-1, (uint32_t)ipc_ready_handle_descriptor(handle));
    for (int i = 0; i < 1000; i++) { /* beside a close to a call as can be */
        const int before = __atomic_load_n(&calls, __ATOMIC_RELAXED);
        CHECK_STATUS(IPC_EMPTY, ipc_queue_arm(queue, IPC_FOREVER, NULL, handle));
        send(queue);
        CHECK_OK(ipc_ready_handle_disarm(handle));
        const int after = __atomic_load_n(&calls, __ATOMIC_RELAXED);
        CHECK(after - before <= 1);
        receive(queue);
        CHECK_EQUAL(after, __atomic_load_n(&calls, __ATOMIC_RELAXED));
    }
    CHECK_STATUS(IPC_EMPTY, ipc_queue_arm(queue, IPC_FOREVER, NULL, handle));
    const int before = __atomic_load_n(&calls, __ATOMIC_RELAXED);
    ipc_queue_close(queue);
    WAIT_FOR(__atomic_load_n(&calls, __ATOMIC_RELAXED) == before + 1);
    CHECK_STATUS(IPC_CLOSED, ipc_ready_handle_disarm(handle));
    ipc_ready_handle_destroy(handle);
}

typedef struct called {
    _Atomic bool is_done;
    pthread_t thread;
} called;

static void note_thread(void *context)
{
    called *one = context;
    one->thread = pthread_self();
    one->is_done = true;
}

TEST(a_function_is_called_on_a_thread_of_the_library_or_on_the_one_that_closes)
{
    called one = {false, pthread_self()};
    ipc_queue *queue = open_queue();
    ipc_ready_handle *handle = NULL;
    CHECK_OK(ipc_ready_handle_create(note_thread, &one, &handle));
    CHECK_STATUS(IPC_EMPTY, ipc_queue_arm(queue, IPC_FOREVER, NULL, handle));
    send(queue);
    WAIT_FOR(one.is_done);
    CHECK(!pthread_equal(one.thread, pthread_self())); /* and not on the one that sends, though it is of this process */
    const pthread_t library = one.thread;
    receive(queue);
    one.is_done = false;
    CHECK_STATUS(IPC_EMPTY, ipc_queue_arm(queue, IPC_FOREVER, NULL, handle));
    ipc_queue_close(queue);
    WAIT_FOR(one.is_done);
    CHECK(pthread_equal(one.thread, pthread_self()) || pthread_equal(one.thread, library));
    ipc_ready_handle_destroy(handle);
}

typedef struct churn {
    _Atomic bool ends;
} churn;

static void *send_in_thread(void *argument)
{
    churn *one = argument;
    ipc_queue *queue = open_queue();
    while (!one->ends) {
        const ipc_status status = ipc_queue_send(queue, "x", 1, 1, IPC_NOW, NULL);
        ipc_block block;
        if (status != IPC_OK && ipc_queue_try_receive(queue, &block) == IPC_OK)
            ipc_queue_release(queue, &block);
    }
    ipc_queue_close(queue);
    return NULL;
}

/* The thread looks at the words of objects that come and go. */
TEST(objects_are_closed_while_handles_of_theirs_become_ready)
{
    churn one = {false};
    test_thread thread;
    ipc_queue *stays = open_queue();
    test_thread_start(&thread, send_in_thread, &one);
    for (int i = 0; i < 300; i++) {
        ipc_queue *queue = open_queue();
        ipc_ready_handle *handle = make();
        ipc_block block;
        while (ipc_queue_try_receive(queue, &block) == IPC_OK)
            ipc_queue_release(queue, &block);
        const ipc_status status = ipc_queue_arm(queue, IPC_FOREVER, NULL, handle);
        CHECK(status == IPC_EMPTY || status == IPC_OK);
        if (i % 2 == 0)
            comes(handle);
        ipc_queue_close(queue);
        CHECK_STATUS(IPC_CLOSED, ipc_ready_handle_disarm(handle));
        ipc_ready_handle_destroy(handle);
    }
    one.ends = true;
    test_thread_join(&thread);
    ipc_queue_close(stays);
}
