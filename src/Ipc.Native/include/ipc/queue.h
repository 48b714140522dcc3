/*
 * queue.h - a queue between processes: any number send, any number receive, each message goes to exactly one of them.
 *
 * A message is written into a block of shared memory and read there: claim, fill, commit; receive, read, release. The
 * messages of one queue object arrive in the order of its claims. If a process dies before it releases a received
 * message, the message is received again, marked `redelivered` (or dropped, as the creator has chosen). A sender that
 * dies between claim and commit leaves no message. A process that is stopped or slow delays only its own messages and,
 * once the queue is full up to its block, those that want to send.
 *
 * Threads. Any number of threads may use one queue object; its messages are then in the order of their claims. A block
 * belongs to the thread that has it. Nothing is allocated in steady state.
 */
#ifndef IPC_QUEUE_H
#define IPC_QUEUE_H

#include "participants.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ipc_queue ipc_queue;

/* All but the last five are used only when the queue is created; later participants read them from the queue. */
typedef struct ipc_queue_options {
    uint32_t block_size;  /* payload bytes of a block, 8 to 16 MiB, rounded up to 8; 0 = 1024. Longer ones are loans */
    uint32_t block_count; /* blocks of a segment, 2 to 2^20, rounded up to a power of two; 0 = 1024 */
    uint32_t max_expansions;         /* further segments under load, 0 to 255 */
    uint32_t min_expansion_distance; /* prepare the next segment when free blocks fall to this; 0 = when it is full */
    bool preallocate;                /* memory for all expansions from the start */
    bool drop_orphans;               /* the messages that a dead receiver held are dropped, not redelivered */
    bool single_threaded; /* a promise: one thread at a time uses this object, to close it too; stop and resume may come
                           from any. Waits then cost two locked instructions less; nothing else takes any. Debug builds
                           check */
    ipc_lifetime lifetime; /* of the queue; 0 = what there is; a new one stays until it is empty */
    uint32_t participants; /* queue objects that may be open at one time, 1 to 4096; 0 = 64 */
    uint64_t loan_budget;  /* memory for messages longer than a block, up to 64 GiB; 0 = 256 MiB (32 bit: 8), IPC_NO_LOANS = none */
    ipc_open_mode open_mode;
    ipc_wait_mode wait_mode;
    uint64_t spin_ns;      /* the longest spin before sleeping; 0 = as measured (50 us) */
    ipc_deadline deadline; /* for IPC_OPEN_EXISTING; 0 = do not wait */
    ipc_cancel *cancel;    /* for IPC_OPEN_EXISTING */
    const ipc_access *access; /* with whom it is shared, for a name of the machine; NULL = this user */
} ipc_queue_options;

/* Opens the queue NAME, as a participant that may send and receive, and creates it if the options say so.
 *
 * name       1 to 120 of the characters A-Z a-z 0-9 . _ -, no dot in front
 * options    NULL: all defaults
 * queue      the new object: the caller's, to be closed
 * Returns    IPC_OK; IPC_E_TABLE_FULL: all places for participants are taken; IPC_E_NOT_FOUND (IPC_OPEN_EXISTING),
 *            IPC_E_EXISTS (IPC_CREATE_NEW), IPC_E_INVALID_NAME, IPC_E_WRONG_KIND, IPC_E_WRONG_VERSION, IPC_E_CORRUPT,
 *            IPC_E_ACCESS_DENIED, IPC_E_NO_SPACE, IPC_E_INVALID_ARGUMENT, IPC_E_NO_MEMORY, IPC_E_SYSTEM_ERROR;
 *            IPC_TIMEOUT or IPC_CANCELLED while it waits; IPC_E_WRONG_LIFETIME: it exists with another.
 * Blocks     until options->deadline for a creator (IPC_OPEN_EXISTING), and up to 5 s for a stopped process that holds
 *            the region's lock. Allocates the object. Threads: any.
 */
IPC_API IPC_MUST_USE ipc_status ipc_queue_open(const char *name, const ipc_queue_options *options, ipc_queue **queue);

/* Leaves the queue and frees the object. Threads that wait in a call of it return IPC_CLOSED first, and must not touch
 * it again; no thread may be inside any other call, or still use a block. Open claims are abandoned, unreleased
 * messages are received again. The last one to leave removes the queue, unless its lifetime keeps it.
 *
 * queue      the object; NULL is fine
 * Blocks     until waits in it have returned. Allocates nothing. Threads: any.
 */
IPC_API void ipc_queue_close(ipc_queue *queue);

/* Claims a block, to be filled at block->payload and then committed or abandoned.
 *
 * queue      the queue object
 * length     bytes, 0 included
 * block      filled in at IPC_OK: belongs to the thread that has it
 * Returns    IPC_OK; IPC_FULL: none free now, nor room to grow, or no loan; IPC_E_TOO_LARGE: more than a block and
 *            more than the loan budget; IPC_CLOSED; IPC_E_CORRUPT.
 * Blocks     never. Allocates nothing; the system may, for a new segment. Threads: any number at once.
 */
IPC_API IPC_MUST_USE ipc_status ipc_queue_try_claim(ipc_queue *queue, uint32_t length, ipc_block *block);

/* As ipc_queue_try_claim, waiting for room.
 *
 * queue      the queue object
 * length     bytes, 0 included
 * deadline   when to give up: a moment of CLOCK_MONOTONIC in ns
 * cancel     ends the wait when it is triggered, or NULL
 * block      filled in at IPC_OK: belongs to the thread that has it
 * Returns    IPC_OK, never IPC_FULL; IPC_TIMEOUT, IPC_STOPPED, IPC_CANCELLED, IPC_CLOSED; otherwise as
 *            ipc_queue_try_claim.
 * Blocks     until DEADLINE. Allocates nothing. Threads: any number at once.
 */
IPC_API IPC_MUST_USE ipc_status ipc_queue_claim(ipc_queue *queue, uint32_t length, ipc_deadline deadline, ipc_cancel *cancel,
                                   ipc_block *block);

/* Sends the first LENGTH claimed bytes; wakes a receiver that sleeps.
 *
 * queue      the queue object
 * block      claimed; at IPC_OK it must not be used any more
 * length     bytes, at most as claimed
 * type       a number of the application's, delivered with the message
 * Returns    IPC_OK; IPC_E_INVALID_STATE: the block is not claimed, or no longer; nothing was sent. IPC_E_INVALID_ARGUMENT:
 *            more than was claimed; the claim stays open.
 * Blocks     never. Allocates nothing. Threads: any number at once.
 */
IPC_API IPC_MUST_USE ipc_status ipc_queue_commit(ipc_queue *queue, ipc_block *block, uint32_t length, uint16_t type);

/* Abandons a claimed block: nothing is sent. It has no effect on a block that is not claimed.
 *
 * queue      the queue object
 * block      claimed; it must not be used afterwards
 * Blocks     never. Allocates nothing. Threads: any number at once.
 */
IPC_API void ipc_queue_abandon(ipc_queue *queue, ipc_block *block);

/* Claims, copies and commits.
 *
 * queue      the queue object
 * payload    the bytes; may be NULL when LENGTH is 0
 * length     bytes
 * type       a number of the application's, delivered with the message
 * deadline   when to give up: a moment of CLOCK_MONOTONIC in ns
 * cancel     ends the wait when it is triggered, or NULL
 * Returns    IPC_OK: sent; otherwise as ipc_queue_claim, and nothing was sent.
 * Blocks     until DEADLINE, for room. Allocates nothing. Threads: any number at once.
 */
IPC_API IPC_MUST_USE ipc_status ipc_queue_send(ipc_queue *queue, const void *payload, uint32_t length, uint16_t type,
                                  ipc_deadline deadline, ipc_cancel *cancel);

/* Receives the next message, in place. Several may be held at once, and released in any order. If this process dies
 * before it releases a message, another receives it again.
 *
 * queue      the queue object
 * block      filled in at IPC_OK; its payload is the queue's, valid until ipc_queue_release
 * Returns    IPC_OK; IPC_EMPTY: none now; IPC_CLOSED; IPC_E_CORRUPT: a sender wrote an invalid message, which is
 *            dropped.
 * Blocks     never. Allocates nothing. Threads: any number at once.
 */
IPC_API IPC_MUST_USE ipc_status ipc_queue_try_receive(ipc_queue *queue, ipc_block *block);

/* As ipc_queue_try_receive, waiting for a message.
 *
 * queue      the queue object
 * deadline   when to give up: a moment of CLOCK_MONOTONIC in ns
 * cancel     ends the wait when it is triggered, or NULL
 * block      filled in at IPC_OK, as by ipc_queue_try_receive
 * Returns    IPC_OK, never IPC_EMPTY; IPC_TIMEOUT, IPC_STOPPED, IPC_CANCELLED, IPC_CLOSED; IPC_E_CORRUPT as above.
 * Blocks     until DEADLINE. Allocates nothing. Threads: any number at once.
 */
IPC_API IPC_MUST_USE ipc_status ipc_queue_receive(ipc_queue *queue, ipc_deadline deadline, ipc_cancel *cancel, ipc_block *block);

/* Releases a received message: its block is free, and it is not received again. It has no effect on a block without a
 * message.
 *
 * queue      the queue object
 * block      received; it must not be used afterwards
 * Blocks     never. Allocates nothing. Threads: any number at once.
 */
IPC_API void ipc_queue_release(ipc_queue *queue, ipc_block *block);

/* Waits until a message can be received, without receiving it. Another receiver may get it first.
 *
 * queue      the queue object
 * deadline   when to give up: a moment of CLOCK_MONOTONIC in ns
 * cancel     ends the wait when it is triggered, or NULL
 * Returns    IPC_OK; IPC_TIMEOUT, IPC_STOPPED, IPC_CANCELLED, IPC_CLOSED.
 * Blocks     until DEADLINE. Allocates nothing. Threads: any number at once.
 */
IPC_API IPC_MUST_USE ipc_status ipc_queue_wait(ipc_queue *queue, ipc_deadline deadline, ipc_cancel *cancel);

/* Arms the handle: it becomes ready when something may be received, or the deadline has passed, or it is cancelled,
 * stopped or closed. Then ipc_queue_try_receive is called until there is no more, and the handle armed again.
 *
 * queue      the queue object
 * deadline   when it becomes ready at the latest: a moment of CLOCK_MONOTONIC in ns
 * cancel     makes it ready when it is triggered, or NULL; must be there as long as the handle is armed
 * handle     armed here until it is ready, wherever it was before
 * Returns    IPC_EMPTY: it is armed. IPC_OK: there is something already; IPC_TIMEOUT, IPC_STOPPED, IPC_CANCELLED,
 *            IPC_CLOSED and errors are those of a wait: it is not armed, and a descriptor is readable.
 *            IPC_E_SYSTEM_ERROR, IPC_E_NO_MEMORY: the library's thread could not be started.
 * Blocks     never. Allocates nothing, but with the first armed one of the process a thread. Threads: any number at once.
 */
IPC_API IPC_MUST_USE ipc_status ipc_queue_arm(ipc_queue *queue, ipc_deadline deadline, ipc_cancel *cancel,
                                              ipc_ready_handle *handle);

/* Arms the handle for room: it becomes ready when ipc_queue_try_claim, which has returned IPC_FULL, may find it, or the
 * deadline has passed, or it is cancelled, stopped or closed. Then that is called again, and the handle armed again.
 *
 * queue      the queue object
 * length     of the payload that is to be claimed
 * deadline   when it becomes ready at the latest: a moment of CLOCK_MONOTONIC in ns
 * cancel     makes it ready when it is triggered, or NULL; must be there as long as the handle is armed
 * handle     armed here until it is ready, wherever it was before
 * Returns    IPC_EMPTY: it is armed. IPC_OK: there may be room already; IPC_TIMEOUT, IPC_STOPPED, IPC_CANCELLED,
 *            IPC_CLOSED and errors are those of a wait: it is not armed, and a descriptor is readable.
 *            IPC_E_TOO_LARGE: there never will be room.
 *            IPC_E_SYSTEM_ERROR, IPC_E_NO_MEMORY: the library's thread could not be started.
 * Blocks     never. Allocates nothing, but with the first armed one of the process a thread. Threads: any number at once.
 */
IPC_API IPC_MUST_USE ipc_status ipc_queue_arm_room(ipc_queue *queue, uint32_t length, ipc_deadline deadline,
                                                   ipc_cancel *cancel, ipc_ready_handle *handle);

/* Waits of this object, now and from now on, return IPC_STOPPED until it is resumed. Calls that need not wait work.
 *
 * queue      the queue object
 * Blocks     never. Allocates nothing. Threads: any.
 */
IPC_API void ipc_queue_stop(ipc_queue *queue);

/* Takes ipc_queue_stop back.
 *
 * queue      the queue object
 * Blocks     never. Allocates nothing. Threads: any.
 */
IPC_API void ipc_queue_resume(ipc_queue *queue);

/* Gives the memory of free loans back to the system.
 *
 * queue      the queue object
 * Blocks     never. Allocates nothing. Threads: any number at once.
 */
IPC_API void ipc_queue_trim_loans(ipc_queue *queue);

typedef struct ipc_queue_info {
    uint32_t block_size;
    uint32_t block_count;
    uint32_t segments;      /* number of those that have memory */
    uint32_t segment_limit; /* 1 + max_expansions */
    uint32_t participants;
    uint32_t participant_capacity;
    uint32_t growth_failures; /* how often there was no memory for a segment */
    uint64_t depth;           /* messages sent and not yet received, about */
    uint64_t redelivered;     /* messages of dead receivers that became receivable again */
    uint64_t dropped;         /* ... that were dropped */
    uint64_t loan_budget;     /* 0: no loans */
    uint64_t loans_present;   /* bytes of memory behind loans */
    uint64_t loans_exhausted; /* how often there was no loan */
} ipc_queue_info;

/* Gets sizes and counters. They are read one after another, so they may not fit together exactly.
 *
 * queue      the queue object
 * info       filled in
 * Blocks     never. Allocates nothing. Threads: any number at once.
 */
IPC_API void ipc_queue_get_info(const ipc_queue *queue, ipc_queue_info *info);

/* Lists the live participants, including this one.
 *
 * queue      the queue object
 * array      filled in with at most CAPACITY of them; NULL when CAPACITY is 0
 * capacity   elements of ARRAY
 * Returns    the number of participants, which may be more than CAPACITY.
 * Blocks     for no other participant. Allocates as a wait may, if somebody has come or gone. Threads: any number at
 *            once.
 */
IPC_API uint32_t ipc_queue_participants(const ipc_queue *queue, ipc_participant_info *array, uint32_t capacity);

/* Waits for the next participant that has come, left or died. Participants that are attached already are reported
 * first, this object never. One that attaches and leaves between two calls may not be reported.
 *
 * queue      the queue object
 * deadline   when to give up: a moment of CLOCK_MONOTONIC in ns
 * cancel     ends the wait when it is triggered, or NULL
 * change     filled in at IPC_OK
 * Returns    IPC_OK; IPC_TIMEOUT, IPC_STOPPED, IPC_CANCELLED, IPC_CLOSED; IPC_E_NO_MEMORY.
 * Blocks     until DEADLINE. Allocates at the first call, a table of the participants. Threads: one at a time in
 *            this call, beside any others.
 */
IPC_API ipc_status ipc_queue_next_change(ipc_queue *queue, ipc_deadline deadline, ipc_cancel *cancel,
                                         ipc_change *change);

#ifdef __cplusplus
}
#endif
#endif
