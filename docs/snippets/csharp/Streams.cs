using System;
using System.Collections.Generic;
using System.Threading.Tasks;
using Ipc.Rpc;

namespace Snippets;

internal static class Streams
{
    public static async Task Run()
    {
        using RpcServer server = RpcServer.Start("store", StoreRpc.Service(new Store()));
        using RpcClient client = RpcClient.Connect("store");
        IStore store = StoreRpc.Client(client);

        // snippet: server-stream
        int sum = 0;
        await foreach (Change change in store.Changes("apple"))
        {
            sum += change.By;
            if (change.By == 100)
                break; // cancels the stream: the handler's token fires
        }

        Console.WriteLine(sum); //> 5050
        // end-snippet

        // snippet: client-stream
        Totals totals = await store.ImportAsync(Delivery());
        Console.WriteLine($"{totals.Items} items, {totals.Pieces} pieces"); //> 2 items, 12 pieces
        // end-snippet

        // snippet: duplex
        await foreach (Receipt receipt in store.Till(Basket()))
            Console.WriteLine(receipt.Left);
        //> 7
        //> 4
        // end-snippet

        // snippet: progress
        int kinds = await store.RecountAsync("all", new Each<int>(percent => Console.WriteLine($"{percent} %")));
        Console.WriteLine(kinds);
        //> 25 %
        //> 50 %
        //> 75 %
        //> 100 %
        //> 3
        // end-snippet

        // snippet: window
        RpcClientOptions narrow = new() { StreamWindow = 4 }; // the producer is at most 4 items ahead of this reader
        using RpcClient careful = RpcClient.Connect("store", narrow);
        // end-snippet
        await foreach (Change change in StoreRpc.Client(careful).Changes("apple"))
        {
            if (change.By == 10)
                break;
        }
    }

    // snippet: delivery
    private static async IAsyncEnumerable<Item> Delivery()
    {
        yield return new Item("apple", 10); // asked for only while the server has room for it
        await Task.Yield();
        yield return new Item("fig", 2);
    }
    // end-snippet

    private static async IAsyncEnumerable<Order> Basket()
    {
        yield return new Order("apple", 3);
        await Task.Yield();
        yield return new Order("apple", 3);
    }

    // snippet: each
    private sealed class Each<T>(Action<T> tell) : IProgress<T> // Progress<T> posts to a context, in no certain order without one
    {
        public void Report(T value) => tell(value);
    }
    // end-snippet
}
