using System;
using System.Threading.Tasks;
using Ipc.Rpc.Peer;
using Xunit;

namespace Ipc.Rpc.Tests;

/// <summary>Clients and servers of other versions of the protocol than this one, as far as they can be had today.</summary>
public sealed class ProtocolVersionTests
{
    private const int Calls = ConnectionProtocol.Calls;

    [Fact]
    public void AServerThatHasOnlyLaterVersionsIsNamedWithThem()
    {
        string name = TestServer.NewName();
        using Listener later = Listener.Open(name, new ListenerOptions { Protocol = new(Calls, version: 3, leastVersion: 2) });
        RpcCallException refused = Assert.Throws<RpcCallException>(() => RpcClient.Connect(name, new RpcClientOptions { ConnectTimeout = TimeSpan.Zero }));
        Assert.Equal(RpcStatus.FailedPrecondition, refused.Status);
        Assert.Contains("speaks calls (protocol 1), versions 2 to 3, and this program calls (protocol 1), version 1", refused.Message, StringComparison.Ordinal);
    }

    /// <summary>No waiting mends it: it would ask for ever, and never say why.</summary>
    [Fact]
    public async Task AClientThatWaitsForItsServerDoesNotWaitForAnotherVersion()
    {
        string name = TestServer.NewName();
        using Listener later = Listener.Open(name, new ListenerOptions { Protocol = new(Calls, version: 3, leastVersion: 2) });
        using RpcClient client = RpcClient.Create(name, new RpcClientOptions { WaitForReady = true });
        ITestService service = TestServiceRpc.Client(client);
        foreach (Func<Task> call in new Func<Task>[] { () => Task.Run(() => service.Add(1, 2)), () => client.CallAsync(Hand.Ask, 1, TestContext.Current.CancellationToken).AsTask() })
        {
            RpcCallException refused = await Assert.ThrowsAsync<RpcCallException>(() => call().WaitAsync(Eventually.Watchdog, TestContext.Current.CancellationToken));
            Assert.Equal(RpcStatus.FailedPrecondition, refused.Status);
            Assert.Contains("versions 2 to 3", refused.Message, StringComparison.Ordinal);
        }
    }

    /// <summary>The caller's options are its own again when the listener is open.</summary>
    [Fact]
    public async Task AListenerKeepsWhatItWasOpenedWith()
    {
        string name = TestServer.NewName();
        var options = new ListenerOptions { Protocol = new(Calls, version: 2) };
        using Listener listener = Listener.Open(name, options);
        options.Protocol = new(Calls, version: 9);
        Task connecting = Task.Run(() => Connection.Connect(name, new ConnectOptions { Protocol = new(Calls, version: 2) }).Dispose(), TestContext.Current.CancellationToken);
        Assert.Equal(IpcStatus.Ok, listener.Next(out ListenerEvent asked, Deadline.After(Eventually.Watchdog)));
        Assert.Equal(2, asked.Connection.ProtocolVersion);
        asked.Connection.Accept();
        await connecting.WaitAsync(Eventually.Watchdog, TestContext.Current.CancellationToken);
        asked.Connection.Dispose();
    }

    [Fact]
    public void AServerOfSomethingElseIsNamedWithIt()
    {
        string name = TestServer.NewName();
        using Listener pipes = Listener.Open(name, new ListenerOptions { Protocol = new(ConnectionProtocol.Bytes, version: 1) });
        RpcCallException refused = Assert.Throws<RpcCallException>(() => RpcClient.Connect(name, new RpcClientOptions { ConnectTimeout = TimeSpan.Zero }));
        Assert.Contains("speaks bytes (protocol 2), version 1, and this program calls (protocol 1), version 1", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task AServerOfTheNextVersionIsSpokenToInThisOne()
    {
        string name = TestServer.NewName();
        using Listener next = Listener.Open(name, new ListenerOptions { Protocol = new(Calls, version: 2, leastVersion: 1) });
        Task<RpcClient> connecting = Task.Run(() => RpcClient.Connect(name), TestContext.Current.CancellationToken);
        Assert.Equal(IpcStatus.Ok, next.Next(out ListenerEvent asked, Deadline.After(Eventually.Watchdog)));
        Assert.Equal(1, asked.Connection.ProtocolVersion);
        asked.Connection.Accept();
        (await connecting).Dispose();
        asked.Connection.Dispose();
    }

    [Fact]
    public void AClientOfTheNextVersionSpeaksThisOneAndOneOfALaterIsRefused()
    {
        using var server = new TestServer();
        using (Connection next = Connection.Connect(server.Name, new ConnectOptions { Protocol = new(Calls, version: 2, leastVersion: 1) }))
            Assert.Equal(1, next.ProtocolVersion);
        IpcException later = Assert.Throws<IpcException>(
            () => Connection.Connect(server.Name, new ConnectOptions { Protocol = new(Calls, version: 3, leastVersion: 2) }));
        Assert.Equal(IpcStatus.WrongVersion, later.Status);
        IpcException other = Assert.Throws<IpcException>(
            () => Connection.Connect(server.Name, new ConnectOptions { Protocol = new(ConnectionProtocol.Bytes, version: 1) }));
        Assert.Equal(IpcStatus.WrongKind, other.Status);
        using RpcClient client = RpcClient.Connect(server.Name);
        Assert.Equal(3, TestServiceRpc.Client(client).Add(1, 2));
    }

    [Theory]
    [InlineData(0, 1, 0)]
    [InlineData(65_536, 1, 0)]
    [InlineData(1, 0, 0)]
    [InlineData(1, 256, 0)]
    [InlineData(1, 2, 3)]
    [InlineData(1, 2, -1)]
    public void WhatIsNoProtocolIsSaidAtOnce(int id, int version, int least) =>
        Assert.Throws<ArgumentOutOfRangeException>(() => new ConnectionProtocol(id, version, least));
}
