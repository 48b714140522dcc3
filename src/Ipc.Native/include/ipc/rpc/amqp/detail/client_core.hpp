// A client at a broker: pending calls as of every caller (../../detail/caller_core.hpp), whose frames are messages
// here.
//
// One mutex, the caller's, guards what threads share: the calls under way, and whether there is a connection.
// Everything of the broker happens on the connector's thread, without the mutex. Requests go out on the channel that
// the answers come in on, as direct reply-to wants it. An answer says more than a confirm, so nobody waits for that;
// but a broker may refuse a message, and only with confirms does it say so. One-way calls have a channel of their own,
// and wait.
#ifndef IPC_RPC_AMQP_DETAIL_CLIENT_CORE_HPP
#define IPC_RPC_AMQP_DETAIL_CLIENT_CORE_HPP

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "../../detail/caller_core.hpp"
#include "../options.hpp"
#include "connector.hpp"
#include "limit_of_broker.hpp"
#include "under_way.hpp"
#include "wire.hpp"

namespace ipc::rpc::amqp::detail
{

namespace base = ipc::rpc::detail;

class client_core final : public base::caller_core, private connector_user
{
  public:
    client_core(address to, client_options with)
        : caller_core(with.max_pending, std::max<uint16_t>(1, with.stream_window), 0), options_(std::move(with)),
          to_(to), connector_(std::move(to), options_, "client", *this)
    {
        observe_made(options_.observer);
        intercept_made(options_.interceptors);
    }

    ~client_core() override
    {
        close();
    }

    // Begins to connect, and waits for the first attempt unless calls wait.
    outcome connect()
    {
        if (!connector_.start())
            return {status::resource_exhausted, "the system has no thread for the connection to a broker"};
        if (options_.wait_for_ready)
            return {};
        auto held = lock();
        while (!open_ && why_not_)
            changed_.wait(held);
        return open_ ? outcome() : why_not_;
    }

    void close() noexcept
    {
        {
            auto held = lock();
            if (std::exchange(closed_, true))
                return;
            const outcome why{status::unavailable, "The client was closed."};
            if (open_)
                for (const auto &[id, call] : under_way_)
                    if (call.number != 0)
                        cancel(call.message_id);
            end_everything(&why, why);
            why_not_ = why;
            open_ = false;
            changed_.notify_all();
        }
        connector_.stop();
    }

    std::string peer() override
    {
        return to_.peer();
    }

  protected:
    // ---- caller_core
    // -----------------------------------------------------------------------------------------------------------------

    outcome prepare(lock_type &held, deadline until, canceller *cancel, base::following *) override
    {
        for (;;) {
            if (closed_)
                return {status::failed_precondition, "the client is closed"};
            if (until.has_passed())
                return base::too_late(open_ ? std::string() : missing().text);
            if (open_)
                return {};
            if (cancel != nullptr && cancel->triggered())
                return {status::cancelled};
            if (!options_.wait_for_ready || why_not_.code == status::unauthenticated)
                return missing();
            base::sleep_until(held, changed_, cancel != nullptr ? slice(until) : until);
        }
    }

    // Nobody has handled it: the connection ended before it went out. With wait_for_ready it goes out on the next.
    bool follow(lock_type &held, base::following &again, deadline until, canceller *cancel, outcome &result) override
    {
        if (!options_.wait_for_ready)
            return false;
        constexpr uint64_t first = 50'000'000, most = 1'000'000'000; // ns
        const uint64_t pause = again.times == 0 ? 0 : std::min(first << std::min(again.times - 1, 5u), most);
        ++again.times;
        const deadline rested(std::min(until.at(), ipc_deadline_after(pause)));
        while (!rested.has_passed() && !(cancel != nullptr && cancel->triggered()) && !closed_)
            base::sleep_until(held, changed_, slice(rested));
        const bool is_cancelled = cancel != nullptr && cancel->triggered();
        if (is_cancelled)
            result = {status::cancelled};
        else if (until.has_passed())
            result = base::too_late(result.text);
        return result.unsent && !is_cancelled && !until.has_passed() && !closed_;
    }

    outcome send_request(lock_type &held, const frame_header &header, const base::asking &what, deadline until,
                         canceller *cancel) override
    {
        auto made = std::make_shared<message>();
        under_way call;
        if (outcome bad = make(header, what, until, *made, call); !bad)
            return bad;
        if ((header.flags & flag_one_way) != 0)
            return notify_broker(held, std::move(made), until, cancel);
        if (base::pending *const entry = calls_.find(header.call); entry != nullptr && call.is_stream()) {
            entry->window.begin(what.window, what.window, wire::window_bytes, base::measure::messages);
            entry->credit.items = entry->credit.bytes = 0; // until its server has begun it
        }
        made->correlation_id = std::to_string(header.call);
        made->reply_to = wire::direct_reply;
        call.request = std::move(made);
        under_way_[header.call] = std::move(call);
        connector_.post([this, id = header.call](link &on) { request(on, id); });
        return {};
    }

    // Credit for a stream, or the end of the caller's own.
    outcome send(lock_type &, const frame_header &header, const base::payload &, deadline, canceller *) override
    {
        const auto found = under_way_.find(header.call);
        if (!open_ || found == under_way_.end())
            return {}; // it has ended, and its receiver learns why
        under_way &call = found->second;
        if (static_cast<frame_kind>(header.kind) == frame_kind::credit) {
            message word = call.word(header.call);
            word.reply_to = wire::direct_reply;
            word.headers.push_back(header::of(wire::credit, static_cast<int64_t>(header.method)));
            word.headers.push_back(header::of(wire::credit_bytes, static_cast<int64_t>(header.deadline)));
            say(header.call, call.control, std::move(word));
        } else if (static_cast<frame_kind>(header.kind) == frame_kind::end) {
            call.finished = true;
            if (call.begun)
                say_end(header.call, call);
        }
        return {};
    }

    bool takes_items() const noexcept override
    {
        return true;
    }

    outcome put_item(lock_type &, const frame_header &header, const base::payload &item, deadline until,
                     canceller *cancel, bool &full) override
    {
        if (item.size() > most_to_send())
            return too_long("An item", item.size(), false);
        const auto found = under_way_.find(header.call);
        if (!open_ || found == under_way_.end())
            return {status::unavailable, "The stream has ended."};
        if (cancel != nullptr && cancel->triggered())
            return {status::cancelled};
        if (until.has_passed())
            return {status::deadline_exceeded};
        full = connector_.is_full();
        if (full)
            return {};
        under_way &call = found->second;
        message made = call.word(header.call);
        made.headers.push_back(header::of(wire::item, ++call.sent));
        made.body.resize(static_cast<size_t>(item.size()));
        item.write(reinterpret_cast<uint8_t *>(made.body.data()));
        say(header.call, call.to, std::move(made));
        return {};
    }

    bool is_drained() noexcept override
    {
        return true; // a deadline is a deadline
    }

    bool is_reader_away() const noexcept override
    {
        return true;
    }

    bool await(lock_type &held, base::pending *, std::condition_variable &on, deadline until, canceller *,
               base::arrival &) override
    {
        return base::sleep_until(held, on, until);
    }

    // Tells servers of calls that nobody waits for any more.
    void pay(lock_type &) noexcept override
    {
        for (const uint64_t call : calls_.owed_cancels)
            if (const auto found = under_way_.find(call); found != under_way_.end()) {
                if (open_ && found->second.number != 0)
                    cancel(found->second.message_id);
                under_way_.erase(found);
            }
        calls_.owed_cancels.clear();
    }

  private:
    static constexpr uint16_t requests = 1, one_way = 2, questions = 3; // channels
    static constexpr std::chrono::seconds silence{1};
    static constexpr std::chrono::milliseconds between_questions{200}; // when the answer was that nobody is there
    using clock = std::chrono::steady_clock;

    static deadline slice(deadline until)
    {
        constexpr uint64_t between_looks = 50'000'000; // at a canceller, in ns
        return deadline(std::min(until.at(), ipc_deadline_after(between_looks)));
    }

    static outcome unsent(outcome why)
    {
        why.unsent = true;
        return why;
    }

    uint64_t most_to_send() const noexcept
    {
        return limit_.most_to_send(options_);
    }

    // Why there is no connection: what calls fail with.
    outcome missing() const
    {
        outcome why =
            why_not_ ? outcome(status::unavailable, "There is no connection to " + to_.broker() + ".") : why_not_;
        if (why.code != status::unauthenticated)
            why.code = status::unavailable;
        return unsent(std::move(why));
    }

    // What is not sent.
    outcome too_long(const char *what, uint64_t size, bool is_unsent) const
    {
        outcome why{status::resource_exhausted,
                    std::string(what) + " has " + std::to_string(size) + " bytes; " + limit_.says(options_) + "."};
        why.unsent = is_unsent;
        return why;
    }

    outcome too_long_to_take(const char *what, uint64_t size) const
    {
        return {status::resource_exhausted, std::string(what) + " has " + std::to_string(size) +
                                                " bytes; options::max_message_bytes allows " +
                                                std::to_string(options_.max_message_bytes) + "."};
    }

    // ---- what is sent. The lock is held
    // --------------------------------------------------------------------------------------------

    // A word for a stream's server, which has to be there. What the broker refuses ends the stream.
    void say(uint64_t id, const std::string &queue, message &&what)
    {
        const size_t size = what.body.size();
        auto made = std::make_shared<message>(std::move(what));
        connector_.post(
            [this, id, queue, made](link &on) {
                expected_[++published_] = id;
                on.publish(requests, {}, queue, true, *made);
            },
            size);
    }

    void say_end(uint64_t id, const under_way &call)
    {
        message word = call.word(id);
        word.headers.push_back(header::of(wire::count, call.sent));
        say(id, call.to, std::move(word));
    }

    // Tells all servers that nobody waits for the answer. It may not arrive.
    void cancel(const std::string &message_id)
    {
        auto made = std::make_shared<message>();
        made->type = wire::type;
        made->message_id = message_id;
        connector_.post([this, made](link &on) {
            ++published_;
            on.publish(requests, to_.cancel_exchange(), {}, false, *made);
        });
    }

    // client_sending.hpp
    outcome make(const frame_header &header, const base::asking &what, deadline until, message &made, under_way &call);
    outcome notify_broker(lock_type &held, std::shared_ptr<message> made, deadline until, canceller *cancel);
    void request(link &on, uint64_t id);
    void note(link &on, const std::weak_ptr<message> &kept, const std::shared_ptr<confirmation> &mine);
    bool set_up(link &fresh) override;
    void opened(link &fresh) override;
    void lost(const outcome &why) override;
    void end_everything(const outcome *not_sent, const outcome &sent);

    // client_arrivals.hpp
    link::duration look(link &on) override;
    void delivered(link &from, delivery &&what) override;
    void returned(link &from, const delivery &what) override;
    void confirmed(link &from, uint16_t channel, uint64_t number, bool with_earlier, bool has_it) override;
    void answered(base::pending &entry, uint64_t id, under_way &call, const delivery &what);
    void of_stream(base::pending &entry, uint64_t id, under_way &call, const delivery &what);
    void last_of_stream(base::pending &entry, uint64_t id, under_way &call, const delivery &what);
    void end_call(uint64_t id, const outcome &why, bool tell = false);
    bool is_anybody_waiting();
    outcome no_queue() const;
    outcome nobody() const;

    const client_options options_;
    const address to_;
    limit_of_broker limit_;
    std::condition_variable changed_; // open_, closed_
    bool open_ = false;
    bool closed_ = false;
    outcome why_not_; // of the last attempt; ok before there was one
    std::unordered_map<uint64_t, under_way> under_way_;
    std::unordered_map<std::string, std::shared_ptr<confirmation>> unconfirmed_; // by message id

    // Of the connector's thread.
    std::map<uint64_t, uint64_t> expected_; // calls, by the numbers of what was published for them
    std::map<uint64_t, std::shared_ptr<confirmation>> notes_;
    uint64_t published_ = 0;
    uint64_t noted_ = 0;
    clock::time_point heard_; // when it was last known that somebody consumes
    clock::time_point asked_; // when that was last asked, in vain; and what the answer was
    int64_t no_servers_ = 0;
    std::vector<uint64_t> waiting_; // calls for a server to come
    clock::time_point watched_;     // when it was looked after calls whose servers may have gone
    clock::time_point life_at_;     // of the next sign of life
    unsigned looks_ = 0;            // in a row that have found nobody
    uint64_t looked_at_ = 0;        // what was published before the look before

    connector connector_; // last: its thread ends first
};

} // namespace ipc::rpc::amqp::detail

#endif
