// Any bytes as messages, heads and error bodies. What can be read is written again, and reads as the same.
#include <cstdio>
#include <cstdlib>

#include <unistd.h>

#include "../rpc/rpc_contract.hpp"
#include "script.hpp"

namespace fuzz_codec
{

namespace
{

template <class Message> void message(const uint8_t *data, uint32_t size)
{
    Message read, again;
    if (!ipc::rpc::parse(read, data, size))
        return;
    const std::string bytes = read.SerializeAsString();
    fuzz::require(
        ipc::rpc::parse(again, reinterpret_cast<const uint8_t *>(bytes.data()), static_cast<uint32_t>(bytes.size())),
        "what was written can be read");
    fuzz::require(again.SerializeAsString() == bytes, "it is the same");
}

void read_head(const uint8_t *data, uint32_t size)
{
    using namespace ipc::rpc::detail;
    ipc::rpc::head read, again;
    const uint8_t *body = data;
    uint32_t left = size;
    if (!decode_head(body, left, read))
        return fuzz::require(body == data && left == size, "a head that is none takes nothing");
    fuzz::require(body + left == data + size, "a head takes its own bytes");
    const std::string bytes = encode_head(read.trace, read.trace_state, &read.entries);
    if (bytes.empty() || bytes.size() > max_head + 4) // unknown fields are left out, defaults are written
        return;
    body = reinterpret_cast<const uint8_t *>(bytes.data());
    left = static_cast<uint32_t>(bytes.size());
    fuzz::require(decode_head(body, left, again) && left == 0, "what was written can be read");
    fuzz::require(again.trace == read.trace && again.trace_state == read.trace_state, "the trace is the same");
    fuzz::require(again.entries.size() == read.entries.size(), "the metadata is the same");
}

void read_error(const uint8_t *data, uint32_t size)
{
    using namespace ipc::rpc;
    constexpr size_t limit = 1000;
    outcome read(status::aborted, ""), again(status::aborted, "");
    error_body::decode(data, size, read);
    const std::string bytes = error_body::encode(read, limit);
    fuzz::require(bytes.size() <= limit, "an error body keeps to its limit");
    error_body::decode(reinterpret_cast<const uint8_t *>(bytes.data()), static_cast<uint32_t>(bytes.size()), again);
    fuzz::require(text::is_utf8(again.text), "text is UTF-8");
}

void read_frame(const uint8_t *data, uint32_t size)
{
    ipc::record raw{};
    raw.type = 1;
    raw.data = data;
    raw.size = size;
    for (const ipc::rpc::side from : {ipc::rpc::side::client, ipc::rpc::side::server}) {
        ipc::rpc::frame got;
        if (ipc::rpc::decode(raw, from, got) == nullptr)
            fuzz::require(got.size == size - 24 && got.header.kind >= 1 && got.header.kind <= 11, "a frame is one");
    }
}

} // namespace

int run(const uint8_t *data, size_t size)
{
    [[maybe_unused]] static const bool ready = fuzz::prepare();
    if (size == 0)
        return 0;
    // A copy of just this size: reading beyond its end is seen.
    const std::string bytes(reinterpret_cast<const char *>(data) + 1, size - 1);
    const auto *at = reinterpret_cast<const uint8_t *>(bytes.data());
    const auto length = static_cast<uint32_t>(bytes.size());
    switch (data[0] % 6) {
    case 0:
        message<contract::Blob>(at, length);
        break;
    case 1:
        message<contract::FailRequest>(at, length);
        break;
    case 2:
        message<contract::CountRequest>(at, length);
        break;
    case 3:
        read_head(at, length);
        break;
    case 4:
        read_error(at, length);
        break;
    default:
        read_frame(at, length);
        break;
    }
    return 0;
}

} // namespace fuzz_codec
