// What a session is made with, what it needs of its server, and what the thread that leads notes about it.
#ifndef IPC_RPC_DETAIL_SESSION_PARTS_HPP
#define IPC_RPC_DETAIL_SESSION_PARTS_HPP

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>

namespace ipc::rpc::detail
{

class session;
class worker;

// Who sees to it that a session is read while a handler of its waits for the client.
class reliever
{
  public:
    virtual void relieve(worker *me, session &from) = 0;

  protected:
    ~reliever() = default;
};

struct session_options {
    std::chrono::nanoseconds send_timeout;
    uint64_t max_unsent_bytes;
    uint32_t max_pending;
    uint16_t stream_window;
};

// Only whoever reads it uses it, unless a line says otherwise. See turn_watch.hpp.
class session_notes
{
  public:
    // Another session's request was found waiting behind one of this.
    void is_in_the_way() noexcept
    {
        aside_times_ = aside_times;
    }

    // Whether its next request should be read by a thread of its own.
    bool may_go_aside() noexcept
    {
        if (aside_times_ == 0)
            return false;
        --aside_times_;
        return true;
    }

    // Notes how long its requests took this time. Whether they took long the last two times: once may be the
    // scheduler's doing.
    bool is_often_long(bool is_long) noexcept
    {
        const bool before = was_long_;
        was_long_ = is_long;
        return before && is_long;
    }

    // A request that lies there, and all that come behind it, no handler sees. Also who has read it, and has lost the
    // connection since.
    void note_ending(uint64_t at) noexcept
    {
        uint64_t seen = ends_at_.load(std::memory_order_relaxed); // [flag]
        while (at < seen && !ends_at_.compare_exchange_weak(seen, at, std::memory_order_relaxed))
            continue;
    }

    // How far its requests were handled, when it was read so far; UINT64_MAX for READ: when it may be read on. Any
    // thread: one that learns late of a refusal says of less that it was not handled.
    uint64_t handled_to(uint64_t read) const noexcept
    {
        return std::min(ends_at_.load(std::memory_order_relaxed), read); // [flag]
    }

  private:
    std::atomic<uint64_t> ends_at_{UINT64_MAX}; // [flag]
    static constexpr unsigned aside_times = 8;  // what one observation is good for

    unsigned aside_times_ = 0;
    bool was_long_ = false;
};

} // namespace ipc::rpc::detail
#endif
