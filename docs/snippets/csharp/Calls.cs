using System;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc;

namespace Snippets;

internal static class Calls
{
    public static async Task Run()
    {
        // snippet: serve
        using RpcServer server = RpcServer.Start("store", StoreRpc.Service(new Store()));
        // end-snippet

        // snippet: call
        using RpcClient client = RpcClient.Connect("store");
        IStore store = StoreRpc.Client(client);

        Console.WriteLine(store.Get("apple").Count); //> 10

        Receipt receipt = await store.OrderAsync(new Order("apple", 2));
        Console.WriteLine(receipt.Left); //> 8
        // end-snippet

        await Limits(client);
        Errors(store);
        await Metadata(client);
        await Together(client, store);
        Callback();
        Around();
        await server.StopAsync(TimeSpan.FromSeconds(5));
    }

    private static async Task Limits(RpcClient client)
    {
        // snippet: timeout
        IStore hasty = StoreRpc.Client(client.WithTimeout(TimeSpan.FromMilliseconds(50)));
        try
        {
            await hasty.OrderAsync(new Order("apple", 20_000));
        }
        catch (RpcCallException e) when (e.Status == RpcStatus.DeadlineExceeded)
        {
            Console.WriteLine("not in 50 ms"); //> not in 50 ms
        }
        // end-snippet

        // snippet: cancel
        using CancellationTokenSource limit = new(TimeSpan.FromMilliseconds(50));
        try
        {
            await StoreRpc.Client(client).OrderAsync(new Order("apple", 20_000), limit.Token);
        }
        catch (OperationCanceledException)
        {
            Console.WriteLine("cancelled"); //> cancelled
        }
        // end-snippet
    }

    private static void Errors(IStore store)
    {
        // snippet: errors
        try
        {
            store.Get("plum");
        }
        catch (RpcCallException e) when (e.Status == RpcStatus.NotFound)
        {
            Console.WriteLine(e.Message); //> There is no plum.
        }

        try
        {
            store.Take("pear", 5);
        }
        catch (RpcCallException e) when (e.Details.Count > 0 && e.Details[0].TryRead(StoreRpc.Codecs.OutOfStock, out OutOfStock why))
        {
            Console.WriteLine($"{why.Left} left"); //> 3 left
        }
        // end-snippet
    }

    private static Task Metadata(RpcClient client)
    {
        // snippet: metadata
        RpcClient tagged = client
            .With(new RpcMetadata { { "tenant", "north" } })
            .WithAnswer(answer => Console.WriteLine(answer.Count)); //> 0
        StoreRpc.Client(tagged).Get("apple"); // the handler finds it in RpcContext.Current.RequestMetadata
        // end-snippet
        return Task.CompletedTask;
    }

    private static async Task Together(RpcClient client, IStore store)
    {
        // snippet: batch
        Task<Receipt>[] orders;
        using (client.Batch())
            orders = [.. Enumerable.Range(0, 3).Select(_ => store.OrderAsync(new Order("apple", 1)))];
        Receipt[] receipts = await Task.WhenAll(orders);
        Console.WriteLine(receipts.Min(receipt => receipt.Left)); //> 5
        // end-snippet
    }

    private static void Callback()
    {
        // snippet: callback
        RpcClientOptions options = new() { Services = { StoreAlertsRpc.Service(new Alerts()) } };
        using RpcClient watcher = RpcClient.Connect("store", options);
        IStore watched = StoreRpc.Client(watcher);

        watched.Watch("pear", below: 3);
        watched.Take("pear", 1); // the server calls Low, and only then answers
        //> pear: 2 left
        // end-snippet
    }

    private static void Around()
    {
        // snippet: interceptor
        RpcClientOptions options = new() { Interceptors = { next => new Retries(next) } };
        // end-snippet
        using RpcClient client = RpcClient.Connect("store", options);
        Console.WriteLine(StoreRpc.Client(client).Get("pear").Count); //> 2
        Patient();
    }

    private static void Patient()
    {
        // snippet: retry
        RpcClientOptions options = new() { WaitForReady = true, Retry = new RpcRetryPolicy { Attempts = 3, On = { RpcStatus.DeadlineExceeded } } };
        using RpcClient client = RpcClient.Create("store", options); // connects with its first call
        Console.WriteLine(client.For<IStore>().Get("pear").Count); //> 2
        // end-snippet
    }

    // snippet: alerts
    private sealed class Alerts : IStoreAlerts
    {
        public void Low(Item item) => Console.WriteLine($"{item.Sku}: {item.Count} left");
    }
    // end-snippet
}
