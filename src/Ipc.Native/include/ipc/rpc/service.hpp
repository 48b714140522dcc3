// Methods that one side offers to the other: a server to its clients, a client to the server that calls it back.
#ifndef IPC_RPC_SERVICE_HPP
#define IPC_RPC_SERVICE_HPP

#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>

#include "detail/handle_in_place.hpp"
#include "detail/handler.hpp"
#include "detail/text.hpp"
#include "method.hpp"
#include "stream_writer.hpp"

namespace ipc::rpc
{

// Add methods, then hand it to client_options::services; server is one itself. It does not change once it is used.
//
// FUNCTION returns void, rpc::status or rpc::outcome: which is how it fails where there are no exceptions. It takes
// what is named at each method, and a call_context & last if it likes. What it throws reaches the caller: rpc::error
// with its status and details, any other exception as status::unknown with its type and text.
class service
{
  public:
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
        if constexpr (takes<Function, const Request &, Response &>)
            add<Request, Response>(method, {}, how,
                                   [function = std::move(function)](const Request &request, Response &response,
                                                                    detail::callee &, call_context &context) mutable {
                                       return invoke(function, context, request, response);
                                   });
        else
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

    template <class Request, class Response, class Function>
    void unary(std::string of_service, std::string name, Function function)
    {
        unary(method<Request, Response>(of_service, name), std::move(function));
    }

    // A unary method that tells how far it is: FUNCTION of (const Request &, Response &, progress_writer<Progress> &).
    template <class Request, class Response, class Progress, class Function>
    void unary(const progress_method<Request, Response, Progress> &method, Function function)
    {
        add<Request, Response>(method, {}, dispatch::handed_over,
                               [function = std::move(function)](const Request &request, Response &response,
                                                                detail::callee &home, call_context &context) mutable {
                                   progress_writer<Progress> progress(home, context);
                                   return invoke(function, context, request, response, progress);
                               });
    }

    // FUNCTION of (const Request &). Its caller does not wait, and learns nothing of what it throws.
    template <class Request, class Function>
    void one_way(const one_way_method<Request> &method, Function function, dispatch how = dispatch::handed_over)
    {
        add<Request, detail::no_message>(method, {}, how,
                                         [function = std::move(function)](const Request &request, detail::no_message &,
                                                                          detail::callee &,
                                                                          call_context &context) mutable {
                                             return invoke(function, context, request);
                                         });
    }

    // FUNCTION of (const Request &, stream_writer<Item> &). Has a thread of its own, as all streams.
    template <class Request, class Item, class Function>
    void server_stream(const stream_method<Request, Item> &method, Function function)
    {
        add<Request, detail::no_message>(method, {false, true}, dispatch::handed_over,
                                         [function = std::move(function)](const Request &request, detail::no_message &,
                                                                          detail::callee &home,
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
        add<Request, Response>(method, {true, false}, dispatch::handed_over,
                               [function = std::move(function)](const Request &request, Response &response,
                                                                detail::callee &home, call_context &context) mutable {
                                   stream_input<In> items(home, context);
                                   return invoke(function, context, request, items, response);
                               });
    }

    // FUNCTION of (const Request &, stream_input<In> &, stream_writer<Out> &).
    template <class Request, class In, class Out, class Function>
    void duplex(const duplex_method<Request, In, Out> &method, Function function)
    {
        add<Request, detail::no_message>(method, {true, true}, dispatch::handed_over,
                                         [function = std::move(function)](const Request &request, detail::no_message &,
                                                                          detail::callee &home,
                                                                          call_context &context) mutable {
                                             stream_input<In> in(home, context);
                                             stream_writer<Out> out(home, context);
                                             return invoke(function, context, request, in, out);
                                         });
    }

    // Ok, or why a method could not be added: where there are no exceptions, which would say so at once,
    // server::try_start() and client::try_connect() do.
    const outcome &flaw() const noexcept
    {
        return flaw_;
    }

    // ---- for the library
    // ----------------------------------------------------------------------------------------------------

    // Null when there is no such method.
    detail::handler *find(uint32_t id) const noexcept
    {
        const auto found = handlers_.find(id);
        return found != handlers_.end() ? found->second.get() : nullptr;
    }

    // For the caller of a method that is not here. WHO is the name of this side.
    outcome unknown(uint32_t id, const std::string &who) const
    {
        constexpr size_t most = 1000;
        std::set<std::string> methods, services;
        for (const auto &each : handlers_) {
            methods.insert(each.second->full_name());
            services.insert(each.second->service());
        }
        std::string has = listed(methods, "nothing");
        if (has.size() > most)
            has = "methods of the services " + text::cut(listed(services, ""), most - 64);
        if (const std::string asked = of_another_version(id); !asked.empty())
            return {status::unimplemented,
                    who + " has no " + asked + ", but another version of that service; it offers " + has};
        static constexpr char digits[] = "0123456789abcdef";
        std::string number = "0x";
        for (int shift = 28; shift >= 0; shift -= 4)
            number.push_back(digits[id >> shift & 15]);
        return {status::unimplemented, who + " has no method with the id " + number + "; it offers " + has};
    }

  private:
    // A request carries a hash and no name. But if it is a method that is known here, of another version of its
    // service, that can be found out. Empty: it is not.
    std::string of_another_version(uint32_t id) const
    {
        constexpr int guessed = 20;
        for (const auto &each : handlers_) {
            const std::string own = each.second->service();
            const std::string stem = own.substr(0, own.rfind(".v"));
            for (int version = 1; version <= guessed; version++) {
                const std::string other = stem + ".v" + std::to_string(version);
                if (method_id(other, each.second->name()) == id)
                    return other + "/" + each.second->name();
            }
        }
        return {};
    }

  protected:
    // Called before a method is added: Ok when it still may be.
    virtual outcome adding() const
    {
        return {};
    }

  public:
    service() = default;
    service(const service &) = delete;
    service &operator=(const service &) = delete;
    virtual ~service() = default;

  private:
    template <class Request, class Response, class Method, class Function>
    void add(const Method &method, detail::shape kind, dispatch how, Function function)
    {
        if (outcome late = adding(); !late)
            return refuse(std::move(late));
        auto made = std::make_unique<detail::method_handler<Request, Response, Function>>(
            std::string(method.service), std::string(method.name), kind, how, std::move(function));
        const auto [place, fresh] = handlers_.try_emplace(made->id());
        if (!fresh)
            return refuse({status::invalid_argument, made->full_name() + " has the method id of " +
                                                         place->second->full_name() +
                                                         "; give one of them another name"});
        place->second = std::move(made);
    }

    // A mistake in the program.
    void refuse(outcome why)
    {
#ifndef IPC_NO_EXCEPTIONS
        if (why.code == status::invalid_argument)
            throw std::invalid_argument(why.text);
        throw std::logic_error(why.text);
#else
        if (flaw_)
            flaw_ = std::move(why);
#endif
    }

    template <class Function, class... Given>
    static constexpr bool takes =
        std::is_invocable_v<Function &, Given..., call_context &> || std::is_invocable_v<Function &, Given...>;

    // The user's function, with the context or without.
    template <class Function, class... Given>
    static auto invoke(Function &function, call_context &context, Given &...given)
    {
        if constexpr (std::is_invocable_v<Function &, Given &..., call_context &>)
            return function(given..., context);
        else
            return function(given...);
    }

    static std::string listed(const std::set<std::string> &names, const char *none)
    {
        std::string all;
        for (const std::string &each : names)
            all += (all.empty() ? "" : ", ") + each;
        return names.empty() ? none : all;
    }

    std::unordered_map<uint32_t, std::unique_ptr<detail::handler>> handlers_;
    outcome flaw_;
};

} // namespace ipc::rpc
#endif
