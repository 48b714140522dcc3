// One end of a connection as the side that is called: what is sent to answer the calls that have come in
// (callee_calls.hpp).
//
// Both ends are callees: the server for its clients' requests, a client with services for its server's callbacks. What
// differs, how a frame gets onto the wire, is virtual.
#ifndef IPC_RPC_DETAIL_CALLEE_HPP
#define IPC_RPC_DETAIL_CALLEE_HPP

#include <algorithm>
#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "../call_context.hpp"
#include "../status.hpp"
#include "callee_calls.hpp"
#include "error_body.hpp"
#include "flow.hpp"
#include "frame.hpp"
#include "payload.hpp"

namespace ipc::rpc::detail
{

class callee : public callee_calls
{
  public:
    // FLAGS are on every frame that is sent: flag_callback, or none.
    // WINDOW: items that a caller may be ahead of the reader of its stream.
    explicit callee(uint8_t flags, uint32_t window = first_input_credit) noexcept
        : callee_calls(flags), window_(std::max(window, first_input_credit))
    {
    }

    // ---- answers
    // -----------------------------------------------------------------------------------------------------------

    // VALUE may be null: an empty message. Returns its size. RESULT becomes what is told instead, if it is not sent.
    uint64_t send_response(call_context &context, const message *value, outcome &result)
    {
        std::string head;
        if (!answer_head(context, head, result))
            return 0;
        const payload body = value != nullptr ? payload(*value, head) : payload(std::string_view(), head);
        if (body.size() > limit())
            send_error(context, result = {status::resource_exhausted, says_too_large("response", body.size())});
        else
            submit(header_for(frame_kind::response, context.call_, body), body);
        return body.size();
    }

    void send_end(call_context &context, outcome &result)
    {
        std::string head;
        if (!answer_head(context, head, result))
            return;
        const payload body(std::string_view(), head);
        submit(header_for(frame_kind::end, context.call_, body), body);
    }

    void send_error(call_context &context, const outcome &why)
    {
        std::string head;
        if (context.answer_ != nullptr)
            head = encode_head({}, {}, context.answer_.get());
        if (head.size() > max_head + 4 || head.size() > limit() / 2)
            head.clear();
        const std::string words = error_body::encode(why, limit() - head.size());
        const payload body(words, head);
        frame_header header = header_for(frame_kind::error, context.call_, body);
        header.code = static_cast<uint16_t>(why.code);
        submit(header, body);
    }

    // Why the call was cancelled, for its error frame. A cancel that was read decides, also when the deadline has passed
    // since: so the answer does not depend on when the handler looks (docs/rpc-protocol.md section 2).
    static outcome why_cancelled(const call_context &context, const std::string &method)
    {
        if (context.cancelled_.load(std::memory_order_acquire)) // [cancelled]
            return {status::cancelled, "A call to " + method + " was cancelled."};
        return {status::deadline_exceeded, "The deadline of a call to " + method + " passed."};
    }

    // The answer was given already, or none is wanted.
    static bool is_answered(const call_context &context) noexcept
    {
        return context.one_way_ || context.answered_.load(std::memory_order_acquire); // [answer]
    }

    // ---- streams and progress
    // ----------------------------------------------------------------------------------------------

    // There is room for items: those that wait for it look again.
    void room_came() noexcept
    {
        const std::lock_guard held(mutex_);
        for (call_context *context : registered_)
            if (context->wants_room_)
                context->wake_.notify_all();
    }

    // Waits for credit, and for room. SENT is false when the item is not wanted any more. Fails when it is too large.
    outcome send_item(call_context &context, const message &value, bool &sent)
    {
        sent = false;
        const payload body(value);
        if (body.size() > limit())
            return {status::resource_exhausted, says_too_large("item", body.size())};
        frame_header header = header_for(frame_kind::item, context.call_, body);
        for (uint64_t pause = 0;; pause = longer_than(pause)) {
            if (!await_turn(context))
                return {};
            header.code = context.credit_.waited ? code_waited : 0;
            const item_fate fate = transmit_item(header, body);
            if (fate != item_fate::no_room) {
                sent = fate == item_fate::sent;
                const std::lock_guard held(mutex_);
                context.credit_.take(body.size());
                context.credit_.waited = false;
                return {};
            }
            std::unique_lock held(mutex_);
            if (pause != 0 && !context.cancelled_.load(std::memory_order_relaxed) &&
                takes_items()) // the ring is full of other things
                sleep_until(held, context.wake_, deadline(std::min(context.until_.at(), ipc_deadline_after(pause))));
        }
    }

    // Waits for the caller's next item. False when its stream, or the call, has ended.
    bool take_item(call_context &context, std::string &body)
    {
        frame_header credit = header_for(frame_kind::credit, context.call_, payload());
        if (!std::exchange(context.takes_items_, true) && window_ != first_input_credit) {
            std::unique_lock held(mutex_); // what the window has beyond what a caller may send unasked
            context.window_.widen(window_);
            give(held, context, credit);
        }
        std::unique_lock held(mutex_);
        std::deque<std::string> &arrived = *context.arrived_; // a call without the flag for it does not get here
        context.hungry_ = true;
        while (arrived.empty() && !context.input_ended_ && !context.cancelled_.load(std::memory_order_relaxed))
            if (!sleep_until(held, context.wake_, context.until_))
                break;
        context.hungry_ = false;
        if (arrived.empty() || context.cancelled())
            return false;
        body = std::move(arrived.front());
        arrived.pop_front();
        context.window_.consume_item(body.size());
        if (context.window_.is_due())
            give(held, context, credit);
        return true;
    }

    // When there is no room the newest waits for the next occasion, or the answer makes it needless. Any threads of the
    // handler's; whose report is the newer one when two are made at once nobody can tell.
    void send_progress(call_context &context, const message &value)
    {
        const payload body(value);
        if (body.size() > limit() || is_answered(context) || context.cancelled())
            return;
        if (transmit_now(header_for(frame_kind::progress, context.call_, body), body)) {
            if (context.has_progress_.load(std::memory_order_relaxed))
                take_progress(context);
            return;
        }
        std::string newest = value.SerializeAsString();
        const std::lock_guard held(mutex_);
        context.progress_ = std::move(newest);
        context.has_progress_.store(true, std::memory_order_relaxed);
    }

    bool wait(call_context &context, deadline wake_up) override
    {
        if (context.has_progress_.load(std::memory_order_relaxed)) {
            std::string newest = take_progress(context);
            const payload body{std::string_view(newest)};
            if (!transmit_now(header_for(frame_kind::progress, context.call_, body), body)) {
                const std::lock_guard again(mutex_);
                if (!context.has_progress_.exchange(true, std::memory_order_relaxed))
                    context.progress_ = std::move(newest);
            }
        }
        std::unique_lock held(mutex_);
        const deadline first(std::min(wake_up.at(), context.until_.at()));
        while (!context.cancelled_.load(std::memory_order_relaxed) && sleep_until(held, context.wake_, first)) {
        }
        held.unlock();
        return context.cancelled();
    }

    std::shared_ptr<canceller> nested(call_context &context) override
    {
        const std::lock_guard held(mutex_);
        if (context.nested_ == nullptr)
            context.nested_ = std::make_shared<canceller>();
        if (context.cancelled_.load(std::memory_order_relaxed))
            context.nested_->trigger();
        return context.nested_;
    }

    // ---- a request's head, before its handler runs
    // ------------------------------------------------------------------------------

    // Whether the calling thread is in the handler of a call that came from there.
    bool is_served_here() const noexcept
    {
        const call_context *const serving = call_context::current();
        return serving != nullptr && &serving->home_ == this;
    }

    static void set_in_place(call_context &context) noexcept
    {
        context.in_place_ = true;
    }

    // For a way that counts items as messages: what CONTEXT's call may send, and its caller, before more credit comes.
    static void set_terms(call_context &context, int64_t bytes, uint32_t window, int64_t window_bytes) noexcept
    {
        context.credit_.bytes = bytes;
        context.credit_.by = measure::messages;
        context.window_.begin(window, window, window_bytes, measure::messages);
    }

    static bool is_in_place(const call_context &context) noexcept
    {
        return context.in_place_;
    }

    // Takes the head, if there is one, off the front of REQUEST. False when it is damaged.
    static bool take_head(call_context &context, frame &request)
    {
        if (!request.has(flag_head))
            return true;
        context.request_ = std::make_unique<head>();
        return decode_head(request.body, request.size, *context.request_);
    }

  private:
    std::string take_progress(call_context &context)
    {
        const std::lock_guard held(mutex_);
        context.has_progress_.store(false, std::memory_order_relaxed);
        return std::exchange(context.progress_, {});
    }

    // Waits until an item may be sent. False: it is not wanted any more.
    bool await_turn(call_context &context)
    {
        std::unique_lock held(mutex_);
        while (!context.cancelled_.load(std::memory_order_relaxed)) {
            const bool credit = context.credit_.any();
            context.wants_room_ = credit && !takes_items();
            if (credit && !context.wants_room_)
                break;
            context.credit_.waited = context.credit_.waited || !credit;
            if (!sleep_until(held, context.wake_, context.until_))
                break;
        }
        context.wants_room_ = false;
        return !context.cancelled() && context.credit_.any();
    }

    void give(std::unique_lock<std::mutex> &held, call_context &context, frame_header credit)
    {
        if (context.input_ended_)
            return;
        context.window_.take_due(credit); // before it is sent: the items may come at once
        held.unlock();
        post(credit, {}); // who has read an item does not wait for room
    }

    // False when the metadata may not travel: the caller has been told.
    bool answer_head(call_context &context, std::string &head, outcome &result)
    {
        if (context.answer_ == nullptr)
            return true;
        head = encode_head({}, {}, context.answer_.get());
        if (head.size() <= max_head + 4)
            return true;
        const size_t size = head.size() - 4;
        context.answer_->clear();
        send_error(context, result = {status::internal, "the answer's metadata has " + std::to_string(size) +
                                                   " bytes, a head takes " + std::to_string(max_head)});
        return false;
    }

    const uint32_t window_;
};

} // namespace ipc::rpc::detail
#endif
