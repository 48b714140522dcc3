using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Xunit;

#pragma warning disable CA2012 // calls that are sent first and awaited once each, later

namespace Ipc.Rpc.Tests;

/// <summary>The server has gone while code of the program's keeps the thread that reads, so that what the server had sent before is not read yet.</summary>
public sealed class KeptReaderTests
{
    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData("asynchronous", false, false)]
    [InlineData("one-way", false, false)]
    [InlineData("stream", false, false)]
    [InlineData("asynchronous", true, false)]
    [InlineData("one-way", true, false)]
    [InlineData("stream", true, false)]
    [InlineData("asynchronous", false, true)]
    [InlineData("one-way", false, true)]
    [InlineData("stream", false, true)]
    [InlineData("asynchronous", true, true)]
    [InlineData("one-way", true, true)]
    [InlineData("stream", true, true)]
    [InlineData("one-way, not awaited", true, false)]
    [InlineData("one-way, not awaited", true, true)]
    public async Task AnAsynchronousCallWaitsForNobodyAndTakesNoAnswerAway(string finds, bool readsHere, bool reconnects)
    {
        using var kept = new Kept(new RpcClientOptions { AutoReconnect = reconnects });
        kept.WaitsLong();
        Task? found = null;
        void Find() => found = finds switch
        {
            "asynchronous" => kept.Client.CallAsync(Hand.Ask, 3).AsTask(),
            "one-way" => kept.Client.NotifyAsync(Hand.Tell, 3).AsTask(),
            "one-way, not awaited" => Done(() => kept.Client.Notify(Hand.Tell, 3)),
            _ => FirstOf(kept.Client.Stream(Hand.Items, 3, Token)),
        };
        if (readsHere)
            kept.Then = Find;
        Task<int> reading = kept.Begin();
        if (!readsHere)
            Find(); // or else it waits for this thread, which does not let the other one go on before
        kept.LetGo();
        Assert.Equal(Kept.Read, await Eventually.Ends(reading));
        Assert.Equal(Kept.Unread, await Eventually.Ends(kept.Answered.AsTask()));
        Assert.Equal(RpcStatus.Unavailable, (await Eventually.Fails(found!)).Status);
        Eventually.True(() => !kept.Client.IsConnected, "the end of the connection");
    }

    [Theory]
    [InlineData("a call", false)]
    [InlineData("one-way", false)]
    [InlineData("a call", true)]
    public async Task ASynchronousCallWaitsForItNoLongerThanItsDeadline(string finds, bool cancelled)
    {
        using var kept = new Kept(new RpcClientOptions()); // of the two the deadline, or the token, comes first
        kept.WaitsLong();
        Task<int> reading = kept.Begin();
        using var cancel = new CancellationTokenSource();
        using RpcClient client = kept.Client.WithTimeout(cancelled ? Eventually.Watchdog : TimeSpan.FromMilliseconds(1));
        void Find()
        {
            if (finds == "a call")
                client.Call(Hand.Ask, 3, cancel.Token);
            else
                client.Notify(Hand.Tell, 3);
        }

        if (cancelled)
        {
            cancel.CancelAfter(1);
            Assert.ThrowsAny<OperationCanceledException>(Find);
        }
        else
        {
            Assert.Equal(RpcStatus.DeadlineExceeded, Assert.Throws<RpcCallException>(Find).Status);
        }

        kept.LetGo();
        Assert.Equal(Kept.Read, await Eventually.Ends(reading));
        Assert.Equal(Kept.Unread, await Eventually.Ends(kept.Answered.AsTask()));
        Assert.Equal(RpcStatus.Unavailable, Assert.Throws<RpcCallException>(() => kept.Client.Call(Hand.Ask, 4)).Status);
        Assert.False(kept.Client.IsConnected);
    }

    /// <summary>However long that code takes.</summary>
    [Fact]
    public async Task WhatWaitsForRoomEndsWithoutIt()
    {
        using var kept = new Kept(new RpcClientOptions { AutoReconnect = false, ToServerCapacity = 4096 });
        var queued = new List<Task>();
        Task<int> reading = kept.Begin(() =>
        {
            while (!kept.Client.Session.Channel!.HasQueued)
                queued.Add(kept.Client.NotifyAsync(Hand.Tell, 1).AsTask());
        });
        foreach (Task each in queued)
            await Eventually.Over(each);
        Assert.Equal(RpcStatus.Unavailable, (await Eventually.Fails(queued[^1])).Status);
        Assert.False(kept.Client.IsConnected);
        Assert.False(reading.IsCompleted);
        kept.LetGo();
        await Eventually.Over(reading);
        await Eventually.Over(kept.Answered.AsTask());
    }

    /// <summary>Who is told of the end of a call keeps the thread that ends the connection: its loss is told before the next one all the same.</summary>
    [Fact]
    public async Task TheLossIsToldBeforeTheNextConnection()
    {
        var told = new ConcurrentQueue<RpcConnectionChangeKind>();
        string name = TestServer.NewName();
        var gate = new TaskCompletionSource<bool>(TaskCreationOptions.RunContinuationsAsynchronously);
        RpcHandler[] handlers = [RpcHandler.Unary(Hand.Ask, static number => number), RpcHandler.UnaryAsync(Hand.Other, async number => await gate.Task ? number : 0)];
        RpcServer first = RpcServer.Start(name, Hand.Service(handlers));
        using RpcClient client = RpcClient.Connect(name);
        client.ConnectionChanged += (_, change) => told.Enqueue(change.Kind);
        using var posting = new Posting();
        SynchronizationContext? before = SynchronizationContext.Current;
        SynchronizationContext.SetSynchronizationContext(posting);
        ValueTask<int> pending = client.CallAsync(Hand.Other, 1);
        pending.GetAwaiter().OnCompleted(static () => { });
        SynchronizationContext.SetSynchronizationContext(before);
        Task disposing = Task.Run(first.Dispose, Token);
        Assert.True(posting.IsPosted.Wait(Eventually.Watchdog, Token));
        gate.SetResult(true);
        await Eventually.Ends(disposing);
        using RpcServer second = RpcServer.Start(name, Hand.Service(handlers));
        Assert.Equal(2, client.Call(Hand.Ask, 2));
        Eventually.True(() => told.Contains(RpcConnectionChangeKind.Connected), "the connection is told");
        Assert.Equal([RpcConnectionChangeKind.Lost, RpcConnectionChangeKind.Connected], told);
        posting.LetGo.Set();
        Assert.Equal(RpcStatus.Unavailable, Assert.Throws<RpcCallException>(() => pending.GetAwaiter().GetResult()).Status);
    }

    /// <summary>A new server has the name by then. Nothing else is to be read: this call need not wait for it.</summary>
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task TheThreadThatReadsMayCallTheNextServer(bool isOneWay)
    {
        using var server = new RawServer();
        Task accepting = server.AcceptAside();
        using RpcClient client = RpcClient.Connect(server.Name);
        await accepting;
        RpcServer? next = null;
        using var told = new SemaphoreSlim(0);
        MessageCodec<int> calls = CodecOf(() =>
        {
            server.Dispose();
            next = RpcServer.Start(server.Name, Hand.Service(RpcHandler.Unary(Hand.Ask, static number => number + 1), RpcHandler.OneWay(Hand.Tell, (_, _) => told.Release())));
            if (!isOneWay)
                return client.Call(Hand.Ask, 41);
            client.Notify(Hand.Tell, 1);
            return 42;
        });
        Task<int> reading = Task.Run(() => client.Call(new RpcMethod<int, int>(Hand.Name, "Calls", RpcMethodKind.Unary, Hand.Number, calls), 1), Token);
        server.Send(new FrameHeader(FrameKind.Response, server.Receive().Call), Hand.Bytes(1));
        Assert.Equal(42, await Eventually.Ends(reading));
        Assert.True(!isOneWay || await told.WaitAsync(Eventually.Watchdog, Token));
        next!.Dispose();
    }

    /// <summary>The answer of another call is behind it, and its decoder does not come back.</summary>
    [Fact]
    public async Task AnAsynchronousCallIsKeptByNoDecoder()
    {
        using ManualResetEventSlim reads = new(), goesOn = new(), comesBack = new();
        using var server = new RawServer();
        Task accepting = server.AcceptAside();
        using RpcClient client = RpcClient.Connect(server.Name);
        await accepting;
        MessageCodec<int> first = CodecOf(() =>
        {
            reads.Set();
            return goesOn.Wait(Eventually.Watchdog) ? 1 : 0;
        });
        MessageCodec<int> second = CodecOf(() => comesBack.Wait(Eventually.Watchdog) ? 2 : 0);
        Task<int> reading = Task.Run(() => client.Call(new RpcMethod<int, int>(Hand.Name, "First", RpcMethodKind.Unary, Hand.Number, first), 1), Token);
        ulong one = server.Receive().Call;
        ValueTask<int> notAwaited = client.CallAsync(new RpcMethod<int, int>(Hand.Name, "Second", RpcMethodKind.Unary, Hand.Number, second), 2);
        ulong two = server.Receive().Call;
        server.Send(new FrameHeader(FrameKind.Response, one), Hand.Bytes(1));
        Assert.True(reads.Wait(Eventually.Watchdog, Token));
        server.Send(new FrameHeader(FrameKind.Response, two), Hand.Bytes(2));
        server.Dispose();
        using RpcServer next = RpcServer.Start(server.Name, Hand.Service(RpcHandler.Unary(Hand.Ask, static number => number + 1)));
        Task<int> asked = client.CallAsync(Hand.Ask, 41).AsTask();
        goesOn.Set();
        Assert.Equal(1, await Eventually.Ends(reading));
        Assert.Equal(42, await Eventually.Ends(asked));
        comesBack.Set();
        await Eventually.Over(notAwaited.AsTask());
    }

    private static MessageCodec<int> CodecOf(Func<int> reads) => new("Own", static (ref ProtoWriter _, in int _) => { }, (ref ProtoReader _) => reads());

    private static Task Done(Action action)
    {
        try
        {
            action();
            return Task.CompletedTask;
        }
        catch (RpcCallException error)
        {
            return Task.FromException(error);
        }
    }

    private static async Task FirstOf(IAsyncEnumerable<int> items)
    {
        await foreach (int _ in items.ConfigureAwait(false))
            return;
    }

    /// <summary>Keeps whoever posts to it.</summary>
    private sealed class Posting : SynchronizationContext, IDisposable
    {
        public ManualResetEventSlim IsPosted { get; } = new();

        public ManualResetEventSlim LetGo { get; } = new();

        public override void Post(SendOrPostCallback d, object? state)
        {
            IsPosted.Set();
            Assert.True(LetGo.Wait(Eventually.Watchdog));
        }

        public void Dispose()
        {
            LetGo.Set();
            IsPosted.Dispose();
        }
    }

    /// <summary>A client with a thread that reads and is in a serializer, which waits; the answer of another call is behind that.</summary>
    private sealed class Kept : IDisposable
    {
        public const int Read = 5;
        public const int Unread = 7;

        private readonly RawServer _server = new();
        private readonly ManualResetEventSlim _reads = new();
        private readonly ManualResetEventSlim _go = new();

        public Kept(RpcClientOptions options)
        {
            Task accepting = _server.AcceptAside();
            Client = RpcClient.Connect(_server.Name, options);
            accepting.Wait(Token);
        }

        public RpcClient Client { get; }

        public ValueTask<int> Answered { get; private set; }

        /// <summary>What the code does on the thread that reads, when it goes on.</summary>
        public Action? Then { get; set; }

        /// <summary>Those that may wait for the thread that reads do so: on a busy machine, one that may go on takes its time.</summary>
        public void WaitsLong() => Client.Session.Channel!.MomentForTheRest = Eventually.Watchdog;

        /// <summary>Makes the thread that reads wait, and the server go.</summary>
        public Task<int> Begin(Action? meanwhile = null)
        {
            MessageCodec<int> slow = CodecOf(() =>
            {
                _reads.Set();
                Assert.True(_go.Wait(Eventually.Watchdog));
                Then?.Invoke();
                return Read;
            });
            var method = new RpcMethod<int, int>(Hand.Name, "Slow", RpcMethodKind.Unary, Hand.Number, slow);
            Task<int> reading = Task.Run(() => Client.Call(method, 1), Token);
            FrameHeader first = _server.Receive();
            Answered = Client.CallAsync(Hand.Ask, 2);
            FrameHeader second = _server.Receive();
            _server.Send(new FrameHeader(FrameKind.Response, first.Call), Hand.Bytes(1));
            Assert.True(_reads.Wait(Eventually.Watchdog, Token));
            meanwhile?.Invoke();
            _server.Send(new FrameHeader(FrameKind.Response, second.Call), Hand.Bytes(Unread));
            _server.Dispose();
            return reading;
        }

        public void LetGo() => _go.Set();

        public void Dispose()
        {
            _go.Set();
            Client.Dispose();
            _server.Dispose();
            _reads.Dispose();
        }
    }
}
