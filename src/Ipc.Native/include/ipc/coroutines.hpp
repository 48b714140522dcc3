// coroutines.hpp - co_await for everything of ipc.hpp that waits. C++20; header only.
//
//     ipc::detached serve(ipc::queue &jobs)
//     {
//         for (;;) {
//             ipc::queue_message job;
//             if (co_await jobs.receive_async(job, 5s) != IPC_OK) // or: job = co_await jobs.receive_async(); which throws
//                 co_return;
//             handle(job);
//         }
//     }
//
// What there is is taken at once, on the caller's thread, without a system call. What is not is waited for without a
// thread: one of the library sleeps for all who wait (ready_handle.h). When there may be something it posts the wait to its
// executor: there the object is asked again, and there the coroutine goes on.
//
//   queue::receive_async      queue::send_async, claim_async            shared_mutex::acquire_async
//   reader_ref::read_async    writer_ref::write_async, claim_async      shared_semaphore::acquire_async
//   topic_reader::read_async  topic_writer::publish_async, claim_async  shared_event::wait_async
//   listener::next_async      connection::connect_async             (a _ref is also a ring's end, and a connection's)
//   named_listener::next_async
//
// Each is called with what its synchronous namesake takes, all of it optional but what is sent or what the result goes
// to, and with an executor last; the result is the same status. Without anything to put the result into, those that
// receive or read return it, and throw ipc::error (which the others never do: their status says what became of it). What
// is sent is read when there is room for it: it has to be there, and unchanged, until then.
//
// Executor. Where a coroutine goes on: a run_loop (the thread that is in its run()), one of yours (asio, Qt, a pool),
// or, by default, background_executor(): one thread of the process, on which nothing should block for long.
//
// Ends. A deadline, a cancel_source, stop() of the object: as in the synchronous calls. A coroutine may be destroyed
// while it waits: its wait is taken back, and nothing is lost; not while it is just being resumed on another thread. An
// object that is closed ends the waits at it with IPC_CLOSED, without being touched again; what was received from it
// must be released before.
//
// Threads. As in ipc.h: while a wait of a ring or a topic is pending, no other call of that end may be made. Those of
// queues and locks may be any number, of any threads.
//
// Cost. The library's thread, and the background executor's if it is used. A wait that has to wait takes two to four
// system calls and two changes of threads; waits are kept and used again, so that steady state allocates nothing.
//
// Files. executor.hpp: where a coroutine goes on. pending_wait.hpp, awaiter.hpp: how it waits. receiving.hpp, sending.hpp,
// connecting.hpp, locks.hpp: for what.
#ifndef IPC_COROUTINES_HPP
#define IPC_COROUTINES_HPP

#include "dialect.hpp"

#if IPC_CPLUSPLUS < 202002L && !defined(__cpp_impl_coroutine)
#error "ipc: ipc/coroutines.hpp needs C++20 or newer (-std=c++20, /std:c++20; gcc 10 also -fcoroutines)"
#include <ipc: C++20 needed> // as in dialect.hpp
#elif !defined(__cpp_impl_coroutine)
#error "ipc: ipc/coroutines.hpp needs a compiler that has coroutines (gcc 10: -fcoroutines)"
#include <ipc: coroutines needed>
#endif

#include "coroutines/awaiter.hpp"
#include "coroutines/connecting.hpp"
#include "coroutines/executor.hpp"
#include "coroutines/locks.hpp"
#include "coroutines/pending_wait.hpp"
#include "coroutines/receiving.hpp"
#include "coroutines/sending.hpp"

#endif
