// What is asked of a user's types and functions where they are given: a wrong one is one readable error there, and the
// first, instead of a page of them out of what would use it.
#ifndef IPC_RPC_DETAIL_MISUSE_HPP
#define IPC_RPC_DETAIL_MISUSE_HPP

#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

#include "../call_context.hpp"
#include "codec.hpp"

namespace ipc::rpc::detail
{

template <class Type, class = void> struct is_parsed : std::false_type {
};

template <class Type>
struct is_parsed<Type, std::void_t<decltype(parse(std::declval<Type &>(), std::declval<const uint8_t *>(), 0))>>
    : std::true_type {
};

// What is sent. To make one is the check.
template <class... Types> struct sent_messages {
    static_assert(
        (std::is_base_of_v<message, Types> && ...),
        "ipc: what is sent must be a protobuf message (a class that protoc has made of the contract's .proto)");
};

// What is received: also what says itself how it is parsed.
template <class... Types> struct received_messages {
    static_assert((is_parsed<Types>::value && ...), "ipc: what is received must be a protobuf message (a class that "
                                                    "protoc has made of the contract's .proto)");
};

struct fails_or_not {
    template <class Result>
    static constexpr bool value = std::is_void_v<Result> || std::is_constructible_v<outcome, Result>;
};

template <class Response> struct returns_kept {
    template <class Result>
    static constexpr bool value = std::is_convertible_v<Result, std::shared_ptr<const Response>>;
};

template <class Results, class Function, class... Given> constexpr bool is_called_so()
{
    if constexpr (std::is_invocable_v<Function &, Given...>)
        return Results::template value<std::invoke_result_t<Function &, Given...>>;
    else
        return false;
}

// Whether FUNCTION takes GIVEN, and a call_context & last if it likes, and its result is one of RESULTS.
template <class Results, class Function, class... Given> constexpr bool is_handler()
{
    if constexpr (std::is_invocable_v<Function &, Given..., call_context &>)
        return is_called_so<Results, Function, Given..., call_context &>();
    else
        return is_called_so<Results, Function, Given...>();
}

struct not_written {
};

// FUNCTION with its templates hidden: for the request alone there is a template here that fits better than any of its
// own, and worse than what is written out. So that of a generic lambda no body is compiled, which could not be.
template <class Function, class Request> struct written : Function {
    using Function::operator();
    template <int = 0> not_written operator()(Request);
    template <int = 0> not_written operator()(Request) const;
    template <int = 0> not_written operator()(Request, call_context &);
    template <int = 0> not_written operator()(Request, call_context &) const;
};

template <class Response, class Function, class Request, class... Context> constexpr bool is_written_to_keep()
{
    using shown = written<Function, Request>;
    return is_called_so<returns_kept<Response>, shown, Request, Context...>() ||
           is_called_so<returns_kept<Response>, const shown, Request, Context...>();
}

// Whether FUNCTION, of (const Request &), returns a response that is there already. Of one that takes a response to
// fill, too, and returns something else then, only what is written out is asked: a generic lambda's body could not be
// compiled for the request alone.
template <class Response, class Function, class Request, class Filled> constexpr bool keeps_response()
{
    constexpr bool fills = std::disjunction_v<std::is_invocable<Function &, Request, Filled, call_context &>,
                                              std::is_invocable<Function &, Request, Filled>>;
    if constexpr (!fills || is_handler<returns_kept<Response>, Function, Request, Filled>())
        return is_handler<returns_kept<Response>, Function, Request>();
    else if constexpr (!std::is_class_v<Function> || std::is_final_v<Function>)
        return false;
    else if constexpr (is_written_to_keep<Response, Function, Request, call_context &>())
        return true;
    else if constexpr (is_written_to_keep<Response, Function, Request>())
        return !std::is_invocable_v<Function &, Request, call_context &>;
    else
        return false;
}

} // namespace ipc::rpc::detail
#endif
