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
#include "rpc_pause.hpp"
#include "rpc_verbs.hpp"

using namespace std::chrono_literals;
using ipc::rpc::status;

namespace
{

int wrong(const std::string &what)
{
    std::printf("wrong: %s\n", what.c_str());
    return 1;
}

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

int call(const std::string &name, int count)
{
    ipc::rpc::client_options options;
    options.access = access_of(name);
    ipc::rpc::client client(name, options);
    contract::Blob request, response;
    for (int i = 0; i < count; ++i) {
        request.set_data(contract::pattern(i, i % 3000));
        if (const auto result = client.try_call(contract::echo, request, response, 10s); !result)
            throw ipc::rpc::error(result);
        if (response.data() != request.data())
            return wrong("echo " + std::to_string(i));
    }
    for (int code = 1; code <= 16; ++code) {
        contract::FailRequest fail;
        fail.set_status(code);
        fail.set_text("status \xC3\xA4 " + std::to_string(code));
        const auto result = client.try_call(contract::fail, fail, response, 10s);
        if (static_cast<int>(result.code) != code || result.text != fail.text())
            return wrong("status " + std::to_string(code) + " came as " + name_of(result.code) + " " + result.text);
    }
    contract::SleepRequest sleep;
    sleep.set_ms(60'000);
    if (client.try_call(contract::sleep, sleep, response, 20ms).code != status::deadline_exceeded)
        return wrong("a sleep of a minute did not meet its deadline of 20 ms");

    contract::CountRequest counting;
    counting.set_count(1000);
    counting.set_size(100);
    auto items = client.stream(contract::count, counting, 10s);
    int number = 0;
    for (; items.next(response); ++number)
        if (response.data() != contract::pattern(number, 100))
            return wrong("item " + std::to_string(number));
    return number == 1000 ? 0 : wrong(std::to_string(number) + " items of 1000");
}

int exchange_long(const std::string &name, int size)
{
    ipc::rpc::client client(name);
    contract::Blob request, response;
    for (int i = 0; i < 2; ++i) {
        request.set_data(contract::pattern(i, size));
        if (const auto result = client.try_call(contract::echo, request, response, 60s); !result)
            throw ipc::rpc::error(result);
        if (response.data() != request.data())
            return wrong("long echo " + std::to_string(i));
    }
    contract::CountRequest counting;
    counting.set_count(3);
    counting.set_size(size);
    auto items = client.stream(contract::count, counting);
    int number = 0;
    for (contract::Blob item; items.next(item); ++number) {
        if (item.data() != contract::pattern(number, size))
            return wrong("long item " + std::to_string(number));
    }
    return number == 3 ? 0 : wrong(std::to_string(number) + " long items of 3");
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

template <class Result> int unequal(const char *what, const Result &got, const Result &expected)
{
    return wrong(std::string(what) + ": got \"" + got + "\", expected \"" + expected + "\"");
}

contract::CountRequest counting(int count, int size = 0)
{
    contract::CountRequest made;
    made.set_count(count);
    made.set_size(size);
    return made;
}

contract::Blob blob(const std::string &data)
{
    contract::Blob made;
    made.set_data(data);
    return made;
}

int collect(ipc::rpc::client &client, int count)
{
    const std::string all = std::to_string(count) + " " + std::to_string(count * 20);
    auto whole = client.client_stream(contract::collect, counting(0));
    for (int i = 0; i < count; ++i)
        if (!whole.write(blob(contract::pattern(i, 20))))
            return wrong("Collect ended at item " + std::to_string(i));
    if (const std::string got = whole.finish().data(); got != all)
        return unequal("Collect", got, all);

    auto early = client.client_stream(contract::collect, counting(3));
    while (early.write(blob("12345"))) { // until the response is here
    }
    if (const std::string got = early.finish().data(); got != "3 15")
        return unequal("Collect of three", got, std::string("3 15"));

    auto failing = client.client_stream(contract::collect, counting(0));
    failing.write(blob("good"));
    failing.write(blob("thirteen char"));
    contract::Blob none;
    const auto result = failing.try_finish(none);
    if (result.code != status::out_of_range || result.text != "unlucky")
        return wrong(std::string("Collect of 13 bytes: ") + name_of(result.code) + " " + result.text);
    return 0;
}

int mirror(ipc::rpc::client &client, int count)
{
    auto whole = client.duplex(contract::mirror, counting(0));
    std::thread writer([&] {
        for (int i = 0; i < count && whole.write(blob(contract::pattern(i, 30))); ++i) {
        }
        whole.writes_done();
    });
    int number = 0;
    bool right = true;
    contract::Blob item;
    for (; whole.next(item); ++number)
        right = right && item.data() == contract::pattern(number, 30);
    writer.join();
    if (number != count || !right)
        return wrong("Mirror: " + std::to_string(number) + " items, " + (right ? "all right" : "some wrong"));

    auto early = client.duplex(contract::mirror, counting(3));
    while (early.write(blob("again"))) {
    }
    for (number = 0; early.next(item); ++number) {
    }
    if (number != 3)
        return wrong("Mirror of three: " + std::to_string(number) + " items");

    auto failing = client.duplex(contract::mirror, counting(0));
    failing.write(blob("good"));
    failing.write(blob("thirteen char"));
    bool got = false;
    if (!failing.try_next(item, got) || !got)
        return wrong("Mirror lost the item before the error");
    const auto result = failing.try_next(item, got);
    if (got || result.code != status::out_of_range || result.text != "unlucky")
        return wrong(std::string("Mirror of 13 bytes: ") + name_of(result.code) + " " + result.text);

    {
        auto dropped = client.duplex(contract::mirror, counting(0));
        dropped.write(blob("good"));
        dropped.next(item);
    }
    return 0;
}

int exchange_streams(const std::string &name, int count)
{
    ipc::rpc::client client(name);
    if (const int code = collect(client, count); code != 0)
        return code;
    if (const int code = mirror(client, count); code != 0)
        return code;
    return client.call(contract::echo, blob("still"), 10s).data() == "still" ? 0 : wrong("the echo afterwards");
}

int exchange_labels(ipc::rpc::client &client)
{
    ipc::rpc::metadata sent, received;
    sent.add("x-text", "\xC3\xA4");
    sent.add("x-bytes-bin", std::string("\0\xFF", 2));
    sent.add("x-text", "again");
    ipc::rpc::call_options options;
    options.send = &sent;
    options.received = &received;
    const std::string trace = contract::pattern(7, 24) + "\1"; // recorded
    options.trace = trace;
    if (client.call(contract::labels, contract::Blob(), options).data() != trace)
        return wrong("the trace context");
    if (received.size() != 3)
        return wrong(std::to_string(received.size()) + " labels of 3");
    const std::string *bytes = received.find("x-bytes-bin");
    return bytes != nullptr && *bytes == std::string("\0\xFF", 2) ? 0 : wrong("x-bytes-bin");
}

int extras(const std::string &name)
{
    ipc::rpc::client client(name);
    const int before = std::stoi(client.call(contract::noted, contract::Blob(), 10s).data());
    for (int i = 0; i < 100; ++i)
        client.notify(contract::note, blob("note"));
    // Nobody waits for a note: one that is held up may be counted after the question.
    const ipc::deadline patience = 30s;
    const std::string expected = std::to_string(before + 100);
    std::string noted;
    while (noted != expected && !patience.has_passed())
        noted = client.call(contract::noted, contract::Blob(), 10s).data();
    if (noted != expected)
        return unequal("Noted", noted, expected);

    // Reports that find no room, or another thread sending, are left out for newer ones and for the answer: all of
    // them, if that thread does not run.
    int last = 0;
    bool growing = true;
    contract::Blob response;
    while (last == 0 && !patience.has_passed()) {
        const auto stepped = client.try_call(contract::steps, counting(50), response, [&](const contract::Blob &step) {
            const int now = std::stoi(step.data());
            growing = growing && now > last;
            last = now;
        });
        if (!stepped || response.data() != "50" || !growing)
            return wrong("Steps: " + stepped.text + " last " + std::to_string(last) + ", " + response.data());
    }
    if (last == 0)
        return wrong("no call of Steps was told a step");

    if (const int code = exchange_labels(client); code != 0)
        return code;

    contract::FailRequest fail;
    fail.set_status(9);
    fail.set_text("in detail");
    const auto failed = client.try_call(contract::fail_with, fail, response, 10s);
    contract::Blob detail;
    if (failed.code != status::failed_precondition || failed.details.size() != 1 ||
        !failed.details[0].try_read(detail) || detail.data() != "in detail")
        return wrong(std::string("FailWith: ") + name_of(failed.code) + " " + std::to_string(failed.details.size()));

    const ipc::rpc::method<contract::Blob, contract::Blob> missing("tests.v2", "Echo");
    const auto unknown = client.try_call(missing, contract::Blob(), response, 10s);
    if (unknown.code != status::unimplemented || unknown.text.find("tests.v1") == std::string::npos)
        return wrong(std::string("an unknown method: ") + name_of(unknown.code) + " " + unknown.text);
    const ipc::rpc::method<contract::CountRequest, contract::Blob> as_unary("tests.v1", "Collect");
    const auto other = client.try_call(as_unary, counting(1), response, 10s);
    return other.code == status::unimplemented ? 0 : wrong(std::string("another kind: ") + name_of(other.code));
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
            return exchange_long(argv[2], std::atoi(argv[3]));
        if (verb == "call" && argc > 3)
            return call(argv[2], std::atoi(argv[3]));
        if (verb == "pause" && argc > 3)
            return pausing::pause(argv[2], std::atoi(argv[3]));
        if (verb == "hang")
            return hang(argv[2]);
        if (verb == "streams" && argc > 3)
            return exchange_streams(argv[2], std::atoi(argv[3]));
        if (verb == "extras")
            return extras(argv[2]);
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
