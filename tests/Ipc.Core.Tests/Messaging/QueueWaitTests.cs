using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Core.Tests;

/// <summary>Waiting for messages and for room, by several threads at once; and what ends it.</summary>
public sealed class QueueWaitTests : QueueTest
{
    public static TheoryData<WaitMode> Modes => new() { WaitMode.Adaptive, WaitMode.Spin, WaitMode.Block };

    [Theory]
    [MemberData(nameof(Modes))]
    public void ReceiversGetWhatIsSentAndSendersGetRoom(WaitMode mode)
    {
        SharedQueue queue = Queue(Few(2, mode));
        SharedQueue other = Queue(Few(2, mode));
        int rounds = mode == WaitMode.Spin && Environment.ProcessorCount < 2 ? 50 : 2000;
        Background receiving = Run(() =>
        {
            for (int i = 0; i < rounds; i++)
            {
                Assert.Equal(IpcStatus.Ok, other.Receive(out QueueMessage message, Hang));
                Assert.Equal((ushort)i, message.Type);
                message.Release();
            }
        });
        for (int i = 0; i < rounds; i++)
            Assert.Equal(IpcStatus.Ok, queue.Send(Number(i), (ushort)i, Hang));
        receiving.Join();
    }

    [Fact]
    public void EverySleeperIsStoppedAndResumed()
    {
        SharedQueue queue = Queue(Few(2, WaitMode.Block));
        for (int round = 0; round < 20; round++)
        {
            Background[] waiting = Enumerable.Range(0, 3).Select(_ => Run(() => Assert.Equal(IpcStatus.Stopped, queue.Receive(out QueueMessage _, Deadline.Never)))).ToArray();
            foreach (Background one in waiting)
                one.UntilAsleep();
            queue.Stop();
            foreach (Background one in waiting)
                one.Join();
            Assert.Equal(IpcStatus.Stopped, queue.Wait(Deadline.Never));
            SendNumber(queue, 1); // what needs no waiting works
            Assert.Equal(IpcStatus.Ok, queue.Receive(out QueueMessage message, Deadline.Never));
            message.Release();
            queue.Resume();
            Assert.Equal(IpcStatus.Timeout, queue.Receive(out _, Deadline.Now));
        }
    }

    /// <summary>Only Stop comes from elsewhere.</summary>
    [Fact]
    public void OneThreadAloneWaitsAndIsStoppedAsManyAre()
    {
        QueueOptions options = Few(2, WaitMode.Block);
        options.SingleThreaded = true;
        SharedQueue queue = Queue(options);
        Assert.Equal(IpcStatus.Timeout, queue.Receive(out QueueMessage _, Deadline.FromMilliseconds(1)));
        Assert.True(queue.TryClaim(8, out QueueClaim _)); // undone by Dispose
        SendNumber(queue, 1);
        Assert.Equal(IpcStatus.Timeout, queue.Send(Number(2), 0, Deadline.FromMilliseconds(1)));
        Background waiting = Run(() => Assert.Equal(IpcStatus.Stopped, queue.Send(Number(2), 0, Deadline.Never)));
        waiting.UntilAsleep();
        queue.Stop();
        waiting.Join();
        SharedQueue other = Queue(Few());
        queue.Dispose();
        ReceiveNumber(other, 1);
        SendNumber(other, 3);
        SendNumber(other, 4);
    }

#if DEBUG
    [Fact]
    public void ABrokenPromiseOfOneThreadIsNoticed()
    {
        QueueOptions options = Few(2, WaitMode.Block);
        options.SingleThreaded = true;
        SharedQueue queue = Queue(options);
        Background waiting = Run(() => Assert.Equal(IpcStatus.Stopped, queue.Receive(out QueueMessage _, Deadline.Never)));
        waiting.UntilAsleep();
        Assert.Throws<InvalidOperationException>(() => queue.Wait(Deadline.Never));
        queue.Stop();
        waiting.Join();
    }
#endif

    [Fact]
    public void StopEndsSendersToo()
    {
        SharedQueue queue = Queue(Few(2, WaitMode.Block));
        SendNumber(queue, 0);
        SendNumber(queue, 1);
        Background waiting = Run(() => Assert.Equal(IpcStatus.Stopped, queue.Send(Number(2), 0, Deadline.Never)));
        waiting.UntilAsleep();
        queue.Stop();
        waiting.Join();
        ReceiveNumber(queue, 0);
        ReceiveNumber(queue, 1);
        NothingIn(queue);
    }

    [Theory]
    [MemberData(nameof(Modes))]
    public void CancellingEndsOneWaitOnly(WaitMode mode)
    {
        SharedQueue queue = Queue(Few(2, mode));
        using CancellationTokenSource cancel = new();
        Background cancelled = Run(() => Assert.Equal(IpcStatus.Cancelled, queue.Receive(out QueueMessage _, Deadline.Never, cancel.Token)));
        Background other = Run(() =>
        {
            Assert.Equal(IpcStatus.Ok, queue.Receive(out QueueMessage message, Hang));
            message.Release();
        });
        if (mode == WaitMode.Block)
        {
            cancelled.UntilAsleep();
            other.UntilAsleep();
        }

        cancel.Cancel();
        cancelled.Join();
        SendNumber(queue, 1);
        other.Join();
        Assert.Equal(IpcStatus.Cancelled, queue.Receive(out _, Deadline.Never, cancel.Token));
    }

    [Theory]
    [InlineData(WaitMode.Adaptive)]
    [InlineData(WaitMode.Block)]
    public void DisposeEndsSendersAndReceiversEveryTime(WaitMode mode)
    {
        for (int round = 0; round < 500; round++)
        {
            QueueOptions options = Few(2, mode);
            options.Lifetime = Lifetime.WhileUsed;
            using SharedQueue full = SharedQueue.Open("full", options);
            using SharedQueue empty = SharedQueue.Open("empty", options);
            SendNumber(full, 0);
            SendNumber(full, 1);
            Background sending = Run(() => Assert.Equal(IpcStatus.Closed, full.Send(Number(2), 0, Deadline.Never)));
            Background receiving = Run(() => Assert.Equal(IpcStatus.Closed, empty.Receive(out QueueMessage _, Deadline.Never)));
            Background waiting = Run(() => Assert.Equal(IpcStatus.Closed, empty.Wait(Deadline.Never)));
            if (mode == WaitMode.Block && round % 10 == 0)
            {
                sending.UntilAsleep();
                receiving.UntilAsleep();
                waiting.UntilAsleep();
            }

            full.Dispose();
            empty.Dispose();
            sending.Join();
            receiving.Join();
            waiting.Join();
        }
    }

    [Fact]
    public void DisposeInTheMiddleOfTrafficLosesNothingAndLeavesNoSlot()
    {
        const int Slots = 8;
        SharedQueue keeper = Queue(Few(Slots));
        for (int round = 0; round < 300; round++)
        {
            SharedQueue busy = SharedQueue.Open("queue", Few());
            int sent = 0, received = 0;
            Background sending = Run(() =>
            {
                while (true)
                {
                    IpcStatus status = busy.Send(Filled(Volatile.Read(ref sent)), 1, Hang);
                    if (status != IpcStatus.Ok)
                    {
                        Assert.Equal(IpcStatus.Closed, status);
                        return;
                    }

                    Interlocked.Increment(ref sent);
                }
            });
            Background receiving = Run(() =>
            {
                while (busy.Receive(out QueueMessage message, Hang) == IpcStatus.Ok)
                {
                    CheckFilled(message.Payload, message.Redelivered);
                    message.Release();
                    Interlocked.Increment(ref received);
                }
            });
            Watchdog.Until(() => Volatile.Read(ref received) > round % 7, "traffic");
            busy.Dispose();
            sending.Join();
            receiving.Join();

            int left = 0, again = 0;
            while (keeper.TryReceive(out QueueMessage message))
            {
                CheckFilled(message.Payload, message.Redelivered);
                again += message.Redelivered ? 1 : 0;
                left++;
                message.Release();
            }

            // A message whose receiver was interrupted between taking and counting may have been counted and come again.
            Assert.InRange(received + left, sent, sent + again);
            Assert.InRange(again, 0, 1);
            for (int i = 0; i < Slots; i++)
                SendNumber(keeper, i);
            for (int i = 0; i < Slots; i++)
                ReceiveNumber(keeper, i);
        }
    }

    [Fact]
    public void ParticipantsAreListedAndTheirComingAndGoingIsTold()
    {
        SharedQueue queue = Queue();
        List<(ParticipantChange, int)> seen = new();
        queue.ParticipantChanged += (sender, change) =>
        {
            Assert.Same(queue, sender);
            Assert.Equal(Environment.ProcessId, change.Participant.ProcessId);
            lock (seen)
                seen.Add((change.Change, change.Participant.Index));
        };
        Watchdog.Until(() => Count() == 1, "ourselves");
        using (SharedQueue other = SharedQueue.Open("queue"))
        {
            Watchdog.Until(() => Count() == 2, "the other");
            ParticipantInfo[] all = other.GetParticipants();
            Assert.Equal(new[] { 0, 1 }, all.Select(one => one.Index));
            Assert.All(all, one => Assert.Equal((ParticipantRuntime.CSharp, ParticipantRole.Writer | ParticipantRole.Reader, 1), (one.Runtime, one.Role, one.Generation)));
            Assert.InRange((DateTime.UtcNow - all[1].Attached).TotalSeconds, -5, 60);
        }

        Watchdog.Until(() => Count() == 3, "its leaving");
        Assert.Equal(new[] { (ParticipantChange.Attached, 0), (ParticipantChange.Attached, 1), (ParticipantChange.Left, 1) }, seen);

        int Count()
        {
            lock (seen)
                return seen.Count;
        }
    }

    private static byte[] Filled(int number) => Enumerable.Repeat((byte)number, 8 + number % 57).ToArray();

    private static void CheckFilled(ReadOnlySpan<byte> payload, bool redelivered)
    {
        Assert.InRange(payload.Length, 8, 64);
        for (int i = 1; i < payload.Length; i++)
            Assert.True(payload[i] == payload[0], redelivered ? "torn, redelivered" : "torn");
    }
}
