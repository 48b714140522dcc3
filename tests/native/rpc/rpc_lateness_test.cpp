// A deadline passes while the thread that reads the connection does something else.
#include <atomic>
#include <memory>
#include <string>
#include <thread>

#include "rpc_raw.hpp"
#include "rpc_serving.hpp"

namespace rpc_lateness_test
{

using namespace std::chrono_literals;
using contract::Blob;
using ipc::rpc::call_context;
using ipc::rpc::client;
using ipc::rpc::frame_header;
using ipc::rpc::frame_kind;
using ipc::rpc::outcome;
using ipc::rpc::server;
using ipc::rpc::status;
using ipc::rpc::detail::lateness;

namespace
{

constexpr ipc::rpc::method<Blob, Blob> special{"tests.v1", "Special"};
constexpr ipc::rpc::method<Blob, Blob> stuck{"tests.v1", "Stuck"};
constexpr ipc::rpc::method<Blob, Blob> up{"tests.v1", "Up"};

// A server by hand, of one client.
class raw_server
{
  public:
    // Accepts the client, which connects meanwhile, and takes its connection when it has sent something.
    void accept()
    {
        CHECK_EQUAL(listener_.next(event_, 60s), IPC_OK);
        CHECK_EQUAL(ipc_connection_accept(event_.connection), IPC_OK);
        listener_.give_back(event_.connection);
    }

    void take()
    {
        while (event_.kind != IPC_EVENT_READABLE)
            CHECK_EQUAL(listener_.next(event_, 60s), IPC_OK);
        connection_ = std::make_unique<ipc::connection>(event_.connection);
    }

    frame_header receive()
    {
        std::string body;
        frame_header got;
        do
            got = raw_frames::receive(*connection_, body);
        while (got.kind != static_cast<uint8_t>(frame_kind::request));
        return got;
    }

    void close()
    {
        connection_.reset();
    }

    void answer(uint64_t call, const std::string &data)
    {
        connection_->writer().write(
            raw_frames::bytes_of(raw_frames::of(frame_kind::response, call), blob(data).SerializeAsString()), 1);
    }

  private:
    ipc::listener listener_{"rpc"};
    ipc_event event_{};
    std::unique_ptr<ipc::connection> connection_;
};

// While it lives a call outlives its deadline by GRACE.
struct grace {
    explicit grace(std::chrono::nanoseconds its) : before(lateness::grace), before_away(lateness::grace_while_away)
    {
        lateness::grace = lateness::grace_while_away = static_cast<uint64_t>(its.count());
    }

    ~grace()
    {
        lateness::grace = before;
        lateness::grace_while_away = before_away;
    }

    const uint64_t before, before_away;
};

// A response that takes its time to decode, on the thread that reads.
struct slow {
    check::signal begun, release;
};

bool parse(slow &value, const uint8_t *, uint64_t)
{
    value.begun.set();
    value.release.wait();
    return true;
}

std::string not_a(const slow &, const char *, uint64_t)
{
    return {};
}

constexpr ipc::rpc::method<Blob, slow> slowly{"tests.v1", "Slowly"};

// A client, of which one thread reads and is at a response until release().
class busy_client
{
  public:
    busy_client()
    {
        std::thread accepting([this] { server.accept(); });
        caller = std::make_unique<client>("rpc");
        accepting.join();
        reader_ = std::thread([this] { result_ = caller->try_call(slowly, Blob(), response_); });
        server.take();
        server.answer(server.receive().call, "");
        response_.begun.wait();
    }

    void release()
    {
        response_.release.set();
        reader_.join();
        CHECK_EQUAL(result_.code, status::ok);
    }

    raw_server server;
    std::unique_ptr<client> caller;

  private:
    slow response_;
    outcome result_;
    std::thread reader_;
};

void sleep_past(ipc::deadline until)
{
    while (!until.has_passed())
        std::this_thread::sleep_for(1ms);
    std::this_thread::sleep_for(20ms); // who ends calls at their deadlines has done so
}

} // namespace

// It ended the second call, whose reply was the next in the ring.
TEST(AClientThatComesLateToItsRepliesTakesThoseThatAreThere)
{
    const grace enough(60s);
    raw_server by_hand;
    std::thread accepting([&] { by_hand.accept(); });
    client caller("rpc");
    accepting.join();
    check::signal begun, release;
    caller.call_async(contract::echo, Blob(), [&](const outcome &, Blob &) {
        begun.set();
        release.wait(); // the client's own thread
    });
    by_hand.take();
    by_hand.answer(by_hand.receive().call, "");
    begun.wait();
    const ipc::deadline until = 2s;
    auto first = caller.call_async(contract::echo, Blob(), until);
    auto second = caller.call_async(contract::echo, Blob(), until);
    const uint64_t one = by_hand.receive().call, other = by_hand.receive().call;
    by_hand.answer(one, "first");
    by_hand.answer(other, "second");
    sleep_past(until);
    release.set();
    Blob response;
    CHECK_EQUAL(first.try_get(response).code, status::ok);
    CHECK_EQUAL(second.try_get(response).code, status::ok);
    CHECK_EQUAL(response.data(), "second");
}

// A caller that slept ended its call at its deadline, and the client's thread the other one.
TEST(AReplyThatIsThereIsNotOverdueBecauseAnotherThreadReads)
{
    const grace enough(60s);
    busy_client busy;
    const ipc::deadline until = 2s;
    Blob sync, async;
    outcome result;
    auto pending = busy.caller->call_async(contract::echo, Blob(), until);
    const uint64_t one = busy.server.receive().call;
    std::thread waits([&] { result = busy.caller->try_call(contract::echo, Blob(), sync, until); });
    const uint64_t other = busy.server.receive().call;
    busy.server.answer(one, "asynchronous");
    busy.server.answer(other, "synchronous");
    sleep_past(until);
    busy.release();
    waits.join();
    CHECK_EQUAL(result.code, status::ok);
    CHECK_EQUAL(sync.data(), "synchronous");
    CHECK_EQUAL(pending.try_get(async).code, status::ok);
    CHECK_EQUAL(async.data(), "asynchronous");
}

TEST(ADeadlineEndsACallEvenIfAnotherThreadIsBusyWithAResponse)
{
    busy_client busy;
    Blob response;
    auto pending = busy.caller->call_async(contract::echo, Blob(), 50ms);
    CHECK_EQUAL(busy.caller->try_call(contract::echo, Blob(), response, 50ms).code, status::deadline_exceeded);
    CHECK_EQUAL(pending.try_get(response).code, status::deadline_exceeded);
    busy.release();
}

// It slept for ever: whoever had read the last response did not come to the end of the connection, nor say that it read
// no more.
TEST(ACallThatFindsTheServerGoneWhileAnotherThreadReadsGoesOnWhenThatReadsNoMore)
{
    busy_client busy;
    busy.server.close();
    outcome result;
    std::thread calls([&] {
        Blob response;
        result = busy.caller->try_call(contract::echo, Blob(), response);
    });
    std::this_thread::sleep_for(50ms); // it sleeps by then, most likely
    busy.release();
    calls.join();
    CHECK_EQUAL(result.code, status::unavailable); // of the next connection, which nobody accepts
}

// The same for a server that calls its client: it ended at its deadline while the thread that reads was in a handler.
TEST(AClientsReplyThatIsThereIsNotOverdueBecauseTheServersReaderIsInAHandler)
{
    const grace enough(60s);
    check::signal begun, release;
    std::atomic<uint64_t> until{0};
    const serving here([&](server &at) {
        at.unary(special, [&](const Blob &, Blob &response, call_context &context) {
            const ipc::deadline mine = 2s;
            until = mine.at();
            if (!context.caller().try_call(up, Blob(), response, mine))
                response = blob("too late");
        });
        at.unary(
            stuck,
            [&](const Blob &, Blob &) {
                begun.set();
                release.wait();
            },
            ipc::rpc::dispatch::in_place);
    });
    ipc::connection raw = ipc::connection::connect("rpc");
    std::string body;
    const auto next = [&](frame_kind kind) {
        frame_header got;
        do
            got = raw_frames::receive(raw, body);
        while (got.kind != static_cast<uint8_t>(kind));
        return got;
    };
    raw.writer().write(raw_frames::bytes_of(raw_frames::of(frame_kind::request, 5, special.id)), 1);
    frame_header reply = raw_frames::of(frame_kind::response, next(frame_kind::request).call);
    reply.flags = ipc::rpc::flag_callback;
    raw.writer().write(raw_frames::bytes_of(raw_frames::of(frame_kind::request, 6, stuck.id)), 1);
    begun.wait();
    raw.writer().write(raw_frames::bytes_of(reply, blob("in time").SerializeAsString()), 1);
    sleep_past(ipc::deadline(until.load()));
    release.set();
    while (next(frame_kind::response).call != 5) {
    }
    Blob response;
    CHECK(response.ParseFromString(body));
    CHECK_EQUAL(response.data(), "in time");
}

// Its own wait is no deadline, which a reply that is there may miss.
TEST(AReaderGoesOnWhenItsWaitIsOverWhoeverReads)
{
    const grace enough(1h);
    busy_client here;
    auto items = here.caller->stream(contract::count, counting(1));
    Blob item;
    bool got = true;
    CHECK_EQUAL(items.try_next(item, got, 5ms).code, status::deadline_exceeded);
    CHECK(!got);
    here.release();
}

// The client's own thread, which ends asynchronous calls, waited up to five seconds for the answer.
TEST(AnAsynchronousCallEndsAtItsDeadlineThoughTheNextServerDoesNotAnswer)
{
    raw_server server;
    std::thread accepting([&server] { server.accept(); });
    client caller("rpc");
    accepting.join();
    caller.notify(contract::note, Blob());
    server.take();
    server.close(); // its listener stays, and nobody accepts the next connection
    auto call = caller.call_async(contract::echo, Blob(), 50ms);
    CHECK(call.wait(2s));
    Blob response;
    const outcome result = call.try_get(response);
    CHECK_EQUAL(result.code, status::deadline_exceeded);
    CHECK(result.unsent);
}

} // namespace rpc_lateness_test
