// How far a stream may be ahead of its consumer, and how much of the rings all streams together may take up.
//
// Credit is given in items and in bytes; the last item that credit in bytes allows may exceed it, so items of any size
// get through. Who consumes gives more when half of either has been consumed. The window in bytes grows by itself: an
// item says when its sender had to wait for credit, and when its consumer was waiting for it, too, then neither of them
// is what the stream waits for, but the window.
//
// A ring is shared by all calls of a connection, and nobody has to read it while a consumer does something else. So
// items may take up a part of it only: who sends counts what it has sent, and who reads says how much it has read.
#ifndef IPC_RPC_DETAIL_FLOW_HPP
#define IPC_RPC_DETAIL_FLOW_HPP

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <utility>

#include "frame.hpp"

namespace ipc::rpc::detail
{

constexpr int64_t first_bytes = 64 << 10;         // of a stream, that may be sent without having been given credit
constexpr int64_t largest_window = 4 << 20;       // to which a window grows
constexpr int64_t max_credit = 1ll << 31;         // more is not credit
constexpr uint16_t code_waited = 1;               // of an item whose sender had to wait for credit
constexpr auto shortest_pause = 1'000'000ull;     // ns between two looks at a ring that is full of other things,
constexpr auto longest_pause = 16 * 1'000'000ull; // and at most

// The pause after this one. The first is none: the report of room may have come since the item was refused, and then
// nobody tells of it again.
constexpr uint64_t longer_than(uint64_t pause) noexcept
{
    return pause == 0 ? shortest_pause : std::min<uint64_t>(pause * 2, longest_pause);
}

// What an item with SIZE bytes of body counts for: its record's place in a ring, whether it travels there or not.
constexpr int64_t cost_of(uint64_t size) noexcept
{
    return static_cast<int64_t>((size + frame_header_size + 8 + 63) & ~63ull);
}

// How items are counted: as records of a ring, or as messages, which a broker and both ends have 64 bytes more to do with.
enum class measure : uint8_t { records, messages };

constexpr int64_t cost_of(uint64_t size, measure by) noexcept
{
    return by == measure::records ? cost_of(size) : static_cast<int64_t>(size) + 64;
}

// What may still be sent of one stream.
struct item_credit {
    int64_t items = 0;
    int64_t bytes = first_bytes;
    bool waited = false; // for credit, since the last item
    measure by = measure::records;

    bool any() const noexcept
    {
        return items > 0 && bytes > 0;
    }

    // False when nobody could ever use that much: the peer does not count.
    bool give(const frame_header &credit) noexcept
    {
        if (credit.method > max_credit - items ||
            credit.deadline > static_cast<uint64_t>(max_credit - std::max<int64_t>(0, bytes)))
            return false;
        items += credit.method;
        bytes += static_cast<int64_t>(credit.deadline);
        return true;
    }

    // An item is about to be sent: the code of its frame.
    uint16_t take(uint64_t size) noexcept
    {
        --items;
        bytes -= cost_of(size, by);
        return waited ? code_waited : 0;
    }

    // It was not.
    void give_back(uint64_t size) noexcept
    {
        ++items;
        bytes += cost_of(size, by);
    }
};

// What the receiver of one stream lets the sender be ahead.
class item_window
{
  public:
    void begin(uint32_t most, uint32_t first, int64_t bytes = first_bytes, measure by = measure::records) noexcept
    {
        by_ = by;
        most_ = most;
        items_ = first;
        most_bytes_ = bytes_ = bytes;
        consumed_ = consumed_bytes_ = 0;
    }

    // Its consumer begins: so many items more than the first.
    void widen(uint32_t most) noexcept
    {
        consumed_ += most - most_;
        most_ = most;
    }

    bool admits() const noexcept
    {
        return items_ > 0 && bytes_ > 0;
    }

    // An item has come. STARVED: its consumer was waiting for it. False when there was no credit for it.
    bool receive(const frame &item, bool starved) noexcept
    {
        if (!admits())
            return false;
        --items_;
        bytes_ -= cost_of(item.size, by_);
        if (starved && item.header.code == code_waited && most_bytes_ < largest_window) {
            consumed_bytes_ += most_bytes_; // as if: so the difference is given with the next credit
            most_bytes_ *= 2;
        }
        return true;
    }

    // An item has been consumed.
    void consume_item(uint64_t size) noexcept
    {
        consume(1, cost_of(size, by_));
    }

    // Has been consumed, or is allowed for another reason.
    void consume(int64_t items, int64_t bytes) noexcept
    {
        consumed_ += items;
        consumed_bytes_ += bytes;
    }

    bool is_due() const noexcept
    {
        return consumed_ * 2 >= most_ || consumed_bytes_ * 2 >= most_bytes_;
    }

    // Fills in what is to be given. Before it is sent: the items may come at once.
    void take_due(frame_header &credit) noexcept
    {
        credit.method = static_cast<uint32_t>(consumed_);
        credit.deadline = static_cast<uint64_t>(consumed_bytes_);
        items_ += std::exchange(consumed_, 0);
        bytes_ += std::exchange(consumed_bytes_, 0);
    }

  private:
    measure by_ = measure::records;
    int64_t most_ = 0;
    int64_t most_bytes_ = first_bytes;
    int64_t items_ = 0; // what may still come
    int64_t bytes_ = first_bytes;
    int64_t consumed_ = 0; // since credit was last given
    int64_t consumed_bytes_ = 0;
};

// The items that are under way on one connection, in both directions. Two counters that only grow: `sent` belongs to
// who may write, `read` to who reads the connection.
class transit
{
  public:
    void begin(writer_ref writer, reader_ref reader) noexcept
    {
        capacity_ = writer.capacity();
        incoming_capacity_ = reader.capacity();
        most_ = capacity_ / 8 * 3;
        most_loans_ = writer.max_payload() / 2;
        for (std::atomic<uint64_t> *each : {&sent_, &sent_loans_, &read_, &read_loans_})
            each->store(0, std::memory_order_relaxed); // [count]
        unsaid_ = unsaid_loans_ = 0;
    }

    // Whether an item may be sent. Any thread.
    bool has_room() const noexcept
    {
        return sent_.load(std::memory_order_relaxed) - read_.load(std::memory_order_relaxed) < most_ &&
               sent_loans_.load(std::memory_order_relaxed) - read_loans_.load(std::memory_order_relaxed) < most_loans_;
    }

    // An item with SIZE bytes of body is about to be published.
    void sending(uint64_t size) noexcept
    {
        const uint64_t lines = lines_of(size, capacity_);
        sent_.store(sent_.load(std::memory_order_relaxed) + lines, std::memory_order_relaxed);
        if (is_loan(size, capacity_))
            sent_loans_.store(sent_loans_.load(std::memory_order_relaxed) + frame_header_size + size,
                              std::memory_order_relaxed);
    }

    // The other side has read items. What is wrong with that, or null.
    const char *confirm(const frame_header &read) noexcept
    {
        const uint64_t before = read_.load(std::memory_order_relaxed);
        const uint64_t loans = read_loans_.load(std::memory_order_relaxed);
        if (read.method > sent_.load(std::memory_order_relaxed) - before ||
            read.deadline > sent_loans_.load(std::memory_order_relaxed) - loans)
            return "a frame that says that more was read than had been sent";
        read_.store(before + read.method, std::memory_order_relaxed);
        read_loans_.store(loans + read.deadline, std::memory_order_relaxed);
        return nullptr;
    }

    // An item has been read.
    void came(uint64_t size) noexcept
    {
        unsaid_ += lines_of(size, incoming_capacity_);
        if (is_loan(size, incoming_capacity_))
            unsaid_loans_ += frame_header_size + size;
    }

    // Whether it is time to tell the other side: each time wakes who reads there.
    bool is_due() const noexcept
    {
        return unsaid_ >= incoming_capacity_ / 16 * 3 || unsaid_loans_ != 0;
    }

    // Adds to REPORT what has not been said.
    void take_due(frame_header &report) noexcept
    {
        report.kind = static_cast<uint8_t>(frame_kind::read);
        report.method += static_cast<uint32_t>(std::exchange(unsaid_, 0));
        report.deadline += std::exchange(unsaid_loans_, 0);
    }

  private:
    static bool is_loan(uint64_t size, uint64_t capacity) noexcept
    {
        return size + frame_header_size > capacity / 2 - 8;
    }

    static uint64_t lines_of(uint64_t size, uint64_t capacity) noexcept
    {
        return is_loan(size, capacity) ? 64 : static_cast<uint64_t>(cost_of(size));
    }

    uint64_t capacity_ = 0;
    uint64_t incoming_capacity_ = 0;
    uint64_t most_ = 0;
    uint64_t most_loans_ = 0;
    std::atomic<uint64_t> sent_{0};       // [count]
    std::atomic<uint64_t> sent_loans_{0}; // [count]
    std::atomic<uint64_t> read_{0};       // [count]
    std::atomic<uint64_t> read_loans_{0}; // [count]
    uint64_t unsaid_ = 0; // of who reads
    uint64_t unsaid_loans_ = 0;
};

} // namespace ipc::rpc::detail
#endif
