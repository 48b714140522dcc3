// What follows a frame's header: a head, perhaps, and a message or plain bytes.
#ifndef IPC_RPC_DETAIL_PAYLOAD_HPP
#define IPC_RPC_DETAIL_PAYLOAD_HPP

#include <atomic>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "codec.hpp"
#include "frame.hpp"

namespace ipc::rpc::detail
{

// Refers to what it was made of, which must not change before it is written.
class payload
{
  public:
    payload() = default;

    explicit payload(const message &value, std::string_view head = {})
        : value_(&value), head_(head), size_(size_of(value) + head.size())
    {
    }

    explicit payload(std::string_view bytes, std::string_view head = {})
        : bytes_(bytes), head_(head), size_(bytes.size() + head.size())
    {
    }

    uint64_t size() const noexcept
    {
        return size_;
    }

    // The flag that a frame with this payload has.
    uint8_t flag() const noexcept
    {
        return head_.empty() ? 0 : flag_head;
    }

    void write(uint8_t *place) const
    {
        if (!head_.empty())
            std::memcpy(place, head_.data(), head_.size());
        place += head_.size();
        if (value_ != nullptr)
            rpc::write(*value_, place);
        else if (!bytes_.empty())
            std::memcpy(place, bytes_.data(), bytes_.size());
    }

  private:
    const message *value_ = nullptr;
    std::string_view bytes_;
    std::string_view head_;
    uint64_t size_ = 0;
};

// A frame of LENGTH bytes at the claimed PLACE.
//
// The peer polls the line where the record begins. Who serialises into that line loses it to the peer meanwhile, and has to
// fetch it back for the header that publishes. So a small frame is put together elsewhere, and its first line is written
// last and at once. Worth, a call with 64 bytes each way: 440 ns instead of 541, and 1030 instead of 1460 where the cores
// are far apart.
inline void put(uint8_t *place, uint32_t length, const frame_header &header, const payload &body)
{
    constexpr uint32_t small = 512, first_line = 64 - 8; // behind the record's own header
    const auto write_to = [&](uint8_t *at) { encode(at, header, [&](uint8_t *there) { body.write(there); }); };
    if (length > small)
        return write_to(place);
    uint8_t made[small];
    write_to(made);
    if (length <= first_line) {
        std::memcpy(place, made, length);
        return;
    }
    std::memcpy(place + first_line, made + first_line, length - first_line);
    std::atomic_signal_fence(std::memory_order_seq_cst); // [hint] the compiler keeps to that order, too
    std::memcpy(place, made, first_line);
}

} // namespace ipc::rpc::detail
#endif
