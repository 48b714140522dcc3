// The server's side of ipc/pipe.hpp: where clients ask for pipes, in C++ or, with IpcPipe, in C#.
//
//     ipc::pipe_listener listener("upper");
//     ipc::pipe client;
//     while (listener.accept(client) == IPC_OK) // until stop()
//         std::thread(serve, std::move(client)).detach();
#ifndef IPC_PIPE_LISTENER_HPP
#define IPC_PIPE_LISTENER_HPP

#include "dialect.hpp"

#include <string>
#include <utility>

#include "pipe.hpp"

namespace ipc
{

// One thread at a time accepts.
class pipe_listener
{
  public:
    // Opens nothing yet: try_open() does.
    pipe_listener() noexcept = default;

    // Returns what ipc_listener_open does. The protocol of OPTIONS is this one's.
    static status try_open(const std::string &name, ipc_listener_options options, pipe_listener &made) noexcept
    {
        options.protocol = detail::pipe_protocol;
        return listener::try_open(name, options, made.listener_);
    }

#ifndef IPC_NO_EXCEPTIONS
    explicit pipe_listener(const std::string &name, const ipc_listener_options &options = {})
    {
        require(try_open(name, options, *this));
    }
#endif

    explicit operator bool() const noexcept
    {
        return static_cast<bool>(listener_);
    }

    // The next client; one that does not ask for a pipe is refused. IPC_TIMEOUT, IPC_STOPPED, IPC_CANCELLED,
    // IPC_CLOSED: none. One thread at a time; the pipes are for others meanwhile.
    [[nodiscard]] status accept(pipe &made, time_limit until = {}, ipc_cancel *cancel = nullptr)
    {
        if (!listener_)
            return IPC_CLOSED;
        const deadline moment(until.at()); // for all that come
        for (;;) {
            ipc_event event;
            const status code = listener_.next(event, moment, cancel);
            if (code != IPC_OK)
                return code;
            if (event.kind != IPC_EVENT_CONNECT)
                continue; // no pipe is ever given back to it, so this is of none
            connection asks(event.connection);
            if (!detail::asks_for_pipe(asks.hello())) {
                (void)ipc_connection_refuse(asks.release(),
                                            "Here is a listener for pipes, and this client did not ask for one.");
            } else if (ipc_connection_accept(asks.get()) == IPC_OK) {
                made = pipe(std::move(asks));
                return IPC_OK;
            }
        }
    }

    // accept returns IPC_STOPPED, now and from now on. Any thread.
    void stop() noexcept
    {
        if (listener_)
            listener_.stop();
    }

    // Nobody may be in accept: stop() first. All of its pipes are cut off, but for what has had its end() by then.
    void close() noexcept
    {
        listener_.close();
    }

  private:
    listener listener_;
};

} // namespace ipc
#endif
