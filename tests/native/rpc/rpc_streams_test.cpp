// Server streams: order, credit, and every way in which they end.
#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "rpc_check.hpp"
#include "rpc_contract.hpp"

namespace rpc_streams_test
{

using namespace std::chrono_literals;
using contract::Blob;
using ipc::rpc::call_context;
using ipc::rpc::client;
using ipc::rpc::client_options;
using ipc::rpc::outcome;
using ipc::rpc::server;
using ipc::rpc::status;
using ipc::rpc::stream_writer;

namespace
{

constexpr ipc::rpc::stream_method<Blob, Blob> special{"tests.v1", "SpecialStream"};

contract::CountRequest counting(int count, int size)
{
    contract::CountRequest made;
    made.set_count(count);
    made.set_size(size);
    return made;
}

struct serving {
    explicit serving(const std::function<void(server &)> &add = {}) : at("rpc")
    {
        contract::serve(at);
        if (add)
            add(at);
        at.start();
    }

    server at;
};

} // namespace

TEST(AStreamDeliversItsItemsInOrderAndEnds)
{
    const serving here;
    client caller("rpc");
    for (const int count : {0, 1, 63, 64, 65, 5000}) {
        auto items = caller.stream(contract::count, counting(count, 50), 60s);
        Blob item;
        int number = 0;
        for (; items.next(item); ++number)
            CHECK(item.data() == contract::pattern(number, 50));
        CHECK_EQUAL(number, count);
        CHECK(!items.next(item)); // and it stays ended
    }
}

TEST(LargeItemsPassARingThatHoldsTwoOfThem)
{
    const serving here;
    client_options options;
    options.to_client_capacity = 16 * 1024;
    client caller("rpc", options);
    auto items = caller.stream(contract::count, counting(200, 7000), 60s);
    Blob item;
    int number = 0;
    for (; items.next(item); ++number)
        CHECK(item.data() == contract::pattern(number, 7000));
    CHECK_EQUAL(number, 200);
}

TEST(AReaderThatDoesNotReadStopsItsProducerAndNobodyElse)
{
    std::atomic<int> written{0};
    check::signal full;
    const serving here([&](server &at) {
        at.server_stream(special, [&](const Blob &, stream_writer<Blob> &items, call_context &) {
            while (items.write(Blob()))
                if (++written == 8)
                    full.set();
        });
    });
    client_options options;
    options.stream_window = 8;
    client caller("rpc", options);
    auto items = caller.stream(special, Blob());
    full.wait();
    Blob response;
    for (int i = 0; i < 200; ++i) // the other calls go on, and carry the items past the reader
        CHECK(caller.try_call(contract::echo, Blob(), response, 60s));
    CHECK_EQUAL(written.load(), 8);
    for (int i = 0; i < 100; ++i)
        CHECK(items.next(response));
    CHECK(written.load() <= 108);
}

TEST(SeveralStreamsShareAConnection)
{
    const serving here;
    client caller("rpc");
    std::atomic<int> right{0};
    std::vector<std::thread> threads;
    for (int size = 1; size <= 4; ++size)
        threads.emplace_back([&, size] {
            auto items = caller.stream(contract::count, counting(1000, size), 60s);
            Blob item;
            for (int number = 0; items.next(item); ++number)
                if (item.data() == contract::pattern(number, size))
                    ++right;
        });
    for (std::thread &thread : threads)
        thread.join();
    CHECK_EQUAL(right.load(), 4000);
}

TEST(AStreamThatIsDroppedIsCancelledAtItsProducer)
{
    check::signal over;
    const serving here([&](server &at) {
        at.server_stream(special, [&](const Blob &, stream_writer<Blob> &items, call_context &context) {
            while (items.write(Blob())) {
            }
            CHECK(context.cancelled());
            over.set();
        });
    });
    client caller("rpc");
    {
        auto items = caller.stream(special, Blob());
        Blob item;
        CHECK(items.next(item));
    }
    over.wait();
    Blob response;
    CHECK(caller.try_call(contract::echo, Blob(), response, 10s));
}

TEST(AnErrorComesAfterTheItemsBeforeIt)
{
    const serving here([&](server &at) {
        at.server_stream(special, [&](const Blob &, stream_writer<Blob> &items, call_context &) {
            items.write(Blob());
            items.write(Blob());
            throw ipc::rpc::error(status::not_found, "no third one");
        });
    });
    client caller("rpc");
    auto items = caller.stream(special, Blob(), 10s);
    Blob item;
    CHECK(items.next(item));
    CHECK(items.next(item));
    bool got = true;
    outcome result = items.try_next(item, got);
    CHECK(!got);
    CHECK_EQUAL(result.code, status::not_found);
    CHECK_EQUAL(result.text, "no third one");
    CHECK_EQUAL(items.try_next(item, got).code, status::not_found); // and it stays so
}

TEST(TheDeadlineOfAStreamEndsItOnBothSides)
{
    std::atomic<bool> begun{false};
    check::signal over;
    const serving here([&](server &at) {
        at.server_stream(special, [&](const Blob &, stream_writer<Blob> &items, call_context &context) {
            begun = true;
            items.write(Blob());
            while (!context.wait(10s)) {
            }
            over.set();
        });
    });
    client caller("rpc");
    for (auto patience = 50ms; !begun; patience *= 2) { // a request that is read too late has no handler
        auto items = caller.stream(special, Blob(), patience);
        Blob item;
        bool got = false;
        outcome result;
        while ((result = items.try_next(item, got)) && got) {
        }
        CHECK_EQUAL(result.code, status::deadline_exceeded);
    }
    over.wait();
}

TEST(WaitingForAnItemMayTimeOutAndTheStreamGoesOn)
{
    check::signal go;
    const serving here([&](server &at) {
        at.server_stream(special, [&](const Blob &, stream_writer<Blob> &items, call_context &) {
            go.wait();
            items.write(Blob());
        });
    });
    client caller("rpc");
    auto items = caller.stream(special, Blob());
    Blob item;
    bool got = true;
    CHECK_EQUAL(items.try_next(item, got, 5ms).code, status::deadline_exceeded);
    CHECK(!got);
    go.set();
    CHECK(items.next(item, 60s));
    CHECK(!items.next(item, 60s));
}

TEST(ACancellerEndsAStream)
{
    const serving here([&](server &at) {
        at.server_stream(special, [&](const Blob &, stream_writer<Blob> &items, call_context &context) {
            items.write(Blob());
            while (!context.wait(10s)) {
            }
        });
    });
    client caller("rpc");
    ipc::rpc::canceller cancel;
    auto items = caller.stream(special, Blob(), ipc::deadline::never(), &cancel);
    Blob item;
    CHECK(items.next(item));
    std::thread other([&] { cancel.trigger(); });
    bool got = true;
    const outcome result = items.try_next(item, got);
    other.join();
    CHECK_EQUAL(result.code, status::cancelled);
}

TEST(ACallWorksWhileItsThreadHoldsAStream)
{
    const serving here;
    client caller("rpc");
    auto items = caller.stream(contract::count, counting(300, 10), 60s);
    Blob item, response;
    int number = 0;
    for (; items.next(item); ++number) {
        CHECK(item.data() == contract::pattern(number, 10));
        CHECK(caller.try_call(contract::echo, item, response, 60s));
        CHECK(response.data() == item.data());
    }
    CHECK_EQUAL(number, 300);
}

TEST(WhatOneCallLeftIsNotTheNextOnes)
{
    const serving here;
    client caller("rpc");
    contract::FailRequest failing;
    failing.set_status(static_cast<int>(status::not_found));
    failing.set_text("of the call before");
    Blob answer, item;
    for (int round = 0; round < 3; ++round) { // in the same place of the client's table
        CHECK_EQUAL(caller.try_call(contract::fail, failing, answer).code, status::not_found);
        auto items = caller.stream(contract::count, counting(3, 50), 60s);
        while (items.next(item)) {
        }
    }
    {
        auto dropped = caller.stream(contract::count, counting(100, 50), 60s);
        CHECK(dropped.next(item));
        Blob request;
        request.set_data("between");
        CHECK_EQUAL(caller.call(contract::echo, request, 60s).data(), "between"); // which has read others' items
    }
    for (int round = 0; round < 3; ++round) {
        Blob request;
        request.set_data("mine");
        CHECK_EQUAL(caller.call(contract::echo, request, 60s).data(), "mine");
    }
}

} // namespace rpc_streams_test
