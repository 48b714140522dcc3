// What the tests of coroutines have in common.
#ifndef IPC_TESTS_COROUTINE_HELD_HPP
#define IPC_TESTS_COROUTINE_HELD_HPP

#include <coroutine>
#include <exception>
#include <thread>
#include <utility>

#include "ipc/coroutines.hpp"

// A coroutine that is destroyed with its object, wherever it is.
struct held {
    struct promise_type {
        held get_return_object() noexcept
        {
            return held(std::coroutine_handle<promise_type>::from_promise(*this));
        }
        std::suspend_never initial_suspend() const noexcept
        {
            return {};
        }
        std::suspend_always final_suspend() const noexcept
        {
            return {};
        }
        void return_void() const noexcept
        {
        }
        void unhandled_exception() noexcept
        {
            thrown = std::current_exception();
        }
        std::exception_ptr thrown;
    };

    explicit held(std::coroutine_handle<promise_type> handle) noexcept : handle_(handle)
    {
    }
    held(held &&other) noexcept : handle_(std::exchange(other.handle_, nullptr))
    {
    }
    ~held()
    {
        destroy();
    }

    bool is_done() const noexcept
    {
        return handle_.done();
    }
    void rethrow() const
    {
        if (handle_.promise().thrown)
            std::rethrow_exception(handle_.promise().thrown);
    }
    void destroy() noexcept
    {
        if (handle_)
            std::exchange(handle_, nullptr).destroy();
    }

  private:
    std::coroutine_handle<promise_type> handle_;
};

// Runs the loop until that is true.
template <class Loop, class Condition> void run_until(Loop &loop, Condition &&condition)
{
    while (!condition()) {
        loop.poll();
        std::this_thread::yield();
    }
}

#endif
