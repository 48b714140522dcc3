// tests.proto's methods, and the server that both the peer and the tests run.
#ifndef RPC_CONTRACT_HPP
#define RPC_CONTRACT_HPP

#include <algorithm>
#include <atomic>
#include <chrono>
#include <limits>
#include <memory>
#include <string>
#include <thread>

#include "ipc/rpc.hpp"
#include "tests.pb.h"

namespace contract
{

using namespace tests::v1;

constexpr ipc::rpc::method<Blob, Blob> echo{"tests.v1", "Echo"};
constexpr ipc::rpc::method<FailRequest, Blob> fail{"tests.v1", "Fail"};
constexpr ipc::rpc::method<SleepRequest, Blob> sleep{"tests.v1", "Sleep"};
constexpr ipc::rpc::stream_method<CountRequest, Blob> count{"tests.v1", "Count"};

// Fail, with a Blob of the text as a detail.
constexpr ipc::rpc::method<FailRequest, Blob> fail_with{"tests.v1", "FailWith"};
// Takes items until they end, or `count` of them when that is not 0; "<items> <bytes>". An item of 13 bytes fails it:
// out of range, "unlucky".
constexpr ipc::rpc::client_stream_method<CountRequest, Blob, Blob> collect{"tests.v1", "Collect"};
// Sends every item back, until they end, or `count` of them when that is not 0. Fails as Collect does.
constexpr ipc::rpc::duplex_method<CountRequest, Blob, Blob> mirror{"tests.v1", "Mirror"};
// Noted answers how many notes there were, in decimal.
constexpr ipc::rpc::one_way_method<Blob> note{"tests.v1", "Note"};
constexpr ipc::rpc::method<Blob, Blob> noted{"tests.v1", "Noted"};
// Progress "1", "2", ... `count`; then the response `count`.
constexpr ipc::rpc::progress_method<CountRequest, Blob, Blob> steps{"tests.v1", "Steps"};
// The request's metadata comes back as the answer's, its trace context as the response.
constexpr ipc::rpc::method<Blob, Blob> labels{"tests.v1", "Labels"};
// Calls Back `count` times with items of `size` bytes, checks what comes back, and answers `count`.
constexpr ipc::rpc::method<CountRequest, Blob> relay{"tests.v1", "Relay"};
// Reads Feed, a stream of the client's, to its end; answers how many items were right.
constexpr ipc::rpc::method<CountRequest, Blob> pull{"tests.v1", "Pull"};
// Milliseconds that the handler has left, in decimal.
constexpr ipc::rpc::method<Blob, Blob> remaining{"tests.v1", "Remaining"};

// What the server calls on its client. Back echoes, and calls the server's Echo before it does.
constexpr ipc::rpc::method<Blob, Blob> back{"tests.back.v1", "Back"};
constexpr ipc::rpc::stream_method<CountRequest, Blob> feed{"tests.back.v1", "Feed"};

// The largest size, count and wait that a request gets; fuzzers, which ask for anything, lower it.
inline int &most() noexcept
{
    static int value = std::numeric_limits<int>::max();
    return value;
}

// Byte i of item n is (n + i) & 0xff: both ends know it.
inline std::string pattern(int number, int size)
{
    size = std::max(0, std::min(size, most()));
    std::string bytes(static_cast<size_t>(size), '\0');
    for (int i = 0; i < size; ++i)
        bytes[static_cast<size_t>(i)] = static_cast<char>((number + i) & 0xff);
    return bytes;
}

inline void count_items(const CountRequest &request, ipc::rpc::stream_writer<Blob> &items)
{
    Blob item;
    for (int number = 0; number < request.count(); ++number) {
        item.set_data(pattern(number, request.size()));
        if (!items.write(item))
            return;
    }
}

inline void refuse_unlucky(const Blob &item)
{
    if (item.data().size() == 13)
        throw ipc::rpc::error(ipc::rpc::status::out_of_range, "unlucky");
}

inline void serve_streams(ipc::rpc::service &at)
{
    using namespace ipc::rpc;
    at.server_stream(count, count_items);
    at.client_stream(collect, [](const CountRequest &request, stream_input<Blob> &items, Blob &response) {
        int got = 0;
        size_t bytes = 0;
        Blob item;
        while ((request.count() == 0 || got < request.count()) && items.next(item)) {
            refuse_unlucky(item);
            ++got;
            bytes += item.data().size();
        }
        response.set_data(std::to_string(got) + " " + std::to_string(bytes));
    });
    at.duplex(mirror, [](const CountRequest &request, stream_input<Blob> &in, stream_writer<Blob> &out) {
        int got = 0;
        Blob item;
        while ((request.count() == 0 || got < request.count()) && in.next(item)) {
            refuse_unlucky(item);
            ++got;
            if (!out.write(item))
                return;
        }
    });
}

inline void serve_callbacks(ipc::rpc::service &at)
{
    using namespace ipc::rpc;
    at.unary(relay, [](const CountRequest &request, Blob &response, call_context &context) {
        caller client = context.caller();
        Blob given, got;
        for (int number = 0; number < request.count(); ++number) {
            given.set_data(pattern(number, request.size()));
            if (const outcome result = client.try_call(back, given, got); !result)
                throw error(result);
            if (got.data() != given.data())
                throw error(status::data_loss, "callback " + std::to_string(number) + " brought something else");
        }
        response.set_data(std::to_string(request.count()));
    });
    at.unary(pull, [](const CountRequest &request, Blob &response, call_context &context) {
        auto items = context.caller().stream(feed, request);
        int right = 0;
        for (Blob item; items.next(item);)
            right += item.data() == pattern(right, request.size());
        response.set_data(std::to_string(right));
    });
}

inline void serve(ipc::rpc::service &at)
{
    using namespace ipc::rpc;
    at.unary(echo, [](const Blob &request, Blob &response) { response.set_data(request.data()); });
    at.unary(fail, [](const FailRequest &request, Blob &) {
        return outcome(static_cast<status>(request.status()), request.text());
    });
    at.unary(fail_with, [](const FailRequest &request, Blob &) {
        Blob detail;
        detail.set_data(request.text());
        return outcome(static_cast<status>(request.status()), request.text()).with(detail);
    });
    at.unary(sleep, [](const SleepRequest &request, Blob &, call_context &context) {
        const ipc::deadline longest = std::chrono::milliseconds(most());
        while (request.past_deadline() && !context.until().has_passed() && !longest.has_passed())
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        if (context.wait(std::chrono::milliseconds(std::min(request.ms(), most()))))
            throw error(status::cancelled, "woken before the time");
    });
    const auto notes = std::make_shared<std::atomic<int>>(0);
    at.one_way(note, [notes](const Blob &) { ++*notes; });
    at.unary(noted, [notes](const Blob &, Blob &response) { response.set_data(std::to_string(notes->load())); });
    at.unary(steps, [](const CountRequest &request, Blob &response, progress_writer<Blob> &progress) {
        for (int step = 1; step <= std::min(request.count(), most()); ++step) {
            response.set_data(std::to_string(step));
            progress.report(response);
        }
    });
    at.unary(labels, [](const Blob &, Blob &response, call_context &context) {
        for (const auto &[key, value] : context.metadata())
            context.answer_metadata().add(key, value);
        response.set_data(std::string(context.trace()));
    });
    at.unary(remaining, [](const Blob &, Blob &response, call_context &context) {
        response.set_data(std::to_string(context.until().remaining() / 1'000'000));
    });
    serve_streams(at);
    serve_callbacks(at);
}

// What a client offers to a server that serves the above.
inline std::shared_ptr<ipc::rpc::service> callbacks()
{
    using namespace ipc::rpc;
    auto made = std::make_shared<service>();
    made->unary(back, [](const Blob &request, Blob &response, call_context &context) {
        response = context.caller().call(echo, request);
    });
    made->server_stream(feed, count_items);
    return made;
}

} // namespace contract
#endif
