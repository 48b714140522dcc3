// A message that came from the work queue. Anybody may have put it there: each field is checked.
#ifndef IPC_RPC_AMQP_DETAIL_REQUEST_HPP
#define IPC_RPC_AMQP_DETAIL_REQUEST_HPP

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "message.hpp"
#include "wire.hpp"

namespace ipc::rpc::amqp::detail
{

// In which directions a call has a stream, and how it is wanted.
struct stream_terms {
    int64_t items = 0; // that may be sent before more credit comes; 0: it is answered by no stream
    int64_t bytes = wire::window_bytes;
    std::chrono::milliseconds lease{15'000};
    bool sends = false;
    std::string wrong; // why there can be none like that
};

class request
{
  public:
    explicit request(delivery &&got) : what(std::move(got))
    {
        const auto cut = [](std::string_view text) { return std::string(text.substr(0, 100)); };
        deliveries = 1 + std::clamp<int64_t>(what.number("x-delivery-count").value_or(0), 0, INT32_MAX);
        is_repeated = what.redelivered || deliveries > 1 || what.number(wire::attempt).value_or(1) > 1;
        message_id = what.message_id();
        correlation_id = what.correlation_id();
        reply_to = what.reply_to();
        is_one_way = !what.has_reply_to();
        method = what.text(wire::method);
        const size_t slash = method.rfind('/');
        take_terms();
        if (what.type() != wire::type)
            foreign = "its type is \"" + cut(what.type()) + "\", not \"" + std::string(wire::type) + "\"";
        else if (slash == std::string::npos || slash == 0 || slash == method.size() - 1)
            foreign = "its header " + std::string(wire::method) + " is \"" + cut(method) + "\", not SERVICE/METHOD";
        else if (message_id.empty() || wire::characters(message_id) > wire::longest_id)
            foreign =
                "its message-id has " + std::to_string(wire::characters(message_id)) + " characters; 1 to 64 are right";
        else if (!is_one_way && (correlation_id.empty() || reply_to.empty()))
            foreign = "it has a reply-to and no correlation-id, or an empty one";
        else if (is_one_way && terms)
            foreign = "it asks for a stream, or announces one, and has no reply-to";
        else {
            service = method.substr(0, slash);
            name = method.substr(slash + 1);
        }
    }

    delivery what;
    int64_t deliveries = 1;   // this time included, as far as the queue counts that
    bool is_repeated = false; // it may have been handled before
    bool is_one_way = false;
    std::string message_id, correlation_id, reply_to, method, service, name;
    std::optional<stream_terms> terms;
    std::string foreign; // why it is no request; empty if it is one

    // Never if it has none, or none that is a number.
    deadline until() const
    {
        uint32_t milliseconds = 0;
        return wire::to_number(what.expiration(), milliseconds)
                   ? deadline(ipc_deadline_after(uint64_t{milliseconds} * 1'000'000))
                   : deadline::never();
    }

    head head_of() const
    {
        head made;
        made.entries = wire::metadata_of(what);
        made.entries.try_add(std::string(wire::message_id_mark), message_id);
        if (is_repeated)
            made.entries.try_add(std::string(wire::redelivered_mark), "1");
        made.trace = wire::trace_from(what.text(wire::trace_parent));
        if (!made.trace.empty())
            made.trace_state = text::utf8(std::string(what.text(wire::trace_state)));
        return made;
    }

    // About how many bytes a value takes, or all of a table; not less than it does.
    static size_t size_of(const amqp_field_value_t &value, int depth = 0)
    {
        constexpr size_t other = 24, far_too_much = 1u << 30;
        constexpr int deepest = 32; // a stranger's tables within tables
        if (depth > deepest)
            return far_too_much;
        size_t size = other;
        if (value.kind == AMQP_FIELD_KIND_UTF8 || value.kind == AMQP_FIELD_KIND_BYTES)
            size += value.value.bytes.len;
        else if (value.kind == AMQP_FIELD_KIND_TABLE)
            size += size_of(value.value.table, depth + 1);
        else if (value.kind == AMQP_FIELD_KIND_ARRAY)
            for (int i = 0; i < value.value.array.num_entries; ++i)
                size += size_of(value.value.array.entries[i], depth + 1);
        return std::min(size, far_too_much);
    }

    static size_t size_of(const amqp_table_t &table, int depth = 0)
    {
        size_t size = 0;
        for (int i = 0; i < table.num_entries; ++i)
            size += table.entries[i].key.len + size_of(table.entries[i].value, depth);
        return size;
    }

  private:
    void take_terms()
    {
        const bool answered = what.has(wire::credit), sends = what.has(wire::sends);
        if (!answered && !sends)
            return;
        stream_terms made;
        made.sends = sends;
        const int64_t lease = what.has(wire::lease) ? what.number(wire::lease).value_or(0) : made.lease.count();
        if (answered)
            made.items = what.number(wire::credit).value_or(0);
        if (what.has(wire::credit_bytes))
            made.bytes = what.number(wire::credit_bytes).value_or(0);
        if (sends && what.number(wire::sends) != 1)
            made.wrong = "its header " + std::string(wire::sends) + " is not 1";
        else if (answered && (made.items < 1 || made.items > UINT16_MAX))
            made.wrong = "its header " + std::string(wire::credit) + " is not 1 to 65535";
        else if (made.bytes < 1 || made.bytes > wire::max_credit)
            made.wrong = "its header " + std::string(wire::credit_bytes) + " is not 1 to 2147483648";
        else if (lease < 1000 || lease > 3'600'000)
            made.wrong = "its header " + std::string(wire::lease) + " is not 1000 to 3600000 milliseconds";
        else
            made.lease = std::chrono::milliseconds(lease);
        terms = std::move(made);
    }
};

} // namespace ipc::rpc::amqp::detail
#endif
