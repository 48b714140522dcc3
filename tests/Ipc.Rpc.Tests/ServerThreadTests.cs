using System;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc.Peer;
using Xunit;

namespace Ipc.Rpc.Tests;

/// <summary>Leader and followers: a handler that blocks holds up nobody.</summary>
public sealed class ServerThreadTests
{
    [Fact]
    public async Task ABlockedHandlerHoldsUpNeitherOtherConnectionsNorItsOwn()
    {
        using var server = new TestServer();
        using RpcClient blocked = server.Connect();
        using RpcClient other = server.Connect();
        Gate gate = server.Service.GateOf("one");
        Task<int> call = Task.Run(() => TestServiceRpc.Client(blocked).Block("one"));
        Eventually.True(() => gate.Entered == 1, "the handler blocks");
        for (int i = 0; i < 200; i++)
            Assert.Equal(i, TestServiceRpc.Client(other).Add(i, 0));
        Assert.Equal(3, await Eventually.Ends(TestServiceRpc.Client(blocked).AddAsync(1, 2).AsTask()));
        gate.Opened.Set();
        Assert.Equal(1, await Eventually.Ends(call));
    }

    [Fact]
    public async Task ThirtyBlockedHandlersLeaveTheServerAnswering()
    {
        using var server = new TestServer();
        using RpcClient client = server.Connect();
        ITestService service = TestServiceRpc.Client(client);
        Gate gate = server.Service.GateOf("many");
        Task<int>[] calls = Enumerable.Range(0, 30).Select(_ => service.BlockAsync("many").AsTask()).ToArray();
        Eventually.True(() => gate.Entered == 30, "thirty handlers block");
        ErrorTests.Lives(service);
        gate.Opened.Set();
        Assert.All(await Eventually.Ends(Task.WhenAll(calls)), static result => Assert.Equal(30, result));

        // The threads that came back are of use again.
        Gate again = server.Service.GateOf("again");
        Task<int> call = service.BlockAsync("again").AsTask();
        Eventually.True(() => again.Entered == 1, "another handler blocks");
        ErrorTests.Lives(service);
        again.Opened.Set();
        await Eventually.Ends(call);
    }

    /// <summary>Half of the threads for one client, in the order of its calls; and what is not a request gets past those that wait.</summary>
    [Fact]
    public void TheBlockedHandlersOfOneClientLeaveThreadsToOthers()
    {
        using var server = new TestServer(new RpcServerOptions { MaxThreads = 8 });
        using RpcClient other = server.Connect();
        using var greedy = new RawClient(server.Name);
        Gate gate = server.Service.GateOf("x");
        for (ulong call = 1; call <= 40; call++)
            greedy.Send(new FrameHeader(FrameKind.Request, call, method: TestServiceRpc.Block.Id), 0x0A, 1, (byte)'x');
        for (int i = 0; i < 50; i++)
        {
            ErrorTests.Lives(TestServiceRpc.Client(other));
            Thread.Sleep(1); // the threads are taken one by one
        }

        Assert.Equal(4, gate.Entered);
        greedy.Send(new FrameHeader(FrameKind.Cancel, 2));
        FrameHeader cancelled = greedy.Receive();
        Assert.Equal((FrameKind.Error, 2UL, (ushort)RpcStatus.Cancelled), (cancelled.Kind, cancelled.Call, cancelled.Code));
        Eventually.True(() => gate.Entered == 5, "the next one begins");
        gate.Opened.Set();
        Assert.Equal(
            Enumerable.Range(1, 40).Where(static call => call != 2),
            Enumerable.Range(1, 39).Select(_ => (int)greedy.Receive().Call).OrderBy(static call => call));
        ErrorTests.Lives(TestServiceRpc.Client(other));
    }

    /// <summary>With every thread in a handler nobody was left to hear that the clients had gone, or that the server was to stop.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void AServerWithoutAFreeThreadHearsOfTheEnd(bool itsOwn)
    {
        using var server = new TestServer(new RpcServerOptions { MaxThreads = 4 });
        Gate gate = server.Service.GateOf("x");
        RawClient[] clients = [.. Enumerable.Range(0, 6).Select(_ => new RawClient(server.Name))];
        foreach (RawClient each in clients)
        {
            for (ulong call = 1; call <= 3; call++)
                each.Send(new FrameHeader(FrameKind.Request, call, method: TestServiceRpc.Block.Id), 0x0A, 1, (byte)'x');
        }

        Eventually.True(() => gate.Entered == 4, "all threads block");
        if (itsOwn)
        {
            server.Dispose();
            Eventually.True(() => server.Server.Completion.IsCompletedSuccessfully, "the server ends");
        }

        foreach (RawClient each in clients)
            each.Dispose();
        if (!itsOwn)
        {
            using RpcClient other = server.Connect();
            ErrorTests.Lives(TestServiceRpc.Client(other));
        }

        Eventually.True(() => gate.Cancelled == gate.Entered, "all tokens fire");
    }

    /// <summary>As many threads are allowed as anybody wants, but the system has no more.</summary>
    [Fact]
    public void ClientsThatHaveTakenTheSystemsLastThreadsGiveThemBackWhenTheyGo()
    {
        using var server = new TestServer();
        using RpcClient other = server.Connect();
        Gate gate = server.Service.GateOf("x");
        RawClient[] clients = [.. Enumerable.Range(0, 6).Select(_ => new RawClient(server.Name))];
        ErrorTests.Lives(TestServiceRpc.Client(other));
        int refused = 0;
        server.Server.StartingThread = () =>
        {
            if (gate.Entered < 3)
                return;
            Interlocked.Increment(ref refused);
            throw new InsufficientMemoryException("no thread");
        };
        foreach (RawClient each in clients)
        {
            for (ulong call = 1; call <= 3; call++)
                each.Send(new FrameHeader(FrameKind.Request, call, method: TestServiceRpc.Block.Id), 0x0A, 1, (byte)'x');
        }

        Eventually.True(() => Volatile.Read(ref refused) > 0 && gate.Entered > 3, "the system has no thread");
        for (int seen = 0, quiet = 0; quiet < 30; Thread.Sleep(10)) // until all are stuck that there are
        {
            quiet = seen == gate.Entered ? quiet + 1 : 0;
            seen = gate.Entered;
        }

        foreach (RawClient each in clients)
            each.Dispose();
        ErrorTests.Lives(TestServiceRpc.Client(other));
        Eventually.True(() => gate.Cancelled == gate.Entered, "all tokens fire");
    }

    [Fact]
    public async Task AServerIsDisposedWhileHandlersBlock()
    {
        var server = new TestServer();
        using RpcClient client = server.Connect();
        Gate gate = server.Service.GateOf("stuck");
        Task<int> call = Task.Run(() => TestServiceRpc.Client(client).Block("stuck"));
        Eventually.True(() => gate.Entered == 1, "the handler blocks");
        server.Dispose();
        Assert.True(server.Server.Completion.IsCompletedSuccessfully);
        RpcCallException e = await Eventually.Fails(call);
        Assert.Equal(RpcStatus.Unavailable, e.Status);
        Assert.Contains("stopped", e.Message, StringComparison.Ordinal);
        Eventually.True(() => gate.Cancelled == 1, "the handler's token fires");
    }

    [Fact]
    public async Task AHandlerDisposesItsOwnServer()
    {
        string name = TestServer.NewName();
        RpcServer? server = null;
        server = RpcServer.Start(name, new RpcService("test.v1", new[]
        {
            RpcHandler.Unary(TestServiceRpc.Echo, (m, _) =>
            {
                server!.Dispose();
                return m;
            }),
        }));
        using RpcClient client = RpcClient.Connect(name);
        RpcCallException e = await Eventually.Fails(Task.Run(() => TestServiceRpc.Client(client).Echo(default)));
        Assert.Equal(RpcStatus.Unavailable, e.Status);
        await Eventually.Ends(server.Completion);
    }

    [Fact]
    public async Task StoppingInGoodOrderWaitsForPendingCalls()
    {
        using var server = new TestServer();
        using RpcClient client = server.Connect();
        Gate gate = server.Service.GateOf("drain");
        Task<int> call = TestServiceRpc.Client(client).WaitAsync("drain").AsTask();
        Eventually.True(() => gate.Entered == 1, "the handler waits");
        Task stopping = server.Server.StopAsync(Eventually.Watchdog);
        RpcCallException e = await Eventually.Fails(Task.Run(() =>
        {
            while (true)
                TestServiceRpc.Client(client).Add(1, 1); // until the server has heard of it
        }));
        Assert.Equal(RpcStatus.Unavailable, e.Status);
        Assert.False(stopping.IsCompleted);
        gate.Opened.Set();
        Assert.Equal(1, await Eventually.Ends(call));
        await Eventually.Ends(stopping);
    }

    [Fact]
    public async Task AClientThatDoesNotReadHoldsUpNobody()
    {
        // A hundred answers of 4 KB cannot fit: nobody reads them, since the client only sends.
        using var server = new TestServer();
        using RpcClient client = server.Connect();
        using RawClient deaf = new(server.Name, 8192);
        for (ulong i = 1; i <= 50; i++)
            deaf.Send(new FrameHeader(FrameKind.Request, i, method: TestServiceRpc.Blob.Id), RawClient.Varint(1, 3000));
        for (int i = 0; i < 500; i++)
            Assert.Equal(i, TestServiceRpc.Client(client).Add(i, 0));

        // As soon as it reads, all of them arrive.
        var answered = await Task.Run(() => Enumerable.Range(0, 50).Select(_ => deaf.Receive().Call).OrderBy(static call => call).ToArray());
        Assert.Equal(Enumerable.Range(1, 50).Select(static i => (ulong)i), answered);
    }
}
