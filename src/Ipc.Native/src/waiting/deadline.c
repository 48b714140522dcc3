#include "ipc.h"
#include "platform/platform.h"

ipc_deadline ipc_deadline_after(uint64_t nanoseconds)
{
    if (nanoseconds == UINT64_MAX)
        return IPC_FOREVER;
    if (nanoseconds > INT64_MAX)
        return IPC_NOW; /* a negative number: a moment that is past */
    const uint64_t now = ipc_platform_now();
    return nanoseconds >= IPC_FOREVER - now ? IPC_FOREVER : now + nanoseconds;
}
