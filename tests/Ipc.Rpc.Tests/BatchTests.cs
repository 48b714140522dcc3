using System;
using System.Collections.Generic;
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
        var habit = new TaskHabit();
        int number = 0;
        long now = 0;
        Assert.InRange(Polled(1000, 1), 980, 999); // awaits each
        Assert.InRange(Polled(1000, 1000), 0, 130); // collects: noticed with the next one that is left alone
        for (int burst = 0; burst < 100; burst++)
            Assert.Equal(0, Polled(10, 10));
        Assert.InRange(Polled(1000, 1), 980, 998); // awaits each again
        Assert.InRange(Polled(1000, 1, 0.001), 0, 130); // answered at once, but who had to be woken for it would not be here yet

        int Polled(int calls, int together, double milliseconds = 1)
        {
            var pause = (long)(milliseconds * System.Diagnostics.Stopwatch.Frequency / 1000);
            int polled = 0;
            var pending = new Queue<Held>();
            for (int i = 0; i < calls; i++)
            {
                var call = new Held(++number);
                polled += habit.MayPoll(call, now += pause) ? 1 : 0;
                pending.Enqueue(call);
                while (pending.Count >= together && pending.TryDequeue(out Held? ended))
                    Assert.True(ended.Slot.TryEnd(ended.Use, out _));
            }

            return polled;
        }
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
