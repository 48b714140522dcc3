// What there is to receive, awaited: queues, rings, topics, listeners of both kinds. Included by ipc/coroutines.hpp.
#ifndef IPC_COROUTINES_RECEIVING_HPP
#define IPC_COROUTINES_RECEIVING_HPP

#if defined(__cpp_impl_coroutine)

#include <utility>

#include "../connection.hpp"
#include "../named_listener.hpp"
#include "../queue.hpp"
#include "../ring.hpp"
#include "../topic.hpp"
#include "awaiter.hpp"
#include "executor.hpp"

namespace ipc
{

namespace detail
{

inline status attempt_receive(queue *&from, queue_message &message) noexcept
{
    return from->try_receive(message);
}

inline status arm_receive(queue *&from, wait_limits &limits, ipc_ready_handle *handle) noexcept
{
    return ipc_queue_arm(from->get(), limits.begun(), limits.cancel, handle);
}

inline auto await_receive(queue &from, queue_message &message, time_limit until = {}, ipc_cancel *cancel = nullptr,
                          executor *on = nullptr) noexcept
{
    using wait = into_wait<queue *, queue_message, attempt_receive, arm_receive>;
    return awaiter<wait>(wait{&from, &message, {until, cancel}}, on);
}

inline status attempt_read(reader_ref &from, record &next) noexcept
{
    return from.try_read(next);
}

inline status arm_read(reader_ref &from, wait_limits &limits, ipc_ready_handle *handle) noexcept
{
    return ipc_ring_arm(from.get(), limits.begun(), limits.cancel, handle);
}

inline auto await_read(reader_ref from, record &next, time_limit until = {}, ipc_cancel *cancel = nullptr,
                       executor *on = nullptr) noexcept
{
    using wait = into_wait<reader_ref, record, attempt_read, arm_read>;
    return awaiter<wait>(wait{from, &next, {until, cancel}}, on);
}

inline status attempt_read_topic(topic_reader *&from, topic_message &message) noexcept
{
    return from->try_read(message);
}

inline status arm_read_topic(topic_reader *&from, wait_limits &limits, ipc_ready_handle *handle) noexcept
{
    return ipc_topic_arm(from->get(), limits.begun(), limits.cancel, handle);
}

inline auto await_read_topic(topic_reader &from, topic_message &message, time_limit until = {},
                             ipc_cancel *cancel = nullptr, executor *on = nullptr) noexcept
{
    using wait = into_wait<topic_reader *, topic_message, attempt_read_topic, arm_read_topic>;
    return awaiter<wait>(wait{&from, &message, {until, cancel}}, on);
}

inline status attempt_next(listener *&from, ipc_event &event) noexcept
{
    return empty_if_timed_out(from->next(event, deadline::now()));
}

inline status arm_next(listener *&from, wait_limits &limits, ipc_ready_handle *handle) noexcept
{
    return ipc_listener_arm(from->get(), limits.begun(), limits.cancel, handle);
}

inline auto await_next(listener &from, ipc_event &event, time_limit until = {}, ipc_cancel *cancel = nullptr,
                       executor *on = nullptr) noexcept
{
    using wait = into_wait<listener *, ipc_event, attempt_next, arm_next>;
    return awaiter<wait>(wait{&from, &event, {until, cancel}}, on);
}

inline status attempt_next_named(named_listener *&from, ipc_named_event &event) noexcept
{
    return empty_if_timed_out(from->next(event, deadline::now()));
}

inline status arm_next_named(named_listener *&from, wait_limits &limits, ipc_ready_handle *handle) noexcept
{
    return ipc_named_listener_arm(from->get(), limits.begun(), limits.cancel, handle);
}

inline auto await_next_named(named_listener &from, ipc_named_event &event, time_limit until = {},
                             ipc_cancel *cancel = nullptr, executor *on = nullptr) noexcept
{
    using wait = into_wait<named_listener *, ipc_named_event, attempt_next_named, arm_next_named>;
    return awaiter<wait>(wait{&from, &event, {until, cancel}}, on);
}

#ifndef IPC_NO_EXCEPTIONS
inline auto await_receive(queue &from, executor *on = nullptr)
{
    using wait = value_wait<queue *, queue_message, attempt_receive, arm_receive>;
    return awaiter<wait>(wait{&from, {}}, on);
}

inline auto await_read(reader_ref from, executor *on = nullptr)
{
    using wait = value_wait<reader_ref, record, attempt_read, arm_read>;
    return awaiter<wait>(wait{from, {}}, on);
}

inline auto await_read_topic(topic_reader &from, executor *on = nullptr)
{
    using wait = value_wait<topic_reader *, topic_message, attempt_read_topic, arm_read_topic>;
    return awaiter<wait>(wait{&from, {}}, on);
}

inline auto await_next(listener &from, executor *on = nullptr)
{
    using wait = value_wait<listener *, ipc_event, attempt_next, arm_next>;
    return awaiter<wait>(wait{&from, {}}, on);
}

inline auto await_next_named(named_listener &from, executor *on = nullptr)
{
    using wait = value_wait<named_listener *, ipc_named_event, attempt_next_named, arm_next_named>;
    return awaiter<wait>(wait{&from, {}}, on);
}
#endif

} // namespace detail

template <class... Arguments> auto queue::receive_async(Arguments &&...arguments)
{
    return detail::await_receive(*this, std::forward<Arguments>(arguments)...);
}

template <class... Arguments> auto reader_ref::read_async(Arguments &&...arguments)
{
    return detail::await_read(*this, std::forward<Arguments>(arguments)...);
}

template <class... Arguments> auto topic_reader::read_async(Arguments &&...arguments)
{
    return detail::await_read_topic(*this, std::forward<Arguments>(arguments)...);
}

template <class... Arguments> auto listener::next_async(Arguments &&...arguments)
{
    return detail::await_next(*this, std::forward<Arguments>(arguments)...);
}

template <class... Arguments> auto named_listener::next_async(Arguments &&...arguments)
{
    return detail::await_next_named(*this, std::forward<Arguments>(arguments)...);
}

} // namespace ipc

#endif
#endif
