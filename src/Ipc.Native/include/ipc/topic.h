/*
 * topic.h - a topic: every reader sees every message, any number of processes on both sides. Included by ipc.h.
 *
 * Messages stand in a ring of slots. A writer claims a slot, fills it in place and commits it; each reader walks the
 * ring at its own pace. What happens when a reader is too slow is the reader's choice (ipc_policy). The geometry is
 * chosen by whoever creates the topic; everybody else reads it from there.
 *
 * One thread at a time per writer or reader; stop, resume and close from any thread. Steady-state publishing and
 * reading never allocates.
 */
#ifndef IPC_TOPIC_PUBLIC_H
#define IPC_TOPIC_PUBLIC_H

#include "../ipc.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ipc_topic_writer ipc_topic_writer;
typedef struct ipc_topic_reader ipc_topic_reader;

typedef enum ipc_policy {
    IPC_RELIABLE = 0, /* writers wait for this reader up to their deadlines and then fail, naming it */
    IPC_EVICT = 1,    /* writers wait up to their deadlines and then cut it off: it gets IPC_EVICTED */
    IPC_LOSSY = 2,    /* writers never wait; it is told how many messages it has missed */
    IPC_LATEST = 3    /* lossy, and of the messages that are there only the newest of each key is delivered */
} ipc_policy;

typedef enum ipc_join {
    IPC_JOIN_NEWEST = 0, /* what is published from now on */
    IPC_JOIN_OLDEST = 1, /* what is still there, too */
    IPC_JOIN_LAST = 2    /* the last message before now, too */
} ipc_join;

typedef struct ipc_topic_options {
    /* used only by whoever creates */
    uint32_t block_size;  /* payload bytes of a slot, 8 to 16 MiB, rounded up to 8; 0 = 1024. Longer ones are loans */
    uint32_t block_count; /* 2 to 2^20, rounded up to a power of two; 0 = 1024 */
    uint32_t max_readers; /* 1 to 1024; 0 = 64 */
    uint32_t max_writers; /* 1 to 3072; 0 = 64 */
    bool single_writer;   /* a second live writer is refused */
    uint32_t allowed_policies; /* bits 1 << policy; 0 = all */
    uint64_t loan_budget;      /* bytes for messages longer than a block; 0 = 256 MiB, IPC_NO_LOANS = none */
    bool persistent;           /* the region stays when the last participant leaves */

    ipc_open_mode open_mode;
    ipc_wait_mode wait_mode;
    uint64_t spin_ns;      /* longest spin before sleeping; 0 = as measured (50 us) */
    ipc_deadline deadline; /* for IPC_OPEN; 0 = do not wait */
    ipc_cancel *cancel;    /* for IPC_OPEN */

    /* used only by readers */
    ipc_policy policy;
    ipc_join join;
    const ipc_topic_writer *ignore; /* a writer of this topic and process, whose messages this reader passes over */
} ipc_topic_options;

/* One participant of the topic NAME (options NULL: defaults). IPC_E_TABLE_FULL when max_readers (max_writers) are
   there, IPC_E_IN_USE for a second writer of a single_writer topic, IPC_E_ARGUMENT for a policy that the topic does not
   allow. */
IPC_API ipc_status ipc_topic_writer_open(const char *name, const ipc_topic_options *options, ipc_topic_writer **writer);
IPC_API ipc_status ipc_topic_reader_open(const char *name, const ipc_topic_options *options, ipc_topic_reader **reader);
/* Leaves. A thread that waits in a call of this object returns IPC_CLOSED first, and must not touch it again; no thread
   may be inside any other call, or still use a payload. Open claims are abandoned. NULL is fine. */
IPC_API void ipc_topic_writer_close(ipc_topic_writer *writer);
IPC_API void ipc_topic_reader_close(ipc_topic_reader *reader);

/* Claims a slot for LENGTH bytes, in place; readers get no further than this slot until it is committed or abandoned,
   so do not keep it long. IPC_FULL at once when a reader that writers wait for is a whole lap behind; ipc_last_error()
   names it, its process and by how much. Evicts nobody. IPC_E_TOO_LARGE: longer than a block, and loans do not hold
   it either. */
IPC_API ipc_status ipc_topic_try_claim(ipc_topic_writer *writer, uint32_t length, ipc_block *block);
/* The same, waiting for room. At the deadline (IPC_NOW: at once) readers with the policy IPC_EVICT are cut off if that
   makes room; otherwise IPC_TIMEOUT, and ipc_last_error() names the slow reader. */
IPC_API ipc_status ipc_topic_claim(ipc_topic_writer *writer, uint32_t length, ipc_deadline deadline, ipc_cancel *cancel,
                                   ipc_block *block);
/* Publishes the first LENGTH claimed bytes. KEY means something to readers with the policy IPC_LATEST. */
IPC_API ipc_status ipc_topic_commit(ipc_topic_writer *writer, ipc_block *block, uint32_t length, uint16_t type,
                                    uint64_t key);
/* Gives the claim back: readers pass over it. */
IPC_API void ipc_topic_abandon(ipc_topic_writer *writer, ipc_block *block);
/* Claim, copy, commit. */
IPC_API ipc_status ipc_topic_publish(ipc_topic_writer *writer, const void *payload, uint32_t length, uint16_t type,
                                     uint64_t key, ipc_deadline deadline, ipc_cancel *cancel);
/* Waits until COUNT readers are attached. */
IPC_API ipc_status ipc_topic_writer_wait_for_readers(ipc_topic_writer *writer, uint32_t count, ipc_deadline deadline,
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

/* The next message. IPC_EMPTY at once if there is none. May be called again before releasing (reads ahead).
   IPC_EVICTED: a writer has cut this reader off (policy IPC_EVICT); what it holds unreleased may have been overwritten,
   and every read says so until ipc_topic_rejoin. */
IPC_API ipc_status ipc_topic_try_read(ipc_topic_reader *reader, ipc_message *message);
/* The same, waiting. */
IPC_API ipc_status ipc_topic_read(ipc_topic_reader *reader, ipc_deadline deadline, ipc_cancel *cancel,
                                  ipc_message *message);
/* Waits until a message can be read, without reading it: IPC_OK, or what ipc_topic_read would return. */
IPC_API ipc_status ipc_topic_wait(ipc_topic_reader *reader, ipc_deadline deadline, ipc_cancel *cancel);
/* Releases all messages read so far; writers may overwrite them from now on. IPC_EVICTED: they may have been
   overwritten while they were read: do not believe what was not copied and checked. (An evicted reader that goes on
   reading a loan in place while the file system is full may meet a page that is gone: SIGBUS.) */
IPC_API ipc_status ipc_topic_release(ipc_topic_reader *reader);
/* Begins again at that place, after IPC_EVICTED or at any time. Unreleased messages are released. */
IPC_API ipc_status ipc_topic_rejoin(ipc_topic_reader *reader, ipc_join join);

/* All waits of this object return IPC_STOPPED until resumed. Any thread. */
IPC_API void ipc_topic_writer_stop(ipc_topic_writer *writer);
IPC_API void ipc_topic_writer_resume(ipc_topic_writer *writer);
IPC_API void ipc_topic_reader_stop(ipc_topic_reader *reader);
IPC_API void ipc_topic_reader_resume(ipc_topic_reader *reader);

/* Gives the memory of free loans back to the system. */
IPC_API void ipc_topic_writer_trim(ipc_topic_writer *writer);

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

IPC_API void ipc_topic_writer_get_info(const ipc_topic_writer *writer, ipc_topic_info *info);
IPC_API void ipc_topic_reader_get_info(const ipc_topic_reader *reader, ipc_topic_info *info);

/* The live participants, this one included: fills in at most CAPACITY, returns how many there are. */
IPC_API uint32_t ipc_topic_writer_participants(const ipc_topic_writer *writer, ipc_participant_info *array,
                                               uint32_t capacity);
IPC_API uint32_t ipc_topic_reader_participants(const ipc_topic_reader *reader, ipc_participant_info *array,
                                               uint32_t capacity);
/* Waits for the next participant that has come, left or died; those who are here are reported first, this object
   never. Who comes and goes between two calls may not be reported. Any thread. */
IPC_API ipc_status ipc_topic_writer_next_change(ipc_topic_writer *writer, ipc_deadline deadline, ipc_cancel *cancel,
                                                ipc_change *change);
IPC_API ipc_status ipc_topic_reader_next_change(ipc_topic_reader *reader, ipc_deadline deadline, ipc_cancel *cancel,
                                                ipc_change *change);

#ifdef __cplusplus
}
#endif
#endif
