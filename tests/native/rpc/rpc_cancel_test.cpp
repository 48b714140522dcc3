// Cancellation reaches a call wherever it is: before it begins, while the client connects, while the ring is full, while
// its thread reads.
#include <atomic>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "rpc_peer_process.hpp"
#include "rpc_raw.hpp"
#include "rpc_serving.hpp"

namespace rpc_cancel_test
{

using namespace std::chrono_literals;
using contract::Blob;
using ipc::rpc::call_context;
using ipc::rpc::call_options;
using ipc::rpc::canceller;
using ipc::rpc::client;
using ipc::rpc::client_options;
using ipc::rpc::outcome;
using ipc::rpc::pending_call;
using ipc::rpc::server;
using ipc::rpc::status;

namespace
{

constexpr ipc::rpc::method<Blob, Blob> counted{"tests.v1", "Counted"};
constexpr ipc::rpc::duplex_method<Blob, Blob, Blob> silent{"tests.v1", "Silent"};
constexpr ipc::rpc::client_stream_method<Blob, Blob, Blob> unread{"tests.v1", "Unread"};

// Stopped, and goes on at the end of the scope.
class stopped
{
  public:
    explicit stopped(const peer_process &which) : pid_(which.pid())
    {
        kill(pid_, SIGSTOP);
        int state = 0;
        CHECK_EQUAL(waitpid(pid_, &state, WUNTRACED), pid_);
    }

    stopped(const stopped &) = delete;
    stopped &operator=(const stopped &) = delete;

    ~stopped()
    {
        kill(pid_, SIGCONT);
    }

  private:
    const pid_t pid_;
};

// The ring to its server takes nothing more.
void fill(client &caller)
{
    call_options hasty;
    do
        hasty.until = 1ms;
    while (caller.try_notify(contract::note, Blob(), hasty));
}

} // namespace

namespace
{

struct counting_wakes final : ipc::rpc::detail::cancellable {
    void wake() noexcept override
    {
        ++times;
    }

    int times = 0;
};

} // namespace

TEST(ACancellerForgetsWhatHasEnded)
{
    canceller cancel;
    counting_wakes ended, waiting;
    const ipc::rpc::detail::registered kept(&cancel, waiting);
    {
        const ipc::rpc::detail::registered gone(&cancel, ended);
    }
    cancel.trigger();
    CHECK_EQUAL(waiting.times, 1);
    CHECK_EQUAL(ended.times, 0);
}

TEST(ACallWhoseCancellerWasTriggeredIsNotSent)
{
    std::atomic<int> runs{0};
    const serving here([&](server &at) {
        at.unary(counted, [&](const Blob &, Blob &) { ++runs; });
    });
    client caller("rpc");
    canceller cancel;
    cancel.trigger();
    call_options options;
    options.cancel = &cancel;
    Blob response;
    CHECK_EQUAL(caller.try_call(counted, Blob(), response, options).code, status::cancelled);
    CHECK_EQUAL(caller.call_async(counted, Blob(), options).try_get(response).code, status::cancelled);
    CHECK_EQUAL(caller.try_notify(counted, Blob(), options).code, status::cancelled);
    CHECK_EQUAL(caller.call(contract::echo, blob("after"), 30s).data(), "after");
    CHECK_EQUAL(runs.load(), 0);
}

TEST(ACancellerThatIsTriggeredWhileCallsBeginEndsThemAll)
{
    const serving here([](server &at) {
        at.unary(counted, [](const Blob &, Blob &, call_context &context) {
            while (!context.wait(10s)) {
            }
        });
    });
    client caller("rpc");
    for (int round = 0; round < 200; ++round) {
        canceller cancel;
        call_options options;
        options.cancel = &cancel;
        std::atomic<bool> ready{false};
        std::thread other([&] {
            while (!ready)
                std::this_thread::yield();
            cancel.trigger();
        });
        ready = true;
        std::vector<pending_call<Blob>> calls;
        for (int i = 0; i < 4; ++i)
            calls.push_back(caller.call_async(counted, Blob(), options));
        Blob response;
        for (auto &each : calls)
            CHECK_EQUAL(each.try_get(response).code, status::cancelled);
        other.join();
    }
}

TEST(ACallIsCancelledWhileItsClientWaitsForAServer)
{
    auto here = std::make_unique<serving>();
    client caller("rpc");
    here.reset();
    canceller cancel;
    call_options options;
    options.cancel = &cancel;
    options.until = 4s; // so little that it waits for a server
    std::thread other([&] {
        while (caller.server_pid() != 0)
            std::this_thread::yield();
        cancel.trigger();
    });
    Blob response;
    const outcome result = caller.try_call(contract::echo, Blob(), response, options);
    other.join();
    CHECK_EQUAL(result.code, status::cancelled);
}

TEST(ACallIsCancelledWhileItsClientConnectsToAServerThatIsStopped)
{
    auto other = std::make_unique<peer_process>("serve");
    other->wait_until_ready();
    client caller("rpc");
    other.reset(); // first: two at a time would be one too many
    other = std::make_unique<peer_process>("serve");
    other->wait_until_ready();
    const stopped still(*other);
    canceller cancel;
    call_options options;
    options.cancel = &cancel;
    std::thread thread([&] { cancel.trigger(); });
    Blob response;
    const outcome result = caller.try_call(contract::echo, Blob(), response, options);
    thread.join();
    CHECK_EQUAL(result.code, status::cancelled);
    other->kill();
    caller.try_call(contract::echo, Blob(), response); // clears away what it has left
}

TEST(CancellingADuplexCallWakesItsReader)
{
    const serving here([](server &at) {
        at.duplex(silent, [](const Blob &, ipc::rpc::stream_input<Blob> &items, ipc::rpc::stream_writer<Blob> &) {
            for (Blob item; items.next(item);) {
            }
        });
    });
    client caller("rpc");
    for (int round = 0; round < 20; ++round) {
        auto call = caller.duplex(silent, Blob());
        std::atomic<bool> reads{false};
        std::thread reader([&] {
            Blob item;
            bool got = false;
            reads = true;
            CHECK_EQUAL(call.try_next(item, got).code, status::cancelled);
        });
        while (!reads)
            std::this_thread::yield();
        for (int i = 0; i < round * 3; ++i) // before it is in the ring, and when it is
            std::this_thread::yield();
        call.cancel();
        reader.join();
    }
}

TEST(FinishingAStreamOnAFullRingEndsWithItsTime)
{
    peer_process other("serve");
    other.wait_until_ready();
    client_options small;
    small.to_server_capacity = 16 * 1024;
    client caller("rpc", small);
    call_options options;
    options.until = 300ms;
    auto call = caller.client_stream(contract::collect, counting(0), options);
    const stopped still(other);
    fill(caller);
    Blob response;
    CHECK_EQUAL(call.try_finish(response).code, status::deadline_exceeded);
    other.kill(); // while somebody is there to clear up
}

TEST(FinishingAStreamOnAFullRingCanBeCancelled)
{
    peer_process other("serve");
    other.wait_until_ready();
    client_options small;
    small.to_server_capacity = 16 * 1024;
    client caller("rpc", small);
    canceller cancel;
    call_options options;
    options.cancel = &cancel;
    auto call = caller.client_stream(contract::collect, counting(0), options);
    const stopped still(other);
    fill(caller);
    std::thread thread([&] { cancel.trigger(); });
    Blob response;
    CHECK_EQUAL(call.try_finish(response).code, status::cancelled);
    thread.join();
    other.kill();
}

// ---- asynchronous calls and a server that does not read
// ------------------------------------------------------------------------------

TEST(AnAsynchronousCallNeverWaitsForAServerThatDoesNotRead)
{
    peer_process other("serve");
    other.wait_until_ready();
    client_options options;
    options.max_queued_bytes = 1 << 20;
    client caller("rpc", options);
    std::atomic<int> good{0}, refused{0}, wrong{0};
    check::signal all;
    constexpr int number = 3000;
    {
        const stopped still(other); // a call that waits would wait for ever
        for (int i = 0; i < number; ++i)
            caller.call_async(contract::echo, blob(std::to_string(i) + std::string(1000, ' ')),
                              [&, i](const outcome &result, Blob &response) {
                                  if (result.code == status::resource_exhausted)
                                      ++refused;
                                  else if (result && std::stoi(response.data()) == i)
                                      ++good;
                                  else
                                      ++wrong;
                                  if (good + refused + wrong == number)
                                      all.set();
                              });
        const ipc::deadline patience = 60s;
        while (refused == 0)
            CHECK(!patience.has_passed());
    }
    all.wait();
    CHECK_EQUAL(wrong.load(), 0);
    CHECK(good > 1000); // what the bound and the ring take
    other.kill();
}

TEST(QueuedCallsEndByDeadlineByCancellationAndByTheServersDeath)
{
    peer_process other("serve");
    other.wait_until_ready();
    client_options small;
    small.to_server_capacity = 16 * 1024;
    client caller("rpc", small);
    const stopped still(other);
    std::vector<pending_call<Blob>> calls;
    for (int i = 0; i < 40; ++i)
        calls.push_back(caller.call_async(contract::echo, blob(std::string(1000, 'q'))));
    call_options options;
    options.until = 50ms;
    auto late = caller.call_async(contract::echo, Blob(), options);
    canceller cancel;
    options.until = ipc::deadline::never();
    options.cancel = &cancel;
    auto stopped_one = caller.call_async(contract::echo, Blob(), options);
    auto dropped = caller.call_async(contract::echo, Blob());
    dropped.cancel();
    Blob response;
    CHECK_EQUAL(dropped.try_get(response).code, status::cancelled);
    CHECK_EQUAL(late.try_get(response).code, status::deadline_exceeded);
    cancel.trigger();
    CHECK_EQUAL(stopped_one.try_get(response).code, status::cancelled);
    other.kill();
    for (auto &each : calls)
        CHECK_EQUAL(each.try_get(response).code, status::unavailable);
}

TEST(RequestsKeepTheirOrderBehindAFullRing)
{
    ipc::listener at("rpc"); // answers nothing, and reads late
    client_options small;
    small.to_server_capacity = 16 * 1024;
    check::signal sent;
    std::vector<std::string> bodies;
    std::thread reader([&] {
        ipc_event event{};
        CHECK_EQUAL(at.next(event, 60s), IPC_OK);
        CHECK_EQUAL(ipc_connection_accept(event.connection), IPC_OK);
        at.give_back(event.connection);
        sent.wait();
        while (event.kind != IPC_EVENT_READABLE)
            CHECK_EQUAL(at.next(event, 60s), IPC_OK);
        ipc::connection from(event.connection);
        while (bodies.size() < 101) {
            std::string body;
            if (raw_frames::receive(from, body).kind == 1) {
                Blob message;
                CHECK(message.ParseFromString(body));
                bodies.push_back(message.data().substr(0, 3));
            }
        }
    });
    client caller("rpc", small);
    std::vector<pending_call<Blob>> calls;
    // 18 lines each: 14 of them leave room for a small one, which must not take it.
    for (int i = 0; i < 100; ++i)
        calls.push_back(caller.call_async(contract::echo, blob(std::to_string(100 + i) + std::string(1060, '.'))));
    sent.set();
    caller.notify(contract::note, blob("200")); // waits for those before it
    reader.join();
    for (int i = 0; i <= 100; ++i)
        CHECK_EQUAL(bodies[static_cast<size_t>(i)], std::to_string(100 + i));
}

TEST(AnAsynchronousCallNeverWaitsForAConnection)
{
    auto first = std::make_unique<peer_process>("serve");
    first->wait_until_ready();
    client caller("rpc");
    first->kill();
    while (caller.server_pid() != 0) { // a call finds out
        Blob response;
        caller.try_call(contract::echo, Blob(), response, 1ms);
    }
    Blob response;
    auto nobody = caller.call_async(contract::echo, Blob());
    CHECK_EQUAL(nobody.try_get(response).code, status::unavailable);
    auto patient = caller.call_async(contract::echo, blob("patient"), 4s);
    auto impatient = caller.call_async(contract::echo, Blob()); // learns at once that nobody is there
    CHECK_EQUAL(impatient.try_get(response).code, status::unavailable);
    CHECK(!patient.ready());
    peer_process second("serve");
    second.wait_until_ready();
    const outcome result = patient.try_get(response); // 4 s may have passed on a busy machine
    CHECK(result ? response.data() == "patient" : result.code == status::deadline_exceeded);
    const stopped still(second);
    caller.call_async(contract::echo, Blob()).cancel();
    second.kill();
}

TEST(ClosingEndsWhatWaitsForAConnection)
{
    auto first = std::make_unique<serving>();
    auto caller = std::make_unique<client>("rpc");
    first.reset();
    status how{};
    caller->call_async(contract::echo, Blob(), [&](const outcome &result, Blob &) { how = result.code; },
                       [] {
                           call_options options;
                           options.until = 4s;
                           return options;
                       }());
    caller.reset();
    CHECK_EQUAL(how, status::unavailable);
}

} // namespace rpc_cancel_test
