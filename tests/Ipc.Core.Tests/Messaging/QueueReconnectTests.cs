using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Core.Tests;

/// <summary>A queue was removed from under its users, and made again.</summary>
public sealed class QueueReconnectTests : QueueTest
{
    private SharedQueue MakeAgain()
    {
        Assert.True(SharedStorage.Remove("queue", evenIfUsed: true));
        return Own(SharedQueue.Open("queue"));
    }

    [Fact]
    public void WhoReconnectsIsInTheQueueThatHasTheNameNow()
    {
        SharedQueue queue = Queue();
        SendNumber(queue, 1);
        Assert.True(queue.TryReceive(out QueueMessage held));
        Assert.True(queue.IsFindable);
        SharedQueue anew = MakeAgain();
        Assert.False(queue.IsFindable);
        SendNumber(anew, 2);
        Assert.False(queue.TryReceive(out _));

        queue.Reconnect();
        Assert.True(queue.IsFindable);
        held.Release(); // of the other queue: nothing here
        Assert.Equal(2, anew.GetInfo().Participants);
        ReceiveNumber(queue, 2);
        SendNumber(queue, 3);
        ReceiveNumber(anew, 3);
    }

    [Fact]
    public void ItIsMadeWhenThereIsNone()
    {
        SharedQueue queue = Queue(new QueueOptions { BlockSize = 64, BlockCount = 4, OpenMode = OpenMode.CreateNew });
        Assert.True(SharedStorage.Remove("queue", evenIfUsed: true));
        queue.Reconnect();
        Assert.True(queue.IsFindable);
        Assert.Equal(64, queue.BlockSize);
        SendNumber(queue, 1);
        ReceiveNumber(queue, 1);
    }

    [Fact]
    public async Task WaitsEndAsByStopAndThoseAfterwardsWaitThere()
    {
        SharedQueue queue = Queue();
        SharedQueue anew = MakeAgain();
        Background waiting = Run(() => Assert.Equal(IpcStatus.Stopped, queue.Receive(out _, Deadline.Never)));
        Task<QueueMessage> awaiting = queue.ReceiveAsync().AsTask();
        waiting.UntilAsleep();
        queue.Reconnect();
        waiting.Join();
        IpcException stopped = await Assert.ThrowsAsync<IpcException>(() => awaiting.WaitAsync(Watchdog.Patience));
        Assert.Equal(IpcStatus.Stopped, stopped.Status);
        Task<QueueMessage> there = queue.ReceiveAsync().AsTask();
        SendNumber(anew, 5);
        using QueueMessage message = await there.WaitAsync(Watchdog.Patience);
        Assert.Equal(5, BitConverter.ToInt32(message.Payload));
    }

    [Fact]
    public void SubscribersAndStopGoAlong()
    {
        SharedQueue queue = Queue();
        List<(ParticipantChange Change, int Index, int Generation)> told = new();
        queue.ParticipantChanged += (sender, e) =>
        {
            Assert.Same(queue, sender);
            lock (told)
                told.Add((e.Change, e.Participant.Index, e.Participant.Generation));
        };
        queue.Stop();
        MakeAgain();
        queue.Reconnect();
        Assert.Equal(IpcStatus.Stopped, queue.Wait(Deadline.Never));
        queue.Resume();

        // Who comes and goes between two looks of the thread that tells is not seen: one after the other.
        ParticipantInfo[] before = queue.GetParticipants();
        SharedQueue other = SharedQueue.Open("queue");
        ParticipantInfo its = Assert.Single(
            queue.GetParticipants(), now => !before.Any(one => one.Index == now.Index && one.Generation == now.Generation));
        IsTold(ParticipantChange.Attached);
        other.Dispose();
        IsTold(ParticipantChange.Left);

        void IsTold(ParticipantChange change) => Watchdog.Until(
            () =>
            {
                lock (told)
                    return told.Contains((change, its.Index, its.Generation));
            },
            $"the other's {change} is told");
    }

    [Fact]
    public void WhoCannotReconnectStaysWhereItIs()
    {
        SharedQueue queue = Queue(new QueueOptions { OpenMode = OpenMode.OpenExisting, OpenTimeout = TimeSpan.FromSeconds(60) }, first: true);
        Assert.True(SharedStorage.Remove("queue", evenIfUsed: true));
        using CancellationTokenSource cancelled = new();
        cancelled.Cancel();
        Fails(IpcStatus.Cancelled, () => queue.Reconnect(cancelled.Token));
        SendNumber(queue, 1);
        ReceiveNumber(queue, 1);
        queue.Dispose();
        Assert.Throws<ObjectDisposedException>(() => queue.Reconnect());
    }

    /// <summary>Of one that others have made before, if asked.</summary>
    private SharedQueue Queue(QueueOptions options, bool first)
    {
        if (first)
            Own(SharedQueue.Open("queue"));
        return Own(SharedQueue.Open("queue", options));
    }
}
