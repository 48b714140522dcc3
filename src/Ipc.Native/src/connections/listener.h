/* listener.h - the server's half of a listener: its table of connections and what its leader knows. */
#ifndef IPC_LISTENER_H
#define IPC_LISTENER_H

#include "connections/connection.h"

/* Connections that the leader polls while it spins. More make a round of looks slower than a wake is worth; the rest
   is armed. */
#define IPC_HOT_MAX 32
/* So many times in a row the ready bits behind the first word are not looked at, because there was something to do
   without them. */
#define IPC_PASSED_OVER_MAX 8

typedef struct ipc_leaver { /* listener_leavers.c */
    ipc_watch watch;
    ipc_region *region;
    uint32_t index;
    uint32_t generation;
    struct ipc_leaver *next;
} ipc_leaver;

struct ipc_listener {
    ipc_listener_view view;
    ipc_end end;
    ipc_wait_mode mode; /* of its connections, too, like this: */
    uint64_t spin_ns;
    uint32_t max_connections;
    uint64_t max_loan_budget; /* of a direction of a connection */
    uint32_t protocol;        /* that its connections speak: as it was given, whatever stands in the region */

    bool hands_over;          /* another server may take the name */
    ipc_atomic32 followed;    /* ... and has */

    ipc_mutex mutex;        /* the table and what follows */
    ipc_connection **table; /* by slot */
    uint32_t references;    /* the connections', and the application's until it closes the listener */
    ipc_atomic32 unwatched; /* connections in the table whose client's death nothing tells of; read without the mutex */
    bool closed;
    ipc_leaver *leavers; /* clients that are watched although they have no connection any more */

    ipc_atomic_pointer returned; /* stack of connections that the application has given back, from any thread */

    /* the leader's */
    ipc_connection *due_first;
    ipc_connection **due_last;
    ipc_connection *hot[IPC_HOT_MAX]; /* the most recently used first */
    uint32_t hot_count;
    bool hot_unarmed; /* one of them has become hot since they were armed */
    uint32_t passed_over;
    bool unsure;           /* somebody takes the name, and is not done with it */
    bool told_of_followed; /* the event was handed out */
    uint64_t asked_at; /* when it was last asked whether those that nothing tells of live */
};

/* listener_accept.c */
/* Turns the request in a slot into a connection, or frees the slot: NULL. */
ipc_connection *ipc_listener_take_request(ipc_listener *listener, uint32_t slot);

/* listener.c */
void ipc_listener_add(ipc_listener *listener, ipc_connection *connection);

/* listener_leavers.c */
/* The client of that slot is watched from now on until it has left the table. While the slot is not free, so that the
   entry is no other client's; and before the connection's own watch ends. */
void ipc_listener_see_off(ipc_listener *listener, uint32_t index);
void ipc_listener_forget_gone(ipc_listener *listener);    /* who has left by now */
void ipc_listener_forget_leavers(ipc_listener *listener); /* all, at the end */

/* listener_events.c */
void ipc_listener_drain_returned(ipc_listener *listener);
/* The handle is ready: whoever leads has something to do that the listener does not know of. Returns IPC_OK. */
ipc_status ipc_listener_arm_nowhere(ipc_listener *listener, ipc_ready_handle *handle);
void ipc_listener_push_returned(ipc_listener *listener, ipc_connection *connection); /* under the mutex */
/* Takes one that is hot or due out of the leader's lists. Nobody leads. */
void ipc_listener_drop(ipc_listener *listener, const ipc_connection *connection);

#endif
