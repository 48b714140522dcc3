/* The body of a queue's region: docs/wire-format.md section 9. */
#ifndef IPC_QUEUE_LAYOUT_H
#define IPC_QUEUE_LAYOUT_H

#include "layout/slot_layout.h"
#include "layout/waiter_layout.h"

#define IPC_QUEUE_MAGIC          0x55455551u /* "QUEU" */
#define IPC_QUEUE_HEADER_SIZE    1024u
#define IPC_QUEUE_SEGMENT_HEADER 384u
#define IPC_QUEUE_SEGMENTS_MAX   256u
#define IPC_QUEUE_SEGMENT_ALIGN  4096u
#define IPC_QUEUE_DROPS_ORPHANS  1u /* bit 0 of `flags` */

/* {sequence : 48, segment : 16} of `send`, `receive` and `next` */
#define IPC_TURN_SEGMENT_BITS 16

typedef struct ipc_queue_header {
    /* written once, by the creator */
    uint32_t magic;
    uint32_t block_size;
    uint32_t slot_count;
    uint32_t segment_limit;
    uint64_t stride;
    uint64_t segments_offset; /* from the start of the file */
    uint64_t segment_stride;
    uint32_t flags;
    uint32_t min_expansion_distance;
    uint64_t pool_offset; /* from the start of the file; 0 none */
    uint8_t reserved_56[72];

    /* written under the region lock */
    ipc_atomic32 segments; /* how many have memory behind them */
    ipc_atomic32 growth_failures;
    uint8_t reserved_136[120];

    ipc_atomic64 send; /* the turn that senders use: a hint that anybody moves on */
    uint8_t reserved_264[120];

    ipc_atomic64 receive; /* the same for receivers */
    uint8_t reserved_392[120];

    ipc_waiter data; /* on which receivers sleep */
    uint8_t reserved_576[64];

    ipc_waiter space; /* on which senders sleep */
    uint8_t reserved_704[64];

    ipc_atomic64 orphans;         /* under the region lock: +1 after every recovery */
    ipc_atomic64 orphans_cleared; /* raised by receivers that found none left */
    uint8_t reserved_784[112];

    ipc_atomic64 redelivered; /* under the region lock */
    ipc_atomic64 dropped;     /* under the region lock */
    uint8_t reserved_912[112];
} ipc_queue_header;

_Static_assert(offsetof(ipc_queue_header, magic) == 0, "wire-format section 9");
_Static_assert(offsetof(ipc_queue_header, block_size) == 4, "wire-format section 9");
_Static_assert(offsetof(ipc_queue_header, slot_count) == 8, "wire-format section 9");
_Static_assert(offsetof(ipc_queue_header, segment_limit) == 12, "wire-format section 9");
_Static_assert(offsetof(ipc_queue_header, stride) == 16, "wire-format section 9");
_Static_assert(offsetof(ipc_queue_header, segments_offset) == 24, "wire-format section 9");
_Static_assert(offsetof(ipc_queue_header, segment_stride) == 32, "wire-format section 9");
_Static_assert(offsetof(ipc_queue_header, flags) == 40, "wire-format section 9");
_Static_assert(offsetof(ipc_queue_header, min_expansion_distance) == 44, "wire-format section 9");
_Static_assert(offsetof(ipc_queue_header, pool_offset) == 48, "wire-format section 9");
_Static_assert(offsetof(ipc_queue_header, segments) == 128, "wire-format section 9");
_Static_assert(offsetof(ipc_queue_header, growth_failures) == 132, "wire-format section 9");
_Static_assert(offsetof(ipc_queue_header, send) == 256, "wire-format section 9");
_Static_assert(offsetof(ipc_queue_header, receive) == 384, "wire-format section 9");
_Static_assert(offsetof(ipc_queue_header, data) == 512, "wire-format section 9");
_Static_assert(offsetof(ipc_queue_header, space) == 640, "wire-format section 9");
_Static_assert(offsetof(ipc_queue_header, orphans) == 768, "wire-format section 9");
_Static_assert(offsetof(ipc_queue_header, orphans_cleared) == 776, "wire-format section 9");
_Static_assert(offsetof(ipc_queue_header, redelivered) == 896, "wire-format section 9");
_Static_assert(offsetof(ipc_queue_header, dropped) == 904, "wire-format section 9");
_Static_assert(sizeof(ipc_queue_header) == IPC_QUEUE_HEADER_SIZE, "wire-format section 9");

typedef struct ipc_queue_segment {
    ipc_atomic64 tail; /* a hint: CAS from p to p + 1, anybody */
    uint8_t reserved_8[120];
    ipc_atomic64 head; /* a hint: CAS from p to p + 1, anybody */
    uint8_t reserved_136[120];
    ipc_atomic64 next; /* under the region lock the turn that follows */
    uint8_t reserved_264[120];
} ipc_queue_segment;

_Static_assert(offsetof(ipc_queue_segment, tail) == 0, "wire-format section 9");
_Static_assert(offsetof(ipc_queue_segment, head) == 128, "wire-format section 9");
_Static_assert(offsetof(ipc_queue_segment, next) == 256, "wire-format section 9");
_Static_assert(sizeof(ipc_queue_segment) == IPC_QUEUE_SEGMENT_HEADER, "wire-format section 9");

#endif
