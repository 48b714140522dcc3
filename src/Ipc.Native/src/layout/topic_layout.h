/* The body of a topic's region: docs/wire-format.md section 10. */
#ifndef IPC_TOPIC_LAYOUT_H
#define IPC_TOPIC_LAYOUT_H

#include "layout/region_layout.h"
#include "layout/slot_layout.h"
#include "layout/waiter_layout.h"

#define IPC_TOPIC_MAGIC         0x43504F54u /* "TOPC" */
#define IPC_TOPIC_HEADER_SIZE   1024u
#define IPC_TOPIC_READER_SIZE   128u
#define IPC_TOPIC_READERS_MAX   1024u
#define IPC_TOPIC_SLOTS_ALIGN   4096u
#define IPC_TOPIC_SINGLE_WRITER 1u /* bit 0 of `flags` */
#define IPC_TOPIC_POLICY_SHIFT  8  /* bits 8 to 11 of `flags`: which policies readers may choose */
#define IPC_TOPIC_POLICIES      0xFu
#define IPC_TOPIC_ACTIVE_WORDS  64u

/* Positions only grow. One near the end of the number range was written by somebody who does not count messages. */
#define IPC_TOPIC_POSITION_MAX (1ull << 62)

/* Bits 0 to 7 of an entry's `state`; the rest counts how often it has become active. */
#define IPC_READER_STATE 0xFFu
#define IPC_READER_JOIN  0x100u
enum { IPC_READER_NONE = 0, IPC_READER_ACTIVE = 1, IPC_READER_EVICTED = 2 };

typedef struct ipc_topic_header {
    /* written once, by the creator */
    uint32_t magic;
    uint32_t block_size;
    uint32_t slot_count;
    uint32_t max_readers;
    uint64_t stride;
    uint64_t slots_offset;   /* from the start of the file */
    uint64_t readers_offset; /* from the start of the file: entry i is participant i's */
    uint32_t flags;
    uint32_t reserved_44;
    uint64_t pool_offset; /* from the start of the file; 0 none */
    uint8_t reserved_56[72];

    ipc_atomic64 tail;      /* a hint, starts at slot_count: CAS from p to p + 1, writers */
    ipc_atomic64 evictions; /* writers */
    uint8_t reserved_144[112];

    ipc_waiter data; /* on which readers sleep */
    uint8_t reserved_320[64];

    ipc_waiter space; /* on which writers sleep */
    uint8_t reserved_448[64];

    ipc_atomic64 active[IPC_TOPIC_ACTIVE_WORDS]; /* bit i: participant i reads; under the region lock */
} ipc_topic_header;

_Static_assert(offsetof(ipc_topic_header, magic) == 0, "wire-format section 10");
_Static_assert(offsetof(ipc_topic_header, block_size) == 4, "wire-format section 10");
_Static_assert(offsetof(ipc_topic_header, slot_count) == 8, "wire-format section 10");
_Static_assert(offsetof(ipc_topic_header, max_readers) == 12, "wire-format section 10");
_Static_assert(offsetof(ipc_topic_header, stride) == 16, "wire-format section 10");
_Static_assert(offsetof(ipc_topic_header, slots_offset) == 24, "wire-format section 10");
_Static_assert(offsetof(ipc_topic_header, readers_offset) == 32, "wire-format section 10");
_Static_assert(offsetof(ipc_topic_header, flags) == 40, "wire-format section 10");
_Static_assert(offsetof(ipc_topic_header, pool_offset) == 48, "wire-format section 10");
_Static_assert(offsetof(ipc_topic_header, tail) == 128, "wire-format section 10");
_Static_assert(offsetof(ipc_topic_header, evictions) == 136, "wire-format section 10");
_Static_assert(offsetof(ipc_topic_header, data) == 256, "wire-format section 10");
_Static_assert(offsetof(ipc_topic_header, space) == 384, "wire-format section 10");
_Static_assert(offsetof(ipc_topic_header, active) == 512, "wire-format section 10");
_Static_assert(sizeof(ipc_topic_header) == IPC_TOPIC_HEADER_SIZE, "wire-format section 10");
_Static_assert(IPC_TOPIC_ACTIVE_WORDS * 64 == IPC_PARTICIPANT_CAPACITY_MAX, "a bit for every participant");

typedef struct ipc_topic_entry {
    ipc_atomic32 state; /* the reader; evicted: a writer */
    /* written by the reader only */
    ipc_atomic32 policy;
    ipc_atomic64 cursor; /* everything before it is done with [cursor] */
    ipc_atomic64 lost;
    ipc_atomic64 joined; /* the tail that it began at */
    /* written by a writer, before `state` = 2 */
    ipc_atomic64 evicted_at;
    uint8_t reserved_40[88];
} ipc_topic_entry;

_Static_assert(offsetof(ipc_topic_entry, state) == 0, "wire-format section 10");
_Static_assert(offsetof(ipc_topic_entry, policy) == 4, "wire-format section 10");
_Static_assert(offsetof(ipc_topic_entry, cursor) == 8, "wire-format section 10");
_Static_assert(offsetof(ipc_topic_entry, lost) == 16, "wire-format section 10");
_Static_assert(offsetof(ipc_topic_entry, joined) == 24, "wire-format section 10");
_Static_assert(offsetof(ipc_topic_entry, evicted_at) == 32, "wire-format section 10");
_Static_assert(sizeof(ipc_topic_entry) == IPC_TOPIC_READER_SIZE, "wire-format section 10");

#endif
