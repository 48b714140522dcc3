using System;
using System.Linq;
using Ipc.Testing.Images;
using Xunit;

namespace Ipc.Core.Tests;

/// <summary>Readers that do not keep up: each policy, with exact counts.</summary>
public sealed class TopicPolicyTests : TopicTest
{
    private static readonly Deadline s_soon = Deadline.FromMilliseconds(20);

    [Fact]
    public void AReliableReaderHoldsTheWriterUpAndIsNamed()
    {
        TopicWriter writer = Writer();
        TopicReader quick = Reader(), slow = Reader();
        Publish(writer, 0, Slots);
        Assert.Equal(Numbers(0, Slots), Drain(quick));
        Next(slow); // read, not released
        Assert.False(writer.TryPublish("x"u8));
        Assert.Equal(IpcStatus.Timeout, writer.Publish("x"u8, 0, 0, s_soon));
        Assert.Equal(IpcStatus.Timeout, writer.Publish("x"u8, 0, 0, Deadline.Now));
        SlowReaderInfo named = Assert.IsType<SlowReaderInfo>(writer.SlowReader);
        Assert.Equal((slow.Index, Environment.ProcessId, (long)Slots), (named.Index, named.ProcessId, named.Behind));
        Assert.Contains($"reader {slow.Index} (process {Environment.ProcessId}) is {Slots} messages behind", named.ToString(), StringComparison.Ordinal);
        slow.Release();
        Publish(writer, Slots, 1);
        Assert.Equal(Numbers(1, Slots), Drain(slow));
        Assert.Equal(0, writer.GetInfo().Evictions);
    }

    [Fact]
    public void AReaderThatLeavesHoldsNobodyUp()
    {
        TopicWriter writer = Writer();
        TopicReader slow = Reader();
        Publish(writer, 0, Slots);
        Assert.False(writer.TryPublish("x"u8));
        slow.Dispose();
        Publish(writer, Slots, 3 * Slots);
    }

    [Fact]
    public void AnEvictReaderIsCutOffAtTheDeadlineOnly()
    {
        TopicWriter writer = Writer();
        TopicReader slow = Reader(TopicPolicy.Evict), quick = Reader();
        Publish(writer, 0, Slots);
        Drain(quick);
        Assert.False(writer.TryPublish("x"u8)); // trying is not waiting
        Assert.Equal(0, writer.GetInfo().Evictions);
        Assert.Equal(IpcStatus.Ok, writer.Publish(BitConverter.GetBytes(Slots), Slots, 0, s_soon));
        Assert.Equal((1L, 1), (writer.GetInfo().Evictions, writer.ReaderCount));

        Assert.Equal(IpcStatus.Evicted, slow.TryRead(out TopicMessage message));
        Assert.Equal((Slots + 1L, 0), (message.Lost, message.Payload.Length));
        Assert.Equal(IpcStatus.Evicted, slow.TryRead(out _)); // until it joins again
        Assert.Equal(IpcStatus.Evicted, slow.Release());
        Assert.Equal(IpcStatus.Evicted, slow.Read(out _, Hang));
        Assert.Equal(IpcStatus.Ok, slow.Wait(Hang));

        Assert.Equal(IpcStatus.Ok, slow.Rejoin());
        Assert.Equal((2, Slots + 1L), (writer.ReaderCount, slow.Lost));
        IsEmpty(slow);
        Publish(writer, 20, 3);
        Assert.Equal(Numbers(20, 3), Drain(slow));
        Assert.Equal(Slots + 1L, slow.Lost);
        Assert.Equal(new[] { Slots, 20, 21, 22 }, Drain(quick));
    }

    [Fact]
    public void WhatAnEvictedReaderWasReadingIsNotTaken()
    {
        TopicWriter writer = Writer();
        TopicReader slow = Reader(TopicPolicy.Evict);
        Publish(writer, 0, Slots);
        Assert.Equal(0, Next(slow));
        Assert.Equal(1, Next(slow));
        Assert.Equal(IpcStatus.Ok, slow.Release());
        Assert.Equal(IpcStatus.Ok, slow.TryRead(out TopicMessage message));
        Assert.Equal(2, NumberOf(message));
        for (int number = Slots; number < 2 * Slots; number++)
            Assert.Equal(IpcStatus.Ok, writer.Publish(BitConverter.GetBytes(number), (ushort)number, 0, Deadline.Now));
        Assert.NotEqual(2, BitConverter.ToInt32(message.Payload)); // the very bytes, overwritten
        Assert.Equal(IpcStatus.Evicted, slow.Release());
        Assert.Equal(IpcStatus.Evicted, slow.TryRead(out message));
        Assert.Equal(2L * Slots - 2, message.Lost); // all but the two that it had released
        Assert.Equal(IpcStatus.Ok, slow.Rejoin(TopicJoin.Oldest));
        Assert.Equal(Slots + 1 - 2, slow.Lost); // some of them are still there
        Assert.Equal(Numbers(Slots + 1, Slots - 1), Drain(slow));
    }

    [Fact]
    public void NobodyIsEvictedForAReliableReadersSake()
    {
        TopicWriter writer = Writer();
        TopicReader evictable = Reader(TopicPolicy.Evict), reliable = Reader();
        Publish(writer, 0, Slots);
        Assert.Equal(IpcStatus.Timeout, writer.Publish("x"u8, 0, 0, Deadline.Now));
        Assert.Equal(0, writer.GetInfo().Evictions);
        Drain(reliable);
        Assert.Equal(IpcStatus.Ok, writer.Publish("x"u8, 0, 0, Deadline.Now));
        Assert.Equal(IpcStatus.Evicted, evictable.TryRead(out _));
    }

    [Fact]
    public void AnEvictionThatComesLateMissesTheNextReaderOfThatPlace()
    {
        TopicWriter writer = Writer();
        TopicReader slow = Reader(TopicPolicy.Evict);
        int place = slow.Index;
        using LiveRegion bytes = Look(Name);
        long seat = (long)bytes.U64(bytes.Body + 32) + place * 128;
        uint seen = bytes[seat];
        slow.Dispose();
        TopicReader next = Reader();
        Assert.Equal(place, next.Index);
        Assert.NotEqual(seen, bytes[seat]);
        Publish(writer, 0, 1);
        Assert.Equal(new[] { 0 }, Drain(next));
    }

    [Theory]
    [InlineData(8, 0)]    // it fits: nothing is lost
    [InlineData(9, 2)]    // overrun: goes on at tail - 8 + 1
    [InlineData(30, 23)]
    public void ALossyReaderCountsWhatItLost(int published, int lost)
    {
        TopicWriter writer = Writer();
        TopicReader reader = Reader(TopicPolicy.Lossy);
        Publish(writer, 0, published);
        Assert.Equal(IpcStatus.Ok, reader.TryRead(out TopicMessage message));
        Assert.Equal((lost, (long)lost), (NumberOf(message), message.Lost));
        Assert.Equal(Numbers(lost + 1, published - lost - 1), Drain(reader));
        Assert.Equal((lost, (long)lost), (reader.Lost, reader.GetInfo().Lost));
        Publish(writer, 0, 1);
        Assert.Equal(IpcStatus.Ok, reader.TryRead(out message));
        Assert.Equal(0, message.Lost);
    }

    [Fact]
    public void TwoSlotsAreEnoughForALossyReader()
    {
        TopicWriter writer = Writer(Eight(count: 2));
        TopicReader reader = Reader(TopicPolicy.Lossy);
        int next = 0;
        long read = 0;
        for (int round = 1; round < 200; round++)
        {
            Publish(writer, next, round % 5);
            next += round % 5;
            read += Drain(reader).Length;
        }

        Assert.Equal(next, read + reader.Lost);
    }

    [Fact]
    public void ACopyStaysWhenItsSlotIsOverwritten()
    {
        TopicWriter writer = Writer();
        TopicReader reader = Reader(TopicPolicy.Lossy);
        Publish(writer, 5, 1);
        Assert.Equal(IpcStatus.Ok, reader.TryRead(out TopicMessage message));
        Publish(writer, 100, 2 * Slots);
        Assert.Equal(5, NumberOf(message));
    }

    [Fact]
    public void TornDataIsNeverDelivered()
    {
        const int Count = 200_000;
        TopicWriter writer = Writer(Eight(count: 4));
        TopicReader reader = Reader(TopicPolicy.Lossy);
        Background source = Run(() =>
        {
            Span<byte> payload = stackalloc byte[64];
            for (int number = 0; number < Count; number++)
            {
                payload.Fill((byte)number);
                Assert.True(writer.TryPublish(payload, (ushort)number, (ulong)number));
            }
        });
        long read = 0;
        ulong last = 0;
        do
        {
            if (reader.Read(out TopicMessage message, Hang) != IpcStatus.Ok)
                break;
            read += 1 + message.Lost;
            last = message.Key;
            Assert.Equal((ulong)read - 1, last);
            Assert.Equal((ushort)last, message.Type);
            Assert.Equal(-1, message.Payload.IndexOfAnyExcept((byte)last));
        }
        while (last != Count - 1);
        source.Join();
        Assert.Equal(Count, read);
    }

    [Fact]
    public void TheLatestOfEachKeyIsDeliveredInTheOrderOfTheKeys()
    {
        TopicWriter writer = Writer();
        TopicReader reader = Reader(TopicPolicy.Latest);
        Publish(writer, 0, 1, key: 7);
        Publish(writer, 1, 1, key: 8);
        Publish(writer, 2, 2, key: 7);
        Publish(writer, 4, 1, key: 9);
        Assert.Equal(IpcStatus.Ok, reader.TryRead(out TopicMessage message));
        Assert.Equal((3, 7UL, 2L), (NumberOf(message), message.Key, message.Lost));
        Publish(writer, 5, 1, key: 9);  // replaces what waits
        Publish(writer, 6, 1, key: 7);  // comes anew, at the end
        Assert.Equal(new[] { 1, 5, 6 }, Drain(reader));
        Assert.Equal((3L, 0L), (reader.Conflated, reader.Lost));
    }

    [Fact]
    public void EveryMessageIsReadConflatedOrLost()
    {
        TopicWriter writer = Writer();
        TopicReader reader = Reader(TopicPolicy.Latest);
        Random random = new(4);
        int next = 0;
        long read = 0;
        for (int round = 0; round < 2000; round++)
        {
            int count = random.Next(2 * Slots);
            for (int i = 0; i < count; i++)
                Publish(writer, next++, 1, key: (ulong)random.Next(6));
            for (int i = random.Next(5); i > 0 && reader.TryRead(out _) == IpcStatus.Ok; i--)
                read++;
        }

        read += Drain(reader).Length;
        Assert.Equal(next, read + reader.Conflated + reader.Lost);
        Assert.True(read > 1000 && reader.Conflated > 1000 && reader.Lost > 1000);
    }

    [Fact]
    public void AKeyWhoseNewestIsOverwrittenIsLost()
    {
        TopicWriter writer = Writer();
        TopicReader reader = Reader(TopicPolicy.Latest);
        Publish(writer, 0, 1, key: 1);
        Publish(writer, 1, 1, key: 2);
        Assert.Equal(0, Next(reader)); // 1 waits
        Publish(writer, 2, Slots, key: 3);
        Assert.Equal(new[] { Slots + 1 }, Drain(reader));
        Assert.Equal((Slots - 1L, 1L), (reader.Conflated, reader.Lost)); // 1 had no other of its key
    }
}
