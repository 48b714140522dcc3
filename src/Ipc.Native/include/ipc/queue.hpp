// A queue between processes: many senders, many receivers.
#ifndef IPC_QUEUE_HPP
#define IPC_QUEUE_HPP

#include "dialect.hpp"

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "basics.hpp"
#include "queue.h"
#include "ready_handle.hpp"

namespace ipc
{

// A block to be filled and committed. Abandons itself when it is destroyed without that.
class queue_claim
{
  public:
    queue_claim() noexcept = default;

    queue_claim(queue_claim &&other) noexcept : queue_(std::exchange(other.queue_, nullptr)), block_(other.block_)
    {
    }

    queue_claim &operator=(queue_claim &&other) noexcept
    {
        if (this != &other) {
            abandon();
            queue_ = std::exchange(other.queue_, nullptr);
            block_ = other.block_;
        }
        return *this;
    }

    ~queue_claim()
    {
        abandon();
    }

    uint8_t *data() const noexcept
    {
        return static_cast<uint8_t *>(block_.payload);
    }

    uint32_t size() const noexcept
    {
        return block_.length;
    }

    // Sends the first LENGTH bytes.
    [[nodiscard]] status commit(uint32_t length, uint16_t type = 0) noexcept
    {
        if (queue_ == nullptr)
            return IPC_E_INVALID_STATE;
        const status code = ipc_queue_commit(queue_, &block_, length, type);
        if (code != IPC_E_INVALID_ARGUMENT) // then it is still claimed
            queue_ = nullptr;
        return code;
    }

    [[nodiscard]] status commit() noexcept
    {
        return commit(block_.length);
    }

    void abandon() noexcept
    {
        if (queue_ != nullptr)
            ipc_queue_abandon(std::exchange(queue_, nullptr), &block_);
    }

  private:
    friend class queue;
    ipc_queue *queue_ = nullptr;
    ipc_block block_ = {};
};

// A received message, read in place. Releases itself when destroyed. A hostile peer can change the bytes: read once,
// check, use.
class queue_message
{
  public:
    queue_message() noexcept = default;

    queue_message(queue_message &&other) noexcept : queue_(std::exchange(other.queue_, nullptr)), block_(other.block_)
    {
    }

    queue_message &operator=(queue_message &&other) noexcept
    {
        if (this != &other) {
            release();
            queue_ = std::exchange(other.queue_, nullptr);
            block_ = other.block_;
        }
        return *this;
    }

    ~queue_message()
    {
        release();
    }

    const uint8_t *data() const noexcept
    {
        return static_cast<const uint8_t *>(block_.payload);
    }

    uint32_t size() const noexcept
    {
        return block_.length;
    }

    uint16_t type() const noexcept
    {
        return block_.type;
    }

    // Received before by a process that died without releasing it.
    bool redelivered() const noexcept
    {
        return block_.redelivered;
    }

    std::string_view text() const noexcept
    {
        return {reinterpret_cast<const char *>(data()), size()};
    }

    void release() noexcept
    {
        if (queue_ != nullptr)
            ipc_queue_release(std::exchange(queue_, nullptr), &block_);
    }

  private:
    friend class queue;
    ipc_queue *queue_ = nullptr;
    ipc_block block_ = {};
};

// A participant of the queue NAME; leaves when destroyed. Claims and messages must not outlive it.
class queue
{
  public:
    // Opens nothing yet: try_open() does.
    queue() noexcept = default;

    static status try_open(const std::string &name, const ipc_queue_options &options, queue &made) noexcept
    {
        return detail::open(ipc_queue_open, name, options, made.handle_);
    }

#ifndef IPC_NO_EXCEPTIONS
    explicit queue(const std::string &name, const ipc_queue_options &options = {})
    {
        require(try_open(name, options, *this));
    }
#endif

    explicit operator bool() const noexcept
    {
        return handle_ != nullptr;
    }

    ipc_queue *get() const noexcept
    {
        return handle_.get();
    }

    // What CLAIM held before is abandoned. IPC_FULL when there is no room now.
    [[nodiscard]] status try_claim(uint32_t length, queue_claim &claim) noexcept
    {
        claim.abandon();
        return keep(claim, ipc_queue_try_claim(get(), length, &claim.block_));
    }

    [[nodiscard]] status claim(uint32_t length, queue_claim &claim, time_limit until,
                               ipc_cancel *cancel = nullptr) noexcept
    {
        claim.abandon();
        return keep(claim, detail::within(until, [&](ipc_deadline at) {
                        return ipc_queue_claim(get(), length, at, cancel, &claim.block_);
                    }));
    }

    // What MESSAGE held before is released. IPC_EMPTY when there is none now.
    [[nodiscard]] status try_receive(queue_message &message) noexcept
    {
        message.release();
        return keep(message, ipc_queue_try_receive(get(), &message.block_));
    }

    [[nodiscard]] status receive(queue_message &message, time_limit until, ipc_cancel *cancel = nullptr) noexcept
    {
        message.release();
        return keep(message,
                    detail::within(
                        until, IPC_EMPTY, [&] { return ipc_queue_try_receive(get(), &message.block_); },
                        [&](ipc_deadline at) { return ipc_queue_receive(get(), at, cancel, &message.block_); }));
    }

    // Copies and sends. IPC_FULL when there is no room now.
    [[nodiscard]] status try_send(std::string_view payload, uint16_t type = 0) noexcept
    {
        if (payload.size() > UINT32_MAX)
            return IPC_E_TOO_LARGE;
        const auto length = static_cast<uint32_t>(payload.size());
        queue_claim room;
        if (const status code = try_claim(length, room); code != IPC_OK)
            return code;
        if (length != 0)
            std::memcpy(room.data(), payload.data(), length);
        return room.commit(length, type);
    }

    [[nodiscard]] status send_until(std::string_view payload, uint16_t type, time_limit until,
                                    ipc_cancel *cancel = nullptr) noexcept
    {
        if (payload.size() > UINT32_MAX)
            return IPC_E_TOO_LARGE;
        return detail::within(until, [&](ipc_deadline at) {
            return ipc_queue_send(get(), payload.data(), static_cast<uint32_t>(payload.size()), type, at, cancel);
        });
    }

#ifndef IPC_NO_EXCEPTIONS
    // Copies and sends, waiting for room. Throws when that cannot be.
    void send(std::string_view payload, uint16_t type = 0, time_limit until = {})
    {
        require(send_until(payload, type, until));
    }
#endif

    // It becomes ready when a try_claim() of LENGTH may find room; until then IPC_EMPTY. Anything else: not armed.
    [[nodiscard]] status arm_room(uint32_t length, ready_handle &when, deadline until = deadline::never(),
                                  ipc_cancel *cancel = nullptr) noexcept
    {
        return ipc_queue_arm_room(get(), length, until.at(), cancel, when.get());
    }

    // With ipc/coroutines.hpp: what send() and claim() wait for, awaited.
    template <class... Arguments> auto send_async(Arguments &&...arguments);
    template <class... Arguments> auto claim_async(Arguments &&...arguments);

    // Until something can be received.
    [[nodiscard]] status wait(time_limit until, ipc_cancel *cancel = nullptr) noexcept
    {
        return detail::within(until, [&](ipc_deadline at) { return ipc_queue_wait(get(), at, cancel); });
    }

    // It becomes ready when something may be received; until then IPC_EMPTY. Anything else: not armed, see
    // ipc/ready_handle.h.
    [[nodiscard]] status arm(ready_handle &when, deadline until = deadline::never(),
                             ipc_cancel *cancel = nullptr) noexcept
    {
        return ipc_queue_arm(get(), until.at(), cancel, when.get());
    }

    // With ipc/coroutines.hpp: what receive() waits for, awaited.
    template <class... Arguments> auto receive_async(Arguments &&...arguments);

    void stop() noexcept
    {
        ipc_queue_stop(get());
    }

    void resume() noexcept
    {
        ipc_queue_resume(get());
    }

    void trim_loans() noexcept
    {
        ipc_queue_trim_loans(get());
    }

    ipc_queue_info info() const noexcept
    {
        ipc_queue_info info;
        ipc_queue_get_info(get(), &info);
        return info;
    }

    std::vector<ipc_participant_info> participants() const
    {
        std::vector<ipc_participant_info> all(ipc_queue_participants(get(), nullptr, 0));
        const uint32_t count = ipc_queue_participants(get(), all.data(), static_cast<uint32_t>(all.size()));
        if (count < all.size()) // some have left in between; who has come is in the next list
            all.resize(count);
        return all;
    }

    status next_change(ipc_change &change, time_limit until, ipc_cancel *cancel = nullptr) noexcept
    {
        return detail::within(until,
                              [&](ipc_deadline at) { return ipc_queue_next_change(get(), at, cancel, &change); });
    }

  private:
    template <class Holder> status keep(Holder &holder, status code) noexcept
    {
        if (code == IPC_OK)
            holder.queue_ = get();
        return code;
    }

    struct close {
        void operator()(ipc_queue *handle) const noexcept
        {
            ipc_queue_close(handle);
        }
    };
    std::unique_ptr<ipc_queue, close> handle_;
};

} // namespace ipc
#endif
