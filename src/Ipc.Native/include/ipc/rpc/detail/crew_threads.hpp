// The server's threads: a leader, a standby, and those that run what takes long.
//
// The leader waits at the listener, reads requests and runs their handlers itself: no hand-over, no wake. The standby
// sleeps. While handlers run it wakes every millisecond to four, ever more seldom as long as all comes on (each look
// takes a processor from somebody: of calls on one core it was the slowest in a hundred), and looks whether the leader
// is still in the handler in which it was the last time; then it takes over the lead and the connection, and another
// thread becomes the standby. The old leader finishes its handler, answers, and joins the others. When nothing has run
// for a while the standby sleeps for good, until the next handler finds the flag `resting` and rouses it: an idle
// server uses no CPU.
//
// A handler that waits for an answer of the client that it serves (a callback) does not wait to be found: it gives up
// the lead and the connection at once, and another thread reads on.
//
// Handlers that compute for some tens of microseconds are over long before the standby would notice, and yet everybody
// else waits for them. A connection that was found in the way of others is therefore read aside, by a thread that has
// that one connection and no part in the lead, until nothing more comes. The standby watches it like the leader; if it
// is stuck its connection goes back to the listener.
//
// Streams run on threads of their own out of the same crew. Threads that have had nothing to do for ten seconds end.
#ifndef IPC_RPC_DETAIL_CREW_THREADS_HPP
#define IPC_RPC_DETAIL_CREW_THREADS_HPP

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "asides.hpp"
#include "crew_host.hpp"
#include "session.hpp"
#include "thread_list.hpp"
#include "worker.hpp"

namespace ipc::rpc::detail
{

// What each thread does, and the standby's watch over the others. What others ask of the threads: crew.hpp.
class crew_threads : public reliever
{
  public:
    bool is_stopping() const noexcept
    {
        return (attention_.load() & stopping) != 0; // [rouse]
    }

    // No handler begins any more. Whoever sees it sees, too, that no request is to be handled that is read from now on.
    bool is_draining() const noexcept
    {
        return (attention_.load() & draining) != 0; // [rouse]
    }

    // Whether the calling thread is of this crew.
    bool is_current() const noexcept
    {
        const worker *const me = worker::current_one();
        return me != nullptr && me->home == static_cast<const reliever *>(this);
    }

  protected:
    crew_threads(crew_host &host, unsigned most_threads, unsigned most_calls)
        : host_(host), most_calls_(most_calls), threads_(most_threads)
    {
    }

    ~crew_threads() = default; // all threads have ended

    // That have nothing to do, or are not there yet.
    size_t free_threads() const noexcept
    {
        const size_t needed = tasks_.size() + (has_standby_ ? 0 : 1);
        return threads_.left() + (idle_ > needed ? idle_ - needed : 0);
    }

    bool has_no_more() const noexcept
    {
        return !has_standby_ && idle_ == 0 && threads_.is_spent() && !is_stopping();
    }

    // The call that TAKEN runs can be cancelled from now on, and the connection belongs to somebody else.
    static std::shared_ptr<session> expose(worker &taken)
    {
        taken.lost_lead = true;
        taken.lost_session = true;
        taken.parted = false;
        taken.held = taken.reading->shared_from_this();
        taken.held->callee::add(*taken.running);
        return taken.held;
    }

    // Sees to it that somebody becomes the standby, if there is anybody to be had.
    void enlist()
    {
        if (idle_ > tasks_.size())
            work_.notify_one();
        else
            spawn();
    }

    bool spawn()
    {
        return threads_.start([this] { work(); });
    }

    void rouse()
    {
        const std::lock_guard held(mutex_);
        attention_.fetch_and(~resting); // [rouse]
        rest_.notify_one();
    }

    static constexpr uint32_t resting = 1; // the standby sleeps until it is roused
    static constexpr uint32_t stopping = 2;
    static constexpr uint32_t draining = 4; // handlers that run go on, and no other begins

    crew_host &host_;
    const unsigned most_calls_;
    std::mutex mutex_;
    std::condition_variable work_;       // idle threads
    std::condition_variable rest_;       // the standby
    std::condition_variable ended_;      // who waits until no thread is left
    std::atomic<uint32_t> attention_{0}; // [rouse] what a thread that begins a handler must know: usually nothing
    bool has_standby_ = false;
    worker *leader_ = nullptr;
    std::vector<worker *> workers_;
    size_t idle_ = 0;
    asides asides_;
    std::deque<std::function<void()>> tasks_;
    thread_list threads_;

  private:
    void work()
    {
        worker me;
        me.home = static_cast<reliever *>(this);
        std::unique_lock held(mutex_);
        workers_.push_back(&me);
        while (!is_stopping()) {
            if (!tasks_.empty()) {
                const std::function<void()> task = std::move(tasks_.front());
                tasks_.pop_front();
                me.relieved_for = nullptr;
                held.unlock();
                task();
                held.lock();
            } else if (leader_ == nullptr) {
                take_lead(me);
                held.unlock();
                host_.lead(me);
                held.lock();
                if (leader_ == &me)
                    leader_ = nullptr;
            } else if (!has_standby_) {
                has_standby_ = true;
                watch(held, me);
            } else {
                ++idle_;
                const auto woken = work_.wait_for(held, std::chrono::seconds(10));
                --idle_;
                if (woken == std::cv_status::timeout && tasks_.empty() && has_standby_ && leader_ != nullptr)
                    break;
            }
        }
        workers_.erase(std::remove(workers_.begin(), workers_.end(), &me), workers_.end());
        threads_.end_this();
        ended_.notify_all();
    }

    void take_lead(worker &me)
    {
        me.lost_lead = false;
        me.lost_session = false;
        me.parted = false;
        leader_ = &me;
        if (!has_standby_)
            enlist();
    }

    // The standby's life, until it has led, or there is no leader.
    void watch(std::unique_lock<std::mutex> &held, worker &me)
    {
        uint64_t seen = 0;
        std::chrono::milliseconds pause = shortest_pause;
        for (unsigned quiet = 0; !is_stopping() && leader_ != nullptr;) {
            if (quiet > ticks_before_rest) {
                quiet = 0;
                attention_.fetch_or(resting); // [rouse]
                if (leader_->phase() == seen && asides::are_idle(workers_))
                    rest_.wait(held, [this] { return attention_.load() != resting || leader_ == nullptr; });
                attention_.fetch_and(~resting); // [rouse]
            }
            rest_.wait_for(held, pause);
            if (is_stopping() || leader_ == nullptr)
                break;
            if (watch_asides(held))
                quiet = 0;
            if (is_stopping() || leader_ == nullptr)
                break;
            const uint64_t now = leader_->phase();
            if (now == seen && worker::is_busy(now) && leader_->try_take(now)) {
                has_standby_ = false;
                std::shared_ptr<session> mine = part_from(*leader_, now);
                take_lead(me);
                const bool alone = has_no_more();
                held.unlock();
                if (alone)
                    host_.exhausted();
                if (mine != nullptr)
                    host_.serve(*mine, me);
                mine.reset(); // the lead may last
                host_.lead(me);
                held.lock();
                if (leader_ == &me)
                    leader_ = nullptr;
                return;
            }
            quiet = now == seen && !worker::is_busy(now) ? quiet + 1 : 0;
            pause = std::min(pause * 2, longest_pause);
            seen = now;
        }
        has_standby_ = false;
    }

    // What a stuck one of those that read aside has goes back to the listener. True when something has happened there.
    bool watch_asides(std::unique_lock<std::mutex> &held)
    {
        std::vector<std::shared_ptr<session>> unread;
        const bool moved = asides_.watch(workers_, [&](worker &stuck) { unread.push_back(expose(stuck)); });
        if (!unread.empty()) {
            held.unlock();
            for (const auto &each : unread)
                host_.read_on(*each);
            held.lock();
        }
        return moved;
    }

    // LEADER is stuck and was in phase SEEN when it was taken. Returns the session that somebody else must read on:
    // none when its client does not read, or keeps too many threads busy already; the old leader reads on itself then,
    // when it can.
    std::shared_ptr<session> part_from(worker &leader, uint64_t seen)
    {
        leader.lost_lead = true;
        const bool busy = leader.reading->calls() >= most_calls_ && !leader.reading->awaits_answers();
        if ((seen & 3) == worker::sending || busy) {
            leader.parted = true;
            leader.reading->watch();
            return nullptr;
        }
        return expose(leader);
    }

    static constexpr unsigned ticks_before_rest = 16;
    static constexpr std::chrono::milliseconds shortest_pause{1};
    static constexpr std::chrono::milliseconds longest_pause{4};
};

} // namespace ipc::rpc::detail
#endif
