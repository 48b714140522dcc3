// Mutex, semaphore and event between processes.
#ifndef IPC_SYNC_HPP
#define IPC_SYNC_HPP

#include "dialect.hpp"

#include <memory>
#include <string>

#include "basics.hpp"
#include "ready_handle.hpp"
#include "sync.h"

namespace ipc
{

// What it holds, or closes without giving back, is abandoned: the next owner's acquire() returns IPC_ABANDONED.
class shared_mutex
{
  public:
    // Opens nothing yet: try_open() does.
    shared_mutex() noexcept = default;

    static status try_open(const std::string &name, const ipc_sync_options &options, shared_mutex &made) noexcept
    {
        return detail::open(ipc_shared_mutex_open, name, options, made.handle_);
    }

#ifndef IPC_NO_EXCEPTIONS
    explicit shared_mutex(const std::string &name, const ipc_sync_options &options = {})
    {
        require(try_open(name, options, *this));
    }
#endif

    explicit operator bool() const noexcept
    {
        return handle_ != nullptr;
    }

    ipc_shared_mutex *get() const noexcept
    {
        return handle_.get();
    }

    // IPC_OK and IPC_ABANDONED: it is ours.
    [[nodiscard]] status acquire(time_limit until = {}, ipc_cancel *cancel = nullptr) noexcept
    {
        return detail::within(until, [&](ipc_deadline at) { return ipc_shared_mutex_acquire(get(), at, cancel); });
    }

    // It becomes ready when the mutex may be free; until then IPC_EMPTY. Anything else: not armed, see ipc/ready_handle.h.
    [[nodiscard]] status arm(ready_handle &when, deadline until = deadline::never(), ipc_cancel *cancel = nullptr) noexcept
    {
        return ipc_shared_mutex_arm(get(), until.at(), cancel, when.get());
    }

    // With ipc/coroutines.hpp: what acquire() waits for, awaited.
    template <class... Arguments> auto acquire_async(Arguments &&...arguments);

    // IPC_E_INVALID_STATE: this object does not hold it.
    status try_release() noexcept
    {
        return ipc_shared_mutex_release(get());
    }

#ifndef IPC_NO_EXCEPTIONS
    void release()
    {
        require(try_release());
    }
#endif

    void stop() noexcept
    {
        ipc_shared_mutex_stop(get());
    }

    void resume() noexcept
    {
        ipc_shared_mutex_resume(get());
    }

  private:
    struct close {
        void operator()(ipc_shared_mutex *handle) const noexcept
        {
            ipc_shared_mutex_close(handle);
        }
    };
    std::unique_ptr<ipc_shared_mutex, close> handle_;
};

class shared_semaphore
{
  public:
    // Opens nothing yet: try_open() does.
    shared_semaphore() noexcept = default;

    static status try_open(const std::string &name, const ipc_sync_options &options, shared_semaphore &made) noexcept
    {
        return detail::open(ipc_shared_semaphore_open, name, options, made.handle_);
    }

#ifndef IPC_NO_EXCEPTIONS
    explicit shared_semaphore(const std::string &name, const ipc_sync_options &options = {})
    {
        require(try_open(name, options, *this));
    }
#endif

    explicit operator bool() const noexcept
    {
        return handle_ != nullptr;
    }

    ipc_shared_semaphore *get() const noexcept
    {
        return handle_.get();
    }

    // IPC_OK and IPC_ABANDONED: a permit is ours.
    [[nodiscard]] status acquire(time_limit until = {}, ipc_cancel *cancel = nullptr) noexcept
    {
        return detail::within(until, [&](ipc_deadline at) { return ipc_shared_semaphore_acquire(get(), at, cancel); });
    }

    // It becomes ready when a permit may be free; until then IPC_EMPTY. Anything else: not armed, see ipc/ready_handle.h.
    [[nodiscard]] status arm(ready_handle &when, deadline until = deadline::never(), ipc_cancel *cancel = nullptr) noexcept
    {
        return ipc_shared_semaphore_arm(get(), until.at(), cancel, when.get());
    }

    // With ipc/coroutines.hpp: what acquire() waits for, awaited.
    template <class... Arguments> auto acquire_async(Arguments &&...arguments);

    // One permit. IPC_E_INVALID_STATE: this object has none.
    status try_release() noexcept
    {
        return ipc_shared_semaphore_release(get());
    }

#ifndef IPC_NO_EXCEPTIONS
    void release()
    {
        require(try_release());
    }
#endif

    uint32_t available() const noexcept
    {
        return ipc_shared_semaphore_available(get());
    }

    uint32_t permits() const noexcept
    {
        return ipc_shared_semaphore_permits(get());
    }

    void stop() noexcept
    {
        ipc_shared_semaphore_stop(get());
    }

    void resume() noexcept
    {
        ipc_shared_semaphore_resume(get());
    }

  private:
    struct close {
        void operator()(ipc_shared_semaphore *handle) const noexcept
        {
            ipc_shared_semaphore_close(handle);
        }
    };
    std::unique_ptr<ipc_shared_semaphore, close> handle_;
};

class shared_event
{
  public:
    // Opens nothing yet: try_open() does.
    shared_event() noexcept = default;

    static status try_open(const std::string &name, const ipc_sync_options &options, shared_event &made) noexcept
    {
        return detail::open(ipc_shared_event_open, name, options, made.handle_);
    }

#ifndef IPC_NO_EXCEPTIONS
    explicit shared_event(const std::string &name, const ipc_sync_options &options = {})
    {
        require(try_open(name, options, *this));
    }
#endif

    explicit operator bool() const noexcept
    {
        return handle_ != nullptr;
    }

    ipc_shared_event *get() const noexcept
    {
        return handle_.get();
    }

    void set() noexcept
    {
        ipc_shared_event_set(get());
    }

    void reset() noexcept
    {
        ipc_shared_event_reset(get());
    }

    [[nodiscard]] status wait(time_limit until = {}, ipc_cancel *cancel = nullptr) noexcept
    {
        return detail::within(until, [&](ipc_deadline at) { return ipc_shared_event_wait(get(), at, cancel); });
    }

    // It becomes ready when the event may be set; until then IPC_EMPTY. Anything else: not armed, see ipc/ready_handle.h.
    [[nodiscard]] status arm(ready_handle &when, deadline until = deadline::never(), ipc_cancel *cancel = nullptr) noexcept
    {
        return ipc_shared_event_arm(get(), until.at(), cancel, when.get());
    }

    // With ipc/coroutines.hpp: what wait() waits for, awaited.
    template <class... Arguments> auto wait_async(Arguments &&...arguments);

    bool is_manual_reset() const noexcept
    {
        return ipc_shared_event_is_manual_reset(get());
    }

    void stop() noexcept
    {
        ipc_shared_event_stop(get());
    }

    void resume() noexcept
    {
        ipc_shared_event_resume(get());
    }

  private:
    struct close {
        void operator()(ipc_shared_event *handle) const noexcept
        {
            ipc_shared_event_close(handle);
        }
    };
    std::unique_ptr<ipc_shared_event, close> handle_;
};

} // namespace ipc
#endif
