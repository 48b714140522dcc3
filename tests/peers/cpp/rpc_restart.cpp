// A server that is restarted in good order, again and again, and a client that calls it all the while.
//
//     rpc_peer restart-serve NAME FILE [slow]
//                                        prints "ready" and serves, appending the first 8 bytes of every request of
//                                        Echo and Note to FILE as it handles it; when its input ends it stops in good
//                                        order. Slow: some calls take a millisecond
//     rpc_peer restart-serve NAME FILE follow
//                                        takes the name of the server that has it, and ends when the next one has
//     rpc_peer restart-call NAME         calls Echo from several threads, with small and large requests, synchronously
//                                        and not; each begins with a number that no other has. Prints "ready" when some
//                                        were answered, and when its input ends "CALLS FAILED" and what failed first
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include "rpc_contract.hpp"
#include "rpc_verbs.hpp"

namespace restart
{

using namespace std::chrono_literals;

namespace
{

void wait_for_end_of_input()
{
    char unused[64];
    while (read(STDIN_FILENO, unused, sizeof unused) > 0) {
    }
}

std::string numbered(uint64_t number, size_t size)
{
    std::string bytes(size, static_cast<char>(number));
    std::memcpy(bytes.data(), &number, sizeof number);
    return bytes;
}

size_t size_of(uint64_t round)
{
    return round % 50 == 49 ? 300'000 : round % 7 == 6 ? 20'000 : 64;
}

struct tally {
    std::atomic<uint64_t> calls{0};
    std::atomic<uint64_t> failed{0};
    std::atomic<bool> over{false};
    std::mutex mutex;
    std::string first; // what failed

    void note(const ipc::rpc::outcome &result, bool is_right)
    {
        calls.fetch_add(1);
        if (result && is_right)
            return;
        failed.fetch_add(1);
        const std::lock_guard held(mutex);
        if (first.empty())
            first = result ? "a wrong answer" : result.whole();
    }
};

void call_in_turn(ipc::rpc::client &client, uint64_t thread, tally &all)
{
    contract::Blob request, response;
    for (uint64_t round = 0; !all.over; ++round) {
        request.set_data(numbered(thread << 40 | round, size_of(round)));
        const auto result = client.try_call(contract::echo, request, response, 60s);
        all.note(result, response.data() == request.data());
    }
}

void call_in_bursts(ipc::rpc::client &client, uint64_t thread, tally &all)
{
    for (uint64_t round = 0; !all.over;) {
        std::vector<ipc::rpc::pending_call<contract::Blob>> calls;
        contract::Blob request;
        const uint64_t first = round;
        for (; round < first + 64; ++round) {
            request.set_data(numbered(thread << 40 | round, 200));
            calls.push_back(client.call_async(contract::echo, request, 60s));
        }
        for (uint64_t i = 0; i < calls.size(); ++i) {
            contract::Blob response;
            const auto result = calls[i].try_get(response);
            all.note(result, response.data() == numbered(thread << 40 | (first + i), 200));
        }
    }
}

} // namespace

int serve(const char *name, const char *file, bool is_slow, bool follows)
{
    const int handled = open(file, O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (handled < 0)
        return 2;
    ipc::rpc::server_options options;
    options.take_over = follows;
    ipc::rpc::server server(name, options);
    const auto note = [handled, is_slow](const contract::Blob &request) {
        if (request.data().size() >= 8 && write(handled, request.data().data(), 8) != 8)
            throw ipc::rpc::error(ipc::rpc::status::internal, "the number was not noted");
        if (is_slow && !request.data().empty() && request.data()[0] % 16 == 0)
            std::this_thread::sleep_for(1ms); // one that is killed has calls that it has handled and not answered
    };
    server.unary(contract::echo, [note](const contract::Blob &request, contract::Blob &response) {
        note(request);
        response.set_data(request.data());
    });
    server.one_way(contract::note, note);
    server.unary(contract::sleep, [](const contract::SleepRequest &request, contract::Blob &,
                                     ipc::rpc::call_context &context) { context.wait(request.ms() * 1ms); });
    contract::serve_streams(server);
    contract::serve_callbacks(server);
    server.start();
    std::puts("ready");
    std::fflush(stdout);
    if (follows) {
        std::thread([&server] {
            wait_for_end_of_input();
            server.stop(30s);
        }).detach();
        server.wait();
        _exit(0); // the other thread may still wait
    }
    wait_for_end_of_input();
    server.stop(30s);
    close(handled);
    return 0;
}

int call(const char *name)
{
    ipc::rpc::client_options options;
    options.wait_for_ready = true;
    options.connect_timeout = 30s;
    ipc::rpc::client client(name, options);
    tally all;
    std::vector<std::thread> threads;
    for (uint64_t i = 1; i <= 3; ++i)
        threads.emplace_back([&, i] { call_in_turn(client, i, all); });
    threads.emplace_back([&] { call_in_bursts(client, 4, all); });
    while (all.calls < 100)
        std::this_thread::sleep_for(1ms);
    std::puts("ready");
    std::fflush(stdout);
    wait_for_end_of_input();
    all.over = true;
    for (std::thread &each : threads)
        each.join();
    std::printf("%llu %llu %s\n", static_cast<unsigned long long>(all.calls.load()),
                static_cast<unsigned long long>(all.failed.load()), all.first.c_str());
    return 0;
}

} // namespace restart
