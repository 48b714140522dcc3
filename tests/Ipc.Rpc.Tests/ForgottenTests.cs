using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc.Peer;
using Xunit;

namespace Ipc.Rpc.Tests;

/// <summary>Clients that nobody disposes: the connection of one that was collected closes, and of one that can still be used it does not.</summary>
[Collection(nameof(Alone))]
public sealed class ForgottenTests
{
    [Theory]
    [InlineData("idle")]
    [InlineData("called")]
    [InlineData("awaited")]
    [InlineData("subscribed")]
    [InlineData("subscribed by who knows it")]
    [InlineData("serving")]
    [InlineData("streamed")]
    public async Task TheConnectionOfACollectedClientCloses(string life)
    {
        using var server = new TestServer();
        for (int i = 0; i < 3; i++)
            await Live(server, life);
        await Task.Yield(); // off the stack of the last life, whose frames still know its client
        IsForgotten(server.Server);
    }

    [Theory]
    [InlineData("read to its end")]
    [InlineData("left in the middle")]
    [InlineData("disposed before it began")]
    public async Task AnEnumerationThatIsOverDoesNotKeepItsClient(string end)
    {
        using var server = new TestServer();
        IAsyncEnumerator<int> items = Items(server, count: 100);
        if (end == "left in the middle")
            Assert.True(await items.MoveNextAsync());
        while (end == "read to its end" && await items.MoveNextAsync())
            Assert.True(items.Current < 100);
        if (end != "read to its end")
            await items.DisposeAsync();
        IsForgotten(server.Server);
        if (end != "left in the middle") // which was cancelled, and says so
            Assert.False(await items.MoveNextAsync());
        GC.KeepAlive(items);
    }

    [Fact]
    public async Task AnEnumerationThatFailsWhileItIsAwaitedDoesNotKeepItsClient()
    {
        using var server = new TestServer();
        IAsyncEnumerator<byte[]> blobs = Failing(server);
        await Assert.ThrowsAsync<RpcCallException>(async () => await blobs.MoveNextAsync());
        IsForgotten(server.Server);
        GC.KeepAlive(blobs);
    }

    [Fact]
    public async Task ASourceThatDoesNotComeBackDoesNotKeepTheClientOfItsDuplexCall()
    {
        string name = TestServer.NewName();
        using RpcServer server = RpcServer.Start(name, new Shapes().Service());
        var stuck = new TaskCompletionSource();
        IAsyncEnumerator<int> both = Both(name, new Source(-1, (i, _) => i == 1 ? default : new ValueTask(stuck.Task)));
        Assert.True(await both.MoveNextAsync());
        await both.DisposeAsync();
        IsForgotten(server);
        stuck.SetResult();
    }

    [Fact]
    public async Task AViewKeepsItsClient()
    {
        using var server = new TestServer();
        RpcClient view = View(server);
        for (int i = 0; i < 5; i++)
            Collect();
        Assert.Equal(3, await TestServiceRpc.Client(view).AddAsync(1, 2));
        Assert.Equal(1, server.Server.ConnectionCount);
    }

    [Fact]
    public async Task ACallThatIsPendingKeepsItsClient()
    {
        using var server = new TestServer();
        Task<int> call = Wait(server);
        Eventually.True(() => server.Service.GateOf("kept").Entered == 1, "the handler runs");
        for (int i = 0; i < 5; i++)
            Collect();
        server.Service.GateOf("kept").Opened.Set();
        await Eventually.Ends(call);
    }

    [Fact]
    public async Task AStreamThatIsReadKeepsItsClient()
    {
        using var server = new TestServer();
        await using IAsyncEnumerator<int> items = Items(server, int.MaxValue);
        for (int i = 0; i < 2000; i++)
        {
            Assert.True(await items.MoveNextAsync());
            if (i % 500 == 0)
                Collect();
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static IAsyncEnumerator<byte[]> Failing(TestServer server) => TestServiceRpc.Client(server.Connect()).Blobs(1, 0, "not now").GetAsyncEnumerator();

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static RpcClient View(TestServer server) => server.Connect().WithTimeout(Eventually.Watchdog);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static Task<int> Wait(TestServer server) => TestServiceRpc.Client(server.Connect()).WaitAsync("kept").AsTask();

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static IAsyncEnumerator<int> Items(TestServer server, int count) => TestServiceRpc.Client(server.Connect()).Count(0, count).GetAsyncEnumerator();

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static IAsyncEnumerator<int> Both(string server, Source source) => RpcClient.Connect(server).Duplex(Shapes.Shift, 1, source).GetAsyncEnumerator();

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static async Task Live(TestServer server, string life)
    {
        var options = new RpcClientOptions();
        if (life == "serving")
            options.Services.Add(TestServiceRpc.Service(new TestService()));
        RpcClient client = server.Connect(options);
        Eventually.True(() => server.Server.ConnectionCount != 0, "the server counts a client that it has accepted");
        GC.KeepAlive(client);
        ITestService service = TestServiceRpc.Client(client);
        switch (life)
        {
            case "called":
                Assert.Equal(3, service.Add(1, 2));
                break;
            case "awaited":
                await Task.WhenAll(service.AddAsync(1, 2).AsTask(), service.AddAsync(1, 2).AsTask());
                break;
            case "subscribed":
                client.ConnectionChanged += static (_, _) => { };
                break;
            case "subscribed by who knows it":
                client.ConnectionChanged += (_, _) => client.Dispose();
                break;
            case "streamed":
                await foreach (int item in service.Count(0, 100))
                    Assert.True(item >= 0);
                break;
        }
    }

    private static void IsForgotten(RpcServer server)
        => Eventually.True(
            () =>
            {
                Collect();
                return server.ConnectionCount == 0;
            },
            "the server has forgotten them");

    private static void Collect()
    {
        GC.Collect();
        GC.WaitForPendingFinalizers();
        Thread.Sleep(1); // what was forgotten is closed on the thread pool
    }
}
