// A server of named connections.
#ifndef IPC_NAMED_LISTENER_HPP
#define IPC_NAMED_LISTENER_HPP

#include "dialect.hpp"

#include <cstdint>
#include <memory>
#include <string>

#include "basics.hpp"
#include "named.hpp"
#include "ready_handle.hpp"

namespace ipc
{

namespace detail
{
struct close_named_listener {
    void operator()(ipc_named_listener *handle) const noexcept
    {
        ipc_named_listener_close(handle, IPC_CLOSE_SHUTDOWN, nullptr);
    }
};
} // namespace detail

// A server of named connections. Events hand out connections as plain handles, which are the caller's to close: see
// ipc_named_event.
class named_listener
{
  public:
    // Opens nothing yet: try_open() does.
    named_listener() noexcept = default;

    static status try_open(const std::string &name, const ipc_named_listener_options &options,
                           named_listener &made) noexcept
    {
        return detail::open(ipc_named_listener_open, name, options, made.handle_);
    }

#ifndef IPC_NO_EXCEPTIONS
    explicit named_listener(const std::string &name, const ipc_named_listener_options &options = {})
    {
        require(try_open(name, options, *this));
    }
#endif

    explicit operator bool() const noexcept
    {
        return handle_ != nullptr;
    }

    ipc_named_listener *get() const noexcept
    {
        return handle_.get();
    }

    [[nodiscard]] status next(ipc_named_event &event, time_limit until, ipc_cancel *cancel = nullptr) noexcept
    {
        return detail::within(until,
                              [&](ipc_deadline at) { return ipc_named_listener_next(get(), at, cancel, &event); });
    }

    // It becomes ready when there may be an event; until then IPC_EMPTY. Anything else: not armed, see ipc/ready_handle.h.
    [[nodiscard]] status arm(ready_handle &when, deadline until = deadline::never(), ipc_cancel *cancel = nullptr) noexcept
    {
        return ipc_named_listener_arm(get(), until.at(), cancel, when.get());
    }

    // With ipc/coroutines.hpp: what next() waits for, awaited.
    template <class... Arguments> auto next_async(Arguments &&...arguments);

    void give_back(named_ref connection) noexcept
    {
        ipc_named_return(get(), connection.get());
    }

    // To a conversation whose client is not here.
    [[nodiscard]] status try_open_connection(const std::string &client, named_ref &connection) noexcept
    {
        ipc_named_connection *opened = nullptr;
        const status code = ipc_named_listener_open_connection(get(), client.c_str(), &opened);
        if (code == IPC_OK)
            connection = named_ref(opened);
        return code;
    }

    void stop() noexcept
    {
        ipc_named_listener_stop(get());
    }

    void resume() noexcept
    {
        ipc_named_listener_resume(get());
    }

    void close(uint32_t code = IPC_CLOSE_SHUTDOWN, const std::string &text = {}) noexcept
    {
        ipc_named_listener_close(handle_.release(), code, text.c_str());
    }

  private:
    std::unique_ptr<ipc_named_listener, detail::close_named_listener> handle_;
};

} // namespace ipc
#endif
