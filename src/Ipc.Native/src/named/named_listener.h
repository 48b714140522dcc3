/* named_listener.h - a server of named connections: an ordinary listener for the sessions, and its connections. */
#ifndef IPC_NAMED_LISTENER_INTERNAL_H
#define IPC_NAMED_LISTENER_INTERNAL_H

#include "connections/listener.h"
#include "named/named.h"

#define IPC_NAMED_QUEUED 2 /* a login can be an end of a former session, too */

struct ipc_named_listener {
    ipc_listener *listener;
    char name[IPC_NAMED_NAME_MAX + 1];
    uint8_t identity[IPC_NAMED_NAME_MAX + 1];
    uint32_t identity_length;
    uint64_t max_ring_capacity;
    uint64_t max_loan_budget;
    ipc_wait_mode wait_mode;
    uint64_t spin_ns;
    ipc_end leaders; /* who is in `next`: close waits for it */

    ipc_mutex mutex; /* what follows */
    ipc_named_connection *first;
    uint32_t references; /* the connections', and the application's until it closes the listener */
    bool is_closed;
    ipc_named_event queued[IPC_NAMED_QUEUED];
    uint32_t queued_count;
    char text[IPC_NAMED_TEXT_MAX + 1]; /* of the last event; the leader's */
};

/* named_events.c */
/* Closes what a connection has of the listener: its session, its place in the list, its events. */
void ipc_named_listener_drop(ipc_named_listener *listener, ipc_named_connection *connection, uint32_t code,
                             const char *text);

/* named_attach.c */
/* A connection for the conversation with that client, attached to and ours. Under the mutex. HELLO: its region's id,
   NULL: whatever it is. `code`: IPC_CLOSE_REFUSED, or with what the session is to be turned away. */
ipc_status ipc_named_listener_attach(ipc_named_listener *listener, const char *client, const uint8_t *region_id,
                                     ipc_deadline lock_deadline, uint32_t *code, ipc_named_connection **connection);
/* IPC_E_REFUSED: that connection's region has another id. */
ipc_status ipc_named_listener_check_region(const ipc_named_connection *connection, const uint8_t *region_id);
ipc_named_connection *ipc_named_listener_find(const ipc_named_listener *listener, const char *client);

#endif
