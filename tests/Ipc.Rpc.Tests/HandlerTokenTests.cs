using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;
using Xunit;

namespace Ipc.Rpc.Tests;

/// <summary>A handler's token is its call's, for ever.</summary>
public sealed class HandlerTokenTests
{
    public static TheoryData<string> Ways => new() { "argument", "context", "asynchronous", "asynchronous context" };

    /// <summary>Call objects are used again; the kept token fired when a later call was cancelled.</summary>
    [Theory]
    [MemberData(nameof(Ways))]
    public void ATokenThatAHandlerKeptNeverFiresForALaterCall(string way)
    {
        var kept = new List<CancellationToken>();
        using var entered = new SemaphoreSlim(0);
        using RpcServer server = Hand.Serve(
            out string name,
            Keeping(way, kept),
            RpcHandler.Unary(Hand.Other, (number, cancel) =>
            {
                entered.Release();
                cancel.WaitHandle.WaitOne(Eventually.Watchdog);
                return number;
            }));
        using var client = new RawClient(name);
        for (uint i = 1; i <= 30; i += 3)
        {
            client.Send(Hand.Request(Hand.Ask, i), Hand.Bytes(1));
            Assert.Equal(FrameKind.Response, client.Receive().Kind);
            client.Send(Hand.Request(Hand.Other, i + 1), Hand.Bytes(1));
            Assert.True(entered.Wait(Eventually.Watchdog, TestContext.Current.CancellationToken));
            client.Send(new FrameHeader(FrameKind.Cancel, i + 1));
            Assert.Equal((ushort)RpcStatus.Cancelled, client.Receive().Code);

            // And one that is over its deadline.
            client.Send(Hand.Request(Hand.Ask, i), Hand.Bytes(1));
            Assert.Equal(FrameKind.Response, client.Receive().Kind);
            // As short as a handler may be late on this machine: with a second each, these cases slept for forty.
            int ms = 10;
            do
            {
                ms *= 2;
                client.Send(Hand.Request(Hand.Other, i + 2, deadline: Deadline.After(TimeSpan.FromMilliseconds(ms)).Nanoseconds), Hand.Bytes(1));
                Assert.Equal((ushort)RpcStatus.DeadlineExceeded, client.Receive().Code);
            }
            while (!entered.Wait(0, TestContext.Current.CancellationToken));
        }

        Assert.Equal(20, kept.Count);
        Assert.DoesNotContain(kept, static token => token.IsCancellationRequested);
    }

    [Fact]
    public async Task ATokenThatIsAskedForLateBelongsToItsCallOrNever()
    {
        var go = new TaskCompletionSource<bool>(TaskCreationOptions.RunContinuationsAsynchronously);
        var late = new List<Task<CancellationToken>>();
        using var entered = new SemaphoreSlim(0);
        using RpcServer server = Hand.Serve(
            out string name,
            RpcHandler.UnaryAsync(Hand.Ask, number =>
            {
                late.Add(Later());
                return new ValueTask<int>(number);
            }),
            RpcHandler.UnaryAsync(Hand.Other, async number =>
            {
                entered.Release();
                await go.Task;
                await Task.Delay(Timeout.Infinite, RpcContext.Current!.Cancellation); // asked for when it has fired already
                return number;
            }));
        using var client = new RawClient(name);
        for (uint i = 1; i <= 5; i++)
        {
            client.Send(Hand.Request(Hand.Ask, i), Hand.Bytes(1));
            Assert.Equal(FrameKind.Response, client.Receive().Kind);
        }

        client.Send(Hand.Request(Hand.Other, 9), Hand.Bytes(1));
        Assert.True(await entered.WaitAsync(Eventually.Watchdog, TestContext.Current.CancellationToken));
        client.Send(new FrameHeader(FrameKind.Cancel, 9));
        client.Send(new FrameHeader(FrameKind.Ping, 1));
        Assert.Equal(FrameKind.Pong, client.Receive().Kind); // the cancellation has been read
        go.SetResult(true);
        Assert.Equal((ushort)RpcStatus.Cancelled, client.Receive().Code);
        Assert.All(await Eventually.Ends(Task.WhenAll(late)), static token => Assert.False(token.IsCancellationRequested));

        async Task<CancellationToken> Later()
        {
            await go.Task;
            return RpcContext.Current!.Cancellation;
        }
    }

    /// <summary>A token as old as the program collected a registration for every stream that was enumerated with it and not disposed.</summary>
    [Fact]
    public async Task AStreamLeavesNothingOnATokenThatOutlivesIt()
    {
        using var application = new CancellationTokenSource();
        var streams = new List<WeakReference>();
        using RpcServer server = Hand.Serve(out string name, RpcHandler.ClientStream(Hand.Sum, (number, items, _) =>
        {
            lock (streams)
                streams.Add(Begin(items, application.Token));
            return new ValueTask<int>(number); // without disposing what it has begun
        }));
        using RpcClient client = RpcClient.Connect(name);
        for (int i = 0; i < 50; i++)
            Assert.Equal(i, await Eventually.Ends(client.ClientStream(Hand.Sum, i, new Source(3)).AsTask()));
        int Left()
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
            GC.Collect();
            int left = 0;
            foreach (WeakReference stream in streams)
                left += stream.IsAlive ? 1 : 0;
            return left;
        }

        Eventually.True(() => Left() <= 2, "the streams are collected"); // the last one may stand on somebody's stack
        GC.KeepAlive(application);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static WeakReference Begin(IAsyncEnumerable<int> items, CancellationToken cancel) => new(items.GetAsyncEnumerator(cancel));

    private static RpcHandler Keeping(string way, List<CancellationToken> kept)
    {
        return way switch
        {
            "argument" => RpcHandler.Unary(Hand.Ask, (number, cancel) => Keep(number, cancel)),
            "context" => RpcHandler.Unary(Hand.Ask, number => Keep(number, RpcContext.Current!.Cancellation)),
            "asynchronous" => RpcHandler.UnaryAsync(Hand.Ask, (number, cancel) => new ValueTask<int>(Keep(number, cancel))),
            _ => RpcHandler.UnaryAsync(Hand.Ask, number => new ValueTask<int>(Keep(number, RpcContext.Current!.Cancellation))),
        };

        int Keep(int number, CancellationToken cancel)
        {
            kept.Add(cancel);
            return number;
        }
    }
}
