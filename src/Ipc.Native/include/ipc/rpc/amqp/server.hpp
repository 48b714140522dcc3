// Serves calls that come over a RabbitMQ broker, from C++. See ../amqp.hpp for an example.
#ifndef IPC_RPC_AMQP_SERVER_HPP
#define IPC_RPC_AMQP_SERVER_HPP

#include "../../dialect.hpp"

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

// Methods offered at a broker, added as to rpc::server. Any number of servers, on any machines and in C++ or C#, share
// a service: the broker gives each request to one of them, again if that one goes before it has answered
// (docs/guide/many-machines.md). Not copied or moved.
//
// Handlers run on threads of the server's own, any number at once as far as server_options::prefetch and max_streams
// allow: what they share needs guarding. `dispatch` has no effect: no handler runs on the thread that reads. Reports of
// progress are dropped. A handler does not know who calls: peer_pid() is 0, peer_user() IPC_NO_USER, hello() empty, and
// calls of call_context::caller() fail with unimplemented. Who may publish to the queue may call.
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

    // Connects, declares what the service needs, and takes requests. Blocks until the first attempt has succeeded or
    // failed (options::connect_timeout). Once only: after a failure, and after stop(), make another server. Fails with
    //   invalid_argument     the address or an option is wrong (the constructor does not say so), or a method
    //   unavailable          no broker can be reached, or its certificate is not trusted; Ok with wait_for_broker
    //   unauthenticated      the broker refuses the user, the password, the virtual host or a right
    //   failed_precondition  the queues are there as another kind; the file `authorities` cannot be read; it was
    //   started
    //                        before
    //   resource_exhausted   the system has no thread, file or memory for it
    // Later it connects again by itself, whatever the reason was: on_connection tells.
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

    // Ends the streams with unavailable, closes the connection, cancels what runs (call_context::cancelled()), and
    // waits without a limit for the handlers to return. What has not been answered by then the broker gives to another
    // server, marked. Any number of threads: each returns when that is done. Does nothing before start(). From a
    // handler, an interceptor, the observer or a function of the options it ends the process (std::terminate). The
    // destructor does the same.
    void stop() noexcept
    {
        if (core_ != nullptr)
            core_->stop();
    }

    // The same in good order: takes no more requests, and waits until those that it has are answered and the streams
    // have ended, until UNTIL, or until the connection is lost. Then it is stop(): a handler that does not return holds
    // it up beyond UNTIL. If another thread has stopped the server, or is doing so, it returns at once.
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
