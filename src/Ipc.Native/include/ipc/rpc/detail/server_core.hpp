// The server without its types: how it starts and ends, and what becomes of connections that are not read. What its
// threads do meanwhile: server_reading.hpp.
#ifndef IPC_RPC_DETAIL_SERVER_CORE_HPP
#define IPC_RPC_DETAIL_SERVER_CORE_HPP

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "../server_options.hpp"
#include "courier.hpp"
#include "crew.hpp"
#include "server_reading.hpp"
#include "session.hpp"
#include "wait.hpp"

namespace ipc::rpc::detail
{

class server_core final : private courier_host, private server_reading
{
  public:
    server_core(std::string name, server_options options, method_table &methods)
        : server_reading(std::move(name), std::move(options), methods,
                         std::make_shared<courier>(static_cast<courier_host &>(*this)))
    {
    }

    ~server_core()
    {
        if (threads_ != nullptr && threads_->is_current()) {
            std::fputs("ipc: a server was destroyed by one of its own handlers\n", stderr);
            std::terminate();
        }
        stop();
        if (follower_.joinable())
            follower_.join();
    }

    bool is_started()
    {
        const std::lock_guard held(mutex_);
        return threads_ != nullptr;
    }

    // CODE is what the listener said.
    outcome start(ipc::status &code)
    {
        const std::lock_guard held(mutex_);
        if (threads_ != nullptr)
            return {status::failed_precondition, "the server was started before"};
        ipc_listener_options how{};
        how.max_connections = options_.max_connections;
        how.max_ring_capacity = options_.max_ring_capacity;
        how.max_loan_budget = options_.max_loan_budget;
        how.access = &options_.access;
        how.protocol = rpc_protocol;
        how.wait_mode = options_.wait;
        how.take_over = options_.take_over;
        auto opened = std::make_unique<listener>();
        code = listener::try_open(name_, how, *opened);
        if (code != IPC_OK)
            return {code == IPC_E_IN_USE ? status::already_exists : status::unavailable, ipc_last_error()};
        listener_ = std::move(opened);
        threads_ = std::make_unique<crew>(static_cast<crew_host &>(*this), std::max(2u, options_.max_threads),
                                          options_.max_calls_per_connection);
        starter_.emplace(gate_, *threads_, static_cast<crew_host &>(*this));
        if (threads_->start()) {
            courier_->prepare();
            return {};
        }
        threads_.reset();
        listener_.reset();
        code = IPC_E_SYSTEM_ERROR;
        return {status::resource_exhausted, "the system has no thread for the server"};
    }

    // Returns when the server has ended, whoever ends it. On a thread of its own it only begins that.
    void stop() noexcept
    {
        std::unique_lock held(mutex_);
        if (threads_ == nullptr)
            return;
        if (!std::exchange(stopped_, true)) {
            held.unlock();
            begin_stop();
            held.lock();
            all_cut_off_ = true;
            changed_.notify_all();
        }
        if (threads_->is_current())
            return;
        changed_.wait(held, [this] { return all_cut_off_; });
        if (std::exchange(ending_, true)) {
            changed_.wait(held, [this] { return done_; });
            return;
        }
        changed_.wait(held, [this] { return waiting_ == 0; });
        held.unlock();
        finish_stop();
        held.lock();
        done_ = true;
        changed_.notify_all();
    }

    // stop(), when what runs has ended, or at UNTIL. On a thread of its own: at once.
    //
    // What is read from here on no handler sees, and its callers are told. What runs on threads of its own, waits for
    // its turn or for room is waited for. Then no thread takes anything up any more; those that are in a handler, of a
    // request that was read before, answer it and end. When all have, and what they have answered has been sent, nobody
    // reads: how far each ring was read is how far its requests were handled, and each client is told so with the close
    // word.
    void stop(deadline until) noexcept
    {
        std::unique_lock held(mutex_);
        if (threads_ != nullptr && !stopped_ && !threads_->is_current()) {
            ++waiting_; // what is used here stays until this is back
            bool begun = false;
            draining_.store(true);
            threads_->begin_drain();
            while (!begun && !stopped_ && failure_ == IPC_OK && !until.has_passed()) {
                held.unlock();
                begun = threads_->try_begin_stop([this] { return sessions_.are_quiet() && gate_.is_empty(); });
                held.lock();
                if (!begun)
                    sleep_until(held, changed_, soon(until));
            }
            held.unlock();
            if (begun) {
                listener_->stop();
                if (threads_->wait_until_ended(until)) {
                    await_room(until);
                    sessions_.cut_off(IPC_CLOSE_SHUTDOWN, shutting_down, true);
                }
            }
            held.lock();
            --waiting_;
            changed_.notify_all();
        }
        held.unlock();
        stop();
    }

    // Until the server has stopped, or cannot go on: CODE says why.
    outcome wait(ipc::status &code)
    {
        std::unique_lock held(mutex_);
        changed_.wait(held, [this] { return done_ || failure_ != IPC_OK; });
        code = failure_;
        return failure_ == IPC_OK ? outcome() : outcome(status::unavailable, failure_text_);
    }

  private:
    void begin_stop() noexcept
    {
        listener_->stop();
        threads_->begin_stop();
        sessions_.cut_off(IPC_CLOSE_SHUTDOWN, shutting_down);
    }

    // What the last handlers have answered finds room, which is the courier's work, or UNTIL passes.
    void await_room(deadline until) noexcept
    {
        std::unique_lock held(mutex_);
        for (bool done = false; !done && !stopped_ && !until.has_passed();) {
            held.unlock();
            done = !sessions_.are_congested();
            held.lock();
            if (!done)
                sleep_until(held, changed_, soon(until));
        }
    }

    static deadline soon(deadline until) noexcept
    {
        return deadline(std::min(until.at(), ipc_deadline_after(2'000'000)));
    }

    // No connection outlives the listener, whoever still knows its session.
    void finish_stop() noexcept
    {
        threads_->stop();
        courier_->stop();
        for (const auto &each : sessions_.take_all()) {
            each.second->close();
            gate_.forget(*each.second);
        }
        listener_.reset();
    }

    attention attend(session &of, std::chrono::milliseconds timeout) override
    {
        bool parked = false;
        if (!of.flush(deadline(timeout), parked))
            return timeout.count() != 0 ? attention::waited : attention::again;
        if (parked)
            read_on(of);
        of.set_watched(false); // before the look: what comes after it asks for another one
        const bool waits = gate_.leaves_unread(of);
        if (!waits && !threads_->leaves_unread(of)) {
            if (!threads_->is_exhausted())
                return attention::done;
            if (!of.is_open()) // the listener would tell, if a thread had the time to ask it
                threads_->forsake(of);
            of.set_watched(true);
            return attention::again;
        }
        if (of.is_open() ? !of.awaits_answers() : threads_->forsake(of) && !waits) {
            of.set_watched(true);
            return attention::again;
        }
        threads_->relieve(nullptr, of);
        return attention::done;
    }

    // On the thread that leads, which cannot wait for the others to end. Without a thread for that, the server stops
    // at once.
    void followed() override
    {
        std::unique_lock held(mutex_);
        if (stopped_ || follower_.joinable())
            return;
        const auto work = [this] { stop(deadline::never()); };
#ifdef IPC_NO_EXCEPTIONS
        follower_ = std::thread(work);
#else
        try {
            follower_ = std::thread(work);
        } catch (const std::system_error &) {
            held.unlock();
            stop();
        }
#endif
    }

    void fail(ipc::status code) override
    {
        {
            const std::lock_guard held(mutex_);
            failure_ = code;
            failure_text_ = ipc_last_error();
            changed_.notify_all();
        }
        threads_->begin_stop();
    }

    std::mutex mutex_; // guards what follows
    std::condition_variable changed_;
    bool stopped_ = false; // it has begun to end
    bool all_cut_off_ = false;
    bool ending_ = false; // a thread waits for the handlers
    int waiting_ = 0;     // threads that wait until what runs has ended
    bool done_ = false;
    ipc::status failure_ = IPC_OK;
    std::string failure_text_;
    std::thread follower_; // stops it in good order when another server has the name
};

} // namespace ipc::rpc::detail
#endif
