// Waiting without a thread of one's own, for event loops.
#ifndef IPC_READY_HANDLE_HPP
#define IPC_READY_HANDLE_HPP

#include "dialect.hpp"

#include <memory>

#include "basics.hpp"
#include "ready_handle.h"

namespace ipc
{

// Its descriptor becomes readable when there may be something where it is armed: objects have arm(). Destroyed, it is
// disarmed.
class ready_handle
{
  public:
    // Nothing yet: make() and try_make() make one.
    ready_handle() noexcept = default;

    static status try_make(ready_handle &made) noexcept
    {
        ipc_ready_handle *handle = nullptr;
        const status code = ipc_ready_handle_create(nullptr, nullptr, &handle);
        if (code == IPC_OK)
            made.handle_.reset(handle);
        return code;
    }

#ifndef IPC_NO_EXCEPTIONS
    static ready_handle make()
    {
        ready_handle made;
        require(try_make(made));
        return made;
    }
#endif

    explicit operator bool() const noexcept
    {
        return handle_ != nullptr;
    }

    ipc_ready_handle *get() const noexcept
    {
        return handle_.get();
    }

    // For poll, epoll and the like; the handle's.
    int descriptor() const noexcept
    {
        return ipc_ready_handle_descriptor(get());
    }

    // IPC_CLOSED: the object where it was armed last has been closed.
    status disarm() noexcept
    {
        return ipc_ready_handle_disarm(get());
    }

  private:
    struct destroy {
        void operator()(ipc_ready_handle *handle) const noexcept
        {
            ipc_ready_handle_destroy(handle);
        }
    };
    std::unique_ptr<ipc_ready_handle, destroy> handle_;
};

} // namespace ipc
#endif
