// Named connections: messages between two names that outlive the programs of these names.
#ifndef IPC_NAMED_HPP
#define IPC_NAMED_HPP

#include "dialect.hpp"

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "basics.hpp"
#include "named_listener.h"

namespace ipc
{

// A message in place: valid until it is acknowledged. A hostile peer can change the bytes: read once, check, use.
struct named_message {
    const uint8_t *data = nullptr;
    uint32_t size = 0;
    uint16_t type = 0;
    bool redelivered = false; // it may have been handled before
    uint64_t sequence = 0;    // its number in this direction: 1, then always one more

    std::string_view text() const noexcept
    {
        return {reinterpret_cast<const char *>(data), size};
    }
};

// The calls of a named connection, whether owned (named_connection) or of a listener's event. Does not own.
class named_ref
{
  public:
    constexpr named_ref(ipc_named_connection *handle) noexcept : handle_(handle)
    {
    }

    ipc_named_connection *get() const noexcept
    {
        return handle_;
    }

    // Client: logs in, and waits for a server until the deadline.
    [[nodiscard]] status connect_until(time_limit until, ipc_cancel *cancel = nullptr) noexcept
    {
        return ipc_named_connect(handle_, until.at(), cancel);
    }

#ifndef IPC_NO_EXCEPTIONS
    // The same. Throws when that cannot be.
    void connect(time_limit until = {})
    {
        require(connect_until(until));
    }
#endif

    bool is_connected() const noexcept
    {
        return ipc_named_is_connected(handle_);
    }

    int32_t peer_pid() const noexcept
    {
        return ipc_named_peer_pid(handle_);
    }

    // What the server answered to the last login that it accepted.
    std::string reply() const
    {
        uint32_t length = 0;
        const void *said = ipc_named_reply(handle_, &length);
        return {static_cast<const char *>(said), length};
    }

    // What the client said at its last login.
    std::string login() const
    {
        uint32_t length = 0;
        const void *said = ipc_named_login(handle_, &length);
        return {static_cast<const char *>(said), length};
    }

    const char *client_name() const noexcept
    {
        return ipc_named_client_name(handle_);
    }

    const char *server_name() const noexcept
    {
        return ipc_named_server_name(handle_);
    }

    // Of the server that this conversation is with; empty before the first login.
    std::string identity() const
    {
        char text[IPC_NAMED_NAME_MAX + 1];
        return {text, ipc_named_identity(handle_, text, sizeof text)};
    }

    // How the last session ended. False: none has.
    bool ended(ipc_named_end &reason) const noexcept
    {
        return ipc_named_ended(handle_, &reason) == IPC_OK;
    }

    ipc_named_reset last_reset() const noexcept
    {
        ipc_named_reset reset;
        ipc_named_last_reset(handle_, &reset);
        return reset;
    }

    // LENGTH bytes in place at PAYLOAD; IPC_FULL when there is no room now.
    [[nodiscard]] status try_claim(uint32_t length, uint8_t *&payload) noexcept
    {
        void *place = nullptr;
        const status code = ipc_named_try_claim(handle_, length, &place);
        payload = static_cast<uint8_t *>(place);
        return code;
    }

    // The same, waiting for room. As send it may log in, too: of a duration the clock is read, whether there is room or
    // not.
    [[nodiscard]] status claim(uint32_t length, uint8_t *&payload, time_limit until,
                               ipc_cancel *cancel = nullptr) noexcept
    {
        void *place = nullptr;
        const status code = ipc_named_claim(handle_, length, until.at(), cancel, &place);
        payload = static_cast<uint8_t *>(place);
        return code;
    }

    [[nodiscard]] status commit(uint32_t length, uint16_t type = 0, uint64_t *sequence = nullptr) noexcept
    {
        return ipc_named_commit(handle_, length, type, sequence);
    }

    [[nodiscard]] status commit_batched(uint32_t length, uint16_t type = 0, uint64_t *sequence = nullptr) noexcept
    {
        return ipc_named_commit_batched(handle_, length, type, sequence);
    }

    void flush() noexcept
    {
        ipc_named_flush(handle_);
    }

    void abandon() noexcept
    {
        ipc_named_abandon(handle_);
    }

    // Copies and publishes. IPC_FULL when there is no room now.
    [[nodiscard]] status try_send(std::string_view payload, uint16_t type = 0, uint64_t *sequence = nullptr) noexcept
    {
        if (payload.size() > UINT32_MAX)
            return IPC_E_TOO_LARGE;
        return ipc_named_try_send(handle_, payload.data(), static_cast<uint32_t>(payload.size()), type, sequence);
    }

    [[nodiscard]] status send_until(std::string_view payload, uint16_t type, time_limit until,
                                    ipc_cancel *cancel = nullptr, uint64_t *sequence = nullptr) noexcept
    {
        if (payload.size() > UINT32_MAX)
            return IPC_E_TOO_LARGE;
        return ipc_named_send(handle_, payload.data(), static_cast<uint32_t>(payload.size()), type, until.at(), cancel,
                              sequence);
    }

#ifndef IPC_NO_EXCEPTIONS
    // Copies and publishes, waiting for room: the message's number. Throws when that cannot be.
    uint64_t send(std::string_view payload, uint16_t type = 0, time_limit until = {})
    {
        uint64_t sequence = 0;
        require(send_until(payload, type, until, nullptr, &sequence));
        return sequence;
    }
#endif

    uint32_t max_payload() const noexcept
    {
        return ipc_named_max_payload(handle_);
    }

    // The next message in place; IPC_EMPTY when there is none now.
    [[nodiscard]] status try_receive(named_message &next) noexcept
    {
        ipc_named_message raw;
        const status code = ipc_named_try_receive(handle_, &raw);
        if (code == IPC_OK)
            next = message_of(raw);
        return code;
    }

    [[nodiscard]] status receive(named_message &next, time_limit until, ipc_cancel *cancel = nullptr) noexcept
    {
        ipc_named_message raw;
        const status code = detail::within(
            until, IPC_EMPTY, [&] { return ipc_named_try_receive(handle_, &raw); },
            [&](ipc_deadline at) { return ipc_named_receive(handle_, at, cancel, &raw); });
        if (code == IPC_OK)
            next = message_of(raw);
        return code;
    }

    // The messages up to that number are done; 0: all that were received.
    void acknowledge(uint64_t sequence = 0) noexcept
    {
        ipc_named_acknowledge(handle_, sequence);
    }

    uint64_t sent() const noexcept
    {
        return ipc_named_sent(handle_);
    }

    uint64_t received() const noexcept
    {
        return ipc_named_received(handle_);
    }

    uint64_t acknowledged() const noexcept
    {
        return ipc_named_acknowledged(handle_);
    }

    // So many messages were sent that the other side has not acknowledged.
    uint64_t unacknowledged() const noexcept
    {
        return ipc_named_unacknowledged(handle_);
    }

    void stop() noexcept
    {
        ipc_named_stop(handle_);
    }

    void resume() noexcept
    {
        ipc_named_resume(handle_);
    }

    // Server, of a login: there is a session.
    [[nodiscard]] status accept(std::string_view reply = {}) noexcept
    {
        if (reply.size() > IPC_NAMED_DATA_MAX)
            return IPC_E_INVALID_ARGUMENT;
        return ipc_named_accept(handle_, reply.data(), static_cast<uint32_t>(reply.size()));
    }

  private:
    static named_message message_of(const ipc_named_message &raw) noexcept
    {
        named_message message;
        message.data = static_cast<const uint8_t *>(raw.payload);
        message.size = raw.length;
        message.type = raw.type;
        message.redelivered = raw.redelivered;
        message.sequence = raw.sequence;
        return message;
    }

    ipc_named_connection *handle_;
};

namespace detail
{
struct close_named {
    void operator()(ipc_named_connection *handle) const noexcept
    {
        ipc_named_close(handle, IPC_CLOSE_NORMAL, nullptr);
    }
};
} // namespace detail

// A named connection that is owned: a client's, or one that a server has taken from an event. Leaves when destroyed;
// messages stay.
class named_connection : public named_ref
{
  public:
    // Opens nothing yet: try_open() does.
    named_connection() noexcept : named_ref(nullptr)
    {
    }

    // Owns HANDLE, which may be null.
    explicit named_connection(ipc_named_connection *handle) noexcept : named_ref(handle), owner_(handle)
    {
    }

    named_connection(named_connection &&other) noexcept : named_ref(other.get()), owner_(std::move(other.owner_))
    {
        static_cast<named_ref &>(other) = named_ref(nullptr);
    }

    named_connection &operator=(named_connection &&other) noexcept
    {
        if (this != &other) {
            reset(other.owner_.release());
            static_cast<named_ref &>(other) = named_ref(nullptr);
        }
        return *this;
    }

    static status try_open(const std::string &server, const std::string &client, const ipc_named_options &options,
                           named_connection &made) noexcept
    {
        ipc_named_connection *opened = nullptr;
        status code = IPC_CHECK_VERSION();
        if (code == IPC_OK)
            code = ipc_named_open(server.c_str(), client.c_str(), &options, &opened);
        if (code == IPC_OK)
            made.reset(opened);
        return code;
    }

#ifndef IPC_NO_EXCEPTIONS
    // Opens the conversation of CLIENT with SERVER, or begins it.
    named_connection(const std::string &server, const std::string &client, const ipc_named_options &options = {})
        : named_ref(nullptr)
    {
        require(try_open(server, client, options, *this));
    }
#endif

    // Removes the conversation of two names, with what was not acknowledged.
    [[nodiscard]] static status try_remove(const std::string &server, const std::string &client) noexcept
    {
        return ipc_named_remove(server.c_str(), client.c_str());
    }

    explicit operator bool() const noexcept
    {
        return owner_ != nullptr;
    }

    ipc_named_connection *release() noexcept
    {
        static_cast<named_ref &>(*this) = named_ref(nullptr);
        return owner_.release();
    }

    void close(uint32_t code = IPC_CLOSE_NORMAL, const std::string &text = {}) noexcept
    {
        ipc_named_close(release(), code, text.c_str());
    }

    // Server, of a login: refuses it, and closes.
    status refuse(const std::string &text) noexcept
    {
        const status code = ipc_named_refuse(get(), text.c_str());
        if (code == IPC_OK)
            (void)release();
        return code;
    }

    // For the library: owns HANDLE instead.
    void reset(ipc_named_connection *handle) noexcept
    {
        owner_.reset(handle);
        static_cast<named_ref &>(*this) = named_ref(handle);
    }

  private:
    std::unique_ptr<ipc_named_connection, detail::close_named> owner_;
};

} // namespace ipc
#endif
