/* drive: numbered traffic through a queue, by many threads of one object. Number n of sender s is s * 2^32 + i. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "drive_parts.h"
#include "numbered.h"

enum { THREADS = 16, SENDERS = 256 };

typedef struct stream {
    ipc_queue *queue;
    uint64_t sender;
    uint64_t count;
    uint32_t max;
    ipc_deadline until;
    uint32_t delay; /* holds each message for so many turns of an empty loop */
    /* what came of it */
    int status;
    uint64_t at;
    uint64_t received;
    uint64_t redelivered;
    uint32_t sum;
    char text[200];
} stream;

static void failed(stream *s, int status, uint64_t at)
{
    s->status = status;
    s->at = at;
    (void)snprintf(s->text, sizeof s->text, "%s", ipc_last_error());
}

static void *send_all(void *argument)
{
    stream *s = argument;
    for (uint64_t i = 0; i < s->count; i++) {
        const uint64_t n = s->sender << 32 | i;
        const uint32_t length = numbered_length(n, s->max);
        ipc_block block;
        ipc_status status = ipc_queue_claim(s->queue, length, s->until, NULL, &block);
        if (status == IPC_OK) {
            fill_numbered(block.payload, length, n);
            status = ipc_queue_commit(s->queue, &block, length, (uint16_t)(n & 1023));
        }
        if (status != IPC_OK) {
            failed(s, status, i);
            return NULL;
        }
    }
    return NULL;
}

/* Until an end mark, which each thread takes one of. */
static void *collect_all(void *argument)
{
    stream *s = argument;
    uint64_t next[SENDERS] = {0};
    for (;;) {
        ipc_block block;
        uint64_t n = 0;
        const ipc_status status = ipc_queue_receive(s->queue, s->until, NULL, &block);
        if (status != IPC_OK) {
            failed(s, status, s->received);
            return NULL;
        }
        if (block.type == DRIVE_END_OF_STREAM) {
            ipc_queue_release(s->queue, &block);
            return NULL;
        }
        const bool whole = is_numbered(block.payload, block.length, &n) && block.length == numbered_length(n, s->max) &&
                           block.type == (n & 1023) && n >> 32 < SENDERS;
        if (!whole || (!block.redelivered && (n & UINT32_MAX) < next[n >> 32])) {
            s->status = DRIVE_WRONG_CONTENT;
            s->at = n;
            (void)snprintf(s->text, sizeof s->text, whole ? "out of order" : "%" PRIu32 " bytes of type %u",
                           block.length, block.type);
            ipc_queue_release(s->queue, &block);
            return NULL;
        }
        next[n >> 32] = (n & UINT32_MAX) + 1;
        s->received++;
        s->redelivered += block.redelivered;
        s->sum += drive_hash(&n, sizeof n);
        for (volatile uint32_t turn = 0; turn < s->delay; turn = turn + 1)
            ;
        ipc_queue_release(s->queue, &block);
    }
}

static void run(stream common, void *(*body)(void *))
{
    const uint32_t threads = (uint32_t)drive_option_number("threads", 1);
    pthread_t ids[THREADS];
    stream parts[THREADS], sum = {0};
    for (uint32_t t = 0; t < threads && t < THREADS; t++) {
        parts[t] = common;
        parts[t].sender = common.sender + t;
        if (pthread_create(&ids[t], NULL, body, &parts[t]) != 0)
            abort();
    }
    for (uint32_t t = 0; t < threads && t < THREADS; t++) {
        pthread_join(ids[t], NULL);
        sum.received += parts[t].received;
        sum.redelivered += parts[t].redelivered;
        sum.sum += parts[t].sum;
        if (parts[t].status != 0 && sum.status == 0)
            sum = (stream){.status = parts[t].status, .at = parts[t].at, .received = sum.received};
        if (parts[t].status != 0)
            memcpy(sum.text, parts[t].text, sizeof sum.text);
    }
    printf("%d count=%" PRIu64 " redelivered=%" PRIu64 " sum=%" PRIu32 " at=%" PRIu64 " | %s\n", sum.status,
           sum.received, sum.redelivered, sum.sum, sum.at, sum.text);
}

bool drive_queue_stream(const char *command, drive_object *o)
{
    stream s = {.queue = o->handle, .until = drive_deadline()};
    if (strcmp(command, "stream") == 0) { /* stream ID SENDER COUNT MAX [threads=K] timeout=MS */
        s.sender = drive_number(2);
        s.count = drive_number(3);
        s.max = (uint32_t)drive_number(4);
        run(s, send_all);
        return true;
    }
    if (strcmp(command, "collect") == 0) { /* collect ID MAX [threads=K] [delay=TURNS] timeout=MS */
        s.max = (uint32_t)drive_number(2);
        s.delay = (uint32_t)drive_option_number("delay", 0);
        run(s, collect_all);
        return true;
    }
    return false;
}
