/* check_region: a ring. Records from read_position to the tail, then nothing but zeros at the starts of the lines. */
#include "check_parts.h"

#include <inttypes.h>
#include <stdlib.h>

#define PUBLISHED (UINT64_C(1) << 63)
#define PADDING   (UINT64_C(1) << 62)
#define LOAN      (UINT64_C(1) << 61)
enum { LINE = 64 };

static void check_owner(check *c, const char *what, uint32_t owner, uint32_t state)
{
    if (owner != 0 && (!check_lives(c, owner) || state != 1))
        complain(c, "the %s is participant %u (state %u), who is not there", what, owner - 1, state);
    if (owner == 0 && state == 1)
        complain(c, "the %s is live and nobody", what);
}

static check_slot loan_at(check *c, uint64_t payload)
{
    return (check_slot){.loan = true,
                        .klass = check_u16(c, payload),
                        .index = check_u32(c, payload + 4),
                        .generation = check_u32(c, payload + 8)};
}

void check_ring(check *c)
{
    const uint64_t ring = c->body, capacity = check_u64(c, ring + 8), data = check_u64(c, ring + 16),
                   pool = check_u64(c, ring + 24);
    check_owner(c, "writer", check_u32(c, ring + 128), check_u32(c, ring + 132));
    check_owner(c, "reader", check_u32(c, ring + 136), check_u32(c, ring + 140));
    if (c->depth == CHECK_BUSY)
        return;
    const uint64_t read = check_u64(c, ring + 256), freed = check_u64(c, ring + 384);
    if (capacity < CHECK_PAGE || (capacity & (capacity - 1)) != 0 || freed > read || read - freed > capacity) {
        complain(c, "a ring of %" PRIu64 " bytes, read to %" PRIu64 ", free to %" PRIu64, capacity, read, freed);
        return;
    }
    check_slot *slots = calloc((size_t)(capacity / LINE), sizeof *slots);
    if (slots == NULL) {
        complain(c, "no memory");
        return;
    }
    uint64_t at = read, loans = 0, header;
    while (at < freed + capacity && (header = check_u64(c, data + at % capacity)) != 0) {
        const uint64_t size = (8 + (header & 0xFFFFFFFFu) + LINE - 1) & ~(uint64_t)(LINE - 1);
        if ((header & PUBLISHED) == 0 || (header >> 48 & 0x1FFFu) != 0 || size > capacity - at % capacity) {
            complain(c, "the record at %" PRIu64 " begins with %#" PRIx64, at, header);
            break;
        }
        if (c->depth == CHECK_EMPTY && (header & PADDING) == 0)
            complain(c, "the record at %" PRIu64 " was not read", at);
        if ((header & LOAN) != 0)
            slots[loans++] = loan_at(c, data + at % capacity + 8);
        at += size;
    }
    for (; at < freed + capacity; at += LINE)
        if ((header = check_u64(c, data + at % capacity)) != 0) {
            complain(c, "behind the tail, at %" PRIu64 ", stands %#" PRIx64, at, header);
            break;
        }
    if (pool != 0)
        check_pool(c, pool, &(check_names){.slots = slots, .count = loans});
    free(slots);
}
