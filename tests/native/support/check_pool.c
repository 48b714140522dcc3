/* check_region: the blocks of a pool. Each is free, or somebody who lives fills it, or exactly one message names it. */
#include "check_parts.h"

#include <inttypes.h>

enum { BLOCK_FREE, BLOCK_OWNED, BLOCK_PUBLISHED };

static unsigned named(const check_names *names, uint16_t klass, uint32_t index, uint32_t generation)
{
    unsigned count = 0;
    for (uint64_t i = 0; i < names->count; i++) {
        const check_slot *s = &names->slots[i];
        count += s->loan && s->klass == klass && s->index == index && s->generation == generation;
    }
    return count;
}

static void check_block(check *c, uint64_t block, uint16_t klass, uint32_t index, const check_names *names)
{
    const uint64_t state = check_u64(c, block);
    const uint32_t generation = (uint32_t)(state >> 32), owner = (uint32_t)(state >> 16) & 0xFFFFu,
                   phase = (uint32_t)state & 0xFFu;
    if (phase > BLOCK_PUBLISHED || (state >> 8 & 0xFFu) != 0)
        complain(c, "block %u.%u: the word %#" PRIx64 " is none of a pool", klass, index, state);
    if (phase == BLOCK_OWNED && !check_lives(c, owner))
        complain(c, "block %u.%u belongs to participant %u, who is not there", klass, index, owner - 1);
    if (c->depth == CHECK_BUSY)
        return;
    const unsigned names_of = named(names, klass, index, generation);
    if (phase == BLOCK_OWNED)
        complain(c, "block %u.%u is being filled", klass, index);
    if (phase == BLOCK_PUBLISHED && names_of != 1)
        complain(c, "block %u.%u is published and named by %u messages", klass, index, names_of);
    if (phase == BLOCK_FREE && names_of != 0)
        complain(c, "block %u.%u is free and named by %u messages", klass, index, names_of);
    if (check_u32(c, block + 16) != check_u32(c, block + 20))
        complain(c, "block %u.%u: %u pages claimed, %u present", klass, index, check_u32(c, block + 16),
                 check_u32(c, block + 20));
}

void check_pool(check *c, uint64_t pool, const check_names *names)
{
    const uint32_t classes = check_u32(c, pool + 4);
    const uint64_t budget = check_u64(c, pool + 8);
    if (check_u32(c, pool) != 0x4C4F4F50u || classes == 0 || classes > 32) {
        complain(c, "no pool at %" PRIu64, pool);
        return;
    }
    uint64_t block = pool + CHECK_PAGE, claimed = 0, blocks = 0;
    for (uint16_t k = 0; k < classes; k++) {
        const uint64_t fits = budget >> (12 + k);
        const uint32_t count = fits > 256 ? 256 : fits < 1 ? 1 : (uint32_t)fits;
        for (uint32_t i = 0; i < count; i++, block += 32, blocks++) {
            check_block(c, block, k, i, names);
            claimed += check_u32(c, block + 16);
        }
    }
    if (c->depth != CHECK_BUSY && claimed * CHECK_PAGE > budget)
        complain(c, "%" PRIu64 " pages are present, the budget is %" PRIu64 " bytes", claimed, budget);
}
