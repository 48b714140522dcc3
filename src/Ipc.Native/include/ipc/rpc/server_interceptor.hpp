// Looks at every call that a server handles: for access checks, logs, counters, the translation of failures.
#ifndef IPC_RPC_SERVER_INTERCEPTOR_HPP
#define IPC_RPC_SERVER_INTERCEPTOR_HPP

#include "../dialect.hpp"

#include <optional>

#include "call_context.hpp"
#include "observer.hpp"
#include "status.hpp"

namespace ipc::rpc
{

// Set in server_options::interceptors, the first one outermost. Its methods run on the thread that begins or ends the
// call, any number at once, without a lock, and should be quick. Requests that no handler gets to see are not told.
class server_interceptor
{
  public:
    virtual ~server_interceptor() = default;

    // A handler is about to run. Anything but Ok, or what this throws, is its outcome: it does not run then, and those
    // behind this one are not asked.
    virtual outcome starting(call_context &, const call_info &)
    {
        return {};
    }

    // Chooses what a caller is told when its handler failed with FAILED, or starting() of an interceptor did. Nothing:
    // no opinion; then the next one is asked, and at last FAILED itself is told. What this throws is told instead.
    virtual std::optional<outcome> map(call_context &, const call_info &, const outcome &)
    {
        return std::nullopt;
    }

    // A call that was started has ended with RESULT: what its caller was told, or would have been if it were not
    // one-way. The last one is told first; also when starting(), of this or another one, refused it. What this throws
    // the observer is told (observer::threw), and it goes no further.
    virtual void completed(call_context &, const call_info &, const outcome &)
    {
    }
};

} // namespace ipc::rpc
#endif
