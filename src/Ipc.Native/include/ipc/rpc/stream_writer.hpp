// What handlers write to and read from besides their request and response.
#ifndef IPC_RPC_STREAM_WRITER_HPP
#define IPC_RPC_STREAM_WRITER_HPP

#include "../dialect.hpp"

#include <string>

#include "call_context.hpp"
#include "detail/callee.hpp"

namespace ipc::rpc
{

// The items of a stream's answer. Valid while the handler runs.
template <class Item> class stream_writer
{
  public:
    // Made by the library.
    stream_writer(detail::callee &to, call_context &context) : to_(to), context_(context)
    {
    }

#ifndef IPC_NO_EXCEPTIONS
    // Sends one item, waiting until the reader of the stream wants it. False when the stream is over: cancelled, past
    // its deadline, the caller gone; the handler should return. Throws rpc::error when the item is larger than the ring
    // takes.
    bool write(const Item &item)
    {
        bool sent = false;
        if (const outcome result = try_write(item, sent); !result)
            throw error(result);
        return sent;
    }
#endif

    // SENT is what write() would return. The outcome may be returned by the handler as its own.
    outcome try_write(const Item &item, bool &sent)
    {
        return to_.send_item(context_, item, sent);
    }

  private:
    detail::callee &to_;
    call_context &context_;
};

// The items that the caller streams. Valid while the handler runs; a handler may return before the end.
template <class Item> class stream_input
{
  public:
    // Made by the library.
    stream_input(detail::callee &from, call_context &context) : from_(from), context_(context)
    {
    }

#ifndef IPC_NO_EXCEPTIONS
    // Waits for the next item. False: the caller has ended its stream; or the call is over (call_context::cancelled()
    // tells), and what the handler returns is not wanted. Throws rpc::error when the item cannot be decoded.
    bool next(Item &item)
    {
        bool got = false;
        if (const outcome result = try_next(item, got); !result)
            throw error(result);
        return got;
    }
#endif

    // GOT is what next() would return. The outcome may be returned by the handler as its own.
    outcome try_next(Item &item, bool &got)
    {
        got = from_.take_item(context_, body_);
        if (!got || parse(item, reinterpret_cast<const uint8_t *>(body_.data()), body_.size()))
            return {};
        got = false;
        return {status::invalid_argument, not_a(item, "item", body_.size())};
    }

  private:
    detail::callee &from_;
    call_context &context_;
    std::string body_;
};

// How far a call is. Costs little when nobody reads it: only the newest waits for room.
template <class Progress> class progress_writer
{
  public:
    // Made by the library.
    progress_writer(detail::callee &to, call_context &context) : to_(to), context_(context)
    {
    }

    // Any thread of the handler's, also several.
    void report(const Progress &value)
    {
        to_.send_progress(context_, value);
    }

  private:
    detail::callee &to_;
    call_context &context_;
};

} // namespace ipc::rpc
#endif
