// A message of the broker: what this library writes, and what it reads of those of others.
#ifndef IPC_RPC_AMQP_DETAIL_MESSAGE_HPP
#define IPC_RPC_AMQP_DETAIL_MESSAGE_HPP

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <amqp.h>
#include <amqp_framing.h>

namespace ipc::rpc::amqp::detail
{

inline amqp_bytes_t bytes_of(std::string_view text) noexcept
{
    return {text.size(), const_cast<char *>(text.data())};
}

inline std::string_view text_of(amqp_bytes_t bytes) noexcept
{
    return {static_cast<const char *>(bytes.bytes), bytes.bytes != nullptr ? bytes.len : 0};
}

// A header that is sent. Texts and bytes are the same.
struct header {
    std::string name;
    std::string text;
    int64_t number = 0;
    std::vector<std::string> list;
    enum class kind : uint8_t { text, number, list } is = kind::text;

    static header of(std::string_view name, std::string value)
    {
        header made;
        made.name = name;
        made.text = std::move(value);
        return made;
    }

    static header of(std::string_view name, int64_t value)
    {
        header made;
        made.name = name;
        made.number = value;
        made.is = kind::number;
        return made;
    }

    static header of(std::string_view name, std::vector<std::string> values)
    {
        header made;
        made.name = name;
        made.list = std::move(values);
        made.is = kind::list;
        return made;
    }
};

struct message {
    std::string type;
    std::string message_id;
    std::string correlation_id;
    std::string reply_to;
    std::string expiration; // milliseconds; empty for none
    bool persistent = false;
    std::vector<header> headers;
    std::string body;

    // About how many bytes its headers take, and not less.
    size_t size_of_headers() const noexcept
    {
        size_t size = 0;
        for (const header &each : headers) {
            size += each.name.size() + each.text.size() + 24;
            for (const std::string &one : each.list)
                size += one.size() + 8;
        }
        return size;
    }
};

// As the library of the broker's client wants it: refers to what it was made of.
class encoded
{
  public:
    encoded(const message &from, std::string_view content_type)
    {
        std::memset(&properties, 0, sizeof properties);
        set(AMQP_BASIC_TYPE_FLAG, properties.type, from.type);
        set(AMQP_BASIC_CONTENT_TYPE_FLAG, properties.content_type, content_type);
        set(AMQP_BASIC_MESSAGE_ID_FLAG, properties.message_id, from.message_id);
        set(AMQP_BASIC_CORRELATION_ID_FLAG, properties.correlation_id, from.correlation_id);
        set(AMQP_BASIC_REPLY_TO_FLAG, properties.reply_to, from.reply_to);
        set(AMQP_BASIC_EXPIRATION_FLAG, properties.expiration, from.expiration);
        properties._flags |= AMQP_BASIC_DELIVERY_MODE_FLAG;
        properties.delivery_mode = from.persistent ? 2 : 1;
        if (from.headers.empty())
            return;
        entries_.reserve(from.headers.size());
        lists_.resize(from.headers.size());
        for (size_t i = 0; i < from.headers.size(); ++i)
            entries_.push_back(entry_of(from.headers[i], lists_[i]));
        properties._flags |= AMQP_BASIC_HEADERS_FLAG;
        properties.headers = {static_cast<int>(entries_.size()), entries_.data()};
    }

    encoded(const encoded &) = delete;
    encoded &operator=(const encoded &) = delete;

    static amqp_table_entry_t entry_of(const header &from, std::vector<amqp_field_value_t> &list)
    {
        amqp_table_entry_t entry;
        std::memset(&entry, 0, sizeof entry);
        entry.key = bytes_of(from.name);
        if (from.is == header::kind::number) {
            entry.value.kind = AMQP_FIELD_KIND_I64;
            entry.value.value.i64 = from.number;
        } else if (from.is == header::kind::text) {
            entry.value = text_value(from.text);
        } else {
            for (const std::string &each : from.list)
                list.push_back(text_value(each));
            entry.value.kind = AMQP_FIELD_KIND_ARRAY;
            entry.value.value.array = {static_cast<int>(list.size()), list.data()};
        }
        return entry;
    }

    amqp_basic_properties_t properties;

  private:
    static amqp_field_value_t text_value(const std::string &text)
    {
        amqp_field_value_t value;
        std::memset(&value, 0, sizeof value);
        value.kind = AMQP_FIELD_KIND_UTF8;
        value.value.bytes = bytes_of(text);
        return value;
    }

    void set(amqp_flags_t flag, amqp_bytes_t &place, std::string_view text)
    {
        if (text.empty())
            return;
        properties._flags |= flag;
        place = bytes_of(text);
    }

    std::vector<amqp_table_entry_t> entries_;
    std::vector<std::vector<amqp_field_value_t>> lists_;
};

// A message that has come. It is of a peer: each field is looked at where it is used.
class delivery
{
  public:
    delivery() : content_(std::make_shared<content>())
    {
    }

    // The properties, as they travel. False when they are none.
    bool take_properties(amqp_bytes_t raw, uint64_t size)
    {
        constexpr uint64_t at_once = 1u << 20;
        content_->raw = text_of(raw);
        content_->left = size;
        content_->body.reserve(static_cast<size_t>(std::min(size, at_once)));
        void *decoded = nullptr;
        if (amqp_decode_properties(AMQP_BASIC_CLASS, &content_->pool, bytes_of(content_->raw), &decoded) !=
            AMQP_STATUS_OK)
            return false;
        content_->properties = *static_cast<amqp_basic_properties_t *>(decoded);
        return true;
    }

    // The next part of the body.
    void take_part(amqp_bytes_t part)
    {
        content_->body.append(text_of(part));
        content_->left -= std::min<uint64_t>(content_->left, part.len);
    }

    bool is_whole() const noexcept
    {
        return content_->left == 0;
    }

    uint64_t tag = 0;
    bool redelivered = false;
    std::string exchange, routing_key, consumer;

    // As long as this lives.
    std::string_view body() const noexcept
    {
        return content_->body;
    }

    const amqp_basic_properties_t &properties() const noexcept
    {
        return content_->properties;
    }

    std::string_view type() const noexcept
    {
        return property(AMQP_BASIC_TYPE_FLAG, properties().type);
    }

    std::string_view message_id() const noexcept
    {
        return property(AMQP_BASIC_MESSAGE_ID_FLAG, properties().message_id);
    }

    std::string_view correlation_id() const noexcept
    {
        return property(AMQP_BASIC_CORRELATION_ID_FLAG, properties().correlation_id);
    }

    std::string_view reply_to() const noexcept
    {
        return property(AMQP_BASIC_REPLY_TO_FLAG, properties().reply_to);
    }

    bool has_reply_to() const noexcept
    {
        return (properties()._flags & AMQP_BASIC_REPLY_TO_FLAG) != 0;
    }

    std::string_view expiration() const noexcept
    {
        return property(AMQP_BASIC_EXPIRATION_FLAG, properties().expiration);
    }

    amqp_table_t headers() const noexcept
    {
        return (properties()._flags & AMQP_BASIC_HEADERS_FLAG) != 0 ? properties().headers : amqp_table_t{0, nullptr};
    }

    const amqp_field_value_t *find(std::string_view name) const noexcept
    {
        const amqp_table_t table = headers();
        for (int i = 0; i < table.num_entries; ++i)
            if (text_of(table.entries[i].key) == name)
                return &table.entries[i].value;
        return nullptr;
    }

    bool has(std::string_view name) const noexcept
    {
        return find(name) != nullptr;
    }

    std::optional<int64_t> number(std::string_view name) const noexcept
    {
        const amqp_field_value_t *const value = find(name);
        if (value == nullptr)
            return std::nullopt;
        switch (value->kind) {
        case AMQP_FIELD_KIND_I8:
            return value->value.i8;
        case AMQP_FIELD_KIND_U8:
            return value->value.u8;
        case AMQP_FIELD_KIND_I16:
            return value->value.i16;
        case AMQP_FIELD_KIND_U16:
            return value->value.u16;
        case AMQP_FIELD_KIND_I32:
            return value->value.i32;
        case AMQP_FIELD_KIND_U32:
            return value->value.u32;
        case AMQP_FIELD_KIND_I64:
            return value->value.i64;
        default:
            return std::nullopt;
        }
    }

    std::string_view text(std::string_view name) const noexcept
    {
        const amqp_field_value_t *const value = find(name);
        return value != nullptr && is_text(*value) ? text_of(value->value.bytes) : std::string_view();
    }

    static bool is_text(const amqp_field_value_t &value) noexcept
    {
        return value.kind == AMQP_FIELD_KIND_UTF8 || value.kind == AMQP_FIELD_KIND_BYTES;
    }

  private:
    std::string_view property(amqp_flags_t flag, amqp_bytes_t bytes) const noexcept
    {
        return (properties()._flags & flag) != 0 ? text_of(bytes) : std::string_view();
    }

    // The library's own message is no good: it copies the properties, and cannot where a header's name is empty.
    struct content {
        content()
        {
            init_amqp_pool(&pool, 1024);
            std::memset(&properties, 0, sizeof properties);
        }

        content(const content &) = delete;
        content &operator=(const content &) = delete;

        ~content()
        {
            empty_amqp_pool(&pool);
        }

        std::string raw; // which the properties refer to
        amqp_pool_t pool;
        amqp_basic_properties_t properties;
        std::string body;
        uint64_t left = 0;
    };

    std::shared_ptr<content> content_;
};

} // namespace ipc::rpc::amqp::detail
#endif
