// A client that does not read what it is sent is in nobody's way. Each of these used to keep the thread that serves
// everybody, for send_timeout, which is an hour here: the watchdog would end the test.
#include <algorithm>
#include <atomic>
#include <functional>
#include <optional>
#include <thread>
#include <vector>

#include "rpc_raw.hpp"
#include "rpc_serving.hpp"

namespace rpc_unread_test
{

using namespace std::chrono_literals;
using contract::Blob;
using ipc::rpc::call_context;
using ipc::rpc::client;
using ipc::rpc::client_options;
using ipc::rpc::frame_header;
using ipc::rpc::frame_kind;
using ipc::rpc::outcome;
using ipc::rpc::server;
using ipc::rpc::server_options;
using ipc::rpc::service;
using ipc::rpc::status;
using ipc::rpc::stream_writer;
using ipc::rpc::detail::frame_sender;
using ipc::rpc::detail::payload;

namespace
{

constexpr ipc::rpc::method<Blob, Blob> quick{"tests.v1", "Quick"}; // in place
constexpr ipc::rpc::method<Blob, Blob> down{"tests.v1", "Down"};
constexpr ipc::rpc::method<Blob, Blob> up{"tests.back.v1", "Up"};
constexpr ipc::rpc::stream_method<Blob, Blob> endless{"tests.v1", "Endless"};
constexpr ipc::rpc::client_stream_method<Blob, Blob, Blob> taken{"tests.v1", "Taken"};
constexpr int many = 400; // more answers than a ring of 4 KiB takes, and fewer requests than one of 256 KiB

server_options patient()
{
    server_options options;
    options.send_timeout = 1h;
    return options;
}

void offer(server &at)
{
    at.unary(
        quick, [](const Blob &request, Blob &response) { response = request; }, ipc::rpc::dispatch::in_place);
    at.server_stream(endless, [](const Blob &request, stream_writer<Blob> &items) {
        while (items.write(request)) {
        }
    });
}

ipc::connection mute()
{
    ipc_connect_options how{};
    how.to_client_capacity = 4096;
    how.loan_budget = IPC_NO_LOANS;
    how.deadline = ipc::deadline(30s).at();
    return ipc::connection::connect("rpc", how);
}

void send(ipc::connection &from, const std::string &frame)
{
    from.writer().write(frame, 1, 30s);
}

std::string request_of(uint32_t method, uint64_t call, uint64_t deadline = 0)
{
    Blob message;
    message.set_data("0123456789");
    frame_header header = raw_frames::of(frame_kind::request, call, method);
    header.deadline = deadline;
    return raw_frames::bytes_of(header, message.SerializeAsString());
}

// MANY requests of a client that does not read, then a call of another one; then the first reads, and has all answers.
void others_go_on(uint32_t method, frame_kind answer, uint16_t code, uint64_t deadline = 0, server_options options = patient())
{
    const serving here(offer, std::move(options));
    ipc::connection first = mute();
    for (uint64_t i = 1; i <= many; ++i)
        send(first, request_of(method, i, deadline));
    client second("rpc");
    for (int i = 0; i < 10; ++i)
        CHECK_EQUAL(second.call(contract::echo, blob("on")).data(), "on");
    std::string body;
    std::vector<uint64_t> calls;
    for (uint64_t i = 1; i <= many; ++i) {
        const frame_header got = raw_frames::receive(first, body);
        calls.push_back(got.call);
        CHECK_EQUAL(static_cast<frame_kind>(got.kind), answer);
        CHECK_EQUAL(got.code, code);
    }
    // Not in place: a handler that is stopped in its middle is overtaken.
    if (method == contract::echo.id && answer == frame_kind::response)
        std::sort(calls.begin(), calls.end());
    for (uint64_t i = 1; i <= many; ++i)
        CHECK_EQUAL(calls[i - 1], i);
    CHECK_EQUAL(second.call(quick, blob("still")).data(), "still");
}

// As many frames as the server takes, and ANSWER, among others, is not read; another client is served meanwhile, and after.
void another_is_served(frame_kind answer, const std::function<std::string(uint64_t)> &frame, server_options options = patient())
{
    const serving here(
        [](server &at) {
            offer(at);
            at.client_stream(taken, [](const Blob &, ipc::rpc::stream_input<Blob> &items, Blob &item) {
                while (items.next(item)) {
                }
            });
        },
        std::move(options));
    ipc::connection first = mute();
    client second("rpc");
    uint64_t sent = 0;
    while (sent < 1200 && first.writer().write_until(frame(sent + 1), 1, 200ms) == IPC_OK) // the server may not read on either
        if (++sent % 100 == 0)
            CHECK_EQUAL(second.call(quick, blob("on"), 60s).data(), "on");
    CHECK(sent > 100);
    for (int i = 0; i < 50; ++i)
        CHECK_EQUAL(second.call(quick, blob("still"), 60s).data(), "still");
    CHECK_EQUAL(second.call(contract::echo, blob("still"), 60s).data(), "still");
    std::string body;
    frame_header got;
    while (static_cast<frame_kind>((got = raw_frames::receive(first, body)).kind) != answer) {
    }
    if (answer == frame_kind::error)
        CHECK_EQUAL(got.code, static_cast<uint16_t>(status::resource_exhausted));
}

std::string counting_of(uint32_t method, uint64_t call, int count, uint16_t credit = 0, uint8_t flags = 0)
{
    frame_header header = raw_frames::of(frame_kind::request, call, method);
    header.code = credit;
    header.flags = flags;
    return raw_frames::bytes_of(header, counting(count).SerializeAsString());
}

constexpr auto number_of = [](status code) { return static_cast<uint16_t>(code); };

frame_header numbered(uint64_t call)
{
    return raw_frames::of(frame_kind::response, call);
}

// A server's sender alone, and its client, which reads only when it is told to.
struct sending_to_a_mute {
    sending_to_a_mute() : at("rpc")
    {
        std::thread connecting([&] { client = mute(); });
        ipc_event event{};
        CHECK_EQUAL(at.next(event, 60s), IPC_OK);
        CHECK_EQUAL(ipc_connection_accept(event.connection), IPC_OK);
        connecting.join();
        lent = ipc::connection(event.connection);
        sender.emplace(lent, 1h, 1 << 20);
    }

    // Until a frame waits for room.
    void congest()
    {
        const std::string body(1500, 'x');
        while (!sender->is_congested())
            CHECK(sender->post(numbered(++last), payload(std::string_view(body))) == frame_sender::result::sent);
    }

    // Everything, in order; what is queued is sent meanwhile.
    void read_all()
    {
        std::string got;
        while (read < last) {
            CHECK_EQUAL(raw_frames::receive(client, got).call, ++read);
            (void)sender->flush(ipc::deadline(0s)); // as much as fits now
        }
    }

    ipc::listener at;
    ipc::connection client;
    ipc::connection lent;
    std::optional<frame_sender> sender;
    uint64_t last = 0; // that was sent, or queued
    uint64_t read = 0;
};

} // namespace

TEST(ErrorsForUnknownMethodsThatAreNotReadStallNobody)
{
    others_go_on(1234, frame_kind::error, number_of(status::unimplemented));
}

TEST(AnExpiredBacklogWhoseErrorsAreNotReadStallsNobody)
{
    others_go_on(contract::echo.id, frame_kind::error, number_of(status::deadline_exceeded), 1);
}

TEST(AnswersInPlaceThatAreNotReadStallNobody)
{
    others_go_on(quick.id, frame_kind::response, 0);
}

TEST(AnswersThatAreNotReadStallNobody)
{
    others_go_on(contract::echo.id, frame_kind::response, 0);
}

TEST(AnswersThatAreNotReadKeepNobodysTurn)
{
    server_options options = patient();
    options.max_concurrent_calls = 1;
    others_go_on(contract::echo.id, frame_kind::response, 0, 0, options);
}

TEST(ItemsWithoutCreditWhoseErrorsAreNotReadStallNobody)
{
    const serving here(offer, patient());
    ipc::connection first = mute();
    for (uint64_t call = 1; call <= 60; ++call) {
        frame_header header = raw_frames::of(frame_kind::request, call, contract::collect.id);
        header.flags = ipc::rpc::flag_client_stream;
        send(first, raw_frames::bytes_of(header));
        send(first, raw_frames::bytes_of(header)); // the id of a pending call: an error for both
    }
    client second("rpc");
    CHECK_EQUAL(second.call(contract::echo, blob("on")).data(), "on");
}

TEST(CreditThatIsNotReadStallsNobody)
{
    server_options options = patient();
    options.max_calls_per_connection = 200; // each is told what it may send, and waits for that
    another_is_served(
        frame_kind::credit,
        [](uint64_t call) {
            frame_header header = raw_frames::of(frame_kind::request, call, taken.id);
            header.flags = ipc::rpc::flag_client_stream;
            return raw_frames::bytes_of(header);
        },
        options);
}

TEST(ProgressThatIsNotReadStallsNobody)
{
    another_is_served(frame_kind::progress, [](uint64_t call) { return counting_of(contract::steps.id, call, 10); });
}

TEST(EndsOfStreamsThatAreNotReadStallNobody)
{
    another_is_served(frame_kind::end, [](uint64_t call) { return counting_of(contract::count.id, call, 0, 1); });
}

TEST(PongsThatAreNotReadStallNobody)
{
    another_is_served(frame_kind::pong, [](uint64_t call) { return raw_frames::bytes_of(raw_frames::of(frame_kind::ping, call), std::string(64, 'x')); });
}

// The first call has a stream, so its client has to be read; the others wait for it, and more of them than may do so are refused.
TEST(ErrorsOfTooManyCallsThatAreNotReadStallNobody)
{
    server_options options = patient();
    options.ordered_calls = true;
    options.max_held_bytes = 200;
    another_is_served(
        frame_kind::error,
        [](uint64_t call) {
            return call == 1 ? counting_of(contract::collect.id, call, 0, 0, ipc::rpc::flag_client_stream)
                             : request_of(contract::echo.id, call);
        },
        options);
}

TEST(StreamsThatAreNotReadStallNobodyAndStop)
{
    const serving here(offer, patient());
    ipc::connection first = mute();
    for (uint64_t call = 1; call <= 20; ++call) {
        frame_header header = raw_frames::of(frame_kind::request, call, endless.id);
        header.code = 65535;
        send(first, raw_frames::bytes_of(header));
    }
    std::string body;
    for (int i = 0; i < 10; ++i) // some of them run; nobody says that anything was read
        raw_frames::receive(first, body);
    client second("rpc");
    CHECK_EQUAL(second.call(contract::echo, blob("on")).data(), "on");
}

TEST(CallbacksThatAreNotReadStallNobodyAndEndInTime)
{
    check::signal done;
    std::atomic<int> late{0};
    const serving here(
        [&](server &at) {
            offer(at);
            at.unary(down, [&](const Blob &, Blob &, call_context &context) {
                ipc::rpc::caller back = context.caller();
                ipc::rpc::call_options options;
                Blob response;
                options.until = ipc::deadline(200ms);
                for (int i = 0; i < many; ++i) // the requests, and a cancellation for each that went out
                    late += back.try_call(up, blob("0123456789"), response, options).code == status::deadline_exceeded;
                done.set();
            });
        },
        patient());
    ipc::connection first = mute();
    send(first, request_of(down.id, 1));
    client second("rpc");
    CHECK_EQUAL(second.call(contract::echo, blob("on")).data(), "on");
    done.wait();
    CHECK_EQUAL(late.load(), many);
}

TEST(ACallbackThatFoundNoRoomByItsDeadlineWasNotSent)
{
    check::signal done;
    std::vector<outcome> ends;
    const serving here(
        [&](server &at) {
            offer(at);
            at.unary(down, [&](const Blob &, Blob &, call_context &context) {
                ipc::rpc::caller back = context.caller();
                ipc::rpc::call_options options;
                options.until = ipc::deadline(500ms);
                do
                    ends.push_back(back.try_notify(up, blob("0123456789"), options));
                while (ends.back());
                ends.push_back(back.try_notify(up, blob("0123456789"), options));
                done.set();
            });
        },
        patient());
    ipc::connection first = mute();
    send(first, request_of(down.id, 1));
    done.wait();
    CHECK(ends.size() > 2); // the first ones had room
    for (size_t i = ends.size() - 2; i < ends.size(); ++i) {
        CHECK_EQUAL(ends[i].code, status::deadline_exceeded);
        CHECK(ends[i].unsent);
    }
    CHECK_EQUAL(ends[ends.size() - 2].text,
                "The deadline passed before the call was sent: the client has not read what was sent before.");
}

TEST(AHandlerInPlaceDoesNotWaitForAClientThatDoesNotRead)
{
    check::signal done;
    std::atomic<status> last{status::ok};
    const serving here(
        [&](server &at) {
            offer(at);
            at.unary(
                down,
                [&](const Blob &, Blob &, call_context &context) {
                    outcome result;
                    for (int i = 0; i < many && result; ++i)
                        result = context.caller().try_notify(up, blob("0123456789"));
                    last = result.code;
                    done.set();
                },
                ipc::rpc::dispatch::in_place);
        },
        patient());
    ipc::connection first = mute();
    send(first, request_of(down.id, 1));
    done.wait();
    CHECK_EQUAL(last.load(), status::resource_exhausted);
}

TEST(WhoDoesNotReadIsCutOffWithAReason)
{
    server_options options;
    options.send_timeout = 50ms;
    const serving here(offer, options);
    ipc::connection first = mute();
    for (uint64_t i = 1; i <= many; ++i)
        send(first, request_of(quick.id, i));
    client second("rpc");
    while (first.is_open()) // the watchdog
        CHECK_EQUAL(second.call(contract::echo, blob("on")).data(), "on");
    CHECK_EQUAL(first.close_code(), static_cast<uint32_t>(IPC_CLOSE_PROTOCOL));
    CHECK_EQUAL(first.close_text(), "the client did not read what was sent to it (or the disk was full)");
}

// One that is short enough for the room that is left goes behind the long ones that wait for more of it.
TEST(NoFrameOvertakesThoseThatWaitForRoom)
{
    sending_to_a_mute here;
    ipc::rpc::detail::transit items;
    items.begin(here.lent.writer(), here.lent.reader());
    const payload small;
    here.congest();
    CHECK(here.last > 2);
    CHECK(here.sender->try_item(numbered(100), small, items) == frame_sender::result::late);
    CHECK(!here.sender->try_now(numbered(100), small));
    CHECK(here.sender->post(numbered(++here.last), small) == frame_sender::result::sent);
    here.read_all();
    CHECK(!here.sender->is_congested());
}

// Who answers may send the last frame itself, just when who reads has given up reading because of it: then there is
// nothing left for the courier to send, and yet it is only the courier that has the connection read again.
TEST(WhatIsNotReadAnyMoreIsTheCouriersThoughAllWasSentMeanwhile)
{
    sending_to_a_mute here;
    bool parked = false;
    here.congest();
    CHECK(here.sender->park());
    here.read_all();
    CHECK(!here.sender->is_congested());
    CHECK(here.sender->needs_courier());
    CHECK(!here.sender->needs_courier()); // it has got it
    CHECK(here.sender->leave(parked));
    CHECK(parked);

    here.congest();
    CHECK(here.sender->park());
    here.sender->stop(); // or all was dropped: then it is read to its end
    CHECK(here.sender->needs_courier());
    CHECK(here.sender->leave(parked));
    CHECK(parked);
}

TEST(WhatIsReadIsTheCouriersWhileSomethingIsQueued)
{
    sending_to_a_mute here;
    bool parked = true;
    CHECK(!here.sender->park());
    CHECK(!here.sender->needs_courier());
    here.congest();
    CHECK(here.sender->needs_courier());
    CHECK(!here.sender->leave(parked));
    here.read_all();
    CHECK(here.sender->leave(parked));
    CHECK(!parked);
    CHECK(!here.sender->needs_courier());
}

TEST(WhoLeavesTooMuchUnreadIsCutOff)
{
    // Calls that run beside each other are read before their answers find no room.
    server_options options = patient();
    options.max_unsent_bytes = 2000;
    check::signal all;
    std::atomic<int> begun{0};
    const serving here(
        [&](server &at) {
            at.unary(down, [&](const Blob &, Blob &response, call_context &) {
                if (++begun == 10)
                    all.set();
                all.wait();
                response.set_data(std::string(1000, 'x'));
            });
        },
        options);
    ipc::connection first = mute();
    for (uint64_t i = 1; i <= 10; ++i)
        send(first, request_of(down.id, i));
    all.wait();
    while (first.is_open()) // the watchdog
        std::this_thread::yield();
    CHECK_EQUAL(first.close_code(), static_cast<uint32_t>(IPC_CLOSE_PROTOCOL));
}

// A server that calls back, again and again, and never reads what it is told.
void a_client_gives_up_on_a_server_that_does_not_read(bool offers)
{
    client_options options;
    options.to_server_capacity = 4096;
    options.auto_reconnect = false;
    options.max_unsent_bytes = 100'000;
    if (offers)
        options.services = std::make_shared<service>();
    ipc::listener at("rpc");
    uint32_t code = 0;
    std::thread server([&] {
        ipc_event event{};
        if (at.next(event, 60s) != IPC_OK || ipc_connection_accept(event.connection) != IPC_OK)
            return;
        at.give_back(event.connection);
        while (event.kind != IPC_EVENT_READABLE)
            if (at.next(event, 60s) != IPC_OK)
                return;
        ipc::connection to(event.connection);
        ipc::status written = IPC_OK;
        for (uint64_t call = 1; call <= 20'000 && written == IPC_OK; ++call) { // each is refused with 60 bytes or more
            frame_header header = raw_frames::of(frame_kind::request, call, up.id);
            header.flags = ipc::rpc::flag_callback;
            uint8_t *place = nullptr;
            written = to.writer().claim(sizeof header, place, ipc::deadline(60s));
            if (written == IPC_OK) {
                std::memcpy(place, &header, sizeof header);
                written = to.writer().commit(sizeof header, 1);
            }
        }
        if (written == IPC_OK)
            return; // and close: it would take any number
        code = to.close_code();
    });
    client caller("rpc", options);
    Blob response;
    const outcome ended = caller.try_call(contract::echo, blob("answered never"), response);
    server.join();
    CHECK_EQUAL(ended.code, status::resource_exhausted);
    CHECK(ended.text.find("100000 bytes") != std::string::npos);
    CHECK_EQUAL(caller.server_pid(), 0);
    CHECK_EQUAL(code, static_cast<uint32_t>(IPC_CLOSE_PROTOCOL));
}

TEST(AClientKeepsSoMuchAndNoMoreForAServerThatDoesNotRead)
{
    a_client_gives_up_on_a_server_that_does_not_read(false);
}

TEST(AClientWithServicesKeepsNoMoreForAServerThatDoesNotRead)
{
    a_client_gives_up_on_a_server_that_does_not_read(true);
}

TEST(WhoWasCutOffIsForgottenThoughItLives)
{
    // Its connection lay with the listener, which had nothing to say about it as long as the client did nothing.
    server_options options;
    options.send_timeout = 20ms;
    options.max_connections = 1;
    check::signal begun, go;
    const serving here(
        [&](server &at) {
            at.server_stream(endless, [&](const Blob &, stream_writer<Blob> &, call_context &context) {
                begun.set();
                go.wait();
                while (context.caller().try_notify(up, blob("0123456789"))) {
                }
            });
        },
        options);
    ipc::connection first = mute();
    frame_header header = raw_frames::of(frame_kind::request, 1, endless.id);
    header.code = 65535;
    send(first, raw_frames::bytes_of(header));
    begun.wait();
    go.set();
    for (std::optional<client> second; !client::try_connect("rpc", {}, second);) // the watchdog
        std::this_thread::yield();
    CHECK(!first.is_open());
}

} // namespace rpc_unread_test
