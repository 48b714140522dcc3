// How a client gets its connection, and how it says why it lost it.
#ifndef IPC_RPC_DETAIL_CLIENT_CONNECT_HPP
#define IPC_RPC_DETAIL_CLIENT_CONNECT_HPP

#include <cstdint>
#include <string>

#include "../../../ipc.hpp"
#include "../client_options.hpp"
#include "../status.hpp"

namespace ipc::rpc::detail
{

// Who has so little time waits for a server; who has more learns at once that there is none, and may ask again.
inline bool is_hurried(deadline until) noexcept
{
    return until.at() < ipc_deadline_after(5'000'000'000u);
}

inline outcome open_connection(const std::string &name, const client_options &options, ipc_deadline until,
                               ipc_cancel *cancel, connection &made)
{
    ipc_connect_options how{};
    how.to_server_capacity = options.to_server_capacity;
    how.to_client_capacity = options.to_client_capacity;
    how.loan_budget = options.loan_budget;
    how.wait_mode = options.wait;
    how.deadline = until;
    how.cancel = cancel;
    how.hello = options.hello.data();
    how.hello_length = static_cast<uint32_t>(options.hello.size());
    const ipc::status code = connection::try_connect(name, how, made);
    if (code == IPC_OK)
        return {};
    const std::string text = "cannot connect to \"" + name + "\": " + ipc_status_name(code) + ", " + ipc_last_error();
    return {code == IPC_E_REFUSED ? status::unauthenticated : status::unavailable, text};
}

// CODE is why the ring of LOST cannot be used any more. On the thread that got CODE.
inline outcome why_lost(const std::string &name, const connection &lost, ipc::status code)
{
    const std::string server = "the server of \"" + name + "\" (process " + std::to_string(lost.peer_pid()) + ") ";
    if (code == IPC_PEER_DIED)
        return {status::unavailable, server + "died"};
    if (code == IPC_E_CORRUPT)
        return {status::data_loss, server + "wrote what is not a ring: " + ipc_last_error()};
    if (code != IPC_PEER_CLOSED)
        return {status::unavailable, std::string("the connection was lost: ") + ipc_status_name(code)};
    const std::string text = lost.close_text();
    return {status::unavailable, server + "closed the connection" + (text.empty() ? "" : ": " + text)};
}

} // namespace ipc::rpc::detail
#endif
