// The method that every side with methods has, and that lists them: docs/rpc-protocol.md section 8.
#ifndef IPC_RPC_DETAIL_LISTING_HPP
#define IPC_RPC_DETAIL_LISTING_HPP

#include <cstdint>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <google/protobuf/empty.pb.h>

#include "../method.hpp"
#include "../method_info.hpp"
#include "text.hpp"
#include "wire.hpp"

namespace ipc::rpc::listing
{

// Its answer, where it is read.
struct answer {
    std::vector<method_info> methods;
};

// Its request is the empty message. So is its answer where it is written: one that has fields which it does not know,
// and writes them as they came. It needs no generated class.
using no_fields = google::protobuf::Empty;

constexpr method<no_fields, answer> list{"ipc.reflection.v1", "List"};

// A message that names more is refused, so that it does not take many times its size in memory.
constexpr size_t most = 65'536;

inline std::string encode(const std::vector<method_info> &methods)
{
    std::string all;
    for (const method_info &each : methods) {
        std::string one;
        wire::append_unless_empty(one, 1, each.service);
        wire::append_unless_empty(one, 2, each.name);
        wire::append_unless_zero(one, 3, static_cast<uint64_t>(each.kind));
        wire::append_unless_zero(one, 4, each.one_way);
        wire::append_unless_zero(one, 5, each.once);
        wire::append_unless_zero(one, 6, each.idempotent);
        wire::append_field(all, 1, one);
    }
    return all;
}

// False when the bytes are no such message. KIND is any number.
inline bool decode(std::string_view bytes, method_info &into, int32_t &kind)
{
    kind = 0;
    wire::reader fields(bytes);
    uint64_t field = 0;
    for (std::string_view value; fields.next(field, value);) {
        if (fields.is_bytes && field == 1)
            into.service = value;
        else if (fields.is_bytes && field == 2)
            into.name = value;
        else if (fields.is_number && field == 3)
            kind = static_cast<int32_t>(fields.number);
        else if (fields.is_number && field == 4)
            into.one_way = fields.number != 0;
        else if (fields.is_number && field == 5)
            into.once = fields.number != 0;
        else if (fields.is_number && field == 6)
            into.idempotent = fields.number != 0;
    }
    return !fields.damaged() && text::is_utf8(into.service) && text::is_utf8(into.name);
}

inline bool decode(answer &into, const uint8_t *bytes, uint64_t size)
{
    into.methods.clear();
    wire::reader fields(bytes, static_cast<size_t>(size));
    size_t named = 0;
    uint64_t field = 0;
    for (std::string_view value; fields.next(field, value);) {
        if (!fields.is_bytes || field != 1)
            continue;
        method_info made;
        int32_t kind = 0;
        if (++named > most || !decode(value, made, kind))
            return false;
        if (kind < static_cast<int32_t>(method_kind::unary) || kind > static_cast<int32_t>(method_kind::duplex))
            continue; // a later version's
        made.kind = static_cast<method_kind>(kind);
        into.methods.push_back(std::move(made));
    }
    return !fields.damaged();
}

// As of messages (codec.hpp).
inline bool parse(answer &value, const uint8_t *bytes, uint64_t size) noexcept
{
#ifdef IPC_NO_EXCEPTIONS
    return decode(value, bytes, size);
#else
    try {
        return decode(value, bytes, size);
    } catch (const std::bad_alloc &) {
        return false;
    }
#endif
}

inline std::string not_a(const answer &, const char *what, uint64_t size)
{
    return std::string("the ") + what + " (" + std::to_string(size) + " bytes) is not a valid list of at most " +
           std::to_string(most) + " methods";
}

} // namespace ipc::rpc::listing
#endif
