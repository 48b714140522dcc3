// A server at a broker: takes requests from the work queue, has its handlers run on threads of a pool, and acknowledges
// what was answered. What nobody can handle goes to the dead-letter queue, and is acknowledged when the broker has it
// there.
//
// Everything of the broker happens on the connector's thread, which never waits for a handler. Channels: requests and
// answers; dead letters, with confirms; an own queue for cancellations and for what clients say of their streams;
// another one for the items that they send, of which only so many are given before earlier ones were put away.
#ifndef IPC_RPC_AMQP_DETAIL_SERVER_CORE_HPP
#define IPC_RPC_AMQP_DETAIL_SERVER_CORE_HPP

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "../../detail/interception.hpp"
#include "../../detail/method_table.hpp"
#include "../../detail/task_pool.hpp"
#include "../options.hpp"
#include "connector.hpp"
#include "limit_of_broker.hpp"
#include "replies.hpp"
#include "request.hpp"
#include "served.hpp"
#include "wire.hpp"

namespace ipc::rpc::amqp::detail
{

// So many that a request which still waits in the queue finds its own.
class recent_ids
{
  public:
    void add(std::string id)
    {
        constexpr size_t most = 10'000;
        if (!ids_.insert(id).second)
            return;
        order_.push_back(std::move(id));
        if (order_.size() > most) {
            ids_.erase(order_.front());
            order_.pop_front();
        }
    }

    bool has(const std::string &id) const
    {
        return ids_.count(id) != 0;
    }

  private:
    std::unordered_set<std::string> ids_;
    std::deque<std::string> order_;
};

class server_core final : private connector_user, private served_user
{
  public:
    server_core(address to, server_options with, base::method_table &methods)
        : options_(std::move(with)), to_(to), methods_(methods),
          pool_(static_cast<unsigned>(std::max<uint16_t>(1, options_.prefetch)) + options_.max_streams),
          connector_(std::move(to), options_, "server", *this)
    {
        if (!options_.interceptors.empty())
            interceptors_ = std::make_shared<const base::interception>(options_.interceptors);
    }

    ~server_core()
    {
        stop();
    }

    // Ok when it consumes the queue.
    outcome start()
    {
        std::unique_lock held(mutex_);
        if (std::exchange(started_, true))
            return {status::failed_precondition, "the server was started before"};
        if (!connector_.start())
            return {status::resource_exhausted, "the system has no thread for the connection to a broker"};
        changed_.wait(held, [this] { return current_ != nullptr || !why_not_ || stopped_; });
        if (current_ != nullptr || (options_.wait_for_broker && why_not_.code == status::unavailable))
            return {};
        const outcome why = why_not_ ? outcome(status::unavailable, "The server was stopped.") : why_not_;
        held.unlock();
        stop();
        return why;
    }

    bool is_started() const noexcept
    {
        const std::lock_guard held(mutex_);
        return started_;
    }

    // Takes no more requests, waits until those in hand have been answered and the streams have ended, or UNTIL; then
    // stops.
    void stop(deadline until) noexcept
    {
        std::unique_lock held(mutex_);
        if (!started_ || stopped_)
            return;
        draining_ = true;
        const std::shared_ptr<served> calls = current_;
        if (calls != nullptr) {
            ++in_hand_; // until what is on the way is here
            connector_.post([this](link &on) {
                bool unused = false;
                on.stop_consuming(work, requests_tag);
                on.read(*this, unused);
                release();
            });
        }
        wait_for_end(held, calls, until, true);
        held.unlock();
        stop();
    }

    // Ends the streams, cancels what runs, waits for the handlers to return: the broker gives what was not answered to
    // somebody else.
    void stop() noexcept
    {
        std::unique_lock held(mutex_);
        if (!started_)
            return;
        if (std::exchange(stopped_, true)) {
            changed_.wait(held, [this] { return over_; });
            return;
        }
        draining_ = ending_ = true;
        if (const std::shared_ptr<served> calls = current_; calls != nullptr) {
            held.unlock();
            calls->look(true);
            held.lock();
            wait_for_end(held, calls, deadline(ipc_deadline_after(1'000'000'000)), false);
        }
        held.unlock();
        connector_.stop();
        held.lock();
        const std::shared_ptr<served> calls = std::exchange(current_, nullptr);
        held.unlock();
        if (calls != nullptr)
            calls->gone();
        pool_.stop();
        held.lock();
        over_ = true;
        changed_.notify_all();
    }

    uint64_t dead_letters() const noexcept
    {
        return dead_letters_.load(std::memory_order_relaxed);
    }

  private:
    static constexpr uint16_t work = 1, dead = 2, control = 3, items = 4; // channels
    static constexpr std::string_view requests_tag = "requests", control_tag = "control", items_tag = "items";
    static constexpr uint16_t items_on_the_way = 64;

    // Until CALLS has no streams and, IN_HAND, no requests either.
    void wait_for_end(std::unique_lock<std::mutex> &held, const std::shared_ptr<served> &calls, deadline until,
                      bool in_hand)
    {
        constexpr uint64_t look = 10'000'000; // ns
        while (calls != nullptr && current_ == calls && !until.has_passed() &&
               ((in_hand && in_hand_ != 0) || calls->streams() != 0))
            base::sleep_until(held, changed_, deadline(std::min(until.at(), ipc_deadline_after(look))));
    }

    // ---- served_user
    // ----------------------------------------------------------------------------------------------------------------

    void over(const served &from, const std::shared_ptr<const request> &call, const outcome &result) override
    {
        std::string reason;
        if (call->is_one_way && !result)
            reason = std::string("failed: ") + name_of(result.code) + ": " + text::cut(result.text, wire::longest_text);
        const bool is_cancelled = result.code == status::cancelled;
        const std::lock_guard held(mutex_);
        changed_.notify_all();
        if (call->terms || current_.get() != &from)
            return; // it was acknowledged when it began; or somebody else has it
        connector_.post([this, call, is_cancelled, reason = std::move(reason)](link &on) {
            if (reason.empty() || (is_cancelled && cancelled_.has(call->message_id)))
                acknowledge(on, *call);
            else
                bury(on, *call, reason, {});
        });
    }

    void answer(const std::string &reply_to, message &&what) override
    {
        const size_t size = what.body.size();
        auto made = std::make_shared<message>(std::move(what));
        const std::lock_guard held(mutex_);
        if (current_ != nullptr)
            connector_.post([this, reply_to, made](link &on) { send(on, reply_to, made); }, size);
    }

    bool is_full() const noexcept override
    {
        return connector_.is_full();
    }

    uint64_t most_to_send() const noexcept override
    {
        return limit_.most_to_send(options_);
    }

    std::string says_most() const override
    {
        return limit_.says(options_);
    }

    // ---- the connector's thread
    // --------------------------------------------------------------------------------------------------

    void send(link &on, const std::string &reply_to, const std::shared_ptr<message> &what)
    {
        if (const auto waits = held_back_.find(reply_to); waits != held_back_.end()) {
            waits->second.push_back({what, 0, nullptr}); // in its order
            return;
        }
        const presence is = replies_.look_for(reply_to, to_, options_);
        if (is == presence::there)
            publish(on, reply_to, *what);
        else if (is == presence::unknown)
            held_back_[reply_to].push_back({what, 0, nullptr});
        // else as if it had come too late
    }

    // What does not fit into a frame is left out: the broker would end the connection, and give the request to the next
    // server.
    void publish(link &on, const std::string &reply_to, message &what)
    {
        const auto shorten = [&](std::string_view without) {
            what.headers.erase(std::remove_if(what.headers.begin(), what.headers.end(),
                                              [&](const header &each) { return each.name == without; }),
                               what.headers.end());
        };
        if (what.size_of_headers() > on.room())
            shorten(wire::details);
        if (what.size_of_headers() > on.room())
            what.headers.erase(std::remove_if(what.headers.begin(), what.headers.end(),
                                              [](const header &each) {
                                                  return each.name.compare(0, wire::metadata.size(), wire::metadata) ==
                                                         0;
                                              }),
                               what.headers.end());
        for (header &each : what.headers)
            if (what.size_of_headers() > on.room())
                each.text = text::cut(each.text, on.room() / 8);
        on.publish(work, {}, reply_to, false, what);
    }

    void answer_now(link &on, const request &to, const outcome &why)
    {
        if (to.is_one_way)
            return;
        const auto made = std::make_shared<message>();
        made->type = wire::type;
        made->correlation_id = to.correlation_id;
        wire::add_outcome(made->headers, why);
        if (to.terms && to.terms->items > 0)
            made->headers.push_back(header::of(wire::count, int64_t{0}));
        send(on, to.reply_to, made);
    }

    // A request was dealt with. Not before its answer was sent: the next server gets it when the link ends.
    void acknowledge(link &on, const request &call)
    {
        if (const auto waits = held_back_.find(call.reply_to); waits != held_back_.end())
            waits->second.push_back({nullptr, call.what.tag, nullptr});
        else
            acknowledge(on, call.what.tag);
    }

    void acknowledge(link &on, uint64_t tag)
    {
        on.acknowledge(work, tag);
        release();
    }

    void release()
    {
        const std::lock_guard held(mutex_);
        --in_hand_;
        changed_.notify_all();
    }

    bool set_up(link &fresh) override;
    void opened(link &fresh) override;
    void lost(const outcome &why) override;
    link::duration look(link &on) override;
    void delivered(link &from, delivery &&what) override;
    void confirmed(link &from, uint16_t channel, uint64_t number, bool with_earlier, bool has_it) override;
    void take(link &from, std::shared_ptr<request> call);
    void refuse(link &from, const request &call, const outcome &why);
    void run(link &from, std::shared_ptr<request> call, base::handler &by);
    void bury(link &on, const request &call, std::string reason, outcome answer);
    void bury_too_often(link &on, std::shared_ptr<const request> call);
    void run_held();
    void say_held_back(link &on);
    void on_control(const delivery &what);

    // There is no dead-letter queue any more: the next connection declares it, and the request comes again.
    void returned(link &from, const delivery &what) override
    {
        if (what.routing_key == to_.dead_queue())
            from.fail({status::unavailable, "the queue " + to_.dead_queue() + " was deleted"});
    }

    const server_options options_;
    const address to_;
    base::method_table &methods_;
    std::shared_ptr<const base::interception> interceptors_;
    std::atomic<uint64_t> dead_letters_{0}; // [count]
    mutable std::mutex mutex_;              // guards what follows, to the pool
    std::condition_variable changed_;
    std::shared_ptr<served> current_; // the connection's calls; null while there is none
    outcome why_not_;
    size_t in_hand_ = 0; // requests that are not acknowledged
    bool started_ = false;
    bool draining_ = false; // takes no more requests
    bool ending_ = false;   // and does not begin those that it has
    bool stopped_ = false;
    bool over_ = false;
    base::task_pool pool_;
    limit_of_broker limit_;

    // Of the connector's thread.
    struct buried {
        uint64_t tag; // to be acknowledged when the broker has it
        std::shared_ptr<const request> call;
        std::string reason;
        outcome answer;
    };
    std::map<uint64_t, buried> burials_;
    uint64_t published_dead_ = 0;
    recent_ids cancelled_;
    replies replies_;
    struct held_back {
        std::shared_ptr<message> what; // null: a request is to be acknowledged, that with
        uint64_t tag;
        std::shared_ptr<const request> too_often; // not null: it is to be buried
    };
    std::unordered_map<std::string, std::vector<held_back>>
        held_back_;                                   // for whom it is not known whether they are there
    std::chrono::steady_clock::time_point looked_at_; // at the leases of streams
    std::deque<std::shared_ptr<base::job>> held_;     // for which there is no thread yet
    std::string listens_;                             // its own queue for words,
    std::string takes_items_;                         // and that for items

    connector connector_; // last: its thread ends first
};

} // namespace ipc::rpc::amqp::detail

#endif
