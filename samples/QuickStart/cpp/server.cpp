// The C++ server of the quick start: the twin of Server/Program.cs.
#include <chrono>
#include <iostream>
#include <random>
#include <string>

// snippet: includes
#include "ipc/rpc.hpp"
#include "quotes.pb.h"

using namespace quotes::v1;
using namespace std::chrono_literals;
// end-snippet

static void price(const QuoteRequest &request, Quote &quote)
{
    thread_local std::mt19937 random{std::random_device{}()};
    quote.set_symbol(request.symbol());
    quote.set_price(std::uniform_real_distribution<double>(100, 101)(random));
}

int main()
{
    // snippet: server
    ipc::rpc::server server("quotes");

    server.unary<QuoteRequest, Quote>("quotes.v1", "Get", price); // void price(const QuoteRequest &, Quote &)

    server.server_stream<QuoteRequest, Quote>("quotes.v1", "Watch", [](const auto &request, auto &items, auto &call) {
        Quote quote;
        do
            price(request, quote);
        while (items.write(quote) && !call.wait(100ms));
    });

    server.start();
    // end-snippet
    std::cout << "serving quotes; Enter ends it" << std::endl;
    std::string line;
    std::getline(std::cin, line);
    server.stop();
}
