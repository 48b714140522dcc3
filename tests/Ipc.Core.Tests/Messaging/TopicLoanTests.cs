using System;
using System.Linq;
using Ipc.Testing.Images;
using Xunit;

namespace Ipc.Core.Tests;

/// <summary>Messages longer than a block of the topic.</summary>
public sealed class TopicLoanTests : TopicTest
{
    private const int Long = 20_000; // five pages, in a block of eight

    private static TopicOptions Small(long budget = 256 << 10, WaitMode wait = WaitMode.Adaptive) => Eight(wait, budget: budget);

    private static bool TryPublish(TopicWriter writer, int number, int length = Long) => writer.TryPublish(LoanBytes.Message(number, length), (ushort)number, (ulong)number);

    private static void IsNext(TopicReader reader, int number, int length = Long, long lost = 0)
    {
        Assert.Equal(IpcStatus.Ok, reader.TryRead(out TopicMessage message));
        Assert.Equal(((ushort)number, (ulong)number, lost), (message.Type, message.Key, message.Lost));
        Assert.True(LoanBytes.Is(message.Payload, number, length));
    }

    /// <summary>How many blocks of the pool are not free.</summary>
    private int InUse()
    {
        using LiveRegion bytes = Look(Name);
        long pool = (long)bytes.U64(bytes.Body + 48);
        PoolGeometry geometry = new(bytes.U64(pool + 8));
        return Enumerable.Range(0, (int)geometry.Blocks).Count(block => (bytes.U64(pool + 4096 + 32 * block) & 0xFF) != 0);
    }

    [Theory]
    [InlineData(TopicPolicy.Reliable)]
    [InlineData(TopicPolicy.Evict)]
    [InlineData(TopicPolicy.Lossy)]
    [InlineData(TopicPolicy.Latest)]
    public void AnyLengthArrivesAsItWasSent(TopicPolicy policy)
    {
        TopicWriter writer = Writer(Small(8 << 20));
        TopicReader reader = Reader(policy);
        int number = 0;
        foreach (int length in new[] { 64, 65, 4095, 4096, 4097, 8192, 100_000, 1 << 20, (4 << 20) + 1, 63, 8 << 20, 0 })
        {
            Assert.True(TryPublish(writer, ++number, length), $"{length}");
            IsNext(reader, number, length);
            Assert.Equal(IpcStatus.Ok, reader.Release());
        }
    }

    /// <summary>The same of a topic: pages for a loan are made under the region lock, which trying only tries.</summary>
    [Fact]
    public void TryingDoesNotWaitForTheRegionLock()
    {
        TopicWriter writer = Writer(Eight(budget: 1 << 20));
        using (LiveRegion bytes = Look(Name))
        {
            Assert.True(bytes.TryLock(Wire.Region.LockOfRegion));
            Deadline patience = Deadline.After(TimeSpan.FromSeconds(30));
            byte[] loan = new byte[100_000];
            for (int i = 0; i < 2000; i++)
                Assert.False(writer.TryPublish(loan));
            Assert.False(patience.HasPassed, "2,000 tries waited for the lock");
        }

        Assert.True(writer.TryPublish(new byte[100_000]));
    }

    [Fact]
    public void WhatIsLongerThanTheBudgetIsTooLarge()
    {
        TopicWriter writer = Writer(Small());
        Assert.Equal(256 << 10, writer.MaxPayload);
        IpcException refused = Assert.Throws<IpcException>(() => writer.TryClaim((256 << 10) + 1, out _));
        Assert.Equal(IpcStatus.TooLarge, refused.Status);
        Assert.Contains($"{256 << 10}", refused.Message, StringComparison.Ordinal);
        Assert.Equal(0, InUse());
    }

    [Fact]
    public void ALoanLastsAsLongAsItsSlotAndNoLonger()
    {
        TopicWriter writer = Writer(Small());
        TopicReader reader = Reader();
        for (int number = 0; number < 100; number++)
        {
            Assert.True(TryPublish(writer, number));
            IsNext(reader, number);
            Assert.Equal(IpcStatus.Ok, reader.Release());
            Assert.InRange(InUse(), 1, Slots);
        }

        long present = writer.GetInfo().LoansPresent;
        Assert.InRange(present, Long, 256 << 10);
        Publish(writer, 0, Slots); // short ones take the slots
        Drain(reader);
        Assert.Equal((0, present), (InUse(), writer.GetInfo().LoansPresent));
        writer.TrimLoans();
        Assert.Equal(0, writer.GetInfo().LoansPresent);
    }

    [Fact]
    public void AClaimThatIsGivenBackGivesItsLoanBack()
    {
        TopicWriter writer = Writer(Small());
        Assert.True(writer.TryClaim(Long, out TopicClaim claim));
        Assert.Equal((Long, 1), (claim.Payload.Length, InUse()));
        claim.Abandon();
        Assert.Equal(0, InUse());
        Assert.True(writer.TryClaim(Long, out claim));
        Assert.True(writer.TryClaim(10, out claim)); // forgotten
        Assert.Equal(0, InUse());
        Assert.True(writer.TryClaim(Long, out claim));
        claim.Commit(3); // short, and stays a loan
        Assert.Equal(1, InUse());
        TopicReader reader = Reader(TopicPolicy.Lossy, TopicJoin.LastValue);
        Assert.Equal(IpcStatus.Ok, reader.TryRead(out TopicMessage message));
        Assert.Equal(3, message.Payload.Length);
        Assert.True(writer.TryClaim(Long, out claim));
        writer.Dispose(); // with a claim open
        Assert.Equal(1, InUse());
    }

    [Fact]
    public void ALoanIsNotKeptWhenThereIsNoSlot()
    {
        TopicWriter writer = Writer(Small());
        TopicReader reader = Reader();
        Publish(writer, 0, Slots);
        Assert.False(TryPublish(writer, 1));
        Assert.Equal(IpcStatus.Timeout, writer.Claim(Long, out _, Deadline.FromMilliseconds(20)));
        Assert.Equal(0, InUse());
        Assert.Equal(reader.Index, writer.SlowReader?.Index);
    }

    [Fact]
    public void WhatEveryReaderHasPassedGivesItsLoanUpWhenThePoolIsUsedUp()
    {
        TopicWriter writer = Writer(Small(64 << 10)); // for three of 20,000 bytes
        TopicReader reader = Reader(), lossy = Reader(TopicPolicy.Lossy);
        for (int number = 0; number < 20; number++)
        {
            Assert.True(TryPublish(writer, number), $"{number}");
            IsNext(reader, number);
            Assert.Equal(IpcStatus.Ok, reader.Release());
        }

        // 20 messages: three have their loans, the others were overwritten or gave theirs up.
        IsNext(lossy, 17, lost: 17);
        IsNext(lossy, 18);
        IsNext(lossy, 19);
        Assert.Equal(17, lossy.Lost);
    }

    [Fact]
    public void AWriterWaitsForALoanThatAReaderHolds()
    {
        TopicWriter writer = Writer(Small(64 << 10, WaitMode.Block));
        TopicReader reader = Reader();
        for (int number = 0; number < 3; number++)
            Assert.True(TryPublish(writer, number));
        Assert.False(TryPublish(writer, 3));
        Assert.Equal((reader.Index, 3L), (writer.SlowReader!.Index, writer.SlowReader.Behind));
        Assert.Equal(IpcStatus.Timeout, writer.Publish(LoanBytes.Message(3, Long), 3, 3, Deadline.FromMilliseconds(30)));
        Assert.True(writer.GetInfo().LoansExhausted > 0);
        Background waiting = Run(() => Assert.Equal(IpcStatus.Ok, writer.Publish(LoanBytes.Message(3, Long), 3, 3, Hang)));
        waiting.UntilAsleep();
        IsNext(reader, 0);
        Assert.Equal(IpcStatus.Ok, reader.Release());
        waiting.Join();
        for (int number = 1; number <= 3; number++)
            IsNext(reader, number);
    }

    [Fact]
    public void AReaderThatMayBeEvictedIsForALoan()
    {
        TopicWriter writer = Writer(Small(64 << 10));
        TopicReader reader = Reader(TopicPolicy.Evict);
        for (int number = 0; number < 3; number++)
            Assert.True(TryPublish(writer, number));
        Assert.Equal(IpcStatus.Ok, writer.Publish(LoanBytes.Message(3, Long), 3, 3, Deadline.FromMilliseconds(20)));
        Assert.Equal(IpcStatus.Evicted, reader.TryRead(out TopicMessage message));
        Assert.Equal(4, message.Lost);
        Assert.Equal(IpcStatus.Ok, reader.Rejoin(TopicJoin.LastValue));
        IsNext(reader, 3);
    }

    [Fact]
    public void TornLoansAreNeverDelivered()
    {
        const int Count = 3000;
        TopicWriter writer = Writer(Eight(count: 4, budget: 1 << 20));
        TopicReader reader = Reader(TopicPolicy.Lossy);
        Background source = Run(() =>
        {
            for (int number = 0; number < Count; number++)
            {
                Assert.Equal(IpcStatus.Ok, writer.Claim(Long, out TopicClaim claim, Hang));
                claim.Payload.Fill((byte)number);
                claim.Commit(Long - number % 7, (ushort)number, (ulong)number);
                if (number % 500 == 0)
                    writer.TrimLoans();
            }
        });
        long read = 0;
        ulong last;
        do
        {
            Assert.Equal(IpcStatus.Ok, reader.Read(out TopicMessage message, Hang));
            read += 1 + message.Lost;
            last = message.Key;
            Assert.Equal((ulong)read - 1, last);
            Assert.Equal(Long - (int)last % 7, message.Payload.Length);
            Assert.Equal(-1, message.Payload.IndexOfAnyExcept((byte)last));
        }
        while (last != Count - 1);
        source.Join();
    }

    [Theory]
    [InlineData(1, 4)]
    [InlineData(4, 2)]
    public void ThreadsShareASmallPool(int writers, int readers)
    {
        const int Each = 400;
        TopicOptions options = Small(256 << 10);
        TopicWriter[] sources = Enumerable.Range(0, writers).Select(_ => Writer(options)).ToArray();
        TopicReader[] sinks = Enumerable.Range(0, readers).Select(_ => Reader()).ToArray();
        Background[] threads = sinks.Select(sink => Run(() =>
        {
            for (int count = 0; count < Each * writers; count++)
            {
                Assert.Equal(IpcStatus.Ok, sink.Read(out TopicMessage message, Hang));
                Assert.True(LoanBytes.Is(message.Payload, message.Type, 100 + message.Type * 50));
                Assert.Equal(IpcStatus.Ok, sink.Release());
            }
        })).Concat(sources.Select(source => Run(() =>
        {
            for (int number = 0; number < Each; number++)
                Assert.Equal(IpcStatus.Ok, source.Publish(LoanBytes.Message(number, 100 + number * 50), (ushort)number, 0, Hang));
        }))).ToArray();
        Array.ForEach(threads, thread => thread.Join());
        Assert.InRange(InUse(), 1, Slots);
    }
}
