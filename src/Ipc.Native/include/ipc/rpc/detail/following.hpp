// Calls that no server has handled: whether they are made again, of the next one.
#ifndef IPC_RPC_DETAIL_FOLLOWING_HPP
#define IPC_RPC_DETAIL_FOLLOWING_HPP

#include <mutex>
#include <string>
#include <utility>

#include "../../../ipc.hpp"
#include "../canceller.hpp"
#include "../status.hpp"

namespace ipc::rpc::detail
{

// What is known of such a call, from one time that it is made to the next.
struct following {
    unsigned times = 0;       // it was made so often before, of servers that have ended: it waits for the next one
    deadline until;           // so long, all these times together
    bool reached = false;     // there was a connection, unless that ended before the request was sent
    bool called_back = false; // and it was the one of the callback whose handler makes the call
};

// What WHY, for which a connection ended, means for a call that nobody has handled.
inline outcome of_unsent(outcome why)
{
    why.unsent = why.has_words();
    return why;
}

// Of a call whose deadline has passed before it was sent: REASON, if one is known why it was not.
inline outcome too_late(const std::string &reason = {})
{
    return of_unsent({status::deadline_exceeded,
                      "The deadline passed before the call was sent" + (reason.empty() ? "." : ": " + reason)});
}

// A caller as one that may have another server to turn to. Under its lock.
class follower
{
  public:
    // Whether the calling thread is in the handler of a callback that came over the connection. Who makes the callback
    // may be a handler for which the server waits before it ends: what is called meanwhile does not wait for its end.
    // To be asked before the thread leaves the connection.
    virtual bool is_called_back() const noexcept
    {
        return false;
    }

    // Whether a call that ended with RESULT, and that nobody has handled, is made again. RESULT may become another one.
    // It waits before every time but the first: a server may refuse whatever it is asked.
    virtual bool follow(std::unique_lock<std::mutex> &, following &, deadline, canceller *, outcome &)
    {
        return false;
    }

  protected:
    ~follower() = default;

    // The connection has ended before a request went out: whether its call, which has until then, goes to the next one.
    virtual bool is_for_another(deadline) const noexcept
    {
        return false;
    }
};

} // namespace ipc::rpc::detail
#endif
