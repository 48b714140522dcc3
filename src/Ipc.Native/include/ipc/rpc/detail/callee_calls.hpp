// The calls that one end of a connection serves, by their ids: which are registered, and what arrives for them.
//
// Only calls that may outlast their reading are registered here (streams, what waits or was handed to another thread):
// the others end before the next frame is read, so nothing that comes later could concern them.
//
// The mutex is never held while anything is sent or another lock of the library but a canceller's is taken; so a
// cancellation may reach from here into the calls that a handler has made, wherever they are.
#ifndef IPC_RPC_DETAIL_CALLEE_CALLS_HPP
#define IPC_RPC_DETAIL_CALLEE_CALLS_HPP

#include <algorithm>
#include <atomic>
#include <mutex>
#include <string>
#include <vector>

#include "../call_context.hpp"
#include "../status.hpp"
#include "callee_link.hpp"
#include "frame.hpp"

namespace ipc::rpc::detail
{

class callee_calls : public callee_link
{
  public:
    using callee_link::callee_link;

    // ---- the calls
    // ---------------------------------------------------------------------------------------------------------

    void add(call_context &context)
    {
        const std::lock_guard held(mutex_);
        registered_.push_back(&context);
        count_.store(registered_.size(), std::memory_order_relaxed);
        if (ended_.load(std::memory_order_relaxed) || is_forsaken())
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
        ended_.store(true, std::memory_order_relaxed);
        for (call_context *context : registered_)
            fire(*context);
    }

    bool ended() const noexcept
    {
        return ended_.load(std::memory_order_relaxed);
    }

    // The other side has gone, and what it left cannot be read at once: every call is cancelled, and so is each that is
    // added from now on.
    void forsake() noexcept
    {
        const std::lock_guard held(mutex_);
        forsaken_.store(true, std::memory_order_relaxed);
        for (call_context *context : registered_)
            fire(*context);
    }

    bool is_forsaken() const noexcept
    {
        return forsaken_.load(std::memory_order_relaxed);
    }

    // CONTEXT's call, which need not be registered, is cancelled.
    void cancel(call_context &context) noexcept
    {
        const std::lock_guard held(mutex_);
        fire(context);
    }

    // ---- what arrives for them. Returns what is wrong with the frame, or null
    // -----------------------------------------------------

    const char *arrived(const frame &got)
    {
        switch (got.kind()) {
        case frame_kind::credit:
            return credit(got.header);
        case frame_kind::item:
            if (!item(got)) {
                post_error(got.header.call, {status::resource_exhausted, "an item came without credit for it"});
                fire_answered(got.header.call);
            }
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
        return calls() != 0 && fail(request.call, {status::invalid_argument, "the id " + std::to_string(request.call) +
                                                                              " is that of a call that is still pending"});
    }

    // Ends CALL, whose caller breaks the rules: it hears WHY. False: there is none, or its caller has the answer, or will.
    bool fail(uint64_t call, const outcome &why)
    {
        {
            const std::lock_guard held(mutex_);
            call_context *const context = find(call);
            if (context == nullptr || !take_answer(*context))
                return false;
        }
        post_error(call, why);
        fire_answered(call);
        return true;
    }

    // True for the one that sends the last frame of CONTEXT's call: its handler, or the thread that reads, when the
    // caller breaks the rules. Taken before it is sent, so that nobody takes a call whose caller has its answer for
    // pending [answer].
    static bool take_answer(call_context &context) noexcept
    {
        return !context.answered_.exchange(true); // [answer]
    }

  protected:
    static void fire(call_context &context) noexcept
    {
        context.cancelled_.store(true, std::memory_order_release); // [cancelled]
        context.wake_.notify_all();
        if (context.nested_ != nullptr)
            context.nested_->trigger();
    }

    mutable std::mutex mutex_; // guards what follows, and the streams of every call
    std::vector<call_context *> registered_;

  private:
    // CALL is cancelled after its error was sent, and not before: a handler that returns at once would be seen to have ended
    // without an answer.
    void fire_answered(uint64_t call) noexcept
    {
        const std::lock_guard held(mutex_);
        for (call_context *context : registered_)
            if (context->call_ == call)
                fire(*context);
    }

    call_context *find(uint64_t call) noexcept
    {
        for (call_context *context : registered_)
            if (context->call_ == call && !context->answered_.load(std::memory_order_relaxed)) // [answer]
                return context;
        return nullptr;
    }

    const char *credit(const frame_header &given)
    {
        const std::lock_guard held(mutex_);
        call_context *const context = find(given.call);
        if (context == nullptr || !context->sends_items_)
            return nullptr;
        context->wake_.notify_all();
        return context->credit_.give(given) ? nullptr : "more credit than 2^31 items or bytes";
    }

    // False: it came without credit, and the call has ended. Who called one-way is not told.
    bool item(const frame &got)
    {
        const std::lock_guard held(mutex_);
        call_context *const context = find(got.header.call);
        if (context == nullptr || context->input_ended_)
            return true;
        if (!context->arrived_ || !context->window_.receive(got, context->hungry_ && context->arrived_->empty())) {
            if (!take_answer(*context))
                return true;
            if (context->one_way_)
                fire(*context);
            return context->one_way_;
        }
        context->arrived_->emplace_back(reinterpret_cast<const char *>(got.body), got.size);
        context->wake_.notify_all();
        return true;
    }

    std::atomic<size_t> count_{0};       // [peek]
    std::atomic<bool> ended_{false};    // [flag]
    std::atomic<bool> forsaken_{false}; // [flag]
};

} // namespace ipc::rpc::detail
#endif
