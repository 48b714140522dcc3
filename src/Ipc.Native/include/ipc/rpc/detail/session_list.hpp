// The sessions of a server, from when a client is admitted until it is gone. Any thread.
#ifndef IPC_RPC_DETAIL_SESSION_LIST_HPP
#define IPC_RPC_DETAIL_SESSION_LIST_HPP

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "session.hpp"

namespace ipc::rpc::detail
{

class session_list
{
  public:
    // False once all have been cut off.
    bool add(const std::shared_ptr<session> &fresh)
    {
        const std::lock_guard held(mutex_);
        if (all_cut_off_)
            return false;
        all_.emplace(fresh.get(), fresh);
        count_.store(all_.size(), std::memory_order_relaxed);
        return true;
    }

    // Null: somebody else has removed it.
    std::shared_ptr<session> remove(session &ended)
    {
        const std::lock_guard held(mutex_);
        const auto found = all_.find(&ended);
        if (found == all_.end())
            return nullptr;
        std::shared_ptr<session> last = std::move(found->second);
        all_.erase(found);
        count_.store(all_.size(), std::memory_order_relaxed);
        return last;
    }

    // Read without the mutex.
    size_t count() const noexcept
    {
        return count_.load(std::memory_order_relaxed);
    }

    void watch()
    {
        const std::lock_guard held(mutex_);
        for (const auto &each : all_)
            each.second->watch();
    }

    // None is added from now on. NOBODY_READS: see session::cut_off.
    void cut_off(uint32_t code, const char *text, bool nobody_reads = false)
    {
        const std::lock_guard held(mutex_);
        all_cut_off_ = true;
        for (const auto &each : all_)
            each.second->cut_off(code, text, nobody_reads);
    }

    // Whether no client waits for what a thread of its own runs, or for what has found no room.
    bool are_quiet()
    {
        const std::lock_guard held(mutex_);
        return std::all_of(all_.begin(), all_.end(),
                           [](const auto &each) { return each.second->calls() == 0 && !each.second->is_congested(); });
    }

    // Whether something has found no room and waits for it.
    bool are_congested()
    {
        const std::lock_guard held(mutex_);
        return std::any_of(all_.begin(), all_.end(), [](const auto &each) { return each.second->is_congested(); });
    }

    // All of them. The list is empty then.
    std::unordered_map<session *, std::shared_ptr<session>> take_all()
    {
        const std::lock_guard held(mutex_);
        count_.store(0, std::memory_order_relaxed);
        return std::exchange(all_, {});
    }

  private:
    std::mutex mutex_;
    std::unordered_map<session *, std::shared_ptr<session>> all_;
    std::atomic<size_t> count_{0}; // [peek]
    bool all_cut_off_ = false;
};

} // namespace ipc::rpc::detail
#endif
