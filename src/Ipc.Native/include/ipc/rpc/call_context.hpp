// What a handler knows about the call that it serves, besides the request.
#ifndef IPC_RPC_CALL_CONTEXT_HPP
#define IPC_RPC_CALL_CONTEXT_HPP

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string_view>

#include "../../ipc.hpp"
#include "wait.hpp"

namespace ipc::rpc
{

namespace detail
{
class session;
}

// Valid while the handler runs. A handler that takes long looks at cancelled() now and then, and waits with wait().
class call_context
{
  public:
    // session_mutex guards credit and wakes; made by the library.
    call_context(std::mutex &session_mutex, const connection &peer, uint64_t call, uint64_t until)
        : mutex_(session_mutex), peer_(peer), call_(call), until_(until == 0 ? IPC_FOREVER : until)
    {
    }

    call_context(const call_context &) = delete;
    call_context &operator=(const call_context &) = delete;

    // The caller cancelled or is gone, the deadline has passed, or the server stops: nobody wants the result any more.
    bool cancelled() const noexcept
    {
        return cancelled_.load(std::memory_order_acquire) || (!until_.is_never() && until_.has_passed());
    }

    // When the caller gives up; deadline::never() if it does not.
    deadline until() const noexcept
    {
        return until_;
    }

    // Sleeps. True when the call was cancelled first, or its deadline passed: time to return.
    bool wait(deadline wake_up)
    {
        std::unique_lock held(mutex_);
        const deadline first(std::min(wake_up.at(), until_.at()));
        while (!cancelled_.load(std::memory_order_relaxed) && detail::sleep_until(held, wake_, first)) {
        }
        return cancelled();
    }

    int32_t peer_pid() const noexcept
    {
        return peer_.peer_pid();
    }

    // What the client said when it connected.
    std::string_view hello() const noexcept
    {
        return peer_.hello();
    }

  private:
    friend class detail::session;

    std::mutex &mutex_;
    const connection &peer_;
    const uint64_t call_;
    const deadline until_;
    uint64_t credit_ = 0; // streams: items that may be sent
    std::atomic<bool> cancelled_{false};
    std::condition_variable wake_;
};

} // namespace ipc::rpc
#endif
