using System;
using System.Threading;
using Ipc.Testing.Images;
using Xunit;

namespace Ipc.Core.Tests;

/// <summary>A call of a queue fails, or is overtaken by Dispose, in the middle: what it had taken by then is given back, and what it says is true.</summary>
public sealed class HalfwayQueueTests : QueueTest
{
    /// <summary>The block was lost for as long as the queue was open: the exception came between the taking of it and the taking of a slot.</summary>
    [Fact]
    public void ADamagedSlotCostsNoLoan()
    {
        SharedQueue queue = Queue(new QueueOptions { BlockSize = 64, BlockCount = 4, LoanBudget = 4096 });
        Assert.True(queue.TrySend(new byte[4096]));
        Assert.True(queue.TryReceive(out QueueMessage message));
        message.Release();
        using LiveRegion bytes = Look("queue");
        long slot = SlotAt(bytes, 0, 1);
        for (int i = 0; i < 3; i++)
        {
            bytes.U64(slot, Word(0, 5, Free)); // free, and somebody's
            Assert.Throws<CorruptRegionException>(() => queue.TrySend(new byte[4096]));
            Assert.Throws<CorruptRegionException>(() => queue.Send(new byte[4096], 0, Hang));
        }

        bytes.U64(slot, Word(0, 0, Free));
        Assert.True(queue.TrySend(new byte[4096]), "the loan is lost");
    }

    /// <summary>The slot stayed in Writing: nothing that its sender sent afterwards was ever received, until it closed.</summary>
    [Fact]
    public void WhenPreparingASegmentFailsTheSlotIsGivenBack()
    {
        SharedQueue queue = Queue(new QueueOptions { BlockSize = 64, BlockCount = 16, MaxExpansions = 1, MinExpansionDistance = 15, LoanBudget = 0 });
        SharedQueue other = Queue();
        using LiveRegion bytes = Look("queue");
        ulong receive = bytes.U64(bytes.Body + At.Receive);
        bytes.U64(bytes.Body + At.Receive, 1UL << 16 | 300);
        Assert.Throws<CorruptRegionException>(() => queue.TrySend(Number(1)));
        Assert.Equal(Word(1, 0, Free), bytes.U64(SlotAt(bytes, 0, 0)));
        bytes.U64(bytes.Body + At.Receive, receive);
        SendNumber(queue, 2);
        ReceiveNumber(other, 2);
    }

    /// <summary>A message comes again to whoever has the place of the one that closed, and the slot's word is the very same.</summary>
    [Fact]
    public void AReleaseAfterTheCloseTakesNothingFromTheNextOne()
    {
        SharedQueue first = Queue();
        SendNumber(first, 7);
        Assert.True(first.TryReceive(out _));
        first.Dispose();
        SharedQueue second = Queue();
        Assert.True(second.TryReceive(out QueueMessage late));
        Assert.True(late.Redelivered);
        second.Dispose();
        SharedQueue third = Queue();
        Assert.True(third.TryReceive(out QueueMessage message));
        using LiveRegion bytes = Look("queue");
        ulong word = bytes.U64(SlotAt(bytes, 0, 0));
        late.Release();
        Assert.Equal(word, bytes.U64(SlotAt(bytes, 0, 0)));
        message.Release();
        Assert.Equal(Word(1, 0, Free), bytes.U64(SlotAt(bytes, 0, 0)));
    }

    /// <summary>A thread that is stopped in the middle of a copy for longer than Dispose waits: its slot has been given back, and it said Ok.</summary>
    [Theory]
    [InlineData(false, false)]
    [InlineData(false, true)]
    [InlineData(true, false)]
    [InlineData(true, true)]
    public void WhatWasNotSentBecauseTheQueueWasClosedIsNotSaidToBe(bool loan, bool waits)
    {
        byte[] payload = new byte[16 << 20];
        for (int attempt = 0; ; attempt++)
        {
            SharedQueue queue = Queue(new QueueOptions { BlockSize = loan ? 64 : payload.Length, BlockCount = 2, LoanBudget = loan ? 16 << 20 : 0, Lifetime = Lifetime.WhileUsed });
            if (attempt % 2 != 0) // the memory is there: the fast path
            {
                Assert.True(queue.TrySend(payload));
                Assert.True(queue.TryReceive(out QueueMessage message));
                message.Release();
            }

            using LiveRegion bytes = Look("queue");
            long slot = SlotAt(bytes, 0, attempt % 2);
            bool sent = true;
            IpcStatus status = IpcStatus.Ok;
            Background sender = Run(() =>
            {
                if (waits)
                    status = queue.Send(payload, 1, Hang);
                else
                    sent = queue.TrySend(payload, 1);
            });
            SpinWait.SpinUntil(() => (bytes.U64(slot) & 0xFF) != Free); // or Ready already
            bool overtaken = bytes.Swap(slot, Word(0, 1, Writing), Word(1, 0, Free)); // as when it has waited long enough
            queue.Dispose();
            try
            {
                sender.Join();
            }
            catch (InvalidOperationException) when (attempt < 100)
            {
                continue; // it was faster than the closing
            }
            catch (CorruptRegionException) when (overtaken && attempt < 100)
            {
                continue; // it had copied between the taking and the closing: as said of a slot that is taken from an open queue
            }

            if (!overtaken && attempt < 100)
                continue;
            Assert.True(overtaken);
            Assert.Equal(waits ? IpcStatus.Closed : IpcStatus.Ok, status);
            Assert.Equal(waits, sent);
            if (attempt > 0)
                return;
        }
    }
}
