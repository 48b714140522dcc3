/* check_region: the slots of a queue, segment by segment. */
#include "check_parts.h"

#include <inttypes.h>
#include <stdlib.h>

enum { SEGMENTS = 1024, SEGMENT_HEADER = 384 };

typedef struct queue {
    uint32_t slot_count;
    uint32_t limit;
    uint32_t segments;
    uint64_t stride;
    uint64_t offset;
    uint64_t segment_stride;
    uint64_t send;
    uint64_t receive;
} queue;

check_slot check_read_slot(check *c, uint64_t offset)
{
    check_slot s = {.offset = offset, .word = check_u64(c, offset)};
    s.lap = (uint32_t)(s.word >> 32);
    s.owner = (uint32_t)(s.word >> 16) & 0xFFFFu;
    s.flags = (uint32_t)(s.word >> 8) & 0xFFu;
    s.phase = (uint32_t)s.word & 0xFFu;
    s.loan = s.phase != SLOT_FREE && s.phase != SLOT_GAP && (check_u16(c, offset + 14) & SLOT_LOAN) != 0 &&
             check_u32(c, offset + 24) == s.lap; /* else the flag and the descriptor are of an earlier message */
    if (s.loan) {
        s.klass = check_u16(c, offset + 32);
        s.index = check_u32(c, offset + 36);
        s.generation = check_u32(c, offset + 40);
    }
    return s;
}

static void check_slot_of(check *c, const check_slot *s, uint32_t segment, uint32_t i)
{
    if (s->phase > SLOT_READING || (s->flags & ~3u) != 0) {
        complain(c, "slot %u.%u: the word %#" PRIx64 " is none of a queue", segment, i, s->word);
        return;
    }
    if (s->phase == SLOT_WRITING || s->phase == SLOT_READING) {
        const char *what = s->phase == SLOT_WRITING ? "being written" : "being read";
        if (!check_lives(c, s->owner))
            complain(c, "slot %u.%u is %s by participant %u, who is not there", segment, i, what, s->owner - 1);
        else if (c->depth != CHECK_BUSY)
            complain(c, "slot %u.%u is %s", segment, i, what);
    }
    if (s->phase == SLOT_READY && c->depth == CHECK_EMPTY)
        complain(c, "slot %u.%u has a message that nobody received (flags %u)", segment, i, s->flags);
    if (s->phase == SLOT_FREE && (s->owner != 0 || (s->flags & SLOT_REDELIVERED) != 0))
        complain(c, "slot %u.%u: the word %#" PRIx64 " of a free slot", segment, i, s->word);
}

/* A seal belongs at the tail of a segment whose turn has ended, or is ending. One at most. */
static void check_seals(check *c, const queue *q, const check_slot *slots, uint32_t segment)
{
    const uint64_t header = c->body + SEGMENTS + (uint64_t)SEGMENT_HEADER * segment;
    const uint64_t tail = check_u64(c, header), head = check_u64(c, header + 128), next = check_u64(c, header + 256);
    uint32_t seals = 0;
    for (uint32_t i = 0; i < q->slot_count; i++) {
        if ((slots[i].flags & SLOT_SEALED) == 0)
            continue;
        seals++;
        if (tail % q->slot_count != i)
            complain(c, "segment %u is sealed at slot %u, its tail is at slot %" PRIu64, segment, i,
                     tail % q->slot_count);
        if ((q->send & 0xFFFF) == segment && next >> 16 != (q->send >> 16) + 1)
            complain(c, "segment %u is sealed in its turn and leads nowhere", segment);
    }
    if (seals > 1)
        complain(c, "segment %u is sealed %u times", segment, seals);
    if (head > tail + 1 || tail > head + q->slot_count + 1)
        complain(c, "segment %u: head %" PRIu64 ", tail %" PRIu64, segment, head, tail);
}

/* The chain from the receivers' segment to the senders' one has no gap. */
static void check_chain(check *c, const queue *q)
{
    uint64_t at = q->receive;
    for (uint32_t steps = 0; at >> 16 < q->send >> 16; steps++) {
        if ((at & 0xFFFF) >= q->segments || steps > q->limit) {
            complain(c, "the chain of segments is broken at %#" PRIx64, at);
            return;
        }
        const uint64_t next = check_u64(c, c->body + SEGMENTS + (uint64_t)SEGMENT_HEADER * (at & 0xFFFF) + 256);
        if (next >> 16 != (at >> 16) + 1) {
            complain(c, "after segment %#" PRIx64 " comes %#" PRIx64, at, next);
            return;
        }
        at = next;
    }
}

void check_queue(check *c)
{
    queue q = {.slot_count = check_u32(c, c->body + 8),
               .limit = check_u32(c, c->body + 12),
               .stride = check_u64(c, c->body + 16),
               .offset = check_u64(c, c->body + 24),
               .segment_stride = check_u64(c, c->body + 32),
               .segments = check_u32(c, c->body + 128),
               .send = check_u64(c, c->body + 256),
               .receive = check_u64(c, c->body + 384)};
    const uint64_t pool = check_u64(c, c->body + 48);
    if (q.limit == 0 || q.limit > 256 || q.segments == 0 || q.segments > q.limit || q.slot_count == 0 ||
        q.slot_count > 1u << 20 || (q.send & 0xFFFF) >= q.segments || (q.receive & 0xFFFF) >= q.segments) {
        complain(c, "a queue of %u slots in %u of %u segments", q.slot_count, q.segments, q.limit);
        return;
    }
    check_slot *slots = calloc((size_t)q.slot_count * q.segments, sizeof *slots);
    if (slots == NULL) {
        complain(c, "no memory");
        return;
    }
    for (uint32_t segment = 0; segment < q.segments; segment++) {
        check_slot *mine = slots + (size_t)segment * q.slot_count;
        for (uint32_t i = 0; i < q.slot_count; i++) {
            mine[i] = check_read_slot(c, q.offset + segment * q.segment_stride + i * q.stride);
            check_slot_of(c, &mine[i], segment, i);
        }
        if (c->depth != CHECK_BUSY)
            check_seals(c, &q, mine, segment);
    }
    if (c->depth != CHECK_BUSY)
        check_chain(c, &q);
    if (pool != 0)
        check_pool(c, pool, &(check_names){.slots = slots, .count = (uint64_t)q.slot_count * q.segments});
    free(slots);
}
