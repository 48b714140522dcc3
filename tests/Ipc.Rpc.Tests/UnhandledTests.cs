using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Xunit;

namespace Ipc.Rpc.Tests;

/// <summary>Calls that a server had not handled when it ended in good order. It says how far it has come (docs/wire-format/connection.md section 6), and what
/// lies behind is made again, of the next server, or ends as unsent.</summary>
public sealed class UnhandledTests
{
    private static readonly RpcClientOptions _withoutSuccessor = new() { AutoReconnect = false };

    [Fact]
    public async Task ASynchronousCallThatWasNotReadIsMadeAgainAtTheNextServer()
    {
        using var old = new RawServer();
        using RpcClient client = await Connect(old, new RpcClientOptions());
        Task<int> call = Aside(() => client.Call(Hand.Ask, 20));
        Eventually.True(() => old.HasUnread, "the request");
        old.End(handledTo: 0);
        using RpcServer next = RpcServer.Start(old.Name, Hand.Service(RpcHandler.Unary(Hand.Ask, static number => number + 1)));
        Assert.Equal(21, await Eventually.Ends(call));
    }

    [Fact]
    public async Task OneThatWasToldSoIsMadeAgainToo()
    {
        using var old = new RawServer();
        using RpcClient client = await Connect(old, new RpcClientOptions());
        Task<int> call = Aside(() => client.Call(Hand.Ask, 20));
        FrameHeader request = old.Receive();
        old.Send(new FrameHeader(FrameKind.Error, request.Call, (ushort)RpcStatus.Unavailable, FrameHeader.Unhandled));
        Eventually.True(() => !client.IsConnected, "the client takes leave");
        old.End(handledTo: 0);
        using RpcServer next = RpcServer.Start(old.Name, Hand.Service(RpcHandler.Unary(Hand.Ask, static number => number + 1)));
        Assert.Equal(21, await Eventually.Ends(call));
    }

    /// <summary>The library does not keep the message: who wants that says so (WaitForReady).</summary>
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task AnAsynchronousCallIsMadeAgainWhereTheClientWaitsForItsServer(bool waits)
    {
        using var old = new RawServer();
        using RpcClient client = await Connect(old, new RpcClientOptions { WaitForReady = waits });
        Task<int> call = client.CallAsync(Hand.Ask, 20, TestContext.Current.CancellationToken).AsTask();
        Eventually.True(() => old.HasUnread, "the request");
        old.End(handledTo: 0);
        using RpcServer next = RpcServer.Start(old.Name, Hand.Service(RpcHandler.Unary(Hand.Ask, static number => number + 1)));
        if (waits)
            Assert.Equal(21, await Eventually.Ends(call));
        else
            Assert.True((await Failure(call)).IsUnsent);
    }

    [Fact]
    public async Task WhatTheServerMayHaveHandledIsNotMadeAgain()
    {
        using var old = new RawServer();
        using RpcClient client = await Connect(old, new RpcClientOptions { WaitForReady = true });
        Task<int> handled = Aside(() => client.Call(Hand.Ask, 1));
        old.Receive();
        long to = old.Connection.Reader.ReleasedTo;
        Task<int> not = Aside(() => client.Call(Hand.Ask, 2));
        Eventually.True(() => old.HasUnread, "the second request");
        old.End(to);
        using RpcServer next = RpcServer.Start(old.Name, Hand.Service(RpcHandler.Unary(Hand.Ask, static number => number + 1)));
        RpcCallException failure = await Failure(handled);
        Assert.Equal(RpcStatus.Unavailable, failure.Status);
        Assert.False(failure.IsUnsent);
        Assert.Equal(3, await Eventually.Ends(not));
    }

    [Fact]
    public async Task NothingIsKnownOfTheCallsOfAServerThatDoesNotSay()
    {
        using var old = new RawServer();
        using RpcClient client = await Connect(old, _withoutSuccessor);
        Task<int> call = Aside(() => client.Call(Hand.Ask, 20));
        Eventually.True(() => old.HasUnread, "the request");
        old.Connection.Shutdown(CloseCode.Shutdown, "The server stopped.");
        RpcCallException failure = await Failure(call);
        Assert.False(failure.IsUnsent);
        Assert.Contains("not known", failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task AClientThatDoesNotReconnectIsToldThatNobodyHandledIt()
    {
        using var old = new RawServer();
        using RpcClient client = await Connect(old, _withoutSuccessor);
        Task<int> call = Aside(() => client.Call(Hand.Ask, 20));
        Eventually.True(() => old.HasUnread, "the request");
        old.End(handledTo: 0);
        RpcCallException failure = await Failure(call);
        Assert.Equal(RpcStatus.Unavailable, failure.Status);
        Assert.True(failure.IsUnsent);
        Assert.DoesNotContain("not known", failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task OneForWhichNoServerComesEndsUnsentWhenTheTimeToConnectIsOver()
    {
        using var old = new RawServer();
        using RpcClient client = await Connect(old, new RpcClientOptions { ConnectTimeout = TimeSpan.FromMilliseconds(200) });
        Task<int> call = Aside(() => client.Call(Hand.Ask, 20));
        Eventually.True(() => old.HasUnread, "the request");
        old.End(handledTo: 0);
        RpcCallException failure = await Failure(call);
        Assert.Equal(RpcStatus.Unavailable, failure.Status);
        Assert.True(failure.IsUnsent);
    }

    /// <summary>Its items may have been taken from a source that has them once.</summary>
    [Fact]
    public async Task AnUploadIsNotMadeAgainAndIsToldThatNobodyHandledIt()
    {
        using var old = new RawServer();
        using RpcClient client = await Connect(old, new RpcClientOptions { WaitForReady = true });
        Task<int> call = client.ClientStream(Hand.Sum, 0, Endless(), TestContext.Current.CancellationToken).AsTask();
        Eventually.True(() => old.HasUnread, "the request");
        old.End(handledTo: 0);
        RpcCallException failure = await Failure(call);
        Assert.Equal(RpcStatus.Unavailable, failure.Status);
        Assert.True(failure.IsUnsent);
    }

    /// <summary>It was never in the ring, and said that nothing is known of it.</summary>
    [Fact]
    public async Task ARequestThatFindsNoRoomWhenTheServerEndsIsUnsent()
    {
        using var old = new RawServer();
        using RpcClient client = await Connect(old, new RpcClientOptions { AutoReconnect = false, ToServerCapacity = 4096 });
        ClientChannel channel = client.Session.Channel!;
        channel.Watch(); // or nobody would notice the end
        Task<int>[] before = [.. Enumerable.Range(0, 50).Select(number => client.CallAsync(Hand.Ask, number).AsTask())];
        bool ended = false;
        var ending = new MessageCodec<int>(
            "Ending",
            (ref ProtoWriter writer, in int _) =>
            {
                writer.WriteBytes((3 << 3) | 2, new byte[1800]);
                if (!ended)
                    old.End(handledTo: 0);
                ended = true;
                Eventually.True(() => channel.Ended is not null, "the end is noticed");
            },
            static (ref ProtoReader _) => 0);
        var method = new RpcMethod<int, int>(Hand.Name, "Ask", RpcMethodKind.Unary, ending, Hand.Number);
        Assert.True((await Failure(Aside(() => client.Call(method, 1)))).IsUnsent);
        foreach (Task<int> call in before)
            Assert.True((await Failure(call)).IsUnsent);
    }

    /// <summary>A reader learns that the server takes no more while another thread finds that it has gone: that one forgot the connection, and then the reader noted it, for as
    /// long as the client lived.</summary>
    [Fact]
    public async Task AConnectionThatIsLeftWhenItHasEndedIsForgotten()
    {
        using var old = new RawServer();
        using RpcClient client = await Connect(old, new RpcClientOptions());
        ClientChannel channel = client.Session.Channel!;
        old.End(handledTo: 0);
        channel.EndGone(Deadline.After(Eventually.Watchdog), TestContext.Current.CancellationToken);
        Assert.NotNull(channel.Ended);
        channel.Leave();
        Assert.Equal(0, client.Session.LeftCount);
    }

    /// <summary>The other side of it: what a server that stops had read runs, and is answered; what it reads then is refused, and its clients are told.</summary>
    [Fact]
    public async Task AServerThatStopsAnswersWhatItHasAndRefusesTheRest()
    {
        using var gate = new ManualResetEventSlim();
        var begun = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        RpcServer server = Hand.Serve(out string name, RpcHandler.Unary(Hand.Ask, number =>
        {
            begun.TrySetResult();
            gate.Wait(Eventually.Watchdog);
            return number + 1;
        }));
        using var client = new RawClient(name);
        client.Send(Hand.Request(Hand.Ask, 1), Hand.Bytes(1));
        await Eventually.Ends(begun.Task);
        Task stopped = server.StopAsync(TestContext.Current.CancellationToken);
        client.Send(Hand.Request(Hand.Ask, 2), Hand.Bytes(2));
        FrameHeader refused = client.Receive();
        Assert.Equal((FrameKind.Error, 2UL, FrameHeader.Unhandled), (refused.Kind, refused.Call, refused.Method));
        gate.Set();
        FrameHeader answer = client.Receive();
        Assert.Equal((FrameKind.Response, 1UL), (answer.Kind, answer.Call));
        await Eventually.Ends(stopped);
        Assert.Equal(CloseCode.Shutdown, client.Connection.PeerCloseCode);
        Assert.Equal(64, client.Connection.PeerHandledTo); // the first request, and not the second
    }

    private static async Task<RpcClient> Connect(RawServer server, RpcClientOptions options)
    {
        Task accepted = server.AcceptAside();
        RpcClient client = await RpcClient.ConnectAsync(server.Name, options, TestContext.Current.CancellationToken);
        await Eventually.Ends(accepted);
        return client;
    }

    private static Task<int> Aside(Func<int> call)
        => Task.Factory.StartNew(call, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);

    private static Task<RpcCallException> Failure(Task<int> call) => Assert.ThrowsAsync<RpcCallException>(() => Eventually.Ends(call));

    private static async IAsyncEnumerable<int> Endless()
    {
        for (int item = 0; ; item++)
        {
            yield return item;
            await Task.Yield();
        }
    }
}
