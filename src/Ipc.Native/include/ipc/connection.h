/* connection.h - a server's listener, and connections of two rings each. Included by ipc.h. */
#ifndef IPC_CONNECTION_PUBLIC_H
#define IPC_CONNECTION_PUBLIC_H

#include "ring.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ipc_listener ipc_listener;
typedef struct ipc_connection ipc_connection;

/* What the records of connections mean. A listener says what its connections speak, and a client what it speaks: they
 * agree on the newest version that both have, and a client that has none does not get a connection. Who says nothing
 * (all 0) is taken at its word by everybody. */
typedef struct ipc_protocol {
    uint16_t id;           /* IPC_PROTOCOL_...; an application's own is 0x8000 or more; 0 = says nothing */
    uint8_t version;       /* the newest, from 1 */
    uint8_t least_version; /* the oldest; 0 = the newest alone */
} ipc_protocol;

enum {
    IPC_PROTOCOL_CALLS = 1, /* docs/rpc-protocol.md */
    IPC_PROTOCOL_BYTES = 2, /* docs/pipe-protocol.md */
    IPC_PROTOCOL_NAMED = 3  /* docs/wire-format/named.md: ipc/named.h */
};

typedef struct ipc_listener_options {
    uint32_t max_connections;   /* 1 to 16383; 0 = 1023 */
    uint64_t max_ring_capacity; /* 0 = 64 MiB: a client that asks for more is refused */
    ipc_wait_mode wait_mode;    /* of the listener and of its connections */
    uint64_t spin_ns;           /* the longest spin before sleeping; 0 = as measured (50 us) */
    uint64_t max_loan_budget;   /* of a direction; 0 = 1 GiB (32 bit: 8 MiB): a client that asks for more is refused */
    const ipc_access *access; /* who may connect, for a name of the machine; NULL = this user */
    ipc_protocol protocol;    /* what its connections speak */
    bool take_over; /* takes the name of a live server that was opened with it too, and lets the next one take its own:
                       IPC_EVENT_FOLLOWED. Linux only */
} ipc_listener_options;

/* Opens the listener NAME: from now on clients find it. It replaces what a dead server has left behind.
 *
 * name       1 to 120 of the characters A-Z a-z 0-9 . _ -, no dot in front
 * options    NULL: all defaults
 * listener   the new listener: the caller's, to be closed
 * Returns    IPC_OK; IPC_E_IN_USE when a live server has the name, ipc_last_error() has its process; with take_over
 *            only if that one was opened without it;
 *            IPC_E_INVALID_NAME, IPC_E_WRONG_KIND, IPC_E_WRONG_VERSION, IPC_E_CORRUPT, IPC_E_ACCESS_DENIED,
 *            IPC_E_NO_SPACE, IPC_E_INVALID_ARGUMENT, IPC_E_NO_MEMORY, IPC_E_SYSTEM_ERROR.
 * Blocks     up to 5 s for a stopped process that holds the region's lock. Allocates the listener and a table of its
 *            connections. Threads: any.
 */
IPC_API IPC_MUST_USE ipc_status ipc_listener_open(const char *name, const ipc_listener_options *options, ipc_listener **listener);

/* Closes all connections (IPC_CLOSE_SHUTDOWN), refuses open requests, and removes the name. A thread in
 * ipc_listener_next returns IPC_CLOSED first. What is lent out stays the borrower's: ipc_connection_close or
 * ipc_listener_return frees it, also after this.
 *
 * listener   the listener; NULL is fine
 * Blocks     until the wait in it has returned. Allocates nothing. Threads: any.
 */
IPC_API void ipc_listener_close(ipc_listener *listener);

/* Makes ipc_listener_next return IPC_STOPPED, now and from now on, until it is resumed, unless there is something to do
 * at once.
 *
 * listener   the listener
 * Blocks     never. Allocates nothing. Threads: any.
 */
IPC_API void ipc_listener_stop(ipc_listener *listener);

/* Takes ipc_listener_stop back.
 *
 * listener   the listener
 * Blocks     never. Allocates nothing. Threads: any.
 */
IPC_API void ipc_listener_resume(ipc_listener *listener);

typedef enum ipc_event_kind {
    IPC_EVENT_CONNECT = 1,  /* a client wants to connect: answer with ipc_connection_accept or _refuse */
    IPC_EVENT_READABLE = 2, /* records may be waiting: read until IPC_EMPTY, then ipc_listener_return */
    IPC_EVENT_CLOSED = 3,   /* the client closed or died and everything was read, or ipc_connection_shutdown was called
                               while it was not lent: ipc_connection_close frees it */
    IPC_EVENT_FOLLOWED = 4  /* another server has the name (take_over): told once, with no connection. Those that
                               there are stay: end them with IPC_CLOSE_SHUTDOWN, or let them run out; then close it */
} ipc_event_kind;

typedef struct ipc_event {
    ipc_event_kind kind;
    ipc_connection *connection; /* lent to the caller until ipc_listener_return / refuse / close */
} ipc_event;

/* Has another server taken the name? Seen at once, also before IPC_EVENT_FOLLOWED is there for who waits.
 *
 * listener   the listener
 * Returns    whether it has: what was asked before this says false was asked before the name was taken.
 * Blocks     never; it looks at the directory when somebody says that he has the name. Allocates nothing. Threads: any.
 */
IPC_API bool ipc_listener_is_followed(const ipc_listener *listener);

/* Waits for the next event of any connection. The connection of the event is lent to the caller, and not watched until
 * it is returned; several may be lent at a time, to as many threads.
 *
 * listener   the listener
 * deadline   when to give up: a moment of CLOCK_MONOTONIC in ns
 * cancel     ends the wait when it is triggered, or NULL
 * event      filled in at IPC_OK
 * Returns    IPC_OK; IPC_TIMEOUT, IPC_STOPPED, IPC_CANCELLED, IPC_CLOSED.
 * Blocks     until DEADLINE. Allocates per client that connects, its connection. Threads: one at a time (a leader),
 *            while others handle what was lent before.
 */
IPC_API IPC_MUST_USE ipc_status ipc_listener_next(ipc_listener *listener, ipc_deadline deadline, ipc_cancel *cancel,
                                     ipc_event *event);

/* Arms the handle: it becomes ready when there is something to do, or the deadline has passed, or it is cancelled,
 * stopped or closed. Then ipc_listener_next with IPC_NOW is called until there is no more, and the handle armed again.
 *
 * listener   the listener
 * deadline   when it becomes ready at the latest: a moment of CLOCK_MONOTONIC in ns
 * cancel     makes it ready when it is triggered, or NULL; must be there as long as the handle is armed
 * handle     armed here until it is ready, wherever it was before
 * Returns    IPC_EMPTY: it is armed. IPC_OK: there is something already; IPC_TIMEOUT, IPC_STOPPED, IPC_CANCELLED,
 *            IPC_CLOSED and errors are those of a wait: it is not armed, and a descriptor is readable.
 *            IPC_E_SYSTEM_ERROR, IPC_E_NO_MEMORY: the library's thread could not be started.
 * Blocks     never. Allocates nothing, but with the first armed one of the process a thread. Threads: one at a time, the leader.
 */
IPC_API IPC_MUST_USE ipc_status ipc_listener_arm(ipc_listener *listener, ipc_deadline deadline, ipc_cancel *cancel,
                                                 ipc_ready_handle *handle);

/* Gives a lent connection back: the listener watches it again. One with unread records is reported again at once. After
 * ipc_listener_close it is closed and freed.
 *
 * listener   the listener
 * connection lent by ipc_listener_next; it must not be used afterwards
 * Blocks     never. Allocates nothing. Threads: any; no other thread may use the connection meanwhile.
 */
IPC_API void ipc_listener_return(ipc_listener *listener, ipc_connection *connection);

/* Accepts the request of an IPC_EVENT_CONNECT, once; the client's ipc_connect returns IPC_OK. The connection stays
 * lent: return it when ready to read.
 *
 * connection lent, of an IPC_EVENT_CONNECT
 * Returns    IPC_OK; IPC_E_INVALID_STATE: it does not wait for an answer.
 * Blocks     never. Allocates nothing. Threads: one at a time.
 */
IPC_API IPC_MUST_USE ipc_status ipc_connection_accept(ipc_connection *connection);

/* Refuses the request of an IPC_EVENT_CONNECT: the client's ipc_connect returns IPC_E_REFUSED. Frees the connection.
 *
 * connection lent, of an IPC_EVENT_CONNECT
 * reason     UTF-8, for the client's ipc_last_error(), cut to 240 bytes; or NULL
 * Returns    IPC_OK; IPC_E_INVALID_STATE: it does not wait for an answer, and was not freed.
 * Blocks     never. Allocates nothing. Threads: one at a time.
 */
IPC_API ipc_status ipc_connection_refuse(ipc_connection *connection, const char *reason);

typedef struct ipc_connect_options {
    uint64_t to_server_capacity; /* 0 = 256 KiB */
    uint64_t to_client_capacity; /* 0 = 256 KiB */
    ipc_wait_mode wait_mode;
    uint64_t spin_ns;      /* the longest spin before sleeping; 0 = as measured (50 us) */
    ipc_deadline deadline; /* to find the server and be answered; 0 = the server must be there, 5 s to be answered */
    ipc_cancel *cancel;
    const void *hello; /* application data for the server's decision, at most 240 bytes */
    uint32_t hello_length;
    uint64_t loan_budget; /* of each direction, as in ipc_ring_options; 0 = 256 MiB (32 bit: 8), IPC_NO_LOANS = none */
    const ipc_access *access; /* whose server it may be, for a name of the machine; NULL = this user's, or root's */
    ipc_protocol protocol;    /* what the client speaks */
} ipc_connect_options;

/* Connects to the listener NAME, waits for the server's answer, and makes the two rings.
 *
 * name       1 to 120 of the characters A-Z a-z 0-9 . _ -, no dot in front
 * options    NULL: all defaults
 * connection the new connection: the caller's, to be closed
 * Returns    IPC_OK; IPC_E_NOT_FOUND: no server there until the deadline; IPC_TIMEOUT: it did not answer;
 *            IPC_E_REFUSED: the server refused, ipc_last_error() is its text, if it gave one; IPC_PEER_CLOSED,
 *            IPC_PEER_DIED: it went meanwhile; IPC_CANCELLED; IPC_E_TABLE_FULL; IPC_E_INVALID_NAME; IPC_E_WRONG_KIND:
 *            it is no listener, or speaks another protocol; IPC_E_WRONG_VERSION: of another layout, or no version of the
 *            protocol that the client has; IPC_E_CORRUPT, IPC_E_ACCESS_DENIED, IPC_E_NO_SPACE, IPC_E_INVALID_ARGUMENT,
 *            IPC_E_NO_MEMORY, IPC_E_SYSTEM_ERROR.
 * Blocks     until options->deadline; after a failure up to 5 s more for a stopped process that keeps the listener's
 *            lock. Allocates the connection. Threads: any.
 */
IPC_API IPC_MUST_USE ipc_status ipc_connect(const char *name, const ipc_connect_options *options, ipc_connection **connection);

/* A connection that is being made without a thread that waits for it: begin, then try until there is something other
 * than IPC_EMPTY, with a handle armed in between; end.
 *
 *     status = ipc_connect_begin("prices", &options, &connecting);
 *     while (status == IPC_OK && (status = ipc_connect_try(connecting, &connection)) == IPC_EMPTY) {
 *         status = ipc_connect_arm(connecting, handle);
 *         if (status == IPC_EMPTY)
 *             poll(&(struct pollfd){ipc_ready_handle_descriptor(handle), POLLIN, 0}, 1, -1);
 *         if (status == IPC_EMPTY)
 *             status = IPC_OK;
 *     }
 *     ipc_connect_end(connecting);
 */
typedef struct ipc_connecting ipc_connecting;

/* Begins to connect to the listener NAME, as ipc_connect would. It does not contact the server yet.
 *
 * name       1 to 120 of the characters A-Z a-z 0-9 . _ -, no dot in front
 * options    NULL: all defaults. Copied, with the hello; the cancel, if any, has to live until the end
 * connecting the new one: the caller's, to be ended
 * Returns    IPC_OK; IPC_E_INVALID_NAME, IPC_E_INVALID_ARGUMENT, IPC_E_NO_MEMORY.
 * Blocks     never. Allocates it. Threads: any.
 */
IPC_API IPC_MUST_USE ipc_status ipc_connect_begin(const char *name, const ipc_connect_options *options,
                                                  ipc_connecting **connecting);

/* Goes as far as it can without waiting: finds the server, asks it, looks for its answer.
 *
 * connecting begun
 * connection the new connection at IPC_OK: the caller's, to be closed
 * Returns    IPC_OK; IPC_EMPTY: not yet; everything that ipc_connect returns; IPC_CLOSED in a child made by fork, when
 *            its parent had found the server before. After that, but for IPC_EMPTY, there is nothing left to try:
 *            IPC_E_INVALID_STATE. What has failed is withdrawn, and keeps its place in the server's table until the end.
 * Blocks     never; opening and mapping files takes its time. Allocates the connection. Threads: one at a time.
 */
IPC_API IPC_MUST_USE ipc_status ipc_connect_try(ipc_connecting *connecting, ipc_connection **connection);

/* Arms the handle: it becomes ready when another try may get further, or the deadline has passed, or it is cancelled.
 * The server's answer is signalled; a missing server, or a held lock of the listener, is checked again after 1 to 20
 * ms.
 *
 * connecting tried, with IPC_EMPTY
 * handle     armed here until it is ready, wherever it was before
 * Returns    IPC_EMPTY: it is armed. IPC_OK: try at once; it is not armed, and a descriptor is readable.
 *            IPC_E_SYSTEM_ERROR, IPC_E_NO_MEMORY: the library's thread could not be started. IPC_E_INVALID_STATE: over.
 * Blocks     never. Allocates nothing, but with the first armed one of the process a thread. Threads: one at a time.
 */
IPC_API IPC_MUST_USE ipc_status ipc_connect_arm(ipc_connecting *connecting, ipc_ready_handle *handle);

/* Frees it. What was asked of the server and not answered yet is withdrawn (in a child made by fork, nothing is); a
 * connection that a try has returned stays.
 *
 * connecting the one; NULL is fine
 * Blocks     as ipc_connection_close. Allocates nothing. Threads: one at a time.
 */
IPC_API void ipc_connect_end(ipc_connecting *connecting);

/* Closes this side (IPC_CLOSE_NORMAL, unless it was shut down before) and frees it. The peer reads what was
 * published, then gets IPC_PEER_CLOSED; a request that was not answered is refused. A server calls it for a connection
 * that is lent to it; for any other one of a listener only while no thread is in ipc_listener_next, and none comes in
 * meanwhile.
 *
 * connection the connection; NULL is fine
 * Blocks     until waits in its rings have returned. Allocates nothing. Threads: any: those that wait in its rings
 *            return IPC_CLOSED and must not touch it again; none may be inside any other call.
 */
IPC_API void ipc_connection_close(ipc_connection *connection);

/* Closes this side without freeing it: waits of it return IPC_CLOSED, the peer sees code and text. Only the first
 * close of a side counts.
 *
 * connection the connection
 * code       IPC_CLOSE_...; 0 = IPC_CLOSE_NORMAL
 * text       a server's, UTF-8, cut to 240 bytes; or NULL. A client's is not sent
 * Blocks     never. Allocates nothing. Threads: any.
 */
IPC_API void ipc_connection_shutdown(ipc_connection *connection, uint32_t code, const char *text);

/* The same, and a server says how far it has come, which its client gets from ipc_connection_handled: of the records
 * that begin at or behind HANDLED it has handled none, and will handle none. Others it may have handled.
 *
 * connection the connection
 * code       IPC_CLOSE_...; 0 = IPC_CLOSE_NORMAL
 * text       a server's, UTF-8, cut to 240 bytes; or NULL. A client's is not sent
 * handled    a position in the ring that it reads, such as ipc_ring_reader_released gives. A client's is not sent
 * Blocks     never. Allocates nothing. Threads: any.
 */
IPC_API void ipc_connection_shutdown_at(ipc_connection *connection, uint32_t code, const char *text, uint64_t handled);
enum {
    IPC_CLOSE_NORMAL = 1,
    IPC_CLOSE_REFUSED = 2,
    IPC_CLOSE_CORRUPT = 3,
    IPC_CLOSE_SHUTDOWN = 4,
    IPC_CLOSE_PROTOCOL = 5,
    IPC_CLOSE_IDENTITY = 6, /* the server is another one than the one that a named connection is with */
    IPC_CLOSE_LOST = 7 /* it was on another machine, and the way to it was lost: nothing is known of what it has done */
};

/* The outgoing ring. All calls of ring.h work on it but open, close and wait_for_peer. If the peer writes an invalid
 * ring, the connection is closed with IPC_CLOSE_CORRUPT and the call returns IPC_E_CORRUPT.
 *
 * connection the connection
 * Returns    never NULL; the connection's, lives as long as it.
 * Blocks     never. Allocates nothing. Threads: any.
 */
IPC_API ipc_ring_writer *ipc_connection_writer(ipc_connection *connection);

/* The incoming ring. All calls of ring.h work on it but open, close and wait_for_peer. If the peer writes an invalid
 * ring, the connection is closed with IPC_CLOSE_CORRUPT and the call returns IPC_E_CORRUPT.
 *
 * connection the connection
 * Returns    never NULL; the connection's, lives as long as it.
 * Blocks     never. Allocates nothing. Threads: any.
 */
IPC_API ipc_ring_reader *ipc_connection_reader(ipc_connection *connection);

/* Whether neither side has closed and the peer lives.
 *
 * connection the connection
 * Returns    false: what was published before can still be read.
 * Blocks     never. Allocates nothing. Threads: any.
 */
IPC_API bool ipc_connection_is_open(const ipc_connection *connection);

/* The code that the peer closed with.
 *
 * connection the connection
 * Returns    IPC_CLOSE_...; 0 while it has not.
 * Blocks     never. Allocates nothing. Threads: any.
 */
IPC_API uint32_t ipc_connection_close_code(const ipc_connection *connection);

/* How far a server that has closed has handled what its client sent.
 *
 * connection a client's
 * Returns    a position in the ring to the server: no record that begins there or behind it
 *            (ipc_ring_writer_position) was handled, or will be. UINT64_MAX: it has not closed, has died, or did not say.
 * Blocks     never. Allocates nothing. Threads: any.
 */
IPC_API uint64_t ipc_connection_handled(const ipc_connection *connection);

/* The text that the server closed with; clients send none.
 *
 * connection the connection
 * text       gets it, cut to SIZE - 1 bytes, with a zero behind it
 * size       bytes of TEXT; 0: nothing is written
 * Returns    bytes of it, without the zero; 0 if there is none.
 * Blocks     never. Allocates nothing. Threads: any.
 */
IPC_API uint32_t ipc_connection_close_text(const ipc_connection *connection, char *text, uint32_t size);

/* The place of the connection in the server's table: the same number on both sides, another's after it has gone.
 *
 * connection the connection
 * Returns    1 to the largest number of connections.
 * Blocks     never. Allocates nothing. Threads: any.
 */
IPC_API uint32_t ipc_connection_slot(const ipc_connection *connection);

/* The process at the other end, as it names itself: in another pid namespace that number means something else here.
 *
 * connection the connection
 * Returns    a process id.
 * Blocks     never. Allocates nothing. Threads: any.
 */
IPC_API int32_t ipc_connection_peer_pid(const ipc_connection *connection);

/* The user at the other end, as the kernel says: who owns the file of a region that the peer has made. No peer can choose
 * it: known before a client is accepted, and to a client of its server.
 *
 * connection the connection
 * Returns    a user id; IPC_NO_USER on Windows, where all who meet are one user.
 * Blocks     never. Allocates nothing. Threads: any.
 */
IPC_API uint32_t ipc_connection_peer_user(const ipc_connection *connection);

/* The version of the protocol that both sides speak on this connection.
 *
 * connection the connection
 * Returns    the newest that both have; the oldest of this side's when the other one says nothing of protocols; 0 when
 *            this side does not.
 * Blocks     never. Allocates nothing. Threads: any.
 */
IPC_API uint32_t ipc_connection_protocol_version(const ipc_connection *connection);

/* Server: what the client said of itself when it connected.
 *
 * connection the connection
 * length     gets its bytes, 0 to 240
 * Returns    the connection's copy, lives as long as it.
 * Blocks     never. Allocates nothing. Threads: any.
 */
IPC_API const void *ipc_connection_hello(const ipc_connection *connection, uint32_t *length);

/* Keeps a pointer of the application's with the connection.
 *
 * connection the connection
 * context    the caller's; never looked at
 * Blocks     never. Allocates nothing. Threads: one at a time.
 */
IPC_API void ipc_connection_set_context(ipc_connection *connection, void *context);

/* The pointer that ipc_connection_set_context has stored.
 *
 * connection the connection
 * Returns    NULL when none was.
 * Blocks     never. Allocates nothing. Threads: as ipc_connection_set_context.
 */
IPC_API void *ipc_connection_context(const ipc_connection *connection);

#ifdef __cplusplus
}
#endif
#endif
