// What may stand before a message: trace context, metadata, the name of a format (docs/rpc-protocol.md section 1,
// Head).
#ifndef IPC_RPC_DETAIL_HEAD_HPP
#define IPC_RPC_DETAIL_HEAD_HPP

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "../metadata.hpp"
#include "text.hpp"
#include "wire.hpp"

namespace ipc::rpc
{

struct head {
    std::string trace; // 16 bytes W3C trace id, 8 bytes parent span id, 1 byte flags; or empty
    std::string trace_state;
    metadata entries;
    std::string format;
};

namespace detail
{

constexpr uint32_t max_head = 16384;
constexpr size_t trace_size = 25;

// The head with its length before it; empty when there is nothing to say. Longer than max_head + 4: it may not travel.
inline std::string encode_head(std::string_view trace, std::string_view trace_state, const metadata *entries)
{
    std::string out(4, '\0');
    wire::append_unless_empty(out, 1, trace);
    wire::append_unless_empty(out, 2, trace_state);
    if (entries != nullptr)
        for (const metadata::entry &each : *entries) {
            std::string entry;
            wire::append_unless_empty(entry, 1, each.first);
            wire::append_unless_empty(entry, 2, each.second);
            wire::append_field(out, 3, entry);
        }
    if (out.size() == 4)
        return {};
    const auto length = static_cast<uint32_t>(out.size() - 4);
    std::memcpy(out.data(), &length, 4);
    return out;
}

inline bool decode_entry(std::string_view bytes, metadata &into)
{
    std::string key, value;
    wire::reader fields(bytes);
    uint64_t field = 0;
    for (std::string_view part; fields.next(field, part);) {
        if (fields.is_bytes && field == 1)
            key = part;
        else if (fields.is_bytes && field == 2)
            value = part;
    }
    return !fields.damaged() && into.try_add(std::move(key), std::move(value));
}

// Takes the head off the front of BODY. False when it is none.
inline bool decode_head(const uint8_t *&body, uint32_t &size, head &into)
{
    uint32_t length = 0;
    if (size < 4)
        return false;
    std::memcpy(&length, body, 4);
    if (length > max_head || length > size - 4)
        return false;
    const std::string bytes(reinterpret_cast<const char *>(body) + 4, length); // shared memory is read once
    wire::reader fields(bytes);
    uint64_t field = 0;
    for (std::string_view value; fields.next(field, value);) {
        if (!fields.is_bytes)
            continue;
        if (field == 1)
            into.trace = value;
        else if (field == 2)
            into.trace_state = value;
        else if (field == 3 && !decode_entry(value, into.entries))
            return false;
        else if (field == 4)
            into.format = value;
    }
    if (fields.damaged() || (!into.trace.empty() && into.trace.size() != trace_size))
        return false;
    if (!text::is_utf8(into.trace_state) || !text::is_utf8(into.format))
        return false;
    body += 4 + length;
    size -= 4 + length;
    return true;
}

} // namespace detail
} // namespace ipc::rpc
#endif
