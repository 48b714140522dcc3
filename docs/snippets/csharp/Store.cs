using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc;

namespace Snippets;

/// <summary>The server side of the guide's contract.</summary>
internal class Store : IStore
{
    private readonly ConcurrentDictionary<string, int> _stock = new() { ["apple"] = 10, ["pear"] = 3 };
    private readonly ConcurrentDictionary<string, (int Below, IStoreAlerts Alerts)> _watched = new();
    private long _receipts;

    // snippet: get
    public Item Get(string sku) => _stock.TryGetValue(sku, out int count)
        ? new Item(sku, count)
        : throw new RpcCallException(RpcStatus.NotFound, $"There is no {sku}.");
    // end-snippet

    // snippet: order
    public async Task<Receipt> OrderAsync(Order order, CancellationToken cancellationToken)
    {
        await Task.Delay(order.Count, cancellationToken); // fires when the caller cancels, dies, or its deadline passes
        return Take(order.Sku, order.Count);
    }
    // end-snippet

    // snippet: take
    public Receipt Take(string sku, int count)
    {
        int left;
        do
        {
            left = Get(sku).Count - count;
            if (left < 0)
                throw new RpcCallException(RpcStatus.FailedPrecondition, $"{count} of {sku} are too many.", [RpcDetail.Of(StoreRpc.Codecs.OutOfStock, new OutOfStock(sku, left + count))]);
        }
        while (!_stock.TryUpdate(sku, left, left + count)); // handlers run side by side

        if (_watched.TryGetValue(sku, out var watch) && left < watch.Below)
            watch.Alerts.Low(new Item(sku, left)); // a call to the client that watches, on its own connection
        return new Receipt(Interlocked.Increment(ref _receipts), left);
    }
    // end-snippet

    public byte[] Photo(string sku) => new byte[3 << 20];

    // snippet: watch
    public void Watch(string sku, int below) => _watched[sku] = (below, StoreRpc.Callback(RpcContext.Current!));
    // end-snippet

    // snippet: changes
    public async IAsyncEnumerable<Change> Changes(string sku, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        for (int by = 1; ; by++)
        {
            await Task.Yield();
            cancellationToken.ThrowIfCancellationRequested();
            yield return new Change(sku, by); // goes on when the reader has room for it
        }
    }
    // end-snippet

    // snippet: import
    public async Task<Totals> ImportAsync(IAsyncEnumerable<Item> items, CancellationToken cancellationToken)
    {
        int count = 0;
        long pieces = 0;
        await foreach (Item item in items.WithCancellation(cancellationToken))
        {
            _stock[item.Sku] = item.Count;
            count++;
            pieces += item.Count;
        }

        return new Totals(count, pieces);
    }
    // end-snippet

    // snippet: till
    public async IAsyncEnumerable<Receipt> Till(IAsyncEnumerable<Order> orders, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        await foreach (Order order in orders.WithCancellation(cancellationToken))
            yield return Take(order.Sku, order.Count);
    }
    // end-snippet

    // snippet: recount
    public async Task<int> RecountAsync(string shelf, IProgress<int> progress, CancellationToken cancellationToken)
    {
        for (int percent = 25; percent <= 100; percent += 25)
        {
            progress.Report(percent);
            await Task.Yield();
        }

        return _stock.Count;
    }
    // end-snippet

    public void Note(string text) => Notes.Enqueue(text);

    public ConcurrentQueue<string> Notes { get; } = new();
}
