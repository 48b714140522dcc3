// Serves calls that come over a RabbitMQ broker, from C++. See ../amqp.hpp for an example.
#ifndef IPC_RPC_AMQP_SERVER_HPP
#define IPC_RPC_AMQP_SERVER_HPP

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "../service.hpp"
#include "detail/server_arrivals.hpp"
#include "detail/server_core.hpp"
#include "options.hpp"

namespace ipc::rpc::amqp
{

// Methods offered at a broker: as rpc::server, with an address instead of a name. Any number of servers, on any machines
// and in C++ or C#, share a service: the broker gives each request to one of them, again if that one goes before it has
// answered (docs/guide/many-machines.md).
//
// Handlers run on threads of the server's own, server_options::prefetch requests and server_options::max_streams streams at
// once. Reports of progress are dropped, and call_context::caller() fails with unimplemented: a broker has no way for them.
class server : public service
{
  public:
    // ADDRESS: "amqp://USER:PASSWORD@HOST:PORT/VHOST/SERVICE"; amqps is TLS; several nodes of a broker are separated by
    // commas.
    explicit server(const std::string &address, server_options options = {})
    {
        detail::address to;
        wrong_ = detail::address::parse(address, to);
        if (wrong_)
            wrong_ = detail::checked(options);
        if (!wrong_)
            return;
        core_ = std::make_unique<detail::server_core>(std::move(to), std::move(options), *this);
    }

    ~server() override
    {
        stop();
    }

    // Connects, declares what the service needs, and takes requests. Invalid_argument: it is no address, an option cannot
    // be, or a method could not be added; unavailable, unauthenticated, failed_precondition: the broker cannot be reached,
    // or refuses, or has the queues as another kind. Once there was a connection it comes back by itself.
    outcome try_start()
    {
        if (!wrong_)
            return wrong_;
        return flaw() ? core_->start() : flaw();
    }

#ifndef IPC_NO_EXCEPTIONS
    // The same, but throws rpc::error.
    void start()
    {
        if (const outcome started = try_start(); !started)
            throw error(started);
    }
#endif

    // Ends the streams with unavailable, cancels what runs, and waits for the handlers to return. What they have not
    // answered the broker gives to somebody else. Not from a handler, or a function of the options.
    void stop() noexcept
    {
        if (core_ != nullptr)
            core_->stop();
    }

    // The same in good order: takes no more requests, and waits until those in hand have been answered and the streams
    // have ended, or UNTIL. Then it stops.
    void stop(deadline until) noexcept
    {
        if (core_ != nullptr)
            core_->stop(until);
    }

    // How many messages were put into the dead-letter queue.
    uint64_t dead_letters() const noexcept
    {
        return core_ != nullptr ? core_->dead_letters() : 0;
    }

  private:
    outcome adding() const override
    {
        if (core_ != nullptr && core_->is_started())
            return {status::failed_precondition, "methods are added before the server starts"};
        return {};
    }

    outcome wrong_;
    std::unique_ptr<detail::server_core> core_;
};

} // namespace ipc::rpc::amqp
#endif
