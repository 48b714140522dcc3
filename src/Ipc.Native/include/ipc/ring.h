/* ring.h - one writer, one reader. Included by ipc.h. */
#ifndef IPC_RING_PUBLIC_H
#define IPC_RING_PUBLIC_H

#include "base.h"
#include "ready_handle.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ipc_ring_writer ipc_ring_writer;
typedef struct ipc_ring_reader ipc_ring_reader;

typedef struct ipc_ring_options {
    uint64_t capacity; /* bytes, power of two, 4 KiB to 1 GiB; 0 = 1 MiB. Used only when creating */
    ipc_open_mode open_mode;
    ipc_wait_mode wait_mode;
    uint64_t spin_ns;      /* the longest spin before sleeping; 0 = as measured (50 us) */
    ipc_lifetime lifetime; /* of the ring; 0 = what there is; a new one stays until it is empty */
    ipc_deadline deadline; /* for IPC_OPEN_EXISTING; 0 = do not wait */
    ipc_cancel *cancel;    /* for IPC_OPEN_EXISTING */
    /* Bytes of memory for records longer than capacity / 2 - 8: they travel as loans, by the same calls. Memory is used
       only as they need it, but ten times as much of addresses: a process of 32 bits has too few for the default of
       others. 0 = 256 MiB (32 bit: 8 MiB), at most 64 GiB, IPC_NO_LOANS = none. Used only when creating */
    uint64_t loan_budget;
    const ipc_access *access; /* with whom it is shared, for a name of the machine; NULL = this user */
} ipc_ring_options;

/* Opens the writing end of the ring NAME, and creates the ring if the options say so. Records that an earlier writer
 * published and that were not read are still there.
 *
 * name       1 to 120 of the characters A-Z a-z 0-9 . _ -, no dot in front
 * options    NULL: all defaults
 * writer     the new end: the caller's, to be closed
 * Returns    IPC_OK; IPC_E_IN_USE when a live writer has the ring, ipc_last_error() has its process; IPC_E_NOT_FOUND
 *            (IPC_OPEN_EXISTING), IPC_E_EXISTS (IPC_CREATE_NEW), IPC_E_INVALID_NAME, IPC_E_WRONG_KIND,
 *            IPC_E_WRONG_VERSION, IPC_E_CORRUPT, IPC_E_ACCESS_DENIED, IPC_E_NO_SPACE, IPC_E_INVALID_ARGUMENT,
 *            IPC_E_NO_MEMORY, IPC_E_SYSTEM_ERROR; IPC_TIMEOUT or IPC_CANCELLED while it waits; IPC_E_WRONG_LIFETIME.
 * Blocks     until options->deadline for a creator (IPC_OPEN_EXISTING), and up to 5 s for a stopped process that holds
 *            the region's lock. Allocates the end. Threads: any.
 */
IPC_API IPC_MUST_USE ipc_status ipc_ring_writer_open(const char *name, const ipc_ring_options *options, ipc_ring_writer **writer);

/* Opens the reading end of the ring NAME, and creates the ring if the options say so. It begins with the first
 * record that was not released; those that an earlier reader had read, and may have handled, are marked `redelivered`.
 *
 * name       1 to 120 of the characters A-Z a-z 0-9 . _ -, no dot in front
 * options    NULL: all defaults
 * reader     the new end: the caller's, to be closed
 * Returns    IPC_OK; IPC_E_IN_USE when a live reader has the ring, ipc_last_error() has its process; IPC_E_NOT_FOUND
 *            (IPC_OPEN_EXISTING), IPC_E_EXISTS (IPC_CREATE_NEW), IPC_E_INVALID_NAME, IPC_E_WRONG_KIND,
 *            IPC_E_WRONG_VERSION, IPC_E_CORRUPT, IPC_E_ACCESS_DENIED, IPC_E_NO_SPACE, IPC_E_INVALID_ARGUMENT,
 *            IPC_E_NO_MEMORY, IPC_E_SYSTEM_ERROR; IPC_TIMEOUT or IPC_CANCELLED while it waits; IPC_E_WRONG_LIFETIME.
 * Blocks     until options->deadline for a creator (IPC_OPEN_EXISTING), and up to 5 s for a stopped process that holds
 *            the region's lock. Allocates the end. Threads: any.
 */
IPC_API IPC_MUST_USE ipc_status ipc_ring_reader_open(const char *name, const ipc_ring_options *options, ipc_ring_reader **reader);

/* Leaves the ring and frees the end. A thread that waits in a call of it returns IPC_CLOSED first, and must not
 * touch it again; no thread may be inside any other call, or still use a payload. What was not published is
 * dropped. The last one to leave removes the ring, unless its lifetime keeps it.
 *
 * writer     the end; NULL is fine, a connection's does nothing
 * Blocks     until waits in it have returned. Allocates nothing. Threads: any.
 */
IPC_API void ipc_ring_writer_close(ipc_ring_writer *writer);

/* Leaves the ring and frees the end. A thread that waits in a call of it returns IPC_CLOSED first, and must not
 * touch it again; no thread may be inside any other call, or still use a payload. What was not released stays for
 * the next reader, marked `redelivered` as far as it was read. The last one to leave removes the ring, unless its
 * lifetime keeps it.
 *
 * reader     the end; NULL is fine, a connection's does nothing
 * Blocks     until waits in it have returned. Allocates nothing. Threads: any.
 */
IPC_API void ipc_ring_reader_close(ipc_ring_reader *reader);

/* The size of the ring.
 *
 * writer     the writing end
 * Returns    bytes, a power of two.
 * Blocks     never. Allocates nothing. Threads: any.
 */
IPC_API uint64_t ipc_ring_writer_capacity(const ipc_ring_writer *writer);

/* The longest record: capacity / 2 - 8, or the loan budget if that is more.
 *
 * writer     the writing end
 * Returns    bytes.
 * Blocks     never. Allocates nothing. Threads: any.
 */
IPC_API uint32_t ipc_ring_writer_max_payload(const ipc_ring_writer *writer);

/* How often a publish found the reader asleep and had to wake it. All others cost no more than their store.
 *
 * writer     the writing end
 * Returns    the number since it was opened, of this end alone.
 * Blocks     never. Allocates nothing. Threads: any; may lag.
 */
IPC_API uint64_t ipc_ring_writer_wakes(const ipc_ring_writer *writer);

/* How far the ring is written: what was committed ends at or before this position, held back by a batch or not; what is
 * committed later begins at or behind it.
 *
 * writer     the writing end
 * Returns    a position, which only grows.
 * Blocks     never. Allocates nothing. Threads: the writer's.
 */
IPC_API uint64_t ipc_ring_writer_position(const ipc_ring_writer *writer);

/* The size of the ring.
 *
 * reader     the reading end
 * Returns    bytes, a power of two.
 * Blocks     never. Allocates nothing. Threads: any.
 */
IPC_API uint64_t ipc_ring_reader_capacity(const ipc_ring_reader *reader);

/* How far the ring was read and released.
 *
 * reader     the reading end
 * Returns    a position, as ipc_ring_writer_position.
 * Blocks     never. Allocates nothing. Threads: the reader's.
 */
IPC_API uint64_t ipc_ring_reader_released(const ipc_ring_reader *reader);

/* Claims contiguous bytes in place, to be filled and committed. Nobody sees them before. A new claim replaces an
 * open one.
 *
 * writer     the writing end
 * length     bytes, 0 included
 * payload    where to write: the ring's memory, valid until commit, abandon or the next claim
 * Returns    IPC_OK; IPC_FULL: no room now or, for a long record, no loan; IPC_E_TOO_LARGE: more than
 *            ipc_ring_writer_max_payload(); IPC_CLOSED; IPC_E_CORRUPT: the reader has written what it must not.
 * Blocks     never. Allocates nothing. Threads: one at a time.
 */
IPC_API IPC_MUST_USE ipc_status ipc_ring_try_claim(ipc_ring_writer *writer, uint32_t length, void **payload);

/* As ipc_ring_try_claim, waiting for room.
 *
 * writer     the writing end
 * length     bytes, 0 included
 * deadline   when to give up: a moment of CLOCK_MONOTONIC in ns
 * cancel     ends the wait when it is triggered, or NULL
 * payload    where to write, as for ipc_ring_try_claim
 * Returns    IPC_OK, never IPC_FULL; IPC_TIMEOUT, IPC_STOPPED, IPC_CANCELLED, IPC_CLOSED; IPC_PEER_CLOSED,
 *            IPC_PEER_DIED: full, and the reader is gone; otherwise as ipc_ring_try_claim.
 * Blocks     until DEADLINE. Allocates nothing. Threads: one at a time.
 */
IPC_API IPC_MUST_USE ipc_status ipc_ring_claim(ipc_ring_writer *writer, uint32_t length, ipc_deadline deadline, ipc_cancel *cancel,
                                  void **payload);

/* Grows the open claim, keeping what was written into it.
 *
 * writer     the writing end
 * length     bytes in all; fewer than before change nothing
 * payload    the new place: the bytes may have moved
 * Returns    IPC_OK; IPC_FULL: no room for that now, the claim is as it was; IPC_E_TOO_LARGE; IPC_E_INVALID_STATE: no
 *            open claim; IPC_CLOSED.
 * Blocks     never. Allocates nothing. Threads: one at a time.
 */
IPC_API IPC_MUST_USE ipc_status ipc_ring_try_extend_claim(ipc_ring_writer *writer, uint32_t length, void **payload);

/* Ends the claim and publishes its first LENGTH bytes as a record, with everything batched before; wakes a reader
 * that sleeps.
 *
 * writer     the writing end
 * length     bytes, at most as claimed
 * type       a number of the application's, delivered with the record
 * Returns    IPC_OK; IPC_E_INVALID_STATE: no open claim; IPC_E_INVALID_ARGUMENT: more than was claimed; the claim stays
 *            open; IPC_E_CORRUPT: another process has freed the loan.
 * Blocks     never. Allocates nothing. Threads: one at a time.
 */
IPC_API IPC_MUST_USE ipc_status ipc_ring_commit(ipc_ring_writer *writer, uint32_t length, uint16_t type);

/* Ends the claim without publishing: the record goes out with the next ipc_ring_commit or ipc_ring_flush, or when a
 * claim finds no room.
 *
 * writer     the writing end
 * length     bytes, at most as claimed
 * type       a number of the application's, delivered with the record
 * Returns    IPC_OK; IPC_E_INVALID_STATE: no open claim; IPC_E_INVALID_ARGUMENT: more than was claimed; the claim stays
 *            open; IPC_E_CORRUPT: another process has freed the loan.
 * Blocks     never. Allocates nothing. Threads: one at a time.
 */
IPC_API IPC_MUST_USE ipc_status ipc_ring_commit_batched(ipc_ring_writer *writer, uint32_t length, uint16_t type);

/* Publishes what was batched, with one store; wakes a reader that sleeps. It has no effect if nothing was.
 *
 * writer     the writing end
 * Blocks     never. Allocates nothing. Threads: one at a time.
 */
IPC_API void ipc_ring_flush(ipc_ring_writer *writer);

/* Abandons the open claim: the ring is as if it had not been made. It has no effect if there is none.
 *
 * writer     the writing end
 * Blocks     never. Allocates nothing. Threads: one at a time.
 */
IPC_API void ipc_ring_abandon(ipc_ring_writer *writer);

/* Claims, copies and commits.
 *
 * writer     the writing end
 * payload    the bytes; may be NULL when LENGTH is 0
 * length     bytes
 * type       a number of the application's, delivered with the record
 * deadline   when to give up: a moment of CLOCK_MONOTONIC in ns
 * cancel     ends the wait when it is triggered, or NULL
 * Returns    IPC_OK: published; otherwise as ipc_ring_claim, and nothing was sent.
 * Blocks     until DEADLINE, for room. Allocates nothing. Threads: one at a time.
 */
IPC_API IPC_MUST_USE ipc_status ipc_ring_write(ipc_ring_writer *writer, const void *payload, uint32_t length, uint16_t type,
                                  ipc_deadline deadline, ipc_cancel *cancel);

/* Gives the memory of loans that are not in use back to the system: after a burst of long records, when the reader has
 * released them. In a connection each side trims what it sends.
 *
 * writer     the writing end
 * Blocks     never. Allocates nothing. Threads: one at a time.
 */
IPC_API void ipc_ring_writer_trim_loans(ipc_ring_writer *writer);

typedef struct ipc_record {
    const void *payload; /* shared, valid until released; a hostile peer can change it: read once, check, use */
    uint32_t length;
    uint16_t type;
    bool redelivered; /* a reader that died, or left without releasing it, may have handled it already */
} ipc_record;

/* The next record, in place. May be called again before releasing: it reads ahead.
 *
 * reader     the reading end
 * record     filled in at IPC_OK; its payload is the ring's, valid until ipc_ring_release
 * Returns    IPC_OK; IPC_EMPTY: none now, whether or not the writer is gone; IPC_CLOSED; IPC_E_CORRUPT: the writer
 *            put there what is no record; IPC_E_NO_MEMORY: for the list of unreleased loans.
 * Blocks     never. Allocates a list, once many long records are unreleased. Threads: one at a time.
 */
IPC_API IPC_MUST_USE ipc_status ipc_ring_try_read(ipc_ring_reader *reader, ipc_record *record);

/* As ipc_ring_try_read, waiting for a record.
 *
 * reader     the reading end
 * deadline   when to give up: a moment of CLOCK_MONOTONIC in ns
 * cancel     ends the wait when it is triggered, or NULL
 * record     filled in at IPC_OK, as by ipc_ring_try_read
 * Returns    IPC_OK, never IPC_EMPTY; IPC_TIMEOUT, IPC_STOPPED, IPC_CANCELLED, IPC_CLOSED; IPC_PEER_CLOSED,
 *            IPC_PEER_DIED: empty, and the writer is gone; otherwise as ipc_ring_try_read.
 * Blocks     until DEADLINE. Allocates as ipc_ring_try_read. Threads: one at a time.
 */
IPC_API IPC_MUST_USE ipc_status ipc_ring_read(ipc_ring_reader *reader, ipc_deadline deadline, ipc_cancel *cancel,
                                 ipc_record *record);

/* Waits until a record can be read, and does not read it.
 *
 * reader     the reading end
 * deadline   when to give up: a moment of CLOCK_MONOTONIC in ns
 * cancel     ends the wait when it is triggered, or NULL
 * Returns    IPC_OK, or what ipc_ring_read would return.
 * Blocks     until DEADLINE. Allocates nothing. Threads: one at a time.
 */
IPC_API IPC_MUST_USE ipc_status ipc_ring_wait(ipc_ring_reader *reader, ipc_deadline deadline, ipc_cancel *cancel);

/* Arms the handle: it becomes ready when a record can be read, or the writer has gone, or the deadline has passed, or
 * it is cancelled, stopped or closed. Then ipc_ring_try_read is called until there is no more, and the handle armed
 * again.
 * ipc_ring_read with IPC_NOW tells what has become of the writer.
 *
 * reader     the reading end, also a connection's
 * deadline   when it becomes ready at the latest: a moment of CLOCK_MONOTONIC in ns
 * cancel     makes it ready when it is triggered, or NULL; must be there as long as the handle is armed
 * handle     armed here until it is ready, wherever it was before
 * Returns    IPC_EMPTY: it is armed. IPC_OK: there is something already; IPC_TIMEOUT, IPC_STOPPED, IPC_CANCELLED,
 *            IPC_CLOSED and errors are those of a wait: it is not armed, and a descriptor is readable.
 *            IPC_E_SYSTEM_ERROR, IPC_E_NO_MEMORY: the library's thread could not be started.
 * Blocks     never. Allocates nothing, but with the first armed one of the process a thread. Threads: one at a time.
 */
IPC_API IPC_MUST_USE ipc_status ipc_ring_arm(ipc_ring_reader *reader, ipc_deadline deadline, ipc_cancel *cancel,
                                             ipc_ready_handle *handle);

/* Arms the handle for room: it becomes ready when ipc_ring_try_claim, which has returned IPC_FULL, may find it, or the
 * reader has gone, or the deadline has passed, or it is cancelled, stopped or closed. Then that is called again, and
 * the handle armed again. A batch is published and an open claim abandoned first, because no reader makes room for
 * those.
 *
 * writer     the writing end, also a connection's
 * length     of the payload that is to be claimed
 * deadline   when it becomes ready at the latest: a moment of CLOCK_MONOTONIC in ns
 * cancel     makes it ready when it is triggered, or NULL; must be there as long as the handle is armed
 * handle     armed here until it is ready, wherever it was before
 * Returns    IPC_EMPTY: it is armed. IPC_OK: there may be room already; IPC_TIMEOUT, IPC_STOPPED, IPC_CANCELLED,
 *            IPC_CLOSED, IPC_PEER_CLOSED, IPC_PEER_DIED and errors are those of a wait: it is not armed, and a descriptor is readable.
 *            IPC_E_TOO_LARGE: there never will be room.
 *            IPC_E_SYSTEM_ERROR, IPC_E_NO_MEMORY: the library's thread could not be started.
 * Blocks     never. Allocates nothing, but with the first armed one of the process a thread. Threads: one at a time.
 */
IPC_API IPC_MUST_USE ipc_status ipc_ring_arm_room(ipc_ring_writer *writer, uint32_t length, ipc_deadline deadline,
                                                  ipc_cancel *cancel, ipc_ready_handle *handle);

/* Releases all records read so far: their payloads may be overwritten from now on, and a writer that waits for the
 * room goes on.
 *
 * reader     the reading end
 * Blocks     never. Allocates nothing. Threads: one at a time.
 */
IPC_API void ipc_ring_release(ipc_ring_reader *reader);

/* Waits of this end, now and from now on, return IPC_STOPPED until it is resumed. Calls that need not wait work.
 *
 * writer     the writing end
 * Blocks     never. Allocates nothing. Threads: any.
 */
IPC_API void ipc_ring_writer_stop(ipc_ring_writer *writer);

/* Takes ipc_ring_writer_stop back.
 *
 * writer     the writing end
 * Blocks     never. Allocates nothing. Threads: any.
 */
IPC_API void ipc_ring_writer_resume(ipc_ring_writer *writer);

/* Whether everything that was published by now has been read and released.
 *
 * reader     the reading end
 * Returns    whether that is so now; it can change at any time.
 * Blocks     never. Allocates nothing. Threads: any, beside the one that reads.
 */
IPC_API bool ipc_ring_reader_is_drained(const ipc_ring_reader *reader);

/* Waits of this end, now and from now on, return IPC_STOPPED until it is resumed. Calls that need not wait work.
 *
 * reader     the reading end
 * Blocks     never. Allocates nothing. Threads: any.
 */
IPC_API void ipc_ring_reader_stop(ipc_ring_reader *reader);

/* Takes ipc_ring_reader_stop back.
 *
 * reader     the reading end
 * Blocks     never. Allocates nothing. Threads: any.
 */
IPC_API void ipc_ring_reader_resume(ipc_ring_reader *reader);

typedef enum ipc_peer_state {
    IPC_PEER_NEVER = 0,
    IPC_PEER_LIVE = 1,
    IPC_PEER_LEFT = 2,
    IPC_PEER_DEAD = 3
} ipc_peer_state;

/* The state of the reader.
 *
 * writer     the writing end
 * Returns    IPC_PEER_NEVER: none has attached yet; IPC_PEER_LIVE; IPC_PEER_LEFT: it has closed; IPC_PEER_DEAD: its
 *            process died. The last two stay until another one attaches.
 * Blocks     never. Allocates nothing. Threads: one at a time.
 */
IPC_API ipc_peer_state ipc_ring_writer_peer(const ipc_ring_writer *writer);

/* The state of the writer.
 *
 * reader     the reading end
 * Returns    IPC_PEER_NEVER: none has attached yet; IPC_PEER_LIVE; IPC_PEER_LEFT: it has closed; IPC_PEER_DEAD: its
 *            process died. The last two stay until another one attaches.
 * Blocks     never. Allocates nothing. Threads: one at a time.
 */
IPC_API ipc_peer_state ipc_ring_reader_peer(const ipc_ring_reader *reader);

/* Waits until a live reader is attached.
 *
 * writer     the writing end
 * deadline   when to give up: a moment of CLOCK_MONOTONIC in ns
 * cancel     ends the wait when it is triggered, or NULL
 * Returns    IPC_OK; IPC_TIMEOUT, IPC_STOPPED, IPC_CANCELLED, IPC_CLOSED; IPC_E_INVALID_STATE for a connection's ring,
 *            which has its peer from the beginning.
 * Blocks     until DEADLINE. Allocates nothing. Threads: one at a time.
 */
IPC_API IPC_MUST_USE ipc_status ipc_ring_writer_wait_for_peer(ipc_ring_writer *writer, ipc_deadline deadline, ipc_cancel *cancel);

/* Waits until a live writer is attached, or there is something to read from one that has left already.
 *
 * reader     the reading end
 * deadline   when to give up: a moment of CLOCK_MONOTONIC in ns
 * cancel     ends the wait when it is triggered, or NULL
 * Returns    IPC_OK; IPC_TIMEOUT, IPC_STOPPED, IPC_CANCELLED, IPC_CLOSED; IPC_E_INVALID_STATE for a connection's ring,
 *            which has its peer from the beginning.
 * Blocks     until DEADLINE. Allocates nothing. Threads: one at a time.
 */
IPC_API IPC_MUST_USE ipc_status ipc_ring_reader_wait_for_peer(ipc_ring_reader *reader, ipc_deadline deadline, ipc_cancel *cancel);

#ifdef __cplusplus
}
#endif
#endif
