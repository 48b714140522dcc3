// What a server's threads do with its connections: admit them, read them, start what they ask for, dismiss them. When
// all that begins and ends: server_core.hpp.
#ifndef IPC_RPC_DETAIL_SERVER_READING_HPP
#define IPC_RPC_DETAIL_SERVER_READING_HPP

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "../server_options.hpp"
#include "call_starter.hpp"
#include "courier.hpp"
#include "crew.hpp"
#include "crew_host.hpp"
#include "frame.hpp"
#include "gate.hpp"
#include "handler.hpp"
#include "interception.hpp"
#include "method_table.hpp"
#include "session.hpp"
#include "session_list.hpp"
#include "turn_watch.hpp"
#include "why_refused.hpp"
#include "worker.hpp"

namespace ipc::rpc::detail
{

class server_reading : protected crew_host
{
  protected:
    // WATCH is told of sessions that are not read.
    server_reading(std::string name, server_options options, method_table &methods, std::shared_ptr<courier> watch)
        : name_(std::move(name)), options_(std::move(options)), methods_(methods),
          interception_(interception::of(options_.interceptors)),
          gate_(options_.max_concurrent_calls, options_.ordered_calls, options_.max_calls_per_connection,
                options_.max_held_bytes),
          courier_(std::move(watch))
    {
    }

    ~server_reading() = default; // all threads have ended

    // The server cannot go on. CODE and ipc_last_error() say why.
    virtual void fail(ipc::status code) = 0;
    virtual void followed() = 0; // another server has the name

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

    void exhausted() override
    {
        sessions_.watch();
    }

    const std::string name_;
    const server_options options_;
    method_table &methods_; // not changed once started
    const std::shared_ptr<const interception> interception_;
    gate gate_;
    std::unique_ptr<listener> listener_;
    std::unique_ptr<crew> threads_;
    const std::shared_ptr<courier> courier_;
    std::optional<call_starter> starter_;
    session_list sessions_;
    std::atomic<bool> draining_{false}; // [flag] no further request is handled

    static constexpr const char *shutting_down = "The server stopped.";

  private:
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
            if (event.kind == IPC_EVENT_FOLLOWED)
                followed();
            else if (event.kind == IPC_EVENT_CONNECT)
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
        if (sessions_.count() < 2)
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
            if (threads_->is_stopping())
                return read_on(from);
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

    // False when another thread reads FROM now.
    bool request(session &from, worker &me, const frame &got)
    {
        const frame_header header = got.header;
        if (draining_.load(std::memory_order_relaxed)) { // [flag]
            from.note_ending(from.reader().released());
            from.reader().release();
            call_starter::refuse_ending(from, header);
            return true;
        }
        if (from.clashes(header)) {
            from.reader().release();
            return true;
        }
        if (from.is_forsaken() && (header.flags & flag_one_way) == 0) {
            from.reader().release(); // nobody waits for it any more, and many before it have taken too long
            return true;
        }
        handler *const found = methods_.find(header.method);
        if (found == nullptr) {
            from.reader().release();
            if ((header.flags & flag_one_way) == 0)
                from.post_error(header.call, methods_.unknown(header.method, "The server \"" + name_ + "\""));
            return true;
        }
        if (!gate_.is_open())
            return starter_->request(from, me, *found, got);
        if (!found->has_streams())
            return found->handle(*threads_, from, me, got);
        const std::shared_ptr<job> accepted = found->accept(from.keep(), got);
        const uint64_t lay_at = from.reader().released();
        from.reader().release();
        if (!threads_->run([accepted] { accepted->run(); }, from.calls()))
            call_starter::refuse_not_run(*threads_, from, header, lay_at);
        return true;
    }

    void admit(ipc_connection *asking)
    {
        if (draining_.load(std::memory_order_relaxed)) {
            ipc_connection_shutdown(asking, IPC_CLOSE_SHUTDOWN, "The server is stopping."); // first: it is no refusal
            ipc_connection_close(asking);
            return;
        }
        if (const std::string reason = why_refused(options_, asking); !reason.empty()) {
            ipc_connection_refuse(asking, reason.c_str());
            return;
        }
        auto fresh = std::make_shared<session>(asking, *threads_, courier_,
                                               session_options{options_.send_timeout, options_.max_unsent_bytes,
                                                               options_.max_callbacks, options_.stream_window});
        fresh->observe_served(options_.observer);
        fresh->intercept_served(interception_);
        fresh->observe_made(options_.observer);
        ipc_connection_set_context(asking, fresh.get());
        if (!sessions_.add(fresh)) {
            fresh->cut_off(IPC_CLOSE_SHUTDOWN, shutting_down);
            fresh->close();
            return;
        }
        if (ipc_connection_accept(asking) == IPC_OK)
            listener_->give_back(asking);
        else
            dismiss(*fresh);
    }

    // On the thread that reads it. Handlers of it that still run find that their client is gone.
    void dismiss(session &ended)
    {
        const std::shared_ptr<session> last = sessions_.remove(ended);
        if (last == nullptr)
            return;
        last->close();
        gate_.forget(*last);
    }

    drained expel(session &guilty, uint32_t code, const std::string &text)
    {
        guilty.cut_off(code, text);
        dismiss(guilty);
        return drained::lost;
    }

    turn_watch turns_;
};

} // namespace ipc::rpc::detail
#endif
