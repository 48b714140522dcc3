// The frame: 24 bytes and a body, one per record (docs/rpc-protocol.md section 1). Nothing here knows protobuf, threads
// or calls.
//
// A frame that arrives was written by somebody who may be hostile: decode() copies the header out of shared memory
// once, and everything after looks at the copy.
#ifndef IPC_RPC_FRAME_HPP
#define IPC_RPC_FRAME_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "../../ipc.hpp"

namespace ipc::rpc
{

enum class frame_kind : uint8_t {
    request = 1,
    response = 2,
    error = 3,
    item = 4,
    end = 5,
    credit = 6,
    cancel = 7,
    ping = 8,
    pong = 9,
};

struct frame_header {
    uint8_t kind = 0;
    uint8_t flags = 0;
    uint16_t code = 0;
    uint32_t method = 0;
    uint64_t call = 0;
    uint64_t deadline = 0;
};

static_assert(sizeof(frame_header) == 24, "the frame header of docs/rpc-protocol.md");
static_assert(offsetof(frame_header, code) == 2 && offsetof(frame_header, method) == 4, "docs/rpc-protocol.md");
static_assert(offsetof(frame_header, call) == 8 && offsetof(frame_header, deadline) == 16, "docs/rpc-protocol.md");

constexpr uint32_t frame_header_size = 24;
constexpr uint16_t frame_record_type = 1;
constexpr uint8_t flag_one_way = 1;
constexpr uint32_t max_ping_body = 64;
constexpr uint32_t max_first_credit = 65535;

// FNV-1a, 32 bit, over "service/method".
constexpr uint32_t method_id(std::string_view service, std::string_view method) noexcept
{
    uint32_t hash = 2166136261u;
    const auto mix = [&hash](char c) { hash = (hash ^ static_cast<uint8_t>(c)) * 16777619u; };
    for (const char c : service)
        mix(c);
    mix('/');
    for (const char c : method)
        mix(c);
    return hash;
}

inline frame_header header_of(frame_kind kind, uint64_t call) noexcept
{
    frame_header made;
    made.kind = static_cast<uint8_t>(kind);
    made.call = call;
    return made;
}

struct frame {
    frame_header header;
    const uint8_t *body = nullptr;
    uint32_t size = 0;

    frame_kind kind() const noexcept
    {
        return static_cast<frame_kind>(header.kind);
    }
};

enum class side { client, server };

// Reads RECORD as a frame sent by FROM. Returns what is wrong with it, or null.
inline const char *decode(const record &raw, side from, frame &out) noexcept
{
    if (raw.type != frame_record_type)
        return "a record that is not a frame (its type is not 1)";
    if (raw.size < frame_header_size)
        return "a frame shorter than its 24-byte header";
    std::memcpy(&out.header, raw.data, frame_header_size);
    out.body = raw.data + frame_header_size;
    out.size = raw.size - frame_header_size;

    if ((out.header.flags & ~flag_one_way) != 0)
        return "a frame with a reserved flag";
    switch (out.kind()) {
    case frame_kind::request:
        if (out.header.call == 0)
            return "a request with call id 0";
        [[fallthrough]];
    case frame_kind::credit:
    case frame_kind::cancel:
        return from == side::client ? nullptr : "a client's frame from the server";
    case frame_kind::response:
    case frame_kind::error:
    case frame_kind::item:
    case frame_kind::end:
        return from == side::server ? nullptr : "a server's frame from the client";
    case frame_kind::ping:
    case frame_kind::pong:
        return out.size <= max_ping_body ? nullptr : "a ping of more than 64 bytes";
    }
    return "a frame of unknown kind";
}

// Header and body in place. PLACE has room for both; WRITE fills the body.
template <class Write> void encode(uint8_t *place, const frame_header &header, Write &&write)
{
    std::memcpy(place, &header, frame_header_size);
    write(place + frame_header_size);
}

// A small frame, now or not at all.
inline ipc::status try_send(writer_ref writer, const frame_header &header, const void *body = nullptr,
                            uint32_t size = 0) noexcept
{
    uint8_t *place = nullptr;
    const ipc::status code = writer.try_claim(frame_header_size + size, place);
    if (code != IPC_OK)
        return code;
    encode(place, header, [&](uint8_t *at) {
        if (size != 0)
            std::memcpy(at, body, size);
    });
    return writer.commit(frame_header_size + size, frame_record_type);
}

// A full ring is an answer too.
inline void answer_ping(writer_ref writer, const frame &ping) noexcept
{
    frame_header pong = ping.header;
    pong.kind = static_cast<uint8_t>(frame_kind::pong);
    try_send(writer, pong, ping.body, ping.size);
}

inline std::string too_large(const char *what, uint64_t size, uint64_t limit)
{
    return std::string("the ") + what + " has " + std::to_string(size) + " bytes, the ring takes " +
           std::to_string(limit) +
           "; open the connection with larger rings or a larger loan budget, or send less at a time";
}

} // namespace ipc::rpc
#endif
