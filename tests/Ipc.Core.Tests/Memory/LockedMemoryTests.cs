using System;
using System.Runtime.InteropServices;
using Xunit;

namespace Ipc.Core.Tests;

/// <summary>A program that locks its memory (<c>mlockall</c>, as those do that must not wait for pages) cannot give any back. What it sends goes on.</summary>
public sealed unsafe class LockedMemoryTests : RegionTest
{
    private const int Megabyte = 1 << 20, OnFault = 1;

    [DllImport("libc", SetLastError = true)]
    private static extern int mlock2(void* start, nuint length, uint flags);

    private static void Lock(ReadOnlySpan<byte> bytes)
    {
        fixed (byte* start = bytes)
            Assert.True(mlock2(start, (nuint)bytes.Length, OnFault) == 0, $"errno {Marshal.GetLastWin32Error()}");
    }

    /// <summary>Trimming failed half-way: the block belonged to nobody afterwards.</summary>
    [Fact]
    public void TrimmingTakesNothingAway()
    {
        SharedQueue queue = Own(SharedQueue.Open("q", new QueueOptions { BlockSize = 64, BlockCount = 4, LoanBudget = 64 << 10 }));
        Assert.True(queue.TryClaim(64 << 10, out QueueClaim claim));
        Lock(claim.Payload);
        claim.Abandon();
        for (int i = 0; i < 3; i++)
            queue.TrimLoans();
        Assert.Equal(64 << 10, queue.GetInfo().LoansPresent); // it is there, and so it is counted
        Assert.True(queue.TrySend(new byte[64 << 10]));
    }

    /// <summary>What a burst has left behind is given back by a later sender, which has its slot by then: the failure left it in Writing, and what it sent
    /// afterwards behind it.</summary>
    [Fact]
    public void AfterABurstAQueueGoesOn()
    {
        SharedQueue queue = Own(SharedQueue.Open("q", new QueueOptions { BlockSize = 64, BlockCount = 1024, LoanBudget = 4 * Megabyte }));
        Assert.True(queue.TryClaim(2 * Megabyte, out QueueClaim claim));
        Lock(claim.Payload);
        claim.Commit();
        Assert.True(queue.TryReceive(out QueueMessage message));
        message.Release();
        for (int i = 0; i < 4000; i++)
        {
            Assert.True(queue.TrySend(BitConverter.GetBytes(i)));
            Assert.True(queue.TryReceive(out message));
            Assert.Equal(i, BitConverter.ToInt32(message.Payload));
            message.Release();
        }
    }

    [Fact]
    public void AfterABurstATopicGoesOn()
    {
        TopicOptions options = new() { BlockSize = 64, BlockCount = 16, LoanBudget = 4 * Megabyte };
        TopicWriter writer = Own(TopicWriter.Open("t", options));
        TopicReader reader = Own(TopicReader.Open("t", options));
        Assert.True(writer.TryClaim(2 * Megabyte, out TopicClaim claim));
        Lock(claim.Payload);
        claim.Commit();
        Assert.Equal(IpcStatus.Ok, reader.TryRead(out _));
        Assert.Equal(IpcStatus.Ok, reader.Release());
        for (int i = 0; i < 4000; i++)
        {
            Assert.True(writer.TryPublish(BitConverter.GetBytes(i)));
            Assert.Equal(IpcStatus.Ok, reader.TryRead(out TopicMessage message));
            Assert.Equal(i, BitConverter.ToInt32(message.Payload));
            Assert.Equal(IpcStatus.Ok, reader.Release());
        }
    }

    [Fact]
    public void AfterABurstARingGoesOn()
    {
        RingOptions options = new() { Capacity = 4096, LoanBudget = 4 * Megabyte };
        RingWriter writer = Own(RingWriter.Open("r", options));
        RingReader reader = Own(RingReader.Open("r", options));
        Assert.True(writer.TryClaim(2 * Megabyte, out Span<byte> payload));
        Lock(payload);
        writer.Commit(2 * Megabyte);
        Assert.True(reader.TryRead(out _));
        reader.Release();
        for (int i = 0; i < 20_000; i++)
        {
            Assert.True(writer.TryWrite(BitConverter.GetBytes(i)));
            Assert.True(reader.TryRead(out RingRecord record));
            Assert.Equal(i, BitConverter.ToInt32(record.Payload));
            reader.Release();
        }
    }
}
