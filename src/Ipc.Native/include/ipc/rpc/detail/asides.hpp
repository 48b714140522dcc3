// The threads of a server that read one connection each, with no part in the lead: how many there are, and whether one
// is stuck. Everything but is_wanted() is called with the crew's mutex held.
#ifndef IPC_RPC_DETAIL_ASIDES_HPP
#define IPC_RPC_DETAIL_ASIDES_HPP

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include "worker.hpp"

namespace ipc::rpc::detail
{

class asides
{
  public:
    bool has_room() noexcept
    {
        if (count_ >= most_)
            wanted_.store(true, std::memory_order_relaxed);
        return count_ < most_;
    }

    // One is about to begin.
    void add() noexcept
    {
        ++count_;
    }

    void begin(worker &me) noexcept
    {
        me.aside = true;
        me.lost_lead = false;
        me.lost_session = false;
        me.parted = false;
        me.last_seen = me.phase();
    }

    // ME has given its connection back, or it was taken away, or both.
    void end(worker &me) noexcept
    {
        if (!me.aside)
            return;
        me.aside = false;
        --count_;
        wanted_.store(false, std::memory_order_relaxed);
    }

    // Whether one was refused since one ended last: who has read aside for long makes room.
    bool is_wanted() const noexcept
    {
        return wanted_.load(std::memory_order_relaxed);
    }

    static bool are_idle(const std::vector<worker *> &all) noexcept
    {
        return std::none_of(all.begin(), all.end(),
                            [](const worker *each) { return each->aside && worker::is_busy(each->phase()); });
    }

    // The standby's look: TAKEN(worker &) for each that is stuck in a handler, which is none of them any more. One that
    // waits for its client to read keeps its connection. True when something has happened since the last look.
    template <class Taken> bool watch(const std::vector<worker *> &all, Taken &&taken)
    {
        bool moved = false;
        for (worker *each : all) {
            if (!each->aside)
                continue;
            const uint64_t now = each->phase();
            moved = moved || now != each->last_seen || worker::is_busy(now);
            if (now == each->last_seen && (now & 3) == worker::handling && each->try_take(now)) {
                end(*each);
                taken(*each);
            }
            each->last_seen = now;
        }
        return moved;
    }

  private:
    // What computes gains nothing from more; with one processor, from none.
    const unsigned most_ = std::thread::hardware_concurrency() > 1 ? std::thread::hardware_concurrency() : 0;
    unsigned count_ = 0;
    std::atomic<bool> wanted_{false}; // [hint]
};

} // namespace ipc::rpc::detail
#endif
