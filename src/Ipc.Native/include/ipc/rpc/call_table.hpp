// The client's pending calls: an entry per call, and what a received frame does to it. Guarded by the client's mutex.
#ifndef IPC_RPC_CALL_TABLE_HPP
#define IPC_RPC_CALL_TABLE_HPP

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "codec.hpp"
#include "frame.hpp"
#include "status.hpp"

namespace ipc::rpc::detail
{

// A call or stream between its request and its end. Entries are reused; `uses` keeps their ids apart.
struct pending {
    explicit pending(uint32_t place) : index(place)
    {
    }

    const uint32_t index;
    uint32_t uses = 0;
    bool live = false;
    bool stream = false;
    bool ended = false;    // nothing more comes; what has arrived can still be taken
    uint32_t window = 0;   // items that may still come
    uint32_t consumed = 0; // items taken since the last credit
    uint64_t epoch = 0;    // the connection it went out on
    outcome end;
    std::deque<std::string> arrived; // bodies that another thread has read
    std::condition_variable wake;

    uint64_t id() const noexcept
    {
        return static_cast<uint64_t>(uses) << 32 | (index + 1u);
    }

    // Whether NEXT carries a body that this call waits for.
    bool takes(const frame &next) const noexcept
    {
        if (next.header.call != id())
            return false;
        return stream ? next.kind() == frame_kind::item && window > 0 : next.kind() == frame_kind::response;
    }
};

// One body: in the ring, or taken over from the thread that read it.
class arrival
{
  public:
    bool in_place = false;

    explicit operator bool() const noexcept
    {
        return data_ != nullptr;
    }

    const uint8_t *data() const noexcept
    {
        return data_;
    }

    uint32_t size() const noexcept
    {
        return size_;
    }

    void point_to(const frame &got) noexcept
    {
        in_place = true;
        data_ = got.body;
        size_ = got.size;
    }

    void own(std::string &&body) noexcept
    {
        copy_ = std::move(body);
        data_ = reinterpret_cast<const uint8_t *>(copy_.data());
        size_ = static_cast<uint32_t>(copy_.size());
    }

  private:
    const uint8_t *data_ = nullptr;
    uint32_t size_ = 0;
    std::string copy_;
};

class call_table
{
  public:
    explicit call_table(uint32_t most) : most_(most)
    {
    }

    // Null when all entries are taken.
    pending *allocate(uint64_t epoch, uint32_t window)
    {
        uint32_t index = static_cast<uint32_t>(entries_.size());
        if (!free_.empty()) {
            index = free_.back();
            free_.pop_back();
        } else if (index < most_) {
            free_.reserve(index + 1);
            waiting_.reserve(index + 1);
            entries_.emplace_back(index);
        } else {
            return nullptr;
        }
        pending &entry = entries_[index];
        ++entry.uses;
        entry.live = true;
        entry.stream = window != 0;
        entry.ended = false;
        entry.window = window;
        entry.consumed = 0;
        entry.epoch = epoch;
        return &entry;
    }

    void free(pending &entry) noexcept
    {
        entry.live = false;
        entry.end = {};
        entry.arrived.clear();
        free_.push_back(entry.index); // reserved
    }

    // Puts a frame where its call will find it, and wakes that call. Returns what is wrong with the frame, or null.
    const char *dispatch(const frame &got)
    {
        pending *entry = find(got.header.call);
        if (entry == nullptr || entry->ended)
            return nullptr; // a late reply
        switch (got.kind()) {
        case frame_kind::response:
            if (entry->stream)
                return "a response to a stream";
            entry->arrived.emplace_back(reinterpret_cast<const char *>(got.body), got.size);
            entry->ended = true;
            break;
        case frame_kind::item:
            if (!entry->stream)
                return "an item to a call that is not a stream";
            if (entry->window == 0)
                return "more items than it had credit for";
            --entry->window;
            entry->arrived.emplace_back(reinterpret_cast<const char *>(got.body), got.size);
            break;
        case frame_kind::end:
            if (!entry->stream)
                return "the end of a call that is not a stream";
            entry->ended = true;
            break;
        default:
            entry->ended = true;
            entry->end.code = got.header.code == 0 ? status::unknown : static_cast<status>(got.header.code);
            error_body::decode(got.body, got.size, entry->end);
            break;
        }
        entry->wake.notify_all();
        return nullptr;
    }

    void end_all(const outcome &why)
    {
        for (pending &entry : entries_) {
            if (!entry.live || entry.ended)
                continue;
            entry.ended = true;
            entry.end = why;
            entry.wake.notify_all();
        }
    }

    // ---- calls whose threads wait for another thread to read
    // --------------------------------------------------------------

    void begin_waiting(pending &entry)
    {
        waiting_.push_back(&entry);
    }

    void end_waiting(pending &entry) noexcept
    {
        waiting_.erase(std::remove(waiting_.begin(), waiting_.end(), &entry), waiting_.end());
    }

    void wake_one() noexcept
    {
        if (!waiting_.empty())
            waiting_.front()->wake.notify_one();
    }

  private:
    pending *find(uint64_t call) noexcept
    {
        const uint32_t index = static_cast<uint32_t>(call) - 1;
        if (index >= entries_.size() || !entries_[index].live || entries_[index].id() != call)
            return nullptr;
        return &entries_[index];
    }

    const uint32_t most_;
    std::deque<pending> entries_;
    std::vector<uint32_t> free_;
    std::vector<pending *> waiting_;
};

} // namespace ipc::rpc::detail
#endif
