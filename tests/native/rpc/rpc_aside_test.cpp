// A connection whose requests hold up others is read by a thread of its own.
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "rpc_peer_process.hpp"
#include "rpc_serving.hpp"

namespace rpc_aside_test
{

using namespace std::chrono_literals;
using contract::Blob;
using ipc::rpc::call_context;
using ipc::rpc::client;
using ipc::rpc::client_options;
using ipc::rpc::outcome;
using ipc::rpc::server;
using ipc::rpc::server_options;
using ipc::rpc::service;
using ipc::rpc::status;

namespace
{

constexpr ipc::rpc::method<Blob, Blob> work{"tests.v1", "Work"};
constexpr ipc::rpc::method<Blob, Blob> stay{"tests.v1", "Stay"};
constexpr ipc::rpc::method<Blob, Blob> down{"tests.v1", "Down"};
constexpr ipc::rpc::method<Blob, Blob> up{"tests.back.v1", "Up"};

// How often two handlers were in here at once. 200 us are far below what the standby notices.
class overlap
{
  public:
    void compute()
    {
        if (++inside_ > 1)
            ++count;
        const auto end = std::chrono::steady_clock::now() + 200us;
        while (std::chrono::steady_clock::now() < end) {
        }
        --inside_;
    }

    // Until it has happened so often again: seldom, where others want the processors, so ask for little. With one processor nothing is ever read aside: then a few calls are made.
    void wait(int times) const
    {
        if (std::thread::hardware_concurrency() < 2)
            return std::this_thread::sleep_for(50ms);
        for (const int before = count; count < before + times;)
            std::this_thread::sleep_for(1ms);
    }

    std::atomic<int> count{0};

  private:
    std::atomic<int> inside_{0};
};

// Calls these methods in turns again and again, until it is told to end or a call fails.
class caller
{
  public:
    caller(client &with, std::vector<ipc::rpc::method<Blob, Blob>> what)
        : thread_([this, &with, methods = std::move(what)] {
              Blob response;
              for (size_t i = 0; !over_ && failed.code == status::ok; ++i)
                  failed = with.try_call(methods[i % methods.size()], blob("x"), response, 60s);
          })
    {
    }

    ~caller()
    {
        end();
    }

    void end()
    {
        over_ = true;
        if (thread_.joinable())
            thread_.join();
    }

    void join()
    {
        thread_.join();
    }

    outcome failed; // once it has ended

  private:
    std::atomic<bool> over_{false};
    std::thread thread_;
};

} // namespace

TEST(HandlersOfTwoClientsThatComputeRunSideBySide)
{
    overlap both;
    const serving here(
        [&](server &at) { at.unary(work, [&](const Blob &, Blob &, call_context &) { both.compute(); }); });
    client first("rpc"), second("rpc");
    caller one(first, {work}), two(second, {work});
    both.wait(10);
    one.end();
    two.end();
    CHECK(one.failed && two.failed);
}

TEST(AHandlerThatBlocksAsideHoldsUpNeitherOtherConnectionsNorItsOwn)
{
    overlap both;
    const serving here([&](server &at) {
        at.unary(work, [&](const Blob &, Blob &, call_context &) { both.compute(); });
        at.unary(stay, [](const Blob &, Blob &, call_context &context) { context.wait(60s); });
    });
    client first("rpc"), second("rpc");
    for (int round = 0; round < 10; ++round) {
        caller one(first, {work}), two(second, {work});
        both.wait(3);
        auto blocked = first.call_async(stay, Blob());
        both.wait(3); // both connections are read on
        blocked.cancel();
        Blob response;
        CHECK(blocked.try_get(response).code == status::cancelled);
        one.end();
        two.end();
        CHECK(one.failed && two.failed);
    }
}

TEST(AHandlerAsideCallsItsCallerBack)
{
    overlap both;
    const serving here([&](server &at) {
        at.unary(work, [&](const Blob &, Blob &, call_context &) { both.compute(); });
        at.unary(down, [&](const Blob &request, Blob &response, call_context &context) {
            response = context.caller().call(up, request);
        });
    });
    auto offered = std::make_shared<service>();
    offered->unary(up, [](const Blob &request, Blob &response, call_context &) { response = request; });
    client_options options;
    options.services = offered;
    client first("rpc", options), second("rpc", options);
    caller one(first, {work, work, down}), two(second, {work, work, down});
    both.wait(10);
    one.end();
    two.end();
    CHECK(one.failed && two.failed);
}

TEST(AServerStopsWhileConnectionsAreReadAside)
{
    for (int round = 0; round < 10; ++round) {
        overlap both;
        serving here(
            [&](server &at) { at.unary(work, [&](const Blob &, Blob &, call_context &) { both.compute(); }); });
        client first("rpc"), second("rpc");
        caller one(first, {work}), two(second, {work});
        both.wait(10);
        here.at.stop();
        one.join();
        two.join();
        // The server went, a handler was told so, or who connected again at once was refused.
        for (const caller *each : {&one, &two})
            CHECK(each->failed.code == status::unavailable || each->failed.code == status::cancelled ||
                  each->failed.code == status::unauthenticated);
    }
}

TEST(ClientsComeAndGoWhileTheyAreReadAside)
{
    overlap both;
    const serving here(
        [&](server &at) { at.unary(work, [&](const Blob &, Blob &, call_context &) { both.compute(); }); });
    client stays("rpc");
    caller one(stays, {work});
    for (int round = 0; round < 100; ++round) {
        client goes("rpc");
        for (int i = 0; i < 10; ++i)
            goes.call(work, Blob(), 60s);
    }
    one.end();
    CHECK(one.failed);
}

TEST(ClientsThatAreKilledWhileTheyAreReadAsideAreInNobodysWay)
{
    overlap both;
    server at("rpc"); // with an echo of its own
    at.unary(contract::echo, [&](const Blob &request, Blob &response, call_context &) {
        response = request;
        both.compute();
    });
    at.start();
    client stays("rpc");
    caller one(stays, {contract::echo});
    for (int round = 0; round < 10; ++round) {
        peer_process goes("call", "1000000");
        both.wait(3);
        goes.kill();
    }
    one.end();
    CHECK(one.failed);
}

} // namespace rpc_aside_test
