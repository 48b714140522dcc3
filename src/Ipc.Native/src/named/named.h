/*
 * named.h - a named connection: two rings in a region of a pair of names, which outlives both; and a session, an
 * ordinary connection to the server's listener, which says that both are there, and why it ended (docs/wire-format/
 * named.md).
 *
 * `acknowledged`, beside the reader's position, is the truth about what is done; `read_position` follows it. So a reader
 * that is killed between the two leaves a message that is done and still there: the next one drops it. The numbers of
 * messages are the payload's first 8 bytes, so a writer that takes over finds where to go on.
 *
 * What a side has of a region are its ends. A client whose server is another one begins anew, with other ends, while
 * another of its threads may be sending: who uses ends is counted in them (by the `end` of the ring that it uses), and
 * the thread that replaces them closes these and waits. The sending and the receiving thread each keep the ends that
 * they used last, because a claim or a message of theirs may lie in them.
 */
#ifndef IPC_NAMED_INTERNAL_H
#define IPC_NAMED_INTERNAL_H

#include "connections/connect.h"
#include "layout/named_layout.h"
#include "rings/ring_roles.h"

#define IPC_NAMED_SEQUENCE_SIZE 8u

typedef struct ipc_named_ends {
    ipc_region *region;
    ipc_named_header *header;
    ipc_named_connection *connection;
    ipc_ring to_server;
    ipc_ring to_client;
    ipc_ring_writer writer;
    ipc_ring_reader reader;
    ipc_ring_role writing;
    ipc_ring_role reading;
    ipc_peer_state writer_before; /* what had become of the last holder of our ends */
    ipc_peer_state reader_before;
    ipc_atomic32 sender_saw;   /* `sessions`, when that thread last looked for the server; so did: */
    ipc_atomic32 receiver_saw;
    bool is_started;
    ipc_atomic64 next;         /* of the message that is sent next; written by the sending thread */
    ipc_atomic64 last;         /* of the message that was received last; by the receiving one, and so is: */
    ipc_atomic64 acknowledged; /* our word in the region */
    uint64_t *places;          /* of messages that are received and not acknowledged: where each ends, by its number */
    uint32_t place_count;      /* a power of two */
    uint32_t references;       /* under the connection's mutex */
} ipc_named_ends;

struct ipc_named_connection {
    ipc_mutex mutex;         /* what is not one thread's: the next nine, and who has which ends */
    ipc_atomic_pointer ends; /* ipc_named_ends */
    ipc_connection *session;
    ipc_atomic32 sessions; /* how often one came or went: odd, there is one */
    bool is_stopped;
    bool has_ended;
    ipc_named_end ended;
    ipc_named_reset reset;
    ipc_atomic32 server_word; /* of the session's server in our ring: who of it, and its generation */
    ipc_atomic32 server_generation;
    ipc_named_ends *sending;   /* the sending thread's */
    ipc_named_ends *receiving; /* the receiving thread's */
    ipc_end senders;           /* who waits is inside: close waits for it */
    ipc_end receivers;
    ipc_end logins;
    ipc_atomic32 is_closed;
    bool is_client;
    char server[IPC_NAMED_NAME_MAX + 1];
    char client[IPC_NAMED_NAME_MAX + 1];
    ipc_wait_mode wait_mode;
    uint64_t spin_ns;
    uint8_t reply_copy[IPC_NAMED_DATA_MAX];
    uint8_t login_copy[IPC_NAMED_DATA_MAX];

    /* client */
    ipc_named_options options;
    uint8_t login[IPC_NAMED_DATA_MAX];
    ipc_mutex logging_in;       /* who tries to log in; taken before `mutex`. What follows is under it: */
    ipc_connecting *connecting; /* an attempt under way */
    uint32_t attempts;          /* that failed, since the last session */
    bool begins_anew;           /* the ends belong to a conversation that was given up, and there are no others yet */
    ipc_atomic64 next_attempt;
    ipc_atomic32 notify_due; /* a publish found the server asleep, and no session */
    ipc_waiter naps;         /* who waits for nothing but a session, or for other ends */

    /* server */
    ipc_named_listener *listener;
    ipc_named_connection *next; /* under the listener's mutex */
    ipc_connection *asked;      /* a login that was not answered: likewise */
    bool is_answering;          /* a thread answers it, or has refused it and closes: likewise */
    bool is_seen;               /* the application has it: likewise */
    ipc_atomic32 is_lent;       /* an event of it is with the application */
};

/* ---- named_region.c ----------------------------------------------------------------------------------- */

extern const ipc_region_kind ipc_named_kind;

/* Where the conversation of these names is. IPC_E_INVALID_NAME, IPC_E_INVALID_ARGUMENT: they are none. */
ipc_status ipc_named_path(const char *server, const char *client, char *path, size_t size);
ipc_status ipc_named_check_name(const char *name);
ipc_status ipc_named_check_options(const ipc_named_options *options);
/* Attaches; a client also makes it. What it enters are the ends, which are the region's owner. */
ipc_status ipc_named_region_enter(ipc_named_ends *ends);
ipc_status ipc_named_region_attach(ipc_named_ends *ends, ipc_deadline lock_deadline);

/* ---- named_ends.c ------------------------------------------------------------------------------------- */

/* The ends of a connection whose names and modes are set. `lock_deadline`: for a server, of the region lock. */
ipc_status ipc_named_ends_open(ipc_named_connection *connection, ipc_deadline lock_deadline, ipc_named_ends **ends);
/* Nobody uses them from here on; waits return IPC_CLOSED. Not for who is inside. */
void ipc_named_ends_shut(ipc_named_ends *ends);
/* Leaves the region; what lies in it stays mapped. */
void ipc_named_ends_leave(ipc_named_ends *ends);
void ipc_named_ends_free(ipc_named_ends *ends); /* NULL is fine */

ipc_status ipc_named_ends_receive(ipc_named_ends *ends, ipc_named_message *message);
/* Up to that number, or to the last one. */
void ipc_named_ends_acknowledge(ipc_named_ends *ends, uint64_t sequence);
/* How many messages to us are there and not acknowledged. Nobody reads meanwhile. */
uint64_t ipc_named_ends_unacknowledged(const ipc_named_ends *ends);
/* How many of ours the other side has not acknowledged. It may say anything. */
uint64_t ipc_named_ends_outstanding(const ipc_named_ends *ends);
/* A private copy of what the other side (or a predecessor) has written; how long it is. */
uint32_t ipc_named_read_data(ipc_named_ends *ends, bool of_client, uint8_t *data);
void ipc_named_write_data(ipc_named_ends *ends, bool of_client, const void *data, uint32_t length);
uint32_t ipc_named_read_identity(const ipc_named_ends *ends, uint8_t *identity); /* 0: no server has been here yet */
void ipc_named_write_identity(ipc_named_ends *ends, const uint8_t *identity, uint32_t length);

/* ---- named_connection.c ------------------------------------------------------------------------------- */

/* A connection without ends. NULL: no memory. */
ipc_named_connection *ipc_named_make(const char *server, const char *client, bool is_client, ipc_wait_mode mode,
                                     uint64_t spin_ns);
/* Its first ends, or others than before: who uses those goes on with these. */
void ipc_named_install(ipc_named_connection *connection, ipc_named_ends *ends);
/* Nobody waits in it any more, and nobody will. */
void ipc_named_shut(ipc_named_connection *connection);
void ipc_named_free(ipc_named_connection *connection);

static inline ipc_named_ends *ipc_named_current(const ipc_named_connection *connection)
{
    return ipc_load_acquire_pointer(&connection->ends);
}

static inline bool ipc_named_is_closed(const ipc_named_connection *connection)
{
    return ipc_load_acquire32(&connection->is_closed) != 0;
}

/* After the caller has counted itself in: who shuts it does the reverse. */
static inline bool ipc_named_is_shut(const ipc_end *end)
{
    return IPC_UNLIKELY((ipc_load_relaxed32(&end->flags) & IPC_END_CLOSED) != 0);
}

/* Why a call in ends that are shut goes no further: IPC_CLOSED, or IPC_E_INVALID_STATE: the conversation was given up, and
   there are others, or will be. */
ipc_status ipc_named_closed(ipc_named_connection *connection);
/* The second half of a send. IPC_E_INVALID_STATE: the conversation was given up since the claim. */
ipc_status ipc_named_fill(ipc_named_connection *connection, void *place, const void *payload, uint32_t length,
                          uint16_t type, uint64_t *sequence);

/* ---- named_session.c ---------------------------------------------------------------------------------- */

/* Under the mutex. */
void ipc_named_put_session(ipc_named_connection *connection, ipc_connection *session);
/* Has the session's server died unnoticed? Then it has ended. A few calls of the system, under the mutex. */
void ipc_named_ask_for_server(ipc_named_connection *connection);
/* Of ours, which wait. Under `logging_in`: the ends are not replaced. */
void ipc_named_wake_threads(ipc_named_connection *connection);
/* Takes the session out, and says how it ended; the caller closes it. NULL: there is none, or it is not SESSION. */
ipc_connection *ipc_named_take_session(ipc_named_connection *connection, const ipc_connection *session);
/* The state of the other side, as far as the session tells: IPC_PEER_LIVE leaves it to the ring. SAW: `sessions`, when
   the caller looked for the server; if that session has ended since, and there is no other, it has LEFT. */
ipc_peer_state ipc_named_session_state(ipc_named_connection *connection, uint32_t saw);
/* The other side has written what is no ring, or no message. */
void ipc_named_corrupt(ipc_named_connection *connection);
/* The server is to look at the session's slot: a client's publish has found it asleep, or a wake of `to_server.data` has
   taken the flag that its leader had set. */
void ipc_named_notify(ipc_named_connection *connection);

/* ---- named_login.c ------------------------------------------------------------------------------------ */

/* Goes as far as it can without waiting. */
void ipc_named_push_login(ipc_named_connection *connection);
/* Looks for the server, if it is time, and waits for its answer. IPC_OK: there is a session. IPC_EMPTY: not now; look
   again at AGAIN. Anything else ends the wait. */
ipc_status ipc_named_attend(ipc_named_connection *connection, ipc_deadline deadline, ipc_cancel *cancel,
                            ipc_deadline *again);
/* Whether it is logged in with the server that has the other ends now. Cheap; for the sending thread. */
bool ipc_named_is_settled(const ipc_named_connection *connection, const ipc_named_ends *ends);
/* The ring's peer has gone, whatever the session says. */
void ipc_named_lose(ipc_named_connection *connection, const ipc_named_ends *ends);
/* The session ends; the attempt under way, too. */
void ipc_named_end_login(ipc_named_connection *connection, uint32_t code, const char *text);
/* Hands on a publish that met no session. */
void ipc_named_notify_login(ipc_named_connection *connection);

/* ---- named_listener.c --------------------------------------------------------------------------------- */

/* In a forked child. */
void ipc_named_listener_abandon(ipc_named_listener *listener);
/* Out of its listener; its session ends with that. */
void ipc_named_listener_forget(ipc_named_connection *connection, uint32_t code, const char *text);

#endif
