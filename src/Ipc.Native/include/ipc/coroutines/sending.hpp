// Room to send, awaited: queues, rings, topics. Included by ipc/coroutines.hpp.
#ifndef IPC_COROUTINES_SENDING_HPP
#define IPC_COROUTINES_SENDING_HPP

#if defined(__cpp_impl_coroutine)

#include <cstdint>
#include <string_view>
#include <utility>

#include "../queue.hpp"
#include "../ring.hpp"
#include "../topic.hpp"
#include "awaiter.hpp"
#include "executor.hpp"

namespace ipc
{

namespace detail
{

// "No room" is what those who send wait for.
inline status empty_if_full(status code) noexcept
{
    return code == IPC_FULL ? IPC_EMPTY : code;
}

inline uint32_t length_of(std::string_view payload) noexcept
{
    return payload.size() > UINT32_MAX ? UINT32_MAX : static_cast<uint32_t>(payload.size());
}

struct send_wait {
    queue *to;
    std::string_view payload;
    uint16_t type;
    wait_limits limits;

    status attempt() noexcept
    {
        return empty_if_full(to->try_send(payload, type));
    }
    status arm(ipc_ready_handle *handle) noexcept
    {
        return ipc_queue_arm_room(to->get(), length_of(payload), limits.begun(), limits.cancel, handle);
    }
    status result(status code) noexcept
    {
        return code;
    }
};

struct claim_wait {
    queue *to;
    uint32_t length;
    queue_claim *claim;
    wait_limits limits;

    status attempt() noexcept
    {
        return empty_if_full(to->try_claim(length, *claim));
    }
    status arm(ipc_ready_handle *handle) noexcept
    {
        return ipc_queue_arm_room(to->get(), length, limits.begun(), limits.cancel, handle);
    }
    status result(status code) noexcept
    {
        return code;
    }
};

struct write_wait {
    writer_ref to;
    std::string_view payload;
    uint16_t type;
    wait_limits limits;

    status attempt() noexcept
    {
        return empty_if_full(to.try_write(payload, type));
    }
    status arm(ipc_ready_handle *handle) noexcept
    {
        return ipc_ring_arm_room(to.get(), length_of(payload), limits.begun(), limits.cancel, handle);
    }
    status result(status code) noexcept
    {
        return code;
    }
};

struct claim_record_wait {
    writer_ref to;
    uint32_t length;
    uint8_t **place;
    wait_limits limits;

    status attempt() noexcept
    {
        return empty_if_full(to.try_claim(length, *place));
    }
    status arm(ipc_ready_handle *handle) noexcept
    {
        return ipc_ring_arm_room(to.get(), length, limits.begun(), limits.cancel, handle);
    }
    status result(status code) noexcept
    {
        return code;
    }
};

// When the time is over a topic's writer cuts off who holds it up and allows that, as the call that waits does.
struct publish_wait {
    topic_writer *to;
    std::string_view payload;
    uint16_t type;
    uint64_t key;
    wait_limits limits;
    bool done = false;

    status attempt() noexcept
    {
        return done ? IPC_OK : empty_if_full(to->try_publish(payload, type, key));
    }
    status arm(ipc_ready_handle *handle) noexcept
    {
        status code = ipc_topic_arm_room(to->get(), length_of(payload), limits.begun(), limits.cancel, handle);
        if (code != IPC_TIMEOUT)
            return code;
        code = to->publish_until(payload, type, key, deadline::now());
        done = code == IPC_OK;
        return code;
    }
    status result(status code) noexcept
    {
        return code;
    }
};

struct claim_message_wait {
    topic_writer *to;
    uint32_t length;
    topic_claim *claim;
    wait_limits limits;
    bool done = false;

    status attempt() noexcept
    {
        return done ? IPC_OK : empty_if_full(to->try_claim(length, *claim));
    }
    status arm(ipc_ready_handle *handle) noexcept
    {
        status code = ipc_topic_arm_room(to->get(), length, limits.begun(), limits.cancel, handle);
        if (code != IPC_TIMEOUT)
            return code;
        code = to->claim(length, *claim, deadline::now());
        done = code == IPC_OK;
        return code;
    }
    status result(status code) noexcept
    {
        return code;
    }
};

inline auto await_send(queue &to, std::string_view payload, uint16_t type = 0, time_limit until = {},
                       ipc_cancel *cancel = nullptr, executor *on = nullptr) noexcept
{
    return awaiter<send_wait>({&to, payload, type, {until, cancel}}, on);
}

inline auto await_claim(queue &to, uint32_t length, queue_claim &claim, time_limit until = {},
                        ipc_cancel *cancel = nullptr, executor *on = nullptr) noexcept
{
    return awaiter<claim_wait>({&to, length, &claim, {until, cancel}}, on);
}

inline auto await_write(writer_ref to, std::string_view payload, uint16_t type = 0, time_limit until = {},
                        ipc_cancel *cancel = nullptr, executor *on = nullptr) noexcept
{
    return awaiter<write_wait>({to, payload, type, {until, cancel}}, on);
}

inline auto await_claim(writer_ref to, uint32_t length, uint8_t *&payload, time_limit until = {},
                        ipc_cancel *cancel = nullptr, executor *on = nullptr) noexcept
{
    return awaiter<claim_record_wait>({to, length, &payload, {until, cancel}}, on);
}

inline auto await_publish(topic_writer &to, std::string_view payload, uint16_t type = 0, uint64_t key = 0,
                          time_limit until = {}, ipc_cancel *cancel = nullptr, executor *on = nullptr) noexcept
{
    return awaiter<publish_wait>({&to, payload, type, key, {until, cancel}}, on);
}

inline auto await_claim(topic_writer &to, uint32_t length, topic_claim &claim, time_limit until = {},
                        ipc_cancel *cancel = nullptr, executor *on = nullptr) noexcept
{
    return awaiter<claim_message_wait>({&to, length, &claim, {until, cancel}}, on);
}

} // namespace detail

template <class... Arguments> auto queue::send_async(Arguments &&...arguments)
{
    return detail::await_send(*this, std::forward<Arguments>(arguments)...);
}

template <class... Arguments> auto queue::claim_async(Arguments &&...arguments)
{
    return detail::await_claim(*this, std::forward<Arguments>(arguments)...);
}

template <class... Arguments> auto writer_ref::write_async(Arguments &&...arguments)
{
    return detail::await_write(*this, std::forward<Arguments>(arguments)...);
}

template <class... Arguments> auto writer_ref::claim_async(Arguments &&...arguments)
{
    return detail::await_claim(*this, std::forward<Arguments>(arguments)...);
}

template <class... Arguments> auto topic_writer::publish_async(Arguments &&...arguments)
{
    return detail::await_publish(*this, std::forward<Arguments>(arguments)...);
}

template <class... Arguments> auto topic_writer::claim_async(Arguments &&...arguments)
{
    return detail::await_claim(*this, std::forward<Arguments>(arguments)...);
}

} // namespace ipc

#endif
#endif
