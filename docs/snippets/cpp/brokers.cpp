// The C++ code of docs/guide/many-machines.md. What it prints it prints without a broker.
#include <chrono>
#include <iostream>
#include <optional>

#include "ipc/rpc/amqp.hpp"

#include "store.hpp"

using namespace snippets;
using namespace std::chrono_literals;

namespace
{

void serve(const std::string &address)
{
    // snippet: server
    ipc::rpc::amqp::server_options options;
    options.prefetch = 16;
    options.dead_lettered = [](const ipc::rpc::amqp::dead_letter &letter) { std::cout << letter.reason << '\n'; };
    ipc::rpc::amqp::server server(address, options); // amqp://me:secret@broker/trading/store
    server.unary(get, [](const GetRequest &request, Item &item, ipc::rpc::call_context &context) {
        item.set_sku(request.sku());
        if (context.metadata().find("ipc-redelivered") != nullptr)
            std::cout << *context.metadata().find("ipc-message-id") << " may have been handled before\n";
    });
    server.start();
    // end-snippet
    server.stop(10s);
}

void call(const std::string &address)
{
    // snippet: client
    ipc::rpc::amqp::client client(address);
    GetRequest request;
    request.set_sku("apple");
    const Item apple = client.call(get, request, 10s);
    // end-snippet
    std::cout << apple.sku() << '\n';
}

} // namespace

int main(int argc, char **argv)
{
    const std::string address = argc > 1 ? argv[1] : "amqp://127.0.0.1:1/store"; // nobody is there
    if (argc > 1) {
        serve(address);
        call(address);
    }

    // snippet: nobody
    std::optional<ipc::rpc::amqp::client> client;
    const ipc::rpc::outcome connected = ipc::rpc::amqp::client::try_connect(address, {}, client);
    std::cout << name_of(connected.code) << '\n'; //> Unavailable
    // end-snippet
    return 0;
}
