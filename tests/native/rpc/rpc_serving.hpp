// What the RPC tests have in common: a server in this process, and short ways to make messages.
#ifndef RPC_SERVING_HPP
#define RPC_SERVING_HPP

#include <functional>
#include <string>
#include <utility>

#include "rpc_check.hpp"
#include "rpc_contract.hpp"

inline contract::Blob blob(const std::string &data)
{
    contract::Blob made;
    made.set_data(data);
    return made;
}

inline contract::CountRequest counting(int count, int size = 0)
{
    contract::CountRequest made;
    made.set_count(count);
    made.set_size(size);
    return made;
}

// Started with the contract's handlers and what ADD adds.
struct serving {
    explicit serving(const std::function<void(ipc::rpc::server &)> &add = {}, ipc::rpc::server_options options = {})
        : at("rpc", std::move(options))
    {
        contract::serve(at);
        if (add)
            add(at);
        at.start();
    }

    ipc::rpc::server at;
};

#endif
