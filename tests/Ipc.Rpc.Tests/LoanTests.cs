using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;
using Ipc.Rpc.Peer;
using Xunit;

namespace Ipc.Rpc.Tests;

/// <summary>Messages that are longer than the rings: both ways, in streams, many at once, and more than there is memory for.</summary>
public sealed class LoanTests
{
    [Theory]
    [InlineData(1 << 20)]
    [InlineData(2 << 20)]
    [InlineData(100_000_000)]
    public void ALongResponseArrivesWhole(int size)
    {
        using var server = new TestServer();
        using RpcClient client = server.Connect();
        ITestService service = TestServiceRpc.Client(client);
        for (int i = 0; i < 2; i++)
        {
            Assert.Equal(size, service.Blob(size).Length);
            ErrorTests.Lives(service);
        }
    }

    [Theory]
    [InlineData(0)]
    [InlineData(100)]
    [InlineData(1 << 20)]
    [InlineData(100_000_000)]
    public void AResponseCanBeReadWhereItIs(int size)
    {
        using var server = new TestServer();
        using RpcClient client = server.Connect();
        RpcMethod<int, int> blob = new(
            TestServiceRpc.Blob.Service,
            TestServiceRpc.Blob.Name,
            RpcMethodKind.Unary,
            TestServiceRpc.Blob.Request,
            new MessageCodec<int>("BlobResponse", static (ref ProtoWriter _, in int _) => throw new NotSupportedException(), ReadLength));
        long least = long.MaxValue; // the first call makes what is made once, and a collection now and then counts what is left of a block
        for (int i = 0; i < 5; i++)
        {
            long before = GC.GetAllocatedBytesForCurrentThread();
            int read = client.Call(blob, size);
            least = Math.Min(least, GC.GetAllocatedBytesForCurrentThread() - before);
            Assert.Equal(size, read);
        }

        Assert.Equal(0, least);
        ErrorTests.Lives(TestServiceRpc.Client(client));

        static int ReadLength(ref ProtoReader reader)
        {
            int length = 0;
            while (reader.TryReadTag(out uint tag))
            {
                if (tag == 10)
                    length = reader.ReadBytesInPlace().Length;
                else
                    reader.SkipField(tag);
            }

            return length;
        }
    }

    [Theory]
    [InlineData(1 << 20)]
    [InlineData(2 << 20)]
    [InlineData(50_000_000)]
    public async Task ALongRequestArrivesWholeAndComesBack(int size)
    {
        using var server = new TestServer();
        using RpcClient client = server.Connect();
        ITestService service = TestServiceRpc.Client(client);
        string text = Text(size, 7);
        Assert.Equal(text, service.Echo(new Message { Text = text }).Text);
        Assert.Equal(text, (await service.EchoAsync(new Message { Text = text })).Text);
        ErrorTests.Lives(service);
    }

    [Theory]
    [InlineData(1 << 20, 20)]
    [InlineData(2 << 20, 10)]
    [InlineData(100_000_000, 3)]
    public async Task LongItemsOfAStreamArriveWhole(int size, int count)
    {
        using var server = new TestServer();
        using RpcClient client = server.Connect();
        int items = 0;
        await foreach (byte[] item in TestServiceRpc.Client(client).Blobs(size, count, string.Empty))
        {
            Assert.Equal(size, item.Length);
            items++;
        }

        Assert.Equal(count, items);
    }

    /// <summary>More is under way than the budget holds: senders wait for each other's memory, on both sides, and everything arrives.</summary>
    [Fact]
    public async Task ManyLongCallsShareASmallBudget()
    {
        using var server = new TestServer();
        using RpcClient client = server.Connect(new RpcClientOptions { ToServerCapacity = 8192, ToClientCapacity = 8192, LoanBudget = 1 << 20 });
        ITestService service = TestServiceRpc.Client(client);
        string[] texts = Enumerable.Range(0, 8).Select(i => Text(100_000 + (i * 50_000), i)).ToArray();
        IEnumerable<Task> calls = Enumerable.Range(0, 64).Select(i => Task.Run(async () =>
        {
            string text = texts[i % texts.Length];
            Assert.Equal(text, (await service.EchoAsync(new Message { Text = text })).Text);
        }));
        await Eventually.Ends(Task.WhenAll(calls));
        ErrorTests.Lives(service);
    }

    [Fact]
    public void MoreThanTheBudgetIsRefusedWithBothNumbers()
    {
        using var server = new TestServer();
        using RpcClient client = server.Connect(new RpcClientOptions { LoanBudget = 1 << 20 });
        ITestService service = TestServiceRpc.Client(client);
        RpcCallException request = Assert.Throws<RpcCallException>(() => service.Echo(new Message { Text = Text(1 << 20, 1) }));
        Assert.Equal(RpcStatus.ResourceExhausted, request.Status);
        Assert.Contains((24 + 4 + (1 << 20)).ToString(), request.Message, StringComparison.Ordinal);
        Assert.Contains((1 << 20).ToString(), request.Message, StringComparison.Ordinal);
        Assert.Contains("LoanBudget", request.Message, StringComparison.Ordinal);
        RpcCallException response = Assert.Throws<RpcCallException>(() => service.Blob(2 << 20));
        Assert.Equal(RpcStatus.ResourceExhausted, response.Status);
        Assert.Contains("LoanBudget", response.Message, StringComparison.Ordinal);
        Assert.Equal(1_000_000, service.Blob(1_000_000).Length);
        ErrorTests.Lives(service);
    }

    [Fact]
    public void AServerRefusesAClientWhoseBudgetIsTooLarge()
    {
        using var server = new TestServer(new RpcServerOptions { MaxLoanBudget = 1 << 20 });
        RpcCallException refused = Assert.Throws<RpcCallException>(() => server.Connect(new RpcClientOptions { LoanBudget = 2 << 20 }));
        Assert.Contains((2 << 20).ToString(), refused.Message, StringComparison.Ordinal);
        using RpcClient client = server.Connect(new RpcClientOptions { LoanBudget = 1 << 20 });
        ErrorTests.Lives(TestServiceRpc.Client(client));
    }

    /// <summary>A method that returned long messages lately may be answered shortly, while there is no memory for a long one.</summary>
    [Fact]
    public async Task AShortResponseNeedsNoLoanAlthoughTheLastOnesDid()
    {
        using var server = new TestServer();
        using RpcClient client = server.Connect(new RpcClientOptions { LoanBudget = 1 << 20 });
        ITestService service = TestServiceRpc.Client(client);
        for (int i = 0; i < 3; i++)
            Assert.Equal(900_000, service.Blob(900_000).Length);
        Task<byte[]>[] calls = Enumerable.Range(0, 200).Select(i => Task.Run(() => service.Blob(i % 10 == 0 ? 900_000 : i))).ToArray();
        byte[][] blobs = await Eventually.Ends(Task.WhenAll(calls));
        Assert.All(Enumerable.Range(0, 200), i => Assert.Equal(i % 10 == 0 ? 900_000 : i, blobs[i].Length));
    }

    private static string Text(int length, int seed) => string.Create(length, seed, static (text, seed) =>
    {
        for (int i = 0; i < text.Length; i++)
            text[i] = (char)('a' + ((i + seed + (i >> 8)) % 26));
    });
}
