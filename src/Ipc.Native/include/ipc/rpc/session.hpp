// The server's side of one connection: what is sent on it, the calls that came over it, and those that go back.
//
// Any thread may send; a mutex keeps frames whole. A client that does not read makes its senders wait, for send_timeout
// at most; then it is cut off.
#ifndef IPC_RPC_SESSION_HPP
#define IPC_RPC_SESSION_HPP

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "call_turn.hpp"
#include "callee.hpp"
#include "caller_core.hpp"
#include "frame.hpp"
#include "status.hpp"
#include "worker.hpp"

namespace ipc::rpc::detail
{

class session;

// Who sees to it that a session is read while a handler of its waits for the client.
class reliever
{
  public:
    virtual void relieve(worker *me, session &from) = 0;

  protected:
    ~reliever() = default;
};

struct session_options {
    std::chrono::nanoseconds send_timeout;
    uint32_t max_pending;
    uint16_t stream_window;
};

class session final : public std::enable_shared_from_this<session>, public callee, public caller_core
{
  public:
    session(ipc_connection *handle, reliever &readers, const session_options &options)
        : callee(0), caller_core(options.max_pending, options.stream_window, flag_callback), connection_(handle),
          readers_(readers), send_timeout_(options.send_timeout), peer_pid_(connection_.peer_pid())
    {
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

    // ---- for whoever leads
    // ---------------------------------------------------------------------------------------------------

    // Another session's request was found waiting behind one of this.
    void is_in_the_way() noexcept
    {
        aside_times_ = aside_times;
    }

    // Whether its next request should be read by a thread of its own.
    bool may_go_aside() noexcept
    {
        if (aside_times_ == 0)
            return false;
        --aside_times_;
        return true;
    }

    // Notes how long its requests took this time. Whether they took long the last two times: once may be the
    // scheduler's doing.
    bool is_often_long(bool is_long) noexcept
    {
        const bool before = was_long_;
        was_long_ = is_long;
        return before && is_long;
    }

    // A frame that is no request. Returns what is wrong with it, or null. On the thread that reads.
    const char *arrived(const frame &got)
    {
        if (got.kind() == frame_kind::ping) {
            answer_ping(got);
            return nullptr;
        }
        if (!got.is_callback())
            return callee::arrived(got);
        lock_type held = lock();
        const char *const wrong = calls_.dispatch(got);
        pay(held);
        return wrong;
    }

    // The client is gone, or must go: every call is cancelled, nothing is sent any more. Repeating it is harmless.
    void end(const std::string &why = "the client is gone") noexcept
    {
        callee::end_calls();
        {
            const lock_type held = lock();
            calls_.end_all({status::unavailable, why});
        }
        // Those who wait for room; after the flag, so that they do not take it for a good end.
        connection_.writer().stop();
    }

    // end() with a code and a text for the client.
    void cut_off(uint32_t code, const std::string &text) noexcept
    {
        connection_.shutdown(code, text);
        end(text);
    }

    // ---- callee
    // ------------------------------------------------------------------------------------------------------------

    bool transmit(const frame_header &header, const payload &body) override
    {
        std::unique_lock held(write_mutex_, std::try_to_lock);
        if (!held.owns_lock()) {
            worker::current_blocks_sending();
            held.lock();
        }
        if (ended())
            return false;
        const auto length = static_cast<uint32_t>(body.size()) + frame_header_size;
        writer_ref writer = connection_.writer();
        uint8_t *place = nullptr;
        ipc::status code = writer.try_claim(length, place);
        if (code == IPC_FULL) {
            worker::current_blocks_sending();
            code = writer.claim(length, place, deadline(send_timeout_));
        }
        if (code == IPC_OK) {
            encode(place, header, [&](uint8_t *at) { body.write(at); });
            code = writer.commit(length, frame_record_type);
        }
        if (code == IPC_TIMEOUT)
            cut_off(IPC_CLOSE_PROTOCOL, "the client did not read what was sent to it");
        else if (code == IPC_E_CORRUPT)
            cut_off(IPC_CLOSE_CORRUPT, ipc_last_error());
        return code == IPC_OK;
    }

    bool transmit_now(const frame_header &header, const payload &body) override
    {
        const std::unique_lock held(write_mutex_, std::try_to_lock);
        if (!held.owns_lock() || ended())
            return false;
        const auto length = static_cast<uint32_t>(body.size()) + frame_header_size;
        uint8_t *place = nullptr;
        if (connection_.writer().try_claim(length, place) != IPC_OK)
            return false;
        encode(place, header, [&](uint8_t *at) { body.write(at); });
        return connection_.writer().commit(length, frame_record_type) == IPC_OK;
    }

    void post(const frame_header &header, std::string body) override
    {
        transmit(header, payload(std::string_view(body)));
    }

    uint64_t limit() const noexcept override
    {
        return connection_.writer().max_payload() - frame_header_size;
    }

    int32_t peer_pid() const noexcept override
    {
        return peer_pid_;
    }

    std::string_view hello() const noexcept override
    {
        return connection_.hello();
    }

    bool calls_a_client() const noexcept override
    {
        return true;
    }

    std::shared_ptr<caller_core> caller() override
    {
        return shared_from_this();
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

    outcome prepare(lock_type &, deadline until, canceller *) override
    {
        if (until.has_passed())
            return {status::deadline_exceeded, "the deadline had passed before the call began"};
        if (ended())
            return {status::unavailable, "the client is gone"};
        return {};
    }

    outcome send(lock_type &held, const frame_header &header, const payload &body, deadline, canceller *) override
    {
        if (body.size() > limit())
            return {status::resource_exhausted, too_large("request", body.size(), limit())};
        held.unlock();
        const bool sent = transmit(header, body);
        held.lock();
        return sent ? outcome() : outcome(status::unavailable, "the client is gone");
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
            transmit(header, payload());
        }
        held.lock();
    }

  private:
    void answer_ping(const frame &ping)
    {
        const std::unique_lock held(write_mutex_, std::try_to_lock);
        if (held.owns_lock()) // else somebody is sending: the client sees that we live
            rpc::answer_ping(connection_.writer(), ping);
    }

    static constexpr unsigned aside_times = 8; // what one observation is good for

    unsigned aside_times_ = 0; // this and the next: the leader's
    bool was_long_ = false;
    connection connection_;
    reliever &readers_;
    const std::chrono::nanoseconds send_timeout_;
    const int32_t peer_pid_;
    std::mutex write_mutex_;
};

} // namespace ipc::rpc::detail
#endif
