#include "ipc.h"
#include "platform/platform.h"

ipc_deadline ipc_deadline_after(uint64_t nanoseconds)
{
    const uint64_t now = ipc_platform_now();
    return nanoseconds >= IPC_FOREVER - now ? IPC_FOREVER : now + nanoseconds;
}
