// A server by hand, of one client, to whom it writes before it is asked; and who may be asked and read nothing.
#ifndef RPC_RAW_SERVER_HPP
#define RPC_RAW_SERVER_HPP

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "rpc_raw.hpp"
#include "rpc_serving.hpp"

class raw_server
{
  public:
    static constexpr uint64_t ring_size = 16 << 20;
    static constexpr uint64_t first_call = (uint64_t{1} << 32) | 1; // the first use of the first entry
    static constexpr uint64_t nobodys = 77;

    explicit raw_server(ipc::rpc::client_options options = {})
    {
        std::thread accepting([this] {
            ipc_event event{};
            CHECK_EQUAL(listener_.next(event, std::chrono::seconds(60)), IPC_OK);
            CHECK_EQUAL(ipc_connection_accept(event.connection), IPC_OK);
            to = std::make_unique<ipc::connection>(event.connection);
        });
        options.to_client_capacity = ring_size;
        options.auto_reconnect = false;
        caller = std::make_unique<ipc::rpc::client>("rpc", std::move(options));
        accepting.join();
    }

    // As many frames of nobody's as there is room for, but for what comes last. It takes some ten milliseconds to read
    // them.
    void fill()
    {
        const std::string frame = raw_frames::bytes_of(raw_frames::of(ipc::rpc::frame_kind::response, nobodys));
        for (uint64_t left = ring_size / 64 - 100; left != 0; --left)
            to->writer().write(frame, 1);
    }

    void send(const ipc::rpc::frame_header &header, const std::string &data = "")
    {
        to->writer().write(raw_frames::bytes_of(header, data.empty() ? "" : blob(data).SerializeAsString()), 1);
    }

    // Whether the client has sent something. A call whose deadline had passed before it could, on a busy machine, took
    // nothing from either ring, and may be made again as if it were the first.
    bool was_asked()
    {
        ipc::record request;
        return to->reader().try_read(request) == IPC_OK;
    }

    // The next frame of the client's, whenever it comes.
    ipc::rpc::frame_header receive()
    {
        std::string body;
        return raw_frames::receive(*to, body);
    }

    // The same, of that kind; what comes before it is dropped.
    ipc::rpc::frame_header receive(ipc::rpc::frame_kind kind)
    {
        for (;;)
            if (const ipc::rpc::frame_header got = receive(); got.kind == static_cast<uint8_t>(kind))
                return got;
    }

    // Reads all that is there.
    void drain()
    {
        for (ipc::record raw; to->reader().try_read(raw) == IPC_OK;)
            to->reader().release();
    }

    void answer_one()
    {
        send(raw_frames::of(ipc::rpc::frame_kind::response, receive().call), "answer");
    }

    std::unique_ptr<ipc::connection> to;
    std::unique_ptr<ipc::rpc::client> caller;

  private:
    ipc::listener listener_{"rpc"};
};

#endif
