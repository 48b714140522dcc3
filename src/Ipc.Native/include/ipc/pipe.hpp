// Streams of bytes over a connection, one in each direction: what IpcPipe is in C# (docs/pipe-protocol.md), so either
// side may be either language. As an iostream: ipc/pipe_stream.hpp; the server: ipc/pipe_listener.hpp. Not part of
// ipc.hpp.
//
//     ipc::pipe pipe = ipc::pipe::connect("upper");
//     pipe.write("hello");
//     pipe.end(); // no more from here
#ifndef IPC_PIPE_HPP
#define IPC_PIPE_HPP

#include "dialect.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
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
    deadline until = deadline::now(); // to find the server and be answered; now: it must be there, 5 s to be answered
    ipc_cancel *cancel = nullptr;
    std::string_view hello; // for the server's decision, at most 232 bytes
    const ipc_access *access = nullptr;
};

// One end. One thread at a time reads, and another one may write meanwhile; what ends it (end, abort, give_up, close)
// is the writer's, and close needs that nobody reads: a cancel_source ends a read. Movable. Destroyed it closes; while
// an exception passes, the other side learns that its stream was cut off. Of nothing (made by no argument, closed,
// moved from) every call returns IPC_CLOSED, 0 or nothing.
class pipe
{
  public:
    // Of nothing: connect() or pipe_listener::accept() makes one.
    pipe() noexcept = default;

    // A connection that both sides use for nothing else; a server's is lent to it, and stays so.
    explicit pipe(connection on) noexcept
    {
        state_.link = std::move(on);
    }

    pipe(pipe &&other) noexcept : state_(std::exchange(other.state_, state()))
    {
    }

    pipe &operator=(pipe &&other) noexcept
    {
        pipe taken(std::move(other));
        std::swap(state_, taken.state_);
        return *this;
    }

    ~pipe()
    {
        if (std::uncaught_exceptions() > exceptions_)
            give_up();
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
        given.deadline = options.until.at();
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
        if (options.hello.size() > detail::pipe_longest_hello)
            throw error(IPC_E_INVALID_ARGUMENT,
                        "a hello of " + std::to_string(options.hello.size()) + " bytes; 232 are possible");
        pipe made;
        require(try_connect(name, options, made));
        return made;
    }
#endif

    explicit operator bool() const noexcept
    {
        return static_cast<bool>(state_.link);
    }

    // Up to SIZE bytes, as soon as there is one. GOT: how many; 0 with IPC_OK is the end of the stream, again and
    // again. IPC_TIMEOUT, IPC_CANCELLED: nothing was read, and another read may. IPC_PEER_CLOSED: the stream was cut
    // off, see reason(); IPC_PEER_DIED; IPC_E_CORRUPT: what came is no pipe's: these stay. IPC_CLOSED: this side is.
    // IPC_E_INVALID_ARGUMENT: SIZE is 0.
    [[nodiscard]] status read(void *bytes, size_t size, size_t &got, time_limit until = {},
                              ipc_cancel *cancel = nullptr)
    {
        got = 0;
        if (!state_.link)
            return IPC_CLOSED;
        if (size == 0)
            return IPC_E_INVALID_ARGUMENT;
        while (state_.rest.empty()) {
            if (state_.has_ended)
                return state_.over;
            record next;
            const status code = state_.link.reader().read(next, until, cancel);
            if (code != IPC_OK)
                return read_nothing(code);
            take(next);
        }
        got = std::min(size, state_.rest.size());
        std::memcpy(bytes, state_.rest.data(), got);
        state_.rest.remove_prefix(got);
        if (state_.rest.empty())
            state_.link.reader().release();
        return IPC_OK;
    }

    // All of BYTES; the other side sees them at once. SENT: how many there are when it returns something else: no room
    // until then (IPC_TIMEOUT, IPC_CANCELLED), or the other side has gone (IPC_PEER_CLOSED, IPC_PEER_DIED) or this one
    // (IPC_CLOSED). Who goes on has to write the rest: until all of it was, there is no end(), and closing says that
    // the stream is cut off. IPC_E_INVALID_STATE: after end(), abort() or give_up().
    [[nodiscard]] status try_write(std::string_view bytes, size_t &sent, time_limit until = {},
                                   ipc_cancel *cancel = nullptr) noexcept
    {
        sent = 0;
        status code = may_write();
        if (code == IPC_E_INVALID_STATE || !state_.link)
            return code;
        const auto piece = static_cast<size_t>(state_.link.writer().capacity() / 8 - 8);
        if (bytes.size() > piece)
            until = deadline(until.at()); // one moment for all pieces
        while (sent < bytes.size() && code == IPC_OK) {
            const std::string_view next = bytes.substr(sent, piece);
            code = state_.link.writer().write_until(next, detail::pipe_data, until, cancel);
            if (code != IPC_OK)
                break;
            sent += next.size();
            if (sent < bytes.size())
                code = may_write();
        }
        state_.owed = std::max(state_.owed, bytes.size()) - sent;
        return code;
    }

#ifndef IPC_NO_EXCEPTIONS
    // The same, or throws ipc::error. If some of BYTES was sent by then, nobody is told how much: the stream is given
    // up.
    void write(std::string_view bytes, time_limit until = {})
    {
        size_t sent;
        const status code = try_write(bytes, sent, until);
        if (code != IPC_OK && sent != 0)
            give_up();
        need(code);
    }
#endif

    // The stream from here is complete; the other one goes on. Returns what try_write does, and IPC_E_INVALID_STATE
    // while something of a write is missing.
    [[nodiscard]] status try_end(time_limit until = {}, ipc_cancel *cancel = nullptr) noexcept
    {
        return state_.owed != 0 ? IPC_E_INVALID_STATE : say(detail::pipe_end, {}, until, cancel);
    }

#ifndef IPC_NO_EXCEPTIONS
    // The same, or throws ipc::error.
    void end(time_limit until = {})
    {
        need(try_end(until));
    }
#endif

    // The stream from here is not complete, and that is all of it: the other side's read fails, with these words (cut
    // to 512 bytes of UTF-8). The other stream goes on. Where there is no room for the words until then, closing says
    // the same without them.
    [[nodiscard]] status abort(std::string_view why, time_limit until = deadline::now(),
                               ipc_cancel *cancel = nullptr) noexcept
    {
        size_t length = std::min(why.size(), detail::pipe_longest_text);
        while (length < why.size() && length > 0 && (static_cast<unsigned char>(why[length]) & 0xC0) == 0x80)
            length--; // not in the middle of a character
        const bool was_given_up = std::exchange(state_.is_given_up, false);
        const status code = say(detail::pipe_abort, why.substr(0, length), until, cancel);
        state_.is_given_up = was_given_up || code != IPC_E_INVALID_STATE;
        return code;
    }

    // The stream from here is not complete: nothing more can be written but abort's words, and closing says so.
    void give_up() noexcept
    {
        state_.is_given_up = true;
    }

    // Ends both streams: in good order if all that was given to a write was sent. A server's WHY is for the other
    // side, if it is not. Idempotent.
    void close(const char *why = "The pipe was closed in the middle of a write.") noexcept
    {
        if (state_.link && !state_.has_said_end && (state_.owed != 0 || state_.is_given_up))
            ipc_connection_shutdown(state_.link.get(), IPC_CLOSE_PROTOCOL, why);
        state_.rest = {};
        state_.link.close();
    }

    // Why a read fails: the other side's words; of IPC_E_CORRUPT what came. Empty if nothing is known.
    const std::string &reason() const noexcept
    {
        return state_.reason;
    }

    // Server: what the client said beside that it wants a pipe.
    std::string_view hello() const noexcept
    {
        const std::string_view all = state_.link ? state_.link.hello() : std::string_view();
        return detail::asks_for_pipe(all) ? all.substr(detail::pipe_magic.size()) : all;
    }

    int32_t peer_pid() const noexcept
    {
        return state_.link ? state_.link.peer_pid() : 0;
    }

    uint32_t peer_user() const noexcept
    {
        return state_.link ? state_.link.peer_user() : IPC_NO_USER;
    }

    bool is_open() const noexcept
    {
        return state_.link && state_.link.is_open();
    }

  private:
    struct state {
        connection link;
        std::string_view rest; // of the piece that is being read
        std::string reason;
        status over = IPC_OK;
        bool has_ended = false;    // the stream to here
        bool has_said_end = false; // the one from here
        bool is_given_up = false;  // and it never will be complete
        size_t owed = 0;           // bytes of writes that found no room, and were not written since
    };

    void finish(status code) noexcept
    {
        state_.has_ended = true;
        state_.over = code;
    }

    // What it is a piece of may be rewritten meanwhile, its kind and length are the caller's.
    void take(const record &next)
    {
        if (next.type == detail::pipe_data && next.size != 0) {
            state_.rest = next.text();
            return;
        }
        if (next.type == detail::pipe_end && next.size == 0) {
            finish(IPC_OK);
        } else if (next.type == detail::pipe_abort && next.size <= detail::pipe_longest_text) {
            finish(IPC_PEER_CLOSED);
            state_.reason = next.text();
        } else {
            finish(IPC_E_CORRUPT);
            ipc_connection_shutdown(state_.link.get(), IPC_CLOSE_PROTOCOL, "What came is not what a pipe writes.");
            state_.reason = "a record of type " + std::to_string(next.type) + " with " + std::to_string(next.size) +
                            " bytes, which no pipe writes";
        }
        state_.link.reader().release();
    }

    status read_nothing(status code)
    {
        if (code == IPC_PEER_CLOSED && state_.link.close_code() == IPC_CLOSE_NORMAL) {
            finish(IPC_OK);
        } else if (code == IPC_PEER_CLOSED) {
            finish(code);
            state_.reason = state_.link.close_text();
        } else if (code == IPC_PEER_DIED || code == IPC_E_CORRUPT) {
            finish(code);
        }
        return state_.has_ended ? state_.over : code;
    }

    // A ring with room takes what nobody will read, so who is there is asked.
    status may_write() const noexcept
    {
        if (!state_.link)
            return IPC_CLOSED;
        if (state_.has_said_end || state_.is_given_up)
            return IPC_E_INVALID_STATE;
        if (state_.link.is_open())
            return IPC_OK;
        switch (state_.link.writer().peer()) {
        case IPC_PEER_LEFT:
            return IPC_PEER_CLOSED;
        case IPC_PEER_LIVE:
            return IPC_CLOSED; // this side: what came was corrupt, or its listener was closed
        default:
            return IPC_PEER_DIED;
        }
    }

    status say(uint16_t what, std::string_view text, time_limit until, ipc_cancel *cancel) noexcept
    {
        status code = may_write();
        if (code == IPC_OK)
            code = state_.link.writer().write_until(text, what, until, cancel);
        if (code == IPC_OK)
            state_.has_said_end = true;
        return code;
    }

#ifndef IPC_NO_EXCEPTIONS
    // Of a call of this class, whose statuses are not all the library's.
    static void need(status code)
    {
        switch (code) {
        case IPC_OK:
            return;
        case IPC_E_INVALID_STATE:
            throw error(code, "the stream from here has ended, was given up, or misses something of a write");
        case IPC_CLOSED:
            throw error(code, "this side of the pipe is closed");
        case IPC_PEER_CLOSED:
            throw error(code, "the other side has closed the pipe");
        case IPC_PEER_DIED:
            throw error(code, "the other side's process has died");
        default:
            require(code);
        }
    }
#endif

    state state_;
    int exceptions_ = std::uncaught_exceptions();
};

} // namespace ipc
#endif
