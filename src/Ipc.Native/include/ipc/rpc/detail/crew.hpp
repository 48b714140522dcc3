// What a server asks of its threads: to start and to stop, to run what takes long, and to read on for a thread that
// waits in a handler. What they do by themselves: crew_threads.hpp.
#ifndef IPC_RPC_DETAIL_CREW_HPP
#define IPC_RPC_DETAIL_CREW_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "crew_host.hpp"
#include "crew_threads.hpp"
#include "session.hpp"
#include "worker.hpp"

namespace ipc::rpc::detail
{

class crew final : public crew_threads
{
  public:
    crew(crew_host &host, unsigned most_threads, unsigned most_calls) : crew_threads(host, most_threads, most_calls)
    {
    }

    ~crew()
    {
        stop();
    }

    // False when there is no thread to be had.
    bool start()
    {
        const std::lock_guard held(mutex_);
        return spawn();
    }

    // Ends all threads. The host must have seen to it that none waits elsewhere. Not from a thread of the crew.
    void stop() noexcept
    {
        std::list<std::thread> all;
        {
            const std::lock_guard held(mutex_);
            all = threads_.take_all();
        }
        for (std::thread &thread : all)
            thread.join();
        std::deque<std::function<void()>> dropped; // without the mutex: a task has what it was made of
        const std::lock_guard held(mutex_);
        dropped.swap(tasks_);
    }

    // First half of stop(): no thread takes up anything new, and every running handler can be cancelled through its
    // session.
    void begin_stop()
    {
        const std::lock_guard held(mutex_);
        // [rouse] a handler that begins from now on sees it, one that has begun is seen below
        attention_.fetch_or(stopping);
        for (worker *each : workers_) {
            const uint64_t seen = each->phase();
            if (worker::is_busy(seen) && each->try_take(seen))
                expose(*each);
        }
        rest_.notify_all();
        work_.notify_all();
    }

    // No handler begins from now on where its request was read: begin() says so.
    void begin_drain() noexcept
    {
        attention_.fetch_or(draining); // [rouse] a handler that begins from now on sees it
    }

    // Once it drains: begin_stop(), unless a handler runs, something is to be run that no thread has taken up yet, or
    // IS_QUIET() says no. That is asked last, and before anything is taken up: what a handler has left behind that is
    // not seen to run any more, and what was accepted to be run, it sees.
    template <class Quiet> bool try_begin_stop(Quiet &&is_quiet)
    {
        {
            const std::lock_guard held(mutex_);
            const auto is_busy = [](const worker *each) { return worker::is_busy(each->phase()); }; // [rouse]
            if (!tasks_.empty() || std::any_of(workers_.begin(), workers_.end(), is_busy) || !is_quiet())
                return false;
            attention_.fetch_or(stopping); // what would be run from now on is refused
        }
        begin_stop();
        return true;
    }

    // Once it stops: whether all threads have ended by UNTIL. They end when their handlers have.
    bool wait_until_ended(deadline until)
    {
        std::unique_lock held(mutex_);
        while (!workers_.empty())
            if (!sleep_until(held, ended_, until))
                return workers_.empty();
        return true;
    }

    // Runs TASK on a thread of its own. False when all threads are busy and there may be no more, or so few that one
    // that has SHARE of them already leaves the rest to others: nobody takes more than half of what there is.
    bool run(std::function<void()> task, size_t share = 0)
    {
        const std::lock_guard held(mutex_);
        if (is_stopping() || share > free_threads())
            return false;
        if (idle_ <= tasks_.size() + (has_standby_ ? 0 : 1) && !spawn())
            return false;
        tasks_.push_back(std::move(task));
        work_.notify_one();
        return true;
    }

    // READ(me) reads a connection on a thread of its own until it has given it back or lost it. False when there are as
    // many as there may be.
    bool read_aside(std::function<void(worker &)> read)
    {
        const std::lock_guard held(mutex_);
        if (is_stopping() || !asides_.has_room())
            return false;
        if (idle_ <= tasks_.size() + (has_standby_ ? 0 : 1) && !spawn())
            return false;
        asides_.add();
        tasks_.push_back([this, reads = std::move(read)] {
            worker &me = *worker::current_one();
            {
                const std::lock_guard again(mutex_);
                asides_.begin(me);
            }
            reads(me);
            const std::lock_guard again(mutex_);
            asides_.end(me);
        });
        work_.notify_one();
        return true;
    }

    // There is no thread to take over from the leader, nor may there be one.
    bool is_exhausted()
    {
        const std::lock_guard held(mutex_);
        return has_no_more();
    }

    // Whether FROM is not read because its reader is stuck in a handler, as many others of it are.
    bool leaves_unread(session &from)
    {
        const std::lock_guard held(mutex_);
        return std::any_of(workers_.begin(), workers_.end(),
                           [&](const worker *each) { return each->parted && each->reading == &from; });
    }

    // The client of FROM, which is not read, has gone: its calls are cancelled, also those that their threads still run
    // for themselves. True: so many go on that it must not be read before some have returned.
    bool forsake(session &from)
    {
        from.forsake();
        const std::lock_guard held(mutex_);
        for (worker *each : workers_)
            if (each->parted && each->reading == &from)
                from.callee::cancel(*each->running);
        return from.calls() >= most_calls_;
    }

    bool is_aside_wanted() const noexcept
    {
        return asides_.is_wanted();
    }

    // ME, which may be null, waits in a handler for something that only the reader of FROM can bring.
    void relieve(worker *me, session &from) override
    {
        std::vector<std::shared_ptr<session>> unread;
        {
            const std::lock_guard held(mutex_);
            if (is_stopping())
                return;
            if (me != nullptr && !me->parted) {
                me->unblock_sending();
                const uint64_t phase = me->phase();
                if (worker::is_busy(phase) && me->try_take(phase)) {
                    unread.push_back(expose(*me));
                    if (me->aside) {
                        asides_.end(*me);
                    } else {
                        leader_ = nullptr;
                        enlist();
                    }
                }
            }
            // The one that reads FROM may be stuck in a handler too, with nobody reading on for it.
            for (worker *each : workers_)
                if (each->parted && each->reading == &from)
                    unread.push_back(expose(*each));
            rest_.notify_all();
        }
        for (const auto &each : unread)
            host_.read_on(*each);
        if (me == nullptr)
            host_.read_anyway(from);
        if (is_exhausted())
            host_.exhausted();
    }

    // ME is about to run a handler. False: there is no time left for it. end() is due in either case.
    bool begin(worker &me, session &from, call_context &call)
    {
        me.begin(from, call);
        const uint32_t attention = attention_.load(); // [rouse]
        if (attention == 0)
            return true;
        if ((attention & (stopping | draining)) != 0)
            return false;
        rouse();
        return true;
    }

    // The handler has been answered. False when another thread reads the connection now.
    bool end(worker &me, call_context &call)
    {
        if (me.try_end())
            return true;
        std::shared_ptr<session> kept;
        {
            const std::lock_guard held(mutex_); // the taker is done when we have it
            me.parted = false;
            kept = std::move(me.held);
        }
        if (!me.lost_session)
            return true;
        kept->callee::remove(call);
        return false;
    }
};

} // namespace ipc::rpc::detail
#endif
