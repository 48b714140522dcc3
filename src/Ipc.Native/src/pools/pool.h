/*
 * pool.h - loans: blocks for messages that are too long for a record or a slot (docs/wire-format.md section 11).
 *
 * A pool lies in the file of one ring, queue or topic. Its blocks stand in classes of 4096 << k bytes and are holes in
 * the file: memory comes behind them page by page, when a message needs it, up to the pool's budget, and is given back
 * when other blocks need it or when it is asked for. A block's state is one word, {generation, owner, phase}, and each
 * change of it is a CAS from the whole word that was seen:
 *
 *     Free --take--> Owned --publish--> Published --free--> Free (generation + 1)
 *
 * A death leaves blocks Owned by the dead or Published and named by nobody; the sweep (ipc_pool_recover) frees those.
 * Everything in the table and in a descriptor may have been written by a hostile peer: each value is read once, cut to
 * what the geometry allows, and the geometry itself was read once, when the pool was located.
 */
#ifndef IPC_POOL_H
#define IPC_POOL_H

#include "compiler.h"
#include "layout/pool_layout.h"
#include "platform/fault.h"
#include "regions/region.h"

/* A pool takes ten times its budget of addresses, of which a process of 32 bits has few. */
#define IPC_POOL_DEFAULT_BUDGET (sizeof(void *) == 4 ? 8ull << 20 : 256ull << 20)
#define IPC_POOL_NOBODY         UINT32_MAX /* as dead owner: nobody's own blocks are freed */
/* Who waits for a loan sleeps at most this long at a time: a block may have been owned for a moment by somebody who
   found that it cannot grow, and a full disk may get room; neither is followed by a signal. */
#define IPC_POOL_LOOK_NS 20000000u

typedef struct ipc_pool {
    ipc_pool_header *header; /* NULL: there is no pool */
    ipc_pool_block *blocks;
    const ipc_region *region;
    uint64_t offset; /* of the pool in the region */
    uint64_t budget;
    uint32_t classes;
    uint32_t takeable; /* the same, or 0 while the block table is a hole: see ipc_pool_locate_table */
    uint32_t block_count;
    uint32_t first[IPC_POOL_CLASSES_MAX]; /* number of the class's first block */
    uint64_t place[IPC_POOL_CLASSES_MAX]; /* of the class's first block in the region */
    uint32_t count[IPC_POOL_CLASSES_MAX]; /* blocks of the class */
    ipc_atomic32 freed; /* the block that was freed here last, for the next to be taken: class + 1, index; 0: none */
    /* The sum of what is claimed is looked at and raised under this lock; NULL: there is a single sender. */
    bool (*growth_lock)(void *growth_owner); /* tries: false when somebody has it; who waits looks again soon */
    void (*growth_unlock)(void *growth_owner);
    void *growth_owner;
    /* What this sender has taken, by class: the highest block's number + 1 (pool_shrink.c). Of any thread; hints. */
    ipc_atomic32 held[IPC_POOL_CLASSES_MAX]; /* it may have pages, and we may be who gave them to it */
    ipc_atomic32 used[IPC_POOL_CLASSES_MAX]; /* in this window */
    ipc_atomic32 holds;                      /* 0: no class holds anything */
    ipc_atomic32 passed;                     /* messages of this window */
} ipc_pool;

/* A block in the hands of its owner, or of a reader. */
typedef struct ipc_loan {
    uint8_t *bytes;
    uint64_t capacity; /* bytes behind which there is memory */
    uint32_t generation;
    uint32_t index; /* within its class */
    uint16_t klass;
    uint16_t owner;
} ipc_loan;

typedef struct ipc_pool_info {
    uint64_t budget;
    uint64_t present;   /* bytes of memory behind its blocks */
    uint64_t exhausted; /* how often no block was to be had */
    uint32_t lent;      /* blocks that are owned or published */
} ipc_pool_info;

/* ---- geometry (pool.c) ------------------------------------------------------------------------------- */

/* What an option says: 0 the default, IPC_NO_LOANS none (0), otherwise bytes, rounded up to pages.
   IPC_E_INVALID_ARGUMENT above 64 GiB. */
ipc_status ipc_pool_budget(uint64_t asked, uint64_t *budget);
uint64_t ipc_pool_size(uint64_t budget);    /* bytes in the file, holes included; 0 for no budget */
uint64_t ipc_pool_reserve(uint64_t budget); /* header and table: present from creation, but in a connection */
void ipc_pool_write_header(void *at, uint64_t budget);
/* The pool at `offset` of the region, checked against its body. `offset` 0: no pool. */
ipc_status ipc_pool_locate(const ipc_region *region, uint64_t offset, ipc_pool *pool);

/* Of a connection: its block table is a hole until its one sender takes the first block. In other regions there is
   memory behind it. */
void ipc_pool_locate_table(ipc_pool *pool);
/* Is there memory behind the table? It is looked at by nobody before [present]. */
static inline bool ipc_pool_has_table(const ipc_pool *pool)
{
    return ipc_load_acquire32(&pool->header->table_missing) == 0; /* [present] */
}

static inline bool ipc_pool_exists(const ipc_pool *pool)
{
    return pool->header != NULL;
}

/* The longest message that it takes. */
static inline uint32_t ipc_pool_max_length(const ipc_pool *pool)
{
    return pool->budget > INT32_MAX ? INT32_MAX : (uint32_t)pool->budget;
}

/* ---- the sender's ------------------------------------------------------------------------------------ */

/* More memory behind an owned block: IPC_FULL if it cannot hold that (the loan is as it was). */
ipc_status ipc_pool_extend(ipc_pool *pool, ipc_loan *loan, uint32_t length);
/* ipc_pool_take, ipc_pool_describe and ipc_pool_publish: at the end of this file. */
void ipc_pool_give_back(ipc_pool *pool, const ipc_loan *loan); /* Owned -> Free */

/* ---- the receiver's ---------------------------------------------------------------------------------- */

/* `copy` was copied out of shared memory. IPC_E_CORRUPT: it describes no published block, or more than is there. */
ipc_status ipc_pool_resolve(const ipc_pool *pool, const ipc_loan_descriptor *copy, ipc_loan *loan);
/* Published -> Free. Nothing happens if the block is not published with that generation. */
void ipc_pool_free(ipc_pool *pool, const ipc_loan_descriptor *copy);

/* ---- after a death, and housekeeping ----------------------------------------------------------------- */

/* Frees what the dead one owned (`dead_owner` 0: every owned block; IPC_POOL_NOBODY: none), and what is published but
   not named by its holder. `names` NULL: everything published is named. Idempotent; may be killed anywhere. */
void ipc_pool_recover(ipc_pool *pool, uint32_t dead_owner,
                      bool (*names)(void *context, uint64_t holder, const ipc_loan_descriptor *descriptor),
                      void *context);
/* Gives the memory of free blocks back to the system. */
void ipc_pool_trim(ipc_pool *pool, uint32_t owner);
void ipc_pool_get_info(const ipc_pool *pool, ipc_pool_info *info);

/* ---- after a burst (pool_shrink.c) ------------------------------------------------------------------- */

/* A window: what was not needed for that long is not needed. */
#define IPC_POOL_WINDOW_MESSAGES 1024u
#define IPC_POOL_WINDOW_BYTES    65536u /* of a ring, or half the ring if that is more */

void ipc_pool_note_use(ipc_pool *pool, uint32_t klass, uint32_t index);
void ipc_pool_hold_all(ipc_pool *pool); /* who comes does not know what others have left */
/* The window ends: free blocks that it did not need give their pages back, but for a small rest. */
void ipc_pool_end_window(ipc_pool *pool, uint32_t owner);
void ipc_pool_end_messages(ipc_pool *pool, uint32_t owner, uint32_t messages);

/* This sender has sent so many messages, of any length: a window may be over. Once in a lap of a queue or topic. */
static inline void ipc_pool_pass(ipc_pool *pool, uint32_t owner, uint32_t messages)
{
    if (ipc_load_relaxed32(&pool->holds) != 0)
        ipc_pool_end_messages(pool, owner, messages);
}

/* ---- between pool.c and pool_growth.c ---------------------------------------------------------------- */

static inline ipc_pool_block *ipc_pool_block_at(const ipc_pool *pool, uint32_t klass, uint32_t index)
{
    return &pool->blocks[pool->first[klass] + index];
}

static inline uint64_t ipc_pool_place_of(const ipc_pool *pool, uint32_t klass, uint32_t index)
{
    return pool->place[klass] + (uint64_t)index * ipc_pool_class_size(klass);
}

/* Pages that are present (or claimed): a number from shared memory, believed up to the block's size. */
static inline uint32_t ipc_pool_pages(uint32_t word, uint32_t klass)
{
    return word > 1u << klass ? 1u << klass : word;
}

static inline ipc_loan_descriptor ipc_pool_describe(const ipc_loan *loan, uint32_t length)
{
    const ipc_loan_descriptor descriptor = {
        .klass = loan->klass, .index = loan->index, .generation = loan->generation, .length = length};
    return descriptor;
}

/* Owned -> Published; `holder` names it: the file offset of a slot, or the position of a record. False: it is not ours
   any more, which no peer does; do not send it. No CAS: nobody but its living owner changes an owned block. Who does
   all the same is hostile, and could as well have done it afterwards. */
static inline bool ipc_pool_publish(ipc_pool *pool, const ipc_loan *loan, uint64_t holder)
{
    ipc_pool_block *block = ipc_pool_block_at(pool, loan->klass, loan->index);
    if (ipc_load_relaxed64(&block->state) != ipc_block_word(loan->generation, loan->owner, IPC_BLOCK_OWNED))
        return false;
    ipc_store_relaxed64(&block->holder, holder);
    IPC_FAULT_POINT("pool.publish.before");
    ipc_store_release64(&block->state, ipc_block_word(loan->generation, 0, IPC_BLOCK_PUBLISHED)); /* [loan] */
    IPC_FAULT_POINT("pool.publish.after");
    return true;
}

/* Free -> Owned, if it is still the `word` that was seen. */
static inline bool ipc_pool_own(ipc_pool *pool, uint32_t klass, uint32_t index, uint64_t word, uint32_t owner,
                                ipc_loan *loan)
{
    ipc_pool_block *block = ipc_pool_block_at(pool, klass, index);
    const uint32_t generation = ipc_block_generation(word);
    if (!ipc_cas64(&block->state, &word, ipc_block_word(generation, owner, IPC_BLOCK_OWNED))) /* [loan] */
        return false;
    ipc_release_fence(); /* [overwrite]: who sees a byte that we write here sees that the block was taken */
    IPC_FAULT_POINT("pool.take.owned");
    const uint32_t present = ipc_pool_pages(ipc_load_acquire32(&block->present), klass); /* [present] */
    loan->bytes = ipc_region_at(pool->region, ipc_pool_place_of(pool, klass, index));
    loan->capacity = (uint64_t)present << IPC_POOL_PAGE_SHIFT;
    loan->generation = generation;
    loan->index = index;
    loan->klass = (uint16_t)klass;
    loan->owner = (uint16_t)owner;
    if (IPC_UNLIKELY(index >= ipc_load_relaxed32(&pool->used[klass])))
        ipc_pool_note_use(pool, klass, index);
    return true;
}

/* Makes the owned block have `pages`. May take pages of free blocks away for it, if it is allowed to. */
bool ipc_pool_grow(ipc_pool *pool, ipc_loan *loan, uint32_t pages, bool may_take);
/* Takes a free block's pages, which are added to `taken`. False: it is not free, or has none, or the system keeps them.
 */
bool ipc_pool_take_pages(ipc_pool *pool, uint32_t klass, uint32_t index, uint32_t owner, uint64_t *taken);
/* claimed = present: what was claimed and never announced is given back. The caller owns the block, or its owner is
   dead. */
void ipc_pool_settle(ipc_pool *pool, uint32_t klass, uint32_t index);

/* ---- taking, the fast path ------------------------------------------------------------------------ */

/* The class whose blocks have that many pages. */
static inline uint32_t ipc_pool_class_for(uint32_t pages)
{
    return pages <= 1 ? 0 : 32 - (uint32_t)__builtin_clz(pages - 1);
}

static inline uint32_t ipc_pool_pages_for(uint64_t length)
{
    return length == 0 ? 1 : (uint32_t)((length + IPC_POOL_PAGE - 1) >> IPC_POOL_PAGE_SHIFT);
}

static inline bool ipc_pool_take_one(ipc_pool *pool, uint32_t klass, uint32_t index, uint32_t pages, uint32_t owner,
                                     ipc_loan *loan)
{
    ipc_pool_block *block = ipc_pool_block_at(pool, klass, index);
    const uint64_t word = ipc_load_acquire64(&block->state);
    return ipc_block_phase(word) == IPC_BLOCK_FREE &&
           ipc_pool_pages(ipc_load_relaxed32(&block->present), klass) >= pages &&
           ipc_pool_own(pool, klass, index, word, owner, loan);
}

/* The fast path: the block that was freed here last (a topic's writer frees one for each that it takes, and looking
   through the bits would cost a change of them for each), or the first of the first 64 that is noted. */
static inline bool ipc_pool_take_fast(ipc_pool *pool, uint32_t owner, uint32_t pages, ipc_loan *loan)
{
    const uint32_t klass = ipc_pool_class_for(pages);
    if (IPC_UNLIKELY(klass >= pool->takeable))
        return false;
    const uint32_t freed = ipc_load_relaxed32(&pool->freed);
    if (freed >> 16 == klass + 1 && ipc_pool_take_one(pool, klass, freed & 0xFFFFu, pages, owner, loan))
        return true;
    const uint64_t bits = ipc_load_relaxed64(&pool->header->free[klass][0]);
    const uint32_t index = bits == 0 ? UINT32_MAX : (uint32_t)__builtin_ctzll(bits);
    return index < pool->count[klass] && ipc_pool_take_one(pool, klass, index, pages, owner, loan);
}

ipc_status ipc_pool_take_slowly(ipc_pool *pool, uint32_t owner, uint32_t length, ipc_loan *loan);

/* A block of at least `length` bytes, Owned by `owner` (participant index + 1). IPC_FULL: not now, for the budget or
   the disk is used up. IPC_E_TOO_LARGE: never. */
static inline ipc_status ipc_pool_take(ipc_pool *pool, uint32_t owner, uint32_t length, ipc_loan *loan)
{
    const uint32_t pages = ipc_pool_pages_for(length);
    return IPC_LIKELY(ipc_pool_take_fast(pool, owner, pages, loan)) ? IPC_OK
                                                                    : ipc_pool_take_slowly(pool, owner, length, loan);
}

#endif
