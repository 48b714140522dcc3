// A C++ program that has found the library by pkg-config: one call and one stream to the quick start's server, in whatever
// language it is written.
#include <chrono>
#include <cstdio>

#include <ipc/rpc.hpp>

#include "quotes.pb.h"

using namespace quotes::v1;
using namespace std::chrono_literals;

static bool is_price(const Quote &quote)
{
    return quote.symbol() == "EURUSD" && quote.price() >= 100 && quote.price() <= 101;
}

int main()
{
    ipc::require(IPC_CHECK_VERSION());
    ipc::rpc::client client("quotes");
    QuoteRequest request;
    request.set_symbol("EURUSD");
    int good = is_price(client.call<Quote>("quotes.v1", "Get", request, 20s)) ? 1 : 0;

    auto quotes = client.stream<Quote>("quotes.v1", "Watch", request, 20s);
    Quote quote;
    for (int left = 3; left > 0 && quotes.next(quote); left--)
        good += is_price(quote) ? 1 : 0;

    std::printf("%d quotes of 4, ipc %s\n", good, ipc_version());
    return good == 4 ? 0 : 1;
}
