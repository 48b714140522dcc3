// snippet: client
using System;
using Ipc.Rpc;
using QuickStart;

using RpcClient client = RpcClient.Connect("quotes");
IQuotes quotes = QuotesRpc.Client(client);

Console.WriteLine(quotes.Get(new QuoteRequest("EURUSD")).Price);

int left = 5;
await foreach (Quote quote in quotes.Watch(new QuoteRequest("EURUSD")))
{
    Console.WriteLine(quote.Price);
    if (--left == 0)
        break;
}
// end-snippet
