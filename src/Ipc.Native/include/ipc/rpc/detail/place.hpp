// Where a call failed: what was called, and of whom.
#ifndef IPC_RPC_DETAIL_PLACE_HPP
#define IPC_RPC_DETAIL_PLACE_HPP

#include <memory>
#include <string>
#include <utility>

#include "../method.hpp"
#include "../status.hpp"
#include "caller_core.hpp"

namespace ipc::rpc::detail
{

// RESULT of a call to METHOD over CORE says so, if it failed and does not yet. Why a connection was lost says already
// whose it was, since there may be another one by now. A deadline that has passed and a cancellation get their words
// here, where the method is known. Without the lock.
inline void place(outcome &result, const method_name &method, caller_core &core)
{
    if (result || (result.at != nullptr && !result.at->method.empty()))
        return;
    std::string name = std::string(method.service) + "/" + std::string(method.name);
    if (result.text.empty() && result.code == status::deadline_exceeded)
        result.text = "The deadline of a call to " + name + " passed.";
    else if (result.text.empty() && result.code == status::cancelled)
        result.text = "A call to " + name + " was cancelled.";
    std::string peer = result.at != nullptr ? result.at->peer : core.peer();
    result.at = std::make_shared<const call_place>(call_place{std::move(name), std::move(peer)});
}

} // namespace ipc::rpc::detail
#endif
