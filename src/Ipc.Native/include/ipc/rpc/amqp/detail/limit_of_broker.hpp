// How much a broker takes.
#ifndef IPC_RPC_AMQP_DETAIL_LIMIT_OF_BROKER_HPP
#define IPC_RPC_AMQP_DETAIL_LIMIT_OF_BROKER_HPP

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "../options.hpp"

namespace ipc::rpc::amqp::detail
{

// The most bytes that the broker takes by its own limit, which it tells nobody before it ends a connection for a longer
// message. Believed for ten minutes: it may be raised meanwhile. Any thread.
class limit_of_broker
{
  public:
    // A connection has ended.
    void learn_from(const std::string &reason) noexcept
    {
        constexpr std::string_view before = "larger than configured max size ";
        const size_t at = reason.find(before);
        if (at == std::string::npos)
            return;
        const uint64_t bytes = std::strtoull(reason.c_str() + at + before.size(), nullptr, 10);
        until_.store(now() + 10 * 60, std::memory_order_relaxed); // [peek]
        bytes_.store(bytes, std::memory_order_relaxed);           // [peek]
    }

    uint64_t most() const noexcept
    {
        return now() < until_.load(std::memory_order_relaxed) ? bytes_.load(std::memory_order_relaxed) : UINT64_MAX;
    }

    // Of a message that is sent; and who says that, for texts.
    uint64_t most_to_send(const options &with) const noexcept
    {
        return std::min<uint64_t>(most(), with.max_message_bytes);
    }

    std::string says(const options &with) const
    {
        const uint64_t most = most_to_send(with);
        return most < with.max_message_bytes
                   ? "the broker takes at most " + std::to_string(most) + " (its max_message_size)"
                   : "options::max_message_bytes allows " + std::to_string(most);
    }

  private:
    static int64_t now() noexcept // s
    {
        return std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now().time_since_epoch())
            .count();
    }

    std::atomic<int64_t> until_{0};           // [peek]
    std::atomic<uint64_t> bytes_{UINT64_MAX}; // [peek]
};

} // namespace ipc::rpc::amqp::detail
#endif
