// A wait without a thread: armed at its object, and posted to its executor. Included by ipc/coroutines.hpp.
#ifndef IPC_COROUTINES_PENDING_WAIT_HPP
#define IPC_COROUTINES_PENDING_WAIT_HPP

#if defined(__cpp_impl_coroutine)

#include <coroutine>
#include <mutex>
#include <new>

#include "../basics.hpp"
#include "../ready_handle.h"
#include "executor.hpp"

namespace ipc
{

namespace detail
{

// A wait that has had to wait. It belongs to the awaiter; an awaiter that goes while the wait has been posted leaves it
// to that post.
class pending_wait final : public resumption
{
  public:
    // True: over, the coroutine goes on. CLOSED: the object is not to be touched.
    using advance = bool (*)(void *awaiter, ipc_ready_handle *handle, bool closed) noexcept;

    // Null: no memory, or no descriptor; CODE says which.
    static pending_wait *take(executor *on, std::coroutine_handle<> waiting, void *awaiter, advance how,
                              status &code) noexcept
    {
        pending_wait *taken = nullptr;
        {
            store &all = kept();
            const std::lock_guard<std::mutex> hold(all.mutex);
            taken = all.first;
            if (taken != nullptr) {
                all.first = static_cast<pending_wait *>(taken->next);
                all.count--;
            }
        }
        if (taken == nullptr)
            taken = make(code);
        if (taken == nullptr)
            return nullptr;
        taken->on_ = on != nullptr ? on : &background_executor();
        taken->waiting_ = waiting;
        taken->awaiter_ = awaiter;
        taken->advance_ = how;
        taken->posted_ = false;
        return taken;
    }

    // Over: nobody has it, and it is armed nowhere.
    static void give_back(pending_wait *over) noexcept
    {
        {
            store &all = kept();
            const std::lock_guard<std::mutex> hold(all.mutex);
            if (all.count < most_kept) {
                over->next = all.first;
                all.first = over;
                all.count++;
                return;
            }
        }
        delete over;
    }

    // The awaiter goes, without having been resumed.
    void abandon() noexcept
    {
        bool posted = false;
        {
            const std::lock_guard<std::mutex> hold(mutex_);
            awaiter_ = nullptr;
            (void)ipc_ready_handle_disarm(handle_); // the call, which does not take the mutex, is over and comes no more
            posted = posted_;
        }
        if (!posted)
            give_back(this);
    }

    ipc_ready_handle *handle() const noexcept
    {
        return handle_;
    }

  private:
    struct store {
        std::mutex mutex;
        pending_wait *first = nullptr;
        unsigned count = 0;
    };
    static constexpr unsigned most_kept = 256;

    pending_wait() noexcept : resumption(&run)
    {
    }

    ~pending_wait()
    {
        ipc_ready_handle_destroy(handle_);
    }

    static store &kept() noexcept
    {
        static store *const all = new store; // never destroyed, as the executor's thread
        return *all;
    }

    static pending_wait *make(status &code) noexcept
    {
        auto *const made = new (std::nothrow) pending_wait;
        code = made == nullptr ? IPC_E_NO_MEMORY : ipc_ready_handle_create(&told, made, &made->handle_);
        if (made != nullptr && code != IPC_OK) {
            delete made;
            return nullptr;
        }
        return made;
    }

    // On a thread of the library. Whoever disarms waits for the end of this.
    static void told(void *self) noexcept
    {
        auto *const wait = static_cast<pending_wait *>(self);
        wait->posted_ = true; // read by who has disarmed, or runs what is posted here
        wait->on_->post(*wait);
    }

    // On the executor.
    static void run(resumption &self) noexcept
    {
        auto &wait = static_cast<pending_wait &>(self);
        std::coroutine_handle<> waiting;
        {
            const std::lock_guard<std::mutex> hold(wait.mutex_);
            if (wait.awaiter_ != nullptr) {
                wait.posted_ = false;
                const bool closed = ipc_ready_handle_disarm(wait.handle_) == IPC_CLOSED;
                if (!wait.advance_(wait.awaiter_, wait.handle_, closed))
                    return; // armed again
                waiting = wait.waiting_;
            }
        }
        if (waiting)
            waiting.resume(); // who takes the result gives the wait back
        else
            give_back(&wait);
    }

    std::mutex mutex_; // between the executor and an awaiter that goes
    ipc_ready_handle *handle_ = nullptr;
    executor *on_ = nullptr;
    std::coroutine_handle<> waiting_;
    void *awaiter_ = nullptr;
    advance advance_ = nullptr;
    bool posted_ = false;
};

} // namespace detail

} // namespace ipc

#endif
#endif
