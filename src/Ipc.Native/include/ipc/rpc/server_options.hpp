// What a server may be told when it is made.
#ifndef IPC_RPC_SERVER_OPTIONS_HPP
#define IPC_RPC_SERVER_OPTIONS_HPP

#include "../dialect.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "../../ipc.hpp"
#include "observer.hpp"
#include "server_interceptor.hpp"

namespace ipc::rpc
{

// Who wants to connect.
struct client_info {
    int32_t pid; // as the client says
    std::string_view hello;
    uint32_t user = IPC_NO_USER; // as the kernel says: who made the connection; IPC_NO_USER on Windows
};

struct server_options {
    uint32_t max_connections = 0;   // 1 to 16383; 0 = 1023
    uint64_t max_ring_capacity = 0; // bytes; 0 = 64 MiB. A client that asks for more is refused
    // Bytes, of a direction; 0 = 1 GiB (32 bit: 8 MiB). A client that asks for more is refused
    uint64_t max_loan_budget = 0;
    ipc::access access; // who may connect, for a name of the machine (`machine/NAME`)
    wait_mode wait = IPC_WAIT_ADAPTIVE;
    // Takes the name of a live server that was started with it too, and lets the next one take its own: then this one
    // stops in good order, without a limit, and wait() returns. Linux only.
    bool take_over = false;
    // Blocked handlers and streams take one each; a stream is refused when its client has more calls than are left.
    unsigned max_threads = 256;
    uint32_t max_callbacks = 65535; // calls to one client that may be pending at once
    // Items that a client may be ahead of the reader of its stream. Besides, 64 KiB, which become more, up to 4 MiB,
    // when it is seen that a reader waits for them to.
    uint16_t stream_window = 65535;
    unsigned max_calls_per_connection =
        64;                            // blocked handlers of one client, beyond which it is not read until one returns
    unsigned max_concurrent_calls = 0; // handlers and streams at once, of all clients; 0: any number. Others wait
    bool ordered_calls = false;        // the calls of one connection run one after another, in their order
    // Of one connection's requests that were read and wait for that. While more do it is not read; where it has to be,
    // for a call of it that has streams or waits for its client, further requests end with resource_exhausted
    uint64_t max_held_bytes = 64ull << 20;
    std::chrono::nanoseconds send_timeout =
        std::chrono::seconds(30); // a client that does not read for so long is cut off
    uint64_t max_unsent_bytes =
        256ull << 20; // of answers that wait for room in a client's ring and loans; with more it is cut off, too
    // The reason to refuse a client; empty: it is welcome. Runs on the thread that watches all connections: be quick.
    std::function<std::string(const client_info &)> refuse;
    std::shared_ptr<rpc::observer> observer; // told of calls that are served, and of callbacks
    // Look at every call that is served, the first one outermost.
    std::vector<std::shared_ptr<server_interceptor>> interceptors;
};

} // namespace ipc::rpc
#endif
