// Ends calls from another thread.
//
// A call waits in one of two places: in the ring, when its thread is the one that reads, or on a condition variable,
// when another thread reads for it. A canceller reaches both: it triggers an ipc_cancel and notifies the calls that are
// registered.
#ifndef IPC_RPC_CANCELLER_HPP
#define IPC_RPC_CANCELLER_HPP

#include <algorithm>
#include <atomic>
#include <mutex>
#include <vector>

#include "../../ipc.hpp"

namespace ipc::rpc
{

namespace detail
{
// What a canceller wakes. wake() must not call the canceller.
class cancellable
{
  public:
    virtual void wake() noexcept = 0;

  protected:
    ~cancellable() = default;
};
} // namespace detail

// Once triggered it stays so; calls that have it end with status::cancelled. Must outlive the calls that it was given
// to.
class canceller
{
  public:
    canceller() = default;
    canceller(const canceller &) = delete;
    canceller &operator=(const canceller &) = delete;

    void trigger() noexcept
    {
        const std::lock_guard lock(mutex_);
        triggered_.store(true);
        source_.trigger();
        for (detail::cancellable *waiting : waiting_)
            waiting->wake();
    }

    bool triggered() const noexcept
    {
        return triggered_.load();
    }

    ipc_cancel *get() const noexcept
    {
        return source_.get();
    }

    void add(detail::cancellable *waiting)
    {
        const std::lock_guard lock(mutex_);
        waiting_.push_back(waiting);
    }

    void remove(detail::cancellable *waiting) noexcept
    {
        const std::lock_guard lock(mutex_);
        waiting_.erase(std::remove(waiting_.begin(), waiting_.end(), waiting), waiting_.end());
    }

  private:
    std::mutex mutex_;
    std::atomic<bool> triggered_{false};
    ipc::cancel_source source_;
    std::vector<detail::cancellable *> waiting_;
};

} // namespace ipc::rpc
#endif
