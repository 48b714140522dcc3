// What an observer of calls is told, on both sides, and the trace context that it may put in a call's head.
#include <algorithm>
#include <mutex>
#include <optional>
#include <vector>

#include "rpc_serving.hpp"

namespace rpc_observer_test
{

using namespace std::chrono_literals;
using contract::Blob;
using ipc::rpc::call_context;
using ipc::rpc::call_info;
using ipc::rpc::client;
using ipc::rpc::client_options;
using ipc::rpc::outcome;
using ipc::rpc::server;
using ipc::rpc::server_options;
using ipc::rpc::status;

namespace
{

constexpr ipc::rpc::method<Blob, Blob> traced{"tests.v1", "Traced"};
constexpr ipc::rpc::method<Blob, Blob> outer{"tests.v1", "Outer"};

struct record : ipc::rpc::observer {
    struct line {
        std::string what;
        status code;
        std::chrono::nanoseconds took;
        uint64_t mark;
    };

    uint64_t started(const call_info &call, std::string &trace) noexcept override
    {
        const std::lock_guard held(mutex);
        begun.push_back(name_of(call));
        traces.push_back(trace);
        if (replacement)
            trace = *replacement;
        return begun.size();
    }

    void ended(const call_info &call, uint64_t mark, const outcome &result,
               std::chrono::nanoseconds took) noexcept override
    {
        const std::lock_guard held(mutex);
        lines.push_back({name_of(call), result.code, took, mark});
        changed.notify_all();
    }

    static std::string name_of(const call_info &call)
    {
        return (call.served ? "served " : "called ") + std::string(call.service) + "/" + std::string(call.name);
    }

    line wait_for(size_t number)
    {
        std::unique_lock held(mutex);
        CHECK(changed.wait_for(held, 60s, [&] { return lines.size() >= number; }));
        return lines[number - 1];
    }

    std::string trace_of(size_t number)
    {
        const std::lock_guard held(mutex);
        return traces.at(number);
    }

    void replace_by(const std::string &trace)
    {
        const std::lock_guard held(mutex);
        replacement = trace;
    }

    std::optional<std::string> replacement;
    std::mutex mutex;
    std::condition_variable changed;
    std::vector<std::string> begun, traces;
    std::vector<line> lines;
};

// What a handler has seen. The reply orders the two threads, but through memory that each side has mapped elsewhere:
// ThreadSanitizer sees the lock.
class sighting
{
  public:
    void operator=(std::string_view text)
    {
        const std::lock_guard held(mutex_);
        text_ = text;
    }

    operator std::string()
    {
        const std::lock_guard held(mutex_);
        return text_;
    }

  private:
    std::mutex mutex_;
    std::string text_ = "?";
};

client_options watched_by(std::shared_ptr<record> observer)
{
    client_options made;
    made.observer = std::move(observer);
    return made;
}

} // namespace

TEST(AnObserverOfAClientIsToldOfEachKindOfCallAndItsOutcome)
{
    const serving here;
    const auto seen = std::make_shared<record>();
    {
        client caller("rpc", watched_by(seen));
        caller.call(contract::echo, blob("x"), 60s);
        contract::FailRequest wrong;
        wrong.set_status(5);
        Blob none;
        CHECK(!caller.try_call(contract::fail, wrong, none));
        caller.notify(contract::note, blob("y"));
        caller.call_async(contract::echo, blob("z")).get();
        CHECK_EQUAL(seen->wait_for(4).what, "called tests.v1/Echo");
        {
            auto items = caller.stream(contract::count, counting(3));
            Blob item;
            while (items.next(item)) {
            }
        }
        auto left = caller.stream(contract::count, counting(1000000));
    }
    CHECK_EQUAL(seen->lines.size(), 6u);
    const char *const names[] = {"Echo", "Fail", "Note", "Echo", "Count", "Count"};
    const status codes[] = {status::ok, status::not_found, status::ok, status::ok, status::ok, status::cancelled};
    for (size_t i = 0; i < 6; ++i) {
        CHECK_EQUAL(seen->lines[i].what, std::string("called tests.v1/") + names[i]);
        CHECK(seen->lines[i].code == codes[i]);
        CHECK_EQUAL(seen->lines[i].mark, i + 1);
        CHECK(seen->lines[i].took > 0ns);
    }
}

TEST(AnObserverOfAServerIsToldWhatItsHandlersRunFor)
{
    const auto seen = std::make_shared<record>();
    server_options options;
    options.observer = seen;
    const serving here({}, options);
    client caller("rpc");
    caller.call(contract::echo, blob("x"), 60s);
    contract::FailRequest wrong;
    wrong.set_status(5);
    Blob none;
    CHECK(!caller.try_call(contract::fail, wrong, none));
    CHECK_EQUAL(seen->wait_for(1).what, "served tests.v1/Echo");
    CHECK(seen->wait_for(1).code == status::ok);
    CHECK_EQUAL(seen->wait_for(2).what, "served tests.v1/Fail");
    CHECK(seen->wait_for(2).code == status::not_found);
    {
        auto items = caller.stream(contract::count, counting(3));
        Blob item;
        while (items.next(item)) {
        }
    }
    CHECK_EQUAL(seen->wait_for(3).what, "served tests.v1/Count");
    const ipc::rpc::method<Blob, Blob> nowhere("tests.v1", "Nowhere");
    CHECK(!caller.try_call(nowhere, blob("?"), none));
    caller.call(contract::echo, blob("x"), 60s);
    CHECK_EQUAL(seen->wait_for(4).what, "served tests.v1/Echo"); // what no handler saw is not told
}

TEST(TheTraceContextOfAnObserverTravelsAndIsReplacedOnTheWay)
{
    const std::string mine(25, 'm'), clients(25, 'c'), servers(25, 's');
    const auto of_client = std::make_shared<record>(), of_server = std::make_shared<record>();
    of_client->replace_by(clients);
    of_server->replace_by(servers);
    server_options options;
    options.observer = of_server;
    sighting inside, further;
    const serving here(
        [&](server &at) {
            at.unary(traced, [&](const Blob &, Blob &, call_context &context) { further = context.trace(); });
            at.unary(outer, [&](const Blob &, Blob &, call_context &context) {
                inside = context.trace();
                client("rpc").call(traced, blob("x"), 60s); // a client without an observer passes on what it finds
            });
        },
        options);
    client caller("rpc", watched_by(of_client));
    ipc::rpc::call_options with;
    with.trace = mine;
    caller.call(outer, blob("x"), with);
    CHECK_EQUAL(of_client->trace_of(0), mine);
    CHECK_EQUAL(of_server->trace_of(0), clients); // Outer
    CHECK_EQUAL(std::string(inside), servers);
    CHECK_EQUAL(of_server->trace_of(1), servers); // Traced
    CHECK_EQUAL(std::string(further), servers);
}

TEST(ATraceContextThatIsNoneChangesNothing)
{
    const auto of_client = std::make_shared<record>(), of_server = std::make_shared<record>();
    server_options options;
    options.observer = of_server;
    sighting came;
    const serving here(
        [&](server &at) {
            at.unary(traced, [&](const Blob &, Blob &, call_context &context) { came = context.trace(); });
        },
        options);
    client caller("rpc", watched_by(of_client));
    ipc::rpc::call_options with;
    const std::string own(25, 'o');
    for (const char *const none : {"short", ""}) {
        of_client->replace_by(none);
        of_server->replace_by(none);
        with.trace = {};
        caller.call(traced, blob("x"), with);
        CHECK_EQUAL(std::string(came), "");
        with.trace = own;
        caller.call(traced, blob("x"), with);
        CHECK_EQUAL(std::string(came), own);
    }
    for (size_t call = 0; call < 4; ++call)
        CHECK_EQUAL(of_client->trace_of(call), call % 2 == 0 ? "" : own);
}

TEST(ACallThatCannotBeSentEndsForItsObserverToo)
{
    const auto seen = std::make_shared<record>();
    const serving here;
    client caller("rpc", watched_by(seen));
    caller.close();
    bool thrown = false;
    try {
        caller.call(contract::echo, blob("x"), 60s);
    } catch (const ipc::error &) {
        thrown = true;
    }
    CHECK(thrown);
    CHECK(seen->wait_for(1).code == status::cancelled);
}

} // namespace rpc_observer_test
