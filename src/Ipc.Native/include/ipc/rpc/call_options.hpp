// What a caller may say about a call besides its request.
#ifndef IPC_RPC_CALL_OPTIONS_HPP
#define IPC_RPC_CALL_OPTIONS_HPP

#include "../dialect.hpp"

#include <string_view>

#include "../../ipc.hpp"
#include "canceller.hpp"
#include "metadata.hpp"

namespace ipc::rpc
{

// What is pointed to must live until the call has ended; the canceller need not.
struct call_options {
    deadline until;              // never, unless it is set
    canceller *cancel = nullptr; // ends the call from another thread
    const metadata *send = nullptr;
    metadata *received = nullptr; // the answer's
    std::string_view trace;       // W3C: 16 bytes trace id, 8 bytes parent span id, 1 byte flags
    std::string_view trace_state;
};

} // namespace ipc::rpc
#endif
