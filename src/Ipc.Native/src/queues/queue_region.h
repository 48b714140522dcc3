/*
 * queue_region.h - where a queue lies: its geometry, read from the region and checked once, and what is done to it for
 * the dead.
 */
#ifndef IPC_QUEUE_REGION_H
#define IPC_QUEUE_REGION_H

#include "layout/queue_layout.h"
#include "pools/pool.h"
#include "regions/region.h"
#include "slots/slot.h"

/* Never read from shared memory again. */
typedef struct ipc_queue_view {
    ipc_queue_header *header;
    ipc_queue_segment *segments;
    ipc_slot_ring first; /* the slots of segment 0 */
    uint64_t segment_stride;
    uint32_t block_size;
    uint32_t slot_count;
    uint32_t segment_limit;
    uint32_t min_expansion_distance;
    bool drops_orphans;
    uint64_t pool_offset;
} ipc_queue_view;

/* What a queue is made of; all checked. */
typedef struct ipc_queue_plan {
    uint32_t block_size;
    uint32_t slot_count;
    uint32_t segment_limit;
    uint32_t min_expansion_distance;
    uint32_t participants;
    bool preallocate;
    bool drops_orphans;
    ipc_lifetime lifetime;
    uint64_t loan_budget; /* 0: none */
} ipc_queue_plan;

extern const ipc_region_kind ipc_queue_kind;

/* Builds, writes, enters and links the region. */
ipc_status ipc_queue_region_create(const char *path, const ipc_share *share, const ipc_queue_plan *plan, void *owner,
                                   ipc_region **region);
/* IPC_E_CORRUPT: the header does not describe a queue that lies within the region. */
ipc_status ipc_queue_locate(const ipc_region *region, ipc_queue_view *view);

static inline ipc_slot_ring ipc_queue_slots(const ipc_queue_view *view, uint32_t segment)
{
    ipc_slot_ring ring = view->first;
    ring.slots += segment * view->segment_stride;
    return ring;
}

/* How many segments have memory behind them: a number from shared memory, believed up to the limit. */
static inline uint32_t ipc_queue_prepared(const ipc_queue_view *view)
{
    const uint32_t segments = ipc_load_acquire32(&view->header->segments); /* [present] */
    return segments > view->segment_limit ? view->segment_limit : segments;
}

/* ---- turns: {sequence : 48, segment : 16} ------------------------------------------------------------ */

#define IPC_QUEUE_FIRST_TURN (1ull << IPC_TURN_SEGMENT_BITS)

static inline uint32_t ipc_turn_segment(uint64_t turn)
{
    return (uint32_t)(turn & ((1u << IPC_TURN_SEGMENT_BITS) - 1));
}

static inline uint64_t ipc_turn_sequence(uint64_t turn)
{
    return turn >> IPC_TURN_SEGMENT_BITS;
}

static inline uint64_t ipc_turn_after(uint64_t turn, uint32_t segment)
{
    return (ipc_turn_sequence(turn) + 1) << IPC_TURN_SEGMENT_BITS | segment;
}

/* Turns are numbered without gaps: any other `next` is nobody's doing but a hostile one's (or of a turn long over). */
static inline bool ipc_turn_follows(uint64_t next, uint64_t turn)
{
    return next == ipc_turn_after(turn, ipc_turn_segment(next));
}

/* Has the turn ended at this slot? SEALED counts where the lap has not begun (or its claim never came). */
static inline bool ipc_queue_ends_at(uint64_t word, int32_t ahead)
{
    return (word & IPC_SLOT_SEALED) != 0 && (ahead < 0 || (ahead == 0 && ipc_slot_phase(word) == IPC_PHASE_FREE));
}

/* Nothing that a slot of a queue can be, when it is in the lap that is looked at. */
static inline bool ipc_queue_is_damaged(uint64_t word)
{
    const uint32_t phase = ipc_slot_phase(word);
    return phase > IPC_PHASE_READING || (phase < IPC_PHASE_READY && (word & IPC_SLOT_REDELIVERED) != 0) ||
           (word & IPC_SLOT_FLAGS & ~(IPC_SLOT_SEALED | IPC_SLOT_REDELIVERED)) != 0;
}

/* From `expected` to `desired`, which differ in owner, phase, lap or flags other than SEALED: that one stays as it is
   found, for it may come and go under the owner of a slot. False: something else has changed. `expected` has what was
   found last. */
static inline bool ipc_queue_change(ipc_block_slot *slot, uint64_t *expected, uint64_t desired)
{
    for (;;) {
        const uint64_t before = *expected;
        if (IPC_LIKELY(ipc_cas64(&slot->state, expected, ipc_slot_unsealed(desired) | (before & IPC_SLOT_SEALED))))
            return true;
        if (ipc_slot_unsealed(*expected) != ipc_slot_unsealed(before))
            return false;
    }
}

/* The slot's next lap, free. */
static inline uint64_t ipc_queue_freed(uint64_t word)
{
    return ipc_slot_word(ipc_slot_lap(word) + 1, 0, 0, IPC_PHASE_FREE);
}

/* ---- loans that slots name ---------------------------------------------------------------------------- */

/* The descriptor in a slot's payload, if its message (of that state word) has one. */
bool ipc_queue_descriptor(ipc_block_slot *slot, uint64_t word, ipc_loan_descriptor *copy);

#endif
