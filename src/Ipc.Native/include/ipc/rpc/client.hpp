// Calls a server from C++. See ../rpc.hpp for an example.
#ifndef IPC_RPC_CLIENT_HPP
#define IPC_RPC_CLIENT_HPP

#include "../dialect.hpp"

#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <type_traits>
#include <utility>

#include "caller.hpp"
#include "client_options.hpp"
#include "detail/async_call.hpp"
#include "detail/client_core.hpp"
#include "pending_call.hpp"
#include "service.hpp"

namespace ipc::rpc::detail
{

// The owner of CORE is destroyed, perhaps by code that runs on a thread of CORE's own: that thread cannot wait for
// itself, so another one does.
inline void retire(std::shared_ptr<client_core> core) noexcept
{
    if (core->close())
        return;
#ifdef IPC_NO_EXCEPTIONS
    std::thread([kept = std::move(core)] { kept->close(); }).detach();
#else
    auto *const kept = new std::shared_ptr<client_core>(std::move(core));
    try {
        std::thread([kept] {
            (*kept)->close();
            delete kept;
        }).detach();
    } catch (const std::system_error &) {
        // No thread to be had: what it would free stays.
    }
#endif
}

} // namespace ipc::rpc::detail

namespace ipc::rpc
{

// A connection to the server NAME. Any number of threads may call at once; a call polls for its own reply and allocates
// nothing beyond what its messages do. After the server's death or restart the next call connects anew.
class client : public caller
{
  public:
    // Connects, waiting for the server for options.connect_timeout. MADE is filled when it is there; otherwise
    // unavailable or unauthenticated.
    static outcome try_connect(std::string name, client_options options, std::optional<client> &made)
    {
        made.reset();
        auto core = made_for(std::move(name), std::move(options));
        outcome connected = core->connect();
        if (connected)
            made.emplace(client(std::move(core)));
        return connected;
    }

#ifndef IPC_NO_EXCEPTIONS
    // The same, but throws rpc::error.
    explicit client(std::string name, client_options options = {})
        : client(connected(made_for(std::move(name), std::move(options))))
    {
    }
#endif

    ~client()
    {
        if (client_ != nullptr)
            detail::retire(std::move(client_)); // streams that outlive the client end too
    }

    client(client &&) noexcept = default;
    client &operator=(client &&) = delete;

    // ---- without waiting: the client has a thread that reads while such calls are pending. What the server does not
    // read, and what has no connection yet, is queued, up to client_options::max_queued_bytes; beyond that the call
    // ends with resource_exhausted
    // ------------------------------------------

    template <class Request, class Response>
    pending_call<Response> call_async(const method<Request, Response> &method, const Request &request,
                                      const call_options &options = {})
    {
        (void)detail::sent_messages<Request>();
        (void)detail::received_messages<Response>();
        outcome asked;
        const call_options with = intercepted_async(method, request, options, asked);
        auto link = std::make_unique<detail::async_link>(with, prepare(method, with));
        begin(method, request, with, *link, std::move(asked));
        return pending_call<Response>(std::move(link));
    }

    template <class Request, class Response>
    pending_call<Response> call_async(const method<Request, Response> &method, const Request &request, deadline until)
    {
        return call_async(method, request, options_of(until, nullptr));
    }

    // THEN (const outcome &, Response &) is called on the client's thread, always and once, also when the request could
    // not be sent. Be quick there: responses of other asynchronous calls wait. It may call, close the client and
    // destroy it, and own the client and the canceller. What it throws the observer is told (observer::threw).
    template <class Request, class Response, class Then,
              class = std::enable_if_t<std::is_invocable_v<Then &, const outcome &, Response &>>>
    void call_async(const method<Request, Response> &method, const Request &request, Then then,
                    const call_options &options = {})
    {
        (void)detail::sent_messages<Request>();
        (void)detail::received_messages<Response>();
        outcome asked;
        const call_options with = intercepted_async(method, request, options, asked);
        const auto state = prepare(method, with);
        const std::shared_ptr<detail::async_link> link = std::make_shared<detail::async_link>(with, state);
        state->then([link, then = std::move(then)]() mutable {
            Response response;
            const outcome result = link->call->take(response);
            then(result, response);
        });
#ifdef IPC_NO_EXCEPTIONS
        begin(method, request, with, *link, std::move(asked));
#else
        try {
            begin(method, request, with, *link, std::move(asked));
        } catch (...) {
            state->forget(); // the client is closed
            throw;
        }
#endif
    }

    // Requests, items and one-way calls of this thread go out together at the end of the scope.
    [[nodiscard]] rpc::batch batch()
    {
        return rpc::batch(client_);
    }

    // The process that serves this connection; 0 while there is none.
    int32_t server_pid()
    {
        return client_->server_pid();
    }

    // Ends pending calls with status::unavailable; later ones throw ipc::error(IPC_CLOSED), or without exceptions fail
    // with failed_precondition. Returns when completions and handlers have; but on a thread of the client's own, that
    // is in one of these or in on_connection, at once. Any thread, also several.
    void close() noexcept
    {
        client_->close();
    }

  private:
    static std::shared_ptr<detail::client_core> made_for(std::string name, client_options options)
    {
        std::shared_ptr<detail::method_table> services = options.services;
        return std::make_shared<detail::client_core>(std::move(name), std::move(options), std::move(services));
    }

    std::shared_ptr<detail::async_call> prepare(const detail::method_name &method, const call_options &options)
    {
        return std::make_shared<detail::async_call>(client_, method,
                                                    detail::observe(client_->watcher(), method, options));
    }

    // What the interceptors make of the options; of what they say when they do not pass the call on, ASKED.
    call_options intercepted_async(const detail::method_name &method, const message &request,
                                   const call_options &options, outcome &asked)
    {
        call_options with = options;
        if (client_->interceptors() == nullptr)
            return with;
        bool passed = false;
        asked = intercepted(method, outgoing_call::shape::asynchronous, request, nullptr, options,
                            [&](calling &, const call_options &chosen) {
                                with = chosen;
                                passed = true;
                                return outcome();
                            });
        if (asked && !passed)
            asked = {status::failed_precondition, "an interceptor did not pass the call on"};
        return with;
    }

    void begin(const detail::method_name &method, const message &request, const call_options &options,
               const detail::async_link &link, outcome good)
    {
        std::string head;
        if (good)
            good = detail::request_head(detail::observed(options, link.call->seen()), head);
        detail::asking what;
        what.called = &method;
        what.body = detail::payload(request, head);
        what.answered = options.received;
        link.call->begin(what, link.limits, options.received, good);
    }

#ifndef IPC_NO_EXCEPTIONS
    static std::shared_ptr<detail::client_core> connected(std::shared_ptr<detail::client_core> core)
    {
        if (const outcome result = core->connect(); !result)
            throw error(result);
        return core;
    }
#endif

    explicit client(std::shared_ptr<detail::client_core> core) : caller(core), client_(std::move(core))
    {
        client_->begin_life();
    }

    std::shared_ptr<detail::client_core> client_;
};

} // namespace ipc::rpc
#endif
