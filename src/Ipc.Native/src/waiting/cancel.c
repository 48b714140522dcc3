#include "waiting/cancel.h"

#include "platform/error.h"

#include <stdlib.h>

ipc_status ipc_cancel_create(ipc_cancel **cancel)
{
    if (cancel == NULL)
        return ipc_fail(IPC_E_INVALID_ARGUMENT, "cancel is NULL");
    *cancel = calloc(1, sizeof **cancel);
    if (*cancel == NULL)
        return ipc_fail(IPC_E_NO_MEMORY, "no memory for a cancel switch");
    ipc_mutex_init(&(*cancel)->mutex);
    return IPC_OK;
}

void ipc_cancel_trigger(ipc_cancel *cancel)
{
    if (cancel == NULL)
        return;
    (void)ipc_exchange32(&cancel->triggered, 1);
    ipc_mutex_lock(&cancel->mutex);
    for (ipc_cancel_link *link = cancel->links; link != NULL; link = link->next)
        ipc_waiter_wake(link->waiter);
    ipc_mutex_unlock(&cancel->mutex);
}

void ipc_cancel_destroy(ipc_cancel *cancel)
{
    if (cancel == NULL)
        return;
    ipc_mutex_destroy(&cancel->mutex);
    free(cancel);
}

void ipc_cancel_link_waiter(ipc_cancel *cancel, ipc_cancel_link *link, ipc_waiter *waiter)
{
    if (cancel == NULL)
        return;
    link->waiter = waiter;
    ipc_mutex_lock(&cancel->mutex);
    link->next = cancel->links;
    link->previous = &cancel->links;
    if (link->next != NULL)
        link->next->previous = &link->next;
    cancel->links = link;
    ipc_mutex_unlock(&cancel->mutex);
}

static void unlink_waiter(ipc_cancel_link *link)
{
    *link->previous = link->next;
    if (link->next != NULL)
        link->next->previous = link->previous;
}

void ipc_cancel_unlink_waiter(ipc_cancel *cancel, ipc_cancel_link *link)
{
    if (cancel == NULL)
        return;
    ipc_mutex_lock(&cancel->mutex);
    unlink_waiter(link);
    ipc_mutex_unlock(&cancel->mutex);
}

void ipc_cancel_abandon_link(ipc_cancel *cancel, ipc_cancel_link *link)
{
    if (cancel != NULL)
        unlink_waiter(link);
}

void ipc_cancel_pause(ipc_cancel *cancel, ipc_deadline until)
{
    ipc_waiter own = {0};
    ipc_cancel_link link;
    ipc_cancel_link_waiter(cancel, &link, &own);
    while (!ipc_cancel_is_triggered(cancel) && ipc_platform_now() < until) {
        uint32_t word = ipc_load_acquire32(&own.word);
        if (!ipc_cancel_is_triggered(cancel))
            ipc_waiter_sleep(&own, word, until);
    }
    ipc_cancel_unlink_waiter(cancel, &link);
}
