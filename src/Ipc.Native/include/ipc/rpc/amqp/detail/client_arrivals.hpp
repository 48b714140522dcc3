// What comes to a client from the broker. On the connector's thread.
#ifndef IPC_RPC_AMQP_DETAIL_CLIENT_ARRIVALS_HPP
#define IPC_RPC_AMQP_DETAIL_CLIENT_ARRIVALS_HPP

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "client_core.hpp"

namespace ipc::rpc::amqp::detail
{

inline void client_core::delivered(link &, delivery &&what)
{
    heard_ = clock::now();
    uint64_t id = 0;
    if (!wire::to_number(what.correlation_id(), id))
        return;
    auto held = lock();
    base::pending *const entry = calls_.find(id);
    const auto found = under_way_.find(id);
    if (entry == nullptr || entry->ended || found == under_way_.end())
        return; // it came too late
    if (found->second.is_stream())
        of_stream(*entry, id, found->second, what);
    else if (what.has(wire::status))
        answered(*entry, id, found->second, what);
    else
        calls_.abort(*entry, {status::data_loss, "What came as the answer has no " + std::string(wire::status) + "."});
    pay(held);
}

// The last message of a call: what it says becomes the frame that would have said it.
inline void client_core::answered(base::pending &entry, uint64_t id, under_way &call, const delivery &what)
{
    const bool has_response = !call.answered_by_stream;
    outcome how = wire::outcome_of(what);
    if (how && has_response && what.body().size() > options_.max_message_bytes)
        how = too_long_to_take("The answer", what.body().size());
    head before;
    before.entries = wire::metadata_of(what);
    frame_header header = header_of(!how           ? frame_kind::error
                                    : has_response ? frame_kind::response
                                                   : frame_kind::end,
                                    id);
    header.code = static_cast<uint16_t>(how.code);
    const std::string words = how ? std::string() : wire::error_words(how);
    const wire::made_frame made(header, before, !how ? words : has_response ? what.body() : std::string_view());
    under_way_.erase(id); // its server has ended
    if (const char *const wrong = calls_.dispatch(made.get()))
        calls_.end(entry, {status::data_loss, wrong});
}

inline void client_core::of_stream(base::pending &entry, uint64_t id, under_way &call, const delivery &what)
{
    if (what.has(wire::status))
        return last_of_stream(entry, id, call, what);
    const std::optional<int64_t> number = what.number(wire::item);
    outcome wrong;
    if (!number) {
        frame_header credit = header_of(frame_kind::credit, id);
        const int64_t items = what.number(wire::credit).value_or(-1);
        const int64_t bytes = what.has(wire::credit_bytes) ? what.number(wire::credit_bytes).value_or(-1) : 0;
        credit.method = static_cast<uint32_t>(items);
        credit.deadline = static_cast<uint64_t>(bytes);
        if (!call.begun && items >= 0)
            return; // there is nothing that it could be for
        if (items < 0 || items > wire::max_credit || bytes < 0)
            wrong = {status::data_loss, "A message of the stream has neither an item, credit nor an end"};
        else if (const char *const bad = calls_.dispatch({credit, nullptr, 0}))
            wrong = {status::data_loss, bad};
    } else if (*number == 0) {
        wrong = call.begin(what, entry.credit);
        call.request = nullptr;
        entry.credited.notify_all();
        if (wrong && call.finished)
            say_end(id, call);
    } else if (!call.begun || !call.answered_by_stream) {
        wrong = {status::data_loss, "Item " + std::to_string(*number) + " came where there is no stream"};
    } else if (*number != call.received + 1) {
        wrong = {status::data_loss,
                 "Item " + std::to_string(*number) + " came where " + std::to_string(call.received + 1) + " had to"};
    } else if (what.body().size() > options_.max_message_bytes) {
        wrong = too_long_to_take("An item", what.body().size());
    } else {
        ++call.received;
        const wire::made_frame made(header_of(frame_kind::item, id), {}, what.body());
        if (const char *const bad = calls_.dispatch(made.get()))
            wrong = {status::data_loss, bad};
    }
    if (!wrong && !entry.ended)
        calls_.abort(entry, wrong);
}

inline void client_core::last_of_stream(base::pending &entry, uint64_t id, under_way &call, const delivery &what)
{
    const std::optional<int64_t> count = what.number(wire::count);
    outcome wrong;
    if (what.number(wire::status) == 0) {
        if (!call.begun)
            wrong = {status::data_loss, "An answer came, and no stream: its server is older than streams"};
        else if (call.answered_by_stream && count != call.received)
            wrong = {status::data_loss, "The stream has ended after " +
                                            (count ? std::to_string(*count) : std::string("an unknown number of")) +
                                            " items, of which " + std::to_string(call.received) + " came"};
    }
    if (wrong)
        return answered(entry, id, call, what);
    under_way_.erase(id);
    calls_.end(entry, wrong);
}

inline void client_core::returned(link &, const delivery &what)
{
    const bool is_request = what.routing_key == to_.work_queue();
    if (is_request)
        heard_ = {};
    uint64_t id = 0;
    if (!wire::to_number(what.correlation_id(), id)) { // a one-way call
        const auto held = lock();
        if (const auto found = unconfirmed_.find(std::string(what.message_id())); found != unconfirmed_.end())
            found->second->settle(no_queue());
        return;
    }
    if (is_request) {
        if (!options_.wait_for_ready)
            return end_call(id, no_queue());
        const auto held = lock();
        if (const auto found = under_way_.find(id); found != under_way_.end())
            found->second.number = 0;
        waiting_.push_back(id);
        return;
    }
    auto held = lock();
    base::pending *const entry = calls_.find(id);
    const auto found = under_way_.find(id);
    if (entry == nullptr || entry->ended || found == under_way_.end() ||
        (what.routing_key != found->second.control && what.routing_key != found->second.to))
        return; // of a server that is not its own any more
    under_way_.erase(found);
    calls_.end(*entry, {status::unavailable, "The stream's server, or its connection to " + to_.broker() +
                                                 ", has gone. How far the stream came at its handler is not known."});
}

inline void client_core::confirmed(link &, uint16_t channel, uint64_t number, bool with_earlier, bool has_it)
{
    const outcome refused{status::unavailable,
                          "The broker did not take a message of the call (it sent a negative confirm): its queue may "
                          "have no leader now, or be full. Whether the call is handled is not known."};
    if (channel == one_way) {
        const auto first = with_earlier ? notes_.begin() : notes_.lower_bound(number);
        const auto last = notes_.upper_bound(number);
        const auto held = lock();
        for (auto each = first; each != last; ++each)
            each->second->settle(has_it ? outcome() : refused);
        notes_.erase(first, last);
        return;
    }
    const auto first = with_earlier ? expected_.begin() : expected_.lower_bound(number);
    const auto last = expected_.upper_bound(number);
    std::vector<uint64_t> calls;
    if (!has_it)
        for (auto each = first; each != last; ++each)
            calls.push_back(each->second);
    expected_.erase(first, last);
    for (const uint64_t call : calls)
        end_call(call, refused, true);
}

// TELL: its server may have it.
inline void client_core::end_call(uint64_t id, const outcome &why, bool tell)
{
    auto held = lock();
    base::pending *const entry = calls_.find(id);
    if (entry == nullptr || entry->ended)
        return;
    if (tell) {
        calls_.abort(*entry, why);
        pay(held);
    } else {
        under_way_.erase(id);
        calls_.end(*entry, why);
    }
}

inline bool client_core::is_anybody_waiting()
{
    const auto held = lock();
    return std::any_of(under_way_.begin(), under_way_.end(), [](const auto &each) { return !each.second.begun; });
}

inline outcome client_core::no_queue() const
{
    return unsent({status::unavailable, "There is no queue " + to_.work_queue() + " at " + to_.broker() +
                                            ": no server of the service has run there yet. Start one, or let calls "
                                            "wait for one (client_options::wait_for_ready)."});
}

inline outcome client_core::nobody() const
{
    return unsent({status::unavailable, "Nobody consumes the queue " + to_.work_queue() + " at " + to_.broker() +
                                            ". Start a server of the service, or let calls wait for one "
                                            "(client_options::wait_for_ready)."});
}

// Signs of life of streams; requests that wait for a server; and the end of calls whose servers have all gone: two
// looks, a second apart, without an answer in between.
inline link::duration client_core::look(link &on)
{
    const clock::time_point now = clock::now();
    link::duration next = options_.heartbeat;
    {
        const auto held = lock();
        if (now >= life_at_) {
            life_at_ = now + options_.stream_lease / 3;
            for (const auto &[id, call] : under_way_)
                if (call.begun) {
                    message word = call.word(id);
                    word.reply_to = wire::direct_reply;
                    say(id, call.control, std::move(word));
                }
        }
        if (!under_way_.empty())
            next = std::min<link::duration>({next, silence, std::chrono::ceil<link::duration>(life_at_ - now)});
    }
    if (!waiting_.empty()) {
        next = std::min<link::duration>(next, between_questions);
        if (now - asked_ > between_questions)
            for (const uint64_t call : std::exchange(waiting_, {}))
                request(on, call);
    }
    if (now - watched_ < silence)
        return next;
    watched_ = now;
    if (options_.wait_for_ready || now - heard_ < silence || !is_anybody_waiting()) {
        looks_ = 0;
        return next;
    }
    int64_t servers = 0;
    if (!on.count_consumers(questions, to_.work_queue(), servers))
        return next;
    looks_ = servers > 0 ? 0 : looks_ + 1;
    const uint64_t before = std::exchange(looked_at_, published_);
    std::vector<uint64_t> gone;
    if (looks_ >= 2) {
        const auto held = lock();
        for (const auto &[id, call] : under_way_)
            if (!call.begun && call.number != 0 && call.number <= before) // a later one may have seen a server
                gone.push_back(id);
    }
    for (const uint64_t call : gone)
        end_call(call,
                 {status::unavailable, "All servers have gone while the call was under way. Whether it was handled "
                                       "is not known; it waits in the queue, and may be handled yet."});
    return next;
}

} // namespace ipc::rpc::amqp::detail
#endif
