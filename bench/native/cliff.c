/*
 * cliff.c - what one byte more costs. Twin of bench/Ipc.Matrix/Subjects/Cliff.cs, where the rules stand.
 *
 *   cliff.queue.c  cliff.ring.c  cliff.topic.c      the largest ratio of two lengths one byte apart, 1 B to 1 MB
 *   size.KIND.LENGTH.c  size.KIND.LENGTH.cold.c     ns for one message of that length; KIND may also be uds, a Unix
 *                                                   socket whose two ends this thread has
 */
#include "harness.h"

#include "ipc.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define TURNS          15
#define SLOTS          64u
#define LONGEST        (1u << 20)
#define BYTES_PER_TURN (1u << 20)
#define COLD_PASSES    31
#define CACHES         (64u << 20) /* more than they hold */

typedef struct ends {
    ipc_queue *queue;
    ipc_ring_writer *ring_writer;
    ipc_ring_reader *ring_reader;
    ipc_topic_writer *topic_writer;
    ipc_topic_reader *topic_reader;
    int sockets[2];
    char *bytes;
} ends;

static void check(ipc_status status)
{
    if (status != IPC_OK)
        bench_fail("cliff.c", ipc_last_error());
}

static ends *new_ends(void)
{
    ends *made = calloc(1, sizeof *made);
    if (made != NULL)
        made->bytes = calloc(1, LONGEST + 1);
    if (made == NULL || made->bytes == NULL)
        bench_fail("cliff.c", "no memory");
    return made;
}

static void *open_queue(void *shared, int side)
{
    (void)shared;
    (void)side;
    ends *made = new_ends();
    check(ipc_queue_open(bench_name(), NULL, &made->queue));
    return made;
}

static void *open_ring(void *shared, int side)
{
    (void)shared;
    (void)side;
    ends *made = new_ends();
    check(ipc_ring_writer_open(bench_name(), NULL, &made->ring_writer));
    check(ipc_ring_reader_open(bench_name(), NULL, &made->ring_reader));
    return made;
}

static void *open_topic(void *shared, int side)
{
    (void)shared;
    (void)side;
    ends *made = new_ends();
    const ipc_topic_options options = {.block_count = SLOTS};
    check(ipc_topic_reader_open(bench_name(), &options, &made->topic_reader));
    check(ipc_topic_writer_open(bench_name(), &options, &made->topic_writer));
    return made;
}

static void pass_queue(ends *all, uint32_t length)
{
    ipc_block block;
    check(ipc_queue_send(all->queue, all->bytes, length, 0, IPC_NOW, NULL));
    check(ipc_queue_try_receive(all->queue, &block));
    ipc_queue_release(all->queue, &block);
}

static void pass_ring(ends *all, uint32_t length)
{
    ipc_record record;
    ipc_status status = ipc_ring_write(all->ring_writer, all->bytes, length, 0, IPC_NOW, NULL);
    if (status != IPC_OK) { /* a look at the empty ring gives its space back */
        status = ipc_ring_try_read(all->ring_reader, &record); /* which is IPC_EMPTY, and does not matter */
        status = ipc_ring_write(all->ring_writer, all->bytes, length, 0, IPC_NOW, NULL);
    }
    check(status);
    check(ipc_ring_try_read(all->ring_reader, &record));
    ipc_ring_release(all->ring_reader);
}

static void pass_topic(ends *all, uint32_t length)
{
    ipc_message message;
    check(ipc_topic_publish(all->topic_writer, all->bytes, length, 0, 0, IPC_NOW, NULL));
    check(ipc_topic_read(all->topic_reader, IPC_NOW, NULL, &message));
    check(ipc_topic_release(all->topic_reader));
}

static double time_of(ends *all, void (*pass)(ends *, uint32_t), uint32_t length)
{
    uint32_t count = BYTES_PER_TURN / length;
    count = count < 20 ? 20 : count > 2000 ? 2000 : count;
    const uint64_t began = bench_now();
    for (uint32_t i = 0; i < count; i++)
        pass(all, length);
    return (double)(bench_now() - began) / count;
}

static double ratio_at(ends *all, void (*pass)(ends *, uint32_t), uint32_t length)
{
    for (uint32_t i = 0; i <= SLOTS; i++)
        pass(all, length + (i & 1));
    double shorter = 1e18;
    double longer = 1e18;
    for (int turn = 0; turn < TURNS; turn++) {
        const double one = time_of(all, pass, length);
        const double more = time_of(all, pass, length + 1);
        shorter = one < shorter ? one : shorter;
        longer = more < longer ? more : longer;
    }
    return longer / shorter;
}

static double worst(ends *all, void (*pass)(ends *, uint32_t))
{
    double result = 0;
    for (uint32_t power = 0; power < 20; power++) {
        for (uint32_t less = 0; less <= 9; less = less == 0 ? 8 : less + 1) {
            if ((1u << power) <= less)
                continue;
            const double ratio = ratio_at(all, pass, (1u << power) - less);
            result = ratio > result ? ratio : result;
        }
    }
    return result;
}

static double measure_queue(void *state, uint64_t count)
{
    (void)count;
    return worst(state, pass_queue);
}

static double measure_ring(void *state, uint64_t count)
{
    (void)count;
    return worst(state, pass_ring);
}

static double measure_topic(void *state, uint64_t count)
{
    (void)count;
    return worst(state, pass_topic);
}

/* ---- one length -------------------------------------------------------------------------------------- */

static uint32_t size_length;
static void (*size_pass)(ends *, uint32_t);

static void *open_uds(void *shared, int side)
{
    (void)shared;
    (void)side;
    ends *made = new_ends();
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, made->sockets) != 0)
        bench_fail("socketpair", strerror(errno));
    return made;
}

static void pass_uds(ends *all, uint32_t length)
{
    for (uint32_t sent = 0, got = 0; got < length;) {
        const ssize_t out = send(all->sockets[0], all->bytes + sent, length - sent, MSG_DONTWAIT | MSG_NOSIGNAL);
        sent += out > 0 ? (uint32_t)out : 0;
        const ssize_t in = recv(all->sockets[1], all->bytes + got, length - got, MSG_DONTWAIT);
        got += in > 0 ? (uint32_t)in : 0;
    }
}

static double measure_warm(void *state, uint64_t count)
{
    (void)count;
    for (uint32_t i = 0; i <= SLOTS; i++)
        size_pass(state, size_length);
    double least = 1e18;
    for (int turn = 0; turn < TURNS; turn++) {
        const double one = time_of(state, size_pass, size_length);
        least = one < least ? one : least;
    }
    return least;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double measure_cold(void *state, uint64_t count)
{
    static char *caches;
    double times[COLD_PASSES];
    (void)count;
    if (caches == NULL && (caches = malloc(CACHES)) == NULL)
        bench_fail("cliff.c", "no memory");
    for (uint32_t i = 0; i <= SLOTS; i++)
        size_pass(state, size_length);
    for (int i = 0; i < COLD_PASSES; i++) {
        memset(caches, i, CACHES);
        const uint64_t began = bench_now();
        size_pass(state, size_length);
        times[i] = (double)(bench_now() - began);
    }
    qsort(times, COLD_PASSES, sizeof times[0], compare);
    return times[COLD_PASSES / 2];
}

static bench_figure size_of(char *name)
{
    char kind[8] = "";
    char rest[8] = "";
    bench_figure figure = {name, 1, 0, NULL, measure_warm, NULL, NULL, 0};
    if (sscanf(name, "size.%7[a-z].%u.%7s", kind, &size_length, rest) != 3 || size_length == 0 || size_length > LONGEST + 1)
        bench_fail(name, "size.KIND.LENGTH.c or size.KIND.LENGTH.cold.c");
    if (strcmp(rest, "cold.c") == 0)
        figure.measure = measure_cold;
    if (strcmp(kind, "queue") == 0) {
        figure.open = open_queue;
        size_pass = pass_queue;
    } else if (strcmp(kind, "ring") == 0) {
        figure.open = open_ring;
        size_pass = pass_ring;
    } else if (strcmp(kind, "topic") == 0) {
        figure.open = open_topic;
        size_pass = pass_topic;
    } else {
        figure.open = open_uds;
        size_pass = pass_uds;
    }
    return figure;
}

static void close_ends(void *state, int side)
{
    (void)side;
    ends *opened = state;
    ipc_queue_close(opened->queue);
    ipc_ring_reader_close(opened->ring_reader);
    ipc_ring_writer_close(opened->ring_writer);
    ipc_topic_writer_close(opened->topic_writer);
    ipc_topic_reader_close(opened->topic_reader);
    if (opened->sockets[0] != 0) {
        (void)close(opened->sockets[0]);
        (void)close(opened->sockets[1]);
    }
    free(opened->bytes);
    free(opened);
}

int main(int argc, char **argv)
{
    const bench_figure figures[] = {
        {"cliff.queue.c", 1, 0, open_queue, measure_queue, NULL, close_ends, 0},
        {"cliff.ring.c", 1, 0, open_ring, measure_ring, NULL, close_ends, 0},
        {"cliff.topic.c", 1, 0, open_topic, measure_topic, NULL, close_ends, 0},
    };
    if (argc > 1 && strncmp(argv[1], "size.", 5) == 0) {
        bench_figure figure = size_of(argv[1]);
        figure.close = close_ends;
        return bench_main(argc, argv, &figure, 1);
    }
    return bench_main(argc, argv, figures, sizeof figures / sizeof figures[0]);
}
