/*
 * Fault points: the instructions between two steps of a protocol at which a test kills or stops the process.
 *
 * IPC_FAULT=NAME[:N] fires at the N-th pass of that point (default the first); IPC_FAULT_ACTION=stop stops instead of
 * killing. Without -DIPC_FAULT_POINTS they are nothing.
 */
#ifndef IPC_FAULT_H
#define IPC_FAULT_H

#ifdef IPC_FAULT_POINTS
void ipc_fault_point(const char *name);
#define IPC_FAULT_POINT(name) ipc_fault_point(name)
#else
#define IPC_FAULT_POINT(name) ((void)0)
#endif

#endif
