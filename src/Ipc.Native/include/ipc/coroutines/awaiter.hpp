// What co_await is given. Included by ipc/coroutines.hpp.
#ifndef IPC_COROUTINES_AWAITER_HPP
#define IPC_COROUTINES_AWAITER_HPP

#if defined(__cpp_impl_coroutine)

#include <coroutine>
#include <utility>

#include "../basics.hpp"
#include "../ready_handle.h"
#include "executor.hpp"
#include "pending_wait.hpp"

namespace ipc
{

namespace detail
{

// What co_await waits with. WAIT says for what: attempt() does it or returns IPC_EMPTY, arm() arms a handle for it,
// result() is what co_await returns.
template <class Wait> class awaiter
{
  public:
    awaiter(Wait wait, executor *on) noexcept : wait_(std::move(wait)), on_(on)
    {
    }

    awaiter(const awaiter &) = delete;
    awaiter &operator=(const awaiter &) = delete;

    ~awaiter()
    {
        if (pending_ != nullptr)
            pending_->abandon();
    }

    bool await_ready() noexcept
    {
        code_ = wait_.attempt();
        return code_ != IPC_EMPTY;
    }

    bool await_suspend(std::coroutine_handle<> waiting) noexcept
    {
        pending_ = pending_wait::take(on_, waiting, this, &advance, code_);
        return pending_ != nullptr && !proceed(*this, pending_->handle());
    }

    auto await_resume()
    {
        if (pending_ != nullptr)
            pending_wait::give_back(std::exchange(pending_, nullptr));
        return wait_.result(code_);
    }

  private:
    // False: armed; from then on the coroutine may be resumed elsewhere, and be gone.
    static bool proceed(awaiter &self, ipc_ready_handle *handle) noexcept
    {
        for (;;) {
            const status armed = self.wait_.arm(handle);
            if (armed == IPC_EMPTY)
                return false;
            self.code_ = armed == IPC_OK ? self.wait_.attempt() : armed;
            if (self.code_ != IPC_EMPTY)
                return true;
        }
    }

    static bool advance(void *self, ipc_ready_handle *handle, bool closed) noexcept
    {
        auto &waits = *static_cast<awaiter *>(self);
        waits.code_ = closed ? IPC_CLOSED : waits.wait_.attempt();
        return waits.code_ != IPC_EMPTY || proceed(waits, handle);
    }

    Wait wait_;
    executor *on_;
    pending_wait *pending_ = nullptr;
    status code_ = IPC_EMPTY;
};

// A try of a lock is a wait that is over at once.
inline status empty_if_timed_out(status code) noexcept
{
    return code == IPC_TIMEOUT ? IPC_EMPTY : code;
}

// What all of them have.
struct wait_limits {
    time_limit until;
    ipc_cancel *cancel;

    // The wait begins, or goes on: a duration has its end from the first of these on.
    ipc_deadline begun() noexcept
    {
        until = deadline(until.at());
        return until.at();
    }
};

template <class Source, class Result, status (*Attempt)(Source &, Result &) noexcept,
          status (*Arm)(Source &, wait_limits &, ipc_ready_handle *) noexcept>
struct into_wait {
    Source from;
    Result *into;
    wait_limits limits;

    status attempt() noexcept
    {
        return Attempt(from, *into);
    }
    status arm(ipc_ready_handle *handle) noexcept
    {
        return Arm(from, limits, handle);
    }
    status result(status code) noexcept
    {
        return code;
    }
};

#ifndef IPC_NO_EXCEPTIONS
template <class Source, class Result, status (*Attempt)(Source &, Result &) noexcept,
          status (*Arm)(Source &, wait_limits &, ipc_ready_handle *) noexcept>
struct value_wait {
    Source from;
    Result value;

    status attempt() noexcept
    {
        return Attempt(from, value);
    }
    status arm(ipc_ready_handle *handle) noexcept
    {
        wait_limits none{deadline::never(), nullptr};
        return Arm(from, none, handle);
    }
    Result result(status code)
    {
        require(code);
        return std::move(value);
    }
};
#endif

// Without a result but the status.
template <class Source, status (*Attempt)(Source &) noexcept,
          status (*Arm)(Source &, wait_limits &, ipc_ready_handle *) noexcept>
struct status_wait {
    Source from;
    wait_limits limits;

    status attempt() noexcept
    {
        return Attempt(from);
    }
    status arm(ipc_ready_handle *handle) noexcept
    {
        return Arm(from, limits, handle);
    }
    status result(status code) noexcept
    {
        return code;
    }
};

} // namespace detail

} // namespace ipc

#endif
#endif
