// What stands around calls in docs/guide/calls.md.
#ifndef SNIPPETS_RETRIES_HPP
#define SNIPPETS_RETRIES_HPP

#include "ipc/rpc.hpp"

namespace snippets
{

// snippet: retries
// Asks once more when the server has just gone: only for methods that may be called twice.
class retries : public ipc::rpc::client_interceptor
{
  public:
    ipc::rpc::outcome call(ipc::rpc::outgoing_call &call) override
    {
        ipc::rpc::outcome result = call.next();
        if (result.code == ipc::rpc::status::unavailable && call.name() == "Get")
            result = call.next();
        return result;
    }
};
// end-snippet

} // namespace snippets
#endif
