/*
 * ipc.h - shared-memory rings and connections between programs on one machine.
 *
 * The bytes are described in docs/wire-format.md; a C# program that uses the Ipc.Core library is a peer like any other.
 *
 * Results. Every function that can fail returns an ipc_status. Zero is success; positive values are ordinary outcomes
 * of a call (full, empty, timed out, peer gone, ...), negative ones are errors. ipc_last_error() tells what happened in
 * words, with both values where two did not match, and what to do; it belongs to the calling thread and lasts until its
 * next failing call.
 *
 * Waiting. A call that can block takes a deadline: a moment of CLOCK_MONOTONIC in ns. IPC_NOW never blocks, IPC_FOREVER
 * never times out, ipc_deadline_after() converts a duration. It may also take an ipc_cancel (or NULL).
 *
 * Threads. A writer and a reader are each for one thread at a time; stop, resume, close and cancel may be called from
 * any thread at any time. Steady-state sending and receiving never allocates.
 */
#ifndef IPC_H
#define IPC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(_WIN32)
#define IPC_API
#elif defined(__GNUC__)
#define IPC_API __attribute__((visibility("default")))
#else
#define IPC_API
#endif

/* ---- results ----------------------------------------------------------------------------------------- */

typedef enum ipc_status {
    IPC_OK = 0,
    IPC_FULL = 1,        /* no space now */
    IPC_EMPTY = 2,       /* nothing to read now */
    IPC_TIMEOUT = 3,     /* the deadline passed */
    IPC_STOPPED = 4,     /* ipc_*_stop was called */
    IPC_CANCELLED = 5,   /* the ipc_cancel was triggered */
    IPC_CLOSED = 6,      /* closed on this side */
    IPC_PEER_CLOSED = 7, /* the other side left in good order; everything it published has been read */
    IPC_PEER_DIED = 8,   /* the other side's process died; everything it published has been read */
    IPC_ABANDONED = 9,   /* acquired, but the holder before died holding it: check what it protects */
    IPC_EVICTED = 10,    /* this reader was cut off by a writer that could not wait; it may join again */

    IPC_E_NAME = -1,        /* not a valid name */
    IPC_E_NOT_FOUND = -2,   /* no region of that name */
    IPC_E_EXISTS = -3,      /* a live region of that name exists */
    IPC_E_IN_USE = -4,      /* the role is taken by a live participant */
    IPC_E_KIND = -5,        /* the region is of another kind */
    IPC_E_VERSION = -6,     /* the region has another layout version */
    IPC_E_CORRUPT = -7,     /* the bytes are not what they must be */
    IPC_E_ACCESS = -8,      /* permission denied, or owned by somebody else */
    IPC_E_NO_SPACE = -9,    /* the shared-memory file system is full */
    IPC_E_TOO_LARGE = -10,  /* larger than the ring allows; nothing was sent */
    IPC_E_TABLE_FULL = -11, /* too many participants */
    IPC_E_REFUSED = -12,    /* the server refused the connection */
    IPC_E_ARGUMENT = -13,   /* an argument is out of range */
    IPC_E_STATE = -14,      /* not now: e.g. commit without a claim */
    IPC_E_SYSTEM = -15,     /* an operating-system call failed: ipc_last_errno() */
    IPC_E_NO_MEMORY = -16
} ipc_status;

/* The name of a status ("IPC_E_NAME"); never NULL. */
IPC_API const char *ipc_status_name(ipc_status status);
/* What the calling thread's last failing call had to say. Never NULL. */
IPC_API const char *ipc_last_error(void);
/* errno of the calling thread's last IPC_E_SYSTEM, IPC_E_ACCESS or IPC_E_NO_SPACE; 0 if none. */
IPC_API int ipc_last_errno(void);

/* ---- time and cancellation --------------------------------------------------------------------------- */

typedef uint64_t ipc_deadline; /* CLOCK_MONOTONIC, ns */
#define IPC_NOW     ((ipc_deadline)0)
#define IPC_FOREVER ((ipc_deadline)UINT64_MAX)

/* Now + nanoseconds, saturating. */
IPC_API ipc_deadline ipc_deadline_after(uint64_t nanoseconds);

/* A switch that ends waits. Once triggered it stays so. Must outlive the calls that it was given to. */
typedef struct ipc_cancel ipc_cancel;
IPC_API ipc_status ipc_cancel_create(ipc_cancel **cancel);
/* Any thread; every wait that has it returns IPC_CANCELLED at once. */
IPC_API void ipc_cancel_trigger(ipc_cancel *cancel);
IPC_API void ipc_cancel_destroy(ipc_cancel *cancel);

typedef enum ipc_wait_mode {
    IPC_WAIT_ADAPTIVE = 0, /* spin as long as a wake would cost, then sleep (default) */
    IPC_WAIT_SPIN = 1,     /* never sleep */
    IPC_WAIT_BLOCK = 2     /* sleep at once */
} ipc_wait_mode;

/* ---- ring: one writer, one reader -------------------------------------------------------------------- */

typedef struct ipc_ring_writer ipc_ring_writer;
typedef struct ipc_ring_reader ipc_ring_reader;

typedef enum ipc_open_mode {
    IPC_OPEN_OR_CREATE = 0,
    IPC_CREATE = 1, /* IPC_E_EXISTS if there is one with a live participant */
    IPC_OPEN = 2    /* waits for a creator until the deadline, then IPC_E_NOT_FOUND (IPC_NOW: at once) */
} ipc_open_mode;

typedef struct ipc_ring_options {
    uint64_t capacity; /* bytes, power of two, 4 KiB to 1 GiB; 0 = 1 MiB. Used only when creating */
    ipc_open_mode open_mode;
    ipc_wait_mode wait_mode;
    bool persistent;       /* the region stays when the last participant leaves */
    ipc_deadline deadline; /* for IPC_OPEN; 0 = do not wait */
    ipc_cancel *cancel;    /* for IPC_OPEN */
    /* Bytes of memory for records longer than capacity / 2 - 8: they travel as loans, by the same calls. Memory is used
       only as they need it. 0 = 256 MiB, at most 64 GiB, IPC_NO_LOANS = none. Used only when creating */
    uint64_t loan_budget;
} ipc_ring_options;

/* One end of the ring NAME (options NULL: defaults). IPC_E_IN_USE if a live writer (reader) exists. */
IPC_API ipc_status ipc_ring_writer_open(const char *name, const ipc_ring_options *options, ipc_ring_writer **writer);
IPC_API ipc_status ipc_ring_reader_open(const char *name, const ipc_ring_options *options, ipc_ring_reader **reader);
/* Leaves. A thread that waits in a call of this end returns IPC_CLOSED first, and must not touch the end again; no
   thread may be inside any other call, or still use a payload. Unpublished records are dropped, unreleased ones
   stay. NULL is fine. */
IPC_API void ipc_ring_writer_close(ipc_ring_writer *writer);
IPC_API void ipc_ring_reader_close(ipc_ring_reader *reader);

IPC_API uint64_t ipc_ring_writer_capacity(const ipc_ring_writer *writer);
/* capacity / 2 - 8, or the loan budget if that is more */
IPC_API uint32_t ipc_ring_writer_max_payload(const ipc_ring_writer *writer);
IPC_API uint64_t ipc_ring_reader_capacity(const ipc_ring_reader *reader);

/* Claims LENGTH contiguous bytes in place. IPC_FULL at once if there is no room (or, for a long record, no loan). A new
   claim replaces an open one. */
IPC_API ipc_status ipc_ring_try_claim(ipc_ring_writer *writer, uint32_t length, void **payload);
/* The same, waiting for room. IPC_FULL never; IPC_PEER_CLOSED/DIED when the reader is gone and the ring is full. */
IPC_API ipc_status ipc_ring_claim(ipc_ring_writer *writer, uint32_t length, ipc_deadline deadline, ipc_cancel *cancel,
                                  void **payload);
/* Grows the open claim to LENGTH bytes, keeping what was written into it; the bytes may move, so use the new
   payload. IPC_FULL: no room for that now, the claim is as it was. A smaller LENGTH changes nothing. IPC_E_STATE
   without an open claim. */
IPC_API ipc_status ipc_ring_extend_claim(ipc_ring_writer *writer, uint32_t length, void **payload);
/* Commits the first LENGTH claimed bytes and publishes them with everything batched before; wakes a sleeping reader. */
IPC_API ipc_status ipc_ring_commit(ipc_ring_writer *writer, uint32_t length, uint16_t type);
/* Commits without publishing: the batch goes out with the next commit or ipc_ring_flush. */
IPC_API ipc_status ipc_ring_commit_batched(ipc_ring_writer *writer, uint32_t length, uint16_t type);
IPC_API void ipc_ring_flush(ipc_ring_writer *writer);
/* Gives the claim back. The ring is as if it had not been made. */
IPC_API void ipc_ring_abandon(ipc_ring_writer *writer);
/* Claim, copy, commit. */
IPC_API ipc_status ipc_ring_write(ipc_ring_writer *writer, const void *payload, uint32_t length, uint16_t type,
                                  ipc_deadline deadline, ipc_cancel *cancel);

typedef struct ipc_record {
    const void *payload; /* shared, valid until released; a hostile peer can change it: read once, check, use */
    uint32_t length;
    uint16_t type;
    bool redelivered; /* published before this reader took over from one that died: it may have been handled already */
} ipc_record;

/* The next record in place. IPC_EMPTY at once if there is none. May be called again before releasing (reads ahead). */
IPC_API ipc_status ipc_ring_try_read(ipc_ring_reader *reader, ipc_record *record);
/* The same, waiting. IPC_PEER_CLOSED/DIED when the ring is empty and its writer is gone. */
IPC_API ipc_status ipc_ring_read(ipc_ring_reader *reader, ipc_deadline deadline, ipc_cancel *cancel,
                                 ipc_record *record);
/* Waits until a record can be read, without reading it: IPC_OK, or what ipc_ring_read would return. */
IPC_API ipc_status ipc_ring_wait(ipc_ring_reader *reader, ipc_deadline deadline, ipc_cancel *cancel);
/* Releases all records read so far. Their payloads may be overwritten from now on. */
IPC_API void ipc_ring_release(ipc_ring_reader *reader);

/* All waits of this end return IPC_STOPPED until resumed. Any thread. */
IPC_API void ipc_ring_writer_stop(ipc_ring_writer *writer);
IPC_API void ipc_ring_writer_resume(ipc_ring_writer *writer);
IPC_API void ipc_ring_reader_stop(ipc_ring_reader *reader);
IPC_API void ipc_ring_reader_resume(ipc_ring_reader *reader);

typedef enum ipc_peer_state {
    IPC_PEER_NEVER = 0,
    IPC_PEER_LIVE = 1,
    IPC_PEER_LEFT = 2,
    IPC_PEER_DEAD = 3
} ipc_peer_state;
/* What has become of the other end: never there, live, left in order, died (and not been succeeded). The owner's
   thread. */
IPC_API ipc_peer_state ipc_ring_writer_peer(const ipc_ring_writer *writer);
IPC_API ipc_peer_state ipc_ring_reader_peer(const ipc_ring_reader *reader);
/* Waits until a live peer is attached. IPC_E_STATE for the rings of a connection. */
IPC_API ipc_status ipc_ring_writer_wait_for_peer(ipc_ring_writer *writer, ipc_deadline deadline, ipc_cancel *cancel);
IPC_API ipc_status ipc_ring_reader_wait_for_peer(ipc_ring_reader *reader, ipc_deadline deadline, ipc_cancel *cancel);

/* ---- listener and connection ------------------------------------------------------------------------- */

typedef struct ipc_listener ipc_listener;
typedef struct ipc_connection ipc_connection;

typedef struct ipc_listener_options {
    uint32_t max_connections;   /* 0 = 1023 */
    uint64_t max_ring_capacity; /* 0 = 64 MiB: a client that asks for more is refused */
    ipc_wait_mode wait_mode;
    uint64_t max_loan_budget; /* of a direction; 0 = 1 GiB: a client that asks for more is refused */
} ipc_listener_options;

/* Opens the listener NAME. A left-over of a dead server is replaced; IPC_E_IN_USE (it says its pid) if one lives. */
IPC_API ipc_status ipc_listener_open(const char *name, const ipc_listener_options *options, ipc_listener **listener);
/* Closes all connections (code IPC_CLOSE_SHUTDOWN), refuses who is asking, retires the region, removes the name. A
   thread in ipc_listener_next returns IPC_CLOSED first. What is lent out stays the borrower's: ipc_connection_close
   (or ipc_listener_return) frees it, also after this. */
IPC_API void ipc_listener_close(ipc_listener *listener);
IPC_API void ipc_listener_stop(ipc_listener *listener); /* ipc_listener_next returns IPC_STOPPED; any thread */
IPC_API void ipc_listener_resume(ipc_listener *listener);

typedef enum ipc_event_kind {
    IPC_EVENT_CONNECT = 1,  /* a client wants to connect: answer with ipc_connection_accept or _refuse */
    IPC_EVENT_READABLE = 2, /* records may be waiting: read until IPC_EMPTY, then ipc_listener_return */
    IPC_EVENT_CLOSED = 3    /* the client closed or died and everything was read: ipc_connection_close frees it */
} ipc_event_kind;

typedef struct ipc_event {
    ipc_event_kind kind;
    ipc_connection *connection; /* lent to the caller until ipc_listener_return / refuse / close */
} ipc_event;

/* The next thing to do, over all connections. One thread at a time (a leader); others may handle what was lent
   before. Watches a connection that is lent out again only after ipc_listener_return. */
IPC_API ipc_status ipc_listener_next(ipc_listener *listener, ipc_deadline deadline, ipc_cancel *cancel,
                                     ipc_event *event);
IPC_API void ipc_listener_return(ipc_listener *listener, ipc_connection *connection); /* any thread */

/* The answer to IPC_EVENT_CONNECT, once; the client's ipc_connect returns. Accepting keeps the connection lent:
   return it when ready to read. */
IPC_API ipc_status ipc_connection_accept(ipc_connection *connection);
/* The reason is UTF-8, cut to 240 bytes. Frees the connection. */
IPC_API ipc_status ipc_connection_refuse(ipc_connection *connection, const char *reason);

typedef struct ipc_connect_options {
    uint64_t to_server_capacity; /* 0 = 256 KiB */
    uint64_t to_client_capacity; /* 0 = 256 KiB */
    ipc_wait_mode wait_mode;
    ipc_deadline deadline; /* to find the server and be answered; 0 = the server must be there, 5 s to be answered */
    ipc_cancel *cancel;
    const void *hello; /* application data for the server's decision, at most 240 bytes */
    uint32_t hello_length;
    uint64_t loan_budget; /* of each direction, as in ipc_ring_options; 0 = 256 MiB, IPC_NO_LOANS = none */
} ipc_connect_options;

/* Connects to the listener NAME. IPC_E_NOT_FOUND, IPC_TIMEOUT, IPC_E_REFUSED (ipc_last_error() holds the server's
   text). */
IPC_API ipc_status ipc_connect(const char *name, const ipc_connect_options *options, ipc_connection **connection);
/* Closes this side and frees it; waits of other threads in it return IPC_CLOSED first. The peer reads what was
   published, then gets IPC_PEER_CLOSED. A server calls it for a connection that is lent to it. NULL is fine. */
IPC_API void ipc_connection_close(ipc_connection *connection);
/* Closes with a code and a text (a server's, at most 240 bytes) that the other side can read, without freeing: waits
   of this side return IPC_CLOSED. Only the first close counts. Any thread. */
IPC_API void ipc_connection_shutdown(ipc_connection *connection, uint32_t code, const char *text);
enum {
    IPC_CLOSE_NORMAL = 1,
    IPC_CLOSE_REFUSED = 2,
    IPC_CLOSE_CORRUPT = 3,
    IPC_CLOSE_SHUTDOWN = 4,
    IPC_CLOSE_PROTOCOL = 5
};

/* The two directions, from this side's point of view; borrowed, live as long as the connection. All ring calls above
   work on them except open, close and wait_for_peer. A peer that writes what is no ring closes the connection with
   IPC_CLOSE_CORRUPT, and the call returns IPC_E_CORRUPT. */
IPC_API ipc_ring_writer *ipc_connection_writer(ipc_connection *connection);
IPC_API ipc_ring_reader *ipc_connection_reader(ipc_connection *connection);

IPC_API bool ipc_connection_is_open(const ipc_connection *connection);        /* neither side closed, peer alive */
IPC_API uint32_t ipc_connection_close_code(const ipc_connection *connection); /* the peer's, 0 if none */
/* The text of the server's close (clients only send codes), cut to size - 1 bytes, with a zero behind it; its
   length, 0 if none. */
IPC_API uint32_t ipc_connection_close_text(const ipc_connection *connection, char *text, uint32_t size);
IPC_API uint32_t ipc_connection_slot(const ipc_connection *connection);
IPC_API int32_t ipc_connection_peer_pid(const ipc_connection *connection);
/* Server: what the client said of itself when it connected. */
IPC_API const void *ipc_connection_hello(const ipc_connection *connection, uint32_t *length);
IPC_API void ipc_connection_set_context(ipc_connection *connection, void *context);
IPC_API void *ipc_connection_context(const ipc_connection *connection);

/* ---- many processes: what queue, topic and locks have in common ---------------------------------------- */

#define IPC_NO_LOANS UINT64_MAX /* a loan_budget: no message is longer than a block (a ring: than half of it) */

/* A block that is claimed or received; the caller's own memory. */
typedef struct ipc_block {
    void *payload; /* shared, valid until commit, abandon or release; a hostile peer can change it */
    uint32_t length;
    uint16_t type;
    bool redelivered;     /* received before by a process that died without releasing it */
    uint64_t reserved[4]; /* the library's */
} ipc_block;

typedef struct ipc_participant_info {
    uint32_t index;      /* its place in the region's table: may be another's after it has gone */
    uint32_t generation; /* tells one from the next at the same place */
    uint32_t pid;
    uint32_t role;     /* bits: 1 writer, 2 reader */
    uint32_t runtime;  /* 1 C, 2 C# */
    uint64_t attached; /* Unix time, ns */
} ipc_participant_info;

typedef enum ipc_change_kind { IPC_CHANGE_ATTACHED = 1, IPC_CHANGE_LEFT = 2, IPC_CHANGE_DIED = 3 } ipc_change_kind;

typedef struct ipc_change {
    ipc_change_kind kind;
    ipc_participant_info participant;
} ipc_change;

/* Removes the storage of exactly that name, persistent or left over, whatever its kind. IPC_E_IN_USE (it says by which
   process) while a live participant is attached; IPC_E_NOT_FOUND if there is none. */
IPC_API ipc_status ipc_clear(const char *name);

/* ---- fault points (tests) ---------------------------------------------------------------------------- */

/* Built with -DIPC_FAULT_POINTS only: the environment variable IPC_FAULT=NAME[:N] makes the process kill itself with
   SIGKILL (IPC_FAULT_ACTION=stop: SIGSTOP) at the N-th pass of that point. */

#ifdef __cplusplus
}
#endif

#include "ipc/queue.h"
#include "ipc/sync.h"
#include "ipc/topic.h"

#endif
