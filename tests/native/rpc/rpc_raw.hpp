// Frames written and read by hand, over raw connections.
#ifndef RPC_RAW_HPP
#define RPC_RAW_HPP

#include <cstring>
#include <string>

#include "rpc_check.hpp"
#include "rpc_contract.hpp"

namespace raw_frames
{

using ipc::rpc::frame_header;
using ipc::rpc::frame_kind;

inline std::string bytes_of(const frame_header &header, const std::string &body = "")
{
    return std::string(reinterpret_cast<const char *>(&header), sizeof header) + body;
}

inline frame_header of(frame_kind kind, uint64_t call, uint32_t method = 0)
{
    frame_header made;
    made.kind = static_cast<uint8_t>(kind);
    made.call = call;
    made.method = method;
    return made;
}

inline std::string request(uint64_t call, const std::string &data, uint8_t flags = 0)
{
    contract::Blob message;
    message.set_data(data);
    frame_header header = of(frame_kind::request, call, contract::echo.id);
    header.flags = flags;
    return bytes_of(header, message.SerializeAsString());
}

// The next frame that the peer sent; its body in BODY.
inline frame_header receive(ipc::connection &from, std::string &body)
{
    ipc::record raw;
    CHECK_EQUAL(from.reader().read(raw, std::chrono::seconds(30)), IPC_OK);
    CHECK_EQUAL(raw.type, 1);
    CHECK(raw.size >= 24);
    frame_header header;
    std::memcpy(&header, raw.data, sizeof header);
    body.assign(reinterpret_cast<const char *>(raw.data) + 24, raw.size - 24);
    from.reader().release();
    return header;
}

} // namespace raw_frames

#endif
