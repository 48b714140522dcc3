using System;
using Xunit;

namespace Ipc.Core.Tests;

/// <summary>The memory of a burst of long messages is given back by itself, when a window of traffic has not needed it (docs/wire-format.md section 11).</summary>
public sealed class BurstTests : RegionTest
{
    private const int Megabyte = 1 << 20, Burst = 32 * Megabyte;
    private static readonly RingOptions _roomy = new() { Capacity = 64 << 10, LoanBudget = 64 * Megabyte };

    [Fact]
    public void AfterABurstARingBecomesSmallByItself()
    {
        RingWriter writer = Own(RingWriter.Open("r", _roomy));
        RingReader reader = Own(RingReader.Open("r", _roomy));
        Echo(writer, reader, Burst, 1);
        Assert.InRange(PresentIn(writer), (ulong)Burst, ulong.MaxValue);
        Echo(writer, reader, 40, 5000);
        Assert.Equal(0UL, PresentIn(writer));
        Echo(writer, reader, Burst, 1); // and it grows again
    }

    /// <summary>A ring in which there is always room has two windows in each round, not in every second one.</summary>
    [Fact]
    public void ALargeRingBecomesSmallInOneRound()
    {
        RingOptions large = new() { Capacity = 512 << 10, LoanBudget = 64 * Megabyte };
        RingWriter writer = Own(RingWriter.Open("r", large));
        RingReader reader = Own(RingReader.Open("r", large));
        Echo(writer, reader, Burst, 1);
        Echo(writer, reader, 40, 8300); // of 64 bytes in the ring
        Assert.Equal(0UL, PresentIn(writer));
    }

    [Fact]
    public void WhatIsSentAgainAndAgainKeepsItsMemory()
    {
        RingWriter writer = Own(RingWriter.Open("r", _roomy));
        RingReader reader = Own(RingReader.Open("r", _roomy));
        for (int i = 0; i < 40; i++)
        {
            Echo(writer, reader, 2 * Megabyte, 1);
            Echo(writer, reader, 40, 400); // less than a window
            Assert.Equal(2UL * Megabyte, PresentIn(writer));
        }

        Echo(writer, reader, 100_000, 1); // a little is kept in any case
        Echo(writer, reader, 40, 5000);
        Assert.InRange(PresentIn(writer), 100_000UL, (ulong)Megabyte);
    }

    [Fact]
    public void WhatIsHeldStays()
    {
        RingWriter writer = Own(RingWriter.Open("r", _roomy));
        RingReader reader = Own(RingReader.Open("r", _roomy));
        byte[] sent = new byte[Burst];
        new Random(7).NextBytes(sent);
        Assert.True(writer.TryWrite(sent, 1));
        Assert.True(reader.TryRead(out RingRecord held));
        for (int i = 0; i < 5000; i++)
        {
            _ = writer.TryWrite(default, 2); // full at last: nothing is released
            _ = reader.TryRead(out _);
        }

        Assert.True(held.Payload.SequenceEqual(sent));
        reader.Release();
    }

    [Fact]
    public void AfterABurstAQueueBecomesSmallByItself()
    {
        SharedQueue queue = Own(SharedQueue.Open("q", new QueueOptions { BlockSize = 64, BlockCount = 16, MaxExpansions = 2, LoanBudget = 64 * Megabyte }));
        byte[] large = new byte[10 * Megabyte];
        for (int i = 0; i < 3; i++)
            Assert.True(queue.TrySend(large));
        for (int i = 0; i < 3; i++)
            Receive(queue);
        Assert.InRange(queue.GetInfo().LoansPresent, 30 * Megabyte, long.MaxValue);
        for (int i = 0; i < 3000; i++)
        {
            Assert.True(queue.TrySend(new byte[4]));
            Receive(queue);
        }

        Assert.InRange(queue.GetInfo().LoansPresent, 0, Megabyte);
    }

    [Fact]
    public void AfterABurstATopicBecomesSmallByItself()
    {
        TopicWriter writer = Own(TopicWriter.Open("t", new TopicOptions { BlockSize = 8, BlockCount = 16, LoanBudget = 64 * Megabyte }));
        byte[] large = new byte[10 * Megabyte];
        Assert.True(writer.TryPublish(large));
        Assert.True(writer.TryPublish(large));
        Assert.InRange(writer.GetInfo().LoansPresent, 20 * Megabyte, long.MaxValue);
        for (int i = 0; i < 3000; i++)
            Assert.True(writer.TryPublish(new byte[4]));
        Assert.InRange(writer.GetInfo().LoansPresent, 0, Megabyte);
    }

    private static void Receive(SharedQueue queue)
    {
        Assert.True(queue.TryReceive(out QueueMessage message));
        message.Release();
    }

    private static ulong PresentIn(RingWriter writer) => writer.Geometry.Pool!.PresentBytes();

    private static void Echo(RingWriter writer, RingReader reader, int length, int count)
    {
        byte[] payload = new byte[length];
        for (int i = 0; i < count; i++)
        {
            Assert.True(writer.TryWrite(payload, 1));
            Assert.True(reader.TryRead(out RingRecord record));
            Assert.Equal(length, record.Payload.Length);
            reader.Release();
        }
    }
}
