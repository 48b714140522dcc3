// What stands around the calls that a side makes: an observer, and interceptors.
#ifndef IPC_RPC_DETAIL_SURROUNDINGS_HPP
#define IPC_RPC_DETAIL_SURROUNDINGS_HPP

#include <memory>
#include <utility>
#include <vector>

#include "../client_interceptor.hpp"
#include "../observer.hpp"

namespace ipc::rpc::detail
{

// Set before the first call, and not changed afterwards.
class surroundings
{
  public:
    using interceptor_list = std::vector<std::shared_ptr<client_interceptor>>;

    void observe_made(std::shared_ptr<observer> to) noexcept
    {
        observer_ = std::move(to);
    }

    // May be null.
    observer *watcher() const noexcept
    {
        return observer_.get();
    }

    // BY lives as long as this.
    void intercept_made(const interceptor_list &by) noexcept
    {
        interceptors_ = by.empty() ? nullptr : &by;
    }

    // Null when there are none: then a call costs a comparison.
    const interceptor_list *interceptors() const noexcept
    {
        return interceptors_;
    }

  protected:
    surroundings() = default;
    ~surroundings() = default;

  private:
    std::shared_ptr<observer> observer_;
    const interceptor_list *interceptors_ = nullptr;
};

} // namespace ipc::rpc::detail
#endif
