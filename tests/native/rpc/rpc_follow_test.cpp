// How a client follows a server that ends in good order to its successor: which calls wait for that one, which end at
// once, and what a server does to its client that refuses calls as it should not.
#include <atomic>
#include <chrono>
#include <cstring>
#include <future>
#include <memory>
#include <thread>
#include <vector>

#include "rpc_old_server.hpp"

namespace rpc_follow_test
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

TEST(AnAnswerToACallThatWaitsToBeMadeAgainIsDropped)
{
    for (const frame_kind second : {frame_kind::error, frame_kind::response}) {
        old_server old;
        client_options options;
        options.wait_for_ready = true;
        const auto from = client_of(old, options);
        auto called = from->call_async(contract::echo, blob("again"), 30s);
        const uint64_t number = old.take();
        old.refuse(number);
        if (second == frame_kind::error)
            old.refuse(number);
        else
            old.send(of(second, number));
        old.end(0);
        const serving next;
        Blob response;
        CHECK(called.try_get(response));
        CHECK_EQUAL(response.data(), "again");
    }
}

TEST(CallsThatBeginOnceTheServerHasRefusedOneWaitForItsSuccessor)
{
    old_server old;
    const auto from = client_of(old);
    auto refused = call(*from, "first");
    old.refuse(old.take());
    std::this_thread::sleep_for(100ms); // by now the client has read it: else the next ones go to the old server, too
    auto second = call(*from, "second");
    auto third = call(*from, "third");
    auto noted = std::async(std::launch::async, [&] { return from->try_notify(contract::note, blob("note")); });
    std::this_thread::sleep_for(100ms);
    old.end(UINT64_MAX - 1);
    const serving next;
    CHECK_EQUAL(refused.get().data, "first");
    CHECK_EQUAL(second.get().data, "second");
    CHECK_EQUAL(third.get().data, "third");
    CHECK(noted.get());
    Blob notes;
    CHECK(from->try_call(contract::noted, Blob(), notes));
    CHECK_EQUAL(notes.data(), "1");
}

// The server waits for the callback before it ends, and so the callback cannot wait for the next server.
TEST(CallsOfACallbacksHandlerEndWhereItsServerIsStopping)
{
    for (const bool waits : {false, true}) {
        check::signal begun, go;
        std::unique_ptr<client> from;
        std::vector<outcome> made;
        client_options options;
        options.wait_for_ready = waits;
        options.connect_timeout = 20s;
        options.services = std::make_shared<ipc::rpc::service>();
        options.services->unary(contract::back, [&](const Blob &, Blob &response, ipc::rpc::call_context &context) {
            begun.set();
            go.wait();
            Blob got;
            made.push_back(context.caller().try_call(contract::echo, blob("refused"), got));
            made.push_back(from->try_call(contract::echo, blob("on a connection that was left"), got));
            made.push_back(from->call_async(contract::echo, blob("likewise")).try_get(got));
            response.set_data("done");
        });
        serving here([](server &at) {
            at.unary(special, [](const Blob &request, Blob &response, ipc::rpc::call_context &context) {
                response = context.caller().call(contract::back, request);
            });
        });
        from = std::make_unique<client>("rpc", options);
        auto called = std::async(std::launch::async, [&] { return from->call(special, Blob()).data(); });
        begun.wait();
        const auto began = std::chrono::steady_clock::now();
        auto stopping = std::async(std::launch::async, [&] { here.at.stop(20s); });
        std::this_thread::sleep_for(50ms); // by now it takes no further calls
        go.set();
        CHECK_EQUAL(called.get(), "done");
        stopping.get();
        CHECK(std::chrono::steady_clock::now() - began < 10s);
        CHECK_EQUAL(made.size(), 3u);
        for (const outcome &each : made) {
            CHECK_EQUAL(each.code, status::unavailable);
            CHECK(each.unsent);
            CHECK(each.text.find(" is stopping and has not handled the call.") != std::string::npos);
        }
    }
}

TEST(AnAsynchronousCallOfACallbacksHandlerIsNotMadeAgainWhereItsServerIsStopping)
{
    check::signal begun, go;
    std::unique_ptr<client> from;
    outcome made;
    client_options options;
    options.wait_for_ready = true;
    options.services = std::make_shared<ipc::rpc::service>();
    options.services->unary(contract::back, [&](const Blob &, Blob &response) {
        begun.set();
        go.wait();
        Blob got;
        made = from->call_async(contract::echo, blob("refused")).try_get(got);
        response.set_data("done");
    });
    serving here([](server &at) {
        at.unary(special, [](const Blob &request, Blob &response, ipc::rpc::call_context &context) {
            response = context.caller().call(contract::back, request);
        });
    });
    from = std::make_unique<client>("rpc", options);
    auto called = std::async(std::launch::async, [&] { return from->call(special, Blob()).data(); });
    begun.wait();
    auto stopping = std::async(std::launch::async, [&] { here.at.stop(20s); });
    std::this_thread::sleep_for(50ms);
    go.set();
    CHECK_EQUAL(called.get(), "done");
    stopping.get();
    CHECK_EQUAL(made.code, status::unavailable);
    CHECK(made.unsent);
}

// Nobody can have handled what was not sent, however its server ended.
TEST(ACallThatWaitsForRoomWhenItsServerDiesWaitsForTheNextOne)
{
    for (const bool closes : {false, true}) {
        const std::string large(1500, 'x'); // two of them fill the ring
        old_server old;
        client_options options;
        options.wait_for_ready = true;
        options.to_server_capacity = 4096;
        const auto from = client_of(old, options);
        std::vector<ipc::rpc::pending_call<Blob>> sent;
        sent.reserve(2);
        for (int i = 0; i < 2; ++i)
            sent.push_back(from->call_async(contract::echo, blob(large)));
        auto called = call(*from, large.c_str());
        std::this_thread::sleep_for(50ms); // it waits
        if (closes)
            from->close();
        old.end_without_a_word();
        if (closes) {
            CHECK_EQUAL(called.get().result.code, status::unavailable);
            continue;
        }
        const serving next;
        CHECK_EQUAL(called.get().data, large);
        Blob response;
        for (auto &each : sent)
            CHECK_EQUAL(each.try_get(response).code, status::unavailable);
    }
}

// It takes its client, says of every request that no handler has seen it, and lets the client go; or lets it go AT_ONCE.
class refusing_server
{
  public:
    explicit refusing_server(bool at_once = false) : at_once_(at_once)
    {
        serving_ = std::thread([this] { serve(); });
    }

    ~refusing_server()
    {
        at_.stop();
        serving_.join();
    }

    int connections() const
    {
        return connections_.load();
    }

  private:
    void serve()
    {
        for (ipc_event event{}; ipc_listener_next(at_.get(), IPC_FOREVER, nullptr, &event) == IPC_OK;) {
            if (event.kind == IPC_EVENT_CONNECT) {
                if (ipc_connection_accept(event.connection) != IPC_OK)
                    continue;
                ++connections_;
                if (at_once_) {
                    end(event.connection);
                    continue;
                }
            } else if (event.kind == IPC_EVENT_READABLE) {
                refuse(event.connection);
                end(event.connection);
                continue;
            } else {
                ipc_connection_close(event.connection);
                continue;
            }
            at_.give_back(event.connection);
        }
    }

    static void end(ipc_connection *with)
    {
        ipc_connection_shutdown(with, IPC_CLOSE_SHUTDOWN, "The server stopped.");
        ipc_connection_close(with);
    }

    static void refuse(ipc_connection *from)
    {
        ipc_record raw{};
        while (ipc_ring_try_read(ipc_connection_reader(from), &raw) == IPC_OK) {
            ipc::rpc::frame_header header;
            std::memcpy(&header, raw.payload, sizeof header);
            ipc_ring_release(ipc_connection_reader(from));
            const frame_header error = refusal(header.call);
            if (ipc_ring_write(ipc_connection_writer(from), &error, sizeof error, 1, IPC_NOW, nullptr) != IPC_OK)
                return; // the client has gone
        }
    }

    const bool at_once_;
    ipc::listener at_{"rpc", protocol()};
    std::atomic<int> connections_{0};
    std::thread serving_;
};

TEST(AServerThatRefusesEverythingKeepsACallNoLongerThanTheTimeToConnect)
{
    const refusing_server bad;
    client_options options;
    options.connect_timeout = 1s;
    client from("rpc", options);
    const auto began = std::chrono::steady_clock::now();
    Blob response;
    const outcome result = from.try_call(contract::echo, blob("never"), response);
    const auto took = std::chrono::steady_clock::now() - began;
    CHECK_EQUAL(result.code, status::unavailable);
    CHECK(result.unsent);
    CHECK(took >= 900ms);
    CHECK(took < 10s);
    CHECK(bad.connections() > 3);
    CHECK(bad.connections() < 30); // 5 ms, 10, 20, ... 100
}

TEST(AServerThatRefusesEverythingIsAskedWithPausesByAClientThatWaits)
{
    for (const bool asynchronous : {false, true}) {
        const refusing_server bad;
        client_options options;
        options.wait_for_ready = true;
        client from("rpc", options);
        Blob response;
        outcome result;
        if (asynchronous)
            result = from.call_async(contract::echo, blob("never"), 1s).try_get(response);
        else
            result = from.try_call(contract::echo, blob("never"), response, 1s);
        CHECK(result.code == status::deadline_exceeded || result.unsent); // that, while it connects
        CHECK(bad.connections() > 3);
        CHECK(bad.connections() < 30);
    }
}

TEST(AServerThatLetsItsClientsGoAtOnceIsAskedWithPauses)
{
    for (const bool waits : {false, true}) {
        const refusing_server bad(true);
        client_options options;
        options.wait_for_ready = waits;
        client from("rpc", options);
        std::this_thread::sleep_for(20ms); // it has lost its connection
        Blob response;
        const auto began = std::chrono::steady_clock::now();
        if (waits) {
            auto also = from.call_async(contract::echo, blob("never"), 1s);
            CHECK(!from.try_call(contract::echo, blob("never"), response, 1s));
            CHECK(!also.try_get(response));
        } else {
            CHECK_EQUAL(from.try_call(contract::echo, blob("never"), response).code, status::unavailable);
            CHECK(std::chrono::steady_clock::now() - began < 4s);
        }
        CHECK(bad.connections() < 150); // one in 5 ms, at most, by the client's thread
    }
}

TEST(ACallThatARefusingServerKeepsCanBeCancelledAndEndsWithItsClient)
{
    for (const bool closes : {false, true}) {
        const refusing_server bad;
        client_options options;
        options.wait_for_ready = true;
        client from("rpc", options);
        ipc::rpc::canceller cancel;
        auto called = std::async(std::launch::async, [&] {
            ipc::rpc::call_options with;
            with.cancel = &cancel;
            Blob response;
            return from.try_call(contract::echo, blob("never"), response, with);
        });
        while (bad.connections() < 5)
            std::this_thread::sleep_for(1ms);
        if (closes)
            from.close();
        else
            cancel.trigger();
        CHECK_EQUAL(called.get().code, closes ? status::unavailable : status::cancelled);
    }
}

// Their bytes are here already: the bound is for what callers add.
TEST(HoweverMuchIsSentAgainItFindsPlaceToWait)
{
    old_server old;
    client_options options;
    options.wait_for_ready = true;
    options.max_queued_bytes = 4096;
    const auto from = client_of(old, options);
    const std::string large(1500, 'x');
    std::vector<ipc::rpc::pending_call<Blob>> sent;
    sent.reserve(10);
    for (int i = 0; i < 10; ++i)
        sent.push_back(from->call_async(contract::echo, blob(large), 30s));
    old.wait_for_request();
    old.refuse(old.take());
    std::this_thread::sleep_for(50ms); // by now the client has read it
    Blob response;
    auto more = from->call_async(contract::echo, blob(large), 30s);
    auto most = from->call_async(contract::echo, blob(large + large), 30s);
    CHECK_EQUAL(most.try_get(response).code, status::resource_exhausted);
    old.end(0);
    const serving next;
    for (auto &each : sent) {
        CHECK(each.try_get(response));
        CHECK_EQUAL(response.data(), large);
    }
    CHECK(more.try_get(response));
}

TEST(ACallThatHasEndedLeavesNoCopyOfItsRequest)
{
    ipc::rpc::detail::call_table calls(1);
    ipc::rpc::detail::pending *const entry = calls.allocate(1, 0, false);
    entry->kept = true;
    entry->body.assign(1 << 20, 'x');
    calls.free(*entry);
    CHECK(entry->body.capacity() < 100);
    CHECK(!entry->kept);
}

} // namespace rpc_follow_test
