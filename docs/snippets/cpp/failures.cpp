// The code of docs/guide/failures.md.
#include <chrono>
#include <iostream>

#include "store.hpp"

using namespace snippets;
using namespace std::chrono_literals;

int main()
{
    // snippet: open
    ipc_queue_options existing = {};
    existing.open_mode = IPC_OPEN_EXISTING;
    try {
        ipc::queue queue("absent", existing);
    } catch (const ipc::error &problem) { // what() has the words, code() the status
        std::cout << ipc_status_name(problem.code()) << '\n'; //> IPC_E_NOT_FOUND
    }
    // end-snippet

    // snippet: connect
    ipc::rpc::client_options options;
    options.connect_timeout = 0s;
    try {
        ipc::rpc::client client("nobody", options);
    } catch (const ipc::rpc::error &problem) {
        std::cout << ipc::rpc::name_of(problem.code()) << '\n'; //> Unavailable
    }
    // end-snippet

    store_server server("store");
    ipc::rpc::client client("store");
    // snippet: ask
    GetRequest plum;
    plum.set_sku("plum");
    Item item;
    const ipc::rpc::outcome result = client.try_call(get, plum, item, 5s);
    switch (result.code) {
    case ipc::rpc::status::ok:
        break;
    case ipc::rpc::status::not_found: // the handler said so: part of the contract
        std::cout << "no such thing: " << result.text << '\n'; //> no such thing: There is no plum.
        break;
    case ipc::rpc::status::deadline_exceeded: // it may have happened: only repeat what can be repeated
    case ipc::rpc::status::unavailable:       // the server is gone; the next call connects again
    default:
        std::cout << result.text << '\n';
    }
    // end-snippet
}
