// A pipe as an iostream, and as the streambuf that it is made of: for code that reads with >> and getline and writes
// with <<. What is written goes when it is flushed, when there is much of it, before a read that has to wait, and at
// the end.
//
//     ipc::pipe_stream pipe("upper");
//     pipe << "hello\n";
//     for (std::string line; std::getline(pipe, line);) ...
#ifndef IPC_PIPE_STREAM_HPP
#define IPC_PIPE_STREAM_HPP

#include "dialect.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <istream>
#include <memory>
#include <streambuf>
#include <string>
#include <utility>

#include "pipe.hpp"

namespace ipc
{

// Over a pipe that outlives it. Whatever a read of the pipe returns other than bytes is the end for the stream
// (eofbit), and last_read() says what it was; a failed write is badbit and last_write(). One thread at a time: what is
// written goes before a read that waits. After a clear() reading goes on where it was, and writing, if what had no room
// is in the buffer still: what was longer than that is not, and nothing is written any more.
class pipe_buffer : public std::streambuf
{
  public:
    // READS and WRITES: how long one may wait.
    explicit pipe_buffer(pipe &over, time_limit reads = {}, time_limit writes = {})
        : pipe_(over), reads_(reads), writes_(writes), memory_(new char[in_size + out_size])
    {
        setg(memory_.get(), memory_.get(), memory_.get());
        setp(memory_.get() + in_size, memory_.get() + in_size + out_size);
    }

    // IPC_OK also at the end of a complete stream.
    status last_read() const noexcept
    {
        return last_read_;
    }

    status last_write() const noexcept
    {
        return last_write_;
    }

  protected:
    int_type underflow() override
    {
        if (gptr() == egptr()) {
            const size_t got = fill(memory_.get(), in_size);
            setg(memory_.get(), memory_.get(), memory_.get() + got);
        }
        return gptr() == egptr() ? traits_type::eof() : traits_type::to_int_type(*gptr());
    }

    // What is longer than the buffer is copied from the ring to where it belongs.
    std::streamsize xsgetn(char *to, std::streamsize count) override
    {
        std::streamsize got = 0;
        while (got < count) {
            const auto wanted = static_cast<size_t>(count - got);
            size_t next = std::min(wanted, static_cast<size_t>(egptr() - gptr()));
            if (next != 0) {
                std::memcpy(to + got, gptr(), next);
                gbump(static_cast<int>(next)); // no more than the buffer holds
            } else if (wanted >= in_size) {
                next = fill(to + got, wanted);
            } else if (traits_type::eq_int_type(underflow(), traits_type::eof())) {
                break;
            } else {
                continue;
            }
            if (next == 0)
                break;
            got += static_cast<std::streamsize>(next);
        }
        return got;
    }

    int_type overflow(int_type one) override
    {
        if (!flush())
            return traits_type::eof();
        if (!traits_type::eq_int_type(one, traits_type::eof())) {
            *pptr() = traits_type::to_char_type(one);
            pbump(1);
        }
        return traits_type::not_eof(one);
    }

    std::streamsize xsputn(const char *from, std::streamsize count) override
    {
        if (!has_gap_ && count < epptr() - pptr()) {
            std::memcpy(pptr(), from, static_cast<size_t>(count));
            pbump(static_cast<int>(count)); // no more than the buffer holds
            return count;
        }
        if (!flush())
            return 0;
        size_t sent = 0;
        last_write_ = pipe_.try_write({from, static_cast<size_t>(count)}, sent, writes_);
        has_gap_ = last_write_ != IPC_OK; // nobody says how much is missing
        return static_cast<std::streamsize>(sent);
    }

    int sync() override
    {
        return flush() ? 0 : -1;
    }

  private:
    enum : size_t { in_size = 16384, out_size = 16384 };

    size_t fill(char *to, size_t size)
    {
        size_t got = 0;
        last_read_ = pipe_.read(to, size, got, deadline::now());
        if (last_read_ == IPC_TIMEOUT && flush()) // the other side may wait for what was written
            last_read_ = pipe_.read(to, size, got, reads_);
        return got;
    }

    bool flush()
    {
        if (has_gap_ || pptr() == pbase())
            return !has_gap_;
        size_t sent = 0;
        const auto length = static_cast<size_t>(pptr() - pbase());
        last_write_ = pipe_.try_write({pbase(), length}, sent, writes_);
        std::memmove(pbase(), pbase() + sent, length - sent);
        setp(pbase(), epptr());
        pbump(static_cast<int>(length - sent));
        return last_write_ == IPC_OK;
    }

    pipe &pipe_;
    time_limit reads_;
    time_limit writes_;
    std::unique_ptr<char[]> memory_;
    status last_read_ = IPC_OK;
    status last_write_ = IPC_OK;
    bool has_gap_ = false;
};

namespace detail
{
struct pipe_holder { // a base, to be there before the stream and after it
    explicit pipe_holder(pipe owned, time_limit reads, time_limit writes)
        : pipe_(std::move(owned)), buffer_(pipe_, reads, writes)
    {
    }

    pipe pipe_;
    pipe_buffer buffer_;
};
} // namespace detail

// Owns its pipe. Destroyed in good order it sends what is left and ends both streams; while an exception passes, or
// when that cannot be sent, the other side learns that its stream was cut off.
class pipe_stream : private detail::pipe_holder, public std::iostream
{
  public:
    // READS and WRITES: how long one may wait.
    explicit pipe_stream(ipc::pipe owned, time_limit reads = {}, time_limit writes = {})
        : pipe_holder(std::move(owned), reads, writes), std::iostream(&buffer_)
    {
    }

#ifndef IPC_NO_EXCEPTIONS
    // Connects, or throws ipc::error.
    explicit pipe_stream(const std::string &name, const pipe_options &options = {}, time_limit reads = {},
                         time_limit writes = {})
        : pipe_stream(ipc::pipe::connect(name, options), reads, writes)
    {
    }
#endif

    pipe_stream(const pipe_stream &) = delete;
    pipe_stream &operator=(const pipe_stream &) = delete;

    ~pipe_stream() override
    {
        if (std::uncaught_exceptions() > exceptions_)
            pipe_.close("An exception passed.");
        else if (pipe_ && buffer_.pubsync() != 0)
            pipe_.close("Not all could be sent.");
    }

    // Sends what is left; no more from here, and the other stream goes on.
    [[nodiscard]] status end(time_limit until = {})
    {
        return buffer_.pubsync() == 0 ? pipe_.try_end(until) : buffer_.last_write();
    }

    // Why a read found the end or a write failed, reason(), hello(), and abort().
    ipc::pipe &pipe() noexcept
    {
        return pipe_;
    }

    const pipe_buffer &buffer() const noexcept
    {
        return buffer_;
    }

  private:
    int exceptions_ = std::uncaught_exceptions();
};

} // namespace ipc
#endif
