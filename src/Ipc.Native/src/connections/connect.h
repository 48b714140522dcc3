/*
 * connect.h - the steps of connecting, for who waits between them (connect.c) and who does not (connecting.c).
 *
 * make, prepare; with the listener's region lock: request; ring; the reply. What has been made is left by
 * ipc_connect_leave, wherever it stopped; who has rung withdraws first.
 */
#ifndef IPC_CONNECT_H
#define IPC_CONNECT_H

#include "connections/connection.h"
#include "waiting/wait.h"

/* What the options ask for, in numbers. IPC_E_INVALID_ARGUMENT: they cannot be. */
ipc_status ipc_connect_check(const ipc_connect_options *options, ipc_connection_plan *plan);
/* connect_names.c: where the server is to be, and whose it may be. */
ipc_status ipc_connect_place(const char *name, const ipc_connect_options *options, char *path, size_t size,
                             ipc_share *share);
/* Where nobody but its owner can remove a file, a client that was killed before its answer has left its own, and
   another one of its user removes it: under the region lock, under which names are given, and if no slot names it. */
void ipc_connect_sweep(const ipc_listener_view *view);
/* The server has the file, and may not be the one who can remove its name. */
void ipc_connect_answered(const ipc_connection *connection);

/* The client that has entered LISTENER, whose entry is the connection's from here on. NULL: no memory. */
ipc_connection *ipc_connect_make(ipc_region *listener);
/* idle -> opening, and a region that has no name yet, mapped. */
ipc_status ipc_connect_prepare(ipc_connection *connection, const ipc_connect_options *options,
                               const ipc_connection_plan *plan);
/* Named, and opening -> requested. The region lock of the listener is the caller's, and is given back. */
ipc_status ipc_connect_request(ipc_connection *connection);
/* Wakes the server. */
void ipc_connect_ring(ipc_connection *connection, const ipc_connect_options *options);
/* The wait for the reply: IPC_OK, IPC_E_REFUSED, or what became of the server. */
ipc_wait ipc_connect_reply(ipc_connection *connection, ipc_deadline deadline, ipc_cancel *cancel);
/* Until when it is waited for. */
ipc_deadline ipc_connect_answer_deadline(ipc_deadline deadline);
/* It did not come in time: IPC_TIMEOUT, and says so. */
ipc_status ipc_connect_unanswered(const ipc_connection *connection);
/* It failed with STATUS, and another server has the name by now: it can be asked at once. */
bool ipc_connect_has_successor(const ipc_connection *connection, ipc_status status);
/* Nobody waits for the reply any more. */
void ipc_connect_withdraw(ipc_connection *connection);
/* connecting.c, for who connects step by step and has a thread that can wait. */
/* On which the answer is waited for; NULL: there is nothing to wait for but time. */
ipc_waiter *ipc_connecting_waiter(const ipc_connecting *connecting);
/* Waits for it. IPC_EMPTY: try. IPC_STOPPED, IPC_CLOSED: END says so. IPC_CANCELLED. */
ipc_status ipc_connecting_wait(ipc_connecting *connecting, ipc_end *end, ipc_deadline deadline, ipc_cancel *cancel);
/* Has the server that is asked look again, should it have accepted. */
void ipc_connecting_notify(const ipc_connecting *connecting);
/* Of the server that has refused, 0: none. */
uint32_t ipc_connecting_close_code(const ipc_connecting *connecting);
/* Frees it all: the connection, the slot, the entry. */
void ipc_connect_leave(ipc_connection *connection);

#endif
