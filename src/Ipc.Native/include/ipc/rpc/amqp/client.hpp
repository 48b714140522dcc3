// Calls a service over a RabbitMQ broker, from C++. See ../amqp.hpp for an example.
#ifndef IPC_RPC_AMQP_CLIENT_HPP
#define IPC_RPC_AMQP_CLIENT_HPP

#include "../../dialect.hpp"

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "../caller.hpp"
#include "detail/client_arrivals.hpp"
#include "detail/client_core.hpp"
#include "detail/client_sending.hpp"
#include "options.hpp"

namespace ipc::rpc::amqp
{

// A connection to a broker, for the calls of one service: what rpc::caller has, and none of rpc::client's call_async(),
// batch(), server_pid() and callbacks. Any number of threads may call at once. When the broker goes, calls that are
// under way end with unavailable (whether they were handled is not known), and the client comes back by itself.
//
// A one-way call returns when the broker has confirmed it. Its deadline limits that wait, and is the message's
// expiration too: a request that no server has taken by then is dropped. Calls have no timeout of their own: without a
// deadline one waits as long as it takes, say while the broker has an alarm. Without a connection calls fail at once,
// unavailable and outcome::unsent, unless options say wait_for_ready. Reports of progress do not come.
class client : public caller
{
  public:
    // ADDRESS: as of server. Blocks until the first attempt has succeeded or failed (options::connect_timeout), and
    // does not try again after a failure; with wait_for_ready it returns at once, and calls fail or wait. MADE is
    // filled when that went well; else invalid_argument (the address, an option), unavailable, unauthenticated (user,
    // password, virtual host, a right), failed_precondition (the file `authorities`), resource_exhausted (no thread,
    // file or memory). With wait_for_ready only unauthenticated ends calls; any other reason only on_connection tells.
    static outcome try_connect(const std::string &address, client_options options, std::optional<client> &made)
    {
        made.reset();
        detail::address to;
        if (outcome wrong = detail::address::parse(address, to); !wrong)
            return wrong;
        if (outcome wrong = detail::checked(options); !wrong)
            return wrong;
        auto core = std::make_shared<detail::client_core>(std::move(to), std::move(options));
        outcome connected = core->connect();
        if (connected)
            made.emplace(client(std::move(core)));
        return connected;
    }

#ifndef IPC_NO_EXCEPTIONS
    // The same, but throws rpc::error.
    explicit client(const std::string &address, client_options options = {})
        : client(connected(address, std::move(options)))
    {
    }
#endif

    ~client()
    {
        close();
    }

    client(client &&other) noexcept = default;
    client &operator=(client &&) = delete;

    // Ends pending calls and streams with unavailable; later ones fail with failed_precondition. Waits for the
    // connection to be closed, some seconds at most, and for on_connection to return; not for an attempt to connect,
    // whose thread ends by itself when the attempt does. Not for calls of other threads: they must have returned before
    // the client is destroyed. Streams may outlive it. Any thread; while one closes, others return at once. From
    // on_connection it ends the process (std::terminate). The destructor does the same.
    void close() noexcept
    {
        if (client_ != nullptr)
            client_->close();
    }

  private:
    explicit client(std::shared_ptr<detail::client_core> core) : caller(core), client_(std::move(core))
    {
    }

#ifndef IPC_NO_EXCEPTIONS
    static std::shared_ptr<detail::client_core> connected(const std::string &address, client_options options)
    {
        detail::address to;
        outcome result = detail::address::parse(address, to);
        if (result)
            result = detail::checked(options);
        std::shared_ptr<detail::client_core> core;
        if (result) {
            core = std::make_shared<detail::client_core>(std::move(to), std::move(options));
            result = core->connect();
        }
        if (!result)
            throw error(result);
        return core;
    }
#endif

    std::shared_ptr<detail::client_core> client_;
};

} // namespace ipc::rpc::amqp
#endif
