// On which thread a handler runs.
#ifndef IPC_RPC_DISPATCH_HPP
#define IPC_RPC_DISPATCH_HPP

#include "../dialect.hpp"

namespace ipc::rpc
{

// How a unary or one-way method of a server runs.
enum class dispatch {
    handed_over, // on the reading thread; when it takes more than about a millisecond, another thread reads on
    in_place     // on the reading thread, which reads nothing else meanwhile: for handlers that never wait
};

} // namespace ipc::rpc
#endif
