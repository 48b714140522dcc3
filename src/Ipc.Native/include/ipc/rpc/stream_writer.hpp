// The writing side of a server stream.
#ifndef IPC_RPC_STREAM_WRITER_HPP
#define IPC_RPC_STREAM_WRITER_HPP

#include "call_context.hpp"
#include "session.hpp"

namespace ipc::rpc
{

// What a streaming handler writes its items to. Valid while the handler runs.
template <class Item> class stream_writer
{
  public:
    // Made by the library.
    stream_writer(detail::session &to, call_context &context) : to_(to), context_(context)
    {
    }

    // Sends one item, waiting until the reader of the stream wants it. False when the stream is over: cancelled, past
    // its deadline, the client gone; the handler should return. Throws rpc::error when the item is larger than the ring
    // takes.
    bool write(const Item &item)
    {
        return to_.send_item(context_, item);
    }

  private:
    detail::session &to_;
    call_context &context_;
};

} // namespace ipc::rpc
#endif
