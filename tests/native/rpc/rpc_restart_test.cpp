// Calls that a server had not handled when it ended in good order: it says how far it has come, and what lies behind is
// made again, of the next server, or ends as unsent.
#include <future>
#include <optional>

#include "rpc_old_server.hpp"

namespace rpc_restart_test
{

using namespace std::chrono_literals;
using contract::Blob;
using ipc::rpc::client;
using ipc::rpc::client_options;
using ipc::rpc::frame_kind;
using ipc::rpc::outcome;
using ipc::rpc::server;
using ipc::rpc::status;
using namespace old_servers;
using namespace raw_frames;

namespace
{

constexpr ipc::rpc::method<Blob, Blob> special{"tests.v1", "Special"};

} // namespace

TEST(ASynchronousCallThatWasNotReadIsMadeAgainAtTheNextServer)
{
    old_server old;
    const auto from = client_of(old);
    auto called = call(*from, "again");
    old.wait_for_request();
    old.end(0);
    const serving next;
    const answer got = called.get();
    CHECK(got.result);
    CHECK_EQUAL(got.data, "again");
}

TEST(AnAsynchronousCallThatWasNotReadIsMadeAgainWhereTheClientWaitsForItsServer)
{
    for (const bool waits : {true, false}) {
        old_server old;
        client_options options;
        options.wait_for_ready = waits;
        const auto from = client_of(old, options);
        auto called = from->call_async(contract::echo, blob("again"), 30s);
        old.wait_for_request();
        old.end(0);
        const serving next;
        Blob response;
        const outcome result = called.try_get(response);
        CHECK_EQUAL(static_cast<bool>(result), waits);
        CHECK_EQUAL(result.unsent, !waits);
        CHECK_EQUAL(response.data(), waits ? "again" : "");
    }
}

TEST(ACallThatIsToldThatItWasNotHandledIsMadeAgainAtTheNextServer)
{
    old_server old;
    const auto from = client_of(old);
    auto called = call(*from, "again");
    const uint64_t number = old.take();
    old.refuse(number);
    old.end(UINT64_MAX - 1); // that it was handled is not what counts
    const serving next;
    const answer got = called.get();
    CHECK(got.result);
    CHECK_EQUAL(got.data, "again");
}

TEST(WhatTheServerMayHaveHandledIsNotMadeAgain)
{
    old_server old;
    const auto from = client_of(old);
    auto handled = call(*from, "handled");
    old.take();
    const uint64_t to = ipc_ring_reader_released(old.reader());
    auto unread = call(*from, "unread");
    old.wait_for_request();
    old.end(to);
    const serving next;
    const answer first = handled.get();
    CHECK_EQUAL(first.result.code, status::unavailable);
    CHECK(!first.result.unsent);
    CHECK(first.result.text.find("not known") != std::string::npos);
    CHECK_EQUAL(unread.get().data, "unread");
}

TEST(NothingIsKnownOfTheCallsOfAServerThatDoesNotSay)
{
    old_server old;
    const auto from = client_of(old);
    auto called = call(*from, "unread");
    old.wait_for_request();
    old.end_without_a_word();
    const answer got = called.get();
    CHECK_EQUAL(got.result.code, status::unavailable);
    CHECK(!got.result.unsent);
}

TEST(ACallForWhichNoServerComesEndsUnsent)
{
    for (const bool reconnects : {true, false}) {
        old_server old;
        client_options options;
        options.auto_reconnect = reconnects;
        options.connect_timeout = 2s; // for the first server, too
        const auto from = client_of(old, options);
        auto called = call(*from, "unread");
        old.wait_for_request();
        old.end(0);
        const answer got = called.get();
        CHECK_EQUAL(got.result.code, status::unavailable);
        CHECK(got.result.unsent);
    }
}

TEST(AServerThatStopsInGoodOrderAnswersWhatItHasAndSaysHowFarItHasCome)
{
    check::signal begun, go;
    std::optional<serving> here;
    here.emplace([&](server &at) {
        at.unary(special, [&](const Blob &, Blob &response) {
            begun.set();
            go.wait();
            response.set_data("done");
        });
    });
    ipc::connection raw = ipc::connection::connect("rpc");
    std::string body;
    CHECK_EQUAL(raw.writer().try_write(bytes_of(of(frame_kind::request, 1, special.id)), 1), IPC_OK);
    begun.wait();
    auto stopping = std::async(std::launch::async, [&] { here->at.stop(30s); });
    // It takes its time to say so: what is read before that is answered.
    uint64_t number = 1;
    ipc::rpc::frame_header got;
    do {
        CHECK_EQUAL(raw.writer().try_write(request(++number, "late"), 1), IPC_OK);
        got = receive(raw, body);
        CHECK_EQUAL(got.call, number);
    } while (got.kind != static_cast<uint8_t>(frame_kind::error));
    CHECK_EQUAL(got.code, static_cast<uint16_t>(status::unavailable));
    CHECK_EQUAL(got.method, ipc::rpc::error_unhandled);
    const uint64_t refused_at = raw.writer().position() - 64;
    go.set();
    CHECK_EQUAL(receive(raw, body).call, 1u);
    stopping.get();
    CHECK_EQUAL(raw.close_code(), static_cast<uint32_t>(IPC_CLOSE_SHUTDOWN));
    CHECK_EQUAL(raw.handled(), refused_at);
}

TEST(AServerThatIsToldNotToWaitLongerStopsAllTheSame)
{
    check::signal begun;
    serving here([&](server &at) {
        at.unary(special, [&](const Blob &, Blob &, ipc::rpc::call_context &context) {
            begun.set();
            context.wait(ipc::deadline::never());
        });
    });
    client from("rpc");
    auto called = std::async(std::launch::async, [&] {
        Blob response;
        return from.try_call(special, Blob(), response);
    });
    begun.wait();
    here.at.stop(20ms);
    const outcome result = called.get();
    CHECK_EQUAL(result.code, status::unavailable);
    CHECK(!result.unsent);
}

} // namespace rpc_restart_test
