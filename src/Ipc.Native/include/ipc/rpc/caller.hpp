// Calls the other side of a connection: what a client and a handler that calls back have in common.
#ifndef IPC_RPC_CALLER_HPP
#define IPC_RPC_CALLER_HPP

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "call_options.hpp"
#include "detail/call_scope.hpp"
#include "detail/callee.hpp"
#include "detail/caller_core.hpp"
#include "detail/codec.hpp"
#include "method.hpp"
#include "stream_reader.hpp"

namespace ipc::rpc
{

// Any number of threads may call at once. Inside a handler a call has at most the time of the call that it serves, and
// is cancelled with it.
//
// The variants that end in `deadline, canceller *` and in call_options differ in nothing else. try_ ones have no
// exceptions for what happens to calls.
class caller
{
  public:
    // Made by the library.
    explicit caller(std::shared_ptr<detail::caller_core> core) : core_(std::move(core))
    {
    }

    // ---- one response
    // -------------------------------------------------------------------------------------------------------

#ifndef IPC_NO_EXCEPTIONS
    // Calls and waits for the response. Throws rpc::error: what the handler reported, or deadline_exceeded, cancelled,
    // unavailable.
    template <class Request, class Response>
    Response call(const method<Request, Response> &method, const Request &request, deadline until = deadline::never(),
                  canceller *cancel = nullptr)
    {
        return call(method, request, options_of(until, cancel));
    }

    template <class Request, class Response>
    Response call(const method<Request, Response> &method, const Request &request, const call_options &options)
    {
        Response response;
        if (const outcome result = try_call(method, request, response, options); !result)
            throw error(result);
        return response;
    }

    template <class Response, class Request>
    Response call(std::string_view service, std::string_view name, const Request &request,
                  deadline until = deadline::never(), canceller *cancel = nullptr)
    {
        return call(method<Request, Response>(service, name), request, until, cancel);
    }
#endif

    // RESPONSE may be used again and again: its memory is kept.
    template <class Request, class Response>
    outcome try_call(const method<Request, Response> &method, const Request &request, Response &response,
                     deadline until = deadline::never(), canceller *cancel = nullptr)
    {
        return try_call(method, request, response, options_of(until, cancel));
    }

    template <class Request, class Response>
    outcome try_call(const method<Request, Response> &method, const Request &request, Response &response,
                     const call_options &options)
    {
        return unary(method, request, response, options, false, [](detail::arrival &) { return true; });
    }

    // A call that tells how far it is: REPORT (const Progress &) is called on this thread, while the call waits. It may
    // call, close the client and destroy it; what it throws comes out of here, and the call is cancelled.
    template <class Request, class Response, class Progress, class Report>
    outcome try_call(const progress_method<Request, Response, Progress> &method, const Request &request,
                     Response &response, Report &&report, const call_options &options = {})
    {
        Progress value;
        return unary(
            method, request, response, options, true,
            [&](detail::arrival &body) { return parse(value, body.data(), body.size()); },
            [&] { report(static_cast<const Progress &>(value)); });
    }

    // ---- no response
    // --------------------------------------------------------------------------------------------------------

    // Returns when the request is in the ring. What becomes of it nobody learns here.
    template <class Request>
    outcome try_notify(const one_way_method<Request> &method, const Request &request, const call_options &options = {})
    {
        return one_way(method, request, options);
    }

    // The same for a method that has a response, which is not sent then.
    template <class Request, class Response>
    outcome try_notify(const method<Request, Response> &method, const Request &request,
                       const call_options &options = {})
    {
        return one_way(method, request, options);
    }

#ifndef IPC_NO_EXCEPTIONS
    template <class Method, class Request>
    void notify(const Method &method, const Request &request, const call_options &options = {})
    {
        if (const outcome result = try_notify(method, request, options); !result)
            throw error(result);
    }
#endif

    // ---- streams. UNTIL bounds the whole stream. MADE is filled when the request could be sent; without try_ they
    // throw rpc::error when it could not ------------------------------

    template <class Request, class Item>
    outcome try_stream(const stream_method<Request, Item> &method, const Request &request,
                       std::optional<stream_reader<Item>> &made, const call_options &options = {})
    {
        return open(method, request, 0, core_->stream_window(), options, made);
    }

    template <class Request, class In, class Response>
    outcome try_client_stream(const client_stream_method<Request, In, Response> &method, const Request &request,
                              std::optional<client_stream_call<In, Response>> &made, const call_options &options = {})
    {
        return open(method, request, flag_client_stream, 0, options, made);
    }

    template <class Request, class In, class Out>
    outcome try_duplex(const duplex_method<Request, In, Out> &method, const Request &request,
                       std::optional<duplex_call<In, Out>> &made, const call_options &options = {})
    {
        return open(method, request, flag_client_stream, core_->stream_window(), options, made);
    }

#ifndef IPC_NO_EXCEPTIONS
    template <class Request, class Item>
    stream_reader<Item> stream(const stream_method<Request, Item> &method, const Request &request,
                               deadline until = deadline::never(), canceller *cancel = nullptr)
    {
        return stream(method, request, options_of(until, cancel));
    }

    template <class Request, class Item>
    stream_reader<Item> stream(const stream_method<Request, Item> &method, const Request &request,
                               const call_options &options)
    {
        std::optional<stream_reader<Item>> made;
        return made_or_thrown(try_stream(method, request, made, options), made);
    }

    template <class Item, class Request>
    stream_reader<Item> stream(std::string_view service, std::string_view name, const Request &request,
                               deadline until = deadline::never(), canceller *cancel = nullptr)
    {
        return stream(stream_method<Request, Item>(service, name), request, until, cancel);
    }

    template <class Request, class In, class Response>
    client_stream_call<In, Response> client_stream(const client_stream_method<Request, In, Response> &method,
                                                   const Request &request, const call_options &options = {})
    {
        std::optional<client_stream_call<In, Response>> made;
        return made_or_thrown(try_client_stream(method, request, made, options), made);
    }

    template <class Request, class In, class Out>
    duplex_call<In, Out> duplex(const duplex_method<Request, In, Out> &method, const Request &request,
                                const call_options &options = {})
    {
        std::optional<duplex_call<In, Out>> made;
        return made_or_thrown(try_duplex(method, request, made, options), made);
    }
#endif

  protected:
    static call_options options_of(deadline until, canceller *cancel) noexcept
    {
        call_options made;
        made.until = until;
        made.cancel = cancel;
        return made;
    }

    // TAKE decodes a progress message while it is in place, REPORT tells the user when no lock is held.
    template <class Response, class Take>
    outcome unary(const detail::method_name &method, const message &request, Response &response,
                  const call_options &options, bool progress, Take &&take)
    {
        return unary(method, request, response, options, progress, std::forward<Take>(take), [] {});
    }

    template <class Response, class Take, class Report>
    outcome unary(const detail::method_name &method, const message &request, Response &response,
                  const call_options &options, bool progress, Take &&take, Report &&report)
    {
        const std::shared_ptr<detail::caller_core> kept = progress ? core_ : nullptr; // a report may destroy *this
        if (core_->watcher() == nullptr)
            return unobserved(method.id, request, response, options, progress, take, report);
        detail::observation seen = detail::observe(core_->watcher(), method, options);
        return seen.end(
            unobserved(method.id, request, response, detail::observed(options, seen), progress, take, report));
    }

    template <class Response, class Take, class Report>
    outcome unobserved(uint32_t method, const message &request, Response &response, const call_options &options,
                       bool progress, Take &take, Report &report)
    {
        using namespace detail;
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
        what.method = method;
        what.body = payload(request, head);
        what.progress = progress;
        what.answered = options.received;
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
        return result;
    }

    outcome one_way(const detail::method_name &method, const message &request, const call_options &options)
    {
        detail::observation seen = detail::observe(core_->watcher(), method, options);
        return seen.end(post(method.id, request, detail::observed(options, seen)));
    }

    outcome post(uint32_t method, const message &request, const call_options &options)
    {
        using namespace detail;
        std::string head;
        if (outcome bad = request_head(options, head); !bad)
            return bad;
        const call_limits limits(options);
        pending *none = nullptr;
        const registration registered(limits.cancel, *core_, none);
        asking what;
        what.method = method;
        what.flags = flag_one_way;
        what.body = payload(request, head);
        auto held = core_->lock();
        return core_->notify(held, what, limits.until, limits.cancel);
    }

    // A stream, in MADE.
    template <class Made>
    outcome open(const detail::method_name &method, const message &request, uint8_t flags, uint16_t window,
                 const call_options &options, std::optional<Made> &made)
    {
        using namespace detail;
        made.reset();
        if (is_refused_in_place())
            return refuse_in_place();
        observation seen = observe(core_->watcher(), method, options);
        std::string head;
        if (outcome bad = request_head(observed(options, seen), head); !bad)
            return seen.end(bad);
        auto limits = std::make_unique<call_limits>(options);
        pending *entry = nullptr;
        const registration registered(limits->cancel, *core_, entry);
        asking what;
        what.method = method.id;
        what.flags = flags;
        what.window = window;
        what.body = payload(request, head);
        what.answered = options.received;
        auto held = core_->lock();
        outcome result;
        if (core_->begin(held, what, limits->until, limits->cancel, entry, result)) {
            core_->leave();
            made.emplace(open_call(core_, *entry, std::move(limits), std::move(seen)));
            return result;
        }
        held.unlock();
        return seen.end(std::move(result));
    }

#ifndef IPC_NO_EXCEPTIONS
    template <class Made> static Made made_or_thrown(const outcome &result, std::optional<Made> &made)
    {
        if (!result)
            throw error(result);
        return std::move(*made);
    }
#endif

    std::shared_ptr<detail::caller_core> core_;

  private:
    // The end of a call, also when a report throws. The lock is held again afterwards.
    struct ended_later {
        detail::caller_core &core;
        detail::caller_core::lock_type &held;
        detail::pending *const &entry;

        ~ended_later()
        {
            if (!held.owns_lock())
                held.lock();
            core.end(held, *entry);
        }
    };

    // The answer to a callback would never be read.
    bool is_refused_in_place() const noexcept
    {
        const call_context *const serving = call_context::current();
        return serving != nullptr && detail::callee::is_in_place(*serving) && core_->calls_a_client();
    }

    static outcome refuse_in_place()
    {
        return {status::failed_precondition, "a handler with dispatch::in_place cannot wait for its client"};
    }
};

inline rpc::caller call_context::caller()
{
    return rpc::caller(home_.caller());
}

} // namespace ipc::rpc
#endif
