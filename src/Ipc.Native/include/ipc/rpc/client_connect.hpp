// How a client gets its connection, and how it says why it lost it.
#ifndef IPC_RPC_CLIENT_CONNECT_HPP
#define IPC_RPC_CLIENT_CONNECT_HPP

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "../../ipc.hpp"
#include "observer.hpp"
#include "status.hpp"

namespace ipc::rpc
{

class service;

// The connection came or went.
struct connection_change {
    bool connected = false; // false: lost
    int32_t server_pid = 0;
    std::string reason; // why it was lost
};

struct client_options {
    uint64_t to_server_capacity = 0; // bytes, power of two; 0 = 256 KiB
    uint64_t to_client_capacity = 0;
    // For requests (and as much for responses) longer than half of their ring; 0 = 256 MiB, IPC_NO_LOANS = none
    uint64_t loan_budget = 0;
    wait_mode wait = IPC_WAIT_ADAPTIVE;
    std::chrono::nanoseconds connect_timeout =
        std::chrono::seconds(5);  // how long the constructor waits for the server; 0: not
    bool auto_reconnect = true;   // a call after the server's death connects to its successor
    uint32_t max_pending = 65535; // calls and streams at once
    // Of requests of asynchronous calls that wait for room in the ring, or for a connection; beyond that such calls
    // end with resource_exhausted
    uint64_t max_queued_bytes = 16 << 20;
    // Of what callbacks are refused with that waits for a server that does not read; beyond that the connection ends
    uint64_t max_unsent_bytes = 256ull << 20;
    // Items that the server may be ahead of the reader of a stream. Besides, 64 KiB, which become more, up to 4 MiB,
    // when it is seen that a reader waits for them to.
    uint16_t stream_window = 65535;
    std::string hello; // what the server gets to see when it decides; at most 240 bytes
    // What the server may call. With it the client has a thread that reads when no caller does, and threads for
    // handlers.
    std::shared_ptr<rpc::service> services;
    unsigned max_threads = 64; // for those handlers
    // Told of every connection and of its end, as soon as it ends, in order, on a thread of the client: be quick.
    std::function<void(const connection_change &)> on_connection;
    std::shared_ptr<rpc::observer> observer; // told of calls, and of callbacks that are served here
};

namespace detail
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

} // namespace detail
} // namespace ipc::rpc
#endif
