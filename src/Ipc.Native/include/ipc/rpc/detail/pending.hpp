// A call or stream between its request and its end, as its caller sees it.
#ifndef IPC_RPC_DETAIL_PENDING_HPP
#define IPC_RPC_DETAIL_PENDING_HPP

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <utility>

#include "../status.hpp"
#include "flow.hpp"
#include "frame.hpp"
#include "head.hpp"
#include "lateness.hpp"
#include "wait.hpp"

namespace ipc::rpc::detail
{

// One body: in the ring, or taken over from the thread that read it.
class arrival
{
  public:
    bool in_place = false;

    explicit operator bool() const noexcept
    {
        return data_ != nullptr;
    }

    frame_kind kind() const noexcept
    {
        return kind_;
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
        kind_ = got.kind();
        flags_ = got.header.flags;
        data_ = got.body;
        size_ = got.size;
    }

    void copy(const frame &got)
    {
        kind_ = got.kind();
        flags_ = got.header.flags;
        copy_.assign(reinterpret_cast<const char *>(got.body), got.size);
        point_to_copy();
    }

    void take(arrival &&other) noexcept
    {
        kind_ = other.kind_;
        flags_ = other.flags_;
        copy_ = std::move(other.copy_);
        point_to_copy();
    }

    // Takes the head off, if there is one. False when it is damaged.
    bool open(metadata *entries)
    {
        if ((flags_ & flag_head) == 0)
            return true;
        flags_ = 0;
        head got;
        if (!decode_head(data_, size_, got))
            return false;
        if (entries != nullptr)
            *entries = std::move(got.entries);
        return true;
    }

  private:
    void point_to_copy() noexcept
    {
        data_ = reinterpret_cast<const uint8_t *>(copy_.data());
        size_ = static_cast<uint32_t>(copy_.size());
    }

    frame_kind kind_ = frame_kind::response;
    uint8_t flags_ = 0;
    const uint8_t *data_ = nullptr;
    uint32_t size_ = 0;
    std::string copy_;
};

struct pending;

// What wants to know when a call ends, instead of waiting for it. Called with the caller's lock held, on the thread
// that reads: it takes what is in ENDED, whose entry is free afterwards.
class completion
{
  public:
    virtual void complete(pending &ended) noexcept = 0;

  protected:
    ~completion() = default;
};

// Entries are reused; `uses` keeps their ids apart. Guarded by the mutex of their caller.
struct pending {
    explicit pending(uint32_t place) : index(place)
    {
    }

    const uint32_t index;
    uint32_t uses = 0;
    bool live = false;
    bool stream = false;      // the answer is a stream
    bool input = false;       // the caller streams
    bool input_ended = false; // the caller's stream has ended
    bool progress = false;    // messages may come before the response
    bool ended = false;       // nothing more comes; what has arrived can still be taken
    bool hungry = false;      // its consumer waits
    item_window window;       // of the answer's stream
    frame_header owed_credit; // for the other side to send more; none when it has no items
    item_credit credit;       // of the caller's stream
    uint64_t epoch = 0;       // the connection it went out on, or will
    uint64_t queued = 0;      // its request's place in the queue; 0 when it has none
    uint64_t sent_at = 0;     // else where in the ring its request was put
    bool stays = false;       // it is of no other server's business
    unsigned times = 0;       // it was sent again so often
    bool kept = false;        // its request was kept, to be sent again if nobody handles it:
    frame_header request;
    std::string body;
    deadline until;
    outcome end;
    metadata *answered = nullptr; // where the metadata of an answer without a body goes
    std::deque<arrival> arrived;  // bodies that another thread has read
    std::condition_variable wake;
    std::condition_variable credited; // for the thread that sends items
    std::shared_ptr<completion> done; // asynchronous calls
    lateness late;

    uint64_t id() const noexcept
    {
        return static_cast<uint64_t>(uses) << 32 | (index + 1u);
    }

    // Whether NEXT carries a body that this call waits for. Asked without the mutex, by the call's own thread.
    bool takes(const frame &next) const noexcept
    {
        if (next.header.call != id())
            return false;
        switch (next.kind()) {
        case frame_kind::item:
            return stream && window.admits();
        case frame_kind::response:
            return !stream;
        case frame_kind::progress:
            return progress;
        default:
            return false;
        }
    }
};

} // namespace ipc::rpc::detail
#endif
