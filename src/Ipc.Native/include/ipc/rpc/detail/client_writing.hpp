// How a client's frames get into their ring: at once, or in their order when there is room.
//
// A request that does not fit the ring now must not wait for space alone: the server may be waiting for space in the
// other ring, the one that we read. So the two alternate: read a little, try again.
//
// Whatever else finds no room is owed, and goes out before the next request. All of it is bounded: a cancellation for
// each request that fitted before, one report of what was read, one frame of credit for each stream, what callbacks are
// refused with and credit for theirs (max_unsent_bytes), requests of asynchronous calls (max_queued_bytes).
#ifndef IPC_RPC_DETAIL_CLIENT_WRITING_HPP
#define IPC_RPC_DETAIL_CLIENT_WRITING_HPP

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "../status.hpp"
#include "caller_core.hpp"
#include "client_callee.hpp"
#include "client_connect.hpp"
#include "frame.hpp"
#include "payload.hpp"
#include "request_queue.hpp"
#include "room_looks.hpp"

namespace ipc::rpc::detail
{

// Guarded by the client's mutex.
class client_writing : public caller_core, private client_link
{
  public:
    explicit client_writing(const client_options &options)
        : caller_core(options.max_pending, options.stream_window, 0), queue_(options.max_queued_bytes),
          repeats_(options.wait_for_ready && options.auto_reconnect), most_owed_(options.max_unsent_bytes)
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

  protected:
    // Everything pending ends with WHY.
    virtual void break_off(const outcome &why) noexcept = 0;
    // The same, because of what the ring said.
    virtual void lose(ipc::status code) = 0;
    // Until there may be room, or UNTIL: what comes meanwhile is read, here or elsewhere.
    virtual void read_meanwhile(lock_type &held, deadline until) = 0;
    // There is room: those who sleep until they look for it do so now.
    virtual void look_for_room() noexcept = 0;
    // Something is owed: whoever reads looks for room for it.
    virtual void have_reader_look() noexcept = 0;

    client_link &link() noexcept
    {
        return *this;
    }

    bool send_at_once(const frame_header &header, const payload &body) override
    {
        return queue_.empty() && body.size() <= connection_.writer().max_payload() - frame_header_size &&
               try_write(static_cast<uint32_t>(body.size()) + frame_header_size, header, body) == IPC_OK;
    }

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
                return {status::cancelled};
            if (until.has_passed())
                return {status::deadline_exceeded};
            flush(held);
            read_meanwhile(held, room_looks_.next(until));
        }
    }

    outcome send_request(lock_type &held, const frame_header &header, const asking &what, deadline until,
                         canceller *cancel) override
    {
        outcome sent = send(held, header, what.body, until, cancel);
        if (sent.code == status::deadline_exceeded)
            return too_late("the server has not read what was sent before.");
        return sent.code == status::unavailable ? of_unsent(std::move(sent)) : sent;
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
        ipc::status code = claim_now(length, place);
        if (code != IPC_OK)
            return code;
        put(place, length, header, body);
        if (header.kind == static_cast<uint8_t>(frame_kind::item))
            transit_.sending(body.size());
        sent_at_ = connection_.writer().position();
        const bool later = !batching_.empty() &&
                           std::find(batching_.begin(), batching_.end(), std::this_thread::get_id()) != batching_.end();
        code = later ? connection_.writer().commit_batched(length, frame_record_type)
                     : connection_.writer().commit(length, frame_record_type);
        unflushed_ = unflushed_ || later;
        return code;
    }

    // In a moment, or UNTIL.
    static deadline soon(deadline until, uint64_t ns = 1'000'000) noexcept
    {
        return deadline(std::min(until.at(), ipc_deadline_after(ns)));
    }

    // A frame that finds the ring full is owed: it goes out before the next request.
    void pay(lock_type &) noexcept override
    {
        if (!owes())
            return;
        pay_up();
        if (usable_ && owes_here())
            have_reader_look();
    }

    void give(lock_type &held, pending &entry, const frame_header &credit) override
    {
        frame_header &owed = entry.owed_credit;
        if (owed.method == 0)
            calls_.owed_credits.push_back(entry.id()); // reserved
        const uint32_t items = owed.method + credit.method;
        const uint64_t bytes = owed.deadline + credit.deadline;
        owed = credit;
        owed.method = items;
        owed.deadline = bytes;
        pay(held);
    }

    bool owes() const noexcept
    {
        return owes_frames() || !queue_.empty();
    }

    // The same, and it can be paid on this connection.
    bool owes_here() const noexcept
    {
        return owes_frames() || queue_.has(epoch_);
    }

    void pay_up() noexcept
    {
        if (usable_ && owed_report_.method != 0) {
            if (send_now(owed_report_) != IPC_OK)
                return;
            owed_report_ = {};
        }
        auto &cancels = calls_.owed_cancels;
        while (usable_ && !cancels.empty()) {
            if (send_now(header_of(frame_kind::cancel, cancels.back())) != IPC_OK)
                return;
            cancels.pop_back();
        }
        auto &credits = calls_.owed_credits;
        while (usable_ && !credits.empty()) {
            pending *const entry = calls_.find(credits.back());
            if (send_now(entry->owed_credit) != IPC_OK)
                return;
            entry->owed_credit = {};
            credits.pop_back();
        }
        while (usable_ && !owed_.empty()) {
            const auto &[header, body] = owed_.front();
            if (send_now(header, body) != IPC_OK)
                return;
            owed_bytes_ -= frame_header_size + body.size();
            owed_.pop_front();
        }
        while (usable_ && queue_.has(epoch_)) {
            const auto next = queue_.first();
            const auto &[header, body, epoch, until] = next->second;
            const uint64_t at = connection_.writer().position();
            const ipc::status code = send_queued(header, body);
            if (code == IPC_FULL)
                return;
            if (code != IPC_OK && code != IPC_E_TOO_LARGE)
                return lose(code); // which ends them all
            pending *const entry = calls_.find(header.call);
            const uint64_t size = body.size();
            if (repeats_)
                keep(*entry, header, std::move(next->second.body), until);
            queue_.remove(next, size);
            entry->queued = 0;
            entry->sent_at = at;
            if (code == IPC_E_TOO_LARGE)
                calls_.end(*entry,
                           {status::resource_exhausted,
                            too_large("request", size, connection_.writer().max_payload() - frame_header_size)});
        }
    }

    void found_room() noexcept
    {
        if (room_looks_.had_room())
            look_for_room();
    }

    // Of an asynchronous call that was sent: it goes out again if nobody handles it.
    static void keep(pending &entry, const frame_header &header, std::string body, deadline until)
    {
        entry.kept = true;
        entry.request = header;
        entry.body = std::move(body);
        entry.until = until;
    }

    connection connection_;
    bool usable_ = false;
    bool left_ = false;                                     // its server is ending, and takes no further calls
    std::string reason_;                                    // why the connection is not usable
    int inside_ = 0;                                        // threads that may be using the connection
    std::condition_variable changed_;                       // the connection's life
    room_looks room_looks_;                                 // of those who wait for room in the ring
    bool unflushed_ = false;                                // a batch is not published yet
    std::deque<std::pair<frame_header, std::string>> owed_; // what callbacks were refused with
    uint64_t owed_bytes_ = 0;
    transit transit_; // its counters of what came: of whoever has the reading role
    frame_header owed_report_;
    request_queue queue_;
    const bool repeats_; // asynchronous calls, too, that nobody has handled

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
        if (claim_now(length, place) != IPC_OK)
            return false;
        put(place, length, header, body);
        return connection_.writer().commit(length, frame_record_type) == IPC_OK;
    }

    item_fate transmit_item(uint64_t epoch, const frame_header &header, const payload &body) override
    {
        const lock_type held(mutex_);
        if (!usable_ || epoch != epoch_)
            return item_fate::gone;
        const auto length = static_cast<uint32_t>(body.size()) + frame_header_size;
        uint8_t *place = nullptr;
        if (!transit_.has_room() || claim_now(length, place) != IPC_OK)
            return item_fate::no_room;
        put(place, length, header, body);
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
        return send_now(header, body);
    }

    bool owes_frames() const noexcept
    {
        return owed_report_.method != 0 || !calls_.owed_cancels.empty() || !calls_.owed_credits.empty() ||
               !owed_.empty();
    }

    ipc::status claim_now(uint32_t length, uint8_t *&place) noexcept
    {
        const ipc::status code = connection_.writer().try_claim(length, place);
        if (code == IPC_OK)
            found_room();
        return code;
    }

    ipc::status send_now(const frame_header &header, const std::string &body = {}) noexcept
    {
        const ipc::status code =
            try_send(connection_.writer(), header, body.data(), static_cast<uint32_t>(body.size()));
        if (code == IPC_OK)
            found_room();
        return code;
    }

    const uint64_t most_owed_;
    std::vector<std::thread::id> batching_;
};

} // namespace ipc::rpc::detail
#endif
