// What a calling thread holds while it is inside its connection: both end with the scope.
#ifndef IPC_RPC_CALL_SCOPE_HPP
#define IPC_RPC_CALL_SCOPE_HPP

#include "caller_core.hpp"
#include "canceller.hpp"

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

    presence(const presence &) = delete;
    presence &operator=(const presence &) = delete;

    ~presence()
    {
        if (!held_.owns_lock())
            held_.lock();
        core_.leave();
    }

  private:
    caller_core &core_;
    caller_core::lock_type &held_;
};

// A call that a canceller (if any) can reach. To be made before the lock is taken.
class registration final : private cancellable
{
  public:
    registration(canceller *cancel, caller_core &core, pending *const &entry)
        : cancel_(cancel), core_(core), entry_(entry)
    {
        if (cancel_ != nullptr)
            cancel_->add(this);
    }

    registration(const registration &) = delete;
    registration &operator=(const registration &) = delete;

    ~registration()
    {
        if (cancel_ != nullptr)
            cancel_->remove(this);
    }

  private:
    void wake() noexcept override
    {
        core_.wake(entry_);
    }

    canceller *const cancel_;
    caller_core &core_;
    pending *const &entry_;
};

} // namespace ipc::rpc::detail
#endif
