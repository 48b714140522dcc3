// The other process of the RPC tests. Its C# twin takes the same verbs; the exit code is the verdict.
//
//     rpc_peer serve NAME          prints "ready", serves until stdin ends
//     rpc_peer long NAME SIZE      two echoes of SIZE bytes and a stream of three such items; all checked
//     rpc_peer call NAME COUNT     COUNT echoes of growing size, each error status, a deadline, a stream; all checked
//     rpc_peer hang NAME           prints "ready" when a Count is pending, then sends a Sleep and reads no more of the
//     Count
//
// 0 well, 1 wrong content, 2 usage, 3 typed error (printed: error STATUS text).
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include <unistd.h>

#include "rpc_contract.hpp"

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

int serve(const std::string &name)
{
    ipc::rpc::server server(name);
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
    ipc::rpc::client client(name);
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

} // namespace

int main(int argc, char **argv)
{
    const std::string verb = argc > 2 ? argv[1] : "";
    try {
        if (verb == "serve")
            return serve(argv[2]);
        if (verb == "long" && argc > 3)
            return exchange_long(argv[2], std::atoi(argv[3]));
        if (verb == "call" && argc > 3)
            return call(argv[2], std::atoi(argv[3]));
        if (verb == "hang")
            return hang(argv[2]);
    } catch (const ipc::rpc::error &failure) {
        std::printf("error %s %s\n", name_of(failure.code()), failure.text().c_str());
        return 3;
    } catch (const ipc::error &failure) {
        std::printf("error %s\n", failure.what());
        return 3;
    }
    std::fprintf(stderr, "usage: rpc_peer serve NAME | long NAME SIZE | call NAME COUNT | hang NAME\n");
    return 2;
}
