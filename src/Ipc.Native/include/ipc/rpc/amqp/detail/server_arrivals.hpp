// What comes to a server from the broker. On the connector's thread.
#ifndef IPC_RPC_AMQP_DETAIL_SERVER_ARRIVALS_HPP
#define IPC_RPC_AMQP_DETAIL_SERVER_ARRIVALS_HPP

#include <string>
#include <utility>
#include <vector>

#include "../../detail/guarded.hpp"
#include "server_core.hpp"

namespace ipc::rpc::amqp::detail
{

inline bool server_core::set_up(link &fresh)
{
    burials_.clear();
    held_.clear();
    published_dead_ = 0;
    auto calls = std::make_shared<served>(static_cast<served_user &>(*this), options_);
    calls->intercept_served(interceptors_);
    const std::string queue = to_.work_queue();
    if (!fresh.open_channel(work, false) || !fresh.open_channel(dead, true) || !fresh.open_channel(control, false) ||
        !fresh.open_channel(items, false) || !fresh.declare_queue(work, queue, options_.classic_queues) ||
        !fresh.declare_queue(work, to_.dead_queue(), options_.classic_queues) ||
        !fresh.declare_exchange(control, to_.cancel_exchange()) || !fresh.declare_own_queue(control, listens_) ||
        !fresh.bind(control, listens_, to_.cancel_exchange()) || !fresh.consume(control, listens_, control_tag, 0) ||
        !fresh.declare_own_queue(items, takes_items_) ||
        !fresh.consume(items, takes_items_, items_tag, items_on_the_way))
        return false;
    bool is_draining = false;
    {
        const std::lock_guard held(mutex_);
        is_draining = draining_;
    }
    if (!is_draining && !fresh.consume(work, queue, requests_tag, std::max<uint16_t>(1, options_.prefetch)))
        return false;
    const std::lock_guard held(mutex_);
    current_ = calls; // nothing has been handed on yet
    in_hand_ = 0;
    return true;
}

inline void server_core::opened(link &)
{
    const std::lock_guard held(mutex_);
    changed_.notify_all();
}

inline void server_core::lost(const outcome &why)
{
    limit_.learn_from(why.text);
    if (why.text.find("it said 541,") != std::string::npos)
        replies_.ended(AMQP_INTERNAL_ERROR);
    held_back_.clear();
    std::shared_ptr<served> calls;
    {
        const std::lock_guard held(mutex_);
        calls = std::exchange(current_, nullptr);
        in_hand_ = 0;
        why_not_ = why;
        changed_.notify_all();
    }
    if (calls != nullptr)
        calls->gone(); // their answers reach nobody, and somebody else gets the requests
}

inline link::duration server_core::look(link &on)
{
    std::shared_ptr<served> calls;
    {
        const std::lock_guard held(mutex_);
        calls = current_;
    }
    constexpr std::chrono::milliseconds between_looks{250};
    run_held();
    say_held_back(on);
    const auto now = std::chrono::steady_clock::now();
    if (calls != nullptr && calls->streams() != 0 && now - looked_at_ >= between_looks) {
        looked_at_ = now;
        calls->look(false);
    }
    if (!held_.empty())
        return std::chrono::milliseconds(10);
    return (calls != nullptr && calls->streams() != 0) || !held_back_.empty() ? between_looks
                                                                              : link::duration(options_.heartbeat);
}

inline void server_core::delivered(link &from, delivery &&what)
{
    if (what.consumer == requests_tag) {
        {
            const std::lock_guard held(mutex_);
            if (ending_)
                return; // somebody else gets it
            ++in_hand_;
        }
        return take(from, std::make_shared<request>(std::move(what)));
    }
    if (what.consumer == control_tag)
        return on_control(what);
    std::shared_ptr<served> calls;
    {
        const std::lock_guard held(mutex_);
        calls = current_;
    }
    if (calls != nullptr && what.type() == wire::type)
        calls->item(what);
    from.acknowledge(items, what.tag);
}

inline void server_core::on_control(const delivery &what)
{
    std::string id(what.message_id());
    if (what.type() != wire::type || id.empty() || id.size() > wire::longest_id)
        return;
    std::shared_ptr<served> calls;
    {
        const std::lock_guard held(mutex_);
        calls = current_;
    }
    if (calls == nullptr)
        return;
    if (what.exchange == to_.cancel_exchange()) {
        calls->cancelled(id);
        cancelled_.add(std::move(id));
    } else if (!calls->word(what) && !what.reply_to().empty() && !what.correlation_id().empty()) {
        message made; // whoever waits for a stream that has ended would wait for ever
        made.type = wire::type;
        made.correlation_id = what.correlation_id();
        wire::add_outcome(made.headers, {status::unavailable, "The stream is not there any more at its server. How far "
                                                              "it came there is not known."});
        answer(std::string(what.reply_to()), std::move(made)); // behind what has been said already
    }
}

inline void server_core::take(link &from, std::shared_ptr<request> call)
{
    if (!call->foreign.empty())
        return bury(from, *call, "foreign: " + call->foreign, {});
    if (call->deliveries > options_.max_deliveries)
        return bury_too_often(from, std::move(call));
    if (cancelled_.has(call->message_id))
        return acknowledge(from, *call); // nobody waits for an answer
    if (call->what.body().size() > options_.max_message_bytes)
        return refuse(from, *call,
                      {status::resource_exhausted, "The request for " + call->method + " has " +
                                                       std::to_string(call->what.body().size()) +
                                                       " bytes; options::max_message_bytes of its server allows " +
                                                       std::to_string(options_.max_message_bytes) + "."});
    if (call->terms && !call->terms->wrong.empty())
        return refuse(from, *call,
                      {status::invalid_argument,
                       "The stream " + call->method + " cannot be served: " + call->terms->wrong + "."});
    const uint32_t id = method_id(call->service, call->name);
    base::handler *const by = methods_.find(id);
    if (by == nullptr || by->service() != call->service || by->name() != call->name)
        return refuse(from, *call, methods_.unknown(id, "the server of \"" + to_.service + "\""));
    run(from, std::move(call), *by);
}

// It is acknowledged before its answer, which may end the connection. An answer that has to wait after that would be
// lost with the connection, and a letter that has to wait for the answer would be buried again by the next one: so
// whether somebody waits for it is found out before it is buried.
inline void server_core::bury_too_often(link &on, std::shared_ptr<const request> call)
{
    presence is = presence::gone;
    if (!call->is_one_way) {
        const auto waits = held_back_.find(call->reply_to);
        is = waits != held_back_.end() ? presence::unknown : replies_.look_for(call->reply_to, to_, options_);
    }
    if (is == presence::unknown) {
        const uint64_t tag = call->what.tag;
        held_back_[call->reply_to].push_back({nullptr, tag, std::move(call)});
        return;
    }
    const std::string why = "delivered " + std::to_string(call->deliveries) +
                            " times, server_options::max_deliveries is " + std::to_string(options_.max_deliveries) +
                            ": its servers or their connections went each time";
    outcome answer;
    if (is == presence::there)
        answer = {status::aborted, "The request was " + why + ". It is in the queue " + to_.dead_queue() + "."};
    bury(on, *call, "poison: " + why, std::move(answer));
}

// It gets no handler.
inline void server_core::refuse(link &from, const request &call, const outcome &why)
{
    if (call.is_one_way)
        return bury(from, call, std::string("failed: ") + name_of(why.code) + ": " + why.text, {});
    answer_now(from, call, why);
    acknowledge(from, call);
}

inline void server_core::run(link &from, std::shared_ptr<request> call, base::handler &by)
{
    std::shared_ptr<served> calls;
    {
        const std::lock_guard held(mutex_);
        calls = current_;
    }
    if (calls == nullptr)
        return;
    if (call->terms && calls->streams() >= options_.max_streams)
        return refuse(from, *call,
                      {status::resource_exhausted, "The server serves " + std::to_string(options_.max_streams) +
                                                       " streams, as many as server_options::max_streams "
                                                       "allows."});
    std::string key;
    frame_header header = header_of(frame_kind::request, calls->enter(call, key));
    header.method = by.id();
    if (call->is_one_way)
        header.flags |= flag_one_way;
    if (call->terms && call->terms->sends)
        header.flags |= flag_client_stream;
    if (call->terms)
        header.code = static_cast<uint16_t>(call->terms->items);
    if (const deadline until = call->until(); !until.is_never())
        header.deadline = std::max<uint64_t>(1, until.at());
    head before = call->head_of();
    if (base::encode_head(before.trace, before.trace_state, &before.entries).size() > base::max_head)
        before.trace_state.clear(); // with the marks it is too much
    const wire::made_frame made(header, before, call->what.body());
    const std::shared_ptr<base::job> job = by.accept(calls, made.get());
    if (call->terms) {
        base::callee::set_terms(job->context, call->terms->bytes, options_.stream_window, wire::window_bytes);
        const auto first = std::make_shared<message>();
        first->type = wire::type;
        first->correlation_id = call->correlation_id;
        first->reply_to = listens_;
        first->message_id = key;
        first->headers.push_back(detail::header::of(wire::item, int64_t{0}));
        if (call->terms->sends) {
            first->headers.push_back(detail::header::of(wire::to, takes_items_));
            first->headers.push_back(detail::header::of(wire::credit, static_cast<int64_t>(options_.stream_window)));
            first->headers.push_back(detail::header::of(wire::credit_bytes, wire::window_bytes));
        }
        send(from, call->reply_to, first);
        acknowledge(from, *call); // after the word on the same channel
    }
    held_.push_back(job);
    run_held();
}

// Prefetch and max_streams bound how many there are.
inline void server_core::run_held()
{
    while (!held_.empty() && pool_.run(held_.front()))
        held_.pop_front();
}

inline void server_core::say_held_back(link &on)
{
    for (auto each = held_back_.begin(); each != held_back_.end() && on.is_good();) {
        const presence is = replies_.look_for(each->first, to_, options_);
        if (is == presence::unknown)
            return; // nor is it of anybody else, for a while
        const auto known = held_back_.extract(each++);
        for (const held_back &next : known.mapped())
            if (next.too_often != nullptr)
                bury_too_often(on, next.too_often);
            else if (next.what == nullptr)
                acknowledge(on, next.tag);
            else if (is == presence::there)
                publish(on, known.key(), *next.what);
    }
}

// Puts a message into the dead-letter queue, and acknowledges it when it is there.
inline void server_core::bury(link &on, const request &call, std::string reason, outcome answer)
{
    std::string_view body = call.what.body();
    if (body.size() > limit_.most()) {            // it was lowered meanwhile: else it would come again for ever
        const size_t kind = reason.find(' ') + 1; // "foreign: ", "poison: ", "failed: "
        reason.insert(kind, "its " + std::to_string(body.size()) +
                                " bytes are more than the broker takes by now, and are "
                                "gone. ");
        body = {};
    }
    amqp_basic_properties_t properties = call.what.properties();
    properties._flags &= ~static_cast<amqp_flags_t>(AMQP_BASIC_EXPIRATION_FLAG | AMQP_BASIC_USER_ID_FLAG);
    properties._flags |= AMQP_BASIC_DELIVERY_MODE_FLAG | AMQP_BASIC_HEADERS_FLAG;
    properties.delivery_mode = 2;
    std::vector<amqp_field_value_t> none;
    const header why = header::of(wire::reason, text::cut(reason, on.room() / 8));
    const header of = header::of(wire::dead_from, to_.work_queue());
    const header method = header::of(wire::method, text::cut(call.method, on.room() / 8));
    std::vector<amqp_table_entry_t> entries;
    const amqp_table_t table = call.what.headers();
    if (request::size_of(table) + reason.size() + of.text.size() + 256 <= on.room())
        for (int i = 0; i < table.num_entries; ++i) {
            const std::string_view name = text_of(table.entries[i].key);
            if (name != "CC" && name != "BCC" && name != wire::reason &&
                name != wire::dead_from) // the broker acts on two
                entries.push_back(table.entries[i]);
        }
    else
        entries.push_back(encoded::entry_of(method, none));
    entries.push_back(encoded::entry_of(why, none));
    entries.push_back(encoded::entry_of(of, none));
    properties.headers = {static_cast<int>(entries.size()), entries.data()};
    on.publish(dead, {}, to_.dead_queue(), true, properties, body);
    burials_[++published_dead_] = {call.what.tag, std::make_shared<request>(call), std::move(reason),
                                   std::move(answer)};
}

inline void server_core::confirmed(link &from, uint16_t, uint64_t number, bool with_earlier, bool has_it)
{
    const auto first = with_earlier ? burials_.begin() : burials_.lower_bound(number);
    const auto last = burials_.upper_bound(number);
    if (!has_it) {
        from.fail({status::unavailable, "the broker did not take a dead letter"}); // the request comes again
        return;
    }
    for (auto each = first; each != last; ++each) {
        const buried &letter = each->second;
        dead_letters_.fetch_add(1, std::memory_order_relaxed); // [count]
        if (options_.dead_lettered)
            (void)base::guarded([&] {
                options_.dead_lettered({letter.call->message_id, letter.call->method, letter.reason});
            });
        acknowledge(from, letter.tag); // before the answer: bury_too_often
        if (!letter.answer)
            answer_now(from, *letter.call, letter.answer);
    }
    burials_.erase(first, last);
}

} // namespace ipc::rpc::amqp::detail
#endif
