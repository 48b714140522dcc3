// What a side of a connection says about a method that it has: caller::list_methods().
#ifndef IPC_RPC_METHOD_INFO_HPP
#define IPC_RPC_METHOD_INFO_HPP

#include "../dialect.hpp"

#include <cstdint>
#include <string>

namespace ipc::rpc
{

// How many messages a call carries in each direction.
enum class method_kind : int32_t {
    unary = 0,         // one request, one response; or none, if the method is one-way
    server_stream = 1, // one request, any number of items
    client_stream = 2, // one request and any number of items after it, one response
    duplex = 3         // one request and any number of items after it, any number of items back
};

struct method_info {
    std::string service;
    std::string name;
    method_kind kind = method_kind::unary;
    bool one_way = false;    // its callers get no answer
    bool once = false;       // a call of it is executed once there; C++ has no such methods
    bool idempotent = false; // calling it twice is known to come to the same as once; C++ knows it of no method

    std::string full_name() const
    {
        return service + "/" + name;
    }
};

} // namespace ipc::rpc
#endif
