// What a server does between the beginning of its good order and its end: what it has taken is answered, and of what it
// has not its clients learn.
#include <future>
#include <string>
#include <thread>
#include <vector>

#include "rpc_raw.hpp"
#include "rpc_serving.hpp"

namespace rpc_drain_test
{

using namespace std::chrono_literals;
using contract::Blob;
using ipc::rpc::frame_kind;
using ipc::rpc::server;
using namespace raw_frames;

namespace
{

constexpr ipc::rpc::method<Blob, Blob> held{"tests.v1", "Held"};

// A client with so little room that two answers of LONG bytes fill it.
constexpr size_t long_size = 1500;

ipc::connection narrow()
{
    ipc_connect_options how{};
    how.to_client_capacity = 4096;
    how.loan_budget = IPC_NO_LOANS;
    how.deadline = ipc::deadline(30s).at();
    return ipc::connection::connect("rpc", how);
}

// A server whose one handler waits, and a client that has no room for what that will answer.
struct waiting_for_room {
    explicit waiting_for_room(ipc::rpc::dispatch how)
        : here([&](server &at) {
              at.unary(
                  held,
                  [&](const Blob &, Blob &response) {
                      begun.set();
                      go.wait();
                      response.set_data(std::string(long_size, 'x'));
                  },
                  how);
          }),
          raw(narrow())
    {
        for (uint64_t call = 1; call <= 2; ++call)
            CHECK_EQUAL(raw.writer().try_write(request(call, std::string(long_size, 'x')), 1), IPC_OK);
        CHECK_EQUAL(raw.writer().try_write(bytes_of(of(frame_kind::request, 3, held.id)), 1), IPC_OK);
        begun.wait();
    }

    // The handler returns when the server has done what it can while it runs.
    std::future<void> stop(ipc::deadline until)
    {
        auto stopping = std::async(std::launch::async, [this, until] { here.at.stop(until); });
        std::this_thread::sleep_for(50ms);
        go.set();
        return stopping;
    }

    check::signal begun, go;
    serving here;
    ipc::connection raw;
};

} // namespace

TEST(AnAnswerThatWaitsForRoomIsSentBeforeTheServerStops)
{
    for (const auto how : {ipc::rpc::dispatch::in_place, ipc::rpc::dispatch::handed_over}) {
        waiting_for_room with(how);
        auto stopping = with.stop(30s);
        CHECK(stopping.wait_for(100ms) == std::future_status::timeout);
        std::string body;
        for (uint64_t call = 1; call <= 3; ++call) {
            const ipc::rpc::frame_header got = receive(with.raw, body);
            CHECK_EQUAL(got.call, call);
            CHECK_EQUAL(static_cast<frame_kind>(got.kind), frame_kind::response);
            CHECK(body.size() > long_size);
        }
        stopping.get();
        CHECK_EQUAL(with.raw.close_code(), static_cast<uint32_t>(IPC_CLOSE_SHUTDOWN));
        CHECK_EQUAL(with.raw.handled(), with.raw.writer().position());
    }
}

TEST(AnAnswerForWhichNoRoomComesKeepsAServerUntilItsTimeIsOver)
{
    for (const auto how : {ipc::rpc::dispatch::in_place, ipc::rpc::dispatch::handed_over}) {
        waiting_for_room with(how);
        with.stop(200ms).get(); // the watchdog
        CHECK_EQUAL(with.raw.close_code(), static_cast<uint32_t>(IPC_CLOSE_SHUTDOWN));
    }
}

TEST(AServerWhoseTimeIsOverSaysWhereItBeganToRefuse)
{
    check::signal begun;
    serving here([&](server &at) {
        at.unary(held, [&](const Blob &, Blob &, ipc::rpc::call_context &context) {
            begun.set();
            context.wait(ipc::deadline::never());
        });
    });
    ipc::connection stuck = ipc::connection::connect("rpc"), other = ipc::connection::connect("rpc"),
                    idle = ipc::connection::connect("rpc");
    CHECK_EQUAL(stuck.writer().try_write(bytes_of(of(frame_kind::request, 1, held.id)), 1), IPC_OK);
    begun.wait();
    auto stopping = std::async(std::launch::async, [&] { here.at.stop(300ms); });
    std::this_thread::sleep_for(50ms); // by now it takes no further calls
    std::string body;
    std::vector<uint64_t> refused_at;
    for (ipc::connection *each : {&stuck, &other}) {
        refused_at.push_back(each->writer().position());
        for (uint64_t call = 2; call <= 3; ++call) {
            CHECK_EQUAL(each->writer().try_write(request(call, "late"), 1), IPC_OK);
            CHECK_EQUAL(receive(*each, body).method, ipc::rpc::error_unhandled);
        }
    }
    stopping.get();
    CHECK_EQUAL(stuck.close_code(), static_cast<uint32_t>(IPC_CLOSE_SHUTDOWN));
    CHECK_EQUAL(stuck.handled(), refused_at[0]);
    CHECK_EQUAL(other.handled(), refused_at[1]);
    CHECK_EQUAL(idle.close_code(), static_cast<uint32_t>(IPC_CLOSE_SHUTDOWN));
    CHECK_EQUAL(idle.handled(), UINT64_MAX); // nothing was refused, and it may have been read on
}

} // namespace rpc_drain_test
