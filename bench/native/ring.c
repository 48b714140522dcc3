/*
 * ring.c - the C library's ring between two processes.
 *
 *   ring.echo.64.spin.c    ns      64 B there and back, both ends spin
 *   ring.echo.64.block.c   us      the same, both ends sleep at once
 *   ring.oneway.64.c       M/s     64 B one way, each published by itself, released one by one
 *   ring.oneway.64k.c      GB/s    64 KB copied into the claim, read in place (one word per line)
 */
#include "harness.h"

#include <ipc.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOOK_AT(p) __asm__ volatile("" : : "r"(p) : "memory")

enum { SMALL = 64, BLOCK = 65536 };

typedef struct ends {
    ipc_ring_writer *writer;
    ipc_ring_reader *reader;
} ends;

static void check(ipc_status status, const char *what)
{
    if (status != IPC_OK) {
        fprintf(stderr, "%s: %s: %s\n", what, ipc_status_name(status), ipc_last_error());
        exit(1);
    }
}

static void *open_ends(int side, ipc_wait_mode mode)
{
    static ends pair;
    char names[2][48];
    snprintf(names[0], sizeof names[0], "%s-to", bench_name());
    snprintf(names[1], sizeof names[1], "%s-back", bench_name());
    ipc_ring_options options = {.wait_mode = mode};
    check(ipc_ring_writer_open(names[side], &options, &pair.writer), "ipc_ring_writer_open");
    check(ipc_ring_reader_open(names[1 - side], &options, &pair.reader), "ipc_ring_reader_open");
    check(ipc_ring_writer_wait_for_peer(pair.writer, ipc_deadline_after(10000000000u), NULL),
          "ipc_ring_writer_wait_for_peer");
    check(ipc_ring_reader_wait_for_peer(pair.reader, ipc_deadline_after(10000000000u), NULL),
          "ipc_ring_reader_wait_for_peer");
    return &pair;
}

static void *open_spinning(void *shared, int side)
{
    (void)shared;
    return open_ends(side, IPC_WAIT_SPIN);
}

static void *open_blocking(void *shared, int side)
{
    (void)shared;
    return open_ends(side, IPC_WAIT_BLOCK);
}

static void close_ends(void *opened, int side)
{
    (void)side;
    ends *pair = opened;
    ipc_ring_writer_close(pair->writer);
    ipc_ring_reader_close(pair->reader);
}

static inline void *claim(ends *pair, uint32_t length)
{
    void *payload;
    check(ipc_ring_claim(pair->writer, length, IPC_FOREVER, NULL, &payload), "ipc_ring_claim");
    return payload;
}

static inline ipc_record next_record(ends *pair)
{
    ipc_record record;
    check(ipc_ring_read(pair->reader, IPC_FOREVER, NULL, &record), "ipc_ring_read");
    return record;
}

static inline void send_small(ends *pair, const unsigned char *bytes)
{
    memcpy(claim(pair, SMALL), bytes, SMALL);
    check(ipc_ring_commit(pair->writer, SMALL, 1), "ipc_ring_commit");
}

static inline void receive_small(ends *pair, unsigned char *bytes)
{
    ipc_record record = next_record(pair);
    memcpy(bytes, record.payload, SMALL);
    LOOK_AT(bytes);
    ipc_ring_release(pair->reader);
}

/* ---- echo ---- */

static double echo_measure(void *opened, uint64_t count)
{
    ends *pair = opened;
    unsigned char bytes[SMALL] = {7};
    uint64_t began = 0;
    for (uint64_t i = 0; i <= count; i++) { /* the first finds the answerer asleep: not counted */
        if (i == 1)
            began = bench_now();
        send_small(pair, bytes);
        receive_small(pair, bytes);
        bench_done();
    }
    return (double)(bench_now() - began) / (double)count;
}

static double echo_measure_us(void *opened, uint64_t count)
{
    return echo_measure(opened, count) / 1000.0;
}

static void echo_answer(void *opened, uint64_t count)
{
    ends *pair = opened;
    unsigned char bytes[SMALL];
    for (uint64_t i = 0; i <= count; i++) {
        receive_small(pair, bytes);
        send_small(pair, bytes);
    }
}

/* ---- one way ---- */

static double oneway_measure(void *opened, uint64_t count)
{
    ends *pair = opened;
    unsigned char bytes[SMALL] = {0};
    uint64_t began = bench_now();
    for (uint64_t i = 0; i < count; i++) {
        uint64_t *words = claim(pair, SMALL);
        for (unsigned k = 0; k < SMALL / 8; k++)
            words[k] = i + k;
        check(ipc_ring_commit(pair->writer, SMALL, 1), "ipc_ring_commit");
    }
    receive_small(pair, bytes); /* all has been read */
    return 1000.0 * (double)count / (double)(bench_now() - began);
}

static void oneway_answer(void *opened, uint64_t count)
{
    ends *pair = opened;
    uint64_t sum = 0, expected = 0;
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t *words = next_record(pair).payload;
        for (unsigned k = 0; k < SMALL / 8; k++)
            sum += words[k];
        ipc_ring_release(pair->reader);
        expected += SMALL / 8 * i + SMALL / 8 * (SMALL / 8 - 1) / 2;
    }
    if (sum != expected)
        bench_fail("ring.oneway.64.c", "wrong content");
    const unsigned char done[SMALL] = {1};
    send_small(pair, done);
}

static double blocks_measure(void *opened, uint64_t count)
{
    static unsigned char source[BLOCK];
    ends *pair = opened;
    unsigned char bytes[SMALL];
    memset(source, 3, sizeof source);
    uint64_t began = bench_now();
    for (uint64_t i = 0; i < count; i++) {
        memcpy(claim(pair, BLOCK), source, BLOCK);
        check(ipc_ring_commit(pair->writer, BLOCK, 1), "ipc_ring_commit");
    }
    receive_small(pair, bytes);
    return (double)count * BLOCK / (double)(bench_now() - began);
}

static void blocks_answer(void *opened, uint64_t count)
{
    ends *pair = opened;
    uint64_t sum = 0;
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t *words = next_record(pair).payload;
        for (size_t k = 0; k < BLOCK / 8; k += 8)
            sum += words[k];
        LOOK_AT(&sum);
        ipc_ring_release(pair->reader);
    }
    const unsigned char done[SMALL] = {1};
    send_small(pair, done);
}

static const bench_figure figures[] = {
    {.name = "ring.echo.64.spin.c",
     .count = 250000,
     .open = open_spinning,
     .measure = echo_measure,
     .answer = echo_answer,
     .close = close_ends},
    {.name = "ring.echo.64.block.c",
     .count = 1500,
     .open = open_blocking,
     .measure = echo_measure_us,
     .answer = echo_answer,
     .close = close_ends},
    {.name = "ring.oneway.64.c",
     .count = 4000000,
     .open = open_spinning,
     .measure = oneway_measure,
     .answer = oneway_answer,
     .close = close_ends},
    {.name = "ring.oneway.64k.c",
     .count = 10000,
     .open = open_spinning,
     .measure = blocks_measure,
     .answer = blocks_answer,
     .close = close_ends},
};

int main(int argc, char **argv)
{
    return bench_main(argc, argv, figures, sizeof figures / sizeof figures[0]);
}
