// rival.hpp - what a user would take instead of a queue, each one way, 8 B messages, one process to another.
#ifndef IPC_BENCH_RIVAL_HPP
#define IPC_BENCH_RIVAL_HPP

#include "harness.h"

#include <cstdint>
#include <string>

#include <sched.h>

namespace rival
{

// One way and one message back: the round is over when everything has been read.
class channel
{
  public:
    virtual ~channel() = default;
    virtual void send(std::uint64_t value) = 0;
    virtual std::uint64_t receive() = 0;
    virtual void send_back() = 0;
    virtual void receive_back() = 0;
};

// How an end waits for a message: the library lets it sleep, or it asks again and again.
enum class waiting { sleeps, polls };

// 0 measures and sends, 1 answers and receives.
channel *open_boost(const std::string &name, int side, waiting how);
channel *open_zeromq(const std::string &name, int side, waiting how);
channel *open_zeromq_topic(const std::string &name, int side, waiting how);
channel *open_nng(const std::string &name, int side, waiting how);

// Between two looks of an end that polls: the library's own threads, which may have no other core, come on.
inline void let_others_run()
{
    sched_yield();
}

[[noreturn]] inline void fail(const char *what, const std::string &why)
{
    bench_fail(what, why.c_str());
}

} // namespace rival

#endif
