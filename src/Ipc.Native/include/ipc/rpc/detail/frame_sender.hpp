// What a server sends to one client.
//
// A frame goes into the ring at once when it can. When the client does not read, it is queued, and so is every later
// one, until all have gone, in their order: the connection is congested. Nobody waits for room with the mutex: one
// thread at a time has the writer for the frame in front, while the others queue theirs.
//
// Who answers only waits for a moment, in which a client that reads makes room; then the courier sends the rest. A
// congested connection is not read (park()), so what is queued are the answers to what was read before: as many as may
// run and wait at once, and no more than `most_queued` bytes. Whoever may wait does, until its frame has gone.
#ifndef IPC_RPC_DETAIL_FRAME_SENDER_HPP
#define IPC_RPC_DETAIL_FRAME_SENDER_HPP

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <deque>
#include <mutex>
#include <string>
#include <utility>

#include "flow.hpp"
#include "frame.hpp"
#include "payload.hpp"
#include "wait.hpp"

namespace ipc::rpc::detail
{

class frame_sender
{
  public:
    enum class result {
        sent,    // or queued
        late,    // there was no room in time
        gone,    // nobody reads what is sent any more
        stuck,   // the client has not read for too long, or leaves too much unread: it is to be cut off
        corrupt, // what the client wrote is no ring, likewise
    };

    // OWNED: who closes it.
    frame_sender(connection &owned, std::chrono::nanoseconds longest, uint64_t most_queued)
        : connection_(owned), longest_(longest), most_queued_(most_queued)
    {
    }

    // Returns within a moment. What does not go now goes later.
    result post(const frame_header &header, const payload &body)
    {
        std::unique_lock held(mutex_);
        const result at_once = try_send(header, body);
        if (at_once != result::late)
            return at_once;
        const bool was_congested = !queue_.empty();
        if (was_congested && queued_ + body.size() > most_queued_)
            return result::stuck;
        const uint64_t mine = enqueue(header, body);
        if (!was_congested)
            deliver(held, mine, deadline(moment));
        return judge(mine) == result::late ? result::sent : judge(mine);
    }

    // Waits for room until UNTIL, having told BEFORE_WAITING (); what is late then is not sent any more.
    template <class Waits>
    result send(const frame_header &header, const payload &body, deadline until, Waits &&before_waiting)
    {
        std::unique_lock held(mutex_);
        const result at_once = try_send(header, body);
        if (at_once != result::late)
            return at_once;
        before_waiting();
        const uint64_t mine = enqueue(header, body);
        deliver(held, mine, until);
        const result got = judge(mine);
        return got == result::late && !withdraw(mine) ? result::sent : got;
    }

    // False: not now.
    bool try_now(const frame_header &header, const payload &body)
    {
        const std::unique_lock held(mutex_, std::try_to_lock);
        return held.owns_lock() && try_send(header, body) == result::sent;
    }

    // An item, which COUNT counts. Late: not now.
    result try_item(const frame_header &header, const payload &body, transit &count)
    {
        const std::lock_guard held(mutex_);
        return count.has_room() ? try_send(header, body, &count) : result::late;
    }

    void answer_ping(const frame &ping)
    {
        const std::unique_lock held(mutex_, std::try_to_lock);
        if (held.owns_lock() && queue_.empty() && !over_) // else there is something: the client sees that we live
            rpc::answer_ping(connection_.writer(), ping);
    }

    // Something is queued. Any thread.
    bool is_congested() const noexcept
    {
        return congested_.load(std::memory_order_relaxed);
    }

    // ---- for the thread that reads, and the courier
    // ---------------------------------------------------------------------------

    // True: it must not be read until the courier says so.
    bool park()
    {
        const std::lock_guard held(mutex_);
        parked_ = !queue_.empty();
        return parked_;
    }

    // Whether the courier is to be asked: something would stay behind without it. So would a connection that is not
    // read: who answers may have emptied the queue since park(), and does not have it read again.
    bool needs_courier()
    {
        const std::lock_guard held(mutex_);
        return (parked_ || !queue_.empty()) && !std::exchange(tracked_, true);
    }

    // Sends what is queued, waiting for room until UNTIL. Sent: nothing is left.
    result flush(deadline until)
    {
        std::unique_lock held(mutex_);
        if (!queue_.empty())
            deliver(held, queue_.back().number, until);
        return queue_.empty() ? result::sent : judge(queue_.back().number);
    }

    // The courier is done with it, unless there is something again. PARKED: it may be read now.
    bool leave(bool &parked)
    {
        const std::lock_guard held(mutex_);
        if (!queue_.empty())
            return false;
        tracked_ = false;
        parked = std::exchange(parked_, false);
        return true;
    }

    bool is_open()
    {
        const std::lock_guard held(mutex_);
        return connection_ && connection_.is_open();
    }

    // ---- the end
    // ---------------------------------------------------------------------------------------------------------------

    // With a code and a text for the client, if there is one, and where in its ring what was handled ends, if that is
    // known. Who waits returns. Repeating it is harmless.
    void stop(uint32_t code = 0, const char *text = nullptr, uint64_t handled = UINT64_MAX) noexcept
    {
        const std::lock_guard held(mutex_);
        if (connection_ && text != nullptr && handled != UINT64_MAX)
            connection_.shutdown(code, text, handled);
        else if (connection_ && text != nullptr)
            connection_.shutdown(code, text);
        if (connection_)
            connection_.writer().stop();
        drop();
    }

    // Nobody uses the writer any more.
    void close() noexcept
    {
        std::unique_lock held(mutex_);
        changed_.wait(held, [this] { return !draining_; });
        connection_.close();
    }

  private:
    static constexpr std::chrono::microseconds moment{100};

    struct queued {
        uint64_t number;
        std::string bytes; // header and body
    };

    // Now, and with nothing before it. Late: it cannot.
    result try_send(const frame_header &header, const payload &body, transit *items = nullptr)
    {
        if (over_)
            return result::gone;
        if (!queue_.empty())
            return result::late;
        const auto length = static_cast<uint32_t>(body.size()) + frame_header_size;
        uint8_t *place = nullptr;
        ipc::status code = connection_.writer().try_claim(length, place);
        if (code == IPC_OK) {
            put(place, length, header, body);
            if (items != nullptr)
                items->sending(body.size());
            code = connection_.writer().commit(length, frame_record_type);
        }
        return result_of(code);
    }

    uint64_t enqueue(const frame_header &header, const payload &body)
    {
        if (queue_.empty()) {
            stuck_at_ = deadline(longest_);
            congested_.store(true, std::memory_order_relaxed);
        }
        std::string bytes(body.size() + frame_header_size, '\0');
        encode(reinterpret_cast<uint8_t *>(bytes.data()), header, [&](uint8_t *at) { body.write(at); });
        queued_ += bytes.size();
        queue_.push_back({++last_, std::move(bytes)});
        return last_;
    }

    // Until number MINE has gone, or UNTIL.
    void deliver(std::unique_lock<std::mutex> &held, uint64_t mine, deadline until)
    {
        while (!over_ && gone_ < mine) {
            const deadline first(std::min(until.at(), stuck_at_.at()));
            if (draining_ ? !sleep_until(held, changed_, first) : !send_front(held, first))
                if (!draining_ || first.has_passed())
                    return;
        }
    }

    // False: there was no room.
    bool send_front(std::unique_lock<std::mutex> &held, deadline until)
    {
        const auto length = static_cast<uint32_t>(queue_.front().bytes.size());
        uint8_t *place = nullptr;
        draining_ = true;
        held.unlock();
        ipc::status code = connection_.writer().claim(length, place, until);
        held.lock();
        draining_ = false;
        changed_.notify_all();
        if (over_)
            return true;
        if (code == IPC_OK) {
            std::memcpy(place, queue_.front().bytes.data(), length);
            code = connection_.writer().commit(length, frame_record_type);
        }
        if (code == IPC_TIMEOUT)
            return false;
        if (result_of(code) == result::sent)
            pop();
        return true;
    }

    void pop()
    {
        gone_ = queue_.front().number;
        queued_ -= queue_.front().bytes.size();
        queue_.pop_front();
        stuck_at_ = deadline(longest_);
        congested_.store(!queue_.empty(), std::memory_order_relaxed);
    }

    // False: somebody is sending it.
    bool withdraw(uint64_t number)
    {
        const auto found =
            std::find_if(queue_.begin(), queue_.end(), [&](const queued &each) { return each.number == number; });
        if (draining_ && found == queue_.begin())
            return false;
        queued_ -= found->bytes.size();
        queue_.erase(found);
        congested_.store(!queue_.empty(), std::memory_order_relaxed);
        return true;
    }

    // Of number MINE, which may have been withdrawn.
    result judge(uint64_t mine) const
    {
        if (gone_ >= mine)
            return result::sent;
        if (over_)
            return corrupt_ ? result::corrupt : result::gone;
        return stuck_at_.has_passed() ? result::stuck : result::late;
    }

    // Whatever goes wrong is the end of sending.
    result result_of(ipc::status code)
    {
        if (code == IPC_OK)
            return result::sent;
        if (code == IPC_FULL)
            return result::late;
        corrupt_ = code == IPC_E_CORRUPT;
        drop();
        return corrupt_ ? result::corrupt : result::gone;
    }

    void drop() noexcept
    {
        over_ = true;
        queue_.clear();
        queued_ = 0;
        congested_.store(false, std::memory_order_relaxed);
        changed_.notify_all();
    }

    connection &connection_;
    const std::chrono::nanoseconds longest_;
    const uint64_t most_queued_;
    std::atomic<bool> congested_{false}; // [peek] the queue is not empty
    std::mutex mutex_;                   // guards what follows, and the writer unless somebody drains
    std::condition_variable changed_;
    std::deque<queued> queue_;
    uint64_t queued_ = 0; // bytes
    uint64_t last_ = 0;   // number of the frame that was queued last
    uint64_t gone_ = 0;   // of the one that was sent last
    deadline stuck_at_;   // the client must have read something by then
    bool draining_ = false; // a thread has the writer, for the frame in front
    bool parked_ = false;   // it is not read, because of what is queued
    bool tracked_ = false;  // the courier has it
    bool over_ = false;     // nothing is sent any more
    bool corrupt_ = false;
};

} // namespace ipc::rpc::detail
#endif
