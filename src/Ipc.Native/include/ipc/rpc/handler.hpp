// A method that a server offers: its name, its types, and the user's function behind them.
//
// handle() is called on the thread that read the request, with the request still in the ring. It parses, gives the
// record back, and only then runs the user's code: from that moment another thread may read the connection.
#ifndef IPC_RPC_HANDLER_HPP
#define IPC_RPC_HANDLER_HPP

#include <exception>
#include <memory>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <utility>

#if defined(__GNUC__)
#include <cstdlib>
#include <cxxabi.h>
#endif

#include "call_context.hpp"
#include "codec.hpp"
#include "crew.hpp"
#include "frame.hpp"
#include "session.hpp"
#include "stream_writer.hpp"

namespace ipc::rpc::detail
{

inline std::string type_name(const std::type_info &type)
{
#if defined(__GNUC__)
    int failed = 0;
    const std::unique_ptr<char, void (*)(void *)> plain(abi::__cxa_demangle(type.name(), nullptr, nullptr, &failed),
                                                        std::free);
    if (failed == 0 && plain != nullptr)
        return plain.get();
#endif
    return type.name();
}

// Runs the user's code; whatever it throws becomes the outcome of the call.
template <class Code> outcome guarded(Code &&code)
{
    try {
        using result = decltype(code());
        if constexpr (std::is_void_v<result>) {
            code();
            return {};
        } else {
            return outcome(code());
        }
    } catch (const error &chosen) {
        return {chosen.code() == status::ok ? status::unknown : chosen.code(), chosen.text(), chosen.remote_type()};
    } catch (const std::exception &thrown) {
        return {status::unknown, thrown.what(), type_name(typeid(thrown))};
    } catch (...) {
        return {status::unknown, "the handler threw something that is not a std::exception"};
    }
}

class handler
{
  public:
    handler(std::string service, std::string name)
        : service_(std::move(service)), name_(std::move(name)), id_(method_id(service_, name_))
    {
    }

    virtual ~handler() = default;

    uint32_t id() const noexcept
    {
        return id_;
    }

    std::string full_name() const
    {
        return service_ + "/" + name_;
    }

    // False when another thread reads FROM now.
    virtual bool handle(crew &threads, session &from, worker &me, const frame &request) = 0;

  protected:
    outcome wrong_kind(const char *is, const char *called_as) const
    {
        return {status::unimplemented, full_name() + " is " + is + " and was called as " + called_as};
    }

  private:
    const std::string service_;
    const std::string name_;
    const uint32_t id_;
};

template <class Request, class Response, class Function> class unary_handler final : public handler
{
  public:
    unary_handler(std::string service, std::string name, Function function)
        : handler(std::move(service), std::move(name)), function_(std::move(function))
    {
    }

    bool handle(crew &threads, session &from, worker &me, const frame &got) override
    {
        // Messages keep their memory from call to call; a large one gives it back.
        static thread_local Request request;
        static thread_local Response response;
        constexpr uint32_t large = 64 * 1024;

        const frame_header header = got.header;
        const uint32_t size = got.size;
        const bool one_way = (header.flags & flag_one_way) != 0;
        const bool valid = header.code == 0 && parse(request, got.body, size);
        from.reader().release();
        call_context context(from.mutex(), from.peer(), header.call, header.deadline);
        outcome result;
        if (header.code != 0)
            result = wrong_kind("a unary method", "a stream");
        else if (!valid)
            result = {status::invalid_argument, not_a(request, "request", size)};
        else if (context.cancelled())
            result = {status::deadline_exceeded, "the deadline had passed when the request was read"};
        else
            return run(threads, from, me, context, header.call, one_way, request, response, size > large);
        if (!one_way)
            from.send_error(header.call, result);
        return true;
    }

  private:
    bool run(crew &threads, session &from, worker &me, call_context &context, uint64_t call, bool one_way,
             Request &request, Response &response, bool large)
    {
        if (threads.begin(me, from, context)) {
            response.Clear();
            outcome result = guarded([&] { return invoke(request, response, context); });
            if (context.cancelled()) // nobody wants the result any more, whatever it is
                result = session::why_cancelled(context);
            if (!result && !one_way)
                from.send_error(call, result);
            else if (!one_way)
                large = from.send_response(call, response) || large;
        }
        if (large) {
            request = Request();
            response = Response();
        }
        return threads.end(me, context);
    }

    auto invoke(const Request &request, Response &response, call_context &context)
    {
        if constexpr (std::is_invocable_v<Function &, const Request &, Response &, call_context &>)
            return function_(request, response, context);
        else
            return function_(request, response);
    }

    Function function_;
};

template <class Request, class Item, class Function> class stream_handler final : public handler
{
  public:
    stream_handler(std::string service, std::string name, Function function)
        : handler(std::move(service), std::move(name)), function_(std::move(function))
    {
    }

    bool handle(crew &threads, session &from, worker &, const frame &got) override
    {
        const frame_header header = got.header;
        const uint32_t size = got.size;
        auto stream = std::make_shared<running>(from.shared_from_this(), header);
        const bool valid = header.code != 0 && parse(stream->request, got.body, size);
        from.reader().release();
        outcome result;
        if (header.code == 0)
            result = wrong_kind("a stream", "a unary method");
        else if (!valid)
            result = {status::invalid_argument, not_a(stream->request, "request", size)};
        else if (threads.run([this, stream] { serve(*stream); }))
            return true;
        else
            result = {status::resource_exhausted, "all threads of the server are busy (server_options::max_threads)"};
        from.send_error(header.call, result);
        return true;
    }

  private:
    struct running {
        running(std::shared_ptr<session> caller, const frame_header &header)
            : from(std::move(caller)), call(header.call),
              context(from->mutex(), from->peer(), header.call, header.deadline)
        {
            from->add(context);
            from->credit(call, header.code);
        }

        ~running()
        {
            from->remove(context);
        }

        running(const running &) = delete;
        running &operator=(const running &) = delete;

        const std::shared_ptr<session> from;
        const uint64_t call;
        call_context context;
        Request request;
    };

    void serve(running &stream)
    {
        stream_writer<Item> items(*stream.from, stream.context);
        outcome result =
            guarded([&] { return function_(static_cast<const Request &>(stream.request), items, stream.context); });
        if (stream.context.cancelled())
            result = session::why_cancelled(stream.context);
        if (result)
            stream.from->send_end(stream.call);
        else
            stream.from->send_error(stream.call, result);
    }

    Function function_;
};

} // namespace ipc::rpc::detail
#endif
