// Ends calls from another thread.
//
// A call waits in one of two places: in the ring, when its thread is the one that reads, or on a condition variable,
// when another thread reads for it. A canceller reaches both through what is registered with it.
//
// What a canceller and its calls share is an object of its own, so either may go first: a completion that owns the
// canceller of its call destroys it while the call is still registered, and while another thread is triggering it.
#ifndef IPC_RPC_CANCELLER_HPP
#define IPC_RPC_CANCELLER_HPP

#include "../dialect.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "../../ipc.hpp"

namespace ipc::rpc
{

namespace detail
{

// What a canceller wakes. wake() must not call the canceller.
class cancellable
{
  public:
    virtual void wake() noexcept = 0;

  protected:
    ~cancellable() = default;
};

// A canceller, without its owner.
class cancel_state
{
  public:
    void trigger() noexcept
    {
        const std::lock_guard lock(mutex_);
        triggered_.store(true, std::memory_order_release); // [cancelled]
        source_.trigger();
        for (cancellable *waiting : waiting_)
            waiting->wake();
    }

    bool triggered() const noexcept
    {
        return triggered_.load(std::memory_order_acquire); // [cancelled]
    }

    ipc_cancel *get() const noexcept
    {
        return source_.get();
    }

    void add(cancellable *waiting)
    {
        const std::lock_guard lock(mutex_);
        waiting_.push_back(waiting);
    }

    void remove(cancellable *waiting) noexcept
    {
        const std::lock_guard lock(mutex_);
        waiting_.erase(std::remove(waiting_.begin(), waiting_.end(), waiting), waiting_.end());
    }

  private:
    std::mutex mutex_;
    std::atomic<bool> triggered_{false};
    ipc::cancel_source source_;
    std::vector<cancellable *> waiting_;
};

} // namespace detail

// Once triggered it stays so; calls that have it end with status::cancelled, those that begin later too. It may be
// destroyed at any time, also by the completion of a call that has it: such a call just cannot be cancelled any more.
class canceller
{
  public:
    canceller() : state_(std::make_shared<detail::cancel_state>())
    {
    }

    // The same switch under another name. Made by the library.
    explicit canceller(std::shared_ptr<detail::cancel_state> state) noexcept : state_(std::move(state))
    {
    }

    canceller(const canceller &) = delete;
    canceller &operator=(const canceller &) = delete;

    // Any thread. Completions do not run in here.
    void trigger() noexcept
    {
        const std::shared_ptr<detail::cancel_state> kept = state_; // what it ends may destroy this
        kept->trigger();
    }

    bool triggered() const noexcept
    {
        return state_->triggered();
    }

    ipc_cancel *get() const noexcept
    {
        return state_->get();
    }

    const std::shared_ptr<detail::cancel_state> &state() const noexcept
    {
        return state_;
    }

  private:
    const std::shared_ptr<detail::cancel_state> state_;
};

namespace detail
{

// From here to the end of the scope a cancellable is registered. To be made and destroyed without any lock: a
// canceller's comes before the others.
class registered final
{
  public:
    // FROM may be null.
    registered(const canceller *from, cancellable &waiting) : waiting_(waiting)
    {
        if (from == nullptr)
            return;
        from_ = from->state();
        from_->add(&waiting_);
    }

    registered(const registered &) = delete;
    registered &operator=(const registered &) = delete;

    ~registered()
    {
        if (from_ != nullptr)
            from_->remove(&waiting_);
    }

  private:
    std::shared_ptr<cancel_state> from_;
    cancellable &waiting_;
};

// Whoever triggers FROM triggers TO.
class relay final : private cancellable
{
  public:
    relay(const canceller &from, const canceller &to) : to_(to.state()), entry_(&from, *this)
    {
        if (from.triggered())
            to_->trigger();
    }

    relay(const relay &) = delete;
    relay &operator=(const relay &) = delete;

  private:
    void wake() noexcept override
    {
        to_->trigger();
    }

    const std::shared_ptr<cancel_state> to_;
    const registered entry_;
};

} // namespace detail
} // namespace ipc::rpc
#endif
