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
        Remove(name);
    }

    /// <summary>Who reads, or has received, what nobody will release: others go on with it.</summary>
    [Fact]
    public void ThePlaceOfADroppedReaderIsFreeAndItsRecordComesAgain()
    {
        string name = RegionName.Of();
        ReadOnlySpan<byte> span = Taken(RingRecordOf, name);
        Collect();
        using (NativeRingReader next = NativeRingReader.Open(name))
        {
            Assert.Equal(NativeStatus.Ok, next.Read(out NativeRecord record, Soon));
            Assert.Equal(("message", true), (Encoding.UTF8.GetString(record.Payload), record.Redelivered));
            next.Release();
        }

        Assert.True(IsMapped(span));
        Remove(name);
    }

    [Fact]
    public void TheMessageOfADroppedQueueComesAgain()
    {
        string name = RegionName.Of();
        using NativeQueue other = NativeQueue.Open(name);
        ReadOnlySpan<byte> span = Taken(QueueMessageOf, name);
        Collect();
        Assert.Equal(NativeStatus.Ok, other.Receive(out NativeBlock block, Soon));
        Assert.Equal("message", Encoding.UTF8.GetString(block.Payload));
        Assert.Equal("message", Encoding.UTF8.GetString(span));
        other.Release(ref block);
    }

    /// <summary>A reliable reader that is gone holds back no writer.</summary>
    [Fact]
    public void ADroppedReaderOfATopicHoldsUpNobody()
    {
        string name = RegionName.Of();
        using NativeTopicWriter other = NativeTopicWriter.Open(name, new NativeTopicOptions { BlockCount = 16 });
        ReadOnlySpan<byte> span = Taken(TopicMessageOf, name);
        Collect();
        for (int i = 0; i < 1000; i++)
            Assert.Equal(NativeStatus.Ok, other.Publish("another"u8, deadline: Soon));
        Assert.True(IsMapped(span));
    }

    /// <summary>A listener and its connection, of which neither was disposed of: both leave, in whichever order they are collected.</summary>
    [Fact]
    public void TheSpanOfANamedMessageStaysAndItsServersPlaceIsFree()
    {
        string name = RegionName.Of();
        ReadOnlySpan<byte> span = Taken(NamedMessageOf, name);
        Collect();
        Assert.True(IsMapped(span));
        using (NativeNamedListener next = NativeNamedListener.Open(name))
        {
            NativeNamedConnection server = Assert.IsType<NativeNamedConnection>(next.OpenConnection("client"));
            Assert.Equal(NativeStatus.Ok, server.TryReceive(out NativeNamedMessage message));
            Assert.Equal(("message", 1ul), (Encoding.UTF8.GetString(message.Payload), message.Sequence));
        }

        Assert.Equal("message", Encoding.UTF8.GetString(span));
        Assert.True(NativeNamedConnection.Remove(name, "client"));
    }

    /// <summary>What a claim's span is written to afterwards is nobody else's message.</summary>
    [Fact]
    public void WhatIsWrittenToADroppedClaimReachesNobody()
    {
        string name = RegionName.Of();
        using NativeRingReader reader = NativeRingReader.Open(name);
        ReadOnlySpan<byte> span = Taken(RingClaimOf, name);
        Collect();
        using NativeRingWriter writer = NativeRingWriter.Open(name);
        Assert.Equal(NativeStatus.Ok, writer.Write("another"u8));
        unsafe
        {
            fixed (byte* first = span)
                *first = (byte)'X';
        }

        Assert.Equal(NativeStatus.Ok, reader.Read(out NativeRecord record, Soon));
        Assert.Equal("another", Encoding.UTF8.GetString(record.Payload));
        Assert.Equal((byte)'X', span[0]);
        reader.Release(); // or it would wait there for the next one
    }

    private static void Remove(string name)
    {
        foreach (string directory in Environment.GetEnvironmentVariable("IPC_DIR") is { Length: > 0 } set ? [set] : Directory.GetDirectories("/dev/shm", "ipc-*"))
            File.Delete(Path.Combine(directory, name)); // some keep what was committed; nobody else has this name
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

    private static ReadOnlySpan<byte> NamedMessageOf(string name)
    {
        using (var client = NativeNamedConnection.Open(name, "client"))
            Assert.Equal(NativeStatus.Ok, client.TrySend("message"u8, 0, out _));
        NativeNamedConnection server = NativeNamedListener.Open(name).OpenConnection("client")!;
        Assert.Equal(NativeStatus.Ok, server.TryReceive(out NativeNamedMessage message));
        return message.Payload;
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
