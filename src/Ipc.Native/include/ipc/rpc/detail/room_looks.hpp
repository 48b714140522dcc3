// When to look again whether there is room in a ring that was found full.
//
// Nobody tells of room: who waits for it waits for frames of the other ring meanwhile, or for another thread that does.
// A frame that comes is an occasion to look; these are the looks when none comes. A peer that is only busy reads again
// soon; one that is stopped would be looked at for nothing a thousand times a second. So the pause is a part of the
// time for which there has been no room, and that part is all by which it is found too late.
#ifndef IPC_RPC_DETAIL_ROOM_LOOKS_HPP
#define IPC_RPC_DETAIL_ROOM_LOOKS_HPP

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <utility>

#include "flow.hpp"

namespace ipc::rpc::detail
{

// Of one ring, for all who wait: they look at the same time, so that the pause grows with the time and not with them.
class room_looks
{
  public:
    // In ns. So long the pause is the shortest; from then on it grows as the time does, up to the longest. Tests change
    // them.
    static inline std::atomic<uint64_t> busy{50'000'000};       // [hint]
    static inline std::atomic<uint64_t> longest{longest_pause}; // [hint]

    // The next look, or UNTIL. When the last one's time has come there was no room: the next takes longer.
    deadline next(deadline until) noexcept
    {
        const ipc_deadline now = ipc_deadline_after(1);
        if (at_ <= now) {
            if (at_ == IPC_NOW)
                since_ = now;
            pause_ = pause_after(now - since_);
            at_ = now + pause_;
        }
        return deadline(std::min(until.at(), at_));
    }

    // Others may be asleep for longer than a moment.
    bool is_long() const noexcept
    {
        return pause_ > shortest_pause;
    }

    // Something has found room. True: after a long pause, and others may be asleep for as long again.
    bool had_room() noexcept
    {
        at_ = IPC_NOW;
        return std::exchange(pause_, 0) > shortest_pause;
    }

    // The peer has sent something, so it may be reading, too. True: as above.
    bool is_back() noexcept
    {
        return is_long() && had_room();
    }

  private:
    static uint64_t pause_after(uint64_t passed) noexcept
    {
        const uint64_t most = longest.load(std::memory_order_relaxed), brief = busy.load(std::memory_order_relaxed);
        if (passed / brief >= most / shortest_pause)
            return most;
        return std::max<uint64_t>(shortest_pause, passed * shortest_pause / brief);
    }

    uint64_t pause_ = 0; // ns
    ipc_deadline at_ = IPC_NOW;
    ipc_deadline since_ = IPC_NOW; // the first look that found no room
};

} // namespace ipc::rpc::detail
#endif
