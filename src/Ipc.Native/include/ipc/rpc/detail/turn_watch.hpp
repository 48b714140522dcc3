// Which session is in the way of others, and how long one that is read aside stays there.
//
// One thread serves all sessions as long as that costs nobody anything: handing a request over takes longer than most
// handlers do. A session whose requests do take long is noticed by what comes next, a request of another one that was
// found right behind it. It is the slow one that is read aside then: the leader stays free for the quick ones.
#ifndef IPC_RPC_DETAIL_TURN_WATCH_HPP
#define IPC_RPC_DETAIL_TURN_WATCH_HPP

#include <chrono>
#include <memory>

#include "session.hpp"

namespace ipc::rpc::detail
{

using turn_clock = std::chrono::steady_clock;
inline constexpr turn_clock::duration long_turn = std::chrono::microseconds(30); // about what waking a thread takes

// The leader's.
class turn_watch
{
  public:
    // SERVED, which may be gone, was read from BEGAN to ENDED.
    void note(const std::weak_ptr<session> &served, turn_clock::time_point began, turn_clock::time_point ended)
    {
        const std::shared_ptr<session> now = served.lock();
        const std::shared_ptr<session> slow = slow_.lock();
        if (slow != nullptr && slow != now && began - slow_ended_ < at_once)
            slow->is_in_the_way();
        slow_.reset();
        if (now != nullptr && now->is_often_long(ended - began > long_turn))
            slow_ = served;
        slow_ended_ = ended;
    }

  private:
    // What is found so soon after something long has waited for it.
    static constexpr turn_clock::duration at_once = std::chrono::microseconds(20);

    std::weak_ptr<session> slow_; // whose requests have taken long
    turn_clock::time_point slow_ended_;
};

// Of one session that is read aside.
class aside_turn
{
  public:
    // SPINS: whether the server's threads look for a while before they sleep.
    explicit aside_turn(bool spins) : most_idle_(spins ? longest_idle : turn_clock::duration::zero())
    {
    }

    // It had something to read. True: it has become quick, or had the thread for long while others want one.
    bool is_over(bool is_wanted) noexcept
    {
        const auto now = turn_clock::now();
        quick_ = now - looked_at_ > long_turn ? 0 : quick_ + 1;
        looked_at_ = now;
        is_idle_ = false;
        return quick_ > most_quick || (is_wanted && now - began_ > longest);
    }

    // It had nothing. True: not for long enough, either.
    bool is_idle() noexcept
    {
        looked_at_ = turn_clock::now();
        if (!is_idle_)
            idle_since_ = looked_at_;
        is_idle_ = true;
        return looked_at_ - idle_since_ >= most_idle_;
    }

  private:
    static constexpr unsigned most_quick = 64;                                    // in a row
    static constexpr turn_clock::duration longest = std::chrono::milliseconds(2); // then another one may
    static constexpr turn_clock::duration longest_idle =
        std::chrono::microseconds(100); // a client that sleeps needs some

    const turn_clock::duration most_idle_;
    const turn_clock::time_point began_ = turn_clock::now();
    turn_clock::time_point looked_at_ = began_; // last
    turn_clock::time_point idle_since_;
    bool is_idle_ = false;
    unsigned quick_ = 0;
};

} // namespace ipc::rpc::detail
#endif
