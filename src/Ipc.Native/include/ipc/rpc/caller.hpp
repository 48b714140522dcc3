// Calls the other side of a connection: what a client and a handler that calls back have in common.
#ifndef IPC_RPC_CALLER_HPP
#define IPC_RPC_CALLER_HPP

#include "../dialect.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "call_options.hpp"
#include "detail/calling.hpp"
#include "detail/codec.hpp"
#include "detail/frame.hpp"
#include "detail/listing.hpp"
#include "detail/misuse.hpp"
#include "detail/pending.hpp"
#include "method.hpp"
#include "method_info.hpp"
#include "stream_reader.hpp"

namespace ipc::rpc
{

// Any number of threads may call at once. Inside a handler a call has at most the time of the call that it serves, and
// is cancelled with it.
//
// The variants that end in `deadline, canceller *` and in call_options differ in nothing else. try_ ones have no
// exceptions for what happens to calls.
class caller : protected detail::calling
{
  public:
    // Made by the library.
    explicit caller(std::shared_ptr<detail::caller_core> core) : calling(std::move(core))
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
        (void)detail::sent_messages<Request>();
        (void)detail::received_messages<Response>();
        return unary(method, request, response, options, false, [](detail::arrival &) { return true; });
    }

    // A call that tells how far it is: REPORT (const Progress &) is called on this thread, while the call waits. It may
    // call, close the client and destroy it; what it throws comes out of here, and the call is cancelled.
    template <class Request, class Response, class Progress, class Report>
    outcome try_call(const progress_method<Request, Response, Progress> &method, const Request &request,
                     Response &response, Report &&report, const call_options &options = {})
    {
        (void)detail::sent_messages<Request>();
        (void)detail::received_messages<Response, Progress>();
        Progress value;
        return unary(
            method, request, response, options, true,
            [&](detail::arrival &body) { return parse(value, body.data(), body.size()); },
            [&] { report(static_cast<const Progress &>(value)); });
    }

    // ---- no response
    // --------------------------------------------------------------------------------------------------------

    // Returns when the request is in the ring, of amqp::client when the broker has it. What becomes of it nobody learns
    // here.
    template <class Request>
    outcome try_notify(const one_way_method<Request> &method, const Request &request, const call_options &options = {})
    {
        (void)detail::sent_messages<Request>();
        return one_way(method, request, options);
    }

    // The same for a method that has a response, which is not sent then.
    template <class Request, class Response>
    outcome try_notify(const method<Request, Response> &method, const Request &request,
                       const call_options &options = {})
    {
        (void)detail::sent_messages<Request>();
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
        (void)detail::sent_messages<Request>();
        (void)detail::received_messages<Item>();
        return open(method, request, 0, core_->stream_window(), options, made);
    }

    template <class Request, class In, class Response>
    outcome try_client_stream(const client_stream_method<Request, In, Response> &method, const Request &request,
                              std::optional<client_stream_call<In, Response>> &made, const call_options &options = {})
    {
        (void)detail::sent_messages<Request, In>();
        (void)detail::received_messages<Response>();
        return open(method, request, flag_client_stream, 0, options, made);
    }

    template <class Request, class In, class Out>
    outcome try_duplex(const duplex_method<Request, In, Out> &method, const Request &request,
                       std::optional<duplex_call<In, Out>> &made, const call_options &options = {})
    {
        (void)detail::sent_messages<Request, In>();
        (void)detail::received_messages<Out>();
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

    // ---- what there is to call
    // -----------------------------------------------------------------------------------------------

    // The methods that the other side has: by service, then by name; without the one that this calls, of which every
    // server has one, and every client with services (docs/rpc-protocol.md section 8), and without those of a kind that
    // this version does not know. It is a call as any other one. Unimplemented: the other side is of an earlier
    // version, or a client without services; internal: the answer is no list, or names more than 65,536 methods. What
    // it names may be wrong: any text, empty or twice.
    outcome try_list_methods(std::vector<method_info> &made, const call_options &options = {})
    {
        made.clear();
        listing::answer response;
        outcome result = try_call(listing::list, listing::no_fields(), response, options);
        if (result)
            made = std::move(response.methods);
        return result;
    }

#ifndef IPC_NO_EXCEPTIONS
    // The same, but throws rpc::error.
    std::vector<method_info> list_methods(const call_options &options = {})
    {
        std::vector<method_info> made;
        if (const outcome result = try_list_methods(made, options); !result)
            throw error(result);
        return made;
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

#ifndef IPC_NO_EXCEPTIONS
    template <class Made> static Made made_or_thrown(const outcome &result, std::optional<Made> &made)
    {
        if (!result)
            throw error(result);
        return std::move(*made);
    }
#endif
};

inline rpc::caller call_context::caller()
{
    return rpc::caller(home_.caller());
}

} // namespace ipc::rpc
#endif
