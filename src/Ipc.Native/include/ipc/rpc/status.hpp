// The outcomes of a call: one table with the C# side, docs/rpc-protocol.md section 3.
#ifndef IPC_RPC_STATUS_HPP
#define IPC_RPC_STATUS_HPP

#include "../dialect.hpp"

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../basics.hpp"

namespace ipc::rpc
{

enum class status : uint16_t {
    ok = 0,
    cancelled = 1,         // the caller cancelled
    unknown = 2,           // the handler threw something of its own
    invalid_argument = 3,  // also: the request message could not be decoded
    deadline_exceeded = 4, // also local
    not_found = 5,
    already_exists = 6,
    permission_denied = 7,
    resource_exhausted = 8, // a message too large for the ring; too many calls
    failed_precondition = 9,
    aborted = 10,
    out_of_range = 11,
    unimplemented = 12, // no such method, or called as another kind
    internal = 13,
    unavailable = 14,     // local: no server, it died or closed
    data_loss = 15,       // local: the peer wrote what is not a frame or not a ring
    unauthenticated = 16, // refused when connecting
};

// The status of an error frame's code: 0 is none, and what a later version may send is not known here.
constexpr status status_of(uint16_t code) noexcept
{
    return code != 0 && code <= static_cast<uint16_t>(status::unauthenticated) ? static_cast<status>(code)
                                                                               : status::unknown;
}

// The name of a status as the C# side spells it; never null.
inline const char *name_of(status code) noexcept
{
    static constexpr const char *names[] = {
        "Ok",       "Cancelled",       "Unknown",          "InvalidArgument",   "DeadlineExceeded",
        "NotFound", "AlreadyExists",   "PermissionDenied", "ResourceExhausted", "FailedPrecondition",
        "Aborted",  "OutOfRange",      "Unimplemented",    "Internal",          "Unavailable",
        "DataLoss", "Unauthenticated",
    };
    const auto number = static_cast<uint16_t>(code);
    return number < sizeof names / sizeof *names ? names[number] : "Unknown";
}

// A message of the user's that travels with an error, as google.protobuf.Any carries it. Whoever does not know the type
// keeps the bytes.
struct error_detail {
    std::string type_url; // "type.googleapis.com/" and the message's full name
    std::string bytes;

    // Of a protobuf message (anything with GetTypeName and SerializeAsString).
    template <class Message> static error_detail of(const Message &value)
    {
        return {"type.googleapis.com/" + value.GetTypeName(), value.SerializeAsString()};
    }

    // False when it is of another type, or damaged.
    template <class Message> bool try_read(Message &into) const
    {
        const std::string name = into.GetTypeName();
        const size_t slash = type_url.rfind('/');
        return slash != std::string::npos && type_url.compare(slash + 1, std::string::npos, name) == 0 &&
               into.ParseFromString(bytes);
    }
};

// What was called, and of whom: of a call that failed.
struct call_place {
    std::string method; // "sysmon.v1/Get"
    std::string peer;   // "the server "sysmon" (process 4711)"
};

// How a call ended, for callers that do not want exceptions: true when it went well.
struct outcome {
    status code = status::ok;
    std::string type; // the name of the exception that the handler threw; often empty
    std::string text;
    std::vector<error_detail> details;
    std::shared_ptr<const call_place> at; // where it failed; null while it has not, and in a handler
    // It failed, and certainly nobody has handled it or will: it was not sent, or the server ended before it read it.
    // Such a call may be made again. It has a text
    bool unsent = false;

    outcome() = default;

    outcome(status result, std::string words = {}, std::string thrown = {})
        : code(result), type(std::move(thrown)), text(std::move(words))
    {
    }

    outcome(const outcome &) = default;
    outcome &operator=(const outcome &) = default;

    // Most have no words, and every call hands some of them on: then there is only the code to move.
    outcome(outcome &&other) noexcept : code(other.code)
    {
        if (other.has_words())
            take_words(other);
    }

    outcome &operator=(outcome &&other) noexcept
    {
        code = other.code;
        if (has_words() || other.has_words())
            take_words(other);
        return *this;
    }

    explicit operator bool() const noexcept
    {
        return code == status::ok;
    }

    // Whether there is more to it than the code.
    bool has_words() const noexcept
    {
        return !text.empty() || !type.empty() || !details.empty() || at != nullptr;
    }

    // Adds a protobuf message that the caller gets to see.
    template <class Message> outcome &&with(const Message &value) &&
    {
        details.push_back(error_detail::of(value));
        return std::move(*this);
    }

    // Everything in one line: the status, what was called of whom, the type that was thrown there, and the text.
    std::string whole() const
    {
        std::string words = name_of(code);
        if (at != nullptr)
            words += " of " + at->method + " at " + at->peer;
        if (at != nullptr && !type.empty())
            words += ", thrown there as " + type;
        return words + ": " + text;
    }

  private:
    void take_words(outcome &other) noexcept
    {
        at = std::move(other.at);
        unsent = other.unsent;
        type = std::move(other.type);
        text = std::move(other.text);
        details = std::move(other.details);
    }
};

#ifndef IPC_NO_EXCEPTIONS

// A call that failed, here or there. A handler throws it to choose the status that its caller sees.
class error : public std::runtime_error
{
  public:
    error(status code, const std::string &text, std::string remote_type = {})
        : std::runtime_error(std::string(name_of(code)) + ": " + text), code_(code), text_(text),
          remote_type_(std::move(remote_type))
    {
    }

    explicit error(const outcome &result)
        : std::runtime_error(result.whole()), code_(result.code), text_(result.text), remote_type_(result.type),
          details_(result.details), at_(result.at), unsent_(result.unsent)
    {
    }

    status code() const noexcept
    {
        return code_;
    }

    // What happened, without the status in front.
    const std::string &text() const noexcept
    {
        return text_;
    }

    // The type that the handler threw, as its language names it; empty when it chose a status itself.
    const std::string &remote_type() const noexcept
    {
        return remote_type_;
    }

    const std::vector<error_detail> &details() const noexcept
    {
        return details_;
    }

    // Whether certainly nobody has handled the call: it may be made again. See outcome::unsent.
    bool is_unsent() const noexcept
    {
        return unsent_;
    }

    // What was called, "sysmon.v1/Get"; empty where no call is behind this.
    std::string_view method() const noexcept
    {
        return at_ != nullptr ? std::string_view(at_->method) : std::string_view();
    }

    // Who was called, in words; empty where that is not known.
    std::string_view peer() const noexcept
    {
        return at_ != nullptr ? std::string_view(at_->peer) : std::string_view();
    }

  private:
    status code_;
    std::string text_;
    std::string remote_type_;
    std::vector<error_detail> details_;
    std::shared_ptr<const call_place> at_;
    bool unsent_ = false;
};

#endif

} // namespace ipc::rpc
#endif
