// A call that does not wait for its response: somebody asks for it later, or is told.
#ifndef IPC_RPC_DETAIL_ASYNC_CALL_HPP
#define IPC_RPC_DETAIL_ASYNC_CALL_HPP

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "../canceller.hpp"
#include "../observer.hpp"
#include "../status.hpp"
#include "call_limits.hpp"
#include "client_core.hpp"
#include "codec.hpp"
#include "guarded.hpp"
#include "pending.hpp"
#include "place.hpp"

namespace ipc::rpc::detail
{

// The state of one asynchronous call, shared by the table, whoever asks, and the client's thread. Guarded by the
// client's mutex until it is done; then it does not change any more.
class async_call final : public completion, public std::enable_shared_from_this<async_call>
{
  public:
    async_call(std::shared_ptr<client_core> core, const method_name &method, observation seen)
        : core_(std::move(core)), service_(method.service), name_(method.name), seen_(std::move(seen))
    {
    }

    // Begins, or ends at once when what was to be sent is not GOOD.
    void begin(const asking &what, const call_limits &limits, metadata *received, const outcome &good)
    {
        received_ = received;
        until_ = limits.until;
        asking mine = what;
        mine.done = shared_from_this();
        mine.announced = &id_;
        auto held = core_->lock();
        const outcome result = good ? core_->ask(held, mine, limits.until, limits.cancel) : good;
        if (!result) {
            result_ = result;
            finish();
            const bool here = core_->thread().is_over();
            held.unlock();
            if (here)
                tell();
        } else if (!done_) {
            counted_ = true;
            core_->thread().add(id_, until_);
        }
    }

    const observation &seen() const noexcept
    {
        return seen_;
    }

    // To be called, without any lock, when it is done. Before begin().
    void then(std::function<void()> tell)
    {
        then_ = std::move(tell);
    }

    // begin() has thrown: nobody will be told. Whoever is to be told and the call keep each other.
    void forget() noexcept
    {
        then_ = nullptr;
    }

    bool wait(deadline until)
    {
        auto held = core_->lock();
        while (!done_) {
            core_->flush(held);
            if (core_->thread().is_current()) { // a completion that waits: nobody else may be reading
                if (!core_->wait_for_frame(held, changed_, until) && !done_)
                    return false;
            } else if (!sleep_until(held, changed_, until) && !done_) {
                return false;
            }
        }
        return true;
    }

    bool is_done()
    {
        auto held = core_->lock();
        if (!done_)
            core_->flush(held); // somebody waits, though not here
        return done_;
    }

    void cancel(const outcome &why)
    {
        auto held = core_->lock();
        if (!done_)
            core_->abort(held, id_, why);
    }

    // Once it is done. A second time there is no response any more.
    template <class Response> outcome take(Response &response)
    {
        outcome result = parsed(response);
        place(result, {service_, name_}, *core_);
        return result;
    }

  private:
    template <class Response> outcome parsed(Response &response)
    {
        if (!result_)
            return result_;
        if (!body_)
            return {status::failed_precondition, "the response has been taken before"};
        arrival body;
        body.take(std::move(body_));
        body_ = arrival();
        if (!body.open(received_))
            return {status::internal, "the head of the answer is damaged"};
        if (!parse(response, body.data(), body.size()))
            return {status::internal, not_a(response, "response", body.size())};
        return {};
    }

    void complete(pending &ended) noexcept override
    {
        result_ = std::move(ended.end);
        if (!ended.arrived.empty())
            body_.take(std::move(ended.arrived.front()));
        if (counted_)
            core_->thread().remove(id_, until_);
        finish();
    }

    void finish() noexcept
    {
        done_ = true;
        changed_.notify_all();
        if ((seen_ || then_) && !core_->thread().is_over()) // else the client is closed: begin() tells
            core_->thread().run([self = shared_from_this()] { self->tell(); });
    }

    // Without the lock.
    void tell()
    {
        seen_.end(result_);
        if (const std::function<void()> then = std::exchange(then_, nullptr))
            if (const outcome thrown = guarded([&] { then(); }); !thrown)
                core_->report_thrown({service_, name_}, thrown);
    }

    const std::shared_ptr<client_core> core_;
    std::condition_variable changed_;
    uint64_t id_ = 0;
    deadline until_;
    bool counted_ = false; // the client's thread knows of it
    bool done_ = false;
    outcome result_;
    arrival body_;
    metadata *received_ = nullptr;
    std::function<void()> then_;
    const std::string service_; // what was called, for errors
    const std::string name_;
    observation seen_; // the client's thread's, once it is done
};

// What ends an asynchronous call from outside. Made and destroyed without any lock: a canceller's comes before the
// client's. What is triggered before the call has begun, begin() sees.
class async_link final : private cancellable
{
  public:
    async_link(const call_options &options, std::shared_ptr<async_call> ending)
        : limits(options), call(std::move(ending)), registered_(limits.cancel, *this)
    {
    }

    async_link(const async_link &) = delete;
    async_link &operator=(const async_link &) = delete;

    const call_limits limits;
    const std::shared_ptr<async_call> call;

  private:
    void wake() noexcept override
    {
        call->cancel({status::cancelled});
    }

    const registered registered_;
};

} // namespace ipc::rpc::detail
#endif
