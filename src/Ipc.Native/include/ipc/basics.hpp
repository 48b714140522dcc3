// What all of ipc.hpp stands on: statuses and errors, deadlines, cancellation.
#ifndef IPC_BASICS_HPP
#define IPC_BASICS_HPP

#include "dialect.hpp"

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <string>

#include "../ipc.h"

// Compiled without exceptions, what would throw is not declared: each has a try_ form that returns what became of it.
// May also be defined by hand. All of a program is compiled one way.
#if !defined(__cpp_exceptions) && !defined(IPC_NO_EXCEPTIONS)
#define IPC_NO_EXCEPTIONS
#endif

namespace ipc
{

using status = ipc_status;
using wait_mode = ipc_wait_mode;
using open_mode = ipc_open_mode;

// With whom something of the machine is shared (a name `machine/NAME`): the options' `access`.
struct access : ipc_access {
    access() noexcept : ipc_access{IPC_ACCESS_USER, 0, 0, {}}
    {
    }

    static access user() noexcept // this user's programs
    {
        return {};
    }

    static access group(uint32_t id) noexcept
    {
        access made;
        made.kind = IPC_ACCESS_GROUP;
        made.ipc_access::group = id;
        return made;
    }

    static access everybody() noexcept
    {
        access made;
        made.kind = IPC_ACCESS_EVERYBODY;
        return made;
    }

    // This user's programs and those of the users in the list. More than IPC_ACCESS_USERS_MAX are refused when it is
    // used.
    static access users(std::initializer_list<uint32_t> ids) noexcept
    {
        access made;
        made.kind = IPC_ACCESS_USERS;
        for (const uint32_t id : ids) {
            if (made.user_count < IPC_ACCESS_USERS_MAX)
                made.ipc_access::users[made.user_count] = id;
            ++made.user_count;
        }
        return made;
    }
};

// ---- errors
// -----------------------------------------------------------------------------------------------------------

#ifndef IPC_NO_EXCEPTIONS

// What a failed call had to say: the status, the words of ipc_last_error(), and errno where the system refused.
class error : public std::runtime_error
{
  public:
    error(status code, const std::string &text, int system_error = 0)
        : std::runtime_error(std::string(ipc_status_name(code)) + ": " + text), code_(code), system_error_(system_error)
    {
    }

    status code() const noexcept
    {
        return code_;
    }

    int system_error() const noexcept
    {
        return system_error_;
    }

  private:
    status code_;
    int system_error_;
};

// Throws ipc::error unless CODE is IPC_OK. To be called on the thread whose call returned CODE, before its next one.
inline void require(status code)
{
    if (code != IPC_OK)
        throw error(code, ipc_last_error(), ipc_last_errno());
}

#endif

namespace detail
{

// How every owner is opened. A library of another version than these headers opens nothing, and says why.
template <class Handle, class Options, class Owner>
status open(status (*by)(const char *, const Options *, Handle **), const std::string &name, const Options &options,
            Owner &owner) noexcept
{
    Handle *made = nullptr;
    status code = IPC_CHECK_VERSION();
    if (code == IPC_OK)
        code = by(name.c_str(), &options, &made);
    if (code == IPC_OK)
        owner.reset(made);
    return code;
}

} // namespace detail

// ---- time
// -------------------------------------------------------------------------------------------------------------

namespace detail
{

// 0 for what is over already, a negative duration or no number; UINT64_MAX for what is beyond the clock, as
// hours::max().
template <class Rep, class Period>
constexpr uint64_t nanoseconds_of(std::chrono::duration<Rep, Period> from_now) noexcept
{
    const double seconds = std::chrono::duration<double>(from_now).count();
    if (!(seconds > 0))
        return 0;
    if (seconds > 9.0e9) // more nanoseconds than 63 bits hold
        return UINT64_MAX;
    return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(from_now).count());
}

} // namespace detail

// A moment of CLOCK_MONOTONIC. Converts from durations, and reads the clock for that: one moment for all that it is
// given to. A negative duration is over already; never() is never, and so is what is beyond the clock, as hours::max().
class deadline
{
  public:
    constexpr deadline() noexcept : at_(IPC_FOREVER)
    {
    }

    constexpr explicit deadline(ipc_deadline at) noexcept : at_(at)
    {
    }

    template <class Rep, class Period>
    deadline(std::chrono::duration<Rep, Period> from_now) : at_(after(detail::nanoseconds_of(from_now)))
    {
    }

    static constexpr deadline now() noexcept
    {
        return deadline(IPC_NOW);
    }

    static constexpr deadline never() noexcept
    {
        return deadline(IPC_FOREVER);
    }

    constexpr ipc_deadline at() const noexcept
    {
        return at_;
    }

    constexpr bool is_never() const noexcept
    {
        return at_ == IPC_FOREVER;
    }

    // Nanoseconds from now; 0 when it has passed, UINT64_MAX when it never will.
    uint64_t remaining() const noexcept
    {
        if (is_never())
            return UINT64_MAX;
        const uint64_t now = ipc_deadline_after(0);
        return at_ > now ? at_ - now : 0;
    }

    bool has_passed() const noexcept
    {
        return remaining() == 0;
    }

  private:
    static ipc_deadline after(uint64_t nanoseconds) noexcept
    {
        return nanoseconds == 0 ? IPC_NOW : ipc_deadline_after(nanoseconds);
    }

    ipc_deadline at_;
};

// How long a call may wait: until a deadline, or for a duration, so that `5ms` can stand where it is asked for. Of a
// duration the clock is read where the wait begins, and not at all by a call that need not wait. So one that is given
// to two calls is two waits; a deadline made of it is one moment for both. never() and no argument: without limit.
class time_limit
{
  public:
    constexpr time_limit() noexcept : time_limit(deadline::never())
    {
    }

    constexpr time_limit(deadline until) noexcept : value_(until.at()), is_duration_(false)
    {
    }

    template <class Rep, class Period>
    constexpr time_limit(std::chrono::duration<Rep, Period> at_most) noexcept
        : value_(detail::nanoseconds_of(at_most)), is_duration_(value_ != IPC_NOW && value_ != IPC_FOREVER)
    {
    }

    // It has no moment yet.
    constexpr bool is_duration() const noexcept
    {
        return is_duration_;
    }

    // When a wait that begins now is over.
    ipc_deadline at() const noexcept
    {
        return is_duration_ ? ipc_deadline_after(value_) : value_;
    }

  private:
    uint64_t value_; // a deadline, or ns
    bool is_duration_;
};

namespace detail
{

// A call that may wait. With a duration one that does not is tried before; NOT_YET is what that returns when there is
// something to wait for.
template <class Try, class Wait> status within(time_limit limit, status not_yet, Try tries, Wait waits) noexcept
{
    if (limit.is_duration()) {
        const status code = tries();
        if (code != not_yet)
            return code;
    }
    return waits(limit.at());
}

// The same where the call itself is the first look, with IPC_NOW: then it does nothing that it does not do before it
// sleeps (a ring's wait returns all space).
template <class Wait> status within(time_limit limit, Wait waits) noexcept
{
    return within(
        limit, IPC_TIMEOUT, [&waits] { return waits(IPC_NOW); }, waits);
}

} // namespace detail

// A switch that ends waits with IPC_CANCELLED. Must outlive the calls that it was given to. Without memory for it, and
// without exceptions, the program ends, as it does by operator new.
class cancel_source
{
  public:
    cancel_source()
    {
        ipc_cancel *made = nullptr;
        const status code = ipc_cancel_create(&made);
#ifdef IPC_NO_EXCEPTIONS
        if (code != IPC_OK)
            std::abort();
#else
        require(code);
#endif
        handle_.reset(made);
    }

    void trigger() noexcept
    {
        ipc_cancel_trigger(handle_.get());
    }

    ipc_cancel *get() const noexcept
    {
        return handle_.get();
    }

  private:
    struct destroy {
        void operator()(ipc_cancel *cancel) const noexcept
        {
            ipc_cancel_destroy(cancel);
        }
    };
    std::unique_ptr<ipc_cancel, destroy> handle_;
};

} // namespace ipc
#endif
