using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using Xunit;

namespace Ipc.Rpc.Tests;

/// <summary>What happens between two steps of a call. A message's own code runs while it is written, which makes the moment certain.</summary>
public sealed class BetweenTests
{
    /// <summary>A message that does something when it is written.</summary>
    private static readonly MessageCodec<Action> _doing = new(
        "Doing",
        static (ref ProtoWriter writer, in Action value) =>
        {
            value();
            writer.WriteInt32(1 << 3, 1);
        },
        static (ref ProtoReader reader) =>
        {
            Hand.Number.Read(ref reader);
            return static () => { };
        },
        package: Hand.Name);

    private static readonly RpcMethod<Action, int> _do = new(Hand.Name, "Do", RpcMethodKind.Unary, _doing, Hand.Number);
    private static readonly RpcMethod<Action, int> _items = new(Hand.Name, "Items", RpcMethodKind.ServerStream, _doing, Hand.Number);
    private static readonly RpcStreamMethod<Action, int, int> _sum = new(Hand.Name, "Sum", RpcMethodKind.ClientStream, _doing, Hand.Number, Hand.Number);
    private static readonly RpcStreamMethod<Action, int, int> _scale = new(Hand.Name, "Scale", RpcMethodKind.Duplex, _doing, Hand.Number, Hand.Number);
    private static readonly RpcProgressMethod<Action, int, int> _work = new(Hand.Name, "Work", _doing, Hand.Number, Hand.Number);

    /// <summary>The token has been registered with, and there is nothing yet that it could cancel.</summary>
    [Theory]
    [InlineData("synchronous")]
    [InlineData("asynchronous")]
    [InlineData("progress")]
    [InlineData("stream")]
    [InlineData("client stream")]
    [InlineData("duplex")]
    public async Task ATokenThatFiresWhileTheRequestIsWrittenCancelsTheCall(string shape)
    {
        using var server = new RawServer(); // never answers
        Task accepting = server.AcceptAside();
        using RpcClient client = RpcClient.Connect(server.Name);
        await Eventually.Ends(accepting);
        using var cancel = new CancellationTokenSource();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Eventually.Ends(Task.Run(() => Make(client, shape, cancel.Cancel, cancel.Token), TestContext.Current.CancellationToken)));
        Eventually.True(() => SettledTests.PendingCalls(client) == 0, "nothing is pending");
        Assert.Equal(0, Registrations.Count(cancel));
    }

    /// <summary>Whoever ends a call cannot say so while another request is being written; who writes that has to.</summary>
    [Fact]
    public async Task ACancellationThatMeetsAWriterIsSentBehindWhatItWrites()
    {
        using var server = new RawServer();
        Task accepting = server.AcceptAside();
        using RpcClient client = RpcClient.Connect(server.Name);
        await Eventually.Ends(accepting);
        using var cancel = new CancellationTokenSource();
        Task<int> first = client.CallAsync(Hand.Ask, 1, cancel.Token).AsTask();
        ulong cancelled = server.Receive().Call;
        Task<int> second = client.CallAsync(_do, () => OnAnotherThread(cancel.Cancel)).AsTask();
        Assert.Equal(FrameKind.Request, server.Receive().Kind);
        FrameHeader header = server.Receive();
        Assert.Equal(FrameKind.Cancel, header.Kind);
        Assert.Equal(cancelled, header.Call);
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Eventually.Ends(first));
        Assert.False(second.IsCompleted);
    }

    /// <summary>The same on one thread, which has the right to write already.</summary>
    [Fact]
    public async Task AMessageMayCancelAnotherCallWhileItIsBeingWritten()
    {
        using var server = new RawServer();
        Task accepting = server.AcceptAside();
        using RpcClient client = RpcClient.Connect(server.Name);
        await Eventually.Ends(accepting);
        using var cancel = new CancellationTokenSource();
        Task<int> first = client.CallAsync(Hand.Ask, 1, cancel.Token).AsTask();
        ulong cancelled = server.Receive().Call;
        Task<int> second = client.CallAsync(_do, cancel.Cancel).AsTask();
        FrameHeader one = server.Receive(), two = server.Receive();
        FrameHeader cancellation = one.Kind == FrameKind.Cancel ? one : two, request = one.Kind == FrameKind.Cancel ? two : one;
        Assert.Equal(FrameKind.Cancel, cancellation.Kind);
        Assert.Equal(cancelled, cancellation.Call);
        Assert.Equal(FrameKind.Request, request.Kind);
        Assert.Equal(_do.Id, request.Method);
        server.Send(new FrameHeader(FrameKind.Response, request.Call), Hand.Bytes(4));
        Assert.Equal(4, await Eventually.Ends(second));
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Eventually.Ends(first));
    }

    /// <summary>It took the place in the ring of the message that made it.</summary>
    [Theory]
    [InlineData("synchronous")]
    [InlineData("asynchronous")]
    [InlineData("progress")]
    [InlineData("stream")]
    [InlineData("client stream")]
    [InlineData("duplex")]
    public async Task AMessageThatCallsItsOwnClientIsRefusedThatAndSent(string shape)
    {
        using RpcServer server = Hand.Serve(out string name, RpcHandler.Unary(Hand.Ask, static number => number), RpcHandler.Unary(_do, static _ => 5));
        using RpcClient client = RpcClient.Connect(name);
        Exception? refused = null;
        Assert.Equal(5, await Eventually.Ends(client.CallAsync(_do, () =>
        {
            refused = Record.Exception(() =>
            {
                client.Notify(Hand.Tell, 1);
            });
            Assert.Equal(RpcStatus.FailedPrecondition, Assert.IsType<RpcCallException>(refused).Status);
            refused = Record.Exception(() => Make(client, shape, static () => { }, default).GetAwaiter().GetResult());
        }).AsTask()));
        Assert.Equal(RpcStatus.FailedPrecondition, Assert.IsType<RpcCallException>(refused).Status);
        for (int i = 0; i < 10; i++)
            Assert.Equal(i, client.Call(Hand.Ask, i));
    }

    /// <summary>The call is in no list yet when every call is ended.</summary>
    [Theory]
    [InlineData("asynchronous")]
    [InlineData("progress")]
    [InlineData("stream")]
    [InlineData("client stream")]
    [InlineData("duplex")]
    [InlineData("synchronous")]
    public async Task AMessageThatDisposesItsClientEndsItsOwnCall(string shape)
    {
        using var server = new RawServer();
        Task accepting = server.AcceptAside();
        RpcClient client = RpcClient.Connect(server.Name);
        await Eventually.Ends(accepting);
        Exception e = await Assert.ThrowsAnyAsync<Exception>(() => Eventually.Ends(Task.Run(() => Make(client, shape, client.Dispose, default), TestContext.Current.CancellationToken)));
        Assert.True(e is RpcCallException or ObjectDisposedException, e.ToString());
    }

    /// <summary>Call objects are used again. One whose call had ended was still registered with that call's token.</summary>
    [Fact]
    public async Task TheTokenOfACallThatHasEndedCancelsNoLaterCall()
    {
        var gate = new TaskCompletionSource<bool>(TaskCreationOptions.RunContinuationsAsynchronously);
        using RpcServer server = Hand.Serve(
            out string name,
            RpcHandler.Unary(Hand.Ask, static number => number >= 0 ? number : throw new RpcCallException(RpcStatus.NotFound, "no")),
            RpcHandler.UnaryAsync(Hand.Other, async number => await gate.Task ? number : -1));
        using RpcClient client = RpcClient.Connect(name);
        using var cancel = new CancellationTokenSource();
        for (int i = 0; i < 20; i++)
        {
            Assert.Equal(i, await client.CallAsync(Hand.Ask, i, cancel.Token));
            await Assert.ThrowsAsync<RpcCallException>(async () => await client.CallAsync(Hand.Ask, -1, cancel.Token));
        }

        var later = new List<Task<int>>();
        for (int i = 0; i < 20; i++)
            later.Add(client.CallAsync(Hand.Other, i).AsTask());
        cancel.Cancel();
        Assert.Equal(5, await client.CallAsync(Hand.Ask, 5)); // behind every cancellation that was sent
        gate.SetResult(true);
        for (int i = 0; i < later.Count; i++)
            Assert.Equal(i, await Eventually.Ends(later[i]));
    }

    /// <summary>There is one place for calls here: what comes late is for somebody who is there no more.</summary>
    [Fact]
    public async Task AnAnswerToTheCallBeforeIsNotTheNextCalls()
    {
        using var server = new RawServer();
        Task accepting = server.AcceptAside();
        using RpcClient client = RpcClient.Connect(server.Name, new RpcClientOptions { MaxPendingCalls = 1 });
        await Eventually.Ends(accepting);
        using var cancel = new CancellationTokenSource();
        Task<int> first = client.CallAsync(Hand.Ask, 1, cancel.Token).AsTask();
        ulong before = server.Receive().Call;
        cancel.Cancel();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Eventually.Ends(first));
        Assert.Equal(FrameKind.Cancel, server.Receive().Kind);
        Task<int> second = client.CallAsync(Hand.Ask, 2).AsTask();
        ulong now = server.Receive().Call;
        Assert.NotEqual(before, now);
        server.Send(new FrameHeader(FrameKind.Response, before), Hand.Bytes(9));
        server.Send(new FrameHeader(FrameKind.Response, now), Hand.Bytes(4));
        Assert.Equal(4, await Eventually.Ends(second));
    }

    /// <summary>One timer serves all calls: when it has fired it is set for the next.</summary>
    [Fact]
    public async Task OneDeadlineAfterAnotherIsKept()
    {
        using var server = new RawServer();
        Task accepting = server.AcceptAside();
        using RpcClient client = RpcClient.Connect(server.Name);
        await Eventually.Ends(accepting);
        for (int i = 1; i <= 3; i++)
        {
            RpcCallException e = await Eventually.Fails(client.WithTimeout(TimeSpan.FromMilliseconds(20)).CallAsync(Hand.Ask, i).AsTask());
            Assert.Equal(RpcStatus.DeadlineExceeded, e.Status);
        }
    }

    /// <summary>A call that begins when the timer has just looked at all calls is not among them, and its deadline is no sooner than the one that the timer was set to
    /// [deadline].</summary>
    [Fact]
    public async Task ADeadlineThatComesBehindTheLookAtAllCallsIsKept()
    {
        using var server = new RawServer();
        Task accepting = server.AcceptAside();
        using RpcClient client = RpcClient.Connect(server.Name);
        await Eventually.Ends(accepting);
        CallEngine engine = client.Session.Channel!.Engine;
        Task<int>? late = null;
        engine.AllLookedAt = () =>
        {
            engine.AllLookedAt = null;
            late = client.WithTimeout(TimeSpan.FromMilliseconds(20)).CallAsync(Hand.Ask, 2).AsTask();
        };
        RpcCallException e = await Eventually.Fails(client.WithTimeout(TimeSpan.FromMilliseconds(20)).CallAsync(Hand.Ask, 1).AsTask());
        Assert.Equal(RpcStatus.DeadlineExceeded, e.Status);
        Eventually.True(() => Volatile.Read(ref late) is not null, "the timer has looked at all calls");
        e = await Eventually.Fails(late!);
        Assert.Equal(RpcStatus.DeadlineExceeded, e.Status);
    }

    private static void OnAnotherThread(Action action)
    {
        var thread = new Thread(() => action()); // a task could run on the thread that waits for it
        thread.Start();
        thread.Join();
    }

    private static async Task Make(RpcClient client, string shape, Action action, CancellationToken cancel)
    {
        switch (shape)
        {
            case "synchronous":
                client.Call(_do, action, cancel);
                break;
            case "asynchronous":
                await client.CallAsync(_do, action, cancel);
                break;
            case "progress":
                await client.CallAsync(_work, action, new Progress<int>(), cancel);
                break;
            case "stream":
                await foreach (int item in client.Stream(_items, action, cancel))
                    Assert.Fail("nobody sends " + item);
                break;
            case "client stream":
                await client.ClientStream(_sum, action, new Source(3), cancel);
                break;
            default:
                await foreach (int item in client.Duplex(_scale, action, new Source(3), cancel))
                    Assert.Fail("nobody sends " + item);
                break;
        }
    }
}
