// The server's side of one connection: what is sent on it, the calls that came over it, and those that go back.
// Any thread may send (frame_sender.hpp). A client that does not read for send_timeout is cut off.
// The connection is closed when the server dismisses it, whoever still has the session by then (a handler, a caller
// that one has kept): it must not outlive its listener. From then on the session is one of a client that is gone.
#ifndef IPC_RPC_DETAIL_SESSION_HPP
#define IPC_RPC_DETAIL_SESSION_HPP

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "../status.hpp"
#include "call_turn.hpp"
#include "callee.hpp"
#include "caller_core.hpp"
#include "courier.hpp"
#include "flow.hpp"
#include "frame.hpp"
#include "frame_sender.hpp"
#include "session_parts.hpp"
#include "worker.hpp"

namespace ipc::rpc::detail
{

class session final : public std::enable_shared_from_this<session>,
                      public callee,
                      public caller_core,
                      public session_notes
{
  public:
    session(ipc_connection *handle, reliever &readers, std::shared_ptr<courier> later, const session_options &options)
        : callee(0, options.stream_window), caller_core(options.max_pending, options.stream_window, flag_callback),
          connection_(handle), sender_(connection_, options.send_timeout, options.max_unsent_bytes), readers_(readers),
          courier_(std::move(later)), limit_(connection_.writer().max_payload() - frame_header_size),
          who_(peer_of(connection_)), hello_(connection_.hello())
    {
        transit_.begin(connection_.writer(), connection_.reader());
    }

    ipc_connection *handle() const noexcept
    {
        return connection_.get();
    }

    reader_ref reader() const noexcept
    {
        return connection_.reader();
    }

    // Whether a thread of the server waits for something that comes over this connection.
    bool awaits_answers() const noexcept
    {
        return !calls_.empty();
    }

    // A frame that is no request. Returns what is wrong with it, or null. On the thread that reads.
    const char *arrived(const frame &got)
    {
        if (got.kind() == frame_kind::ping) {
            sender_.answer_ping(got);
            return nullptr;
        }
        if (got.kind() == frame_kind::read)
            return confirmed(got);
        if (got.kind() == frame_kind::item)
            came(got);
        if (!got.is_callback())
            return callee::arrived(got);
        lock_type held = lock();
        const char *const wrong = calls_.dispatch(got);
        pay(held);
        return wrong;
    }

    // True: what it was sent has found no room, and it is not read until the courier has sent it. Who reads it is done.
    bool park()
    {
        if (!sender_.is_congested() || !sender_.park())
            return false;
        hand_over();
        return true;
    }

    // The client is gone, or must go: every call is cancelled, nothing is sent any more. Repeating it is harmless.
    void end(const std::string &why = "the client is gone") noexcept
    {
        end_calls(why);
        sender_.stop(); // after the calls, so that those who wait for room do not take it for a good end
    }

    bool is_congested() const noexcept
    {
        return sender_.is_congested();
    }

    // end() with a code, a text, and where what was handled ends: at a refusal, or as far as read if NOBODY_READS it.
    void cut_off(uint32_t code, const std::string &text, bool nobody_reads = false) noexcept
    {
        const uint64_t handled = handled_to(nobody_reads && connection_ ? reader().released() : UINT64_MAX);
        sender_.stop(code, text.c_str(), handled); // first: no handler that hears of it may still answer "cancelled"
        end_calls(text);
    }

    // end(), and gives the connection up. On the thread that reads, or when none does any more.
    void close() noexcept
    {
        end();
        sender_.close();
    }

    // ---- for the courier
    // -----------------------------------------------------------------------------------------------------

    // Sends what is queued, waiting until UNTIL. True: there is no more; PARKED: it may be read again.
    bool flush(deadline until, bool &parked)
    {
        if (sender_.is_congested())
            judge(sender_.flush(until));
        return sender_.leave(parked);
    }

    bool is_open()
    {
        return sender_.is_open();
    }

    // Nobody reads it, and not because of what is queued.
    void watch()
    {
        if (!watched_.exchange(true) && !courier_->take(shared_from_this())) // [watching]
            set_watched(false);
    }

    // Whether that is over is asked after this; then it goes on, perhaps.
    void set_watched(bool is_watched) noexcept
    {
        watched_.store(is_watched); // [watching]
    }

    // ---- callee
    // ------------------------------------------------------------------------------------------------------------

    bool transmit(const frame_header &header, const payload &body) override
    {
        return judge(sender_.send(header, body, deadline::never(), worker::current_blocks_sending));
    }

    item_fate transmit_item(const frame_header &header, const payload &body) override
    {
        if (!transit_.has_room())
            return ended() ? item_fate::gone : item_fate::no_room;
        const auto got = sender_.try_item(header, body, transit_);
        if (got == frame_sender::result::late)
            return item_fate::no_room;
        return judge(got) ? item_fate::sent : item_fate::gone;
    }

    bool takes_items() noexcept override
    {
        return transit_.has_room();
    }

    bool transmit_now(const frame_header &header, const payload &body) override
    {
        return sender_.try_now(header, body);
    }

    void submit(const frame_header &header, const payload &body) override
    {
        judge(sender_.post(header, body));
    }

    void post(const frame_header &header, std::string body) override
    {
        submit(header, payload(std::string_view(body)));
    }

    uint64_t limit() const noexcept override
    {
        return limit_;
    }

    const peer_identity &who() const noexcept override
    {
        return who_;
    }

    std::string_view hello() const noexcept override
    {
        return hello_;
    }

    bool calls_a_client() const noexcept override
    {
        return true;
    }

    std::shared_ptr<caller_core> caller() override
    {
        return shared_from_this();
    }

    std::string peer() override
    {
        return "the client (process " + std::to_string(who_.pid) + ")";
    }

    std::shared_ptr<callee> keep() override
    {
        return shared_from_this();
    }

    void leave() noexcept override
    {
        if (call_turn *const turn = call_turn::current(); turn != nullptr && turn->resting)
            turn->go_on();
    }

  protected:
    // ---- caller_core
    // -------------------------------------------------------------------------------------------------------

    outcome prepare(lock_type &, deadline until, canceller *, following *) override
    {
        if (ended()) // before the deadline: who asks late learns the same as who asks in time
            return of_unsent({status::unavailable, "the client is gone"});
        if (until.has_passed())
            return too_late();
        return {};
    }

    outcome send(lock_type &held, const frame_header &header, const payload &body, deadline until,
                 canceller *cancel) override
    {
        if (body.size() > limit())
            return {status::resource_exhausted, too_large("request", body.size(), limit())};
        held.unlock();
        outcome result = send_in_time(header, body, until, cancel);
        held.lock();
        return result;
    }

    bool takes_items() const noexcept override
    {
        return transit_.has_room();
    }

    outcome put_item(lock_type &held, const frame_header &header, const payload &item, deadline, canceller *,
                     bool &full) override
    {
        if (item.size() > limit())
            return {status::resource_exhausted, too_large("item", item.size(), limit())};
        held.unlock();
        const item_fate fate = transmit_item(header, item);
        held.lock();
        full = fate == item_fate::no_room;
        return fate == item_fate::gone ? outcome(status::unavailable, "the client is gone") : outcome();
    }

    bool is_drained() noexcept override
    {
        return connection_.reader().is_drained(); // closed after all calls have ended
    }

    bool is_reader_away() const noexcept override
    {
        return true; // it runs handlers
    }

    bool await(lock_type &held, pending *, std::condition_variable &on, deadline until, canceller *, arrival &) override
    {
        worker *const me = worker::current_one();
        const bool relieve = me != nullptr && me->home == &readers_ && me->relieved_for != this;
        call_turn *const turn = call_turn::current();
        const bool rest = turn != nullptr && !turn->resting;
        if (!relieve && !rest)
            return sleep_until(held, on, until);
        held.unlock();
        if (relieve)
            readers_.relieve(me, *this);
        if (rest)
            turn->rest();
        held.lock();
        if (relieve)
            me->relieved_for = this;
        return true; // look again before sleeping
    }

    void pay(lock_type &held) noexcept override
    {
        if (calls_.owed_cancels.empty())
            return;
        const std::vector<uint64_t> owed(calls_.owed_cancels);
        calls_.owed_cancels.clear();
        held.unlock();
        for (const uint64_t call : owed) {
            frame_header header = header_of(frame_kind::cancel, call);
            header.flags = flag_callback;
            submit(header, payload());
        }
        held.lock();
    }

  private:
    // The client has read items.
    const char *confirmed(const frame &got)
    {
        if (const char *const wrong = transit_.confirm(got.header))
            return wrong;
        callee::room_came();
        const lock_type held = lock();
        calls_.room_came();
        return nullptr;
    }

    // An item of the client has been read: it is told now and then.
    void came(const frame &got)
    {
        transit_.came(got.size);
        if (!transit_.is_due())
            return;
        frame_header report;
        transit_.take_due(report);
        post(report, {});
    }

    void end_calls(const std::string &why) noexcept
    {
        callee::end_calls();
        const lock_type held = lock();
        calls_.end_all({status::unavailable, why});
    }

    // A frame of a call to the client. What concerns calls that it knows waits for nothing.
    outcome send_in_time(const frame_header &header, const payload &body, deadline until, canceller *cancel)
    {
        const auto kind = static_cast<frame_kind>(header.kind);
        if (kind == frame_kind::credit || kind == frame_kind::end) {
            submit(header, body);
            return {};
        }
        const call_context *const serving = call_context::current();
        const bool may_wait = serving == nullptr || !is_in_place(*serving);
        for (;;) {
            const deadline slice(may_wait ? deadline(a_while) : deadline::now());
            const frame_sender::result got =
                sender_.send(header, body, deadline(std::min(slice.at(), until.at())), worker::current_blocks_sending);
            if (got != frame_sender::result::late)
                return judge(got) ? outcome() : of_unsent({status::unavailable, "the client is gone"});
            if (!may_wait)
                return {status::resource_exhausted,
                        "the client does not read, and a handler with dispatch::in_place cannot wait until it does"};
            if (cancel != nullptr && cancel->triggered())
                return {status::cancelled};
            if (until.has_passed())
                return too_late("the client has not read what was sent before.");
        }
    }

    // Does what is due after something was sent. False: it was not.
    bool judge(frame_sender::result got)
    {
        if (got == frame_sender::result::stuck)
            cut_off(IPC_CLOSE_PROTOCOL, "the client did not read what was sent to it (or the disk was full)");
        else if (got == frame_sender::result::corrupt)
            cut_off(IPC_CLOSE_CORRUPT, "the client wrote what is not a ring");
        else if (sender_.is_congested())
            hand_over();
        return got == frame_sender::result::sent;
    }

    // To the courier, if it has not got it.
    void hand_over()
    {
        if (sender_.needs_courier() && !courier_->take(shared_from_this()))
            cut_off(IPC_CLOSE_PROTOCOL, "the client did not read what was sent to it, and there is no thread to wait");
    }

    static constexpr std::chrono::milliseconds a_while{50}; // between two looks at a canceller

    connection connection_; // the writer is the sender's, which closes it
    frame_sender sender_;
    transit transit_;   // of the items; what is sent, under the sender's mutex
    reliever &readers_; // the server's: for its own threads, which do not outlive it
    const std::shared_ptr<courier> courier_;
    std::atomic<bool> watched_{false}; // the courier has it, see watch()
    const uint64_t limit_;
    const peer_identity who_;
    const std::string hello_;
};

} // namespace ipc::rpc::detail
#endif
