// How a client's requests get to the broker, and what becomes of them when its connection goes.
#ifndef IPC_RPC_AMQP_DETAIL_CLIENT_SENDING_HPP
#define IPC_RPC_AMQP_DETAIL_CLIENT_SENDING_HPP

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "client_core.hpp"

namespace ipc::rpc::amqp::detail
{

// ---- under the lock, on the threads of callers
// ----------------------------------------------------------------------------

// A request as a message, and what is to be known of its call.
inline outcome client_core::make(const frame_header &header, const base::asking &what, deadline until, message &made,
                                 under_way &call)
{
    if (what.body.size() > most_to_send() + base::max_head)
        return too_long("The request", what.body.size(), true);
    wire::content content;
    if (!content.take(header, what.body))
        return {status::internal, "the head of the request is damaged"};
    made.type = wire::type;
    made.message_id = call.message_id = wire::new_id();
    call.method = std::string(what.called->service) + "/" + std::string(what.called->name);
    call.answered_by_stream = what.window != 0;
    call.sends = (header.flags & flag_client_stream) != 0;
    call.until = until;
    made.headers.push_back(header::of(wire::method, call.method));
    if (call.answered_by_stream) {
        made.headers.push_back(header::of(wire::credit, static_cast<int64_t>(what.window)));
        made.headers.push_back(header::of(wire::credit_bytes, wire::window_bytes));
    }
    if (call.sends)
        made.headers.push_back(header::of(wire::sends, int64_t{1}));
    if (call.is_stream())
        made.headers.push_back(header::of(wire::lease, static_cast<int64_t>(options_.stream_lease.count())));
    if (std::string trace = wire::trace_of(content.before.trace); !trace.empty()) {
        made.headers.push_back(header::of(wire::trace_parent, std::move(trace)));
        if (!content.before.trace_state.empty())
            made.headers.push_back(header::of(wire::trace_state, content.before.trace_state));
    }
    if (!wire::add_metadata(made.headers, content.before.entries))
        return {status::invalid_argument,
                "The metadata cannot be sent: a call carries at most " + std::to_string(wire::longest_metadata) +
                    " bytes of it, and keys are 1 to " + std::to_string(wire::longest_key) + " of a-z 0-9 - _ ."};
    made.body = std::move(content).message();
    return made.body.size() > most_to_send() ? too_long("The request", made.body.size(), true) : outcome();
}

inline outcome client_core::notify_broker(lock_type &held, std::shared_ptr<message> made, deadline until,
                                          canceller *cancel)
{
    made->persistent = true;
    base::following again;
    again.times = 1;
    for (;;) {
        if (unconfirmed_.size() >= options_.max_pending)
            return {status::resource_exhausted, "all " + std::to_string(options_.max_pending) +
                                                    " one-way calls that may be pending at once are "
                                                    "(client_options::max_pending)"};
        made->expiration = wire::expiration_of(until);
        auto mine = std::make_shared<confirmation>();
        connector_.post([this, kept = std::weak_ptr<message>(made), mine](link &on) { note(on, kept, mine); });
        unconfirmed_[made->message_id] = mine;
        while (!mine->done) {
            if (cancel != nullptr && cancel->triggered())
                mine->settle({status::cancelled});
            else if (until.has_passed())
                mine->settle({status::deadline_exceeded, "The broker has not confirmed the message. Whether it has "
                                                         "it is not known."});
            else
                base::sleep_until(held, mine->changed, cancel != nullptr ? slice(until) : until);
        }
        if (const auto found = unconfirmed_.find(made->message_id);
            found != unconfirmed_.end() && found->second == mine)
            unconfirmed_.erase(found);
        outcome result = mine->result;
        if (result || !result.unsent || !follow(held, again, until, cancel, result))
            return result;
        result = prepare(held, until, cancel, nullptr);
        if (!result)
            return result;
    }
}

// ---- what the connector does. Without the lock
// ----------------------------------------------------------------------------

inline void client_core::request(link &on, uint64_t id)
{
    std::shared_ptr<message> made;
    {
        const auto held = lock();
        const base::pending *const entry = calls_.find(id);
        const auto found = under_way_.find(id);
        if (entry == nullptr || entry->ended || found == under_way_.end() || found->second.request == nullptr)
            return; // its caller has given up
        made = found->second.request;
        made->expiration = wire::expiration_of(found->second.until);
    }
    if (clock::now() - heard_ > silence) {
        int64_t servers = no_servers_;
        if (clock::now() - asked_ > between_questions) {
            if (!on.count_consumers(questions, to_.work_queue(), servers))
                return;
            asked_ = clock::now();
            no_servers_ = servers > 0 ? 0 : servers;
        }
        if (servers <= 0) {
            if (options_.wait_for_ready)
                waiting_.push_back(id);
            else
                end_call(id, servers < 0 ? no_queue() : nobody());
            return;
        }
        heard_ = clock::now();
        asked_ = {};
    }
    {
        const auto held = lock();
        const auto found = under_way_.find(id);
        if (found == under_way_.end())
            return;
        found->second.number = published_ + 1;
        if (!options_.wait_for_ready)
            found->second.request = nullptr;
    }
    expected_[++published_] = id;
    on.publish(requests, {}, to_.work_queue(), true, *made);
}

inline void client_core::note(link &on, const std::weak_ptr<message> &kept, const std::shared_ptr<confirmation> &mine)
{
    const std::shared_ptr<message> made = kept.lock();
    {
        const auto held = lock();
        if (mine->done || made == nullptr)
            return; // its caller has given up
        mine->is_sent = true;
    }
    notes_[++noted_] = mine;
    on.publish(one_way, {}, to_.work_queue(), true, *made);
}

inline bool client_core::set_up(link &fresh)
{
    published_ = noted_ = 0;
    expected_.clear();
    notes_.clear();
    heard_ = asked_ = {};
    looks_ = 0;
    waiting_.clear();
    return fresh.open_channel(requests, true) && fresh.open_channel(one_way, true) &&
           fresh.declare_exchange(requests, to_.cancel_exchange()) &&
           fresh.consume(requests, wire::direct_reply, "answers", 0);
}

inline void client_core::opened(link &)
{
    const auto held = lock();
    open_ = !closed_;
    if (open_)
        for (const auto &[id, call] : under_way_) // those that have waited
            connector_.post([this, call = id](link &on) { request(on, call); });
    changed_.notify_all();
}

inline void client_core::lost(const outcome &why)
{
    limit_.learn_from(why.text);
    const auto held = lock();
    const bool was_open = std::exchange(open_, false);
    why_not_ = why;
    const outcome not_sent = missing();
    const bool wait = options_.wait_for_ready && not_sent.code != status::unauthenticated;
    if (was_open) {
        ++epoch_;
        end_everything(
            wait ? nullptr : &not_sent,
            {status::unavailable, why.text + " Whether the calls that were under way were handled is not known."});
    } else if (!wait) {
        end_everything(&not_sent, not_sent);
    }
    changed_.notify_all();
}

// NOT_SENT: for those of which the broker has heard nothing; null: they wait for the next connection.
inline void client_core::end_everything(const outcome *not_sent, const outcome &sent)
{
    const auto is_sent = [&](uint64_t id) {
        const auto found = under_way_.find(id);
        return found == under_way_.end() || found->second.number != 0;
    };
    calls_.end_each(UINT64_MAX, [&](const base::pending &entry) { return is_sent(entry.id()) ? &sent : not_sent; });
    for (auto each = under_way_.begin(); each != under_way_.end();) {
        base::pending *const entry = calls_.find(each->first);
        if (entry != nullptr && !entry->ended)
            entry->epoch = epoch_;
        each = entry != nullptr && !entry->ended ? std::next(each) : under_way_.erase(each);
    }
    for (const auto &[id, each] : unconfirmed_)
        each->settle(each->is_sent ? sent : not_sent != nullptr ? *not_sent : missing()); // who waits makes it again
    unconfirmed_.clear();
}

} // namespace ipc::rpc::amqp::detail
#endif
