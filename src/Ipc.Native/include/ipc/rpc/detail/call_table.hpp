// A caller's pending calls, and what a received frame does to them. Guarded by the caller's mutex.
#ifndef IPC_RPC_DETAIL_CALL_TABLE_HPP
#define IPC_RPC_DETAIL_CALL_TABLE_HPP

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "../status.hpp"
#include "error_body.hpp"
#include "frame.hpp"
#include "pending.hpp"

namespace ipc::rpc::detail
{

class call_table
{
  public:
    explicit call_table(uint32_t most) : most_(most)
    {
    }

    uint32_t most() const noexcept
    {
        return most_;
    }

    // Any thread, without the mutex.
    bool empty() const noexcept
    {
        return live_.load(std::memory_order_relaxed) == 0;
    }

    // Null when all entries are taken. WINDOW: the first credit of a stream, else 0.
    pending *allocate(uint64_t epoch, uint32_t window, bool input)
    {
        uint32_t index = static_cast<uint32_t>(entries_.size());
        if (!free_.empty()) {
            index = free_.back();
            free_.pop_back();
        } else if (index < most_) {
            free_.reserve(index + 1);
            waiting_.reserve(index + 1);
            owed_cancels.reserve(index + 1);
            owed_credits.reserve(index + 1);
            entries_.emplace_back(index);
        } else {
            return nullptr;
        }
        pending &entry = entries_[index];
        ++entry.uses;
        entry.live = true;
        entry.stream = window != 0;
        entry.input = input;
        entry.input_ended = !input;
        entry.progress = false;
        entry.ended = false;
        entry.hungry = false;
        entry.window.begin(window, window);
        entry.owed_credit = {};
        entry.credit = {};
        entry.credit.items = input ? first_input_credit : 0;
        entry.epoch = epoch;
        entry.queued = 0;
        entry.stays = false;
        entry.times = 0;
        entry.kept = false;
        entry.answered = nullptr;
        entry.late = {};
        live_.store(live_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
        return &entry;
    }

    void free(pending &entry) noexcept
    {
        if (entry.owed_credit.method != 0)
            owed_credits.erase(std::remove(owed_credits.begin(), owed_credits.end(), entry.id()), owed_credits.end());
        entry.live = false;
        if (!entry.end || entry.end.has_words())
            entry.end = {};
        if (!entry.arrived.empty())
            entry.arrived.clear();
        if (std::exchange(entry.kept, false))
            std::string().swap(entry.body); // entries stay, and each would keep the longest that it ever had
        entry.done = nullptr;
        free_.push_back(entry.index); // reserved
        live_.store(live_.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
    }

    // Puts a frame where its call will find it, and wakes that call. Returns what is wrong with the frame, or null.
    const char *dispatch(const frame &got)
    {
        pending *entry = find(got.header.call);
        if (entry == nullptr || entry->ended || entry->queued != 0)
            return nullptr; // a late reply; or one to a request that is still to be sent
        switch (got.kind()) {
        case frame_kind::response:
            if (entry->stream)
                return "a response to a call that is answered by a stream";
            entry->arrived.emplace_back().copy(got);
            entry->ended = true;
            break;
        case frame_kind::item:
            if (!entry->stream)
                return "an item to a call that is not answered by a stream";
            if (!entry->window.receive(got, entry->hungry && entry->arrived.empty())) {
                overflow(*entry);
                break;
            }
            entry->arrived.emplace_back().copy(got);
            break;
        case frame_kind::progress:
            if (!entry->progress)
                return nullptr; // nobody asked
            // Nobody has taken the one before: the newest is what counts.
            if (entry->arrived.empty())
                entry->arrived.emplace_back();
            entry->arrived.back().copy(got);
            break;
        case frame_kind::credit:
            if (!entry->input)
                return nullptr; // there is nothing that it could be for
            entry->credited.notify_all();
            return entry->credit.give(got.header) ? nullptr : "more credit than 2^31 items or bytes";
        case frame_kind::end:
            if (!entry->stream)
                return "the end of a call that is not answered by a stream";
            read_answer_head(*entry, got);
            entry->ended = true;
            break;
        default: {
            frame words = got;
            if (!read_answer_head(*entry, words)) {
                entry->ended = true;
                break;
            }
            entry->ended = true;
            entry->end.code = status_of(got.header.code);
            entry->end.unsent = got.says_unhandled();
            error_body::decode(words.body, words.size, entry->end);
            if (entry->end.text.empty())
                entry->end.text = "the peer gave no reason";
            break;
        }
        }
        wake(*entry);
        return nullptr;
    }

    // Those of the connections up to EPOCH.
    void end_all(const outcome &why, uint64_t epoch = UINT64_MAX)
    {
        end_each(epoch, [&why](const pending &) { return &why; });
    }

    // WHY(entry) says what each ends with; null: it goes on, on another connection.
    template <class Why> void end_each(uint64_t epoch, Why &&why)
    {
        owed_cancels.clear();
        owed_credits.clear();
        for (pending &entry : entries_)
            if (entry.live && !entry.ended && entry.epoch <= epoch)
                if (const outcome *const its = why(entry); its != nullptr)
                    end(entry, *its);
    }

    // DONE is told when ENTRY ends, at once if it has.
    void attach(pending &entry, std::shared_ptr<completion> done)
    {
        entry.done = std::move(done);
        if (entry.ended)
            wake(entry);
    }

    // Ends a call from this side.
    void abort(pending &entry, const outcome &why)
    {
        owed_cancels.push_back(entry.id());
        end(entry, why);
    }

    // The same for a call of which the other side has not heard.
    void end(pending &entry, const outcome &why)
    {
        entry.ended = true;
        entry.end = why;
        wake(entry);
    }

    // Null when that call has ended.
    pending *find(uint64_t call) noexcept
    {
        const uint32_t index = static_cast<uint32_t>(call) - 1;
        if (index >= entries_.size() || !entries_[index].live || entries_[index].id() != call)
            return nullptr;
        return &entries_[index];
    }

    // ---- threads that wait for another thread to read
    // -----------------------------------------------------------------------------

    void begin_waiting(std::condition_variable &on)
    {
        waiting_.push_back(&on);
    }

    void end_waiting(std::condition_variable &on) noexcept
    {
        const auto found = std::find(waiting_.begin(), waiting_.end(), &on);
        if (found != waiting_.end())
            waiting_.erase(found);
    }

    // ---- threads that wait for room for an item
    // ---------------------------------------------------------------------------------------------------

    void begin_wanting(std::condition_variable &on)
    {
        wanting_.push_back(&on);
    }

    void end_wanting(std::condition_variable &on) noexcept
    {
        wanting_.erase(std::find(wanting_.begin(), wanting_.end(), &on));
    }

    void room_came() noexcept
    {
        for (std::condition_variable *on : wanting_)
            on->notify_all();
    }

    void wake_one() noexcept
    {
        if (!waiting_.empty())
            waiting_.front()->notify_one();
    }

    std::vector<uint64_t> owed_cancels; // to be sent when there is room
    std::vector<uint64_t> owed_credits; // the same, of those that have an owed_credit

  private:
    void overflow(pending &entry)
    {
        owed_cancels.push_back(entry.id());
        entry.ended = true;
        entry.end = {status::resource_exhausted, "more items came than there was credit for"};
    }

    // False when there is a head, and damaged: the call's end says so.
    static bool read_answer_head(pending &entry, const frame &got)
    {
        frame rest = got;
        return read_answer_head(entry, rest);
    }

    static bool read_answer_head(pending &entry, frame &got)
    {
        if (!got.has(flag_head))
            return true;
        head before;
        if (!decode_head(got.body, got.size, before)) {
            entry.end = {status::internal, "the head of the answer is damaged"};
            return false;
        }
        if (entry.answered != nullptr)
            *entry.answered = std::move(before.entries);
        return true;
    }

    void wake(pending &entry) noexcept
    {
        if (entry.ended && entry.done != nullptr) {
            const std::shared_ptr<completion> done = std::move(entry.done);
            done->complete(entry);
            free(entry);
            return;
        }
        entry.wake.notify_all();
        entry.credited.notify_all();
    }

    const uint32_t most_;
    std::atomic<uint32_t> live_{0}; // [peek]
    std::deque<pending> entries_;
    std::vector<uint32_t> free_;
    std::vector<std::condition_variable *> waiting_;
    std::vector<std::condition_variable *> wanting_;
};

} // namespace ipc::rpc::detail
#endif
