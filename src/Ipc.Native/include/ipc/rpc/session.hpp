// The server's side of one connection: what is sent on it, and which calls can still be cancelled.
//
// Any thread may send; a mutex keeps frames whole. A client that does not read makes its senders wait, for send_timeout
// at most; then it is cut off. Only calls that may outlast their reading are registered here (streams, and handlers
// that a standby has taken the connection from): the others end before the next frame is read, so no cancel could reach
// them.
#ifndef IPC_RPC_SESSION_HPP
#define IPC_RPC_SESSION_HPP

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "call_context.hpp"
#include "codec.hpp"
#include "frame.hpp"
#include "status.hpp"
#include "worker.hpp"

namespace ipc::rpc::detail
{

class session : public std::enable_shared_from_this<session>
{
  public:
    session(ipc_connection *handle, std::chrono::nanoseconds send_timeout)
        : connection_(handle), send_timeout_(send_timeout)
    {
    }

    ipc_connection *handle() const noexcept
    {
        return connection_.get();
    }

    reader_ref reader() const noexcept
    {
        return connection_.reader();
    }

    const connection &peer() const noexcept
    {
        return connection_;
    }

    std::mutex &mutex() noexcept
    {
        return mutex_;
    }

    // ---- sending
    // ------------------------------------------------------------------------------------------------------------

    // Returns whether the response was a large one.
    bool send_response(uint64_t call, const message &value)
    {
        const uint64_t size = size_of(value);
        if (size + frame_header_size > limit())
            send_error(call, {status::resource_exhausted, too_large("response", size, limit() - frame_header_size)});
        else
            send(header_of(frame_kind::response, call), size, [&](uint8_t *place) { write(value, place); });
        return size > 64 * 1024;
    }

    void send_error(uint64_t call, const outcome &why)
    {
        frame_header header = header_of(frame_kind::error, call);
        header.code = static_cast<uint16_t>(why.code);
        const std::string body = error_body::encode(why.type, why.text, std::min(limit() - frame_header_size, 16384u));
        send(header, body.size(), [&](uint8_t *place) { std::memcpy(place, body.data(), body.size()); });
    }

    void send_end(uint64_t call)
    {
        send(header_of(frame_kind::end, call), 0, [](uint8_t *) {});
    }

    // Waits for credit. False when the item is not wanted any more. Throws rpc::error when it is too large.
    bool send_item(call_context &context, const message &item)
    {
        {
            std::unique_lock held(mutex_);
            while (context.credit_ == 0 && !context.cancelled_.load(std::memory_order_relaxed))
                if (!sleep_until(held, context.wake_, context.until_))
                    break;
            if (context.cancelled() || context.credit_ == 0)
                return false;
            --context.credit_;
        }
        const uint64_t size = size_of(item);
        if (size + frame_header_size > limit())
            throw error(status::resource_exhausted, too_large("item", size, limit() - frame_header_size));
        return send(header_of(frame_kind::item, context.call_), size, [&](uint8_t *place) { write(item, place); });
    }

    void answer_ping(const frame &ping)
    {
        const std::unique_lock held(write_mutex_, std::try_to_lock);
        if (held.owns_lock()) // else somebody is sending: the client sees that we live
            rpc::answer_ping(connection_.writer(), ping);
    }

    // ---- calls that can be cancelled
    // ------------------------------------------------------------------------------------------

    void add(call_context &context)
    {
        const std::lock_guard held(mutex_);
        calls_.push_back(&context);
        if (ended_)
            fire(context);
    }

    void remove(call_context &context) noexcept
    {
        const std::lock_guard held(mutex_);
        calls_.erase(std::remove(calls_.begin(), calls_.end(), &context), calls_.end());
    }

    size_t calls() const noexcept
    {
        const std::lock_guard held(mutex_);
        return calls_.size();
    }

    // Why the call was cancelled, for its error frame.
    static outcome why_cancelled(const call_context &context)
    {
        if (context.until_.has_passed())
            return {status::deadline_exceeded, "the deadline passed while the handler ran"};
        return {status::cancelled, "the caller cancelled"};
    }

    void cancel(uint64_t call) noexcept
    {
        const std::lock_guard held(mutex_);
        for (call_context *context : calls_)
            if (context->call_ == call)
                fire(*context);
    }

    void credit(uint64_t call, uint32_t items) noexcept
    {
        const std::lock_guard held(mutex_);
        for (call_context *context : calls_)
            if (context->call_ == call) {
                context->credit_ += items; // 64 bits: 2^32 frames of 2^32 do not overflow it
                context->wake_.notify_all();
            }
    }

    // The client is gone, or must go: every call is cancelled, nothing is sent any more. Repeating it is harmless.
    void end() noexcept
    {
        {
            const std::lock_guard held(mutex_);
            ended_ = true;
            for (call_context *context : calls_)
                fire(*context);
        }
        connection_.writer()
            .stop(); // those who wait for room; after the flag, so that they do not take it for a good end
    }

    bool ended() const noexcept
    {
        return ended_.load(std::memory_order_relaxed);
    }

    // end() with a code and a text for the client.
    void cut_off(uint32_t code, const std::string &text) noexcept
    {
        connection_.shutdown(code, text);
        end();
    }

  private:
    static void fire(call_context &context) noexcept
    {
        context.cancelled_.store(true, std::memory_order_release);
        context.wake_.notify_all();
    }

    uint32_t limit() const noexcept
    {
        return connection_.writer().max_payload();
    }

    // False when the client is gone. SIZE has been checked.
    template <class Write> bool send(const frame_header &header, uint64_t size, Write &&write)
    {
        std::unique_lock held(write_mutex_, std::try_to_lock);
        if (!held.owns_lock()) {
            worker::current_blocks_sending();
            held.lock();
        }
        if (ended())
            return false;
        const auto length = static_cast<uint32_t>(size) + frame_header_size;
        writer_ref writer = connection_.writer();
        uint8_t *place = nullptr;
        ipc::status code = writer.try_claim(length, place);
        if (code == IPC_FULL) {
            worker::current_blocks_sending();
            code = writer.claim(length, place, deadline(send_timeout_));
        }
        if (code == IPC_OK) {
            encode(place, header, write);
            code = writer.commit(length, frame_record_type);
        }
        if (code == IPC_TIMEOUT)
            cut_off(IPC_CLOSE_PROTOCOL, "the client did not read what was sent to it");
        else if (code == IPC_E_CORRUPT)
            cut_off(IPC_CLOSE_CORRUPT, ipc_last_error());
        return code == IPC_OK;
    }

    connection connection_;
    const std::chrono::nanoseconds send_timeout_;
    std::mutex write_mutex_;
    mutable std::mutex mutex_; // guards what follows, and the credit of every call
    std::atomic<bool> ended_{false};
    std::vector<call_context *> calls_;
};

} // namespace ipc::rpc::detail
#endif
