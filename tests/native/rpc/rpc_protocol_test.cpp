// What docs/rpc-protocol.md says about frames that are well formed and still wrong: ids, credit, heads, formats.
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "rpc_raw.hpp"
#include "rpc_serving.hpp"

namespace rpc_protocol_test
{

using namespace std::chrono_literals;
using contract::Blob;
using ipc::rpc::call_context;
using ipc::rpc::frame_header;
using ipc::rpc::frame_kind;
using ipc::rpc::outcome;
using ipc::rpc::server;
using ipc::rpc::status;
using ipc::rpc::stream_input;
using raw_frames::bytes_of;
using raw_frames::of;
using raw_frames::receive;
using raw_frames::request;

namespace
{

constexpr ipc::rpc::method<Blob, Blob> special{"tests.v1", "Special"};
constexpr ipc::rpc::stream_method<Blob, Blob> special_stream{"tests.v1", "SpecialStream"};
constexpr ipc::rpc::client_stream_method<Blob, Blob, Blob> special_input{"tests.v1", "SpecialInput"};

// The next frame, but for those that let a caller's stream go on.
frame_header expect(ipc::connection &from, frame_kind kind, uint64_t call, std::string &body)
{
    frame_header got = receive(from, body);
    while (got.kind == static_cast<uint8_t>(frame_kind::credit) || got.kind == static_cast<uint8_t>(frame_kind::read))
        got = receive(from, body);
    CHECK_EQUAL(got.kind, static_cast<uint8_t>(kind));
    CHECK_EQUAL(got.call, call);
    return got;
}

void expect_error(ipc::connection &from, uint64_t call, status code)
{
    std::string body;
    CHECK_EQUAL(expect(from, frame_kind::error, call, body).code, static_cast<uint16_t>(code));
}

void expect_alive(ipc::connection &raw)
{
    raw.writer().write(request(1'000'000, "still"), 1);
    std::string body;
    expect(raw, frame_kind::response, 1'000'000, body);
}

// A callee without a connection.
class kept_frames : public ipc::rpc::detail::callee
{
  public:
    kept_frames() : callee(0)
    {
    }

    bool transmit(const frame_header &header, const ipc::rpc::detail::payload &) override
    {
        kinds.push_back(header.kind);
        return true;
    }

    bool transmit_now(const frame_header &header, const ipc::rpc::detail::payload &body) override
    {
        return transmit(header, body);
    }

    void post(const frame_header &header, std::string) override
    {
        kinds.push_back(header.kind);
    }

    uint64_t limit() const noexcept override
    {
        return 4096;
    }

    const ipc::rpc::detail::peer_identity &who() const noexcept override
    {
        static const ipc::rpc::detail::peer_identity nobody;
        return nobody;
    }

    std::string_view hello() const noexcept override
    {
        return {};
    }

    std::shared_ptr<ipc::rpc::detail::caller_core> caller() override
    {
        return nullptr;
    }

    std::shared_ptr<ipc::rpc::detail::callee> keep() override
    {
        return nullptr;
    }

    std::vector<uint8_t> kinds; // of what was sent
};

// Refuses the first item, and has room by the time that it is asked for.
class late_room final : public kept_frames
{
  public:
    ipc::rpc::detail::item_fate transmit_item(const frame_header &header,
                                              const ipc::rpc::detail::payload &body) override
    {
        if (!std::exchange(refused_, true))
            return ipc::rpc::detail::item_fate::no_room;
        return kept_frames::transmit_item(header, body);
    }

    bool takes_items() noexcept override
    {
        looks++;
        return true;
    }

    int looks = 0;

  private:
    bool refused_ = false;
};

std::string open_input(uint64_t call)
{
    frame_header header = of(frame_kind::request, call, special_input.id);
    header.flags = ipc::rpc::flag_client_stream;
    return bytes_of(header);
}

} // namespace

TEST(ARequestWithTheIdOfAPendingCallEndsBoth)
{
    check::signal begun, over;
    const serving here([&](server &at) {
        at.unary(special, [&](const Blob &, Blob &, call_context &context) {
            begun.set();
            while (!context.wait(10s)) {
            }
            over.set();
        });
    });
    ipc::connection raw = ipc::connection::connect("rpc");
    raw.writer().write(bytes_of(of(frame_kind::request, 5, special.id)), 1);
    begun.wait();
    raw.writer().write(request(5, "the same id"), 1);
    expect_error(raw, 5, status::invalid_argument);
    over.wait();
    expect_alive(raw); // and neither call is answered again
}

TEST(ACallThatHasItsAnswerIsNotPendingWhateverIsStillToBeDoneAboutIt)
{
    ipc::rpc::service offered;
    offered.unary(contract::echo, [](const Blob &in, Blob &out) { out = in; });
    const auto home = std::make_shared<kept_frames>();
    const std::string bytes = request(7, "x");
    ipc::rpc::frame got;
    std::memcpy(&got.header, bytes.data(), sizeof got.header);
    got.body = reinterpret_cast<const uint8_t *>(bytes.data()) + sizeof got.header;
    got.size = static_cast<uint32_t>(bytes.size() - sizeof got.header);

    const auto call = offered.find(contract::echo.id)->accept(home, got);
    call->run();
    CHECK(!home->clashes(got.header)); // although it is there still
    CHECK_EQUAL(home->calls(), 1u);
    CHECK(home->kinds == std::vector<uint8_t>{static_cast<uint8_t>(frame_kind::response)});

    const auto broken = offered.find(contract::echo.id)->accept(home, got);
    CHECK(home->clashes(got.header));
    broken->run();
    CHECK_EQUAL(home->kinds.size(), 2u); // the one error, and no answer after it
    CHECK_EQUAL(home->kinds.back(), static_cast<uint8_t>(frame_kind::error));
}

// Room that was reported between the refusal and the wait is not reported again: who looked whether there is any would
// take the ring for one that is full of other things, and pause.
TEST(WhoIsRefusedAnItemTriesOnceMoreBeforeItPauses)
{
    ipc::rpc::service offered;
    offered.server_stream(special_stream, [](const Blob &in, ipc::rpc::stream_writer<Blob> &items, call_context &) {
        CHECK(items.write(in));
    });
    const auto home = std::make_shared<late_room>();
    ipc::rpc::frame got;
    got.header = of(frame_kind::request, 7, special_stream.id);
    got.header.code = 8; // items of credit
    const auto call = offered.find(special_stream.id)->accept(home, got);
    call->run();
    CHECK(home->kinds == (std::vector<uint8_t>{static_cast<uint8_t>(frame_kind::item),
                                               static_cast<uint8_t>(frame_kind::end)}));
    CHECK_EQUAL(home->looks, 2); // one before each try
}

TEST(ItemsBeyondTheirCreditEndTheStreamAndTheConnectionLives)
{
    check::signal begun, over;
    const serving here([&](server &at) {
        at.client_stream(special_input, [&](const Blob &, stream_input<Blob> &, Blob &, call_context &context) {
            begun.set();
            while (!context.wait(10s)) {
            }
            over.set();
        });
    });
    ipc::connection raw = ipc::connection::connect("rpc");
    raw.writer().write(open_input(5), 1);
    begun.wait(); // what is cancelled before it began is not begun
    for (int i = 0; i < 33; ++i)
        raw.writer().write(bytes_of(of(frame_kind::item, 5)), 1);
    expect_error(raw, 5, status::resource_exhausted);
    over.wait();
    raw.writer().write(bytes_of(of(frame_kind::item, 5)), 1); // for a stream that has ended: dropped
    raw.writer().write(bytes_of(of(frame_kind::end, 5)), 1);
    expect_alive(raw);
}

TEST(ItemsAfterTheEndAreDropped)
{
    const serving here;
    ipc::connection raw = ipc::connection::connect("rpc");
    frame_header header = of(frame_kind::request, 5, contract::collect.id);
    header.flags = ipc::rpc::flag_client_stream;
    raw.writer().write(bytes_of(header), 1);
    raw.writer().write(bytes_of(of(frame_kind::item, 5)), 1);
    raw.writer().write(bytes_of(of(frame_kind::end, 5)), 1);
    raw.writer().write(bytes_of(of(frame_kind::item, 5)), 1);
    raw.writer().write(bytes_of(of(frame_kind::end, 5)), 1);
    std::string body;
    expect(raw, frame_kind::response, 5, body);
    CHECK_EQUAL(body.substr(2), "1 0");
    expect_alive(raw);
}

TEST(AnItemThatCannotBeDecodedFailsItsCall)
{
    const serving here;
    ipc::connection raw = ipc::connection::connect("rpc");
    frame_header header = of(frame_kind::request, 5, contract::collect.id);
    header.flags = ipc::rpc::flag_client_stream;
    raw.writer().write(bytes_of(header), 1);
    raw.writer().write(bytes_of(of(frame_kind::item, 5), "\x0A\x7Fshort"), 1);
    expect_error(raw, 5, status::invalid_argument);
    expect_alive(raw);
}

TEST(CreditBeyondTheLimitClosesTheConnection)
{
    const serving here;
    ipc::connection raw = ipc::connection::connect("rpc");
    frame_header header = of(frame_kind::request, 5, contract::mirror.id);
    header.flags = ipc::rpc::flag_client_stream;
    header.code = 1;
    raw.writer().write(bytes_of(header), 1);
    raw.writer().write(bytes_of(of(frame_kind::credit, 5, 0x7FFFFFFF)), 1); // 2^31 in all: allowed
    expect_alive(raw);
    raw.writer().write(bytes_of(of(frame_kind::credit, 5, 1)), 1);
    ipc::record got;
    ipc::status status = IPC_OK; // what the stream's own side sends may stand before the end
    while ((status = raw.reader().read(got, 30s)) == IPC_OK)
        raw.reader().release();
    CHECK_EQUAL(status, IPC_PEER_CLOSED);
    CHECK_EQUAL(raw.close_code(), static_cast<uint32_t>(IPC_CLOSE_PROTOCOL));
}

TEST(ADamagedHeadIsAnErrorAndTheConnectionLives)
{
    const serving here;
    ipc::connection raw = ipc::connection::connect("rpc");
    const std::string heads[] = {
        "",
        "abc",                                                   // shorter than its length
        std::string("\5\0\0\0abc", 7),                           // longer than the frame
        std::string("\1\0\0\0\x0A", 5),                          // a field without its length
        std::string("\2\0\0\0\x0A\5", 6),                        // longer than the head
        std::string("\3\0\0\0\x0A\1x", 7),                       // a trace context of one byte
        std::string("\5\0\0\0\x1A\3\x0A\1X", 9),                 // an upper case key
        std::string("\1\x40\0\0", 4) + std::string(16385, '\0'), // too long
    };
    uint64_t call = 10;
    for (const std::string &head : heads) {
        frame_header header = of(frame_kind::request, ++call, contract::echo.id);
        header.flags = ipc::rpc::flag_head;
        raw.writer().write(bytes_of(header, head), 1);
        expect_error(raw, call, status::invalid_argument);
    }
    frame_header header = of(frame_kind::request, 5, contract::echo.id);
    header.flags = ipc::rpc::flag_head;
    raw.writer().write(bytes_of(header, std::string("\0\0\0\0\x0A\1x", 7)), 1); // an empty one is one
    std::string body;
    expect(raw, frame_kind::response, 5, body);
    CHECK_EQUAL(body, "\x0A\1x");
    expect_alive(raw);
}

TEST(AFormatThatTheServerDoesNotHaveIsUnimplemented)
{
    const serving here;
    ipc::connection raw = ipc::connection::connect("rpc");
    for (uint8_t format = 1; format <= 2; ++format) { // 3 is nonsense
        raw.writer().write(request(format, "x", static_cast<uint8_t>(format << 4)), 1);
        expect_error(raw, format, status::unimplemented);
    }
    expect_alive(raw);
}

TEST(AMethodCalledWithAStreamThatItDoesNotTakeIsUnimplemented)
{
    const serving here;
    ipc::connection raw = ipc::connection::connect("rpc");
    raw.writer().write(request(5, "x", ipc::rpc::flag_client_stream), 1);
    expect_error(raw, 5, status::unimplemented);
    frame_header header = of(frame_kind::request, 6, contract::mirror.id);
    header.flags = ipc::rpc::flag_client_stream; // without first credit: a client stream
    raw.writer().write(bytes_of(header), 1);
    expect_error(raw, 6, status::unimplemented);
    expect_alive(raw);
}

TEST(AnUnknownMethodOfAServerWithManyIsToldTheServices)
{
    const serving here([](server &at) {
        for (int i = 0; i < 100; ++i)
            at.unary<Blob, Blob>("many.v1", "AMethodWithALongName" + std::to_string(i), [](const Blob &, Blob &) {});
    });
    ipc::rpc::client caller("rpc");
    Blob response;
    const outcome result = caller.try_call(special, Blob(), response, 30s);
    CHECK_EQUAL(result.code, status::unimplemented);
    CHECK(result.text.find("services many.v1, tests.v1") != std::string::npos);
    CHECK(result.text.size() < 1200);
}

// Programs of other versions than this one, as far as they can be had today.
TEST(AServerThatHasOnlyLaterVersionsIsNamedWithThem)
{
    ipc_listener_options how{};
    how.protocol = {IPC_PROTOCOL_CALLS, 3, 2};
    const ipc::listener later("rpc", how);
    std::optional<ipc::rpc::client> made;
    const outcome refused = ipc::rpc::client::try_connect("rpc", {}, made);
    CHECK_EQUAL(refused.code, status::failed_precondition);
    CHECK(refused.text.find("speaks calls (protocol 1), versions 2 to 3, and this program calls (protocol 1), version 1") !=
          std::string::npos);
}

// No waiting mends it: whoever has little time is told it, too, and the client's thread does not ask again and again.
TEST(ACallThatFindsALaterServerInThePlaceOfItsOwnIsTold)
{
    std::optional<serving> here;
    here.emplace();
    ipc::rpc::client caller("rpc");
    here.reset();
    ipc_listener_options how{};
    how.protocol = {IPC_PROTOCOL_CALLS, 3, 2};
    const ipc::listener later("rpc", how);
    outcome told;
    for (int i = 0; i < 100 && told.code != status::failed_precondition; ++i) { // the end of its own is seen first
        Blob response;
        told = caller.call_async(contract::echo, Blob(), 4s).try_get(response);
    }
    CHECK_EQUAL(told.code, status::failed_precondition);
    CHECK(told.text.find("versions 2 to 3") != std::string::npos);
}

TEST(AServerOfTheNextVersionIsSpokenToInThisOne)
{
    ipc_listener_options how{};
    how.protocol = {IPC_PROTOCOL_CALLS, 2, 1};
    ipc::listener next("rpc", how);
    std::optional<ipc::rpc::client> made;
    std::thread connecting([&] { CHECK(ipc::rpc::client::try_connect("rpc", {}, made)); });
    ipc_event asked{};
    CHECK_EQUAL(ipc_listener_next(next.get(), ipc_deadline_after(30'000'000'000), nullptr, &asked), IPC_OK);
    CHECK_EQUAL(ipc_connection_protocol_version(asked.connection), 1u);
    CHECK_EQUAL(ipc_connection_accept(asked.connection), IPC_OK);
    connecting.join();
    made.reset();
    ipc_connection_close(asked.connection);
}

TEST(AClientOfTheNextVersionSpeaksThisOneAndOneOfALaterIsRefused)
{
    const serving here;
    ipc_connect_options how{};
    how.protocol = {IPC_PROTOCOL_CALLS, 2, 1};
    ipc::connection next = ipc::connection::connect("rpc", how);
    CHECK_EQUAL(next.protocol_version(), 1u);
    expect_alive(next);
    how.protocol = {IPC_PROTOCOL_CALLS, 3, 2};
    ipc::connection later;
    CHECK_EQUAL(ipc::connection::try_connect("rpc", how, later), IPC_E_WRONG_VERSION);
    how.protocol = {IPC_PROTOCOL_BYTES, 1, 1};
    CHECK_EQUAL(ipc::connection::try_connect("rpc", how, later), IPC_E_WRONG_KIND);
    for (const ipc_protocol none : {ipc_protocol{0, 1, 0}, ipc_protocol{1, 0, 0}, ipc_protocol{1, 2, 3}}) {
        how.protocol = none;
        CHECK_EQUAL(ipc::connection::try_connect("rpc", how, later), IPC_E_INVALID_ARGUMENT);
    }
}

} // namespace rpc_protocol_test
