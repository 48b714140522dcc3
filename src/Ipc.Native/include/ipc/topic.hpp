// A topic between processes: every reader gets every message.
#ifndef IPC_TOPIC_HPP
#define IPC_TOPIC_HPP

#include "dialect.hpp"

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "basics.hpp"
#include "ready_handle.hpp"
#include "topic.h"

namespace ipc
{

using topic_message = ipc_message;

// A slot to be filled and committed. Abandons itself when it is destroyed without that: readers get no further than an
// open claim.
class topic_claim
{
  public:
    topic_claim() noexcept = default;

    topic_claim(topic_claim &&other) noexcept : writer_(std::exchange(other.writer_, nullptr)), block_(other.block_)
    {
    }

    topic_claim &operator=(topic_claim &&other) noexcept
    {
        if (this != &other) {
            abandon();
            writer_ = std::exchange(other.writer_, nullptr);
            block_ = other.block_;
        }
        return *this;
    }

    ~topic_claim()
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

    // Publishes the first LENGTH bytes. KEY means something to conflating readers.
    [[nodiscard]] status commit(uint32_t length, uint16_t type = 0, uint64_t key = 0) noexcept
    {
        if (writer_ == nullptr)
            return IPC_E_INVALID_STATE;
        const status code = ipc_topic_commit(writer_, &block_, length, type, key);
        if (code != IPC_E_INVALID_ARGUMENT) // then it is still claimed
            writer_ = nullptr;
        return code;
    }

    void abandon() noexcept
    {
        if (writer_ != nullptr)
            ipc_topic_abandon(std::exchange(writer_, nullptr), &block_);
    }

  private:
    friend class topic_writer;
    ipc_topic_writer *writer_ = nullptr;
    ipc_block block_ = {};
};

// A writer of the topic NAME; leaves when destroyed. Claims must not outlive it.
class topic_writer
{
  public:
    // Opens nothing yet: try_open() does.
    topic_writer() noexcept = default;

    static status try_open(const std::string &name, const ipc_topic_options &options, topic_writer &made) noexcept
    {
        return detail::open(ipc_topic_writer_open, name, options, made.handle_);
    }

#ifndef IPC_NO_EXCEPTIONS
    explicit topic_writer(const std::string &name, const ipc_topic_options &options = {})
    {
        require(try_open(name, options, *this));
    }
#endif

    explicit operator bool() const noexcept
    {
        return handle_ != nullptr;
    }

    ipc_topic_writer *get() const noexcept
    {
        return handle_.get();
    }

    // What CLAIM held before is abandoned. IPC_FULL when a reader is a whole lap behind; ipc_last_error() names it.
    [[nodiscard]] status try_claim(uint32_t length, topic_claim &claim) noexcept
    {
        claim.abandon();
        return keep(claim, ipc_topic_try_claim(get(), length, &claim.block_));
    }

    [[nodiscard]] status claim(uint32_t length, topic_claim &claim, time_limit until,
                               ipc_cancel *cancel = nullptr) noexcept
    {
        claim.abandon();
        return keep(claim,
                    detail::within(
                        until, IPC_FULL,
                        [&] { return ipc_topic_try_claim(get(), length, &claim.block_); }, // IPC_NOW evicts readers
                        [&](ipc_deadline at) { return ipc_topic_claim(get(), length, at, cancel, &claim.block_); }));
    }

    // Copies and publishes. As try_claim when there is no room now: evicts nobody.
    [[nodiscard]] status try_publish(std::string_view payload, uint16_t type = 0, uint64_t key = 0) noexcept
    {
        if (payload.size() > UINT32_MAX)
            return IPC_E_TOO_LARGE;
        const auto length = static_cast<uint32_t>(payload.size());
        topic_claim room;
        if (const status code = try_claim(length, room); code != IPC_OK)
            return code;
        if (length != 0)
            std::memcpy(room.data(), payload.data(), length);
        return room.commit(length, type, key);
    }

    [[nodiscard]] status publish_until(std::string_view payload, uint16_t type, uint64_t key, time_limit until,
                                       ipc_cancel *cancel = nullptr) noexcept
    {
        if (payload.size() > UINT32_MAX)
            return IPC_E_TOO_LARGE;
        return detail::within(
            until, IPC_FULL, // IPC_NOW evicts readers
            [&] {
                const status code = try_publish(payload, type, key);
                return code == IPC_E_INVALID_STATE ? IPC_E_CORRUPT : code; // a claim that another has taken away
            },
            [&](ipc_deadline at) {
                return ipc_topic_publish(get(), payload.data(), static_cast<uint32_t>(payload.size()), type, key, at,
                                         cancel);
            });
    }

#ifndef IPC_NO_EXCEPTIONS
    // Copies and publishes, waiting for room. Throws when that cannot be.
    void publish(std::string_view payload, uint16_t type = 0, uint64_t key = 0, time_limit until = {})
    {
        require(publish_until(payload, type, key, until));
    }
#endif

    // It becomes ready when a try_claim() of LENGTH may find room; until then IPC_EMPTY. Anything else: not armed.
    [[nodiscard]] status arm_room(uint32_t length, ready_handle &when, deadline until = deadline::never(),
                                  ipc_cancel *cancel = nullptr) noexcept
    {
        return ipc_topic_arm_room(get(), length, until.at(), cancel, when.get());
    }

    // With ipc/coroutines.hpp: what publish() and claim() wait for, awaited.
    template <class... Arguments> auto publish_async(Arguments &&...arguments);
    template <class... Arguments> auto claim_async(Arguments &&...arguments);

    [[nodiscard]] status wait_for_readers(uint32_t count, time_limit until, ipc_cancel *cancel = nullptr) noexcept
    {
        return detail::within(
            until, [&](ipc_deadline at) { return ipc_topic_writer_wait_for_readers(get(), count, at, cancel); });
    }

    void stop() noexcept
    {
        ipc_topic_writer_stop(get());
    }

    void resume() noexcept
    {
        ipc_topic_writer_resume(get());
    }

    void trim_loans() noexcept
    {
        ipc_topic_writer_trim_loans(get());
    }

    ipc_topic_info info() const noexcept
    {
        ipc_topic_info info;
        ipc_topic_writer_get_info(get(), &info);
        return info;
    }

    std::vector<ipc_participant_info> participants() const
    {
        std::vector<ipc_participant_info> all(ipc_topic_writer_participants(get(), nullptr, 0));
        const uint32_t count = ipc_topic_writer_participants(get(), all.data(), static_cast<uint32_t>(all.size()));
        if (count < all.size()) // some have left in between; who has come is in the next list
            all.resize(count);
        return all;
    }

    status next_change(ipc_change &change, time_limit until, ipc_cancel *cancel = nullptr) noexcept
    {
        return detail::within(
            until, [&](ipc_deadline at) { return ipc_topic_writer_next_change(get(), at, cancel, &change); });
    }

  private:
    status keep(topic_claim &claim, status code) noexcept
    {
        if (code == IPC_OK)
            claim.writer_ = get();
        return code;
    }

    struct close {
        void operator()(ipc_topic_writer *handle) const noexcept
        {
            ipc_topic_writer_close(handle);
        }
    };
    std::unique_ptr<ipc_topic_writer, close> handle_;
};

inline std::string_view text_of(const topic_message &message) noexcept
{
    return {static_cast<const char *>(message.payload), message.length};
}

// A reader of the topic NAME; leaves when destroyed. Payloads must not outlive it.
class topic_reader
{
  public:
    // Opens nothing yet: try_open() does.
    topic_reader() noexcept = default;

    static status try_open(const std::string &name, const ipc_topic_options &options, topic_reader &made) noexcept
    {
        return detail::open(ipc_topic_reader_open, name, options, made.handle_);
    }

#ifndef IPC_NO_EXCEPTIONS
    explicit topic_reader(const std::string &name, const ipc_topic_options &options = {})
    {
        require(try_open(name, options, *this));
    }
#endif

    explicit operator bool() const noexcept
    {
        return handle_ != nullptr;
    }

    ipc_topic_reader *get() const noexcept
    {
        return handle_.get();
    }

    // IPC_EMPTY when there is none now, IPC_EVICTED when this reader was cut off.
    [[nodiscard]] status try_read(topic_message &message) noexcept
    {
        return ipc_topic_try_read(get(), &message);
    }

    [[nodiscard]] status read(topic_message &message, time_limit until, ipc_cancel *cancel = nullptr) noexcept
    {
        return detail::within(
            until, IPC_EMPTY, [&] { return ipc_topic_try_read(get(), &message); },
            [&](ipc_deadline at) { return ipc_topic_read(get(), at, cancel, &message); });
    }

    // Until a message can be read; does not read it.
    [[nodiscard]] status wait(time_limit until, ipc_cancel *cancel = nullptr) noexcept
    {
        return detail::within(until, [&](ipc_deadline at) { return ipc_topic_wait(get(), at, cancel); });
    }

    // It becomes ready when a message can be read; until then IPC_EMPTY. Anything else: not armed, see
    // ipc/ready_handle.h.
    [[nodiscard]] status arm(ready_handle &when, deadline until = deadline::never(),
                             ipc_cancel *cancel = nullptr) noexcept
    {
        return ipc_topic_arm(get(), until.at(), cancel, when.get());
    }

    // With ipc/coroutines.hpp: what read() waits for, awaited.
    template <class... Arguments> auto read_async(Arguments &&...arguments);

    // Gives back everything read so far. IPC_EVICTED: it may have been overwritten while it was read.
    status release() noexcept
    {
        return ipc_topic_release(get());
    }

    [[nodiscard]] status rejoin(ipc_join join = IPC_JOIN_NEWEST) noexcept
    {
        return ipc_topic_rejoin(get(), join);
    }

    void stop() noexcept
    {
        ipc_topic_reader_stop(get());
    }

    void resume() noexcept
    {
        ipc_topic_reader_resume(get());
    }

    ipc_topic_info info() const noexcept
    {
        ipc_topic_info info;
        ipc_topic_reader_get_info(get(), &info);
        return info;
    }

    status next_change(ipc_change &change, time_limit until, ipc_cancel *cancel = nullptr) noexcept
    {
        return detail::within(
            until, [&](ipc_deadline at) { return ipc_topic_reader_next_change(get(), at, cancel, &change); });
    }

  private:
    struct close {
        void operator()(ipc_topic_reader *handle) const noexcept
        {
            ipc_topic_reader_close(handle);
        }
    };
    std::unique_ptr<ipc_topic_reader, close> handle_;
};

} // namespace ipc
#endif
