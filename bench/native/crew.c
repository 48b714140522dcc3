/*
 * crew.c - queue, topic and ring between many processes: P that send, C that receive, each a process of its own.
 *
 * A figure's name says all: KIND.SIZE.P-C.c, e.g. queue.8.4-4.c or topic.100m.1-1.c; SIZE is bytes (k, m), or `random` for
 * 2 to 256. --block N fixes the size of the blocks (otherwise they fit the messages, up to 64 KB). Messages are filled in place from a private buffer and read in place (one word per line). Values: up to 4 KB
 * ns per delivery (a topic's message to 4 readers is 4 deliveries), beyond that GB/s delivered.
 *
 * The parent opens the structure too, tells the workers through pipes to begin, and takes the time until the last one is
 * done. A queue's receivers are told the end of a round by a message each, sent by the parent when all senders are done.
 * One to one, sender and receiver have a core each; more processes than cores are left to the scheduler.
 */
#define _GNU_SOURCE
#include "harness.h"

#include <ipc.h>

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define LOOK_AT(p) __asm__ volatile("" : : "r"(p) : "memory")

enum { MAX_WORKERS = 64, TYPE_DATA = 1, TYPE_END = 2, RANDOM_MIN = 2, RANDOM_MAX = 256 };

typedef enum kind { QUEUE, TOPIC, RING } kind;

typedef struct plan {
    kind kind;
    uint32_t block; /* 0: as large as the messages */
    bool random;
    uint32_t size;
    uint32_t senders, receivers;
    uint64_t count; /* messages in a round, all senders together */
    char name[64];
} plan;

typedef struct worker {
    pid_t pid;
    int go;   /* the parent writes the number of messages */
    int done; /* the worker writes one byte */
} worker;

static unsigned char *source;

static void check(ipc_status status, const char *what)
{
    if (status == IPC_OK)
        return;
    fprintf(stderr, "%s: %s: %s\n", what, ipc_status_name(status), ipc_last_error());
    exit(1);
}

/* ---- what the figure's name says ---- */

static bool parse_size(const char *text, plan *p)
{
    char *end = NULL;
    if (strncmp(text, "random.", 7) == 0) {
        p->random = true;
        p->size = RANDOM_MAX;
        return true;
    }
    unsigned long size = strtoul(text, &end, 10);
    if (*end == 'k')
        size <<= 10, end++;
    else if (*end == 'm')
        size <<= 20, end++;
    p->size = (uint32_t)size;
    return *end == '.' && size >= 1 && size <= (1ul << 30);
}

static bool parse(const char *figure, double scale, plan *p)
{
    memset(p, 0, sizeof *p);
    static const char *const kinds[] = {"queue.", "topic.", "ring."};
    const char *size = NULL;
    for (int i = QUEUE; i <= RING; i++) {
        if (strncmp(figure, kinds[i], strlen(kinds[i])) == 0) {
            p->kind = (kind)i;
            size = figure + strlen(kinds[i]);
        }
    }
    if (size == NULL || !parse_size(size, p))
        return false;
    const char *shape = strchr(size, '.');
    if (shape == NULL || sscanf(shape, ".%u-%u.c", &p->senders, &p->receivers) != 2)
        return false;
    if (p->kind == RING && p->senders + p->receivers != 2)
        return false;
    if (p->senders == 0 || p->receivers == 0 || p->senders + p->receivers > MAX_WORKERS)
        return false;

    /* about 100 ms: 80 ns a message, or 8 GB/s; a topic delivers each several times */
    double messages = p->size <= 4096 ? 1.2e6 : 0.8e9 / p->size;
    if (p->kind == TOPIC)
        messages /= p->receivers;
    p->count = (uint64_t)(messages * scale);
    if (p->count < p->senders * 2)
        p->count = p->senders * 2;
    p->count -= p->count % p->senders;
    snprintf(p->name, sizeof p->name, "crew-%d", (int)getpid());
    return true;
}

static uint32_t next_length(const plan *p, uint64_t *dice)
{
    if (!p->random)
        return p->size;
    *dice = *dice * 6364136223846793005u + 1442695040888963407u;
    return RANDOM_MIN + (uint32_t)(*dice >> 33) % (RANDOM_MAX - RANDOM_MIN + 1);
}

static uint32_t block_size(const plan *p)
{
    if (p->block != 0)
        return p->block;
    return p->size <= 65536 ? p->size : 256; /* beyond that: loans */
}

static uint64_t loan_budget(const plan *p)
{
    return p->size > block_size(p) ? 1ull << 30 : 0; /* 0: the library's default */
}

/* A queue has as many as the limit beside it (slotqueue.c), a topic the library's default (0). Loans of a topic live until
   their slots are used again: with half as many they stay in the cache, as a queue's do, which are given back at once. */
static uint32_t block_count(const plan *p)
{
    if (p->size > 4096)
        return p->kind == TOPIC && p->size > 65536 ? 8 : 16;
    return p->kind == TOPIC ? 0 : 256;
}

static void look(const void *payload, uint32_t length)
{
    const unsigned char *bytes = payload;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < length; i += 64)
        sum += bytes[i];
    LOOK_AT(sum);
}

/* ---- queue ---- */

static ipc_queue *open_queue(const plan *p)
{
    ipc_queue *queue = NULL;
    ipc_queue_options options = {.block_size = block_size(p),
                                 .block_count = block_count(p),
                                 .participants = MAX_WORKERS + 1,
                                 .loan_budget = loan_budget(p)};
    check(ipc_queue_open(p->name, &options, &queue), "ipc_queue_open");
    return queue;
}

static void queue_send_one(ipc_queue *queue, uint32_t length, uint16_t type)
{
    ipc_block block;
    check(ipc_queue_claim(queue, length, IPC_FOREVER, NULL, &block), "ipc_queue_claim");
    memcpy(block.payload, source, length);
    check(ipc_queue_commit(queue, &block, length, type), "ipc_queue_commit");
}

static void queue_send(const plan *p, void *opened, uint64_t count)
{
    uint64_t dice = (uint64_t)getpid();
    for (uint64_t i = 0; i < count; i++)
        queue_send_one(opened, next_length(p, &dice), TYPE_DATA);
}

static void queue_receive(const plan *p, void *opened, uint64_t count)
{
    (void)p;
    (void)count;
    for (;;) {
        ipc_block block;
        check(ipc_queue_receive(opened, IPC_FOREVER, NULL, &block), "ipc_queue_receive");
        const bool end = block.type == TYPE_END;
        look(block.payload, block.length);
        ipc_queue_release(opened, &block);
        if (end)
            return;
    }
}

/* ---- topic ---- */

static ipc_topic_options topic_options(const plan *p)
{
    return (ipc_topic_options){.block_size = block_size(p),
                               .block_count = block_count(p),
                               .max_readers = MAX_WORKERS + 1,
                               .max_writers = MAX_WORKERS + 1,
                               .loan_budget = loan_budget(p)};
}

static void topic_send(const plan *p, void *opened, uint64_t count)
{
    uint64_t dice = (uint64_t)getpid();
    for (uint64_t i = 0; i < count; i++) {
        ipc_block block;
        const uint32_t length = next_length(p, &dice);
        check(ipc_topic_claim(opened, length, IPC_FOREVER, NULL, &block), "ipc_topic_claim");
        memcpy(block.payload, source, length);
        check(ipc_topic_commit(opened, &block, length, TYPE_DATA, 0), "ipc_topic_commit");
    }
}

static void topic_receive(const plan *p, void *opened, uint64_t count)
{
    (void)p;
    for (uint64_t i = 0; i < count; i++) {
        ipc_message message;
        check(ipc_topic_read(opened, IPC_FOREVER, NULL, &message), "ipc_topic_read");
        look(message.payload, message.length);
        check(ipc_topic_release(opened), "ipc_topic_release");
    }
}

/* ---- ring ---- */

static void ring_send(const plan *p, void *opened, uint64_t count)
{
    uint64_t dice = (uint64_t)getpid();
    for (uint64_t i = 0; i < count; i++) {
        void *payload;
        const uint32_t length = next_length(p, &dice);
        check(ipc_ring_claim(opened, length, IPC_FOREVER, NULL, &payload), "ipc_ring_claim");
        memcpy(payload, source, length);
        check(ipc_ring_commit(opened, length, TYPE_DATA), "ipc_ring_commit");
    }
}

static void ring_receive(const plan *p, void *opened, uint64_t count)
{
    (void)p;
    for (uint64_t i = 0; i < count; i++) {
        ipc_record record;
        check(ipc_ring_read(opened, IPC_FOREVER, NULL, &record), "ipc_ring_read");
        look(record.payload, record.length);
        ipc_ring_release(opened);
    }
}

/* ---- the workers ---- */

static void pin(int core)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET((unsigned)core, &set);
    if (core >= 0 && sched_setaffinity(0, sizeof set, &set) != 0)
        bench_fail("sched_setaffinity", strerror(errno));
}

static void *open_end(const plan *p, bool sends)
{
    const ipc_topic_options options = topic_options(p);
    const ipc_ring_options ring = {.loan_budget = loan_budget(p)};
    ipc_topic_writer *topic_writer = NULL;
    ipc_topic_reader *topic_reader = NULL;
    ipc_ring_writer *ring_writer = NULL;
    ipc_ring_reader *ring_reader = NULL;
    switch (p->kind) {
    case TOPIC:
        check(sends ? ipc_topic_writer_open(p->name, &options, &topic_writer)
                    : ipc_topic_reader_open(p->name, &options, &topic_reader),
              "open");
        return sends ? (void *)topic_writer : (void *)topic_reader;
    case RING:
        check(sends ? ipc_ring_writer_open(p->name, &ring, &ring_writer)
                    : ipc_ring_reader_open(p->name, &ring, &ring_reader),
              "open");
        return sends ? (void *)ring_writer : (void *)ring_reader;
    default: return open_queue(p);
    }
}

static void close_end(const plan *p, void *opened, bool sends)
{
    if (p->kind == QUEUE)
        ipc_queue_close(opened);
    else if (p->kind == TOPIC && sends)
        ipc_topic_writer_close(opened);
    else if (p->kind == TOPIC)
        ipc_topic_reader_close(opened);
    else if (sends)
        ipc_ring_writer_close(opened);
    else
        ipc_ring_reader_close(opened);
}

typedef void traffic(const plan *p, void *opened, uint64_t count);

static void work(const plan *p, bool sends, int core, int go, int done)
{
    static traffic *const traffics[][2] = {
        [QUEUE] = {queue_receive, queue_send}, [TOPIC] = {topic_receive, topic_send}, [RING] = {ring_receive, ring_send}};
    traffic *const run = traffics[p->kind][sends];
    void *opened = open_end(p, sends);
    pin(core);
    char byte = 1;
    if (write(done, &byte, 1) != 1) /* open: a topic's reader is there before the first message */
        exit(1);
    uint64_t count;
    while (read(go, &count, sizeof count) == (ssize_t)sizeof count) {
        run(p, opened, count);
        if (write(done, &byte, 1) != 1)
            exit(1);
    }
    close_end(p, opened, sends);
    exit(0);
}

static worker start(const plan *p, bool sends, int core)
{
    int go[2], done[2];
    if (pipe2(go, O_CLOEXEC) != 0 || pipe2(done, O_CLOEXEC) != 0)
        bench_fail("pipe2", strerror(errno));
    const pid_t parent = getpid();
    const pid_t pid = fork();
    if (pid < 0)
        bench_fail("fork", strerror(errno));
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent)
            _exit(1);
        close(go[1]);
        close(done[0]);
        work(p, sends, core, go[0], done[1]);
    }
    close(go[0]);
    close(done[1]);
    return (worker){.pid = pid, .go = go[1], .done = done[0]};
}

static void tell(const worker *w, uint64_t count)
{
    if (write(w->go, &count, sizeof count) != (ssize_t)sizeof count)
        bench_fail("write", strerror(errno));
}

static void expect(const worker *w)
{
    char byte;
    if (read(w->done, &byte, 1) != 1)
        bench_fail("crew", "a worker ended");
}

static double round_of(const plan *p, const worker *senders, const worker *receivers, ipc_queue *queue)
{
    const uint64_t began = bench_now();
    for (uint32_t i = 0; i < p->receivers; i++)
        tell(&receivers[i], p->count);
    for (uint32_t i = 0; i < p->senders; i++)
        tell(&senders[i], p->count / p->senders);
    for (uint32_t i = 0; i < p->senders; i++)
        expect(&senders[i]);
    for (uint32_t i = 0; queue != NULL && i < p->receivers; i++)
        queue_send_one(queue, 1, TYPE_END);
    for (uint32_t i = 0; i < p->receivers; i++)
        expect(&receivers[i]);
    const double took = (double)(bench_now() - began);
    const double deliveries = (double)p->count * (p->kind == TOPIC ? p->receivers : 1);
    return p->size <= 4096 ? took / deliveries : deliveries * p->size / took;
}

int main(int argc, char **argv)
{
    int cores[2] = {-1, -1};
    double scale = 1;
    uint32_t block = 0;
    plan p;
    for (int i = 2; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--cores") == 0 && sscanf(argv[i + 1], "%d,%d", &cores[0], &cores[1]) == 2)
            continue;
        if (strcmp(argv[i], "--scale") == 0 && (scale = strtod(argv[i + 1], NULL)) > 0)
            continue;
        if (strcmp(argv[i], "--block") == 0 && sscanf(argv[i + 1], "%u", &block) == 1)
            continue;
        bench_fail(argv[i], "not understood");
    }
    if (argc < 2 || !parse(argv[1], scale, &p)) {
        fprintf(stderr, "usage: %s KIND.SIZE.P-C.c [--cores A,B] [--scale F] [--block N]\n", argv[0]);
        return 2;
    }
    p.block = block;
    source = malloc(p.size + 64u);
    if (source == NULL)
        bench_fail("malloc", "no memory");
    memset(source, 3, p.size + 64u);

    const bool pair = p.senders == 1 && p.receivers == 1;
    worker senders[MAX_WORKERS], receivers[MAX_WORKERS];
    for (uint32_t i = 0; i < p.receivers; i++) {
        receivers[i] = start(&p, false, pair ? cores[1] : -1);
        expect(&receivers[i]);
    }
    for (uint32_t i = 0; i < p.senders; i++) {
        senders[i] = start(&p, true, pair ? cores[0] : -1);
        expect(&senders[i]);
    }
    ipc_queue *queue = p.kind == QUEUE ? open_queue(&p) : NULL; /* after the forks: a child must not inherit it */

    puts("ready");
    fflush(stdout);
    char line[64];
    while (fgets(line, sizeof line, stdin) != NULL) {
        printf("%.4f\n", round_of(&p, senders, receivers, queue));
        fflush(stdout);
    }
    int failed = 0;
    for (uint32_t i = 0; i < p.senders; i++)
        close(senders[i].go);
    for (uint32_t i = 0; i < p.receivers; i++) /* all before the first wait: later children hold copies of earlier pipes */
        close(receivers[i].go);
    for (uint32_t i = 0; i < p.senders + p.receivers; i++) {
        const worker *w = i < p.senders ? &senders[i] : &receivers[i - p.senders];
        int status = 0;
        if (waitpid(w->pid, &status, 0) != w->pid || status != 0)
            failed = 1;
    }
    ipc_queue_close(queue);
    return failed;
}
