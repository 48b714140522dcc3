using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc.Peer;
using Xunit;

namespace Ipc.Rpc.Tests;

/// <summary>Calls that succeed.</summary>
public sealed class CallTests
{
    [Theory]
    [InlineData(WaitMode.Adaptive)]
    [InlineData(WaitMode.Spin)]
    [InlineData(WaitMode.Block)]
    public void ASynchronousCallReturnsTheResponse(WaitMode mode)
    {
        using var server = new TestServer(new RpcServerOptions { WaitMode = mode });
        using RpcClient client = server.Connect(new RpcClientOptions { WaitMode = mode });
        ITestService service = TestServiceRpc.Client(client);
        for (int i = 0; i < 1000; i++)
            Assert.Equal(i + 7, service.Add(i, 7));

        Message echoed = service.Echo(new Message { Number = -5, Value = 2.5, Text = "grüße" });
        Assert.Equal(-5, echoed.Number);
        Assert.Equal(2.5, echoed.Value);
        Assert.Equal("grüße", echoed.Text);
        service.Nothing();
    }

    [Theory]
    [InlineData(WaitMode.Adaptive)]
    [InlineData(WaitMode.Block)]
    public async Task AnAsynchronousCallReturnsTheResponse(WaitMode mode)
    {
        using var server = new TestServer(new RpcServerOptions { WaitMode = mode });
        using RpcClient client = server.Connect(new RpcClientOptions { WaitMode = mode });
        ITestService service = TestServiceRpc.Client(client);
        for (int i = 0; i < 300; i++)
            Assert.Equal(i + 7, await service.AddAsync(i, 7));
        await Eventually.Ends(service.NothingAsync());
    }

    [Fact]
    public async Task ManyCallsArePendingAtOnceAndEachGetsItsOwnResponse()
    {
        using var server = new TestServer();
        using RpcClient client = server.Connect();
        ITestService service = TestServiceRpc.Client(client);
        Task<int>[] calls = Enumerable.Range(0, 20_000).Select(i => service.AddAsync(i, 1).AsTask()).ToArray();
        int[] results = await Eventually.Ends(Task.WhenAll(calls));
        Assert.Equal(Enumerable.Range(1, 20_000), results);
    }

    [Fact]
    public void ManyThreadsShareOneClient()
    {
        using var server = new TestServer();
        using RpcClient client = server.Connect();
        ITestService service = TestServiceRpc.Client(client);
        int wrong = 0;
        OnThreads(8, thread =>
        {
            for (int i = 0; i < 2000; i++)
            {
                if (service.Echo(new Message { Number = (thread * 100_000) + i }).Number != (thread * 100_000) + i)
                    Interlocked.Increment(ref wrong);
            }
        });
        Assert.Equal(0, wrong);
    }

    /// <summary>While an asynchronous call is pending a thread of the client's reads for all: a synchronous call sleeps, and is woken by that one alone.</summary>
    [Fact]
    public async Task ASynchronousCallIsWokenByWhoReadsItsAnswer()
    {
        using var server = new TestServer();
        using RpcClient client = server.Connect(new RpcClientOptions { CallTimeout = TimeSpan.FromSeconds(20) });
        Gate gate = server.Service.GateOf("long");
        Task<int> pending = TestServiceRpc.Client(client).BlockAsync("long").AsTask();
        Eventually.True(() => gate.Entered == 1, "the handler blocks");
        for (int i = 0; i < 200; i++)
            Assert.Equal(i, TestServiceRpc.Client(client).Echo(new Message { Number = i }).Number);
        gate.Opened.Set();
        Assert.Equal(1, await Eventually.Ends(pending));
    }

    [Fact]
    public async Task SynchronousAsynchronousAndStreamingUsersShareOneClient()
    {
        using var server = new TestServer();
        using RpcClient client = server.Connect();
        ITestService service = TestServiceRpc.Client(client);
        Task calls = Task.Run(async () =>
        {
            for (int i = 0; i < 2000; i++)
                Assert.Equal(i + 1, await service.AddAsync(i, 1));
        });
        Task items = Task.Run(async () =>
        {
            int next = 0;
            await foreach (int item in service.Count(0, 20_000))
                Assert.Equal(next++, item);
            Assert.Equal(20_000, next);
        });
        OnThreads(3, _ =>
        {
            for (int i = 0; i < 2000; i++)
                Assert.Equal(i + 2, service.Add(i, 2));
        });
        await Eventually.Ends(Task.WhenAll(calls, items));
    }

    [Fact]
    public void ALargeMessageFitsUpToNearlyHalfOfTheRing()
    {
        using var server = new TestServer();
        using RpcClient client = server.Connect(new RpcClientOptions { ToClientCapacity = 1 << 20, ToServerCapacity = 1 << 20 });
        ITestService service = TestServiceRpc.Client(client);
        foreach (int size in new[] { 0, 1, 100, 500, 4_000, 4_096, 100_000, 524_000 })
        {
            Assert.Equal(size, service.Blob(size).Length);
            string text = new('a', size);
            Assert.Equal(text, service.Echo(new Message { Text = text }).Text ?? string.Empty);
        }
    }

    [Fact]
    public async Task AFullRingMakesCallersWaitAndLosesNothing()
    {
        using var server = new TestServer();
        using RpcClient client = server.Connect(new RpcClientOptions { ToClientCapacity = 4096, ToServerCapacity = 4096 });
        ITestService service = TestServiceRpc.Client(client);
        string text = new('b', 900);
        Task<Message>[] calls = Enumerable.Range(0, 500).Select(i => service.EchoAsync(new Message { Number = i, Text = text }).AsTask()).ToArray();
        Message[] results = await Eventually.Ends(Task.WhenAll(calls));
        Assert.Equal(Enumerable.Range(0, 500).Select(static i => (long)i), results.Select(static m => m.Number));
        Assert.All(results, m => Assert.Equal(text, m.Text));
    }

    [Fact]
    public void TwoServicesShareAServer()
    {
        string name = TestServer.NewName();
        var method = new RpcMethod<Message, Message>("other.v1", "Double", RpcMethodKind.Unary, TestServiceRpc.Echo.Request, TestServiceRpc.Echo.Response);
        var other = new RpcService("other.v1", new[] { RpcHandler.Unary(method, static (m, _) => new Message { Number = m.Number * 2 }) });
        using RpcServer server = RpcServer.Start(name, TestServiceRpc.Service(new TestService()), other);
        using RpcClient client = RpcClient.Connect(name);
        Assert.Equal(42, client.Call(method, new Message { Number = 21 }).Number);
        Assert.Equal(3, TestServiceRpc.Client(client).Add(1, 2));
    }

    internal static void OnThreads(int count, Action<int> body)
    {
        var failures = new List<Exception>();
        Thread[] threads = Enumerable.Range(0, count).Select(i => new Thread(() =>
        {
            try
            {
                body(i);
            }
            catch (Exception e)
            {
                lock (failures)
                    failures.Add(e);
            }
        })
        { IsBackground = true }).ToArray();
        foreach (Thread thread in threads)
            thread.Start();
        foreach (Thread thread in threads)
            Assert.True(thread.Join(Eventually.Watchdog), "a thread did not end");
        if (failures.Count != 0)
            throw new AggregateException(failures);
    }
}
