// The other side of a call that came over a broker, for a handler that wants to call it: there is no way.
#ifndef IPC_RPC_AMQP_DETAIL_NOBODY_CORE_HPP
#define IPC_RPC_AMQP_DETAIL_NOBODY_CORE_HPP

#include <condition_variable>
#include <string>

#include "../../detail/caller_core.hpp"

namespace ipc::rpc::amqp::detail
{

namespace base = ipc::rpc::detail;

class nobody_core final : public base::caller_core
{
  public:
    nobody_core() : caller_core(1, 1, 0)
    {
    }

    std::string peer() override
    {
        return "a client at a broker";
    }

  protected:
    outcome prepare(lock_type &, deadline, canceller *, base::following *) override
    {
        return {status::unimplemented, "a client at a broker cannot be called back"};
    }

    outcome send(lock_type &, const frame_header &, const base::payload &, deadline, canceller *) override
    {
        return {status::unimplemented, "a client at a broker cannot be called back"};
    }

    outcome put_item(lock_type &, const frame_header &, const base::payload &, deadline, canceller *, bool &) override
    {
        return {};
    }

    bool is_drained() noexcept override
    {
        return true;
    }

    bool is_reader_away() const noexcept override
    {
        return false;
    }

    bool takes_items() const noexcept override
    {
        return true;
    }

    bool await(lock_type &, base::pending *, std::condition_variable &, deadline, canceller *, base::arrival &) override
    {
        return false;
    }

    void pay(lock_type &) noexcept override
    {
    }
};

} // namespace ipc::rpc::amqp::detail
#endif
