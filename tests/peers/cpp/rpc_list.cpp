// A client that asks its server which methods it has; its twin is ListTests in tests/Ipc.Rpc.Interop.Tests.
//
//     rpc_peer list NAME       prints a line for each: its full name, the number of its kind, and its flags
//
// 0 if the server answered.
#include <cstdio>

#include "rpc_contract.hpp"
#include "rpc_verbs.hpp"

namespace list
{

int run(const char *name)
{
    ipc::rpc::client client(name);
    for (const ipc::rpc::method_info &method : client.list_methods())
        std::printf("%s %d%s%s%s\n", method.full_name().c_str(), static_cast<int>(method.kind),
                    method.one_way ? " one-way" : "", method.once ? " once" : "",
                    method.idempotent ? " idempotent" : "");
    return 0;
}

} // namespace list
