// Serves calls from C++. See ../rpc.hpp for an example.
#ifndef IPC_RPC_SERVER_HPP
#define IPC_RPC_SERVER_HPP

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "server_core.hpp"
#include "service.hpp"

namespace ipc::rpc
{

// Methods offered under a name. Add them, start(), and let it live.
//
// A unary handler runs on the thread that read its request, at once. It may block: after about a millisecond another
// thread takes over everything else. Several handlers run at the same time then, also for one client, so what they
// share needs guarding. Streams have threads of their own.
class server : public service
{
  public:
    explicit server(std::string name, server_options options = {})
        : core_(std::make_unique<detail::server_core>(std::move(name), std::move(options), *this))
    {
    }

    ~server() override
    {
        stop();
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
    void adding() override
    {
        if (core_->is_started())
            throw std::logic_error("methods are added before the server starts");
    }

    std::unique_ptr<detail::server_core> core_;
};

} // namespace ipc::rpc
#endif
