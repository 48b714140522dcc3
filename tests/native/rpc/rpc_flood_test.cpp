// Frames of others come without end, or so many that it takes a while to read them: whoever reads for itself does not
// find the ring empty, and looks at its own time all the same. And a server that reads none of what comes.
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include <sys/resource.h>

#include "rpc_raw.hpp"
#include "rpc_serving.hpp"

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

constexpr uint64_t ring_size = 16 << 20;
constexpr uint64_t first_call = (uint64_t{1} << 32) | 1; // the first use of the first entry
constexpr uint64_t nobodys = 77;
constexpr ipc::rpc::client_stream_method<Blob, Blob, Blob> gather{"tests.v1", "Gather"};

// A server by hand, of one client, to whom it writes before it is asked.
class raw_server
{
  public:
    explicit raw_server(uint64_t capacity = ring_size)
    {
        std::thread accepting([this] {
            ipc_event event{};
            CHECK_EQUAL(listener_.next(event, 60s), IPC_OK);
            CHECK_EQUAL(ipc_connection_accept(event.connection), IPC_OK);
            to = std::make_unique<ipc::connection>(event.connection);
        });
        client_options options;
        options.to_client_capacity = capacity;
        options.auto_reconnect = false;
        caller = std::make_unique<client>("rpc", options);
        accepting.join();
    }

    // As many frames of nobody's as there is room for, but for what comes last. It takes some ten milliseconds to read
    // them.
    void fill()
    {
        const std::string frame = raw_frames::bytes_of(raw_frames::of(frame_kind::response, nobodys));
        for (uint64_t left = ring_size / 64 - 100; left != 0; --left)
            to->writer().write(frame, 1);
    }

    void send(const frame_header &header, const std::string &data = "")
    {
        to->writer().write(raw_frames::bytes_of(header, data.empty() ? "" : blob(data).SerializeAsString()), 1);
    }

    // Whether the client has sent something. A call whose deadline had passed before it could, on a busy machine, took
    // nothing from either ring, and may be made again as if it were the first.
    bool was_asked()
    {
        ipc::record request;
        return to->reader().try_read(request) == IPC_OK;
    }

    // The next request, whenever it comes.
    void answer_one()
    {
        std::string body;
        send(raw_frames::of(frame_kind::response, raw_frames::receive(*to, body).call), "answer");
    }

    std::unique_ptr<ipc::connection> to;
    std::unique_ptr<client> caller;

  private:
    ipc::listener listener_{"rpc"};
};

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

// How often a thread of this process has gone to sleep. In half a second of looks that are ever less frequent that is
// some forty times for whoever looks; it was once in a millisecond.
long sleeps()
{
    rusage usage{};
    CHECK_EQUAL(getrusage(RUSAGE_SELF, &usage), 0);
    return usage.ru_nvcsw;
}

constexpr auto a_while = 500ms;
constexpr long most_sleeps = 150;

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
        const std::string frame = raw_frames::bytes_of(raw_frames::of(frame_kind::response, nobodys));
        while (!over)
            (void)server.to->writer().try_write(frame, 1);
    });
    *reinterpret_cast<volatile uint32_t *>(const_cast<uint8_t *>(at) + 132) = 1;
    Blob response;
    CHECK_EQUAL(server.caller->try_call(contract::echo, Blob(), response).code, status::unavailable);
    over = true;
    flooding.join();
}

TEST(WhoWaitsForRoomLooksEverLessOften)
{
    raw_server server;
    const Blob long_one = blob(std::string(10'000, 'x'));
    const auto note = [&](std::chrono::milliseconds wait) {
        ipc::rpc::call_options options;
        options.until = wait;
        return server.caller->try_notify(contract::note, long_one, options);
    };
    outcome ended;
    do
        ended = note(10ms);
    while (ended);
    CHECK_EQUAL(ended.code, status::deadline_exceeded);
    for (const bool beside : {false, true}) { // one of two reads meanwhile, the other sleeps
        std::thread other;
        if (beside)
            other = std::thread([&] { (void)note(a_while); });
        const long before = sleeps();
        CHECK_EQUAL(note(a_while).code, status::deadline_exceeded);
        const long slept = sleeps() - before;
        if (beside)
            other.join();
        CHECK(slept < most_sleeps);
    }
}

TEST(WhatIsQueuedForAFullRingIsLookedAtEverLessOften)
{
    raw_server server;
    std::atomic<int> left{200};
    for (int i = left; i != 0; --i)
        server.caller->call_async(contract::echo, blob(std::string(10'000, 'x')),
                                  [&](const outcome &, Blob &) { --left; });
    long before = sleeps();
    std::this_thread::sleep_for(a_while);
    CHECK(sleeps() - before < most_sleeps);
    before = sleeps();
    ipc::rpc::pending_call<Blob> last = server.caller->call_async(contract::echo, Blob(), a_while);
    Blob response;
    CHECK_EQUAL(last.try_get(response).code, status::deadline_exceeded); // who waits for it reads for itself
    CHECK(sleeps() - before < most_sleeps);
    // It reads again, and finds them all.
    for (int i = 0; i < 200; ++i)
        server.answer_one();
    while (left != 0) // the watchdog
        std::this_thread::yield();
}

} // namespace rpc_flood_test
