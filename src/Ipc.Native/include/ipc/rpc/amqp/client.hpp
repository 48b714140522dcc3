// Calls a service over a RabbitMQ broker, from C++. See ../amqp.hpp for an example.
#ifndef IPC_RPC_AMQP_CLIENT_HPP
#define IPC_RPC_AMQP_CLIENT_HPP

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

// A connection to a broker, for the calls of one service: as rpc::client, with an address instead of a name. Any number of
// threads may call at once. When the broker goes, calls that are under way end with unavailable (whether they were handled
// is not known), and the client comes back by itself.
//
// A one-way call returns when the broker has confirmed it. Reports of progress do not come, and there is no call_async().
class client : public caller
{
  public:
    // ADDRESS: as of server. Connects, within options.connect_timeout; with wait_for_ready it does not wait. MADE is filled
    // when that went well; else invalid_argument (the address, an option), unavailable or unauthenticated.
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

    // Ends pending calls and streams with unavailable; later ones fail with failed_precondition. Any thread, also several,
    // but not from a function of the options.
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
