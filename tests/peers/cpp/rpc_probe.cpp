// A client for tests that are the server themselves, and a wrong one: makes one call of the shape, and then an echo,
// and prints how both ended. It never reconnects.
//
//     rpc_peer probe NAME SHAPE    SHAPE: echo count collect mirror steps, or count-late mirror-late: takes one item,
//                                  makes an echo, and takes the others
//
//     ended STATUS ITEMS           of the call; ITEMS: of a stream, or reports of progress
//     then STATUS                  of the echo
//
// 0 whatever happened.
#include <cstdio>
#include <string>

#include "rpc_contract.hpp"
#include "rpc_verbs.hpp"

namespace probe
{

using namespace std::chrono_literals;
using ipc::rpc::outcome;

namespace
{

contract::Blob blob(const char *data)
{
    contract::Blob made;
    made.set_data(data);
    return made;
}

template <class Stream> outcome drain(Stream &from, int &items, ipc::rpc::client *late)
{
    contract::Blob item;
    for (bool got = true; got;) {
        if (outcome result = from.try_next(item, got); !result)
            return result;
        items += got ? 1 : 0;
        if (late != nullptr && items == 1)
            late->call(contract::echo, blob("between"), 60s);
    }
    return {};
}

outcome call(ipc::rpc::client &client, const std::string &shape, int &items)
{
    contract::Blob response;
    const contract::CountRequest request;
    ipc::rpc::call_options options;
    options.until = 60s;
    if (shape == "echo")
        return client.try_call(contract::echo, blob("echo"), response, options);
    if (shape == "steps")
        return client.try_call(
            contract::steps, request, response, [&](const contract::Blob &) { ++items; }, options);
    ipc::rpc::client *const late = shape.find("-late") == std::string::npos ? nullptr : &client;
    if (shape.compare(0, 5, "count") == 0) {
        auto stream = client.stream(contract::count, request, options);
        return drain(stream, items, late);
    }
    if (shape == "collect") {
        auto stream = client.client_stream(contract::collect, request, options);
        stream.write(blob("item"));
        return stream.try_finish(response);
    }
    auto stream = client.duplex(contract::mirror, request, options);
    stream.write(blob("item"));
    stream.writes_done();
    return drain(stream, items, late);
}

template <class Function> outcome guarded(Function &&function)
{
    try {
        return function();
    } catch (const ipc::rpc::error &failure) {
        return {failure.code(), failure.text()};
    }
}

} // namespace

int run(const char *name, const char *shape)
{
    ipc::rpc::client_options options;
    options.auto_reconnect = false;
    options.stream_window = 4;
    ipc::rpc::client client(name, options);
    int items = 0;
    const outcome ended = guarded([&] { return call(client, shape, items); });
    std::printf("ended %s %d\n", name_of(ended.code), items);
    const outcome then = guarded([&] { return call(client, "echo", items); });
    std::printf("then %s\n", name_of(then.code));
    return 0;
}

} // namespace probe
