using System;
using System.Linq;
using Ipc.Testing.Images;
using Xunit;

namespace Ipc.Core.Tests;

/// <summary>A queue that takes further segments under load.</summary>
public sealed class QueueGrowthTests : QueueTest
{
    private static QueueOptions Growing(int expansions, int distance = 0, bool preallocate = false) => new()
    {
        BlockSize = 64,
        BlockCount = 4,
        MaxExpansions = expansions,
        MinExpansionDistance = distance,
        Preallocate = preallocate,
        LoanBudget = 0,
    };

    /// <summary>Twin of queue_test.c's: thousands of tries, each of which would wait for a lock that somebody has, some tens of milliseconds.</summary>
    [Fact]
    public void TryingDoesNotWaitForTheRegionLock()
    {
        SharedQueue queue = Queue(new QueueOptions { BlockSize = 64, BlockCount = 2, MaxExpansions = 3, LoanBudget = 1 << 20 });
        for (int i = 0; i < 2; i++)
            SendNumber(queue, i);
        using (LiveRegion bytes = Look("queue"))
        {
            Assert.True(bytes.TryLock(Wire.Region.LockOfRegion));
            Deadline patience = Deadline.After(TimeSpan.FromSeconds(30));
            byte[] loan = new byte[100_000];
            for (int i = 0; i < 2000; i++)
            {
                Assert.False(queue.TryClaim(8, out _)); // another segment
                Assert.False(queue.TrySend(loan));      // pages for a loan
            }

            Assert.False(patience.HasPassed, "4,000 tries waited for the lock");
        }

        Assert.True(queue.TryClaim(8, out QueueClaim claim));
        claim.Abandon();
    }

    [Fact]
    public void ItGrowsToItsLimitAndKeepsTheOrder()
    {
        SharedQueue queue = Queue(Growing(3));
        SharedQueue receiver = Queue();
        for (int i = 0; i < 16; i++)
        {
            SendNumber(queue, i);
            Assert.Equal(i / 4 + 1, queue.GetInfo().Segments);
        }

        Assert.False(queue.TrySend(Number(16)));
        Assert.Equal(16, receiver.GetInfo().Depth);
        for (int i = 0; i < 16; i++)
            ReceiveNumber(receiver, i);
        NothingIn(receiver);
        Assert.Equal(4, queue.GetInfo().Segments);
    }

    [Fact]
    public void DrainedSegmentsAreUsedAgain()
    {
        SharedQueue queue = Queue(Growing(2));
        SharedQueue receiver = Queue();
        int sent = 0, received = 0;
        Random random = new(5);
        for (int round = 0; round < 2000; round++)
        {
            for (int n = random.Next(14); n > 0 && queue.TrySend(Number(sent)); n--)
                sent++;
            for (int n = random.Next(14); n > 0 && received < sent; n--)
                ReceiveNumber(receiver, received++);
        }

        while (received < sent)
            ReceiveNumber(receiver, received++);
        NothingIn(receiver);
        Assert.InRange(sent, 5000, int.MaxValue);
        using LiveRegion bytes = Look("queue");
        Assert.InRange(bytes.U64(bytes.Body + At.Send) >> 16, 100u, ulong.MaxValue); // many turns
        Assert.Equal(3, queue.GetInfo().Segments);
    }

    [Fact]
    public void TheNextSegmentIsPreparedAhead()
    {
        SharedQueue queue = Queue(Growing(2, distance: 2));
        SendNumber(queue, 0);
        Assert.Equal(1, queue.GetInfo().Segments);
        SendNumber(queue, 1);
        Assert.Equal(2, queue.GetInfo().Segments);
        SendNumber(queue, 2);
        SendNumber(queue, 3);
        SendNumber(queue, 4);
        Assert.Equal(2, queue.GetInfo().Segments);
        for (int i = 0; i < 5; i++)
            ReceiveNumber(queue, i);
    }

    [Fact]
    public void PreallocatedSegmentsAreThereFromTheStart()
    {
        SharedQueue queue = Queue(Growing(255, preallocate: true));
        Assert.Equal(256, queue.GetInfo().Segments);
        for (int i = 0; i < 1024; i++)
            SendNumber(queue, i);
        Assert.False(queue.TrySend(Number(0)));
        for (int i = 0; i < 1024; i++)
            ReceiveNumber(queue, i);
    }

    [Fact]
    public void MessagesOfOneSenderStayInOrderAcrossSegments()
    {
        SharedQueue slow = Queue(Growing(2));
        SharedQueue quick = Queue();
        SharedQueue receiver = Queue();
        Assert.True(slow.TryClaim(8, out QueueClaim claim));
        for (int i = 1; i < 10; i++)
            SendNumber(i % 3 == 0 ? slow : quick, i);
        foreach (int i in new[] { 1, 2, 4, 5, 7, 8 })
            ReceiveNumber(receiver, i);
        NothingIn(receiver);
        Number(0).CopyTo(claim.Payload);
        claim.Commit();
        foreach (int i in new[] { 0, 3, 6, 9 })
            ReceiveNumber(receiver, i);
        NothingIn(receiver);
        for (int i = 0; i < 11; i++) // a seal takes the room of one turn's last slot at most
            SendNumber(quick, i);
    }

    [Fact]
    public void AClaimOfTheTurnBeforeIsCommittedThroughTheSeal()
    {
        SharedQueue queue = Queue(Growing(1));
        SharedQueue other = Queue();
        Assert.True(other.TryClaim(8, out QueueClaim claim));
        for (int i = 1; i < 8; i++)
            SendNumber(queue, i); // the first segment is sealed at the claim's slot
        using LiveRegion bytes = Look("queue");
        Assert.Equal(Word(0, 2, Writing) | Sealed, bytes.U64(SlotAt(bytes, 0, 0)));
        Number(0).CopyTo(claim.Payload);
        claim.Commit();
        Assert.Equal(Word(0, 2, Ready) | Sealed, bytes.U64(SlotAt(bytes, 0, 0)));
        for (int i = 0; i < 8; i++)
            ReceiveNumber(queue, i);
        Assert.Equal(Word(1, 0, Free) | Sealed, bytes.U64(SlotAt(bytes, 0, 0)));
        NothingIn(queue);
        for (int i = 0; i < 30; i++)
        {
            SendNumber(other, i);
            ReceiveNumber(queue, i);
        }
    }

    [Fact]
    public void WhatADeadGrowerLeftIsTakenUp()
    {
        for (int step = 0; step < 4; step++)
        {
            using SharedQueue queue = SharedQueue.Open("queue", Growing(2));
            for (int i = 0; i < 4; i++)
                SendNumber(queue, i);
            using (LiveRegion bytes = Look("queue"))
            {
                int body = bytes.Body;
                if (step >= 1)
                    bytes[body + At.Segments] = 2;
                if (step >= 2)
                    bytes.U64(SegmentAt(bytes, 0) + At.Next, 0x2_0001);
                if (step >= 3)
                    bytes.U64(SlotAt(bytes, 0, 0), bytes.U64(SlotAt(bytes, 0, 0)) | Sealed);
            }

            for (int i = 4; i < 12; i++)
                SendNumber(queue, i);
            Assert.False(queue.TrySend(Number(12)));
            for (int i = 0; i < 12; i++)
                ReceiveNumber(queue, i);
            NothingIn(queue);
        }
    }
}
