/*
 * A storm's worker at a topic. Every reader checks by itself: of each sender it gets all numbers from the first that
 * was tried after it had joined, one after the other; at the end mark up to the last that was done. Some readers are
 * lossy: for them the numbers rise, and no more are missing than they were told.
 */
#include "storm_worker.h"

#include <inttypes.h>

#include "numbered.h"

typedef struct topic_reader {
    ipc_topic_reader *end;
    bool lossy;
    uint64_t *first; /* per sender: what had been tried when we joined: from here on everything is ours */
    uint64_t missing;
    uint64_t told;
} topic_reader;

static ipc_status send_one(void *end, uint64_t n, uint32_t length, bool only_abandon)
{
    ipc_block block;
    const ipc_status status = ipc_topic_claim(end, length, IPC_FOREVER, NULL, &block);
    if (status != IPC_OK)
        return status;
    fill_numbered(block.payload, length, n);
    if (!only_abandon)
        return ipc_topic_commit(end, &block, length, (uint16_t)(n & 1023), n >> 32);
    ipc_topic_abandon(end, &block);
    return IPC_OK;
}

static int delivered(storm_worker *w, topic_reader *r, const ipc_message *message)
{
    uint64_t n = 0;
    if (!is_numbered(message->payload, message->length, &n) || message->length != storm_length(n) ||
        n >> 32 >= w->head->workers || message->key != n >> 32)
        return peer_wrong("worker %u: %u bytes that are none of ours (number %" PRIx64 ")", w->id, message->length, n);
    const uint64_t sender = n >> 32, i = n & UINT32_MAX;
    uint64_t *next = &w->next[sender];
    atomic_fetch_add(&w->mine->received, 1);
    r->told += message->lost;
    if (i < *next) {
        fprintf(stderr, "worker %u: number %" PRIx64 " again, it was to be %" PRIx64 "\n", w->id, n, *next);
        atomic_fetch_add(&w->mine->repeated, 1);
        return 0;
    }
    const uint64_t expected = *next != 0 ? *next : r->first[sender];
    if (i > expected)
        r->missing += i - expected;
    if (i > expected && !r->lossy)
        fprintf(stderr, "worker %u: number %" PRIx64 ", it was to be %" PRIx64 "\n", w->id, n, expected);
    *next = i + 1;
    return 0;
}

static void count_missing(storm_worker *w, const topic_reader *r, bool at_end)
{
    uint64_t missing = r->missing;
    for (uint32_t s = 0; at_end && !r->lossy && s < w->head->workers; s++) {
        const uint64_t done = atomic_load(&storm_record_of(w->side, s)->done),
                       seen = w->next[s] != 0 ? w->next[s] : r->first[s];
        missing += done > seen ? done - seen : 0;
    }
    atomic_store(&w->mine->lost, missing > r->told ? missing - r->told : 0);
}

static int read_all(storm_worker *w, topic_reader *r)
{
    for (;;) {
        ipc_message message;
        ipc_status status = ipc_topic_read(r->end, IPC_FOREVER, NULL, &message);
        if (status != IPC_OK)
            return peer_error(status);
        const bool ended = message.type == STORM_END;
        const int result = ended ? 0 : delivered(w, r, &message);
        count_missing(w, r, ended);
        status = ipc_topic_release(r->end);
        if (result != 0 || status != IPC_OK)
            return result != 0 ? result : peer_error(status);
        if (ended)
            return 0;
    }
}

static int receive(storm_worker *w, const ipc_topic_options *options)
{
    topic_reader r = {.lossy = options->policy == IPC_LOSSY, .first = calloc(w->head->workers, sizeof *r.first)};
    if (r.first == NULL)
        return peer_error(IPC_E_NO_MEMORY);
    const ipc_status status = ipc_topic_reader_open(w->name, options, &r.end);
    if (status != IPC_OK)
        return peer_error(status);
    for (uint32_t s = 0; s < w->head->workers; s++)
        r.first[s] = atomic_load(&storm_record_of(w->side, s)->tried);
    atomic_store(&w->mine->attached, 1);
    const int result = read_all(w, &r);
    ipc_topic_reader_close(r.end);
    free(r.first);
    return result;
}

int storm_topic(storm_worker *w, const char *role)
{
    const ipc_topic_options options = {.block_size = 128,
                                       .block_count = 64,
                                       .max_readers = 32,
                                       .max_writers = 32,
                                       .loan_budget = 1 << 20,
                                       .persistent = true,
                                       .wait_mode = storm_wait_mode(w),
                                       .policy = w->seed % 4 == 3 ? IPC_LOSSY : IPC_RELIABLE};
    if (strcmp(role, "receive") == 0)
        return receive(w, &options);
    ipc_topic_writer *writer = NULL;
    ipc_status status = ipc_topic_writer_open(w->name, &options, &writer);
    if (status != IPC_OK)
        return peer_error(status);
    atomic_store(&w->mine->attached, 1);
    int result = 0;
    if (strcmp(role, "send") == 0)
        result = storm_send_all(w, writer, send_one);
    else if (strcmp(role, "end") == 0) {
        status = ipc_topic_publish(writer, "end", 3, STORM_END, UINT64_MAX, IPC_FOREVER, NULL);
        result = status == IPC_OK ? 0 : peer_error(status);
    }
    ipc_topic_writer_close(writer);
    return result;
}
