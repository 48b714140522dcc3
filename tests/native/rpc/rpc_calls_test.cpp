// Calls and streams between threads of one process, client and server both of ipc/rpc.hpp.
#include <atomic>
#include <ctime>
#include <fstream>
#include <memory>
#include <thread>
#include <vector>

#include "rpc_check.hpp"
#include "rpc_contract.hpp"

extern "C" uint32_t ipc_platform_user(void);

namespace rpc_calls_test
{

using namespace std::chrono_literals;
using contract::Blob;
using ipc::rpc::call_context;
using ipc::rpc::client;
using ipc::rpc::client_options;
using ipc::rpc::outcome;
using ipc::rpc::server;
using ipc::rpc::server_options;
using ipc::rpc::status;
using ipc::rpc::stream_writer;

namespace
{

Blob blob(const std::string &data)
{
    Blob made;
    made.set_data(data);
    return made;
}

contract::CountRequest counting(int count, int size)
{
    contract::CountRequest made;
    made.set_count(count);
    made.set_size(size);
    return made;
}

// Started with the contract's handlers and what ADD adds.
struct serving {
    explicit serving(const std::function<void(server &)> &add = {}, server_options options = {})
        : at("rpc", std::move(options))
    {
        contract::serve(at);
        if (add)
            add(at);
        at.start();
    }

    server at;
};

constexpr ipc::rpc::method<Blob, Blob> special{"tests.v1", "Special"};
constexpr ipc::rpc::stream_method<Blob, Blob> special_stream{"tests.v1", "SpecialStream"};

// What it would do with a response to fill is no handler.
struct overloaded {
    int operator()(const Blob &, Blob &) const
    {
        return 1;
    }

    std::shared_ptr<const Blob> operator()(const Blob &request) const
    {
        return std::make_shared<const Blob>(request);
    }
};

// The same, and it changes.
struct overloaded_once {
    int operator()(const Blob &, Blob &)
    {
        return 1;
    }

    std::shared_ptr<const Blob> operator()(const Blob &request, call_context &)
    {
        return std::make_shared<const Blob>(request);
    }
};

} // namespace

TEST(ACallReturnsWhatItsHandlerMade)
{
    const serving here;
    client caller("rpc");
    CHECK_EQUAL(caller.call(contract::echo, blob("hello"), 60s).data(), "hello");
    CHECK_EQUAL(caller.call(contract::echo, blob("")).data(), "");
    CHECK_EQUAL(caller.call<Blob>("tests.v1", "Echo", blob("by name")).data(), "by name");
    CHECK_EQUAL(caller.server_pid(), getpid());
}

TEST(AHandlerMayReturnAResponseThatIsThereAlready)
{
    const auto small = std::make_shared<const Blob>(blob("there already"));
    const auto large = std::make_shared<const Blob>(blob(contract::pattern(3 << 20, 5)));
    const serving here([&](server &at) {
        at.unary(special, [&](const Blob &request, call_context &call) {
            call.answer_metadata().add("asked-for", request.data());
            return request.data() == "small" ? small : request.data() == "large" ? large : nullptr;
        });
        at.unary<Blob, Blob>("tests.v1", "Other", [&](const Blob &) -> std::shared_ptr<const Blob> {
            throw ipc::rpc::error(status::not_found, "not there");
        });
    });
    client caller("rpc");
    for (int i = 0; i < 3; i++) {
        CHECK_EQUAL(caller.call(special, blob("small"), 60s).data(), small->data());
        CHECK_EQUAL(caller.call(special, blob("large"), 60s).data() == large->data(), true);
    }
    Blob none;
    CHECK_EQUAL(caller.try_call(special, blob("none"), none).code, status::internal);
    CHECK_EQUAL(caller.try_call(ipc::rpc::method<Blob, Blob>{"tests.v1", "Other"}, blob(""), none).code,
                status::not_found);
    CHECK_EQUAL(caller.call(special, blob("large"), 60s).data().size(), large->data().size());
    CHECK_EQUAL(caller.call(special, blob("small"), 60s).data(), small->data());
    while (small.use_count() + large.use_count() != 2) // let go when they have been sent, not when the next call comes
        std::this_thread::sleep_for(1ms);
}

TEST(AFunctionThatMayBeCalledInOtherWaysMayReturnAResponseThatIsThereAlready)
{
    const serving here([](server &at) {
        at.unary(special, overloaded());
        at.unary<Blob, Blob>("tests.v1", "Other", overloaded_once());
    });
    client caller("rpc");
    CHECK_EQUAL(caller.call(special, blob("one"), 60s).data(), "one");
    CHECK_EQUAL(caller.call<Blob>("tests.v1", "Other", blob("another")).data(), "another");
}

TEST(ACallbackMayReturnAResponseThatIsThereAlready)
{
    const auto there = std::make_shared<const Blob>(blob("there already"));
    constexpr ipc::rpc::method<Blob, Blob> back{"tests.v1", "Back"};
    const serving here([&](server &at) {
        at.unary(special, [&](const Blob &request, Blob &response, call_context &call) {
            response = call.caller().call(back, request);
        });
    });
    client_options options;
    options.services = std::make_shared<ipc::rpc::service>();
    options.services->unary(back, [&](const Blob &) { return there; });
    {
        client caller("rpc", options);
        CHECK_EQUAL(caller.call(special, blob(""), 60s).data(), there->data());
        while (there.use_count() != 1)
            std::this_thread::sleep_for(1ms);
    }
}

TEST(BodiesOfEverySizeUpToTheLimitArrive)
{
    const serving here;
    client_options options;
    options.to_server_capacity = options.to_client_capacity = 16 * 1024;
    client caller("rpc", options);
    Blob response;
    for (int size = 0; size < 8000; size += 7) {
        const Blob request = blob(contract::pattern(size, size));
        const outcome result = caller.try_call(contract::echo, request, response, 60s);
        CHECK_EQUAL(result.text, "");
        CHECK(response.data() == request.data());
    }
}

TEST(ThreadsThatShareAClientGetTheirOwnReplies)
{
    const serving here;
    client caller("rpc");
    std::atomic<int> right{0};
    std::vector<std::thread> threads;
    for (int number = 0; number < 4; ++number)
        threads.emplace_back([&, number] {
            Blob response;
            for (int i = 0; i < 500; ++i) {
                const Blob request = blob(contract::pattern(number * 1000 + i, i));
                if (caller.try_call(contract::echo, request, response, 30s) && response.data() == request.data())
                    ++right;
            }
        });
    for (std::thread &thread : threads)
        thread.join();
    CHECK_EQUAL(right.load(), 2000);
}

TEST(EveryStatusReachesItsCaller)
{
    const serving here;
    client caller("rpc");
    for (int code = 1; code <= 16; ++code) {
        contract::FailRequest request;
        request.set_status(code);
        request.set_text("number " + std::to_string(code));
        Blob response;
        const outcome result = caller.try_call(contract::fail, request, response, 60s);
        CHECK_EQUAL(static_cast<int>(result.code), code);
        CHECK_EQUAL(result.text, request.text());
    }
    CHECK_EQUAL(caller.call(contract::echo, blob("still")).data(), "still");
}

TEST(AnExceptionOfAHandlerNamesItsTypeAndText)
{
    const serving here([](server &at) {
        at.unary(special, [](const Blob &request, Blob &) {
            if (request.data() == "range")
                throw std::out_of_range("row 7 of \xFF");
            throw 5;
        });
    });
    client caller("rpc");
    Blob response;
    outcome result = caller.try_call(special, blob("range"), response, 60s);
    CHECK_EQUAL(result.code, status::unknown);
    CHECK_EQUAL(result.type, "std::out_of_range");
    CHECK_EQUAL(result.text, "row 7 of ?"); // what is not UTF-8 does not travel
    result = caller.try_call(special, blob("int"), response, 60s);
    CHECK_EQUAL(result.code, status::unknown);
    CHECK_EQUAL(caller.call(contract::echo, blob("still")).data(), "still");
}

TEST(AnUnknownMethodIsToldWhatThereIs)
{
    const serving here;
    client caller("rpc");
    Blob response;
    const outcome result = caller.try_call(special, blob("x"), response, 60s);
    CHECK_EQUAL(result.code, status::unimplemented);
    CHECK(result.text.find("The server \"rpc\" has no such method. It has tests.v1: ") == 0);
    CHECK(result.text.find("Count, ") != std::string::npos);
    CHECK(result.text.find(" Echo, ") != std::string::npos);
    CHECK_EQUAL(result.at->method, std::string(special.service) + "/" + std::string(special.name));
}

TEST(AMethodOfAnotherVersionIsNamed)
{
    const serving here;
    client caller("rpc");
    Blob response;
    const ipc::rpc::method<Blob, Blob> newer("tests.v2", "Echo");
    const outcome result = caller.try_call(newer, blob("x"), response, 60s);
    CHECK_EQUAL(result.code, status::unimplemented);
    CHECK(result.text.find("The server \"rpc\" has no tests.v2/Echo; it has another version of that service. It has "
                           "tests.v1: ") == 0);
    CHECK(result.text.find(" Echo, ") != std::string::npos);
}

TEST(AMethodCalledAsAnotherKindIsUnimplemented)
{
    const serving here;
    client caller("rpc");
    Blob response;
    const ipc::rpc::method<contract::CountRequest, Blob> count_as_unary("tests.v1", "Count");
    CHECK_EQUAL(caller.try_call(count_as_unary, counting(1, 1), response, 60s).code, status::unimplemented);
    auto items = caller.stream<Blob>("tests.v1", "Echo", blob("x"), 60s);
    bool got = true;
    CHECK_EQUAL(items.try_next(response, got).code, status::unimplemented);
    CHECK(!got);
}

TEST(AMessageLargerThanTheRingIsRefusedWithBothSizes)
{
    const serving here([](server &at) {
        at.unary(special, [](const Blob &, Blob &response) { response.set_data(std::string(20'000, 'x')); });
        at.server_stream(special_stream, [](const Blob &, stream_writer<Blob> &items, call_context &) {
            items.write(blob(std::string(20'000, 'x')));
        });
    });
    client_options options;
    options.to_server_capacity = options.to_client_capacity = 16 * 1024; // a frame may have 8184 bytes, its body 8160
    options.loan_budget = IPC_NO_LOANS;
    client caller("rpc", options);
    Blob response;
    outcome result = caller.try_call(contract::echo, blob(std::string(30'000, 'x')), response, 60s);
    CHECK_EQUAL(result.code, status::resource_exhausted);
    CHECK(result.text.find("30004") != std::string::npos && result.text.find("8160") != std::string::npos);
    result = caller.try_call(special, blob(""), response, 60s);
    CHECK_EQUAL(result.code, status::resource_exhausted);
    CHECK(result.text.find("20004") != std::string::npos && result.text.find("8160") != std::string::npos);
    auto items = caller.stream(special_stream, blob(""), 60s);
    bool got = true;
    CHECK_EQUAL(items.try_next(response, got).code, status::resource_exhausted);
    CHECK_EQUAL(caller.call(contract::echo, blob("still")).data(), "still");
}

TEST(MessagesMuchLargerThanTheRingTravelAsLoans)
{
    const serving here;
    client caller("rpc");
    Blob response;
    for (const int size : {1 << 20, 2 << 20, 100 << 20, 10, 128 * 1024 - 40, 128 * 1024}) {
        const Blob request = blob(contract::pattern(size, size));
        const outcome result = caller.try_call(contract::echo, request, response, 60s);
        CHECK_EQUAL(result.text, "");
        CHECK(response.data() == request.data());
    }
    const int large = 3 << 20;
    auto items = caller.stream(contract::count, counting(20, large), 60s);
    for (int i = 0; i < 20; ++i) {
        bool got = false;
        CHECK_EQUAL(items.try_next(response, got).text, "");
        CHECK(got && response.data() == contract::pattern(i, large));
    }
}

// Shared memory that this process has present, in which both sides are: a connection's file has no name any more.
static uint64_t bytes_present()
{
    std::ifstream status("/proc/self/status");
    std::string word;
    uint64_t kib = 0;
    while (status >> word && word != "RssShmem:") {
    }
    CHECK(static_cast<bool>(status >> kib));
    return kib * 1024;
}

TEST(ALargeResponseLeavesNoMemoryToTheSmallCallsBehindIt)
{
    constexpr size_t large = 100 << 20;
    const serving here([](server &at) {
        at.unary(special, [](const Blob &request, Blob &response) {
            response.set_data(request.data() == "large" ? std::string(large, 'x') : "small");
        });
    });
    client caller("rpc");
    CHECK_EQUAL(caller.call(special, blob("small"), 60s).data(), "small");
    const uint64_t before = bytes_present();
    CHECK_EQUAL(caller.call(special, blob("large"), 60s).data().size(), large);
    CHECK(bytes_present() >= before + large);
    for (int i = 0; i < 20'000; ++i) // twice round the ring of 512 KiB: once a round the writer looks what it has needed
        CHECK_EQUAL(caller.call(special, blob("small"), 60s).data(), "small");
    const uint64_t after = bytes_present();
    if (after > before + (4 << 20)) // what little is kept, mapped by both sides
        check::fail(__FILE__, __LINE__, std::to_string(before) + " bytes at first, " + std::to_string(after) + " at last");
    CHECK_EQUAL(caller.call(special, blob("large"), 60s).data().size(), large); // and it grows again
}

TEST(ManyLargeCallsAtOnceWaitForEachOthersLoans)
{
    const serving here;
    client_options options;
    options.loan_budget = 8 << 20;
    client caller("rpc", options);
    std::atomic<int> good{0};
    std::vector<std::thread> threads;
    for (int number = 0; number < 6; ++number)
        threads.emplace_back([&, number] {
            const Blob request = blob(contract::pattern(number, 3 << 20));
            Blob response;
            for (int i = 0; i < 5; ++i)
                good += caller.try_call(contract::echo, request, response, 60s).code == status::ok &&
                        response.data() == request.data();
        });
    for (auto &each : threads)
        each.join();
    CHECK_EQUAL(good.load(), 30);
}

TEST(ADeadlineEndsTheCallHereAndTheHandlerThere)
{
    std::atomic<bool> begun{false};
    check::signal woken;
    const serving here([&](server &at) {
        at.unary(special, [&](const Blob &, Blob &, call_context &context) {
            begun = true;
            while (!context.wait(10s)) {
            }
            woken.set();
        });
    });
    client caller("rpc");
    Blob response;
    for (auto patience = 20ms; !begun; patience *= 2) // a request that is read too late has no handler
        CHECK_EQUAL(caller.try_call(special, blob(""), response, patience).code, status::deadline_exceeded);
    woken.wait();
    CHECK_EQUAL(caller.try_call(special, blob(""), response, ipc::deadline::now()).code, status::deadline_exceeded);
    CHECK_EQUAL(caller.call(contract::echo, blob("still"), 60s).data(), "still");
}

TEST(ACancellerEndsTheCallHereAndTheHandlerThere)
{
    check::signal begun, woken;
    const serving here([&](server &at) {
        at.unary(special, [&](const Blob &, Blob &, call_context &context) {
            begun.set();
            while (!context.wait(10s)) {
            }
            woken.set();
        });
    });
    client caller("rpc");
    ipc::rpc::canceller cancel;
    std::thread other([&] {
        begun.wait();
        cancel.trigger();
    });
    Blob response;
    CHECK_EQUAL(caller.try_call(special, blob(""), response, ipc::deadline::never(), &cancel).code, status::cancelled);
    other.join();
    woken.wait();
    CHECK_EQUAL(caller.try_call(contract::echo, blob(""), response, ipc::deadline::never(), &cancel).code,
                status::cancelled);
    CHECK_EQUAL(caller.call(contract::echo, blob("still")).data(), "still");
}

TEST(ACancellerReachesACallThatAnotherThreadReadsFor)
{
    std::atomic<int> begun{0};
    check::signal both;
    const serving here([&](server &at) {
        at.unary(special, [&](const Blob &, Blob &, call_context &context) {
            if (++begun == 2)
                both.set();
            while (!context.wait(10s)) {
            }
        });
    });
    client caller("rpc");
    ipc::rpc::canceller first, second;
    outcome results[2];
    Blob responses[2];
    std::thread one([&] { results[0] = caller.try_call(special, blob(""), responses[0], 60s, &first); });
    std::thread two([&] { results[1] = caller.try_call(special, blob(""), responses[1], 60s, &second); });
    both.wait();
    second.trigger();
    two.join();
    first.trigger();
    one.join();
    CHECK_EQUAL(results[0].code, status::cancelled);
    CHECK_EQUAL(results[1].code, status::cancelled);
}

TEST(ABlockedHandlerHoldsUpNobody)
{
    check::signal begun, release;
    const serving here([&](server &at) {
        at.unary(special, [&](const Blob &, Blob &response) {
            begun.set();
            release.wait();
            response.set_data("late");
        });
    });
    client caller("rpc"), other("rpc");
    Blob late;
    outcome result;
    std::thread blocked([&] { result = caller.try_call(special, blob(""), late, 60s); });
    begun.wait();
    for (int i = 0; i < 100; ++i) {
        CHECK_EQUAL(other.call(contract::echo, blob("other connection"), 60s).data(), "other connection");
        CHECK_EQUAL(caller.call(contract::echo, blob("same connection"), 60s).data(), "same connection");
    }
    release.set();
    blocked.join();
    CHECK(result);
    CHECK_EQUAL(late.data(), "late");
}

TEST(ManyBlockedHandlersHoldUpNobody)
{
    std::atomic<int> begun{0};
    check::signal all, release;
    const serving here([&](server &at) {
        at.unary(special, [&](const Blob &, Blob &) {
            if (++begun == 8)
                all.set();
            release.wait();
        });
    });
    client caller("rpc");
    std::atomic<int> ended{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i)
        threads.emplace_back([&] {
            Blob response;
            if (caller.try_call(special, blob(""), response, 60s))
                ++ended;
        });
    all.wait();
    CHECK_EQUAL(caller.call(contract::echo, blob("through"), 60s).data(), "through");
    release.set();
    for (std::thread &thread : threads)
        thread.join();
    CHECK_EQUAL(ended.load(), 8);
}

TEST(AMethodIsAddedOnce)
{
    server at("rpc");
    contract::serve(at);
    bool refused = false;
    try {
        contract::serve(at);
    } catch (const std::invalid_argument &reason) {
        refused = std::string(reason.what()).find("tests.v1/Echo") != std::string::npos;
    }
    CHECK(refused);
}

TEST(AServerMayRefuseAClientWithAReason)
{
    server_options options;
    options.refuse = [](const ipc::rpc::client_info &who) {
        return who.hello == "password" && who.pid == getpid() && who.user == ipc_platform_user() ? "" : "say the word";
    };
    const serving here({}, options);
    client_options polite;
    polite.hello = "password";
    client welcome("rpc", polite);
    CHECK_EQUAL(welcome.call(contract::echo, blob("in"), 60s).data(), "in");
    status code = status::ok;
    std::string text;
    try {
        client unwelcome("rpc");
    } catch (const ipc::rpc::error &refused) {
        code = refused.code();
        text = refused.text();
    }
    CHECK_EQUAL(code, status::unauthenticated);
    CHECK(text.find("say the word") != std::string::npos);
}

TEST(WithoutAServerThereIsNoClient)
{
    client_options options;
    options.connect_timeout = 0ns;
    status code = status::ok;
    try {
        client caller("nobody", options);
    } catch (const ipc::rpc::error &failure) {
        code = failure.code();
    }
    CHECK_EQUAL(code, status::unavailable);
}

TEST(ASecondServerOfTheNameIsRefused)
{
    const serving here;
    server second("rpc");
    ipc::status code = IPC_OK;
    try {
        second.start();
    } catch (const ipc::error &refused) {
        code = refused.code();
    }
    CHECK_EQUAL(code, IPC_E_IN_USE);
    client caller("rpc");
    CHECK_EQUAL(caller.call(contract::echo, blob("first")).data(), "first");
}

TEST(AClientFindsTheNextServer)
{
    auto first = std::make_unique<serving>();
    client caller("rpc");
    CHECK_EQUAL(caller.call(contract::echo, blob("first")).data(), "first");
    first->at.stop();
    Blob response;
    outcome result = caller.try_call(contract::echo, blob("gone"), response);
    CHECK_EQUAL(result.code, status::unavailable);
    const serving second;
    result = caller.try_call(contract::echo, blob("second"), response, 60s);
    CHECK_EQUAL(result.text, "");
    CHECK_EQUAL(response.data(), "second");
}

TEST(StoppingTheServerEndsPendingCallsAndStreams)
{
    check::signal begun;
    auto here = std::make_unique<serving>([&](server &at) {
        at.unary(special, [&](const Blob &, Blob &, call_context &context) {
            begun.set();
            while (!context.wait(10s)) {
            }
        });
    });
    client caller("rpc");
    auto items = caller.stream(contract::count, counting(1'000'000, 10));
    Blob item;
    CHECK(items.next(item));
    outcome result;
    std::thread pending([&] {
        Blob response;
        result = caller.try_call(special, blob(""), response);
    });
    begun.wait();
    here->at.stop();
    pending.join();
    CHECK_EQUAL(result.code, status::unavailable);
    bool got = true;
    while ((result = items.try_next(item, got)) && got) {
    }
    CHECK_EQUAL(result.code, status::unavailable);
}

TEST(ClosingTheClientEndsItsPendingCalls)
{
    check::signal begun;
    const serving here([&](server &at) {
        at.unary(special, [&](const Blob &, Blob &, call_context &context) {
            begun.set();
            while (!context.wait(10s)) {
            }
        });
    });
    client caller("rpc");
    std::thread closer([&] {
        begun.wait();
        caller.close();
    });
    Blob response;
    CHECK_EQUAL(caller.try_call(special, blob(""), response).code, status::unavailable);
    closer.join();
    ipc::status code = IPC_OK;
    try {
        caller.call(contract::echo, blob(""));
    } catch (const ipc::error &closed) {
        code = closed.code();
    }
    CHECK_EQUAL(code, IPC_CLOSED);
}

// Processor time, so that a busy machine does not matter; a thread that spins would use a second or more.
TEST(AnIdleServerAndItsIdleClientUseNoProcessor)
{
    const serving here;
    client caller("rpc");
    auto items = caller.stream(contract::count, counting(1'000'000, 10)); // its producer waits for credit
    CHECK_EQUAL(caller.call(contract::echo, blob("awake")).data(), "awake");
    usleep(200'000); // what has been busy goes to sleep
    const clock_t before = clock();
    usleep(1'000'000);
    CHECK((clock() - before) * 1000 / CLOCKS_PER_SEC < 100);
}

} // namespace rpc_calls_test
