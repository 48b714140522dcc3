// Condition variables with the deadlines of ipc.h: steady_clock is CLOCK_MONOTONIC.
#ifndef IPC_RPC_DETAIL_WAIT_HPP
#define IPC_RPC_DETAIL_WAIT_HPP

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>

#include "../../../ipc.hpp"

namespace ipc::rpc::detail
{

// False when UNTIL has passed. Spurious returns are possible: look at the condition again.
inline bool sleep_until(std::unique_lock<std::mutex> &held, std::condition_variable &on, deadline until)
{
    if (until.at() > static_cast<uint64_t>(INT64_MAX)) {
        on.wait(held);
        return true;
    }
    const std::chrono::steady_clock::time_point at{std::chrono::nanoseconds(static_cast<int64_t>(until.at()))};
    return on.wait_until(held, at) == std::cv_status::no_timeout;
}

} // namespace ipc::rpc::detail
#endif
