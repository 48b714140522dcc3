// Cells of the tables of docs/guide/ending.md, C++ server and C++ client, that no other test of theirs meets.
#include <atomic>
#include <cstdint>
#include <fstream>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
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
constexpr ipc::rpc::method<Blob, Blob> calls_back{"tests.v1", "CallsBack"};
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

enum class becomes { removed, replaced, overwritten };

// What a process of the same user can do to a listener's region. The numbers are those of docs/wire-format.md.
void spoil(const std::string &path, becomes how)
{
    if (how != becomes::overwritten) {
        CHECK_EQUAL(unlink(path.c_str()), 0);
        return;
    }
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    uint64_t body = 0;
    file.seekg(32);
    file.read(reinterpret_cast<char *>(&body), sizeof body);
    const auto write = [&](uint64_t at, uint64_t value) {
        file.seekp(static_cast<std::streamoff>(at));
        file.write(reinterpret_cast<const char *>(&value), sizeof value);
    };
    for (const uint64_t at : {0, 16, 24, 32, 40, 128}) // magic, sizes, offsets, the state
        write(at, 2);
    for (const uint64_t at : {0, 8, 16, 24, 128}) // the same of the listener
        write(body + at, UINT64_MAX);
    CHECK(file.good());
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

// Its file is removed, replaced, or overwritten: nobody who is connected notices, in whatever state his calls are.
TEST(AServerGoesOnWhateverBecomesOfItsListenersFile)
{
    for (const becomes how : {becomes::removed, becomes::replaced, becomes::overwritten}) {
        const std::string path = std::string(getenv("IPC_DIR")) + "/rpc";
        check::signal go, in_place, unread;
        std::atomic<int> begun{0};
        server_options options;
        options.max_concurrent_calls = 4;
        auto here = std::make_unique<serving>(
            [&](server &at) {
                at.unary(special, [&](const Blob &request, Blob &response) {
                    ++begun;
                    go.wait();
                    response = request;
                });
                at.unary(calls_back, [](const Blob &request, Blob &response, call_context &context) {
                    response = context.caller().call(contract::back, request);
                });
            },
            options);
        auto offered = std::make_shared<ipc::rpc::service>();
        offered->unary(contract::back, [&](const Blob &request, Blob &response) {
            ++begun;
            go.wait();
            response = request;
        });
        client_options narrow;
        narrow.services = offered;
        narrow.stream_window = 1;
        {
            client caller("rpc", narrow);
            auto unary = caller.call_async(special, blob("unary"));
            auto callback = caller.call_async(calls_back, blob("back"));
            auto without_credit = caller.stream(contract::count, counting(100, 1));
            auto without_item = caller.client_stream(contract::collect, counting(0));
            auto both = caller.duplex(contract::mirror, counting(0));
            Blob item;
            CHECK(without_credit.next(item, 60s));
            CHECK(without_item.write(blob("one")) && both.write(blob("one")) && both.next(item, 60s));
            while (begun != 2)
                std::this_thread::yield();
            auto waits_for_its_turn = caller.call_async(contract::echo, blob("turn"));

            spoil(path, how);
            std::optional<serving> other;
            if (how == becomes::replaced)
                other.emplace();
            go.set();
            CHECK_EQUAL(unary.get().data(), "unary");
            CHECK_EQUAL(callback.get().data(), "back");
            int items = 1;
            while (without_credit.next(item, 60s))
                ++items;
            CHECK_EQUAL(items, 100);
            CHECK_EQUAL(without_item.finish().data(), "1 3");
            both.writes_done();
            CHECK(!both.next(item, 60s));
            CHECK_EQUAL(waits_for_its_turn.get().data(), "turn");
            CHECK_EQUAL(caller.call(contract::echo, blob("on")).data(), "on");

            client_options brief;
            brief.connect_timeout = 200ms;
            std::optional<client> newcomer;
            const outcome asked = client::try_connect("rpc", brief, newcomer);
            CHECK_EQUAL(asked.code, how == becomes::replaced ? status::ok : status::unavailable);
            if (newcomer)
                CHECK_EQUAL(newcomer->call(contract::echo, blob("other")).data(), "other");
            here->at.stop();
            CHECK(here->at.try_wait());
            here.reset();
            Blob got;
            const outcome after = caller.try_call(contract::echo, blob("after"), got, 1s);
            CHECK_EQUAL(after.code == status::ok, how == becomes::replaced); // its file was not the first one's to remove
        }
        unlink(path.c_str());
    }
}

TEST(AHandlerInPlaceAndAnswersThatWaitForRoomGoOnWithoutTheListenersFile)
{
    for (const becomes how : {becomes::removed, becomes::overwritten}) {
        const std::string path = std::string(getenv("IPC_DIR")) + "/rpc";
        check::signal begun, go;
        {
            const serving here([&](server &at) {
                at.unary(
                    special,
                    [&](const Blob &, Blob &) {
                        begun.set();
                        go.wait();
                    },
                    ipc::rpc::dispatch::in_place);
            });
            ipc::connection silent = by_hand(4096);
            constexpr uint64_t many = 400; // more answers than its ring takes
            for (uint64_t call = 1; call <= many; ++call)
                send(silent, frame_kind::request, call, contract::echo.id);
            client caller("rpc");
            CHECK_EQUAL(caller.call(contract::echo, blob("on")).data(), "on");
            auto inside = caller.call_async(special, Blob());
            begun.wait();
            spoil(path, how);
            go.set();
            inside.get();
            std::set<uint64_t> answered; // in the order in which the handlers' threads got to it
            for (uint64_t i = 0; i < many; ++i) {
                std::string body;
                const frame_header got = raw_frames::receive(silent, body);
                CHECK_EQUAL(static_cast<frame_kind>(got.kind), frame_kind::response);
                answered.insert(got.call);
            }
            CHECK_EQUAL(answered.size(), many); // each once
            CHECK_EQUAL(*answered.begin(), 1u);
            CHECK_EQUAL(*answered.rbegin(), many);
        }
        unlink(path.c_str());
    }
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
