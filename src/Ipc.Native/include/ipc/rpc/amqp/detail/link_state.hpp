// Whether a connection to the broker is still good, and what its failures mean.
#ifndef IPC_RPC_AMQP_DETAIL_LINK_STATE_HPP
#define IPC_RPC_AMQP_DETAIL_LINK_STATE_HPP

#include <chrono>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include <amqp.h>
#include <amqp_framing.h>

#include "../../status.hpp"
#include "message.hpp"

namespace ipc::rpc::amqp::detail
{

class link_state
{
  public:
    link_state() : state_(amqp_new_connection())
    {
    }

    link_state(const link_state &) = delete;
    link_state &operator=(const link_state &) = delete;

    ~link_state()
    {
        if (state_ != nullptr)
            amqp_destroy_connection(state_);
    }

    bool is_good() const noexcept
    {
        return good_;
    }

    // Why it is not good any more. The code is unavailable, or what the broker said: unauthenticated,
    // failed_precondition.
    const outcome &why() const noexcept
    {
        return why_;
    }

    // The reply code that the broker closed it with; 0 if it did not.
    uint16_t code() const noexcept
    {
        return code_;
    }

    bool fail(outcome why)
    {
        if (std::exchange(good_, false))
            why_ = std::move(why);
        return false;
    }

  protected:
    static timeval time_of(std::chrono::milliseconds time) noexcept
    {
        return {static_cast<time_t>(time.count() / 1000), static_cast<suseconds_t>(time.count() % 1000 * 1000)};
    }

    static amqp_table_entry_t yes(const char *name)
    {
        amqp_table_entry_t entry;
        std::memset(&entry, 0, sizeof entry);
        entry.key = amqp_cstring_bytes(name);
        entry.value.kind = AMQP_FIELD_KIND_BOOLEAN;
        entry.value.value.boolean = 1;
        return entry;
    }

    bool fail_with(int code)
    {
        return fail({status::unavailable, amqp_error_string2(code)});
    }

    bool answered()
    {
        return check(amqp_get_rpc_reply(state_));
    }

    // What was to be sent may have failed because the broker has said something, and closed.
    bool sent(int code)
    {
        if (code == AMQP_STATUS_OK)
            return true;
        const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(100);
        amqp_frame_t frame;
        timeval moment{0, 50'000};
        while (std::chrono::steady_clock::now() < until &&
               amqp_simple_wait_frame_noblock(state_, &frame, &moment) == AMQP_STATUS_OK)
            if (frame.frame_type == AMQP_FRAME_METHOD && !closed(frame.payload.method))
                return false;
        return fail_with(code);
    }

    bool check(const amqp_rpc_reply_t &reply)
    {
        switch (reply.reply_type) {
        case AMQP_RESPONSE_NORMAL:
            return true;
        case AMQP_RESPONSE_SERVER_EXCEPTION:
            return closed(reply.reply) ? fail({status::unavailable, "the broker answered something else"}) : false;
        case AMQP_RESPONSE_LIBRARY_EXCEPTION:
            return fail_with(reply.library_error);
        default:
            return fail({status::unavailable, "the broker does not speak AMQP 0-9-1"});
        }
    }

    // False when WHAT closes the connection, or a channel of it.
    bool closed(const amqp_method_t &what)
    {
        uint16_t code = 0;
        std::string_view text;
        if (what.id == AMQP_CONNECTION_CLOSE_METHOD) {
            const auto *const said = static_cast<const amqp_connection_close_t *>(what.decoded);
            code = said->reply_code;
            text = text_of(said->reply_text);
            amqp_connection_close_ok_t heard{};
            amqp_send_method(state_, 0, AMQP_CONNECTION_CLOSE_OK_METHOD, &heard);
        } else if (what.id == AMQP_CHANNEL_CLOSE_METHOD) {
            const auto *const said = static_cast<const amqp_channel_close_t *>(what.decoded);
            code = said->reply_code;
            text = text_of(said->reply_text);
        } else {
            return true;
        }
        const rpc::status means = code == AMQP_ACCESS_REFUSED || code == AMQP_NOT_ALLOWED ? status::unauthenticated
                                  : code == AMQP_PRECONDITION_FAILED                      ? status::failed_precondition
                                                                                          : status::unavailable;
        code_ = code;
        return fail({means, "it said " + std::to_string(code) + ", \"" + std::string(text) + "\""});
    }

    amqp_connection_state_t state_;

  private:
    bool good_ = true;
    uint16_t code_ = 0;
    outcome why_;
};

} // namespace ipc::rpc::amqp::detail
#endif
