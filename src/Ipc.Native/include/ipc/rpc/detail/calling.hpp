// What all calls of a caller come to, without the kinds of method.
#ifndef IPC_RPC_DETAIL_CALLING_HPP
#define IPC_RPC_DETAIL_CALLING_HPP

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "../call_options.hpp"
#include "../client_interceptor.hpp"
#include "../method.hpp"
#include "../status.hpp"
#include "call_limits.hpp"
#include "call_scope.hpp"
#include "callee.hpp"
#include "caller_core.hpp"
#include "codec.hpp"
#include "following.hpp"
#include "frame.hpp"
#include "open_call.hpp"
#include "payload.hpp"
#include "place.hpp"

namespace ipc::rpc::detail
{

// Through the interceptors, if there are any; then told to the observer; then over the connection.
class calling
{
  public:
    explicit calling(std::shared_ptr<caller_core> core) : core_(std::move(core))
    {
    }

  protected:
    // TAKE decodes a progress message while it is in place, REPORT tells the user when no lock is held.
    template <class Response, class Take>
    outcome unary(const method_name &method, const message &request, Response &response, const call_options &options,
                  bool progress, Take &&take)
    {
        return unary(method, request, response, options, progress, std::forward<Take>(take), [] {});
    }

    template <class Response, class Take, class Report>
    outcome unary(const method_name &method, const message &request, Response &response, const call_options &options,
                  bool progress, Take &&take, Report &&report)
    {
        const std::shared_ptr<caller_core> kept = progress ? core_ : nullptr; // a report may destroy *this
        if (core_->interceptors() == nullptr)
            return unintercepted(method, request, response, options, progress, take, report);
        return intercepted(method, outgoing_call::shape::unary, request, as_message(response), options,
                           [&](calling &to, const call_options &with) {
                               return to.unintercepted(method, request, response, with, progress, take, report);
                           });
    }

    // Makes a call through the interceptors: MAKE is what they pass it on to.
    template <class Make>
    outcome intercepted(const method_name &method, outgoing_call::shape kind, const message &request, message *response,
                        const call_options &options, Make &&make)
    {
        calling to(core_); // an interceptor's, or a report's, doing may destroy *this
        auto last = [&](const call_options &with) { return make(to, with); };
        outgoing_call call(*core_->interceptors(), method, kind, request, response, options, last);
        outcome result = call.next();
        place(result, method, *to.core_);
        return result;
    }

    template <class Response, class Take, class Report>
    outcome unintercepted(const method_name &method, const message &request, Response &response,
                          const call_options &options, bool progress, Take &take, Report &report)
    {
        caller_core &core = *core_;
        if (core.watcher() == nullptr) {
            outcome result = unobserved(method, request, response, options, progress, take, report);
            if (!result)
                place(result, method, core);
            return result;
        }
        observation seen = observe(core.watcher(), method, options);
        outcome result = unobserved(method, request, response, observed(options, seen), progress, take, report);
        place(result, method, core);
        return seen.end(std::move(result));
    }

    template <class Response, class Take, class Report>
    outcome unobserved(const method_name &method, const message &request, Response &response, const call_options &options,
                       bool progress, Take &take, Report &report)
    {
        following again;
        outcome result = attempted(method, request, response, options, progress, take, report, again);
        // A server that ended, or is ending, has not handled it, nor reported anything.
        while (!result && result.unsent && again.reached && result.code == status::unavailable &&
               is_made_again(again, options, result))
            result = attempted(method, request, response, options, progress, take, report, again);
        return result;
    }

    // AGAIN: what is known of it from before, and what is known of it then.
    template <class Response, class Take, class Report>
    outcome attempted(const method_name &method, const message &request, Response &response, const call_options &options,
                      bool progress, Take &take, Report &report, following &again)
    {
        outcome result; // the only one, and what is returned: an outcome costs more than most steps of a call
        if (is_refused_in_place()) {
            result = refuse_in_place();
            return result;
        }
        std::string head;
        if (has_head(options)) {
            result = request_head(options, head);
            if (!result)
                return result;
        }
        caller_core &core = *core_;
        const call_limits limits(options);
        pending *entry = nullptr;
        const registration registered(limits.cancel, core, entry);
        asking what;
        what.called = &method;
        what.body = payload(request, head);
        what.progress = progress;
        what.answered = options.received;
        what.again = &again;
        auto held = core.lock();
        if (!core.begin(held, what, limits.until, limits.cancel, entry, result))
            return result;
        presence inside(core, held, std::adopt_lock);
        const ended_later end{core, held, entry};
        for (;;) {
            arrival body;
            if (!core.receive_in_place(held, *entry, limits.until, limits.cancel, body))
                result = core.receive(held, *entry, limits.until, limits.cancel, body);
            const bool is_last = !body || body.kind() != frame_kind::progress;
            bool decoded = true;
            if (body && !body.open(options.received))
                result = {status::internal, "the head of the answer is damaged"};
            else if (body && !is_last)
                decoded = take(body);
            else if (body && !parse(response, body.data(), body.size()))
                result = {status::internal, not_a(response, "response", body.size())};
            if (body)
                core.settle(held, *entry, body);
            if (is_last)
                break;
            if (!decoded) { // `end` cancels it
                result = {status::internal, "a progress message could not be decoded"};
                break;
            }
            inside.step_out();
            held.unlock();
            report();
            held.lock();
            inside.step_in();
        }
        if (result.unsent)
            again.called_back = core.is_called_back();
        return result;
    }

    outcome one_way(const method_name &method, const message &request, const call_options &options)
    {
        if (core_->interceptors() == nullptr)
            return unintercepted_one_way(method, request, options);
        return intercepted(
            method, outgoing_call::shape::one_way, request, nullptr, options,
            [&](calling &to, const call_options &with) { return to.unintercepted_one_way(method, request, with); });
    }

    outcome unintercepted_one_way(const method_name &method, const message &request, const call_options &options)
    {
        observation seen = observe(core_->watcher(), method, options);
        outcome result = post(method, request, observed(options, seen));
        place(result, method, *core_);
        return seen.end(std::move(result));
    }

    outcome post(const method_name &method, const message &request, const call_options &options)
    {
        std::string head;
        if (outcome bad = request_head(options, head); !bad)
            return bad;
        const call_limits limits(options);
        pending *none = nullptr;
        const registration registered(limits.cancel, *core_, none);
        asking what;
        what.called = &method;
        what.flags = flag_one_way;
        what.body = payload(request, head);
        auto held = core_->lock();
        return core_->notify(held, what, limits.until, limits.cancel);
    }

    // A stream, in MADE.
    template <class Made>
    outcome open(const method_name &method, const message &request, uint8_t flags, uint16_t window,
                 const call_options &options, std::optional<Made> &made)
    {
        made.reset();
        if (core_->interceptors() == nullptr)
            return unintercepted_open(method, request, flags, window, options, made);
        const auto kind = window == 0                         ? outgoing_call::shape::client_stream
                          : (flags & flag_client_stream) != 0 ? outgoing_call::shape::duplex
                                                              : outgoing_call::shape::server_stream;
        outcome result =
            intercepted(method, kind, request, nullptr, options, [&](calling &to, const call_options &with) {
                made.reset();
                return to.unintercepted_open(method, request, flags, window, with, made);
            });
        if (result && !made) // an interceptor that says that all is well, and has begun nothing
            result = {status::failed_precondition, "an interceptor did not pass the stream on"};
        if (!result)
            made.reset();
        place(result, method, *core_);
        return result;
    }

    template <class Made>
    outcome unintercepted_open(const method_name &method, const message &request, uint8_t flags, uint16_t window,
                               const call_options &options, std::optional<Made> &made)
    {
        outcome result;
        if (is_refused_in_place())
            result = refuse_in_place();
        if (!result) {
            place(result, method, *core_);
            return result;
        }
        observation seen = observe(core_->watcher(), method, options);
        std::string head;
        result = request_head(observed(options, seen), head);
        if (!result) {
            place(result, method, *core_);
            return seen.end(std::move(result));
        }
        auto limits = std::make_unique<call_limits>(options);
        pending *entry = nullptr;
        const registration registered(limits->cancel, *core_, entry);
        asking what;
        what.called = &method;
        what.flags = flags;
        what.window = window;
        what.body = payload(request, head);
        what.answered = options.received;
        auto held = core_->lock();
        if (core_->begin(held, what, limits->until, limits->cancel, entry, result)) {
            core_->leave();
            made.emplace(open_call(core_, *entry, method, std::move(limits), std::move(seen)));
            return result;
        }
        held.unlock();
        place(result, method, *core_);
        return seen.end(std::move(result));
    }

    std::shared_ptr<caller_core> core_;

  private:
    // For interceptors: null when it is a type that only parses itself.
    template <class Response> static message *as_message(Response &response) noexcept
    {
        if constexpr (std::is_convertible_v<Response *, message *>)
            return &response;
        else
            return nullptr;
    }

    // The end of a call, also when a report throws. The lock is held again afterwards.
    struct ended_later {
        caller_core &core;
        caller_core::lock_type &held;
        pending *const &entry;

        ~ended_later()
        {
            if (!held.owns_lock())
                held.lock();
            core.end(held, *entry);
        }
    };

    bool is_made_again(following &again, const call_options &options, outcome &result)
    {
        const call_limits limits(options);
        pending *none = nullptr;
        const registration registered(limits.cancel, *core_, none);
        auto held = core_->lock();
        return core_->follow(held, again, limits.until, limits.cancel, result);
    }

    // The answer to a callback would never be read.
    bool is_refused_in_place() const noexcept
    {
        const call_context *const serving = call_context::current();
        return serving != nullptr && callee::is_in_place(*serving) && core_->calls_a_client();
    }

    static outcome refuse_in_place()
    {
        return {status::failed_precondition, "a handler with dispatch::in_place cannot wait for its client"};
    }
};

} // namespace ipc::rpc::detail
#endif
