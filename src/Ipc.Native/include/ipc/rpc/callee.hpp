// One end of a connection as the side that is called: the calls that have come in, and what is sent to answer them.
//
// Both ends are callees: the server for its clients' requests, a client with services for its server's callbacks. What
// differs, how a frame gets onto the wire, is virtual.
//
// Only calls that may outlast their reading are registered here (streams, what waits or was handed to another thread):
// the others end before the next frame is read, so nothing that comes later could concern them.
//
// The mutex is never held while anything is sent or another lock of the library but a canceller's is taken; so a
// cancellation may reach from here into the calls that a handler has made, wherever they are.
#ifndef IPC_RPC_CALLEE_HPP
#define IPC_RPC_CALLEE_HPP

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "call_context.hpp"
#include "callee_link.hpp"
#include "error_body.hpp"
#include "frame.hpp"
#include "payload.hpp"
#include "status.hpp"

namespace ipc::rpc::detail
{

class callee : public callee_link
{
  public:
    // FLAGS are on every frame that is sent: flag_callback, or none.
    explicit callee(uint8_t flags) noexcept : callee_link(flags)
    {
    }

    // ---- the calls
    // ---------------------------------------------------------------------------------------------------------

    void add(call_context &context)
    {
        const std::lock_guard held(mutex_);
        registered_.push_back(&context);
        count_.store(registered_.size(), std::memory_order_relaxed);
        if (ended_.load(std::memory_order_relaxed))
            fire(context);
    }

    void remove(call_context &context) noexcept
    {
        const std::lock_guard held(mutex_);
        registered_.erase(std::remove(registered_.begin(), registered_.end(), &context), registered_.end());
        count_.store(registered_.size(), std::memory_order_relaxed);
    }

    size_t calls() const noexcept
    {
        return count_.load(std::memory_order_relaxed);
    }

    // Every call is cancelled, and so is what begins from now on. Repeating it is harmless.
    void end_calls() noexcept
    {
        const std::lock_guard held(mutex_);
        ended_.store(true);
        for (call_context *context : registered_)
            fire(*context);
    }

    bool ended() const noexcept
    {
        return ended_.load(std::memory_order_relaxed);
    }

    // ---- what arrives for them. Returns what is wrong with the frame, or null
    // -----------------------------------------------------

    const char *arrived(const frame &got)
    {
        switch (got.kind()) {
        case frame_kind::credit:
            return credit(got.header.call, got.header.method);
        case frame_kind::item:
            if (!item(got))
                post_error(got.header.call, {status::resource_exhausted, "an item came without credit for it"});
            return nullptr;
        case frame_kind::end: {
            const std::lock_guard held(mutex_);
            if (call_context *const context = find(got.header.call)) {
                context->input_ended_ = true;
                context->wake_.notify_all();
            }
            return nullptr;
        }
        case frame_kind::cancel: {
            const std::lock_guard held(mutex_);
            if (call_context *const context = find(got.header.call))
                fire(*context);
            return nullptr;
        }
        default:
            return nullptr;
        }
    }

    // True: REQUEST has the id of a pending call. Both have ended then.
    bool clashes(const frame_header &request)
    {
        if (calls() == 0)
            return false;
        {
            const std::lock_guard held(mutex_);
            call_context *const context = find(request.call);
            if (context == nullptr)
                return false;
            if (!take_answer(*context))
                return false; // its caller has the answer, or will: the id is free
            fire(*context);
        }
        post_error(request.call, {status::invalid_argument, "the id " + std::to_string(request.call) +
                                                                " is that of a call that is still pending"});
        return true;
    }

    // ---- answers
    // -----------------------------------------------------------------------------------------------------------

    // VALUE may be null: an empty message. Returns its size.
    uint64_t send_response(call_context &context, const message *value)
    {
        std::string head;
        if (!answer_head(context, head))
            return 0;
        const payload body = value != nullptr ? payload(*value, head) : payload(std::string_view(), head);
        if (body.size() > limit())
            send_error(context, {status::resource_exhausted, too_large("response", body.size(), limit())});
        else
            transmit(header_for(frame_kind::response, context.call_, body), body);
        return body.size();
    }

    void send_end(call_context &context)
    {
        std::string head;
        if (!answer_head(context, head))
            return;
        const payload body(std::string_view(), head);
        transmit(header_for(frame_kind::end, context.call_, body), body);
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
        transmit(header, body);
    }

    // Why the call was cancelled, for its error frame.
    static outcome why_cancelled(const call_context &context)
    {
        if (context.until_.has_passed())
            return {status::deadline_exceeded, "the deadline passed while the handler ran"};
        return {status::cancelled, "the caller cancelled"};
    }

    // True for the one that sends the last frame of CONTEXT's call: its handler, or the thread that reads, when the
    // caller breaks the rules. Taken before it is sent, so that nobody takes a call whose caller has its answer for
    // pending [answer].
    static bool take_answer(call_context &context) noexcept
    {
        return !context.answered_.exchange(true);
    }

    // The answer was given already, or none is wanted.
    static bool is_answered(const call_context &context) noexcept
    {
        return context.one_way_ || context.answered_.load();
    }

    // ---- streams and progress
    // ----------------------------------------------------------------------------------------------

    // Waits for credit. SENT is false when the item is not wanted any more. Fails when it is too large.
    outcome send_item(call_context &context, const message &value, bool &sent)
    {
        sent = false;
        const payload body(value);
        if (body.size() > limit())
            return {status::resource_exhausted, too_large("item", body.size(), limit())};
        {
            std::unique_lock held(mutex_);
            while (context.credit_ == 0 && !context.cancelled_.load(std::memory_order_relaxed))
                if (!sleep_until(held, context.wake_, context.until_))
                    break;
            if (context.cancelled() || context.credit_ == 0)
                return {};
            --context.credit_;
        }
        sent = transmit(header_for(frame_kind::item, context.call_, body), body);
        return {};
    }

    // Waits for the caller's next item. False when its stream, or the call, has ended.
    bool take_item(call_context &context, std::string &body)
    {
        uint32_t due = 0;
        {
            std::unique_lock held(mutex_);
            while (context.arrived_.empty() && !context.input_ended_ &&
                   !context.cancelled_.load(std::memory_order_relaxed))
                if (!sleep_until(held, context.wake_, context.until_))
                    break;
            if (context.arrived_.empty() || context.cancelled())
                return false;
            body = std::move(context.arrived_.front());
            context.arrived_.pop_front();
            if (++context.consumed_ >= first_input_credit / 2 && !context.input_ended_) {
                due = std::exchange(context.consumed_, 0);
                context.window_ += due; // before it is sent: the items may come at once
            }
        }
        if (due != 0) {
            frame_header credit = header_for(frame_kind::credit, context.call_, payload());
            credit.method = due;
            transmit(credit, payload());
        }
        return true;
    }

    // When there is no room the newest waits for the next occasion, or the answer makes it needless.
    void send_progress(call_context &context, const message &value)
    {
        const payload body(value);
        if (body.size() > limit() || is_answered(context) || context.cancelled())
            return;
        context.progress_.clear();
        if (!transmit_now(header_for(frame_kind::progress, context.call_, body), body))
            context.progress_ = value.SerializeAsString();
    }

    bool wait(call_context &context, deadline wake_up)
    {
        if (!context.progress_.empty()) {
            const payload body{std::string_view(context.progress_)};
            if (transmit_now(header_for(frame_kind::progress, context.call_, body), body))
                context.progress_.clear();
        }
        std::unique_lock held(mutex_);
        const deadline first(std::min(wake_up.at(), context.until_.at()));
        while (!context.cancelled_.load(std::memory_order_relaxed) && sleep_until(held, context.wake_, first)) {
        }
        held.unlock();
        return context.cancelled();
    }

    std::shared_ptr<canceller> nested(call_context &context)
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

    static void set_in_place(call_context &context) noexcept
    {
        context.in_place_ = true;
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
    static void fire(call_context &context) noexcept
    {
        context.cancelled_.store(true, std::memory_order_release);
        context.wake_.notify_all();
        if (context.nested_ != nullptr)
            context.nested_->trigger();
    }

    call_context *find(uint64_t call) noexcept
    {
        for (call_context *context : registered_)
            if (context->call_ == call && !context->answered_.load(std::memory_order_relaxed))
                return context;
        return nullptr;
    }

    const char *credit(uint64_t call, uint32_t items)
    {
        const std::lock_guard held(mutex_);
        call_context *const context = find(call);
        if (context == nullptr)
            return nullptr;
        context->credit_ += items;
        context->wake_.notify_all();
        return context->credit_ <= max_credit ? nullptr : "more credit than 2^31 items";
    }

    // False: it came without credit, and the call has ended.
    bool item(const frame &got)
    {
        const std::lock_guard held(mutex_);
        call_context *const context = find(got.header.call);
        if (context == nullptr || context->input_ended_)
            return true;
        if (context->window_ == 0) {
            if (!take_answer(*context))
                return true;
            fire(*context);
            return false;
        }
        --context->window_;
        context->arrived_.emplace_back(reinterpret_cast<const char *>(got.body), got.size);
        context->wake_.notify_all();
        return true;
    }

    // False when the metadata may not travel: the caller has been told.
    bool answer_head(call_context &context, std::string &head)
    {
        if (context.answer_ == nullptr)
            return true;
        head = encode_head({}, {}, context.answer_.get());
        if (head.size() <= max_head + 4)
            return true;
        const size_t size = head.size() - 4;
        context.answer_->clear();
        send_error(context, {status::internal, "the answer's metadata has " + std::to_string(size) +
                                                   " bytes, a head takes " + std::to_string(max_head)});
        return false;
    }

    mutable std::mutex mutex_; // guards what follows, and the streams of every call
    std::vector<call_context *> registered_;
    std::atomic<size_t> count_{0};
    std::atomic<bool> ended_{false};
};

} // namespace ipc::rpc::detail

namespace ipc::rpc
{

inline bool call_context::wait(deadline wake_up)
{
    return home_.wait(*this, wake_up);
}

inline int32_t call_context::peer_pid() const noexcept
{
    return home_.peer_pid();
}

inline std::string_view call_context::hello() const noexcept
{
    return home_.hello();
}

inline std::shared_ptr<canceller> call_context::nested()
{
    return home_.nested(*this);
}

} // namespace ipc::rpc
#endif
