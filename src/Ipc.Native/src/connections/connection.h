/*
 * connection.h - two rings between a client and a listener's server, and what both sides know of each other.
 *
 * The client makes the region and names it in its slot of the listener; the server maps it, removes the name, answers.
 * From then on only the two mappings exist: whoever dies takes nothing with it but its own. Who lives is known from the
 * listener's participants: the server is entry 0, the client the entry of its slot. Each side has one close word of its
 * own; a side that goes without writing it has died.
 */
#ifndef IPC_CONNECTION_H
#define IPC_CONNECTION_H

#include "connections/listener_region.h"
#include "layout/connection_layout.h"
#include "rings/ring.h"

/* Where a server's connection is. Only the listener's leader changes it. */
typedef enum connection_place {
    PLACE_COLD, /* armed: the client's next publish sets its ready bit */
    PLACE_HOT,  /* polled by the leader while it spins */
    PLACE_DUE,  /* has an event that the leader has not handed out yet */
    PLACE_LENT  /* with the application */
} connection_place;

struct ipc_connection {
    ipc_ring_writer writer;
    ipc_ring_reader reader;
    ipc_region *region;
    ipc_connection_body *body;
    const ipc_listener_view *view;
    bool is_server;
    uint32_t slot;
    uint64_t id;              /* what the slot names it by */
    uint32_t peer_index;      /* the peer's entry in the listener's table */
    uint32_t peer_generation; /* ... and its generation: another number is another participant */
    uint32_t peer_pid;
    ipc_atomic32 peer_gone; /* the watch, or who asked, found the peer's entry without it */
    bool watching;
    ipc_watch watch;
    void *context;
    uint32_t hello_length;
    uint8_t hello[IPC_CONNECTION_TEXT_MAX];
    uint32_t protocol;         /* the client's word */
    uint32_t protocol_version; /* that both speak */

    /* client */
    ipc_listener_view own_view;
    ipc_end session; /* waiting for the reply */

    /* server */
    struct ipc_listener *listener;
    /* What the listener polls and arms: its own reader, unless its messages are in a named connection's region. Then only
       its end is looked for here. Changed while it is lent. */
    ipc_ring_reader *watched;
    connection_place place;
    uint32_t answer; /* to the request, as we gave it: what stands in the region may be the client's */
    bool given_back; /* lent, and in the stack of what was returned: the leader has not looked at it yet */
    ipc_event_kind due_event;
    struct ipc_connection *next; /* in the list of what is due, or of what was returned */
};

/* connection_region.c */
extern const ipc_region_kind ipc_connection_kind;
typedef struct ipc_connection_plan {
    uint64_t to_server_capacity;
    uint64_t to_client_capacity;
    uint64_t loan_budget; /* of each direction; 0: no pools */
    uint64_t connection_id;
    uint32_t slot;
    const void *hello;
    uint32_t hello_length;
    uint32_t protocol; /* until it is prepared what the client has, then what it is going to speak */
} ipc_connection_plan;

ipc_status ipc_connection_region_build(const char *path, const ipc_share *share, const ipc_connection_plan *plan,
                                       ipc_region **region);
/* The two rings of a region, checked against it and against each other. */
ipc_status ipc_connection_locate(const ipc_region *region, ipc_ring *to_server, ipc_ring *to_client);

/* connection.c: what both sides do. */
/* Rings and ends of a fresh connection; `connection` has its region, view, slot and peer_index. */
ipc_status ipc_connection_start(ipc_connection *connection, ipc_wait_mode mode, uint64_t spin_ns);
/* The mapping is enough, and there may be thousands. */
void ipc_connection_close_file(ipc_connection *connection);
/* Watches the peer's process. */
void ipc_connection_watch(ipc_connection *connection);
ipc_peer_state ipc_connection_peer_state(void *connection);
/* Has the peer's process ended? The system is asked, not the watch, which may not have been told yet. */
void ipc_connection_ask_for_peer(ipc_connection *connection);
/* Before a wait for the peer. False: nothing tells of its death; it was asked for just now, and has to be again. */
bool ipc_connection_attend(void *connection);
/* Waits for nobody to be inside, ends the watch, unmaps. Touches nothing that is shared. */
void ipc_connection_unmap(ipc_connection *connection);
/* The same, and frees. */
void ipc_connection_dispose(ipc_connection *connection);
/* Client: sets its ready bit and rings. */
void ipc_connection_ring_doorbell(void *connection);
/* Server: the last thing it does with a slot. */
void ipc_connection_free_slot(const ipc_connection *connection);
void ipc_connection_set_server_text(ipc_connection_body *body, const char *text);
/* Our close word, once; true if it was not set before. Wakes everybody. */
bool ipc_connection_set_close(ipc_connection *connection, uint32_t code, const char *text);

/* listener.c */
/* Closes with that code, then answers that it does not want the client: IPC_CLOSE_SHUTDOWN has it try again. */
void ipc_connection_turn_away(ipc_connection *connection, uint32_t code, const char *text);
/* Answers that it does not want the client. REASON: NULL keeps the words that are there, of a shutdown before. */
void ipc_connection_turn_down(ipc_connection *connection, const char *reason);
void ipc_listener_forget(ipc_connection *connection); /* takes a lent connection out of the listener's table */

#endif
