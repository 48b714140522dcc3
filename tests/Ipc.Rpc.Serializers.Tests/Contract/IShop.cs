using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Rpc.Serializers.Tests.Contract;

/// <summary>One contract for all serializers: nothing in it knows any of them.</summary>
[IpcService("serializers.shop.v1")]
public interface IShop
{
    /// <summary>A message for a message.</summary>
    Order Mirror(Order order);

    /// <summary>Parameters and a result that are no messages.</summary>
    string Describe(int number, string text, List<double> values, Item? item);

    /// <summary>One bare parameter, one bare result that may be null.</summary>
    Task<string?> FindAsync(string name, CancellationToken cancel = default);

    /// <summary>Nothing for nothing.</summary>
    void Ping();

    /// <summary>A stream of messages.</summary>
    IAsyncEnumerable<Item> Items(int count);

    /// <summary>A stream of what are no messages.</summary>
    IAsyncEnumerable<Guid> Ids(int count);

    /// <summary>A stream of the caller's, beside a parameter.</summary>
    ValueTask<long> SumAsync(int factor, IAsyncEnumerable<Item> items, CancellationToken cancel = default);

    /// <summary>Streams both ways.</summary>
    IAsyncEnumerable<Item> Echo(IAsyncEnumerable<Item> items, CancellationToken cancel = default);

    /// <summary>Progress, and then the answer.</summary>
    ValueTask<int> WorkAsync(int steps, IProgress<Item> progress, CancellationToken cancel = default);
}
