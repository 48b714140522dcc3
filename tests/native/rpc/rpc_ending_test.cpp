// A client that is closed or destroyed from wherever user code runs, and completions that own what they belong to.
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <dirent.h>

#include "rpc_serving.hpp"

namespace rpc_ending_test
{

using namespace std::chrono_literals;
using contract::Blob;
using ipc::rpc::call_context;
using ipc::rpc::call_info;
using ipc::rpc::call_options;
using ipc::rpc::canceller;
using ipc::rpc::client;
using ipc::rpc::client_options;
using ipc::rpc::connection_change;
using ipc::rpc::outcome;
using ipc::rpc::server;
using ipc::rpc::status;

namespace
{

constexpr ipc::rpc::method<Blob, Blob> stuck{"tests.v1", "Stuck"};
constexpr ipc::rpc::method<Blob, Blob> ring{"tests.back.v1", "Ring"};
constexpr ipc::rpc::method<Blob, Blob> rings{"tests.v1", "Rings"};

void blocks(server &at)
{
    at.unary(stuck, [](const Blob &, Blob &, call_context &context) {
        while (!context.wait(10s)) {
        }
    });
    at.unary(rings, [](const Blob &, Blob &, call_context &context) {
        Blob none;
        context.caller().try_call(ring, Blob(), none);
    });
}

// A thread of the client's is behind the last reference: wait until it has cleaned up.
void wait_until_gone(const std::weak_ptr<client> &last, server &at)
{
    const ipc::deadline patience = 60s;
    while (!last.expired())
        CHECK(!patience.has_passed());
    at.stop();
}

} // namespace

TEST(AReportOfProgressMayCloseTheClient)
{
    const serving here;
    client caller("rpc");
    Blob response;
    int reports = 0;
    const outcome result = caller.try_call(contract::steps, counting(100), response, [&](const Blob &) {
        ++reports;
        caller.close();
    });
    CHECK(result.code == status::unavailable || (result && reports == 1)); // the answer may be here already
    try {
        caller.try_call(contract::echo, blob("late"), response);
        CHECK(false);
    } catch (const ipc::error &closed) {
        CHECK_EQUAL(closed.code(), IPC_CLOSED);
    }
}

TEST(ACallThatComesTooLateForAnEndedClientLearnsThatItHasEnded) // not that its deadline has passed
{
    client_options once;
    once.auto_reconnect = false;
    std::optional<serving> here(std::in_place);
    client caller("rpc", once);
    Blob response;
    caller.call(contract::echo, Blob());
    here.reset();
    CHECK_EQUAL(caller.try_call(contract::echo, Blob(), response, 30s).code, status::unavailable);
    CHECK_EQUAL(caller.try_call(contract::echo, Blob(), response, ipc::deadline::now()).code, status::unavailable);
    caller.close();
    try {
        caller.try_call(contract::echo, Blob(), response, ipc::deadline::now());
        CHECK(false);
    } catch (const ipc::error &closed) {
        CHECK_EQUAL(closed.code(), IPC_CLOSED);
    }
}

TEST(AReportOfProgressMayDestroyTheClient)
{
    serving here;
    auto caller = std::make_shared<client>("rpc");
    const std::weak_ptr<client> last = caller;
    Blob response;
    client &reference = *caller;
    reference.try_call(contract::steps, counting(100), response, [&](const Blob &) { caller.reset(); });
    wait_until_gone(last, here.at);
}

TEST(TwoReportsMayCloseTheClientAtOnce)
{
    const serving here;
    client caller("rpc");
    std::mutex mutex;
    std::condition_variable both;
    int inside = 0;
    const auto call = [&] {
        Blob response;
        bool first = true;
        try {
            caller.try_call(contract::steps, counting(50), response, [&](const Blob &) {
                if (!std::exchange(first, false))
                    return;
                std::unique_lock held(mutex);
                ++inside;
                both.notify_all();
                both.wait(held, [&] { return inside == 2; });
                held.unlock();
                caller.close();
            });
        } catch (const ipc::error &) {
        }
    };
    std::thread other(call);
    call();
    other.join();
}

TEST(AReportOfProgressMayCallAServerThatHasReplacedTheOther)
{
    auto first = std::make_unique<serving>();
    client caller("rpc");
    std::unique_ptr<serving> second;
    Blob response;
    std::string answer;
    caller.try_call(contract::steps, counting(1000), response, [&](const Blob &) {
        if (second != nullptr)
            return;
        first->at.stop();
        first.reset();
        second = std::make_unique<serving>();
        answer = caller.call(contract::echo, blob("again"), 30s).data();
    });
    CHECK_EQUAL(answer, "again");
}

TEST(AReportThatThrowsEndsItsCallAlone)
{
    const serving here;
    client caller("rpc");
    Blob response;
    try {
        caller.try_call(contract::steps, counting(10), response,
                        [](const Blob &) { throw std::runtime_error("no more"); });
        CHECK(false);
    } catch (const std::runtime_error &thrown) {
        CHECK_EQUAL(std::string(thrown.what()), "no more");
    }
    CHECK_EQUAL(caller.call(contract::echo, blob("on"), 30s).data(), "on");
}

TEST(ACompletionMayCloseTheClient)
{
    const serving here(blocks);
    client caller("rpc");
    check::signal closed;
    std::atomic<int> others{0};
    for (int i = 0; i < 5; ++i)
        caller.call_async(stuck, Blob(), [&](const outcome &result, Blob &) {
            others += result.code == status::unavailable;
        });
    caller.call_async(contract::echo, Blob(), [&](const outcome &, Blob &) {
        caller.close();
        caller.close();
        closed.set();
    });
    closed.wait();
    caller.close(); // waits for the completions
    CHECK_EQUAL(others.load(), 5);
}

TEST(ACompletionMayOwnTheLastReferenceToItsClient)
{
    for (int round = 0; round < 20; ++round) {
        serving here(blocks);
        auto caller = std::make_shared<client>("rpc");
        const std::weak_ptr<client> last = caller;
        client &reference = *caller;
        reference.call_async(contract::echo, blob("mine"), [kept = std::move(caller)](const outcome &, Blob &) {});
        wait_until_gone(last, here.at);
    }
}

TEST(ACompletionMayOwnItsCanceller)
{
    const serving here(blocks);
    client caller("rpc");
    for (int round = 0; round < 50; ++round) {
        auto cancel = std::make_shared<canceller>();
        canceller &reference = *cancel;
        call_options options;
        options.cancel = cancel.get();
        check::signal over;
        status how{};
        const bool answered = round % 2 == 0;
        caller.call_async(
            answered ? contract::echo : stuck, Blob(),
            [&over, &how, kept = std::move(cancel)](const outcome &result, Blob &) {
                how = result.code;
                over.set();
            },
            options);
        if (!answered)
            reference.trigger(); // its completion destroys what is being triggered
        over.wait();
        CHECK_EQUAL(how, answered ? status::ok : status::cancelled);
    }
}

TEST(NewsOfTheConnectionMayCloseTheClient)
{
    const serving here;
    check::signal told;
    client *mine = nullptr;
    check::signal made;
    client_options options;
    options.on_connection = [&](const connection_change &change) {
        if (!change.connected)
            return;
        made.wait();
        mine->close();
        told.set();
    };
    client caller("rpc", options);
    mine = &caller;
    made.set();
    told.wait();
}

TEST(AHandlerOfTheClientsMayCloseAndDestroyIt)
{
    serving here(blocks);
    for (const bool destroy : {false, true}) {
        std::shared_ptr<client> caller;
        check::signal sent, handled;
        auto offered = std::make_shared<ipc::rpc::service>();
        offered->unary(ring, [&](const Blob &, Blob &) {
            sent.wait(); // nobody may be inside what is destroyed
            if (destroy)
                caller.reset();
            else
                caller->close();
            handled.set();
        });
        client_options options;
        options.services = offered;
        caller = std::make_shared<client>("rpc", options);
        caller->notify(rings, Blob());
        sent.set();
        handled.wait();
    }
    here.at.stop();
}

TEST(EveryCloseReturnsWhenTheLastCompletionHas)
{
    const serving here(blocks);
    client caller("rpc");
    check::signal inside, go_on;
    std::atomic<bool> over{false};
    caller.call_async(stuck, Blob(), [&](const outcome &, Blob &) {
        inside.set();
        go_on.wait();
        over = true;
    });
    std::atomic<int> late{0};
    std::vector<std::thread> closers;
    for (int i = 0; i < 3; ++i)
        closers.emplace_back([&] {
            caller.close();
            late += over.load();
        });
    inside.wait();
    go_on.set();
    for (std::thread &each : closers)
        each.join();
    CHECK_EQUAL(late.load(), 3);
}

namespace
{

struct witness final : ipc::rpc::observer {
    uint64_t started(const call_info &, std::string &) noexcept override
    {
        return 0;
    }

    void ended(const call_info &, uint64_t, const outcome &, std::chrono::nanoseconds) noexcept override
    {
    }

    void threw(const call_info &call, const outcome &thrown) noexcept override
    {
        words += std::string(call.service) + "/" + std::string(call.name) + " " + thrown.type + " " + thrown.text + ";";
        told.set();
    }

    std::string words;
    check::signal told;
};

} // namespace

TEST(WhatACompletionThrowsTheObserverIsTold)
{
    const serving here;
    const auto seen = std::make_shared<witness>();
    client_options options;
    options.observer = seen;
    client caller("rpc", options);
    caller.call_async(contract::echo, Blob(),
                      [](const outcome &, Blob &) { throw std::runtime_error("oops"); });
    seen->told.wait();
    CHECK_EQUAL(seen->words, "tests.v1/Echo std::runtime_error oops;");
    CHECK_EQUAL(caller.call_async(contract::echo, blob("on"), 30s).get().data(), "on"); // the thread goes on
}

TEST(WithoutAnObserverACompletionThatThrowsEndsNothingElse)
{
    const serving here;
    client_options options;
    options.on_connection = [](const connection_change &) { throw 1; };
    client caller("rpc", options);
    caller.call_async(contract::echo, Blob(),
                      [](const outcome &, Blob &) { throw std::runtime_error("oops"); });
    CHECK_EQUAL(caller.call_async(contract::echo, blob("on"), 30s).get().data(), "on");
}

TEST(BatchesEndInAnyOrder)
{
    const serving here;
    client first("rpc"), second("rpc");
    const auto noted = [&](client &by) { return std::stoi(by.call(contract::noted, Blob(), 30s).data()); };
    std::unique_ptr<ipc::rpc::batch> one(new ipc::rpc::batch(first.batch())),
        two(new ipc::rpc::batch(second.batch()));
    one.reset();
    two.reset();
    first.notify(contract::note, Blob()); // published at once: nothing else is sent over this client
    const ipc::deadline patience = 30s;
    while (noted(second) != 1)
        CHECK(!patience.has_passed());
}

TEST(ReadyWithinABatchPublishesIt)
{
    const serving here;
    client caller("rpc");
    const auto together = caller.batch();
    auto call = caller.call_async(contract::echo, blob("polled"));
    const ipc::deadline patience = 60s;
    while (!call.ready())
        CHECK(!patience.has_passed());
    CHECK_EQUAL(call.get().data(), "polled");
}

} // namespace rpc_ending_test
