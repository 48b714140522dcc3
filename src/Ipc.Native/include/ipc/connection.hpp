// Listener and connection.
#ifndef IPC_CONNECTION_HPP
#define IPC_CONNECTION_HPP

#include "dialect.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "basics.hpp"
#include "ready_handle.hpp"
#include "ring.hpp"

namespace ipc
{

namespace detail
{
struct close_connection {
    void operator()(ipc_connection *handle) const noexcept
    {
        ipc_connection_close(handle);
    }
    void operator()(ipc_listener *handle) const noexcept
    {
        ipc_listener_close(handle);
    }
};
} // namespace detail

// One side of a connection: two rings and how it ends.
class connection
{
  public:
    // Owns HANDLE, which may be null.
    explicit connection(ipc_connection *handle = nullptr) noexcept : handle_(handle)
    {
    }

#ifndef IPC_NO_EXCEPTIONS
    // Connects to the listener NAME, or throws ipc::error.
    static connection connect(const std::string &name, const ipc_connect_options &options = {})
    {
        connection made;
        require(try_connect(name, options, made));
        return made;
    }
#endif

    static status try_connect(const std::string &name, const ipc_connect_options &options, connection &made) noexcept
    {
        return detail::open(ipc_connect, name, options, made.handle_);
    }

    // co_await, with ipc/coroutines.hpp: as try_connect (name, options, made, executor), or as connect (name, options,
    // executor).
    template <class... Arguments> static auto connect_async(Arguments &&...arguments);

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

    // Client: from where on in the ring to the server that one has handled nothing, when it has closed and said so;
    // UINT64_MAX if not.
    uint64_t handled() const noexcept
    {
        return ipc_connection_handled(handle_.get());
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

    // As the kernel says; IPC_NO_USER on Windows.
    uint32_t peer_user() const noexcept
    {
        return ipc_connection_peer_user(handle_.get());
    }

    // That both sides speak: see ipc_connection_protocol_version.
    uint32_t protocol_version() const noexcept
    {
        return ipc_connection_protocol_version(handle_.get());
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

    // The same of a server that has handled nothing from HANDLED on, and will not.
    void shutdown(uint32_t code, const std::string &text, uint64_t handled) noexcept
    {
        ipc_connection_shutdown_at(handle_.get(), code, text.c_str(), handled);
    }

  private:
    std::unique_ptr<ipc_connection, detail::close_connection> handle_;
};

// The named place that clients connect to. Events lend connections as plain handles: see ipc_event.
class listener
{
  public:
    // Opens nothing yet: try_open() does.
    listener() noexcept = default;

    static status try_open(const std::string &name, const ipc_listener_options &options, listener &made) noexcept
    {
        return detail::open(ipc_listener_open, name, options, made.handle_);
    }

#ifndef IPC_NO_EXCEPTIONS
    explicit listener(const std::string &name, const ipc_listener_options &options = {})
    {
        require(try_open(name, options, *this));
    }
#endif

    explicit operator bool() const noexcept
    {
        return handle_ != nullptr;
    }

    ipc_listener *get() const noexcept
    {
        return handle_.get();
    }

    [[nodiscard]] status next(ipc_event &event, time_limit until, ipc_cancel *cancel = nullptr) noexcept
    {
        return detail::within(until, [&](ipc_deadline at) { return ipc_listener_next(get(), at, cancel, &event); });
    }

    // It becomes ready when there is something to do; until then IPC_EMPTY. Anything else: not armed, see ipc/ready_handle.h.
    [[nodiscard]] status arm(ready_handle &when, deadline until = deadline::never(), ipc_cancel *cancel = nullptr) noexcept
    {
        return ipc_listener_arm(get(), until.at(), cancel, when.get());
    }

    // With ipc/coroutines.hpp: what next() waits for, awaited.
    template <class... Arguments> auto next_async(Arguments &&...arguments);

    // Another server has taken the name (ipc_listener_options.take_over).
    bool is_followed() const noexcept
    {
        return ipc_listener_is_followed(get());
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
    std::unique_ptr<ipc_listener, detail::close_connection> handle_;
};

} // namespace ipc
#endif
