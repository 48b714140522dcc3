// Whether a server takes a client, by what its user says.
#ifndef IPC_RPC_DETAIL_WHY_REFUSED_HPP
#define IPC_RPC_DETAIL_WHY_REFUSED_HPP

#include <cstdint>
#include <string>

#include "../../../ipc.hpp"
#include "../server_options.hpp"
#include "../status.hpp"
#include "guarded.hpp"

namespace ipc::rpc::detail
{

// Empty: ASKING is welcome.
inline std::string why_refused(const server_options &options, ipc_connection *asking)
{
    if (!options.refuse)
        return {};
    uint32_t length = 0;
    const auto *hello = static_cast<const char *>(ipc_connection_hello(asking, &length));
    const client_info who{ipc_connection_peer_pid(asking), {hello, length}, ipc_connection_peer_user(asking)};
    std::string reason;
    const outcome asked = guarded([&] { reason = options.refuse(who); });
    return asked ? reason : asked.text;
}

} // namespace ipc::rpc::detail
#endif
