// What the options of a call come to, inside a handler and outside.
#ifndef IPC_RPC_DETAIL_CALL_LIMITS_HPP
#define IPC_RPC_DETAIL_CALL_LIMITS_HPP

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "../../../ipc.hpp"
#include "../call_context.hpp"
#include "../call_options.hpp"
#include "../canceller.hpp"
#include "../method.hpp"
#include "../observer.hpp"
#include "../status.hpp"
#include "head.hpp"

namespace ipc::rpc::detail
{

// The deadline and the canceller that a call really has: inside a handler, the earlier deadline of the two, and
// either's cancellation. Made by the library, on the calling thread.
class call_limits
{
  public:
    explicit call_limits(const call_options &options) : until(options.until)
    {
        if (options.cancel != nullptr) {
            own_.emplace(options.cancel->state()); // the caller's may be destroyed before the call has ended
            cancel = &*own_;
        }
        call_context *const serving = call_context::current();
        if (serving == nullptr)
            return;
        until = deadline(std::min(until.at(), serving->until().at()));
        outer_ = serving->nested();
        cancel = outer_.get();
        if (!own_)
            return;
        both_.emplace();
        from_outer_.emplace(*outer_, *both_);
        from_own_.emplace(*own_, *both_);
        cancel = &*both_;
    }

    call_limits(const call_limits &) = delete;
    call_limits &operator=(const call_limits &) = delete;

    deadline until;
    canceller *cancel = nullptr;

  private:
    std::optional<canceller> own_;
    std::shared_ptr<canceller> outer_; // the handler's
    std::optional<canceller> both_;
    std::optional<detail::relay> from_outer_;
    std::optional<detail::relay> from_own_;
};

// A call that is about to be made, for the observer TO.
inline observation observe(observer *to, const method_name &method, const call_options &options)
{
    const call_context *const serving = call_context::current();
    return observation(to, method.service, method.name, false,
                       options.trace.empty() && serving != nullptr ? serving->trace() : options.trace);
}

// OPTIONS with what the observer wants to travel; valid as long as SEEN is where it is.
inline call_options observed(const call_options &options, const observation &seen)
{
    call_options made = options;
    if (!seen || seen.trace().empty())
        return made;
    const call_context *const serving = call_context::current();
    if (options.trace.empty() && serving != nullptr)
        made.trace_state = serving->trace_state();
    made.trace = seen.trace();
    return made;
}

// Whether a request may have a head. Most have none.
inline bool has_head(const call_options &options) noexcept
{
    return options.send != nullptr || !options.trace.empty() || !options.trace_state.empty() ||
           call_context::current() != nullptr;
}

// The head of a request, in HEAD. Inside a handler the trace context is passed on, unless the caller has its own.
inline outcome request_head(const call_options &options, std::string &head)
{
    const call_context *const serving = call_context::current();
    std::string_view trace = options.trace, state = options.trace_state;
    if (trace.empty() && serving != nullptr) {
        trace = serving->trace();
        state = serving->trace_state();
    }
    if (trace.empty() && state.empty() && options.send == nullptr)
        return {};
    if (!trace.empty() && trace.size() != trace_size)
        return {status::invalid_argument, "a trace context has 25 bytes, not " + std::to_string(trace.size())};
    head = encode_head(trace, state, options.send);
    if (head.size() > max_head + 4)
        return {status::resource_exhausted, "the request's metadata has " + std::to_string(head.size() - 4) +
                                                " bytes, a head takes " + std::to_string(max_head)};
    return {};
}

} // namespace ipc::rpc::detail
#endif
