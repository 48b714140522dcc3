using System;
using System.Buffers.Binary;

namespace Ipc.Testing.Images;

/// <summary>Queues and topics, slot by slot, and the pools of their loans.</summary>
public static partial class RegionImage
{
    public const int BlockSize = 64, Stride = 128;
    private const int Budget = 8192; // classes of 4096 and 8192 bytes: two blocks and one

    /// <summary>A queue of empty slots, one segment prepared, that nobody is attached to.</summary>
    public static QueueImage Queue(int slots, int segmentLimit, int participants = 8, bool persistent = true)
    {
        int body = Image.Align(Wire.Region.Participants + Wire.Participant.Size * participants, 128);
        int segments = Image.Align(body + Wire.Queue.SegmentHeaders + Wire.Queue.SegmentHeader * segmentLimit, Wire.Page);
        int segmentSize = Image.Align(slots * Stride, Wire.Page), pool = segments + segmentLimit * segmentSize, end = pool + PoolSize;
        Image image = Header(Wire.Region.KindQueue, participants, body, end - body, end, persistent);
        image[body + Wire.Queue.Magic] = Wire.Queue.MagicValue;
        image[body + Wire.Queue.BlockSize] = BlockSize;
        image[body + Wire.Queue.SlotCount] = (uint)slots;
        image[body + Wire.Queue.SegmentLimit] = (uint)segmentLimit;
        image.U64(body + Wire.Queue.Stride, Stride);
        image.U64(body + Wire.Queue.SegmentsOffset, (ulong)segments);
        image.U64(body + Wire.Queue.SegmentStride, (ulong)segmentSize);
        image.U64(body + Wire.Queue.PoolOffset, (ulong)pool);
        image[body + Wire.Queue.Segments] = 1;
        image.U64(body + Wire.Queue.Send, 1 << 16);
        image.U64(body + Wire.Queue.Receive, 1 << 16);
        WritePool(image, pool);
        return new QueueImage(image.Bytes, body, segments, segmentSize, slots, pool);
    }

    /// <summary>A topic in which nothing has been published and that nobody is attached to.</summary>
    public static TopicImage Topic(int slots, int participants = 8, bool persistent = true)
    {
        int body = Image.Align(Wire.Region.Participants + Wire.Participant.Size * participants, 128);
        int readers = body + Wire.Topic.Size, at = Image.Align(readers + Wire.Topic.ReaderEntry * participants, Wire.Page);
        int pool = Image.Align(at + slots * Stride, Wire.Page), end = pool + PoolSize;
        Image image = Header(Wire.Region.KindTopic, participants, body, end - body, end, persistent);
        image[body + Wire.Topic.Magic] = Wire.Topic.MagicValue;
        image[body + Wire.Topic.BlockSize] = BlockSize;
        image[body + Wire.Topic.SlotCount] = (uint)slots;
        image[body + Wire.Topic.MaxReaders] = (uint)participants / 2;
        image.U64(body + Wire.Topic.Stride, Stride);
        image.U64(body + Wire.Topic.SlotsOffset, (ulong)at);
        image.U64(body + Wire.Topic.ReadersOffset, (ulong)readers);
        image[body + Wire.Topic.Flags] = 0xF00; // every policy
        image.U64(body + Wire.Topic.PoolOffset, (ulong)pool);
        image.U64(body + Wire.Topic.Tail, (ulong)slots);
        WritePool(image, pool);
        return new TopicImage(image.Bytes, body, at, slots, pool, readers);
    }

    /// <summary>A ring with a pool behind its data.</summary>
    public static RingImage RingWithPool(int capacity = 4096, int participants = 8)
    {
        RingImage plain = Ring(capacity, participants);
        int pool = plain.Bytes.Length;
        byte[] bytes = new byte[pool + PoolSize];
        plain.Bytes.CopyTo(bytes, 0);
        var image = new RingImage(bytes, plain.Ring);
        image.U64(Wire.Region.TotalSize, (ulong)bytes.Length);
        image.U64(Wire.Region.BodySize, (ulong)(bytes.Length - plain.Ring));
        image.U64(plain.Ring + Wire.Ring.PoolOffset, (ulong)pool);
        WritePool(image, pool);
        return image;
    }

    /// <summary>Header, table of three blocks, and the blocks: 2 * 4096 + 8192.</summary>
    public static int PoolSize => Wire.Page + Wire.Page + 2 * Wire.Page + 2 * Wire.Page;

    /// <summary>Fills block 0 of class 0 with the pattern of this seed, published as the loan that <paramref name="holder"/> names.</summary>
    /// <returns>The descriptor.</returns>
    public static byte[] PublishLoan(Image image, int pool, ulong holder, uint seed, int length, uint generation = 1)
    {
        int block = pool + Wire.Pool.Blocks;
        image.U64(block + Wire.Pool.BlockState, ((ulong)generation << 32) | Wire.Pool.Published);
        image.U64(block + Wire.Pool.BlockHolder, holder);
        image[block + Wire.Pool.BlockClaimed] = 1;
        image[block + Wire.Pool.BlockPresent] = 1;
        FillPattern(image.Bytes.AsSpan(pool + 2 * Wire.Page, length), seed);
        byte[] descriptor = new byte[16];
        BinaryPrimitives.WriteUInt32LittleEndian(descriptor.AsSpan(8), generation);
        BinaryPrimitives.WriteUInt32LittleEndian(descriptor.AsSpan(12), (uint)length);
        return descriptor;
    }

    public static void FillPattern(Span<byte> bytes, uint seed)
    {
        for (int i = 0; i < bytes.Length; i++)
            bytes[i] = (byte)(seed * 17u + (uint)i * 3u + (uint)(i >> 8));
    }

    private static void WritePool(Image image, int pool)
    {
        image[pool + Wire.Pool.Magic] = Wire.Pool.MagicValue;
        image[pool + Wire.Pool.Classes] = 2;
        image.U64(pool + Wire.Pool.Budget, Budget);
    }
}
