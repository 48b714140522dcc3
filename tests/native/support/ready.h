/* ready.h - ready handles as an event loop uses them. */
#ifndef IPC_TEST_READY_H
#define IPC_TEST_READY_H

#include "ipc.h"
#include "test.h"
#include "waiting/waiter.h"

#include <poll.h>

static inline ipc_ready_handle *make(void)
{
    ipc_ready_handle *handle = NULL;
    CHECK_OK(ipc_ready_handle_create(NULL, NULL, &handle));
    return handle;
}

static inline bool is_readable(const ipc_ready_handle *handle)
{
    struct pollfd one = {.fd = ipc_ready_handle_descriptor(handle), .events = POLLIN};
    return poll(&one, 1, 0) == 1;
}

/* It is armed, and there is nothing. Where nobody can fence for others (an emulator), whoever is armed looks around after
   10 ms: ready, for nothing. */
static inline void is_quiet(const ipc_ready_handle *handle)
{
    CHECK(ipc_waiter_process_asks() || !is_readable(handle));
}

/* As an event loop does. */
static inline void comes(const ipc_ready_handle *handle)
{
    struct pollfd one = {.fd = ipc_ready_handle_descriptor(handle), .events = POLLIN};
    CHECK(poll(&one, 1, 20000) == 1);
}

#endif
