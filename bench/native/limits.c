/*
 * limits.c - what the machine can do: the denominators of every ratio. No library, as little code as the task allows.
 *
 *   limit.pingpong64   ns      a line with 56 bytes and a sequence number there, the same back; both copy it; bare spin
 *   limit.pingpong64.2lines  ns      the same with two lines each way, written and read in order: a ring's echo, a call
 *   limit.futex        us      two processes that wake each other in turn
 *   limit.spsc64       M/s     messages of 64 B one way through a ring of 1 MB with a shared head and tail
 *   limit.memcpy.1m    us      memcpy of 1 MB between private buffers, one core
 *   limit.response.1m  us      1 MB on demand: one process copies it into shared memory, the other out of it
 *   limit.stream.64k   GB/s    64 KB copied into one of 16 shared slots, read in place (one word per line)
 *   limit.stream.1m    GB/s    the same with 1 MB
 *   limit.stream.100m  GB/s    the same with 100 MB and 2 slots
 *   limit.slotqueue.*  ns      the bare slot queue, threads (slotqueue.c)
 */
#define _GNU_SOURCE
#include "harness.h"
#include "slotqueue.h"

#include <errno.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The compiler must believe that somebody looks at the bytes behind P. */
#define LOOK_AT(p) __asm__ volatile("" : : "r"(p) : "memory")

static double per_operation(uint64_t began, uint64_t count)
{
    return (double)(bench_now() - began) / (double)count;
}

static void *aligned(size_t bytes)
{
    void *memory = aligned_alloc(4096, bytes);
    if (memory == NULL)
        bench_fail("aligned_alloc", "no memory");
    memset(memory, 3, bytes);
    return memory;
}

/* ---- limit.pingpong64 ---- */

typedef struct message {
    _Alignas(128) unsigned char payload[56];
    _Atomic uint64_t sequence; /* the same line: whoever sees it has the payload */
} message;

typedef struct pingpong {
    message to, back;
} pingpong;

static inline void send_message(message *m, const unsigned char *payload, uint64_t sequence)
{
    memcpy(m->payload, payload, sizeof m->payload);
    atomic_store_explicit(&m->sequence, sequence, memory_order_release);
}

static inline void receive_message(message *m, unsigned char *payload, uint64_t sequence)
{
    while (atomic_load_explicit(&m->sequence, memory_order_acquire) != sequence) {
    }
    memcpy(payload, m->payload, sizeof m->payload);
    LOOK_AT(payload);
}

static double pingpong_measure(void *shared, uint64_t count)
{
    pingpong *p = shared;
    unsigned char payload[56] = {7};
    uint64_t sequence = atomic_load_explicit(&p->back.sequence, memory_order_relaxed);
    uint64_t began = 0;
    for (uint64_t i = 0; i <= count; i++) { /* the first finds the answerer asleep: not counted */
        if (i == 1)
            began = bench_now();
        send_message(&p->to, payload, ++sequence);
        receive_message(&p->back, payload, sequence);
        bench_done();
    }
    return per_operation(began, count);
}

static void pingpong_answer(void *shared, uint64_t count)
{
    pingpong *p = shared;
    unsigned char payload[56];
    uint64_t sequence = atomic_load_explicit(&p->back.sequence, memory_order_relaxed);
    for (uint64_t i = 0; i <= count; i++) {
        receive_message(&p->to, payload, ++sequence);
        send_message(&p->back, payload, sequence);
    }
}

/* ---- limit.pingpong64.2lines ---- */

typedef struct two_lines {
    message to[2], back[2]; /* a ring's record and the line behind it, or its head */
} two_lines;

static double two_lines_measure(void *shared, uint64_t count)
{
    two_lines *p = shared;
    unsigned char payload[56] = {7};
    uint64_t sequence = atomic_load_explicit(&p->back[1].sequence, memory_order_relaxed);
    uint64_t began = 0;
    for (uint64_t i = 0; i <= count; i++) {
        if (i == 1)
            began = bench_now();
        sequence++;
        send_message(&p->to[0], payload, sequence);
        send_message(&p->to[1], payload, sequence);
        receive_message(&p->back[0], payload, sequence);
        receive_message(&p->back[1], payload, sequence);
        bench_done();
    }
    return per_operation(began, count);
}

static void two_lines_answer(void *shared, uint64_t count)
{
    two_lines *p = shared;
    unsigned char payload[56];
    uint64_t sequence = atomic_load_explicit(&p->back[1].sequence, memory_order_relaxed);
    for (uint64_t i = 0; i <= count; i++) {
        sequence++;
        receive_message(&p->to[0], payload, sequence);
        receive_message(&p->to[1], payload, sequence);
        send_message(&p->back[0], payload, sequence);
        send_message(&p->back[1], payload, sequence);
    }
}

/* ---- limit.futex ---- */

typedef struct futex_pair {
    _Alignas(128) _Atomic uint32_t to;
    _Alignas(128) _Atomic uint32_t back;
} futex_pair;

static void futex_send(_Atomic uint32_t *word, uint32_t value)
{
    atomic_store_explicit(word, value, memory_order_release);
    syscall(SYS_futex, word, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static void futex_receive(_Atomic uint32_t *word, uint32_t value)
{
    while (atomic_load_explicit(word, memory_order_acquire) != value)
        syscall(SYS_futex, word, FUTEX_WAIT, value - 1, NULL, NULL, 0);
}

static double futex_measure(void *shared, uint64_t count)
{
    futex_pair *p = shared;
    uint32_t value = atomic_load_explicit(&p->back, memory_order_relaxed);
    uint64_t began = 0;
    for (uint64_t i = 0; i <= count; i++) {
        if (i == 1)
            began = bench_now();
        futex_send(&p->to, ++value);
        futex_receive(&p->back, value);
        bench_done();
    }
    return per_operation(began, count) / 1000.0;
}

static void futex_answer(void *shared, uint64_t count)
{
    futex_pair *p = shared;
    uint32_t value = atomic_load_explicit(&p->back, memory_order_relaxed);
    for (uint64_t i = 0; i <= count; i++) {
        futex_receive(&p->to, ++value);
        futex_send(&p->back, value);
    }
}

/* ---- limit.spsc64 ---- */

enum { SLOTS = (1 << 20) / 64, WORDS = 8 };

typedef struct bare_ring {
    _Alignas(128) _Atomic uint64_t head;
    _Alignas(128) _Atomic uint64_t tail;
    _Alignas(128) uint64_t slots[SLOTS][WORDS];
} bare_ring;

static double spsc_measure(void *shared, uint64_t count)
{
    bare_ring *ring = shared;
    uint64_t tail = atomic_load_explicit(&ring->tail, memory_order_relaxed), head_seen = tail, end = tail + count;
    uint64_t began = bench_now();
    while (tail != end) {
        if (tail - head_seen == SLOTS)
            while (tail - (head_seen = atomic_load_explicit(&ring->head, memory_order_acquire)) == SLOTS) {
            }
        for (unsigned i = 0; i < WORDS; i++)
            ring->slots[tail % SLOTS][i] = tail + i;
        atomic_store_explicit(&ring->tail, ++tail, memory_order_release);
    }
    while (atomic_load_explicit(&ring->head, memory_order_acquire) != end) {
    }
    return 1000.0 / per_operation(began, count);
}

static void spsc_answer(void *shared, uint64_t count)
{
    bare_ring *ring = shared;
    uint64_t head = atomic_load_explicit(&ring->head, memory_order_relaxed), tail_seen = head, end = head + count;
    uint64_t sum = 0, expected = 0;
    for (uint64_t first = head; first != end; first++)
        expected += WORDS * first + WORDS * (WORDS - 1) / 2;
    while (head != end) {
        if (head == tail_seen)
            while ((tail_seen = atomic_load_explicit(&ring->tail, memory_order_acquire)) == head) {
            }
        for (unsigned i = 0; i < WORDS; i++)
            sum += ring->slots[head % SLOTS][i];
        head++;
        if (head == end && sum != expected)
            bench_fail("limit.spsc64", "wrong content");
        atomic_store_explicit(&ring->head, head, memory_order_release);
    }
}

/* ---- limit.memcpy.1m ---- */

enum { MEGABYTE = 1 << 20 };

typedef struct copy_state {
    void *from, *to;
} copy_state;

static void *copy_open(void *shared, int side)
{
    (void)shared;
    (void)side;
    static copy_state state;
    state.from = aligned(MEGABYTE);
    state.to = aligned(MEGABYTE);
    return &state;
}

static double copy_measure(void *opened, uint64_t count)
{
    copy_state *state = opened;
    uint64_t began = bench_now();
    for (uint64_t i = 0; i < count; i++) {
        memcpy(state->to, state->from, MEGABYTE);
        LOOK_AT(state->to);
    }
    return per_operation(began, count) / 1000.0;
}

/* ---- limit.response.1m ---- */

typedef struct response {
    _Alignas(128) _Atomic uint64_t asked;
    _Alignas(128) _Atomic uint64_t given;
    _Alignas(4096) unsigned char bytes[MEGABYTE];
} response;

/* A private buffer of this process; the pages of both sides are there before the first round. */
static void *private_megabyte(void)
{
    static void *buffer;
    if (buffer == NULL)
        buffer = aligned(MEGABYTE);
    return buffer;
}

static double response_measure(void *shared, uint64_t count)
{
    response *r = shared;
    void *to = private_megabyte();
    uint64_t number = atomic_load_explicit(&r->given, memory_order_relaxed);
    uint64_t began = 0;
    for (uint64_t i = 0; i <= count; i++) {
        if (i == 1)
            began = bench_now();
        atomic_store_explicit(&r->asked, ++number, memory_order_release);
        while (atomic_load_explicit(&r->given, memory_order_acquire) != number) {
        }
        memcpy(to, r->bytes, MEGABYTE);
        LOOK_AT(to);
        bench_done();
    }
    return per_operation(began, count) / 1000.0;
}

static void response_answer(void *shared, uint64_t count)
{
    response *r = shared;
    const void *from = private_megabyte();
    uint64_t number = atomic_load_explicit(&r->given, memory_order_relaxed);
    for (uint64_t i = 0; i <= count; i++) {
        while (atomic_load_explicit(&r->asked, memory_order_acquire) == number) {
        }
        memcpy(r->bytes, from, MEGABYTE);
        atomic_store_explicit(&r->given, ++number, memory_order_release);
    }
}

/* ---- limit.stream.* ---- */

typedef struct stream {
    _Alignas(128) _Atomic uint64_t head;
    _Alignas(128) _Atomic uint64_t tail;
    _Alignas(4096) unsigned char blocks[];
} stream;

static double stream_measure(stream *s, uint64_t count, size_t block, size_t blocks)
{
    static void *source;
    if (source == NULL)
        source = aligned(block);
    uint64_t tail = atomic_load_explicit(&s->tail, memory_order_relaxed), end = tail + count;
    uint64_t began = bench_now();
    while (tail != end) {
        while (tail - atomic_load_explicit(&s->head, memory_order_acquire) == blocks) {
        }
        memcpy(s->blocks + tail % blocks * block, source, block);
        atomic_store_explicit(&s->tail, ++tail, memory_order_release);
    }
    while (atomic_load_explicit(&s->head, memory_order_acquire) != end) {
    }
    return (double)block / per_operation(began, count);
}

static void stream_answer(stream *s, uint64_t count, size_t block, size_t blocks)
{
    uint64_t head = atomic_load_explicit(&s->head, memory_order_relaxed), end = head + count, sum = 0;
    while (head != end) {
        while (atomic_load_explicit(&s->tail, memory_order_acquire) == head) {
        }
        const unsigned char *bytes = s->blocks + head % blocks * block;
        for (size_t i = 0; i < block; i += 64)
            sum += *(const uint64_t *)(const void *)(bytes + i);
        LOOK_AT(&sum);
        atomic_store_explicit(&s->head, ++head, memory_order_release);
    }
}

enum { BLOCK_64K = 65536, BLOCK_1M = MEGABYTE, BLOCK_100M = 100 * MEGABYTE, MANY_BLOCKS = 16, TWO_BLOCKS = 2 };

static double stream_64k_measure(void *shared, uint64_t count)
{
    return stream_measure(shared, count, BLOCK_64K, MANY_BLOCKS);
}

static void stream_64k_answer(void *shared, uint64_t count)
{
    stream_answer(shared, count, BLOCK_64K, MANY_BLOCKS);
}

static double stream_1m_measure(void *shared, uint64_t count)
{
    return stream_measure(shared, count, BLOCK_1M, MANY_BLOCKS);
}

static void stream_1m_answer(void *shared, uint64_t count)
{
    stream_answer(shared, count, BLOCK_1M, MANY_BLOCKS);
}

static double stream_100m_measure(void *shared, uint64_t count)
{
    return stream_measure(shared, count, BLOCK_100M, TWO_BLOCKS);
}

static void stream_100m_answer(void *shared, uint64_t count)
{
    stream_answer(shared, count, BLOCK_100M, TWO_BLOCKS);
}

static const bench_figure figures[] = {
    {.name = "limit.pingpong64",
     .count = 300000,
     .shared_bytes = sizeof(pingpong),
     .measure = pingpong_measure,
     .answer = pingpong_answer},
    {.name = "limit.pingpong64.2lines",
     .count = 300000,
     .shared_bytes = sizeof(two_lines),
     .measure = two_lines_measure,
     .answer = two_lines_answer},
    {.name = "limit.futex",
     .count = 1500,
     .shared_bytes = sizeof(futex_pair),
     .measure = futex_measure,
     .answer = futex_answer},
    {.name = "limit.spsc64",
     .count = 4000000,
     .shared_bytes = sizeof(bare_ring),
     .measure = spsc_measure,
     .answer = spsc_answer},
    {.name = "limit.memcpy.1m", .count = 1500, .open = copy_open, .measure = copy_measure},
    {.name = "limit.response.1m",
     .count = 300,
     .shared_bytes = sizeof(response),
     .measure = response_measure,
     .answer = response_answer},
    {.name = "limit.stream.64k",
     .count = 10000,
     .shared_bytes = sizeof(stream) + (size_t)BLOCK_64K * MANY_BLOCKS,
     .measure = stream_64k_measure,
     .answer = stream_64k_answer},
    {.name = "limit.stream.1m",
     .count = 800,
     .shared_bytes = sizeof(stream) + (size_t)BLOCK_1M * MANY_BLOCKS,
     .measure = stream_1m_measure,
     .answer = stream_1m_answer},
    {.name = "limit.stream.100m",
     .count = 8,
     .shared_bytes = sizeof(stream) + (size_t)BLOCK_100M * TWO_BLOCKS,
     .measure = stream_100m_measure,
     .answer = stream_100m_answer},
    {.name = "limit.slotqueue.1-1", .count = 1000000, .open = slotqueue_open, .measure = slotqueue_1_1},
    {.name = "limit.slotqueue.4-4", .count = 1000000, .open = slotqueue_open, .measure = slotqueue_4_4},
};

int main(int argc, char **argv)
{
    return bench_main(argc, argv, figures, sizeof figures / sizeof figures[0]);
}
