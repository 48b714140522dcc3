/* A switch that ends waits: each wait that is about to sleep links itself in, so that the trigger can wake it. */
#ifndef IPC_CANCEL_H
#define IPC_CANCEL_H

#include "platform/platform.h"
#include "waiting/waiter.h"

typedef struct ipc_cancel_link {
    struct ipc_cancel_link *next;
    struct ipc_cancel_link **previous;
    ipc_waiter *waiter;
} ipc_cancel_link;

struct ipc_cancel {
    ipc_atomic32 triggered;
    ipc_mutex mutex;
    ipc_cancel_link *links; /* under the mutex */
};

static inline bool ipc_cancel_is_triggered(const ipc_cancel *cancel)
{
    return cancel != NULL && ipc_load_acquire32(&cancel->triggered) != 0;
}

/* From link to unlink the waiter is woken by a trigger. NULL is fine. Arm the waiter after linking. */
void ipc_cancel_link_waiter(ipc_cancel *cancel, ipc_cancel_link *link, ipc_waiter *waiter);
void ipc_cancel_unlink_waiter(ipc_cancel *cancel, ipc_cancel_link *link);
/* The same in a forked child, where the mutex may be anybody's. */
void ipc_cancel_abandon_link(ipc_cancel *cancel, ipc_cancel_link *link);

/* Sleeps until then or until cancelled: for the few waits that have nothing to be woken by. */
void ipc_cancel_pause(ipc_cancel *cancel, ipc_deadline until);

#endif
