// What clients and servers of a service at a RabbitMQ broker may be told when they are made. The twin of
// RabbitMqClientOptions and RabbitMqServerOptions of C#, with the same defaults.
#ifndef IPC_RPC_AMQP_OPTIONS_HPP
#define IPC_RPC_AMQP_OPTIONS_HPP

#include "../../dialect.hpp"

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

// What on_connection is told: there is a connection to the broker; it was lost; or an attempt failed for another reason
// than the one before. The first may come before the constructor or start() has returned, and why these fail may be
// told here, too. The end by close() or stop() is not told.
struct connection_change {
    bool connected = false;
    std::string reason; // why not; without the password
};

// What both have.
struct options {
    // How long one attempt to connect and to log in may take; several nodes have a share of it each. Looking up a
    // host's name is not limited. After that each answer of the broker may take as long again. After an attempt that a
    // node has taken and not answered the next may take twice as long, up to eight times this or two minutes, whichever
    // is less
    std::chrono::milliseconds connect_timeout = std::chrono::seconds(10);
    // How often both ends say that they are alive; a connection without a sign of life is given up after twice that
    std::chrono::seconds heartbeat = std::chrono::seconds(10);
    // The pause before the broker is tried again; it doubles up to the longest one, and each is shortened at random by
    // up to a half
    std::chrono::milliseconds first_pause = std::chrono::milliseconds(100);
    std::chrono::milliseconds longest_pause = std::chrono::seconds(5);
    // Bytes of one message. A larger one is not sent: resource_exhausted. One that comes has been read into memory, as
    // large as the broker lets it be; its call ends with resource_exhausted, a one-way call in ipc.SERVICE.dead
    uint32_t max_message_bytes = 16u << 20;
    // For amqps: a file in PEM with the authorities that may have signed the broker's certificate; no others are
    // trusted. The certificate and its host name are always checked; this end has no certificate of its own. The
    // default is where Debian has it
    std::string authorities = "/etc/ssl/certs/ca-certificates.crt";
    // Told of connection_change, one call at a time, on the thread of the connection: nothing is sent or received
    // meanwhile, and after about twice HEARTBEAT the broker ends the connection. A call over the same client waits for
    // itself: until its deadline, or for ever. Closing the client or stopping the server from here ends the process.
    // What it throws is dropped. Not called any more once close() or stop() has returned
    std::function<void(const connection_change &)> on_connection;
    std::shared_ptr<rpc::observer> observer; // told of calls
};

struct client_options : options {
    // Calls and streams wait for a connection and for a server, one-way calls for a connection and the service's queue,
    // as long as their deadlines allow, instead of failing with unavailable. While the broker refuses the user or the
    // virtual host they fail with unauthenticated
    bool wait_for_ready = false;
    // Calls and streams at once, and as many one-way calls that wait for the broker; more fail with resource_exhausted
    uint32_t max_pending = 65'536;
    // How many items of a stream may be on the way, or wait here for its reader, 1 to 65535. The server also stops at
    // 1 MiB, which the last item may exceed; each item counts for its bytes and 64 more
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
    // Requests that the broker gives before earlier ones are acknowledged; each has a thread. Handlers of a lost
    // connection are cancelled and not counted any more: while they run there may be more, up to prefetch + max_streams
    // threads in all
    uint16_t prefetch = 64;
    // A request that the broker has delivered more often than this goes to ipc.SERVICE.dead, and its call ends with
    // aborted; 1 to 1000. Every delivery counts whose server or connection went. Classic queues count none
    uint32_t max_deliveries = 20;
    // start() makes one attempt; if it reaches no broker, start() returns Ok and the server goes on trying. A broker
    // that refuses the first attempt fails start() in any case
    bool wait_for_broker = false;
    bool classic_queues = false; // else quorum queues: all servers of a service choose the same
    // How many items of a client's stream may be on the way, or wait here for its handler, 1 to 65535. The client also
    // stops at 1 MiB, as above
    uint16_t stream_window = 512;
    uint32_t max_streams = 1024; // each has a thread; further ones fail with resource_exhausted
    // Told of each message when the broker has it in the queue ipc.SERVICE.dead. On the thread of the connection, as
    // on_connection, with the same limits. message_id and method are what the message had, and may be empty
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
