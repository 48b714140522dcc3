// A method's name, its types, and its id worked out once: what a call needs besides the request.
#ifndef IPC_RPC_METHOD_HPP
#define IPC_RPC_METHOD_HPP

#include <string_view>

#include "frame.hpp"

namespace ipc::rpc
{

// One request, one response. Make it constexpr: calling through it hashes nothing.
//     constexpr ipc::rpc::method<TableRequest, Table> get{"sysmon.v1", "Get"};
template <class Request, class Response> struct method {
    std::string_view service;
    std::string_view name;
    uint32_t id;

    constexpr method(std::string_view of_service, std::string_view its_name) noexcept
        : service(of_service), name(its_name), id(method_id(of_service, its_name))
    {
    }
};

// One request, a stream of items.
template <class Request, class Item> struct stream_method {
    std::string_view service;
    std::string_view name;
    uint32_t id;

    constexpr stream_method(std::string_view of_service, std::string_view its_name) noexcept
        : service(of_service), name(its_name), id(method_id(of_service, its_name))
    {
    }
};

} // namespace ipc::rpc
#endif
