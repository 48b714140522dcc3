using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using Xunit;

namespace Ipc.Rpc.Tests;

/// <summary>Streams whose consumer is always there first: no item is ever found in a queue, each one is handed to somebody who waits. Credit comes another way then.</summary>
public sealed class WaitingConsumerTests
{
    private const int Window = 40;
    private const int Items = 10 * Window;

    [Fact]
    public async Task AHandlerThatWaitsForEachItemGetsAllOfThem()
    {
        using var waits = new SemaphoreSlim(0);
        using RpcServer server = Hand.Serve(out string name, new RpcServerOptions { StreamWindow = Window }, RpcHandler.ClientStream(Hand.Sum, async (number, items, cancel) =>
        {
            return number + await Consume(items.GetAsyncEnumerator(cancel), waits);
        }));
        using RpcClient client = RpcClient.Connect(name);
        Task<int> sum = client.ClientStream(Hand.Sum, 0, Produced(waits)).AsTask();
        Assert.Equal(Items, await Eventually.Ends(sum));
    }

    [Fact]
    public async Task ACallerThatWaitsForEachItemGetsAllOfThem()
    {
        using var waits = new SemaphoreSlim(0);
        using RpcServer server = Hand.Serve(out string name, RpcHandler.ServerStream(Hand.Items, (_, _) => Produced(waits)));
        using RpcClient client = RpcClient.Connect(name, new RpcClientOptions { StreamWindow = Window });
        Assert.Equal(Items, await Eventually.Ends(Consume(client.Stream(Hand.Items, 1).GetAsyncEnumerator(), waits)));
    }

    /// <summary>Each item once its consumer waits for it.</summary>
    private static Source Produced(SemaphoreSlim waits) => new(Items, async (_, cancel) => await waits.WaitAsync(cancel));

    private static async Task<int> Consume(IAsyncEnumerator<int> items, SemaphoreSlim waits)
    {
        int count = 0;
        while (true)
        {
            ValueTask<bool> next = items.MoveNextAsync();
            Assert.True(count == Items || !next.IsCompleted, "nobody has been asked for item " + count);
            waits.Release();
            if (!await next)
                return count;
            Assert.Equal(++count, items.Current);
        }
    }
}
