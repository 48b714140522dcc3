using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Xunit;

namespace Ipc.Rpc.Tests;

/// <summary>What a server's options make of calls: where they run, in which order, how many at once. With each of them a blocked handler holds up only what it may.</summary>
public sealed class ServerOptionTests
{
    [Fact]
    public async Task AnInlineHandlerRunsOnTheReadingThreadAndItsCallsGoOn()
    {
        var threads = new ConcurrentBag<int>();
        using var service = new HandService();
        using RpcServer server = Hand.Serve(
            out string name,
            RpcHandler.Unary(Hand.Ask, (number, _) =>
            {
                threads.Add(Environment.CurrentManagedThreadId);
                return number;
            }).Inline(),
            service.Block);
        using RpcClient client = RpcClient.Connect(name);
        for (int i = 0; i < 100; i++)
            Assert.Equal(i, client.Call(Hand.Ask, i));
        Task<int> blocked = client.CallAsync(Hand.Other, 1).AsTask();
        Eventually.True(() => service.Running == 1, "a handler blocks");
        for (int i = 0; i < 100; i++)
            Assert.Equal(i, client.Call(Hand.Ask, i)); // by another leader
        service.Go();
        Assert.Equal(1, await Eventually.Ends(blocked));
        Assert.InRange(threads.Distinct().Count(), 2, 3);
    }

    [Fact]
    public async Task OrderedCallsOfAConnectionRunOneAfterAnother()
    {
        const int Calls = 200;
        var order = new List<int>();
        int running = 0;
        int most = 0;
        using RpcServer server = Hand.Serve(
            out string name,
            new RpcServerOptions { OrderedCalls = true },
            RpcHandler.UnaryAsync(Hand.Ask, async (number, _) =>
            {
                most = Math.Max(most, Interlocked.Increment(ref running));
                lock (order)
                    order.Add(number);
                if (number % 3 != 0)
                    await Task.Yield();
                Interlocked.Decrement(ref running);
                return number;
            }),
            RpcHandler.Unary(Hand.Other, (number, _) =>
            {
                most = Math.Max(most, Interlocked.Increment(ref running));
                lock (order)
                    order.Add(number);
                if (number % 50 == 0)
                    Thread.Sleep(3); // long enough to be taken over
                Interlocked.Decrement(ref running);
                return number;
            }));
        using RpcClient client = RpcClient.Connect(name);
        Task<int>[] calls = Enumerable.Range(0, Calls).Select(i => client.CallAsync(i % 2 == 0 ? Hand.Ask : Hand.Other, i).AsTask()).ToArray();
        Assert.Equal(Enumerable.Range(0, Calls), await Eventually.Ends(Task.WhenAll(calls)));
        Assert.Equal(Enumerable.Range(0, Calls), order);
        Assert.Equal(1, most);
    }

    [Fact]
    public async Task AnOrderedConnectionWaitsForItsOwnHandlerAndOthersDoNot()
    {
        using var service = new HandService();
        using RpcServer server = Hand.Serve(
            out string name, new RpcServerOptions { OrderedCalls = true }, service.Block, service.Echo, RpcHandler.ServerStream(Hand.Items, static (count, _) => Count(count)));
        using RpcClient client = RpcClient.Connect(name);
        using RpcClient other = RpcClient.Connect(name);
        Task<int> blocked = client.CallAsync(Hand.Other, 1).AsTask();
        Eventually.True(() => service.Running == 1, "a handler blocks");
        Task<int> next = client.CallAsync(Hand.Ask, 2).AsTask();
        using var cancel = new CancellationTokenSource();
        Task<int> given = client.CallAsync(Hand.Ask, 3, cancel.Token).AsTask();
        for (int i = 0; i < 100; i++)
            Assert.Equal(i, other.Call(Hand.Ask, i));
        Assert.False(next.IsCompleted);
        cancel.Cancel();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Eventually.Ends(given));
        await Eventually.Fails(client.CallAsync(Hand.Third, 0).AsTask()); // there is none, which waits for no turn: the cancellation before it was read
        service.Go();
        Assert.Equal(1, await Eventually.Ends(blocked));
        Assert.Equal(2, await Eventually.Ends(next));
        Assert.Equal(101, service.Echoed); // the cancelled one never ran

        // A stream that is open holds up nobody.
        await using IAsyncEnumerator<int> items = client.Stream(Hand.Items, int.MaxValue).GetAsyncEnumerator();
        Assert.True(await Eventually.Ends(items.MoveNextAsync().AsTask()));
        Assert.Equal(7, client.Call(Hand.Ask, 7));
    }

    [Fact]
    public async Task NoMoreCallsRunThanAllowedAndAllAreAnswered()
    {
        const int Limit = 3;
        using var service = new HandService();
        using RpcServer server = Hand.Serve(out string name, new RpcServerOptions { MaxConcurrentCalls = Limit }, service.Block, service.Echo);
        RpcClient[] clients = Enumerable.Range(0, 4).Select(_ => RpcClient.Connect(name)).ToArray();
        var calls = new List<Task<int>>();
        foreach (RpcClient client in clients)
            calls.AddRange(Enumerable.Range(0, 10).Select(i => client.CallAsync(Hand.Other, i).AsTask()));
        Eventually.True(() => service.Running == Limit, "as many handlers as may block");
        Assert.DoesNotContain(calls, static call => call.IsCompleted);
        service.Go();
        await Eventually.Ends(Task.WhenAll(calls));
        Assert.Equal(Limit, service.Most);
        foreach (RpcClient client in clients)
        {
            Assert.Equal(5, client.Call(Hand.Ask, 5));
            client.Dispose();
        }
    }

    [Fact]
    public async Task WhatRunningCallsNeedIsReadWhileOthersWait()
    {
        // One place, taken by a stream whose credit comes behind the requests that wait for the place.
        using var service = new HandService();
        using RpcServer server = Hand.Serve(
            out string name, new RpcServerOptions { MaxConcurrentCalls = 1 }, service.Echo, RpcHandler.ServerStream(Hand.Items, static (count, _) => Count(count)));
        using var client = new RawClient(name);
        client.Send(Hand.Request(Hand.Items, 1, credit: 1), Hand.Bytes(5));
        Assert.Equal(FrameKind.Item, client.Receive().Kind);
        for (ulong i = 2; i <= 20; i++)
            client.Send(Hand.Request(Hand.Ask, i), Hand.Bytes(1));
        client.Send(new FrameHeader(FrameKind.Credit, 1, method: 10));
        for (int i = 0; i < 4; i++)
            Assert.Equal(FrameKind.Item, client.Receive().Kind);
        Assert.Equal(FrameKind.End, client.Receive().Kind);
        for (ulong i = 2; i <= 20; i++)
            Assert.Equal(i, client.Receive().Call);

        // And cancellation that comes behind them ends the call that has the place.
        using RpcClient other = RpcClient.Connect(name);
        client.Send(Hand.Request(Hand.Items, 30, credit: 1), Hand.Bytes(5));
        Assert.Equal(FrameKind.Item, client.Receive().Kind);
        client.Send(Hand.Request(Hand.Ask, 31), Hand.Bytes(1));
        Task<int> waits = other.CallAsync(Hand.Ask, 9).AsTask();
        client.Send(new FrameHeader(FrameKind.Cancel, 30));
        Assert.Equal((ushort)RpcStatus.Cancelled, client.Receive().Code);
        Assert.Equal(31UL, client.Receive().Call);
        Assert.Equal(9, await Eventually.Ends(waits));
    }

    [Fact]
    public async Task RequestsBeyondTheLimitWaitInTheRingsOfConnectionsThatRunNothing()
    {
        using var service = new HandService();
        using RpcServer server = Hand.Serve(out string name, new RpcServerOptions { MaxConcurrentCalls = 1 }, service.Block, service.Echo);
        using RpcClient first = RpcClient.Connect(name);
        Task<int> blocked = first.CallAsync(Hand.Other, 1).AsTask();
        Eventually.True(() => service.Running == 1, "a handler blocks");

        // 64 KB take less than 3,000 requests of 32 bytes: the writer is stopped, and nothing is lost or refused.
        using var client = new RawClient(name);
        const int Requests = 3000;
        int sent = 0;
        while (sent < Requests && client.Connection.Writer.TryWrite(Frame(sent + 1), FrameHeader.RecordType))
            sent++;
        Assert.InRange(sent, 1, Requests - 1);
        Task sending = Task.Run(() =>
        {
            while (sent++ < Requests)
                client.SendRecord(Frame(sent));
        });
        service.Go();
        Assert.Equal(1, await Eventually.Ends(blocked));
        await Task.Run(() =>
        {
            for (int i = 1; i <= Requests; i++)
            {
                FrameHeader answer = client.Receive();
                Assert.Equal(FrameKind.Response, answer.Kind);
            }
        });
        await Eventually.Ends(sending);

        static byte[] Frame(int call)
        {
            byte[] message = Hand.Bytes(1);
            var frame = new byte[FrameHeader.Size + message.Length];
            Hand.Request(Hand.Ask, (ulong)call).WriteTo(frame);
            message.CopyTo(frame, FrameHeader.Size);
            return frame;
        }
    }

    [Fact]
    public async Task AConnectionThatEndsWhileItsCallsWaitLeavesNothingBehind()
    {
        using var service = new HandService();
        using RpcServer server = Hand.Serve(out string name, new RpcServerOptions { MaxConcurrentCalls = 1, OrderedCalls = true }, service.Block, service.Echo);
        using RpcClient client = RpcClient.Connect(name);
        Task<int> blocked = client.CallAsync(Hand.Other, 1).AsTask();
        Eventually.True(() => service.Running == 1, "a handler blocks");
        using (RpcClient leaving = RpcClient.Connect(name))
        {
            for (int i = 0; i < 10; i++)
                _ = leaving.CallAsync(Hand.Ask, 1).AsTask();
        }

        Eventually.True(() => server.ConnectionCount == 1, "the connection is gone");
        Task<int> next = client.CallAsync(Hand.Ask, 2).AsTask();
        service.Go();
        Assert.Equal(1, await Eventually.Ends(blocked));
        Assert.Equal(2, await Eventually.Ends(next));
        Assert.Equal(1, service.Echoed);
        await Eventually.Ends(server.StopAsync(Eventually.Watchdog));
    }

    [Fact]
    public async Task AConnectionThatHasSentAndEndedBeforeItIsReadLeavesNothingBehind()
    {
        // The thread that reads is kept busy meanwhile: it decides about a third client.
        using var deciding = new ManualResetEventSlim();
        using var decided = new ManualResetEventSlim();
        using var service = new HandService();
        int asked = 0;
        var options = new RpcServerOptions { WaitMode = WaitMode.Block, MaxConcurrentCalls = 1, OrderedCalls = true };
        options.Accept = _ =>
        {
            if (Interlocked.Increment(ref asked) != 3)
                return null;
            deciding.Set();
            return decided.Wait(Eventually.Watchdog) ? "one too many" : "nobody decided";
        };
        using RpcServer server = Hand.Serve(out string name, options, service.Block, service.Echo);
        using RpcClient client = RpcClient.Connect(name);
        Task<int> blocked = client.CallAsync(Hand.Other, 1).AsTask();
        Eventually.True(() => service.Running == 1, "a handler blocks");
        using (RpcClient leaving = RpcClient.Connect(name))
        {
            Task third = Task.Run(() => Assert.ThrowsAny<RpcCallException>(() => RpcClient.Connect(name)));
            Assert.True(deciding.Wait(Eventually.Watchdog));
            for (int i = 0; i < 10; i++)
                _ = leaving.CallAsync(Hand.Ask, 1).AsTask();
            leaving.Dispose();
            decided.Set();
            await Eventually.Ends(third);
        }

        Eventually.True(() => server.ConnectionCount == 1, "the connection is gone");
        service.Go();
        Assert.Equal(1, await Eventually.Ends(blocked));
    }

    /// <summary>Counted before it is told: whoever looks at the server after connecting finds itself. The bystanders see to it that the server's thread is held up in between now and then.</summary>
    [Fact]
    public void AClientThatKnowsThatItIsConnectedIsCounted()
    {
        using RpcServer server = Hand.Serve(out string name, RpcHandler.Unary(Hand.Ask, (number, _) => number));
        using var over = new CancellationTokenSource();
        Thread[] bystanders = [.. Enumerable.Range(0, Environment.ProcessorCount).Select(_ => new Thread(() =>
        {
            while (!over.IsCancellationRequested)
                Thread.SpinWait(100);
        }))];
        foreach (Thread bystander in bystanders)
            bystander.Start();
        try
        {
            for (int i = 0; i < 300; i++)
            {
                using (RpcClient client = RpcClient.Connect(name))
                    Assert.Equal(1, server.ConnectionCount);
                Eventually.True(() => server.ConnectionCount == 0, "the server has noticed that it went");
            }
        }
        finally
        {
            over.Cancel();
            foreach (Thread bystander in bystanders)
                bystander.Join();
        }
    }

    [Fact]
    public void OptionsThatCannotBeAreRefused()
    {
        Assert.Throws<ArgumentOutOfRangeException>(() => RpcServer.Open(TestServer.NewName(), new RpcServerOptions { MaxConcurrentCalls = -1 }));
        Assert.Throws<ArgumentOutOfRangeException>(() => RpcServer.Open(TestServer.NewName(), new RpcServerOptions { StreamWindow = 31 }));
        Assert.Throws<ArgumentOutOfRangeException>(() => RpcServer.Open(TestServer.NewName(), new RpcServerOptions { StreamWindow = 65536 }));
    }

    private static async IAsyncEnumerable<int> Count(int count)
    {
        for (int i = 0; i < count; i++)
        {
            await Task.Yield();
            yield return i;
        }
    }

    /// <summary>Handlers that block until they may go on, and handlers that do not.</summary>
    private sealed class HandService : IDisposable
    {
        private readonly ManualResetEventSlim _go = new();
        private int _running;
        private int _most;
        private int _echoed;

        public HandService()
        {
            Block = RpcHandler.Unary(Hand.Other, (number, cancel) =>
            {
                int now = Interlocked.Increment(ref _running);
                int most = Volatile.Read(ref _most);
                while (now > most && Interlocked.CompareExchange(ref _most, now, most) != most)
                    most = Volatile.Read(ref _most);
                try
                {
                    _go.Wait(cancel);
                    return number;
                }
                finally
                {
                    Interlocked.Decrement(ref _running);
                }
            });
            Echo = RpcHandler.Unary(Hand.Ask, (number, _) =>
            {
                Interlocked.Increment(ref _echoed);
                return number;
            });
        }

        public RpcHandler Block { get; }

        public RpcHandler Echo { get; }

        public int Running => Volatile.Read(ref _running);

        public int Most => Volatile.Read(ref _most);

        public int Echoed => Volatile.Read(ref _echoed);

        public void Go() => _go.Set();

        public void Dispose() => _go.Set();
    }
}
