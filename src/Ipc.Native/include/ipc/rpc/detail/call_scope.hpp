// What a calling thread holds while it is inside its connection: both end with the scope.
#ifndef IPC_RPC_DETAIL_CALL_SCOPE_HPP
#define IPC_RPC_DETAIL_CALL_SCOPE_HPP

#include <mutex>

#include "../canceller.hpp"
#include "caller_core.hpp"

namespace ipc::rpc::detail
{

// A thread that may be using the connection: from here to the end of the scope, which it leaves with the lock held.
class presence
{
  public:
    presence(caller_core &core, caller_core::lock_type &held) noexcept : core_(core), held_(held)
    {
        core_.enter();
    }

    // Of a thread that has entered before.
    presence(caller_core &core, caller_core::lock_type &held, std::adopt_lock_t) noexcept : core_(core), held_(held)
    {
    }

    presence(const presence &) = delete;
    presence &operator=(const presence &) = delete;

    ~presence()
    {
        if (!held_.owns_lock())
            held_.lock();
        if (is_inside_)
            core_.leave();
    }

    // Outside while user code runs: it may call over the same connection, close it, or have it replaced. With the lock
    // held, both.
    void step_out() noexcept
    {
        is_inside_ = false;
        core_.leave();
    }

    void step_in() noexcept
    {
        is_inside_ = true;
        core_.enter();
    }

  private:
    caller_core &core_;
    caller_core::lock_type &held_;
    bool is_inside_ = true;
};

// A call that a canceller (if any) can reach. To be made before the lock is taken.
class registration final : private cancellable
{
  public:
    registration(const canceller *cancel, caller_core &core, pending *const &entry)
        : core_(core), entry_(entry), registered_(cancel, *this)
    {
    }

    registration(const registration &) = delete;
    registration &operator=(const registration &) = delete;

  private:
    void wake() noexcept override
    {
        core_.wake(entry_);
    }

    caller_core &core_;
    pending *const &entry_;
    const registered registered_;
};

} // namespace ipc::rpc::detail
#endif
