// The other process of the RPC tests. Its C# twin takes the same verbs; the exit code is the verdict.
//
//     rpc_peer serve NAME [MS]     prints "ready", serves until stdin ends; MS: its send timeout
//     rpc_peer pause NAME MS       takes one item each of streams of all sizes, prints "ready", reads nothing for MS,
//     and
//                                  then finds everything as it should be
//     rpc_peer long NAME SIZE      two echoes of SIZE bytes and a stream of three such items; all checked
//     rpc_peer call NAME COUNT     COUNT echoes of growing size, each error status, a deadline, a stream; all checked
//     rpc_peer hang NAME           prints "ready" when a Count is pending, then sends a Sleep and reads no more of the
//                                  Count
//     rpc_peer streams NAME COUNT  client streams and duplex streams of COUNT items: to their end, ended early by the
//                                  server, failed by it in the middle, cancelled here
//     rpc_peer extras NAME         one-way calls, progress, metadata and trace context both ways, error details, a
//     method
//                                  that the server does not have, a method called as another kind
//     rpc_peer callbacks NAME COUNT  serves tests.back.v1 to its server, then Relay and Pull of COUNT, and Relay from
//     four
//                                  threads at once
//     rpc_peer async NAME COUNT    COUNT asynchronous echoes and notes published as one batch, all answers checked; as
//     many
//                                  with completions
//     rpc_peer errors NAME         rpc_errors.cpp
//     rpc_peer list NAME           rpc_list.cpp
//     rpc_peer probe NAME SHAPE    rpc_probe.cpp
//     rpc_peer storm NAME          rpc_storm.cpp
//     rpc_peer restart-serve NAME FILE [slow] | restart-call NAME    rpc_restart.cpp
//
// What serve offers, and what the verbs expect of a server, is described at each method of rpc_contract.hpp.
// 0 well, 1 wrong content, 2 usage, 3 typed error (printed: error STATUS text).
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include <unistd.h>

#include "rpc_contract.hpp"
#include "rpc_exchanges.hpp"
#include "rpc_pause.hpp"
#include "rpc_verbs.hpp"

using namespace std::chrono_literals;
using namespace exchanges;

namespace
{

void ready()
{
    std::puts("ready");
    std::fflush(stdout);
}

// A name of the machine is everybody's, on both sides: tests/users.sh has them be two users.
ipc::access access_of(const std::string &name)
{
    return name.compare(0, std::strlen(IPC_MACHINE), IPC_MACHINE) == 0 ? ipc::access::everybody()
                                                                       : ipc::access::user();
}

int serve(const std::string &name, int send_timeout_ms)
{
    ipc::rpc::server_options options;
    options.access = access_of(name);
    if (send_timeout_ms != 0)
        options.send_timeout = std::chrono::milliseconds(send_timeout_ms);
    ipc::rpc::server server(name, std::move(options));
    contract::serve(server);
    server.start();
    ready();
    char unused[64];
    while (read(STDIN_FILENO, unused, sizeof unused) > 0) {
    }
    return 0;
}

int hang(const std::string &name)
{
    ipc::rpc::client client(name);
    contract::CountRequest counting;
    counting.set_count(1'000'000);
    counting.set_size(100);
    auto items = client.stream(contract::count, counting);
    contract::Blob item;
    if (!items.next(item))
        return wrong("the stream ended");
    ready();
    contract::SleepRequest sleep;
    sleep.set_ms(60'000);
    client.call(contract::sleep, sleep);
    return wrong("the sleep ended");
}

template <class Work> int with(const std::string &name, Work &&work)
{
    ipc::rpc::client_options options;
    options.access = access_of(name);
    ipc::rpc::client client(name, options);
    return work(client);
}

int callbacks(const std::string &name, int count)
{
    ipc::rpc::client_options options;
    options.services = contract::callbacks();
    ipc::rpc::client client(name, options);
    const std::string all = std::to_string(count);
    if (const std::string got = client.call(contract::relay, counting(count, 100), 30s).data(); got != all)
        return unequal("Relay", got, all);
    if (const std::string got = client.call(contract::pull, counting(count, 100), 30s).data(); got != all)
        return unequal("Pull", got, all);
    std::atomic<int> right{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([&] {
            contract::Blob response;
            if (client.try_call(contract::relay, counting(count, 50), response, 30s))
                right += response.data() == all;
        });
    for (std::thread &each : threads)
        each.join();
    return right == 4 ? 0 : wrong(std::to_string(right) + " of four threads' Relay");
}

int asynchronous(const std::string &name, int count)
{
    // Before the client, whose end runs what completions are left.
    std::atomic<int> right{0};
    std::promise<void> all;
    std::atomic<int> left{count};
    ipc::rpc::client client(name);
    std::vector<ipc::rpc::pending_call<contract::Blob>> calls;
    {
        const auto together = client.batch();
        for (int i = 0; i < count; ++i) {
            calls.push_back(client.call_async(contract::echo, blob(contract::pattern(i, 64)), 30s));
            client.notify(contract::note, blob("note"));
        }
    }
    for (int i = 0; i < count; ++i)
        if (calls[static_cast<size_t>(i)].get().data() != contract::pattern(i, 64))
            return wrong("asynchronous echo " + std::to_string(i));
    for (int i = 0; i < count; ++i)
        client.call_async(contract::echo, blob(contract::pattern(i, 10)),
                          [&, i](const ipc::rpc::outcome &result, contract::Blob &response) {
                              right += result && response.data() == contract::pattern(i, 10);
                              if (--left == 0)
                                  all.set_value();
                          });
    if (count > 0 && all.get_future().wait_for(30s) != std::future_status::ready)
        return wrong(std::to_string(left) + " completions are missing");
    return right == count ? 0 : wrong(std::to_string(right) + " right completions of " + std::to_string(count));
}

} // namespace

int main(int argc, char **argv)
{
    const std::string verb = argc > 2 ? argv[1] : "";
    try {
        if (verb == "serve")
            return serve(argv[2], argc > 3 ? std::atoi(argv[3]) : 0);
        if (verb == "long" && argc > 3)
            return with(argv[2], [&](ipc::rpc::client &client) { return longer(client, std::atoi(argv[3])); });
        if (verb == "call" && argc > 3)
            return with(argv[2], [&](ipc::rpc::client &client) { return call(client, std::atoi(argv[3])); });
        if (verb == "pause" && argc > 3)
            return pausing::pause(argv[2], std::atoi(argv[3]));
        if (verb == "hang")
            return hang(argv[2]);
        if (verb == "streams" && argc > 3)
            return with(argv[2], [&](ipc::rpc::client &client) { return streams(client, std::atoi(argv[3])); });
        if (verb == "extras")
            return with(argv[2], [&](ipc::rpc::client &client) { return extras(client, true, true); });
        if (verb == "callbacks" && argc > 3)
            return callbacks(argv[2], std::atoi(argv[3]));
        if (verb == "async" && argc > 3)
            return asynchronous(argv[2], std::atoi(argv[3]));
        if (verb == "errors")
            return errors::run(argv[2]);
        if (verb == "list")
            return list::run(argv[2]);
        if (verb == "probe" && argc > 3)
            return probe::run(argv[2], argv[3]);
        if (verb == "storm")
            return storm::run(argv[2]);
        if (verb == "restart-serve" && argc > 3)
            return restart::serve(argv[2], argv[3], argc > 4 && argv[4] == std::string("slow"),
                                  argc > 4 && argv[4] == std::string("follow"));
        if (verb == "restart-call")
            return restart::call(argv[2]);
    } catch (const ipc::rpc::error &failure) {
        std::printf("error %s %s\n", name_of(failure.code()), failure.text().c_str());
        return 3;
    } catch (const ipc::error &failure) {
        std::printf("error %s\n", failure.what());
        return 3;
    }
    std::fprintf(stderr, "usage: rpc_peer serve NAME [SEND-TIMEOUT-MS] | pause NAME MS | long NAME SIZE | call NAME "
                         "COUNT | hang NAME | streams NAME COUNT | "
                         "extras NAME | callbacks NAME COUNT | async NAME COUNT | errors NAME | list NAME | "
                         "probe NAME echo|count|collect|mirror|steps|count-late|mirror-late | storm NAME | "
                         "restart-serve NAME FILE | restart-call NAME\n");
    return 2;
}
