/* The header of a ring, and of the records in it: docs/wire-format.md section 4. */
#ifndef IPC_RING_LAYOUT_H
#define IPC_RING_LAYOUT_H

#include "layout/waiter_layout.h"

#define IPC_RING_MAGIC        0x474E4952u /* "RING" */
#define IPC_RING_HEADER_SIZE  1024u
#define IPC_RING_CAPACITY_MIN 4096ull
#define IPC_RING_CAPACITY_MAX (1ull << 30)
#define IPC_RING_DATA_ALIGN   4096ull
#define IPC_LINE              64u

/* Positions only grow. One near the end of the number range was written by somebody who does not count bytes. */
#define IPC_POSITION_MAX (1ull << 62)

enum { IPC_OWNER_NEVER = 0, IPC_OWNER_LIVE = 1, IPC_OWNER_LEFT = 2, IPC_OWNER_DIED = 3 };

typedef struct ipc_ring_header {
    /* written once, by the creator */
    uint32_t magic;
    uint32_t reserved_4;
    uint64_t capacity;
    uint64_t data_offset;
    uint64_t pool_offset; /* of the pool for what is too long for a record; 0 none */
    uint64_t present;     /* in a connection only: bytes of the data that have memory from the start; 0 all */
    uint8_t reserved_40[88];

    /* written under the region lock; unused in a connection */
    ipc_atomic32 writer; /* participant index + 1 */
    ipc_atomic32 writer_state;
    ipc_atomic32 reader; /* participant index + 1 */
    ipc_atomic32 reader_state;
    ipc_atomic64 redeliver_until; /* by a reader that takes over from a dead one */
    uint8_t reserved_152[104];

    ipc_atomic64 read_position;    /* written by the reader only [release] */
    ipc_atomic32 reader_processor; /* on which the reader last waited or woke somebody, + 1; 0 unknown */
    uint32_t reserved_268;
    ipc_atomic64 acknowledged; /* in a named connection only, by the reader [acknowledge] */
    uint8_t reserved_280[104];

    ipc_atomic64 free_position; /* written by the reader only [reclaim] */
    uint8_t reserved_392[120];

    ipc_waiter data;               /* on which the reader sleeps */
    ipc_atomic32 writer_processor; /* as the reader's, written by the writer only */
    uint8_t reserved_580[60];

    ipc_waiter space; /* on which the writer sleeps */
    uint8_t reserved_704[64];

    ipc_atomic64 reader_spin; /* spin_layout.h, by the reader only: for people who look, on a line that no end reads */
    uint8_t reserved_776[120];

    ipc_atomic64 writer_spin; /* likewise */
    uint8_t reserved_904[120];
} ipc_ring_header;

_Static_assert(offsetof(ipc_ring_header, magic) == 0, "wire-format section 4");
_Static_assert(offsetof(ipc_ring_header, capacity) == 8, "wire-format section 4");
_Static_assert(offsetof(ipc_ring_header, data_offset) == 16, "wire-format section 4");
_Static_assert(offsetof(ipc_ring_header, pool_offset) == 24, "wire-format section 4");
_Static_assert(offsetof(ipc_ring_header, present) == 32, "wire-format section 6");
_Static_assert(offsetof(ipc_ring_header, writer) == 128, "wire-format section 4");
_Static_assert(offsetof(ipc_ring_header, writer_state) == 132, "wire-format section 4");
_Static_assert(offsetof(ipc_ring_header, reader) == 136, "wire-format section 4");
_Static_assert(offsetof(ipc_ring_header, reader_state) == 140, "wire-format section 4");
_Static_assert(offsetof(ipc_ring_header, redeliver_until) == 144, "wire-format section 4");
_Static_assert(offsetof(ipc_ring_header, read_position) == 256, "wire-format section 4");
_Static_assert(offsetof(ipc_ring_header, reader_processor) == 264, "wire-format section 4");
_Static_assert(offsetof(ipc_ring_header, acknowledged) == 272, "wire-format section 14");
_Static_assert(offsetof(ipc_ring_header, free_position) == 384, "wire-format section 4");
_Static_assert(offsetof(ipc_ring_header, data) == 512, "wire-format section 4");
_Static_assert(offsetof(ipc_ring_header, writer_processor) == 576, "wire-format section 4");
_Static_assert(offsetof(ipc_ring_header, space) == 640, "wire-format section 4");
_Static_assert(offsetof(ipc_ring_header, reader_spin) == 768, "wire-format section 4");
_Static_assert(offsetof(ipc_ring_header, writer_spin) == 896, "wire-format section 4");
_Static_assert(sizeof(ipc_ring_header) == IPC_RING_HEADER_SIZE, "wire-format section 4");

/*
 *  63                               32 31                                0
 * +-+-+------------+----------------+------------------------------------+
 * |1|P|L reserved 0|  type (16)     |  payload length in bytes           |   0 = nothing published here
 * +-+-+------------+----------------+------------------------------------+
 */
#define IPC_RECORD_HEADER_SIZE 8u
#define IPC_RECORD_PUBLISHED   (1ull << 63)
#define IPC_RECORD_PADDING     (1ull << 62)
#define IPC_RECORD_LOAN        (1ull << 61)          /* the payload is a loan's descriptor */
#define IPC_RECORD_RESERVED    0x1FFF000000000000ull /* bits 48-60 */
#define IPC_RECORD_LOAN_LENGTH 16u                   /* of a descriptor */

static inline uint64_t ipc_record_size(uint32_t length)
{
    return (IPC_RECORD_HEADER_SIZE + (uint64_t)length + (IPC_LINE - 1)) & ~(uint64_t)(IPC_LINE - 1);
}

static inline uint64_t ipc_record_word(uint32_t length, uint16_t type)
{
    return IPC_RECORD_PUBLISHED | (uint64_t)type << 32 | length;
}

static inline uint64_t ipc_record_loan_word(uint16_t type)
{
    return ipc_record_word(IPC_RECORD_LOAN_LENGTH, type) | IPC_RECORD_LOAN;
}

/* Padding that covers `bytes`, header included. */
static inline uint64_t ipc_record_padding(uint64_t bytes)
{
    return IPC_RECORD_PUBLISHED | IPC_RECORD_PADDING | (bytes - IPC_RECORD_HEADER_SIZE);
}

#endif
