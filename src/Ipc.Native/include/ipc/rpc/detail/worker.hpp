// One server thread as another one sees it: which handler it is in, and since when.
//
// The phase word is {sequence, what}. The leader sets it before each handler and after; the standby, which looks at it
// about once a millisecond, may change it to `taken` with one CAS, which succeeds only while that very handler is still
// running. So exactly one of the two goes on reading, and the leader's cost is two operations on a line of its own.
#ifndef IPC_RPC_DETAIL_WORKER_HPP
#define IPC_RPC_DETAIL_WORKER_HPP

#include <atomic>
#include <cstdint>
#include <memory>

namespace ipc::rpc
{
class call_context;
}

namespace ipc::rpc::detail
{

class session;

class worker
{
  public:
    enum what : uint64_t { idle = 0, handling = 1, sending = 2, taken = 3 };

    worker() noexcept
    {
        current() = this;
    }

    ~worker()
    {
        current() = nullptr;
    }

    worker(const worker &) = delete;
    worker &operator=(const worker &) = delete;

    // ---- the thread itself
    // --------------------------------------------------------------------------------------------------

    void begin(session &from, call_context &call) noexcept
    {
        reading = &from;
        running = &call;
        relieved_for = nullptr;
        sequence_ += 4;
        phase_.store(sequence_ | handling); // [rouse] with the crew's `attention_`: sequentially consistent, both
    }

    // True when this thread still reads and leads; false: ask the crew what it has lost.
    bool try_end() noexcept
    {
        uint64_t now = phase_.load(std::memory_order_relaxed); // [lead]
        return now != (sequence_ | taken) && phase_.compare_exchange_strong(now, sequence_ | idle);
    }

    // The current thread is about to wait because its client does not read. It keeps the connection then: reading on
    // would only fill more threads with responses that cannot be sent.
    static void current_blocks_sending() noexcept
    {
        if (worker *me = current()) {
            uint64_t running_now = me->sequence_ | handling;
            me->phase_.compare_exchange_strong(running_now, me->sequence_ | sending); // [lead]
        }
    }

    // It waits for something else now.
    void unblock_sending() noexcept
    {
        uint64_t sending_now = sequence_ | sending;
        phase_.compare_exchange_strong(sending_now, sequence_ | handling); // [lead]
    }

    // The current thread, if it is one of a server's.
    static worker *current_one() noexcept
    {
        return current();
    }

    // ---- the standby
    // ----------------------------------------------------------------------------------------------------------

    uint64_t phase() const noexcept
    {
        return phase_.load(); // [rouse] [lead]
    }

    static bool is_busy(uint64_t phase) noexcept
    {
        return (phase & 3) == handling || (phase & 3) == sending;
    }

    bool try_take(uint64_t seen) noexcept
    {
        return phase_.compare_exchange_strong(seen, seen | taken); // [lead]
    }

    const void *home = nullptr; // the crew that it belongs to
    session *reading = nullptr; // valid for the standby once it has taken over
    call_context *running = nullptr;
    const session *relieved_for = nullptr; // the handler waits for its client, and somebody else reads
    bool lost_lead = false;                // guarded by the crew's mutex, like the rest
    bool lost_session = false;
    bool parted = false;           // is in a handler, has lost the lead, and still owns its session
    bool aside = false;            // reads one connection and has no part in the lead
    uint64_t last_seen = 0;        // its phase at the standby's last look, while aside
    std::shared_ptr<session> held; // keeps a lost session alive until the handler is done with it

  private:
    static worker *&current() noexcept
    {
        static thread_local worker *mine = nullptr;
        return mine;
    }

    alignas(128) std::atomic<uint64_t> phase_{idle};
    uint64_t sequence_ = 0;
};

} // namespace ipc::rpc::detail
#endif
