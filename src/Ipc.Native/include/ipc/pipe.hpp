// Streams of bytes over a connection, one in each direction: what IpcPipe is in C# (docs/pipe-protocol.md), so either
// side may be either language. As an iostream: ipc/pipe_stream.hpp. Not part of ipc.hpp.
//
//     ipc::pipe_listener listener("upper");               ipc::pipe pipe = ipc::pipe::connect("upper");
//     ipc::pipe client;                                   pipe.write("hello");
//     while (listener.accept(client) == IPC_OK) ...       pipe.end(); // no more from here
#ifndef IPC_PIPE_HPP
#define IPC_PIPE_HPP

#include "dialect.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "basics.hpp"
#include "connection.hpp"

namespace ipc
{

namespace detail
{
enum : uint16_t { pipe_data = 1, pipe_end = 2, pipe_abort = 3 };

inline constexpr std::string_view pipe_magic{"ipcpipe\x01", 8};
inline constexpr ipc_protocol pipe_protocol{IPC_PROTOCOL_BYTES, 1, 0};
inline constexpr size_t pipe_longest_text = 512;
inline constexpr size_t pipe_longest_hello = 240 - 8;

inline bool asks_for_pipe(std::string_view hello) noexcept
{
    return hello.substr(0, pipe_magic.size()) == pipe_magic;
}
} // namespace detail

// Zero or null where nothing is said: as ipc_connect_options.
struct pipe_options {
    uint64_t to_server_capacity = 0; // of its ring, bytes; 0 = 256 KiB
    uint64_t to_client_capacity = 0;
    ipc_wait_mode wait_mode = IPC_WAIT_ADAPTIVE;
    uint64_t spin_ns = 0;
    ipc_deadline until = IPC_NOW; // to find the server and be answered; 0 = it must be there, 5 s to be answered
    ipc_cancel *cancel = nullptr;
    std::string_view hello; // for the server's decision, at most 232 bytes
    const ipc_access *access = nullptr;
};

// One end. One thread at a time reads, another one may write meanwhile; what ends it (end, abort, close) is the
// writer's, and close needs that nobody reads: a cancel_source ends a read. Movable.
class pipe
{
  public:
    // Of nothing: connect() or pipe_listener::accept() makes one.
    pipe() noexcept = default;

    pipe(pipe &&other) noexcept = default;

    pipe &operator=(pipe &&other) noexcept
    {
        if (this != &other) {
            close();
            connection_ = std::move(other.connection_);
            rest_ = std::exchange(other.rest_, {});
            reason_ = std::move(other.reason_);
            over_ = other.over_;
            has_ended_ = other.has_ended_;
            has_said_end_ = other.has_said_end_;
            is_cut_ = other.is_cut_;
        }
        return *this;
    }

    ~pipe()
    {
        close();
    }

    // Connects to the pipe_listener or IpcPipeListener of that name. Returns what ipc_connect does, and
    // IPC_E_INVALID_ARGUMENT for a hello that is too long.
    static status try_connect(const std::string &name, const pipe_options &options, pipe &made)
    {
        if (options.hello.size() > detail::pipe_longest_hello)
            return IPC_E_INVALID_ARGUMENT;
        const std::string hello = std::string(detail::pipe_magic).append(options.hello);
        ipc_connect_options given{};
        given.to_server_capacity = options.to_server_capacity;
        given.to_client_capacity = options.to_client_capacity;
        given.wait_mode = options.wait_mode;
        given.spin_ns = options.spin_ns;
        given.deadline = options.until;
        given.cancel = options.cancel;
        given.hello = hello.data();
        given.hello_length = static_cast<uint32_t>(hello.size());
        given.loan_budget = IPC_NO_LOANS; // pieces are short
        given.access = options.access;
        given.protocol = detail::pipe_protocol;
        connection to;
        const status code = connection::try_connect(name, given, to);
        if (code == IPC_OK)
            made = pipe(std::move(to));
        return code;
    }

#ifndef IPC_NO_EXCEPTIONS
    // The same, or throws ipc::error.
    static pipe connect(const std::string &name, const pipe_options &options = {})
    {
        pipe made;
        require(try_connect(name, options, made));
        return made;
    }
#endif

    // A connection that both sides use for nothing else; a server's is lent to it, and stays so.
    explicit pipe(connection on) noexcept : connection_(std::move(on))
    {
    }

    explicit operator bool() const noexcept
    {
        return static_cast<bool>(connection_);
    }

    // Up to SIZE bytes, as soon as there is one. GOT: how many; 0 with IPC_OK is the end of the stream, again and
    // again. IPC_TIMEOUT, IPC_CANCELLED: nothing was read, and another read may. IPC_PEER_CLOSED: the stream was cut
    // off, reason() has the other side's words; IPC_PEER_DIED; IPC_E_CORRUPT: what came is no pipe's: these stay.
    // IPC_CLOSED: this side is.
    [[nodiscard]] status read(void *bytes, size_t size, size_t &got, time_limit until = {},
                              ipc_cancel *cancel = nullptr)
    {
        got = 0;
        if (!connection_)
            return IPC_CLOSED;
        while (rest_.size == 0) {
            if (has_ended_)
                return over_;
            record next;
            const status code = connection_.reader().read(next, until, cancel);
            if (code != IPC_OK)
                return read_nothing(code);
            take(next);
        }
        got = std::min<size_t>(size, rest_.size);
        if (got != 0)
            std::memcpy(bytes, rest_.data, got);
        rest_.data += got;
        rest_.size -= static_cast<uint32_t>(got);
        if (rest_.size == 0)
            connection_.reader().release();
        return IPC_OK;
    }

    // All of BYTES; the other side sees them at once. SENT: how many there are when it returns something else: no room
    // until then (IPC_TIMEOUT, IPC_CANCELLED), or the other side has gone (IPC_PEER_CLOSED, IPC_PEER_DIED). Unless the
    // rest is written after all, closing says that the stream is cut off. IPC_E_INVALID_STATE: after end() or abort();
    // IPC_CLOSED: this side is.
    [[nodiscard]] status try_write(std::string_view bytes, size_t &sent, time_limit until = {},
                                   ipc_cancel *cancel = nullptr) noexcept
    {
        sent = 0;
        if (const status code = may_write(); code != IPC_OK)
            return code;
        const auto piece = static_cast<size_t>(connection_.writer().capacity() / 8 - 8);
        if (bytes.size() > piece)
            until = deadline(until.at()); // one moment for all pieces
        status code = IPC_OK;
        while (sent < bytes.size() && code == IPC_OK) {
            const std::string_view next = bytes.substr(sent, piece);
            code = connection_.writer().write_until(next, detail::pipe_data, until, cancel);
            if (code == IPC_OK)
                sent += next.size();
        }
        is_cut_ = sent < bytes.size();
        return code;
    }

#ifndef IPC_NO_EXCEPTIONS
    // The same, or throws ipc::error.
    void write(std::string_view bytes, time_limit until = {})
    {
        size_t sent;
        require(try_write(bytes, sent, until));
    }
#endif

    // The stream from here is complete; the other one goes on. Returns what try_write does.
    [[nodiscard]] status try_end(time_limit until = {}, ipc_cancel *cancel = nullptr) noexcept
    {
        return is_cut_ ? IPC_E_INVALID_STATE : say(detail::pipe_end, {}, until, cancel);
    }

#ifndef IPC_NO_EXCEPTIONS
    // The same, or throws ipc::error.
    void end(time_limit until = {})
    {
        require(try_end(until));
    }
#endif

    // The stream from here is not complete, and that is all of it: the other side's read fails, with these words (cut
    // to 512 bytes of UTF-8). The other stream goes on.
    [[nodiscard]] status abort(std::string_view why, time_limit until = {}, ipc_cancel *cancel = nullptr) noexcept
    {
        size_t length = std::min(why.size(), detail::pipe_longest_text);
        while (length < why.size() && length > 0 && (static_cast<unsigned char>(why[length]) & 0xC0) == 0x80)
            length--; // not in the middle of a character
        return say(detail::pipe_abort, why.substr(0, length), until, cancel);
    }

    // Ends both streams: in good order if all that was given to try_write was sent. Idempotent.
    void close() noexcept
    {
        close(is_cut_ ? "The pipe was closed in the middle of a write." : nullptr);
    }

    // The same; WHY not null: the stream from here is not complete.
    void close(const char *why) noexcept
    {
        if (connection_ && why != nullptr)
            connection_.shutdown(IPC_CLOSE_PROTOCOL, why);
        rest_ = {};
        connection_.close();
    }

    // What the other side said when it cut its stream off; empty if nothing.
    const std::string &reason() const noexcept
    {
        return reason_;
    }

    // Server: what the client said beside that it wants a pipe.
    std::string_view hello() const noexcept
    {
        const std::string_view all = connection_.hello();
        return detail::asks_for_pipe(all) ? all.substr(detail::pipe_magic.size()) : all;
    }

    int32_t peer_pid() const noexcept
    {
        return connection_.peer_pid();
    }

    uint32_t peer_user() const noexcept
    {
        return connection_.peer_user();
    }

    bool is_open() const noexcept
    {
        return connection_.is_open();
    }

  private:
    void finish(status code, std::string reason)
    {
        has_ended_ = true;
        over_ = code;
        reason_ = std::move(reason);
        connection_.reader().release();
    }

    // Of a record: what it is a piece of may be rewritten meanwhile, its kind and length are the caller's.
    void take(const record &next)
    {
        if (next.type == detail::pipe_data && next.size != 0) {
            rest_ = next;
        } else if (next.type == detail::pipe_end && next.size == 0) {
            finish(IPC_OK, {});
        } else if (next.type == detail::pipe_abort && next.size <= detail::pipe_longest_text) {
            finish(IPC_PEER_CLOSED, std::string(next.text()));
        } else {
            finish(IPC_E_CORRUPT, "a record of type " + std::to_string(next.type) + " with " +
                                      std::to_string(next.size) + " bytes, which no pipe writes");
            connection_.shutdown(IPC_CLOSE_PROTOCOL, "What came is not what a pipe writes.");
        }
    }

    status read_nothing(status code)
    {
        if (code == IPC_PEER_CLOSED && connection_.close_code() == IPC_CLOSE_NORMAL)
            finish(IPC_OK, {});
        else if (code == IPC_PEER_CLOSED)
            finish(code, connection_.close_text());
        else if (code == IPC_PEER_DIED || code == IPC_E_CORRUPT)
            finish(code, {});
        return has_ended_ ? over_ : code;
    }

    status may_write() const noexcept
    {
        if (!connection_)
            return IPC_CLOSED;
        return has_said_end_ ? IPC_E_INVALID_STATE : IPC_OK;
    }

    status say(uint16_t what, std::string_view text, time_limit until, ipc_cancel *cancel) noexcept
    {
        status code = may_write();
        if (code == IPC_OK)
            code = connection_.writer().write_until(text, what, until, cancel);
        if (code == IPC_OK) {
            has_said_end_ = true;
            is_cut_ = false;
        }
        return code;
    }

    connection connection_;
    record rest_;        // of the piece that is being read; of size 0: none
    std::string reason_; // why its stream was cut off
    status over_ = IPC_OK;
    bool has_ended_ = false;    // the stream to here
    bool has_said_end_ = false; // the one from here
    bool is_cut_ = false;
};

// Where clients ask for pipes.
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
    // IPC_CLOSED: none. One thread at a time; the pipes are for others meanwhile, and may outlive the listener.
    [[nodiscard]] status accept(pipe &made, time_limit until = {}, ipc_cancel *cancel = nullptr)
    {
        for (;; until = deadline(until.at())) {
            ipc_event event;
            const status code = listener_.next(event, until, cancel);
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
        listener_.stop();
    }

    void close() noexcept
    {
        listener_.close();
    }

  private:
    listener listener_;
};

} // namespace ipc
#endif
