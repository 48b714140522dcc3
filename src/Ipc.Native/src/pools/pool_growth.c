/*
 * Where a block's memory comes from, and where it goes.
 *
 * A block's pages are claimed before they are made present, and announced after: `claimed` counts against the budget,
 * `present` says what may be touched. What lies between the two belongs to a grower that is at work or dead; in the
 * second case it goes back to the system (ipc_pool_settle). Only the owner of a block changes its two numbers, and only
 * the sum over all blocks needs a lock: a sum that is too high because somebody gives pages back is no harm.
 *
 * Making pages present is what can find the disk full. It is an error there and never a fault later.
 */
#include "platform/fault.h"
#include "pools/pool.h"

/* Each turn another sender got what was taken away from the free blocks. */
#define TURNS 4

typedef struct ipc_pool_place {
    uint32_t klass;
    uint32_t index;
    ipc_pool_block *block;
    uint64_t offset;
} ipc_pool_place;

static ipc_pool_place place_of(const ipc_pool *pool, uint32_t klass, uint32_t index)
{
    const ipc_pool_place place = {.klass = klass,
                                  .index = index,
                                  .block = ipc_pool_block_at(pool, klass, index),
                                  .offset = ipc_pool_place_of(pool, klass, index)};
    return place;
}

static uint32_t claimed_pages(const ipc_pool_place *place)
{
    return ipc_pool_pages(ipc_load_relaxed32(&place->block->claimed), place->klass);
}

static uint32_t present_pages(const ipc_pool_place *place)
{
    return ipc_pool_pages(ipc_load_relaxed32(&place->block->present), place->klass);
}

static bool remove_pages(const ipc_pool *pool, const ipc_pool_place *place, uint32_t from, uint32_t to)
{
    return from >= to ||
           ipc_platform_give_back_pages(pool->region->base, place->offset + ((uint64_t)from << IPC_POOL_PAGE_SHIFT),
                                        (uint64_t)(to - from) << IPC_POOL_PAGE_SHIFT);
}

void ipc_pool_settle(ipc_pool *pool, uint32_t klass, uint32_t index)
{
    const ipc_pool_place place = place_of(pool, klass, index);
    const uint32_t present = present_pages(&place);
    if (remove_pages(pool, &place, present, claimed_pages(&place)))
        ipc_store_relaxed32(&place.block->claimed, present);
}

/* ---- growing ----------------------------------------------------------------------------------------- */

static uint64_t pages_claimed(const ipc_pool *pool)
{
    uint64_t sum = 0;
    for (uint32_t klass = 0; klass < pool->classes; klass++) {
        for (uint32_t index = 0; index < pool->count[klass]; index++) {
            const ipc_pool_place place = place_of(pool, klass, index);
            sum += claimed_pages(&place);
        }
    }
    return sum;
}

/* Claims `pages` for the block, in all, if the budget has them. `over`: how many it has not. */
static bool claim(ipc_pool *pool, const ipc_pool_place *place, uint32_t pages, uint64_t *over)
{
    *over = 0;
    if (pool->growth_lock != NULL && !pool->growth_lock(pool->growth_owner))
        return false;
    const uint64_t allowed = pool->budget >> IPC_POOL_PAGE_SHIFT;
    const uint64_t sum = pages_claimed(pool) - claimed_pages(place) + pages;
    if (sum <= allowed) {
        ipc_store_relaxed32(&place->block->claimed, pages);
        IPC_FAULT_POINT("pool.grow.claimed");
    } else {
        *over = sum - allowed;
    }
    if (pool->growth_unlock != NULL)
        pool->growth_unlock(pool->growth_owner);
    return sum <= allowed;
}

static bool make_present(ipc_pool *pool, const ipc_pool_place *place, uint32_t present, uint32_t pages)
{
    if (ipc_platform_populate(pool->region->file, pool->region->base,
                              place->offset + ((uint64_t)present << IPC_POOL_PAGE_SHIFT),
                              (uint64_t)(pages - present) << IPC_POOL_PAGE_SHIFT) != IPC_OK) {
        ipc_pool_settle(pool, place->klass, place->index);
        return false;
    }
    IPC_FAULT_POINT("pool.grow.present");
    ipc_store_release32(&place->block->present, pages); /* [present] */
    return true;
}

bool ipc_pool_take_pages(ipc_pool *pool, uint32_t klass, uint32_t index, uint32_t owner, uint64_t *taken)
{
    const ipc_pool_place place = place_of(pool, klass, index);
    const uint64_t word = ipc_load_acquire64(&place.block->state);
    ipc_loan loan;
    if (ipc_block_phase(word) != IPC_BLOCK_FREE || claimed_pages(&place) == 0 ||
        !ipc_pool_own(pool, klass, index, word, owner, &loan))
        return false;
    const uint32_t present = present_pages(&place);
    const uint32_t claimed = claimed_pages(&place);
    ipc_store_release32(&place.block->present, 0); /* [present]: first, so that a death here leaves nothing announced */
    const bool removed = remove_pages(pool, &place, 0, claimed > present ? claimed : present);
    if (removed)
        ipc_store_relaxed32(&place.block->claimed, 0);
    else
        ipc_store_release32(&place.block->present, present); /* [present] */
    ipc_pool_give_back(pool, &loan);
    *taken += removed ? claimed : 0;
    return removed;
}

/* Until there are `wanted` pages more; the long blocks first: they give the most at one stroke. */
static uint64_t take_from_free(ipc_pool *pool, uint32_t owner, uint64_t wanted)
{
    uint64_t taken = 0;
    for (uint32_t klass = pool->classes; klass-- > 0;) {
        for (uint32_t index = 0; index < pool->count[klass] && taken < wanted; index++)
            (void)ipc_pool_take_pages(pool, klass, index, owner, &taken);
    }
    return taken;
}

bool ipc_pool_grow(ipc_pool *pool, ipc_loan *loan, uint32_t pages, bool may_take)
{
    const ipc_pool_place place = place_of(pool, loan->klass, loan->index);
    for (int turn = 0; turn < TURNS; turn++) {
        const uint32_t present = (uint32_t)(loan->capacity >> IPC_POOL_PAGE_SHIFT);
        uint64_t missing = 0;
        if (claim(pool, &place, pages, &missing)) {
            if (make_present(pool, &place, present, pages)) {
                loan->capacity = (uint64_t)pages << IPC_POOL_PAGE_SHIFT;
                return true;
            }
            missing = pages - present; /* the disk is full, or the process is short of memory */
        }
        if (missing == 0 || !may_take || take_from_free(pool, loan->owner, missing) == 0)
            return false;
    }
    return false;
}

/* ---- housekeeping ------------------------------------------------------------------------------------ */

void ipc_pool_trim(ipc_pool *pool, uint32_t owner)
{
    if (pool->takeable != 0)
        (void)take_from_free(pool, owner, UINT64_MAX);
}

void ipc_pool_get_info(const ipc_pool *pool, ipc_pool_info *info)
{
    info->budget = pool->budget;
    info->present = 0;
    info->exhausted = pool->header == NULL ? 0 : ipc_load_relaxed64(&pool->header->exhausted);
    info->lent = 0;
    if (pool->header == NULL || !ipc_pool_has_table(pool))
        return;
    for (uint32_t klass = 0; klass < pool->classes; klass++) {
        for (uint32_t index = 0; index < pool->count[klass]; index++) {
            const ipc_pool_place place = place_of(pool, klass, index);
            const uint32_t phase = ipc_block_phase(ipc_load_relaxed64(&place.block->state));
            info->present += (uint64_t)present_pages(&place) << IPC_POOL_PAGE_SHIFT;
            info->lent += phase == IPC_BLOCK_OWNED || phase == IPC_BLOCK_PUBLISHED;
        }
    }
}
