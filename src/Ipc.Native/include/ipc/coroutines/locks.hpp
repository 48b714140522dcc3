// Locks, awaited. Included by ipc/coroutines.hpp.
#ifndef IPC_COROUTINES_LOCKS_HPP
#define IPC_COROUTINES_LOCKS_HPP

#if defined(__cpp_impl_coroutine)

#include <utility>

#include "../sync.hpp"
#include "awaiter.hpp"
#include "executor.hpp"

namespace ipc
{

namespace detail
{

template <class Lock> status attempt_acquire(Lock *&from) noexcept
{
    return empty_if_timed_out(from->acquire(deadline::now()));
}

inline status attempt_wait(shared_event *&from) noexcept
{
    return empty_if_timed_out(from->wait(deadline::now()));
}

template <class Handle, class Lock, status (*Function)(Handle *, ipc_deadline, ipc_cancel *, ipc_ready_handle *)>
status arm_lock(Lock *&from, wait_limits &limits, ipc_ready_handle *handle) noexcept
{
    return Function(from->get(), limits.begun(), limits.cancel, handle);
}

inline auto await_acquire(shared_mutex &from, time_limit until = {}, ipc_cancel *cancel = nullptr,
                          executor *on = nullptr) noexcept
{
    using wait = status_wait<shared_mutex *, attempt_acquire<shared_mutex>,
                             arm_lock<ipc_shared_mutex, shared_mutex, ipc_shared_mutex_arm>>;
    return awaiter<wait>(wait{&from, {until, cancel}}, on);
}

inline auto await_acquire(shared_semaphore &from, time_limit until = {}, ipc_cancel *cancel = nullptr,
                          executor *on = nullptr) noexcept
{
    using wait = status_wait<shared_semaphore *, attempt_acquire<shared_semaphore>,
                             arm_lock<ipc_shared_semaphore, shared_semaphore, ipc_shared_semaphore_arm>>;
    return awaiter<wait>(wait{&from, {until, cancel}}, on);
}

inline auto await_wait(shared_event &from, time_limit until = {}, ipc_cancel *cancel = nullptr,
                       executor *on = nullptr) noexcept
{
    using wait = status_wait<shared_event *, attempt_wait, arm_lock<ipc_shared_event, shared_event, ipc_shared_event_arm>>;
    return awaiter<wait>(wait{&from, {until, cancel}}, on);
}

} // namespace detail

template <class... Arguments> auto shared_mutex::acquire_async(Arguments &&...arguments)
{
    return detail::await_acquire(*this, std::forward<Arguments>(arguments)...);
}

template <class... Arguments> auto shared_semaphore::acquire_async(Arguments &&...arguments)
{
    return detail::await_acquire(*this, std::forward<Arguments>(arguments)...);
}

template <class... Arguments> auto shared_event::wait_async(Arguments &&...arguments)
{
    return detail::await_wait(*this, std::forward<Arguments>(arguments)...);
}

} // namespace ipc

#endif
#endif
