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

// Over a pipe that outlives it. One thread at a time: what is written goes before a read that waits.
//
// The end of a complete stream is eofbit. A read that fails is badbit, by an ipc::error out of the buffer that the
// stream catches, so that half a line is not taken for a whole one; where there are no exceptions it is eofbit, too.
// last_read() says what it was. After a clear() another read may come further.
// A write that fails is badbit, and last_write() says why. What a flush found no room for stays in the buffer, for
// another one; where bytes could not be taken at all, nobody knows how many are missing, and the stream is given up.
// Destroyed it sends what is left; while an exception passes, or when that cannot be sent, it gives the stream up.
class pipe_buffer : public std::streambuf
{
  public:
    // READS and WRITES: how long one may wait. CANCEL ends both, and has to outlive it.
    explicit pipe_buffer(pipe &over, time_limit reads = {}, time_limit writes = {}, ipc_cancel *cancel = nullptr)
        : pipe_(over), reads_(reads), writes_(writes), cancel_(cancel), memory_(new char[in_size + out_size])
    {
        read_nothing_yet();
        setp(memory_.get() + in_size, memory_.get() + in_size + out_size);
    }

    ~pipe_buffer() override
    {
        if (pptr() != pbase() && (std::uncaught_exceptions() > exceptions_ || !flush(writes_)))
            pipe_.give_up();
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

    // Sends what is left, and then that it was all.
    [[nodiscard]] status end(time_limit until)
    {
        const deadline moment(until.at());
        return flush(moment) ? last_write_ = pipe_.try_end(moment, cancel_) : last_write_;
    }

  protected:
    int_type underflow() override
    {
        if (gptr() == egptr()) {
            const size_t got = fill(memory_.get(), in_size);
            setg(memory_.get(), memory_.get(), memory_.get() + got);
        }
        return gptr() != egptr() ? traits_type::to_int_type(*gptr()) : nothing_more();
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
            } else if (wanted < in_size && got == 0) {
                if (traits_type::eq_int_type(underflow(), traits_type::eof()))
                    break;
            } else { // what was read is not to be lost by an exception: that is for the next call
                read_nothing_yet();
                next = fill(to + got, wanted);
                if (next == 0)
                    break;
            }
            got += static_cast<std::streamsize>(next);
        }
        if (got == 0 && count > 0)
            (void)nothing_more();
        return got;
    }

    int_type overflow(int_type one) override
    {
        const bool is_flushed = flush(writes_);
        if (traits_type::eq_int_type(one, traits_type::eof()))
            return is_flushed ? traits_type::not_eof(one) : traits_type::eof();
        if (pptr() == epptr())
            return missed();
        *pptr() = traits_type::to_char_type(one);
        pbump(1);
        return one;
    }

    std::streamsize xsputn(const char *from, std::streamsize count) override
    {
        if (count <= epptr() - pptr()) {
            std::memcpy(pptr(), from, static_cast<size_t>(count));
            pbump(static_cast<int>(count)); // no more than the buffer holds
            return count;
        }
        size_t sent = 0;
        if (flush(writes_))
            last_write_ = pipe_.try_write({from, static_cast<size_t>(count)}, sent, writes_, cancel_);
        if (last_write_ != IPC_OK)
            (void)missed();
        return static_cast<std::streamsize>(sent);
    }

    int sync() override
    {
        return flush(writes_) ? 0 : -1;
    }

  private:
    enum : size_t { in_size = 16384, out_size = 16384 };

    void read_nothing_yet()
    {
        setg(memory_.get(), memory_.get(), memory_.get());
    }

    int_type nothing_more() const
    {
#ifndef IPC_NO_EXCEPTIONS
        if (last_read_ != IPC_OK)
            throw error(last_read_, pipe_.reason());
#endif
        return traits_type::eof();
    }

    size_t fill(char *to, size_t size)
    {
        size_t got = 0;
        last_read_ = pipe_.read(to, size, got, deadline::now(), cancel_);
        if (last_read_ == IPC_TIMEOUT) {
            (void)flush(writes_); // the other side may wait for it; the next write says what became of it
            last_read_ = pipe_.read(to, size, got, reads_, cancel_);
        }
        return got;
    }

    bool flush(time_limit until)
    {
        if (pptr() == pbase())
            return true;
        size_t sent = 0;
        const auto length = static_cast<size_t>(pptr() - pbase());
        last_write_ = pipe_.try_write({pbase(), length}, sent, until, cancel_);
        std::memmove(pbase(), pbase() + sent, length - sent);
        setp(pbase(), epptr());
        pbump(static_cast<int>(length - sent));
        return last_write_ == IPC_OK;
    }

    int_type missed()
    {
        pipe_.give_up();
        return traits_type::eof();
    }

    pipe &pipe_;
    time_limit reads_;
    time_limit writes_;
    ipc_cancel *cancel_;
    std::unique_ptr<char[]> memory_;
    status last_read_ = IPC_OK;
    status last_write_ = IPC_OK;
    int exceptions_ = std::uncaught_exceptions();
};

namespace detail
{
struct pipe_holder { // a base, to be there before the stream and after it
    explicit pipe_holder(pipe owned, time_limit reads, time_limit writes, ipc_cancel *cancel)
        : pipe_(std::move(owned)), buffer_(pipe_, reads, writes, cancel)
    {
    }

    pipe pipe_;
    pipe_buffer buffer_;
};
} // namespace detail

// Owns its pipe, and closes it when it is destroyed, after what is left was sent: in good order, or as cut off (see
// pipe_buffer).
class pipe_stream : private detail::pipe_holder, public std::iostream
{
  public:
    // As those of pipe_buffer.
    explicit pipe_stream(ipc::pipe owned, time_limit reads = {}, time_limit writes = {}, ipc_cancel *cancel = nullptr)
        : pipe_holder(std::move(owned), reads, writes, cancel), std::iostream(&buffer_)
    {
    }

#ifndef IPC_NO_EXCEPTIONS
    // Connects, or throws ipc::error.
    explicit pipe_stream(const std::string &name, const pipe_options &options = {}, time_limit reads = {},
                         time_limit writes = {}, ipc_cancel *cancel = nullptr)
        : pipe_stream(ipc::pipe::connect(name, options), reads, writes, cancel)
    {
    }
#endif

    pipe_stream(const pipe_stream &) = delete;
    pipe_stream &operator=(const pipe_stream &) = delete;

    // Sends what is left; no more from here, and the other stream goes on.
    [[nodiscard]] status end(time_limit until = {})
    {
        return buffer_.end(until);
    }

    // As pipe::abort; what is left in the buffer is not sent.
    [[nodiscard]] status abort(std::string_view why, time_limit until = deadline::now())
    {
        return pipe_.abort(why, until);
    }

    // What it is over: reason(), hello(), who is there.
    const ipc::pipe &pipe() const noexcept
    {
        return pipe_;
    }

    const pipe_buffer &buffer() const noexcept
    {
        return buffer_;
    }
};

} // namespace ipc
#endif
