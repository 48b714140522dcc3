// Which requests of a server may start: server_options::max_concurrent_calls and ordered_calls.
//
// A request that may not start yet is accepted, taken out of its ring, and waits here in the order of arrival, so that
// what concerns running calls (items, credit, cancellations, answers to callbacks) still gets past it. A connection
// where many wait, or long ones, is not read until one of them has started, unless a running call of its has streams or
// waits for its client: its requests wait in their ring. Where it has to be read, further ones are refused.
//
// A handler that waits for an answer of its client does not count meanwhile: what the client calls to make that answer
// could otherwise never start.
#ifndef IPC_RPC_DETAIL_GATE_HPP
#define IPC_RPC_DETAIL_GATE_HPP

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "handler.hpp"
#include "session.hpp"

namespace ipc::rpc::detail
{

class gate
{
  public:
    enum class verdict {
        starts, // end() is due
        waits,
        waits_alone, // and its connection must not be read, until released() names it
        too_many,    // it may not wait: so many do
        too_long     // or so many bytes
    };

    struct waiting_call {
        std::shared_ptr<session> from;
        std::shared_ptr<job> call;
        bool streams;
        uint64_t bytes;
    };

    struct release {
        std::vector<waiting_call> start; // end() is due for each
        std::vector<std::shared_ptr<session>> read_on;
    };

    gate(unsigned most_running, bool ordered, unsigned most_waiting, uint64_t most_bytes)
        : most_running_(most_running), ordered_(ordered), most_waiting_(most_waiting), most_bytes_(most_bytes)
    {
    }

    // Nothing ever waits.
    bool is_open() const noexcept
    {
        return most_running_ == 0 && !ordered_;
    }

    // Nothing waits.
    bool is_empty()
    {
        const std::lock_guard held(mutex_);
        return waiting_.empty();
    }

    bool try_start(session &from, bool streams)
    {
        const std::lock_guard held(mutex_);
        place &here = places_[&from];
        if (here.waiting != 0 || !may_start(here))
            return false;
        begin(here, streams);
        return true;
    }

    // CALL, of a request of so many BYTES that could not start.
    verdict wait(const std::shared_ptr<session> &from, std::shared_ptr<job> call, bool streams, uint64_t bytes)
    {
        const std::lock_guard held(mutex_);
        place &here = places_[from.get()];
        if (here.waiting == 0 && may_start(here)) { // meanwhile
            begin(here, streams);
            return verdict::starts;
        }
        if (here.waiting >= most_waiting_ * 16)
            return verdict::too_many;
        if (here.bytes >= most_bytes_)
            return verdict::too_long;
        ++here.waiting;
        here.bytes += bytes;
        const bool many = here.waiting >= most_waiting_ || here.bytes >= most_bytes_;
        const bool alone = many && here.streaming == 0 && !from->awaits_answers();
        if (alone)
            here.unread = from;
        waiting_.push_back({from, std::move(call), streams, bytes});
        return alone ? verdict::waits_alone : verdict::waits;
    }

    // A call of FROM has ended. Returns what may go on.
    release end(session &from, bool streams)
    {
        const std::lock_guard held(mutex_);
        release found;
        stop(from, streams);
        next(found);
        return found;
    }

    // A call of FROM waits for its client, whose answer must be read.
    release rest(session &from, bool streams)
    {
        const std::lock_guard held(mutex_);
        release found;
        if (place &here = places_[&from]; here.unread != nullptr)
            found.read_on.push_back(std::move(here.unread));
        stop(from, streams);
        next(found);
        return found;
    }

    // Whether FROM is not read because many of its calls wait.
    bool leaves_unread(session &from)
    {
        const std::lock_guard held(mutex_);
        const auto found = places_.find(&from);
        return found != places_.end() && found->second.unread != nullptr;
    }

    // Somebody else waits for the client of FROM. Returns FROM if it was not read, and must be now.
    std::shared_ptr<session> read_anyway(session &from)
    {
        const std::lock_guard held(mutex_);
        const auto found = places_.find(&from);
        return found != places_.end() ? std::move(found->second.unread) : nullptr;
    }

    // It rests no more.
    void go_on(session &from, bool streams)
    {
        const std::lock_guard held(mutex_);
        begin(places_[&from], streams);
    }

    // FROM is gone. What waits of it will never start; destroyed by the caller.
    std::vector<waiting_call> forget(session &from)
    {
        std::vector<waiting_call> dropped;
        const std::lock_guard held(mutex_);
        const auto found = places_.find(&from);
        if (found == places_.end())
            return dropped;
        for (auto it = waiting_.begin(); it != waiting_.end();) {
            if (it->from.get() == &from) {
                dropped.push_back(std::move(*it));
                it = waiting_.erase(it);
            } else {
                ++it;
            }
        }
        found->second.waiting = 0;
        found->second.bytes = 0;
        found->second.unread = nullptr;
        forget_if_empty(found);
        return dropped;
    }

  private:
    struct place {
        unsigned running = 0;
        unsigned streaming = 0; // those of them that have streams
        unsigned waiting = 0;
        uint64_t bytes = 0;              // of what waits
        std::shared_ptr<session> unread; // its connection, when it is not read
    };

    bool may_start(const place &here) const noexcept
    {
        return (most_running_ == 0 || running_ < most_running_) && (!ordered_ || here.running == 0);
    }

    void begin(place &here, bool streams) noexcept
    {
        ++here.running;
        here.streaming += streams ? 1 : 0;
        ++running_;
    }

    void stop(session &from, bool streams)
    {
        const auto found = places_.find(&from);
        --found->second.running;
        found->second.streaming -= streams ? 1 : 0;
        --running_;
        forget_if_empty(found);
    }

    void next(release &found)
    {
        for (auto it = waiting_.begin(); it != waiting_.end();) {
            place &here = places_[it->from.get()];
            if (!may_start(here)) {
                if (!ordered_)
                    break;
                ++it;
                continue;
            }
            begin(here, it->streams);
            --here.waiting;
            here.bytes -= it->bytes;
            if (here.unread != nullptr && here.bytes < most_bytes_) {
                found.read_on.push_back(std::move(here.unread));
                here.unread = nullptr;
            }
            found.start.push_back(std::move(*it));
            it = waiting_.erase(it);
        }
    }

    using place_iterator = std::unordered_map<session *, place>::iterator;

    void forget_if_empty(place_iterator at)
    {
        if (at->second.running == 0 && at->second.waiting == 0)
            places_.erase(at);
    }

    const unsigned most_running_;
    const bool ordered_;
    const unsigned most_waiting_;
    const uint64_t most_bytes_;
    std::mutex mutex_;
    unsigned running_ = 0;
    std::unordered_map<session *, place> places_;
    std::deque<waiting_call> waiting_;
};

} // namespace ipc::rpc::detail
#endif
