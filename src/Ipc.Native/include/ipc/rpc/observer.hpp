// A seam for telemetry: whoever wants to trace or count calls is told when one begins and ends.
//
// The library makes no spans and no metrics itself in C++. An observer can: it sees each call's name, outcome and
// duration, and the trace context that travels in its head, which it may replace by that of its own span.
#ifndef IPC_RPC_OBSERVER_HPP
#define IPC_RPC_OBSERVER_HPP

#include "../dialect.hpp"

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "detail/head.hpp"
#include "method.hpp"
#include "status.hpp"

namespace ipc::rpc
{

struct call_info {
    std::string_view service; // as all that is here: only as long as the observer is being told
    std::string_view name;
    bool served = false; // a handler of this process runs; else this process calls
};

// Set in client_options and server_options; they share it if it is the same. Told on the thread that begins and the one
// that ends the call, also by several at once: be quick, and do not call over the same client. No lock is held.
//
// A call of this process begins before its request is sent, and ends when its outcome is known: when try_call or
// try_notify returns, when the response of an asynchronous one has come (on the client's thread), when the reader of a
// stream is done with it (destroyed). A served one is what its handler runs for: from the handler's start to its
// return; requests that no handler gets to see are not told.
class observer
{
  public:
    virtual ~observer() = default;

    // TRACE: the context that travels with the call, 25 bytes as in call_options::trace, or empty. What is put there
    // goes out in the request's head, or is what the handler, and the calls that it makes, find in its context;
    // anything but 25 bytes is as if nothing was changed. Returns what ended() is to get.
    virtual uint64_t started(const call_info &call, std::string &trace) noexcept = 0;

    virtual void ended(const call_info &call, uint64_t mark, const outcome &result,
                       std::chrono::nanoseconds took) noexcept = 0;

    // Code of the user's that has no caller threw THROWN: the completion of an asynchronous CALL, or on_connection
    // (which has no service). The call has ended all the same, and the thread goes on. By default, and where there is
    // no observer, standard error gets a line: what nobody hears of is lost.
    virtual void threw(const call_info &call, const outcome &thrown) noexcept
    {
        report_thrown(call, thrown);
    }

    static void report_thrown(const call_info &call, const outcome &thrown) noexcept
    {
        std::string line = "ipc: the completion of ";
        line.append(call.service).append(call.service.empty() ? "" : "/").append(call.name).append(" threw ");
        line.append(thrown.type.empty() ? "an exception" : thrown.type).append(": ").append(thrown.text).append("\n");
        std::fputs(line.c_str(), stderr);
    }
};

namespace detail
{

// Tells TO, or standard error where there is no observer.
inline void report_thrown(observer *to, const call_info &call, const outcome &thrown) noexcept
{
    if (to != nullptr)
        to->threw(call, thrown);
    else
        observer::report_thrown(call, thrown);
}

// One call, as its observer sees it. Without one it costs a comparison.
class observation
{
  public:
    observation() = default;

    // TRACE: what would travel.
    observation(observer *to, std::string_view service, std::string_view name, bool served, std::string_view trace)
        : to_(to)
    {
        if (to_ == nullptr)
            return;
        service_ = service;
        name_ = name;
        served_ = served;
        trace_ = trace;
        mark_ = to_->started(info(), trace_);
        if (trace_.size() != trace_size)
            trace_ = trace;
        began_ = std::chrono::steady_clock::now();
    }

    observation(observation &&other) noexcept
        : to_(std::exchange(other.to_, nullptr)), service_(std::move(other.service_)), name_(std::move(other.name_)),
          served_(other.served_), trace_(std::move(other.trace_)), mark_(other.mark_), began_(other.began_)
    {
    }

    observation &operator=(observation &&) = delete;

    // Left by an exception (a report of progress threw, the client is closed), or the client closed before it was told.
    ~observation()
    {
        if (to_ != nullptr)
            end({status::cancelled, "the call was given up"});
    }

    explicit operator bool() const noexcept
    {
        return to_ != nullptr;
    }

    // What travels; as long as this lives.
    std::string_view trace() const noexcept
    {
        return trace_;
    }

    // Once; returns RESULT.
    outcome end(outcome result) noexcept
    {
        if (observer *const to = std::exchange(to_, nullptr))
            to->ended(info(), mark_, result, std::chrono::steady_clock::now() - began_);
        return result;
    }

  private:
    call_info info() const noexcept
    {
        return {service_, name_, served_};
    }

    observer *to_ = nullptr;
    std::string service_;
    std::string name_;
    bool served_ = false;
    std::string trace_;
    uint64_t mark_ = 0;
    std::chrono::steady_clock::time_point began_;
};

} // namespace detail
} // namespace ipc::rpc
#endif
