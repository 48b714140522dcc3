/*
 * Looking for a message where the slot at the head is not simply Ready.
 *
 * A walk goes past what others have taken, past senders that are still writing (and whatever of theirs stands behind,
 * so that the messages of one sender stay in order), through the segments of all turns, until it finds a message, or a
 * place where nobody has been yet. Messages that the dead had received and not released come first.
 */
#include "platform/fault.h"
#include "queues/queue.h"

/* Different senders that are writing at one time; more of them, and there is "nothing" until one has finished. */
#define SKIPPED_MAX 16
/* So often may others overtake one call that looks for a message: it then says that there is none to be had. */
#define ROUNDS_MAX 1000
/* So many walks of one call may see as much as there can be, and the head move on all the while: more of them, and what
   stands in the slots was made up. Laps wrap, so slots can say in a circle that each is ahead of the one before. */
#define LONG_WALKS_MAX 8

typedef struct skipped_owners {
    uint32_t count;
    uint32_t owners[SKIPPED_MAX];
} skipped_owners;

static bool is_skipped(const skipped_owners *skipped, uint32_t owner)
{
    for (uint32_t i = 0; i < skipped->count; i++) {
        if (skipped->owners[i] == owner)
            return true;
    }
    return false;
}

/* False: there are too many. */
static bool skip(skipped_owners *skipped, uint32_t owner)
{
    if (is_skipped(skipped, owner))
        return true;
    if (skipped->count == SKIPPED_MAX)
        return false;
    skipped->owners[skipped->count++] = owner;
    return true;
}

/* ---- what the dead had received ---------------------------------------------------------------------- */

static uint64_t taken_by(const ipc_queue *queue, uint64_t word)
{
    return ipc_slot_word(ipc_slot_lap(word), queue->owner, word & (IPC_SLOT_SEALED | IPC_SLOT_REDELIVERED),
                         IPC_PHASE_READING);
}

/* Takes a slot that recovery has made Ready again; `block` NULL: only looks. IPC_EMPTY: there is none. */
IPC_NOINLINE static ipc_status find_orphan(ipc_queue *queue, ipc_block *block)
{
    ipc_queue_header *header = queue->view.header;
    const uint64_t orphans = ipc_load_acquire64(&header->orphans); /* [orphans]: before the scan */
    const uint32_t prepared = ipc_queue_prepared(&queue->view);
    for (uint32_t segment = 0; segment < prepared; segment++) {
        const ipc_slot_ring ring = ipc_queue_slots(&queue->view, segment);
        for (uint32_t i = 0; i < queue->view.slot_count; i++) {
            ipc_block_slot *slot = ipc_slot_at(&ring, i);
            uint64_t word = ipc_load_acquire64(&slot->state);
            while (ipc_slot_phase(word) == IPC_PHASE_READY && (word & IPC_SLOT_REDELIVERED) != 0) {
                if (ipc_queue_is_damaged(word))
                    return ipc_queue_bad_slot(queue, i, word);
                if (block == NULL)
                    return IPC_OK;
                const uint64_t mine = taken_by(queue, word);
                if (ipc_cas64(&slot->state, &word, mine)) { /* [take]; it may fail for SEALED alone: again */
                    IPC_FAULT_POINT("queue.receive.reading");
                    IPC_FAULT_POINT("queue.receive.head");
                    return ipc_queue_hand_out(queue, slot, mine, block);
                }
            }
        }
    }
    uint64_t cleared = ipc_load_relaxed64(&header->orphans_cleared);
    while (cleared < orphans && !ipc_cas64(&header->orphans_cleared, &cleared, orphans))
        continue; /* `cleared` has been read again */
    return IPC_EMPTY;
}

/* ---- what has not been received ---------------------------------------------------------------------- */

/* Where a walk through the queue stands. */
typedef struct walk {
    uint64_t turn; /* of `receive` when the walk began */
    uint64_t here; /* of the segment at which it is */
    uint64_t looks;
    uint64_t position;
    uint64_t entered; /* where the head of the segment was then */
    ipc_queue_segment *segment;
    ipc_slot_ring ring;
    skipped_owners skipped;
    bool left_some; /* in this segment: its head must stay before what was left there */
} walk;

static bool enter_segment(ipc_queue *queue, walk *at, uint64_t turn)
{
    const uint32_t segment = ipc_turn_segment(turn);
    if (segment >= queue->view.segment_limit)
        return false;
    at->segment = &queue->view.segments[segment];
    at->ring = ipc_queue_slots(&queue->view, segment);
    at->position = ipc_load_acquire64(&at->segment->head);
    at->entered = at->position;
    at->left_some = false;
    at->here = turn;
    return true;
}

/* Nothing of this walk counts once receivers have moved on: its segments may have had other turns since. */
static inline bool is_stale(const ipc_queue *queue, const walk *at)
{
    return queue->view.segment_limit > 1 && ipc_load_acquire64(&queue->view.header->receive) != at->turn;
}

/* The segment at which receivers stand is used up, or (something having been skipped) the walk goes on behind it. True:
   the walk begins anew. */
static bool pass_segment(ipc_queue *queue, walk *at, ipc_status *status)
{
    const uint64_t next = ipc_load_acquire64(&at->segment->next); /* [seal] */
    if (!ipc_turn_follows(next, at->here)) {
        *status = is_stale(queue, at) ? IPC_OK : ipc_queue_bad_turn(queue, next);
        return true;
    }
    if (at->skipped.count == 0) {
        uint64_t turn = at->turn;
        if (ipc_cas64(&queue->view.header->receive, &turn, next)) /* who waits for a free segment has one now */
            ipc_waiter_signal(&queue->view.header->space, queue->process_fences);
        return true;
    }
    if (!enter_segment(queue, at, next)) {
        *status = is_stale(queue, at) ? IPC_OK : ipc_queue_bad_turn(queue, next);
        return true;
    }
    return false;
}

typedef enum look { LOOK_AGAIN, LOOK_ON, LOOK_TAKE, LOOK_NOWHERE, LOOK_SEALED, LOOK_DAMAGED } look;

/* Helps the head past the position, and goes where it is then: others may be taking as fast as we look. Claims that
   were abandoned while nobody received can have gone round: positions are claimed in order, each only when the one a
   lap before has been passed, so a slot k laps ahead shows that the head may go on by k - 2 laps and one. */
static void pass_slot(walk *at, int32_t ahead)
{
    uint64_t seen = at->position;
    const uint64_t next = seen + 1 + (ahead > 2 ? (uint64_t)(ahead - 2) << at->ring.shift : 0);
    if (ipc_cas64(&at->segment->head, &seen, next))
        seen = next;
    at->position = (int64_t)(seen - next) > 0 ? seen - 1 : next - 1; /* the walk goes on from there */
}

/* What the slot at the walk's position means to it. */
static look judge(walk *at, uint64_t word)
{
    const int32_t ahead = ipc_slot_ahead(word, ipc_slot_lap_of(&at->ring, at->position));
    const uint32_t phase = ipc_slot_phase(word);
    if (ahead < -1 || (ahead == 0 && ipc_queue_is_damaged(word)))
        return LOOK_DAMAGED;
    if (ahead == 0 && phase == IPC_PHASE_READY && (word & IPC_SLOT_REDELIVERED) == 0) {
        if (!is_skipped(&at->skipped, ipc_slot_owner(word)))
            return LOOK_TAKE;
        at->left_some = true;
        return LOOK_ON;
    }
    if (ahead == 0 && phase == IPC_PHASE_WRITING) {
        at->left_some = true;
        return skip(&at->skipped, ipc_slot_owner(word)) ? LOOK_ON : LOOK_NOWHERE;
    }
    if (ahead > 0 || (ahead == 0 && phase != IPC_PHASE_FREE)) {
        if (!at->left_some)
            pass_slot(at, ahead);
        return LOOK_ON;
    }
    return ipc_queue_ends_at(word, ahead) ? LOOK_SEALED : LOOK_NOWHERE;
}

static look take(ipc_queue *queue, walk *at, ipc_block_slot *slot, uint64_t word, ipc_block *block, ipc_status *status)
{
    *status = IPC_OK;
    if (is_stale(queue, at))
        return LOOK_NOWHERE;
    if (block == NULL)
        return LOOK_TAKE;
    const uint64_t mine = taken_by(queue, word);
    if (!ipc_cas64(&slot->state, &word, mine)) /* [take] */
        return LOOK_AGAIN;
    IPC_FAULT_POINT("queue.receive.reading");
    if (!at->left_some)
        ipc_slot_help(&at->segment->head, at->position);
    IPC_FAULT_POINT("queue.receive.head");
    *status = ipc_queue_hand_out(queue, slot, mine, block);
    return LOOK_TAKE;
}

/* What stands at the head, in the lap in which the head is, is nothing that a slot can be: not late, but made up.
   Behind a sender that is passed over it says nothing yet: that one's message comes first. */
static bool is_sure(const walk *at, ipc_block_slot *slot, uint64_t word)
{
    return at->skipped.count == 0 && ipc_load_acquire64(&at->segment->head) == at->position &&
           ipc_load_acquire64(&slot->state) == word;
}

/* One walk. True: `status` is the result; false: others have received meanwhile, begin anew. */
static bool walk_through(ipc_queue *queue, walk *at, ipc_block *block, ipc_status *status)
{
    for (at->looks = 0; at->looks < queue->look_limit; at->looks++) {
        ipc_block_slot *slot = ipc_slot_at(&at->ring, at->position);
        const uint64_t word = ipc_load_acquire64(&slot->state); /* [ready-slot] */
        look next = judge(at, word);
        if (next == LOOK_TAKE) {
            next = take(queue, at, slot, word, block, status);
            if (next == LOOK_TAKE)
                return true;
        }
        if (next == LOOK_SEALED && queue->view.segment_limit > 1) {
            *status = IPC_OK;
            if (pass_segment(queue, at, status))
                return *status != IPC_OK;
        } else if (next == LOOK_ON) {
            at->position++;
        } else if (next != LOOK_AGAIN) {
            if (is_stale(queue, at))
                return false;
            (void)ipc_attachment_attend(&queue->place); /* is who stands in the way alive? */
            *status = next == LOOK_DAMAGED && is_sure(at, slot, word) ? ipc_queue_bad_slot(queue, at->position, word)
                                                                      : IPC_EMPTY;
            return true;
        }
    }
    if (ipc_load_acquire64(&at->segment->head) != at->entered || is_stale(queue, at))
        return false;
    *status = ipc_queue_restless(queue);
    return true;
}

ipc_status ipc_queue_find(ipc_queue *queue, ipc_block *block)
{
    walk at;
    ipc_status status = IPC_EMPTY;
    uint32_t long_walks = 0;
    if (ipc_queue_is_closed(&queue->receiving))
        return ipc_ended(IPC_CLOSED);
    for (int round = 0; round < ROUNDS_MAX; round++) {
        if (ipc_queue_has_orphans(queue)) {
            status = find_orphan(queue, block);
            if (status != IPC_EMPTY)
                return status;
        }
        at.turn =
            queue->view.segment_limit > 1 ? ipc_load_acquire64(&queue->view.header->receive) : IPC_QUEUE_FIRST_TURN;
        at.skipped.count = 0;
        if (!enter_segment(queue, &at, at.turn))
            return ipc_queue_bad_turn(queue, at.turn);
        if (walk_through(queue, &at, block, &status))
            return status;
        if (at.looks == queue->look_limit && ++long_walks == LONG_WALKS_MAX)
            return ipc_queue_restless(queue);
    }
    return IPC_EMPTY;
}
