/*
 * After a burst: a pool becomes small again by itself (docs/wire-format.md section 11).
 *
 * A sender counts what it sends, of any length, in windows. Blocks are taken from 0 up, so per class one number says
 * which ones a window needed: those before it. At the end of a window the blocks behind it that the sender had taken
 * earlier, and that are free by now, give their pages back to the system, the longest first, until no more than a small
 * rest is left: giving back and getting again costs more than that is worth. A block that somebody still reads is
 * looked at again at the end of the next window.
 *
 * The numbers are the sender's own and never shared. They are hints: what may be taken is decided by the block's state.
 */
#include "pools/pool.h"

#define SPARE_PAGES 256u /* 1 MiB */

static void raise(ipc_atomic32 *word, uint32_t to)
{
    if (ipc_load_relaxed32(word) < to)
        ipc_store_relaxed32(word, to); /* of two threads the lower number may win: then a block goes too early or stays */
}

void ipc_pool_note_use(ipc_pool *pool, uint32_t klass, uint32_t index)
{
    raise(&pool->used[klass], index + 1);
    raise(&pool->held[klass], index + 1);
    if (ipc_load_relaxed32(&pool->holds) == 0)
        ipc_store_relaxed32(&pool->holds, 1);
}

void ipc_pool_hold_all(ipc_pool *pool)
{
    for (uint32_t klass = 0; klass < pool->classes; klass++)
        ipc_store_relaxed32(&pool->held[klass], ipc_pool_class_count(pool->budget, klass));
    ipc_store_relaxed32(&pool->holds, 1);
}

static uint32_t pages_of(const ipc_pool *pool, uint32_t klass, uint32_t index)
{
    return ipc_pool_pages(ipc_load_relaxed32(&ipc_pool_block_at(pool, klass, index)->claimed), klass);
}

static bool is_free(const ipc_pool *pool, uint32_t klass, uint32_t index)
{
    return ipc_block_phase(ipc_load_relaxed64(&ipc_pool_block_at(pool, klass, index)->state)) == IPC_BLOCK_FREE;
}

/* Of the free blocks that the window did not need. */
static uint64_t spare_pages(const ipc_pool *pool)
{
    uint64_t spare = 0;
    for (uint32_t klass = 0; klass < pool->classes; klass++) {
        const uint32_t held = ipc_load_relaxed32(&pool->held[klass]);
        for (uint32_t index = ipc_load_relaxed32(&pool->used[klass]); index < held; index++)
            spare += is_free(pool, klass, index) ? pages_of(pool, klass, index) : 0;
    }
    return spare;
}

void ipc_pool_end_window(ipc_pool *pool, uint32_t owner)
{
    uint64_t spare = spare_pages(pool);
    uint32_t holds = 0;
    for (uint32_t klass = pool->classes; klass-- > 0;) {
        const uint32_t used = ipc_load_relaxed32(&pool->used[klass]);
        const uint32_t held = ipc_load_relaxed32(&pool->held[klass]);
        uint32_t last = used;
        for (uint32_t index = used; index < held; index++) {
            uint64_t taken = 0;
            if (spare > SPARE_PAGES && ipc_pool_take_pages(pool, klass, index, owner, &taken))
                spare -= taken < spare ? taken : spare;
            else if (pages_of(pool, klass, index) != 0)
                last = index + 1;
        }
        ipc_store_relaxed32(&pool->held[klass], last);
        ipc_store_relaxed32(&pool->used[klass], 0);
        holds |= last;
    }
    ipc_store_relaxed32(&pool->holds, holds);
}

void ipc_pool_end_messages(ipc_pool *pool, uint32_t owner, uint32_t messages)
{
    const uint32_t passed = ipc_load_relaxed32(&pool->passed) + messages;
    ipc_store_relaxed32(&pool->passed, passed < IPC_POOL_WINDOW_MESSAGES ? passed : 0);
    if (passed >= IPC_POOL_WINDOW_MESSAGES)
        ipc_pool_end_window(pool, owner);
}
