// A server's side of one connection to the broker: the calls in hand, whose frames become messages here
// (../../detail/callee.hpp). All clients of the service share it: each call knows where its answer goes.
//
// A request is acknowledged when its answer, or the first message of its stream, has been handed to the broker. What is
// not acknowledged when the connection goes is delivered again, to whoever consumes the queue; so the calls end with
// the connection.
#ifndef IPC_RPC_AMQP_DETAIL_SERVED_HPP
#define IPC_RPC_AMQP_DETAIL_SERVED_HPP

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "../../detail/callee.hpp"
#include "../options.hpp"
#include "connector.hpp"
#include "nobody_core.hpp"
#include "request.hpp"
#include "wire.hpp"

namespace ipc::rpc::amqp::detail
{

namespace base = ipc::rpc::detail;

class served;

// Whom a connection's calls are told of: the server.
class served_user
{
  public:
    // A call is over that was not a stream: to be acknowledged, or set aside. Any thread.
    virtual void over(const served &from, const std::shared_ptr<const request> &call, const outcome &result) = 0;
    // Any thread; in order for each caller. Dropped when the connection has gone.
    virtual void answer(const std::string &reply_to, message &&what) = 0;
    virtual bool is_full() const noexcept = 0;
    virtual uint64_t most_to_send() const noexcept = 0;
    virtual std::string says_most() const = 0;

  protected:
    ~served_user() = default;
};

class served final : public base::callee, public std::enable_shared_from_this<served>
{
  public:
    using clock = std::chrono::steady_clock;

    served(served_user &by, const server_options &with) : callee(0), user_(by), options_(with)
    {
        observe_served(with.observer);
    }

    // ---- on the connector's thread
    // --------------------------------------------------------------------------------------------

    // A call begins: its id. KEY: its name if it has a stream.
    uint64_t enter(std::shared_ptr<const request> call, std::string &key)
    {
        const std::lock_guard held(mine_);
        const uint64_t id = ++next_;
        entry made;
        made.call = std::move(call);
        made.heard = clock::now();
        if (made.call->terms) {
            key = made.key = wire::new_id();
            streams_[key] = id;
            count_streams();
        }
        ids_[made.call->message_id] = id;
        calls_by_id_[id] = std::move(made);
        return id;
    }

    // The client of a call waits for it no more.
    void cancelled(const std::string &message_id)
    {
        uint64_t id = 0;
        {
            const std::lock_guard held(mine_);
            if (const auto found = ids_.find(message_id); found != ids_.end())
                id = found->second;
        }
        if (id != 0)
            arrived({header_of(frame_kind::cancel, id), nullptr, 0});
    }

    // A word for a stream: credit, or a sign of life. False: there is no such stream here.
    bool word(const delivery &what)
    {
        frame_header credit = header_of(frame_kind::credit, 0);
        const int64_t items = what.number(wire::credit).value_or(0),
                      bytes = what.number(wire::credit_bytes).value_or(0);
        bool is_answered = false;
        {
            const std::lock_guard held(mine_);
            entry *const stream = stream_of(what.message_id(), credit.call);
            if (stream == nullptr)
                return false;
            stream->heard = clock::now();
            is_answered = stream->call->terms->items != 0;
        }
        credit.method = static_cast<uint32_t>(items);
        credit.deadline = static_cast<uint64_t>(bytes);
        const bool is_none = items < 0 || bytes < 0 || items > wire::max_credit || bytes > wire::max_credit;
        if (!is_answered)
            return true; // there is nothing that it could be for
        if (is_none || ((items != 0 || bytes != 0) && arrived({credit, nullptr, 0}) != nullptr))
            fail(credit.call,
                 {status::invalid_argument, "The stream's client gave credit for " + std::to_string(items) +
                                                " items and " + std::to_string(bytes) +
                                                " bytes to what it "
                                                "had given before: nobody counts to more than 2147483648."});
        return true;
    }

    // An item of a client's stream, or its end.
    void item(const delivery &what)
    {
        uint64_t id = 0;
        outcome wrong;
        frame_kind kind = frame_kind::item;
        {
            const std::lock_guard held(mine_);
            entry *const stream = stream_of(what.message_id(), id);
            if (stream == nullptr || stream->is_broken)
                return;
            const std::optional<int64_t> number = what.number(wire::item), count = what.number(wire::count);
            if (!stream->call->terms->sends)
                wrong = {status::resource_exhausted, "An item came, and the request had announced none"};
            else if (stream->input_ended && !number)
                return; // once more
            else if (stream->input_ended)
                wrong = {status::data_loss, "Item " + std::to_string(number.value_or(0)) + " came after the end"};
            else if (number && *number != stream->received + 1)
                wrong = {status::data_loss, "Item " + std::to_string(*number) + " came where " +
                                                std::to_string(stream->received + 1) + " had to"};
            else if (number && what.body().size() > options_.max_message_bytes)
                wrong = {status::resource_exhausted,
                         "Item " + std::to_string(*number) + " has " + std::to_string(what.body().size()) +
                             " bytes; options::max_message_bytes allows " + std::to_string(options_.max_message_bytes)};
            else if (!number && count != stream->received)
                wrong = {status::data_loss, "The stream has ended after " +
                                                (count ? std::to_string(*count) : std::string("an unknown number of")) +
                                                " items, of which " + std::to_string(stream->received) + " came"};
            else if (number)
                ++stream->received;
            else
                kind = frame_kind::end;
            stream->is_broken = !wrong;
            stream->input_ended = stream->input_ended || kind == frame_kind::end;
        }
        if (!wrong) {
            wrong.text = "Of the stream that the client sends: " + wrong.text + ".";
            fail(id, wrong);
        } else {
            const wire::made_frame made(header_of(kind, id), {}, what.body());
            arrived(made.get());
        }
    }

    // Ends the streams whose clients have said nothing for their leases; ALL: each, for this server stops. How many
    // there are.
    size_t look(bool all)
    {
        std::vector<std::pair<uint64_t, outcome>> silent;
        size_t left = 0;
        {
            const std::lock_guard held(mine_);
            const clock::time_point now = clock::now();
            left = streams_.size();
            for (const auto &[key, id] : streams_) {
                const entry &each = calls_by_id_.at(id);
                if (all)
                    silent.emplace_back(id, outcome(status::unavailable, "The stream's server has stopped. How far the "
                                                                         "stream came is not known."));
                else if (now - each.heard > each.call->terms->lease)
                    silent.emplace_back(
                        id, outcome(status::unavailable, "Nothing was heard of the stream's client for its lease of " +
                                                             std::to_string(each.call->terms->lease.count()) + " ms."));
            }
        }
        for (const auto &[id, why] : silent)
            fail(id, why);
        return left;
    }

    // Takes no lock.
    size_t streams() const noexcept
    {
        return stream_count_.load(std::memory_order_relaxed); // [count]
    }

    // The connection has gone: nobody hears what is answered, and somebody else gets the requests.
    void gone()
    {
        {
            const std::lock_guard held(mine_);
            is_gone_ = true;
        }
        end_calls();
    }

    // ---- callee
    // ---------------------------------------------------------------------------------------------------------------------

    bool transmit(const frame_header &frame, const base::payload &body) override
    {
        wire::content content;
        if (!content.take(frame, body))
            return false;
        return tell(frame, std::move(content));
    }

    base::item_fate transmit_item(const frame_header &frame, const base::payload &body) override
    {
        if (user_.is_full())
            return base::item_fate::no_room;
        return transmit(frame, body) ? base::item_fate::sent : base::item_fate::gone;
    }

    bool takes_items() noexcept override
    {
        return true; // when there is no room for an item, it is tried again in a moment
    }

    std::string says_too_large(const char *what, uint64_t size) const override
    {
        return std::string("the ") + what + " has " + std::to_string(size) + " bytes; " + user_.says_most();
    }

    bool transmit_now(const frame_header &, const base::payload &) override
    {
        return true; // progress: a broker has no way for it
    }

    void post(const frame_header &frame, std::string body) override
    {
        wire::content content;
        content.bytes = std::move(body);
        tell(frame, std::move(content));
    }

    uint64_t limit() const noexcept override
    {
        return user_.most_to_send();
    }

    const base::peer_identity &who() const noexcept override
    {
        return nobody_;
    }

    std::string_view hello() const noexcept override
    {
        return {};
    }

    std::shared_ptr<base::caller_core> caller() override
    {
        return std::make_shared<nobody_core>();
    }

    std::shared_ptr<base::callee> keep() override
    {
        return shared_from_this();
    }

    void handled(const frame_header &call, const outcome &result) override
    {
        std::shared_ptr<const request> of;
        {
            const std::lock_guard held(mine_);
            const auto found = calls_by_id_.find(call.call);
            if (found == calls_by_id_.end())
                return;
            of = found->second.call;
            if (!found->second.key.empty()) {
                streams_.erase(found->second.key);
                count_streams();
            }
            if (const auto same = ids_.find(of->message_id); same != ids_.end() && same->second == call.call)
                ids_.erase(same);
            calls_by_id_.erase(found);
            if (is_gone_)
                return;
        }
        user_.over(*this, of, result);
    }

  private:
    struct entry {
        std::shared_ptr<const request> call;
        std::string key; // of its stream, which nobody guesses: whoever knows it has had the first message
        int64_t sent = 0;
        int64_t received = 0;
        bool input_ended = false;
        bool is_broken = false; // its client does not keep to the rules, and has been told
        clock::time_point heard;
    };

    void count_streams() noexcept
    {
        stream_count_.store(streams_.size(), std::memory_order_relaxed); // [count]
    }

    entry *stream_of(std::string_view key, uint64_t &id)
    {
        const auto found = streams_.find(std::string(key));
        if (found == streams_.end())
            return nullptr;
        id = found->second;
        return &calls_by_id_.at(id);
    }

    // A frame of an answer, as a message. False: nobody hears it any more.
    bool tell(const frame_header &frame, wire::content &&content)
    {
        message made;
        made.type = wire::type;
        outcome failure;
        const auto kind = static_cast<frame_kind>(frame.kind);
        if (kind == frame_kind::error) {
            failure.code = status_of(frame.code);
            error_body::decode(content.bytes.data() + content.begin, content.bytes.size() - content.begin, failure);
        } else if (kind != frame_kind::credit) {
            made.body = std::string(content.bytes, content.begin);
        }
        const bool is_last = kind == frame_kind::error || kind == frame_kind::response || kind == frame_kind::end;
        if (is_last && !wire::add_metadata(made.headers, content.before.entries)) {
            made.headers.clear();
            if (failure)
                failure = {status::internal, "the metadata of the answer takes more than " +
                                                 std::to_string(wire::longest_metadata) + " bytes"};
        }
        if (is_last)
            wire::add_outcome(made.headers, failure);
        if (!failure)
            made.body.clear();
        const std::lock_guard held(mine_); // so that items go in their order
        const auto found = calls_by_id_.find(frame.call);
        if (found == calls_by_id_.end() || is_gone_)
            return false;
        entry &to = found->second;
        made.correlation_id = to.call->correlation_id;
        if (kind == frame_kind::item)
            made.headers.push_back(header::of(wire::item, ++to.sent));
        else if (is_last && to.call->terms && to.call->terms->items != 0)
            made.headers.push_back(header::of(wire::count, to.sent));
        if (kind == frame_kind::credit) {
            made.headers.push_back(header::of(wire::credit, static_cast<int64_t>(frame.method)));
            made.headers.push_back(header::of(wire::credit_bytes, static_cast<int64_t>(frame.deadline)));
        }
        user_.answer(to.call->reply_to, std::move(made));
        return true;
    }

    served_user &user_; // lives as long as its handlers run
    const server_options &options_;
    const base::peer_identity nobody_;
    std::atomic<size_t> stream_count_{0}; // [count]
    mutable std::mutex mine_; // guards what follows. Held while the server's is taken, and never the other way round
    uint64_t next_ = 0;
    bool is_gone_ = false;
    std::unordered_map<uint64_t, entry> calls_by_id_;
    std::unordered_map<std::string, uint64_t> streams_; // by their keys
    std::unordered_map<std::string, uint64_t> ids_;     // by message ids
};

} // namespace ipc::rpc::amqp::detail
#endif
