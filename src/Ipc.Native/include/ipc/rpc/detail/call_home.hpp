// Where a call that is served came in, as its context sees it.
#ifndef IPC_RPC_DETAIL_CALL_HOME_HPP
#define IPC_RPC_DETAIL_CALL_HOME_HPP

#include <cstdint>
#include <memory>
#include <string_view>

#include "../../../ipc.hpp"

namespace ipc::rpc
{
class call_context;
class canceller;
} // namespace ipc::rpc

namespace ipc::rpc::detail
{

class caller_core;

// Who is at the other end: the process as it says, the user as the kernel says. Also after the connection is closed.
struct peer_identity {
    int32_t pid = 0;
    uint32_t user = IPC_NO_USER;
};

inline peer_identity peer_of(const connection &of) noexcept
{
    return {of.peer_pid(), of.peer_user()};
}

class call_home
{
  public:
    virtual ~call_home() = default;

    virtual const peer_identity &who() const noexcept = 0;
    virtual std::string_view hello() const noexcept = 0;
    // The same connection, for calls in the other direction.
    virtual std::shared_ptr<caller_core> caller() = 0;
    // Sleeps. True when the call was cancelled first, or its deadline passed.
    virtual bool wait(call_context &context, deadline wake_up) = 0;
    // What ends the calls that the handler of CONTEXT's call makes.
    virtual std::shared_ptr<canceller> nested(call_context &context) = 0;
};

} // namespace ipc::rpc::detail
#endif
