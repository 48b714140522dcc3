// The code of docs/guide/streams.md.
#include <chrono>
#include <iostream>

#include "store.hpp"

using namespace snippets;
using namespace std::chrono_literals;

int main()
{
    store_server server("store");
    ipc::rpc::client client("store");

    // snippet: server-stream
    ChangesRequest apples;
    apples.set_sku("apple");
    int sum = 0;
    {
        auto items = client.stream(changes, apples, 5s); // 5 s for the whole stream
        Change change;
        while (change.by() < 100 && items.next(change))
            sum += change.by();
    } // destroyed before its end: cancelled
    std::cout << sum << '\n'; //> 5050
    // end-snippet

    // snippet: client-stream
    auto delivery = client.client_stream(import, {});
    Item item;
    for (const char *sku : {"apple", "fig"}) {
        item.set_sku(sku);
        item.set_count(6);
        if (!delivery.write(item)) // false: the server has answered already
            break;
    }
    const Totals totals = delivery.finish();
    std::cout << totals.items() << " items, " << totals.pieces() << " pieces" << '\n'; //> 2 items, 12 pieces
    // end-snippet

    // snippet: duplex
    auto at_till = client.duplex(till, {});
    Order order;
    order.set_sku("apple");
    order.set_count(2);
    Receipt receipt;
    at_till.write(order);
    at_till.next(receipt);
    std::cout << receipt.left() << '\n'; //> 4
    at_till.write(order);
    at_till.writes_done(); // the server's loop ends, and with it the stream
    while (at_till.next(receipt))
        std::cout << receipt.left() << '\n'; //> 2
    // end-snippet

    // snippet: progress
    RecountRequest shelf;
    RecountResponse kinds;
    client.try_call(recount, shelf, kinds, [](const RecountProgress &step) { // on this thread
        std::cerr << step.progress() << " %" << '\n';
    });
    std::cout << kinds.result() << " kinds" << '\n'; //> 2 kinds
    // end-snippet
}
