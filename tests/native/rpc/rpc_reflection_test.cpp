// A side with methods lists them to whoever asks: docs/rpc-protocol.md section 8. The C# twin is ReflectionTests.
#include <memory>
#include <string>
#include <vector>

#include "rpc_raw.hpp"
#include "rpc_serving.hpp"

namespace rpc_reflection_test
{

using contract::Blob;
using ipc::rpc::call_context;
using ipc::rpc::call_info;
using ipc::rpc::client;
using ipc::rpc::client_options;
using ipc::rpc::frame_header;
using ipc::rpc::frame_kind;
using ipc::rpc::method_info;
using ipc::rpc::method_kind;
using ipc::rpc::outcome;
using ipc::rpc::server;
using ipc::rpc::service;
using ipc::rpc::status;
using raw_frames::bytes_of;
using raw_frames::of;
using raw_frames::receive;

namespace
{

std::string line(const method_info &method)
{
    static constexpr const char *kinds[] = {"unary", "server stream", "client stream", "duplex"};
    return method.full_name() + " " + kinds[static_cast<int>(method.kind)] + (method.one_way ? " one-way" : "") +
           (method.once ? " once" : "") + (method.idempotent ? " idempotent" : "");
}

std::string lines(const std::vector<method_info> &methods)
{
    std::string all;
    for (const method_info &each : methods)
        all += (all.empty() ? "" : ", ") + line(each);
    return all;
}

void offer_every_kind(service &at)
{
    using ipc::rpc::stream_input;
    using ipc::rpc::stream_writer;
    at.unary(ipc::rpc::method<Blob, Blob>("hand.v1", "Ask"), [](const Blob &, Blob &) {});
    at.unary(ipc::rpc::method<Blob, Blob>("hand.v1", "Kept"),
             [](const Blob &) { return std::make_shared<const Blob>(); });
    at.unary(ipc::rpc::progress_method<Blob, Blob, Blob>("hand.v1", "Work"),
             [](const Blob &, Blob &, ipc::rpc::progress_writer<Blob> &) {});
    at.one_way(ipc::rpc::one_way_method<Blob>("hand.v1", "Tell"), [](const Blob &) {});
    at.server_stream(ipc::rpc::stream_method<Blob, Blob>("hand.v1", "Items"),
                     [](const Blob &, stream_writer<Blob> &) {});
    at.client_stream(ipc::rpc::client_stream_method<Blob, Blob, Blob>("hand.v1", "Sum"),
                     [](const Blob &, stream_input<Blob> &, Blob &) {});
    at.duplex(ipc::rpc::duplex_method<Blob, Blob, Blob>("hand.v1", "Scale"),
              [](const Blob &, stream_input<Blob> &, stream_writer<Blob> &) {});
    at.unary(ipc::rpc::method<Blob, Blob>("aaa.v1", "Last"), [](const Blob &, Blob &) {});
}

constexpr const char *every_kind =
    "aaa.v1/Last unary, hand.v1/Ask unary, hand.v1/Items server stream, hand.v1/Kept unary, "
    "hand.v1/Scale duplex, hand.v1/Sum client stream, hand.v1/Tell unary one-way, "
    "hand.v1/Work unary";

// A method of hand.v1 in the list, with further bytes.
std::string listed(const std::string &name, const std::string &rest = "")
{
    std::string one = "\x0a\x07hand.v1\x12";
    one += static_cast<char>(name.size()) + name + rest;
    return std::string("\x0a") + static_cast<char>(one.size()) + one;
}

std::string repeated(const std::string &one, size_t count)
{
    std::string all;
    for (size_t i = 0; i < count; ++i)
        all += one;
    return all;
}

// What a client makes of an answer.
outcome read(const std::string &body, std::vector<method_info> &into)
{
    ipc::rpc::listing::answer answer;
    if (!parse(answer, reinterpret_cast<const uint8_t *>(body.data()), body.size()))
        return {status::internal, not_a(answer, "response", body.size())};
    into = answer.methods;
    return {};
}

} // namespace

TEST(EveryKindOfMethodIsListedInOrder)
{
    server at("rpc");
    offer_every_kind(at);
    at.start();
    client caller("rpc");
    CHECK_EQUAL(lines(caller.list_methods()), every_kind);
    std::vector<method_info> again(3);
    CHECK(caller.try_list_methods(again));
    CHECK_EQUAL(again.size(), 8u);
    CHECK(again[2].kind == method_kind::server_stream);
}

TEST(TheAnswerHasTheBytesThatTheProtocolSays)
{
    server at("rpc");
    at.one_way(ipc::rpc::one_way_method<Blob>("hand.v1", "Tell"), [](const Blob &) {});
    at.duplex(ipc::rpc::duplex_method<Blob, Blob, Blob>("hand.v1", "Scale"),
              [](const Blob &, ipc::rpc::stream_input<Blob> &, ipc::rpc::stream_writer<Blob> &) {});
    at.unary(ipc::rpc::method<Blob, Blob>("hand.v1", "Ask"), [](const Blob &, Blob &) {});
    at.start();
    ipc::connection raw = ipc::connection::connect("rpc");
    const frame_header asked = of(frame_kind::request, 1, ipc::rpc::method_id("ipc.reflection.v1", "List"));
    raw.writer().write(bytes_of(asked, "\x18\x01"), 1); // a field that a later version has
    std::string body;
    CHECK_EQUAL(receive(raw, body).kind, static_cast<uint8_t>(frame_kind::response));
    CHECK(body == listed("Ask") + listed("Scale", "\x18\x03") + listed("Tell", "\x20\x01"));
}

TEST(AServerWithoutMethodsListsNone)
{
    server at("rpc");
    at.start();
    client caller("rpc");
    CHECK(caller.list_methods().empty());
    CHECK(caller.list_methods().empty());
}

TEST(AHandlerAsksItsClient)
{
    const serving here([](server &at) {
        at.unary(ipc::rpc::method<Blob, Blob>("hand.v1", "Down"),
                 [](const Blob &, Blob &response, call_context &context) {
                     std::vector<method_info> methods;
                     const outcome asked = context.caller().try_list_methods(methods);
                     if (asked)
                         response.set_data(lines(methods));
                     return asked;
                 });
    });
    client_options options;
    options.services = std::make_shared<service>();
    offer_every_kind(*options.services);
    const ipc::rpc::method<Blob, Blob> down("hand.v1", "Down");
    client caller("rpc", options);
    CHECK_EQUAL(caller.call(down, blob("")).data(), every_kind);

    client plain("rpc");
    Blob response;
    CHECK_EQUAL(plain.try_call(down, blob(""), response).code, status::unimplemented);
}

TEST(AnInterceptorSeesTheCallAndMayRefuseIt)
{
    struct discreet : ipc::rpc::server_interceptor {
        outcome starting(call_context &, const call_info &call) override
        {
            if (call.service == "ipc.reflection.v1" && call.name == "List")
                return {status::permission_denied, "no"};
            return {};
        }
    };
    ipc::rpc::server_options options;
    options.interceptors.push_back(std::make_shared<discreet>());
    const serving here({}, options);
    client caller("rpc");
    std::vector<method_info> methods(1);
    const outcome refused = caller.try_list_methods(methods);
    CHECK_EQUAL(refused.code, status::permission_denied);
    CHECK_EQUAL(refused.at->method, "ipc.reflection.v1/List");
    CHECK(methods.empty());
}

TEST(AMethodOfTheServersOwnWithThatNameTakesPrecedence)
{
    const ipc::rpc::method<Blob, Blob> own("ipc.reflection.v1", "List");
    server at("rpc");
    at.unary(own, [](const Blob &request, Blob &response) { response = request; });
    at.start();
    client caller("rpc");
    CHECK_EQUAL(caller.call(own, blob("mine")).data(), "mine");
}

// Who asks for what there is not, is not told of it.
TEST(TheTextOfAnUnknownMethodDoesNotNameIt)
{
    const ipc::rpc::method<Blob, Blob> own("hand.v1", "Ask"), other("other.v1", "Ask");
    server at("rpc");
    at.unary(own, [](const Blob &request, Blob &response) { response = request; });
    at.start();
    client caller("rpc");
    Blob response;
    CHECK(caller.try_call(other, blob(""), response).text.find("It has hand.v1: Ask. ") != std::string::npos);
}

TEST(WhatIsNoListIsRefused)
{
    using namespace std::string_literals;
    const std::string bad[] = {
        "\x0a\x05\x0a"s,               // cut off
        "\x0a\x03\x0a\x01\xff"s,       // no UTF-8
        "\x0a\x02\x18\x80"s,           // a number that does not end within its method
        "\x0c"s,                       // a group ends that has not begun
        repeated("\x0a\x00"s, 65'537), // too many
    };
    std::vector<method_info> methods;
    for (const std::string &body : bad)
        CHECK_EQUAL(read(body, methods).code, status::internal);
}

TEST(WhatIsOddIsTakenAndWhatIsNotKnownIsLeftOut)
{
    using namespace std::string_literals;
    std::vector<method_info> methods;
    CHECK(read("", methods));
    CHECK(methods.empty());
    CHECK(read("\x0a\x00"s, methods));
    CHECK_EQUAL(lines(methods), "/ unary");
    const std::string odd = listed("A", "\x18\x04") + // kinds of later versions
                            listed("B", "\x18\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01") +
                            listed("C", "\x18\x03\x20\x07\x38\x01\x42\x01\x00"s) + // fields of later versions
                            listed("D", "\x1a\x01\x00"s) + // a known number of another wire type
                            "\x10\x01\x12\x01\x00"s + listed("C");
    CHECK(read(odd, methods));
    CHECK_EQUAL(lines(methods), "hand.v1/C duplex one-way, hand.v1/D unary, hand.v1/C unary");
    CHECK(read(repeated("\x0a\x00"s, 65'536), methods));
    CHECK_EQUAL(methods.size(), 65'536u);
}

// A client goes on after such an answer.
TEST(AnAnswerThatIsNoListFailsTheCallAndNothingElse)
{
    const ipc::rpc::method<Blob, Blob> own("ipc.reflection.v1", "List");
    server at("rpc");
    at.unary(own, [](const Blob &, Blob &response) { response.set_data("no list"); });
    at.unary(contract::echo, [](const Blob &request, Blob &response) { response = request; });
    at.start();
    client caller("rpc");
    std::vector<method_info> methods(1);
    const outcome failed = caller.try_list_methods(methods);
    CHECK_EQUAL(failed.code, status::internal);
    CHECK(methods.empty());
    CHECK_EQUAL(caller.call(contract::echo, blob("still")).data(), "still");
}

} // namespace rpc_reflection_test
