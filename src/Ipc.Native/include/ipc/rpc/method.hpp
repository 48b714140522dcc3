// A method's name, its types, and its id worked out once: what a call needs besides the request. One type per kind, so
// that a method cannot be called, or offered, as what it is not. Make them constexpr: calling through one hashes
// nothing.
//     constexpr ipc::rpc::method<TableRequest, Table> get{"sysmon.v1", "Get"};
#ifndef IPC_RPC_METHOD_HPP
#define IPC_RPC_METHOD_HPP

#include "../dialect.hpp"

#include <string_view>

#include "detail/frame.hpp"

namespace ipc::rpc
{

namespace detail
{
struct method_name {
    std::string_view service;
    std::string_view name;
    uint32_t id;

    constexpr method_name(std::string_view of_service, std::string_view its_name) noexcept
        : service(of_service), name(its_name), id(method_id(of_service, its_name))
    {
    }
};
} // namespace detail

// One request, one response.
template <class Request, class Response> struct method : detail::method_name {
    using method_name::method_name;
};

// One request, one response, and messages before it that tell how far it is.
template <class Request, class Response, class Progress> struct progress_method : detail::method_name {
    using method_name::method_name;
};

// One request, and no answer.
template <class Request> struct one_way_method : detail::method_name {
    using method_name::method_name;
};

// One request, a stream of items.
template <class Request, class Item> struct stream_method : detail::method_name {
    using method_name::method_name;
};

// One request (the parameters besides the stream), a stream of items from the caller, one response.
template <class Request, class In, class Response> struct client_stream_method : detail::method_name {
    using method_name::method_name;
};

// One request, streams in both directions.
template <class Request, class In, class Out> struct duplex_method : detail::method_name {
    using method_name::method_name;
};

} // namespace ipc::rpc
#endif
