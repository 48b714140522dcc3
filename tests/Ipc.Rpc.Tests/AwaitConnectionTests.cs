using System;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc.Peer;
using Xunit;

namespace Ipc.Rpc.Tests;

/// <summary>Connecting, stopping and disposing for who awaits it.</summary>
public sealed class AwaitConnectionTests
{
    private static readonly RpcClientOptions s_forEver = new() { ConnectTimeout = Timeout.InfiniteTimeSpan };

    [Fact]
    public async Task AClientIsThereWhenItsServerServes()
    {
        string name = TestServer.NewName();
        Task<RpcClient> early = RpcClient.ConnectAsync(name, s_forEver);
        Assert.False(early.IsCompleted, "connected to nobody");
        await using RpcServer server = RpcServer.Open(name).Add(TestServiceRpc.Service(new TestService()));
        Task<RpcClient> late = RpcClient.ConnectAsync(name, s_forEver);
        Assert.False(early.IsCompleted || late.IsCompleted, "the server has not been started");
        server.Start();
        foreach (Task<RpcClient> connecting in new[] { early, late })
        {
            await using RpcClient client = await Eventually.Ends(connecting);
            Assert.True(client.IsConnected);
            Assert.Equal(3, TestServiceRpc.Client(client).Add(1, 2));
        }
    }

    [Fact]
    public async Task WhatConnectingFailsWithIsThrownByTheTask()
    {
        Assert.Throws<ArgumentNullException>(() => { _ = RpcClient.ConnectAsync(null!); });
        string nobody = TestServer.NewName();
        var atOnce = new RpcClientOptions { ConnectTimeout = TimeSpan.Zero };
        Assert.Equal(RpcStatus.Unavailable, (await Eventually.Fails(RpcClient.ConnectAsync(nobody, atOnce))).Status);
        Assert.Equal(RpcStatus.Unavailable, (await Eventually.Fails(RpcClient.ConnectAsync(nobody, new RpcClientOptions { ConnectTimeout = TimeSpan.FromMilliseconds(30) }))).Status);
        Task<RpcClient> misnamed = RpcClient.ConnectAsync("a/b");
        Assert.Equal(IpcStatus.InvalidName, (await Assert.ThrowsAsync<IpcException>(() => Eventually.Ends(misnamed))).Status);

        using RpcServer deaf = RpcServer.Open(TestServer.NewName());
        RpcCallException silent = await Eventually.Fails(RpcClient.ConnectAsync(deaf.Name, new RpcClientOptions { ConnectTimeout = TimeSpan.FromMilliseconds(50) }));
        Assert.Equal(RpcStatus.Unavailable, silent.Status);
        Assert.Contains("did not answer", silent.Message, StringComparison.Ordinal);

        using var picky = new TestServer(new RpcServerOptions { Accept = static _ => "not you" });
        RpcCallException refused = await Eventually.Fails(RpcClient.ConnectAsync(picky.Name));
        Assert.Equal(RpcStatus.Unauthenticated, refused.Status);
        Assert.Contains("not you", refused.Message, StringComparison.Ordinal);
    }

    /// <summary>Whether it waits for a server to appear, or for the answer of one.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task ATokenEndsConnecting(bool isThere)
    {
        string name = TestServer.NewName();
        using RpcServer? deaf = isThere ? RpcServer.Open(name) : null;
        using var tired = new CancellationTokenSource();
        Task<RpcClient> connecting = RpcClient.ConnectAsync(name, s_forEver, tired.Token);
        Assert.False(connecting.IsCompleted);
        tired.Cancel();
        Assert.Equal(tired.Token, (await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Eventually.Ends(connecting))).CancellationToken);
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Eventually.Ends(RpcClient.ConnectAsync(name, s_forEver, tired.Token)));
    }

    [Fact]
    public async Task DisposingAClientEndsItsConnecting()
    {
        RpcClient client = RpcClient.Create(TestServer.NewName());
        Assert.Throws<ArgumentOutOfRangeException>(() => { _ = client.EnsureConnectedAsync(TimeSpan.FromSeconds(-3)); });
        Task connecting = client.EnsureConnectedAsync(Timeout.InfiniteTimeSpan);
        Assert.False(connecting.IsCompleted);
        await client.DisposeAsync();
        await Assert.ThrowsAsync<ObjectDisposedException>(() => Eventually.Ends(connecting));
        await Assert.ThrowsAsync<ObjectDisposedException>(() => Eventually.Ends(client.EnsureConnectedAsync(TimeSpan.Zero)));
    }

    [Fact]
    public async Task AllWhoConnectOneClientGetOneConnection()
    {
        string name = TestServer.NewName();
        await using RpcClient client = RpcClient.Create(name);
        Task[] early = Enumerable.Range(0, 8).Select(_ => client.EnsureConnectedAsync(Timeout.InfiniteTimeSpan)).ToArray();
        await using RpcServer server = RpcServer.Start(name, TestServiceRpc.Service(new TestService()));
        await Eventually.Ends(Task.WhenAll(early));
        Assert.Equal(3, TestServiceRpc.Client(client).Add(1, 2));
        Eventually.True(() => server.ConnectionCount == 1, "there is one connection");
        Assert.True(client.EnsureConnectedAsync(Timeout.InfiniteTimeSpan).IsCompletedSuccessfully);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task AServerThatStopsWaitsForItsCallsAsLongAsTheTokenAllows(bool isImpatient)
    {
        using var server = new TestServer();
        await using RpcClient client = await RpcClient.ConnectAsync(server.Name);
        Gate gate = server.Service.GateOf("stop");
        Task<int> call = TestServiceRpc.Client(client).WaitAsync("stop").AsTask();
        Eventually.True(() => gate.Entered == 1, "the handler waits");
        Assert.Throws<ArgumentOutOfRangeException>(() => { _ = server.Server.StopAsync(TimeSpan.FromSeconds(-3)); });
        using var impatient = new CancellationTokenSource();
        Task stopping = server.Server.StopAsync(impatient.Token);
        Task another = server.Server.StopAsync(Timeout.InfiniteTimeSpan, impatient.Token);
        RpcCallException late = await Eventually.Fails(RpcClient.ConnectAsync(server.Name)); // it takes no further clients
        Assert.Equal(RpcStatus.Unavailable, late.Status); // and has nothing against this one
        Assert.Contains("is stopping", late.Message, StringComparison.Ordinal);
        Assert.Equal(RpcStatus.Unavailable, Assert.Throws<RpcCallException>(() => server.Connect()).Status);
        using RpcClient opened = RpcClient.Create(server.Name);
        Assert.Equal(RpcStatus.Unavailable, Assert.Throws<RpcCallException>(() => TestServiceRpc.Client(opened).Add(1, 2)).Status);
        Assert.Equal(RpcStatus.Unavailable, (await Eventually.Fails(TestServiceRpc.Client(opened).EchoAsync(new Message()).AsTask())).Status);
        Assert.False(stopping.IsCompleted || another.IsCompleted, "stopped while a call was pending");
        if (isImpatient)
        {
            impatient.Cancel();
            await Eventually.Ends(stopping); // it has stopped: that is no failure
            Assert.Equal(RpcStatus.Unavailable, (await Eventually.Fails(call)).Status);
        }
        else
        {
            gate.Opened.Set();
            Assert.Equal(1, await Eventually.Ends(call));
            await Eventually.Ends(stopping);
        }

        await Eventually.Ends(another);
        Assert.True(server.Server.Completion.IsCompletedSuccessfully);
    }

    [Fact]
    public async Task TheNameIsFreeWhenDisposingHasCompleted()
    {
        string name = TestServer.NewName();
        for (int life = 0; life < 20; life++)
        {
            RpcServer server = RpcServer.Start(name, TestServiceRpc.Service(new TestService()));
            await using RpcClient client = await RpcClient.ConnectAsync(name);
            await server.DisposeAsync();
            await server.DisposeAsync();
            await server.StopAsync();
        }

        RpcServer unused = RpcServer.Open(name);
        await unused.DisposeAsync();
        await RpcServer.Open(name).StopAsync();
        RpcServer.Open(name).Dispose();
    }
}
