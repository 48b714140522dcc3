// The C++ client of the quick start: the twin of Client/Program.cs.
#include <iostream>

#include "ipc/rpc.hpp"
#include "quotes.pb.h"

using namespace quotes::v1;

int main()
{
    // snippet: client
    ipc::rpc::client client("quotes");
    QuoteRequest request;
    request.set_symbol("EURUSD");

    std::cout << client.call<Quote>("quotes.v1", "Get", request).price() << '\n';

    auto quotes = client.stream<Quote>("quotes.v1", "Watch", request);
    Quote quote;
    for (int left = 5; left > 0 && quotes.next(quote); left--)
        std::cout << quote.price() << '\n';
    // end-snippet
}
