/*
 * storm_side.h - what the workers of a storm note in memory that outlives them.
 *
 * Every worker has a number of its own and a record. A sender notes in it how many messages it has tried to send
 * (before the claim) and how many are done (after the commit): what is done is acknowledged, whatever happens next. For
 * each message a sender has a byte, in which the receivers of a queue or ring count: +1 for a delivery, +16 for one
 * that was flagged as delivered again, both before they release it. The C# workers (tests/Ipc.Peer/Storm) have the same
 * offsets.
 */
#ifndef IPC_TESTS_STORM_SIDE_H
#define IPC_TESTS_STORM_SIDE_H

#include <stdatomic.h>
#include <stdint.h>

enum { STORM_RECORDS = 4096, STORM_RECORD = 64, STORM_END = 65535, STORM_PER_SENDER = 1 << 18 };

typedef struct storm_head {
    _Atomic uint32_t finish; /* 1: senders end after the message that they are at */
    uint32_t workers;        /* how many records there are */
} storm_head;

typedef struct storm_record {
    _Atomic uint64_t tried;
    _Atomic uint64_t done;
    _Atomic uint64_t received;    /* a receiver's count */
    _Atomic uint64_t redelivered; /* of these, with the flag */
    _Atomic uint64_t lost;        /* a topic reader's own findings */
    _Atomic uint64_t repeated;
    _Atomic uint32_t attached;
    uint8_t reserved[STORM_RECORD - 52];
} storm_record;

_Static_assert(sizeof(storm_record) == STORM_RECORD, "a record is a line");

static inline uint64_t storm_size(uint32_t workers)
{
    return STORM_RECORDS + (uint64_t)workers * (STORM_RECORD + STORM_PER_SENDER);
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
