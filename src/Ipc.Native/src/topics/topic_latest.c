/*
 * Conflation: of the messages that are there, only the newest of each key is delivered.
 *
 * A look takes in everything up to the end of what is published: each message's key is put behind the pending ones, or,
 * if it is pending already, the message takes the older one's place in the row. So keys are delivered in the order of
 * their first unread messages, each with its newest. Pending are positions, not payloads: what has been overwritten by
 * the time of its turn is lost and counted.
 *
 * The table grows while there are more keys than ever before, up to two laps: then at least half of what is pending has
 * been overwritten and is dropped. In steady state nothing is allocated. Keys are chosen by others, the seed is not: no
 * choice of keys makes the table slow.
 */
#include "topics/topic.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_CAPACITY 64u

static uint64_t mixed(uint64_t key)
{
    key = (key ^ key >> 33) * 0xFF51AFD7ED558CCDull;
    key = (key ^ key >> 33) * 0xC4CEB9FE1A85EC53ull;
    return key ^ key >> 33;
}

static uint32_t home_of(const ipc_topic_latest *latest, uint64_t key)
{
    return (uint32_t)mixed(key ^ latest->seed) & (latest->capacity * 2 - 1);
}

static ipc_topic_pending *at_bucket(const ipc_topic_latest *latest, uint32_t bucket)
{
    return &latest->pending[latest->buckets[bucket] - 1];
}

/* The bucket of the key, or the free one where it belongs. */
static uint32_t bucket_of(const ipc_topic_latest *latest, uint64_t key)
{
    uint32_t bucket = home_of(latest, key);
    while (latest->buckets[bucket] != 0 && at_bucket(latest, bucket)->key != key)
        bucket = (bucket + 1) & (latest->capacity * 2 - 1);
    return bucket;
}

static void append(ipc_topic_latest *latest, const ipc_topic_pending *one)
{
    const uint32_t index = (latest->head + latest->count) & (latest->capacity - 1);
    latest->pending[index] = *one;
    latest->buckets[bucket_of(latest, one->key)] = index + 1;
    latest->count++;
}

static ipc_status allocate(ipc_topic_latest *latest, uint32_t capacity)
{
    latest->capacity = capacity;
    latest->head = 0;
    latest->count = 0;
    latest->pending = calloc(capacity, sizeof *latest->pending);
    latest->buckets = calloc((size_t)capacity * 2, sizeof *latest->buckets);
    if (latest->pending != NULL && latest->buckets != NULL)
        return IPC_OK;
    ipc_topic_latest_free(latest);
    (void)ipc_fail(IPC_E_NO_MEMORY, "no memory for a table of %u keys", capacity);
    return IPC_E_NO_MEMORY;
}

ipc_status ipc_topic_latest_init(ipc_topic_latest *latest)
{
    ipc_platform_random(&latest->seed, sizeof latest->seed);
    return allocate(latest, FIRST_CAPACITY);
}

void ipc_topic_latest_free(ipc_topic_latest *latest)
{
    free(latest->pending);
    free(latest->buckets);
    latest->pending = NULL;
    latest->buckets = NULL;
    latest->count = 0;
}

void ipc_topic_latest_forget(ipc_topic_latest *latest)
{
    if (latest->buckets != NULL)
        memset(latest->buckets, 0, sizeof *latest->buckets * 2 * latest->capacity);
    latest->head = 0;
    latest->count = 0;
}

/* Takes the first one out. The buckets behind its own move up, so that a search never meets a hole. */
static ipc_topic_pending take_first(ipc_topic_latest *latest)
{
    const uint32_t mask = latest->capacity * 2 - 1;
    const ipc_topic_pending first = latest->pending[latest->head];
    uint32_t hole = bucket_of(latest, first.key);
    for (uint32_t bucket = (hole + 1) & mask; latest->buckets[bucket] != 0; bucket = (bucket + 1) & mask) {
        const uint32_t home = home_of(latest, at_bucket(latest, bucket)->key);
        if (((bucket - home) & mask) < ((bucket - hole) & mask))
            continue; /* its home lies behind the hole */
        latest->buckets[hole] = latest->buckets[bucket];
        hole = bucket;
    }
    latest->buckets[hole] = 0;
    latest->head = (latest->head + 1) & (latest->capacity - 1);
    latest->count--;
    return first;
}

static void drop(ipc_topic_reader *reader, const ipc_topic_pending *one)
{
    reader->lost++;
    reader->conflated += one->conflated;
    ipc_store_relaxed64(&reader->entry->lost, reader->lost);
}

/* A larger table, or, of two laps' messages, without those that a message at `position` shows to be overwritten. */
static ipc_status make_room(ipc_topic_reader *reader, uint64_t position)
{
    ipc_topic_latest *latest = &reader->latest;
    const uint64_t count = (uint64_t)reader->ring.mask + 1;
    const bool grows = latest->capacity < 2 * count;
    ipc_topic_latest next = {.seed = latest->seed};
    ipc_status status = allocate(&next, grows ? latest->capacity * 2 : latest->capacity);
    if (status != IPC_OK)
        return status;
    for (uint32_t i = 0; i < latest->count; i++) {
        const ipc_topic_pending *one = &latest->pending[(latest->head + i) & (latest->capacity - 1)];
        if (position - one->newest < count)
            append(&next, one);
        else
            drop(reader, one);
    }
    ipc_topic_latest_free(latest);
    *latest = next;
    return IPC_OK;
}

static ipc_status put(ipc_topic_reader *reader, uint64_t key, uint64_t position)
{
    ipc_topic_latest *latest = &reader->latest;
    const uint32_t bucket = bucket_of(latest, key);
    if (latest->buckets[bucket] != 0) {
        at_bucket(latest, bucket)->newest = position;
        at_bucket(latest, bucket)->conflated++;
        return IPC_OK;
    }
    if (latest->count == latest->capacity) {
        ipc_status status = make_room(reader, position);
        if (status != IPC_OK)
            return status;
    }
    append(latest, &(ipc_topic_pending){.key = key, .newest = position});
    return IPC_OK;
}

ipc_status ipc_topic_latest_look(ipc_topic_reader *reader)
{
    ipc_status status = IPC_OK;
    /* At most a lap: a look ends, however fast the writers are. */
    for (uint64_t taken = 0; taken <= reader->ring.mask && status == IPC_OK; taken++) {
        status = ipc_topic_settle(reader);
        if (status != IPC_OK)
            break;
        const uint64_t position = reader->position;
        ipc_block_slot *slot = ipc_slot_at(&reader->ring, position);
        const uint64_t word = ipc_load_acquire64(&slot->state); /* [ready-slot] */
        const uint64_t key = ipc_load_relaxed64(ipc_topic_key(slot));
        ipc_acquire_fence(); /* [overwrite] */
        if (!ipc_topic_is_ready(&reader->ring, position, word) || ipc_load_relaxed64(&slot->state) != word)
            continue; /* overwritten: settling tells how far to go on */
        status = put(reader, key, position);
        if (status == IPC_OK)
            reader->position++;
    }
    return status == IPC_EMPTY && reader->latest.count != 0 ? IPC_OK : status;
}

ipc_status ipc_topic_latest_read(ipc_topic_reader *reader, ipc_message *message)
{
    for (;;) {
        ipc_status status = ipc_topic_latest_look(reader);
        if (status != IPC_OK)
            return status;
        while (reader->latest.count != 0) {
            const ipc_topic_pending one = take_first(&reader->latest);
            status = ipc_topic_copy_out(reader, one.newest, message);
            if (status == IPC_OK) {
                message->lost = one.conflated;
                reader->conflated += one.conflated;
            } else {
                drop(reader, &one);
            }
            if (status != IPC_EMPTY)
                return status;
        }
    }
}
