// The reading side of a server stream.
#ifndef IPC_RPC_STREAM_READER_HPP
#define IPC_RPC_STREAM_READER_HPP

#include <algorithm>
#include <memory>
#include <utility>

#include "call_scope.hpp"
#include "client_core.hpp"
#include "codec.hpp"

namespace ipc::rpc
{

// A stream of items, asked for with client::stream(). One thread at a time. Destroying it before its end cancels it.
// The server is at most client_options::stream_window items ahead.
template <class Item> class stream_reader
{
  public:
    // Made by client::stream().
    stream_reader(std::shared_ptr<detail::client_core> core, detail::pending &entry, deadline until, canceller *cancel)
        : core_(std::move(core)), entry_(&entry), until_(until), cancel_(cancel)
    {
    }

    stream_reader(stream_reader &&other) noexcept
        : core_(std::move(other.core_)), entry_(std::exchange(other.entry_, nullptr)), until_(other.until_),
          cancel_(other.cancel_)
    {
    }

    stream_reader &operator=(stream_reader &&) = delete;

    ~stream_reader()
    {
        cancel();
    }

    // Waits for the next item. False: the stream has ended well. Throws rpc::error when it ended otherwise, or when
    // WAIT has passed: status::deadline_exceeded, and the stream goes on if its own deadline has not.
    bool next(Item &item, deadline wait = deadline::never())
    {
        bool got = false;
        const outcome result = try_next(item, got, wait);
        if (!result)
            throw error(result);
        return got;
    }

    // The same without exceptions for what happens to streams. GOT: whether there is an item.
    outcome try_next(Item &item, bool &got, deadline wait = deadline::never())
    {
        got = false;
        if (entry_ == nullptr)
            return over_;
        const detail::registration registered(cancel_, *core_, entry_);
        auto held = core_->lock();
        const detail::presence inside(*core_, held);
        detail::arrival body;
        const deadline until(std::min(wait.at(), until_.at()));
        outcome result = core_->receive(held, *entry_, until, cancel_, body);
        if (body) {
            got = parse(item, body.data(), body.size());
            if (!got)
                result = {status::internal, not_a(item, "item", body.size())};
            core_->settle(held, *entry_, body);
            core_->consumed(held, *entry_);
            if (got)
                return {};
        }
        const bool goes_on = result.code == status::deadline_exceeded && !entry_->ended && !until_.has_passed();
        if (!goes_on) {
            over_ = result;
            core_->end(*std::exchange(entry_, nullptr));
        }
        return result;
    }

    // No more items, please. What the server has sent already is dropped.
    void cancel() noexcept
    {
        if (entry_ == nullptr)
            return;
        const auto held = core_->lock();
        core_->end(*std::exchange(entry_, nullptr));
        over_ = {status::cancelled, "the stream was cancelled by its reader"};
    }

  private:
    std::shared_ptr<detail::client_core> core_;
    detail::pending *entry_;
    deadline until_;
    canceller *cancel_;
    outcome over_;
};

} // namespace ipc::rpc
#endif
