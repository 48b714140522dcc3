// Calls that do not wait for their response: somebody asks for it later.
#ifndef IPC_RPC_PENDING_CALL_HPP
#define IPC_RPC_PENDING_CALL_HPP

#include "../dialect.hpp"

#include <memory>
#include <thread>
#include <utility>

#include "detail/async_call.hpp"
#include "detail/client_core.hpp"
#include "status.hpp"

namespace ipc::rpc
{

// A response that is still to come; from client::call_async(). One thread at a time. Destroying it before the response
// is there cancels the call.
template <class Response> class pending_call
{
  public:
    // Made by the library.
    explicit pending_call(std::unique_ptr<detail::async_link> link) : link_(std::move(link))
    {
    }

    pending_call(pending_call &&) noexcept = default;
    pending_call &operator=(pending_call &&) = delete;

    ~pending_call()
    {
        cancel();
    }

    // Never waits.
    bool ready() const
    {
        return link_->call->is_done();
    }

    // False when UNTIL has passed first: the call goes on.
    bool wait(deadline until = deadline::never())
    {
        return link_->call->wait(until);
    }

#ifndef IPC_NO_EXCEPTIONS
    // Waits for the response. Throws rpc::error as caller::call. Once.
    Response get()
    {
        Response response;
        if (const outcome result = try_get(response); !result)
            throw error(result);
        return response;
    }
#endif

    // The same without exceptions for what happens to calls.
    outcome try_get(Response &response)
    {
        wait();
        return link_->call->take(response);
    }

    // It ends with status::cancelled, unless it has ended.
    void cancel()
    {
        if (link_ != nullptr)
            link_->call->cancel({status::cancelled});
    }

  private:
    std::unique_ptr<detail::async_link> link_;
};

// While it lives, what the thread that made it sends over the client is collected; then it is published with one store
// and one wake. Waiting for an answer, or asking whether it is there, publishes too, and so does a full ring. Batches end
// in any order.
class batch
{
  public:
    // Made by client::batch().
    explicit batch(std::shared_ptr<detail::client_core> core) : core_(std::move(core))
    {
        core_->begin_batch(who_);
    }

    batch(const batch &) = delete;
    batch &operator=(const batch &) = delete;

    ~batch()
    {
        core_->end_batch(who_);
    }

  private:
    const std::shared_ptr<detail::client_core> core_;
    const std::thread::id who_ = std::this_thread::get_id();
};

} // namespace ipc::rpc
#endif
