// Calls from the server to its client, on the client's connection.
#include <atomic>
#include <thread>
#include <vector>

#include "rpc_serving.hpp"

namespace rpc_callbacks_test
{

using namespace std::chrono_literals;
using contract::Blob;
using ipc::rpc::call_context;
using ipc::rpc::client;
using ipc::rpc::client_options;
using ipc::rpc::outcome;
using ipc::rpc::server;
using ipc::rpc::service;
using ipc::rpc::status;
using ipc::rpc::stream_input;

namespace
{

constexpr ipc::rpc::method<Blob, Blob> down{"tests.v1", "Down"};
constexpr ipc::rpc::method<Blob, Blob> up{"tests.back.v1", "Up"};
constexpr ipc::rpc::client_stream_method<Blob, Blob, Blob> gather{"tests.back.v1", "Gather"};

client_options offering(std::shared_ptr<service> what)
{
    client_options options;
    options.services = std::move(what);
    return options;
}

} // namespace

TEST(AHandlerCallsItsCallerBack)
{
    const serving here;
    client caller("rpc", offering(contract::callbacks()));
    CHECK_EQUAL(caller.call(contract::relay, counting(100, 50), 60s).data(), "100");
    CHECK_EQUAL(caller.call(contract::relay, counting(3, 100'000), 60s).data(), "3");
    CHECK_EQUAL(caller.call(contract::pull, counting(1000, 50), 60s).data(), "1000");
}

TEST(CallsAndCallbacksNestAsDeepAsTheyLike)
{
    // Down(n) calls Up(n - 1), which calls Down(n - 1), and so on.
    const serving here([](server &at) {
        at.unary(down, [](const Blob &request, Blob &response, call_context &context) {
            const int depth = std::stoi(request.data());
            response = depth == 0 ? blob("bottom") : context.caller().call(up, blob(std::to_string(depth - 1)));
        });
    });
    auto offered = std::make_shared<service>();
    offered->unary(up, [](const Blob &request, Blob &response, call_context &context) {
        response = context.caller().call(down, request);
    });
    client caller("rpc", offering(offered));
    CHECK_EQUAL(caller.call(down, blob("20"), 60s).data(), "bottom");
}

TEST(ManyThreadsAreCalledBackAtOnce)
{
    const serving here;
    client caller("rpc", offering(contract::callbacks()));
    std::atomic<int> right{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 6; ++i)
        threads.emplace_back([&] {
            Blob response;
            if (caller.try_call(contract::relay, counting(50, 20), response, 60s))
                right += response.data() == "50";
        });
    for (std::thread &each : threads)
        each.join();
    CHECK_EQUAL(right.load(), 6);
}

TEST(MoreHandlersThanAConnectionMayBlockWaitForTheirClient)
{
    ipc::rpc::server_options options;
    options.max_calls_per_connection = 2;
    const serving here({}, options);
    client caller("rpc", offering(contract::callbacks()));
    std::atomic<int> right{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 6; ++i)
        threads.emplace_back([&] {
            Blob response;
            if (caller.try_call(contract::relay, counting(20, 20), response, 60s))
                right += response.data() == "20";
        });
    for (std::thread &each : threads)
        each.join();
    CHECK_EQUAL(right.load(), 6);
}

TEST(AForeignThreadIsAnsweredHoweverManyHandlersBlock)
{
    for (const bool ordered : {false, true}) {
        std::unique_ptr<ipc::rpc::caller> kept;
        std::atomic<int> begun{0};
        check::signal is_kept, all_begun;
        ipc::rpc::server_options options;
        options.max_calls_per_connection = 2;
        options.ordered_calls = ordered;
        serving here(
            [&](server &at) {
                at.unary(down, [&](const Blob &request, Blob &, call_context &context) {
                    if (request.data() == "keep") {
                        kept = std::make_unique<ipc::rpc::caller>(context.caller());
                        is_kept.set();
                        return;
                    }
                    if (++begun == (ordered ? 1 : 3)) // nobody reads the connection from now on, or soon
                        all_begun.set();
                    while (!context.wait(10s)) {
                    }
                });
            },
            options);
        auto offered = std::make_shared<service>();
        offered->unary(up, [](const Blob &request, Blob &response) { response = request; });
        client caller("rpc", offering(offered));
        caller.call(down, blob("keep"), 30s);
        is_kept.wait();
        std::vector<ipc::rpc::pending_call<Blob>> blocked;
        for (int i = 0; i < 8; ++i)
            blocked.push_back(caller.call_async(down, blob("block")));
        all_begun.wait();
        for (int i = 0; i < 50; ++i)
            CHECK_EQUAL(kept->call(up, blob("foreign"), 60s).data(), "foreign");
        kept.reset();
        blocked.clear();
        here.at.stop();
    }
}

TEST(AClientThatOffersNothingSaysSo)
{
    const serving here([](server &at) {
        at.unary(down, [](const Blob &, Blob &response, call_context &context) {
            Blob none;
            const outcome result = context.caller().try_call(up, Blob(), none, 30s);
            response.set_data(std::string(name_of(result.code)) + ": " + result.text);
        });
    });
    client without("rpc");
    CHECK_EQUAL(without.call(down, Blob(), 30s).data(),
                "Unimplemented: The client of the server \"rpc\" offers no services to call back.");
    client with("rpc", offering(contract::callbacks()));
    const std::string text = with.call(down, Blob(), 30s).data();
    CHECK(text.find("tests.back.v1: Back, Feed") != std::string::npos);
}

TEST(AStreamOfTheServersReachesItsClient)
{
    const serving here([](server &at) {
        at.unary(down, [](const Blob &, Blob &response, call_context &context) {
            auto call = context.caller().client_stream(gather, Blob());
            for (int i = 0; i < 500; ++i)
                if (!call.write(blob(contract::pattern(i, 10))))
                    break;
            response = call.finish();
        });
    });
    auto offered = std::make_shared<service>();
    offered->client_stream(gather, [](const Blob &, stream_input<Blob> &items, Blob &response) {
        int right = 0;
        for (Blob item; items.next(item);)
            right += item.data() == contract::pattern(right, 10);
        response.set_data(std::to_string(right));
    });
    client caller("rpc", offering(offered));
    CHECK_EQUAL(caller.call(down, Blob(), 60s).data(), "500");
}

TEST(ACallbacksErrorReachesTheHandler)
{
    const serving here([](server &at) {
        at.unary(down, [](const Blob &, Blob &response, call_context &context) {
            response = context.caller().call(up, Blob());
        });
    });
    auto offered = std::make_shared<service>();
    offered->unary(up, [](const Blob &, Blob &) { throw ipc::rpc::error(status::not_found, "up here"); });
    client caller("rpc", offering(offered));
    Blob response;
    const outcome result = caller.try_call(down, Blob(), response, 30s);
    CHECK_EQUAL(result.code, status::not_found);
    CHECK_EQUAL(result.text, "up here");
}

TEST(CancellingTheCallCancelsItsCallback)
{
    check::signal begun, over;
    const serving here([](server &at) {
        at.unary(down, [](const Blob &, Blob &response, call_context &context) {
            response = context.caller().call(up, Blob());
        });
    });
    auto offered = std::make_shared<service>();
    offered->unary(up, [&](const Blob &, Blob &, call_context &context) {
        begun.set();
        while (!context.wait(10s)) {
        }
        over.set();
    });
    client caller("rpc", offering(offered));
    ipc::rpc::canceller cancel;
    std::thread other([&] {
        begun.wait();
        cancel.trigger();
    });
    Blob response;
    CHECK_EQUAL(caller.try_call(down, Blob(), response, ipc::deadline::never(), &cancel).code, status::cancelled);
    other.join();
    over.wait();
}

TEST(AServerMayCallAClientThatIsIdleAndOneThatIsGone)
{
    std::unique_ptr<ipc::rpc::caller> kept;
    check::signal is_kept; // the answer says it too, but a sanitizer does not see through shared memory
    const serving here([&](server &at) {
        at.unary(down, [&](const Blob &, Blob &, call_context &context) {
            kept = std::make_unique<ipc::rpc::caller>(context.caller());
            is_kept.set();
        });
    });
    auto offered = std::make_shared<service>();
    offered->unary(up, [](const Blob &request, Blob &response) { response = request; });
    auto owner = std::make_unique<client>("rpc", offering(offered));
    owner->call(down, Blob(), 30s);
    is_kept.wait();
    for (int i = 0; i < 20; ++i)
        CHECK_EQUAL(kept->call(up, blob("idle"), 30s).data(), "idle");
    owner.reset();
    Blob response;
    const outcome gone = kept->try_call(up, blob("gone"), response, 60s);
    CHECK_EQUAL(gone.code, status::unavailable);
    CHECK(gone.unsent);
    kept.reset();
}

TEST(ClosingTheClientEndsItsHandlersAndTheirCalls)
{
    check::signal begun;
    std::atomic<bool> call_ended{false}, handler_ended{false};
    const serving here([](server &at) {
        at.unary(down, [](const Blob &, Blob &response, call_context &context) {
            response = context.caller().call(up, Blob());
        });
    });
    auto offered = std::make_shared<service>();
    offered->unary(up, [&](const Blob &, Blob &response, call_context &context) {
        begun.set();
        contract::SleepRequest minute;
        minute.set_ms(60'000);
        try {
            call_ended = !context.caller().try_call(contract::sleep, minute, response);
        } catch (const ipc::error &closed) { // it was closed before the call began
            call_ended = closed.code() == IPC_CLOSED;
        }
        handler_ended = context.wait(60s);
    });
    client caller("rpc", offering(offered));
    std::thread closer([&] {
        begun.wait();
        caller.close();
    });
    Blob response;
    CHECK_EQUAL(caller.try_call(down, Blob(), response).code, status::unavailable);
    closer.join();
    CHECK(call_ended);
    CHECK(handler_ended);
}

TEST(AHandlerThatKeepsItsPlaceCannotWaitForItsClient)
{
    const serving here([](server &at) {
        at.unary(
            down,
            [](const Blob &, Blob &response, call_context &context) { response = context.caller().call(up, Blob()); },
            ipc::rpc::dispatch::in_place);
    });
    client caller("rpc", offering(contract::callbacks()));
    Blob response;
    CHECK_EQUAL(caller.try_call(down, Blob(), response, 30s).code, status::failed_precondition);
}

} // namespace rpc_callbacks_test
