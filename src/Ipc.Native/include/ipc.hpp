// ipc.hpp - the C++17 face of ipc.h: owners that close what they hold, and errors as exceptions. Header only.
//
// Each operation that waits or may be refused exists twice:
//   - try_... and forms that take a deadline return an ipc::status and never throw; for loops where full, empty, timed out
//     and peer gone are ordinary outcomes, and for programs without exceptions;
//   - constructors, connect, and what is named without try_ throw ipc::error, which carries the status and the library's
//     words.
//
//     ipc::ring_writer writer("prices");                                   // or, without exceptions:
//     if (ipc::ring_writer::try_open("prices", {}, writer) != IPC_OK) ...  // into an empty one
//
// Compiled with -fno-exceptions (or with IPC_NO_EXCEPTIONS defined) only the first kind is declared. Opening checks that the
// library has the version of these headers. Owners are movable, not copyable. The thread rules are those of ipc.h.
//
// With C++20, "ipc/coroutines.hpp" lets coroutines await what is waited for here; it is not included by this header.
#ifndef IPC_HPP
#define IPC_HPP

#include "ipc/dialect.hpp"

#include "ipc/basics.hpp"
#include "ipc/connection.hpp"
#include "ipc/named.hpp"
#include "ipc/named_listener.hpp"
#include "ipc/queue.hpp"
#include "ipc/ready_handle.hpp"
#include "ipc/ring.hpp"
#include "ipc/sync.hpp"
#include "ipc/topic.hpp"

#endif
