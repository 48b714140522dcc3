// One connection to the broker, by rabbitmq-c, from its first byte to its end: it does not come back, a new one does.
// One thread uses it (connector.hpp). Whatever fails is the end of the whole connection, as its peer in C# has it: what
// was sent on it is not known to have arrived. So every step says only whether the connection is still good, and why()
// says what it ended with.
#ifndef IPC_RPC_AMQP_DETAIL_LINK_HPP
#define IPC_RPC_AMQP_DETAIL_LINK_HPP

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <amqp.h>
#include <amqp_framing.h>
#include <amqp_ssl_socket.h>
#include <amqp_tcp_socket.h>

#include "../../status.hpp"
#include "../options.hpp"
#include "address.hpp"
#include "link_state.hpp"
#include "message.hpp"
#include "wire.hpp"

namespace ipc::rpc::amqp::detail
{

class link;

// What comes over a connection. On its thread.
class link_user
{
  public:
    virtual void delivered(link &from, delivery &&what) = 0;
    // The broker has no queue for a message that had to have one, and sends it back.
    virtual void returned(link &from, const delivery &what) = 0;
    // It has what was published with NUMBER on CHANNEL, and before it if WITH_EARLIER; or has not.
    virtual void confirmed(link &from, uint16_t channel, uint64_t number, bool with_earlier, bool has_it) = 0;

  protected:
    ~link_user() = default;
};

class link : public link_state
{
  public:
    using duration = std::chrono::milliseconds;

    // The broker has too little memory or disk: it reads nothing from who sends.
    bool is_blocked() const noexcept
    {
        return blocked_;
    }

    int socket() const noexcept
    {
        return amqp_get_sockfd(state_);
    }

    // How often each side says that it is alive, as both have agreed; 0: not at all.
    std::chrono::seconds heartbeat() const noexcept
    {
        return std::chrono::seconds(amqp_get_heartbeat(state_));
    }

    // For headers: properties are one frame.
    size_t room() const noexcept
    {
        constexpr int of_properties = 4096;
        const int most = amqp_get_frame_max(state_);
        return most > of_properties ? static_cast<size_t>(most - of_properties) : 0;
    }

    bool open(const address &to, const node &at, const options &with, const char *role, duration time)
    {
        timeval limit = time_of(time);
        amqp_socket_t *socket = to.tls ? amqp_ssl_socket_new(state_) : amqp_tcp_socket_new(state_);
        if (socket == nullptr)
            return fail({status::resource_exhausted, "no memory for a connection"});
        if (to.tls) {
            amqp_ssl_socket_set_verify_peer(socket, 1);
            amqp_ssl_socket_set_verify_hostname(socket, 1);
            if (amqp_ssl_socket_set_cacert(socket, with.authorities.c_str()) != AMQP_STATUS_OK)
                return fail({status::failed_precondition,
                             "the file " + with.authorities + " (options::authorities) cannot be read"});
        }
        amqp_set_handshake_timeout(state_, &limit);
        amqp_set_rpc_timeout(state_, &limit);
        if (const int code = amqp_socket_open_noblock(socket, at.host.c_str(), at.port, &limit); code != AMQP_STATUS_OK)
            return fail_with(code);
        amqp_table_entry_t can[] = {yes("publisher_confirms"), yes("basic.nack"), yes("consumer_cancel_notify"),
                                    yes("connection.blocked"), yes("authentication_failure_close")};
        const std::string name = std::string("ipc ") + role + " " + to.service;
        amqp_table_entry_t properties[2] = {yes("capabilities"), yes("connection_name")};
        properties[0].value.kind = AMQP_FIELD_KIND_TABLE;
        properties[0].value.value.table = {sizeof can / sizeof *can, can};
        properties[1].value.kind = AMQP_FIELD_KIND_UTF8;
        properties[1].value.value.bytes = bytes_of(name);
        const amqp_table_t about{2, properties};
        if (!check(amqp_login_with_properties(state_, to.virtual_host.c_str(), 0, AMQP_DEFAULT_FRAME_SIZE,
                                              static_cast<int>(with.heartbeat.count()), &about, AMQP_SASL_METHOD_PLAIN,
                                              to.user.c_str(), to.password.c_str())))
            return false;
        limit = time_of(with.connect_timeout);
        amqp_set_rpc_timeout(state_, &limit);
        return true;
    }

    bool open_channel(uint16_t channel, bool confirms)
    {
        return is_good() && (amqp_channel_open(state_, channel), answered()) &&
               (!confirms || (amqp_confirm_select(state_, channel), answered()));
    }

    bool declare_exchange(uint16_t channel, const std::string &name)
    {
        return is_good() && (amqp_exchange_declare(state_, channel, bytes_of(name), bytes_of("fanout"), 0, 1, 0, 0,
                                                   amqp_empty_table),
                             answered());
    }

    // A durable one, as all servers of a service declare it.
    bool declare_queue(uint16_t channel, const std::string &name, bool classic)
    {
        constexpr int64_t brokers_delivery_limit = 1000; // far beyond server_options::max_deliveries: RabbitMQ 4 drops
                                                         // by itself what it has delivered 21 times
        std::vector<amqp_field_value_t> none;
        const header kind = header::of("x-queue-type", std::string(classic ? "classic" : "quorum"));
        const header limit = header::of("x-delivery-limit", brokers_delivery_limit);
        amqp_table_entry_t entries[2] = {encoded::entry_of(kind, none), encoded::entry_of(limit, none)};
        return is_good() &&
               (amqp_queue_declare(state_, channel, bytes_of(name), 0, 1, 0, 0, {classic ? 1 : 2, entries}),
                answered());
    }

    // One that goes with the connection. NAME is filled.
    bool declare_own_queue(uint16_t channel, std::string &name)
    {
        if (!is_good())
            return false;
        const amqp_queue_declare_ok_t *const made =
            amqp_queue_declare(state_, channel, amqp_empty_bytes, 0, 0, 1, 1, amqp_empty_table);
        if (!answered())
            return false;
        name = text_of(made->queue);
        return true;
    }

    bool bind(uint16_t channel, const std::string &queue, const std::string &exchange)
    {
        return is_good() && (amqp_queue_bind(state_, channel, bytes_of(queue), bytes_of(exchange), amqp_empty_bytes,
                                             amqp_empty_table),
                             answered());
    }

    // TAG says in deliveries which consumer they are for. PREFETCH 0: what is delivered is not acknowledged.
    bool consume(uint16_t channel, std::string_view queue, std::string_view tag, uint16_t prefetch)
    {
        return is_good() && (prefetch == 0 || (amqp_basic_qos(state_, channel, 0, prefetch, 0), answered())) &&
               (amqp_basic_consume(state_, channel, bytes_of(queue), bytes_of(tag), 0, prefetch == 0, 0,
                                   amqp_empty_table),
                answered());
    }

    bool stop_consuming(uint16_t channel, std::string_view tag)
    {
        return is_good() && (amqp_basic_cancel(state_, channel, bytes_of(tag)), answered());
    }

    // How many consume a queue, on a channel of its own, which the broker closes when there is no such queue: -1 then.
    // Any number when it does not say.
    bool count_consumers(uint16_t channel, const std::string &queue, int64_t &consumers)
    {
        if (!is_good() || (!has_asked_ && !open_channel(channel, false)))
            return false;
        has_asked_ = true;
        const amqp_queue_declare_ok_t *const found =
            amqp_queue_declare(state_, channel, bytes_of(queue), 1, 0, 0, 0, amqp_empty_table);
        const amqp_rpc_reply_t reply = amqp_get_rpc_reply(state_);
        if (reply.reply_type == AMQP_RESPONSE_SERVER_EXCEPTION && reply.reply.id == AMQP_CHANNEL_CLOSE_METHOD) {
            amqp_channel_close_ok_t closed{};
            const auto said = static_cast<amqp_channel_close_t *>(reply.reply.decoded)->reply_code;
            consumers = said == AMQP_NOT_FOUND ? -1 : INT32_MAX;
            has_asked_ = false;
            amqp_maybe_release_buffers_on_channel(state_, channel);
            return amqp_send_method(state_, channel, AMQP_CHANNEL_CLOSE_OK_METHOD, &closed) == AMQP_STATUS_OK ||
                   fail({status::unavailable, "the connection was lost"});
        }
        if (!check(reply))
            return false;
        consumers = found->consumer_count;
        amqp_maybe_release_buffers_on_channel(state_, channel); // nothing else comes there
        return true;
    }

    bool publish(uint16_t channel, const std::string &exchange, const std::string &key, bool mandatory,
                 const message &what)
    {
        const encoded as(what, what.body.empty() && what.headers.empty() ? std::string_view() : wire::content_type);
        return publish(channel, exchange, key, mandatory, as.properties, what.body);
    }

    bool publish(uint16_t channel, const std::string &exchange, const std::string &key, bool mandatory,
                 const amqp_basic_properties_t &properties, std::string_view body)
    {
        return is_good() && sent(amqp_basic_publish(state_, channel, bytes_of(exchange), bytes_of(key), mandatory, 0,
                                                    &properties, bytes_of(body)));
    }

    bool acknowledge(uint16_t channel, uint64_t tag)
    {
        return is_good() && sent(amqp_basic_ack(state_, channel, tag, 0));
    }

    // Hands on all that has come; ANY says whether there was something. Never waits.
    bool read(link_user &user, bool &any)
    {
        constexpr int at_once = 256; // then others have their turn
        for (int i = 0; is_good() && i < at_once; ++i) {
            amqp_frame_t frame;
            timeval none{0, 0};
            const int code = amqp_simple_wait_frame_noblock(state_, &frame, &none);
            if (code == AMQP_STATUS_TIMEOUT) {
                more_ = false;
                return true;
            }
            if (code != AMQP_STATUS_OK)
                return fail_with(code);
            any = true;
            if (frame.frame_type == AMQP_FRAME_METHOD)
                came(user, frame.channel, frame.payload.method);
            else if (frame.frame_type == AMQP_FRAME_HEADER || frame.frame_type == AMQP_FRAME_BODY)
                came(user, frame);
            amqp_maybe_release_buffers_on_channel(state_, frame.channel);
        }
        more_ = true;
        return is_good();
    }

    // Whether read() has left something that the socket does not show.
    bool has_more() const noexcept
    {
        return more_ || amqp_frames_enqueued(state_) || amqp_data_in_buffer(state_);
    }

    // In good order, as far as that goes in a moment.
    void close() noexcept
    {
        if (!is_good())
            return;
        timeval moment = time_of(std::chrono::seconds(2));
        amqp_set_rpc_timeout(state_, &moment);
        // First that of the last words: the broker's channels are processes of their own, and with the others go
        // queues, so that whoever writes there would hear of that first.
        if (amqp_channel_close(state_, 1, AMQP_REPLY_SUCCESS).reply_type == AMQP_RESPONSE_NORMAL)
            amqp_connection_close(state_, AMQP_REPLY_SUCCESS);
        fail({status::unavailable, "this end was closed"});
    }

  private:
    void came(link_user &user, uint16_t channel, const amqp_method_t &what)
    {
        switch (what.id) {
        case AMQP_BASIC_DELIVER_METHOD: {
            const auto *const said = static_cast<const amqp_basic_deliver_t *>(what.decoded);
            delivery &coming = begin(channel, false);
            coming.tag = said->delivery_tag;
            coming.redelivered = said->redelivered != 0;
            coming.exchange = text_of(said->exchange);
            coming.routing_key = text_of(said->routing_key);
            coming.consumer = text_of(said->consumer_tag);
            return;
        }
        case AMQP_BASIC_RETURN_METHOD:
            begin(channel, true).routing_key =
                text_of(static_cast<const amqp_basic_return_t *>(what.decoded)->routing_key);
            return;
        case AMQP_BASIC_ACK_METHOD: {
            const auto *const said = static_cast<const amqp_basic_ack_t *>(what.decoded);
            return user.confirmed(*this, channel, said->delivery_tag, said->multiple != 0, true);
        }
        case AMQP_BASIC_NACK_METHOD: {
            const auto *const said = static_cast<const amqp_basic_nack_t *>(what.decoded);
            return user.confirmed(*this, channel, said->delivery_tag, said->multiple != 0, false);
        }
        case AMQP_BASIC_CANCEL_METHOD:
            fail({status::unavailable, "a queue that was consumed was deleted"});
            return;
        case AMQP_CONNECTION_BLOCKED_METHOD:
            blocked_ = true;
            return;
        case AMQP_CONNECTION_UNBLOCKED_METHOD:
            blocked_ = false;
            return;
        default:
            closed(what);
        }
    }

    // A message begins on a channel; its properties and its body follow, perhaps with those of others in between.
    delivery &begin(uint16_t channel, bool is_return)
    {
        incoming &fresh = coming_[channel];
        fresh = incoming();
        fresh.is_return = is_return;
        return fresh.what;
    }

    void came(link_user &user, const amqp_frame_t &frame)
    {
        const auto found = coming_.find(frame.channel);
        if (found == coming_.end())
            return;
        delivery &what = found->second.what;
        if (frame.frame_type == AMQP_FRAME_BODY) {
            what.take_part(frame.payload.body_fragment);
        } else if (!what.take_properties(frame.payload.properties.raw, frame.payload.properties.body_size)) {
            fail({status::unavailable, "the broker sent properties that are none"});
            return;
        }
        if (!what.is_whole())
            return;
        const bool is_return = found->second.is_return;
        delivery whole = std::move(what);
        coming_.erase(found);
        if (is_return)
            user.returned(*this, whole);
        else
            user.delivered(*this, std::move(whole));
    }

    struct incoming {
        delivery what;
        bool is_return = false;
    };

    std::map<uint16_t, incoming> coming_; // by channel
    bool blocked_ = false;
    bool more_ = false;
    bool has_asked_ = false; // the channel for questions is open
};

} // namespace ipc::rpc::amqp::detail
#endif
