// Serves calls from C++. See ../rpc.hpp for an example.
#ifndef IPC_RPC_SERVER_HPP
#define IPC_RPC_SERVER_HPP

#include "../dialect.hpp"

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "detail/server_core.hpp"
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

    // Opens the name and serves, on threads of its own. Already_exists: there is a live server of that name;
    // failed_precondition, invalid_argument: it was started before, or a method could not be added; resource_exhausted:
    // the system has no thread for it.
    outcome try_start()
    {
        if (!flaw())
            return flaw();
        ipc::status code = IPC_OK;
        return core_->start(code);
    }

    // Until stop(): Ok. Unavailable when the server cannot go on.
    outcome try_wait()
    {
        ipc::status code = IPC_OK;
        return core_->wait(code);
    }

#ifndef IPC_NO_EXCEPTIONS
    // The same, but throws ipc::error (IPC_E_IN_USE: there is a live server of that name).
    void start()
    {
        ipc::status code = IPC_OK;
        const outcome started = core_->start(code);
        if (code != IPC_OK)
            throw ipc::error(code, started.text);
        if (!started)
            throw std::logic_error(started.text);
    }

    // The same, but throws ipc::error when the server cannot go on.
    void wait()
    {
        ipc::status code = IPC_OK;
        const outcome ended = core_->wait(code);
        if (!ended)
            throw ipc::error(code, ended.text);
    }
#endif

    // Cancels what runs, waits for the handlers to return, closes all connections. Any number of threads may call it:
    // each returns when that is done. From one of the server's own threads (a handler, the observer, `refuse`) it only
    // begins to: whoever stops it next, or destroys it, waits. Its own handlers must not destroy it.
    void stop() noexcept
    {
        core_->stop();
    }

    // The same in good order, for a server that another one follows: it takes no further calls or clients, and waits
    // until what runs has ended and was answered, or UNTIL. Then it stops. A call whose request it did not take is made
    // again by its client, of the next server (client_options::auto_reconnect, wait_for_ready). From one of its own
    // threads it is stop().
    void stop(deadline until) noexcept
    {
        core_->stop(until);
    }

  private:
    outcome adding() const override
    {
        if (core_->is_started())
            return {status::failed_precondition, "methods are added before the server starts"};
        return {};
    }

    std::unique_ptr<detail::server_core> core_;
};

} // namespace ipc::rpc
#endif
