using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Channels;
using System.Threading.Tasks;
using Ipc.Rpc;

namespace Snippets;

/// <summary>A transport of one's own: docs/guide/transports.md. Its classes are in the folder Transport.</summary>
internal static class Transports
{
    private static readonly TimeSpan _limit = TimeSpan.FromSeconds(10);

    public static async Task Run()
    {
        // snippet: use
        MemoryQueue queue = new();
        await using MemoryServer server = new(queue, StoreRpc.Service(new Store()));
        IStore store = StoreRpc.Client(new MemoryCaller(queue, timeout: _limit));
        Console.WriteLine(store.Get("pear").Count); //> 3
        // end-snippet
        await Shapes(store);
        await Twice(queue, store);
        await Ends();
    }

    private static async Task Shapes(IStore store)
    {
        try
        {
            store.Take("pear", 4);
        }
        catch (RpcCallException e) when (e.Details[0].TryRead(StoreRpc.Codecs.OutOfStock, out OutOfStock stock))
        {
            Console.WriteLine($"{e.Status} {stock.Left} {e.Peer}"); //> FailedPrecondition 3 a queue in memory
        }

        int sum = 0;
        await foreach (Change change in store.Changes("pear"))
        {
            sum += change.By;
            if (change.By == 100) // more than a channel holds
                break;
        }

        Console.WriteLine(sum); //> 5050
        try
        {
            await store.ImportAsync(Items(broken: true));
        }
        catch (FormatException e)
        {
            Console.WriteLine(e.Message); //> a torn page
        }

        Console.WriteLine((await store.ImportAsync(Items())).Pieces); //> 5050
        await foreach (Receipt receipt in store.Till(Orders()))
            Console.WriteLine(receipt.Left); //> 9
                                             //> 7
        Console.WriteLine(await store.RecountAsync("all", new Progress<int>())); //> 101
        Console.WriteLine(store.Take("apple", 1).Left); //> 6
    }

    private static async Task Twice(MemoryQueue queue, IStore store)
    {
        // snippet: twice
        queue.DeliversTwice = true; // as a broker may, at any time
        store.Take("apple", 1); // of six
        queue.DeliversTwice = false;
        while (store.Get("apple").Count > 4)
            await Task.Delay(1);
        Console.WriteLine(store.Get("apple").Count); //> 4
        // end-snippet
    }

    /// <summary>How calls end, and what their handlers learn of it.</summary>
    private static async Task Ends()
    {
        MemoryQueue queue = new();
        Slow slow = new();
        MemoryServer server = new(queue, StoreRpc.Service(slow));
        IStore hasty = StoreRpc.Client(new MemoryCaller(queue, timeout: TimeSpan.FromMilliseconds(100)));
        try
        {
            await hasty.OrderAsync(new Order("apple", 1));
        }
        catch (RpcCallException e)
        {
            Console.WriteLine($"{e.Status}, handler: {await slow.EndedAsync()}"); //> DeadlineExceeded, handler: cancelled
        }

        await slow.BegunAsync();
        RpcMetadata metadata = new() { { "trace", "7" }, { MemoryServer.Again, "a lie" } };
        MemoryCaller caller = new(queue, metadata, _limit);
        IStore patient = StoreRpc.Client(caller);
        using CancellationTokenSource enough = new();
        Task<Receipt> given = patient.OrderAsync(new Order("apple", 1), enough.Token);
        await slow.BegunAsync();
        await enough.CancelAsync();
        try
        {
            await given;
        }
        catch (OperationCanceledException e) when (e.CancellationToken == enough.Token)
        {
            Console.WriteLine("cancelled, handler: " + await slow.EndedAsync()); //> cancelled, handler: cancelled
        }

        Task<Receipt> moved = patient.OrderAsync(new Order("apple", 1));
        await slow.BegunAsync();
        IAsyncEnumerator<Change> changes = patient.Changes("pear").GetAsyncEnumerator();
        await changes.MoveNextAsync();
        await server.DisposeAsync(); // with a request and a stream in hand
        await using MemoryServer next = new(queue, StoreRpc.Service(slow));
        Console.WriteLine($"{(await moved).Number} {caller.Answered!.GetText("seen")}"); //> 1 trace 7, again 1
        try
        {
            while (await changes.MoveNextAsync())
                ; // those that had come
        }
        catch (RpcCallException e)
        {
            Console.WriteLine($"{e.Status} {e.IsUnsent}"); //> Unavailable False
        }

        patient.Note("one way");
        while (!slow.Notes.TryPeek(out _))
            await Task.Delay(1);
        Console.WriteLine(string.Join(", ", slow.Notes)); //> one way
    }

    private static async IAsyncEnumerable<Item> Items(bool broken = false)
    {
        for (int i = 1; i <= 100; i++)
        {
            yield return new Item(i == 10 ? "apple" : "kind " + i, i);
            await Task.Yield();
            if (broken && i == 50)
                throw new FormatException("a torn page");
        }
    }

    private static async IAsyncEnumerable<Order> Orders()
    {
        yield return new Order("apple", 1);
        await Task.Yield();
        yield return new Order("apple", 2);
    }

    /// <summary>Takes an order that comes again at once, and any other never.</summary>
    private sealed class Slow : Store, IStore
    {
        private readonly Channel<string> _begun = Channel.CreateUnbounded<string>(), _ended = Channel.CreateUnbounded<string>();

        public ValueTask<string> BegunAsync() => _begun.Reader.ReadAsync();

        public ValueTask<string> EndedAsync() => _ended.Reader.ReadAsync();

        async Task<Receipt> IStore.OrderAsync(Order order, CancellationToken cancellationToken)
        {
            RpcContext context = RpcContext.Current!;
            string? again = context.RequestMetadata.GetText(MemoryServer.Again);
            context.ResponseMetadata.Add("seen", $"trace {context.RequestMetadata.GetText("trace")}, again {again}");
            if (again is not null)
                return Take(order.Sku, order.Count);
            _begun.Writer.TryWrite(order.Sku);
            try
            {
                await Task.Delay(Timeout.Infinite, cancellationToken);
            }
            finally
            {
                _ended.Writer.TryWrite(cancellationToken.IsCancellationRequested ? "cancelled" : "not cancelled");
            }

            throw new InvalidOperationException();
        }
    }
}
