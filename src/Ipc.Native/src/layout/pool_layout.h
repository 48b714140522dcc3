/* The header, the block table and the descriptors of a pool of loans: docs/wire-format.md section 11. */
#ifndef IPC_POOL_LAYOUT_H
#define IPC_POOL_LAYOUT_H

#include "atomic.h"

#include <stddef.h>

#define IPC_POOL_MAGIC       0x4C4F4F50u /* "POOL" */
#define IPC_POOL_HEADER_SIZE 4096u
#define IPC_POOL_ALIGNMENT   4096u
#define IPC_POOL_PAGE        4096u /* what `claimed` and `present` count */
#define IPC_POOL_PAGE_SHIFT  12u
#define IPC_POOL_BUDGET_MIN  4096ull
#define IPC_POOL_BUDGET_MAX  (1ull << 36)
#define IPC_POOL_CLASSES_MAX 25u  /* 4096 << 24 is the largest budget */
#define IPC_POOL_CLASS_COUNT 256u /* blocks of a class, at most */
#define IPC_POOL_FREE_WORDS  4u   /* a bit for each */

typedef struct ipc_pool_header {
    /* written once, by the creator */
    uint32_t magic;
    uint32_t classes;
    uint64_t budget; /* bytes that may be present at one time */

    ipc_atomic32 table_missing; /* in a connection only: 1 while the block table is a hole [present] */
    uint8_t reserved_20[108];

    ipc_atomic64 exhausted; /* how often no block was to be had */
    uint8_t reserved_136[888];

    ipc_atomic64 free[IPC_POOL_CLASSES_MAX][IPC_POOL_FREE_WORDS]; /* bit i: block i is probably free */
    uint8_t reserved_1824[2272];
} ipc_pool_header;

_Static_assert(offsetof(ipc_pool_header, magic) == 0, "wire-format section 11");
_Static_assert(offsetof(ipc_pool_header, classes) == 4, "wire-format section 11");
_Static_assert(offsetof(ipc_pool_header, budget) == 8, "wire-format section 11");
_Static_assert(offsetof(ipc_pool_header, table_missing) == 16, "wire-format section 11");
_Static_assert(offsetof(ipc_pool_header, exhausted) == 128, "wire-format section 11");
_Static_assert(offsetof(ipc_pool_header, free) == 1024, "wire-format section 11");
_Static_assert(sizeof(ipc_pool_header) == IPC_POOL_HEADER_SIZE, "wire-format section 11");

enum { IPC_BLOCK_FREE = 0, IPC_BLOCK_OWNED = 1, IPC_BLOCK_PUBLISHED = 2 };

typedef struct ipc_pool_block {
    ipc_atomic64 state;   /* {generation : 32, owner : 16, 0 : 8, phase : 8} [loan] */
    ipc_atomic64 holder;  /* file offset of the slot, or position of the record, that names it */
    ipc_atomic32 claimed; /* pages that count against the budget */
    ipc_atomic32 present; /* pages behind which there is memory [present] */
    uint8_t reserved_24[8];
} ipc_pool_block;

_Static_assert(offsetof(ipc_pool_block, state) == 0, "wire-format section 11");
_Static_assert(offsetof(ipc_pool_block, holder) == 8, "wire-format section 11");
_Static_assert(offsetof(ipc_pool_block, claimed) == 16, "wire-format section 11");
_Static_assert(offsetof(ipc_pool_block, present) == 20, "wire-format section 11");
_Static_assert(sizeof(ipc_pool_block) == 32, "wire-format section 11");

static inline uint64_t ipc_block_word(uint32_t generation, uint32_t owner, uint32_t phase)
{
    return (uint64_t)generation << 32 | (uint64_t)(owner & 0xFFFFu) << 16 | phase;
}

static inline uint32_t ipc_block_generation(uint64_t word)
{
    return (uint32_t)(word >> 32);
}

static inline uint32_t ipc_block_owner(uint64_t word)
{
    return (uint32_t)(word >> 16) & 0xFFFFu;
}

/* All sixteen low bits: what stands in the reserved eight makes it a phase that nobody knows. */
static inline uint32_t ipc_block_phase(uint64_t word)
{
    return (uint32_t)word & 0xFFFFu;
}

/* What a record or a slot holds in the place of a long payload. */
typedef struct ipc_loan_descriptor {
    uint16_t klass;
    uint16_t reserved;
    uint32_t index;
    uint32_t generation;
    uint32_t length;
} ipc_loan_descriptor;

_Static_assert(offsetof(ipc_loan_descriptor, klass) == 0, "wire-format section 11");
_Static_assert(offsetof(ipc_loan_descriptor, reserved) == 2, "wire-format section 11");
_Static_assert(offsetof(ipc_loan_descriptor, index) == 4, "wire-format section 11");
_Static_assert(offsetof(ipc_loan_descriptor, generation) == 8, "wire-format section 11");
_Static_assert(offsetof(ipc_loan_descriptor, length) == 12, "wire-format section 11");
_Static_assert(sizeof(ipc_loan_descriptor) == 16, "wire-format section 11");

/* How many classes a budget makes, and how many blocks are in one of them. */
static inline uint32_t ipc_pool_classes(uint64_t budget)
{
    uint32_t classes = 1;
    while (((uint64_t)IPC_POOL_PAGE << (classes - 1)) < budget)
        classes++;
    return classes;
}

static inline uint32_t ipc_pool_class_count(uint64_t budget, uint32_t klass)
{
    const uint64_t fitting = budget >> (IPC_POOL_PAGE_SHIFT + klass);
    return fitting > IPC_POOL_CLASS_COUNT ? IPC_POOL_CLASS_COUNT : fitting < 1 ? 1 : (uint32_t)fitting;
}

static inline uint64_t ipc_pool_class_size(uint32_t klass)
{
    return (uint64_t)IPC_POOL_PAGE << klass;
}

#endif
