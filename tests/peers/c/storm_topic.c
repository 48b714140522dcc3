/*
 * A storm's worker at a topic. Every reader checks by itself: of each sender it gets the numbers from the first that
 * was tried after it had joined, rising; at the end mark up to the last that was done. A reliable reader misses none.
 * The others (evict, lossy, latest) are told how many they have missed, which is compared: never fewer than the numbers
 * that are missing, never more than the places of the topic that they have passed without a message. In between are
 * only the gaps of claims that were abandoned or whose writers died: nobody can tell these from messages once they are
 * overwritten. What "latest" passes over for a newer message of the same sender is counted to the message.
 *
 * In an exact storm there are no such gaps: what lossy and evict readers are told is exactly the number of places
 * passed, with each message; and it is something: who has lost nothing in the whole storm shows nothing. An evicted
 * reader is told then already how many it misses so far: what it has missed when it goes on is no less.
 *
 * Some writers have deadlines, at which they cut off evict readers that hold them up; these rejoin and go on.
 */
#include "storm_worker.h"

#include <inttypes.h>
#include <time.h>

#include "numbered.h"

enum { PATIENCE_NS = 2000000, DAWDLES_EACH = 8192, DAWDLES_NS = 5000000 };

typedef struct topic_writer {
    ipc_topic_writer *end;
    bool is_patient;
} topic_writer;

typedef struct topic_reader {
    ipc_topic_reader *end;
    ipc_policy policy;
    uint64_t *first;    /* per sender: what had been tried when we joined: from here on everything is ours */
    uint64_t missing;   /* numbers */
    uint64_t told;      /* what the reader says of itself, in all */
    uint64_t told_with; /* lossy: the same, as it came with the messages */
    uint64_t base;      /* the position at which it began */
    uint64_t last;      /* the position of the message before */
    uint64_t delivered;
    uint64_t evictions;
    uint64_t warned; /* by the last eviction, of so many missed */
    bool is_exact;
} topic_reader;

static ipc_status send_one(void *end, uint64_t n, uint32_t length, bool only_abandon)
{
    const topic_writer *writer = end;
    ipc_block block;
    ipc_status status;
    do
        status = ipc_topic_claim(writer->end, length,
                                 writer->is_patient ? IPC_FOREVER : ipc_deadline_after(PATIENCE_NS), NULL, &block);
    while (status == IPC_TIMEOUT); /* a reliable reader holds it up */
    if (status != IPC_OK)
        return status;
    fill_numbered(block.payload, length, n);
    if (!only_abandon)
        return ipc_topic_commit(writer->end, &block, length, (uint16_t)(n & 1023), n >> 32);
    ipc_topic_abandon(writer->end, &block);
    return IPC_OK;
}

static int too_many(const storm_worker *w, const topic_reader *r, const ipc_message *message, uint64_t told,
                    uint64_t most)
{
    return peer_wrong("worker %u: policy %d is told of %" PRIu64 " lost at position %" PRIu64 ", at most %" PRIu64
                      " can be",
                      w->id, (int)r->policy, told, message->position, most);
}

static int too_few(const storm_worker *w, const topic_reader *r, const ipc_message *message, uint64_t told,
                   uint64_t least)
{
    return peer_wrong("worker %u: policy %d is told of %" PRIu64 " lost at position %" PRIu64 ", it should be %" PRIu64,
                      w->id, (int)r->policy, told, message->position, least);
}

/* What this message brings with it, MISSED numbers of its sender being missing before it. */
static int counted(const storm_worker *w, topic_reader *r, const ipc_message *message, uint64_t missed, bool is_first)
{
    ipc_topic_info info;
    if (r->policy == IPC_RELIABLE)
        return missed == 0 ? 0 : peer_wrong("worker %u: %" PRIu64 " are missing", w->id, missed);
    ipc_topic_reader_get_info(r->end, &info);
    const uint64_t told = info.lost + info.conflated, newly = told - r->told;
    r->told = told;
    r->told_with += message->lost;
    if (r->policy == IPC_LATEST) /* of its own sender; others' numbers show with their messages */
        return is_first || message->lost <= missed ? 0 : too_many(w, r, message, message->lost, missed);
    const uint64_t passed = message->position - r->last - 1;
    r->last = message->position;
    if (r->policy == IPC_LOSSY && r->told_with != told)
        return peer_wrong("worker %u: told of %" PRIu64 " lost with messages, %" PRIu64 " in all", w->id, r->told_with,
                          told);
    if (newly < r->warned || (r->is_exact && newly != passed))
        return too_few(w, r, message, newly, newly < r->warned ? r->warned : passed);
    r->warned = 0;
    return newly <= passed ? 0 : too_many(w, r, message, newly, passed);
}

static int delivered(storm_worker *w, topic_reader *r, const ipc_message *message, uint64_t n, bool is_ours)
{
    if (!is_ours || message->length != storm_length(n) || n >> 32 >= w->head->workers || message->key != n >> 32)
        return peer_wrong("worker %u: %u bytes that are none of ours (number %" PRIx64 ")", w->id, message->length, n);
    const uint64_t sender = n >> 32, i = n & UINT32_MAX;
    uint64_t *next = &w->next[sender];
    atomic_fetch_add(&w->mine->received, 1);
    r->delivered++;
    if (i < *next) {
        fprintf(stderr, "worker %u: number %" PRIx64 " again, it was to be %" PRIx64 "\n", w->id, n, *next);
        atomic_fetch_add(&w->mine->repeated, 1);
        return 0;
    }
    const uint64_t expected = *next != 0 ? *next : r->first[sender], missed = i > expected ? i - expected : 0;
    const bool is_first = *next == 0;
    r->missing += missed;
    *next = i + 1;
    return counted(w, r, message, missed, is_first);
}

/* At the end mark, behind everything. */
static int ended(storm_worker *w, topic_reader *r, const ipc_message *message)
{
    ipc_topic_info info;
    uint64_t missing = r->missing;
    for (uint32_t s = 0; s < w->head->workers; s++) {
        const uint64_t done = atomic_load(&storm_record_of(w->side, s)->done),
                       seen = w->next[s] != 0 ? w->next[s] : r->first[s];
        missing += done > seen ? done - seen : 0;
    }
    ipc_topic_reader_get_info(r->end, &info);
    const uint64_t told = info.lost + info.conflated, passed = message->position - r->base - r->delivered;
    atomic_store(&w->mine->lost, missing > told ? missing - told : 0);
    if (r->policy == IPC_RELIABLE)
        return told == 0 ? 0 : too_many(w, r, message, told, 0);
    printf("worker %u: C, policy %d, missing %" PRIu64 ", told %" PRIu64 ", passed %" PRIu64 ", evicted %" PRIu64 "\n",
           w->id, (int)r->policy, missing, told, passed, r->evictions);
    if (r->is_exact && (told != passed || told == 0))
        return too_few(w, r, message, told, passed == 0 ? 1 : passed);
    return told <= passed ? 0 : too_many(w, r, message, told, passed);
}

static void dawdle(const topic_reader *r) /* else nobody would ever cut it off */
{
    const struct timespec t = {.tv_nsec = DAWDLES_NS};
    if (r->policy == IPC_EVICT && r->delivered % DAWDLES_EACH == DAWDLES_EACH / 2)
        (void)nanosleep(&t, NULL);
}

static int read_all(storm_worker *w, topic_reader *r)
{
    for (;;) {
        ipc_message message;
        ipc_status status = ipc_topic_read(r->end, IPC_FOREVER, NULL, &message);
        if (status == IPC_OK) {
            uint64_t n = 0;
            const bool is_ours = is_numbered(message.payload, message.length, &n);
            dawdle(r);
            status = ipc_topic_release(r->end); /* only now it is sure that this was what it seemed to be */
            if (status == IPC_OK && message.type == STORM_END)
                return ended(w, r, &message);
            const int result = status == IPC_OK ? delivered(w, r, &message, n, is_ours) : 0;
            if (result != 0)
                return result;
        } else if (status == IPC_EVICTED)
            r->warned = message.lost;
        if (status == IPC_EVICTED && r->policy == IPC_EVICT) {
            r->evictions++;
            status = ipc_topic_rejoin(r->end, IPC_JOIN_NEWEST);
        }
        if (status != IPC_OK)
            return peer_error(status);
    }
}

static int receive(storm_worker *w, const ipc_topic_options *options)
{
    topic_reader r = {
        .policy = options->policy, .is_exact = storm_is_exact(), .first = calloc(w->head->workers, sizeof *r.first)};
    if (r.first == NULL)
        return peer_error(IPC_E_NO_MEMORY);
    const ipc_status status = ipc_topic_reader_open(w->name, options, &r.end);
    if (status != IPC_OK)
        return peer_error(status);
    ipc_topic_info info;
    ipc_topic_reader_get_info(r.end, &info);
    r.base = info.tail - info.behind;
    r.last = r.base - 1;
    for (uint32_t s = 0; s < w->head->workers; s++)
        r.first[s] = atomic_load(&storm_record_of(w->side, s)->tried);
    atomic_store(&w->mine->attached, 1);
    const int result = read_all(w, &r);
    ipc_topic_reader_close(r.end);
    free(r.first);
    return result;
}

static ipc_policy policy_of(const storm_worker *w)
{
    switch (w->seed % 8) {
    case 3:
        return IPC_LOSSY;
    case 5:
        return IPC_EVICT;
    case 7:
        return IPC_LATEST;
    default:
        return IPC_RELIABLE;
    }
}

int storm_topic(storm_worker *w, const char *role)
{
    const ipc_topic_options options = {.block_size = 128,
                                       .block_count = 64,
                                       .max_readers = 32,
                                       .max_writers = 32,
                                       .loan_budget = 1 << 20,
                                       .lifetime = IPC_LIFETIME_PERSISTENT,
                                       .wait_mode = storm_wait_mode(w),
                                       .policy = policy_of(w)};
    if (strcmp(role, "receive") == 0)
        return receive(w, &options);
    ipc_topic_writer *writer = NULL;
    ipc_status status = ipc_topic_writer_open(w->name, &options, &writer);
    if (status != IPC_OK)
        return peer_error(status);
    atomic_store(&w->mine->attached, 1);
    int result = 0;
    if (strcmp(role, "send") == 0)
        result = storm_send_all(w, &(topic_writer){.end = writer, .is_patient = w->seed % 2 == 0}, send_one);
    else if (strcmp(role, "end") == 0) {
        status = ipc_topic_publish(writer, "end", 3, STORM_END, UINT64_MAX, IPC_FOREVER, NULL);
        result = status == IPC_OK ? 0 : peer_error(status);
    }
    ipc_topic_writer_close(writer);
    return result;
}
