using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc.Peer;
using Xunit;

#pragma warning disable CA2012 // calls that are sent first and awaited once each, later

namespace Ipc.Rpc.Tests;

/// <summary>Requests that are held back, and what lets them go.</summary>
public sealed class BatchTests
{
    [Fact]
    public async Task RequestsStayUnseenUntilTheBatchEnds()
    {
        using var server = new RawServer();
        using RpcClient client = await Connect(server);
        var calls = new ValueTask<int>[3];
        using (client.Batch())
        {
            for (int i = 0; i < 3; i++)
                calls[i] = client.CallAsync(Shapes.Fail, i);
            client.Notify(Shapes.Notice, 1);
            Assert.False(server.HasFrame);
        }

        for (int i = 0; i < 3; i++)
            server.Send(new FrameHeader(FrameKind.Response, server.Receive().Call), RawClient.Varint(1, i + 1));
        Assert.Equal(FrameFlags.OneWay, server.Receive().Flags);
        for (int i = 0; i < 3; i++)
            Assert.Equal(i + 1, await Eventually.Ends(calls[i].AsTask()));

        client.Notify(Shapes.Notice, 1); // and afterwards nothing is held back
        Assert.True(server.HasFrame);
    }

    /// <summary>What a generated method returns that returns a task: making it is no waiting.</summary>
    [Fact]
    public async Task RequestsOfTasksStayUnseenUntilTheBatchEnds()
    {
        using var server = new RawServer();
        using RpcClient client = await Connect(server);
        int moment = CallTimer.MomentOfABatch;
        CallTimer.MomentOfABatch = 1_000_000;
        try
        {
            var calls = new Task<int>[3];
            using (client.Batch())
            {
                for (int i = 0; i < 3; i++)
                    calls[i] = RpcCaller.TaskOf(client.CallAsync(Shapes.Fail, i));
                Assert.False(server.HasFrame);
            }

            for (int i = 0; i < 3; i++)
                server.Send(new FrameHeader(FrameKind.Response, server.Receive().Call), RawClient.Varint(1, i + 1));
            for (int i = 0; i < 3; i++)
                Assert.Equal(i + 1, await Eventually.Ends(calls[i]));
        }
        finally
        {
            CallTimer.MomentOfABatch = moment;
        }
    }

    /// <summary>Nobody sees that a task is awaited: a batch that waited for its own end would not end.</summary>
    [Fact]
    public async Task ATaskThatIsAwaitedInsideABatchEnds()
    {
        using RpcServer server = Hand.Serve(out string name, RpcHandler.Unary(Hand.Ask, static number => number));
        using RpcClient client = RpcClient.Connect(name);
        using RpcBatch batch = client.Batch();
        await Eventually.Ends(RpcCaller.TaskOf(client.CallAsync(Hand.Ask, 1)));
        await Eventually.Ends(Task.WhenAll(RpcCaller.TaskOf(client.CallAsync(Hand.Ask, 2)), RpcCaller.TaskOf(client.CallAsync(Hand.Ask, 3))));
    }

    /// <summary>Who makes many tasks before awaiting any has no thread to wait with.</summary>
    [Fact]
    public async Task WhoCollectsTasksDoesNotReadForEach()
    {
        using var server = new RawServer();
        using RpcClient client = await Connect(server);
        var calls = new List<Task>();
        var thread = new Thread(() =>
        {
            for (int i = 0; i < 300; i++)
                calls.Add(RpcCaller.TaskOf(client.CallAsync(Shapes.Fail, i)));
        });
        thread.Start();
        thread.Join();
        Assert.InRange(client.Session.Channel!.Polls, 0, 1);
        client.Dispose();
        foreach (Task call in calls)
            await Eventually.Fails(call);
    }

    [Fact]
    public void AThreadsHabitIsSeenInWhatItLeavesAlone()
    {
        var habit = new Habit();
        Assert.InRange(habit.Polled(1000, 1), 980, 999); // awaits each
        Assert.InRange(habit.Polled(1000, 1000), 0, 160); // collects: noticed with the next one that is left alone
        for (int burst = 0; burst < 100; burst++)
            Assert.Equal(0, habit.Polled(10, 10));
        Assert.InRange(habit.Polled(1000, 1), 980, 998); // awaits each again
        Assert.InRange(habit.Polled(1000, 1, 0.001), 0, 160); // answered at once, but who had to be woken for it would not be here yet
    }

    /// <summary>What is left alone is a hundred times slower: it may be one in thousands of quick calls, and one in hundreds of slow ones.</summary>
    [Fact]
    public void QuickCallsAreSeldomLeftAlone()
    {
        Assert.InRange(new Habit().Polled(20_000, 1, reads: 0.0015), 19_990, 19_999);
        Assert.InRange(new Habit().Polled(20_000, 1, reads: 0.05), 19_900, 19_999);
    }

    /// <summary>It was left alone against its will, so nothing has to be tried.</summary>
    [Fact]
    public void AHabitIsSeenInWhatWasReadForInVain()
    {
        Assert.InRange(new Habit().Polled(1000, 1000, inVain: true), 1, 1);
        Assert.InRange(new Habit().Polled(1000, 1, inVain: true), 980, 999);
    }

    private sealed class Habit
    {
        private readonly TaskHabit _habit = new();
        private int _number;
        private long _now = Stopwatch.Frequency;

        /// <summary>How many of the calls were read for, of which so many are pending at a time.</summary>
        public int Polled(int calls, int together, double milliseconds = 1, double reads = 0.1, bool inVain = false)
        {
            int polled = 0;
            var pending = new Queue<Held>();
            for (int i = 0; i < calls; i++)
            {
                var call = new Held(++_number);
                if (_habit.MayPoll(call, _now += Ticks(milliseconds)))
                {
                    polled++;
                    _habit.HasPolled(call, Ticks(reads), inVain);
                }

                pending.Enqueue(call);
                while (pending.Count >= together && pending.TryDequeue(out Held? ended))
                    Assert.True(ended.Slot.TryEnd(ended.Use, out _));
            }

            return polled;
        }

        private static long Ticks(double milliseconds) => (long)(milliseconds * Stopwatch.Frequency / 1000);
    }

    [Fact]
    public async Task WaitingInsideABatchLetsItGo()
    {
        using var server = new ShapeServer();
        ITestService service = TestServiceRpc.Client(server.Client);
        using (server.Client.Batch())
        {
            ValueTask<int> first = service.AddAsync(1, 1);
            Assert.Equal(4, service.Add(2, 2));
            Assert.Equal(2, await Eventually.Ends(first.AsTask()));
        }

        using (server.Client.Batch())
        {
            int seen = 0;
            await foreach (int item in service.Count(0, 100))
                Assert.Equal(seen++, item);
            Assert.Equal(100, seen);
        }

        Assert.Equal(4, await Eventually.Ends(service.AddAsync(2, 2).AsTask()));
    }

    [Fact]
    public async Task AnotherThreadsRequestLetsItGo()
    {
        using var server = new RawServer();
        using RpcClient client = await Connect(server);
        using RpcBatch batch = client.Batch();
        client.Notify(Shapes.Notice, 1);
        Assert.False(server.HasFrame);
        var other = new Thread(() => client.Notify(Shapes.Notice, 2));
        other.Start();
        other.Join();
        server.Receive();
        server.Receive();
    }

    [Fact]
    public async Task ABatchThatIsDisposedElsewhereIsForgottenHere()
    {
        using var server = new RawServer();
        using RpcClient client = await Connect(server);
        RpcBatch batch = client.Batch();
        client.Notify(Shapes.Notice, 1);
        Assert.False(server.HasFrame);
        var other = new Thread(batch.Dispose);
        other.Start();
        other.Join();
        server.Receive();
        client.Notify(Shapes.Notice, 1);
        Assert.True(server.HasFrame);
        batch.Dispose();
    }

    [Fact]
    public async Task BatchesNestAndThoseOfOtherClientsDoNotMatter()
    {
        using var server = new RawServer();
        using RpcClient client = await Connect(server);
        using var other = new ShapeServer();
        using (client.Batch())
        {
            using (other.Client.Batch())
            {
                client.Notify(Shapes.Notice, 1);
                other.Client.Notify(Shapes.Notice, 1);
                Assert.False(server.HasFrame);
            }

            Eventually.True(() => other.Shapes.Notified == 1, "the inner batch has gone");
            Assert.False(server.HasFrame);
        }

        Assert.True(server.HasFrame);
    }

    [Fact]
    public async Task MoreThanTheRingHoldsGoesOutByItself()
    {
        using var server = new ShapeServer(new RpcClientOptions { ToServerCapacity = 4096, ToClientCapacity = 4096 });
        ITestService service = TestServiceRpc.Client(server.Client);
        var calls = new List<ValueTask<int>>();
        using (server.Client.Batch())
        {
            for (int i = 0; i < 2000; i++)
                calls.Add(service.AddAsync(i, 1));
        }

        for (int i = 0; i < 2000; i++)
            Assert.Equal(i + 1, await Eventually.Ends(calls[i].AsTask()));
    }

    [Fact]
    public void ABatchOnADeadConnectionEndsQuietly()
    {
        using var server = new ShapeServer();
        using (server.Client.Batch())
        {
            server.Client.Notify(Shapes.Notice, 1);
            server.Client.Dispose();
        }

        Assert.Throws<ObjectDisposedException>(() => server.Client.Notify(Shapes.Notice, 1));
    }

    private static async Task<RpcClient> Connect(RawServer server)
    {
        Task accepting = server.AcceptAside();
        RpcClient client = RpcClient.Connect(server.Name);
        await Eventually.Ends(accepting);
        return client;
    }

    private sealed class Held : PendingCall
    {
        public Held(int number)
        {
            var slot = new PendingSlot((uint)number);
            slot.Reserve(this);
            slot.Open();
        }

        public override string? OnResponse(ReadOnlySpan<byte> body) => null;

        public override void OnFailure(RpcFailure failure)
        {
        }
    }
}
