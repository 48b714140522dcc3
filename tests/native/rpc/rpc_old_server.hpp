// A server that ends as a test wants it to: what it reads, what it says, and how far it says that it has come.
#ifndef RPC_OLD_SERVER_HPP
#define RPC_OLD_SERVER_HPP

#include <cstring>
#include <future>
#include <memory>
#include <string>

#include "rpc_raw.hpp"
#include "rpc_serving.hpp"

namespace old_servers
{

inline ipc_listener_options protocol()
{
    ipc_listener_options how{};
    how.protocol = ipc::rpc::rpc_protocol;
    return how;
}

// Of a request that no handler has seen.
inline ipc::rpc::frame_header refusal(uint64_t call)
{
    ipc::rpc::frame_header error = raw_frames::of(ipc::rpc::frame_kind::error, call, ipc::rpc::error_unhandled);
    error.code = static_cast<uint16_t>(ipc::rpc::status::unavailable);
    return error;
}

// A server made of nothing but a listener.
class old_server
{
  public:
    old_server() : at_("rpc", protocol())
    {
    }

    // Of the one client, which connects meanwhile.
    void accept()
    {
        ipc_event asked{};
        CHECK_EQUAL(ipc_listener_next(at_.get(), ipc_deadline_after(30'000'000'000), nullptr, &asked), IPC_OK);
        CHECK_EQUAL(ipc_connection_accept(asked.connection), IPC_OK);
        from_ = asked.connection;
    }

    ipc_ring_reader *reader()
    {
        return ipc_connection_reader(from_);
    }

    void wait_for_request()
    {
        CHECK_EQUAL(ipc_ring_wait(reader(), ipc_deadline_after(30'000'000'000), nullptr), IPC_OK);
    }

    // The next request, which it then has handled.
    uint64_t take()
    {
        wait_for_request();
        ipc_record raw{};
        CHECK_EQUAL(ipc_ring_try_read(reader(), &raw), IPC_OK);
        ipc::rpc::frame_header header;
        std::memcpy(&header, raw.payload, sizeof header);
        ipc_ring_release(reader());
        return header.call;
    }

    // A request that no handler has seen, says the server.
    void refuse(uint64_t call)
    {
        send(refusal(call));
    }

    void send(const ipc::rpc::frame_header &header)
    {
        CHECK_EQUAL(ipc_ring_write(ipc_connection_writer(from_), &header, sizeof header, 1, IPC_NOW, nullptr), IPC_OK);
    }

    void end(uint64_t handled)
    {
        ipc_connection_shutdown_at(from_, IPC_CLOSE_SHUTDOWN, "The server stopped.", handled);
        ipc_connection_close(from_);
        at_ = {};
    }

    void end_without_a_word()
    {
        ipc_connection_shutdown(from_, IPC_CLOSE_SHUTDOWN, "The server stopped.");
        ipc_connection_close(from_);
        at_ = {};
    }

  private:
    ipc::listener at_;
    ipc_connection *from_ = nullptr;
};

// A client of OLD.
inline std::unique_ptr<ipc::rpc::client> client_of(old_server &old, const ipc::rpc::client_options &options = {})
{
    auto made = std::async(std::launch::async, [&] { return std::make_unique<ipc::rpc::client>("rpc", options); });
    old.accept();
    return made.get();
}

struct answer {
    ipc::rpc::outcome result;
    std::string data;
};

inline std::future<answer> call(ipc::rpc::client &of, const char *data)
{
    return std::async(std::launch::async, [&of, data] {
        answer got;
        contract::Blob response;
        got.result = of.try_call(contract::echo, blob(data), response);
        got.data = response.data();
        return got;
    });
}

} // namespace old_servers

#endif
