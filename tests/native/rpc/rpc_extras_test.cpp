// What calls may have besides a request and a response: no answer, progress, metadata, trace context, details.
#include <atomic>
#include <thread>
#include <vector>

#include "rpc_serving.hpp"

namespace rpc_extras_test
{

using namespace std::chrono_literals;
using contract::Blob;
using ipc::rpc::call_context;
using ipc::rpc::call_options;
using ipc::rpc::client;
using ipc::rpc::metadata;
using ipc::rpc::outcome;
using ipc::rpc::progress_writer;
using ipc::rpc::server;
using ipc::rpc::status;

namespace
{

constexpr ipc::rpc::method<Blob, Blob> special{"tests.v1", "Special"};
constexpr ipc::rpc::method<Blob, Blob> inner{"tests.v1", "Inner"};
constexpr ipc::rpc::one_way_method<Blob> tell{"tests.v1", "Tell"};
constexpr ipc::rpc::progress_method<Blob, Blob, Blob> work{"tests.v1", "Work"};

} // namespace

TEST(AOneWayCallRunsItsHandlerAndWaitsForNothing)
{
    check::signal ran, release;
    std::string heard;
    const serving here([&](server &at) {
        at.one_way(tell, [&](const Blob &request, call_context &context) {
            CHECK(context.one_way());
            release.wait();
            heard = request.data();
            ran.set();
            throw ipc::rpc::error(status::internal, "nobody hears this");
        });
    });
    client caller("rpc");
    caller.notify(tell, blob("news")); // returns while the handler waits
    release.set();
    ran.wait();
    CHECK_EQUAL(heard, "news");
    CHECK_EQUAL(caller.call(contract::echo, blob("still"), 30s).data(), "still");
    const ipc::rpc::one_way_method<Blob> nowhere("tests.v1", "Nowhere");
    caller.notify(nowhere, Blob()); // and nobody hears of that either
    CHECK_EQUAL(caller.call(contract::echo, blob("still"), 30s).data(), "still");
}

TEST(AOneWayMethodThatIsCalledForAnAnswerGivesAnEmptyOne)
{
    const serving here([](server &at) { at.one_way(tell, [](const Blob &) {}); });
    client caller("rpc");
    CHECK_EQUAL(caller.call<Blob>("tests.v1", "Tell", blob("?"), 30s).data(), "");
}

TEST(ProgressComesBeforeTheResponseAndOnTheCallersThread)
{
    check::signal seen;
    const serving here([&](server &at) {
        at.unary(work, [&](const Blob &, Blob &response, progress_writer<Blob> &progress) {
            progress.report(blob("half"));
            seen.wait();
            response.set_data("whole");
        });
    });
    client caller("rpc");
    const std::thread::id me = std::this_thread::get_id();
    Blob response;
    std::string reported;
    const outcome result = caller.try_call(work, Blob(), response, [&](const Blob &value) {
        CHECK(std::this_thread::get_id() == me);
        reported += value.data();
        CHECK_EQUAL(caller.call(contract::echo, blob("meanwhile"), 30s).data(), "meanwhile");
        seen.set();
    });
    CHECK_EQUAL(result.text, "");
    CHECK_EQUAL(reported, "half");
    CHECK_EQUAL(response.data(), "whole");
}

TEST(ProgressThatFindsNoRoomHoldsUpNobody)
{
    const serving here([](server &at) {
        at.unary(work, [](const Blob &, Blob &response, progress_writer<Blob> &progress) {
            const Blob large = blob(std::string(5000, 'p'));
            for (int i = 0; i < 1000; ++i) // sixty times the ring
                progress.report(large);
            response.set_data("done");
        });
    });
    ipc::rpc::client_options options;
    options.to_client_capacity = 64 * 1024;
    client caller("rpc", options);
    Blob response;
    bool whole = true;
    CHECK(caller.try_call(work, Blob(), response,
                          [&](const Blob &value) { whole = whole && value.data().size() == 5000; }));
    CHECK(whole);
    CHECK_EQUAL(response.data(), "done");
    // Who does not ask for progress does not see it.
    CHECK_EQUAL(caller.call<Blob>("tests.v1", "Work", Blob(), 30s).data(), "done");
}

TEST(AReportThatThrowsEndsTheCall)
{
    check::signal over;
    const serving here([&](server &at) {
        at.unary(work, [&](const Blob &, Blob &, progress_writer<Blob> &progress, call_context &context) {
            progress.report(blob("half"));
            while (!context.wait(10s)) {
            }
            over.set();
        });
    });
    client caller("rpc");
    Blob response;
    bool thrown = false;
    try {
        caller.try_call(work, Blob(), response, [](const Blob &) { throw 5; });
    } catch (int) {
        thrown = true;
    }
    CHECK(thrown);
    over.wait();
    CHECK_EQUAL(caller.call(contract::echo, blob("still")).data(), "still");
}

TEST(MetadataAndTraceTravelBothWays)
{
    const serving here;
    client caller("rpc");
    metadata sent, received;
    sent.add("x-one", "1");
    sent.add("x-one", std::string("\0\xFF", 2));
    const std::string trace = contract::pattern(3, 25);
    call_options options;
    options.send = &sent;
    options.received = &received;
    options.trace = trace;
    CHECK_EQUAL(caller.call(contract::labels, Blob(), options).data(), trace);
    CHECK_EQUAL(received.size(), 2u);
    CHECK_EQUAL(*received.find("x-one"), "1");
    CHECK(received.find("x-two") == nullptr);
    CHECK((received.begin() + 1)->second == std::string("\0\xFF", 2));
}

TEST(AnErrorHasMetadataToo)
{
    const serving here([](server &at) {
        at.unary(special, [](const Blob &, Blob &, call_context &context) {
            context.answer_metadata().add("retry-after", "5");
            throw ipc::rpc::error(status::unavailable, "busy");
        });
    });
    client caller("rpc");
    metadata received;
    call_options options;
    options.received = &received;
    Blob response;
    CHECK_EQUAL(caller.try_call(special, Blob(), response, options).code, status::unavailable);
    CHECK(received.find("retry-after") != nullptr);
}

TEST(MetadataThatIsTooLongOrHasABadKeyIsRefused)
{
    const serving here([](server &at) {
        at.unary(special, [](const Blob &, Blob &, call_context &context) {
            context.answer_metadata().add("x", std::string(20'000, 'x'));
        });
    });
    client caller("rpc");
    metadata sent;
    bool refused = false;
    try {
        sent.add("Upper", "");
    } catch (const std::invalid_argument &) {
        refused = true;
    }
    CHECK(refused);
    sent.add("x", std::string(16'384, 'x'));
    call_options options;
    options.send = &sent;
    Blob response;
    CHECK_EQUAL(caller.try_call(contract::labels, Blob(), response, options).code, status::resource_exhausted);
    CHECK_EQUAL(caller.try_call(special, Blob(), response, 30s).code, status::internal);
    options.send = nullptr;
    options.trace = "short";
    CHECK_EQUAL(caller.try_call(contract::labels, Blob(), response, options).code, status::invalid_argument);
    CHECK_EQUAL(caller.call(contract::echo, blob("still")).data(), "still");
}

TEST(DetailsOfAnErrorReachItsCaller)
{
    const serving here([](server &at) {
        at.unary(special, [](const Blob &request, Blob &) {
            if (request.data() == "large")
                return outcome(status::aborted, "too much to say").with(blob(std::string(200'000, 'x')));
            return outcome(status::aborted, "twice").with(blob("first")).with(counting(7));
        });
    });
    client caller("rpc");
    Blob response;
    outcome result = caller.try_call(special, Blob(), response, 30s);
    CHECK_EQUAL(result.code, status::aborted);
    CHECK_EQUAL(result.details.size(), 2u);
    CHECK_EQUAL(result.details[0].type_url, "type.googleapis.com/tests.v1.Blob");
    Blob first;
    contract::CountRequest second;
    CHECK(result.details[0].try_read(first) && first.data() == "first");
    CHECK(!result.details[0].try_read(second));
    CHECK(result.details[1].try_read(second) && second.count() == 7);
    try {
        caller.call(special, Blob(), 30s);
        CHECK(!"thrown");
    } catch (const ipc::rpc::error &thrown) {
        CHECK_EQUAL(thrown.details().size(), 2u);
    }
    // What does not fit is left out, and the error still comes.
    ipc::rpc::client_options small;
    small.to_client_capacity = 16 * 1024;
    small.loan_budget = IPC_NO_LOANS;
    client other("rpc", small);
    result = other.try_call(special, blob("large"), response, 60s);
    CHECK_EQUAL(result.code, status::aborted);
    CHECK_EQUAL(result.details.size(), 0u);
    CHECK(result.text.find("1 details did not fit") != std::string::npos);
}

TEST(ANestedCallHasTheTimeAndTheTraceOfItsHandler)
{
    std::atomic<client *> nested{nullptr};
    const serving here([&](server &at) {
        at.unary(special, [&](const Blob &, Blob &response) {
            response = nested.load()->call(inner, Blob(), 1h); // an hour is not to be had
        });
        at.unary(inner, [](const Blob &, Blob &response, call_context &context) {
            CHECK(!context.until().is_never() && context.until().remaining() < 60'000'000'000u);
            response.set_data(std::string(context.trace()));
        });
    });
    client caller("rpc"), own("rpc");
    nested = &own;
    const std::string trace = contract::pattern(9, 25);
    call_options options;
    options.until = 30s;
    options.trace = trace;
    CHECK_EQUAL(caller.call(special, Blob(), options).data(), trace);
}

TEST(ANestedCallIsCancelledWithItsHandler)
{
    std::atomic<client *> nested{nullptr};
    check::signal begun, inner_over, outer_over;
    const serving here([&](server &at) {
        at.unary(special, [&](const Blob &, Blob &response) {
            ipc::rpc::canceller own; // one of its own beside the handler's
            const outcome result = nested.load()->try_call(inner, Blob(), response, ipc::deadline::never(), &own);
            CHECK_EQUAL(result.code, status::cancelled);
            outer_over.set();
        });
        at.unary(inner, [&](const Blob &, Blob &, call_context &context) {
            begun.set();
            while (!context.wait(10s)) {
            }
            inner_over.set();
        });
    });
    client caller("rpc"), own("rpc");
    nested = &own;
    ipc::rpc::canceller cancel;
    std::thread other([&] {
        begun.wait();
        cancel.trigger();
    });
    Blob response;
    CHECK_EQUAL(caller.try_call(special, Blob(), response, ipc::deadline::never(), &cancel).code, status::cancelled);
    other.join();
    outer_over.wait();
    inner_over.wait();
}

TEST(ProgressIsReportedFromSeveralThreads)
{
    constexpr ipc::rpc::progress_method<Blob, Blob, Blob> together{"tests.v1", "Together"};
    const serving here([&](ipc::rpc::server &at) {
        at.unary(together, [](const Blob &, Blob &, ipc::rpc::progress_writer<Blob> &progress) {
            std::vector<std::thread> threads;
            for (int thread = 0; thread < 2; ++thread)
                threads.emplace_back([&progress] {
                    for (int i = 0; i < 3000; ++i)
                        progress.report(blob(std::string(200, 'p')));
                });
            for (std::thread &each : threads)
                each.join();
        });
    });
    client caller("rpc");
    Blob response;
    const outcome result = caller.try_call(together, Blob(), response,
                                           [](const Blob &report) { CHECK_EQUAL(report.data().size(), 200u); });
    CHECK(result);
}

} // namespace rpc_extras_test
