/* check_region: the slots and the readers of a topic. */
#include "check_parts.h"

#include <inttypes.h>
#include <stdlib.h>

static void check_readers(check *c, uint64_t readers, uint64_t tail, uint32_t slot_count)
{
    for (uint32_t i = 0; i < c->participants; i++) {
        const uint64_t entry = readers + (uint64_t)CHECK_ENTRY * i;
        const uint32_t state = check_u32(c, entry) & 0xFF, policy = check_u32(c, entry + 4);
        const bool active = (check_u64(c, c->body + 512 + i / 64 * 8) >> i % 64 & 1) != 0;
        const bool is_reader = c->alive[i] && (c->role[i] & 2) != 0;
        if (state > 2 || policy > 3)
            complain(c, "reader %u: state %u, policy %u", i, state, policy);
        if ((state != 0 || active) && !is_reader)
            complain(c, "reader %u is in the topic's table (state %u, bit %d) and is not there", i, state, active);
        if (c->depth == CHECK_BUSY || state != 1)
            continue;
        const uint64_t cursor = check_u64(c, entry + 8);
        if (!active)
            complain(c, "reader %u is active and its bit is not set", i);
        if (policy == 0 && (cursor > tail + 1 || tail > cursor + slot_count + 1))
            complain(c, "reader %u is reliable and stands at %" PRIu64 ", the tail is %" PRIu64, i, cursor, tail);
    }
}

static void check_slot_of(check *c, const check_slot *s, uint32_t i)
{
    if (s->phase == SLOT_READING || s->phase > SLOT_GAP ||
        (s->flags & ~(s->phase == SLOT_GAP ? (uint32_t)SLOT_RECLAIMED : 0)) != 0) {
        complain(c, "slot %u: the word %#" PRIx64 " is none of a topic", i, s->word);
        return;
    }
    if (s->phase == SLOT_WRITING && !check_lives(c, s->owner))
        complain(c, "slot %u is being written by participant %u, who is not there", i, s->owner - 1);
    else if (s->phase == SLOT_WRITING && c->depth != CHECK_BUSY)
        complain(c, "slot %u is being written", i);
}

/* Positions rise by one from slot to slot, from the tail's predecessor a lap back: there is no hole that readers would
 * wait at. */
static void check_laps(check *c, const check_slot *slots, uint32_t slot_count, uint64_t tail)
{
    for (uint32_t i = 0; i < slot_count; i++) {
        const uint32_t behind =
            (uint32_t)((tail - 1 - i) / slot_count); /* the lap of the last position before the tail */
        const int32_t ahead = (int32_t)(slots[i].lap - behind);
        if (ahead != 0 &&
            !(ahead == 1 && tail % slot_count == i)) /* whoever died after its CAS may not have helped the tail */
            complain(c, "slot %u is in lap %u, the tail is %" PRIu64, i, slots[i].lap, tail);
    }
}

void check_topic(check *c)
{
    const uint32_t slot_count = check_u32(c, c->body + 8);
    const uint64_t stride = check_u64(c, c->body + 16), offset = check_u64(c, c->body + 24),
                   readers = check_u64(c, c->body + 32);
    const uint64_t pool = check_u64(c, c->body + 48), tail = check_u64(c, c->body + 128);
    if (slot_count < 2 || slot_count > 1u << 20) {
        complain(c, "a topic of %u slots", slot_count);
        return;
    }
    check_slot *slots = calloc(slot_count, sizeof *slots);
    if (slots == NULL) {
        complain(c, "no memory");
        return;
    }
    for (uint32_t i = 0; i < slot_count; i++) {
        slots[i] = check_read_slot(c, offset + i * stride);
        check_slot_of(c, &slots[i], i);
    }
    if (c->depth != CHECK_BUSY)
        check_laps(c, slots, slot_count, tail);
    check_readers(c, readers, tail, slot_count);
    if (pool != 0)
        check_pool(c, pool, &(check_names){.slots = slots, .count = slot_count});
    free(slots);
}
