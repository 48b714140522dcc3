/* Geometry, and a block's way through its states. Where its memory comes from is pool_growth.c's. */
#include "pools/pool.h"

#include "compiler.h"
#include "platform/error.h"
#include "platform/fault.h"

#include <inttypes.h>
#include <string.h>

/* With the budget used up, a block that has its memory may be this many classes longer than it must be. */
#define SPARE_CLASSES 2u

/* ---- geometry ---------------------------------------------------------------------------------------- */

ipc_status ipc_pool_budget(uint64_t asked, uint64_t *budget)
{
    *budget = 0;
    if (asked == IPC_NO_LOANS)
        return IPC_OK;
    if (asked > IPC_POOL_BUDGET_MAX)
        return ipc_fail(IPC_E_INVALID_ARGUMENT, "a loan budget is at most %llu bytes, not %" PRIu64,
                        IPC_POOL_BUDGET_MAX, asked);
    const uint64_t bytes = asked == 0 ? IPC_POOL_DEFAULT_BUDGET : asked;
    *budget = (bytes + IPC_POOL_PAGE - 1) & ~(uint64_t)(IPC_POOL_PAGE - 1);
    return IPC_OK;
}

uint64_t ipc_pool_reserve(uint64_t budget)
{
    if (budget == 0)
        return 0;
    uint64_t blocks = 0;
    for (uint32_t klass = 0; klass < ipc_pool_classes(budget); klass++)
        blocks += ipc_pool_class_count(budget, klass);
    const uint64_t table = blocks * sizeof(ipc_pool_block);
    return IPC_POOL_HEADER_SIZE + ((table + IPC_POOL_PAGE - 1) & ~(uint64_t)(IPC_POOL_PAGE - 1));
}

uint64_t ipc_pool_size(uint64_t budget)
{
    if (budget == 0)
        return 0;
    uint64_t size = ipc_pool_reserve(budget);
    for (uint32_t klass = 0; klass < ipc_pool_classes(budget); klass++)
        size += ipc_pool_class_count(budget, klass) * ipc_pool_class_size(klass);
    return size;
}

void ipc_pool_write_header(void *at, uint64_t budget)
{
    ipc_pool_header *header = at;
    header->magic = IPC_POOL_MAGIC;
    header->classes = ipc_pool_classes(budget);
    header->budget = budget;
    for (uint32_t klass = 0; klass < header->classes; klass++) {
        const uint64_t count = ipc_pool_class_count(budget, klass);
        for (uint32_t first = 0; first < count; first += 64)
            ipc_store_relaxed64(&header->free[klass][first / 64],
                                count - first >= 64 ? UINT64_MAX : (1ull << (count - first)) - 1);
    }
}

static void lay_out(ipc_pool *pool)
{
    uint64_t place = pool->offset + ipc_pool_reserve(pool->budget);
    uint32_t first = 0;
    for (uint32_t klass = 0; klass < pool->classes; klass++) {
        const uint32_t count = ipc_pool_class_count(pool->budget, klass);
        pool->first[klass] = first;
        pool->place[klass] = place;
        pool->count[klass] = count;
        first += count;
        place += count * ipc_pool_class_size(klass);
    }
    pool->block_count = first;
}

ipc_status ipc_pool_locate(const ipc_region *region, uint64_t offset, ipc_pool *pool)
{
    memset(pool, 0, sizeof *pool);
    if (offset == 0)
        return IPC_OK;
    const uint64_t body = region->geometry.body_offset;
    const uint64_t end = body + region->geometry.body_size;
    if (offset % IPC_POOL_ALIGNMENT != 0 || offset < body || offset > end || end - offset < IPC_POOL_HEADER_SIZE)
        return ipc_fail(IPC_E_CORRUPT, "%s has a pool at %" PRIu64 ", outside its body (%" PRIu64 "..%" PRIu64 ")",
                        region->path, offset, body, end);

    ipc_pool_header *header = ipc_region_at(region, offset);
    const uint32_t magic = *(volatile uint32_t *)&header->magic; /* once: the peer can still write it */
    const uint32_t classes = *(volatile uint32_t *)&header->classes;
    const uint64_t budget = *(volatile uint64_t *)&header->budget;
    if (magic != IPC_POOL_MAGIC)
        return ipc_fail(IPC_E_CORRUPT, "%s has %08x where a pool's magic %08x should be", region->path, magic,
                        IPC_POOL_MAGIC);
    if (budget < IPC_POOL_BUDGET_MIN || budget > IPC_POOL_BUDGET_MAX || budget % IPC_POOL_PAGE != 0)
        return ipc_fail(IPC_E_CORRUPT, "%s has a pool for %" PRIu64 " bytes, not a multiple of %u from %llu to %llu",
                        region->path, budget, IPC_POOL_PAGE, IPC_POOL_BUDGET_MIN, IPC_POOL_BUDGET_MAX);
    if (classes != ipc_pool_classes(budget))
        return ipc_fail(IPC_E_CORRUPT, "%s has a pool of %u classes, %" PRIu64 " bytes make %u", region->path, classes,
                        budget, ipc_pool_classes(budget));
    if (end - offset < ipc_pool_size(budget))
        return ipc_fail(IPC_E_CORRUPT, "%s has a pool of %" PRIu64 " bytes at %" PRIu64 ", the body ends at %" PRIu64,
                        region->path, ipc_pool_size(budget), offset, end);
    pool->header = header;
    pool->blocks = ipc_region_at(region, offset + IPC_POOL_HEADER_SIZE);
    pool->region = region;
    pool->offset = offset;
    pool->budget = budget;
    pool->classes = classes;
    pool->takeable = classes;
    lay_out(pool);
    ipc_pool_hold_all(pool);
    return IPC_OK;
}

void ipc_pool_locate_table(ipc_pool *pool)
{
    if (!ipc_pool_exists(pool) || ipc_pool_has_table(pool))
        return;
    pool->takeable = 0;
    for (uint32_t klass = 0; klass < pool->classes; klass++)
        ipc_store_relaxed32(&pool->held[klass], 0); /* nobody has taken anything */
    ipc_store_relaxed32(&pool->holds, 0);
}

/* By the pool's one sender, before it takes its first block. */
static bool make_table(ipc_pool *pool)
{
    if (pool->takeable != 0)
        return true;
    const uint64_t table = ipc_pool_reserve(pool->budget) - IPC_POOL_HEADER_SIZE;
    if (ipc_platform_populate(pool->region->file, pool->region->base, pool->offset + IPC_POOL_HEADER_SIZE, table) !=
        IPC_OK)
        return false;
    IPC_FAULT_POINT("pool.table.present");
    ipc_store_release32(&pool->header->table_missing, 0); /* [present] */
    pool->takeable = pool->classes;
    return true;
}

/* ---- taking ------------------------------------------------------------------------------------------ */

/*
 * The bits of `free` only say where to look first: the truth is in the blocks. A block that is taken keeps its bit, and
 * who meets it there takes the bit away; so a block that goes back and forth costs no change of the bits at all. A bit
 * that is missing (its block was freed by somebody who died, or on a machine that reorders, in the moment in which
 * another one took the bit away) is found when nothing else is to be had.
 */
static void note_free(ipc_pool *pool, uint32_t klass, uint32_t index)
{
    ipc_atomic64 *word = &pool->header->free[klass][index / 64];
    const uint64_t bit = 1ull << index % 64;
    if ((ipc_load_relaxed64(word) & bit) == 0)
        (void)ipc_or64(word, bit);
}

static void forget(ipc_pool *pool, uint32_t klass, uint32_t index)
{
    (void)ipc_and64(&pool->header->free[klass][index / 64], ~(1ull << index % 64));
    if (ipc_block_phase(ipc_load_acquire64(&ipc_pool_block_at(pool, klass, index)->state)) == IPC_BLOCK_FREE)
        note_free(pool, klass, index); /* it has become so meanwhile, and who freed it may have seen the bit */
}

/* Notes what is free and was not noted. False: nothing. */
static bool note_all(ipc_pool *pool)
{
    bool found = false;
    for (uint32_t klass = 0; klass < pool->classes; klass++) {
        for (uint32_t index = 0; index < pool->count[klass]; index++) {
            const uint64_t bits = ipc_load_relaxed64(&pool->header->free[klass][index / 64]);
            if ((bits >> index % 64 & 1) != 0 ||
                ipc_block_phase(ipc_load_acquire64(&ipc_pool_block_at(pool, klass, index)->state)) != IPC_BLOCK_FREE)
                continue;
            note_free(pool, klass, index);
            found = true;
        }
    }
    return found;
}

/* Of the blocks of the class that are noted as free: the first that has the pages, else the one that has the most. From
   0 up, so that few blocks are in use and their bytes in caches. False: none is. */
static bool find_noted(ipc_pool *pool, uint32_t klass, uint32_t pages, uint32_t *best, uint64_t *best_word)
{
    const uint32_t count = pool->count[klass];
    uint32_t best_present = 0;
    *best = count;
    for (uint32_t first = 0; first < count; first += 64) {
        uint64_t bits = ipc_load_relaxed64(&pool->header->free[klass][first / 64]);
        for (; bits != 0; bits &= bits - 1) {
            const uint32_t index = first + (uint32_t)__builtin_ctzll(bits);
            if (index >= count)
                break;
            ipc_pool_block *block = ipc_pool_block_at(pool, klass, index);
            const uint64_t word = ipc_load_acquire64(&block->state);
            if (ipc_block_phase(word) != IPC_BLOCK_FREE) {
                forget(pool, klass, index);
                continue;
            }
            const uint32_t present = ipc_pool_pages(ipc_load_relaxed32(&block->present), klass);
            if (*best == count || present > best_present) {
                *best = index;
                best_present = present;
                *best_word = word;
            }
            if (present >= pages)
                return true;
        }
    }
    return *best != count;
}

static bool take_of_class(ipc_pool *pool, uint32_t klass, uint32_t pages, uint32_t owner, ipc_loan *loan)
{
    uint32_t index;
    uint64_t word = 0;
    /* Each turn but the last lost a block to somebody else. */
    for (uint32_t turn = 0; turn <= IPC_POOL_CLASS_COUNT && find_noted(pool, klass, pages, &index, &word); turn++) {
        if (ipc_pool_own(pool, klass, index, word, owner, loan))
            return true;
    }
    return false;
}

/* Does the loan have the pages, or can it get them? Otherwise it is given back. */
static bool has_pages(ipc_pool *pool, ipc_loan *loan, uint32_t pages, bool may_grow, bool may_take)
{
    if (loan->capacity >> IPC_POOL_PAGE_SHIFT >= pages)
        return true;
    if (may_grow && ipc_pool_grow(pool, loan, pages, may_take))
        return true;
    ipc_pool_give_back(pool, loan);
    return false;
}

/* Of what is noted as free. */
static bool take_noted(ipc_pool *pool, uint32_t owner, uint32_t pages, ipc_loan *loan)
{
    const uint32_t least = ipc_pool_class_for(pages);

    /* Within the budget first; when that has failed once, only blocks that have what is needed, and not the whole of a
       very long one for a short message. */
    bool may_grow = true;
    for (uint32_t klass = least; klass < pool->classes && (may_grow || klass <= least + SPARE_CLASSES); klass++) {
        if (!take_of_class(pool, klass, pages, owner, loan))
            continue;
        if (has_pages(pool, loan, pages, may_grow, false))
            return true;
        may_grow = false;
    }
    /* Then at the expense of the free ones. */
    for (uint32_t klass = least; klass < pool->classes && !may_grow; klass++) {
        if (!take_of_class(pool, klass, pages, owner, loan))
            continue;
        if (has_pages(pool, loan, pages, true, true))
            return true;
        break; /* the first free block got nothing, so no other will */
    }
    return false;
}

ipc_status ipc_pool_take_slowly(ipc_pool *pool, uint32_t owner, uint32_t length, ipc_loan *loan)
{
    if (length > pool->budget)
        return ipc_fail(IPC_E_TOO_LARGE,
                        "a message of %u bytes does not fit: the loans take at most %" PRIu64
                        "; nothing was sent: send less at a time, or create them with a larger loan budget",
                        length, pool->budget);
    const uint32_t pages = ipc_pool_pages_for(length);
    if (make_table(pool) &&
        (take_noted(pool, owner, pages, loan) || (note_all(pool) && take_noted(pool, owner, pages, loan))))
        return IPC_OK;
    ipc_add_relaxed64(&pool->header->exhausted, 1);
    return IPC_FULL;
}

ipc_status ipc_pool_extend(ipc_pool *pool, ipc_loan *loan, uint32_t length)
{
    if (length <= loan->capacity)
        return IPC_OK;
    const uint32_t pages = ipc_pool_pages_for(length);
    if (pages > 1u << loan->klass)
        return IPC_FULL;
    return ipc_pool_grow(pool, loan, pages, false) || ipc_pool_grow(pool, loan, pages, true) ? IPC_OK : IPC_FULL;
}

/* ---- freeing ----------------------------------------------------------------------------------------- */

/* From exactly `word` to Free, one generation later. */
static bool set_free(ipc_pool *pool, uint32_t klass, uint32_t index, uint64_t word)
{
    const uint64_t freed = ipc_block_word(ipc_block_generation(word) + 1, 0, IPC_BLOCK_FREE);
    IPC_FAULT_POINT("pool.free.before");
    if (!ipc_cas64(&ipc_pool_block_at(pool, klass, index)->state, &word, freed)) /* [loan] */
        return false;
    note_free(pool, klass, index);
    ipc_store_relaxed32(&pool->freed, (klass + 1) << 16 | index);
    return true;
}

void ipc_pool_give_back(ipc_pool *pool, const ipc_loan *loan)
{
    (void)set_free(pool, loan->klass, loan->index, ipc_block_word(loan->generation, loan->owner, IPC_BLOCK_OWNED));
}

static bool is_in_table(const ipc_pool *pool, const ipc_loan_descriptor *copy)
{
    return copy->reserved == 0 && copy->klass < pool->classes && copy->index < pool->count[copy->klass] &&
           ipc_pool_has_table(pool);
}

void ipc_pool_free(ipc_pool *pool, const ipc_loan_descriptor *copy)
{
    if (is_in_table(pool, copy))
        (void)set_free(pool, copy->klass, copy->index, ipc_block_word(copy->generation, 0, IPC_BLOCK_PUBLISHED));
}

IPC_NOINLINE static ipc_status no_such_block(const ipc_pool *pool, const ipc_loan_descriptor *copy)
{
    return ipc_fail(IPC_E_CORRUPT,
                    "a loan's descriptor names block %u of class %u (%u): there are %u classes, and %s block table",
                    copy->index, copy->klass, copy->reserved, pool->classes, ipc_pool_has_table(pool) ? "a" : "no");
}

IPC_NOINLINE static ipc_status not_published(const ipc_loan_descriptor *copy, uint64_t word)
{
    return ipc_fail(IPC_E_CORRUPT,
                    "a loan's descriptor has generation %u of block %u of class %u, the block is %016" PRIx64,
                    copy->generation, copy->index, copy->klass, word);
}

IPC_NOINLINE static ipc_status longer_than_block(const ipc_loan_descriptor *copy, uint64_t capacity)
{
    return ipc_fail(IPC_E_CORRUPT, "a loan's descriptor says %u bytes, the block has %" PRIu64, copy->length, capacity);
}

ipc_status ipc_pool_resolve(const ipc_pool *pool, const ipc_loan_descriptor *copy, ipc_loan *loan)
{
    if (IPC_UNLIKELY(!is_in_table(pool, copy)))
        return no_such_block(pool, copy);
    const ipc_pool_block *block = ipc_pool_block_at(pool, copy->klass, copy->index);
    const uint64_t word = ipc_load_acquire64(&block->state); /* [loan] */
    if (IPC_UNLIKELY(word != ipc_block_word(copy->generation, 0, IPC_BLOCK_PUBLISHED)))
        return not_published(copy, word);
    const uint32_t present = ipc_pool_pages(ipc_load_acquire32(&block->present), copy->klass); /* [present] */
    const uint64_t capacity = (uint64_t)present << IPC_POOL_PAGE_SHIFT;
    if (IPC_UNLIKELY(copy->length > capacity))
        return longer_than_block(copy, capacity);
    loan->bytes = ipc_region_at(pool->region, ipc_pool_place_of(pool, copy->klass, copy->index));
    loan->capacity = capacity;
    loan->generation = copy->generation;
    loan->index = copy->index;
    loan->klass = copy->klass;
    loan->owner = 0;
    return IPC_OK;
}

/* ---- the sweep --------------------------------------------------------------------------------------- */

void ipc_pool_recover(ipc_pool *pool, uint32_t dead_owner,
                      bool (*names)(void *context, uint64_t holder, const ipc_loan_descriptor *descriptor),
                      void *context)
{
    for (uint32_t klass = 0; klass < pool->classes; klass++) {
        for (uint32_t index = 0; index < pool->count[klass]; index++) {
            ipc_pool_block *block = ipc_pool_block_at(pool, klass, index);
            const uint64_t word = ipc_load_acquire64(&block->state); /* [loan] */
            const uint32_t phase = ipc_block_phase(word);
            if (phase == IPC_BLOCK_OWNED) {
                if (dead_owner != 0 && ipc_block_owner(word) != dead_owner)
                    continue;
                ipc_pool_settle(pool, klass, index);
            } else if (phase == IPC_BLOCK_PUBLISHED && names != NULL) {
                const ipc_loan_descriptor descriptor = {
                    .klass = (uint16_t)klass, .index = index, .generation = ipc_block_generation(word)};
                if (names(context, ipc_load_relaxed64(&block->holder), &descriptor))
                    continue;
            } else {
                continue;
            }
            (void)set_free(pool, klass, index, word); /* not if it has changed: then it is somebody's again */
            IPC_FAULT_POINT("pool.recover.block");
        }
    }
}
