// The error body: string type = 1, string text = 2, repeated google.protobuf.Any details = 3.
#ifndef IPC_RPC_DETAIL_ERROR_BODY_HPP
#define IPC_RPC_DETAIL_ERROR_BODY_HPP

#include <cstdint>
#include <string>
#include <string_view>

#include "../status.hpp"
#include "text.hpp"
#include "wire.hpp"

namespace ipc::rpc::error_body
{

constexpr size_t most_words = 16384;

// At most LIMIT bytes. Type and text are cut; details that do not fit are left out, and the text says so.
inline std::string encode(const outcome &why, size_t limit)
{
    const size_t words = limit < most_words ? limit : most_words;
    std::string details;
    size_t left_out = 0;
    for (const error_detail &each : why.details) {
        std::string any;
        wire::append_unless_empty(any, 1, each.type_url);
        wire::append_unless_empty(any, 2, each.bytes);
        if (details.size() + any.size() + words + 16 > limit)
            ++left_out;
        else
            wire::append_field(details, 3, any);
    }
    std::string said = why.text;
    if (left_out != 0)
        said = "(" + std::to_string(left_out) + " details did not fit the ring) " + said;
    std::string out;
    wire::append_unless_empty(out, 1, text::cut(text::utf8(why.type), words / 4));
    wire::append_unless_empty(out, 2, text::cut(text::utf8(said), words / 2));
    return out + details;
}

// Takes what it can understand; an error whose body is damaged is still an error.
inline void decode(const void *bytes, size_t size, outcome &into)
{
    wire::reader fields(bytes, size);
    uint64_t field = 0;
    for (std::string_view value; fields.next(field, value);) {
        if (!fields.is_bytes)
            continue;
        if (field == 1)
            into.type = value;
        else if (field == 2)
            into.text = value;
        else if (field == 3) {
            error_detail detail;
            wire::reader any(value);
            for (std::string_view part; any.next(field, part);) {
                if (any.is_bytes && field == 1)
                    detail.type_url = part;
                else if (any.is_bytes && field == 2)
                    detail.bytes = part;
            }
            if (!any.damaged())
                into.details.push_back(std::move(detail));
        }
    }
}

} // namespace ipc::rpc::error_body
#endif
