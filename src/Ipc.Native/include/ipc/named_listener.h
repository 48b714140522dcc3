/* named_listener.h - a server of named connections: logins, and what its clients send. Included by ipc.h. */
#ifndef IPC_NAMED_LISTENER_H
#define IPC_NAMED_LISTENER_H

#include "named.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ipc_named_listener ipc_named_listener;

typedef struct ipc_named_listener_options {
    uint32_t max_connections;   /* logged in at a time, 1 to 16383; 0 = 1023 */
    uint64_t max_ring_capacity; /* 0 = 64 MiB: a client with a larger one is refused */
    uint64_t max_loan_budget;   /* of a direction; 0 = 1 GiB (32 bit: 8 MiB): a client with more is refused */
    ipc_wait_mode wait_mode;    /* of the listener and of its connections */
    uint64_t spin_ns;           /* the longest spin before sleeping; 0 = as measured (50 us) */
    const char *identity;       /* who this server is, 1 to 120 bytes of UTF-8; NULL = its name. A server that cannot go
                                   on where the one before it stopped has another one: its clients begin anew */
} ipc_named_listener_options;

/* Opens the listener NAME for named connections. It replaces what a dead server has left; the conversations go on.
 *
 * name       1 to 120 of the characters A-Z a-z 0-9 . _ -, no dot in front
 * options    NULL: all defaults
 * listener   the new listener: the caller's, to be closed
 * Returns    as ipc_listener_open; IPC_E_INVALID_ARGUMENT also for a name of the machine.
 * Blocks     up to 5 s for a stopped process that holds the region's lock. Allocates the listener and a table of its
 *            connections. Threads: any.
 */
IPC_API IPC_MUST_USE ipc_status ipc_named_listener_open(const char *name, const ipc_named_listener_options *options,
                                                        ipc_named_listener **listener);

typedef enum ipc_named_event_kind {
    IPC_NAMED_LOGIN = 1,    /* a client has come, or come back: ipc_named_accept or ipc_named_refuse */
    IPC_NAMED_READABLE = 2, /* messages may be waiting: receive until IPC_EMPTY, then ipc_named_return */
    IPC_NAMED_LOGOUT = 3    /* the client has gone, and everything was received. Its connection stays: it may be sent
                               to, and closed; it is not lent */
} ipc_named_event_kind;

typedef struct ipc_named_event {
    ipc_named_event_kind kind;
    ipc_named_connection *connection; /* a client that comes back has the one that it had */
    uint32_t code;    /* LOGOUT: with which the client closed; 0: it has died */
    const char *text; /* LOGOUT: words for people; never NULL. The listener's, until the next event */
} ipc_named_event;

/* Waits for the next event of any connection. What is readable is lent to the caller, and not watched until it is
 * returned; several may be lent at a time, to as many threads. Each connection that it hands out is the caller's to
 * close, before or after the listener.
 *
 * listener   the listener
 * deadline   when to give up: a moment of CLOCK_MONOTONIC in ns
 * cancel     ends the wait when it is triggered, or NULL
 * event      filled in at IPC_OK
 * Returns    IPC_OK; IPC_TIMEOUT, IPC_STOPPED, IPC_CANCELLED, IPC_CLOSED.
 * Blocks     until DEADLINE. Allocates per client that logs in, its session, and its connection when it is new.
 *            Threads: one at a time (a leader), while others handle what was lent before.
 */
IPC_API IPC_MUST_USE ipc_status ipc_named_listener_next(ipc_named_listener *listener, ipc_deadline deadline,
                                                        ipc_cancel *cancel, ipc_named_event *event);

/* Arms the handle: it becomes ready when there may be an event, or the deadline has passed, or it is cancelled, stopped
 * or closed. Then ipc_named_listener_next with IPC_NOW is called until there is no more, and the handle armed again.
 *
 * listener   the listener
 * deadline   when it becomes ready at the latest: a moment of CLOCK_MONOTONIC in ns
 * cancel     makes it ready when it is triggered, or NULL; must be there as long as the handle is armed
 * handle     armed here until it is ready, wherever it was before
 * Returns    IPC_EMPTY: it is armed. IPC_OK: there is something already; IPC_TIMEOUT, IPC_STOPPED, IPC_CANCELLED,
 *            IPC_CLOSED and errors are those of a wait: it is not armed, and a descriptor is readable.
 *            IPC_E_SYSTEM_ERROR, IPC_E_NO_MEMORY: the library's thread could not be started.
 * Blocks     never. Allocates nothing, but with the first armed one of the process a thread. Threads: one at a time,
 *            the leader.
 */
IPC_API IPC_MUST_USE ipc_status ipc_named_listener_arm(ipc_named_listener *listener, ipc_deadline deadline,
                                                       ipc_cancel *cancel, ipc_ready_handle *handle);

/* Accepts a login: there is a session, and what the client has sent and sends is reported. Until it is accepted or
 * refused its client waits, as long as its own deadline lets it: ipc_named_return is no answer.
 *
 * connection of an IPC_NAMED_LOGIN
 * reply      for the client, at most 1024 bytes; or NULL
 * length     of the reply
 * Returns    IPC_OK; IPC_E_INVALID_STATE: it does not wait for an answer; IPC_E_INVALID_ARGUMENT.
 * Blocks     never. Allocates nothing. Threads: one at a time.
 */
IPC_API IPC_MUST_USE ipc_status ipc_named_accept(ipc_named_connection *connection, const void *reply, uint32_t length);

/* Refuses a login: the client's receive, connect or claim return IPC_E_REFUSED. Leaves the conversation, whose messages
 * stay, and frees the connection.
 *
 * connection of an IPC_NAMED_LOGIN
 * text       UTF-8, for the client's ipc_last_error(), cut to 240 bytes; or NULL
 * Returns    IPC_OK; IPC_E_INVALID_STATE: it does not wait for an answer, and was not freed.
 * Blocks     as ipc_named_close. Allocates nothing. Threads: one at a time.
 */
IPC_API ipc_status ipc_named_refuse(ipc_named_connection *connection, const char *text);

/* Gives a readable connection back: the listener watches it again. One with messages that were not received is reported
 * again at once.
 *
 * listener   the listener
 * connection of an IPC_NAMED_READABLE; also after the listener was closed
 * Blocks     never. Allocates nothing. Threads: any; no other thread may receive from it meanwhile.
 */
IPC_API void ipc_named_return(ipc_named_listener *listener, ipc_named_connection *connection);

/* Attaches to the conversation with a client that is not here: to read what it has left, or to send it something for
 * when it comes. The connection of one that is known already is that one.
 *
 * listener   the listener
 * client     the client's name
 * connection the connection: the caller's to close, as one of an event
 * Returns    IPC_OK; IPC_E_NOT_FOUND: there is none, only clients begin conversations; IPC_E_IN_USE: another process is
 *            attached as the server; IPC_E_WRONG_VERSION: it is with a server of another identity; IPC_CLOSED;
 *            IPC_E_TOO_LARGE: its rings or pools are larger than this server allows; and what opening a region returns.
 * Blocks     up to 5 s for a stopped process that holds the region's lock. Allocates the connection. Threads: any.
 */
IPC_API IPC_MUST_USE ipc_status ipc_named_listener_open_connection(ipc_named_listener *listener, const char *client,
                                                                   ipc_named_connection **connection);

/* Makes ipc_named_listener_next return IPC_STOPPED, now and from now on, until it is resumed, unless there is something
 * to do at once.
 *
 * listener   the listener
 * Blocks     never. Allocates nothing. Threads: any.
 */
IPC_API void ipc_named_listener_stop(ipc_named_listener *listener);

/* Takes ipc_named_listener_stop back.
 *
 * listener   the listener
 * Blocks     never. Allocates nothing. Threads: any.
 */
IPC_API void ipc_named_listener_resume(ipc_named_listener *listener);

/* Ends all sessions, leaves all conversations, removes the name, and frees the listener. Messages stay for the next
 * server. Connections that were handed out are closed, their calls return IPC_CLOSED, and they stay the caller's:
 * ipc_named_close frees them.
 *
 * listener   the listener; NULL is fine
 * code       for the clients: IPC_CLOSE_...; 0 = IPC_CLOSE_SHUTDOWN
 * text       for the clients, UTF-8, cut to 240 bytes; or NULL
 * Blocks     until waits in it and in its connections have returned; up to 5 s for each region whose lock a stopped
 *            process holds. Allocates nothing. Threads: any; no thread may receive, commit or answer a login in one of
 *            its connections meanwhile, but those that wait.
 */
IPC_API void ipc_named_listener_close(ipc_named_listener *listener, uint32_t code, const char *text);

#ifdef __cplusplus
}
#endif
#endif
