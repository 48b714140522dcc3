// What a callee needs of its connection: how frames get onto the wire, and who is at the other end.
#ifndef IPC_RPC_DETAIL_CALLEE_LINK_HPP
#define IPC_RPC_DETAIL_CALLEE_LINK_HPP

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "../observer.hpp"
#include "call_home.hpp"
#include "error_body.hpp"
#include "frame.hpp"
#include "interception.hpp"
#include "payload.hpp"

namespace ipc::rpc::detail
{

class callee;

// What became of an item of a callee.
enum class item_fate {
    sent,
    no_room, // items wait where they are made, and nothing else waits with them
    gone,    // the peer
};

class callee_link : public call_home
{
  public:
    // FLAGS are on every frame that is sent: flag_callback, or none.
    explicit callee_link(uint8_t flags) noexcept : flags_(flags)
    {
    }

    // Waits for room. False when the peer is gone. The size has been checked.
    virtual bool transmit(const frame_header &header, const payload &body) = 0;
    // An item of an answer, which has credit, now or not now.
    virtual item_fate transmit_item(const frame_header &header, const payload &body)
    {
        return transmit(header, body) ? item_fate::sent : item_fate::gone;
    }

    // Whether items take up no more of the ring than they may.
    virtual bool takes_items() noexcept
    {
        return true;
    }

    // False when there is no room now.
    virtual bool transmit_now(const frame_header &header, const payload &body) = 0;
    // Without waiting for long, where others may wait for this thread: what finds no room goes later, or the peer does.
    virtual void submit(const frame_header &header, const payload &body)
    {
        transmit(header, body);
    }
    // For the thread that reads, which must not wait for room where that could wait for its reading.
    virtual void post(const frame_header &header, std::string body) = 0;
    // The largest payload.
    virtual uint64_t limit() const noexcept = 0;
    virtual std::shared_ptr<callee> keep() = 0;
    // Why a payload of SIZE bytes is not sent.
    virtual std::string says_too_large(const char *what, uint64_t size) const
    {
        return too_large(what, size, limit());
    }

    // A call that was accepted is over, and was answered if it is to be: RESULT is what its handler said.
    virtual void handled(const frame_header &, const outcome &)
    {
    }

    // For the thread that reads.
    void post_error(uint64_t call, const outcome &why)
    {
        frame_header header = header_of(frame_kind::error, call);
        header.flags = flags_;
        header.code = static_cast<uint16_t>(why.code);
        post(header, error_body::encode(why, limit()));
    }

    // The same for a request that came when this side was ending, and that no handler sees.
    void post_unhandled(uint64_t call, const char *why)
    {
        frame_header header = header_of(frame_kind::error, call);
        header.flags = flags_;
        header.code = static_cast<uint16_t>(status::unavailable);
        header.method = error_unhandled;
        post(header, error_body::encode({status::unavailable, why}, limit()));
    }

    // Before the first call.
    void observe_served(std::shared_ptr<observer> to) noexcept
    {
        observer_ = std::move(to);
    }

    observer *served_watcher() const noexcept
    {
        return observer_.get();
    }

    // Before the first call. May be null.
    void intercept_served(std::shared_ptr<const interception> by) noexcept
    {
        interception_ = std::move(by);
    }

    const interception *interceptors() const noexcept
    {
        return interception_.get();
    }

  protected:
    frame_header header_for(frame_kind kind, uint64_t call, const payload &body) const noexcept
    {
        frame_header made = header_of(kind, call);
        made.flags = static_cast<uint8_t>(flags_ | body.flag());
        return made;
    }

  private:
    const uint8_t flags_;
    std::shared_ptr<observer> observer_;
    std::shared_ptr<const interception> interception_;
};

} // namespace ipc::rpc::detail
#endif
