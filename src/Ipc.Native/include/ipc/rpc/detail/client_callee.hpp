// A client as the side that is called: what its server's callbacks are answered through. One per connection.
#ifndef IPC_RPC_DETAIL_CLIENT_CALLEE_HPP
#define IPC_RPC_DETAIL_CLIENT_CALLEE_HPP

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "callee.hpp"
#include "frame.hpp"
#include "payload.hpp"

namespace ipc::rpc::detail
{

// The connection behind it. EPOCH: nothing happens when it is not that connection any more.
class client_link
{
  public:
    virtual bool transmit(uint64_t epoch, const frame_header &header, const payload &body) = 0;
    virtual item_fate transmit_item(uint64_t epoch, const frame_header &header, const payload &body) = 0;
    virtual bool takes_items() noexcept = 0;
    virtual bool transmit_now(uint64_t epoch, const frame_header &header, const payload &body) = 0;
    virtual void post(uint64_t epoch, const frame_header &header, std::string body) = 0;
    virtual uint64_t limit() noexcept = 0;
    virtual std::shared_ptr<caller_core> caller() = 0;

  protected:
    ~client_link() = default;
};

class client_callee final : public callee, public std::enable_shared_from_this<client_callee>
{
  public:
    client_callee(client_link &link, uint64_t epoch, const peer_identity &who, uint16_t window = first_input_credit)
        : callee(flag_callback, window), link_(link), epoch_(epoch), who_(who)
    {
    }

    bool transmit(const frame_header &header, const payload &body) override
    {
        return link_.transmit(epoch_, header, body);
    }

    item_fate transmit_item(const frame_header &header, const payload &body) override
    {
        return link_.transmit_item(epoch_, header, body);
    }

    bool takes_items() noexcept override
    {
        return link_.takes_items();
    }

    bool transmit_now(const frame_header &header, const payload &body) override
    {
        return link_.transmit_now(epoch_, header, body);
    }

    void post(const frame_header &header, std::string body) override
    {
        link_.post(epoch_, header, std::move(body));
    }

    uint64_t limit() const noexcept override
    {
        return link_.limit();
    }

    const peer_identity &who() const noexcept override
    {
        return who_;
    }

    std::string_view hello() const noexcept override
    {
        return {};
    }

    std::shared_ptr<caller_core> caller() override
    {
        return link_.caller();
    }

    std::shared_ptr<callee> keep() override
    {
        return shared_from_this();
    }

  private:
    client_link &link_; // lives as long as its handlers run
    const uint64_t epoch_;
    const peer_identity who_;
};

} // namespace ipc::rpc::detail
#endif
