// One end of a connection as the side that calls: the pending calls, without their types.
//
// Both ends are callers: a client of its server, a server of the clients that it calls back. How a frame gets onto the
// wire, and who reads the answers, is virtual. One mutex guards everything; send() and await() give it up while they
// wait.
#ifndef IPC_RPC_DETAIL_CALLER_CORE_HPP
#define IPC_RPC_DETAIL_CALLER_CORE_HPP

#include <algorithm>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "../canceller.hpp"
#include "../status.hpp"
#include "asking.hpp"
#include "call_table.hpp"
#include "following.hpp"
#include "frame.hpp"
#include "lateness.hpp"
#include "payload.hpp"
#include "surroundings.hpp"
#include "wait.hpp"

namespace ipc::rpc::detail
{

class caller_core : public surroundings, public follower
{
  public:
    using lock_type = std::unique_lock<std::mutex>;

    // FLAGS are on every frame that is sent: flag_callback, or none.
    caller_core(uint32_t most_pending, uint16_t window, uint8_t flags)
        : calls_(most_pending), window_(std::max<uint16_t>(1, window)), flags_(flags)
    {
    }

    virtual ~caller_core() = default;

    // A server's side of a connection.
    virtual bool calls_a_client() const noexcept
    {
        return false;
    }

    lock_type lock()
    {
        return lock_type(mutex_);
    }

    // Who is called, for errors. Without the lock.
    virtual std::string peer() = 0;

    uint16_t stream_window() const noexcept
    {
        return window_;
    }

    // ---- a call: begin, receive, settle (as often as something arrives), end; all between enter and leave

    // Sends the request, and enters it in the table. True: ENTRY is the call's, and leave() is due. Else WHY says why not.
    bool begin(lock_type &held, const asking &what, deadline until, canceller *cancel, pending *&entry, outcome &why)
    {
        if (!is_prepared(until)) {
            why = prepare(held, until, cancel, what.again);
            if (!why)
                return false;
        }
        if (what.again != nullptr)
            what.again->reached = true;
        if (cancel != nullptr && cancel->triggered()) {
            why = {status::cancelled};
            return false;
        }
        pending *const fresh = take_entry(what, epoch_);
        if (fresh == nullptr) {
            why = too_many();
            return false;
        }
        enter();
        const frame_header header = header_for(what, fresh->id(), until);
        if (!send_at_once(header, what.body)) {
            why = send_request(held, header, what, until, cancel);
            if (!why) {
                why.unsent = why.unsent || (why.code == status::unavailable && why.has_words());
                if (what.again != nullptr) {
                    what.again->reached = is_for_another(until);
                    what.again->called_back = is_called_back();
                }
                calls_.free(*fresh);
                leave();
                return false;
            }
        }
        fresh->sent_at = sent_at_;
        entry = fresh;
        return true;
    }

    // A request without an answer.
    outcome notify(lock_type &held, const asking &what, deadline until, canceller *cancel)
    {
        if (outcome ready = prepare(held, until, cancel, nullptr); !ready)
            return ready;
        if (cancel != nullptr && cancel->triggered())
            return {status::cancelled};
        const uint64_t id = ++notified_ << 32; // that no entry has ever: the low half is 0
        enter();
        outcome sent = send_request(held, header_for(what, id, until), what, until, cancel);
        leave();
        return sent;
    }

    virtual void enter() noexcept
    {
    }

    virtual void leave() noexcept
    {
    }

    // Waits for the next body. An ok outcome with nothing in GOT: the stream has ended well. On return the lock is
    // held, unless the body is in place: then settle() is due.
    outcome receive(lock_type &held, pending &entry, deadline until, canceller *cancel, arrival &got)
    {
        bool waited = false;
        return receive(held, entry, until, cancel, got, deadline::never(), waited);
    }

    // The same, and no longer than WAIT, which is the reader's own and not the call's: WAITED says that it has passed.
    outcome receive(lock_type &held, pending &entry, deadline until, canceller *cancel, arrival &got, deadline wait,
                    bool &waited)
    {
        const deadline first(std::min(until.at(), wait.at()));
        deadline look = first;
        for (unsigned frames = 1;; ++frames) {
            if (!entry.arrived.empty()) {
                got.take(std::move(entry.arrived.front()));
                entry.arrived.pop_front();
                return {};
            }
            if (entry.ended)
                return entry.end;
            if (cancel != nullptr && cancel->triggered())
                return {status::cancelled};
            entry.hungry = true;
            const bool in_time = await(held, &entry, entry.wake, look, cancel, got);
            if (got.in_place)
                return {}; // without the lock: it is hungry until it has settled
            entry.hungry = false;
            if (!entry.arrived.empty() || entry.ended || (in_time && !is_to_look_up(frames, first)))
                continue;
            if (until.has_passed() && is_over(entry.late))
                return {status::deadline_exceeded};
            waited = wait.has_passed();
            if (waited)
                return {status::deadline_exceeded, "nothing came within the reader's wait"};
            look = until.has_passed() ? deadline(std::min(lateness::next_look().at(), wait.at())) : first;
        }
    }

    // The same for the way that most answers take: one comes while this thread reads. False, with the lock held: receive()
    // has to say what there is, or wait on.
    bool receive_in_place(lock_type &held, pending &entry, deadline until, canceller *cancel, arrival &got)
    {
        if (entry.ended || !entry.arrived.empty() || (cancel != nullptr && cancel->triggered()))
            return false;
        entry.hungry = true;
        await(held, &entry, entry.wake, until, cancel, got);
        if (!got.in_place)
            entry.hungry = false;
        return got.in_place;
    }

    // The bytes of GOT are not needed any more. The lock is held afterwards.
    virtual void settle(lock_type &held, pending &, arrival &) noexcept
    {
        if (!held.owns_lock())
            held.lock();
    }

    // The call ends here and now, though its entry is still in use.
    void abandon(lock_type &held, pending &entry, const outcome &why) noexcept
    {
        if (entry.ended)
            return;
        calls_.abort(entry, why);
        rouse();
        pay(held);
    }

    // The call is over: its entry is free, and what may still come for it is dropped.
    void end(lock_type &held, pending &entry) noexcept
    {
        if (!entry.ended && entry.epoch == epoch_)
            calls_.owed_cancels.push_back(entry.id()); // reserved
        calls_.free(entry);
        pay(held);
    }

    // The reader of a stream has taken an item of SIZE bytes: more credit when half of the window is used up.
    void consumed(lock_type &held, pending &entry, uint64_t size)
    {
        entry.window.consume_item(size);
        if (!entry.window.is_due() || entry.ended)
            return;
        frame_header credit = header_of(frame_kind::credit, entry.id());
        credit.flags = flags_;
        entry.window.take_due(credit);
        give(held, entry, credit);
    }

    // One item of the caller's stream, when there is credit and room. SENT stays false when the call has ended: its
    // receiver learns why.
    outcome send_item(lock_type &held, pending &entry, const payload &item, deadline until, canceller *cancel,
                      bool &sent)
    {
        sent = false;
        for (uint64_t pause = 0;; pause = longer_than(pause)) {
            if (outcome ready = await_turn(held, entry, until, cancel); !ready)
                return ready;
            if (entry.ended || entry.input_ended)
                return {};
            frame_header header = header_of(frame_kind::item, entry.id());
            header.flags = flags_;
            header.code = entry.credit.take(item.size());
            bool full = false;
            outcome result = put_item(held, header, item, until, cancel, full);
            if (result && !full) {
                entry.credit.waited = false;
                sent = true;
                return result;
            }
            entry.credit.give_back(item.size());
            if (!result)
                return result;
            if (pause != 0) // the ring is full of other things
                sleep_until(held, entry.credited, deadline(std::min(until.at(), ipc_deadline_after(pause))));
        }
    }

    // The caller's stream has ended. When there is no time to say so the call has none left either: its receiver
    // learns of it.
    void send_input_end(lock_type &held, pending &entry, deadline until, canceller *cancel)
    {
        if (std::exchange(entry.input_ended, true) || entry.ended)
            return;
        frame_header header = header_of(frame_kind::end, entry.id());
        header.flags = flags_;
        send(held, header, payload(), until, cancel);
    }

    // For a canceller: whatever this call waits for, it looks again.
    virtual void wake(pending *const &entry) noexcept
    {
        const lock_type held(mutex_);
        if (entry != nullptr) {
            entry->wake.notify_all();
            entry->credited.notify_all();
        }
    }

  protected:
    // Whether all that has come has been handled, whoever reads. Under the lock, while a call has not ended.
    virtual bool is_drained() noexcept = 0;

    // Whether the thread that reads is in code of the user, or decodes.
    virtual bool is_reader_away() const noexcept = 0;

    // Whether to look at a deadline though there was something to read: FRAMES of other calls may come without end.
    static bool is_to_look_up(unsigned frames, deadline until) noexcept
    {
        return frames % 16 == 0 && until.has_passed();
    }

    // Whether a call whose deadline has passed, and which has not ended, may be ended for it.
    bool is_over(lateness &late) noexcept
    {
        return late.ends_call(is_drained(), is_reader_away());
    }

    // Whether an item may be sent: items take up a part of the ring only.
    virtual bool takes_items() const noexcept = 0;

    // As send(), but FULL when there is no room that an item may wait for here.
    virtual outcome put_item(lock_type &held, const frame_header &header, const payload &item, deadline until,
                             canceller *cancel, bool &full) = 0;

    // A caller that waits in the ring looks again at why it waits.
    virtual void rouse() noexcept
    {
    }

    // Whether prepare() would have nothing to do. False is always right.
    virtual bool is_prepared(deadline) noexcept
    {
        return false;
    }

    // As send(), when nothing is in the way. False: nothing was sent, and send() is to be asked.
    virtual bool send_at_once(const frame_header &, const payload &)
    {
        return false;
    }

    // Sees to it that there is a connection. AGAIN: of a call that may be made again; else null.
    virtual outcome prepare(lock_type &held, deadline until, canceller *cancel, following *again) = 0;

    // A request, when it was not sent at once. For a way that needs more of it than its frame.
    virtual outcome send_request(lock_type &held, const frame_header &header, const asking &what, deadline until,
                                 canceller *cancel)
    {
        return send(held, header, what.body, until, cancel);
    }

    // Waits for room.
    virtual outcome send(lock_type &held, const frame_header &header, const payload &body, deadline until,
                         canceller *cancel) = 0;

    // CREDIT for ENTRY's stream. If this fails the connection is gone, and the stream has ended with the reason.
    virtual void give(lock_type &held, pending &, const frame_header &credit)
    {
        send(held, credit, payload(), deadline::never(), nullptr);
    }

    // Waits until something may have changed: for a frame, or on ON while another thread reads. A body for MINE may be
    // left in place, in GOT. False when UNTIL has passed.
    virtual bool await(lock_type &held, pending *mine, std::condition_variable &on, deadline until, canceller *cancel,
                       arrival &got) = 0;

    // Null when all are taken.
    pending *take_entry(const asking &what, uint64_t epoch)
    {
        pending *const fresh = calls_.allocate(epoch, what.window, (what.flags & flag_client_stream) != 0);
        if (fresh == nullptr)
            return nullptr;
        fresh->progress = what.progress;
        fresh->answered = what.answered;
        if (what.announced != nullptr)
            *what.announced = fresh->id();
        return fresh;
    }

    outcome too_many() const
    {
        return {status::resource_exhausted,
                "all " + std::to_string(calls_.most()) +
                    " calls that may be pending at once are (client_options::max_pending)"};
    }

    // Sends what is owed, if there is room.
    virtual void pay(lock_type &held) noexcept = 0;

    std::mutex mutex_;
    uint64_t epoch_ = 1; // one per connection
    uint64_t sent_at_ = 0; // where in the ring the last request was put, where that is of interest
    call_table calls_;

    frame_header header_for(const asking &what, uint64_t id, deadline until) const noexcept
    {
        frame_header header = header_of(frame_kind::request, id);
        header.flags = static_cast<uint8_t>(flags_ | what.flags | what.body.flag());
        header.code = what.window;
        header.method = what.called->id;
        header.deadline = until.is_never() ? 0 : until.at();
        return header;
    }

  private:
    // Waits until an item may be sent, or the call has ended.
    outcome await_turn(lock_type &held, pending &entry, deadline until, canceller *cancel)
    {
        arrival none;
        deadline look = until;
        for (unsigned frames = 1; !entry.ended && !(entry.credit.any() && takes_items()); ++frames) {
            if (cancel != nullptr && cancel->triggered())
                return {status::cancelled};
            entry.credit.waited = entry.credit.waited || !entry.credit.any();
            calls_.begin_wanting(entry.credited);
            const bool in_time = await(held, nullptr, entry.credited, look, cancel, none);
            calls_.end_wanting(entry.credited);
            if (entry.ended || (entry.credit.any() && takes_items()) || (in_time && !is_to_look_up(frames, until)))
                continue;
            if (until.has_passed() && is_over(entry.late)) // who reads may have looked for room meanwhile
                return {status::deadline_exceeded};
            look = until.has_passed() ? lateness::next_look() : until;
        }
        return {};
    }

    const uint16_t window_;
    const uint8_t flags_;
    uint64_t notified_ = 0;
};

} // namespace ipc::rpc::detail
#endif
