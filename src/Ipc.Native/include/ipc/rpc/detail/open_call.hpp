// A stream as whoever began it sees it, without the types of its messages.
#ifndef IPC_RPC_DETAIL_OPEN_CALL_HPP
#define IPC_RPC_DETAIL_OPEN_CALL_HPP

#include <memory>
#include <string>
#include <utility>

#include "../observer.hpp"
#include "call_limits.hpp"
#include "call_scope.hpp"
#include "caller_core.hpp"
#include "codec.hpp"
#include "place.hpp"

namespace ipc::rpc::detail
{

// A call that goes on after it was begun: its entry in the table, and what limits it. Ended, that is cancelled, when it
// is destroyed before its end.
class open_call
{
  public:
    open_call(std::shared_ptr<caller_core> to, pending &its_entry, const method_name &method,
              std::unique_ptr<call_limits> its_limits, observation seen)
        : core(std::move(to)), limits(std::move(its_limits)), entry(&its_entry), service_(method.service),
          name_(method.name), seen_(std::move(seen))
    {
    }

    open_call(open_call &&other) noexcept
        : core(std::move(other.core)), limits(std::move(other.limits)), entry(std::exchange(other.entry, nullptr)),
          over(std::move(other.over)), finished_(other.finished_), service_(std::move(other.service_)),
          name_(std::move(other.name_)), seen_(std::move(other.seen_))
    {
    }

    open_call &operator=(open_call &&) = delete;

    ~open_call()
    {
        cancel();
        seen_.end(over); // without the lock
    }

    void cancel() noexcept
    {
        if (core == nullptr)
            return; // moved from
        auto held = core->lock();
        if (!finished_)
            finish(held, {status::cancelled});
    }

    // Waits for the next body and hands it to TAKE (data, size), which returns false when it cannot decode it. When WAIT
    // has passed the call goes on.
    template <class Take> outcome receive(deadline wait, bool &got, const char *what, const message &type, Take &&take)
    {
        outcome result = unplaced_receive(wait, got, what, type, std::forward<Take>(take));
        if (!result)
            place(result, {service_, name_}, *core);
        return result;
    }

    // Sends an item. SENT is false when the call is over: receive() says why. Fails when the item is too large, or there is
    // no time for it.
    template <class Item> outcome write(const Item &item, bool &sent)
    {
        outcome result = unplaced_write(item, sent);
        if (!result)
            place(result, {service_, name_}, *core);
        return result;
    }

    void end_input()
    {
        const registration registered(limits->cancel, *core, entry);
        auto held = core->lock();
        if (finished_)
            return;
        const presence inside(*core, held);
        const user here(*this);
        core->send_input_end(held, *entry, limits->until, limits->cancel);
        if (users_ == 1)
            release(held);
    }

    std::shared_ptr<caller_core> core;
    std::unique_ptr<call_limits> limits;

  private:
    template <class Item> outcome unplaced_write(const Item &item, bool &sent)
    {
        sent = false;
        const payload body(item);
        const registration registered(limits->cancel, *core, entry);
        auto held = core->lock();
        if (finished_)
            return {};
        const presence inside(*core, held);
        const user here(*this);
        outcome result = core->send_item(held, *entry, body, limits->until, limits->cancel, sent);
        const bool over_already = entry->ended;
        if (users_ == 1)
            release(held);
        return over_already ? outcome() : result;
    }

    template <class Take>
    outcome unplaced_receive(deadline wait, bool &got, const char *what, const message &type, Take &&take)
    {
        got = false;
        const registration registered(limits->cancel, *core, entry);
        auto held = core->lock();
        if (finished_)
            return over;
        const presence inside(*core, held);
        const user here(*this);
        arrival body;
        bool waited = false;
        outcome result = core->receive(held, *entry, limits->until, limits->cancel, body, wait, waited);
        if (body) {
            const bool opened = body.open(entry->answered);
            const bool is_item = body.kind() == frame_kind::item;
            const uint64_t size = body.size();
            got = opened && take(body.data(), body.size());
            if (!opened)
                result = {status::internal, "the head of the answer is damaged"};
            else if (!got)
                result = {status::internal, not_a(type, what, body.size())};
            core->settle(held, *entry, body);
            if (is_item && got) {
                core->consumed(held, *entry, size);
                return {};
            }
        }
        if (!waited)
            finish(held, result);
        if (users_ == 1)
            release(held);
        return result;
    }

    // A thread that uses the entry, which is freed by the last one.
    struct user {
        explicit user(open_call &call) noexcept : of(call)
        {
            ++of.users_;
        }

        ~user()
        {
            --of.users_;
        }

        open_call &of;
    };

    void finish(caller_core::lock_type &held, const outcome &result) noexcept
    {
        over = result;
        finished_ = true;
        if (users_ == 0)
            release(held);
        else if (!entry->ended)
            core->abandon(held, *entry, result); // the other thread that uses it looks up
    }

    void release(caller_core::lock_type &held) noexcept
    {
        if (finished_ && entry != nullptr)
            core->end(held, *std::exchange(entry, nullptr));
    }

    pending *entry; // guarded by core's mutex, as what follows
    outcome over;
    bool finished_ = false;
    int users_ = 0;
    std::string service_; // what was called, for errors
    std::string name_;
    observation seen_;
};

} // namespace ipc::rpc::detail
#endif
