// What is asked of the other side, before it is a call.
#ifndef IPC_RPC_DETAIL_ASKING_HPP
#define IPC_RPC_DETAIL_ASKING_HPP

#include <cstdint>
#include <memory>

#include "../metadata.hpp"
#include "../method.hpp"
#include "following.hpp"
#include "payload.hpp"
#include "pending.hpp"

namespace ipc::rpc::detail
{

// A request that is to be sent.
struct asking {
    const method_name *called = nullptr; // never null when it is asked
    uint8_t flags = 0;
    uint16_t window = 0; // the first credit, when the answer is a stream
    payload body;
    bool progress = false;
    metadata *answered = nullptr;     // where an answer's metadata goes
    std::shared_ptr<completion> done; // asynchronous calls
    uint64_t *announced = nullptr;    // where those find the call's id, before anything can come for it
    following *again = nullptr;       // calls that are made again if nobody has handled them
};

} // namespace ipc::rpc::detail
#endif
