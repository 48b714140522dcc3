// Text that travels: protobuf strings are UTF-8, what() may be anything.
#ifndef IPC_RPC_DETAIL_TEXT_HPP
#define IPC_RPC_DETAIL_TEXT_HPP

#include <cstddef>
#include <cstdint>
#include <string>

namespace ipc::rpc::text
{

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

inline bool is_utf8(const std::string &text) noexcept
{
    for (size_t at = 0, length = 0; at < text.size(); at += length)
        if ((length = character(text, at)) == 0)
            return false;
    return true;
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

} // namespace ipc::rpc::text
#endif
