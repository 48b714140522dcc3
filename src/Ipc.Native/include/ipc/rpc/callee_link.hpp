// What a callee needs of its connection: how frames get onto the wire, and who is at the other end.
#ifndef IPC_RPC_CALLEE_LINK_HPP
#define IPC_RPC_CALLEE_LINK_HPP

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "frame.hpp"
#include "observer.hpp"
#include "payload.hpp"

namespace ipc::rpc::detail
{

class callee;
class caller_core;

class callee_link
{
  public:
    virtual ~callee_link() = default;

    // Waits for room. False when the peer is gone. The size has been checked.
    virtual bool transmit(const frame_header &header, const payload &body) = 0;
    // False when there is no room now.
    virtual bool transmit_now(const frame_header &header, const payload &body) = 0;
    // For the thread that reads, which must not wait for room where that could wait for its reading.
    virtual void post(const frame_header &header, std::string body) = 0;
    // The largest payload.
    virtual uint64_t limit() const noexcept = 0;
    virtual int32_t peer_pid() const noexcept = 0;
    virtual std::string_view hello() const noexcept = 0;
    // The same connection, for calls in the other direction.
    virtual std::shared_ptr<caller_core> caller() = 0;
    virtual std::shared_ptr<callee> keep() = 0;

    // Before the first call.
    void observe_served(std::shared_ptr<observer> to) noexcept
    {
        observer_ = std::move(to);
    }

    observer *served_watcher() const noexcept
    {
        return observer_.get();
    }

  private:
    std::shared_ptr<observer> observer_;
};

} // namespace ipc::rpc::detail
#endif
