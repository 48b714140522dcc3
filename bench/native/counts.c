/*
 * counts.c - the hot paths of the C library, each so many times, for a counter of instructions. A count does not wobble as a time does: counts.cmake runs this under
 * callgrind and compares what an operation takes with counts.txt.
 *
 * Each operation goes round once in this one thread: what is sent is received and released, so that the next one finds everything as the last one did. The processors'
 * part (cache misses, two of them at one line) is not in it: that is what the measured rows are for.
 *
 * usage: bench_counts TIMES     prints the operations in their order, one a line; `counted` is entered once for each
 */
#include <ipc.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SMALL = 64, BLOCK = 1024, LARGE = 16384, WARM_UP = 3000 }; /* BLOCK: a queue's and a topic's by default; what is longer is a loan */

typedef struct ends {
    ipc_ring_writer *ring_writer;
    ipc_ring_reader *ring_reader;
    ipc_queue *queue;
    ipc_topic_writer *topic_writer;
    ipc_topic_reader *topic_reader;
    ipc_listener *listener;
    ipc_connection *server, *client;
    ipc_shared_mutex *mutex;
} ends;

static char name[64];
static char bytes[BLOCK + 1];

static void check(ipc_status status, const char *what)
{
    if (status != IPC_OK) {
        fprintf(stderr, "counts.c: %s: %s: %s\n", what, ipc_status_name(status), ipc_last_error());
        exit(1);
    }
}

#define CHECK(call) check(call, #call)

/* ---- ring -------------------------------------------------------------------------------------------- */

static void open_ring(ends *all)
{
    CHECK(ipc_ring_writer_open(name, NULL, &all->ring_writer));
    CHECK(ipc_ring_reader_open(name, NULL, &all->ring_reader));
}

static void close_ring(ends *all)
{
    ipc_ring_writer_close(all->ring_writer);
    ipc_ring_reader_close(all->ring_reader);
}

static void put(ipc_ring_writer *writer, bool batched)
{
    void *payload;
    CHECK(ipc_ring_claim(writer, SMALL, IPC_NOW, NULL, &payload));
    memcpy(payload, bytes, SMALL);
    if (batched)
        CHECK(ipc_ring_commit_batched(writer, SMALL, 1));
    else
        CHECK(ipc_ring_commit(writer, SMALL, 1));
}

static void take(ipc_ring_reader *reader)
{
    ipc_record record;
    CHECK(ipc_ring_try_read(reader, &record));
    ipc_ring_release(reader);
}

static void ring_record(ends *all)
{
    put(all->ring_writer, false);
    take(all->ring_reader);
}

static void ring_batch(ends *all)
{
    for (int i = 0; i < 16; i++)
        put(all->ring_writer, true);
    ipc_ring_flush(all->ring_writer);
    for (int i = 0; i < 16; i++)
        take(all->ring_reader);
}

/* ---- queue and topic --------------------------------------------------------------------------------- */

static void open_queue(ends *all)
{
    CHECK(ipc_queue_open(name, NULL, &all->queue));
}

static void close_queue(ends *all)
{
    ipc_queue_close(all->queue);
}

static void send_and_receive(ends *all, uint32_t length)
{
    ipc_block block;
    CHECK(ipc_queue_send(all->queue, bytes, length, 1, IPC_NOW, NULL));
    CHECK(ipc_queue_try_receive(all->queue, &block));
    ipc_queue_release(all->queue, &block);
}

static void queue_message(ends *all)
{
    send_and_receive(all, SMALL);
}

static void queue_block(ends *all)
{
    send_and_receive(all, BLOCK);
}

static void queue_block_and_a_byte(ends *all)
{
    send_and_receive(all, BLOCK + 1);
}

static void queue_loan(ends *all)
{
    ipc_block block;
    CHECK(ipc_queue_try_claim(all->queue, LARGE, &block));
    CHECK(ipc_queue_commit(all->queue, &block, LARGE, 1));
    CHECK(ipc_queue_try_receive(all->queue, &block));
    ipc_queue_release(all->queue, &block);
}

static void open_topic(ends *all)
{
    CHECK(ipc_topic_reader_open(name, NULL, &all->topic_reader));
    CHECK(ipc_topic_writer_open(name, NULL, &all->topic_writer));
}

static void close_topic(ends *all)
{
    ipc_topic_writer_close(all->topic_writer);
    ipc_topic_reader_close(all->topic_reader);
}

static void publish_and_read(ends *all, uint32_t length)
{
    ipc_message message;
    CHECK(ipc_topic_publish(all->topic_writer, bytes, length, 1, 0, IPC_NOW, NULL));
    CHECK(ipc_topic_try_read(all->topic_reader, &message));
    CHECK(ipc_topic_release(all->topic_reader));
}

static void topic_message(ends *all)
{
    publish_and_read(all, SMALL);
}

static void topic_block(ends *all)
{
    publish_and_read(all, BLOCK);
}

static void topic_block_and_a_byte(ends *all)
{
    publish_and_read(all, BLOCK + 1);
}

/* ---- connections ------------------------------------------------------------------------------------- */

static void open_connection(ends *all)
{
    ipc_connecting *connecting;
    ipc_event event;
    CHECK(ipc_listener_open(name, NULL, &all->listener));
    CHECK(ipc_connect_begin(name, NULL, &connecting));
    ipc_status status = ipc_connect_try(connecting, &all->client);
    if (status != IPC_EMPTY)
        check(status, "ipc_connect_try");
    CHECK(ipc_listener_next(all->listener, IPC_NOW, NULL, &event));
    all->server = event.connection;
    CHECK(ipc_connection_accept(all->server));
    if (status == IPC_EMPTY)
        CHECK(ipc_connect_try(connecting, &all->client));
    ipc_connect_end(connecting);
}

static void close_connection(ends *all)
{
    ipc_connection_close(all->client);
    ipc_connection_close(all->server);
    ipc_listener_close(all->listener);
}

static void connection_echo(ends *all)
{
    put(ipc_connection_writer(all->client), false);
    take(ipc_connection_reader(all->server));
    put(ipc_connection_writer(all->server), false);
    take(ipc_connection_reader(all->client));
}

static void open_served(ends *all)
{
    open_connection(all);
    ipc_listener_return(all->listener, all->server);
}

static void listener_echo(ends *all)
{
    ipc_event event;
    put(ipc_connection_writer(all->client), false);
    CHECK(ipc_listener_next(all->listener, IPC_NOW, NULL, &event));
    take(ipc_connection_reader(event.connection));
    put(ipc_connection_writer(event.connection), false);
    ipc_listener_return(all->listener, event.connection);
    take(ipc_connection_reader(all->client));
}

/* ---- locks ------------------------------------------------------------------------------------------- */

static void open_mutex(ends *all)
{
    CHECK(ipc_shared_mutex_open(name, NULL, &all->mutex));
}

static void close_mutex(ends *all)
{
    ipc_shared_mutex_close(all->mutex);
}

static void mutex_section(ends *all)
{
    CHECK(ipc_shared_mutex_acquire(all->mutex, IPC_NOW, NULL));
    CHECK(ipc_shared_mutex_release(all->mutex));
}

/* ---- all of them ------------------------------------------------------------------------------------- */

static const struct operation {
    const char *name;
    void (*open)(ends *);
    void (*run)(ends *);
    void (*close)(ends *);
} operations[] = {
    {"ring.record.64", open_ring, ring_record, close_ring},
    {"ring.batch.16x64", open_ring, ring_batch, close_ring},
    {"queue.message.64", open_queue, queue_message, close_queue},
    {"queue.block", open_queue, queue_block, close_queue},
    {"queue.block+1", open_queue, queue_block_and_a_byte, close_queue},
    {"queue.loan.16k", open_queue, queue_loan, close_queue},
    {"topic.message.64", open_topic, topic_message, close_topic},
    {"topic.block", open_topic, topic_block, close_topic},
    {"topic.block+1", open_topic, topic_block_and_a_byte, close_topic},
    {"connection.echo.64", open_connection, connection_echo, close_connection},
    {"listener.echo.64", open_served, listener_echo, close_connection},
    {"mutex.section", open_mutex, mutex_section, close_mutex},
};

/* What callgrind counts, and no other: see counts.cmake. */
__attribute__((noinline, noclone)) void counted(void (*run)(ends *), ends *all, long times);

void counted(void (*run)(ends *), ends *all, long times)
{
    for (long i = 0; i < times; i++)
        run(all);
}

int main(int argc, char **argv)
{
    const long times = argc == 2 ? strtol(argv[1], NULL, 10) : 0;
    if (times <= 0) {
        fprintf(stderr, "usage: %s TIMES\n", argv[0]);
        return 2;
    }

    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
        ends all = {0};
        snprintf(name, sizeof name, "counts-%ld-%zu", (long)getpid(), i);
        operations[i].open(&all);
        for (int warm_up = 0; warm_up < WARM_UP; warm_up++)
            operations[i].run(&all);
        counted(operations[i].run, &all, times);
        operations[i].close(&all);
        puts(operations[i].name);
    }

    return 0;
}
