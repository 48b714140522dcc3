/*
 * slotqueue.c - see slotqueue.h. A slot's word is {lap, phase}; head and tail are hints that anyone helps forward. Who finds
 * nothing to do looks again 200 times and then lets others have the core.
 */
#define _GNU_SOURCE
#include "slotqueue.h"

#include "harness.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { SLOTS = 256, PATIENCE = 200, MAX_THREADS = 16, PORTION = 64 };
enum { FREE = 0, WRITING = 1, READY = 2, READING = 3 };

typedef struct slot {
    _Alignas(128) _Atomic uint64_t state;
    uint64_t value;
} slot;

typedef struct slotqueue {
    _Alignas(128) _Atomic uint64_t tail;
    _Alignas(128) _Atomic uint64_t head;
    _Alignas(128) _Atomic uint64_t received;
    _Atomic uint64_t sum;
    slot slots[SLOTS];
} slotqueue;

typedef struct task {
    slotqueue *queue;
    uint64_t count;         /* of this sender; of all, for a receiver */
    const cpu_set_t *cores; /* where its threads may run: the process is kept on one core */
} task;

static cpu_set_t all_cores;

static uint64_t word(uint64_t position, uint64_t phase)
{
    return position / SLOTS << 8 | phase;
}

static bool swap(_Atomic uint64_t *place, uint64_t from, uint64_t to)
{
    return atomic_compare_exchange_strong_explicit(place, &from, to, memory_order_acq_rel, memory_order_relaxed);
}

static uint64_t look(const _Atomic uint64_t *place)
{
    return atomic_load_explicit(place, memory_order_acquire);
}

static void wait_a_little(int *turns)
{
    if (++*turns < PATIENCE) {
        __builtin_ia32_pause();
        return;
    }
    sched_yield();
    *turns = 0;
}

/* NULL: full (empty). *POSITION is the slot's, for the state that follows. */
static slot *claim(slotqueue *q, uint64_t *position)
{
    for (;;) {
        const uint64_t at = look(&q->tail);
        slot *s = &q->slots[at % SLOTS];
        const uint64_t state = look(&s->state);
        if (state == word(at, FREE) && swap(&s->state, state, word(at, WRITING))) {
            swap(&q->tail, at, at + 1);
            *position = at;
            return s;
        }
        if (state >> 8 >= at / SLOTS)
            swap(&q->tail, at, at + 1);
        else if (look(&q->tail) == at)
            return NULL;
    }
}

static slot *take(slotqueue *q, uint64_t *position)
{
    for (;;) {
        const uint64_t at = look(&q->head);
        slot *s = &q->slots[at % SLOTS];
        const uint64_t state = look(&s->state);
        if (state == word(at, READY) && swap(&s->state, state, word(at, READING))) {
            swap(&q->head, at, at + 1);
            *position = at;
            return s;
        }
        if (state >> 8 > at / SLOTS || state == word(at, READING))
            swap(&q->head, at, at + 1);
        else if (look(&q->head) == at && state != word(at, READY))
            return NULL;
    }
}

static void *produce(void *given)
{
    const task *t = given;
    int turns = 0;
    pthread_setaffinity_np(pthread_self(), sizeof *t->cores, t->cores);
    for (uint64_t i = 1; i <= t->count; i++) {
        uint64_t position;
        slot *s;
        while ((s = claim(t->queue, &position)) == NULL)
            wait_a_little(&turns);
        s->value = i;
        atomic_store_explicit(&s->state, word(position, READY), memory_order_release);
    }
    return NULL;
}

static void *consume(void *given)
{
    const task *t = given;
    uint64_t sum = 0, portion = 0;
    int turns = 0;
    pthread_setaffinity_np(pthread_self(), sizeof *t->cores, t->cores);
    while (look(&t->queue->received) < t->count) {
        uint64_t position;
        slot *s = take(t->queue, &position);
        if (s != NULL) {
            sum += s->value;
            atomic_store_explicit(&s->state, word(position + SLOTS, FREE), memory_order_release);
        }
        if (s == NULL || ++portion == PORTION) {
            atomic_fetch_add(&t->queue->received, portion);
            portion = 0;
        }
        if (s == NULL)
            wait_a_little(&turns);
    }
    atomic_fetch_add(&t->queue->sum, sum);
    return NULL;
}

/* One core for the sender, another for the receiver. */
static void split_cores(cpu_set_t *first, cpu_set_t *second)
{
    CPU_ZERO(first);
    CPU_ZERO(second);
    for (size_t core = 0; core < CPU_SETSIZE; core++) {
        if (!CPU_ISSET(core, &all_cores))
            continue;
        if (CPU_COUNT(first) == 0)
            CPU_SET(core, first);
        else if (CPU_COUNT(second) == 0)
            CPU_SET(core, second);
    }
    if (CPU_COUNT(second) == 0)
        *second = *first;
}

static double run(slotqueue *q, uint64_t count, uint64_t senders, uint64_t receivers)
{
    pthread_t threads[MAX_THREADS];
    cpu_set_t first, second;
    const bool pair = senders == 1 && receivers == 1;
    split_cores(&first, &second);
    task sending = {q, count / senders, pair ? &first : &all_cores};
    task receiving = {q, count / senders * senders, pair ? &second : &all_cores};
    memset(q, 0, sizeof *q);
    const uint64_t began = bench_now();
    for (uint64_t i = 0; i < senders + receivers; i++)
        if (pthread_create(&threads[i], NULL, i < senders ? produce : consume, i < senders ? &sending : &receiving) != 0)
            bench_fail("pthread_create", "failed");
    for (uint64_t i = 0; i < senders + receivers; i++)
        pthread_join(threads[i], NULL);
    const double took = (double)(bench_now() - began);
    if (q->sum != senders * (sending.count * (sending.count + 1) / 2))
        bench_fail("slotqueue", "the values do not add up");
    return took / (double)receiving.count;
}

void *slotqueue_open(void *shared, int side)
{
    (void)shared;
    (void)side;
    if (sched_getaffinity(0, sizeof all_cores, &all_cores) != 0) /* before this process is pinned */
        bench_fail("sched_getaffinity", "failed");
    void *memory = aligned_alloc(128, sizeof(slotqueue));
    if (memory == NULL)
        bench_fail("aligned_alloc", "no memory");
    return memory;
}

double slotqueue_1_1(void *state, uint64_t count)
{
    return run(state, count, 1, 1);
}

double slotqueue_4_4(void *state, uint64_t count)
{
    return run(state, count, 4, 4);
}
