// When to look again whether there is room in a ring that was found full.
//
// Nobody tells of room: who waits for it waits for frames of the other ring meanwhile, or for another thread that does.
// A frame that comes is an occasion to look; these are the looks when none comes. A peer that is only busy reads again
// soon; one that is stopped would be looked at for nothing a thousand times a second.
#ifndef IPC_RPC_DETAIL_ROOM_LOOKS_HPP
#define IPC_RPC_DETAIL_ROOM_LOOKS_HPP

#include <algorithm>
#include <cstdint>

#include "flow.hpp"

namespace ipc::rpc::detail
{

// Of one ring, for all who wait: they look at the same time, so that the pause grows with the time and not with them.
class room_looks
{
  public:
    // The next look, or UNTIL. When the last one's time has come there was no room: the next takes longer.
    deadline next(deadline until) noexcept
    {
        if (deadline(at_).has_passed()) {
            pause_ = longer_than(pause_);
            at_ = ipc_deadline_after(pause_);
        }
        return deadline(std::min(until.at(), at_));
    }

    // The peer has sent something, so it may be reading, too. True: after a while in which it has not, and others may
    // be asleep for as long again.
    bool is_back() noexcept
    {
        if (pause_ <= shortest_pause)
            return false;
        had_room();
        return true;
    }

    // Something has found room.
    void had_room() noexcept
    {
        pause_ = 0;
        at_ = IPC_NOW;
    }

  private:
    uint64_t pause_ = 0; // ns
    ipc_deadline at_ = IPC_NOW;
};

} // namespace ipc::rpc::detail
#endif
