/*
 * queue.h - many senders, many receivers, each message to one of them: what the parts of the C queue share.
 *
 * A queue is a ring of slots whose state words are the only truth (slot.h); tail and head only say where to look first.
 * A sender takes the slot at the tail by a CAS from Free to Writing, fills it, and makes it Ready; a receiver takes a
 * Ready slot by a CAS to Reading, and frees it for the next lap. Each of these words names the participant who has the
 * slot, so whoever dies is known by what it held. Nobody waits for anybody in the middle of something: a receiver looks
 * past the slot of a sender that is still writing, and past everything of that sender behind it, so that the messages
 * of one sender stay in order.
 *
 * Under load a queue grows by whole segments, each a ring of its own. They take turns: the region's word `send` says
 * which segment senders use, `receive` the same for receivers, each {sequence, segment} so that no old word is taken
 * for a new one. A segment's turn ends at the slot that carries SEALED. A queue with one segment never looks at any of
 * this
 * (`single`).
 *
 * Any number of threads may use one ipc_queue: nothing in it changes after it was opened, but what only guides (spin
 * budgets, the time of the next attempt to grow).
 */
#ifndef IPC_QUEUE_INTERNAL_H
#define IPC_QUEUE_INTERNAL_H

#include "ipc.h"
#include "platform/error.h"
#include "queues/queue_region.h"
#include "regions/attachment.h"
#include "waiting/wait.h"
#include "waiting/waiter.h"

/* What nobody signals: a loan that another sender had in its hands, a region lock that is free again. */
#define IPC_QUEUE_NAP_NS 20000000u

struct ipc_queue {
    /* hot */
    ipc_queue_view view;
    uint32_t owner;      /* our participant index + 1 */
    bool single;         /* one segment, ever; false in a forked child too: everything then goes the long way */
    bool process_fences; /* no membarrier here: fence at every publish */
    uint64_t look_limit; /* positions that a call looks at before it says that they were made up */

    /* cold */
    ipc_attachment place;
    ipc_pool pool;
    ipc_end sending;
    ipc_end receiving;
    ipc_lag sending_lag;
    ipc_lag receiving_lag;
    ipc_atomic64 grow_after;    /* a failed attempt to grow is not repeated before then */
    ipc_atomic32 lock_was_busy; /* at the last attempt: who waits looks again soon */
    ipc_queue_plan plan;        /* while it is being opened */
};

/* What block->reserved holds. */
enum { IPC_BLOCK_SLOT = 0, IPC_BLOCK_WORD = 1, IPC_BLOCK_LOAN = 2, IPC_BLOCK_LOAN_MORE = 3 };

static inline ipc_block_slot *ipc_queue_slot_of(const ipc_block *block)
{
    return (ipc_block_slot *)(uintptr_t)block->reserved[IPC_BLOCK_SLOT];
}

static inline bool ipc_queue_is_closed(const ipc_end *end)
{
    return (ipc_load_relaxed32(&end->flags) & IPC_END_CLOSED) != 0;
}

/* Has a recovery made messages Ready again that nobody has looked for yet? */
static inline bool ipc_queue_has_orphans(const ipc_queue *queue)
{
    const ipc_queue_header *header = queue->view.header;
    return ipc_load_acquire64(&header->orphans) != ipc_load_relaxed64(&header->orphans_cleared); /* [orphans] */
}

/* A hint that leads nowhere, or words that keep a call looking: nothing that a queue does. */
ipc_status ipc_queue_bad_turn(const ipc_queue *queue, uint64_t turn);
ipc_status ipc_queue_restless(const ipc_queue *queue);
ipc_status ipc_queue_bad_slot(const ipc_queue *queue, uint64_t position, uint64_t word);

/* queue_receive.c: a slot of ours in Reading becomes a block. IPC_E_CORRUPT: it was no message; it is dropped. */
ipc_status ipc_queue_hand_out(ipc_queue *queue, ipc_block_slot *slot, uint64_t word, ipc_block *block);

/* queue_walk.c: receives, the long way; `block` NULL: only looks. IPC_EMPTY: there is nothing. */
ipc_status ipc_queue_find(ipc_queue *queue, ipc_block *block);

/* queue_growth.c. IPC_OK: look again, something has changed. IPC_FULL: no more room now. Not under the region lock. */
ipc_status ipc_queue_grow(ipc_queue *queue, uint64_t turn);
void ipc_queue_prepare_ahead(ipc_queue *queue, uint64_t turn);

/* queue_loans.c: the block gets (has) a loan. */
void ipc_queue_attach_loan(ipc_block *block, const ipc_loan *loan);
void ipc_queue_give_back_loan(ipc_queue *queue, const ipc_block *block);
/* Before Ready. False: the loan is not ours any more, and nothing of it must be sent. */
bool ipc_queue_publish_loan(ipc_queue *queue, const ipc_block *block, uint32_t length);
/* It was published, and the slot did not become Ready. */
void ipc_queue_retract_loan(ipc_queue *queue, const ipc_block *block, uint32_t length);
/* Fills `block` from a slot in Reading whose message is a loan. */
ipc_status ipc_queue_resolve_loan(ipc_queue *queue, ipc_block_slot *slot, uint64_t word, ipc_block *block);
void ipc_queue_free_loan(ipc_queue *queue, const ipc_block *block); /* after Free */

static inline bool ipc_block_has_loan(const ipc_block *block)
{
    return block->reserved[IPC_BLOCK_LOAN_MORE] != 0;
}

#endif
