// The other process of the tests of calls over a broker. Its C# twin is in tests/Ipc.Rpc.RabbitMq.Tests.
//
//     amqp_peer serve ADDRESS [FILE NAME]  prints "ready", serves until stdin ends; then stops in good order and prints
//                                          "dead letters N". With farm.v1 it writes to FILE what it handles, as NAME:
//                                          "NAME NUMBER ID MARK", a line each. FILE "deliveries": NAME is how often a
//                                          request may be delivered
//     amqp_peer call ADDRESS COUNT | long ADDRESS SIZE | streams ADDRESS COUNT    rpc_exchanges.hpp
//     amqp_peer extras ADDRESS KEEPS-TRACE
//     amqp_peer list ADDRESS               prints the methods that the server has
//     amqp_peer many ADDRESS COUNT         echoes from eight threads, COUNT in all, and a note for each, whatever
//     happens
//                                          on the way, each until it is answered; prints "made M, repeated R"
//     amqp_peer wait ADDRESS | large ADDRESS SIZE | until-lost ADDRESS | any ADDRESS COUNT    at each function
//     amqp_peer fail ADDRESS               makes one echo, and prints how it ended: a line with status, unsent, text
//     amqp_peer late ADDRESS               the same of one that waits for a broker, for 300 ms
//     amqp_peer hold ADDRESS LEASE-MS      takes an item of an endless stream, prints "ready", takes the rest; prints
//     how it
//                                          ended
//
// 0 well, 1 wrong content, 2 usage, 3 typed error (printed: error STATUS text).
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include <google/protobuf/wrappers.pb.h>

#include "rpc_exchanges.hpp"

#include "ipc/rpc/amqp.hpp"

namespace
{

using namespace std::chrono_literals;
using namespace exchanges;
using ipc::rpc::outcome;

void say(const std::string &line)
{
    std::puts(line.c_str());
    std::fflush(stdout);
}

std::string said(const outcome &result)
{
    return std::string(name_of(result.code)) + (result.unsent ? " unsent: " : ": ") + result.text;
}

void wait_for_end_of_input()
{
    char unused[64];
    while (read(STDIN_FILENO, unused, sizeof unused) > 0) {
    }
}

// IFarm of the C# tests: what it was called with, and how that was marked, is kept before it is answered.
void serve_farm(ipc::rpc::service &service, const std::string &file, const std::string &name)
{
    using google::protobuf::Int32Value;
    using google::protobuf::StringValue;
    const int kept = open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    const auto keep = [=](const Int32Value &number, const ipc::rpc::call_context &context) {
        const std::string *id = context.metadata().find("ipc-message-id");
        const bool is_marked = context.metadata().find("ipc-redelivered") != nullptr;
        const std::string line = name + " " + std::to_string(number.value()) + " " + (id != nullptr ? *id : "none") +
                                 (is_marked ? " 1\n" : " 0\n");
        if (write(kept, line.data(), line.size()) != static_cast<ssize_t>(line.size()))
            throw ipc::rpc::error(ipc::rpc::status::internal, "not kept");
    };
    const auto work = [=](const Int32Value &number, StringValue &response, ipc::rpc::call_context &context) {
        keep(number, context);
        response.set_value(name);
    };
    service.unary(ipc::rpc::method<Int32Value, StringValue>("farm.v1", "Do"), work);
    service.unary(ipc::rpc::method<Int32Value, StringValue>("farm.v1", "DoAgain"), work);
    service.one_way(ipc::rpc::one_way_method<Int32Value>("farm.v1", "Note"),
                    [=](const Int32Value &number, ipc::rpc::call_context &context) { keep(number, context); });
}

int serve(const std::string &address, const char *file, const char *name)
{
    ipc::rpc::amqp::server_options options;
    options.first_pause = 20ms;
    options.longest_pause = 200ms;
    options.dead_lettered = [](const ipc::rpc::amqp::dead_letter &letter) { say("dead: " + letter.reason); };
    options.on_connection = [](const ipc::rpc::amqp::connection_change &change) {
        if (!change.connected)
            std::fprintf(stderr, "amqp_peer: %s\n", change.reason.c_str());
    };
    const bool is_number = file != nullptr && file == std::string("deliveries");
    if (is_number)
        options.max_deliveries = static_cast<uint32_t>(std::atoi(name));
    ipc::rpc::amqp::server server(address, options);
    contract::serve(server);
    if (file != nullptr && !is_number)
        serve_farm(server, file, name);
    server.start();
    say("ready");
    wait_for_end_of_input();
    server.stop(300ms);
    say("dead letters " + std::to_string(server.dead_letters()));
    return 0;
}

int many(const std::string &address, int count)
{
    ipc::rpc::amqp::client_options options;
    options.wait_for_ready = true;
    options.first_pause = 20ms;
    options.longest_pause = 200ms;
    ipc::rpc::amqp::client client(address, options);
    std::atomic<int> next{0}, repeated{0}, bad{0};
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 8; ++thread)
        threads.emplace_back([&] {
            contract::Blob response;
            for (int i = next++; i < count; i = next++) {
                const contract::Blob request = blob(contract::pattern(i, 100 + i % 1000));
                const ipc::deadline patience = 60s;
                outcome result;
                while (!(result = client.try_call(contract::echo, request, response, 10s)) && !patience.has_passed())
                    ++repeated;
                const bool is_right = result && response.data() == request.data();
                while (is_right && !(result = client.try_notify(contract::note, request)) && !patience.has_passed())
                    ++repeated;
                if (!is_right || !result) {
                    say("call " + std::to_string(i) + ": " + said(result));
                    ++bad;
                }
            }
        });
    for (std::thread &each : threads)
        each.join();
    say("made " + std::to_string(count) + ", repeated " + std::to_string(repeated));
    return bad == 0 ? 0 : 1;
}

int fail(const std::string &address)
{
    std::optional<ipc::rpc::amqp::client> client;
    outcome result = ipc::rpc::amqp::client::try_connect(address, {}, client);
    contract::Blob response;
    if (result)
        result = client->try_call(contract::echo, blob("one"), response, 20s);
    say(result ? response.data() : said(result));
    return 0;
}

// Waits for a broker that does not come.
int late(const std::string &address)
{
    ipc::rpc::amqp::client_options options;
    options.wait_for_ready = true;
    ipc::rpc::amqp::client client(address, options);
    contract::Blob response;
    say(said(client.try_call(contract::echo, blob("one"), response, 300ms)));
    return 0;
}

int hold(const std::string &address, int lease)
{
    ipc::rpc::amqp::client_options options;
    options.stream_lease = std::chrono::milliseconds(lease);
    ipc::rpc::amqp::client client(address, options);
    auto items = client.stream(contract::count, counting(1'000'000'000, 100));
    contract::Blob item;
    if (!items.next(item))
        return wrong("the stream ended");
    say("ready");
    bool got = true;
    outcome result;
    while (got)
        result = items.try_next(item, got);
    say(said(result));
    return 0;
}

// Prints "ready", then makes a stream, a note and a call, which wait for a server; "waited" when all have been
// answered.
int wait_for_server(const std::string &address)
{
    ipc::rpc::amqp::client_options options;
    options.wait_for_ready = true;
    ipc::rpc::amqp::client client(address, options);
    say("ready");
    outcome noted;
    std::thread other([&] { // a queue that is being made may have no leader yet: the broker refuses, and says so
        const ipc::deadline patience = 60s;
        while (!(noted = client.try_notify(contract::note, blob("note"))) && !patience.has_passed())
            std::this_thread::sleep_for(20ms);
    });
    auto items = client.stream(contract::count, counting(3, 10), 60s);
    contract::Blob item;
    int number = 0;
    while (items.next(item))
        ++number;
    other.join();
    if (!noted)
        return wrong(said(noted));
    if (number != 3 || client.call(contract::echo, blob("one"), 60s).data() != "one")
        return wrong(std::to_string(number) + " items");
    say("waited");
    return 0;
}

// Makes calls, each with half a second, until one ends otherwise than well or late. Prints "ready" after the first, and
// how the last one ended.
int until_lost(const std::string &address)
{
    ipc::rpc::amqp::client_options options;
    options.heartbeat = 1s;
    ipc::rpc::amqp::client client(address, options);
    contract::Blob response;
    outcome result = client.try_call(contract::echo, blob("one"), response, 20s);
    say(result ? "ready" : said(result));
    const ipc::deadline patience = 50s;
    while ((result || result.code == status::deadline_exceeded) && !patience.has_passed())
        result = client.try_call(contract::echo, blob("one"), response, 500ms);
    say(said(result).substr(0, std::string("Unavailable").size()));
    return 0;
}

// COUNT calls of every shape to a server that answers anything; whatever they end with, they end. Prints how many did,
// and how one to a server that keeps to the rules does: "made N" and "one".
int any(const std::string &address, int count)
{
    ipc::rpc::amqp::client client(address);
    contract::Blob response;
    for (int i = 0; i < count; ++i) {
        const ipc::rpc::call_options options = [] {
            ipc::rpc::call_options made;
            made.until = 100ms;
            return made;
        }();
        bool got = true;
        if (i % 4 == 0) {
            (void)client.try_call(contract::echo, blob("one"), response, options);
        } else if (i % 4 == 1) {
            std::optional<ipc::rpc::stream_reader<contract::Blob>> items;
            if (client.try_stream(contract::count, counting(3), items, options))
                while (got && items->try_next(response, got)) {
                }
        } else if (i % 4 == 2) {
            std::optional<ipc::rpc::client_stream_call<contract::Blob, contract::Blob>> call;
            if (client.try_client_stream(contract::collect, counting(0), call, options)) {
                for (int item = 0; item < 3 && got && call->try_write(blob("item"), got); ++item) {
                }
                (void)call->try_finish(response);
            }
        } else {
            std::optional<ipc::rpc::duplex_call<contract::Blob, contract::Blob>> call;
            if (client.try_duplex(contract::mirror, counting(0), call, options)) {
                (void)call->try_write(blob("item"), got);
                got = true;
                while (got && call->try_next(response, got)) {
                }
            }
        }
    }
    say("made " + std::to_string(count));
    outcome last;
    const ipc::deadline patience = 50s;
    do
        last = client.try_call(contract::echo, blob("one"), response, 5s);
    while (!last && !patience.has_passed());
    say(last ? response.data() : said(last));
    return 0;
}

// How a call with SIZE bytes ends, and the next one.
int large(const std::string &address, int size)
{
    ipc::rpc::amqp::client client(address);
    contract::Blob response;
    const contract::Blob request = blob(contract::pattern(0, size));
    const outcome first = client.try_call(contract::echo, request, response, 20s);
    outcome second;
    const ipc::deadline patience = 20s; // there may be no connection yet
    do
        second = client.try_call(contract::echo, request, response, 20s);
    while (second.code == status::unavailable && !patience.has_passed());
    say(std::string(name_of(first.code)) + (first.unsent ? " unsent" : "") + ": known, " + name_of(second.code) +
        (second.unsent ? " unsent: " : ": ") +
        second.text.substr(second.text.find("the broker"), std::string("the broker takes at most 100000").size()));
    return 0;
}

int exchange(const std::string &verb, const std::string &address, int number)
{
    ipc::rpc::amqp::client client(address);
    if (verb == "call")
        return call(client, number);
    if (verb == "long")
        return longer(client, number);
    if (verb == "streams")
        return streams(client, number);
    if (verb == "extras")
        return extras(client, false, number != 0);
    for (const ipc::rpc::method_info &method : client.list_methods())
        say(method.service + "/" + method.name);
    return 0;
}

} // namespace

int main(int argc, char **argv)
{
    const std::string verb = argc > 2 ? argv[1] : "";
    const int number = argc > 3 ? std::atoi(argv[3]) : 0;
    try {
        if (verb == "serve")
            return serve(argv[2], argc > 4 ? argv[3] : nullptr, argc > 4 ? argv[4] : nullptr);
        if (verb == "wait")
            return wait_for_server(argv[2]);
        if (verb == "until-lost")
            return until_lost(argv[2]);
        if (verb == "any")
            return any(argv[2], number);
        if (verb == "large")
            return large(argv[2], number);
        if (verb == "many")
            return many(argv[2], number);
        if (verb == "fail")
            return fail(argv[2]);
        if (verb == "late")
            return late(argv[2]);
        if (verb == "hold")
            return hold(argv[2], number);
        if (verb == "call" || verb == "long" || verb == "streams" || verb == "extras" || verb == "list")
            return exchange(verb, argv[2], number);
    } catch (const ipc::rpc::error &failure) {
        std::printf("error %s %s\n", name_of(failure.code()), failure.text().c_str());
        return 3;
    }
    std::fprintf(
        stderr,
        "usage: amqp_peer serve ADDRESS [FILE NAME] | call ADDRESS COUNT | long ADDRESS SIZE | "
        "streams ADDRESS COUNT | extras ADDRESS KEEPS-TRACE | list ADDRESS | wait ADDRESS | until-lost ADDRESS | "
        "large ADDRESS SIZE | many ADDRESS COUNT | fail ADDRESS | late ADDRESS | hold ADDRESS LEASE-MS\n");
    return 2;
}
