// The server does not read, and its client's ring is full: who waits for room, when it is found, and that nothing else
// waits for it.
#include <chrono>
#include <cstdint>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <sys/resource.h>

#include "rpc_raw_server.hpp"

namespace rpc_room_test
{

using namespace std::chrono_literals;
using contract::Blob;
using ipc::rpc::call_options;
using ipc::rpc::canceller;
using ipc::rpc::client_options;
using ipc::rpc::frame_header;
using ipc::rpc::frame_kind;
using ipc::rpc::outcome;
using ipc::rpc::service;
using ipc::rpc::status;
using ipc::rpc::detail::room_looks;

namespace
{

constexpr ipc::rpc::client_stream_method<Blob, Blob, Blob> gather{"tests.v1", "Gather"};
constexpr ipc::rpc::progress_method<Blob, Blob, Blob> advance{"tests.back.v1", "Advance"};
constexpr auto most = 10s;          // nothing in here takes so long, unless it is never done
constexpr auto patience = 2 * most; // when a thread looks whatever it was told
constexpr auto a_moment = 50ms;

uint64_t now()
{
    return ipc_deadline_after(1);
}

// While it lives who has looked for room once in vain looks again in an hour.
class rare_looks
{
  public:
    rare_looks()
    {
        room_looks::busy = 1;
        room_looks::longest = std::chrono::nanoseconds(1h).count();
    }

    ~rare_looks()
    {
        end();
    }

    void end() noexcept
    {
        room_looks::busy = busy_;
        room_looks::longest = longest_;
    }

  private:
    const uint64_t busy_ = room_looks::busy, longest_ = room_looks::longest;
};

// The result of what another thread does. Nothing waits for it for ever.
template <class Work> auto begun(Work work)
{
    return std::async(std::launch::async, std::move(work));
}

template <class Result> Result end_of(std::future<Result> &work)
{
    CHECK(work.wait_for(most) == std::future_status::ready);
    return work.get();
}

class unread_server : public raw_server
{
  public:
    using raw_server::raw_server;

    outcome note(ipc::deadline until, const std::string &data = std::string(10'000, 'x'))
    {
        call_options options;
        options.until = until;
        return caller->try_notify(contract::note, blob(data), options);
    }

    // Until there is no room, and was none when it was looked for again.
    void fill_up()
    {
        outcome ended;
        do
            ended = note(100ms);
        while (ended);
        CHECK_EQUAL(ended.code, status::deadline_exceeded);
    }

    // No room for the smallest frame either.
    void fill_to_the_brim()
    {
        fill_up();
        while (note(1ms, ""))
            continue;
    }

    // Threads that wait for room, the first of them where it would read what came.
    std::vector<std::future<outcome>> waiting(int threads)
    {
        std::vector<std::future<outcome>> all;
        for (int i = 0; i < threads; ++i)
            all.push_back(begun([this] { return note(patience); }));
        std::this_thread::sleep_for(a_moment);
        return all;
    }
};

void all_well(std::vector<std::future<outcome>> &all)
{
    for (auto &each : all)
        CHECK_EQUAL(end_of(each).text, "");
}

// How often a thread of this process has gone to sleep.
long sleeps()
{
    rusage usage{};
    CHECK_EQUAL(getrusage(RUSAGE_SELF, &usage), 0);
    return usage.ru_nvcsw;
}

// In half a second of looks that are ever less frequent from the fifth millisecond on a thread sleeps some forty times;
// it was once in a millisecond.
constexpr auto a_while = 500ms;
constexpr long most_sleeps = 150;

class soon_less_often
{
  public:
    soon_less_often()
    {
        room_looks::busy = 1'000'000;
    }

    ~soon_less_often()
    {
        room_looks::busy = before_;
    }

  private:
    const uint64_t before_ = room_looks::busy;
};

} // namespace

TEST(APauseIsThePartOfTheTimeWithoutRoomThatIsPromised)
{
    room_looks looks;
    const uint64_t begin = now();
    uint64_t passed = 0;
    while (passed < 100'000'000) {
        const uint64_t at = looks.next(ipc::deadline::never()).at(), after = now();
        passed = after - begin; // at least what it knows of
        CHECK(at <= after + std::max<uint64_t>(1'000'000, passed / 50));
        std::this_thread::sleep_until(std::chrono::steady_clock::time_point(std::chrono::nanoseconds(at)));
    }
    CHECK(looks.is_long());
    std::this_thread::sleep_for(900ms);
    const uint64_t before = now(), at = looks.next(ipc::deadline::never()).at();
    CHECK(at >= before + 16'000'000);
    CHECK(at <= now() + 16'000'000);
    CHECK_EQUAL(looks.next(ipc::deadline(at - 1)).at(), at - 1);
    CHECK_EQUAL(looks.next(ipc::deadline::never()).at(), at); // for all who wait
    CHECK(looks.had_room());
    CHECK(!looks.had_room());
    CHECK(looks.next(ipc::deadline::never()).at() <= now() + 1'000'000);
    CHECK(!looks.is_long());
    CHECK(!looks.is_back());
}

TEST(WhoWaitsForRoomLooksEverLessOften)
{
    const soon_less_often quick;
    unread_server server;
    server.fill_up();
    for (const bool beside : {false, true}) { // one of two reads meanwhile, the other sleeps
        std::thread other;
        if (beside)
            other = std::thread([&] { (void)server.note(a_while); });
        const long before = sleeps();
        CHECK_EQUAL(server.note(a_while).code, status::deadline_exceeded);
        const long slept = sleeps() - before;
        if (beside)
            other.join();
        CHECK(slept < most_sleeps);
    }
}

TEST(WhatIsQueuedForAFullRingIsLookedAtEverLessOften)
{
    const soon_less_often quick;
    unread_server server;
    std::atomic<int> left{200};
    for (int i = left; i != 0; --i)
        server.caller->call_async(contract::echo, blob(std::string(10'000, 'x')),
                                  [&](const outcome &, Blob &) { --left; });
    long before = sleeps();
    std::this_thread::sleep_for(a_while);
    CHECK(sleeps() - before < most_sleeps);
    before = sleeps();
    ipc::rpc::pending_call<Blob> last = server.caller->call_async(contract::echo, Blob(), a_while);
    Blob response;
    const outcome ended = last.try_get(response); // who waits for it reads for itself
    CHECK_EQUAL(ended.code, status::deadline_exceeded);
    CHECK(ended.unsent);
    CHECK(sleeps() - before < most_sleeps);
    // It reads again, and finds them all.
    for (int i = 0; i < 200; ++i)
        server.answer_one();
    while (left != 0) // the watchdog
        std::this_thread::yield();
}

TEST(WhoFindsRoomTellsTheOthersWhoWaitForIt)
{
    for (const int threads : {1, 3}) {
        unread_server server;
        rare_looks rare;
        server.fill_up();
        auto waiting = server.waiting(threads);
        server.drain();
        CHECK_EQUAL(server.note(most, "small").text, "");
        all_well(waiting);
        // The next who find none look soon again, and not when those would have.
        rare.end();
        server.fill_up();
        waiting = server.waiting(threads);
        server.drain();
        all_well(waiting);
    }
}

TEST(ACancellationThatFindsRoomTellsThoseWhoWaitForIt)
{
    unread_server server;
    const rare_looks rare;
    auto pending = server.caller->call_async(contract::echo, Blob());
    CHECK_EQUAL(server.receive().kind, static_cast<uint8_t>(frame_kind::request));
    server.fill_up();
    auto waiting = server.waiting(2);
    server.drain();
    pending.cancel();
    all_well(waiting);
}

TEST(ProgressThatFindsRoomTellsThoseWhoWaitForIt)
{
    check::signal drained;
    client_options options;
    options.services = std::make_shared<service>();
    options.services->unary(advance, [&](const Blob &, Blob &, ipc::rpc::progress_writer<Blob> &progress) {
        drained.wait();
        progress.report(Blob());
        drained.wait();
    });
    unread_server server(options);
    const rare_looks rare;
    frame_header request = raw_frames::of(frame_kind::request, 5, advance.id);
    request.flags = ipc::rpc::flag_callback;
    server.send(request);
    server.fill_up();
    auto waiting = server.waiting(2);
    server.drain();
    drained.set();
    all_well(waiting);
}

TEST(AFrameIsAnOccasionToLookForAll)
{
    unread_server server;
    rare_looks rare;
    // One reads for its own answer, beside those who wait for room.
    auto reading = begun([&] {
        Blob response;
        return server.caller->try_call(contract::echo, Blob(), response, patience);
    });
    const frame_header asked = server.receive();
    server.fill_up();
    auto waiting = server.waiting(2);
    server.drain();
    server.send(raw_frames::of(frame_kind::response, raw_server::nobodys));
    all_well(waiting);
    // A frame, and still no room: it may be busy, and they look soon again.
    server.fill_up();
    waiting = server.waiting(2);
    rare.end();
    server.send(raw_frames::of(frame_kind::response, raw_server::nobodys));
    std::this_thread::sleep_for(a_moment);
    server.drain();
    all_well(waiting);
    server.send(raw_frames::of(frame_kind::response, asked.call), "answer");
    CHECK_EQUAL(end_of(reading).text, "");
}

TEST(SomebodyReadsWhenWhoDidHasGone)
{
    unread_server server;
    const rare_looks rare;
    auto reading = begun([&] {
        Blob response;
        return server.caller->try_call(contract::echo, Blob(), response, 3s); // when the others wait
    });
    server.receive();
    server.fill_to_the_brim();        // or its cancellation finds room
    auto waiting = server.waiting(2); // beside it, where nothing that comes is seen
    CHECK_EQUAL(end_of(reading).code, status::deadline_exceeded);
    server.drain();
    server.send(raw_frames::of(frame_kind::response, raw_server::nobodys));
    all_well(waiting);
}

TEST(AWriterWhoWaitsForCreditDoesNotEndWithTheLooksForRoom)
{
    unread_server server;
    call_options options;
    options.until = ipc::deadline(patience);
    auto stream = server.caller->client_stream(gather, Blob(), options);
    const uint64_t call = server.receive().call;
    auto writing = begun([&] {
        bool sent = true;
        for (int i = 0; i < 40 && sent; ++i) // more than may be sent unasked
            if (const outcome result = stream.try_write(Blob(), sent); !result)
                return result;
        return sent ? outcome() : outcome(status::aborted, "not sent");
    });
    for (int i = 0; i < 32; ++i)
        CHECK_EQUAL(server.receive().kind, static_cast<uint8_t>(frame_kind::item));
    for (int i = 0; i < 200; ++i)
        server.caller->call_async(contract::echo, blob(std::string(10'000, 'x')), [](const outcome &, Blob &) {});
    server.send(raw_frames::of(frame_kind::response, raw_server::nobodys)); // it looks for room from now on
    CHECK(writing.wait_for(200ms) == std::future_status::timeout);
    frame_header credit = raw_frames::of(frame_kind::credit, call, 100);
    credit.deadline = 1 << 20; // bytes
    server.send(credit);
    while (writing.wait_for(1ms) != std::future_status::ready) // what was asked for before it goes first
        server.drain();
    CHECK_EQUAL(writing.get().text, "");
    stream.cancel();
}

TEST(AStreamsReaderWaitsForNoRoom)
{
    for (const bool beside : {false, true}) { // another thread reads for it, and has not looked for room
        client_options options;
        options.stream_window = 8;
        unread_server server(options);
        std::future<outcome> other;
        uint64_t others = 0;
        auto items = server.caller->stream(contract::count, counting(100));
        const uint64_t call = server.receive().call;
        if (beside) {
            other = begun([&] {
                Blob response;
                return server.caller->try_call(contract::echo, Blob(), response, patience);
            });
            others = server.receive().call;
        }
        server.fill_to_the_brim();
        for (int i = 0; i < 8; ++i)
            server.send(raw_frames::of(frame_kind::item, call), "item");
        std::this_thread::sleep_for(a_moment);
        auto reading = begun([&] {
            Blob item;
            bool got = true;
            for (int i = 0; i < 8 && got; ++i) // half of them are cause for credit, and all of them again
                if (const outcome result = items.try_next(item, got, patience); !result)
                    return result;
            return outcome();
        });
        CHECK_EQUAL(end_of(reading).text, "");
        // The credit is owed, and sent in one when there is room.
        Blob item;
        bool got = true;
        CHECK_EQUAL(items.try_next(item, got, 1ms).code, status::deadline_exceeded);
        std::this_thread::sleep_for(a_moment);
        reading = begun([&] { return items.try_next(item, got, patience); });
        const frame_header credit = server.receive(frame_kind::credit);
        CHECK_EQUAL(credit.call, call);
        CHECK_EQUAL(credit.method, 8u);
        server.send(raw_frames::of(frame_kind::item, call), "last");
        CHECK_EQUAL(end_of(reading).text, "");
        CHECK_EQUAL(item.data(), "last");
        if (beside) {
            server.send(raw_frames::of(frame_kind::response, others), "answer");
            CHECK_EQUAL(end_of(other).text, "");
        }
        // What is owed for a stream that has ended is nobody's.
        server.fill_to_the_brim();
        for (int i = 0; i < 8; ++i)
            server.send(raw_frames::of(frame_kind::item, call), "item");
        for (int i = 0; i < 8; ++i)
            CHECK_EQUAL(items.try_next(item, got, most).text, "");
        {
            auto ended = std::move(items);
        }
        server.drain();
        CHECK_EQUAL(server.note(most, "small").text, "");
        CHECK_EQUAL(server.receive().kind, static_cast<uint8_t>(frame_kind::cancel));
        CHECK_EQUAL(server.receive().kind, static_cast<uint8_t>(frame_kind::request));
    }
}

TEST(ACallbacksReaderWaitsForNoRoom)
{
    constexpr int few = 20;
    std::promise<int> read;
    client_options options;
    options.services = std::make_shared<service>();
    options.services->client_stream(gather, [&](const Blob &, ipc::rpc::stream_input<Blob> &items, Blob &) {
        Blob item;
        int got = 0;
        while (got < few && items.next(item))
            ++got;
        read.set_value(got);
    });
    unread_server server(options);
    server.fill_to_the_brim();
    frame_header request = raw_frames::of(frame_kind::request, 5, gather.id);
    request.flags = ipc::rpc::flag_callback | ipc::rpc::flag_client_stream;
    server.send(request);
    frame_header item = raw_frames::of(frame_kind::item, 5);
    item.flags = ipc::rpc::flag_callback;
    for (int i = 0; i < few; ++i)
        server.send(item, "item");
    auto got = read.get_future();
    CHECK_EQUAL(end_of(got), few);
    CHECK_EQUAL(server.receive(frame_kind::credit).call, 5u);
}

TEST(WhatFoundNoRoomByItsDeadlineWasNotSent)
{
    unread_server server;
    Blob response;
    const outcome sent = server.caller->try_call(contract::echo, Blob(), response, 50ms);
    CHECK_EQUAL(sent.code, status::deadline_exceeded);
    CHECK(!sent.unsent);
    server.fill_up();
    const Blob request = blob(std::string(10'000, 'x'));
    const auto begin = [&] {
        std::optional<ipc::rpc::client_stream_call<Blob, Blob>> stream;
        call_options options;
        options.until = 100ms;
        return server.caller->try_client_stream(gather, request, stream, options);
    };
    for (const outcome &each :
         {server.note(100ms), server.caller->try_call(contract::echo, request, response, 100ms), begin()}) {
        CHECK_EQUAL(each.code, status::deadline_exceeded);
        CHECK(each.unsent);
        CHECK_EQUAL(each.text,
                    "The deadline passed before the call was sent: the server has not read what was sent before.");
    }
}

TEST(WhatFoundNoRoomBeforeItsServerWentWasNotSent)
{
    unread_server server;
    server.fill_up();
    auto waiting = server.waiting(2); // one of them reads
    server.to.reset();
    for (auto &each : waiting) {
        const outcome ended = end_of(each);
        CHECK_EQUAL(ended.code, status::unavailable);
        CHECK(ended.unsent);
    }
}

} // namespace rpc_room_test
