// The short way of a unary call through a server: on the thread that read it, without an allocation.
#ifndef IPC_RPC_DETAIL_HANDLE_IN_PLACE_HPP
#define IPC_RPC_DETAIL_HANDLE_IN_PLACE_HPP

#include <utility>

#include "crew.hpp"
#include "handler.hpp"
#include "reused.hpp"
#include "session.hpp"
#include "worker.hpp"

namespace ipc::rpc::detail
{

template <class Request, class Response, class Function>
bool method_handler<Request, Response, Function>::handle(crew &threads, session &from, worker &me, const frame &got)
{
    // Messages keep their memory from call to call; a large one gives it back.
    const reused<Request, method_handler, 0> its_request;
    const reused<Response, method_handler, 1> its_response;
    Request &request = *its_request;
    Response &response = *its_response;

    call_context context(from, got.header);
    bool is_large = got.size > large;
    outcome result = check(context, got, request);
    const bool got_one_way = got.has(flag_one_way);
    const uint64_t got_call = got.header.call, lay_at = from.reader().released();
    from.reader().release();
    if (!result) {
        answer(from, context, result, nullptr);
        return true;
    }
    const bool relieved = how_ == dispatch::handed_over;
    if (!relieved)
        callee::set_in_place(context);
    if (!relieved || threads.begin(me, from, context)) {
        clear(response);
        outcome called = call(request, response, from, context);
        is_large = answer(from, context, called, answer_of(response)) || is_large;
        completed(from, context, called);
        let_go(response);
    } else {
        if (threads.is_draining())
            from.note_ending(lay_at);
        if (!got_one_way)
            from.post_unhandled(got_call, "The server is stopping and takes no further calls.");
    }
    if (is_large) {
        request = Request();
        response = Response();
    }
    return !relieved || threads.end(me, context);
}

} // namespace ipc::rpc::detail
#endif
