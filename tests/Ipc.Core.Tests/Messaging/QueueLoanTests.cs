using System;
using System.Linq;
using System.Threading;
using Ipc.Testing.Images;
using Xunit;

namespace Ipc.Core.Tests;

/// <summary>Messages that are longer than a block.</summary>
public sealed class QueueLoanTests : QueueTest
{
    private static QueueOptions Loans(long budget, int blocks = 4, WaitMode wait = WaitMode.Adaptive) => new() { BlockSize = 64, BlockCount = blocks, LoanBudget = budget, WaitMode = wait };

    private static byte[] Bytes(int length, int seed)
    {
        byte[] bytes = new byte[length];
        new Random(seed).NextBytes(bytes);
        return bytes;
    }

    [Fact]
    public void LongMessagesArriveInPlace()
    {
        SharedQueue queue = Queue(Loans(64 << 20));
        SharedQueue other = Queue();
        Assert.Equal(64 << 20, queue.MaxPayload);
        foreach (int length in new[] { 64, 65, 4096, 4097, 100_000, 1 << 20, 64 << 20 })
        {
            byte[] sent = Bytes(length, length);
            Assert.True(queue.TrySend(sent, 9));
            Assert.True(other.TryReceive(out QueueMessage message));
            Assert.True(sent.AsSpan().SequenceEqual(message.Payload), $"{length} bytes");
            Assert.Equal(9, message.Type);
            message.Release();
            Assert.True(queue.TryClaim(length, out QueueClaim claim));
            sent.CopyTo(claim.Payload);
            claim.Commit(length / 2); // a loan committed shorter stays one
            Assert.True(other.TryReceive(out message));
            Assert.True(sent.AsSpan(0, length / 2).SequenceEqual(message.Payload), $"{length} bytes");
            message.Release();
            Assert.True(queue.TryClaim(length, out claim));
            claim.Abandon();
        }

        Assert.Contains("67108865", Fails(IpcStatus.TooLarge, () => queue.TryClaim((64 << 20) + 1, out _)).Message, StringComparison.Ordinal);
        Assert.InRange(queue.GetInfo().LoansPresent, 64 << 20, 64 << 20);
        queue.TrimLoans();
        Assert.Equal(0, queue.GetInfo().LoansPresent);
        NothingIn(other);
    }

    [Fact]
    public void TheBudgetIsALimitAndReleasingGivesItBack()
    {
        SharedQueue queue = Queue(Loans(8192));
        Assert.True(queue.TrySend(Bytes(4096, 1)));
        Assert.True(queue.TrySend(Bytes(4096, 2)));
        Assert.False(queue.TrySend(Bytes(65, 3)));
        Assert.True(queue.TrySend(new byte[64]));
        Assert.InRange(queue.GetInfo().LoansExhausted, 1, int.MaxValue);
        Assert.Equal(IpcStatus.Timeout, queue.Send(Bytes(65, 3), 0, Deadline.FromMilliseconds(50)));
        Assert.True(queue.TryReceive(out QueueMessage message));
        message.Release();
        Assert.True(queue.TrySend(Bytes(65, 3)));
    }

    [Fact]
    public void ASenderWaitsForALoan()
    {
        SharedQueue queue = Queue(Loans(4096, wait: WaitMode.Block));
        Assert.True(queue.TrySend(new byte[100]));
        Background waiting = Run(() => Assert.Equal(IpcStatus.Ok, queue.Send(Bytes(100, 5), 0, Hang)));
        Assert.True(queue.TryReceive(out QueueMessage message));
        message.Release();
        waiting.Join();
        Assert.Equal(IpcStatus.Ok, queue.Receive(out message, Hang));
        Assert.Equal(Bytes(100, 5), message.Payload.ToArray());
        message.Release();
    }

    [Fact]
    public void AWaitThatEndsGivesItsLoanBack()
    {
        SharedQueue queue = Queue(Loans(4096, blocks: 2));
        SendNumber(queue, 0);
        SendNumber(queue, 1);
        Assert.False(queue.TrySend(new byte[100])); // the loan is to be had, the slot is not
        Assert.Equal(IpcStatus.Timeout, queue.Send(new byte[100], 0, Deadline.FromMilliseconds(20)));
        ReceiveNumber(queue, 0);
        Assert.True(queue.TrySend(new byte[100]));
    }

    [Fact]
    public void WhatALeaverOwesIsSettled()
    {
        SharedQueue queue = Queue(Loans(16384));
        for (int round = 0; round < 20; round++)
        {
            using SharedQueue leaver = SharedQueue.Open("queue");
            Assert.True(queue.TrySend(Bytes(4096, round)));
            Assert.True(leaver.TryReceive(out _));
            Assert.True(leaver.TryClaim(4096, out _));
            Assert.True(leaver.TrySend(Bytes(100, -round)));
            leaver.Dispose();
            Assert.True(queue.TryReceive(out QueueMessage message));
            Assert.True(message.Redelivered);
            Assert.Equal(Bytes(4096, round), message.Payload.ToArray());
            message.Release();
            Assert.True(queue.TryReceive(out message));
            Assert.Equal(Bytes(100, -round), message.Payload.ToArray());
            message.Release();
            Assert.True(queue.TrySend(Bytes(16384, 1))); // the whole budget is there
            Assert.True(queue.TryReceive(out message));
            message.Release();
            queue.TrimLoans(); // or the next short one takes the large block
        }
    }

    /// <summary>A receiver died between freeing its slot and freeing the loan. The slot is claimed anew and still says which loan its last message had: that names nothing.</summary>
    [Fact]
    public void ASlotClaimedAnewNamesNoLoanOfTheLapBefore()
    {
        SharedQueue queue = Queue(Loans(4096, blocks: 2)); // one block
        using LiveRegion bytes = new(Regions.FileOf("queue"));
        Assert.True(queue.TrySend(Bytes(4096, 1)));
        bytes.U64(SlotAt(bytes, 0, 0), Word(1, 0, Free));
        bytes.U64(SegmentAt(bytes, 0) + At.Head, 1);
        Assert.True(queue.TrySend(Bytes(8, 2)));
        Assert.True(queue.TryReceive(out QueueMessage message));
        message.Release();
        Assert.True(queue.TryClaim(8, out QueueClaim claim)); // the first slot again
        Assert.False(queue.TrySend(Bytes(4096, 3)));
        SharedQueue.Open("queue").Dispose(); // sweeps
        Assert.True(queue.TrySend(Bytes(4096, 3)), "the block is lost");
        claim.Abandon();
        Assert.True(queue.TryReceive(out message));
        Assert.Equal(Bytes(4096, 3), message.Payload.ToArray());
        message.Release();
    }

    [Fact]
    public void ManyThreadsSendLongAndShort()
    {
        const int Threads = 4, Each = 500;
        SharedQueue queue = Queue(Loans(1 << 20, blocks: 8));
        int got = 0;
        Background[] sending = Enumerable.Range(0, Threads).Select(thread => Run(() =>
        {
            for (int i = 0; i < Each; i++)
            {
                byte[] payload = new byte[1 + (i * 7919 + thread) % 60_000];
                payload.AsSpan().Fill((byte)payload.Length);
                Assert.Equal(IpcStatus.Ok, queue.Send(payload, (ushort)payload.Length, Hang));
            }
        })).ToArray();
        Background[] receiving = Enumerable.Range(0, Threads).Select(_ => Run(() =>
        {
            while (queue.Receive(out QueueMessage message, Hang) == IpcStatus.Ok)
            {
                Assert.Equal(message.Type, (ushort)message.Payload.Length);
                Assert.True(message.Payload.IndexOfAnyExcept((byte)message.Type) < 0, "torn");
                message.Release();
                if (Interlocked.Increment(ref got) == Threads * Each)
                    queue.Stop();
            }
        })).ToArray();
        foreach (Background one in sending.Concat(receiving))
            one.Join();
        Assert.Equal(Threads * Each, got);
        queue.TrimLoans();
        Assert.Equal(0, queue.GetInfo().LoansPresent); // every block is free
    }

    [Fact]
    public void ADescriptorOfNoLoanIsReported()
    {
        SharedQueue queue = Queue(Loans(16384));
        for (int i = 0; i < 4; i++)
        {
            Assert.True(queue.TrySend(new byte[100]));
            using LiveRegion bytes = Look("queue");
            long descriptor = SlotAt(bytes, 0, i) + At.Payload;
            bytes[descriptor + 4 * i] = uint.MaxValue - 7;
            Assert.Throws<CorruptRegionException>(() => queue.TryReceive(out _));
            NothingIn(queue);
        }

        SharedQueue.Open("queue").Dispose(); // a sweep: what nothing names is free again
        Assert.True(queue.TrySend(new byte[16384]));
    }
}
