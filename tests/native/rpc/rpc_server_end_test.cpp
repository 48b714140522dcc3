// How a server ends, who may end it, and what of it may outlive it.
#include <atomic>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "rpc_raw.hpp"
#include "rpc_no_threads.hpp"
#include "rpc_serving.hpp"

namespace rpc_server_end_test
{

using namespace std::chrono_literals;
using contract::Blob;
using ipc::rpc::call_context;
using ipc::rpc::client;
using ipc::rpc::client_options;
using ipc::rpc::frame_kind;
using ipc::rpc::outcome;
using ipc::rpc::server;
using ipc::rpc::server_options;
using ipc::rpc::status;

namespace
{

constexpr ipc::rpc::method<Blob, Blob> special{"tests.v1", "Special"};

} // namespace

TEST(ACallerThatAHandlerHasKeptOutlivesItsServer)
{
    // It closed the connection once more, whose memory had gone with the listener.
    std::optional<ipc::rpc::caller> kept;
    check::signal is_kept;
    auto here = std::make_unique<serving>([&](server &at) {
        at.unary(special, [&](const Blob &, Blob &, call_context &context) {
            kept.emplace(context.caller());
            is_kept.set();
        });
    });
    client_options with;
    with.services = contract::callbacks();
    client other("rpc", with);
    other.call(special, Blob(), 30s);
    is_kept.wait();
    auto items = kept->stream(contract::feed, counting(1'000'000, 10));
    Blob got;
    CHECK(items.next(got));
    here.reset();
    CHECK_EQUAL(kept->try_call(contract::back, Blob(), got, 30s).code, status::unavailable);
    CHECK_EQUAL(kept->try_call(contract::back, Blob(), got, ipc::deadline::now()).code, status::unavailable);
    bool has = true;
    outcome ended;
    while ((ended = items.try_next(got, has)) && has) {
    }
    CHECK_EQUAL(ended.code, status::unavailable);
}

TEST(EachOfTwoThatStopAServerWaitsForItsHandlers)
{
    check::signal begun;
    std::atomic<bool> over{false};
    serving here([&](server &at) {
        at.unary(special, [&](const Blob &, Blob &, call_context &context) {
            begun.set();
            context.wait(ipc::deadline::never());
            std::this_thread::sleep_for(50ms); // long enough to be overtaken
            over = true;
        });
    });
    client caller("rpc");
    auto running = caller.call_async(special, Blob());
    begun.wait();
    std::atomic<int> late{0};
    std::vector<std::thread> stopping;
    for (int i = 0; i < 3; ++i)
        stopping.emplace_back([&] {
            here.at.stop();
            late += over;
        });
    for (std::thread &each : stopping)
        each.join();
    CHECK_EQUAL(late.load(), 3);
    CHECK(here.at.try_wait());
    Blob response;
    CHECK_EQUAL(running.try_get(response).code, status::unavailable);
}

TEST(AHandlerMayStopItsServer)
{
    check::signal stopped;
    std::optional<serving> here;
    here.emplace([&](server &at) {
        at.unary(special, [&](const Blob &, Blob &, call_context &context) {
            here->at.stop(); // begins it, and does not wait for itself
            CHECK(context.cancelled());
            here->at.stop();
            stopped.set();
        });
    });
    client caller("rpc");
    Blob response;
    CHECK_EQUAL(caller.try_call(special, Blob(), response, 60s).code, status::unavailable);
    stopped.wait();
    here->at.stop();
    CHECK(here->at.try_wait());
}

// It is not the client that is unwelcome.
TEST(WhoConnectsWhileAServerStopsLearnsThatThereIsNone)
{
    check::signal begun, release;
    serving here([&](server &at) {
        at.unary(special, [&](const Blob &, Blob &) {
            begun.set();
            release.wait();
        });
    });
    client first("rpc");
    auto running = first.call_async(special, Blob());
    begun.wait();
    std::thread stopping([&] { here.at.stop(); });
    Blob response;
    CHECK_EQUAL(running.try_get(response).code, status::unavailable); // cut off: the server stops
    std::thread late([&] {
        std::optional<client> made;
        CHECK_EQUAL(client::try_connect("rpc", {}, made).code, status::unavailable);
    });
    release.set();
    stopping.join();
    late.join();
}

TEST(AServerStopsHoweverMuchOneWhoCameLateAsksFor)
{
    // A client that was admitted while all were cut off was not, and kept the leader busy for ever.
    check::signal asked, begun, ending, knocking, flooding;
    server_options options;
    options.refuse = [&](const ipc::rpc::client_info &who) {
        if (who.hello == "late") {
            asked.set();
            ending.wait();
            knocking.wait();
        } else if (who.hello == "later") {
            flooding.wait(); // so that the leader finds more to do
        }
        return std::string();
    };
    serving here(
        [&](server &at) {
            at.unary(special, [&](const Blob &, Blob &, call_context &context) {
                begun.set();
                context.wait(ipc::deadline::never());
                ending.set(); // all are being cut off
            });
        },
        options);
    client first("rpc");
    auto running = first.call_async(special, Blob());
    begun.wait();
    const auto flood = [&](const char *name) {
        client_options late;
        late.hello = name;
        late.auto_reconnect = false;
        std::optional<client> made;
        if (client::try_connect("rpc", late, made))
            for (int i = 0; made->try_notify(contract::note, Blob()); ++i) // faster than they are read
                if (i == 1000)
                    flooding.set();
        flooding.set();
    };
    std::thread one(flood, "late");
    asked.wait();
    std::thread other([&] {
        knocking.set(); // the client asks before the answer to the other one has come
        flood("later");
    });
    here.at.stop();
    one.join();
    other.join();
}

TEST(HandlersHearThatTheirClientHasGoneThoughItIsNotRead)
{
    // As many of its calls block, or wait for their turn, as a connection may have: nobody looked at it any more.
    for (const bool in_turn : {false, true}) {
        server_options options;
        options.max_calls_per_connection = 2;
        options.max_concurrent_calls = in_turn ? 1 : 0;
        std::atomic<int> begun{0}, over{0};
        check::signal all, none;
        const int most = in_turn ? 1 : 3;
        const serving here(
            [&](server &at) {
                at.unary(special, [&](const Blob &, Blob &, call_context &context) {
                    if (++begun == most)
                        all.set();
                    context.wait(ipc::deadline::never());
                    if (++over == most)
                        none.set();
                });
            },
            options);
        ipc_connect_options how{};
        how.deadline = ipc::deadline(30s).at();
        ipc::connection asking = ipc::connection::connect("rpc", how);
        for (uint64_t call = 1; call <= 8; ++call)
            asking.writer().write(raw_frames::bytes_of(raw_frames::of(frame_kind::request, call, special.id)), 1, 30s);
        all.wait();
        asking.close();
        none.wait();
    }
}

TEST(AClientThatGoesTakesNoThreadWithIt)
{
    // Far more requests that block than there are threads: whoever served the others was stuck in one of them, for ever.
    for (const bool heeds : {true, false}) {
        server_options options;
        options.max_threads = 10;
        options.max_calls_per_connection = 3;
        check::signal all, release;
        std::atomic<int> begun{0};
        const serving here(
            [&](server &at) {
                at.unary(special, [&](const Blob &, Blob &, call_context &context) {
                    if (++begun == 4)
                        all.set();
                    if (heeds)
                        context.wait(ipc::deadline::never());
                    else
                        release.wait();
                });
            },
            options);
        ipc_connect_options how{};
        how.deadline = ipc::deadline(30s).at();
        ipc::connection asking = ipc::connection::connect("rpc", how);
        for (uint64_t call = 1; call <= 100; ++call)
            asking.writer().write(raw_frames::bytes_of(raw_frames::of(frame_kind::request, call, special.id)), 1, 30s);
        all.wait();
        asking.close();
        client other("rpc");
        for (int i = 0; i < 100; ++i) {
            CHECK_EQUAL(other.call(contract::echo, blob("on"), 30s).data(), "on");
            std::this_thread::sleep_for(1ms); // the server's threads are taken one by one
        }
        release.set();
    }
}

TEST(ClientsThatHaveTakenAllThreadsGiveThemBackWhenTheyGo)
{
    // None of them has as many as it may, so all were read; but nobody was left to read on, and to hear that they had gone.
    server_options options;
    options.max_threads = 6;
    check::signal all;
    std::atomic<int> begun{0};
    const serving here(
        [&](server &at) {
            at.unary(special, [&](const Blob &, Blob &, call_context &context) {
                if (++begun == 6)
                    all.set();
                context.wait(ipc::deadline::never());
            });
        },
        options);
    ipc_connect_options how{};
    how.deadline = ipc::deadline(30s).at();
    std::vector<ipc::connection> asking;
    for (int i = 0; i < 6; ++i)
        asking.push_back(ipc::connection::connect("rpc", how));
    for (ipc::connection &each : asking)
        for (uint64_t call = 1; call <= 3; ++call)
            each.writer().write(raw_frames::bytes_of(raw_frames::of(frame_kind::request, call, special.id)), 1, 30s);
    all.wait();
    for (ipc::connection &each : asking)
        each.close();
    client other("rpc");
    CHECK_EQUAL(other.call(contract::echo, blob("on"), 30s).data(), "on");
}

TEST(ClientsThatHaveTakenTheSystemsLastThreadsGiveThemBackWhenTheyGo)
{
    // As many threads are allowed as anybody wants, but the system has no more: nobody was told that nobody can take over.
    check::signal some;
    std::atomic<int> begun{0};
    const serving here([&](server &at) {
        at.unary(special, [&](const Blob &, Blob &, call_context &context) {
            if (++begun == 3)
                some.set();
            context.wait(ipc::deadline::never());
        });
    });
    ipc_connect_options how{};
    how.deadline = ipc::deadline(30s).at();
    std::vector<ipc::connection> asking;
    for (int i = 0; i < 6; ++i)
        asking.push_back(ipc::connection::connect("rpc", how));
    client other("rpc");
    CHECK_EQUAL(other.call(contract::echo, blob("on"), 30s).data(), "on");
    const auto ask = [&](size_t from, size_t to) {
        for (size_t i = from; i < to; ++i)
            for (uint64_t call = 1; call <= 3; ++call)
                asking[i].writer().write(raw_frames::bytes_of(raw_frames::of(frame_kind::request, call, special.id)), 1, 30s);
    };
    ask(0, 1);
    some.wait();
    take_threads_away();
    ask(1, 6);
    for (int seen = 0, quiet = 0; quiet < 30; quiet = seen == begun ? quiet + 1 : 0) { // until all are stuck that there are
        seen = begun;
        std::this_thread::sleep_for(10ms);
    }
    for (ipc::connection &each : asking)
        each.close();
    CHECK_EQUAL(other.call(contract::echo, blob("on"), 30s).data(), "on");
}

TEST(AKeptCallerHasItsAnswerThoughItsClientsCallsBlock)
{
    server_options options;
    options.max_calls_per_connection = 2;
    std::optional<ipc::rpc::caller> kept;
    std::atomic<int> begun{0};
    check::signal all, release;
    const serving here(
        [&](server &at) {
            at.unary(special, [&](const Blob &, Blob &, call_context &context) {
                if (++begun == 3) {
                    kept.emplace(context.caller());
                    all.set();
                }
                release.wait();
            });
        },
        options);
    client_options with;
    with.services = std::make_shared<ipc::rpc::service>();
    with.services->unary(contract::back, [](const Blob &request, Blob &response) { response = request; });
    client caller("rpc", with);
    std::vector<ipc::rpc::pending_call<Blob>> calls;
    for (int i = 0; i < 4; ++i)
        calls.push_back(caller.call_async(special, Blob()));
    all.wait();
    CHECK_EQUAL(kept->call(contract::back, blob("on")).data(), "on");
    release.set();
    for (auto &each : calls)
        each.get();
    kept.reset();
}

TEST(AConnectionIsFreedThoughAStandbyHasTakenItOver)
{
    // The thread that took over kept it for as long as it led, and with it the slot.
    server_options options;
    options.max_connections = 1;
    const serving here(
        [](server &at) {
            at.unary(special, [](const Blob &, Blob &, call_context &context) { context.wait(20ms); });
        },
        options);
    for (int round = 0; round < 5; ++round) {
        std::optional<client> caller;
        while (!client::try_connect("rpc", {}, caller)) // until the one before is freed: the watchdog ends it
            std::this_thread::yield();
        caller->call(special, Blob(), 60s);
    }
}

} // namespace rpc_server_end_test
