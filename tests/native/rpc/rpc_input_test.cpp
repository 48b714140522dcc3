// Streams that the caller sends: client streams and duplex, their credit, and every way in which they end.
#include <atomic>
#include <thread>

#include "rpc_serving.hpp"

namespace rpc_input_test
{

using namespace std::chrono_literals;
using contract::Blob;
using contract::CountRequest;
using ipc::rpc::call_context;
using ipc::rpc::call_options;
using ipc::rpc::client;
using ipc::rpc::client_options;
using ipc::rpc::outcome;
using ipc::rpc::server;
using ipc::rpc::status;
using ipc::rpc::stream_input;
using ipc::rpc::stream_writer;

namespace
{

constexpr ipc::rpc::client_stream_method<Blob, Blob, Blob> special{"tests.v1", "SpecialInput"};
constexpr ipc::rpc::duplex_method<Blob, Blob, Blob> special_duplex{"tests.v1", "SpecialDuplex"};

} // namespace

TEST(AClientStreamArrivesInOrderAndIsAnswered)
{
    const serving here([](server &at) {
        at.client_stream(special, [](const Blob &request, stream_input<Blob> &items, Blob &response) {
            int number = 0;
            for (Blob item; items.next(item); ++number)
                if (item.data() != contract::pattern(number, 50))
                    throw ipc::rpc::error(status::data_loss, "item " + std::to_string(number));
            response.set_data(request.data() + std::to_string(number));
        });
    });
    client caller("rpc");
    for (const int count : {0, 1, 31, 32, 33, 64, 5000}) {
        auto call = caller.client_stream(special, blob("got "));
        for (int i = 0; i < count; ++i)
            CHECK(call.write(blob(contract::pattern(i, 50))));
        CHECK_EQUAL(call.finish().data(), "got " + std::to_string(count));
    }
}

TEST(AHandlerThatDoesNotReadStopsItsCallerAndNobodyElse)
{
    check::signal go;
    const serving here([&](server &at) {
        at.client_stream(special, [&](const Blob &, stream_input<Blob> &items, Blob &) {
            go.wait();
            for (Blob item; items.next(item);) {
            }
        });
    });
    client caller("rpc");
    std::atomic<int> written{0};
    check::signal full;
    std::thread writer([&] {
        auto call = caller.client_stream(special, Blob());
        for (int i = 0; i < 200 && call.write(Blob()); ++i)
            if (++written == 32)
                full.set();
        call.finish();
    });
    full.wait();
    Blob response;
    for (int i = 0; i < 200; ++i)
        CHECK(caller.try_call(contract::echo, Blob(), response, 60s));
    CHECK_EQUAL(written.load(), 32);
    go.set();
    writer.join();
    CHECK_EQUAL(written.load(), 200);
}

TEST(AnEarlyResponseEndsTheCallersStream)
{
    const serving here;
    client caller("rpc");
    auto call = caller.client_stream(contract::collect, counting(3));
    while (call.write(blob("12345"))) {
    }
    CHECK_EQUAL(call.finish().data(), "3 15");
    CHECK(!call.write(blob("12345")));
    CHECK_EQUAL(caller.call(contract::echo, blob("still")).data(), "still");
}

TEST(AnErrorInTheMiddleEndsTheCallersStream)
{
    const serving here;
    client caller("rpc");
    auto call = caller.client_stream(contract::collect, counting(0));
    while (call.write(blob("thirteen char"))) {
    }
    Blob response;
    const outcome result = call.try_finish(response);
    CHECK_EQUAL(result.code, status::out_of_range);
    CHECK_EQUAL(result.text, "unlucky");
    CHECK_EQUAL(call.try_finish(response).code, status::out_of_range); // and it stays so
}

TEST(AClientStreamThatIsDroppedIsCancelledAtItsHandler)
{
    check::signal begun, over;
    const serving here([&](server &at) {
        at.client_stream(special, [&](const Blob &, stream_input<Blob> &items, Blob &, call_context &context) {
            Blob item;
            CHECK(items.next(item));
            begun.set();
            CHECK(!items.next(item));
            CHECK(context.cancelled());
            over.set();
        });
    });
    client caller("rpc");
    {
        auto call = caller.client_stream(special, Blob());
        CHECK(call.write(Blob()));
        begun.wait();
    }
    over.wait();
    CHECK_EQUAL(caller.call(contract::echo, blob("still")).data(), "still");
}

TEST(ACancellerAndADeadlineEndAWriterThatWaitsForCredit)
{
    const serving here([&](server &at) {
        at.client_stream(special, [&](const Blob &, stream_input<Blob> &, Blob &, call_context &context) {
            while (!context.wait(10s)) {
            }
        });
    });
    client caller("rpc");
    const auto write_until_stopped = [&](const call_options &options) {
        try {
            auto call = caller.client_stream(special, Blob(), options); // the canceller may be triggered already
            while (call.write(Blob())) {
            }
            Blob none;
            return call.try_finish(none).code;
        } catch (const ipc::rpc::error &stopped) {
            return stopped.code();
        }
    };
    call_options options;
    options.until = 50ms;
    CHECK_EQUAL(write_until_stopped(options), status::deadline_exceeded);
    ipc::rpc::canceller cancel;
    options.until = ipc::deadline::never();
    options.cancel = &cancel;
    std::thread other([&] { cancel.trigger(); });
    const status stopped = write_until_stopped(options);
    other.join();
    CHECK_EQUAL(stopped, status::cancelled);
}

TEST(ADuplexStreamCarriesBothWays)
{
    const serving here;
    client caller("rpc");
    for (const int count : {0, 1, 100, 5000}) {
        auto call = caller.duplex(contract::mirror, counting(0));
        std::thread writer([&] {
            for (int i = 0; i < count && call.write(blob(contract::pattern(i, 40))); ++i) {
            }
            call.writes_done();
        });
        int number = 0, right = 0;
        for (Blob item; call.next(item); ++number)
            right += item.data() == contract::pattern(number, 40);
        writer.join();
        CHECK_EQUAL(number, count);
        CHECK_EQUAL(right, count);
    }
}

TEST(LargeItemsPassBothWaysThroughSmallRings)
{
    const serving here;
    client_options options;
    options.to_server_capacity = options.to_client_capacity = 16 * 1024;
    client caller("rpc", options);
    auto call = caller.duplex(contract::mirror, counting(0));
    std::thread writer([&] {
        for (int i = 0; i < 200 && call.write(blob(contract::pattern(i, 7000))); ++i) {
        }
        call.writes_done();
    });
    int number = 0, right = 0;
    for (Blob item; call.next(item); ++number)
        right += item.data() == contract::pattern(number, 7000);
    writer.join();
    CHECK_EQUAL(right, 200);
}

TEST(TheServersEndEndsADuplexCallWhateverTheCallerSends)
{
    const serving here;
    client caller("rpc");
    auto call = caller.duplex(contract::mirror, counting(2));
    std::thread writer([&] {
        while (call.write(blob("again"))) {
        }
    });
    int number = 0;
    for (Blob item; call.next(item); ++number) {
    }
    writer.join();
    CHECK_EQUAL(number, 2);
}

TEST(AReaderThatGivesUpEndsTheWriterOfItsDuplexCall)
{
    std::atomic<bool> begun{false};
    check::signal over;
    const serving here([&](server &at) {
        at.duplex(special_duplex,
                  [&](const Blob &, stream_input<Blob> &, stream_writer<Blob> &, call_context &context) {
                      begun = true;
                      while (!context.wait(10s)) {
                      }
                      over.set();
                  });
    });
    client caller("rpc");
    for (auto patience = 100ms; !begun; patience *= 2) { // a request that is read too late has no handler
        call_options options;
        options.until = patience;
        auto call = caller.duplex(special_duplex, Blob(), options);
        std::thread writer([&] {
            try {
                while (call.write(Blob())) {
                }
            } catch (const ipc::rpc::error &) { // it may meet the deadline first
            }
        });
        Blob item;
        bool got = true;
        CHECK_EQUAL(call.try_next(item, got).code, status::deadline_exceeded);
        writer.join();
        CHECK(!call.write(Blob()));
    }
    over.wait();
}

TEST(StoppingTheServerEndsStreamsOfBothDirections)
{
    check::signal begun;
    auto here = std::make_unique<serving>([&](server &at) {
        at.duplex(special_duplex, [&](const Blob &, stream_input<Blob> &in, stream_writer<Blob> &) {
            begun.set();
            for (Blob item; in.next(item);) {
            }
        });
    });
    client caller("rpc");
    auto call = caller.duplex(special_duplex, Blob());
    begun.wait();
    here->at.stop();
    Blob item;
    bool got = true;
    CHECK_EQUAL(call.try_next(item, got).code, status::unavailable);
    CHECK(!call.write(Blob()));
}

} // namespace rpc_input_test
