// The code of docs/guide/calls.md.
#include <chrono>
#include <iostream>
#include <memory>

#include "retries.hpp"
#include "store.hpp"

using namespace snippets;
using namespace std::chrono_literals;

namespace
{

void calls()
{
    // snippet: call
    ipc::rpc::client client("store");
    GetRequest request;
    request.set_sku("apple");

    std::cout << client.call(get, request, 5s).count() << '\n'; //> 10
    // end-snippet

    // snippet: async
    Order two;
    two.set_sku("apple");
    two.set_count(2);
    ipc::rpc::pending_call<Receipt> pending = client.call_async(order, two, 5s);
    Receipt receipt;
    if (pending.try_get(receipt)) // waits
        std::cout << receipt.left() << '\n'; //> 8
    // end-snippet

    // snippet: timeout
    two.set_count(20000);
    try {
        client.call(order, two, 50ms);
    } catch (const ipc::rpc::error &problem) {
        if (problem.code() == ipc::rpc::status::deadline_exceeded)
            std::cout << "not in 50 ms" << '\n'; //> not in 50 ms
    }
    // end-snippet
}

void errors()
{
    ipc::rpc::client client("store");
    // snippet: errors
    GetRequest plum;
    plum.set_sku("plum");
    Item item;
    if (const ipc::rpc::outcome result = client.try_call(get, plum, item, 5s); !result) // no exceptions
        std::cout << result.text << '\n'; //> There is no plum.

    TakeRequest five;
    five.set_sku("pear");
    five.set_count(5);
    try {
        client.call(take, five, 5s);
    } catch (const ipc::rpc::error &problem) {
        OutOfStock why;
        if (!problem.details().empty() && problem.details()[0].try_read(why))
            std::cout << why.left() << " left" << '\n'; //> 3 left
    }
    // end-snippet
}

void options()
{
    ipc::rpc::client client("store");
    // snippet: options
    ipc::rpc::metadata sent;
    sent.add("tenant", "north");
    ipc::rpc::canceller stop; // stop.trigger() from another thread ends the call

    ipc::rpc::call_options how;
    how.until = 5s;
    how.cancel = &stop;
    how.send = &sent;
    GetRequest request;
    request.set_sku("pear");
    std::cout << client.call(get, request, how).count() << '\n'; //> 3
    // end-snippet
}

void together()
{
    ipc::rpc::client client("store");
    // snippet: batch
    Order one;
    one.set_sku("apple");
    one.set_count(1);
    std::vector<ipc::rpc::pending_call<Receipt>> pending;
    {
        const auto batch = client.batch(); // what this thread sends goes out together at the end of the scope
        for (int i = 0; i < 3; i++)
            pending.push_back(client.call_async(order, one, 5s));
    }
    int done = 0;
    Receipt receipt;
    for (auto &each : pending)
        done += each.try_get(receipt) ? 1 : 0;
    std::cout << done << '\n'; //> 3
    // end-snippet
}

void around()
{
    // snippet: interceptor
    ipc::rpc::client_options options;
    options.interceptors = {std::make_shared<retries>()};
    // end-snippet
    ipc::rpc::client client("store", options);
    GetRequest request;
    request.set_sku("pear");
    client.call(get, request, 5s);
}

void callback()
{
    // snippet: callback
    auto alerts = std::make_shared<ipc::rpc::service>();
    alerts->unary(low, [](const Item &item, google::protobuf::Empty &) { std::cout << item.sku() << ": " << item.count() << " left" << std::endl; });

    ipc::rpc::client_options options;
    options.services = alerts;
    ipc::rpc::client client("store", options);

    WatchRequest pears;
    pears.set_sku("pear");
    pears.set_below(3);
    client.call(watch, pears, 5s); //> pear: 2 left
    // end-snippet
}

} // namespace

int main()
{
    // snippet: serve
    store_server server("store"); // an ipc::rpc::server with its handlers, started
    // end-snippet
    calls();
    errors();
    options();
    together();
    around();
    callback();
    ipc::rpc::client client("store");
    NoteRequest text;
    text.set_text("done");
    client.notify(note, text);

    PhotoRequest apple;
    apple.set_sku("apple");
    std::cout << client.call(photo, apple, 5s).result().size() << '\n'; //> 3145728
}
