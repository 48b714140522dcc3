// The little of protobuf's wire format that heads and error bodies need: no generated class, no reflection.
#ifndef IPC_RPC_DETAIL_WIRE_HPP
#define IPC_RPC_DETAIL_WIRE_HPP

#include <cstdint>
#include <string>
#include <string_view>

namespace ipc::rpc::wire
{

inline void append_varint(std::string &out, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        out.push_back(static_cast<char>(value | 0x80));
    out.push_back(static_cast<char>(value));
}

inline void append_field(std::string &out, int field, std::string_view value)
{
    out.push_back(static_cast<char>(field << 3 | 2));
    append_varint(out, value.size());
    out += value;
}

inline void append_unless_empty(std::string &out, int field, std::string_view value)
{
    if (!value.empty())
        append_field(out, field, value);
}

inline void append_unless_zero(std::string &out, int field, uint64_t value)
{
    if (value == 0)
        return;
    out.push_back(static_cast<char>(field << 3));
    append_varint(out, value);
}

// Reads the fields of one message in order.
class reader
{
  public:
    reader(const void *bytes, size_t size) noexcept : at_(static_cast<const uint8_t *>(bytes)), end_(at_ + size)
    {
    }

    explicit reader(std::string_view bytes) noexcept : reader(bytes.data(), bytes.size())
    {
    }

    // The next field; VALUE is empty unless it is text, bytes or a message. False at the end, and when damaged().
    bool next(uint64_t &field, std::string_view &value) noexcept
    {
        value = {};
        if (at_ == end_ || damaged_)
            return false;
        uint64_t tag = 0;
        damaged_ = !varint(tag) || tag >> 3 == 0 || !skip_or_take(tag, value);
        field = tag >> 3;
        is_bytes = (tag & 7) == 2;
        is_number = (tag & 7) == 0;
        return !damaged_;
    }

    bool damaged() const noexcept
    {
        return damaged_;
    }

    bool is_bytes = false;  // whether the field just read can have a value
    bool is_number = false; // whether it is a varint, which is in NUMBER then
    uint64_t number = 0;

  private:
    bool skip_or_take(uint64_t tag, std::string_view &value) noexcept
    {
        uint64_t length = 0;
        switch (tag & 7) {
        case 0:
            return varint(number);
        case 1:
            return skip(8);
        case 2:
            if (!varint(length) || length > static_cast<uint64_t>(end_ - at_))
                return false;
            value = {reinterpret_cast<const char *>(at_), static_cast<size_t>(length)};
            at_ += length;
            return true;
        case 3:
            return skip_group(tag);
        case 5:
            return skip(4);
        default:
            return false;
        }
    }

    // Groups are a relic; an unknown field may be one, and has others inside.
    bool skip_group(uint64_t tag) noexcept
    {
        std::string_view unused;
        if (++depth_ > max_depth)
            return false;
        for (uint64_t inner = 0; varint(inner) && inner >> 3 != 0;) {
            if ((inner & 7) == 4) {
                --depth_;
                return inner >> 3 == tag >> 3;
            }
            if (!skip_or_take(inner, unused))
                return false;
        }
        return false;
    }

    bool skip(long count) noexcept
    {
        if (end_ - at_ < count)
            return false;
        at_ += count;
        return true;
    }

    bool varint(uint64_t &value) noexcept
    {
        value = 0;
        for (int shift = 0; shift < 64 && at_ < end_; shift += 7) {
            const uint8_t byte = *at_++;
            value |= static_cast<uint64_t>(byte & 0x7F) << shift;
            if ((byte & 0x80) == 0)
                return true;
        }
        return false;
    }

    static constexpr int max_depth = 100; // as all readers of protobuf have it

    const uint8_t *at_;
    const uint8_t *const end_;
    int depth_ = 0;
    bool damaged_ = false;
};

} // namespace ipc::rpc::wire
#endif
