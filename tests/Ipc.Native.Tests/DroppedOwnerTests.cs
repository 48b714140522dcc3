using System;
using System.IO;
using System.Runtime.CompilerServices;
using System.Text;
using Xunit;

namespace Ipc.Native.Tests;

/// <summary>A span refers to nobody: what it came from is not closed, and unmapped, by being dropped and collected.</summary>
public sealed class DroppedOwnerTests
{
    private delegate ReadOnlySpan<byte> Taking(string name);

    private static NativeDeadline Soon => NativeDeadline.After(TimeSpan.FromSeconds(30));

    [Fact]
    public void TheSpanOfARingsRecordStays() => Stays(RingRecordOf, RegionName.Of());

    [Fact]
    public void TheSpanOfARingsClaimStays() => Stays(RingClaimOf, RegionName.Of());

    [Fact]
    public void TheSpanOfAQueuesMessageStays() => Stays(QueueMessageOf, RegionName.Of());

    [Fact]
    public void TheSpanOfAQueuesClaimStays() => Stays(QueueClaimOf, RegionName.Of());

    [Fact]
    public void TheSpanOfATopicsMessageStays() => Stays(TopicMessageOf, RegionName.Of());

    [Fact]
    public void TheSpanOfATopicsClaimStays() => Stays(TopicClaimOf, RegionName.Of());

    [Fact]
    public void WithoutASpanTheObjectIsClosed()
    {
        string name = RegionName.Of();
        Taken(ReleasedRingOf, name);
        Collect();
        NativeRingReader.Open(name).Dispose(); // the place of the one before is free
    }

    private static void Stays(Taking taking, string name)
    {
        ReadOnlySpan<byte> span = Taken(taking, name);
        Collect();
        Assert.True(IsMapped(span), "touching the span would kill the process");
        Assert.Equal("message", Encoding.UTF8.GetString(span));
        foreach (string directory in Environment.GetEnvironmentVariable("IPC_DIR") is { Length: > 0 } set ? [set] : Directory.GetDirectories("/dev/shm", "ipc-*"))
            File.Delete(Path.Combine(directory, name)); // it stays open until this process ends; nobody else has this name
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static ReadOnlySpan<byte> Taken(Taking taking, string name) => taking(name);

    private static void Collect()
    {
        for (int i = 0; i < 4; i++)
        {
            GC.Collect(GC.MaxGeneration, GCCollectionMode.Forced, blocking: true);
            GC.WaitForPendingFinalizers();
        }
    }

    private static unsafe bool IsMapped(ReadOnlySpan<byte> span)
    {
        fixed (byte* start = span)
        {
            foreach (string line in File.ReadLines("/proc/self/maps"))
            {
                string[] range = line[..line.IndexOf(' ', StringComparison.Ordinal)].Split('-');
                if ((ulong)start >= Convert.ToUInt64(range[0], 16) && (ulong)start < Convert.ToUInt64(range[1], 16))
                    return line.Contains('/', StringComparison.Ordinal); // a file, which has no name for whom created it
            }
        }

        return false;
    }

    private static ReadOnlySpan<byte> RingRecordOf(string name)
    {
        NativeRingWriter writer = NativeRingWriter.Open(name);
        NativeRingReader reader = NativeRingReader.Open(name);
        Assert.Equal(NativeStatus.Ok, writer.Write("message"u8));
        Assert.Equal(NativeStatus.Ok, reader.TryRead(out NativeRecord record));
        return record.Payload;
    }

    private static ReadOnlySpan<byte> ReleasedRingOf(string name)
    {
        NativeRingWriter writer = NativeRingWriter.Open(name);
        NativeRingReader reader = NativeRingReader.Open(name);
        Assert.Equal(NativeStatus.Ok, writer.Write("message"u8));
        Assert.Equal(NativeStatus.Ok, reader.TryRead(out _));
        reader.Release();
        return default;
    }

    private static ReadOnlySpan<byte> RingClaimOf(string name)
    {
        NativeRingWriter writer = NativeRingWriter.Open(name);
        Assert.Equal(NativeStatus.Ok, writer.Claim(7, out Span<byte> payload));
        "message"u8.CopyTo(payload);
        return payload;
    }

    private static ReadOnlySpan<byte> QueueMessageOf(string name)
    {
        NativeQueue queue = NativeQueue.Open(name);
        Assert.Equal(NativeStatus.Ok, queue.Send("message"u8));
        Assert.Equal(NativeStatus.Ok, queue.Receive(out NativeBlock block));
        return block.Payload;
    }

    private static ReadOnlySpan<byte> QueueClaimOf(string name)
    {
        NativeQueue queue = NativeQueue.Open(name);
        Assert.Equal(NativeStatus.Ok, queue.Claim(7, out NativeBlock block));
        "message"u8.CopyTo(block.Payload);
        return block.Payload;
    }

    private static ReadOnlySpan<byte> TopicMessageOf(string name)
    {
        NativeTopicReader reader = NativeTopicReader.Open(name);
        NativeTopicWriter writer = NativeTopicWriter.Open(name);
        Assert.Equal(NativeStatus.Ok, writer.Publish("message"u8));
        Assert.Equal(NativeStatus.Ok, reader.Read(out NativeMessage message, Soon));
        return message.Payload;
    }

    private static ReadOnlySpan<byte> TopicClaimOf(string name)
    {
        NativeTopicWriter writer = NativeTopicWriter.Open(name);
        Assert.Equal(NativeStatus.Ok, writer.Claim(7, out NativeBlock block));
        "message"u8.CopyTo(block.Payload);
        return block.Payload;
    }
}
