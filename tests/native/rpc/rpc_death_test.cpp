// The other side is a process of its own, and is killed.
#include <array>
#include <chrono>
#include <memory>
#include <thread>

#include <csignal>

#include "rpc_check.hpp"
#include "rpc_contract.hpp"
#include "rpc_peer_process.hpp"
#include "rpc_serving.hpp"

namespace rpc_death_test
{

using namespace std::chrono_literals;
using contract::Blob;
using ipc::rpc::call_context;
using ipc::rpc::call_options;
using ipc::rpc::client;
using ipc::rpc::client_options;
using ipc::rpc::outcome;
using ipc::rpc::server;
using ipc::rpc::status;
using ipc::rpc::stream_writer;

TEST(AnotherProcessCallsEverything)
{
    server at("rpc");
    contract::serve(at);
    at.start();
    peer_process other("call", "2000");
    CHECK_EQUAL(other.exit_code(), 0);
}

TEST(AnotherProcessUsesStreamsAndExtrasAndIsCalledBack)
{
    server at("rpc");
    contract::serve(at);
    at.start();
    peer_process streams("streams", "1000");
    CHECK_EQUAL(streams.exit_code(), 0);
    peer_process extras("extras");
    CHECK_EQUAL(extras.exit_code(), 0);
    peer_process callbacks("callbacks", "300");
    CHECK_EQUAL(callbacks.exit_code(), 0);
    peer_process async("async", "500");
    CHECK_EQUAL(async.exit_code(), 0);
}

TEST(AServerThatIsKilledEndsItsPendingCalls)
{
    peer_process other("serve");
    other.wait_until_ready();
    client caller("rpc");
    CHECK_EQUAL(caller.server_pid(), other.pid());
    contract::SleepRequest sleep;
    sleep.set_ms(600'000);
    contract::CountRequest counting;
    counting.set_count(1'000'000);
    counting.set_size(10);
    auto items = caller.stream(contract::count, counting);
    Blob item, response;
    CHECK(items.next(item));
    outcome result, blocked;
    auto sent = caller.call_async(contract::sleep, sleep);
    std::thread pending([&] { // sent before the kill, or refused after it: no test can tell
        Blob none;
        blocked = caller.try_call(contract::sleep, sleep, none);
    });
    CHECK(caller.try_call(contract::echo, Blob(), item, 30s));
    other.kill();
    pending.join();
    CHECK_EQUAL(blocked.code, status::unavailable);
    result = sent.try_get(response);
    CHECK_EQUAL(result.code, status::unavailable);
    CHECK(result.text.find("died") != std::string::npos);
    bool got = true;
    while ((result = items.try_next(item, got)) && got) {
    }
    CHECK_EQUAL(result.code, status::unavailable);

    // Without a server calls fail at once; with the next one they work again.
    CHECK_EQUAL(caller.try_call(contract::echo, Blob(), response).code, status::unavailable);
    peer_process next("serve");
    next.wait_until_ready();
    CHECK_EQUAL(caller.try_call(contract::echo, Blob(), response, 30s).text, "");
    CHECK_EQUAL(caller.server_pid(), next.pid());
}

namespace
{

// Nobody has handled it, and why is known.
void says_that_it_was_late(const outcome &ended)
{
    CHECK_EQUAL(ended.code, status::deadline_exceeded);
    CHECK(ended.unsent);
    CHECK(ended.text.find("server \"rpc\"") != std::string::npos);
}

} // namespace

// Whoever it is that tries to connect for them: the first of the threads does, and the others wait for it.
TEST(WithoutAServerACallThatWaitsForOneEndsAtItsDeadlineAndSaysSo)
{
    for (const bool waits : {false, true}) { // with so short a deadline both do
        peer_process other("serve");
        other.wait_until_ready();
        client_options options;
        options.wait_for_ready = waits;
        client caller("rpc", options);
        Blob response;
        CHECK_EQUAL(caller.try_call(contract::echo, Blob(), response, 30s).text, "");
        other.kill();
        while (caller.server_pid() != 0) // what is sent before the death is seen ends with it
            (void)caller.try_call(contract::echo, Blob(), response, 30s);
        std::array<outcome, 3> ends;
        std::array<std::thread, 3> threads;
        for (size_t i = 0; i < threads.size(); ++i)
            threads[i] = std::thread([&, i] {
                Blob none;
                ends[i] = caller.try_call(contract::echo, Blob(), none, 50ms);
            });
        for (std::thread &each : threads)
            each.join();
        for (const outcome &each : ends)
            says_that_it_was_late(each);
        call_options soon;
        soon.until = ipc::deadline(50ms);
        says_that_it_was_late(caller.try_notify(contract::note, Blob(), soon));
        auto queued = caller.call_async(contract::echo, Blob(), 50ms);
        const outcome late = queued.try_get(response);
        CHECK_EQUAL(late.code, status::deadline_exceeded);
        CHECK(late.unsent);
        if (!waits) // who has more time than that does not wait: it is told at once why there is no answer
            CHECK_EQUAL(caller.try_call(contract::echo, Blob(), response, 60s).code, status::unavailable);
    }
}

TEST(AListenerThatAnswersNobodyIsWaitedForAsLongAsTheGuideSays)
{
    auto here = std::make_unique<serving>();
    client_options options;
    options.connect_timeout = 1s; // of the constructor
    client caller("rpc", options);
    here.reset();
    const ipc::listener silent("rpc");
    Blob response;
    says_that_it_was_late(caller.try_call(contract::echo, Blob(), response, 100ms));
    const auto begin = std::chrono::steady_clock::now();
    const outcome ended = caller.try_call(contract::echo, Blob(), response);
    CHECK_EQUAL(ended.code, status::unavailable);
    CHECK(ended.unsent);
    CHECK(std::chrono::steady_clock::now() - begin > 4s);
}

TEST(AClientThatIsKilledCancelsItsHandlers)
{
    check::signal begun, call_over, stream_over;
    server at("rpc");
    at.unary(contract::sleep, [&](const contract::SleepRequest &, Blob &, call_context &context) {
        begun.set();
        while (!context.wait(10s)) {
        }
        call_over.set();
    });
    at.server_stream(contract::count, [&](const contract::CountRequest &, stream_writer<Blob> &items, call_context &) {
        while (items.write(Blob())) {
        }
        stream_over.set();
    });
    at.start();
    peer_process other("hang");
    begun.wait(); // the stream began before the call
    other.kill();
    call_over.wait();
    stream_over.wait();
}

TEST(AStoppedClientHoldsUpNobody)
{
    server at("rpc");
    contract::serve(at);
    at.start();
    peer_process other("hang");
    other.wait_until_ready();
    ::kill(other.pid(), SIGSTOP);
    client caller("rpc");
    Blob response;
    for (int i = 0; i < 200; ++i)
        CHECK(caller.try_call(contract::echo, Blob(), response, 60s));
    other.kill(); // a stopped process can be killed
}

} // namespace rpc_death_test
