// A server in company: many clients with calls, streams and callbacks of every shape, while it is stopped, by two
// threads at once, and destroyed, again and again. Callers that handlers have kept are used all the time, and after the
// server has gone. For the sanitizers, above all.
//
//     rpc_test rpc_server_stress [SECONDS [SEED]]    3 seconds, or 600 when IPC_TEST_LONG is set; prints its seed before
//                                                    it begins
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <unistd.h>

#include "rpc_check.hpp"
#include "rpc_contract.hpp"

namespace rpc_server_stress
{

using namespace std::chrono_literals;
using contract::Blob;
using ipc::rpc::call_context;
using ipc::rpc::call_options;
using ipc::rpc::caller;
using ipc::rpc::outcome;
using ipc::rpc::status;

namespace
{

using randomness = std::mt19937;

constexpr ipc::rpc::method<Blob, Blob> keep{"tests.v1", "Keep"};          // the server keeps its caller()
constexpr ipc::rpc::method<Blob, Blob> linger{"tests.v1", "Linger"};      // runs until it is cancelled
constexpr ipc::rpc::method<Blob, Blob> quick{"tests.v1", "Quick"};        // in place
constexpr ipc::rpc::method<Blob, Blob> nowhere{"tests.v1", "Nowhere"};    // nobody has it
constexpr ipc::rpc::stream_method<Blob, Blob> endless{"tests.v1", "Endless"};

[[noreturn]] void wrong(const std::string &what)
{
    std::printf("wrong: %s\n", what.c_str());
    std::fflush(stdout);
    std::_Exit(1);
}

void require(bool condition, const char *what)
{
    if (!condition)
        wrong(what);
}

unsigned below(randomness &random, unsigned limit)
{
    return static_cast<unsigned>(random() % limit);
}

Blob blob_of(size_t size)
{
    Blob made;
    made.set_data(std::string(size, 'x'));
    return made;
}

contract::CountRequest counting(unsigned count, unsigned size)
{
    contract::CountRequest made;
    made.set_count(static_cast<int>(count));
    made.set_size(static_cast<int>(size));
    return made;
}

// How a call may end while servers come and go.
void check_end(const outcome &result)
{
    switch (result.code) {
    case status::ok:
    case status::cancelled:
    case status::deadline_exceeded:
    case status::resource_exhausted:
    case status::unavailable:
    case status::unauthenticated: // refused while the server shuts down
    case status::unimplemented:   // nobody has it; or the client offers nothing
        return;
    default:
        wrong("a call ended with " + std::string(name_of(result.code)) + ": " + result.text);
    }
}

// ---- the server
// ---------------------------------------------------------------------------------------------------------

struct kept_callers {
    std::mutex mutex;
    std::vector<caller> all;

    void add(const caller &one)
    {
        const std::lock_guard held(mutex);
        if (all.size() < 32)
            all.push_back(one);
    }

    std::vector<caller> take()
    {
        const std::lock_guard held(mutex);
        return std::move(all);
    }
};

std::atomic<int> running{0}; // handlers

struct counted {
    counted()
    {
        ++running;
    }
    ~counted()
    {
        --running;
    }
};

void serve(ipc::rpc::server &at, kept_callers &kept)
{
    contract::serve(at);
    at.unary(keep, [&kept](const Blob &request, Blob &response, call_context &context) {
        const counted here;
        kept.add(context.caller());
        response = request;
    });
    at.unary(linger, [](const Blob &, Blob &, call_context &context) {
        const counted here;
        context.wait(ipc::deadline::never());
    });
    at.unary(
        quick, [](const Blob &request, Blob &response) { response = request; }, ipc::rpc::dispatch::in_place);
    at.server_stream(endless, [](const Blob &request, ipc::rpc::stream_writer<Blob> &items) {
        const counted here;
        while (items.write(request)) {
        }
    });
}

ipc::rpc::server_options some_options(randomness &random)
{
    ipc::rpc::server_options made;
    made.max_threads = 4 + below(random, 60);
    made.max_calls_per_connection = 2 + below(random, 30);
    made.max_concurrent_calls = below(random, 3) == 0 ? 1 + below(random, 8) : 0;
    made.ordered_calls = below(random, 4) == 0;
    made.stream_window = static_cast<uint16_t>(1 + below(random, 80));
    return made;
}

// ---- the clients
// ---------------------------------------------------------------------------------------------------------

call_options soon(randomness &random, ipc::rpc::canceller *cancel)
{
    call_options made;
    made.until = ipc::deadline(std::chrono::milliseconds(1 + below(random, 50)));
    made.cancel = cancel;
    return made;
}

void call_something(ipc::rpc::client &client, randomness &random)
{
    Blob response;
    ipc::rpc::canceller cancel;
    const call_options options = soon(random, below(random, 3) == 0 ? &cancel : nullptr);
    switch (below(random, 12)) {
    case 0:
        check_end(client.try_call(contract::echo, blob_of(below(random, 100'000)), response, options));
        break;
    case 1:
        check_end(client.try_call(quick, blob_of(below(random, 100)), response, options));
        break;
    case 2:
        check_end(client.try_call(keep, Blob(), response, options));
        break;
    case 3:
        check_end(client.try_call(linger, Blob(), response, options));
        break;
    case 4:
        check_end(client.try_call(contract::relay, counting(below(random, 10), 30), response, options));
        break;
    case 5:
        check_end(client.try_call(contract::pull, counting(below(random, 100), 30), response, options));
        break;
    case 6: {
        std::optional<ipc::rpc::stream_reader<Blob>> items;
        const outcome begun = client.try_stream(endless, blob_of(below(random, 3000)), items, options);
        check_end(begun);
        bool got = begun.code == status::ok;
        for (unsigned i = below(random, 300); got && i > 0; --i)
            check_end(items->try_next(response, got));
        break; // left
    }
    case 7: {
        std::optional<ipc::rpc::duplex_call<Blob, Blob>> both;
        const outcome begun = client.try_duplex(contract::mirror, counting(0, 0), both, options);
        check_end(begun);
        bool going = begun.code == status::ok;
        for (unsigned i = below(random, 50); going && i > 0; --i) {
            check_end(both->try_write(blob_of(20), going));
            if (going)
                check_end(both->try_next(response, going));
        }
        break;
    }
    case 8: {
        std::optional<ipc::rpc::client_stream_call<Blob, Blob>> upload;
        const outcome begun = client.try_client_stream(contract::collect, counting(0, 0), upload, options);
        check_end(begun);
        bool going = begun.code == status::ok;
        for (unsigned i = below(random, 100); going && i > 0; --i)
            check_end(upload->try_write(blob_of(200), going));
        if (begun.code == status::ok && below(random, 2) == 0)
            check_end(upload->try_finish(response));
        break;
    }
    case 9: {
        std::vector<ipc::rpc::pending_call<Blob>> calls;
        for (int i = 0; i < 20; ++i)
            calls.push_back(client.call_async(i % 4 == 0 ? linger : contract::echo, blob_of(100), options));
        for (auto &each : calls)
            check_end(each.try_get(response));
        break;
    }
    case 10:
        check_end(client.try_call(nowhere, Blob(), response, options));
        break;
    default:
        check_end(client.try_notify(contract::note, Blob(), options));
        break;
    }
}

void be_a_client(const std::atomic<bool> &over, unsigned seed)
{
    randomness random(seed);
    while (!over) {
        ipc::rpc::client_options options;
        options.connect_timeout = 5ms;
        if (below(random, 4) != 0)
            options.services = contract::callbacks();
        options.to_client_capacity = below(random, 3) == 0 ? 4096 : 0;
        std::optional<ipc::rpc::client> client;
        if (!ipc::rpc::client::try_connect("stress", options, client))
            continue;
        for (unsigned i = 1 + below(random, 100); i > 0 && !over; --i)
            call_something(*client, random);
    }
}

// ---- a round
// --------------------------------------------------------------------------------------------------------------

void use(std::vector<caller> callers, bool gone)
{
    for (caller &each : callers) {
        Blob response;
        const outcome result = each.try_call(contract::back, Blob(), response, ipc::deadline(1ms));
        if (gone && result.code != status::unavailable)
            wrong("a caller of a server that has gone said " + std::string(name_of(result.code)) + ": " + result.text);
    }
}

void one_server(randomness &random)
{
    kept_callers kept;
    std::vector<caller> last;
    {
        ipc::rpc::server at("stress", some_options(random));
        serve(at, kept);
        if (!at.try_start())
            wrong("the server did not start");
        const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(5 + below(random, 150));
        while (std::chrono::steady_clock::now() < until) {
            use(kept.take(), false);
            std::this_thread::sleep_for(1ms);
        }
        last = kept.take();
        if (below(random, 2) == 0) {
            const unsigned patience[] = {below(random, 30), below(random, 30)}; // ms; of some: at once
            const auto stop = [&](unsigned ms) {
                if (ms % 2 == 0)
                    at.stop();
                else
                    at.stop(std::chrono::milliseconds(ms));
                require(running == 0, "a stop() returned before the handlers had");
            };
            std::thread other(stop, patience[0]);
            stop(patience[1]);
            other.join();
            require(static_cast<bool>(at.try_wait()), "wait() of a server that was stopped");
            use(last, true);
        }
    }
    require(running == 0, "a server was destroyed before its handlers had returned");
    use(kept.take(), true);
    use(last, true);
}

} // namespace

PROGRAM(rpc_server_stress)
{
    const bool is_long = std::getenv("IPC_TEST_LONG") != nullptr;
    const auto seconds = std::chrono::seconds(argc > 1 ? std::atoi(argv[1]) : is_long ? 600 : 3);
    const unsigned seed = argc > 2 ? static_cast<unsigned>(std::atoi(argv[2])) : std::random_device()();
    std::printf("seed %u\n", seed);
    std::fflush(stdout);
    std::string folder = std::string(std::getenv("IPC_DIR") != nullptr ? std::getenv("IPC_DIR") : "/dev/shm") +
                         "/stress.XXXXXX";
    if (mkdtemp(folder.data()) == nullptr)
        return 2;
    setenv("IPC_DIR", folder.c_str(), 1);
    alarm(static_cast<unsigned>(seconds.count()) + 280); // the watchdog

    randomness random(seed);
    std::atomic<bool> over{false};
    std::vector<std::thread> clients;
    for (unsigned i = 0; i < 6; ++i)
        clients.emplace_back(be_a_client, std::cref(over), seed + 1 + i);
    unsigned rounds = 0;
    for (const auto until = std::chrono::steady_clock::now() + seconds; std::chrono::steady_clock::now() < until;
         ++rounds)
        one_server(random);
    over = true;
    for (std::thread &each : clients)
        each.join();
    if (rmdir(folder.c_str()) != 0)
        wrong("something was left in " + folder);
    std::printf("%u servers\n", rounds);
    return 0;
}

} // namespace rpc_server_stress
