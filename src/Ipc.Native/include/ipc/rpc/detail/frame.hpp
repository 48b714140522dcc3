// The frame: 24 bytes and a body, one per record (docs/rpc-protocol.md section 1). Nothing here knows protobuf, threads
// or calls.
//
// A frame that arrives was written by somebody who may be hostile: decode() copies the header out of shared memory
// once, and everything after looks at the copy.
#ifndef IPC_RPC_DETAIL_FRAME_HPP
#define IPC_RPC_DETAIL_FRAME_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "../../../ipc.hpp"

namespace ipc::rpc
{

// What these frames are (docs/rpc-protocol.md): said by both sides before the first of them.
inline constexpr ipc_protocol rpc_protocol{IPC_PROTOCOL_CALLS, 1, 1};

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
    progress = 10,
    read = 11,
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
constexpr uint8_t flag_one_way = 0x01;
constexpr uint8_t flag_callback = 0x02;
constexpr uint8_t flag_head = 0x04;
constexpr uint8_t flag_client_stream = 0x08;
constexpr uint8_t flag_format = 0x30; // two bits; 0 is protobuf, 3 is not used
constexpr uint32_t max_ping_body = 64;
constexpr uint32_t error_unhandled = 1; // `method` of an error: no handler has seen the request, or will
constexpr uint32_t max_first_credit = 65535;
constexpr uint32_t first_input_credit = 32; // items that a caller may send without having been given credit

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

    bool has(uint8_t flag) const noexcept
    {
        return (header.flags & flag) != 0;
    }

    bool is_callback() const noexcept
    {
        return has(flag_callback);
    }

    // Its callee is ending, and has not handled the request.
    bool says_unhandled() const noexcept
    {
        return kind() == frame_kind::error && header.method == error_unhandled && header.code == 14; // unavailable
    }
};

enum class side { client, server };

namespace detail
{

// Who may send a frame of a kind, and the flags that have a meaning on it.
struct frame_rule {
    bool from_caller;
    bool from_callee;
    uint8_t flags;
};

// By kind. Kind 0 and what is beyond the table: nobody.
constexpr frame_rule frame_rules[] = {
    {false, false, 0},
    {true, false, flag_one_way | flag_callback | flag_head | flag_client_stream | flag_format}, // request
    {false, true, flag_callback | flag_head},                                                   // response
    {false, true, flag_callback | flag_head},                                                   // error
    {true, true, flag_callback},                                                                // item
    {true, true, flag_callback | flag_head},                                                    // end
    {true, true, flag_callback},                                                                // credit
    {true, false, flag_callback},                                                               // cancel
    {true, true, 0},                                                                            // ping
    {true, true, 0},                                                                            // pong
    {false, true, flag_callback},                                                               // progress
    {true, true, 0},                                                                            // read
};

} // namespace detail

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

    if (out.header.kind == 0 || out.header.kind >= sizeof detail::frame_rules / sizeof *detail::frame_rules)
        return "a frame of unknown kind";
    const detail::frame_rule rule = detail::frame_rules[out.header.kind];
    if ((out.header.flags & ~rule.flags) != 0 || (out.header.flags & flag_format) == flag_format)
        return "a frame with a reserved flag";
    const bool from_caller = (from == side::client) != out.is_callback();
    if (!(from_caller ? rule.from_caller : rule.from_callee))
        return from_caller ? "a callee's frame as a caller" : "a caller's frame as a callee";
    switch (out.kind()) {
    case frame_kind::credit:
        if (out.header.method == 0 && out.header.deadline == 0)
            return "a credit of nothing";
        break;
    case frame_kind::read:
        if (out.header.call != 0)
            return "a frame about no call with a call id";
        return out.header.method != 0 ? nullptr : "a frame that says that nothing was read";
    case frame_kind::end:
        if (from_caller && out.has(flag_head))
            return "a frame with a reserved flag";
        break;
    case frame_kind::ping:
    case frame_kind::pong:
        return out.size <= max_ping_body ? nullptr : "a ping of more than 64 bytes";
    default:
        break;
    }
    return out.header.call != 0 ? nullptr : "a frame with call id 0";
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
inline ipc::status answer_ping(writer_ref writer, const frame &ping) noexcept
{
    frame_header pong = ping.header;
    pong.kind = static_cast<uint8_t>(frame_kind::pong);
    return try_send(writer, pong, ping.body, ping.size);
}

inline std::string too_large(const char *what, uint64_t size, uint64_t limit)
{
    return std::string("the ") + what + " has " + std::to_string(size) + " bytes, the ring takes " +
           std::to_string(limit) +
           "; open the connection with larger rings or a larger loan budget, or send less at a time";
}

} // namespace ipc::rpc
#endif
