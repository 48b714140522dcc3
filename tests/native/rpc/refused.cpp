// Programs that must not compile, and the first thing that a compiler says of each (checks.cmake, refused.cmake): a line
// `// NAME: TEXT` for each case, whose code is between `#ifdef REFUSED_NAME` and `#endif`. Without a name it compiles.
#include "ipc/rpc.hpp"

#include "tests.pb.h"

#include <functional>
#include <memory>
#include <tuple>

using namespace tests::v1;
using namespace ipc::rpc;

struct plain {
    int number;
};

constexpr method<Blob, Blob> add{"s", "Add"};
constexpr progress_method<Blob, Blob, Blob> slow{"s", "Slow"};
constexpr one_way_method<Blob> tell{"s", "Tell"};
constexpr stream_method<Blob, Blob> watch{"s", "Watch"};
constexpr client_stream_method<Blob, Blob, Blob> sum{"s", "Sum"};
constexpr duplex_method<Blob, Blob, Blob> echo{"s", "Echo"};
constexpr method<plain, Blob> no_request{"s", "NoRequest"};
constexpr method<Blob, plain> no_response{"s", "NoResponse"};
constexpr stream_method<Blob, std::string> no_item{"s", "NoItem"};

void fill(const Blob &, Blob &response)
{
    response.Clear();
}

void use(service &to, client &from)
{
    Blob blob;
    to.unary(add, [](const Blob &, Blob &) {});
    // What is right stays right, however it is written. A generic lambda's body is compiled for whatever it is asked about.
    to.unary(add, [](const auto &, auto &response) { response.Clear(); });
    to.unary(add, [](const auto &, auto &response, auto &) { response.Clear(); });
    to.unary(add, [](const Blob &, auto &response) noexcept -> outcome { return response.Clear(), outcome(); });
    to.unary(add, [owned = std::make_unique<int>(0)](const Blob &, Blob &) mutable { *owned = 1; });
    to.unary(add, fill);
    to.unary(add, std::function<void(const Blob &, Blob &)>(fill));
    to.unary(add, [](const Blob &) { return std::make_shared<const Blob>(); });
    to.unary(add, [](const Blob &) { return std::make_shared<Blob>(); });
    to.unary(add, [](const Blob &, auto &...) { return std::make_shared<const Blob>(); });
    (void)from.try_call(add, blob, blob);
// unary_arguments: ipc: a unary handler takes (const Request &, Response &)
#ifdef REFUSED_unary_arguments
    to.unary(add, [](const plain &, Blob &) {});
#endif
// unary_by_value: ipc: a unary handler takes (const Request &, Response &)
#ifdef REFUSED_unary_by_value
    to.unary(add, [](const Blob &request) { return request; });
#endif
// unary_result: ipc: a unary handler takes (const Request &, Response &)
#ifdef REFUSED_unary_result
    to.unary(add, [](const Blob &, Blob &) { return "failed"; });
#endif
// unary_generic_result: ipc: a unary handler takes (const Request &, Response &)
#ifdef REFUSED_unary_generic_result
    to.unary(add, [](auto &&...given) { return std::get<1>(std::tie(given...)).data(); });
#endif
// unary_by_name: ipc: a unary handler takes (const Request &, Response &)
#ifdef REFUSED_unary_by_name
    to.unary<Blob, Blob>("s", "Add", [] {});
#endif
// progress: ipc: a progress handler takes (const Request &, Response &, progress_writer<Progress> &)
#ifdef REFUSED_progress
    to.unary(slow, [](const Blob &, Blob &) {});
#endif
// one_way: ipc: a one-way handler takes (const Request &)
#ifdef REFUSED_one_way
    to.one_way(tell, [](const Blob &, Blob &) {});
#endif
// server_stream: ipc: a server stream's handler takes (const Request &, stream_writer<Item> &)
#ifdef REFUSED_server_stream
    to.server_stream(watch, [](const Blob &, Blob &) {});
#endif
// client_stream: ipc: a client stream's handler takes (const Request &, stream_input<In> &, Response &)
#ifdef REFUSED_client_stream
    to.client_stream(sum, [](const Blob &, stream_writer<Blob> &, Blob &) {});
#endif
// duplex: ipc: a duplex handler takes (const Request &, stream_input<In> &, stream_writer<Out> &)
#ifdef REFUSED_duplex
    to.duplex(echo, [](const Blob &, stream_writer<Blob> &, stream_input<Blob> &) {});
#endif
// served_request: ipc: what is received must be a protobuf message
#ifdef REFUSED_served_request
    to.unary(no_request, [](const plain &, Blob &) {});
#endif
// served_item: ipc: what is sent must be a protobuf message
#ifdef REFUSED_served_item
    to.server_stream(no_item, [](const Blob &, stream_writer<std::string> &) {});
#endif
// called_request: ipc: what is sent must be a protobuf message
#ifdef REFUSED_called_request
    (void)from.try_call(no_request, plain(), blob);
#endif
// called_response: ipc: what is received must be a protobuf message
#ifdef REFUSED_called_response
    (void)from.call(no_response, blob);
#endif
// called_item: ipc: what is received must be a protobuf message
#ifdef REFUSED_called_item
    (void)from.stream(no_item, blob);
#endif
// called_async: ipc: what is received must be a protobuf message
#ifdef REFUSED_called_async
    (void)from.call_async(no_response, blob).get();
#endif
}
