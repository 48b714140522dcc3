// A client's thread of its own. It exists once there is something for it to do: it reads while asynchronous calls are
// pending and no caller reads, sends what they had to queue, connects when they wait for a connection, ends those whose
// deadline has passed, and runs what must not run on a caller's thread or under the lock (completions, news of the
// connection). Else it sleeps.
#ifndef IPC_RPC_DETAIL_BACKGROUND_HPP
#define IPC_RPC_DETAIL_BACKGROUND_HPP

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

#include "../../../ipc.hpp"
#include "lateness.hpp"
#include "wait.hpp"

namespace ipc::rpc::detail
{

// The client, all of it under its lock.
class background_host
{
  public:
    virtual bool has_to_read(size_t calls) = 0;
    // Reads one frame, or waits on ON while another thread reads.
    virtual void read_once(std::unique_lock<std::mutex> &held, std::condition_variable &on, deadline until,
                           ipc_cancel *interrupt) = 0;
    virtual bool has_to_connect() = 0;
    // Tries once, or waits for a server where somebody has the time.
    virtual void connect_once(std::unique_lock<std::mutex> &held, deadline until, ipc_cancel *interrupt) = 0;
    // The deadline of CALL has passed. False: it may not end yet (lateness.hpp).
    virtual bool expire(std::unique_lock<std::mutex> &held, uint64_t call) = 0;

  protected:
    ~background_host() = default;
};

// Guarded by the client's mutex.
class background
{
  public:
    background(std::mutex &mutex, background_host &host) : mutex_(mutex), host_(host)
    {
    }

    void start()
    {
        if (thread_.joinable() || stopping_)
            return;
        thread_ = std::thread([this] { work(); });
        id_ = thread_.get_id();
        runs_ = true;
    }

    // Stopped, and it takes nothing up any more: what it would have to do must be done elsewhere.
    bool is_over() const noexcept
    {
        return stopping_ && !runs_;
    }

    // It runs what is still to be run, then ends.
    void begin_stop() noexcept
    {
        stopping_ = true;
        wake();
        interrupt();
    }

    // Waits for that. Not from its own thread.
    void stop(std::unique_lock<std::mutex> &held)
    {
        begin_stop();
        std::thread thread = std::move(thread_);
        held.unlock();
        if (thread.joinable())
            thread.join();
        held.lock();
    }

    bool is_current() const noexcept
    {
        return id_ == std::this_thread::get_id();
    }

    void wake() noexcept
    {
        work_.notify_all();
    }

    // What it waits for in the ring, or at a server's door, may not be all any more.
    void look() noexcept
    {
        interrupt();
    }

    // Why the last wait has ended.
    bool was_interrupted() const noexcept
    {
        return interrupted_;
    }

    void run(std::function<void()> task)
    {
        tasks_.push_back(std::move(task));
        start();
        wake();
        interrupt();
    }

    // An asynchronous call has begun.
    void add(uint64_t call, deadline until)
    {
        ++calls_;
        if (!until.is_never()) {
            deadlines_.emplace(until.at(), call);
            if (until.at() < waits_until_)
                interrupt();
        }
        start();
        wake();
    }

    // It has ended.
    void remove(uint64_t call, deadline until) noexcept
    {
        --calls_;
        deadlines_.erase({until.at(), call});
    }

  private:
    void work()
    {
        std::unique_lock held(mutex_);
        for (;;) {
            if (!tasks_.empty()) {
                std::function<void()> task = std::move(tasks_.front());
                tasks_.pop_front();
                held.unlock();
                task();
                task = nullptr; // and what it owns
                held.lock();
            } else if (stopping_) {
                runs_ = false;
                id_ = {};
                return;
            } else if (host_.has_to_read(calls_)) {
                wait(held, [&](deadline until) { host_.read_once(held, work_, until, interrupt_->get()); });
            } else if (host_.has_to_connect()) {
                wait(held, [&](deadline until) { host_.connect_once(held, until, interrupt_->get()); });
            } else {
                sleep_until(held, work_, first_deadline());
                expire(held);
            }
        }
    }

    // In WAITS, until the first deadline at most, or until something interrupts it.
    template <class Waits> void wait(std::unique_lock<std::mutex> &held, Waits &&waits)
    {
        if (interrupt_ == nullptr)
            interrupt_ = std::make_unique<cancel_source>();
        const deadline until = first_deadline();
        waits_until_ = until.at();
        waits(until);
        waits_until_ = 0;
        if (std::exchange(interrupted_, false))
            interrupt_.reset();
        expire(held);
    }

    deadline first_deadline() const noexcept
    {
        if (next_look_ != 0)
            return deadline(next_look_);
        return deadline(deadlines_.empty() ? IPC_FOREVER : deadlines_.begin()->first);
    }

    void expire(std::unique_lock<std::mutex> &held)
    {
        next_look_ = 0;
        std::pair<uint64_t, uint64_t> last{0, 0};
        for (auto next = deadlines_.begin(); next != deadlines_.end() && deadline(next->first).has_passed();
             next = deadlines_.upper_bound(last)) {
            last = *next;
            if (!host_.expire(held, last.second)) // else it has been removed, and perhaps others
                next_look_ = lateness::next_look().at();
        }
    }

    // It reads, or connects: make it look again.
    void interrupt() noexcept
    {
        if (waits_until_ == 0 || interrupted_ || is_current())
            return;
        interrupted_ = true;
        interrupt_->trigger();
    }

    std::mutex &mutex_;
    background_host &host_;
    std::thread thread_;
    std::thread::id id_; // while it runs
    std::condition_variable work_;
    std::deque<std::function<void()>> tasks_;
    size_t calls_ = 0;                                  // asynchronous ones
    std::set<std::pair<uint64_t, uint64_t>> deadlines_; // of those that have one
    uint64_t next_look_ = 0;                            // not 0: at calls that may not end yet
    uint64_t waits_until_ = 0;                          // not 0: it reads or connects
    bool interrupted_ = false;
    std::unique_ptr<cancel_source> interrupt_;
    bool stopping_ = false;
    bool runs_ = false;
};

} // namespace ipc::rpc::detail
#endif
