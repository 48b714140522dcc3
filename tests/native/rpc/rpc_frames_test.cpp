// Frames as nobody should write them, from either side, over raw connections.
#include <atomic>
#include <memory>
#include <thread>

#include "rpc_raw.hpp"
#include "rpc_serving.hpp"

namespace rpc_frames_test
{

using namespace std::chrono_literals;
using contract::Blob;
using ipc::rpc::frame;
using ipc::rpc::frame_header;
using ipc::rpc::frame_kind;
using ipc::rpc::outcome;
using ipc::rpc::status;
using raw_frames::bytes_of;
using raw_frames::of;
using raw_frames::receive;
using raw_frames::request;

namespace
{

// A server by hand: accepts one connection, reads one request from it, lets ANSWER write what it likes.
class raw_server
{
  public:
    using answer = std::function<void(ipc::connection &, const frame_header &)>;

    explicit raw_server(answer how) : listener_("rpc"), thread_([this, how = std::move(how)] { run(how); })
    {
    }

    ~raw_server()
    {
        done_.set();
        thread_.join();
    }

  private:
    void run(const answer &how)
    {
        ipc_event event{};
        if (listener_.next(event, 30s) != IPC_OK || ipc_connection_accept(event.connection) != IPC_OK)
            return;
        listener_.give_back(event.connection);
        while (listener_.next(event, 30s) == IPC_OK && event.kind != IPC_EVENT_READABLE) {
        }
        if (event.kind != IPC_EVENT_READABLE)
            return;
        ipc::connection lent(event.connection);
        ipc::record raw;
        frame_header header;
        if (lent.reader().read(raw, 30s) == IPC_OK) {
            std::memcpy(&header, raw.data, sizeof header);
            lent.reader().release();
            how(lent, header);
        }
        done_.wait();
    }

    ipc::listener listener_;
    check::signal done_;
    std::thread thread_;
};

} // namespace

TEST(MethodIdsAreFnv1aOfServiceSlashMethod)
{
    // Worked out by hand elsewhere: both languages must agree on these.
    CHECK_EQUAL(ipc::rpc::method_id("", ""), 0x2A0C975Eu); // of "/"
    CHECK_EQUAL(ipc::rpc::method_id("sysmon.v1", "Get"), 0xF832E950u);
}

TEST(FrameBytesAreThoseOfTheProtocol)
{
    frame_header header;
    header.kind = 1;
    header.flags = 2;
    header.code = 0x0403;
    header.method = 0x08070605;
    header.call = 0x100F0E0D0C0B0A09;
    header.deadline = 0x1817161514131211;
    std::string expected;
    for (char byte = 1; byte <= 24; ++byte)
        expected.push_back(byte);
    CHECK(bytes_of(header) == expected);
}

TEST(AClientThatWritesNonsenseIsCutOffAndNobodyElse)
{
    const serving here;
    ipc::rpc::client healthy("rpc");
    Blob response;
    frame_header reserved = of(frame_kind::request, 1, contract::echo.id);
    reserved.flags = 0x40;
    frame_header callback = of(frame_kind::request, 1, contract::echo.id);
    callback.flags = ipc::rpc::flag_callback;
    frame_header one_way_item = of(frame_kind::item, 1);
    one_way_item.flags = ipc::rpc::flag_one_way;
    frame_header end_with_head = of(frame_kind::end, 1);
    end_with_head.flags = ipc::rpc::flag_head;
    const std::string nonsense[] = {
        "",
        std::string(23, '\1'),
        bytes_of(of(static_cast<frame_kind>(0), 1)),
        bytes_of(of(static_cast<frame_kind>(12), 1)),
        bytes_of(of(frame_kind::read, 0, 0)),
        bytes_of(of(frame_kind::read, 0, 64)),
        bytes_of(of(frame_kind::read, 1, 64)),
        bytes_of(of(static_cast<frame_kind>(255), 1)),
        bytes_of(of(frame_kind::response, 1)),
        bytes_of(of(frame_kind::error, 1)),
        bytes_of(of(frame_kind::progress, 1)),
        bytes_of(of(frame_kind::credit, 1, 0)),
        bytes_of(reserved),
        bytes_of(callback),
        bytes_of(one_way_item),
        bytes_of(end_with_head),
        bytes_of(of(frame_kind::request, 0, contract::echo.id)),
        bytes_of(of(frame_kind::ping, 1), std::string(65, 'x')),
    };
    for (const std::string &bad : nonsense) {
        ipc::connection raw = ipc::connection::connect("rpc");
        raw.writer().write(bad, 1);
        ipc::record got;
        CHECK_EQUAL(raw.reader().read(got, 30s), IPC_PEER_CLOSED);
        CHECK_EQUAL(raw.close_code(), static_cast<uint32_t>(IPC_CLOSE_PROTOCOL));
        CHECK_EQUAL(raw.close_text().rfind("the client sent ", 0), 0u);
        CHECK(healthy.try_call(contract::echo, Blob(), response, 30s));
    }
    ipc::connection raw = ipc::connection::connect("rpc");
    raw.writer().write(request(1, "right bytes, wrong record type"), 2);
    ipc::record got;
    CHECK_EQUAL(raw.reader().read(got, 30s), IPC_PEER_CLOSED);
    CHECK_EQUAL(raw.close_code(), static_cast<uint32_t>(IPC_CLOSE_PROTOCOL));
}

TEST(ARequestThatCannotBeDecodedIsAnErrorAndTheConnectionLives)
{
    const serving here;
    ipc::connection raw = ipc::connection::connect("rpc");
    raw.writer().write(bytes_of(of(frame_kind::request, 7, contract::echo.id), "\x0A\x7Fshort"), 1);
    std::string body;
    frame_header answer = receive(raw, body);
    CHECK_EQUAL(answer.kind, static_cast<uint8_t>(frame_kind::error));
    CHECK_EQUAL(answer.code, static_cast<uint16_t>(status::invalid_argument));
    CHECK_EQUAL(answer.call, 7u);
    CHECK(body.find("tests.v1.Blob") != std::string::npos);
    raw.writer().write(request(8, "right"), 1);
    answer = receive(raw, body);
    CHECK_EQUAL(answer.kind, static_cast<uint8_t>(frame_kind::response));
    CHECK_EQUAL(answer.call, 8u);
}

TEST(APingIsAnswered)
{
    const serving here;
    ipc::connection raw = ipc::connection::connect("rpc");
    raw.writer().write(bytes_of(of(frame_kind::ping, 5), std::string(64, 'p')), 1);
    std::string body;
    const frame_header answer = receive(raw, body);
    CHECK_EQUAL(answer.kind, static_cast<uint8_t>(frame_kind::pong));
    CHECK_EQUAL(answer.call, 5u);
    CHECK_EQUAL(body, std::string(64, 'p'));
}

TEST(AOneWayRequestIsNotAnswered)
{
    const serving here;
    ipc::connection raw = ipc::connection::connect("rpc");
    raw.writer().write(request(1, "no answer", ipc::rpc::flag_one_way), 1);
    raw.writer().write(bytes_of(of(frame_kind::request, 2, 0x12345678)), 1);
    raw.writer().write(request(3, "answer"), 1);
    std::string body;
    CHECK_EQUAL(receive(raw, body).call, 2u);
    CHECK_EQUAL(receive(raw, body).call, 3u);
}

TEST(FramesOfCallsThatAreNotPendingAreDropped)
{
    const serving here;
    ipc::connection raw = ipc::connection::connect("rpc");
    raw.writer().write(bytes_of(of(frame_kind::cancel, 99)), 1);
    raw.writer().write(bytes_of(of(frame_kind::credit, 99, 0xFFFFFFFF)), 1);
    raw.writer().write(bytes_of(of(frame_kind::pong, 99)), 1);
    raw.writer().write(bytes_of(of(frame_kind::item, 99), "item"), 1);
    raw.writer().write(bytes_of(of(frame_kind::end, 99)), 1);
    frame_header late = of(frame_kind::response, 99);
    late.flags = ipc::rpc::flag_callback;
    raw.writer().write(bytes_of(late, "to a callback that there never was"), 1);
    raw.writer().write(request(1, "still"), 1);
    std::string body;
    CHECK_EQUAL(receive(raw, body).call, 1u);
}

TEST(AServerThatWritesNonsenseLosesItsClient)
{
    const auto after_a_request = [](const raw_server::answer &how) {
        const raw_server here(how);
        ipc::rpc::client caller("rpc");
        Blob response;
        return caller.try_call(contract::echo, Blob(), response, 30s);
    };
    const auto sends = [](std::function<std::string(uint64_t)> what) {
        return [what = std::move(what)](ipc::connection &to, const frame_header &got) {
            to.writer().write(what(got.call), 1);
        };
    };
    outcome result = after_a_request(sends([](uint64_t) { return std::string("short"); }));
    CHECK_EQUAL(result.code, status::data_loss);
    result = after_a_request(sends([](uint64_t call) { return bytes_of(of(static_cast<frame_kind>(77), call)); }));
    CHECK_EQUAL(result.code, status::data_loss);
    result = after_a_request(sends([](uint64_t call) { return bytes_of(of(frame_kind::request, call)); }));
    CHECK_EQUAL(result.code, status::data_loss);
    result = after_a_request(sends([](uint64_t call) { return bytes_of(of(frame_kind::item, call)); }));
    CHECK_EQUAL(result.code, status::data_loss);
    result = after_a_request(sends([](uint64_t call) { return bytes_of(of(frame_kind::end, call)); }));
    CHECK_EQUAL(result.code, status::data_loss);
    result =
        after_a_request(sends([](uint64_t call) { return bytes_of(of(frame_kind::response, call), "\x0A\x7Fshort"); }));
    CHECK_EQUAL(result.code, status::internal);
    CHECK(result.text.find("tests.v1.Blob") != std::string::npos);
    // An error whose body is damaged is still an error, and so is one of a status that does not exist.
    result = after_a_request(sends([](uint64_t call) {
        frame_header error = of(frame_kind::error, call);
        error.code = static_cast<uint16_t>(status::aborted);
        return bytes_of(error, "\x0A\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01");
    }));
    CHECK_EQUAL(result.code, status::aborted);
    result = after_a_request(sends([](uint64_t call) { return bytes_of(of(frame_kind::error, call)); }));
    CHECK_EQUAL(result.code, status::unknown);
}

TEST(ALateReplyNeverMeetsAnotherCall)
{
    const raw_server here([](ipc::connection &to, const frame_header &got) {
        Blob old, right;
        old.set_data("of another call");
        right.set_data("of this call");
        to.writer().write(bytes_of(of(frame_kind::response, got.call + (1ull << 32)), old.SerializeAsString()), 1);
        to.writer().write(bytes_of(of(frame_kind::response, got.call + 1), old.SerializeAsString()), 1);
        to.writer().write(bytes_of(of(frame_kind::response, got.call), right.SerializeAsString()), 1);
    });
    ipc::rpc::client caller("rpc");
    CHECK_EQUAL(caller.call(contract::echo, Blob(), 30s).data(), "of this call");
}

TEST(MoreItemsThanThereIsCreditForEndTheStreamAndNothingElse)
{
    const raw_server here([](ipc::connection &to, const frame_header &got) {
        for (int i = 0; i < 5; ++i)
            to.writer().write(bytes_of(of(frame_kind::item, got.call)), 1);
        std::string body;
        const frame_header echo = receive(to, body);
        CHECK_EQUAL(echo.kind, static_cast<uint8_t>(frame_kind::request));
        const frame_header cancel = receive(to, body);
        CHECK_EQUAL(cancel.kind, static_cast<uint8_t>(frame_kind::cancel));
        CHECK_EQUAL(cancel.call, got.call);
        to.writer().write(bytes_of(of(frame_kind::response, echo.call)), 1);
    });
    ipc::rpc::client_options options;
    options.stream_window = 4;
    ipc::rpc::client caller("rpc", options);
    auto items = caller.stream(contract::count, contract::CountRequest(), 30s);
    // A call reads everything, and finds the fifth item.
    Blob item;
    CHECK_EQUAL(caller.try_call(contract::echo, Blob(), item, 30s).code, status::ok);
    for (int i = 0; i < 4; ++i)
        CHECK(items.next(item)); // what was in order is still delivered
    bool got = true;
    CHECK_EQUAL(items.try_next(item, got).code, status::resource_exhausted);
}

// The frame that tells the server is the very next one: nothing else is sent for a call that is cancelled while its
// entry is still in use, as that of an asynchronous call is, or of a stream.
TEST(WhatIsCancelledIsCancelledAtTheServerAtOnce)
{
    check::signal asked, streams;
    const raw_server here([&](ipc::connection &from, const frame_header &first) {
        asked.set();
        std::string body;
        const frame_header of_call = receive(from, body);
        CHECK_EQUAL(of_call.kind, static_cast<uint8_t>(frame_kind::cancel));
        CHECK_EQUAL(of_call.call, first.call);
        const frame_header second = receive(from, body);
        CHECK_EQUAL(second.kind, static_cast<uint8_t>(frame_kind::request));
        streams.set();
        const frame_header of_stream = receive(from, body);
        CHECK_EQUAL(of_stream.kind, static_cast<uint8_t>(frame_kind::cancel));
        CHECK_EQUAL(of_stream.call, second.call);
    });
    ipc::rpc::client caller("rpc");
    Blob response;
    auto call = caller.call_async(contract::echo, Blob());
    asked.wait();
    call.cancel();
    CHECK_EQUAL(call.try_get(response).code, status::cancelled);
    auto stream = caller.duplex(contract::mirror, contract::CountRequest());
    streams.wait();
    stream.cancel();
    caller.notify(contract::note, Blob()); // what a server that was told nothing would read
}

} // namespace rpc_frames_test
