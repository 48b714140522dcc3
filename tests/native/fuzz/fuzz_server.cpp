// Any bytes as the frames of a client, into a real server: it answers or closes, and everybody else is served.
//
// The server lives as long as the fuzzer; each input is a connection of its own. Its last frame is a call with an id
// that the input cannot know: either that is answered, or the server has closed the connection with a reason.
#include <cstdio>
#include <cstdlib>
#include <memory>

#include <unistd.h>

#include "../rpc/rpc_contract.hpp"
#include "script.hpp"

namespace fuzz_server
{

using namespace std::chrono_literals;
using ipc::rpc::frame_header;
using ipc::rpc::frame_kind;

namespace
{

constexpr uint64_t probe = 0x70726F6265000001;

class target
{
  public:
    target() : server_("fuzz", options())
    {
        contract::most() = 64;
        contract::serve(server_);
        server_.start();
        bystander_ = std::make_unique<ipc::rpc::client>("fuzz");
    }

    void run(fuzz::script input)
    {
        ipc::connection raw = ipc::connection::connect("fuzz");
        const bool polite = (input.byte() & 1) != 0; // reads while it writes
        std::string record;
        for (uint16_t type = 0; input.next(record, type, 1);) {
            if (raw.writer().write_until(record, type, 10s) != IPC_OK)
                break;
            if (polite)
                skip_what_came(raw);
        }
        frame_header last = ipc::rpc::header_of(frame_kind::request, probe);
        last.method = contract::echo.id;
        const bool sent =
            raw.writer().write_until(std::string(reinterpret_cast<const char *>(&last), sizeof last), 1, 10s) == IPC_OK;
        fuzz::require(ends(raw) || !sent, "the connection lives, and a call on it is not answered");
        contract::Blob request, response;
        fuzz::require(static_cast<bool>(bystander_->try_call(contract::echo, request, response, 10s)),
                      "another client");
    }

  private:
    static ipc::rpc::server_options options()
    {
        ipc::rpc::server_options made;
        made.max_threads = 16;
        return made;
    }

    static void skip_what_came(ipc::connection &raw)
    {
        for (ipc::record got; raw.reader().try_read(got) == IPC_OK;)
            raw.reader().release();
    }

    // Reads until the last call is answered, or the server has closed; everything on the way is a frame.
    static bool ends(ipc::connection &raw)
    {
        for (ipc::record got;;) {
            const ipc::status code = raw.reader().read(got, 10s);
            if (code == IPC_PEER_CLOSED) {
                fuzz::require(raw.close_code() == IPC_CLOSE_PROTOCOL && !raw.close_text().empty(), "a reason");
                return true;
            }
            if (code != IPC_OK)
                return false;
            ipc::rpc::frame answer;
            fuzz::require(ipc::rpc::decode(got, ipc::rpc::side::server, answer) == nullptr, "the server sends frames");
            const bool done = answer.header.call == probe;
            raw.reader().release();
            if (done)
                return true;
        }
    }

    ipc::rpc::server server_;
    std::unique_ptr<ipc::rpc::client> bystander_;
};

} // namespace

int run(const uint8_t *data, size_t size)
{
    [[maybe_unused]] static const bool ready = fuzz::prepare();
    static target here;
    here.run(fuzz::script(data, size));
    return 0;
}

} // namespace fuzz_server
