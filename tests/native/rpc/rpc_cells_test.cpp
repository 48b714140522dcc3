// Cells of the tables of docs/guide/ending.md, C++ server and C++ client, that no other test of theirs meets.
#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "rpc_raw.hpp"
#include "rpc_serving.hpp"

namespace rpc_cells_test
{

using namespace std::chrono_literals;
using contract::Blob;
using ipc::rpc::call_context;
using ipc::rpc::call_options;
using ipc::rpc::canceller;
using ipc::rpc::client;
using ipc::rpc::client_options;
using ipc::rpc::frame_header;
using ipc::rpc::frame_kind;
using ipc::rpc::outcome;
using ipc::rpc::server;
using ipc::rpc::server_options;
using ipc::rpc::status;

namespace
{

constexpr ipc::rpc::method<Blob, Blob> special{"tests.v1", "Special"};
constexpr ipc::rpc::method<Blob, Blob> counted{"tests.v1", "Counted"};
constexpr ipc::rpc::progress_method<Blob, Blob, Blob> watched{"tests.v1", "Watched"};

ipc::connection by_hand(uint64_t to_client_capacity = 0)
{
    ipc_connect_options how{};
    how.to_client_capacity = to_client_capacity;
    how.deadline = ipc::deadline(60s).at();
    return ipc::connection::connect("rpc", how);
}

void send(ipc::connection &from, frame_kind kind, uint64_t call, uint32_t method = 0, uint64_t deadline = 0)
{
    frame_header header = raw_frames::of(kind, call, method);
    header.deadline = deadline;
    from.writer().write(raw_frames::bytes_of(header), 1, 60s);
}

void has_answer(ipc::connection &to, uint64_t call, frame_kind kind, status code = status::ok)
{
    std::string body;
    const frame_header got = raw_frames::receive(to, body);
    CHECK_EQUAL(got.call, call);
    CHECK_EQUAL(static_cast<frame_kind>(got.kind), kind);
    CHECK_EQUAL(got.code, static_cast<uint16_t>(code));
}

} // namespace

// ---- the server
// -------------------------------------------------------------------------------------------------------

TEST(InPlaceNobodyNoticesThatTheCallerCancels)
{
    check::signal begun, release;
    std::atomic<bool> fired{false};
    const serving here([&](server &at) {
        at.unary(
            special,
            [&](const Blob &, Blob &, call_context &context) {
                begun.set();
                release.wait();
                fired = context.cancelled();
            },
            ipc::rpc::dispatch::in_place);
    });
    ipc::connection asking = by_hand();
    send(asking, frame_kind::request, 1, special.id);
    begun.wait();
    send(asking, frame_kind::cancel, 1);
    release.set();
    has_answer(asking, 1, frame_kind::response);
    CHECK(!fired);
}

TEST(InPlaceTheDeadlineFiresAndIsTheAnswer)
{
    const serving here([](server &at) {
        at.unary(
            special,
            [](const Blob &, Blob &, call_context &context) {
                while (!context.wait(ipc::deadline::never())) {
                }
            },
            ipc::rpc::dispatch::in_place);
    });
    ipc::connection asking = by_hand();
    // Long enough for the request to be read in time on a busy machine; if it is not, the answer is the same.
    send(asking, frame_kind::request, 1, special.id, ipc_deadline_after(500'000'000));
    has_answer(asking, 1, frame_kind::error, status::deadline_exceeded);
}

TEST(StopWaitsForAHandlerInPlace)
{
    check::signal begun, release;
    std::atomic<bool> over{false}, late{false};
    serving here([&](server &at) {
        at.unary(
            special,
            [&](const Blob &, Blob &) {
                begun.set();
                release.wait();
                over = true;
            },
            ipc::rpc::dispatch::in_place);
    });
    client caller("rpc");
    auto running = caller.call_async(special, Blob());
    begun.wait();
    std::thread stopping([&] {
        here.at.stop();
        late = over.load();
    });
    Blob response;
    CHECK_EQUAL(running.try_get(response).code, status::unavailable); // it is cut off first
    release.set();
    stopping.join();
    CHECK(late);
}

TEST(WhatWaitsForItsTurnNeverRunsWhenItsTimeIsOverItsClientGoneOrItsServerStopped)
{
    for (const int end : {0, 1, 2}) {
        server_options options;
        options.max_concurrent_calls = 1;
        options.max_connections = 2;
        check::signal begun, release;
        std::atomic<int> ran{0};
        serving here(
            [&](server &at) {
                at.unary(special, [&](const Blob &, Blob &, call_context &) {
                    begun.set();
                    release.wait();
                });
                at.unary(counted, [&](const Blob &, Blob &) { ++ran; });
            },
            options);
        client blocker("rpc");
        auto blocking = blocker.call_async(special, Blob());
        begun.wait();
        ipc::connection waiting = by_hand();
        send(waiting, frame_kind::request, 1, counted.id, end == 0 ? 1 : 0); // a deadline that has passed long ago
        send(waiting, frame_kind::ping, 0);
        std::string body;
        CHECK_EQUAL(static_cast<frame_kind>(raw_frames::receive(waiting, body).kind), frame_kind::pong); // both were read
        Blob response;
        if (end == 0) {
            release.set();
            blocking.get();
            has_answer(waiting, 1, frame_kind::error, status::deadline_exceeded);
        } else if (end == 1) {
            waiting.close();
            for (std::optional<client> next; !client::try_connect("rpc", {}, next);) // there is room: the server knows
                std::this_thread::yield();
            release.set();
            blocking.get();
            CHECK_EQUAL(blocker.call(contract::echo, blob("on"), 60s).data(), "on"); // behind it
        } else {
            std::thread stopping([&] { here.at.stop(); });
            CHECK_EQUAL(blocking.try_get(response).code, status::unavailable);
            release.set();
            stopping.join();
        }
        CHECK_EQUAL(ran.load(), 0);
    }
}

TEST(AHandlerHearsThatItsClientBreaksTheProtocol)
{
    check::signal begun, fired;
    const serving here([&](server &at) {
        at.unary(special, [&](const Blob &, Blob &, call_context &context) {
            begun.set();
            while (!context.wait(ipc::deadline::never())) {
            }
            fired.set();
        });
    });
    ipc::connection asking = by_hand();
    send(asking, frame_kind::request, 1, special.id);
    begun.wait();
    send(asking, static_cast<frame_kind>(77), 2);
    fired.wait();
    while (asking.is_open()) // the watchdog
        std::this_thread::yield();
    CHECK_EQUAL(asking.close_code(), static_cast<uint32_t>(IPC_CLOSE_PROTOCOL));
}

TEST(AnAnswerThatWaitsForRoomIsSentThoughItsCallerCancels)
{
    const serving here([](server &at) {
        at.unary(
            special, [](const Blob &request, Blob &response) { response = request; }, ipc::rpc::dispatch::in_place);
    });
    ipc::connection asking = by_hand(4096);
    constexpr uint64_t many = 400; // more answers than its ring takes
    for (uint64_t call = 1; call <= many; ++call) {
        send(asking, frame_kind::request, call, special.id);
        send(asking, frame_kind::cancel, call);
    }
    for (uint64_t call = 1; call <= many; ++call)
        has_answer(asking, call, frame_kind::response);
}

// ---- the client
// -------------------------------------------------------------------------------------------------------

TEST(WithinAReportOfProgressACallEndsAfterTheReport)
{
    // Its canceller, its deadline, its server's end.
    for (const int end : {0, 1, 2}) {
        auto here = std::make_unique<serving>([](server &at) {
            at.unary(watched, [](const Blob &, Blob &response, ipc::rpc::progress_writer<Blob> &progress) {
                progress.report(response);
                while (!call_context::current()->wait(ipc::deadline::never())) {
                }
            });
        });
        client_options once;
        once.auto_reconnect = false;
        client caller("rpc", once);
        canceller cancel;
        call_options options;
        options.cancel = &cancel;
        bool reported = false;
        Blob response;
        if (end == 1)
            options.until = ipc::deadline(1s); // if the machine is too busy for a report until then, there is none
        const outcome result = caller.try_call(
            watched, Blob(), response,
            [&](const Blob &) {
                if (end == 0)
                    cancel.trigger();
                while (end == 1 && !options.until.has_passed())
                    std::this_thread::yield();
                if (end == 2)
                    here.reset();
                reported = true;
            },
            options);
        const status expected[] = {status::cancelled, status::deadline_exceeded, status::unavailable};
        CHECK_EQUAL(result.code, expected[end]);
        CHECK(reported || end == 1);
    }
}

TEST(WhatIsNoFrameEndsEverythingThatWaits)
{
    ipc::listener at("rpc");
    check::signal all;
    std::thread wrong([&] {
        ipc_event event{};
        if (at.next(event, 60s) != IPC_OK || ipc_connection_accept(event.connection) != IPC_OK)
            return;
        at.give_back(event.connection);
        while (event.kind != IPC_EVENT_READABLE)
            if (at.next(event, 60s) != IPC_OK)
                return;
        ipc::connection to(event.connection);
        all.wait();
        to.writer().write("short", 1);
        while (to.is_open()) // the watchdog
            std::this_thread::yield();
    });
    client_options once;
    once.auto_reconnect = false;
    {
        client caller("rpc", once);
        auto asked = caller.call_async(contract::echo, Blob());
        auto items = caller.stream(contract::count, counting(10));
        auto both = caller.duplex(contract::mirror, counting(0));
        all.set();
        Blob got;
        bool has = true;
        CHECK_EQUAL(items.try_next(got, has).code, status::data_loss);
        CHECK_EQUAL(asked.try_get(got).code, status::data_loss);
        bool sent = true;
        both.try_write(got, sent);
        CHECK(!sent);
        CHECK_EQUAL(both.try_next(got, has).code, status::data_loss);
    }
    wrong.join();
}

} // namespace rpc_cells_test

int main(int argc, char **argv)
{
    return check::run(argc, argv);
}
