// Protobuf at the edge of the ring: messages are serialised straight into claimed bytes and parsed straight out of
// received ones.
#ifndef IPC_RPC_CODEC_HPP
#define IPC_RPC_CODEC_HPP

#include <climits>
#include <cstdint>
#include <new>
#include <string>

#include <google/protobuf/message_lite.h>

#include "frame.hpp"
#include "status.hpp"

namespace ipc::rpc
{

using message = google::protobuf::MessageLite;

// Serialised size; remembered inside the message for the write() that must follow before it changes.
inline uint64_t size_of(const message &value)
{
    return value.ByteSizeLong();
}

inline void write(const message &value, uint8_t *place)
{
    value.SerializeWithCachedSizesToArray(place);
}

// Replaces VALUE by what the bytes say. False when they say nothing, or more than there is memory for.
inline bool parse(message &value, const uint8_t *bytes, uint64_t size) noexcept
{
    try {
        return size <= INT_MAX && value.ParseFromArray(bytes, static_cast<int>(size));
    } catch (const std::bad_alloc &) {
        return false;
    }
}

inline std::string not_a(const message &value, const char *what, uint64_t size)
{
    return std::string("the ") + what + " (" + std::to_string(size) + " bytes) is not a valid " + value.GetTypeName();
}

// The error body: string type = 1, string text = 2, bytes details = 3. Written and read by hand: it needs no generated
// class.
namespace error_body
{

inline void append_varint(std::string &out, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        out.push_back(static_cast<char>(value | 0x80));
    out.push_back(static_cast<char>(value));
}

inline void append_string(std::string &out, int field, const std::string &value)
{
    if (value.empty())
        return;
    out.push_back(static_cast<char>(field << 3 | 2));
    append_varint(out, value.size());
    out += value;
}

// Cut to LIMIT bytes, at the start of a character.
inline std::string cut(const std::string &text, size_t limit)
{
    if (text.size() <= limit)
        return text;
    size_t end = limit;
    while (end > 0 && (static_cast<uint8_t>(text[end]) & 0xC0) == 0x80)
        --end;
    return text.substr(0, end);
}

// Length of the well-formed character at AT, 0 when there is none.
inline size_t character(const std::string &text, size_t at) noexcept
{
    const auto byte = [&](size_t i) { return i < text.size() ? static_cast<uint8_t>(text[i]) : 0u; };
    const uint32_t lead = byte(at);
    if (lead < 0x80)
        return 1;
    const size_t length = lead >= 0xC2 && lead < 0xE0   ? 2
                          : lead >= 0xE0 && lead < 0xF0 ? 3
                          : lead >= 0xF0 && lead < 0xF5 ? 4
                                                        : 0;
    for (size_t i = 1; i < length; ++i)
        if ((byte(at + i) & 0xC0) != 0x80)
            return 0;
    const uint32_t second = byte(at + 1);
    const bool bad = (lead == 0xE0 && second < 0xA0) || (lead == 0xED && second >= 0xA0) ||
                     (lead == 0xF0 && second < 0x90) || (lead == 0xF4 && second >= 0x90);
    return bad ? 0 : length;
}

// what() may hold any bytes; a protobuf string may not.
inline std::string utf8(const std::string &text)
{
    std::string out;
    for (size_t at = 0; at < text.size();) {
        const size_t length = character(text, at);
        if (length == 0)
            out.push_back('?');
        else
            out.append(text, at, length);
        at += length == 0 ? 1 : length;
    }
    return out;
}

// At most LIMIT bytes.
inline std::string encode(const std::string &type, const std::string &text, size_t limit)
{
    std::string out;
    append_string(out, 1, cut(utf8(type), limit / 4));
    append_string(out, 2, cut(utf8(text), limit / 2));
    return out;
}

inline bool read_varint(const uint8_t *&at, const uint8_t *end, uint64_t &value) noexcept
{
    value = 0;
    for (int shift = 0; shift < 64 && at < end; shift += 7) {
        const uint8_t byte = *at++;
        value |= static_cast<uint64_t>(byte & 0x7F) << shift;
        if ((byte & 0x80) == 0)
            return true;
    }
    return false;
}

// Takes what it can understand; an error whose body is damaged is still an error.
inline void decode(const uint8_t *bytes, uint32_t size, outcome &into)
{
    const uint8_t *at = bytes;
    const uint8_t *const end = bytes + size;
    while (at < end) {
        uint64_t tag = 0;
        uint64_t length = 0;
        if (!read_varint(at, end, tag) || (tag & 7) != 2 || !read_varint(at, end, length) ||
            length > static_cast<uint64_t>(end - at))
            return;
        if (tag >> 3 == 1)
            into.type.assign(reinterpret_cast<const char *>(at), length);
        else if (tag >> 3 == 2)
            into.text.assign(reinterpret_cast<const char *>(at), length);
        at += length;
    }
}

} // namespace error_body
} // namespace ipc::rpc
#endif
