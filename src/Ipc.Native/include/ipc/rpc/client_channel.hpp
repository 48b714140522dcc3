// The client's end of its connection: who reads, and how frames are written.
//
// One mutex guards everything but the reading itself. A call enters the table and writes its request under the mutex;
// then it waits for its reply. *One waiting thread at a time is the reader*: it holds the reading role, not the mutex,
// while it is in the ring. A frame for the reader's own call is used where it lies; a frame for another call is copied
// into that call's entry, whose thread is woken. A reader that is done gives up the role and wakes one of those that
// wait, which takes it. So a single caller never meets another thread, and a burst of callers costs a copy per reply.
//
// A request that does not fit the ring now must not wait for space alone: the server may be waiting for space in the
// other ring, the one that we read. So the two alternate: read a little, try again.
#ifndef IPC_RPC_CLIENT_CHANNEL_HPP
#define IPC_RPC_CLIENT_CHANNEL_HPP

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "caller_core.hpp"
#include "client_callee.hpp"
#include "client_connect.hpp"
#include "frame.hpp"
#include "payload.hpp"
#include "request_queue.hpp"
#include "status.hpp"
#include "wait.hpp"

namespace ipc::rpc::detail
{

class client_channel : public caller_core, private client_link
{
  public:
    explicit client_channel(const client_options &options)
        : caller_core(options.max_pending, options.stream_window, 0), queue_(options.max_queued_bytes), most_owed_(options.max_unsent_bytes)
    {
    }

    // ---- batches
    // -----------------------------------------------------------------------------------------------------------

    void flush(lock_type &) noexcept
    {
        if (std::exchange(unflushed_, false) && usable_)
            connection_.writer().flush();
    }

    // What the thread WHO sends from now on goes out together, until it has ended as many batches as it began. They may
    // end in any order, and on any thread.
    void begin_batch(std::thread::id who)
    {
        const lock_type held(mutex_);
        batching_.push_back(who);
    }

    void end_batch(std::thread::id who) noexcept
    {
        lock_type held(mutex_);
        batching_.erase(std::find(batching_.begin(), batching_.end(), who));
        flush(held);
    }

    // Waits until something may have changed, as await(); for those who wait for the end of an asynchronous call.
    bool wait_for_frame(lock_type &held, std::condition_variable &on, deadline until)
    {
        arrival none;
        enter();
        pay(held);
        await(held, nullptr, on, queue_.empty() ? until : soon(until), nullptr, none);
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
            got.in_place = false;
            entry.hungry = false;
            entry.ended = entry.ended || got.kind() == frame_kind::response;
            report_read(held);
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
    // Everything pending ends with WHY.
    virtual void break_off(const outcome &why) noexcept = 0;
    // The same, because of what the ring said.
    virtual void lose(ipc::status code) = 0;
    // There is room for items of those calls. As called().
    virtual void room_came() = 0;
    // A frame of a call that the server makes, on the thread that reads, without the lock. What is wrong with it.
    virtual const char *called(const frame &got) = 0;

    client_link &link() noexcept
    {
        return *this;
    }

    // ---- reading
    // -----------------------------------------------------------------------------------------------------------

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
        reading_ = true;
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
        if (code == IPC_OK) {
            report_read(held);
            if (is_read)
                calls_.room_came();
            else if (wrong == nullptr && next.kind() == frame_kind::ping)
                answer_ping(connection_.writer(), next);
            else if (wrong == nullptr && !is_callback && next.kind() != frame_kind::pong)
                wrong = calls_.dispatch(next);
            connection_.reader().release();
            if (wrong != nullptr)
                violate(wrong);
            else
                pay(held);
        } else if (code != IPC_TIMEOUT && code != IPC_EMPTY && code != IPC_CANCELLED) {
            lose(code);
        }
        leave_reading();
        return code;
    }

    // Tells the server how much of its items has been read. Whoever has the reading role.
    void report_read(lock_type &held) noexcept
    {
        if (!transit_.is_due())
            return;
        transit_.take_due(owed_report_);
        pay(held);
    }

    void rouse() noexcept override
    {
        if (!can_rouse_ || roused_)
            return;
        roused_ = true;
        interrupt_->trigger();
    }

    void leave_reading() noexcept
    {
        reading_ = false;
        can_rouse_ = false;
        if (std::exchange(roused_, false))
            interrupt_ = std::make_unique<cancel_source>(); // a triggered one stays so
        calls_.wake_one();
        if (!usable_)
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

    // ---- writing
    // ------------------------------------------------------------------------------------------------------------

    outcome send(lock_type &held, const frame_header &header, const payload &body, deadline until,
                 canceller *cancel) override
    {
        const uint64_t epoch = epoch_, turn = queue_.next();
        for (;;) {
            if (!usable_ || epoch != epoch_)
                return {status::unavailable, reason_};
            if (!queue_.empty())
                pay(held); // what was asked for before goes first
            const uint32_t limit = connection_.writer().max_payload();
            if (body.size() + frame_header_size > limit)
                return {status::resource_exhausted, too_large("request", body.size(), limit - frame_header_size)};
            const auto length = static_cast<uint32_t>(body.size()) + frame_header_size;
            ipc::status code = IPC_FULL;
            if (queue_.empty() || !queue_.has(epoch, turn))
                code = try_write(length, header, body);
            if (code == IPC_OK)
                return {};
            if (code != IPC_FULL) {
                lose(code);
                continue;
            }
            if (cancel != nullptr && cancel->triggered())
                return {status::cancelled, "the caller cancelled"};
            if (until.has_passed())
                return {status::deadline_exceeded, "the deadline passed while the request waited for room in the ring"};
            flush(held);
            arrival none;
            if (reading_)
                sleep_until(held, changed_, soon(until));
            else
                read(held, nullptr, soon(until), nullptr, none);
        }
    }

    bool takes_items() const noexcept override
    {
        return transit_.has_room();
    }

    outcome put_item(lock_type &held, const frame_header &header, const payload &item, deadline until,
                     canceller *cancel, bool &full) override
    {
        full = false; // it reads meanwhile
        return send(held, header, item, until, cancel);
    }

    // Whether there is room for it now.
    ipc::status try_write(uint32_t length, const frame_header &header, const payload &body)
    {
        uint8_t *place = nullptr;
        ipc::status code = connection_.writer().try_claim(length, place);
        if (code != IPC_OK)
            return code;
        encode(place, header, [&](uint8_t *at) { body.write(at); });
        if (header.kind == static_cast<uint8_t>(frame_kind::item))
            transit_.sending(body.size());
        const bool later = !batching_.empty() &&
                           std::find(batching_.begin(), batching_.end(), std::this_thread::get_id()) != batching_.end();
        code = later ? connection_.writer().commit_batched(length, frame_record_type)
                     : connection_.writer().commit(length, frame_record_type);
        unflushed_ = unflushed_ || later;
        return code;
    }

    // When to look again for room.
    static deadline soon(deadline until) noexcept
    {
        return deadline(std::min(until.at(), ipc_deadline_after(1'000'000)));
    }

    // A frame that finds the ring full is owed: it goes out before the next request.
    void pay(lock_type &) noexcept override
    {
        if (usable_ && owed_report_.method != 0) {
            if (try_send(connection_.writer(), owed_report_) != IPC_OK)
                return;
            owed_report_ = {};
        }
        auto &cancels = calls_.owed_cancels;
        while (usable_ && !cancels.empty()) {
            if (try_send(connection_.writer(), header_of(frame_kind::cancel, cancels.back())) != IPC_OK)
                return;
            cancels.pop_back();
        }
        while (usable_ && !owed_.empty()) {
            const auto &[header, body] = owed_.front();
            if (try_send(connection_.writer(), header, body.data(), static_cast<uint32_t>(body.size())) != IPC_OK)
                return;
            owed_bytes_ -= frame_header_size + body.size();
            owed_.pop_front();
        }
        while (usable_ && queue_.has(epoch_)) {
            const auto next = queue_.first();
            const auto &[header, body, epoch, until] = next->second;
            const ipc::status code = send_queued(header, body);
            if (code == IPC_FULL)
                return;
            if (code != IPC_OK && code != IPC_E_TOO_LARGE)
                return lose(code); // which ends them all
            pending *const entry = calls_.find(header.call);
            const uint64_t size = body.size();
            queue_.remove(next);
            entry->queued = 0;
            if (code == IPC_E_TOO_LARGE)
                calls_.end(*entry, {status::resource_exhausted,
                                    too_large("request", size, connection_.writer().max_payload() - frame_header_size)});
        }
    }

    connection connection_;
    bool usable_ = false;
    std::string reason_;              // why the connection is not usable
    int inside_ = 0;                  // threads that may be using the connection
    bool reading_ = false;            // the reading role is taken
    bool can_rouse_ = false;          // by somebody whom interrupt_ reaches
    bool roused_ = false;             // and has reached
    std::unique_ptr<cancel_source> interrupt_ = std::make_unique<cancel_source>();
    std::condition_variable changed_; // the connection's life
    bool unflushed_ = false;          // a batch is not published yet
    std::deque<std::pair<frame_header, std::string>> owed_; // what callbacks were refused with
    uint64_t owed_bytes_ = 0;
    transit transit_; // its counters of what came: of whoever has the reading role
    frame_header owed_report_;
    request_queue queue_;

  private:
    // ---- client_link: what the answers to callbacks go out through
    // ------------------------------------------------------------------

    bool transmit(uint64_t epoch, const frame_header &header, const payload &body) override
    {
        lock_type held(mutex_);
        if (!usable_ || epoch != epoch_)
            return false;
        enter();
        const outcome sent = send(held, header, body, deadline::never(), nullptr);
        leave();
        return static_cast<bool>(sent);
    }

    bool transmit_now(uint64_t epoch, const frame_header &header, const payload &body) override
    {
        const lock_type held(mutex_);
        if (!usable_ || epoch != epoch_)
            return false;
        const auto length = static_cast<uint32_t>(body.size()) + frame_header_size;
        uint8_t *place = nullptr;
        if (connection_.writer().try_claim(length, place) != IPC_OK)
            return false;
        encode(place, header, [&](uint8_t *at) { body.write(at); });
        return connection_.writer().commit(length, frame_record_type) == IPC_OK;
    }

    item_fate transmit_item(uint64_t epoch, const frame_header &header, const payload &body) override
    {
        const lock_type held(mutex_);
        if (!usable_ || epoch != epoch_)
            return item_fate::gone;
        const auto length = static_cast<uint32_t>(body.size()) + frame_header_size;
        uint8_t *place = nullptr;
        if (!transit_.has_room() || connection_.writer().try_claim(length, place) != IPC_OK)
            return item_fate::no_room;
        encode(place, header, [&](uint8_t *at) { body.write(at); });
        transit_.sending(body.size());
        return connection_.writer().commit(length, frame_record_type) == IPC_OK ? item_fate::sent : item_fate::gone;
    }

    bool takes_items() noexcept override
    {
        return transit_.has_room();
    }

    void post(uint64_t epoch, const frame_header &header, std::string body) override
    {
        lock_type held(mutex_);
        if (!usable_ || epoch != epoch_)
            return;
        owed_bytes_ += frame_header_size + body.size();
        owed_.emplace_back(header, std::move(body));
        pay(held);
        if (usable_ && owed_bytes_ > most_owed_)
            give_up();
    }

    // The server calls, and reads nothing of what it is told: that may not fill this process.
    void give_up() noexcept
    {
        connection_.shutdown(IPC_CLOSE_PROTOCOL, {}); // a client has no text to send
        break_off({status::resource_exhausted,
                   "the server does not read: more than " + std::to_string(most_owed_) +
                       " bytes that answer its callbacks wait for room (client_options::max_unsent_bytes)"});
        owed_.clear();
        owed_bytes_ = 0;
    }

    uint64_t limit() noexcept override
    {
        const lock_type held(mutex_);
        return usable_ ? connection_.writer().max_payload() - frame_header_size : 16384;
    }

    ipc::status send_queued(const frame_header &header, const std::string &body) noexcept
    {
        if (body.size() + frame_header_size > connection_.writer().max_payload())
            return IPC_E_TOO_LARGE;
        return try_send(connection_.writer(), header, body.data(), static_cast<uint32_t>(body.size()));
    }

    const uint64_t most_owed_;
    std::vector<std::thread::id> batching_;
};

} // namespace ipc::rpc::detail
#endif
