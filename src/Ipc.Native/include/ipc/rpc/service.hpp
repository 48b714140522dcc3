// Methods that one side offers to the other: a server to its clients, a client to the server that calls it back.
#ifndef IPC_RPC_SERVICE_HPP
#define IPC_RPC_SERVICE_HPP

#include "../dialect.hpp"

#include <map>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "detail/handle_in_place.hpp"
#include "detail/handler.hpp"
#include "detail/listing.hpp"
#include "detail/method_table.hpp"
#include "detail/misuse.hpp"
#include "dispatch.hpp"
#include "method.hpp"
#include "status.hpp"
#include "stream_writer.hpp"

namespace ipc::rpc
{

// Add methods, then hand it to client_options::services; server is one itself. It does not change once it is used.
//
// FUNCTION returns void, rpc::status or rpc::outcome: which is how it fails where there are no exceptions. It takes
// what is named at each method, and a call_context & last if it likes. What it throws reaches the caller: rpc::error
// with its status and details, any other exception as status::unknown with its type and text.
//
// Beside them it has one method by itself, which lists them: caller::list_methods().
class service : public detail::method_table
{
  public:
    service()
    {
        auto list = [this](const listing::no_fields &, listing::no_fields &response, detail::callee &,
                           call_context &) -> outcome {
            if (!response.ParseFromString(listing::encode(described())))
                return {status::internal, "the list of methods could not be made"};
            return {};
        };
        list_with(std::make_unique<detail::method_handler<listing::no_fields, listing::no_fields, decltype(list)>>(
            std::string(listing::list.service), std::string(listing::list.name), detail::shape(), dispatch::handed_over,
            list));
    }

    // FUNCTION of (const Request &, Response &), which fills the response; or of (const Request &), which returns the
    // std::shared_ptr<const Response> of one that is there already, say of a table that many ask for. That one is sent
    // as it is, without a copy, by any number of calls at once, and let go then: nobody may change it meanwhile. None
    // is status::internal; what else may go wrong it throws.
    //
    // Request and response are the handler's until it returns. Their memory is used again for the next call: who keeps
    // a reference, or a string_view into one, sees that one's bytes. Debug builds make it visible (detail/reused.hpp).
    template <class Request, class Response, class Function>
    void unary(const method<Request, Response> &method, Function function, dispatch how = dispatch::handed_over)
    {
        (void)detail::received_messages<Request>();
        (void)detail::sent_messages<Response>();
        if constexpr (handles<Function, const Request &, Response &>) {
            add<Request, Response>(method, {}, how,
                                   [function = std::move(function)](const Request &request, Response &response,
                                                                    detail::callee &, call_context &context) mutable {
                                       return invoke(function, context, request, response);
                                   });
        } else { // asked only now: to ask a generic lambda compiles it for what it is asked about
            constexpr bool keeps = detail::keeps_response<Response, Function, const Request &, Response &>();
            static_assert(keeps, "ipc: a unary handler takes (const Request &, Response &), and a call_context & last "
                                 "if it likes, and returns void, rpc::status or rpc::outcome; or it takes "
                                 "(const Request &) and returns a std::shared_ptr<const Response>");
            if constexpr (keeps)
                add<Request, detail::kept_message<Response>>(
                    method, {}, how,
                    [function = std::move(function)](const Request &request, detail::kept_message<Response> &response,
                                                     detail::callee &, call_context &context) mutable -> outcome {
                        response.value = invoke(function, context, request);
                        if (response.value == nullptr)
                            return {status::internal, "the handler returned no response"};
                        return {};
                    });
        }
    }

    template <class Request, class Response, class Function>
    void unary(std::string of_service, std::string name, Function function)
    {
        unary(method<Request, Response>(of_service, name), std::move(function));
    }

    // A unary method that tells how far it is: FUNCTION of (const Request &, Response &, progress_writer<Progress> &).
    template <class Request, class Response, class Progress, class Function>
    void unary(const progress_method<Request, Response, Progress> &method, Function function)
    {
        (void)detail::received_messages<Request>();
        (void)detail::sent_messages<Response, Progress>();
        constexpr bool is_one = handles<Function, const Request &, Response &, progress_writer<Progress> &>;
        static_assert(is_one,
                      "ipc: a progress handler takes (const Request &, Response &, progress_writer<Progress> &), and a "
                      "call_context & last if it likes, and returns void, rpc::status or rpc::outcome");
        if constexpr (is_one)
            add<Request, Response>(method, {}, dispatch::handed_over,
                                   [function = std::move(function)](const Request &request, Response &response,
                                                                    detail::callee &home,
                                                                    call_context &context) mutable {
                                       progress_writer<Progress> progress(home, context);
                                       return invoke(function, context, request, response, progress);
                                   });
    }

    // FUNCTION of (const Request &). Its caller does not wait, and learns nothing of what it throws.
    template <class Request, class Function>
    void one_way(const one_way_method<Request> &method, Function function, dispatch how = dispatch::handed_over)
    {
        (void)detail::received_messages<Request>();
        constexpr bool is_one = handles<Function, const Request &>;
        static_assert(is_one, "ipc: a one-way handler takes (const Request &), and a call_context & last if it likes, "
                              "and returns void, rpc::status or rpc::outcome");
        if constexpr (is_one)
            add<Request, detail::no_message>(method, {false, false, true}, how,
                                             [function = std::move(function)](const Request &request,
                                                                              detail::no_message &, detail::callee &,
                                                                              call_context &context) mutable {
                                                 return invoke(function, context, request);
                                             });
    }

    // FUNCTION of (const Request &, stream_writer<Item> &). Has a thread of its own, as all streams.
    template <class Request, class Item, class Function>
    void server_stream(const stream_method<Request, Item> &method, Function function)
    {
        (void)detail::received_messages<Request>();
        (void)detail::sent_messages<Item>();
        constexpr bool is_one = handles<Function, const Request &, stream_writer<Item> &>;
        static_assert(is_one, "ipc: a server stream's handler takes (const Request &, stream_writer<Item> &), and a "
                              "call_context & last if it likes, and returns void, rpc::status or rpc::outcome");
        if constexpr (is_one)
            add<Request, detail::no_message>(
                method, {false, true}, dispatch::handed_over,
                [function = std::move(function)](const Request &request, detail::no_message &, detail::callee &home,
                                                 call_context &context) mutable {
                    stream_writer<Item> items(home, context);
                    return invoke(function, context, request, items);
                });
    }

    template <class Request, class Item, class Function>
    void server_stream(std::string of_service, std::string name, Function function)
    {
        server_stream(stream_method<Request, Item>(of_service, name), std::move(function));
    }

    // FUNCTION of (const Request &, stream_input<In> &, Response &). It may return before the items end.
    template <class Request, class In, class Response, class Function>
    void client_stream(const client_stream_method<Request, In, Response> &method, Function function)
    {
        (void)detail::received_messages<Request, In>();
        (void)detail::sent_messages<Response>();
        constexpr bool is_one = handles<Function, const Request &, stream_input<In> &, Response &>;
        static_assert(is_one, "ipc: a client stream's handler takes (const Request &, stream_input<In> &, Response &), "
                              "and a call_context & last if it likes, and returns void, rpc::status or rpc::outcome");
        if constexpr (is_one)
            add<Request, Response>(method, {true, false}, dispatch::handed_over,
                                   [function = std::move(function)](const Request &request, Response &response,
                                                                    detail::callee &home,
                                                                    call_context &context) mutable {
                                       stream_input<In> items(home, context);
                                       return invoke(function, context, request, items, response);
                                   });
    }

    // FUNCTION of (const Request &, stream_input<In> &, stream_writer<Out> &).
    template <class Request, class In, class Out, class Function>
    void duplex(const duplex_method<Request, In, Out> &method, Function function)
    {
        (void)detail::received_messages<Request, In>();
        (void)detail::sent_messages<Out>();
        constexpr bool is_one = handles<Function, const Request &, stream_input<In> &, stream_writer<Out> &>;
        static_assert(is_one,
                      "ipc: a duplex handler takes (const Request &, stream_input<In> &, stream_writer<Out> &), and a "
                      "call_context & last if it likes, and returns void, rpc::status or rpc::outcome");
        if constexpr (is_one)
            add<Request, detail::no_message>(
                method, {true, true}, dispatch::handed_over,
                [function = std::move(function)](const Request &request, detail::no_message &, detail::callee &home,
                                                 call_context &context) mutable {
                    stream_input<In> in(home, context);
                    stream_writer<Out> out(home, context);
                    return invoke(function, context, request, in, out);
                });
    }

  private:
    template <class Request, class Response, class Method, class Function>
    void add(const Method &method, detail::shape kind, dispatch how, Function function)
    {
        if (outcome late = adding(); !late)
            return refuse(std::move(late));
        method_table::add(std::make_unique<detail::method_handler<Request, Response, Function>>(
            std::string(method.service), std::string(method.name), kind, how, std::move(function)));
    }

    template <class Function, class... Given>
    static constexpr bool handles = detail::is_handler<detail::fails_or_not, Function, Given...>();

    // The user's function, with the context or without.
    template <class Function, class... Given>
    static auto invoke(Function &function, call_context &context, Given &...given)
    {
        if constexpr (std::is_invocable_v<Function &, Given &..., call_context &>)
            return function(given..., context);
        else
            return function(given...);
    }
};

} // namespace ipc::rpc
#endif
