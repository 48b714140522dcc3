// What is in the messages of calls, and how that becomes frames and comes out of them (docs/guide/many-machines.md, "On
// the wire"; the C# side has it in Wire.cs). Everything above the frames is the same as over shared memory.
//
// What belongs to a call is in properties and headers:
//   type            "ipc-rpc/1"
//   message-id      of the call, the same for all its attempts
//   correlation-id  of the attempt; an answer has the same
//   reply-to        amq.rabbitmq.reply-to; not there for a one-way call
//   expiration      what was left until the deadline, in milliseconds
//   headers         ipc-method "service/method", ipc-attempt, ipc-m-KEY (metadata), traceparent, tracestate;
//                   of an answer ipc-status, ipc-text, ipc-error-type, ipc-details, ipc-m-KEY
// A stream has the headers ipc-credit, ipc-credit-bytes, ipc-sends, ipc-lease, ipc-item, ipc-count and ipc-to, as
// client_streams.hpp and served.hpp say.
#ifndef IPC_RPC_AMQP_DETAIL_WIRE_HPP
#define IPC_RPC_AMQP_DETAIL_WIRE_HPP

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sys/random.h>

#include "../../detail/error_body.hpp"
#include "../../detail/frame.hpp"
#include "../../detail/head.hpp"
#include "../../detail/payload.hpp"
#include "../../detail/text.hpp"
#include "../../status.hpp"
#include "message.hpp"

namespace ipc::rpc::amqp::detail::wire
{

inline constexpr std::string_view type = "ipc-rpc/1", content_type = "application/x-protobuf";
inline constexpr std::string_view direct_reply = "amq.rabbitmq.reply-to";
inline constexpr std::string_view method = "ipc-method", attempt = "ipc-attempt";
inline constexpr std::string_view status = "ipc-status", text = "ipc-text", error_type = "ipc-error-type",
                                  details = "ipc-details";
inline constexpr std::string_view credit = "ipc-credit", credit_bytes = "ipc-credit-bytes", lease = "ipc-lease";
inline constexpr std::string_view item = "ipc-item", count = "ipc-count", sends = "ipc-sends", to = "ipc-to";
inline constexpr std::string_view reason = "ipc-reason", dead_from = "ipc-dead-from";
inline constexpr std::string_view trace_parent = "traceparent", trace_state = "tracestate", metadata = "ipc-m-";
inline constexpr std::string_view redelivered_mark = "ipc-redelivered", message_id_mark = "ipc-message-id";

inline constexpr size_t longest_metadata = 16'000, longest_text = 16'000, longest_details = 32'000, longest_id = 64,
                        longest_name = 255, longest_key = longest_name - metadata.size();
inline constexpr int64_t window_bytes = 1 << 20; // of a stream that may be under way, or wait for its consumer
inline constexpr int64_t max_credit = 1ll << 31; // more is not credit

// Nobody guesses it, and no process that was forked has it.
inline std::string new_id()
{
    uint8_t random[16];
    for (size_t got = 0; got < sizeof random;)
        if (const ssize_t more = ::getrandom(random + got, sizeof random - got, 0); more > 0)
            got += static_cast<size_t>(more);
    std::string id;
    for (const uint8_t byte : random) {
        id.push_back("0123456789abcdef"[byte >> 4]);
        id.push_back("0123456789abcdef"[byte & 15]);
    }
    return id;
}

// Of text that may be UTF-8.
inline size_t characters(std::string_view of) noexcept
{
    return static_cast<size_t>(
        std::count_if(of.begin(), of.end(), [](char c) { return (static_cast<uint8_t>(c) & 0xC0) != 0x80; }));
}

// No number: none that could be.
template <class Number> bool to_number(std::string_view from, Number &into) noexcept
{
    const auto result = std::from_chars(from.data(), from.data() + from.size(), into);
    return !from.empty() && result.ec == std::errc() && result.ptr == from.data() + from.size();
}

// What is left until a deadline, in milliseconds; empty for none, and for longer than the broker takes.
inline std::string expiration_of(deadline until)
{
    if (until.is_never())
        return {};
    const uint64_t left = (until.remaining() + 999'999) / 1'000'000;
    return left < UINT32_MAX ? std::to_string(left) : std::string();
}

// ---- the head of a frame: metadata and trace context
// -----------------------------------------------------------------------

inline bool is_key(std::string_view key) noexcept
{
    return !key.empty() && std::all_of(key.begin(), key.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
    });
}

inline std::string hex_of(std::string_view bytes)
{
    std::string out;
    for (const char c : bytes) {
        out.push_back("0123456789abcdef"[(c >> 4) & 15]);
        out.push_back("0123456789abcdef"[c & 15]);
    }
    return out;
}

// "00-TRACE-SPAN-FLAGS", as W3C has it; empty for none.
inline std::string trace_of(std::string_view bytes)
{
    if (bytes.size() != rpc::detail::trace_size)
        return {};
    return "00-" + hex_of(bytes.substr(0, 16)) + "-" + hex_of(bytes.substr(16, 8)) + "-" + hex_of(bytes.substr(24));
}

inline std::string trace_from(std::string_view words)
{
    constexpr std::string_view shape = "00-TTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTT-SSSSSSSSSSSSSSSS-FF";
    if (words.size() != shape.size() || words.substr(0, 3) != "00-" || words[35] != '-' || words[52] != '-')
        return {};
    std::string bytes;
    for (size_t i = 3; i < words.size(); i += 2) {
        if (words[i] == '-')
            ++i;
        if (i + 2 > words.size())
            return {};
        uint8_t byte = 0;
        if (std::from_chars(words.data() + i, words.data() + i + 2, byte, 16).ptr != words.data() + i + 2)
            return {};
        bytes.push_back(static_cast<char>(byte));
    }
    return bytes;
}

// False when the metadata may not travel: there is too much, or a key is none, or longer than a header's name may be;
// keys that the broker's servers add themselves are left out.
inline bool add_metadata(std::vector<header> &headers, const rpc::metadata &entries)
{
    size_t bytes = 0;
    const size_t first = headers.size();
    for (const rpc::metadata::entry &each : entries) {
        if (each.first == redelivered_mark || each.first == message_id_mark)
            continue;
        if (!is_key(each.first) || each.first.size() > longest_key)
            return false;
        bytes += each.first.size() + each.second.size() + 16;
        const std::string name = std::string(metadata) + each.first;
        const auto same = std::find_if(headers.begin() + static_cast<std::ptrdiff_t>(first), headers.end(),
                                       [&](const header &one) { return one.name == name; });
        if (same == headers.end())
            headers.push_back(header::of(name, each.second));
        else if (same->is == header::kind::list)
            same->list.push_back(each.second);
        else
            *same = header::of(name, std::vector<std::string>{same->text, each.second});
    }
    return bytes <= longest_metadata;
}

// What came with a message; keys that are none are left out.
inline rpc::metadata metadata_of(const delivery &from)
{
    rpc::metadata made;
    const amqp_table_t table = from.headers();
    for (int i = 0; i < table.num_entries; ++i) {
        std::string_view name = text_of(table.entries[i].key);
        if (name.substr(0, metadata.size()) != metadata)
            continue;
        name.remove_prefix(metadata.size());
        if (!is_key(name) || name == redelivered_mark || name == message_id_mark)
            continue;
        const amqp_field_value_t &value = table.entries[i].value;
        if (delivery::is_text(value))
            made.try_add(std::string(name), std::string(text_of(value.value.bytes)));
        if (value.kind == AMQP_FIELD_KIND_ARRAY)
            for (int j = 0; j < value.value.array.num_entries; ++j)
                if (delivery::is_text(value.value.array.entries[j]))
                    made.try_add(std::string(name), std::string(text_of(value.value.array.entries[j].value.bytes)));
    }
    return made;
}

// ---- a frame that is sent
// ---------------------------------------------------------------------------------------------------

// The body of a frame, with its head apart.
struct content {
    std::string bytes; // with the head before it
    size_t begin = 0;  // of the message
    head before;

    // False when the head is damaged.
    bool take(const frame_header &header, const rpc::detail::payload &from)
    {
        bytes.resize(static_cast<size_t>(from.size()));
        from.write(reinterpret_cast<uint8_t *>(bytes.data()));
        if ((header.flags & flag_head) == 0)
            return true;
        const uint8_t *body = reinterpret_cast<const uint8_t *>(bytes.data());
        auto size = static_cast<uint32_t>(bytes.size());
        const bool good = rpc::detail::decode_head(body, size, before);
        begin = bytes.size() - size;
        return good;
    }

    std::string message() &&
    {
        if (begin != 0)
            bytes.erase(0, begin);
        return std::move(bytes);
    }
};

// How a call ended.
inline void add_outcome(std::vector<header> &headers, const outcome &why)
{
    headers.push_back(header::of(status, static_cast<int64_t>(why.code)));
    if (why)
        return;
    headers.push_back(header::of(text, text::cut(text::utf8(why.text), longest_text)));
    if (!why.type.empty())
        headers.push_back(header::of(error_type, text::cut(text::utf8(why.type), longest_text)));
    std::vector<std::string> list;
    size_t bytes = 0;
    for (const error_detail &each : why.details) {
        bytes += each.type_url.size() + each.bytes.size();
        if (bytes > longest_details)
            break; // the last ones are left out first
        list.push_back(each.type_url);
        list.push_back(each.bytes);
    }
    if (!list.empty())
        headers.push_back(header::of(details, std::move(list)));
}

// What an answer says of how its call ended: ok when it went well.
inline outcome outcome_of(const delivery &answer)
{
    const std::optional<int64_t> code = answer.number(status);
    if (!code)
        return {status::data_loss, "The answer's status is none."};
    if (*code == 0)
        return {};
    outcome why(status_of(*code > 0 && *code <= UINT16_MAX ? static_cast<uint16_t>(*code) : 0),
                std::string(answer.text(text)), std::string(answer.text(error_type)));
    const amqp_field_value_t *const list = answer.find(details);
    if (list != nullptr && list->kind == AMQP_FIELD_KIND_ARRAY)
        for (int i = 0; i + 1 < list->value.array.num_entries; i += 2) {
            const amqp_field_value_t *const pair = &list->value.array.entries[i];
            if (delivery::is_text(pair[0]) && delivery::is_text(pair[1]))
                why.details.push_back(
                    {std::string(text_of(pair[0].value.bytes)), std::string(text_of(pair[1].value.bytes))});
        }
    if (why.text.empty())
        why.text = "the peer gave no reason";
    return why;
}

// ---- a frame that has come
// --------------------------------------------------------------------------------------------------

// A frame with a body of its own.
class made_frame
{
  public:
    made_frame(const frame_header &header, const head &before, std::string_view message)
    {
        bytes_ = rpc::detail::encode_head(before.trace, before.trace_state, &before.entries);
        got_.header = header;
        if (!bytes_.empty())
            got_.header.flags = static_cast<uint8_t>(got_.header.flags | flag_head);
        bytes_.append(message);
        got_.body = reinterpret_cast<const uint8_t *>(bytes_.data());
        got_.size = static_cast<uint32_t>(bytes_.size());
    }

    made_frame(const made_frame &) = delete;
    made_frame &operator=(const made_frame &) = delete;

    const frame &get() const noexcept
    {
        return got_;
    }

  private:
    std::string bytes_;
    frame got_;
};

// The body of an error frame that says WHY.
inline std::string error_words(const outcome &why)
{
    return error_body::encode(why, longest_text + longest_details + longest_text);
}

} // namespace ipc::rpc::amqp::detail::wire
#endif
