// What follows a frame's header: a head, perhaps, and a message or plain bytes.
#ifndef IPC_RPC_PAYLOAD_HPP
#define IPC_RPC_PAYLOAD_HPP

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

} // namespace ipc::rpc::detail
#endif
