using System;
using System.Linq;
using Ipc.Testing.Images;
using Xunit;

namespace Ipc.Core.Tests;

/// <summary>One queue, one thread at a time: what is sent is received, once, in order.</summary>
public sealed class QueueTests : QueueTest
{
    [Fact]
    public void WhatIsSentIsReceivedInOrder()
    {
        SharedQueue queue = Queue();
        for (int i = 0; i < 100; i++)
        {
            SendNumber(queue, 2 * i);
            SendNumber(queue, 2 * i + 1);
            ReceiveNumber(queue, 2 * i);
            ReceiveNumber(queue, 2 * i + 1);
        }

        NothingIn(queue);
    }

    /// <summary>Claims that are abandoned while nobody receives leave slots that are many laps ahead of the head.</summary>
    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    public void ClaimsAbandonedInCirclesLeaveAnEmptyQueue(int expansions)
    {
        SharedQueue queue = Queue(new QueueOptions { BlockSize = 64, BlockCount = 2, MaxExpansions = expansions, LoanBudget = 0 });
        for (int i = 0; i < 1_000_000; i++)
        {
            Assert.True(queue.TryClaim(8, out QueueClaim claim));
            claim.Abandon();
        }

        NothingIn(queue);
        for (int i = 0; i < 10; i++)
        {
            SendNumber(queue, i);
            ReceiveNumber(queue, i);
        }

        NothingIn(queue);
    }

    [Fact]
    public void TypeLengthAndBytesArrive()
    {
        SharedQueue queue = Queue();
        SharedQueue other = Queue();
        for (int length = 0; length <= 64; length++)
        {
            byte[] sent = Enumerable.Range(length, length).Select(i => (byte)i).ToArray();
            Assert.True(queue.TrySend(sent, (ushort)(65535 - length)));
            Assert.True(other.TryReceive(out QueueMessage message));
            Assert.Equal(sent, message.Payload.ToArray());
            Assert.Equal(65535 - length, message.Type);
            Assert.False(message.Redelivered);
            message.Dispose();
        }
    }

    [Fact]
    public void TheGeometryIsTheRegions()
    {
        SharedQueue first = Queue(new QueueOptions { BlockSize = 100, BlockCount = 5, MaxExpansions = 2, Participants = 7, MinExpansionDistance = 3, LoanBudget = 5000 });
        SharedQueue second = Queue(new QueueOptions { BlockSize = 4000, BlockCount = 1 << 20, Participants = 1 });
        foreach (SharedQueue queue in new[] { first, second })
        {
            QueueInfo info = queue.GetInfo();
            Assert.Equal((104, 8, 1, 3), (info.BlockSize, info.BlockCount, info.Segments, info.SegmentLimit));
            Assert.Equal((2, 7), (info.Participants, info.ParticipantCapacity));
            Assert.Equal((8192, 0), (info.LoanBudget, info.LoansPresent));
            Assert.Equal(104, queue.BlockSize);
        }

        using LiveRegion bytes = Look("queue");
        int body = bytes.Body;
        Assert.Equal(1024 + 7 * 128, body);
        Assert.Equal((0x55455551u, 104u, 8u, 3u), (bytes[body + At.Magic], bytes[body + At.BlockSize], bytes[body + At.SlotCount], bytes[body + At.SegmentLimit]));
        Assert.Equal((256UL, 4096UL, 4096UL), (bytes.U64(body + At.Stride), bytes.U64(body + At.SegmentsOffset) % 4096 + 4096, bytes.U64(body + At.SegmentStride)));
        Assert.Equal((3u, 1u, 0x10000UL, 0x10000UL), (bytes[body + At.Distance], bytes[body + At.Segments], bytes.U64(body + At.Send), bytes.U64(body + At.Receive)));
        Assert.Equal(bytes.U64(body + At.SegmentsOffset) + 3 * 4096, bytes.U64(body + At.PoolOffset));
    }

    [Theory]
    [InlineData(nameof(QueueOptions.BlockSize), 7)]
    [InlineData(nameof(QueueOptions.BlockSize), (16 << 20) + 1)]
    [InlineData(nameof(QueueOptions.BlockCount), 1)]
    [InlineData(nameof(QueueOptions.BlockCount), (1 << 20) + 1)]
    [InlineData(nameof(QueueOptions.MaxExpansions), -1)]
    [InlineData(nameof(QueueOptions.MaxExpansions), 256)]
    [InlineData(nameof(QueueOptions.MinExpansionDistance), 1024)]
    [InlineData(nameof(QueueOptions.Participants), 0)]
    [InlineData(nameof(QueueOptions.Participants), 4097)]
    public void WhatNobodyMayAskForIsRefused(string option, int value)
    {
        QueueOptions options = new();
        typeof(QueueOptions).GetProperty(option)!.SetValue(options, value);
        Assert.Contains(value.ToString(System.Globalization.CultureInfo.InvariantCulture),
            Fails(IpcStatus.InvalidArgument, () => SharedQueue.Open("queue", options)).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void AFullQueueSaysSo()
    {
        SharedQueue queue = Queue();
        for (int i = 0; i < 4; i++)
            SendNumber(queue, i);
        Assert.False(queue.TrySend(Number(4)));
        Assert.False(queue.TryClaim(8, out _));
        Assert.Equal(IpcStatus.Timeout, queue.Send(Number(4), 0, Deadline.Now));
        Assert.Equal(4, queue.GetInfo().Depth);
        ReceiveNumber(queue, 0);
        SendNumber(queue, 4);
        Assert.False(queue.TrySend(Number(5)));
        for (int i = 1; i < 5; i++)
            ReceiveNumber(queue, i);
        NothingIn(queue);
        Assert.Equal(IpcStatus.Timeout, queue.Receive(out _, Deadline.Now));
        Assert.Equal(IpcStatus.Timeout, queue.Wait(Deadline.Now));
    }

    [Fact]
    public void AnAbandonedClaimLeavesNoTrace()
    {
        SharedQueue queue = Queue();
        for (int i = 0; i < 10; i++)
        {
            Assert.True(queue.TryClaim(10, out QueueClaim claim));
            Assert.Equal(10, claim.Payload.Length);
            claim.Payload.Fill(0xEE);
            SendNumber(queue, i);
            claim.Abandon();
            claim.Abandon();
            ReceiveNumber(queue, i);
            NothingIn(queue);
        }
    }

    [Fact]
    public void AClaimMayBeCommittedShorterButNotLongerOrTwice()
    {
        SharedQueue queue = Queue();
        Assert.True(queue.TryClaim(10, out QueueClaim claim));
        QueueClaim mine = claim;
        AssertThrows<ArgumentOutOfRangeException>(ref mine, 11);
        AssertThrows<ArgumentOutOfRangeException>(ref mine, -1);
        "abc"u8.CopyTo(claim.Payload);
        claim.Commit(3, 5);
        AssertThrows<InvalidOperationException>(ref mine, 3);
        QueueClaim none = default;
        AssertThrows<InvalidOperationException>(ref none, 0);
        none.Abandon();
        Assert.True(queue.TryReceive(out QueueMessage message));
        Assert.Equal("abc"u8.ToArray(), message.Payload.ToArray());
        Assert.Equal(5, message.Type);
        message.Release();
        message.Release();
        default(QueueMessage).Release();
        NothingIn(queue);

        static void AssertThrows<T>(ref QueueClaim claim, int length) where T : Exception
        {
            try
            {
                claim.Commit(length);
            }
            catch (T)
            {
                return;
            }

            Assert.Fail($"{typeof(T).Name} was expected");
        }
    }

    [Fact]
    public void AMessageLongerThanABlockIsRefusedWithoutLoans()
    {
        SharedQueue queue = Queue();
        Assert.Equal(64, queue.MaxPayload);
        Assert.True(queue.TrySend(new byte[64]));
        foreach (Action send in new Action[] { () => queue.TrySend(new byte[65]), () => queue.TryClaim(65, out _), () => queue.Send(new byte[65], 0, Deadline.Never) })
            Assert.Contains("65", Fails(IpcStatus.TooLarge, send).Message, StringComparison.Ordinal);
        Assert.Throws<ArgumentOutOfRangeException>(() => queue.TryClaim(-1, out _));
    }

    [Fact]
    public void ASenderInTheMiddleOfAMessageHoldsUpNobodyElse()
    {
        SharedQueue slow = Queue();
        SharedQueue quick = Queue();
        SharedQueue receiver = Queue();
        Assert.True(slow.TryClaim(8, out QueueClaim claim));
        SendNumber(quick, 1);
        SendNumber(slow, 2); // behind its own claim: it must not overtake it
        SendNumber(quick, 3);
        ReceiveNumber(receiver, 1);
        ReceiveNumber(receiver, 3);
        NothingIn(receiver);
        Assert.Equal(IpcStatus.Timeout, receiver.Wait(Deadline.Now));
        Assert.False(quick.TrySend(Number(4))); // a lap behind
        Number(0).CopyTo(claim.Payload);
        claim.Commit();
        ReceiveNumber(receiver, 0);
        ReceiveNumber(receiver, 2);
        NothingIn(receiver);
    }

    [Fact]
    public void AReceiverThatHoldsAMessageHoldsUpNobodyElse()
    {
        SharedQueue queue = Queue();
        SendNumber(queue, 0);
        SendNumber(queue, 1);
        Assert.True(queue.TryReceive(out QueueMessage held));
        ReceiveNumber(queue, 1);
        SendNumber(queue, 2);
        SendNumber(queue, 3);
        Assert.False(queue.TrySend(Number(4))); // its slot is next
        held.Release();
        SendNumber(queue, 4);
        ReceiveNumber(queue, 2);
        ReceiveNumber(queue, 3);
        ReceiveNumber(queue, 4);
    }

    [Fact]
    public void LookingPastHasALimit()
    {
        SharedQueue receiver = Queue(Few(32));
        SharedQueue[] slow = Enumerable.Range(0, 17).Select(_ => Queue()).ToArray();
        for (int i = 0; i < 16; i++)
            Assert.True(slow[i].TryClaim(8, out _));
        SendNumber(receiver, 1);
        ReceiveNumber(receiver, 1);
        Assert.True(slow[16].TryClaim(8, out QueueClaim last));
        SendNumber(receiver, 2);
        NothingIn(receiver);
        last.Abandon();
        ReceiveNumber(receiver, 2);
    }

    [Fact]
    public void LapsWrapAround()
    {
        SharedQueue queue = Queue();
        using LiveRegion bytes = Look("queue");
        ulong position = (1UL << 34) - 6; // lap 0xFFFFFFFE, the third slot of four
        for (int i = 0; i < 4; i++)
            bytes.U64(SlotAt(bytes, 0, i), Word(i < 2 ? 0xFFFFFFFF : 0xFFFFFFFE, 0, Free));
        bytes.U64(SegmentAt(bytes, 0) + At.Tail, position);
        bytes.U64(SegmentAt(bytes, 0) + At.Head, position);
        for (int i = 0; i < 30; i++)
        {
            SendNumber(queue, i);
            SendNumber(queue, i + 1);
            SendNumber(queue, i + 2);
            ReceiveNumber(queue, i);
            ReceiveNumber(queue, i + 1);
            ReceiveNumber(queue, i + 2);
            NothingIn(queue);
        }

        Assert.Equal(position + 90, bytes.U64(SegmentAt(bytes, 0) + At.Tail));
        for (int i = 0; i < 4; i++)
            SendNumber(queue, i);
        Assert.False(queue.TrySend(Number(4)));
    }

    [Fact]
    public void ATableThatIsFullRefuses()
    {
        QueueOptions options = new() { Participants = 2 };
        SharedQueue first = Queue(options);
        SharedQueue second = SharedQueue.Open("queue");
        Assert.Contains("2 participants", Fails(IpcStatus.TableFull, () => SharedQueue.Open("queue")).Message, StringComparison.Ordinal);
        second.Dispose();
        SharedQueue.Open("queue").Dispose();
        Assert.True(first.TrySend("still there"u8));
    }

    [Fact]
    public void ANameHasOneKind()
    {
        using RingWriter ring = RingWriter.Open("queue", Small());
        Assert.Contains("not a queue", Fails(IpcStatus.WrongKind, () => SharedQueue.Open("queue")).Message, StringComparison.Ordinal);
        ring.Dispose();
        Queue();
        Assert.Contains("not a ring", Fails(IpcStatus.WrongKind, () => RingWriter.Open("queue")).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void OpenModesMeanWhatTheySay()
    {
        Fails(IpcStatus.NotFound, () => SharedQueue.Open("queue", new QueueOptions { OpenMode = OpenMode.OpenExisting }));
        SharedQueue queue = Queue(new QueueOptions { OpenMode = OpenMode.CreateNew });
        Fails(IpcStatus.Exists, () => SharedQueue.Open("queue", new QueueOptions { OpenMode = OpenMode.CreateNew }));
        using SharedQueue again = SharedQueue.Open("queue", new QueueOptions { OpenMode = OpenMode.OpenExisting });
        SendNumber(queue, 1);
        ReceiveNumber(again, 1);
    }

    [Fact]
    public void APersistentQueueKeepsWhatIsInIt()
    {
        using (SharedQueue queue = SharedQueue.Open("queue", new QueueOptions { Lifetime = Lifetime.Persistent }))
            SendNumber(queue, 1);
        using (SharedQueue queue = SharedQueue.Open("queue"))
            ReceiveNumber(queue, 1);
        Assert.True(SharedStorage.Clear("queue"));
    }

    [Fact]
    public void WhatALeaverHeldIsGivenBack()
    {
        SharedQueue queue = Queue();
        SharedQueue leaver = SharedQueue.Open("queue");
        SendNumber(queue, 0);
        SendNumber(queue, 1);
        Assert.True(leaver.TryReceive(out QueueMessage held));
        Assert.True(leaver.TryClaim(8, out QueueClaim claim));
        leaver.Dispose();
        held.Release(); // too late: nothing
        claim.Commit();
        ReceiveNumber(queue, 0, redelivered: true);
        ReceiveNumber(queue, 1);
        NothingIn(queue);
        Assert.Equal(1, queue.GetInfo().Redelivered);
        for (int i = 0; i < 4; i++)
            SendNumber(queue, i); // no slot is missing
    }

    [Fact]
    public void AClosedQueueDoesNothing()
    {
        SharedQueue queue = Queue();
        SharedQueue closed = SharedQueue.Open("queue");
        SendNumber(queue, 1);
        closed.Dispose();
        closed.Dispose();
        Assert.False(closed.TrySend(Number(2)));
        Assert.False(closed.TryClaim(8, out _));
        NothingIn(closed);
        Assert.Equal(IpcStatus.Closed, closed.Send(Number(2), 0, Deadline.Never));
        Assert.Equal(IpcStatus.Closed, closed.Receive(out _, Deadline.Never));
        Assert.Equal(IpcStatus.Closed, closed.Wait(Deadline.Never));
        closed.Stop();
        closed.Resume();
        closed.TrimLoans();
        Assert.Empty(closed.GetParticipants());
        Assert.Equal(4, closed.GetInfo().BlockCount);
        ReceiveNumber(queue, 1);
        NothingIn(queue);
    }
}
