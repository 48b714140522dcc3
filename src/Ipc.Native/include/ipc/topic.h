/*
 * topic.h - a topic: every reader sees every message, any number of processes on both sides. Included by ipc.h.
 *
 * Messages stand in a ring of slots. A writer claims a slot, fills it in place and commits it; each reader walks the
 * ring at its own pace. What happens when a reader is too slow is the reader's choice (ipc_policy). The creator of the
 * topic chooses its geometry; others read it from the topic.
 *
 * One thread at a time per writer or reader; stop, resume and close from any thread. Steady-state publishing and
 * reading never allocates.
 */
#ifndef IPC_TOPIC_PUBLIC_H
#define IPC_TOPIC_PUBLIC_H

#include "participants.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ipc_topic_writer ipc_topic_writer;
typedef struct ipc_topic_reader ipc_topic_reader;

typedef enum ipc_policy {
    IPC_RELIABLE = 0, /* writers wait for this reader up to their deadlines and then fail, naming it */
    IPC_EVICT = 1,    /* writers wait up to their deadlines and then evict it: it gets IPC_EVICTED */
    IPC_LOSSY = 2,    /* writers never wait; it is told how many messages it has missed */
    IPC_LATEST = 3    /* lossy, and of the messages that are there only the newest of each key is delivered */
} ipc_policy;

typedef enum ipc_join {
    IPC_JOIN_NEWEST = 0, /* what is published from now on */
    IPC_JOIN_OLDEST = 1, /* what is still there, too */
    IPC_JOIN_LAST = 2    /* the last message before now, too */
} ipc_join;

typedef struct ipc_topic_options {
    /* used only when the topic is created */
    uint32_t block_size;  /* payload bytes of a slot, 8 to 16 MiB, rounded up to 8; 0 = 1024. Longer ones are loans */
    uint32_t block_count; /* 2 to 2^20, rounded up to a power of two; 0 = 1024 */
    uint32_t max_readers; /* 1 to 1024; 0 = 64 */
    uint32_t max_writers; /* 1 to 3072; 0 = 64 */
    bool single_writer;   /* a second live writer is refused */
    uint32_t allowed_policies; /* bits 1 << policy; 0 = all */
    uint64_t loan_budget;      /* bytes for messages longer than a block; 0 = 256 MiB (32 bit: 8), IPC_NO_LOANS = none */
    ipc_lifetime lifetime; /* while it is used, or persistent; 0 = what there is; a new one goes with its last user */
    ipc_open_mode open_mode;
    ipc_wait_mode wait_mode;
    uint64_t spin_ns;      /* longest spin before sleeping; 0 = as measured (50 us) */
    ipc_deadline deadline; /* for IPC_OPEN_EXISTING; 0 = do not wait */
    ipc_cancel *cancel;    /* for IPC_OPEN_EXISTING */
    /* used only by readers */
    ipc_policy policy;
    ipc_join join;
    const ipc_topic_writer *ignore; /* a writer of this topic and process, whose messages this reader passes over */
    const ipc_access *access; /* with whom it is shared, for a name of the machine; NULL = this user */
} ipc_topic_options;

/* Opens the topic NAME as a writer, and creates it if the options say so.
 *
 * name       1 to 120 of the characters A-Z a-z 0-9 . _ -, no dot in front
 * options    NULL: all defaults
 * writer     the new writer: the caller's, to be closed
 * Returns    IPC_OK; IPC_E_TABLE_FULL: there are max_writers; IPC_E_IN_USE: a second writer of a topic with
 *            `single_writer`; IPC_E_NOT_FOUND (IPC_OPEN_EXISTING), IPC_E_EXISTS (IPC_CREATE_NEW), IPC_E_INVALID_NAME,
 *            IPC_E_WRONG_KIND, IPC_E_WRONG_VERSION, IPC_E_CORRUPT, IPC_E_ACCESS_DENIED, IPC_E_NO_SPACE,
 *            IPC_E_INVALID_ARGUMENT, IPC_E_NO_MEMORY, IPC_E_SYSTEM_ERROR; IPC_TIMEOUT or IPC_CANCELLED while it waits;
 *            IPC_E_WRONG_LIFETIME.
 * Blocks     until options->deadline for a creator (IPC_OPEN_EXISTING), and up to 5 s for a stopped process that holds
 *            the region's lock. Allocates the writer. Threads: any.
 */
IPC_API IPC_MUST_USE ipc_status ipc_topic_writer_open(const char *name, const ipc_topic_options *options, ipc_topic_writer **writer);

/* Opens the topic NAME as a reader, and creates it if the options say so. The options have its policy and where it
 * begins.
 *
 * name       1 to 120 of the characters A-Z a-z 0-9 . _ -, no dot in front
 * options    NULL: all defaults
 * reader     the new reader: the caller's, to be closed
 * Returns    IPC_OK; IPC_E_TABLE_FULL: there are max_readers; IPC_E_INVALID_ARGUMENT, too: a policy that the topic does
 *            not allow; IPC_E_NOT_FOUND (IPC_OPEN_EXISTING), IPC_E_EXISTS (IPC_CREATE_NEW), IPC_E_INVALID_NAME,
 *            IPC_E_WRONG_KIND, IPC_E_WRONG_VERSION, IPC_E_CORRUPT, IPC_E_ACCESS_DENIED, IPC_E_NO_SPACE,
 *            IPC_E_INVALID_ARGUMENT, IPC_E_NO_MEMORY, IPC_E_SYSTEM_ERROR; IPC_TIMEOUT or IPC_CANCELLED while it waits;
 *            IPC_E_WRONG_LIFETIME.
 * Blocks     until options->deadline for a creator (IPC_OPEN_EXISTING), and up to 5 s for a stopped process that holds
 *            the region's lock. Allocates the reader; with IPC_LATEST a table of keys. Threads: any.
 */
IPC_API IPC_MUST_USE ipc_status ipc_topic_reader_open(const char *name, const ipc_topic_options *options, ipc_topic_reader **reader);

/* Leaves the topic and frees the writer. A thread that waits in a call of it returns IPC_CLOSED first, and must not
 * touch it again; no thread may be inside any other call, or still use a payload. Open claims are abandoned. The
 * last one to leave removes a topic that is not persistent.
 *
 * writer     the writer; NULL is fine
 * Blocks     until waits in it have returned. Allocates nothing. Threads: any.
 */
IPC_API void ipc_topic_writer_close(ipc_topic_writer *writer);

/* Leaves the topic and frees the reader. A thread that waits in a call of it returns IPC_CLOSED first, and must not
 * touch it again; no thread may be inside any other call, or still use a payload. The last one to leave removes a
 * topic that is not persistent.
 *
 * reader     the reader; NULL is fine
 * Blocks     until waits in it have returned. Allocates nothing. Threads: any.
 */
IPC_API void ipc_topic_reader_close(ipc_topic_reader *reader);

/* Claims a slot, in place. Readers cannot pass this slot until it is committed or abandoned: do not hold it long.
 * Several may be open at a time. It evicts no reader.
 *
 * writer     the writer
 * length     bytes, 0 included
 * block      filled in at IPC_OK: its payload is where to write, valid until commit or abandon
 * Returns    IPC_OK; IPC_FULL: a reader that writers wait for is a whole lap behind, ipc_last_error() names it, its
 *            process and by how much; or no loan; IPC_E_TOO_LARGE: longer than a block, and than the loan budget;
 *            IPC_CLOSED; IPC_E_CORRUPT.
 * Blocks     never. Allocates nothing. Threads: one at a time.
 */
IPC_API IPC_MUST_USE ipc_status ipc_topic_try_claim(ipc_topic_writer *writer, uint32_t length, ipc_block *block);

/* As ipc_topic_try_claim, waiting for room. At the deadline (IPC_NOW: at once) readers with the policy IPC_EVICT are
 * evicted if that makes room.
 *
 * writer     the writer
 * length     bytes, 0 included
 * deadline   when to give up: a moment of CLOCK_MONOTONIC in ns
 * cancel     ends the wait when it is triggered, or NULL
 * block      filled in at IPC_OK, as by ipc_topic_try_claim
 * Returns    IPC_OK, never IPC_FULL; IPC_TIMEOUT, IPC_STOPPED, IPC_CANCELLED, IPC_CLOSED; with IPC_TIMEOUT
 *            ipc_last_error() names the slow reader; otherwise as ipc_topic_try_claim.
 * Blocks     until DEADLINE. Allocates nothing. Threads: one at a time.
 */
IPC_API IPC_MUST_USE ipc_status ipc_topic_claim(ipc_topic_writer *writer, uint32_t length, ipc_deadline deadline, ipc_cancel *cancel,
                                   ipc_block *block);

/* Arms the handle for room: it becomes ready when ipc_topic_try_claim, which has returned IPC_FULL, may find it, at the
 * deadline, and when it is cancelled, stopped or closed. It evicts no reader: ipc_topic_claim with IPC_NOW does that.
 *
 * writer     the writer
 * length     of the payload that is to be claimed
 * deadline   when it becomes ready at the latest: a moment of CLOCK_MONOTONIC in ns
 * cancel     makes it ready when it is triggered, or NULL; must be there as long as the handle is armed
 * handle     armed here until it is ready, wherever it was before
 * Returns    IPC_EMPTY: it is armed. IPC_OK: there may be room already; IPC_TIMEOUT, IPC_STOPPED, IPC_CANCELLED,
 *            IPC_CLOSED and errors are those of a wait: it is not armed, and a descriptor is readable. IPC_E_TOO_LARGE:
 *            never any room. IPC_E_SYSTEM_ERROR, IPC_E_NO_MEMORY: the library's thread could not be started.
 * Blocks     never. Allocates nothing, but with the first armed one of the process a thread. Threads: one at a time.
 */
IPC_API IPC_MUST_USE ipc_status ipc_topic_arm_room(ipc_topic_writer *writer, uint32_t length, ipc_deadline deadline,
                                                   ipc_cancel *cancel, ipc_ready_handle *handle);

/* Publishes the first LENGTH claimed bytes; wakes readers that sleep.
 *
 * writer     the writer
 * block      claimed; at IPC_OK it must not be used any more
 * length     bytes, at most as claimed
 * type       a number of the application's, delivered with the message
 * key        of several messages with one key, readers with IPC_LATEST get the newest
 * Returns    IPC_OK; IPC_E_INVALID_STATE: the block is not claimed (any more), nothing was published;
 *            IPC_E_INVALID_ARGUMENT: more than was claimed; the claim stays open.
 * Blocks     never. Allocates nothing. Threads: one at a time.
 */
IPC_API IPC_MUST_USE ipc_status ipc_topic_commit(ipc_topic_writer *writer, ipc_block *block, uint32_t length, uint16_t type,
                                    uint64_t key);

/* Gives the claim back: readers pass over it. A block that is not claimed stays what it is.
 *
 * writer     the writer
 * block      claimed; it must not be used afterwards
 * Blocks     never. Allocates nothing. Threads: one at a time.
 */
IPC_API void ipc_topic_abandon(ipc_topic_writer *writer, ipc_block *block);

/* Claims, copies and commits.
 *
 * writer     the writer
 * payload    the bytes; may be NULL when LENGTH is 0
 * length     bytes
 * type       a number of the application's, delivered with the message
 * key        as for ipc_topic_commit
 * deadline   when to give up: a moment of CLOCK_MONOTONIC in ns
 * cancel     ends the wait when it is triggered, or NULL
 * Returns    IPC_OK: published; otherwise as ipc_topic_claim, and nothing was.
 * Blocks     until DEADLINE, for room. Allocates nothing. Threads: one at a time.
 */
IPC_API IPC_MUST_USE ipc_status ipc_topic_publish(ipc_topic_writer *writer, const void *payload, uint32_t length, uint16_t type,
                                     uint64_t key, ipc_deadline deadline, ipc_cancel *cancel);

/* Waits until so many readers are attached.
 *
 * writer     the writer
 * count      readers, whatever their policy
 * deadline   when to give up: a moment of CLOCK_MONOTONIC in ns
 * cancel     ends the wait when it is triggered, or NULL
 * Returns    IPC_OK; IPC_TIMEOUT, IPC_STOPPED, IPC_CANCELLED, IPC_CLOSED; IPC_E_INVALID_ARGUMENT: more than
 *            max_readers.
 * Blocks     until DEADLINE. Allocates nothing. Threads: one at a time.
 */
IPC_API IPC_MUST_USE ipc_status ipc_topic_writer_wait_for_readers(ipc_topic_writer *writer, uint32_t count, ipc_deadline deadline,
                                                     ipc_cancel *cancel);

typedef struct ipc_message {
    /* Reliable and evict: in the topic, valid until released; a hostile peer can change it: read once, check, use.
       Lossy, latest, and what was published before the reader joined: a copy, valid until the next read. */
    const void *payload;
    uint32_t length;
    uint16_t type;
    uint64_t key;
    uint64_t position; /* grows with each message of the topic */
    uint64_t lost;     /* missed just before this one (lossy), or older ones of its key passed over (latest); with
                          IPC_EVICTED: how many were missed when the reader was told */
    uint32_t writer;   /* participant index */
} ipc_message;

/* The next message. May be called again before releasing: it reads ahead.
 *
 * reader     the reader
 * message    filled in at IPC_OK; at IPC_EVICTED `lost` is
 * Returns    IPC_OK; IPC_EMPTY: none now; IPC_EVICTED: a writer has evicted this reader (IPC_EVICT), its unreleased
 *            messages may have been overwritten, and every read returns this until ipc_topic_rejoin; IPC_CLOSED;
 *            IPC_E_CORRUPT; IPC_E_NO_MEMORY: for a copy.
 * Blocks     never. Allocates a buffer for copies, which grows to the longest message (IPC_LOSSY, IPC_LATEST,
 *            messages of before the reader). Threads: one at a time.
 */
IPC_API IPC_MUST_USE ipc_status ipc_topic_try_read(ipc_topic_reader *reader, ipc_message *message);

/* As ipc_topic_try_read, waiting for a message.
 *
 * reader     the reader
 * deadline   when to give up: a moment of CLOCK_MONOTONIC in ns
 * cancel     ends the wait when it is triggered, or NULL
 * message    filled in at IPC_OK; at IPC_EVICTED `lost` is
 * Returns    IPC_OK, never IPC_EMPTY; IPC_TIMEOUT, IPC_STOPPED, IPC_CANCELLED, IPC_CLOSED; otherwise as
 *            ipc_topic_try_read.
 * Blocks     until DEADLINE. Allocates as ipc_topic_try_read. Threads: one at a time.
 */
IPC_API IPC_MUST_USE ipc_status ipc_topic_read(ipc_topic_reader *reader, ipc_deadline deadline, ipc_cancel *cancel,
                                  ipc_message *message);

/* Waits until a message can be read, and does not read it.
 *
 * reader     the reader
 * deadline   when to give up: a moment of CLOCK_MONOTONIC in ns
 * cancel     ends the wait when it is triggered, or NULL
 * Returns    IPC_OK, or what ipc_topic_read would return.
 * Blocks     until DEADLINE. Allocates as ipc_topic_try_read. Threads: one at a time.
 */
IPC_API IPC_MUST_USE ipc_status ipc_topic_wait(ipc_topic_reader *reader, ipc_deadline deadline, ipc_cancel *cancel);

/* Arms the handle: it becomes ready when a message can be read, or this reader was evicted, or the deadline has passed,
 * or it is cancelled, stopped or closed. Then ipc_topic_try_read is called until there is no more, and the handle armed
 * again.
 *
 * reader     the reader
 * deadline   when it becomes ready at the latest: a moment of CLOCK_MONOTONIC in ns
 * cancel     makes it ready when it is triggered, or NULL; must be there as long as the handle is armed
 * handle     armed here until it is ready, wherever it was before
 * Returns    IPC_EMPTY: it is armed. IPC_OK: there is something already; IPC_TIMEOUT, IPC_STOPPED, IPC_CANCELLED,
 *            IPC_CLOSED and errors are those of a wait: it is not armed, and a descriptor is readable.
 *            IPC_E_SYSTEM_ERROR, IPC_E_NO_MEMORY: the library's thread could not be started.
 * Blocks     never. Allocates nothing, but with the first armed one of the process a thread. Threads: one at a time.
 */
IPC_API IPC_MUST_USE ipc_status ipc_topic_arm(ipc_topic_reader *reader, ipc_deadline deadline, ipc_cancel *cancel,
                                              ipc_ready_handle *handle);

/* Releases all messages read so far; writers may overwrite them from now on. (An evicted reader that goes on
 * reading a loan in place while the file system is full may meet a page that is gone: SIGBUS.)
 *
 * reader     the reader
 * Returns    IPC_OK; IPC_EVICTED: they may have been overwritten while they were read: do not use their contents.
 * Blocks     never. Allocates nothing. Threads: one at a time.
 */
IPC_API ipc_status ipc_topic_release(ipc_topic_reader *reader);

/* Begins reading anew at JOIN, after IPC_EVICTED or at any time. Unreleased messages are released.
 *
 * reader     the reader
 * join       where
 * Returns    IPC_OK; IPC_CLOSED; IPC_E_INVALID_ARGUMENT; IPC_TIMEOUT: a stopped process holds the region's lock.
 * Blocks     up to 5 s, see IPC_TIMEOUT. Allocates nothing. Threads: one at a time.
 */
IPC_API IPC_MUST_USE ipc_status ipc_topic_rejoin(ipc_topic_reader *reader, ipc_join join);

/* Waits of this writer, now and from now on, return IPC_STOPPED until it is resumed. Calls that need not wait work.
 *
 * writer     the writer
 * Blocks     never. Allocates nothing. Threads: any.
 */
IPC_API void ipc_topic_writer_stop(ipc_topic_writer *writer);

/* Takes ipc_topic_writer_stop back.
 *
 * writer     the writer
 * Blocks     never. Allocates nothing. Threads: any.
 */
IPC_API void ipc_topic_writer_resume(ipc_topic_writer *writer);

/* Waits of this reader, now and from now on, return IPC_STOPPED until it is resumed. Calls that need not wait work.
 *
 * reader     the reader
 * Blocks     never. Allocates nothing. Threads: any.
 */
IPC_API void ipc_topic_reader_stop(ipc_topic_reader *reader);

/* Takes ipc_topic_reader_stop back.
 *
 * reader     the reader
 * Blocks     never. Allocates nothing. Threads: any.
 */
IPC_API void ipc_topic_reader_resume(ipc_topic_reader *reader);

/* Gives the memory of free loans back to the system.
 *
 * writer     the writer
 * Blocks     never. Allocates nothing. Threads: one at a time.
 */
IPC_API void ipc_topic_writer_trim_loans(ipc_topic_writer *writer);

typedef struct ipc_topic_info {
    uint32_t block_size;
    uint32_t block_count;
    uint32_t max_readers;
    uint32_t readers;         /* attached and not evicted */
    uint32_t writers;         /* attached */
    uint64_t tail;            /* position of the next message */
    uint64_t behind;          /* reader: messages that it has not released; writer: the slowest of those it waits for */
    uint64_t lost;            /* reader: missed in all, by being overrun or evicted */
    uint64_t conflated;       /* reader: passed over for a newer one of the same key, in all */
    uint64_t evictions;       /* of the topic, in all */
    uint64_t loan_budget;     /* bytes for messages longer than a block */
    uint64_t loans_present;   /* bytes of memory behind them now */
    uint64_t loans_exhausted; /* how often none was to be had */
} ipc_topic_info;

/* Gets sizes and counters. They are read one after another, so they may not fit together exactly.
 *
 * writer     the writer
 * info       filled in
 * Blocks     never. Allocates nothing. Threads: one at a time.
 */
IPC_API void ipc_topic_writer_get_info(const ipc_topic_writer *writer, ipc_topic_info *info);

/* Gets sizes and counters. They are read one after another, so they may not fit together exactly.
 *
 * reader     the reader
 * info       filled in
 * Blocks     never. Allocates nothing. Threads: one at a time.
 */
IPC_API void ipc_topic_reader_get_info(const ipc_topic_reader *reader, ipc_topic_info *info);

/* Lists the live participants, including this one.
 *
 * writer     the writer
 * array      filled in with at most CAPACITY of them; NULL when CAPACITY is 0
 * capacity   elements of ARRAY
 * Returns    the number of participants, which may be more than CAPACITY.
 * Blocks     for no other participant. Allocates as a wait may, if somebody has come or gone. Threads: one at a time.
 */
IPC_API uint32_t ipc_topic_writer_participants(const ipc_topic_writer *writer, ipc_participant_info *array,
                                               uint32_t capacity);

/* Lists the live participants, including this one.
 *
 * reader     the reader
 * array      filled in with at most CAPACITY of them; NULL when CAPACITY is 0
 * capacity   elements of ARRAY
 * Returns    the number of participants, which may be more than CAPACITY.
 * Blocks     for no other participant. Allocates as a wait may, if somebody has come or gone. Threads: one at a time.
 */
IPC_API uint32_t ipc_topic_reader_participants(const ipc_topic_reader *reader, ipc_participant_info *array,
                                               uint32_t capacity);

/* Waits for the next participant that has come, left or died. Participants that are attached already are reported
 * first, this object never. One that attaches and leaves between two calls may not be reported.
 *
 * writer     the writer
 * deadline   when to give up: a moment of CLOCK_MONOTONIC in ns
 * cancel     ends the wait when it is triggered, or NULL
 * change     filled in at IPC_OK
 * Returns    IPC_OK; IPC_TIMEOUT, IPC_STOPPED, IPC_CANCELLED, IPC_CLOSED; IPC_E_NO_MEMORY.
 * Blocks     until DEADLINE. Allocates at the first call. Threads: one at a time in this call, beside any others.
 */
IPC_API ipc_status ipc_topic_writer_next_change(ipc_topic_writer *writer, ipc_deadline deadline, ipc_cancel *cancel,
                                                ipc_change *change);

/* Waits for the next participant that has come, left or died, as ipc_topic_writer_next_change does.
 *
 * reader     the reader
 * deadline   when to give up: a moment of CLOCK_MONOTONIC in ns
 * cancel     ends the wait when it is triggered, or NULL
 * change     filled in at IPC_OK
 * Returns    IPC_OK; IPC_TIMEOUT, IPC_STOPPED, IPC_CANCELLED, IPC_CLOSED; IPC_E_NO_MEMORY.
 * Blocks     until DEADLINE. Allocates at the first call. Threads: one at a time in this call, beside any others.
 */
IPC_API ipc_status ipc_topic_reader_next_change(ipc_topic_reader *reader, ipc_deadline deadline, ipc_cancel *cancel,
                                                ipc_change *change);

#ifdef __cplusplus
}
#endif
#endif
