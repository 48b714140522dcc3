// Calls a server from C++. See ../rpc.hpp for an example.
#ifndef IPC_RPC_CLIENT_HPP
#define IPC_RPC_CLIENT_HPP

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "call_scope.hpp"
#include "client_core.hpp"
#include "codec.hpp"
#include "method.hpp"
#include "stream_reader.hpp"

namespace ipc::rpc
{

// A connection to the server NAME. Any number of threads may call at once; a call polls for its own reply and allocates
// nothing beyond what its messages do. After the server's death or restart the next call connects anew.
class client
{
  public:
    // Connects, waiting for the server for options.connect_timeout. Throws rpc::error (unavailable, unauthenticated).
    explicit client(std::string name, client_options options = {})
        : core_(std::make_shared<detail::client_core>(std::move(name), std::move(options)))
    {
    }

    ~client()
    {
        if (core_ != nullptr)
            core_->close(); // streams that outlive the client end too
    }

    client(client &&) noexcept = default;
    client &operator=(client &&) = delete;

    // Calls and waits for the response. Throws rpc::error: what the handler reported, or deadline_exceeded, cancelled,
    // unavailable.
    template <class Request, class Response>
    Response call(const method<Request, Response> &method, const Request &request, deadline until = deadline::never(),
                  canceller *cancel = nullptr)
    {
        Response response;
        if (const outcome result = try_call(method, request, response, until, cancel); !result)
            throw error(result);
        return response;
    }

    template <class Response, class Request>
    Response call(std::string_view service, std::string_view name, const Request &request,
                  deadline until = deadline::never(), canceller *cancel = nullptr)
    {
        return call(method<Request, Response>(service, name), request, until, cancel);
    }

    // The same without exceptions for what happens to calls. RESPONSE may be used again and again: its memory is kept.
    template <class Request, class Response>
    outcome try_call(const method<Request, Response> &method, const Request &request, Response &response,
                     deadline until = deadline::never(), canceller *cancel = nullptr)
    {
        detail::pending *entry = nullptr;
        const detail::registration registered(cancel, *core_, entry);
        const uint64_t size = size_of(request);
        auto held = core_->lock();
        outcome result = core_->begin(
            held, method.id, 0, size, [&](uint8_t *place) { write(request, place); }, until, cancel, entry);
        if (!result)
            return result;
        const detail::presence inside(*core_, held);
        detail::arrival body;
        result = core_->receive(held, *entry, until, cancel, body);
        if (body) {
            if (!parse(response, body.data(), body.size()))
                result = {status::internal, not_a(response, "response", body.size())};
            core_->settle(held, *entry, body);
        }
        core_->end(*entry);
        return result;
    }

    // Asks for a stream. UNTIL bounds the whole stream. Throws rpc::error when the request cannot be sent.
    template <class Request, class Item>
    stream_reader<Item> stream(const stream_method<Request, Item> &method, const Request &request,
                               deadline until = deadline::never(), canceller *cancel = nullptr)
    {
        detail::pending *entry = nullptr;
        const detail::registration registered(cancel, *core_, entry);
        const uint64_t size = size_of(request);
        auto held = core_->lock();
        const auto window = std::max<uint16_t>(1, core_->options().stream_window);
        const outcome result = core_->begin(
            held, method.id, window, size, [&](uint8_t *place) { write(request, place); }, until, cancel, entry);
        if (!result)
            throw error(result);
        return stream_reader<Item>(core_, *entry, until, cancel);
    }

    template <class Item, class Request>
    stream_reader<Item> stream(std::string_view service, std::string_view name, const Request &request,
                               deadline until = deadline::never(), canceller *cancel = nullptr)
    {
        return stream(stream_method<Request, Item>(service, name), request, until, cancel);
    }

    // The process that serves this connection; 0 while there is none.
    int32_t server_pid()
    {
        return core_->server_pid();
    }

    // Ends pending calls with status::unavailable; later ones throw ipc::error(IPC_CLOSED). Any thread.
    void close() noexcept
    {
        core_->close();
    }

  private:
    std::shared_ptr<detail::client_core> core_;
};

} // namespace ipc::rpc
#endif
