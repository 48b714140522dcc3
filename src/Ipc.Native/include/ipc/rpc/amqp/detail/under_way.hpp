// A call at a broker between its request and its end, as its client knows it beside its entry in the table of calls.
//
// A request asks for a stream with the headers ipc-credit and ipc-credit-bytes, how much may come first; it announces
// one of its own with ipc-sends 1; ipc-lease is after how long a silence the server ends it. Its server answers with
//   a first message   ipc-item 0; reply-to is a queue that the server's connection owns, message-id the stream's key;
//                     if the client sends, ipc-to is another such queue, for its items, and ipc-credit and
//                     ipc-credit-bytes are how much may come first
//   items             ipc-item 1, 2, ..., if it was asked for a stream
//   credit            ipc-credit and ipc-credit-bytes for more, without ipc-item, if the client sends
//   a last message    as an answer; of a stream that it was asked for with ipc-count, how many items there were
// and hears in its first queue messages whose message-id is that key: with credit, without a sign of life. To its
// second one go items (ipc-item 1, 2, ...) and the end (ipc-count).
//
// What comes is of a peer, and not believed. A second server may begin a stream, when the first one went before the
// broker knew that it had begun, as long as the client has had no item, and has sent none.
#ifndef IPC_RPC_AMQP_DETAIL_UNDER_WAY_HPP
#define IPC_RPC_AMQP_DETAIL_UNDER_WAY_HPP

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <string>

#include "../../detail/flow.hpp"
#include "../../status.hpp"
#include "message.hpp"
#include "wire.hpp"

namespace ipc::rpc::amqp::detail
{

// Guarded by the mutex of its client.
struct under_way {
    std::string message_id;           // of the call
    std::shared_ptr<message> request; // until it is sent; with wait_for_ready until a server has it
    std::string method;               // its name, for texts
    deadline until;
    uint64_t number = 0; // of the message that is its request; 0: it was not sent yet
    bool answered_by_stream = false;
    bool sends = false;
    bool begun = false;
    std::string control; // the queue of the server that hears words,
    std::string key;     // the stream's name there,
    std::string to;      // and the queue for items
    int64_t received = 0;
    int64_t sent = 0;
    bool finished = false; // the caller's stream has ended

    bool is_stream() const noexcept
    {
        return answered_by_stream || sends;
    }

    // A server has begun it. Ok, or why that cannot be. CREDIT: what may be sent to it.
    outcome begin(const delivery &first, rpc::detail::item_credit &credit)
    {
        const std::string_view queue = first.reply_to(), name = first.message_id();
        if (queue.empty() || queue.size() > wire::longest_name || name.empty() || name.size() > wire::longest_name)
            return {status::data_loss, "The first message of the stream does not say where its server listens"};
        if (received > 0)
            return {status::data_loss, "The stream began again after " + std::to_string(received) + " items"};
        if (sent > 0 || (begun && finished))
            return {status::unavailable, "The stream's server has gone, and another one has begun it, after " +
                                             std::to_string(sent) +
                                             " items had been sent to the first. How far the "
                                             "stream came there is not known"};
        if (sends) {
            const std::string_view items = first.text(wire::to);
            const int64_t most = first.number(wire::credit).value_or(0);
            const int64_t bytes = first.number(wire::credit_bytes).value_or(0);
            if (items.empty() || items.size() > wire::longest_name || most < 1 || bytes < 1 ||
                most > wire::max_credit || bytes > wire::max_credit)
                return {status::data_loss, "The first message of the stream does not say where its items go, or how "
                                           "many may"};
            to = items;
            credit.items = most;
            credit.bytes = bytes;
            credit.by = rpc::detail::measure::messages;
        }
        control = queue;
        key = name;
        begun = true;
        return {};
    }

    message word(uint64_t call) const
    {
        message made;
        made.type = wire::type;
        made.message_id = key;
        made.correlation_id = std::to_string(call);
        return made;
    }
};

// A one-way call that waits for the broker to have it. Guarded by the mutex of its client.
struct confirmation {
    bool done = false;
    bool is_sent = false;
    outcome result;
    std::condition_variable changed;

    void settle(outcome with)
    {
        if (done)
            return;
        done = true;
        result = std::move(with);
        changed.notify_all();
    }
};

} // namespace ipc::rpc::amqp::detail
#endif
