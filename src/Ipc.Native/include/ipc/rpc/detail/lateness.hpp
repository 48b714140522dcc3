// Whether a call whose deadline has passed may be ended for it.
//
// The reply may lie in the ring all the same: it came in time, and the thread that has the reading role has not got to
// it yet. Nobody else can read it. So that a deadline has passed is not enough. It ends a call
//
// - as soon as the ring is seen drained after it: all that came has been handled, and the reply was not there; or
// - 10 ms after it was found overdue, if the thread that reads is away, decoding a message or in a handler: nobody has
//   to wait for that; or
// - a second after it was found overdue. That thread does not get on by itself: the machine is busy.
//
// Who finds a call overdue and may not end it looks again in a moment. Whoever reads meanwhile completes it, if its
// reply is there. Usually the ring is empty, and the call ends at once. A thread that reads for itself comes here too,
// after every sixteenth frame of others, which may come without end: it has the second to find its reply among them.
#ifndef IPC_RPC_DETAIL_LATENESS_HPP
#define IPC_RPC_DETAIL_LATENESS_HPP

#include <atomic>
#include <cstdint>

#include "../../../ipc.hpp"

namespace ipc::rpc::detail
{

class lateness
{
  public:
    // How long it is waited for a thread that reads, and for one that is away; in ns. Tests make them longer.
    static inline std::atomic<uint64_t> grace{1'000'000'000};          // [hint]
    static inline std::atomic<uint64_t> grace_while_away{10'000'000}; // [hint]

    // When to look again.
    static deadline next_look() noexcept
    {
        return deadline(ipc_deadline_after(1'000'000));
    }

    // Judges a deadline that has passed. DRAINED: the ring was seen so since. AWAY: the thread that reads is.
    bool ends_call(bool drained, bool away) noexcept
    {
        if (drained)
            return true;
        const uint64_t now = ipc_deadline_after(1);
        if (found_ == 0)
            found_ = now;
        return now - found_ >= (away ? grace_while_away : grace).load(std::memory_order_relaxed); // [hint]
    }

  private:
    uint64_t found_ = 0; // when it was found overdue; 0: not yet
};

} // namespace ipc::rpc::detail
#endif
