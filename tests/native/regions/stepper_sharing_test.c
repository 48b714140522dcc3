/* Topics, locks and connections, by a victim that is killed between any two of its instructions: see stepper.h. */
#include "stepper.h"

#include "echo_server.h"
#include "numbered.h"

#include <unistd.h>

enum { LENGTH = 100, LONG_LENGTH = 3000, BLOCKS = 8 };

/* What the test's process has open, and what the victim has: one has what the other has not. */
static struct {
    ipc_topic_writer *writer;
    ipc_topic_reader *reader;
    ipc_shared_mutex *mutex;
    ipc_shared_semaphore *semaphore;
    ipc_shared_event *event;
    ipc_listener *listener;
    ipc_connection *connection;
} mine;

static void nothing(void) {}

/* ---- topic -------------------------------------------------------------------------------------------------------- */

static const ipc_topic_options topic_options = {.block_size = 128, .block_count = BLOCKS, .loan_budget = 1 << 20, .max_readers = 2};

static void open_writer(void) { CHECK_OK(ipc_topic_writer_open("t", &topic_options, &mine.writer)); }
static void open_reader(void) { CHECK_OK(ipc_topic_reader_open("t", &topic_options, &mine.reader)); }

static void publish(uint64_t number, uint32_t length)
{
    unsigned char bytes[LONG_LENGTH];
    fill_numbered(bytes, length, number);
    CHECK_OK(ipc_topic_publish(mine.writer, bytes, length, 1, 0, SOON, NULL));
}

static uint64_t next(ipc_deadline deadline)
{
    ipc_message message;
    const ipc_status status = ipc_topic_read(mine.reader, deadline, NULL, &message);
    if (status == IPC_TIMEOUT || status == IPC_EMPTY)
        return 0;
    CHECK_OK(status);
    CHECK_EQUAL(0, message.lost);
    uint64_t number = 0;
    CHECK(is_numbered(message.payload, message.length, &number));
    CHECK_OK(ipc_topic_release(mine.reader));
    return number;
}

static void close_topic(void)
{
    step_expect_as_new("t", false);
    ipc_topic_writer_close(mine.writer);
    ipc_topic_reader_close(mine.reader);
}

static void expect_publications(uint64_t first)
{
    for (uint64_t i = first; i < first + 4 * BLOCKS; i++) {
        publish(i, i % 4 == 0 ? LONG_LENGTH : LENGTH);
        CHECK_EQUAL(i, next(SOON));
    }
    close_topic();
}

static void publish_one(void)
{
    open_writer();
    publish(1, LENGTH);
}

static void publish_another(void) { publish(2, LENGTH); }
static void publish_a_loan(void) { publish(2, LONG_LENGTH); }

static void check_published(bool finished)
{
    CHECK_EQUAL(1, next(SOON));
    open_writer();
    publish(3, LENGTH);
    uint64_t number = next(SOON);
    CHECK(number == 2 || (!finished && number == 3));
    if (number == 2)
        number = next(SOON);
    CHECK_EQUAL(3, number);
    expect_publications(10);
}

TEST(a_topic_goes_on_whenever_a_writer_dies)
{
    step_through(&(step_subject){open_reader, publish_one, NULL, publish_another, check_published});
}

TEST(a_topic_goes_on_whenever_the_writer_of_a_loan_dies)
{
    step_through(&(step_subject){open_reader, publish_one, NULL, publish_a_loan, check_published});
}

static void publish_some(void)
{
    for (uint64_t i = 1; i < BLOCKS; i++)
        publish(i, i == 1 ? LONG_LENGTH : LENGTH);
}

static void read_one(void) { CHECK_EQUAL(1, next(SOON)); }

/* A reliable reader held the writers up until it died. */
static void check_read(bool finished)
{
    (void)finished;
    for (uint64_t i = BLOCKS; i < 3 * BLOCKS; i++)
        publish(i, LENGTH);
    open_reader(); /* of two places one is the dead one's */
    ipc_topic_reader *other = NULL;
    CHECK_OK(ipc_topic_reader_open("t", &topic_options, &other));
    ipc_topic_reader_close(other);
    expect_publications(100);
}

TEST(a_topic_goes_on_whenever_a_reliable_reader_dies)
{
    step_through(&(step_subject){open_writer, open_reader, publish_some, read_one, check_read});
}

TEST(a_topic_goes_on_whenever_a_reader_dies_that_joins)
{
    step_through(&(step_subject){open_writer, nothing, NULL, open_reader, check_read});
}

static void leave(void) { ipc_topic_reader_close(mine.reader); }

TEST(a_topic_goes_on_whenever_a_reader_dies_that_leaves)
{
    step_through(&(step_subject){open_writer, open_reader, publish_some, leave, check_read});
}

/* ---- mutex, semaphore, event -------------------------------------------------------------------------------------- */

static const ipc_sync_options sync_options = {.permits = 2};

static void open_mutex(void) { CHECK_OK(ipc_shared_mutex_open("m", &sync_options, &mine.mutex)); }

static void lock_and_unlock(void)
{
    CHECK_OK(ipc_shared_mutex_acquire(mine.mutex, SOON, NULL));
    CHECK_OK(ipc_shared_mutex_release(mine.mutex));
}

static void check_mutex(bool finished)
{
    ipc_shared_mutex *other = NULL;
    CHECK_OK(ipc_shared_mutex_open("m", &sync_options, &other)); /* who comes buries whom nobody has missed */
    ipc_shared_mutex_close(other);
    const ipc_status status = ipc_shared_mutex_acquire(mine.mutex, SOON, NULL);
    CHECK(status == IPC_OK || (!finished && status == IPC_ABANDONED));
    CHECK_OK(ipc_shared_mutex_release(mine.mutex));
    lock_and_unlock();
    step_expect_as_new("m", false);
    ipc_shared_mutex_close(mine.mutex);
}

TEST(a_mutex_goes_on_whenever_who_has_it_dies)
{
    step_through(&(step_subject){open_mutex, open_mutex, NULL, lock_and_unlock, check_mutex});
}

static void open_semaphore(void) { CHECK_OK(ipc_shared_semaphore_open("s", &sync_options, &mine.semaphore)); }

static void take_and_give(void)
{
    CHECK_OK(ipc_shared_semaphore_acquire(mine.semaphore, SOON, NULL));
    CHECK_OK(ipc_shared_semaphore_release(mine.semaphore));
}

static void check_semaphore(bool finished)
{
    ipc_shared_semaphore *other = NULL;
    CHECK_OK(ipc_shared_semaphore_open("s", &sync_options, &other));
    ipc_shared_semaphore_close(other);
    int abandoned = 0;
    for (int i = 0; i < 2; i++) {
        const ipc_status status = ipc_shared_semaphore_acquire(mine.semaphore, SOON, NULL);
        CHECK(status == IPC_OK || status == IPC_ABANDONED);
        abandoned += status == IPC_ABANDONED;
    }
    CHECK(abandoned == 0 || (!finished && abandoned == 1));
    CHECK_STATUS(IPC_TIMEOUT, ipc_shared_semaphore_acquire(mine.semaphore, IPC_NOW, NULL));
    CHECK_OK(ipc_shared_semaphore_release(mine.semaphore));
    CHECK_OK(ipc_shared_semaphore_release(mine.semaphore));
    step_expect_as_new("s", false);
    ipc_shared_semaphore_close(mine.semaphore);
}

TEST(a_semaphore_goes_on_whenever_who_has_a_permit_dies)
{
    step_through(&(step_subject){open_semaphore, open_semaphore, NULL, take_and_give, check_semaphore});
}

static void open_event(void) { CHECK_OK(ipc_shared_event_open("e", &sync_options, &mine.event)); }
static void set(void) { ipc_shared_event_set(mine.event); }

static void check_event(bool finished)
{
    ipc_shared_event *other = NULL;
    CHECK_OK(ipc_shared_event_open("e", &sync_options, &other));
    ipc_shared_event_close(other);
    const ipc_status status = ipc_shared_event_wait(mine.event, IPC_NOW, NULL);
    CHECK(status == IPC_OK || (!finished && status == IPC_TIMEOUT));
    set();
    CHECK_OK(ipc_shared_event_wait(mine.event, SOON, NULL));
    CHECK_STATUS(IPC_TIMEOUT, ipc_shared_event_wait(mine.event, IPC_NOW, NULL));
    step_expect_as_new("e", false);
    ipc_shared_event_close(mine.event);
}

TEST(an_event_goes_on_whenever_who_sets_it_dies)
{
    step_through(&(step_subject){open_event, open_event, NULL, set, check_event});
}

/* ---- listener ----------------------------------------------------------------------------------------------------- */

static const ipc_listener_options listener_options = {.max_connections = 2};
static echo_server server;

static void serve(void)
{
    memset(&server, 0, sizeof server);
    echo_server_start(&server, &listener_options);
}

static void connect_one(void) { CHECK_OK(ipc_connect("l", NULL, &mine.connection)); }

static void connect_and_close(void)
{
    connect_one();
    ipc_connection_close(mine.connection);
}

/* A full server refuses at once, and is full until it has heard of its client's death. */
static ipc_connection *connect_when_there_is_room(void)
{
    ipc_connection *connection = NULL;
    ipc_status status;
    WAIT_FOR((status = ipc_connect("l", NULL, &connection)) != IPC_E_REFUSED);
    CHECK_OK(status);
    return connection;
}

/* No place of two is lost, and the server forgets every client that has gone. */
static void expect_two_places(void)
{
    ipc_connection *first = connect_when_there_is_room();
    ipc_connection *second = connect_when_there_is_room();
    expect_echo(first, 1);
    expect_echo(second, 2);
    ipc_connection_close(first);
    ipc_connection_close(second);
    WAIT_FOR(server.connected == server.closed);
    echo_server_stop(&server);
}

static void check_client(bool finished)
{
    (void)finished;
    expect_two_places();
}

TEST(a_server_goes_on_whenever_a_client_dies)
{
    step_through(&(step_subject){serve, nothing, NULL, connect_and_close, check_client});
}

/* A client of the victim's server, in a thread of the test's process. */
static struct {
    test_thread thread;
    ipc_status status;
    ipc_connection *connection;
} client;

static void *connect_patiently(void *unused)
{
    (void)unused;
    const ipc_connect_options options = {.deadline = SOON};
    client.status = ipc_connect("l", &options, &client.connection);
    return NULL;
}

static void listen_here(void) { CHECK_OK(ipc_listener_open("l", &listener_options, &mine.listener)); }
static void start_client(void) { test_thread_start(&client.thread, connect_patiently, NULL); }

static void accept_one(void)
{
    ipc_event event;
    CHECK_OK(ipc_listener_next(mine.listener, SOON, NULL, &event));
    CHECK_EQUAL(IPC_EVENT_CONNECT, event.kind);
    CHECK_OK(ipc_connection_accept(event.connection));
}

/* The client is connected to the dead one, and hears of its death, or to its successor, or has a reason. */
static void check_server(bool finished)
{
    (void)finished;
    serve();
    test_thread_join(&client.thread);
    if (client.status == IPC_OK) {
        ipc_record record;
        if (ipc_connection_peer_pid(client.connection) != getpid())
            CHECK_STATUS(IPC_PEER_DIED, ipc_ring_read(ipc_connection_reader(client.connection), SOON, NULL, &record));
        else
            expect_echo(client.connection, 5);
        ipc_connection_close(client.connection);
    } else {
        CHECK(client.status == IPC_PEER_DIED || client.status == IPC_PEER_CLOSED);
    }
    expect_two_places();
}

TEST(clients_go_on_whenever_a_server_dies_that_accepts)
{
    step_through(&(step_subject){nothing, listen_here, start_client, accept_one, check_server});
}

static void listen_and_close(void)
{
    listen_here();
    ipc_listener_close(mine.listener);
}

static void check_listened(bool finished)
{
    (void)finished;
    serve();
    expect_two_places();
}

TEST(a_name_goes_on_whenever_who_listens_there_dies)
{
    step_through(&(step_subject){nothing, nothing, NULL, listen_and_close, check_listened});
}
