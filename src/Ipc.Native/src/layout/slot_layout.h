/* A slot of a queue or a topic: docs/wire-format.md section 8. (A listener's slots are listener_layout.h's.) */
#ifndef IPC_SLOT_LAYOUT_H
#define IPC_SLOT_LAYOUT_H

#include "atomic.h"

#include <stddef.h>

#define IPC_BLOCK_SLOT_HEADER 32u  /* then the payload */
#define IPC_BLOCK_SLOT_ALIGN  128u /* of every slot */
#define IPC_BLOCK_SIZE_MIN    8u
#define IPC_BLOCK_SIZE_MAX    (16u << 20)
#define IPC_BLOCK_COUNT_MIN   2u
#define IPC_BLOCK_COUNT_MAX   (1u << 20)

#define IPC_BLOCK_HAS_LOAN 1u /* bit 0 of `flags`: the payload is a loan's descriptor */

/*
 * state   63           32 31        16 15     8 7      0
 *        +---------------+------------+--------+--------+
 *        |  lap          |  owner     | flags  | phase  |
 *        +---------------+------------+--------+--------+
 */
enum { IPC_PHASE_FREE = 0, IPC_PHASE_WRITING = 1, IPC_PHASE_READY = 2, IPC_PHASE_READING = 3, IPC_PHASE_GAP = 4 };
#define IPC_SLOT_PHASE       0xFFull
#define IPC_SLOT_SEALED      0x100ull
#define IPC_SLOT_REDELIVERED 0x200ull
#define IPC_SLOT_RECLAIMED   0x400ull /* of a topic, with Gap */
#define IPC_SLOT_FLAGS       0xFF00ull
#define IPC_SLOT_OWNER       0xFFFF0000ull
#define IPC_SLOT_OWNER_SHIFT 16
#define IPC_SLOT_LAP_SHIFT   32

typedef struct ipc_block_slot {
    ipc_atomic64 state;
    /* written by the sender, before Ready */
    uint32_t length;
    uint16_t type;
    uint16_t flags;
    uint64_t key;         /* of a topic */
    uint32_t loan_lap;    /* with IPC_BLOCK_HAS_LOAN: the lap of the message that the descriptor is of */
    ipc_atomic32 fetched; /* of a topic: writers store 0 to have the line, nobody reads it */
    /* payload: block_size bytes */
} ipc_block_slot;

_Static_assert(offsetof(ipc_block_slot, state) == 0, "wire-format section 8");
_Static_assert(offsetof(ipc_block_slot, length) == 8, "wire-format section 8");
_Static_assert(offsetof(ipc_block_slot, type) == 12, "wire-format section 8");
_Static_assert(offsetof(ipc_block_slot, flags) == 14, "wire-format section 8");
_Static_assert(offsetof(ipc_block_slot, key) == 16, "wire-format section 8");
_Static_assert(offsetof(ipc_block_slot, loan_lap) == 24, "wire-format section 8");
_Static_assert(sizeof(ipc_block_slot) == IPC_BLOCK_SLOT_HEADER, "wire-format section 8");

/* Bytes from one slot to the next. */
static inline uint64_t ipc_block_stride(uint32_t block_size)
{
    return ((uint64_t)IPC_BLOCK_SLOT_HEADER + block_size + (IPC_BLOCK_SLOT_ALIGN - 1)) &
           ~(uint64_t)(IPC_BLOCK_SLOT_ALIGN - 1);
}

#endif
