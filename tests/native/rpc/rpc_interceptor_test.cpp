// What stands around calls, on both sides: the order, who may end a call, and what becomes of what is thrown. The C#
// side has the same in ClientViewTests and HandlerTests.
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "rpc_serving.hpp"

namespace rpc_interceptor_test
{

using namespace std::chrono_literals;
using contract::Blob;
using ipc::rpc::call_context;
using ipc::rpc::call_info;
using ipc::rpc::client;
using ipc::rpc::client_interceptor;
using ipc::rpc::client_options;
using ipc::rpc::outcome;
using ipc::rpc::outgoing_call;
using ipc::rpc::server;
using ipc::rpc::server_interceptor;
using ipc::rpc::server_options;
using ipc::rpc::status;

namespace
{

constexpr ipc::rpc::method<Blob, Blob> work{"tests.v1", "Work"};
constexpr ipc::rpc::one_way_method<Blob> drop{"tests.v1", "Drop"};
constexpr ipc::rpc::stream_method<contract::CountRequest, Blob> flow{"tests.v1", "Flow"};

// What happened, in its order, and waiting for so much of it.
struct journal {
    void add(const std::string &line)
    {
        const std::lock_guard held(mutex);
        lines.push_back(line);
        changed.notify_all();
    }

    std::string wait_for(size_t count)
    {
        std::unique_lock held(mutex);
        CHECK(changed.wait_for(held, 60s, [&] { return lines.size() >= count; }));
        std::string all;
        for (const std::string &line : lines)
            all += (all.empty() ? "" : ", ") + line;
        return all;
    }

    std::mutex mutex;
    std::condition_variable changed;
    std::vector<std::string> lines;
};

struct doorman : server_interceptor {
    doorman(journal &into, std::string own) : lines(into), name(std::move(own))
    {
    }

    outcome starting(call_context &context, const call_info &call) override
    {
        lines.add(name + " starting " + std::string(call.name));
        if (context.metadata().find("stop-at-" + name) != nullptr)
            return {status::permission_denied, "not past " + name};
#ifndef IPC_NO_EXCEPTIONS
        if (context.metadata().find("throw-at-" + name) != nullptr)
            throw std::runtime_error(name + " fell over");
#endif
        return {};
    }

    std::optional<outcome> map(call_context &, const call_info &, const outcome &failed) override
    {
        lines.add(name + " maps " + ipc::rpc::name_of(failed.code));
        if (maps && failed.code == status::not_found)
            return outcome(status::unavailable, name + " says: " + failed.text);
        return std::nullopt;
    }

    void completed(call_context &, const call_info &call, const outcome &result) override
    {
        lines.add(name + " completed " + std::string(call.name) + " " + ipc::rpc::name_of(result.code));
#ifndef IPC_NO_EXCEPTIONS
        if (falls)
            throw std::runtime_error("after the call");
#endif
    }

    journal &lines;
    const std::string name;
    bool maps = false;
    bool falls = false;
};

struct guarded_server {
    explicit guarded_server(const std::function<void(doorman &)> &set = {})
    {
        auto a = std::make_shared<doorman>(lines, "a"), b = std::make_shared<doorman>(lines, "b");
        if (set)
            set(*b);
        server_options options;
        options.interceptors = {a, b};
        at.emplace(
            [this](server &serving) {
                serving.unary(work, [this](const Blob &request, Blob &response) -> outcome {
                    lines.add("handler");
                    if (request.data() == "missing")
                        return {status::not_found, "there is none"};
                    response = request;
                    return {};
                });
                serving.one_way(drop, [this](const Blob &) { lines.add("handler"); });
                serving.server_stream(flow,
                                      [this](const contract::CountRequest &, ipc::rpc::stream_writer<Blob> &items) {
                                          lines.add("handler");
                                          items.write(blob("1"));
                                      });
            },
            options);
    }

    journal lines;
    std::optional<serving> at;
};

outcome ask(client &at, const std::string &data, const std::string &key = {})
{
    ipc::rpc::metadata with;
    if (!key.empty())
        with.add(key, "1");
    ipc::rpc::call_options options;
    options.until = 60s;
    options.send = &with;
    Blob response;
    return at.try_call(work, blob(data), response, options);
}

} // namespace

TEST(TheFirstInterceptorOfAServerIsTheOutermost)
{
    guarded_server on;
    client at("rpc");
    CHECK(ask(at, "x"));
    CHECK_EQUAL(on.lines.wait_for(5),
                "a starting Work, b starting Work, handler, b completed Work Ok, a completed Work Ok");
}

TEST(WhoRefusesACallEndsItAndAllAreToldOfItsEnd)
{
    guarded_server on;
    client at("rpc");
    const outcome refused = ask(at, "x", "stop-at-a");
    CHECK_EQUAL(refused.code, status::permission_denied);
    CHECK_EQUAL(refused.text, "not past a");
    CHECK_EQUAL(on.lines.wait_for(5), "a starting Work, a maps PermissionDenied, b maps PermissionDenied, "
                                      "b completed Work PermissionDenied, a completed Work PermissionDenied");
}

TEST(WhatStartingThrowsIsTheOutcome)
{
    guarded_server on;
    client at("rpc");
    const outcome thrown = ask(at, "x", "throw-at-b");
    CHECK_EQUAL(thrown.code, status::unknown);
    CHECK_EQUAL(thrown.text, "b fell over");
    CHECK_EQUAL(on.lines.wait_for(6).find("handler"), std::string::npos);
}

TEST(AFailureOfAHandlerIsToldAsTheFirstWithAnOpinionSays)
{
    guarded_server on([](doorman &b) { b.maps = true; });
    client at("rpc");
    const outcome mapped = ask(at, "missing");
    CHECK_EQUAL(mapped.code, status::unavailable);
    CHECK_EQUAL(mapped.text, "b says: there is none");
    CHECK_EQUAL(on.lines.wait_for(7), "a starting Work, b starting Work, handler, a maps NotFound, b maps NotFound, "
                                      "b completed Work Unavailable, a completed Work Unavailable");
}

TEST(WhatCompletedThrowsGoesNoFurther)
{
    guarded_server on([](doorman &b) { b.falls = true; });
    client at("rpc");
    CHECK(ask(at, "x"));
    CHECK(on.lines.wait_for(5).find("a completed Work Ok") != std::string::npos);
    CHECK(ask(at, "y"));
}

TEST(OneWayCallsAndStreamsHaveTheirInterceptorsToo)
{
    guarded_server on;
    client at("rpc");
    at.notify(drop, blob("x"));
    CHECK_EQUAL(on.lines.wait_for(5),
                "a starting Drop, b starting Drop, handler, b completed Drop Ok, a completed Drop Ok");
    auto items = at.stream(flow, counting(1), 60s);
    Blob item;
    CHECK(items.next(item));
    CHECK(!items.next(item));
    CHECK(on.lines.wait_for(10).find(
              "a starting Flow, b starting Flow, handler, b completed Flow Ok, a completed Flow Ok") !=
          std::string::npos);
}

namespace
{

struct around : client_interceptor {
    around(journal &into, std::string own) : lines(into), name(std::move(own))
    {
    }

    outcome call(outgoing_call &call) override
    {
        lines.add(name + " calls " + std::string(call.name()));
        if (refuses)
            return {status::permission_denied, "not from here"};
        if (answers && call.response() != nullptr) {
            static_cast<Blob *>(call.response())->set_data("from a cache");
            return {};
        }
#ifndef IPC_NO_EXCEPTIONS
        if (throws)
            throw std::logic_error("an interceptor threw");
#endif
        sent.add("trail", name);
        call.options.send = &sent;
        outcome result = call.next();
        for (int i = 0; i < repeats && result.code == status::not_found; i++)
            result = call.next();
        lines.add(name + " has " + ipc::rpc::name_of(result.code));
        return result;
    }

    journal &lines;
    const std::string name;
    ipc::rpc::metadata sent;
    bool refuses = false;
    bool answers = false;
    bool throws = false;
    int repeats = 0;
};

client_options with(std::vector<std::shared_ptr<client_interceptor>> all)
{
    client_options options;
    options.interceptors = std::move(all);
    return options;
}

} // namespace

TEST(TheFirstInterceptorOfAClientIsTheOutermost)
{
    serving on([](server &at) {
        at.unary(work, [](const Blob &, Blob &response, call_context &context) {
            response.set_data(*context.metadata().find("trail"));
        });
    });
    journal lines;
    client at("rpc", with({std::make_shared<around>(lines, "a"), std::make_shared<around>(lines, "b")}));
    CHECK_EQUAL(at.call(work, blob("x"), 60s).data(), "b"); // the innermost had the last word about what is sent
    CHECK_EQUAL(lines.wait_for(4), "a calls Work, b calls Work, b has Ok, a has Ok");
}

TEST(AnInterceptorMayAnswerRefuseOrRepeat)
{
    guarded_server on;
    journal lines;
    auto a = std::make_shared<around>(lines, "a");
    client at("rpc", with({a}));
    a->repeats = 2;
    CHECK_EQUAL(ask(at, "missing").code, status::not_found);
    CHECK(on.lines.wait_for(3 * 7).find("handler") != std::string::npos);
    a->answers = true;
    CHECK_EQUAL(at.call(work, blob("x"), 60s).data(), "from a cache");
    a->refuses = true;
    CHECK_EQUAL(ask(at, "x").code, status::permission_denied);
    CHECK_EQUAL(at.try_notify(drop, blob("x")).code, status::permission_denied);
    std::optional<ipc::rpc::stream_reader<Blob>> items;
    CHECK_EQUAL(at.try_stream(flow, counting(1), items).code, status::permission_denied);
    CHECK(!items);
}

TEST(AnAsynchronousCallGoesThroughTheInterceptorsWhenItIsMade)
{
    guarded_server on;
    journal lines;
    auto a = std::make_shared<around>(lines, "a");
    client at("rpc", with({a}));
    Blob response;
    CHECK(at.call_async(work, blob("x")).try_get(response));
    CHECK_EQUAL(response.data(), "x");
    CHECK_EQUAL(lines.wait_for(2), "a calls Work, a has Ok");
    a->refuses = true;
    const outcome refused = at.call_async(work, blob("x")).try_get(response);
    CHECK_EQUAL(refused.code, status::permission_denied);
    CHECK_EQUAL(refused.at->method, "tests.v1/Work");
}

#ifndef IPC_NO_EXCEPTIONS
TEST(WhatAnInterceptorOfAClientThrowsComesOutOfTheCall)
{
    serving on;
    journal lines;
    auto a = std::make_shared<around>(lines, "a");
    client at("rpc", with({a}));
    a->throws = true;
    std::string thrown;
    try {
        (void)ask(at, "x");
    } catch (const std::logic_error &e) {
        thrown = e.what();
    }
    CHECK_EQUAL(thrown, std::string("an interceptor threw"));
    a->throws = false;
    CHECK(ask(at, "x").code == status::unimplemented);
}
#endif

// An error names what was called and who was called, wherever it came from.
TEST(AFailureSaysWhatWasCalledOfWhom)
{
    guarded_server on;
    client at("rpc");
    const std::string peer = "the server \"rpc\" (process " + std::to_string(at.server_pid()) + ")";
    const outcome failed = ask(at, "missing");
    CHECK(failed.at != nullptr);
    CHECK_EQUAL(failed.at->method, "tests.v1/Work");
    CHECK_EQUAL(failed.at->peer, peer);
    CHECK_EQUAL(failed.whole(), "NotFound of tests.v1/Work at " + peer + ": there is none");
    constexpr ipc::rpc::method<Blob, Blob> unknown{"tests.v1", "Unknown"};
    Blob response;
    const outcome missing = at.try_call(unknown, blob("x"), response);
    CHECK_EQUAL(missing.at->method, "tests.v1/Unknown");
    CHECK_EQUAL(missing.text.find("0x"), std::string::npos);
    try {
        at.call(unknown, blob("x"), 60s);
        CHECK(false);
    } catch (const ipc::rpc::error &thrown) {
        CHECK_EQUAL(thrown.method(), "tests.v1/Unknown");
        CHECK_EQUAL(thrown.peer(), peer);
        CHECK(std::string(thrown.what()).find("Unimplemented of tests.v1/Unknown at " + peer + ": ") == 0);
    }
    auto items = at.stream(flow, counting(1), 60s);
    items.cancel();
    Blob item;
    bool got = true;
    CHECK_EQUAL(items.try_next(item, got).at->method, "tests.v1/Flow");
}

} // namespace rpc_interceptor_test
