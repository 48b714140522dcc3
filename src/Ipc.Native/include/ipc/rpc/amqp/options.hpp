// What clients and servers of a service at a RabbitMQ broker may be told when they are made. The twin of
// RabbitMqClientOptions and RabbitMqServerOptions of C#, with the same defaults.
#ifndef IPC_RPC_AMQP_OPTIONS_HPP
#define IPC_RPC_AMQP_OPTIONS_HPP

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "../client_interceptor.hpp"
#include "../observer.hpp"
#include "../server_interceptor.hpp"
#include "../status.hpp"

namespace ipc::rpc::amqp
{

// There is a connection to the broker, or it was lost, or an attempt failed for another reason than the one before.
struct connection_change {
    bool connected = false;
    std::string reason; // why not; without the password
};

// What both have.
struct options {
    // One attempt to connect may take so long, with several nodes a share of it at each; so may an answer of the broker
    std::chrono::milliseconds connect_timeout = std::chrono::seconds(10);
    // How often both ends say that they are alive; a connection without a sign of life is given up after twice that
    std::chrono::seconds heartbeat = std::chrono::seconds(10);
    // The pause before the broker is tried again; it doubles up to the longest one, and each is shortened at random by
    // up to a half
    std::chrono::milliseconds first_pause = std::chrono::milliseconds(100);
    std::chrono::milliseconds longest_pause = std::chrono::seconds(5);
    // Of one message. A larger one is refused before it is sent, with resource_exhausted, and so is one that comes
    uint32_t max_message_bytes = 16u << 20;
    // For amqps: who has signed the broker's certificate, a file in PEM
    std::string authorities = "/etc/ssl/certs/ca-certificates.crt";
    // On the thread of the connection: be quick. It may not close the client or stop the server
    std::function<void(const connection_change &)> on_connection;
    std::shared_ptr<rpc::observer> observer; // told of calls
};

struct client_options : options {
    // Calls, streams and one-way calls wait for a connection and for a server, as long as their deadlines allow, instead
    // of failing with unavailable; not for a broker that refuses the user
    bool wait_for_ready = false;
    uint32_t max_pending = 65'536; // calls and streams at once
    // Items that a server may be ahead of the reader of a stream; besides 1 MiB, where each counts for 64 bytes more
    uint16_t stream_window = 512;
    // A server ends a stream of whose client it hears nothing for so long; 1 s to an hour
    std::chrono::milliseconds stream_lease = std::chrono::seconds(15);
    // Stand around every call, the first one outermost; the observer is told what they pass on
    std::vector<std::shared_ptr<client_interceptor>> interceptors;
};

// What was put into the queue ipc.SERVICE.dead.
struct dead_letter {
    std::string message_id;
    std::string method;
    std::string reason; // begins with "foreign:", "poison:" or "failed:"
};

struct server_options : options {
    uint16_t prefetch = 64; // requests in hand at once; each has a thread until its handler returns
    // A request that the broker has delivered more often is set aside: its servers went each time
    uint32_t max_deliveries = 20;
    // start() does not fail when the broker cannot be reached: it is tried again and again
    bool wait_for_broker = false;
    bool classic_queues = false; // else quorum queues: all servers of a service choose the same
    // Items that a client may be ahead of the reader of its stream; besides 1 MiB
    uint16_t stream_window = 512;
    uint32_t max_streams = 1024; // each has a thread; further ones fail with resource_exhausted
    // Told of what nobody could handle when the broker has it in that queue, on the thread of the connection: be quick
    std::function<void(const dead_letter &)> dead_lettered;
    // Look at every call that is served, the first one outermost
    std::vector<std::shared_ptr<server_interceptor>> interceptors;
};

namespace detail
{

inline outcome wrong_option(const char *name, const char *allowed)
{
    return {status::invalid_argument, std::string("the option ") + name + " is " + allowed};
}

inline outcome checked(const options &with)
{
    constexpr std::chrono::hours longest{1};
    if (with.connect_timeout < std::chrono::milliseconds(1) || with.connect_timeout > longest)
        return wrong_option("connect_timeout", "1 ms to an hour");
    if (with.heartbeat < std::chrono::seconds(1) || with.heartbeat > longest)
        return wrong_option("heartbeat", "1 s to an hour");
    if (with.first_pause < std::chrono::milliseconds(1) || with.first_pause > with.longest_pause ||
        with.longest_pause > longest)
        return wrong_option("first_pause", "1 ms to longest_pause, which is at most an hour");
    if (with.max_message_bytes < 1 || with.max_message_bytes > 512u << 20)
        return wrong_option("max_message_bytes", "1 to 512 MiB");
    return {};
}

inline outcome checked(const client_options &with)
{
    if (with.stream_window < 1)
        return wrong_option("stream_window", "1 to 65535");
    if (with.max_pending < 1)
        return wrong_option("max_pending", "1 or more");
    if (with.stream_lease < std::chrono::seconds(1) || with.stream_lease > std::chrono::hours(1))
        return wrong_option("stream_lease", "1 s to an hour");
    return checked(static_cast<const options &>(with));
}

inline outcome checked(const server_options &with)
{
    if (with.stream_window < 1)
        return wrong_option("stream_window", "1 to 65535");
    if (with.prefetch < 1)
        return wrong_option("prefetch", "1 to 65535");
    if (with.max_deliveries < 1 || with.max_deliveries > 1000)
        return wrong_option("max_deliveries", "1 to 1000");
    return checked(static_cast<const options &>(with));
}

} // namespace detail

} // namespace ipc::rpc::amqp
#endif
