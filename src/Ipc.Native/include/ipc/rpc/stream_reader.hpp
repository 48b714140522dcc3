// The reading side of a stream of answers.
#ifndef IPC_RPC_STREAM_READER_HPP
#define IPC_RPC_STREAM_READER_HPP

#include "../dialect.hpp"

#include <utility>

#include "detail/codec.hpp"
#include "detail/open_call.hpp"
#include "status.hpp"

namespace ipc::rpc
{

// A stream of items, asked for with caller::stream(). One thread at a time. Destroying it before its end cancels it.
// The other side is at most client_options::stream_window items, or 64 KiB to 4 MiB and one item, ahead.
template <class Item> class stream_reader
{
  public:
    // Made by the library.
    explicit stream_reader(detail::open_call call) : call_(std::move(call))
    {
    }

#ifndef IPC_NO_EXCEPTIONS
    // Waits for the next item. False: the stream has ended well. Throws rpc::error when it ended otherwise, or when
    // WAIT has passed: status::deadline_exceeded, and the stream goes on if its own deadline has not.
    bool next(Item &item, deadline wait = deadline::never())
    {
        bool got = false;
        const outcome result = try_next(item, got, wait);
        if (!result)
            throw error(result);
        return got;
    }
#endif

    // The same without exceptions for what happens to streams. GOT: whether there is an item.
    outcome try_next(Item &item, bool &got, deadline wait = deadline::never())
    {
        return call_.receive(wait, got, "item", item,
                             [&](const uint8_t *data, uint32_t size) { return parse(item, data, size); });
    }

    // No more items, please. What has been sent already is dropped.
    void cancel() noexcept
    {
        call_.cancel();
    }

  private:
    detail::open_call call_;
};

// A stream of items to the other side and one response, begun with caller::client_stream(). Destroying it before
// finish() cancels it.
template <class In, class Response> class client_stream_call
{
  public:
    // Made by the library.
    explicit client_stream_call(detail::open_call call) : call_(std::move(call))
    {
    }

#ifndef IPC_NO_EXCEPTIONS
    // Sends an item, waiting until the other side wants it. False when the call is over already, by an early response
    // or an error: finish() tells. Throws rpc::error when it is too large, or the call's time is up.
    bool write(const In &item)
    {
        bool sent = false;
        if (const outcome result = try_write(item, sent); !result)
            throw error(result);
        return sent;
    }
#endif

    // SENT is what write() would return.
    outcome try_write(const In &item, bool &sent)
    {
        return call_.write(item, sent);
    }

#ifndef IPC_NO_EXCEPTIONS
    // Ends the stream and waits for the response.
    Response finish()
    {
        Response response;
        if (const outcome result = try_finish(response); !result)
            throw error(result);
        return response;
    }
#endif

    // The same without exceptions for what happens to calls.
    outcome try_finish(Response &response)
    {
        call_.end_input();
        bool got = false;
        return call_.receive(deadline::never(), got, "response", response,
                             [&](const uint8_t *data, uint32_t size) { return parse(response, data, size); });
    }

    void cancel() noexcept
    {
        call_.cancel();
    }

  private:
    detail::open_call call_;
};

// Streams in both directions, begun with caller::duplex(). One thread may write while another reads; the one that is
// done last destroys it, which cancels the call if it has not ended.
template <class In, class Out> class duplex_call
{
  public:
    // Made by the library.
    explicit duplex_call(detail::open_call call) : call_(std::move(call))
    {
    }

#ifndef IPC_NO_EXCEPTIONS
    // As client_stream_call::write.
    bool write(const In &item)
    {
        bool sent = false;
        if (const outcome result = try_write(item, sent); !result)
            throw error(result);
        return sent;
    }
#endif

    // SENT is what write() would return.
    outcome try_write(const In &item, bool &sent)
    {
        return call_.write(item, sent);
    }

    void writes_done()
    {
        call_.end_input();
    }

#ifndef IPC_NO_EXCEPTIONS
    // As stream_reader::next. What has ended is over for the writing side too.
    bool next(Out &item, deadline wait = deadline::never())
    {
        bool got = false;
        const outcome result = try_next(item, got, wait);
        if (!result)
            throw error(result);
        return got;
    }
#endif

    outcome try_next(Out &item, bool &got, deadline wait = deadline::never())
    {
        return call_.receive(wait, got, "item", item,
                             [&](const uint8_t *data, uint32_t size) { return parse(item, data, size); });
    }

    void cancel() noexcept
    {
        call_.cancel();
    }

  private:
    detail::open_call call_;
};

} // namespace ipc::rpc
#endif
