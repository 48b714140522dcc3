using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc.Peer;
using Xunit;

namespace Ipc.Rpc.Tests;

/// <summary>Streams from the server: order, end, failure, credit.</summary>
public sealed class StreamTests
{
    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(1000)]
    [InlineData(100_000)]
    public async Task AStreamDeliversEveryItemInOrderAndEnds(int count)
    {
        using var server = new TestServer();
        using RpcClient client = server.Connect();
        int next = 5;
        await foreach (int item in TestServiceRpc.Client(client).Count(5, count))
            Assert.Equal(next++, item);
        Assert.Equal(5 + count, next);
    }

    [Fact]
    public async Task AFailureComesAfterTheItemsBeforeIt()
    {
        using var server = new TestServer();
        using RpcClient client = server.Connect();
        int seen = 0;
        RpcCallException e = await Assert.ThrowsAsync<RpcCallException>(async () =>
        {
            await foreach (byte[] item in TestServiceRpc.Client(client).Blobs(10, 300, nameof(RpcStatus.Aborted)))
            {
                Assert.Equal(10, item.Length);
                seen++;
            }
        });
        Assert.Equal(RpcStatus.Aborted, e.Status);
        Assert.Equal(300, seen);
        ErrorTests.Lives(TestServiceRpc.Client(client));
    }

    /// <summary>To take the connection for each of them costs more than the item.</summary>
    [Fact]
    public async Task AConsumerThatComesForAnItemReadsOthersThatAreThere()
    {
        using var server = new TestServer();
        using RpcClient client = server.Connect(new RpcClientOptions { StreamWindow = 512 });
        await using IAsyncEnumerator<int> items = TestServiceRpc.Client(client).Count(0, 1_000_000).GetAsyncEnumerator();
        Assert.True(await Eventually.Ends(items.MoveNextAsync().AsTask()));
        Eventually.True(() => server.Service.Produced == 512, "the credit is used up");
        int before = client.Session.Channel!.Polls;
        for (int i = 1; i < 200; i++)
        {
            Assert.True(await items.MoveNextAsync());
            Assert.Equal(i, items.Current);
        }

        Assert.InRange(client.Session.Channel!.Polls - before, 0, 6);
    }

    [Fact]
    public async Task ASlowConsumerStopsItsProducerAndNobodyElse()
    {
        using var server = new TestServer();
        using RpcClient client = server.Connect(new RpcClientOptions { StreamWindow = 32 });
        ITestService service = TestServiceRpc.Client(client);
        await using IAsyncEnumerator<int> slow = service.Count(0, 1_000_000).GetAsyncEnumerator();
        Assert.True(await Eventually.Ends(slow.MoveNextAsync().AsTask()));
        Eventually.True(() => server.Service.Produced == 32, "the credit is used up");

        // Others on the same connection go on, and the producer has not moved meanwhile.
        for (int i = 0; i < 500; i++)
            Assert.Equal(i, service.Add(i, 0));
        int items = 0;
        await foreach (byte[] item in service.Blobs(100, 1000, string.Empty))
            items += item.Length / 100;
        Assert.Equal(1000, items);
        Assert.Equal(32, server.Service.Produced);

        for (int i = 1; i < 100; i++)
        {
            Assert.True(await Eventually.Ends(slow.MoveNextAsync().AsTask()));
            Assert.Equal(i, slow.Current);
        }

        Eventually.True(() => server.Service.Produced >= 100, "the producer goes on with the consumer");
        Assert.True(server.Service.Produced <= 100 + 32);
    }

    [Fact]
    public async Task LeavingTheLoopEndsTheProducer()
    {
        using var server = new TestServer();
        using RpcClient client = server.Connect();
        await foreach (int item in TestServiceRpc.Client(client).Count(0, int.MaxValue))
        {
            if (item == 10)
                break;
        }

        Eventually.True(() => server.Service.StreamsEnded == 1, "the producer ends");
        ErrorTests.Lives(TestServiceRpc.Client(client));
    }

    [Fact]
    public async Task CancellationEndsConsumerAndProducer()
    {
        using var server = new TestServer();
        using RpcClient client = server.Connect(new RpcClientOptions { StreamWindow = 4 });
        using var cancel = new CancellationTokenSource();
        await using IAsyncEnumerator<int> items = TestServiceRpc.Client(client).Count(0, int.MaxValue, cancel.Token).GetAsyncEnumerator();
        Assert.True(await items.MoveNextAsync());
        cancel.Cancel();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Eventually.Ends(items.MoveNextAsync().AsTask()));
        Eventually.True(() => server.Service.StreamsEnded == 1, "the producer ends");
    }

    [Fact]
    public async Task ManyStreamsShareAConnection()
    {
        using var server = new TestServer();
        using RpcClient client = server.Connect(new RpcClientOptions { StreamWindow = 16 });
        ITestService service = TestServiceRpc.Client(client);
        Task<long>[] sums = Enumerable.Range(0, 20).Select(async stream =>
        {
            long sum = 0;
            await foreach (int item in service.Count(stream, 1000))
                sum += item;
            return sum;
        }).ToArray();
        long[] results = await Eventually.Ends(Task.WhenAll(sums));
        for (int i = 0; i < results.Length; i++)
            Assert.Equal((1000L * i) + 499_500, results[i]);
    }

    [Fact]
    public async Task ItemsLargerThanTheRestOfTheRingArriveAll()
    {
        using var server = new TestServer();
        using RpcClient client = server.Connect(new RpcClientOptions { ToClientCapacity = 16 * 1024 });
        int items = 0;
        await foreach (byte[] item in TestServiceRpc.Client(client).Blobs(5000, 200, string.Empty))
        {
            Assert.Equal(5000, item.Length);
            items++;
        }

        Assert.Equal(200, items);
    }

    [Fact]
    public async Task AnItemThatIsTooLargeEndsTheStreamWithBothNumbers()
    {
        using var server = new TestServer();
        using RpcClient client = server.Connect(new RpcClientOptions { ToClientCapacity = 8192, LoanBudget = 0 });
        await using IAsyncEnumerator<byte[]> items = TestServiceRpc.Client(client).Blobs(5000, 2, string.Empty).GetAsyncEnumerator();
        RpcCallException e = await Eventually.Fails(items.MoveNextAsync().AsTask());
        Assert.Equal(RpcStatus.ResourceExhausted, e.Status);
        Assert.Contains("4088", e.Message, StringComparison.Ordinal);
        ErrorTests.Lives(TestServiceRpc.Client(client));
    }
}
