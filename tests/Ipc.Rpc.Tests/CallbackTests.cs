using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Xunit;

namespace Ipc.Rpc.Tests;

/// <summary>The server calls its client on the same connection.</summary>
public sealed class CallbackTests
{
    private static readonly RpcMethod<int, int> _down = new("back.v1", "Down", RpcMethodKind.Unary, Hand.Number, Hand.Number);
    private static readonly RpcMethod<int, RpcEmpty> _event = new("back.v1", "Event", RpcMethodKind.Unary, Hand.Number, RpcEmpty.Codec, isOneWay: true);
    private static readonly RpcMethod<int, int> _count = new("back.v1", "Count", RpcMethodKind.ServerStream, Hand.Number, Hand.Number);
    private static readonly RpcStreamMethod<int, int, int> _sum = new("back.v1", "Sum", RpcMethodKind.ClientStream, Hand.Number, Hand.Number, Hand.Number);
    private static readonly RpcStreamMethod<int, int, int> _scale = new("back.v1", "Scale", RpcMethodKind.Duplex, Hand.Number, Hand.Number, Hand.Number);
    private static readonly RpcProgressMethod<int, int, int> _work = new("back.v1", "Work", Hand.Number, Hand.Number, Hand.Number);

    public static TheoryData<string> Options => new() { "none", "ordered", "limited", "both", "blocking", "ordered callbacks" };

    /// <summary>A handler asks its client for the number below, whose handler asks the server for the one below that, and so on down to zero.</summary>
    [Theory]
    [MemberData(nameof(Options))]
    public async Task CallbacksThatCallAgainDoNotDeadlock(string options)
    {
        var server = new RpcServerOptions
        {
            OrderedCalls = options is "ordered" or "both",
            MaxConcurrentCalls = options is "limited" or "both" ? 1 : 0,
            WaitMode = options == "blocking" ? WaitMode.Block : WaitMode.Adaptive,
        };
        RpcHandler down = RpcHandler.Unary(_down, static (number, _) => number == 0 ? 0 : 1 + RpcContext.Current!.Caller.Call(Hand.Ask, number - 1, CancellationToken.None));
        RpcHandler up = RpcHandler.Unary(Hand.Ask, static (number, _) => number == 0 ? 0 : 1 + RpcContext.Current!.Caller.Call(_down, number - 1, CancellationToken.None));
        RpcHandler upAsync = RpcHandler.UnaryAsync(
            Hand.Other, static async (number, cancel) => number == 0 ? 0 : 1 + await RpcContext.Current!.Caller.CallAsync(_down, number - 1, cancel));
        using RpcServer running = Hand.Serve(out string name, server, up, upAsync);
        using RpcClient client = Connect(name, options == "ordered callbacks", down);
        for (int depth = 0; depth < 12; depth++)
            Assert.Equal(depth, await Eventually.Ends(Task.Run(() => client.Call(Hand.Ask, depth))));
        Task<int>[] many = Enumerable.Range(0, 20).Select(i => client.CallAsync(i % 2 == 0 ? Hand.Ask : Hand.Other, 5).AsTask()).ToArray();
        Assert.All(await Eventually.Ends(Task.WhenAll(many)), static depth => Assert.Equal(5, depth));
        Assert.Equal(9, await Eventually.Ends(Task.Run(() => client.Call(Hand.Other, 9))));
    }

    [Fact]
    public async Task ASlowCallbackHoldsUpNeitherCallsNorOtherCallbacks()
    {
        var go = new ManualResetEventSlim();
        int waiting = 0;
        using RpcServer server = Hand.Serve(
            out string name,
            RpcHandler.UnaryAsync(Hand.Other, static (number, cancel) => RpcContext.Current!.Caller.CallAsync(_down, number, cancel)),
            RpcHandler.Unary(Hand.Ask, static (number, _) => number));
        using RpcClient client = Connect(name, false, RpcHandler.Unary(_down, (number, _) =>
        {
            if (number != 0)
                return number;
            Interlocked.Increment(ref waiting);
            go.Wait(CancellationToken.None);
            return -1;
        }));
        Task<int>[] slow = Enumerable.Range(0, 10).Select(_ => client.CallAsync(Hand.Other, 0).AsTask()).ToArray();
        Eventually.True(() => Volatile.Read(ref waiting) == 10, "ten callbacks wait");
        for (int i = 1; i < 100; i++)
        {
            Assert.Equal(i, await Eventually.Ends(Task.Run(() => client.Call(Hand.Ask, i))));
            Assert.Equal(i, await Eventually.Ends(client.CallAsync(Hand.Other, i).AsTask()));
        }

        go.Set();
        Assert.All(await Eventually.Ends(Task.WhenAll(slow)), static result => Assert.Equal(-1, result));
    }

    [Fact]
    public async Task ACallerThatIsKeptServesUntilTheConnectionEnds()
    {
        RpcCaller? kept = null;
        var events = new List<int>();
        using RpcServer server = Hand.Serve(out string name, RpcHandler.Unary(Hand.Ask, (number, _) =>
        {
            kept = RpcContext.Current!.Caller;
            return number;
        }));
        using (RpcClient client = Connect(name, true, RpcHandler.OneWay(_event, (number, _) => { lock (events) events.Add(number); }), RpcHandler.Unary(_down, static (number, _) => -number)))
        {
            client.Call(Hand.Ask, 1);
            for (int i = 0; i < 1000; i++)
                kept!.Notify(_event, i);
            Assert.Equal(-5, kept!.Call(_down, 5)); // the client itself makes no call: it reads all the same
            Eventually.True(() => { lock (events) return events.Count == 1000; }, "all events have come");
            Assert.Equal(Enumerable.Range(0, 1000), events);
        }

        Eventually.True(() => server.ConnectionCount == 0, "the connection has ended");
        RpcCallException e = Assert.Throws<RpcCallException>(() => kept.Call(_down, 1));
        Assert.Equal(RpcStatus.Unavailable, e.Status);
        Assert.Equal(RpcStatus.Unavailable, Assert.Throws<RpcCallException>(() => kept.Notify(_event, 1)).Status);
        Assert.Equal(RpcStatus.Unavailable, (await Eventually.Fails(Task.Run(async () => await kept.CallAsync(_down, 1)))).Status);
    }

    [Fact]
    public async Task PendingCallbacksEndWithTheirConnection()
    {
        RpcCaller? kept = null;
        int waiting = 0;
        int fired = 0;
        using RpcServer server = Hand.Serve(out string name, RpcHandler.Unary(Hand.Ask, (number, _) =>
        {
            kept = RpcContext.Current!.Caller;
            return number;
        }));
        RpcClient client = Connect(name, false, RpcHandler.UnaryAsync(_down, async (number, cancel) =>
        {
            Interlocked.Increment(ref waiting);
            try
            {
                await Task.Delay(Timeout.Infinite, cancel);
            }
            finally
            {
                Interlocked.Increment(ref fired);
            }

            return number;
        }));
        client.Call(Hand.Ask, 1);
        Task<int> awaited = kept!.CallAsync(_down, 1).AsTask();
        Task<int> blocked = Task.Run(() => kept.Call(_down, 1));
        Eventually.True(() => Volatile.Read(ref waiting) == 2, "two callbacks wait");
        client.Dispose();
        Assert.Equal(RpcStatus.Unavailable, (await Eventually.Fails(awaited)).Status);
        Assert.Equal(RpcStatus.Unavailable, (await Eventually.Fails(blocked)).Status);
        Eventually.True(() => Volatile.Read(ref fired) == 2, "the tokens of both handlers fire");
    }

    [Fact]
    public async Task PendingCallbacksEndWhenTheClientIsKilled()
    {
        var keeper = new Keeper();
        var options = new RpcServerOptions();
        options.Interceptors.Add(keeper);
        using var server = new TestServer(options);
        using var peer = Peer.Start("hold", server.Name, "gate");
        RpcCaller kept = keeper.Caller!;
        peer.Stop(); // it cannot answer any more, and is not resumed
        Task<int> awaited = kept.CallAsync(_down, 1).AsTask();
        Task<int> blocked = Task.Run(() => kept.Call(_down, 1));
        peer.Kill();
        Assert.Equal(RpcStatus.Unavailable, (await Eventually.Fails(awaited)).Status);
        Assert.Equal(RpcStatus.Unavailable, (await Eventually.Fails(blocked)).Status);
    }

    [Fact]
    public async Task EveryKindOfCallWorksBackwards()
    {
        using RpcServer server = Hand.Serve(out string name, RpcHandler.UnaryAsync(Hand.Ask, static async (number, cancel) =>
        {
            RpcCaller client = RpcContext.Current!.Caller;
            int all = 0;
            await foreach (int item in client.Stream(_count, number, cancel))
                all += item;
            all += await client.ClientStream(_sum, 0, Numbers(number), cancel);
            await foreach (int item in client.Duplex(_scale, 10, Numbers(number), cancel))
                all += item;
            int reported = 0;
            all += await client.CallAsync(_work, number, new Reports(report => reported += report), cancel);
            return all + reported;
        }));
        using RpcClient client = Connect(
            name,
            false,
            RpcHandler.ServerStream(_count, static (count, _) => Numbers(count)),
            RpcHandler.ClientStream(_sum, static async (first, items, _) =>
            {
                await foreach (int item in items)
                    first += item;
                return first;
            }),
            RpcHandler.Duplex(_scale, static (factor, items, _) => Scale(factor, items)),
            RpcHandler.UnaryProgress(_work, static async (number, progress, _) =>
            {
                await Task.Yield();
                progress.Report(number);
                return 1;
            }));
        const int Count = 2000; // more than any window
        int sum = Count * (Count - 1) / 2;
        Assert.Equal(sum + sum + (10 * sum) + 1 + Count, await Eventually.Ends(client.CallAsync(Hand.Ask, Count).AsTask()));
        Assert.Equal(sum + sum + (10 * sum) + 1 + Count, await Eventually.Ends(Task.Run(() => client.Call(Hand.Ask, Count))));

        static async IAsyncEnumerable<int> Numbers(int count)
        {
            for (int i = 0; i < count; i++)
            {
                if (i % 100 == 0)
                    await Task.Yield();
                yield return i;
            }
        }

        static async IAsyncEnumerable<int> Scale(int factor, IAsyncEnumerable<int> items)
        {
            await foreach (int item in items)
                yield return factor * item;
        }
    }

    [Fact]
    public async Task DeadlineAndCancellationReachACallbackOfTheHandler()
    {
        int fired = 0;
        double remaining = 0;
        using RpcServer server = Hand.Serve(
            out string name,
            RpcHandler.Unary(Hand.Ask, static (number, _) => RpcContext.Current!.Caller.Call(_down, number, CancellationToken.None)),
            RpcHandler.UnaryAsync(Hand.Other, static (number, _) => RpcContext.Current!.Caller.CallAsync(_down, number, CancellationToken.None)));
        using RpcClient client = Connect(name, false, RpcHandler.UnaryAsync(_down, async (number, cancel) =>
        {
            remaining = RpcDeadline.Current == Deadline.Never ? -1 : RpcDeadline.Current.Remaining.TotalSeconds;
            if (number == 0)
                return number;
            try
            {
                await Task.Delay(Timeout.Infinite, cancel);
            }
            finally
            {
                Interlocked.Increment(ref fired);
            }

            return number;
        }));
        Assert.Equal(0, client.WithTimeout(TimeSpan.FromSeconds(1000)).Call(Hand.Ask, 0));
        Assert.InRange(remaining, 900, 1000);
        foreach (RpcMethod<int, int> method in new[] { Hand.Ask, Hand.Other })
        {
            int before = Volatile.Read(ref fired);
            using var cancel = new CancellationTokenSource();
            Task<int> call = client.CallAsync(method, 1, cancel.Token).AsTask();
            Eventually.True(() => remaining == -1, "the callback is there");
            cancel.Cancel();
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Eventually.Ends(call));
            Eventually.True(() => Volatile.Read(ref fired) == before + 1, "the callback's token fires");
            remaining = 0;
        }
    }

    [Fact]
    public void WhatAClientDoesNotOfferIsUnimplementedThere()
    {
        using RpcServer server = Hand.Serve(out string name, RpcHandler.Unary(Hand.Ask, static (number, _) => RpcContext.Current!.Caller.Call(_down, number, CancellationToken.None)));
        using RpcClient without = RpcClient.Connect(name);
        RpcCallException e = Assert.Throws<RpcCallException>(() => without.Call(Hand.Ask, 1));
        Assert.Equal(RpcStatus.Unimplemented, e.Status);
        Assert.Contains("RpcClientOptions.Services", e.Message, StringComparison.Ordinal);
        using RpcClient with = Connect(name, false, RpcHandler.OneWay(_event, static (_, _) => { }));
        e = Assert.Throws<RpcCallException>(() => with.Call(Hand.Ask, 1));
        Assert.Equal(RpcStatus.Unimplemented, e.Status);
        Assert.Contains("back.v1: Event", e.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task AnInlineHandlerMayNotifyButNotWait()
    {
        var told = new TaskCompletionSource<int>(TaskCreationOptions.RunContinuationsAsynchronously);
        Exception? atClient = null;
        RpcClient? client = null;
        using RpcServer server = Hand.Serve(
            out string name,
            RpcHandler.Unary(Hand.Ask, static (number, _) =>
            {
                RpcContext.Current!.Caller.Notify(_event, number);
                return number;
            }).Inline(),
            RpcHandler.Unary(Hand.Other, static (number, _) => RpcContext.Current!.Caller.Call(_down, number, CancellationToken.None)).Inline());
        client = Connect(
            name,
            false,
            RpcHandler.OneWay(_event, (number, _) =>
            {
                atClient = Record.Exception(() => client!.Call(Hand.Ask, number));
                told.SetResult(number);
            }).Inline(),
            RpcHandler.Unary(_down, static (number, _) => number));
        using (client)
        {
            Assert.Equal(RpcStatus.FailedPrecondition, (await Eventually.Fails(Task.Run(() => client.Call(Hand.Other, 1)))).Status);
            Assert.Equal(7, await Eventually.Ends(Task.Run(() => client.Call(Hand.Ask, 7))));
            Assert.Equal(7, await Eventually.Ends(told.Task));
            Assert.Equal(RpcStatus.FailedPrecondition, Assert.IsType<RpcCallException>(atClient).Status);
        }
    }

    [Fact]
    public async Task AServerThatCallsAClientThatDoesNotReadWaitsAndServesOthers()
    {
        RpcCaller? kept = null;
        using RpcServer server = Hand.Serve(out string name, RpcHandler.Unary(Hand.Ask, (number, _) =>
        {
            kept = RpcContext.Current!.Caller;
            return number;
        }));
        using var deaf = new RawClient(name, toClientCapacity: 4096);
        deaf.Send(Hand.Request(Hand.Ask, 1), Hand.Bytes(1));
        Assert.Equal(FrameKind.Response, deaf.Receive().Kind);
        RpcCaller toDeaf = kept!;
        int sent = 0;
        const int Events = 1000;
        Task telling = Task.Run(() =>
        {
            for (int i = 0; i < Events; i++)
            {
                toDeaf.Notify(_event, i);
                Volatile.Write(ref sent, i + 1);
            }
        });
        Eventually.True(() => Volatile.Read(ref sent) > 50, "the ring is nearly full");
        using RpcClient client = RpcClient.Connect(name);
        for (int i = 0; i < 200; i++)
            Assert.Equal(i, client.Call(Hand.Ask, i));
        Assert.InRange(Volatile.Read(ref sent), 50, 200);
        await Task.Run(() =>
        {
            for (int i = 0; i < Events; i++)
            {
                FrameHeader frame = deaf.Receive(out byte[] body);
                Assert.True(frame.IsCallback && frame.IsOneWay);
                Assert.Equal(i, Hand.Value(body));
            }
        });
        await Eventually.Ends(telling);
    }

    private static RpcClient Connect(string name, bool ordered, params RpcHandler[] handlers)
    {
        var options = new RpcClientOptions { OrderedCallbacks = ordered };
        options.Services.Add(new RpcService("back.v1", handlers));
        return RpcClient.Connect(name, options);
    }

    /// <summary>Keeps the caller of the last call.</summary>
    private sealed class Keeper : RpcServerInterceptor
    {
        public RpcCaller? Caller { get; private set; }

        public override void Starting(RpcContext context) => Caller = context.Caller;
    }

    private sealed class Reports : IProgress<int>
    {
        private readonly Action<int> _report;

        public Reports(Action<int> report) => _report = report;

        public void Report(int value) => _report(value);
    }
}
