/*
 * storm_side.h - what the workers of a storm note in memory that outlives them.
 *
 * Every worker has a number of its own and a record. A sender notes in it how many messages it has tried to send
 * (before the claim) and how many are done (after the commit): what is done is acknowledged, whatever happens next. For
 * each message a sender has a byte, in which the receivers of a queue or ring count: +1 for a delivery, +16 for one
 * that was flagged as delivered again, both before they release it. The C# workers (tests/peers/cs/Ipc.Peer/Storm) have the same
 * offsets.
 *
 * Locks have other notes: `done` counts the turns inside the mutex; who is told that something was abandoned counts
 * that, and while `acquiring` has a bit of it the count may be behind. What the mutex guards, the places of those with
 * permits, and how far the event's posting has come stand behind the head.
 */
#ifndef IPC_TESTS_STORM_SIDE_H
#define IPC_TESTS_STORM_SIDE_H

#include <stdatomic.h>
#include <stdint.h>

enum { STORM_RECORDS = 4096, STORM_RECORD = 64, STORM_END = 65535, STORM_PER_SENDER = 1 << 18 };
enum { STORM_ON, STORM_FINISH, STORM_OVER }; /* of `finish` */
enum { STORM_PERMITS = 3, STORM_MUTEX = 1, STORM_PERMIT = 2, STORM_GUARDED = 128 };
#define STORM_PERMIT_REGION "storm-permits" /* the mutex has the storm's own name */
#define STORM_EVENT_REGION  "storm-event"

typedef struct storm_head {
    _Atomic uint32_t finish; /* 1: senders end after the message that they are at; 2: a lock's receivers, too */
    uint32_t workers;        /* how many records there are */
} storm_head;

typedef struct storm_record {
    _Atomic uint64_t tried;
    _Atomic uint64_t done;
    _Atomic uint64_t received; /* a receiver's count */
    union {
        _Atomic uint64_t redelivered; /* of these, with the flag */
        _Atomic uint64_t told_mutex;  /* a lock's worker: how often it was told that somebody died */
    };
    _Atomic uint64_t lost; /* a topic reader's own findings */
    union {
        _Atomic uint64_t repeated;
        _Atomic uint64_t told_permits;
    };
    _Atomic uint32_t attached;
    _Atomic uint32_t dead; /* by the storm, when it is gone */
    _Atomic uint32_t acquiring;
    uint8_t reserved[STORM_RECORD - 60];
} storm_record;

/* What locks guard, a line each. The first three are plain: only the holder of the mutex touches them. */
typedef struct storm_guarded {
    _Alignas(128) uint64_t first;
    _Alignas(128) uint64_t second; /* one less than `first` while the holder is at it */
    _Alignas(128) uint64_t holder; /* a worker's number + 1 */
    _Alignas(128) _Atomic uint64_t posted;
    _Alignas(128) _Atomic uint64_t noticed;
    _Alignas(128) _Atomic uint64_t places[STORM_PERMITS]; /* (a worker's number + 1) << 32 | its turn */
} storm_guarded;

_Static_assert(sizeof(storm_record) == STORM_RECORD, "a record is a line");

static inline uint64_t storm_size(uint32_t workers)
{
    return STORM_RECORDS + (uint64_t)workers * (STORM_RECORD + STORM_PER_SENDER);
}

static inline storm_guarded *storm_guarded_of(void *side)
{
    return (storm_guarded *)(void *)((char *)side + STORM_GUARDED);
}

static inline storm_record *storm_record_of(void *side, uint32_t id)
{
    return (storm_record *)((char *)side + STORM_RECORDS) + id;
}

static inline _Atomic uint8_t *storm_seen(void *side, uint64_t n)
{
    const uint32_t workers = ((storm_head *)side)->workers;
    char *seen = (char *)side + STORM_RECORDS + (uint64_t)workers * STORM_RECORD;
    return (_Atomic uint8_t *)(seen + (n >> 32) * STORM_PER_SENDER + (uint32_t)n);
}

#endif
