// The server without its types: the listener, the sessions, and what is done with each frame.
#ifndef IPC_RPC_SERVER_CORE_HPP
#define IPC_RPC_SERVER_CORE_HPP

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>

#include "call_starter.hpp"
#include "courier.hpp"
#include "crew.hpp"
#include "frame.hpp"
#include "gate.hpp"
#include "handler.hpp"
#include "server_options.hpp"
#include "service.hpp"
#include "session.hpp"
#include "turn_watch.hpp"
#include "worker.hpp"

namespace ipc::rpc::detail
{

class server_core final : private crew_host, private courier_host
{
  public:
    server_core(std::string name, server_options options, service &methods)
        : name_(std::move(name)), options_(std::move(options)), methods_(methods),
          gate_(options_.max_concurrent_calls, options_.ordered_calls, options_.max_calls_per_connection),
          courier_(std::make_shared<courier>(static_cast<courier_host &>(*this)))
    {
    }

    ~server_core()
    {
        if (threads_ != nullptr && threads_->is_current()) {
            std::fputs("ipc: a server was destroyed by one of its own handlers\n", stderr);
            std::terminate();
        }
        stop();
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
        how.wait_mode = options_.wait;
        auto opened = std::make_unique<listener>();
        code = listener::try_open(name_, how, *opened);
        if (code != IPC_OK)
            return {code == IPC_E_IN_USE ? status::already_exists : status::unavailable, ipc_last_error()};
        listener_ = std::move(opened);
        threads_ = std::make_unique<crew>(static_cast<crew_host &>(*this), std::max(2u, options_.max_threads),
                                          options_.max_calls_per_connection);
        starter_.emplace(gate_, *threads_, static_cast<crew_host &>(*this));
        if (threads_->start())
            return {};
        threads_.reset();
        listener_.reset();
        code = IPC_E_SYSTEM;
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
        held.unlock();
        finish_stop();
        held.lock();
        done_ = true;
        changed_.notify_all();
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
        const std::lock_guard held(mutex_); // who is admitted from now on sees that it has stopped
        for (const auto &each : sessions_)
            each.second->cut_off(IPC_CLOSE_SHUTDOWN, shutting_down);
    }

    // No connection outlives the listener, whoever still knows its session.
    void finish_stop() noexcept
    {
        threads_->stop();
        courier_->stop();
        for (const auto &each : sessions_) {
            each.second->close();
            gate_.forget(*each.second);
        }
        sessions_.clear();
        listener_.reset();
    }

    // ---- crew_host: the thread that leads
    // --------------------------------------------------------------------------------

    void lead(worker &me) override
    {
        while (!me.lost_lead && !threads_->is_stopping()) {
            ipc_event event{};
            const ipc::status code = listener_->next(event, deadline::never());
            if (code != IPC_OK) {
                if (code != IPC_STOPPED && code != IPC_CLOSED)
                    fail(code);
                return;
            }
            if (event.kind == IPC_EVENT_CONNECT)
                admit(event.connection);
            else if (auto *from = static_cast<session *>(ipc_connection_context(event.connection)); from == nullptr)
                ipc_connection_close(event.connection); // gone before it was admitted
            else if (event.kind == IPC_EVENT_READABLE)
                serve_in_turn(*from, me);
            else
                dismiss(*from);
        }
    }

    // Here, or on a thread of its own what others have had to wait for. See turn_watch.hpp.
    void serve_in_turn(session &from, worker &me)
    {
        if (sessions_count_.load(std::memory_order_relaxed) < 2)
            return serve(from, me);
        if (from.may_go_aside() &&
            threads_->read_aside([this, kept = from.shared_from_this()](worker &aside) { read_aside(*kept, aside); }))
            return;
        const auto kept = from.weak_from_this();
        const auto began = turn_clock::now();
        serve(from, me);
        if (!me.lost_lead) // else what follows is another thread's
            turns_.note(kept, began, turn_clock::now());
    }

    // Until it is in nobody's way any more, or another thread reads FROM.
    void read_aside(session &from, worker &me)
    {
        aside_turn turn(options_.wait != IPC_WAIT_BLOCK);
        for (unsigned looks = 1;; ++looks) {
            switch (drain(from, me)) {
            case drained::lost:
                return;
            case drained::some:
                if (turn.is_over(threads_->is_aside_wanted()))
                    return read_on(from);
                break;
            case drained::nothing:
                if (turn.is_idle() || from.ended())
                    return read_on(from);
                if (looks % 16 == 0)
                    std::this_thread::yield(); // the client may need this processor for its next call
                break;
            }
        }
    }

    // Reads what is there, runs it, gives the connection back to the listener. Unless another thread has taken it
    // meanwhile.
    void serve(session &from, worker &me) override
    {
        if (drain(from, me) != drained::lost)
            read_on(from);
    }

    enum class drained { nothing, some, lost };

    drained drain(session &from, worker &me)
    {
        drained result = drained::nothing;
        // A client that never stops asking waits for its turn like the others.
        for (unsigned round = 0; round < 64; ++round) {
            if (from.park())
                return drained::lost;
            record raw;
            const ipc::status code = from.reader().try_read(raw);
            if (code == IPC_E_CORRUPT)
                return expel(from, IPC_CLOSE_CORRUPT, ipc_last_error());
            if (code != IPC_OK)
                break; // empty; or ended, which the listener tells
            result = drained::some;
            frame got;
            if (const char *wrong = decode(raw, side::client, got))
                return expel(from, IPC_CLOSE_PROTOCOL, std::string("the client sent ") + wrong);
            if (got.kind() == frame_kind::request) {
                if (!request(from, me, got))
                    return drained::lost;
                if (me.lost_lead)
                    break; // nobody watches this thread any more: whoever leads reads on
                continue;
            }
            const char *const wrong = from.arrived(got);
            from.reader().release();
            if (wrong != nullptr)
                return expel(from, IPC_CLOSE_PROTOCOL, std::string("the client sent ") + wrong);
        }
        return result;
    }

    void read_on(session &from) override
    {
        if (from.ended())
            dismiss(from); // cut off while it was read: the listener would not tell us again
        else
            listener_->give_back(from.handle());
    }

    void read_anyway(session &from) override
    {
        if (gate_.is_open())
            return;
        if (const std::shared_ptr<session> unread = gate_.read_anyway(from))
            read_on(*unread);
    }

    attention attend(session &of, std::chrono::milliseconds patience) override
    {
        bool parked = false;
        if (!of.flush(deadline(patience), parked))
            return patience.count() != 0 ? attention::waited : attention::again;
        if (parked)
            read_on(of);
        of.set_watched(false); // before the look: what comes after it asks for another one
        if (!gate_.leaves_unread(of) && !threads_->leaves_unread(of))
            return attention::done;
        if (of.is_open() && !of.awaits_answers()) {
            of.set_watched(true);
            return attention::again;
        }
        threads_->relieve(nullptr, of);
        return attention::done;
    }

    // False when another thread reads FROM now.
    bool request(session &from, worker &me, const frame &got)
    {
        const frame_header header = got.header;
        if (from.clashes(header)) {
            from.reader().release();
            return true;
        }
        handler *const found = methods_.find(header.method);
        if (found == nullptr) {
            from.reader().release();
            if ((header.flags & flag_one_way) == 0)
                from.post_error(header.call, methods_.unknown(header.method, "\"" + name_ + "\""));
            return true;
        }
        if (!gate_.is_open())
            return starter_->request(from, me, *found, got);
        if (!found->has_streams())
            return found->handle(*threads_, from, me, got);
        const std::shared_ptr<job> accepted = found->accept(from.keep(), got);
        from.reader().release();
        if (!threads_->run([accepted] { accepted->run(); }))
            call_starter::refuse(from, header);
        return true;
    }

    // ---- the life of a session
    // ---------------------------------------------------------------------------------------------

    void admit(ipc_connection *asking)
    {
        if (const std::string reason = why_refused(options_, asking); !reason.empty()) {
            ipc_connection_refuse(asking, reason.c_str());
            return;
        }
        auto fresh = std::make_shared<session>(
            asking, *threads_, courier_,
            session_options{options_.send_timeout, options_.max_unsent_bytes, options_.max_callbacks, options_.stream_window});
        fresh->observe_served(options_.observer);
        fresh->observe_made(options_.observer);
        ipc_connection_set_context(asking, fresh.get());
        {
            const std::lock_guard held(mutex_);
            if (stopped_) {
                fresh->cut_off(IPC_CLOSE_SHUTDOWN, shutting_down);
                fresh->close();
                return;
            }
            sessions_.emplace(fresh.get(), fresh);
            sessions_count_ = sessions_.size();
        }
        if (ipc_connection_accept(asking) == IPC_OK)
            listener_->give_back(asking);
        else
            dismiss(*fresh);
    }

    // On the thread that reads it. Handlers of it that still run find that their client is gone.
    void dismiss(session &ended)
    {
        std::shared_ptr<session> last;
        {
            const std::lock_guard held(mutex_);
            const auto found = sessions_.find(&ended);
            if (found == sessions_.end())
                return;
            last = std::move(found->second);
            sessions_.erase(found);
            sessions_count_ = sessions_.size();
        }
        last->close();
        gate_.forget(*last);
    }

    drained expel(session &guilty, uint32_t code, const std::string &text)
    {
        guilty.cut_off(code, text);
        dismiss(guilty);
        return drained::lost;
    }

    void fail(ipc::status code)
    {
        {
            const std::lock_guard held(mutex_);
            failure_ = code;
            failure_text_ = ipc_last_error();
            changed_.notify_all();
        }
        threads_->begin_stop();
    }

    static constexpr const char *shutting_down = "the server is shutting down";

    const std::string name_;
    const server_options options_;
    service &methods_; // not changed once started
    gate gate_;
    std::unique_ptr<listener> listener_;
    std::unique_ptr<crew> threads_;
    const std::shared_ptr<courier> courier_;
    std::optional<call_starter> starter_;
    turn_watch turns_;
    std::atomic<size_t> sessions_count_{0}; // of sessions_, read without the mutex
    std::mutex mutex_;                      // guards what follows
    std::condition_variable changed_;
    std::unordered_map<session *, std::shared_ptr<session>> sessions_;
    bool stopped_ = false; // it has begun to end
    bool all_cut_off_ = false;
    bool ending_ = false; // a thread waits for the handlers
    bool done_ = false;
    ipc::status failure_ = IPC_OK;
    std::string failure_text_;
};

} // namespace ipc::rpc::detail
#endif
