// Requests of asynchronous calls that could not be sent at once: the ring is full, or there is no connection. An
// asynchronous call never waits on its caller's thread; what it asks waits here, within a bound, in order.
#ifndef IPC_RPC_DETAIL_REQUEST_QUEUE_HPP
#define IPC_RPC_DETAIL_REQUEST_QUEUE_HPP

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "frame.hpp"
#include "payload.hpp"

namespace ipc::rpc::detail
{

// Guarded by the client's mutex.
class request_queue
{
  public:
    struct request {
        frame_header header;
        std::string body;
        uint64_t epoch; // the connection that it is for: this one, or the next
        deadline until;
    };
    using place = std::map<uint64_t, request>::iterator;

    explicit request_queue(uint64_t most_bytes) noexcept : most_bytes_(most_bytes)
    {
    }

    bool empty() const noexcept
    {
        return requests_.empty();
    }

    // Of the connection EPOCH, before the place NEXT.
    bool has(uint64_t epoch, uint64_t next = UINT64_MAX) const noexcept
    {
        return !requests_.empty() && requests_.begin()->second.epoch == epoch && requests_.begin()->first < next;
    }

    // The place that the next request gets.
    uint64_t next() const noexcept
    {
        return next_;
    }

    // Its place; 0 when there is no room.
    uint64_t add(const frame_header &header, const payload &body, uint64_t epoch, deadline until)
    {
        const uint64_t size = body.size() + frame_header_size;
        if (bytes_ + size > most_bytes_)
            return 0;
        std::string bytes(static_cast<size_t>(body.size()), '\0');
        body.write(reinterpret_cast<uint8_t *>(bytes.data()));
        requests_.emplace(next_, request{header, std::move(bytes), epoch, until});
        bytes_ += size;
        return next_++;
    }

    uint64_t most_bytes() const noexcept
    {
        return most_bytes_;
    }

    place first() noexcept
    {
        return requests_.begin();
    }

    place end() noexcept
    {
        return requests_.end();
    }

    place remove(place at) noexcept
    {
        return remove(at, at->second.body.size());
    }

    // The same of one whose body, of SIZE bytes, may have been taken.
    place remove(place at, uint64_t size) noexcept
    {
        bytes_ -= size + frame_header_size;
        return requests_.erase(at);
    }

    // Its place, of one that was sent before, and that nobody has handled. There is always room: its bytes are here
    // already, and where they lie does not matter. They count all the same, for those that are new.
    uint64_t add_again(const frame_header &header, std::string body, uint64_t epoch, deadline until)
    {
        bytes_ += body.size() + frame_header_size;
        requests_.emplace(next_, request{header, std::move(body), epoch, until});
        return next_++;
    }

    // False when it is not here: it has been sent.
    bool remove(uint64_t at) noexcept
    {
        const place found = requests_.find(at);
        if (found == requests_.end())
            return false;
        remove(found);
        return true;
    }

    // Those of the connections up to EPOCH are for the next one.
    void move_on(uint64_t epoch) noexcept
    {
        for (auto &each : requests_)
            each.second.epoch = std::max(each.second.epoch, epoch + 1);
    }

    // Those of the connections up to EPOCH.
    void drop(uint64_t epoch) noexcept
    {
        while (!requests_.empty() && requests_.begin()->second.epoch <= epoch)
            remove(requests_.begin());
    }

  private:
    const uint64_t most_bytes_;
    uint64_t bytes_ = 0;
    uint64_t next_ = 1;
    std::map<uint64_t, request> requests_;
};

} // namespace ipc::rpc::detail
#endif
