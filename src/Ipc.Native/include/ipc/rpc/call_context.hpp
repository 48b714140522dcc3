// What a handler knows about the call that it serves, besides the request.
#ifndef IPC_RPC_CALL_CONTEXT_HPP
#define IPC_RPC_CALL_CONTEXT_HPP

#include "../dialect.hpp"

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "../../ipc.hpp"
#include "canceller.hpp"
#include "detail/call_home.hpp"
#include "detail/flow.hpp"
#include "detail/frame.hpp"
#include "detail/head.hpp"
#include "detail/wait.hpp"
#include "observer.hpp"

namespace ipc::rpc
{

class caller;

namespace detail
{
class call_limits;
class callee;
class callee_calls;
}

// Valid while the handler runs, on any thread. A handler that takes long looks at cancelled() now and then, and waits
// with wait().
class call_context
{
  public:
    // Made by the library.
    call_context(detail::call_home &home, const frame_header &request)
        : home_(home), call_(request.call), until_(request.deadline == 0 ? IPC_FOREVER : request.deadline),
          one_way_((request.flags & flag_one_way) != 0), sends_items_(request.code != 0)
    {
        credit_.items = request.code;
        if ((request.flags & flag_client_stream) != 0) {
            window_.begin(first_input_credit, first_input_credit);
            arrived_.emplace();
        }
    }

    call_context(const call_context &) = delete;
    call_context &operator=(const call_context &) = delete;

    // The call that this thread serves; null outside of handlers. What a handler calls has at most the handler's time,
    // is cancelled with it, and carries its trace context.
    static call_context *current() noexcept
    {
        return here();
    }

    // The caller cancelled or is gone, the deadline has passed, or this side stops: nobody wants the result any more.
    bool cancelled() const noexcept
    {
        return cancelled_.load(std::memory_order_acquire) || // [cancelled]
               (!until_.is_never() && until_.has_passed());
    }

    // When the caller gives up; deadline::never() if it does not.
    deadline until() const noexcept
    {
        return until_;
    }

    // Sleeps. True when the call was cancelled first, or its deadline passed: time to return.
    bool wait(deadline wake_up)
    {
        return home_.wait(*this, wake_up);
    }

    // The caller waits for no answer and gets none.
    bool one_way() const noexcept
    {
        return one_way_;
    }

    int32_t peer_pid() const noexcept
    {
        return home_.who().pid;
    }

    // Who the other side runs as, by what the kernel says; IPC_NO_USER on Windows, and over a broker.
    uint32_t peer_user() const noexcept
    {
        return home_.who().user;
    }

    // What the client said when it connected; empty in a callback.
    std::string_view hello() const noexcept
    {
        return home_.hello();
    }

    // What came with the request.
    const rpc::metadata &metadata() const noexcept
    {
        static const rpc::metadata none;
        return request_ != nullptr ? request_->entries : none;
    }

    // What goes with the answer. Not from two threads at once.
    rpc::metadata &answer_metadata()
    {
        if (answer_ == nullptr)
            answer_ = std::make_unique<rpc::metadata>();
        return *answer_;
    }

    // W3C trace context of the caller: 16 bytes trace id, 8 bytes span id, 1 byte flags; or empty.
    std::string_view trace() const noexcept
    {
        return request_ != nullptr ? std::string_view(request_->trace) : std::string_view();
    }

    std::string_view trace_state() const noexcept
    {
        return request_ != nullptr ? std::string_view(request_->trace_state) : std::string_view();
    }

    // Calls whoever made this call, over the same connection. May outlive the handler: it works as long as the
    // connection does.
    rpc::caller caller();

    // Its handler begins to run. Made by the library.
    detail::observation observe(observer *to, std::string_view service, std::string_view name)
    {
        detail::observation seen(to, service, name, true, trace());
        if (seen && seen.trace() != trace()) {
            if (request_ == nullptr)
                request_ = std::make_unique<head>();
            request_->trace = seen.trace();
        }
        return seen;
    }

  private:
    friend class detail::callee;
    friend class detail::callee_calls;
    friend class call_scope;
    friend class detail::call_limits;

    static call_context *&here() noexcept
    {
        static thread_local call_context *serving = nullptr;
        return serving;
    }

    // What ends the calls that this call's handler makes.
    std::shared_ptr<canceller> nested()
    {
        return home_.nested(*this);
    }

    detail::call_home &home_;
    const uint64_t call_;
    const deadline until_;
    detail::item_credit credit_; // of the answer's stream. This and what follows is guarded by home_'s mutex
    const bool one_way_;
    const bool sends_items_;
    bool input_ended_ = false;          // no more items come from the caller
    bool takes_items_ = false;          // its handler has looked for one
    bool hungry_ = false;               // and waits for one
    bool wants_room_ = false;           // an item of the answer waits for room
    detail::item_window window_;        // of the caller's stream
    std::optional<std::deque<std::string>> arrived_; // items that have come, if there may be any: an empty deque allocates
    std::shared_ptr<canceller> nested_; // made when it is asked for
    std::atomic<bool> cancelled_{false}; // [peek] for whoever has home_'s mutex, [cancelled] for others
    std::atomic<bool> answered_{false}; // its last frame is, or is about to be, sent [answer]
    bool in_place_ = false;             // runs on the reading thread, which nobody relieves
    std::condition_variable wake_;
    std::unique_ptr<head> request_;
    std::unique_ptr<rpc::metadata> answer_;
    std::string progress_; // the newest that found no room
    std::atomic<bool> has_progress_{false}; // [peek]
};

// The thread serves CALL, from here to the end of the scope. Made by the library.
class call_scope
{
  public:
    explicit call_scope(call_context &call) noexcept : before_(std::exchange(call_context::here(), &call))
    {
    }

    call_scope(const call_scope &) = delete;
    call_scope &operator=(const call_scope &) = delete;

    ~call_scope()
    {
        call_context::here() = before_;
    }

  private:
    call_context *const before_;
};

} // namespace ipc::rpc
#endif
