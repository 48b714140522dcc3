// The two ends of a ring.
#ifndef IPC_RING_HPP
#define IPC_RING_HPP

#include "dialect.hpp"

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "basics.hpp"
#include "ready_handle.hpp"
#include "ring.h"

namespace ipc
{

// A record read in place: valid until the reader's release(). A hostile peer can change the bytes: read once, check,
// use.
struct record {
    const uint8_t *data = nullptr;
    uint32_t size = 0;
    uint16_t type = 0;
    bool redelivered = false;

    std::string_view text() const noexcept
    {
        return {reinterpret_cast<const char *>(data), size};
    }
};

// The calls of a writing end, whether owned (ring_writer) or a connection's. Does not own.
class writer_ref
{
  public:
    constexpr writer_ref(ipc_ring_writer *handle) noexcept : handle_(handle)
    {
    }

    ipc_ring_writer *get() const noexcept
    {
        return handle_;
    }

    uint64_t capacity() const noexcept
    {
        return ipc_ring_writer_capacity(handle_);
    }

    uint32_t max_payload() const noexcept
    {
        return ipc_ring_writer_max_payload(handle_);
    }

    // How often a publish found the reader asleep and had to wake it. Any thread; may lag.
    uint64_t wakes() const noexcept
    {
        return ipc_ring_writer_wakes(handle_);
    }

    // What was committed ends at or before it, what will be begins at or behind it.
    uint64_t position() const noexcept
    {
        return ipc_ring_writer_position(handle_);
    }

    // LENGTH bytes in place at PAYLOAD; IPC_FULL when there is no room now.
    [[nodiscard]] status try_claim(uint32_t length, uint8_t *&payload) noexcept
    {
        void *place = nullptr;
        const status code = ipc_ring_try_claim(handle_, length, &place);
        payload = static_cast<uint8_t *>(place);
        return code;
    }

    [[nodiscard]] status claim(uint32_t length, uint8_t *&payload, time_limit until,
                               ipc_cancel *cancel = nullptr) noexcept
    {
        void *place = nullptr;
        const status code =
            detail::within(until, [&](ipc_deadline at) { return ipc_ring_claim(handle_, length, at, cancel, &place); });
        payload = static_cast<uint8_t *>(place);
        return code;
    }

    // Grows the open claim to LENGTH bytes, keeping what was written: PAYLOAD may have moved.
    [[nodiscard]] status try_extend_claim(uint32_t length, uint8_t *&payload) noexcept
    {
        void *place = nullptr;
        const status code = ipc_ring_try_extend_claim(handle_, length, &place);
        if (code == IPC_OK)
            payload = static_cast<uint8_t *>(place);
        return code;
    }

    [[nodiscard]] status commit(uint32_t length, uint16_t type = 0) noexcept
    {
        return ipc_ring_commit(handle_, length, type);
    }

    [[nodiscard]] status commit_batched(uint32_t length, uint16_t type = 0) noexcept
    {
        return ipc_ring_commit_batched(handle_, length, type);
    }

    void flush() noexcept
    {
        ipc_ring_flush(handle_);
    }

    void abandon() noexcept
    {
        ipc_ring_abandon(handle_);
    }

    // Copies and publishes. IPC_FULL when there is no room now.
    [[nodiscard]] status try_write(std::string_view payload, uint16_t type = 0) noexcept
    {
        if (payload.size() > UINT32_MAX)
            return IPC_E_TOO_LARGE;
        const auto length = static_cast<uint32_t>(payload.size());
        uint8_t *place = nullptr;
        if (const status code = try_claim(length, place); code != IPC_OK)
            return code;
        if (length != 0)
            std::memcpy(place, payload.data(), length);
        return commit(length, type);
    }

    [[nodiscard]] status write_until(std::string_view payload, uint16_t type, time_limit until,
                                     ipc_cancel *cancel = nullptr) noexcept
    {
        if (payload.size() > UINT32_MAX)
            return IPC_E_TOO_LARGE;
        return detail::within(until, [&](ipc_deadline at) {
            return ipc_ring_write(handle_, payload.data(), static_cast<uint32_t>(payload.size()), type, at, cancel);
        });
    }

#ifndef IPC_NO_EXCEPTIONS
    // Copies and publishes, waiting for room. Throws when that cannot be.
    void write(std::string_view payload, uint16_t type = 0, time_limit until = {})
    {
        require(write_until(payload, type, until));
    }
#endif

    // It becomes ready when a try_claim() of LENGTH may find room; until then IPC_EMPTY. Anything else: not armed.
    [[nodiscard]] status arm_room(uint32_t length, ready_handle &when, deadline until = deadline::never(),
                                  ipc_cancel *cancel = nullptr) noexcept
    {
        return ipc_ring_arm_room(handle_, length, until.at(), cancel, when.get());
    }

    // With ipc/coroutines.hpp: what write() and claim() wait for, awaited.
    template <class... Arguments> auto write_async(Arguments &&...arguments);
    template <class... Arguments> auto claim_async(Arguments &&...arguments);

    // Gives the memory of loans that are not in use back to the system.
    void trim_loans() noexcept
    {
        ipc_ring_writer_trim_loans(handle_);
    }

    void stop() noexcept
    {
        ipc_ring_writer_stop(handle_);
    }

    void resume() noexcept
    {
        ipc_ring_writer_resume(handle_);
    }

    ipc_peer_state peer() const noexcept
    {
        return ipc_ring_writer_peer(handle_);
    }

    [[nodiscard]] status wait_for_peer(time_limit until, ipc_cancel *cancel = nullptr) noexcept
    {
        return detail::within(until,
                              [&](ipc_deadline at) { return ipc_ring_writer_wait_for_peer(handle_, at, cancel); });
    }

  private:
    ipc_ring_writer *handle_;
};

// The calls of a reading end, whether owned (ring_reader) or a connection's. Does not own.
class reader_ref
{
  public:
    constexpr reader_ref(ipc_ring_reader *handle) noexcept : handle_(handle)
    {
    }

    ipc_ring_reader *get() const noexcept
    {
        return handle_;
    }

    uint64_t capacity() const noexcept
    {
        return ipc_ring_reader_capacity(handle_);
    }

    // How far it was read and released.
    uint64_t released() const noexcept
    {
        return ipc_ring_reader_released(handle_);
    }

    // The next record in place; IPC_EMPTY when there is none now.
    [[nodiscard]] status try_read(record &next) noexcept
    {
        ipc_record raw;
        const status code = ipc_ring_try_read(handle_, &raw);
        if (code == IPC_OK)
            next = {static_cast<const uint8_t *>(raw.payload), raw.length, raw.type, raw.redelivered};
        return code;
    }

    [[nodiscard]] status read(record &next, time_limit until, ipc_cancel *cancel = nullptr) noexcept
    {
        ipc_record raw;
        const status code = detail::within(
            until, IPC_EMPTY, [&] { return ipc_ring_try_read(handle_, &raw); }, // IPC_NOW returns all space
            [&](ipc_deadline at) { return ipc_ring_read(handle_, at, cancel, &raw); });
        if (code == IPC_OK)
            next = {static_cast<const uint8_t *>(raw.payload), raw.length, raw.type, raw.redelivered};
        return code;
    }

    // Waits until there is something to read, and does not read it.
    [[nodiscard]] status wait(time_limit until, ipc_cancel *cancel = nullptr) noexcept
    {
        return detail::within(until, [&](ipc_deadline at) { return ipc_ring_wait(handle_, at, cancel); });
    }

    // It becomes ready when a record can be read; until then IPC_EMPTY. Anything else: not armed, see
    // ipc/ready_handle.h.
    [[nodiscard]] status arm(ready_handle &when, deadline until = deadline::never(),
                             ipc_cancel *cancel = nullptr) noexcept
    {
        return ipc_ring_arm(handle_, until.at(), cancel, when.get());
    }

    // With ipc/coroutines.hpp: what read() waits for, awaited.
    template <class... Arguments> auto read_async(Arguments &&...arguments);

    // Gives back everything read so far.
    void release() noexcept
    {
        ipc_ring_release(handle_);
    }

    // Whether everything that was published by now has been released. Any thread, beside the one that reads.
    [[nodiscard]] bool is_drained() const noexcept
    {
        return ipc_ring_reader_is_drained(handle_);
    }

    void stop() noexcept
    {
        ipc_ring_reader_stop(handle_);
    }

    void resume() noexcept
    {
        ipc_ring_reader_resume(handle_);
    }

    ipc_peer_state peer() const noexcept
    {
        return ipc_ring_reader_peer(handle_);
    }

    [[nodiscard]] status wait_for_peer(time_limit until, ipc_cancel *cancel = nullptr) noexcept
    {
        return detail::within(until,
                              [&](ipc_deadline at) { return ipc_ring_reader_wait_for_peer(handle_, at, cancel); });
    }

  private:
    ipc_ring_reader *handle_;
};

namespace detail
{
struct close_ring {
    void operator()(ipc_ring_writer *handle) const noexcept
    {
        ipc_ring_writer_close(handle);
    }
    void operator()(ipc_ring_reader *handle) const noexcept
    {
        ipc_ring_reader_close(handle);
    }
};

// A ring end that is owned: REF's calls plus the duty to leave.
template <class Handle, class Ref> class owned : public Ref
{
  public:
    owned(owned &&other) noexcept : Ref(other.owner_.get()), owner_(std::move(other.owner_))
    {
        static_cast<Ref &>(other) = Ref(nullptr);
    }

    owned &operator=(owned &&other) noexcept
    {
        if (this != &other) {
            owner_ = std::move(other.owner_);
            static_cast<Ref &>(*this) = Ref(owner_.get());
            static_cast<Ref &>(other) = Ref(nullptr);
        }
        return *this;
    }

    explicit operator bool() const noexcept
    {
        return owner_ != nullptr;
    }

    // For the library: owns HANDLE instead.
    void reset(Handle *handle) noexcept
    {
        owner_.reset(handle);
        static_cast<Ref &>(*this) = Ref(handle);
    }

  protected:
    owned() noexcept : Ref(nullptr)
    {
    }

  private:
    std::unique_ptr<Handle, close_ring> owner_;
};
} // namespace detail

// The writing end of the ring NAME; leaves when destroyed.
class ring_writer : public detail::owned<ipc_ring_writer, writer_ref>
{
  public:
    // Opens nothing yet: try_open() does.
    ring_writer() noexcept = default;

    static status try_open(const std::string &name, const ipc_ring_options &options, ring_writer &made) noexcept
    {
        return detail::open(ipc_ring_writer_open, name, options, made);
    }

#ifndef IPC_NO_EXCEPTIONS
    explicit ring_writer(const std::string &name, const ipc_ring_options &options = {})
    {
        require(try_open(name, options, *this));
    }
#endif
};

// The reading end of the ring NAME; leaves when destroyed.
class ring_reader : public detail::owned<ipc_ring_reader, reader_ref>
{
  public:
    // Opens nothing yet: try_open() does.
    ring_reader() noexcept = default;

    static status try_open(const std::string &name, const ipc_ring_options &options, ring_reader &made) noexcept
    {
        return detail::open(ipc_ring_reader_open, name, options, made);
    }

#ifndef IPC_NO_EXCEPTIONS
    explicit ring_reader(const std::string &name, const ipc_ring_options &options = {})
    {
        require(try_open(name, options, *this));
    }
#endif
};

} // namespace ipc
#endif
