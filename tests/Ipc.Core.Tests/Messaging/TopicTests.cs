using System;
using System.Collections.Generic;
using System.Linq;
using Ipc.Testing.Images;
using Xunit;

namespace Ipc.Core.Tests;

/// <summary>Every reader sees every message, in one order.</summary>
public sealed class TopicTests : TopicTest
{
    [Fact]
    public void EveryReaderGetsEveryMessageInOrder()
    {
        TopicWriter writer = Writer();
        TopicReader first = Reader(), second = Reader();
        for (int round = 0; round < 50; round++)
        {
            Publish(writer, round * 5, 5);
            Assert.Equal(Numbers(round * 5, 5), Drain(first));
            Assert.Equal(Numbers(round * 5, 5), Drain(second));
        }
    }

    [Fact]
    public void AMessageHasItsTypeKeyPositionAndWriter()
    {
        TopicWriter writer = Writer();
        TopicReader reader = Reader();
        Assert.True(writer.TryPublish("abc"u8, 7, 99));
        Assert.Equal(IpcStatus.Ok, reader.TryRead(out TopicMessage message));
        Assert.Equal("abc"u8.ToArray(), message.Payload.ToArray());
        Assert.Equal(((ushort)7, 99UL, (long)Slots, 0L, writer.Index), (message.Type, message.Key, message.Position, message.Lost, message.Writer));
    }

    [Fact]
    public void AReaderStartsAtTheNewestByDefault()
    {
        TopicWriter writer = Writer();
        Publish(writer, 0, 3);
        TopicReader late = Reader();
        IsEmpty(late);
        Publish(writer, 3, 2);
        Assert.Equal(Numbers(3, 2), Drain(late));
    }

    [Theory]
    [InlineData(0, 0, 0)]
    [InlineData(3, 0, 3)]
    [InlineData(7, 0, 7)]
    [InlineData(8, 1, 7)] // one less than there are slots: the oldest may be overwritten at any moment
    [InlineData(20, 13, 7)]
    public void AReaderMayStartAtTheOldest(int published, int first, int count)
    {
        TopicWriter writer = Writer();
        Publish(writer, 0, published);
        foreach (TopicPolicy policy in Enum.GetValues<TopicPolicy>().Where(policy => policy != TopicPolicy.Latest))
        {
            TopicReader late = Reader(policy, TopicJoin.Oldest);
            Assert.Equal(Numbers(first, count), Drain(late));
            Assert.Equal(0, late.Lost);
        }
    }

    [Fact]
    public void WhatIsOverwrittenBeforeALateReaderCameToItIsNotLost()
    {
        TopicWriter writer = Writer();
        TopicReader slow = Reader(); // so that the writer knows a minimum
        Publish(writer, 0, 6);
        Drain(slow);
        TopicReader late = Reader(TopicPolicy.Reliable, TopicJoin.Oldest); // 0 to 5 are there, and nobody waits for it before 6
        Publish(writer, 6, 5);
        Assert.Equal(Numbers(6, 5), Drain(slow));
        int[] read = Drain(late);
        Assert.Equal(Numbers(read[0], 11 - read[0]), read);
        Assert.InRange(read[0], 3, 6);
        Assert.Equal(0, late.Lost);
    }

    [Fact]
    public void AReaderMayStartWithTheLastValue()
    {
        TopicWriter writer = Writer();
        TopicReader early = Reader(TopicPolicy.Lossy, TopicJoin.LastValue);
        IsEmpty(early);
        Publish(writer, 0, 5);
        Assert.True(writer.TryClaim(8, out TopicClaim claim));
        claim.Abandon(); // a gap is no value
        TopicReader late = Reader(TopicPolicy.Reliable, TopicJoin.LastValue);
        Publish(writer, 5, 1);
        Assert.Equal(new[] { 4, 5 }, Drain(late));
    }

    [Fact]
    public void AClaimThatIsAbandonedOrForgottenIsAGapThatReadersPassOver()
    {
        TopicWriter writer = Writer();
        TopicReader reader = Reader();
        for (int round = 0; round < 20; round++)
        {
            Assert.True(writer.TryClaim(64, out TopicClaim claim));
            claim.Payload.Fill(0xEE);
            if (round % 2 == 0)
                claim.Abandon();
            Publish(writer, round, 1);
            Assert.Equal(new[] { round }, Drain(reader));
        }
    }

    [Fact]
    public void GapsAloneDoNotFillTheTopic()
    {
        TopicWriter writer = Writer();
        TopicReader reader = Reader();
        for (int round = 0; round < 5 * Slots; round++)
        {
            Assert.True(writer.TryClaim(8, out TopicClaim claim));
            claim.Abandon();
            IsEmpty(reader); // it has nothing to release, and yet holds nobody up
        }
    }

    [Fact]
    public void CommitMayShortenAClaim()
    {
        TopicWriter writer = Writer();
        TopicReader reader = Reader();
        Assert.True(writer.TryClaim(64, out TopicClaim claim));
        "hello"u8.CopyTo(claim.Payload);
        claim.Commit(5, 3, 4);
        Assert.Equal(IpcStatus.Ok, reader.TryRead(out TopicMessage message));
        Assert.Equal("hello"u8.ToArray(), message.Payload.ToArray());
        Assert.True(writer.TryClaim(2, out claim));
        claim.Commit();
        Assert.Equal(IpcStatus.Ok, reader.TryRead(out message));
        Assert.Equal(2, message.Payload.Length);
    }

    [Fact]
    public void AWrongCommitChangesNothing()
    {
        TopicWriter writer = Writer();
        TopicReader reader = Reader();
        Assert.Equal(IpcStatus.TooLarge, Assert.Throws<IpcException>(() => writer.TryClaim(65, out _)).Status);
        Assert.Throws<ArgumentOutOfRangeException>(() => writer.TryClaim(-1, out _));
        Assert.True(writer.TryClaim(8, out TopicClaim claim));
        bool refused = false;
        try
        {
            claim.Commit(9);
        }
        catch (ArgumentOutOfRangeException)
        {
            refused = true;
        }

        Assert.True(refused);
        claim.Commit(8, 5);
        try
        {
            claim.Commit(8, 6);
            Assert.Fail("a claim was committed twice");
        }
        catch (InvalidOperationException)
        {
            // as it should
        }

        claim.Abandon(); // nothing: it is committed
        Assert.Equal(IpcStatus.Ok, reader.TryRead(out TopicMessage message));
        Assert.Equal(5, message.Type);
        IsEmpty(reader);
    }

    [Fact]
    public void AReaderMayReadAheadAndReleaseLater()
    {
        TopicWriter writer = Writer();
        TopicReader reader = Reader();
        Publish(writer, 0, Slots);
        for (int number = 0; number < Slots; number++)
            Assert.Equal(number, Next(reader));
        Assert.False(writer.TryPublish("x"u8));
        Assert.Equal(IpcStatus.Ok, reader.Release());
        Publish(writer, Slots, Slots);
    }

    [Fact]
    public void OwnMessagesCanBeIgnored()
    {
        TopicWriter own = Writer(), other = Writer();
        TopicReader reader = Reader(ignore: own);
        for (int round = 0; round < 3 * Slots; round++)
        {
            Publish(own, 1000, 1);
            Publish(other, round, 1);
            Assert.Equal(new[] { round }, Drain(reader));
            Publish(own, 1000, 2);
            IsEmpty(reader);
        }

        own.Dispose();
        TopicWriter successor = Writer(); // takes the place of the one that left, and is another
        Assert.Equal(own.Index, successor.Index);
        Publish(successor, 5, 1);
        Assert.Equal(new[] { 5 }, Drain(reader));
    }

    [Fact]
    public void AWriterOfAnotherTopicCannotBeIgnored()
    {
        using TopicWriter stranger = TopicWriter.Open("other", Eight());
        Fails(IpcStatus.InvalidArgument, () => Reader(ignore: stranger));
        TopicWriter closed = Writer();
        closed.Dispose();
        Fails(IpcStatus.InvalidArgument, () => Reader(ignore: closed));
    }

    [Fact]
    public void ASingleWriterIsTheOnlyOne()
    {
        TopicWriter writer = Writer(Eight(route: true));
        TopicReader reader = Reader();
        IpcException refused = Fails(IpcStatus.InUse, () => Writer());
        Assert.Contains($"process {Environment.ProcessId}", refused.Message, StringComparison.Ordinal);
        writer.Dispose();
        Publish(Writer(), 1, 1);
        Assert.Equal(new[] { 1 }, Drain(reader));
    }

    [Fact]
    public void TheGeometryIsTheCreators()
    {
        TopicWriter writer = Writer(new TopicOptions { BlockSize = 13, BlockCount = 5, MaxReaders = 3, MaxWriters = 2, LoanBudget = 5000 });
        TopicReader reader = Reader(options: new TopicOptions { BlockSize = 999, BlockCount = 999 });
        TopicInfo info = reader.GetInfo();
        Assert.Equal((16, 8, 3, 2, 8192L), (info.BlockSize, info.BlockCount, info.MaxReaders, info.MaxWriters, info.LoanBudget));
        Assert.Equal((1, 1), (writer.ReaderCount, writer.WriterCount));
        Assert.Equal(8192, writer.MaxPayload);
    }

    [Theory]
    [InlineData(7, 8, 1, 1, 0)]
    [InlineData((16 << 20) + 1, 8, 1, 1, 0)]
    [InlineData(8, 1, 1, 1, 0)]
    [InlineData(8, (1 << 20) + 1, 1, 1, 0)]
    [InlineData(8, 8, 0, 1, 0)]
    [InlineData(8, 8, 1025, 1, 0)]
    [InlineData(8, 8, 1, 0, 0)]
    [InlineData(8, 8, 1, 3073, 0)]
    [InlineData(8, 8, 1, 1, -1)]
    public void ImpossibleGeometryIsRefused(int blockSize, int blockCount, int readers, int writers, long budget)
    {
        TopicOptions options = new() { BlockSize = blockSize, BlockCount = blockCount, MaxReaders = readers, MaxWriters = writers, LoanBudget = budget };
        Fails(IpcStatus.InvalidArgument, () => TopicWriter.Open(Name, options));
        Fails(IpcStatus.InvalidArgument, () => TopicReader.Open(Name, options));
    }

    [Fact]
    public void APolicyThatTheTopicDoesNotAllowIsRefused()
    {
        Writer(Eight(policies: TopicPolicies.Lossy | TopicPolicies.Latest));
        IpcException refused = Fails(IpcStatus.InvalidArgument, () => Reader());
        Assert.Contains("Lossy, Latest", refused.Message, StringComparison.Ordinal);
        Reader(TopicPolicy.Lossy);
        Fails(IpcStatus.InvalidArgument, () => Reader((TopicPolicy)4));
        Fails(IpcStatus.InvalidArgument, () => Reader(TopicPolicy.Lossy, (TopicJoin)3));
    }

    [Fact]
    public void ATopicIsNoRingAndARingNoTopic()
    {
        Writer();
        Fails(IpcStatus.WrongKind, () => RingReader.Open(Name));
        using RingWriter ring = RingWriter.Open("ring", Small());
        Fails(IpcStatus.WrongKind, () => TopicReader.Open("ring"));
    }

    [Fact]
    public void ThereIsRoomForManyReadersAndNoMore()
    {
        const int Count = 1024;
        TopicWriter writer = Writer(Eight(readers: Count));
        List<TopicReader> readers = new();
        for (int i = 0; i < Count; i++)
            readers.Add(Reader());
        Fails(IpcStatus.TableFull, () => Reader());
        Writer(); // readers do not keep writers out
        Assert.Equal(Count, writer.ReaderCount);
        Publish(writer, 0, Slots);
        Assert.All(readers, reader => Assert.Equal(Numbers(0, Slots), Drain(reader)));
        Publish(writer, Slots, Slots);
        int place = readers[Count / 2].Index;
        readers[Count / 2].Dispose();
        Assert.Equal(Count - 1, writer.ReaderCount);
        Assert.Equal(place, Reader().Index);
    }

    [Fact]
    public void ThereIsNoRoomForOneWriterMore()
    {
        Writer(Eight(writers: 2));
        TopicWriter second = Writer();
        Fails(IpcStatus.TableFull, () => Writer());
        Reader();
        second.Dispose();
        Writer();
    }

    [Fact]
    public void TheTableIsAsNewAfterTenThousandJoins()
    {
        TopicWriter writer = Writer(Eight(readers: 2));
        TopicReader stays = Reader();
        for (int round = 0; round < 10_000; round++)
        {
            using TopicReader comes = TopicReader.Open(Name, Eight());
            if (round % 1000 == 0)
            {
                Publish(writer, round, 1);
                Assert.Equal(new[] { round }, Drain(comes));
                Assert.Equal(new[] { round }, Drain(stays));
            }
        }

        Assert.Equal((1, 1), (writer.ReaderCount, writer.WriterCount));
        using LiveRegion bytes = Look(Name);
        Assert.Equal(1UL << stays.Index, bytes.U64(bytes.Body + 512)); // the bitmap
    }

    [Fact]
    public void TheLapMayWrapAtItsThirtyTwoBits()
    {
        TopicWriter writer = Writer();
        using (LiveRegion bytes = Look(Name))
        {
            // As if 2^32 - 2 laps had gone by: all slots are of the lap before the one in which the tail is.
            const ulong Lap = 0xFFFF_FFFE;
            long slots = (long)bytes.U64(bytes.Body + 24);
            for (int slot = 0; slot < Slots; slot++)
                bytes.U64(slots + slot * 128, (Lap - 1) << 32 | 4);
            bytes.U64(bytes.Body + 128, Lap * Slots);
        }

        TopicReader reliable = Reader(), lossy = Reader(TopicPolicy.Lossy), latest = Reader(TopicPolicy.Latest);
        for (int round = 0; round < 6 * Slots; round++)
        {
            Publish(writer, round, 1);
            Assert.Equal(new[] { round }, Drain(reliable));
            Assert.Equal(new[] { round }, Drain(lossy));
            Assert.Equal(new[] { round }, Drain(latest));
            using TopicReader late = TopicReader.Open(Name, Eight(), new TopicReaderOptions { Join = TopicJoin.Oldest });
            Assert.Equal(Numbers(Math.Max(0, round - Slots + 2), Math.Min(round + 1, Slots - 1)), Drain(late));
        }
    }

    [Theory]
    [InlineData(1, 1)]
    [InlineData(1, 4)]
    [InlineData(4, 1)]
    [InlineData(4, 4)]
    public void ThreadsAgreeOnOneOrder(int writers, int readers)
    {
        const int Each = 20_000;
        TopicOptions options = Eight(count: 64, readers: 8, writers: 8);
        TopicWriter[] sources = Enumerable.Range(0, writers).Select(_ => Writer(options)).ToArray();
        TopicReader[] sinks = Enumerable.Range(0, readers).Select(_ => Reader(options: options)).ToArray();
        List<Background> threads = new();
        ulong[] orders = new ulong[readers];
        for (int sink = 0; sink < readers; sink++)
        {
            int index = sink;
            threads.Add(Run(() => orders[index] = ReadAll(sinks[index], sources, Each)));
        }

        foreach (TopicWriter source in sources)
        {
            threads.Add(Run(() =>
            {
                for (int number = 0; number < Each; number++)
                    Assert.Equal(IpcStatus.Ok, source.Publish(BitConverter.GetBytes(number), (ushort)number, (ulong)source.Index, Hang));
            }));
        }

        threads.ForEach(thread => thread.Join());
        Assert.Single(orders.Distinct());
    }

    private static ulong ReadAll(TopicReader reader, TopicWriter[] sources, int each)
    {
        Dictionary<int, int> next = sources.ToDictionary(source => source.Index, _ => 0);
        ulong order = 0;
        for (int count = 0; count < each * sources.Length; count++)
        {
            Assert.Equal(IpcStatus.Ok, reader.Read(out TopicMessage message, Hang));
            Assert.Equal((ulong)message.Writer, message.Key);
            Assert.Equal(next[message.Writer]++, NumberOf(message));
            order = order * 31 + (ulong)message.Writer;
            Assert.Equal(IpcStatus.Ok, reader.Release());
        }

        IsEmpty(reader);
        return order;
    }
}
