// Any bytes as the frames of a server, into a real client with a call of each shape pending, and callbacks served: the
// call ends, and the next one too.
//
// A thread is the server: it reads the request, writes the input, then an error for the call, and answers whatever the
// client asks from then on, until that goes. So no call has a reason to hang. In one shape it ends in good order
// instead, having handled nothing, and the client, which waits for its server, comes again.
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include <unistd.h>

#include "../rpc/rpc_contract.hpp"
#include "script.hpp"

namespace fuzz_client
{

using namespace std::chrono_literals;
using ipc::rpc::frame_header;
using ipc::rpc::frame_kind;
using ipc::rpc::outcome;

namespace
{

class raw_server
{
  public:
    raw_server() : listener_("fuzz")
    {
    }

    // LEAVES: it ends, when it has said what the input says, and comes again.
    void serve(fuzz::script input, bool leaves)
    {
        ipc_event event{};
        admit(event);
        for (bool first = true; next(event) && event.kind == IPC_EVENT_READABLE; first = false) {
            ipc::connection lent(event.connection);
            exchange(lent, first ? &input : nullptr, leaves);
            if (first && leaves) {
                lent.shutdown(IPC_CLOSE_SHUTDOWN, "The server stopped.", 0);
                lent.close();
                admit(event);
                continue;
            }
            lent.release();
            listener_.give_back(event.connection);
        }
        ipc_connection_close(event.connection);
    }

  private:
    void admit(ipc_event &event)
    {
        fuzz::require(next(event) && event.kind == IPC_EVENT_CONNECT, "the client connects");
        fuzz::require(ipc_connection_accept(event.connection) == IPC_OK, "it is accepted");
        listener_.give_back(event.connection);
    }

    bool next(ipc_event &event)
    {
        return listener_.next(event, 20s) == IPC_OK;
    }

    static void exchange(ipc::connection &with, fuzz::script *input, bool leaves)
    {
        ipc::record raw;
        while (with.reader().try_read(raw) == IPC_OK) {
            ipc::rpc::frame got;
            fuzz::require(ipc::rpc::decode(raw, ipc::rpc::side::client, got) == nullptr, "the client sends frames");
            const frame_header header = got.header;
            with.reader().release();
            if (got.kind() != frame_kind::request || got.is_callback())
                continue;
            if (input != nullptr)
                play(with, *input, header.call);
            if (std::exchange(input, nullptr) != nullptr && leaves)
                return;
            frame_header end = ipc::rpc::header_of(frame_kind::error, header.call);
            end.code = 10;
            if (with.writer().write_until(std::string(reinterpret_cast<const char *>(&end), sizeof end), 1, 10s) != IPC_OK)
                return; // the client has closed: what was played may have made it
        }
    }

    static void play(ipc::connection &with, fuzz::script &input, uint64_t call)
    {
        std::string record;
        for (uint16_t type = 0; input.next(record, type, call);)
            if (with.writer().write_until(record, type, 10s) != IPC_OK)
                return;
    }

    ipc::listener listener_;
};

template <class Stream> outcome drain(Stream &from)
{
    contract::Blob item;
    for (bool got = true; got;)
        if (outcome result = from.try_next(item, got); !result)
            return result;
    return {};
}

outcome call(ipc::rpc::client &client, unsigned shape)
{
    contract::Blob request, response;
    const contract::CountRequest counting;
    ipc::rpc::call_options options;
    ipc::rpc::metadata received;
    options.received = &received;
    options.until = 10s;
    switch (shape % 5) {
    case 0:
        return client.try_call(contract::echo, request, response, options);
    case 1: {
        auto stream = client.stream(contract::count, counting, options);
        return drain(stream);
    }
    case 2: {
        auto stream = client.client_stream(contract::collect, counting, options);
        for (int i = 0; i < 3 && stream.write(request); ++i) {
        }
        return stream.try_finish(response);
    }
    case 3: {
        auto stream = client.duplex(contract::mirror, counting, options);
        for (int i = 0; i < 3 && stream.write(request); ++i) {
        }
        return drain(stream);
    }
    default:
        return client.try_call(
            contract::steps, counting, response, [](const contract::Blob &) {}, options);
    }
}

void attempt(ipc::rpc::client &client, unsigned shape)
{
    try {
        const outcome ended = call(client, shape);
        fuzz::require(ended.code != ipc::rpc::status::deadline_exceeded || !ended.text.empty(), "a text");
    } catch (const ipc::rpc::error &failure) {
        fuzz::require(failure.code() != ipc::rpc::status::deadline_exceeded, "a call that hangs");
    }
}

// The server has handled it at the first time or is asked again, whatever it has said.
void attempt_again(ipc::rpc::client &client)
{
    contract::Blob response;
    const outcome ended = client.call_async(contract::echo, contract::Blob(), 10s).try_get(response);
    fuzz::require(ended.code != ipc::rpc::status::deadline_exceeded, "a call that is made again ends");
    attempt(client, 0); // perhaps where the first one was, to its end
}

} // namespace

int run(const uint8_t *data, size_t size)
{
    [[maybe_unused]] static const bool ready = fuzz::prepare();
    static raw_server server;
    contract::most() = 64;
    fuzz::script input(data, size);
    const unsigned shape = input.byte();
    const bool leaves = (shape & 0x7F) == 5;
    std::thread serving([&] { server.serve(input, leaves); });
    {
        ipc::rpc::client_options options;
        options.auto_reconnect = options.wait_for_ready = leaves;
        options.stream_window = 2;
        options.max_threads = 2;
        if (shape >= 0x80)
            options.services = contract::callbacks();
        ipc::rpc::client client("fuzz", options);
        if (leaves)
            attempt_again(client);
        else
            attempt(client, shape);
        attempt(client, 0);
    }
    serving.join();
    return 0;
}

} // namespace fuzz_client
