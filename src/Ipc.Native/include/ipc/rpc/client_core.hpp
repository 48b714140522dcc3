// The client without its types: the connection, the pending calls, and who reads.
//
// One mutex guards everything but the reading itself. A call enters the table and writes its request under the mutex;
// then it waits for its reply. *One waiting thread at a time is the reader*: it holds the reading role, not the mutex,
// while it is in the ring. A frame for the reader's own call is used where it lies; a frame for another call is copied
// into that call's entry, whose thread is woken. A reader that is done gives up the role and wakes one of those that
// wait, which takes it. So a single caller never meets another thread, and a burst of callers costs a copy per reply.
//
// When the connection ends (the server died, closed, or wrote nonsense; or close() here), every pending call ends with
// the reason. The next call, when the last thread has left the old connection, connects anew.
//
// A request that does not fit the ring now must not wait for space alone: the server may be waiting for space in the
// other ring, the one that we read. So the two alternate: read a little, try again.
#ifndef IPC_RPC_CLIENT_CORE_HPP
#define IPC_RPC_CLIENT_CORE_HPP

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "call_table.hpp"
#include "canceller.hpp"
#include "client_connect.hpp"
#include "frame.hpp"
#include "status.hpp"
#include "wait.hpp"

namespace ipc::rpc::detail
{

class client_core
{
  public:
    using lock_type = std::unique_lock<std::mutex>;

    client_core(std::string name, client_options options)
        : name_(std::move(name)), options_(std::move(options)), calls_(options_.max_pending)
    {
        const ipc_deadline until = deadline(options_.connect_timeout).at();
        if (const outcome connected = open_connection(name_, options_, until, closing_.get(), connection_); !connected)
            throw error(connected);
        usable_ = true;
    }

    ~client_core()
    {
        close();
    }

    lock_type lock()
    {
        return lock_type(mutex_);
    }

    const client_options &options() const noexcept
    {
        return options_;
    }

    int32_t server_pid()
    {
        const lock_type held(mutex_);
        return usable_ ? connection_.peer_pid() : 0;
    }

    // Pending calls end with status::unavailable; later ones throw ipc::error(IPC_CLOSED).
    void close() noexcept
    {
        lock_type held(mutex_);
        closed_ = true;
        closing_.trigger();
        if (usable_) {
            connection_.reader().stop();
            break_off({status::unavailable, "the client was closed on this side"});
        }
        changed_.notify_all();
        changed_.wait(held, [this] { return inside_ == 0 && !connecting_; });
        connection_.close();
    }

    // ---- a call: begin, receive, settle (as often as something arrives), end; all between enter and leave
    // ---------------------

    // Connects if need be, sends the request, enters it in the table. WINDOW: 0 for a unary call, else the first
    // credit.
    template <class Write>
    outcome begin(lock_type &held, uint32_t method, uint16_t window, uint64_t size, Write &&write, deadline until,
                  canceller *cancel, pending *&entry)
    {
        if (until.has_passed())
            return {status::deadline_exceeded, "the deadline had passed before the call began"};
        if (outcome connected = ensure_connected(held, until, cancel); !connected)
            return connected;
        pay_cancels();
        pending *fresh = calls_.allocate(epoch_, window);
        if (fresh == nullptr)
            return {status::resource_exhausted,
                    "all " + std::to_string(options_.max_pending) +
                        " calls that this client may have pending are (client_options::max_pending)"};
        frame_header header = header_of(frame_kind::request, fresh->id());
        header.code = window;
        header.method = method;
        header.deadline = until.is_never() ? 0 : until.at();
        enter();
        outcome sent = send(held, header, size, std::forward<Write>(write), until, cancel);
        if (sent)
            entry = fresh;
        else
            calls_.free(*fresh);
        leave();
        return sent;
    }

    void enter() noexcept
    {
        ++inside_;
    }

    void leave() noexcept
    {
        if (!reading_)
            calls_.wake_one();
        if (--inside_ == 0 && !usable_) {
            connection_.close();
            changed_.notify_all();
        }
    }

    // Waits for the next body. An ok outcome with nothing in GOT: the stream has ended well. On return the lock is
    // held, unless the body is in place: then the reading role is held instead, until settle().
    outcome receive(lock_type &held, pending &entry, deadline until, canceller *cancel, arrival &got)
    {
        for (;;) {
            if (!entry.arrived.empty()) {
                got.own(std::move(entry.arrived.front()));
                entry.arrived.pop_front();
                return {};
            }
            if (entry.ended)
                return entry.end;
            if (cancel != nullptr && cancel->triggered())
                return {status::cancelled, "the caller cancelled"};
            bool in_time = true;
            if (reading_) {
                calls_.begin_waiting(entry);
                in_time = sleep_until(held, entry.wake, until);
                calls_.end_waiting(entry);
            } else {
                const ipc::status code = read(held, &entry, until, cancel != nullptr ? cancel->get() : nullptr, got);
                if (got.in_place)
                    return {};
                in_time = code != IPC_TIMEOUT && code != IPC_EMPTY;
            }
            if (!in_time && entry.arrived.empty() && !entry.ended)
                return {status::deadline_exceeded, "the deadline passed while the call waited for its reply"};
        }
    }

    // The bytes of GOT are not needed any more. The lock is held afterwards.
    void settle(lock_type &held, pending &entry, arrival &got) noexcept
    {
        if (got.in_place)
            connection_.reader().release();
        if (!held.owns_lock())
            held.lock();
        if (got.in_place) {
            got.in_place = false;
            entry.ended = entry.ended || !entry.stream;
            leave_reading();
        }
    }

    // The call is over: its entry is free, and what may still come for it is dropped.
    void end(pending &entry) noexcept
    {
        if (!entry.ended && usable_ && entry.epoch == epoch_) {
            owed_cancels_.push_back(entry.id());
            pay_cancels();
        }
        calls_.free(entry);
    }

    // The reader of a stream has taken an item: more credit when half of the window is used up.
    void consumed(lock_type &held, pending &entry)
    {
        const uint32_t half = std::max(1u, options_.stream_window / 2u);
        if (++entry.consumed < half || entry.ended)
            return;
        frame_header credit = header_of(frame_kind::credit, entry.id());
        credit.method = entry.consumed;
        entry.window += entry.consumed; // before it is sent: the items may come at once
        entry.consumed = 0;
        // If this fails the connection is gone, and the stream has ended with the reason.
        send(
            held, credit, 0, [](uint8_t *) {}, deadline::never(), nullptr);
    }

    // For a canceller: whatever this call waits for, it looks again.
    void wake(pending *const &entry) noexcept
    {
        const lock_type held(mutex_);
        if (entry != nullptr)
            entry->wake.notify_all();
        changed_.notify_all();
    }

  private:
    // ---- the connection
    // ---------------------------------------------------------------------------------------------------

    outcome ensure_connected(lock_type &held, deadline until, canceller *cancel)
    {
        for (;;) {
            if (closed_)
                throw ipc::error(IPC_CLOSED, "the client of \"" + name_ + "\" is closed; make a new one");
            if (usable_ && connection_.is_open())
                return {};
            if (usable_ && !reading_) {
                drain(held);
                continue;
            }
            if (!usable_ && !options_.auto_reconnect)
                return {status::unavailable, reason_};
            if (!usable_ && !connecting_ && inside_ == 0)
                return reconnect(held, until);
            // Somebody else reads the end of the old connection, leaves it, or connects.
            if (cancel != nullptr && cancel->triggered())
                return {status::cancelled, "the caller cancelled"};
            if (!sleep_until(held, changed_, until))
                return {status::deadline_exceeded, "the deadline passed before there was a connection"};
        }
    }

    // Nobody is inside. Fails at once where there is no server: a caller that wants to wait asks again.
    outcome reconnect(lock_type &held, deadline until)
    {
        connecting_ = true;
        held.unlock();
        connection made;
        const bool hurry = until.at() < ipc_deadline_after(5'000'000'000u);
        outcome connected = open_connection(name_, options_, hurry ? until.at() : IPC_NOW, closing_.get(), made);
        held.lock();
        connecting_ = false;
        changed_.notify_all();
        if (closed_)
            return {status::unavailable, "the client was closed on this side"};
        if (!connected) {
            reason_ = connected.text;
            return connected;
        }
        connection_ = std::move(made);
        usable_ = true;
        ++epoch_;
        return {};
    }

    // Everything pending ends with WHY.
    void break_off(const outcome &why) noexcept
    {
        usable_ = false;
        reason_ = why.text;
        owed_cancels_.clear();
        calls_.end_all(why);
        changed_.notify_all();
    }

    void lose(ipc::status code)
    {
        if (usable_)
            break_off(why_lost(name_, connection_, code));
    }

    // What was published before the end is still ours.
    void drain(lock_type &held)
    {
        enter();
        arrival none;
        while (usable_ && read(held, nullptr, deadline::now(), nullptr, none) == IPC_OK) {
        }
        if (usable_)
            lose(connection_.close_code() != 0 ? IPC_PEER_CLOSED : IPC_PEER_DIED);
        leave();
    }

    // ---- reading
    // ------------------------------------------------------------------------------------------------------------

    // Takes the reading role for one frame. If it carries a body for MINE it stays where it lies: GOT is in place, the
    // role is kept and the lock is not. Else the lock is held on return and the role given up; the code is the ring's.
    ipc::status read(lock_type &held, pending *mine, deadline until, ipc_cancel *cancel, arrival &got)
    {
        reading_ = true;
        held.unlock();
        record raw;
        frame next;
        ipc::status code = connection_.reader().read(raw, until, cancel);
        const char *wrong = code == IPC_OK ? decode(raw, side::server, next) : nullptr;
        if (code == IPC_OK && wrong == nullptr && mine != nullptr && mine->takes(next)) {
            if (mine->stream)
                --mine->window; // nobody but the reader counts it down, nobody but its own thread up
            got.point_to(next);
            return IPC_OK;
        }
        held.lock();
        if (code == IPC_OK) {
            if (wrong == nullptr && next.kind() == frame_kind::ping)
                answer_ping(connection_.writer(), next);
            else if (wrong == nullptr && next.kind() != frame_kind::pong)
                wrong = calls_.dispatch(next);
            connection_.reader().release();
            if (wrong != nullptr)
                violate(wrong);
        } else if (code != IPC_TIMEOUT && code != IPC_EMPTY && code != IPC_CANCELLED) {
            lose(code);
        }
        leave_reading();
        return code;
    }

    void leave_reading() noexcept
    {
        reading_ = false;
        calls_.wake_one();
        if (!usable_)
            changed_.notify_all();
    }

    // The peer wrote what is not a frame.
    void violate(const char *what)
    {
        const std::string text = std::string("the server sent ") + what;
        connection_.shutdown(IPC_CLOSE_PROTOCOL, text);
        break_off({status::data_loss, text});
    }

    // ---- writing
    // ------------------------------------------------------------------------------------------------------------

    template <class Write>
    outcome send(lock_type &held, const frame_header &header, uint64_t size, Write &&write, deadline until,
                 canceller *cancel)
    {
        const uint64_t epoch = epoch_;
        for (;;) {
            if (!usable_ || epoch != epoch_)
                return {status::unavailable, reason_};
            const uint32_t limit = connection_.writer().max_payload();
            if (size + frame_header_size > limit)
                return {status::resource_exhausted, too_large("request", size, limit - frame_header_size)};
            const auto length = static_cast<uint32_t>(size) + frame_header_size;
            uint8_t *place = nullptr;
            ipc::status code = connection_.writer().try_claim(length, place);
            if (code == IPC_OK) {
                encode(place, header, write);
                code = connection_.writer().commit(length, frame_record_type);
                if (code == IPC_OK)
                    return {};
            }
            if (code != IPC_FULL) {
                lose(code);
                continue;
            }
            if (cancel != nullptr && cancel->triggered())
                return {status::cancelled, "the caller cancelled"};
            if (until.has_passed())
                return {status::deadline_exceeded, "the deadline passed while the request waited for room in the ring"};
            const deadline soon(ipc_deadline_after(1'000'000));
            arrival none;
            if (reading_)
                sleep_until(held, changed_, soon);
            else
                read(held, nullptr, soon, nullptr, none);
        }
    }

    // A cancel that finds the ring full is owed: it goes out before the next request.
    void pay_cancels() noexcept
    {
        while (!owed_cancels_.empty()) {
            if (try_send(connection_.writer(), header_of(frame_kind::cancel, owed_cancels_.back())) != IPC_OK)
                return;
            owed_cancels_.pop_back();
        }
    }

    const std::string name_;
    const client_options options_;
    std::mutex mutex_;
    connection connection_;
    bool usable_ = false;
    bool connecting_ = false;
    bool closed_ = false;
    cancel_source closing_;
    uint64_t epoch_ = 1;              // one per connection
    std::string reason_;              // why the connection is not usable
    int inside_ = 0;                  // threads that may be using the connection
    bool reading_ = false;            // the reading role is taken
    std::condition_variable changed_; // the connection's life
    call_table calls_;
    std::vector<uint64_t> owed_cancels_;
};

} // namespace ipc::rpc::detail
#endif
