// ipc.hpp - the C++17 face of ipc.h: owners that close what they hold, and errors as exceptions. Header only.
//
// Each operation that waits or may be refused exists twice:
//   - try_... and forms that take a deadline return an ipc::status and never throw; for loops where full, empty, timed out and
//     peer gone are ordinary outcomes;
//   - open, connect and require() throw ipc::error, which carries the status and the library's words.
//
// The objects are movable, not copyable, and are exactly one pointer. The thread rules are those of ipc.h.
#ifndef IPC_HPP
#define IPC_HPP

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "ipc.h"

namespace ipc
{

using status = ipc_status;
using wait_mode = ipc_wait_mode;
using open_mode = ipc_open_mode;

// ---- errors -----------------------------------------------------------------------------------------------------------

// What a failed call had to say: the status, the words of ipc_last_error(), and errno where the system refused.
class error : public std::runtime_error
{
public:
    error(status code, const std::string &text, int system_error = 0)
        : std::runtime_error(std::string(ipc_status_name(code)) + ": " + text), code_(code), system_error_(system_error)
    {
    }

    status code() const noexcept
    {
        return code_;
    }

    int system_error() const noexcept
    {
        return system_error_;
    }

private:
    status code_;
    int system_error_;
};

// Throws ipc::error unless CODE is IPC_OK. To be called on the thread whose call returned CODE, before its next one.
inline void require(status code)
{
    if (code != IPC_OK)
        throw error(code, ipc_last_error(), ipc_last_errno());
}

// ---- time -------------------------------------------------------------------------------------------------------------

// A moment of CLOCK_MONOTONIC. Converts from durations, so that `5ms` can stand where a deadline is asked for.
class deadline
{
public:
    constexpr deadline() noexcept : at_(IPC_FOREVER)
    {
    }

    constexpr explicit deadline(ipc_deadline at) noexcept : at_(at)
    {
    }

    template <class Rep, class Period>
    deadline(std::chrono::duration<Rep, Period> from_now)
        : at_(from_now.count() <= 0 ? IPC_NOW
                                    : ipc_deadline_after(static_cast<uint64_t>(
                                          std::chrono::duration_cast<std::chrono::nanoseconds>(from_now).count())))
    {
    }

    static constexpr deadline now() noexcept
    {
        return deadline(IPC_NOW);
    }

    static constexpr deadline never() noexcept
    {
        return deadline(IPC_FOREVER);
    }

    constexpr ipc_deadline at() const noexcept
    {
        return at_;
    }

    constexpr bool is_never() const noexcept
    {
        return at_ == IPC_FOREVER;
    }

    // Nanoseconds from now; 0 when it has passed, UINT64_MAX when it never will.
    uint64_t remaining() const noexcept
    {
        if (is_never())
            return UINT64_MAX;
        const uint64_t now = ipc_deadline_after(0);
        return at_ > now ? at_ - now : 0;
    }

    bool has_passed() const noexcept
    {
        return remaining() == 0;
    }

private:
    ipc_deadline at_;
};

// A switch that ends waits with IPC_CANCELLED. Must outlive the calls that it was given to.
class cancel_source
{
public:
    cancel_source()
    {
        ipc_cancel *made = nullptr;
        require(ipc_cancel_create(&made));
        handle_.reset(made);
    }

    void trigger() noexcept
    {
        ipc_cancel_trigger(handle_.get());
    }

    ipc_cancel *get() const noexcept
    {
        return handle_.get();
    }

private:
    struct destroy {
        void operator()(ipc_cancel *cancel) const noexcept
        {
            ipc_cancel_destroy(cancel);
        }
    };
    std::unique_ptr<ipc_cancel, destroy> handle_;
};

// ---- the two ends of a ring ---------------------------------------------------------------------------------------------

// A record read in place: valid until the reader's release(). A hostile peer can change the bytes: read once, check, use.
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

    // LENGTH bytes in place at PAYLOAD; IPC_FULL when there is no room now.
    status try_claim(uint32_t length, uint8_t *&payload) noexcept
    {
        void *place = nullptr;
        const status code = ipc_ring_try_claim(handle_, length, &place);
        payload = static_cast<uint8_t *>(place);
        return code;
    }

    status claim(uint32_t length, uint8_t *&payload, deadline until, ipc_cancel *cancel = nullptr) noexcept
    {
        void *place = nullptr;
        const status code = ipc_ring_claim(handle_, length, until.at(), cancel, &place);
        payload = static_cast<uint8_t *>(place);
        return code;
    }

    status commit(uint32_t length, uint16_t type = 0) noexcept
    {
        return ipc_ring_commit(handle_, length, type);
    }

    status commit_batched(uint32_t length, uint16_t type = 0) noexcept
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

    status try_write(std::string_view payload, uint16_t type = 0) noexcept
    {
        return write_until(payload, type, deadline::now(), nullptr);
    }

    status write_until(std::string_view payload, uint16_t type, deadline until, ipc_cancel *cancel = nullptr) noexcept
    {
        if (payload.size() > UINT32_MAX)
            return IPC_E_TOO_LARGE;
        return ipc_ring_write(handle_, payload.data(), static_cast<uint32_t>(payload.size()), type, until.at(), cancel);
    }

    // Copies and publishes, waiting for room. Throws when that cannot be.
    void write(std::string_view payload, uint16_t type = 0, deadline until = deadline::never())
    {
        require(write_until(payload, type, until));
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

    status wait_for_peer(deadline until, ipc_cancel *cancel = nullptr) noexcept
    {
        return ipc_ring_writer_wait_for_peer(handle_, until.at(), cancel);
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

    // The next record in place; IPC_EMPTY when there is none now.
    status try_read(record &next) noexcept
    {
        ipc_record raw;
        const status code = ipc_ring_try_read(handle_, &raw);
        if (code == IPC_OK)
            next = {static_cast<const uint8_t *>(raw.payload), raw.length, raw.type, raw.redelivered};
        return code;
    }

    status read(record &next, deadline until, ipc_cancel *cancel = nullptr) noexcept
    {
        ipc_record raw;
        const status code = ipc_ring_read(handle_, until.at(), cancel, &raw);
        if (code == IPC_OK)
            next = {static_cast<const uint8_t *>(raw.payload), raw.length, raw.type, raw.redelivered};
        return code;
    }

    // Gives back everything read so far.
    void release() noexcept
    {
        ipc_ring_release(handle_);
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

    status wait_for_peer(deadline until, ipc_cancel *cancel = nullptr) noexcept
    {
        return ipc_ring_reader_wait_for_peer(handle_, until.at(), cancel);
    }

private:
    ipc_ring_reader *handle_;
};

namespace detail
{
struct close_handle {
    void operator()(ipc_ring_writer *handle) const noexcept
    {
        ipc_ring_writer_close(handle);
    }
    void operator()(ipc_ring_reader *handle) const noexcept
    {
        ipc_ring_reader_close(handle);
    }
    void operator()(ipc_connection *handle) const noexcept
    {
        ipc_connection_close(handle);
    }
    void operator()(ipc_listener *handle) const noexcept
    {
        ipc_listener_close(handle);
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
        owner_ = std::move(other.owner_);
        static_cast<Ref &>(*this) = Ref(owner_.get());
        static_cast<Ref &>(other) = Ref(nullptr);
        return *this;
    }

protected:
    explicit owned(Handle *handle) noexcept : Ref(handle), owner_(handle)
    {
    }

private:
    std::unique_ptr<Handle, close_handle> owner_;
};
} // namespace detail

// The writing end of the ring NAME; leaves when destroyed.
class ring_writer : public detail::owned<ipc_ring_writer, writer_ref>
{
public:
    explicit ring_writer(const std::string &name, const ipc_ring_options &options = {}) : owned(open(name, options))
    {
    }

private:
    static ipc_ring_writer *open(const std::string &name, const ipc_ring_options &options)
    {
        ipc_ring_writer *made = nullptr;
        require(ipc_ring_writer_open(name.c_str(), &options, &made));
        return made;
    }
};

// The reading end of the ring NAME; leaves when destroyed.
class ring_reader : public detail::owned<ipc_ring_reader, reader_ref>
{
public:
    explicit ring_reader(const std::string &name, const ipc_ring_options &options = {}) : owned(open(name, options))
    {
    }

private:
    static ipc_ring_reader *open(const std::string &name, const ipc_ring_options &options)
    {
        ipc_ring_reader *made = nullptr;
        require(ipc_ring_reader_open(name.c_str(), &options, &made));
        return made;
    }
};

// ---- connections ----------------------------------------------------------------------------------------------------------

// One side of a connection: two rings and how it ends.
class connection
{
public:
    // Owns HANDLE, which may be null.
    explicit connection(ipc_connection *handle = nullptr) noexcept : handle_(handle)
    {
    }

    // Connects to the listener NAME, or throws ipc::error.
    static connection connect(const std::string &name, const ipc_connect_options &options = {})
    {
        connection made;
        require(try_connect(name, options, made));
        return made;
    }

    static status try_connect(const std::string &name, const ipc_connect_options &options, connection &made) noexcept
    {
        ipc_connection *handle = nullptr;
        const status code = ipc_connect(name.c_str(), &options, &handle);
        if (code == IPC_OK)
            made.handle_.reset(handle);
        return code;
    }

    explicit operator bool() const noexcept
    {
        return handle_ != nullptr;
    }

    ipc_connection *get() const noexcept
    {
        return handle_.get();
    }

    ipc_connection *release() noexcept
    {
        return handle_.release();
    }

    void close() noexcept
    {
        handle_.reset();
    }

    writer_ref writer() const noexcept
    {
        return ipc_connection_writer(handle_.get());
    }

    reader_ref reader() const noexcept
    {
        return ipc_connection_reader(handle_.get());
    }

    bool is_open() const noexcept
    {
        return ipc_connection_is_open(handle_.get());
    }

    uint32_t close_code() const noexcept
    {
        return ipc_connection_close_code(handle_.get());
    }

    // What the server said when it closed; empty if nothing.
    std::string close_text() const
    {
        char text[256];
        return {text, ipc_connection_close_text(handle_.get(), text, sizeof text)};
    }

    uint32_t slot() const noexcept
    {
        return ipc_connection_slot(handle_.get());
    }

    int32_t peer_pid() const noexcept
    {
        return ipc_connection_peer_pid(handle_.get());
    }

    // Server: what the client said when it connected.
    std::string_view hello() const noexcept
    {
        uint32_t length = 0;
        const void *said = ipc_connection_hello(handle_.get(), &length);
        return {static_cast<const char *>(said), length};
    }

    void shutdown(uint32_t code, const std::string &text) noexcept
    {
        ipc_connection_shutdown(handle_.get(), code, text.c_str());
    }

private:
    std::unique_ptr<ipc_connection, detail::close_handle> handle_;
};

// The named place that clients connect to. Events lend connections as plain handles: see ipc_event.
class listener
{
public:
    explicit listener(const std::string &name, const ipc_listener_options &options = {})
    {
        ipc_listener *made = nullptr;
        require(ipc_listener_open(name.c_str(), &options, &made));
        handle_.reset(made);
    }

    ipc_listener *get() const noexcept
    {
        return handle_.get();
    }

    status next(ipc_event &event, deadline until, ipc_cancel *cancel = nullptr) noexcept
    {
        return ipc_listener_next(handle_.get(), until.at(), cancel, &event);
    }

    void give_back(ipc_connection *connection) noexcept
    {
        ipc_listener_return(handle_.get(), connection);
    }

    void stop() noexcept
    {
        ipc_listener_stop(handle_.get());
    }

    void resume() noexcept
    {
        ipc_listener_resume(handle_.get());
    }

    void close() noexcept
    {
        handle_.reset();
    }

private:
    std::unique_ptr<ipc_listener, detail::close_handle> handle_;
};

} // namespace ipc
#endif
