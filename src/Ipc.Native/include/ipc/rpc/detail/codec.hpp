// Protobuf at the edge of the ring: messages are serialised straight into claimed bytes and parsed straight out of
// received ones.
#ifndef IPC_RPC_DETAIL_CODEC_HPP
#define IPC_RPC_DETAIL_CODEC_HPP

#include <climits>
#include <cstdint>
#include <new>
#include <string>

#include <google/protobuf/message_lite.h>

#include "../status.hpp"
#include "frame.hpp"

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
#ifdef IPC_NO_EXCEPTIONS
    return size <= INT_MAX && value.ParseFromArray(bytes, static_cast<int>(size));
#else
    try {
        return size <= INT_MAX && value.ParseFromArray(bytes, static_cast<int>(size));
    } catch (const std::bad_alloc &) {
        return false;
    }
#endif
}

inline std::string not_a(const message &value, const char *what, uint64_t size)
{
    return std::string("the ") + what + " (" + std::to_string(size) + " bytes) is not a valid " + value.GetTypeName();
}

} // namespace ipc::rpc
#endif
