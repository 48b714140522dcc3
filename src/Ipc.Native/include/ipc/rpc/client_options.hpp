// What a client may be told when it is made.
#ifndef IPC_RPC_CLIENT_OPTIONS_HPP
#define IPC_RPC_CLIENT_OPTIONS_HPP

#include "../dialect.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "../../ipc.hpp"
#include "client_interceptor.hpp"
#include "observer.hpp"

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
    uint64_t to_client_capacity = 512u << 10; // 0 = 256 KiB. Larger: items of streams may take 3/8 of it
    // For requests (and as much for responses) longer than half of their ring; 0 = 256 MiB (32 bit: 8),
    // IPC_NO_LOANS = none
    uint64_t loan_budget = 0;
    ipc::access access; // whose server it may be, for a name of the machine (`machine/NAME`): this user's, root's
    wait_mode wait = IPC_WAIT_ADAPTIVE;
    std::chrono::nanoseconds connect_timeout =
        std::chrono::seconds(5); // how long the constructor waits for the server; 0: not
    // A call after the server's end connects to its successor. A synchronous call that a server did not handle before
    // it ended in good order is made again there, if that one comes within connect_timeout; but not one that the
    // handler of a callback makes, for which the server may wait before it ends
    bool auto_reconnect = true;
    // A call without a server waits for one as long as its deadline allows, and an asynchronous call that was not
    // handled is made again, too, for which a copy of its request is kept. Else it waits only when its deadline is less
    // than 5 s away, and fails at once with unavailable otherwise
    bool wait_for_ready = false;
    uint32_t max_pending = 65535; // calls and streams at once
    // Of requests of asynchronous calls that wait for room in the ring, or for a connection; beyond that further calls
    // end with resource_exhausted. Those that are made again may be more
    uint64_t max_queued_bytes = 16 << 20;
    // Of what callbacks are refused with, and of credit for their streams, that waits for a server that does not read;
    // beyond that the connection ends
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
    // Stand around every call of the client, the first one outermost; the observer is told what they pass on.
    std::vector<std::shared_ptr<client_interceptor>> interceptors;
};

} // namespace ipc::rpc
#endif
