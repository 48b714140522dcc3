/* named.h - messages between two names, in both directions, that outlive the programs of these names. Included by ipc.h.
 *
 * Either side may be killed at any moment and started again: the conversation goes on. What was sent stays until the
 * other side has acknowledged it; what was not acknowledged comes again, with its number, and marked. It does not
 * survive the machine's restart.
 *
 *     client                                                        server
 *     ipc_named_open("exchange", "trader-7", NULL, &connection)     ipc_named_listener_open("exchange", NULL, &listener)
 *     ipc_named_send(connection, &order, sizeof order, ...)         ipc_named_listener_next(listener, ..., &event)
 *                                                                       IPC_NAMED_LOGIN: ipc_named_accept
 *                                                                       IPC_NAMED_READABLE: ipc_named_try_receive until
 *                                                                           IPC_EMPTY, ipc_named_acknowledge,
 *     ipc_named_receive, ipc_named_acknowledge                              ipc_named_return
 *
 * One thread at a time sends (claim, commit, flush), and one receives and acknowledges; they may be two. A server's
 * receiving half is its listener's while it is not lent: it acknowledges what it has lent, or on the thread that calls
 * ipc_named_listener_next. Its part is in named_listener.h.
 */
#ifndef IPC_NAMED_H
#define IPC_NAMED_H

#include "connection.h"

#ifdef __cplusplus
extern "C" {
#endif

#define IPC_NAMED_DATA_MAX 1024u /* bytes of a login, and of a reply */
#define IPC_NAMED_NAME_MAX 120u  /* bytes of a name, and of an identity */
#define IPC_NAMED_TEXT_MAX 240u  /* bytes of the words with which a session ends */

typedef struct ipc_named_connection ipc_named_connection;

/* ---- a client's: opening, logging in ------------------------------------------------------------------ */

typedef struct ipc_named_options {
    uint64_t to_server_capacity; /* 0 = 1 MiB. What is not acknowledged stays in it. Counts when it is made */
    uint64_t to_client_capacity; /* 0 = 1 MiB; likewise */
    uint64_t loan_budget;        /* of each direction, as in ipc_ring_options; likewise */
    ipc_wait_mode wait_mode;
    uint64_t spin_ns;      /* the longest spin before sleeping; 0 = as measured (50 us) */
    const void *login;     /* for the server, at each login: it may accept or refuse by it. Copied */
    uint32_t login_length; /* at most 1024 */
    bool no_reconnect;     /* receive and send do not log in by themselves: ipc_named_connect does */
} ipc_named_options;

/* Opens the conversation of CLIENT with SERVER, or begins it. No server is needed.
 *
 * server     the name of a listener of named connections: 1 to 120 of the characters A-Z a-z 0-9 . _ -, no dot in front
 * client     this client's name, likewise: one live process has it at a time
 * options    NULL: all defaults
 * connection the new one: the caller's, to be closed
 * Returns    IPC_OK; IPC_E_IN_USE when a live client has the name, ipc_last_error() has its process;
 *            IPC_E_INVALID_NAME; IPC_E_INVALID_ARGUMENT: also a name of the machine; IPC_E_WRONG_KIND,
 *            IPC_E_WRONG_VERSION, IPC_E_CORRUPT, IPC_E_ACCESS_DENIED, IPC_E_NO_SPACE, IPC_E_TABLE_FULL, IPC_E_NO_MEMORY,
 *            IPC_E_SYSTEM_ERROR; IPC_TIMEOUT: a stopped process holds the region's lock.
 * Blocks     up to 5 s for such a process. Allocates the connection. Threads: any.
 */
IPC_API IPC_MUST_USE ipc_status ipc_named_open(const char *server, const char *client, const ipc_named_options *options,
                                               ipc_named_connection **connection);

/* Logs in, if there is no session with a server that lives: the system is asked. Waits until the deadline for one.
 *
 * connection a client's
 * deadline   when to give up: a moment of CLOCK_MONOTONIC in ns; IPC_NOW: looks once, and gives the server 5 s to answer
 * cancel     ends the wait when it is triggered, or NULL
 * Returns    IPC_OK: there is a session; IPC_E_NOT_FOUND: there is no server; IPC_TIMEOUT: it did not answer;
 *            IPC_E_REFUSED: it refuses this client, ipc_last_error() is its text; IPC_PEER_CLOSED, IPC_PEER_DIED,
 *            IPC_E_TABLE_FULL: it is ending, or has no room, until the deadline; IPC_STOPPED, IPC_CANCELLED, IPC_CLOSED;
 *            IPC_E_WRONG_KIND, IPC_E_WRONG_VERSION: that is no listener of named connections; and all of ipc_named_open,
 *            should the server be another one than before; IPC_E_INVALID_STATE: this is a server's.
 * Blocks     until DEADLINE. Allocates the session. Threads: any.
 */
IPC_API IPC_MUST_USE ipc_status ipc_named_connect(ipc_named_connection *connection, ipc_deadline deadline,
                                                  ipc_cancel *cancel);

/* Whether both sides are there: logged in, not closed, alive.
 *
 * connection the connection
 * Returns    whether that is so now; it can change at any time.
 * Blocks     never. Allocates nothing. Threads: any.
 */
IPC_API bool ipc_named_is_connected(const ipc_named_connection *connection);

/* Who the other side is.
 *
 * connection the connection
 * Returns    its process, as it says; 0 while there is no session.
 * Blocks     never. Allocates nothing. Threads: any.
 */
IPC_API int32_t ipc_named_peer_pid(const ipc_named_connection *connection);

/* What the server answered to the last login that it accepted.
 *
 * connection the connection
 * length     of it; 0: nothing
 * Returns    a copy, never NULL, until the next call of this, or the close.
 * Blocks     never. Allocates nothing. Threads: one at a time.
 */
IPC_API const void *ipc_named_reply(const ipc_named_connection *connection, uint32_t *length);

/* What the client said at its last login.
 *
 * connection the connection
 * length     of it; 0: nothing
 * Returns    a copy, never NULL, until the next call of this, or the close.
 * Blocks     never. Allocates nothing. Threads: one at a time.
 */
IPC_API const void *ipc_named_login(const ipc_named_connection *connection, uint32_t *length);

/* The client's name.
 *
 * connection the connection
 * Returns    never NULL; the connection's.
 * Blocks     never. Allocates nothing. Threads: any.
 */
IPC_API const char *ipc_named_client_name(const ipc_named_connection *connection);

/* The server's name.
 *
 * connection the connection
 * Returns    never NULL; the connection's.
 * Blocks     never. Allocates nothing. Threads: any.
 */
IPC_API const char *ipc_named_server_name(const ipc_named_connection *connection);

/* Of the server that this conversation is with: see ipc_named_listener_options.
 *
 * connection the connection
 * identity   room for it and a zero behind it; "" before the first login
 * size       of that, IPC_NAMED_NAME_MAX + 1 for all of it
 * Returns    how many bytes it has, without the zero.
 * Blocks     never. Allocates nothing. Threads: any.
 */
IPC_API uint32_t ipc_named_identity(const ipc_named_connection *connection, char *identity, uint32_t size);

typedef struct ipc_named_end {
    uint32_t code; /* with which the other side closed it: IPC_CLOSE_...; 0: it did not */
    bool died;     /* its process has ended without a word */
    char text[IPC_NAMED_TEXT_MAX + 1]; /* a server's */
} ipc_named_end;

/* How the last session ended that the other side has ended.
 *
 * connection the connection
 * reason     filled in at IPC_OK
 * Returns    IPC_OK; IPC_EMPTY: none has.
 * Blocks     never. Allocates nothing. Threads: any.
 */
IPC_API ipc_status ipc_named_ended(const ipc_named_connection *connection, ipc_named_end *reason);

/* A client that finds another server than before under the name (another identity) gives the conversation up, and
 * begins anew. Numbers begin at 1 again. */
typedef struct ipc_named_reset {
    uint64_t count; /* how often that was; 0: never, and the rest means nothing */
    char old_identity[IPC_NAMED_NAME_MAX + 1];
    char new_identity[IPC_NAMED_NAME_MAX + 1];
    uint64_t unacknowledged_sent;     /* given up: messages that the former server did not acknowledge */
    uint64_t unacknowledged_received; /* given up: messages of the former server that were not acknowledged here */
} ipc_named_reset;

/* The last time that the conversation was given up.
 *
 * connection a client's
 * reset      filled in
 * Blocks     never. Allocates nothing. Threads: any.
 */
IPC_API void ipc_named_last_reset(const ipc_named_connection *connection, ipc_named_reset *reset);

/* ---- sending ------------------------------------------------------------------------------------------ */

/* Claims LENGTH bytes in place, for a message to be filled in and committed; an open claim is given back first. Never
 * logs in.
 *
 * connection the connection
 * length     at most ipc_named_max_payload
 * payload    the bytes at IPC_OK: the caller's until it is committed or abandoned
 * Returns    IPC_OK; IPC_FULL: the other side has not acknowledged enough, or the conversation was given up and the next
 *            one could not be begun yet; IPC_CLOSED; IPC_E_TOO_LARGE; IPC_E_CORRUPT.
 * Blocks     never. Allocates nothing. Threads: one at a time.
 */
IPC_API IPC_MUST_USE ipc_status ipc_named_try_claim(ipc_named_connection *connection, uint32_t length, void **payload);

/* The same, and waits for room. A client without a session logs in meanwhile, unless it has no_reconnect: at once, then
 * after pauses that grow to a second. While there is room it is not held up by that.
 *
 * connection the connection
 * length     at most ipc_named_max_payload
 * deadline   when to give up: a moment of CLOCK_MONOTONIC in ns; IPC_NOW: as ipc_named_try_claim, with IPC_TIMEOUT
 * cancel     ends the wait when it is triggered, or NULL
 * payload    the bytes at IPC_OK: the caller's until it is committed or abandoned
 * Returns    IPC_OK, also when there is no server: the message waits for it; IPC_TIMEOUT: there was no room; IPC_STOPPED,
 *            IPC_CANCELLED, IPC_CLOSED; IPC_PEER_CLOSED, IPC_PEER_DIED: no room, the other side has gone, and this one
 *            has no_reconnect; IPC_E_TOO_LARGE, IPC_E_CORRUPT; no room, and what ipc_named_connect returns.
 * Blocks     until DEADLINE. Allocates with a login the session. Threads: one at a time.
 */
IPC_API IPC_MUST_USE ipc_status ipc_named_claim(ipc_named_connection *connection, uint32_t length, ipc_deadline deadline,
                                                ipc_cancel *cancel, void **payload);

/* Sends the first LENGTH claimed bytes, with everything that was batched before, and wakes a sleeping receiver. The
 * message is kept until the other side has acknowledged it.
 *
 * connection the connection
 * length     at most what was claimed
 * type       a number that travels with it
 * sequence   the message's number at IPC_OK; or NULL
 * Returns    IPC_OK; IPC_E_INVALID_STATE: there is no open claim, or the conversation was given up since
 *            (ipc_named_last_reset): the message is not sent, and to be claimed and written again;
 *            IPC_E_INVALID_ARGUMENT: longer than claimed; IPC_CLOSED; IPC_E_CORRUPT.
 * Blocks     never. Allocates nothing. Threads: one at a time.
 */
IPC_API IPC_MUST_USE ipc_status ipc_named_commit(ipc_named_connection *connection, uint32_t length, uint16_t type,
                                                 uint64_t *sequence);

/* The same without publishing: the message goes out with the next commit or flush, or when there is no more room.
 *
 * connection the connection
 * length     at most what was claimed
 * type       a number that travels with it
 * sequence   the message's number at IPC_OK; or NULL
 * Returns    as ipc_named_commit.
 * Blocks     never. Allocates nothing. Threads: one at a time.
 */
IPC_API IPC_MUST_USE ipc_status ipc_named_commit_batched(ipc_named_connection *connection, uint32_t length, uint16_t type,
                                                         uint64_t *sequence);

/* Publishes what was batched, with one store and at most one wake-up.
 *
 * connection the connection
 * Blocks     never. Allocates nothing. Threads: one at a time.
 */
IPC_API void ipc_named_flush(ipc_named_connection *connection);

/* Gives up the open claim. Its number is not used.
 *
 * connection the connection
 * Blocks     never. Allocates nothing. Threads: one at a time.
 */
IPC_API void ipc_named_abandon(ipc_named_connection *connection);

/* Claims, copies, commits; once more in the next conversation where this one is given up meanwhile. Never logs in.
 *
 * connection the connection
 * payload    the message, which is copied
 * length     at most ipc_named_max_payload
 * type       a number that travels with it
 * sequence   the message's number at IPC_OK; or NULL
 * Returns    as ipc_named_try_claim.
 * Blocks     never. Allocates nothing. Threads: one at a time.
 */
IPC_API IPC_MUST_USE ipc_status ipc_named_try_send(ipc_named_connection *connection, const void *payload, uint32_t length,
                                                   uint16_t type, uint64_t *sequence);

/* Claims as ipc_named_claim does, copies, commits; once more in the next conversation where this one is given up meanwhile.
 * A server waits also for a client that is away, whom ipc_named_listener_next lets in: without another thread for that
 * it waits for ever.
 *
 * connection the connection
 * payload    the message, which is copied
 * length     at most ipc_named_max_payload
 * type       a number that travels with it
 * deadline   when to give up: a moment of CLOCK_MONOTONIC in ns
 * cancel     ends the wait when it is triggered, or NULL
 * sequence   the message's number at IPC_OK; or NULL
 * Returns    as ipc_named_claim.
 * Blocks     until DEADLINE. Allocates as ipc_named_claim. Threads: one at a time.
 */
IPC_API IPC_MUST_USE ipc_status ipc_named_send(ipc_named_connection *connection, const void *payload, uint32_t length,
                                               uint16_t type, ipc_deadline deadline, ipc_cancel *cancel, uint64_t *sequence);

/* The longest message.
 *
 * connection the connection
 * Returns    in bytes.
 * Blocks     never. Allocates nothing. Threads: any.
 */
IPC_API uint32_t ipc_named_max_payload(const ipc_named_connection *connection);

/* ---- receiving ---------------------------------------------------------------------------------------- */

typedef struct ipc_named_message {
    const void *payload; /* in place, valid until it is acknowledged, or the next receive after a reset. A hostile peer
                            can change it: read once, check, use */
    uint32_t length;
    uint16_t type;
    bool redelivered;  /* a receiver of this name that ended without acknowledging it may have handled it already */
    uint64_t sequence; /* its number in this direction: 1, then always one more. What comes again has the one it had */
} ipc_named_message;

/* Receives the next message, in place, if there is one; also before the one before is acknowledged. Never logs in.
 *
 * connection the connection
 * message    filled in at IPC_OK
 * Returns    IPC_OK; IPC_EMPTY: also where one conversation was given up and the next one could not be begun yet;
 *            IPC_CLOSED; IPC_E_CORRUPT: the other side has written what is no message, or one whose number does not
 *            follow, ipc_last_error() has both: remove this conversation; IPC_E_NO_MEMORY.
 * Blocks     never. Allocates when more messages are not acknowledged than ever before. Threads: one at a time.
 */
IPC_API IPC_MUST_USE ipc_status ipc_named_try_receive(ipc_named_connection *connection, ipc_named_message *message);

/* The same, and waits for it. A client without a session logs in, unless it has no_reconnect: at once, then after
 * pauses that grow to a second. A server waits for its client to come back, whom ipc_named_listener_next lets in: a
 * program that has no other thread for that waits for ever.
 *
 * connection the connection
 * deadline   when to give up: a moment of CLOCK_MONOTONIC in ns; IPC_NOW: looks once, and does not log in
 * cancel     ends the wait when it is triggered, or NULL
 * message    filled in at IPC_OK
 * Returns    IPC_OK; IPC_TIMEOUT, IPC_STOPPED, IPC_CANCELLED, IPC_CLOSED; IPC_PEER_CLOSED, IPC_PEER_DIED: everything is
 *            received, the other side has gone, and this one has no_reconnect; IPC_E_CORRUPT, IPC_E_NO_MEMORY; and
 *            what ipc_named_connect returns, but for a server that is not there, or is ending, or does not answer.
 * Blocks     until DEADLINE. Allocates as ipc_named_try_receive, and with a login the session. Threads: one at a time.
 */
IPC_API IPC_MUST_USE ipc_status ipc_named_receive(ipc_named_connection *connection, ipc_deadline deadline,
                                                  ipc_cancel *cancel, ipc_named_message *message);

/* Says that the messages up to that number are done: they never come again, and their memory is the sender's.
 *
 * connection the connection
 * sequence   of a message that was received; 0, or more than that: all that were. What is acknowledged is not
 *            acknowledged again
 * Blocks     never. Allocates nothing. Threads: one at a time, as receiving.
 */
IPC_API void ipc_named_acknowledge(ipc_named_connection *connection, uint64_t sequence);

/* The number of the last message that was sent in this direction, by this process or a former one of its name.
 *
 * connection the connection
 * Returns    0: none was.
 * Blocks     never. Allocates nothing. Threads: any.
 */
IPC_API uint64_t ipc_named_sent(const ipc_named_connection *connection);

/* The number of the last message that was received; at the start, that was acknowledged.
 *
 * connection the connection
 * Returns    0: none was.
 * Blocks     never. Allocates nothing. Threads: any.
 */
IPC_API uint64_t ipc_named_received(const ipc_named_connection *connection);

/* The number up to which messages are acknowledged by this side.
 *
 * connection the connection
 * Returns    0: none is.
 * Blocks     never. Allocates nothing. Threads: any.
 */
IPC_API uint64_t ipc_named_acknowledged(const ipc_named_connection *connection);

/* How many messages were sent that the other side has not acknowledged yet.
 *
 * connection the connection
 * Returns    how many, now; it can change at any time.
 * Blocks     never. Allocates nothing. Threads: any.
 */
IPC_API uint64_t ipc_named_unacknowledged(const ipc_named_connection *connection);

/* ---- ending ------------------------------------------------------------------------------------------- */

/* Waits of this connection, now and from now on, return IPC_STOPPED until it is resumed. Calls that need not wait work.
 *
 * connection the connection
 * Blocks     never. Allocates nothing. Threads: any.
 */
IPC_API void ipc_named_stop(ipc_named_connection *connection);

/* Takes ipc_named_stop back.
 *
 * connection the connection
 * Blocks     never. Allocates nothing. Threads: any.
 */
IPC_API void ipc_named_resume(ipc_named_connection *connection);

/* Ends the session with a reason, leaves, and frees the connection; messages stay for who comes next under this name. A
 * server calls it for what is lent to it, or asks to log in; for any other one of a listener only while no other thread is
 * in ipc_named_listener_next, and none comes in meanwhile.
 *
 * connection the connection; NULL is fine
 * code       IPC_CLOSE_...; 0 = IPC_CLOSE_NORMAL
 * text       a server's, UTF-8, cut to 240 bytes; or NULL
 * Blocks     until waits of it have returned; up to 5 s for a stopped process that holds a region's lock.
 *            Allocates nothing. Threads: any: those that wait return IPC_CLOSED and must not touch it again; none may be inside
 *            any other call.
 */
IPC_API void ipc_named_close(ipc_named_connection *connection, uint32_t code, const char *text);

/* Removes the conversation of two names, with what was not acknowledged.
 *
 * server     the server's name
 * client     the client's name
 * Returns    IPC_OK; IPC_E_NOT_FOUND: there is none; IPC_E_IN_USE: a live process is attached, ipc_last_error() has it;
 *            IPC_E_INVALID_NAME, IPC_E_INVALID_ARGUMENT, IPC_E_CORRUPT, IPC_E_ACCESS_DENIED, IPC_E_SYSTEM_ERROR.
 * Blocks     up to 5 s for a stopped process that holds the region's lock. Allocates nothing that stays. Threads: any.
 */
IPC_API IPC_MUST_USE ipc_status ipc_named_remove(const char *server, const char *client);

#ifdef __cplusplus
}
#endif
#endif
