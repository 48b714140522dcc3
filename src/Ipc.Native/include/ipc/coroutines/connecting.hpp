// A connection that is being made, awaited. Included by ipc/coroutines.hpp.
#ifndef IPC_COROUTINES_CONNECTING_HPP
#define IPC_COROUTINES_CONNECTING_HPP

#if defined(__cpp_impl_coroutine)

#include <memory>
#include <string>
#include <utility>

#include "../connection.hpp"
#include "awaiter.hpp"
#include "executor.hpp"

namespace ipc
{

namespace detail
{

struct end_connecting {
    void operator()(ipc_connecting *one) const noexcept
    {
        ipc_connect_end(one);
    }
};

// What is being connected, or why it could not begin.
class connecting
{
  public:
    connecting(const std::string &name, const ipc_connect_options &options) noexcept
        : begun_(detail::open(ipc_connect_begin, name, options, one_))
    {
    }

    status attempt(connection &made) noexcept
    {
        if (begun_ != IPC_OK)
            return begun_;
        ipc_connection *handle = nullptr;
        const status code = ipc_connect_try(one_.get(), &handle);
        if (code == IPC_OK)
            made = connection(handle);
        return code;
    }

    status arm(ipc_ready_handle *handle) noexcept
    {
        return ipc_connect_arm(one_.get(), handle);
    }

  private:
    std::unique_ptr<ipc_connecting, end_connecting> one_;
    status begun_;
};

struct connect_into {
    connecting what;
    connection *made;

    status attempt() noexcept
    {
        return what.attempt(*made);
    }
    status arm(ipc_ready_handle *handle) noexcept
    {
        return what.arm(handle);
    }
    status result(status code) noexcept
    {
        return code;
    }
};

inline auto await_connect(const std::string &name, const ipc_connect_options &options, connection &made,
                          executor *on = nullptr) noexcept
{
    return awaiter<connect_into>({{name, options}, &made}, on);
}

#ifndef IPC_NO_EXCEPTIONS
struct connect_value {
    connecting what;
    connection made;

    status attempt() noexcept
    {
        return what.attempt(made);
    }
    status arm(ipc_ready_handle *handle) noexcept
    {
        return what.arm(handle);
    }
    connection result(status code)
    {
        require(code);
        return std::move(made);
    }
};

inline auto await_connect(const std::string &name, const ipc_connect_options &options = {}, executor *on = nullptr)
{
    return awaiter<connect_value>({{name, options}, connection()}, on);
}
#endif

} // namespace detail

template <class... Arguments> auto connection::connect_async(Arguments &&...arguments)
{
    return detail::await_connect(std::forward<Arguments>(arguments)...);
}

} // namespace ipc

#endif
#endif
