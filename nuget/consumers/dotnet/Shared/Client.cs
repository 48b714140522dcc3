using System;
using System.Threading.Tasks;
using Ipc.Rpc;

namespace Quotes;

/// <summary>A call and a stream to the server of that name, both checked; an exception is the verdict.</summary>
public static class Client
{
    public static async Task Run(string server)
    {
        using RpcClient client = RpcClient.Connect(server);
        await Run(QuotesRpc.Client(client));
    }

    public static async Task Run(IQuotes quotes)
    {
        var request = new QuoteRequest { Symbol = "EURUSD" };
        Check(await quotes.Get(request));
        int left = 3;
        await foreach (Quote quote in quotes.Watch(request))
        {
            Check(quote);
            if (--left == 0)
                break;
        }

        if (left != 0)
            throw new InvalidOperationException("the stream ended " + left + " quotes early");
    }

    private static void Check(Quote quote)
    {
        if (quote.Symbol != "EURUSD" || !(quote.Price >= 100 && quote.Price <= 101))
            throw new InvalidOperationException("a quote of " + quote.Symbol + " at " + quote.Price);
    }
}
