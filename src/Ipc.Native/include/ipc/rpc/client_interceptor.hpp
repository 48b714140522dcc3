// What stands around the calls of a client: time limits, metadata, repetition, answers from a cache.
#ifndef IPC_RPC_CLIENT_INTERCEPTOR_HPP
#define IPC_RPC_CLIENT_INTERCEPTOR_HPP

#include "../dialect.hpp"

#include <cstddef>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "call_options.hpp"
#include "detail/codec.hpp"
#include "method.hpp"
#include "status.hpp"

namespace ipc::rpc
{

class client_interceptor;

// A call on its way through the interceptors. Only while client_interceptor::call() runs.
class outgoing_call
{
  public:
    enum class shape { unary, one_way, asynchronous, server_stream, client_stream, duplex };

    // Made by the library.
    template <class Make>
    outgoing_call(const std::vector<std::shared_ptr<client_interceptor>> &around, const detail::method_name &method,
                  shape kind, const message &request, message *response, const call_options &asked, Make &make)
        : options(asked), around_(around), method_(method), kind_(kind), request_(request), response_(response),
          make_(&make),
          make_with_([](void *made, const call_options &with) { return (*static_cast<Make *>(made))(with); })
    {
    }

    outgoing_call(const outgoing_call &) = delete;
    outgoing_call &operator=(const outgoing_call &) = delete;

    std::string_view service() const noexcept
    {
        return method_.service;
    }

    std::string_view name() const noexcept
    {
        return method_.name;
    }

    shape kind() const noexcept
    {
        return kind_;
    }

    const message &request() const noexcept
    {
        return request_;
    }

    // Where the response of a unary call is, once next() has returned Ok, or is to be put by whoever does not pass the
    // call on. Null for the others.
    message *response() const noexcept
    {
        return response_;
    }

    // Passes the call on: to the next interceptor, the last one to the server. Waits for the response of a unary call,
    // and until a one-way request is in the ring or a stream has begun; an asynchronous call is sent after the first
    // interceptor has returned Ok. Again: the call is made again.
    outcome next();

    // With which it is passed on. What is changed here holds for next(), and not for who called this interceptor.
    call_options options;

  private:
    const std::vector<std::shared_ptr<client_interceptor>> &around_;
    const detail::method_name &method_;
    const shape kind_;
    const message &request_;
    message *const response_;
    void *const make_;
    outcome (*const make_with_)(void *, const call_options &);
    size_t at_ = 0;
};

// Set in client_options::interceptors, the first one outermost; its call() runs on the thread that calls, any number at
// once, without a lock.
class client_interceptor
{
  public:
    virtual ~client_interceptor() = default;

    // Stands around CALL: passes it on (outgoing_call::next) once, several times, or not at all. What it returns is the
    // call's outcome; what it throws comes out of what was called, also out of the try_ form.
    virtual outcome call(outgoing_call &call)
    {
        return call.next();
    }
};

inline outcome outgoing_call::next()
{
    struct step {
        explicit step(outgoing_call &of) : of_(of), at_(of.at_), options_(of.options)
        {
        }

        ~step()
        {
            of_.at_ = at_;
            of_.options = options_;
        }

        step(const step &) = delete;
        step &operator=(const step &) = delete;

        outgoing_call &of_;
        const size_t at_;
        const call_options options_;
    };
    const step here(*this);
    if (at_ == around_.size())
        return make_with_(make_, options);
    return around_[at_++]->call(*this);
}

} // namespace ipc::rpc
#endif
