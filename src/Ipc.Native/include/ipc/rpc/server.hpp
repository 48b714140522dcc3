// Serves calls from C++. See ../rpc.hpp for an example.
#ifndef IPC_RPC_SERVER_HPP
#define IPC_RPC_SERVER_HPP

#include <memory>
#include <string>
#include <utility>

#include "method.hpp"
#include "server_core.hpp"

namespace ipc::rpc
{

// Methods offered under a name. Add them, start(), and let it live.
//
// A handler runs on the thread that read its request, at once. It may block: after about a millisecond another thread
// takes over everything else. Several handlers run at the same time then, also for one client, so what they share needs
// guarding. What a handler throws reaches the caller: rpc::error with its status, any other exception as
// status::unknown with its type and text.
class server
{
  public:
    explicit server(std::string name, server_options options = {})
        : core_(std::make_unique<detail::server_core>(std::move(name), std::move(options)))
    {
    }

    // FUNCTION: void, rpc::status or rpc::outcome from (const Request &, Response &) or (const Request &, Response &,
    // call_context &).
    template <class Request, class Response, class Function>
    void unary(std::string service, std::string name, Function function)
    {
        core_->add(std::make_unique<detail::unary_handler<Request, Response, Function>>(
            std::move(service), std::move(name), std::move(function)));
    }

    template <class Request, class Response, class Function>
    void unary(const method<Request, Response> &method, Function function)
    {
        unary<Request, Response>(std::string(method.service), std::string(method.name), std::move(function));
    }

    // FUNCTION: void, rpc::status or rpc::outcome from (const Request &, stream_writer<Item> &, call_context &). Has a
    // thread of its own.
    template <class Request, class Item, class Function>
    void server_stream(std::string service, std::string name, Function function)
    {
        core_->add(std::make_unique<detail::stream_handler<Request, Item, Function>>(
            std::move(service), std::move(name), std::move(function)));
    }

    template <class Request, class Item, class Function>
    void server_stream(const stream_method<Request, Item> &method, Function function)
    {
        server_stream<Request, Item>(std::string(method.service), std::string(method.name), std::move(function));
    }

    // Opens the name and serves, on threads of its own. Throws ipc::error (IPC_E_IN_USE: there is a live server of that
    // name).
    void start()
    {
        core_->start();
    }

    // Until stop(). Throws ipc::error when the server cannot go on.
    void wait()
    {
        core_->wait();
    }

    // Cancels what runs, waits for the handlers to return, closes all connections. Not from a handler.
    void stop() noexcept
    {
        core_->stop();
    }

  private:
    std::unique_ptr<detail::server_core> core_;
};

} // namespace ipc::rpc
#endif
