/* A listener whose leader, in a thread of its own, echoes every record; and a client's steps, which must succeed. */
#ifndef IPC_ECHO_SERVER_H
#define IPC_ECHO_SERVER_H

#include "test.h"

/* An echo echo_server in a thread of its own. */
typedef struct echo_server {
    ipc_listener *listener;
    test_thread thread;
    const char *refuses; /* everybody, with this text */
    bool closes_at_once; /* closes a connection when it has something to read */
    _Atomic int connected;
    _Atomic int closed;
    ipc_status ended;
} echo_server;

void *echo_server_serve(void *one); /* the thread's function; one->listener is open */
/* Listens on "l". */
void echo_server_start(echo_server *one, const ipc_listener_options *options);
void echo_server_stop(echo_server *one);

ipc_connection *connect_to(const ipc_connect_options *options);
void expect_echo(ipc_connection *connection, uint64_t number);

#endif
