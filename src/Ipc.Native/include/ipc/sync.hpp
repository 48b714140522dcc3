// Mutex, semaphore and event between processes.
#ifndef IPC_SYNC_HPP
#define IPC_SYNC_HPP

#include <memory>
#include <string>

#include "basics.hpp"
#include "sync.h"

namespace ipc
{

// What it holds, or closes without giving back, is abandoned: the next owner's acquire() returns IPC_ABANDONED.
class shared_mutex
{
  public:
    explicit shared_mutex(const std::string &name, const ipc_sync_options &options = {})
    {
        ipc_shared_mutex *made = nullptr;
        require(ipc_shared_mutex_open(name.c_str(), &options, &made));
        handle_.reset(made);
    }

    ipc_shared_mutex *get() const noexcept
    {
        return handle_.get();
    }

    // IPC_OK and IPC_ABANDONED: it is ours.
    status acquire(deadline until = deadline::never(), ipc_cancel *cancel = nullptr) noexcept
    {
        return ipc_shared_mutex_acquire(get(), until.at(), cancel);
    }

    // Throws when this object does not hold it.
    void release()
    {
        require(ipc_shared_mutex_release(get()));
    }

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
    explicit shared_semaphore(const std::string &name, const ipc_sync_options &options = {})
    {
        ipc_shared_semaphore *made = nullptr;
        require(ipc_shared_semaphore_open(name.c_str(), &options, &made));
        handle_.reset(made);
    }

    ipc_shared_semaphore *get() const noexcept
    {
        return handle_.get();
    }

    // IPC_OK and IPC_ABANDONED: a permit is ours.
    status acquire(deadline until = deadline::never(), ipc_cancel *cancel = nullptr) noexcept
    {
        return ipc_shared_semaphore_acquire(get(), until.at(), cancel);
    }

    // One permit. Throws when this object has none.
    void release()
    {
        require(ipc_shared_semaphore_release(get()));
    }

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
    explicit shared_event(const std::string &name, const ipc_sync_options &options = {})
    {
        ipc_shared_event *made = nullptr;
        require(ipc_shared_event_open(name.c_str(), &options, &made));
        handle_.reset(made);
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

    status wait(deadline until = deadline::never(), ipc_cancel *cancel = nullptr) noexcept
    {
        return ipc_shared_event_wait(get(), until.at(), cancel);
    }

    bool is_manual() const noexcept
    {
        return ipc_shared_event_is_manual(get());
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
