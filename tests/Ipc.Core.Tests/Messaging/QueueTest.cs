using System;
using System.Buffers.Binary;
using System.Collections.Generic;
using Ipc.Testing.Images;
using Xunit;

namespace Ipc.Core.Tests;

/// <summary>What the tests of queues have in common.</summary>
public abstract class QueueTest : RegionTest
{
    /// <summary>Where things are in the body, typed again from docs/wire-format.md section 9.</summary>
    protected static class At
    {
        public const int Magic = 0, BlockSize = 4, SlotCount = 8, SegmentLimit = 12, Stride = 16, SegmentsOffset = 24, SegmentStride = 32, Flags = 40;
        public const int Distance = 44, PoolOffset = 48, Segments = 128, GrowthFailures = 132, Send = 256, Receive = 384, Data = 512, Space = 640;
        public const int Orphans = 768, OrphansCleared = 776, Redelivered = 896, Dropped = 904, SegmentHeaders = 1024, SegmentHeaderSize = 384;
        public const int Tail = 0, Head = 128, Next = 256, Payload = 32;
    }

    protected const uint Free = 0, Writing = 1, Ready = 2, Reading = 3;
    protected const ulong Sealed = 0x100, Redelivered = 0x200;

    protected static ulong Word(uint lap, uint owner, uint phase) => (ulong)lap << 32 | (ulong)owner << 16 | phase;

    protected static QueueOptions Few(int blocks = 4, WaitMode wait = WaitMode.Adaptive) => new() { BlockSize = 64, BlockCount = blocks, WaitMode = wait, LoanBudget = 0 };

    /// <summary>Everything that <see cref="Queue"/> has opened.</summary>
    protected List<SharedQueue> Opened { get; } = new();

    protected SharedQueue Queue(QueueOptions? options = null)
    {
        SharedQueue queue = Own(SharedQueue.Open("queue", options ?? Few()));
        Opened.Add(queue);
        return queue;
    }

    protected static byte[] Number(int value)
    {
        byte[] bytes = new byte[8];
        BinaryPrimitives.WriteInt32LittleEndian(bytes, value);
        return bytes;
    }

    protected static void SendNumber(SharedQueue queue, int value) => Assert.True(queue.TrySend(Number(value)), $"no room for {value}");

    /// <summary>Receives, checks, releases.</summary>
    protected static void ReceiveNumber(SharedQueue queue, int value, bool redelivered = false)
    {
        Assert.True(queue.TryReceive(out QueueMessage message), $"{value} is not there");
        Assert.Equal(value, BinaryPrimitives.ReadInt32LittleEndian(message.Payload));
        Assert.Equal(redelivered, message.Redelivered);
        message.Release();
    }

    protected static void NothingIn(SharedQueue queue) => Assert.False(queue.TryReceive(out _));

    /// <summary>Where a slot is in the file.</summary>
    protected static long SlotAt(LiveRegion bytes, int segment, int index)
    {
        int body = bytes.Body;
        return (long)(bytes.U64(body + At.SegmentsOffset) + (ulong)segment * bytes.U64(body + At.SegmentStride) + (ulong)index * bytes.U64(body + At.Stride));
    }

    protected static long SegmentAt(LiveRegion bytes, int segment) => bytes.Body + At.SegmentHeaders + segment * At.SegmentHeaderSize;

    /// <summary>A participant whose process is no more.</summary>
    protected static void AddDead(LiveRegion bytes, int index)
    {
        long entry = Wire.Region.Participants + index * Wire.Participant.Size;
        bytes[entry + Wire.Participant.Generation] = 1;
        bytes[entry + Wire.Participant.Pid] = RegionImage.NobodysPid;
        bytes[entry + Wire.Participant.Role] = 3;
        bytes[entry + Wire.Participant.State] = 1;
    }
}
