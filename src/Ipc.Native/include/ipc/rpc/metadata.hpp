// What travels beside a message: keys and values.
#ifndef IPC_RPC_METADATA_HPP
#define IPC_RPC_METADATA_HPP

#include "../dialect.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../basics.hpp"

namespace ipc::rpc
{

// Keys and values that travel beside a request or an answer. Keys are lower case ASCII and may repeat; values are any
// bytes.
class metadata
{
  public:
    using entry = std::pair<std::string, std::string>;

    static bool is_key(std::string_view key) noexcept
    {
        return !key.empty() && std::all_of(key.begin(), key.end(),
                                           [](char c) { return c > ' ' && c < 0x7F && !(c >= 'A' && c <= 'Z'); });
    }

    // False for a key that is not lower case ASCII.
    bool try_add(std::string key, std::string value)
    {
        const bool good = is_key(key);
        if (good)
            entries_.emplace_back(std::move(key), std::move(value));
        return good;
    }

#ifndef IPC_NO_EXCEPTIONS
    // Throws std::invalid_argument for such a key.
    void add(std::string key, std::string value)
    {
        if (!is_key(key))
            throw std::invalid_argument("a metadata key is lower case ASCII without spaces, not \"" + key + "\"");
        entries_.emplace_back(std::move(key), std::move(value));
    }
#endif

    // The first value of KEY, or null.
    const std::string *find(std::string_view key) const noexcept
    {
        for (const entry &each : entries_)
            if (each.first == key)
                return &each.second;
        return nullptr;
    }

    bool empty() const noexcept
    {
        return entries_.empty();
    }

    size_t size() const noexcept
    {
        return entries_.size();
    }

    void clear() noexcept
    {
        entries_.clear();
    }

    auto begin() const noexcept
    {
        return entries_.begin();
    }

    auto end() const noexcept
    {
        return entries_.end();
    }

  private:
    std::vector<entry> entries_;
};

} // namespace ipc::rpc
#endif
