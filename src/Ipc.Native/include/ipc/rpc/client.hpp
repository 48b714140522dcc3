// Calls a server from C++. See ../rpc.hpp for an example.
#ifndef IPC_RPC_CLIENT_HPP
#define IPC_RPC_CLIENT_HPP

#include <memory>
#include <string>
#include <utility>

#include "caller.hpp"
#include "client_core.hpp"

namespace ipc::rpc
{

// A connection to the server NAME. Any number of threads may call at once; a call polls for its own reply and allocates
// nothing beyond what its messages do. After the server's death or restart the next call connects anew.
class client : public caller
{
  public:
    // Connects, waiting for the server for options.connect_timeout. Throws rpc::error (unavailable, unauthenticated).
    explicit client(std::string name, client_options options = {})
        : client(std::make_shared<detail::client_core>(std::move(name), std::move(options)))
    {
    }

    ~client()
    {
        if (client_ != nullptr)
            client_->close(); // streams that outlive the client end too
    }

    client(client &&) noexcept = default;
    client &operator=(client &&) = delete;

    // The process that serves this connection; 0 while there is none.
    int32_t server_pid()
    {
        return client_->server_pid();
    }

    // Ends pending calls with status::unavailable; later ones throw ipc::error(IPC_CLOSED). Any thread that is not the
    // client's own.
    void close() noexcept
    {
        client_->close();
    }

  private:
    explicit client(std::shared_ptr<detail::client_core> core) : caller(core), client_(std::move(core))
    {
    }

    std::shared_ptr<detail::client_core> client_;
};

} // namespace ipc::rpc
#endif
