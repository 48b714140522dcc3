#include "waiting/lag.h"

#include "platform/platform.h"

void ipc_lag_init(ipc_lag *lag, ipc_wait_mode mode, uint64_t spin_max_ns, uint32_t slots)
{
    uint64_t longest = (uint64_t)slots * IPC_LAG_SLOT_NS;
    if (longest > IPC_LAG_MAX_NS)
        longest = IPC_LAG_MAX_NS;
    if (mode != IPC_WAIT_ADAPTIVE || spin_max_ns < longest || longest < IPC_LAG_MIN_NS)
        longest = 0;
    lag->longest_ns = (uint32_t)longest;
    ipc_store_relaxed32(&lag->streak, 0);
    ipc_store_relaxed64(&lag->progress, 0);
}

void ipc_lag_behind(ipc_lag *lag, uint64_t progress, uint64_t deadline)
{
    const bool has_lagged = (int32_t)ipc_load_relaxed32(&lag->streak) > IPC_LAG_STREAM;
    if (has_lagged && progress - ipc_load_relaxed64(&lag->progress) < IPC_LAG_PORTION) {
        ipc_store_relaxed32(&lag->streak, (uint32_t)-IPC_LAG_PENALTY);
        return;
    }
    ipc_store_relaxed64(&lag->progress, progress);
    ipc_store_relaxed32(&lag->streak, IPC_LAG_STREAM + 1);
    uint64_t now = ipc_platform_now();
    const uint64_t until = now + lag->longest_ns;
    while (now < until && now < deadline) {
        ipc_platform_pause();
        now = ipc_platform_now();
    }
}
