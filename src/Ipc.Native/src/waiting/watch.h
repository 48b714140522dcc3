/*
 * watch.h - one thread per process that notices the end of other processes.
 *
 * It sleeps in the kernel until one of them ends; nothing is polled, except where the system does not let us watch a
 * process (another pid namespace, no pidfd): there the question is asked every 250 ms. It starts with the first watch
 * and ends with the last one. It decides nothing: `died` asks the kernel who is alive (the lock of the participant) and
 * cleans up.
 */
#ifndef IPC_WATCH_H
#define IPC_WATCH_H

#include "ipc.h"

typedef enum ipc_watch_answer {
    IPC_WATCH_DONE,
    IPC_WATCH_ASK_SOON, /* somebody has the lock: in 10 ms */
    IPC_WATCH_ASK_LATER /* it lives, as far as can be told: in 250 ms */
} ipc_watch_answer;

typedef struct ipc_watch {
    struct ipc_watch *next;
    struct ipc_watch **previous; /* NULL: not watching */
    struct ipc_watched_process *process;
    bool due;    /* `died` is to be called */
    bool polled; /* ... and again every 250 ms */
    bool soon;   /* ... or every 10 ms */
    ipc_watch_answer (*died)(void *owner);
    void *owner;
} ipc_watch;

/* Calls died(owner) on the watch thread once the process may have ended, and again until it is done. It must not block,
   nor add or remove watches. `same_namespace` false: the pid means nothing here. */
ipc_status ipc_watch_add(ipc_watch *watch, uint32_t pid, uint64_t start_time, bool same_namespace,
                         ipc_watch_answer (*died)(void *owner), void *owner);
/* Returns when `died` is not running and will not run any more. Removing what is not there is fine. */
void ipc_watch_remove(ipc_watch *watch);

#endif
