// The client's end of its connection: who reads. How frames are written is in client_writing.hpp.
//
// One mutex guards everything but the reading itself. A call enters the table and writes its request under the mutex;
// then it waits for its reply. *One waiting thread at a time is the reader*: it holds the reading role, not the mutex,
// while it is in the ring. A frame for the reader's own call is used where it lies; a frame for another call is copied
// into that call's entry, whose thread is woken. A reader that is done gives up the role and wakes one of those that
// wait, which takes it. So a single caller never meets another thread, and a burst of callers costs a copy per reply.
#ifndef IPC_RPC_DETAIL_CLIENT_CHANNEL_HPP
#define IPC_RPC_DETAIL_CLIENT_CHANNEL_HPP

#include <atomic>
#include <condition_variable>
#include <memory>
#include <string>
#include <utility>

#include "../status.hpp"
#include "client_writing.hpp"
#include "frame.hpp"
#include "wait.hpp"

namespace ipc::rpc::detail
{

class client_channel : public client_writing
{
  public:
    using client_writing::client_writing;

    // Waits until something may have changed, as await(); for those who wait for the end of an asynchronous call.
    bool wait_for_frame(lock_type &held, std::condition_variable &on, deadline until)
    {
        arrival none;
        enter();
        pay(held);
        await(held, nullptr, on, queue_.empty() ? until : room_looks_.next(until), nullptr, none);
        leave();
        return !until.has_passed();
    }

    // ---- caller_core
    // -------------------------------------------------------------------------------------------------------

    void enter() noexcept override
    {
        ++inside_;
    }

    void leave() noexcept override
    {
        if (!reading_)
            calls_.wake_one();
        if (--inside_ == 0 && !usable_) {
            connection_.close();
            changed_.notify_all();
        }
    }

    void settle(lock_type &held, pending &entry, arrival &got) noexcept override
    {
        if (got.in_place)
            connection_.reader().release();
        if (!held.owns_lock())
            held.lock();
        if (got.in_place) {
            is_in_place_.store(false, std::memory_order_relaxed);
            got.in_place = false;
            entry.hungry = false;
            entry.ended = entry.ended || got.kind() == frame_kind::response;
            begin_leaving();
            frame_came(held);
            leave_reading();
        }
    }

    void wake(pending *const &entry) noexcept override
    {
        caller_core::wake(entry);
        const lock_type held(mutex_);
        changed_.notify_all();
        rouse();
    }

  protected:
    // There is room for items of those calls. As called().
    virtual void room_came() = 0;
    // A frame of a call that the server makes, on the thread that reads, without the lock. What is wrong with it.
    virtual const char *called(const frame &got) = 0;

    // ---- reading
    // -----------------------------------------------------------------------------------------------------------

    bool is_drained() noexcept override
    {
        return !usable_ || connection_.reader().is_drained();
    }

    bool is_reader_away() const noexcept override
    {
        return is_in_place_.load(std::memory_order_relaxed);
    }

    bool await(lock_type &held, pending *mine, std::condition_variable &on, deadline until, canceller *,
               arrival &got) override
    {
        flush(held);
        if (reading_ || !usable_) {
            calls_.begin_waiting(on);
            const bool in_time = sleep_until(held, on, until);
            calls_.end_waiting(on);
            return in_time;
        }
        const ipc::status code = read(held, mine, until, nullptr, got);
        return got.in_place || (code != IPC_TIMEOUT && code != IPC_EMPTY);
    }

    // Takes the reading role for one frame. If it carries a body for MINE it stays where it lies: GOT is in place, the
    // role is kept and the lock is not. Else the lock is held on return and the role given up; the code is the ring's.
    // INTERRUPT ends the wait; null: rouse() does.
    ipc::status read(lock_type &held, pending *mine, deadline until, ipc_cancel *interrupt, arrival &got)
    {
        // What is owed found no room, and nobody may ever answer: a ring whose memory could not be made is full and
        // empty.
        const bool looks_soon = owes_here();
        if (looks_soon)
            until = room_looks_.next(until);
        reading_ = true;
        reader_looks_ = looks_soon;
        can_rouse_ = interrupt == nullptr;
        ipc_cancel *const ends = can_rouse_ ? interrupt_->get() : interrupt;
        held.unlock();
        record raw;
        frame next;
        ipc::status code = connection_.reader().read(raw, until, ends);
        const char *wrong = code == IPC_OK ? decode(raw, side::server, next) : nullptr;
        if (code == IPC_OK && wrong == nullptr && mine != nullptr && !next.is_callback() && mine->takes(next)) {
            if (next.kind() == frame_kind::item) {
                mine->window.receive(next, true); // nobody but the reader counts it down, nobody but its own thread up
                transit_.came(next.size);
            }
            got.point_to(next);
            is_in_place_.store(true, std::memory_order_relaxed);
            return IPC_OK;
        }
        const bool is_frame = code == IPC_OK && wrong == nullptr;
        const bool is_callback = is_frame && next.is_callback();
        const bool is_read = is_frame && next.kind() == frame_kind::read;
        if (is_frame && next.kind() == frame_kind::item)
            transit_.came(next.size);
        if (is_read && (wrong = transit_.confirm(next.header)) == nullptr)
            room_came();
        if (is_callback)
            wrong = called(next);
        held.lock();
        begin_leaving();
        if (code == IPC_OK) {
            frame_came(held);
            if (is_read)
                calls_.room_came();
            else if (wrong == nullptr && next.kind() == frame_kind::ping)
                answer(next);
            else if (wrong == nullptr && next.says_unhandled() && !is_callback && is_sent_again(next.header.call))
                left_ = true;
            else if (wrong == nullptr && !is_callback && next.kind() != frame_kind::pong)
                wrong = dispatch(next);
            connection_.reader().release();
            if (wrong != nullptr)
                violate(wrong);
            else
                pay(held);
        } else if (code != IPC_TIMEOUT && code != IPC_EMPTY && code != IPC_CANCELLED) {
            lose(code);
        } else if (looks_soon) {
            pay(held);
        }
        leave_reading();
        return code;
    }

    const char *dispatch(const frame &got)
    {
        left_ = left_ || got.says_unhandled();
        return calls_.dispatch(got);
    }

    // A call that the server has not handled goes to the next one by itself.
    virtual bool is_sent_again(uint64_t call) = 0;

    void answer(const frame &ping) noexcept
    {
        if (answer_ping(connection_.writer(), ping) == IPC_OK)
            found_room();
    }

    // Tells the server how much of its items has been read, and those who sleep until they look for room that the
    // server is there. Whoever has the reading role.
    void frame_came(lock_type &held) noexcept
    {
        if (room_looks_.is_back())
            changed_.notify_all();
        if (!transit_.is_due())
            return;
        transit_.take_due(owed_report_);
        pay(held);
    }

    void read_meanwhile(lock_type &held, deadline until) override
    {
        arrival none;
        if (reading_)
            sleep_until(held, changed_, until);
        else
            read(held, nullptr, until, nullptr, none);
    }

    void look_for_room() noexcept override
    {
        changed_.notify_all();
        rouse();
        look();
    }

    void have_reader_look() noexcept override
    {
        if (!reading_ || std::exchange(reader_looks_, true))
            return;
        rouse();
        look();
    }

    // What the client's own thread waits for, in the ring or for a server, may not be all any more.
    virtual void look() noexcept = 0;

    // Until something has happened on the way to another connection. False when UNTIL has passed.
    bool await_another(lock_type &held, deadline until)
    {
        ++unprepared_;
        const bool in_time = sleep_until(held, changed_, until);
        --unprepared_;
        return in_time;
    }

    void rouse() noexcept override
    {
        if (!can_rouse_ || roused_)
            return;
        roused_ = true;
        interrupt_->trigger();
    }

    // Who reads is not in the ring any more: it is nobody to be roused, and looks for room itself.
    void begin_leaving() noexcept
    {
        can_rouse_ = false;
        reader_looks_ = true;
    }

    // Somebody else may read now: also of those who wait for room, and would sleep for long.
    void leave_reading() noexcept
    {
        reading_ = false;
        if (std::exchange(roused_, false))
            interrupt_ = std::make_unique<cancel_source>(); // a triggered one stays so
        calls_.wake_one();
        if (!usable_ || unprepared_ != 0 || room_looks_.is_long())
            changed_.notify_all();
    }

    // The peer wrote what is not a frame.
    void violate(const char *what)
    {
        const std::string text = std::string("the server sent ") + what;
        connection_.shutdown(IPC_CLOSE_PROTOCOL, text);
        if (usable_)
            break_off({status::data_loss, text});
    }

    std::atomic<bool> is_in_place_{false}; // [hint] who has the role is at a body, and not in the ring
    int unprepared_ = 0;        // threads that need another connection, and may have to read this one's end themselves
    bool reading_ = false;      // the reading role is taken
    bool reader_looks_ = false; // who has it comes back when it is time to look for room
    bool can_rouse_ = false;    // by somebody whom interrupt_ reaches
    bool roused_ = false;       // and has reached
    std::unique_ptr<cancel_source> interrupt_ = std::make_unique<cancel_source>();
};

} // namespace ipc::rpc::detail
#endif
