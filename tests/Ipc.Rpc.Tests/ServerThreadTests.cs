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
        RpcException e = await Eventually.Fails(call);
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
        RpcException e = await Eventually.Fails(Task.Run(() => TestServiceRpc.Client(client).Echo(default)));
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
        RpcException e = await Eventually.Fails(Task.Run(() =>
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
