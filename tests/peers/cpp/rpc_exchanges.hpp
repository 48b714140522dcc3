// Calls in each shape whose answers are checked, over any way to a server: what rpc_peer and amqp_peer have in common.
// Each returns 0, or 1 after it has printed what was wrong.
#ifndef RPC_EXCHANGES_HPP
#define RPC_EXCHANGES_HPP

#include <cstdio>
#include <string>
#include <thread>

#include "rpc_contract.hpp"

namespace exchanges
{

using namespace std::chrono_literals;
using ipc::rpc::status;

inline int wrong(const std::string &what)
{
    std::printf("wrong: %s\n", what.c_str());
    return 1;
}

template <class Result> int unequal(const char *what, const Result &got, const Result &expected)
{
    return wrong(std::string(what) + ": got \"" + got + "\", expected \"" + expected + "\"");
}

inline contract::CountRequest counting(int count, int size = 0)
{
    contract::CountRequest made;
    made.set_count(count);
    made.set_size(size);
    return made;
}

inline contract::Blob blob(const std::string &data)
{
    contract::Blob made;
    made.set_data(data);
    return made;
}

// COUNT echoes of growing size, each error status, a deadline, a stream.
inline int call(ipc::rpc::caller &client, int count)
{
    contract::Blob request, response;
    for (int i = 0; i < count; ++i) {
        request.set_data(contract::pattern(i, i % 3000));
        if (const auto result = client.try_call(contract::echo, request, response, 10s); !result)
            throw ipc::rpc::error(result);
        if (response.data() != request.data())
            return wrong("echo " + std::to_string(i));
    }
    for (int code = 1; code <= 16; ++code) {
        contract::FailRequest fail;
        fail.set_status(code);
        fail.set_text("status \xC3\xA4 " + std::to_string(code));
        const auto result = client.try_call(contract::fail, fail, response, 10s);
        if (static_cast<int>(result.code) != code || result.text != fail.text())
            return wrong("status " + std::to_string(code) + " came as " + name_of(result.code) + " " + result.text);
    }
    contract::SleepRequest sleep;
    sleep.set_ms(60'000);
    if (client.try_call(contract::sleep, sleep, response, 20ms).code != status::deadline_exceeded)
        return wrong("a sleep of a minute did not meet its deadline of 20 ms");

    contract::CountRequest counting;
    counting.set_count(1000);
    counting.set_size(100);
    auto items = client.stream(contract::count, counting, 10s);
    int number = 0;
    for (; items.next(response); ++number)
        if (response.data() != contract::pattern(number, 100))
            return wrong("item " + std::to_string(number));
    return number == 1000 ? 0 : wrong(std::to_string(number) + " items of 1000");
}

// Two echoes of SIZE bytes and a stream of three such items.
inline int longer(ipc::rpc::caller &client, int size)
{
    contract::Blob request, response;
    for (int i = 0; i < 2; ++i) {
        request.set_data(contract::pattern(i, size));
        if (const auto result = client.try_call(contract::echo, request, response, 60s); !result)
            throw ipc::rpc::error(result);
        if (response.data() != request.data())
            return wrong("long echo " + std::to_string(i));
    }
    contract::CountRequest counting;
    counting.set_count(3);
    counting.set_size(size);
    auto items = client.stream(contract::count, counting);
    int number = 0;
    for (contract::Blob item; items.next(item); ++number) {
        if (item.data() != contract::pattern(number, size))
            return wrong("long item " + std::to_string(number));
    }
    return number == 3 ? 0 : wrong(std::to_string(number) + " long items of 3");
}

inline int collect(ipc::rpc::caller &client, int count)
{
    const std::string all = std::to_string(count) + " " + std::to_string(count * 20);
    auto whole = client.client_stream(contract::collect, counting(0));
    for (int i = 0; i < count; ++i)
        if (!whole.write(blob(contract::pattern(i, 20))))
            return wrong("Collect ended at item " + std::to_string(i));
    if (const std::string got = whole.finish().data(); got != all)
        return unequal("Collect", got, all);

    auto early = client.client_stream(contract::collect, counting(3));
    while (early.write(blob("12345"))) { // until the response is here
    }
    if (const std::string got = early.finish().data(); got != "3 15")
        return unequal("Collect of three", got, std::string("3 15"));

    auto failing = client.client_stream(contract::collect, counting(0));
    failing.write(blob("good"));
    failing.write(blob("thirteen char"));
    contract::Blob none;
    const auto result = failing.try_finish(none);
    if (result.code != status::out_of_range || result.text != "unlucky")
        return wrong(std::string("Collect of 13 bytes: ") + name_of(result.code) + " " + result.text);
    return 0;
}

inline int mirror(ipc::rpc::caller &client, int count)
{
    auto whole = client.duplex(contract::mirror, counting(0));
    std::thread writer([&] {
        for (int i = 0; i < count && whole.write(blob(contract::pattern(i, 30))); ++i) {
        }
        whole.writes_done();
    });
    int number = 0;
    bool right = true;
    contract::Blob item;
    for (; whole.next(item); ++number)
        right = right && item.data() == contract::pattern(number, 30);
    writer.join();
    if (number != count || !right)
        return wrong("Mirror: " + std::to_string(number) + " items, " + (right ? "all right" : "some wrong"));

    auto early = client.duplex(contract::mirror, counting(3));
    while (early.write(blob("again"))) {
    }
    for (number = 0; early.next(item); ++number) {
    }
    if (number != 3)
        return wrong("Mirror of three: " + std::to_string(number) + " items");

    auto failing = client.duplex(contract::mirror, counting(0));
    failing.write(blob("good"));
    failing.write(blob("thirteen char"));
    bool got = false;
    if (!failing.try_next(item, got) || !got)
        return wrong("Mirror lost the item before the error");
    const auto result = failing.try_next(item, got);
    if (got || result.code != status::out_of_range || result.text != "unlucky")
        return wrong(std::string("Mirror of 13 bytes: ") + name_of(result.code) + " " + result.text);

    {
        auto dropped = client.duplex(contract::mirror, counting(0));
        dropped.write(blob("good"));
        dropped.next(item);
    }
    return 0;
}

// Client streams and duplex streams of COUNT items: to their end, ended early, failed in the middle, cancelled.
inline int streams(ipc::rpc::caller &client, int count)
{
    if (const int code = collect(client, count); code != 0)
        return code;
    if (const int code = mirror(client, count); code != 0)
        return code;
    return client.call(contract::echo, blob("still"), 10s).data() == "still" ? 0 : wrong("the echo afterwards");
}

// Metadata, both ways, and trace context if it is HANDED_ON: a server in C# at a broker has its own span between, if
// any.
inline int exchange_labels(ipc::rpc::caller &client, bool handed_on)
{
    ipc::rpc::metadata sent, received;
    sent.add("x-text", "\xC3\xA4");
    sent.add("x-bytes-bin", std::string("\0\xFF", 2));
    sent.add("x-text", "again");
    ipc::rpc::call_options options;
    options.send = &sent;
    options.received = &received;
    const std::string trace = contract::pattern(7, 24) + "\1"; // recorded
    options.trace = trace;
    if (client.call(contract::labels, contract::Blob(), options).data() != trace && handed_on)
        return wrong("the trace context");
    if (received.size() != 3)
        return wrong(std::to_string(received.size()) + " labels of 3");
    const std::string *bytes = received.find("x-bytes-bin");
    return bytes != nullptr && *bytes == std::string("\0\xFF", 2) ? 0 : wrong("x-bytes-bin");
}

// One-way calls; TOLD: progress, which a broker has no way for; metadata, error details, methods that are not there.
inline int extras(ipc::rpc::caller &client, bool told, bool handed_on)
{
    const int before = std::stoi(client.call(contract::noted, contract::Blob(), 10s).data());
    for (int i = 0; i < 100; ++i)
        client.notify(contract::note, blob("note"));
    // Nobody waits for a note: one that is held up may be counted after the question.
    const ipc::deadline patience = 30s;
    const std::string expected = std::to_string(before + 100);
    std::string noted;
    while (noted != expected && !patience.has_passed())
        noted = client.call(contract::noted, contract::Blob(), 10s).data();
    if (noted != expected)
        return unequal("Noted", noted, expected);

    // Reports that find no room, or another thread sending, are left out for newer ones and for the answer: all of
    // them, if that thread does not run.
    int last = 0;
    bool growing = true;
    contract::Blob response;
    while (told && last == 0 && !patience.has_passed()) {
        const auto stepped = client.try_call(contract::steps, counting(50), response, [&](const contract::Blob &step) {
            const int now = std::stoi(step.data());
            growing = growing && now > last;
            last = now;
        });
        if (!stepped || response.data() != "50" || !growing)
            return wrong("Steps: " + stepped.text + " last " + std::to_string(last) + ", " + response.data());
    }
    if (told && last == 0)
        return wrong("no call of Steps was told a step");

    if (const int code = exchange_labels(client, handed_on); code != 0)
        return code;

    contract::FailRequest fail;
    fail.set_status(9);
    fail.set_text("in detail");
    const auto failed = client.try_call(contract::fail_with, fail, response, 10s);
    contract::Blob detail;
    if (failed.code != status::failed_precondition || failed.details.size() != 1 ||
        !failed.details[0].try_read(detail) || detail.data() != "in detail")
        return wrong(std::string("FailWith: ") + name_of(failed.code) + " " + std::to_string(failed.details.size()));

    const std::string left = client.call(contract::remaining, contract::Blob(), 50s).data();
    if (left.size() != 5 || left < "20000" || left > "50000")
        return wrong("of 50 s the handler has " + left + " ms");

    const ipc::rpc::method<contract::Blob, contract::Blob> missing("tests.v2", "Echo");
    const auto unknown = client.try_call(missing, contract::Blob(), response, 10s);
    if (unknown.code != status::unimplemented || unknown.text.find("tests.v1") == std::string::npos)
        return wrong(std::string("an unknown method: ") + name_of(unknown.code) + " " + unknown.text);
    const ipc::rpc::method<contract::CountRequest, contract::Blob> as_unary("tests.v1", "Collect");
    const auto other = client.try_call(as_unary, counting(1), response, 10s);
    return other.code == status::unimplemented ? 0 : wrong(std::string("another kind: ") + name_of(other.code));
}

} // namespace exchanges
#endif
