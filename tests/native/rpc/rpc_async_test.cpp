// Calls that do not wait, batches, and news of the connection: what a client has a thread of its own for.
#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "rpc_serving.hpp"

namespace rpc_async_test
{

using namespace std::chrono_literals;
using contract::Blob;
using ipc::rpc::call_context;
using ipc::rpc::call_options;
using ipc::rpc::client;
using ipc::rpc::client_options;
using ipc::rpc::connection_change;
using ipc::rpc::outcome;
using ipc::rpc::pending_call;
using ipc::rpc::server;
using ipc::rpc::status;

namespace
{

constexpr ipc::rpc::method<Blob, Blob> special{"tests.v1", "Special"};

void blocks(server &at)
{
    at.unary(special, [](const Blob &, Blob &, call_context &context) {
        while (!context.wait(10s)) {
        }
    });
}

} // namespace

TEST(AsynchronousCallsGetTheirOwnResponses)
{
    const serving here;
    client caller("rpc");
    std::vector<pending_call<Blob>> calls;
    for (int i = 0; i < 500; ++i)
        calls.push_back(caller.call_async(contract::echo, blob(contract::pattern(i, i))));
    CHECK_EQUAL(caller.call(contract::echo, blob("between"), 30s).data(), "between");
    for (int i = 499; i >= 0; --i)
        CHECK(calls[static_cast<size_t>(i)].get().data() == contract::pattern(i, i));
    Blob again;
    CHECK_EQUAL(calls[0].try_get(again).code, status::failed_precondition);
}

TEST(ACompletionIsCalledOnceAlways)
{
    auto here = std::make_unique<serving>(blocks);
    auto caller = std::make_unique<client>("rpc");
    std::atomic<int> good{0}, bad{0};
    check::signal all;
    for (int i = 0; i < 100; ++i)
        caller->call_async(contract::echo, blob(std::to_string(i)), [&, i](const outcome &result, Blob &response) {
            if (result && response.data() == std::to_string(i) && ++good == 100)
                all.set();
        });
    all.wait();
    for (int i = 0; i < 10; ++i)
        caller->call_async(special, Blob(),
                           [&](const outcome &result, Blob &) { bad += result.code == status::unavailable; });
    caller.reset(); // ends them, and waits for their completions
    CHECK_EQUAL(good.load(), 100);
    CHECK_EQUAL(bad.load(), 10);
}

TEST(ACompletionMayCallAndWait)
{
    const serving here;
    client caller("rpc");
    check::signal done;
    std::string first, second;
    caller.call_async(contract::echo, blob("outer"), [&](const outcome &, Blob &) {
        first = caller.call(contract::echo, blob("inner"), 30s).data();
        second = caller.call_async(contract::echo, blob("inner too")).get().data();
        done.set();
    });
    done.wait();
    CHECK_EQUAL(first, "inner");
    CHECK_EQUAL(second, "inner too");
}

TEST(AnAsynchronousCallEndsAtItsDeadline)
{
    const serving here(blocks);
    client caller("rpc");
    auto late = caller.call_async(special, Blob(), 60s);
    auto early = caller.call_async(special, Blob(), 30ms); // earlier than what is waited for already
    Blob response;
    CHECK_EQUAL(early.try_get(response).code, status::deadline_exceeded);
    CHECK(!late.ready());
    CHECK(!late.wait(1ms));
}

TEST(AnAsynchronousCallCanBeCancelledInThreeWays)
{
    std::atomic<int> begun{0}, over{0};
    check::signal all_begun, all_over;
    const serving here([&](server &at) {
        at.unary(special, [&](const Blob &, Blob &, call_context &context) {
            if (++begun == 3)
                all_begun.set();
            while (!context.wait(10s)) {
            }
            if (++over == 3)
                all_over.set();
        });
    });
    client caller("rpc");
    ipc::rpc::canceller cancel;
    call_options options;
    options.cancel = &cancel;
    auto first = caller.call_async(special, Blob());
    auto second = caller.call_async(special, Blob(), options);
    auto third = std::make_unique<pending_call<Blob>>(caller.call_async(special, Blob()));
    all_begun.wait();
    first.cancel();
    cancel.trigger();
    third.reset();
    all_over.wait();
    Blob response;
    CHECK_EQUAL(first.try_get(response).code, status::cancelled);
    CHECK_EQUAL(second.try_get(response).code, status::cancelled);
}

TEST(StoppingTheServerEndsAsynchronousCalls)
{
    auto here = std::make_unique<serving>(blocks);
    client caller("rpc");
    auto call = caller.call_async(special, Blob());
    here->at.stop();
    Blob response;
    CHECK_EQUAL(call.try_get(response).code, status::unavailable);
    const serving next;
    CHECK_EQUAL(caller.call_async(contract::echo, blob("next"), 30s).get().data(), "next");
}

TEST(ABatchIsPublishedAtItsEndAndNotBefore)
{
    const serving here;
    client caller("rpc");
    const auto noted = [&] { return std::stoi(caller.call(contract::noted, Blob(), 30s).data()); };
    std::vector<pending_call<Blob>> calls;
    {
        const auto together = caller.batch();
        for (int i = 0; i < 100; ++i)
            caller.notify(contract::note, Blob());
        for (int i = 0; i < 100; ++i)
            calls.push_back(caller.call_async(contract::echo, blob(std::to_string(i))));
        client other("rpc"); // would find notes that were published before
        CHECK_EQUAL(other.call(contract::noted, Blob(), 30s).data(), "0");
        CHECK(!calls[0].ready());
    }
    for (int i = 0; i < 100; ++i)
        CHECK_EQUAL(calls[static_cast<size_t>(i)].get().data(), std::to_string(i));
    const ipc::deadline patience = 30s;
    while (noted() != 100)
        CHECK(!patience.has_passed());
}

TEST(AWaitInsideABatchPublishesIt)
{
    const serving here;
    client caller("rpc");
    const auto together = caller.batch();
    CHECK_EQUAL(caller.call(contract::echo, blob("synchronous"), 30s).data(), "synchronous");
    CHECK_EQUAL(caller.call_async(contract::echo, blob("asynchronous"), 30s).get().data(), "asynchronous");
    auto items = caller.stream(contract::count, counting(200, 10), 30s);
    int number = 0;
    for (Blob item; items.next(item); ++number) {
    }
    CHECK_EQUAL(number, 200);
    for (int i = 0; i < 2000; ++i) // more than the ring holds
        caller.notify(contract::note, blob(std::string(1000, 'n')));
}

TEST(AClientTellsWhenItsConnectionComesAndGoes)
{
    check::signal up, gone, back;
    std::string reason;
    std::atomic<int> changes{0};
    client_options options;
    options.on_connection = [&](const connection_change &change) {
        switch (++changes) {
        case 1:
            CHECK(change.connected && change.server_pid == getpid());
            up.set();
            break;
        case 2:
            CHECK(!change.connected);
            reason = change.reason;
            gone.set();
            break;
        case 3:
            CHECK(change.connected);
            back.set();
            break;
        default:
            CHECK(!change.connected); // close(), below
        }
    };
    auto here = std::make_unique<serving>();
    client caller("rpc", options);
    up.wait();
    here->at.stop(); // nobody calls, and it is noticed all the same
    gone.wait();
    CHECK(reason.find("closed") != std::string::npos);
    const serving next;
    CHECK_EQUAL(caller.call(contract::echo, blob("again"), 30s).data(), "again");
    back.wait();
    caller.close();
    CHECK_EQUAL(changes.load(), 4);
}

} // namespace rpc_async_test
