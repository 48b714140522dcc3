// A method that one side offers: its name, its kind, its types, and the user's function behind them.
//
// There are two ways to run it. A server's unary method is run in place: handle() parses the request where it lies in
// the ring, gives the record back, and runs the user's code on the thread that read it; from that moment another thread
// may read the connection. Everything else is accepted: accept() makes a job out of the request, which any thread may
// run.
#ifndef IPC_RPC_DETAIL_HANDLER_HPP
#define IPC_RPC_DETAIL_HANDLER_HPP

#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "../call_context.hpp"
#include "../dispatch.hpp"
#include "../method_info.hpp"
#include "callee.hpp"
#include "codec.hpp"
#include "frame.hpp"
#include "guarded.hpp"

namespace ipc::rpc::detail
{

class crew;
class session;
class worker;

// The response of methods that have none.
struct no_message {
};

// The response of a handler that had it already.
template <class Response> struct kept_message {
    std::shared_ptr<const Response> value;
};

inline const message *answer_of(const message &value) noexcept
{
    return &value;
}

template <class Response> const message *answer_of(const kept_message<Response> &value) noexcept
{
    return value.value.get();
}

inline const message *answer_of(const no_message &) noexcept
{
    return nullptr;
}

inline void clear(message &value)
{
    value.Clear();
}

inline void clear(no_message &) noexcept
{
}

template <class Response> void clear(kept_message<Response> &value) noexcept
{
    value.value.reset();
}

// What is somebody else's goes when it has been sent; other messages keep their memory for the next call.
template <class Response> void let_go(Response &) noexcept
{
}

template <class Response> void let_go(kept_message<Response> &value) noexcept
{
    value.value.reset();
}

// The streams that a method has besides its request and response, and whether it has no response.
struct shape {
    bool input = false;
    bool output = false;
    bool one_way = false;
};

inline const char *name_of(shape kind) noexcept
{
    if (kind.input)
        return kind.output ? "Duplex" : "ClientStream";
    return kind.output ? "ServerStream" : "Unary";
}

// An accepted call.
class job
{
  public:
    job(std::shared_ptr<callee> from, const frame_header &header)
        : home(std::move(from)), request(header), context(*home, header)
    {
        home->add(context);
    }

    job(const job &) = delete;
    job &operator=(const job &) = delete;

    virtual ~job()
    {
        home->remove(context);
    }

    virtual void run() = 0;

    const std::shared_ptr<callee> home;
    const frame_header request;
    call_context context;
};

class handler
{
  public:
    handler(std::string service, std::string name, shape kind, dispatch how)
        : service_(std::move(service)), name_(std::move(name)), id_(method_id(service_, name_)), kind_(kind), how_(how)
    {
    }

    virtual ~handler() = default;

    uint32_t id() const noexcept
    {
        return id_;
    }

    const std::string &service() const noexcept
    {
        return service_;
    }

    const std::string &name() const noexcept
    {
        return name_;
    }

    std::string full_name() const
    {
        return service_ + "/" + name_;
    }

    method_info described() const
    {
        method_info made;
        made.service = service_;
        made.name = name_;
        if (kind_.input)
            made.kind = kind_.output ? method_kind::duplex : method_kind::client_stream;
        else if (kind_.output)
            made.kind = method_kind::server_stream;
        made.one_way = kind_.one_way;
        return made;
    }

    bool has_streams() const noexcept
    {
        return kind_.input || kind_.output;
    }

    // Runs a call without streams. False when another thread reads FROM now.
    virtual bool handle(crew &threads, session &from, worker &me, const frame &request) = 0;

    // Takes REQUEST out of the ring (and does not release it). A request that is wrong becomes a job too, which says
    // so.
    virtual std::shared_ptr<job> accept(std::shared_ptr<callee> from, const frame &request) = 0;

  protected:
    call_info info() const noexcept
    {
        return {service_, name_, true};
    }

    // A call that was begun has been answered.
    void completed(callee &home, call_context &context, const outcome &result) const noexcept
    {
        if (const interception *const around = home.interceptors(); around != nullptr)
            around->completed(context, info(), result, home.served_watcher());
    }

    // Ok when the user's function may see REQUEST.
    outcome check(call_context &context, frame got, message &request) const
    {
        const shape called{got.has(flag_client_stream), got.header.code != 0};
        if (called.input != kind_.input || called.output != kind_.output)
            return {status::unimplemented,
                    full_name() + " is " + name_of(kind_) + "; it was called as " + name_of(called) + "."};
        if (has_streams() && got.has(flag_one_way))
            return {status::unimplemented,
                    full_name() + " has a stream; it was called one-way."}; // which nobody is told
        if (got.has(flag_format))
            return {status::unimplemented, full_name() +
                                               " has messages in format 0 (protobuf) and was called in format " +
                                               std::to_string((got.header.flags & flag_format) >> 4)};
        if (!callee::take_head(context, got))
            return {status::invalid_argument, "the head of the request is damaged"};
        if (!parse(request, got.body, got.size))
            return {status::invalid_argument, "The request for " + full_name() +
                                                  " could not be decoded: " + not_a(request, "request", got.size) + "."};
        if (context.cancelled())
            return {status::deadline_exceeded,
                    "The deadline of a call to " + full_name() + " passed before its handler ran."};
        return {};
    }

    // RESULT may become another one. Returns whether the response was a large one.
    bool answer(callee &home, call_context &context, outcome &result, const message *response) const
    {
        if (callee::is_answered(context) || !callee::take_answer(context))
            return false;
        if (context.cancelled()) // nobody wants the result any more, whatever it is
            result = callee::why_cancelled(context, full_name());
        if (!result)
            home.send_error(context, result);
        else if (kind_.output)
            home.send_end(context, result);
        else
            return home.send_response(context, response, result) > large;
        return false;
    }

    static constexpr uint32_t large = 64 * 1024;

    const std::string service_;
    const std::string name_;
    const uint32_t id_;
    const shape kind_;
    const dispatch how_;
};

// Function: anything that guarded() takes, of (const Request &, Response &, callee &, call_context &).
template <class Request, class Response, class Function> class method_handler final : public handler
{
  public:
    method_handler(std::string service, std::string name, shape kind, dispatch how, Function function)
        : handler(std::move(service), std::move(name), kind, how), function_(std::move(function))
    {
    }

    bool handle(crew &threads, session &from, worker &me, const frame &got) override;

    std::shared_ptr<job> accept(std::shared_ptr<callee> from, const frame &got) override
    {
        auto made = std::make_shared<accepted>(*this, std::move(from), got.header);
        made->result = check(made->context, got, made->message);
        return made;
    }

  private:
    struct accepted final : job {
        accepted(method_handler &of, std::shared_ptr<callee> from, const frame_header &header)
            : job(std::move(from), header), method(of)
        {
        }

        void run() override
        {
            const bool runs = result && !context.cancelled();
            if (runs)
                result = method.call(message, response, *home, context);
            method.answer(*home, context, result, answer_of(response));
            if (runs)
                method.completed(*home, context, result);
            if (!runs && result)
                result = callee::why_cancelled(context, method.full_name());
            home->handled(request, result);
        }

        method_handler &method;
        outcome result;
        Request message;
        Response response;
    };

    outcome call(const Request &request, Response &response, callee &home, call_context &context)
    {
        observation seen = context.observe(home.served_watcher(), service_, name_);
        const call_scope serving(context);
        const auto run = [&] { return function_(request, response, home, context); };
        const interception *const around = home.interceptors();
        outcome result = around == nullptr ? guarded(run) : around->run(context, info(), run);
        if (seen)
            seen.end(context.cancelled() ? callee::why_cancelled(context, full_name()) : result);
        return result;
    }

    Function function_;
};

} // namespace ipc::rpc::detail
#endif
