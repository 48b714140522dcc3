/*
 * ipc.h - shared-memory rings and connections between programs on one machine.
 *
 * The bytes are described in docs/wire-format.md; a C# program that uses the Ipc.Core library is a peer like any other.
 *
 * Reading this. Every function says what it does, then what each of its arguments is (sizes in bytes unless said), what it
 * returns, how long it blocks, what it allocates, and which threads may call it:
 *   Threads: any              any number of threads, at the same time as any other call
 *   Threads: any number ...   the same, but not at the same time as the close
 *   Threads: one at a time    per object; one thread may be in a call of a writer while another is in one of a reader
 * Pointers are not NULL where nothing is said of NULL. What is "the caller's" the caller closes or frees, what is the
 * library's it does not. docs/c-api.md lists all functions.
 *
 * Results. Every function that can fail returns an ipc_status. Zero is success; positive values are ordinary outcomes
 * of a call (full, empty, timed out, peer gone, ...), negative ones are errors. ipc_last_error() tells what happened in
 * words, with both values where two did not match, and what to do; it belongs to the calling thread and lasts until its
 * next failing call. Where a call fails, what it was to fill in is not to be used, and what it had is as it was.
 *
 * Waiting. A call that can block takes a deadline: a moment of CLOCK_MONOTONIC in ns. IPC_NOW never blocks, IPC_FOREVER
 * never times out, ipc_deadline_after() converts a duration. It may also take an ipc_cancel (or NULL). The death
 * of a peer ends the waits that only that peer could end. Event loops wait for an
 * ipc_ready_handle (ready_handle.h).
 *
 * Steady-state sending and receiving never allocates. No function may be called in a signal handler. After fork() the
 * child's copies of objects are closed: calls return IPC_CLOSED, and closing them frees the child's memory alone.
 */
#ifndef IPC_H
#define IPC_H

#include "ipc/base.h"
#include "ipc/connection.h"
#include "ipc/named.h"
#include "ipc/named_listener.h"
#include "ipc/participants.h"
#include "ipc/queue.h"
#include "ipc/ready_handle.h"
#include "ipc/ring.h"
#include "ipc/sync.h"
#include "ipc/topic.h"

/* ---- fault points (tests) ---------------------------------------------------------------------------- */

/* Built with -DIPC_FAULT_POINTS only: the environment variable IPC_FAULT=NAME[:N] makes the process kill itself with
   SIGKILL (IPC_FAULT_ACTION=stop: SIGSTOP) at the N-th pass of that point. */

#endif
