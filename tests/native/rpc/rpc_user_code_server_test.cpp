// Where a server runs its user's code: docs/guide/user-code.md, "C++ server". What may be done there, and what becomes
// of what is thrown.
#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "rpc_serving.hpp"

namespace rpc_user_code_server_test
{

using namespace std::chrono_literals;
using contract::Blob;
using ipc::rpc::call_context;
using ipc::rpc::call_info;
using ipc::rpc::client;
using ipc::rpc::client_options;
using ipc::rpc::dispatch;
using ipc::rpc::outcome;
using ipc::rpc::progress_writer;
using ipc::rpc::server;
using ipc::rpc::server_options;
using ipc::rpc::status;
using ipc::rpc::stream_input;
using ipc::rpc::stream_writer;

namespace
{

constexpr ipc::rpc::method<Blob, Blob> unary{"tests.v1", "Unary"};
constexpr ipc::rpc::method<Blob, Blob> placed{"tests.v1", "Placed"};
constexpr ipc::rpc::method<Blob, Blob> kept{"tests.v1", "Kept"};
constexpr ipc::rpc::one_way_method<Blob> one_way{"tests.v1", "OneWay"};
constexpr ipc::rpc::progress_method<Blob, Blob, Blob> progress{"tests.v1", "Progress"};
constexpr ipc::rpc::stream_method<Blob, Blob> down{"tests.v1", "DownStream"};
constexpr ipc::rpc::client_stream_method<Blob, Blob, Blob> up{"tests.v1", "UpStream"};
constexpr ipc::rpc::duplex_method<Blob, Blob, Blob> both{"tests.v1", "Both"};

// The same code behind a handler of every kind.
using code = std::function<void(call_context &)>;

void offer(server &at, const code &run)
{
    at.unary(unary, [run](const Blob &, Blob &, call_context &context) { run(context); });
    at.unary(
        placed, [run](const Blob &, Blob &, call_context &context) { run(context); }, dispatch::in_place);
    at.unary(kept, [run](const Blob &, call_context &context) {
        run(context);
        return std::make_shared<const Blob>();
    });
    at.one_way(one_way, [run](const Blob &, call_context &context) { run(context); });
    at.unary(progress,
             [run](const Blob &, Blob &, progress_writer<Blob> &, call_context &context) { run(context); });
    at.server_stream(down, [run](const Blob &, stream_writer<Blob> &, call_context &context) { run(context); });
    at.client_stream(up, [run](const Blob &, stream_input<Blob> &, Blob &, call_context &context) { run(context); });
    at.duplex(both,
              [run](const Blob &, stream_input<Blob> &, stream_writer<Blob> &, call_context &context) { run(context); });
}

// Calls each once: how it ended.
std::vector<outcome> call_each(client &caller)
{
    std::vector<outcome> all;
    Blob response;
    bool got = false;
    all.push_back(caller.try_call(unary, Blob(), response));
    all.push_back(caller.try_call(placed, Blob(), response));
    all.push_back(caller.try_call(kept, Blob(), response));
    all.push_back(caller.try_call(progress, Blob(), response, [](const Blob &) {}));
    std::optional<ipc::rpc::stream_reader<Blob>> items;
    all.push_back(caller.try_stream(down, Blob(), items));
    if (items)
        all.back() = items->try_next(response, got);
    std::optional<ipc::rpc::client_stream_call<Blob, Blob>> upload;
    all.push_back(caller.try_client_stream(up, Blob(), upload));
    if (upload)
        all.back() = upload->try_finish(response);
    std::optional<ipc::rpc::duplex_call<Blob, Blob>> pair;
    all.push_back(caller.try_duplex(both, Blob(), pair));
    if (pair)
        all.back() = pair->try_next(response, got);
    return all;
}

client_options offering()
{
    client_options options;
    options.services = contract::callbacks();
    return options;
}

struct wordless : std::exception {
    const char *what() const noexcept override
    {
        return nullptr;
    }
};

// Does what it is told to, at every call.
struct doing : ipc::rpc::observer {
    std::function<void(const call_info &)> at_start, at_end;

    uint64_t started(const call_info &call, std::string &) noexcept override
    {
        if (at_start)
            at_start(call);
        return 0;
    }

    void ended(const call_info &call, uint64_t, const outcome &, std::chrono::nanoseconds) noexcept override
    {
        if (at_end)
            at_end(call);
    }
};

} // namespace

// ---- handlers
// ----------------------------------------------------------------------------------------------------------------

TEST(WhateverAHandlerThrowsReachesItsCallerAndNobodyElse)
{
    static const std::vector<std::pair<std::function<void()>, outcome>> cases = {
        {[] { throw ipc::rpc::error(status::not_found, "none"); }, {status::not_found, "none"}},
        {[] { throw std::runtime_error("broken"); }, {status::unknown, "broken"}},
        {[] { throw wordless(); }, {status::unknown, "the peer gave no reason"}},
        {[] { throw 7; }, {status::unknown, "the handler threw something that is not a std::exception"}},
    };
    for (const auto &each : cases) {
        check::signal ran;
        const serving here([&](server &at) {
            offer(at, [&](call_context &context) {
                if (context.one_way())
                    ran.set();
                each.first();
            });
        });
        client caller("rpc");
        for (const outcome &ended : call_each(caller)) {
            CHECK_EQUAL(ended.code, each.second.code);
            CHECK_EQUAL(ended.text, each.second.text);
        }
        caller.notify(one_way, Blob());
        ran.wait();
        CHECK_EQUAL(caller.call(contract::echo, blob("still")).data(), "still");
    }
}

TEST(AHandlerMayCallItsClientAndOtherServers)
{
    server elsewhere("elsewhere");
    contract::serve(elsewhere);
    elsewhere.start();
    check::signal ran;
    std::atomic<int> refused{0};
    const serving here([&](server &at) {
        offer(at, [&](call_context &context) {
            client other("elsewhere");
            CHECK_EQUAL(other.call(contract::echo, blob("other")).data(), "other");
            Blob response;
            const outcome result = context.caller().try_call(contract::back, blob("back"), response);
            refused += result.code == status::failed_precondition; // in place, which may not wait for its client
            if (result)
                CHECK_EQUAL(response.data(), "back");
            if (context.one_way())
                ran.set();
        });
    });
    client caller("rpc", offering());
    for (const outcome &ended : call_each(caller))
        CHECK_EQUAL(ended.text, "");
    CHECK_EQUAL(refused.load(), 1);
    caller.notify(one_way, Blob());
    ran.wait();
    CHECK_EQUAL(refused.load(), 1);
}

TEST(NoLockIsHeldWhileAHandlerRuns)
{
    // Another thread calls over the same connection meanwhile. In place it would have to wait: another connection would,
    // too.
    std::atomic<client *> same{nullptr};
    const serving here([&](server &at) {
        at.unary(unary, [&](const Blob &, Blob &response) { response = same.load()->call(contract::echo, blob("on")); });
        at.server_stream(down, [&](const Blob &, stream_writer<Blob> &items) {
            items.write(same.load()->call(contract::echo, blob("on")));
        });
    });
    client caller("rpc");
    same = &caller;
    CHECK_EQUAL(caller.call(unary, Blob()).data(), "on");
    auto items = caller.stream(down, Blob());
    Blob got;
    CHECK(items.next(got));
    CHECK_EQUAL(got.data(), "on");
}

TEST(AHandlerOfAnyKindMayStopItsServer)
{
    for (int kind = 0; kind < 7; ++kind) {
        std::optional<serving> here;
        std::atomic<int> cancelled{0};
        here.emplace([&](server &at) {
            offer(at, [&](call_context &context) {
                here->at.stop();
                cancelled += context.cancelled();
            });
        });
        client_options once;
        once.auto_reconnect = false;
        client caller("rpc", once);
        Blob response;
        bool got = false;
        outcome ended;
        switch (kind) {
        case 0:
            ended = caller.try_call(unary, Blob(), response);
            break;
        case 1:
            ended = caller.try_call(placed, Blob(), response);
            break;
        case 2:
            ended = caller.try_call(kept, Blob(), response);
            break;
        case 3:
            ended = caller.try_call(progress, Blob(), response, [](const Blob &) {});
            break;
        case 4:
            ended = caller.stream(down, Blob()).try_next(response, got);
            break;
        case 5:
            ended = caller.client_stream(up, Blob()).try_finish(response);
            break;
        default:
            ended = caller.duplex(both, Blob()).try_next(response, got);
            break;
        }
        CHECK_EQUAL(ended.code, status::unavailable);
        here->at.stop(); // waits
        CHECK_EQUAL(cancelled.load(), kind == 1 ? 0 : 1); // in place: nobody could tell it
    }
}

// ---- what else the server runs
// -----------------------------------------------------------------------------------------------

TEST(WhatRefuseThrowsIsTheReason)
{
    for (const bool is_std : {true, false}) {
        server_options options;
        options.refuse = [&](const ipc::rpc::client_info &who) -> std::string {
            if (who.hello.empty())
                return "";
            if (is_std)
                throw std::runtime_error("not you");
            throw 7;
        };
        const serving here({}, options);
        client_options with;
        with.hello = "me";
        std::optional<client> made;
        const outcome refused = client::try_connect("rpc", with, made);
        CHECK_EQUAL(refused.code, status::unauthenticated);
        CHECK(refused.text.find(is_std ? "not you" : "something that is not") != std::string::npos);
        client welcome("rpc");
        CHECK_EQUAL(welcome.call(contract::echo, blob("on")).data(), "on");
    }
}

TEST(RefuseMayCallOtherServersAndStopItsOwn)
{
    server elsewhere("elsewhere");
    contract::serve(elsewhere);
    elsewhere.start();
    std::optional<serving> here;
    check::signal asked;
    server_options options;
    options.refuse = [&](const ipc::rpc::client_info &who) {
        client other("elsewhere");
        const std::string answer = other.call(contract::echo, blob(std::string(who.hello))).data();
        if (answer == "stop") {
            here->at.stop();
            asked.set();
        }
        return std::string();
    };
    here.emplace(nullptr, options);
    client first("rpc");
    client_options with;
    with.hello = "stop";
    std::optional<client> made;
    CHECK(!client::try_connect("rpc", with, made));
    asked.wait();
    here->at.stop();
    Blob response;
    CHECK_EQUAL(first.try_call(contract::echo, Blob(), response, 50ms).code, status::deadline_exceeded);
}

TEST(AnObserverIsToldOnTheHandlersThreadAndMayStopTheServer)
{
    std::optional<serving> here;
    std::atomic<std::thread::id> told{}, ran{}, ended{};
    const auto watching = std::make_shared<doing>();
    watching->at_start = [&](const call_info &) { told = std::this_thread::get_id(); };
    watching->at_end = [&](const call_info &) {
        ended = std::this_thread::get_id();
        here->at.stop();
    };
    server_options options;
    options.observer = watching;
    here.emplace(
        [&](server &at) { at.unary(unary, [&](const Blob &, Blob &) { ran = std::this_thread::get_id(); }); }, options);
    client caller("rpc");
    Blob response;
    CHECK_EQUAL(caller.try_call(unary, Blob(), response, 60s).code, status::unavailable);
    here->at.stop();
    CHECK(told.load() == ran.load());
    CHECK(ended.load() == ran.load());
}

TEST(ASharedResponseIsLetGoWithoutAnyLock)
{
    std::optional<serving> here;
    check::signal gone;
    here.emplace([&](server &at) {
        at.unary(kept, [&](const Blob &) {
            return std::shared_ptr<const Blob>(new Blob(blob("kept")), [&](const Blob *value) {
                delete value;
                here->at.stop(); // whatever it does: this needs every lock that there is
                gone.set();
            });
        });
    });
    client caller("rpc");
    CHECK_EQUAL(caller.call(kept, Blob()).data(), "kept");
    gone.wait();
}

TEST(HandlersAreDestroyedByWhoDestroysTheServerAfterAllHaveReturned)
{
    std::atomic<std::thread::id> by{};
    std::atomic<bool> running{false}, early{false};
    struct on_end {
        std::function<void()> run;
        ~on_end()
        {
            run();
        }
    };
    check::signal begun;
    auto here = std::make_unique<serving>([&](server &at) {
        const auto last = std::make_shared<on_end>(on_end{[&] {
            by = std::this_thread::get_id();
            early = running.load();
        }});
        at.unary(unary, [&, last](const Blob &, Blob &, call_context &context) {
            running = true;
            begun.set();
            context.wait(ipc::deadline::never());
            running = false;
        });
    });
    by = std::thread::id();
    client caller("rpc");
    auto call = caller.call_async(unary, Blob());
    begun.wait();
    here.reset();
    CHECK(by.load() == std::this_thread::get_id());
    CHECK(!early);
}

} // namespace rpc_user_code_server_test
