// How many handlers of a server run at once, in which order, and where.
#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include <pthread.h>

#include "rpc_raw.hpp"
#include "rpc_serving.hpp"

namespace rpc_options_test
{

using namespace std::chrono_literals;
using contract::Blob;
using ipc::rpc::call_context;
using ipc::rpc::client;
using ipc::rpc::client_options;
using ipc::rpc::outcome;
using ipc::rpc::pending_call;
using ipc::rpc::server;
using ipc::rpc::server_options;
using ipc::rpc::service;
using ipc::rpc::status;
using ipc::rpc::stream_input;

namespace
{

constexpr ipc::rpc::method<Blob, Blob> special{"tests.v1", "Special"};
constexpr ipc::rpc::method<Blob, Blob> down{"tests.v1", "Down"};
constexpr ipc::rpc::method<Blob, Blob> up{"tests.back.v1", "Up"};
constexpr ipc::rpc::client_stream_method<Blob, Blob, Blob> gather{"tests.v1", "Gather"};

// Waits until nobody takes over any more: the handlers block for longer than it takes a standby to come.
void block(call_context &context)
{
    context.wait(3ms);
}

} // namespace

TEST(AServerForWhichThereIsNoThreadDoesNotStart)
{
    pthread_attr_t before, vast;
    CHECK(pthread_getattr_default_np(&before) == 0 && pthread_attr_init(&vast) == 0);
    CHECK(pthread_attr_setstacksize(&vast, size_t{1} << 50) == 0); // more than the address space has
    CHECK(pthread_setattr_default_np(&vast) == 0);
    server at("rpc");
    const outcome started = at.try_start();
    CHECK(pthread_setattr_default_np(&before) == 0);
    CHECK(started.code == status::resource_exhausted);
    CHECK(at.try_start()); // there is one now
    client("rpc").close();
    pthread_attr_destroy(&vast);
    pthread_attr_destroy(&before);
}

TEST(NoMoreHandlersRunThanTheServerAllows)
{
    server_options options;
    options.max_concurrent_calls = 2;
    std::atomic<int> running{0}, most{0}, ended{0};
    const serving here(
        [&](server &at) {
            at.unary(special, [&](const Blob &, Blob &, call_context &context) {
                const int now = ++running;
                for (int seen = most; now > seen && !most.compare_exchange_weak(seen, now);) {
                }
                while (most < 2) // until another one has come beside this one; a third would come meanwhile
                    block(context);
                block(context);
                --running;
                ++ended;
            });
        },
        options);
    client first("rpc"), second("rpc");
    std::vector<pending_call<Blob>> calls;
    for (int i = 0; i < 40; ++i)
        calls.push_back((i % 2 == 0 ? first : second).call_async(special, Blob()));
    Blob response;
    for (auto &each : calls)
        CHECK_EQUAL(each.try_get(response).text, "");
    CHECK_EQUAL(ended.load(), 40);
    CHECK_EQUAL(most.load(), 2);
}

TEST(OrderedCallsOfAConnectionRunOneAfterAnotherInTheirOrder)
{
    server_options options;
    options.ordered_calls = true;
    std::string order;
    check::signal last;
    std::atomic<int> running{0};
    std::atomic<bool> overlapped{false};
    const serving here(
        [&](server &at) {
            at.unary(special, [&](const Blob &request, Blob &, call_context &context) {
                overlapped = overlapped || ++running != 1;
                block(context);
                order += request.data(); // unguarded: that is the promise
                --running;
                if (request.data() == "z")
                    last.set(); // for a sanitizer, which does not see that the answer comes after it
            });
        },
        options);
    client caller("rpc");
    std::vector<pending_call<Blob>> calls;
    std::string expected;
    for (char name = 'a'; name <= 'z'; ++name) {
        expected.push_back(name);
        calls.push_back(caller.call_async(special, blob(std::string(1, name))));
    }
    for (auto &each : calls)
        each.get();
    last.wait();
    CHECK(!overlapped);
    CHECK_EQUAL(order, expected);
}

TEST(OrderedCallsOfTwoConnectionsRunBesideEachOther)
{
    server_options options;
    options.ordered_calls = true;
    std::atomic<int> begun{0};
    check::signal both;
    const serving here(
        [&](server &at) {
            at.unary(special, [&](const Blob &, Blob &) {
                if (++begun == 2)
                    both.set();
                both.wait();
            });
        },
        options);
    client first("rpc"), second("rpc");
    auto one = first.call_async(special, Blob());
    auto two = second.call_async(special, Blob());
    one.get();
    two.get();
}

TEST(AStreamGoesOnWhileRequestsWaitForTheirTurn)
{
    server_options options;
    options.max_concurrent_calls = 1;
    options.max_calls_per_connection = 2;
    const serving here(
        [](server &at) {
            at.client_stream(gather, [](const Blob &, stream_input<Blob> &items, Blob &response) {
                int number = 0;
                for (Blob item; items.next(item); ++number) {
                }
                response.set_data(std::to_string(number));
            });
        },
        options);
    client caller("rpc");
    auto stream = caller.client_stream(gather, Blob());
    CHECK(stream.write(Blob()));
    std::vector<pending_call<Blob>> waiting;
    for (int i = 0; i < 10; ++i)
        waiting.push_back(caller.call_async(contract::echo, blob("later")));
    for (int i = 0; i < 200; ++i)
        CHECK(stream.write(Blob()));
    CHECK(!waiting[0].ready());
    CHECK_EQUAL(stream.finish().data(), "201");
    for (auto &each : waiting)
        CHECK_EQUAL(each.get().data(), "later");
}

TEST(SoManyBytesOfRequestsWaitAndNoMore)
{
    constexpr int size = 30'000, running = 5; // three are below the bound, and the fourth goes beyond
    server_options options;
    options.max_concurrent_calls = 1;
    options.max_held_bytes = 100'000;
    std::atomic<int> begun{0};
    const serving here(
        [&begun](server &at) {
            at.client_stream(gather, [&begun](const Blob &, stream_input<Blob> &items, Blob &) {
                ++begun;
                for (Blob item; items.next(item);) {
                }
            });
        },
        options);
    client caller("rpc");
    for (int round = 0; round < 3; ++round) { // what has run does not count any more
        auto stream = caller.client_stream(gather, Blob()); // for which the connection has to be read on
        while (begun <= round) // else the first call may be the one that runs
            std::this_thread::yield();
        std::vector<pending_call<Blob>> calls;
        for (int i = 0; i < 10; ++i)
            calls.push_back(caller.call_async(contract::echo, blob(std::string(size, 'x'))));
        Blob response;
        for (size_t i = running - 1; i < calls.size(); ++i) {
            const outcome refused = calls[i].try_get(response);
            CHECK_EQUAL(refused.code, status::resource_exhausted);
            CHECK(refused.text.find("max_held_bytes") != std::string::npos);
        }
        for (size_t i = 0; i < running - 1; ++i)
            CHECK(!calls[i].ready());
        stream.finish();
        for (size_t i = 0; i < running - 1; ++i)
            CHECK_EQUAL(calls[i].get().data().size(), static_cast<size_t>(size));
    }
}

// Where nothing runs that they could be in the way of, the connection is not read meanwhile, and nobody is refused.
TEST(ManyBytesOfRequestsWaitInTheirRingWhenNothingElseIsInIt)
{
    server_options options;
    options.ordered_calls = true;
    options.max_held_bytes = 100'000;
    check::signal begun, release;
    const serving here(
        [&](server &at) {
            at.unary(special, [&](const Blob &, Blob &) {
                begun.set();
                release.wait();
            });
        },
        options);
    client caller("rpc"), other("rpc");
    auto first = caller.call_async(special, Blob());
    begun.wait();
    std::vector<pending_call<Blob>> calls;
    for (int i = 0; i < 40; ++i)
        calls.push_back(caller.call_async(contract::echo, blob(std::string(30'000, 'x'))));
    CHECK_EQUAL(other.call(contract::echo, blob("on")).data(), "on");
    release.set();
    first.get();
    for (auto &each : calls)
        CHECK_EQUAL(each.get().data().size(), size_t{30'000});
}

TEST(TheStreamsOfOneClientLeaveThreadsToOthers)
{
    server_options options;
    options.max_threads = 12;
    const serving here({}, options);
    ipc_connect_options how{};
    how.deadline = ipc::deadline(30s).at();
    ipc::connection greedy = ipc::connection::connect("rpc", how);
    const std::string endless = counting(1'000'000, 10).SerializeAsString();
    for (uint64_t call = 1; call <= 50; ++call) {
        auto header = raw_frames::of(ipc::rpc::frame_kind::request, call, contract::count.id);
        header.code = 1; // and no more credit, ever
        greedy.writer().write(raw_frames::bytes_of(header, endless), 1, 30s);
    }
    int items = 0, refused = 0;
    for (std::string body; items + refused < 50;) {
        const auto got = raw_frames::receive(greedy, body);
        items += got.kind == static_cast<uint8_t>(ipc::rpc::frame_kind::item);
        refused += got.code == static_cast<uint16_t>(ipc::rpc::status::resource_exhausted);
    }
    CHECK_EQUAL(items, 5); // of ten threads that neither lead nor stand by
    client other("rpc");
    auto stream = other.stream(contract::count, counting(10, 10), 30s);
    int got = 0;
    for (Blob item; stream.next(item); ++got) {
    }
    CHECK_EQUAL(got, 10);
}

TEST(RequestsThatWaitStayInTheirRingWhenThereAreMany)
{
    server_options options;
    options.max_concurrent_calls = 1;
    options.max_calls_per_connection = 2;
    check::signal begun, release;
    const serving here(
        [&](server &at) {
            at.unary(special, [&](const Blob &, Blob &) {
                begun.set();
                release.wait();
            });
        },
        options);
    client blocker("rpc"), caller("rpc");
    auto blocking = blocker.call_async(special, Blob());
    begun.wait();
    std::vector<pending_call<Blob>> waiting;
    for (int i = 0; i < 100; ++i) // none of this connection runs: it is not read any more
        waiting.push_back(caller.call_async(contract::echo, blob(std::to_string(i))));
    CHECK(!waiting[0].wait(20ms));
    release.set();
    blocking.get();
    for (int i = 0; i < 100; ++i)
        CHECK_EQUAL(waiting[static_cast<size_t>(i)].get().data(), std::to_string(i));
}

TEST(AHandlerThatWaitsForItsClientLetsOthersHaveItsTurn)
{
    for (const bool ordered : {false, true}) {
        server_options options;
        options.max_concurrent_calls = 1;
        options.ordered_calls = ordered;
        const serving here(
            [](server &at) {
                at.unary(down, [](const Blob &request, Blob &response, call_context &context) {
                    const int depth = std::stoi(request.data());
                    response = depth == 0 ? blob("bottom") : context.caller().call(up, blob(std::to_string(depth - 1)));
                });
            },
            options);
        client_options with;
        with.services = std::make_shared<service>();
        with.services->unary(up, [](const Blob &request, Blob &response, call_context &context) {
            response = context.caller().call(down, request);
        });
        client caller("rpc", with);
        CHECK_EQUAL(caller.call(down, blob("8"), 60s).data(), "bottom");
        CHECK_EQUAL(caller.call(contract::echo, blob("still"), 30s).data(), "still");
    }
}

TEST(ACallThatWaitsCanBeCancelled)
{
    server_options options;
    options.max_concurrent_calls = 1;
    check::signal begun, release;
    std::atomic<int> ran{0};
    const serving here(
        [&](server &at) {
            at.unary(special, [&](const Blob &, Blob &) {
                begun.set();
                release.wait();
            });
            at.unary(down, [&](const Blob &, Blob &) { ++ran; });
        },
        options);
    client blocker("rpc"), caller("rpc");
    auto blocking = blocker.call_async(special, Blob());
    begun.wait();
    Blob response;
    CHECK_EQUAL(caller.try_call(down, Blob(), response, 20ms).code, status::deadline_exceeded);
    release.set();
    blocking.get();
    CHECK_EQUAL(caller.call(contract::echo, blob("still"), 30s).data(), "still");
    CHECK_EQUAL(ran.load(), 0);
}

TEST(AHandlerInPlaceRunsOnTheThreadThatReads)
{
    // Nobody takes over while it runs, so the next request of the connection is read after it, by the same thread.
    std::atomic<std::thread::id> first{}, second{};
    const serving here([&](server &at) {
        at.unary(
            special,
            [&](const Blob &, Blob &, call_context &context) {
                first = std::this_thread::get_id();
                context.wait(30ms); // ever so long for a standby
            },
            ipc::rpc::dispatch::in_place);
        at.unary(
            down, [&](const Blob &, Blob &) { second = std::this_thread::get_id(); }, ipc::rpc::dispatch::in_place);
    });
    client caller("rpc");
    pending_call<Blob> one = caller.call_async(special, Blob());
    pending_call<Blob> two = caller.call_async(down, Blob());
    one.get();
    two.get();
    CHECK(first.load() == second.load());
}

TEST(CallsThatHaveEndedAreNotCountedAmongThoseThatBlock)
{
    server_options options;
    options.max_calls_per_connection = 2;
    check::signal begun, release;
    const serving here(
        [&](server &at) {
            at.unary(special, [&](const Blob &, Blob &) {
                begun.set();
                release.wait();
            });
        },
        options);
    client caller("rpc");
    for (int i = 0; i < 5; ++i) {
        auto items = caller.stream(contract::count, counting(10));
        for (Blob item; items.next(item);) {
        }
    }
    std::thread blocked([&] {
        Blob response;
        caller.try_call(special, Blob(), response);
    });
    begun.wait();
    Blob response;
    const outcome beside = caller.try_call(contract::echo, blob("beside"), response, 30s);
    release.set();
    blocked.join();
    CHECK_EQUAL(beside.code, status::ok);
}

} // namespace rpc_options_test
