// Frames of others come without end, or so many that it takes a while to read them: whoever reads for itself does not
// find the ring empty, and looks at its own time all the same.
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "rpc_raw_server.hpp"

namespace rpc_flood_test
{

using namespace std::chrono_literals;
using contract::Blob;
using ipc::rpc::client;
using ipc::rpc::client_options;
using ipc::rpc::frame_header;
using ipc::rpc::frame_kind;
using ipc::rpc::outcome;
using ipc::rpc::status;
using ipc::rpc::detail::lateness;

namespace
{

constexpr uint64_t first_call = raw_server::first_call;
constexpr ipc::rpc::client_stream_method<Blob, Blob, Blob> gather{"tests.v1", "Gather"};

// While it lives a call outlives its deadline by GRACE.
struct grace {
    explicit grace(std::chrono::nanoseconds its) : before(lateness::grace)
    {
        lateness::grace = static_cast<uint64_t>(its.count());
    }

    ~grace()
    {
        lateness::grace = before;
    }

    const uint64_t before;
};

} // namespace

TEST(FramesOfOthersKeepNoCallPastItsDeadline)
{
    const grace brief(1ms);
    raw_server server;
    server.fill();
    server.send(raw_frames::of(frame_kind::response, first_call), "late");
    Blob response;
    CHECK_EQUAL(server.caller->try_call(contract::echo, Blob(), response, 1ms).code, status::deadline_exceeded);
}

TEST(AReplyThatLiesBehindFramesOfOthersIsTaken)
{
    const grace long_enough(1h);
    raw_server server;
    server.fill();
    server.send(raw_frames::of(frame_kind::response, first_call), "in time");
    Blob response;
    outcome ended;
    do
        ended = server.caller->try_call(contract::echo, Blob(), response, 1ms);
    while (ended.code == status::deadline_exceeded && !server.was_asked());
    CHECK_EQUAL(ended.text, "");
    CHECK_EQUAL(response.data(), "in time");
}

TEST(FramesOfOthersKeepNoWriterPastItsDeadline)
{
    const grace brief(1ms);
    raw_server server;
    server.fill();
    frame_header credit = raw_frames::of(frame_kind::credit, first_call, 100);
    credit.deadline = 1 << 20; // bytes
    server.send(credit);
    ipc::rpc::call_options options;
    std::optional<ipc::rpc::client_stream_call<Blob, Blob>> begun;
    outcome result;
    do {
        options.until = 5ms;
        result = server.caller->try_client_stream(gather, Blob(), begun, options);
    } while (result.code == status::deadline_exceeded && !server.was_asked());
    CHECK_EQUAL(result.text, "");
    auto &stream = *begun;
    bool sent = true;
    for (int i = 0; i < 40 && sent; ++i) // more than may be sent unasked
        result = stream.try_write(Blob(), sent);
    CHECK(!sent);
    CHECK_EQUAL(result.code, status::deadline_exceeded);
}

TEST(AReaderWaitsNoLongerThanItWants)
{
    raw_server server;
    server.fill();
    server.send(raw_frames::of(frame_kind::item, first_call), "item");
    auto items = server.caller->stream(contract::count, counting(1));
    Blob item;
    bool got = true;
    CHECK_EQUAL(items.try_next(item, got, 1ms).code, status::deadline_exceeded);
    CHECK(!got);
    CHECK_EQUAL(items.try_next(item, got, 60s).text, ""); // it went on
    CHECK_EQUAL(item.data(), "item");
}

// It says that it closes, and writes on: the next caller would read what was there before the end for ever.
TEST(AServerThatClosesAndWritesOnKeepsNobody)
{
    raw_server server;
    server.fill();
    uint8_t *place = nullptr;
    CHECK_EQUAL(server.to->writer().try_claim(8, place), IPC_OK);
    // docs/wire-format/connection.md: the body lies before the rings, its own close word at 132.
    constexpr uint32_t magic = 0x4E4E4F43;
    const uint8_t *at = reinterpret_cast<uint8_t *>(reinterpret_cast<uintptr_t>(place) / 128 * 128);
    uint32_t found = 0;
    while (std::memcpy(&found, at, sizeof found), found != magic)
        at -= 128;
    std::atomic<bool> over{false};
    std::thread flooding([&] {
        const std::string frame = raw_frames::bytes_of(raw_frames::of(frame_kind::response, raw_server::nobodys));
        while (!over)
            (void)server.to->writer().try_write(frame, 1);
    });
    *reinterpret_cast<volatile uint32_t *>(const_cast<uint8_t *>(at) + 132) = 1;
    Blob response;
    CHECK_EQUAL(server.caller->try_call(contract::echo, Blob(), response).code, status::unavailable);
    over = true;
    flooding.join();
}

} // namespace rpc_flood_test
