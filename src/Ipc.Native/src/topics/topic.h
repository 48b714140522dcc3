/*
 * topic.h - one topic: what its writers and readers share within the library.
 *
 * Messages stand in a ring of slots whose state words are the only truth (slot.h). `tail` is a hint where the next
 * claim goes; it is at most one behind, because who claims at p has seen tail = p. Each reader has an entry with a
 * cursor: everything before it is done with. A writer may claim position p when the cursor of every reader that writers
 * wait for (reliable, evict) has passed p - N.
 *
 * The private minimum. A writer does not look at the cursors for each message: it keeps the least that it has seen, and
 * looks again only when that says "full" [cursor]. This is safe for readers that join later because a minimum is never
 * beyond the tail that was loaded before the scan, and a reader that the scan did not see loads the tail at which it
 * joins after it has made itself seen [join].
 *
 * Readers that writers do not wait for (lossy, latest), and all readers as to what was published before they joined,
 * copy a message and then look whether its word is still the same [overwrite].
 */
#ifndef IPC_TOPIC_INTERNAL_H
#define IPC_TOPIC_INTERNAL_H

#include "compiler.h"
#include "ipc.h"
#include "ipc/topic.h"
#include "layout/topic_layout.h"
#include "platform/error.h"
#include "pools/pool.h"
#include "regions/attachment.h"
#include "slots/slot.h"
#include "waiting/wait.h"

#include <string.h>

/* Where a topic lies in this process: checked once, at attach, and never read from shared memory again. */
typedef struct ipc_topic {
    ipc_topic_header *header;
    ipc_topic_entry *entries;
    ipc_slot_ring ring;
    uint32_t slot_count;
    uint32_t block_size;
    uint32_t max_readers;
    uint32_t participants;
    uint32_t policies; /* allowed ones, bits 1 << policy */
    bool single_writer;
    uint64_t slots_offset; /* in the file, like the holders of loans */
    uint64_t pool_offset;
} ipc_topic;

/* Where a reader has begun. */
typedef struct ipc_topic_start {
    uint32_t state;    /* its entry's state word: another one means that it was evicted */
    uint64_t joined;   /* from here on writers wait for it */
    uint64_t position; /* of the first message to read */
} ipc_topic_start;

/* What a writer and a reader have in common. */
typedef struct ipc_topic_end {
    ipc_attachment place;
    ipc_topic topic;
    ipc_pool pool; /* for messages longer than a block */
    ipc_end end;
    ipc_lag lag;
    uint32_t role;
    const ipc_topic_options *options; /* while it is being opened */
    ipc_topic_start start;            /* a reader's, made by ipc_topic_region_enter */
    uint32_t open_claims;             /* a writer's */
    void (*abandon)(struct ipc_topic_end *end);
} ipc_topic_end;

/* A reader that writers wait for, as a scan has seen it: `state` before the rest. */
typedef struct ipc_topic_holder {
    uint32_t index;
    uint32_t state;
    uint32_t policy;
    uint64_t cursor;
} ipc_topic_holder;

/* What holds a claim up. */
typedef enum ipc_topic_obstacle { IPC_BY_READER, IPC_BY_WRITER, IPC_BY_LOAN } ipc_topic_obstacle;

struct ipc_topic_writer {
    /* hot: private copies, nobody else sees them */
    ipc_slot_ring ring;
    ipc_topic_header *header;
    uint64_t minimum; /* no reader that writers wait for stands before this */
    uint32_t slot_count;
    uint32_t block_size;
    uint32_t me; /* participant index + 1 */
    bool process_fences;

    /* cold */
    ipc_topic_obstacle held_up;   /* by what, at the last claim that was */
    ipc_topic_obstacle waits_for; /* what the waiter that it sleeps on announces */
    const ipc_atomic64 *obstacle; /* what is to change: a cursor or a slot's word */
    uint64_t obstacle_seen;
    uint32_t wanted; /* length that a waiting claim is for */
    bool has_loan;   /* one that is in no claim yet */
    ipc_loan loan;
    uint64_t reclaimed; /* loans of messages before this have been taken back */
    ipc_pool *pool;
    uint32_t awaited_readers;
    ipc_topic_end base;
};

typedef struct ipc_topic_pending {
    uint64_t key;
    uint64_t newest;    /* position */
    uint64_t conflated; /* older ones of this key that were passed over */
} ipc_topic_pending;

/* The keys that a conflating reader has seen and not delivered, in the order of their first unread message, and an
   open-addressing table that finds a key among them. */
typedef struct ipc_topic_latest {
    ipc_topic_pending *pending; /* a ring of `capacity` */
    uint32_t *buckets;          /* 2 x capacity: index in `pending` + 1; 0 free */
    uint32_t capacity;          /* power of two */
    uint32_t head;              /* index of the first */
    uint32_t count;
    uint64_t seed; /* keys are chosen by others */
} ipc_topic_latest;

/* Where a claim's ipc_block.reserved has what. */
#define IPC_CLAIM_POSITION 0
#define IPC_CLAIM_WORD     1
#define IPC_CLAIM_BLOCK    2 /* of its loan: class << 32 | index */
#define IPC_CLAIM_LOAN     3 /* IPC_CLAIM_HAS_LOAN | generation; 0: none */
#define IPC_CLAIM_HAS_LOAN (1ull << 32)

struct ipc_topic_reader {
    /* hot: private copies and positions */
    ipc_slot_ring ring;
    uint64_t position;      /* next message to read */
    uint64_t released;      /* everything before it is released */
    uint64_t in_place_from; /* messages before this are copied; UINT64_MAX: all are */
    ipc_topic_entry *entry;
    ipc_topic_header *header;
    uint32_t block_size;
    uint32_t ignored;   /* owner of the messages that are passed over; 0 none */
    uint32_t state;     /* our entry's state word */
    bool is_waited_for; /* reliable or evict */
    bool may_be_evicted;
    bool process_fences;

    /* cold */
    uint64_t joined;
    uint64_t lost_now; /* since the last message that was delivered */
    uint64_t lost;
    uint64_t conflated;
    uint32_t ignored_generation;
    ipc_policy policy;
    uint8_t *copy;
    uint64_t copy_size;
    bool has_read_loan; /* since the last release: writers may wait for it */
    ipc_topic_latest latest;
    ipc_topic_end base;
};

/* length, type and flags of a slot as one word: a lossy reader may look while it is rewritten. */
static inline ipc_atomic64 *ipc_topic_details(ipc_block_slot *slot)
{
    return (ipc_atomic64 *)(void *)&slot->length;
}

static inline ipc_atomic64 *ipc_topic_key(ipc_block_slot *slot)
{
    return (ipc_atomic64 *)(void *)&slot->key;
}

static inline uint64_t ipc_topic_pack(uint32_t length, uint16_t type, uint16_t flags)
{
    return length | (uint64_t)type << 32 | (uint64_t)flags << 48;
}

static inline uint32_t ipc_topic_length(uint64_t details)
{
    return (uint32_t)details;
}

static inline uint16_t ipc_topic_type(uint64_t details)
{
    return (uint16_t)(details >> 32);
}

static inline uint16_t ipc_topic_flags(uint64_t details)
{
    return (uint16_t)(details >> 48);
}

_Static_assert(sizeof(ipc_loan_descriptor) == 16, "wire-format section 11");
_Static_assert(IPC_BLOCK_SLOT_HEADER + sizeof(ipc_loan_descriptor) <= IPC_BLOCK_SLOT_ALIGN, "it fits into any slot");

static inline ipc_loan_descriptor ipc_topic_load_descriptor(ipc_block_slot *slot)
{
    const ipc_atomic64 *words = (const ipc_atomic64 *)(void *)ipc_slot_payload(slot);
    const uint64_t copy[2] = {ipc_load_relaxed64(&words[0]), ipc_load_relaxed64(&words[1])};
    ipc_loan_descriptor descriptor;
    memcpy(&descriptor, copy, sizeof descriptor);
    return descriptor;
}

static inline void ipc_topic_store_descriptor(ipc_block_slot *slot, const ipc_loan_descriptor *descriptor)
{
    ipc_atomic64 *words = (ipc_atomic64 *)(void *)ipc_slot_payload(slot);
    /* Put together in registers: a descriptor that was written in halves could not be forwarded as a whole. */
    ipc_store_relaxed64(&words[0], (uint64_t)descriptor->index << 32 | descriptor->klass);
    ipc_store_relaxed64(&words[1], (uint64_t)descriptor->length << 32 | descriptor->generation);
}

static inline void ipc_topic_fill_in(ipc_message *message, const void *payload, uint64_t details, uint64_t key,
                                     uint64_t position, uint64_t word)
{
    message->payload = payload;
    message->length = ipc_topic_length(details);
    message->type = ipc_topic_type(details);
    message->key = key;
    message->position = position;
    message->lost = 0;
    message->writer = ipc_slot_owner(word) - 1;
}

/* The word of a message that can be read at `position`, whoever wrote it. */
static inline bool ipc_topic_is_ready(const ipc_slot_ring *ring, uint64_t position, uint64_t word)
{
    return (word & ~IPC_SLOT_OWNER) == ipc_slot_word(ipc_slot_lap_of(ring, position), 0, 0, IPC_PHASE_READY);
}

/* At the tail, by the next lap. */
static inline bool ipc_topic_may_be_overwritten(uint64_t word, uint32_t lap)
{
    const uint32_t phase = ipc_slot_phase(word);
    return ipc_slot_lap(word) == lap - 1 &&
           (phase == IPC_PHASE_READY || phase == IPC_PHASE_GAP || phase == IPC_PHASE_FREE);
}

static inline bool ipc_topic_is_closed(const ipc_topic_end *end)
{
    return (ipc_load_relaxed32(&end->end.flags) & IPC_END_CLOSED) != 0;
}

static inline ipc_status ipc_topic_full(ipc_topic_writer *writer, ipc_topic_obstacle by, const ipc_atomic64 *obstacle,
                                        uint64_t seen)
{
    writer->held_up = by;
    writer->obstacle = obstacle;
    writer->obstacle_seen = seen;
    return IPC_FULL;
}

/* topic_geometry.c */
ipc_status ipc_topic_check_options(const ipc_topic_options *options);
/* For ipc_region_entrance: a new region, written, entered and linked. */
ipc_status ipc_topic_create(void *end, const char *path, const ipc_share *share, ipc_region **region);
/* IPC_E_CORRUPT: the header does not describe a topic that lies within the region. */
ipc_status ipc_topic_locate(const ipc_region *region, ipc_topic *topic);

/* topic_region.c */
extern const ipc_region_kind ipc_topic_kind;
/* Under the region lock: makes participant `index` an active reader. */
void ipc_topic_start_reading(const ipc_topic *topic, uint32_t index, ipc_policy policy, ipc_join join,
                             ipc_topic_start *start);
uint32_t ipc_topic_count_readers(const ipc_topic *topic); /* active ones */
/* Participants of that role; `pid` (or NULL) of one of them. */
uint32_t ipc_topic_count_living(const ipc_region *region, uint32_t role, uint32_t *pid);

/* topic_holders.c: the readers that writers wait for. */
uint64_t ipc_topic_scan(const ipc_topic *topic, ipc_topic_holder *slowest); /* the least cursor, or the tail */
/* Cuts off the evictable readers that have not come as far as `needed`. IPC_TIMEOUT, and cuts off nobody, when a
   reliable one has not either: the `slowest`. IPC_FULL: nobody is in the way. */
ipc_status ipc_topic_evict(const ipc_topic *topic, uint64_t needed, ipc_topic_holder *slowest);

/* topic_writer.c, topic_reader.c */
void ipc_topic_writer_start(ipc_topic_writer *writer);
ipc_status ipc_topic_reader_start(ipc_topic_reader *reader, const ipc_topic_options *options);
void ipc_topic_reader_finish(ipc_topic_reader *reader);

/* topic_room.c: IPC_FULL, and the writer's `held_up` says what by; IPC_OK: try (again). */
/* Looks at the cursors: `slowest` stands where the claim would go. */
ipc_status ipc_topic_look_for_room(ipc_topic_writer *writer, uint64_t tail, ipc_topic_holder *slowest);
/* The slot at the tail cannot be claimed as it is. */
ipc_status ipc_topic_obstructed(ipc_topic_writer *writer, uint64_t tail, ipc_block_slot *slot, uint64_t word);
/* `status`, with the words whose fault it is as of now. */
ipc_status ipc_topic_explain(ipc_topic_writer *writer, ipc_status status);
ipc_status ipc_topic_wait_for_room(ipc_topic_writer *writer, ipc_deadline deadline, ipc_cancel *cancel);
/* At the deadline: cuts off the evictable readers that are in the way. */
ipc_status ipc_topic_make_room_by_force(ipc_topic_writer *writer);

/* topic_loans.c */
ipc_status ipc_topic_take_loan(ipc_topic_writer *writer,
                               uint32_t length);         /* until a claim has it, it is the writer's */
void ipc_topic_give_loan_back(ipc_topic_writer *writer); /* if there is one that no claim has */
void ipc_topic_attach_loan(ipc_topic_writer *writer, ipc_block *block);
void ipc_topic_abandon_loan(ipc_topic_writer *writer, const ipc_block *block);
/* False: the loan is not the writer's any more. */
bool ipc_topic_put_loan(ipc_topic_writer *writer, const ipc_block *block, ipc_block_slot *slot, uint32_t length);
/* It was put, and the slot did not become Ready. */
void ipc_topic_retract_loan(ipc_topic_writer *writer, const ipc_block *block, uint32_t length);
void ipc_topic_free_old_loan(ipc_topic_writer *writer, ipc_block_slot *slot, uint64_t word);
bool ipc_topic_find_oldest_loan(ipc_topic_writer *writer, uint64_t *behind);

/* topic_reader.c */
/* Moves on over gaps, ignored messages and what was overrun. IPC_OK: a message stands at the reader's position. */
ipc_status ipc_topic_settle(ipc_topic_reader *reader);
ipc_status ipc_topic_corrupt_slot(const ipc_topic_reader *reader, uint64_t position, uint64_t word); /* or closed */

/* topic_copies.c */
ipc_status ipc_topic_reserve_copy(ipc_topic_reader *reader, uint64_t size);
/* The payload of a long message. IPC_EMPTY: what the slot says is neither a loan nor a message. */
ipc_status ipc_topic_find_loan(ipc_topic_reader *reader, ipc_block_slot *slot, uint64_t details, ipc_message *message);
/* Copies the message at `position` out. IPC_EMPTY: it was overwritten, or is none any more. */
ipc_status ipc_topic_copy_out(ipc_topic_reader *reader, uint64_t position, ipc_message *message);

/* topic_latest.c */
ipc_status ipc_topic_latest_init(ipc_topic_latest *latest);
void ipc_topic_latest_free(ipc_topic_latest *latest);
void ipc_topic_latest_forget(ipc_topic_latest *latest); /* all that is pending */
/* Takes in what has been published. IPC_OK: something can be delivered. */
ipc_status ipc_topic_latest_look(ipc_topic_reader *reader);
ipc_status ipc_topic_latest_read(ipc_topic_reader *reader, ipc_message *message);

#endif
