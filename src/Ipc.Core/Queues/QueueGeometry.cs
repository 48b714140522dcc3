using System;

namespace Ipc;

/// <summary>Where the parts of a queue are, checked: never read from shared memory again.</summary>
internal readonly unsafe struct QueueGeometry
{
    private QueueGeometry(
        ulong headerOffset,
        uint blockSize,
        uint slotCount,
        uint segmentLimit,
        ulong segmentsOffset,
        uint flags,
        uint distance,
        ulong poolOffset)
    {
        HeaderOffset = headerOffset;
        BlockSize = blockSize;
        SlotCount = slotCount;
        SegmentLimit = segmentLimit;
        SegmentsOffset = segmentsOffset;
        Flags = flags;
        MinExpansionDistance = distance;
        PoolOffset = poolOffset;
        Stride = SlotHeader.StrideOf(blockSize);
        SegmentStride = Aligned(slotCount * Stride);
        SlotShift = 0;
        while (1U << SlotShift < slotCount)
            SlotShift++;
    }

    public ulong HeaderOffset { get; }
    public uint BlockSize { get; }
    public uint SlotCount { get; }
    public uint SegmentLimit { get; }
    public ulong SegmentsOffset { get; }
    public uint Flags { get; }
    public uint MinExpansionDistance { get; }

    /// <summary>0: no pool.</summary>
    public ulong PoolOffset { get; }

    public ulong Stride { get; }
    public ulong SegmentStride { get; }

    /// <summary>The logarithm of <see cref="SlotCount"/>.</summary>
    public int SlotShift { get; }

    public ulong SegmentsEnd => SegmentsOffset + SegmentLimit * SegmentStride;

    public bool DropsOrphans => (Flags & QueueHeader.DropOrphansFlag) != 0;

    /// <summary>The layout of a new queue; throws what a caller may not ask for.</summary>
    public static QueueGeometry For(QueueOptions options, ulong bodyOffset)
    {
        uint blockSize = (uint)InRange(
            options.BlockSize, (int)SlotHeader.MinBlockSize, (int)SlotHeader.MaxBlockSize, "A block has", "bytes");
        blockSize = (blockSize + 7) & ~7U;
        uint asked = (uint)InRange(
            options.BlockCount, (int)SlotHeader.MinSlotCount, (int)SlotHeader.MaxSlotCount, "A segment has", "blocks");
        uint slotCount = SlotHeader.MinSlotCount;
        while (slotCount < asked)
            slotCount *= 2;
        uint segments = (uint)InRange(
            options.MaxExpansions, 0, (int)QueueHeader.MaxSegments - 1, "A queue has", "expansions") + 1;
        uint distance = (uint)InRange(
            options.MinExpansionDistance, 0, (int)slotCount - 1, "The least distance to an expansion is", "blocks");
        ulong segmentsOffset = Aligned(bodyOffset + QueueHeader.ByteSize + segments * QueueSegmentHeader.ByteSize);
        bool hasPool = PoolGeometry.CheckRequested(options.LoanBudget) != 0;
        uint flags = options.DropOrphans ? QueueHeader.DropOrphansFlag : 0;
        QueueGeometry geometry = new(bodyOffset, blockSize, slotCount, segments, segmentsOffset, flags, distance, 0);
        return hasPool
            ? new QueueGeometry(
                bodyOffset, blockSize, slotCount, segments, segmentsOffset, flags, distance, geometry.SegmentsEnd)
            : geometry;
    }

    /// <summary>Writes the header of a new queue into zeroed memory.</summary>
    public void Write(byte* regionBase, uint segments)
    {
        QueueHeader* header = (QueueHeader*)(regionBase + HeaderOffset);
        header->Magic = QueueHeader.MagicValue;
        header->BlockSize = BlockSize;
        header->SlotCount = SlotCount;
        header->SegmentLimit = SegmentLimit;
        header->Stride = Stride;
        header->SegmentsOffset = SegmentsOffset;
        header->SegmentStride = SegmentStride;
        header->Flags = Flags;
        header->MinExpansionDistance = MinExpansionDistance;
        header->PoolOffset = PoolOffset;
        header->Segments = segments;
        header->Send = header->Receive = QueueTurn.First;
    }

    /// <summary>Reads a header once and checks it against the body's end.</summary>
    public static QueueGeometry Check(MappedView view, ulong headerOffset, ulong end, string path)
    {
        end = Math.Min(end, view.Size);
        if (headerOffset > end || end - headerOffset < QueueHeader.ByteSize)
            Throw.Corrupt($"{path}: a queue header at {headerOffset}; it must end within {end} bytes.");

        QueueHeader* header = (QueueHeader*)(view.Base + headerOffset);
        uint magic = Atomic.LoadAcquire(ref header->Magic);
        if (magic != QueueHeader.MagicValue)
            Throw.Corrupt($"{path}: queue magic 0x{magic:X8}, expected 0x{QueueHeader.MagicValue:X8}.");
        uint blockSize = Atomic.LoadAcquire(ref header->BlockSize);
        if (blockSize is < SlotHeader.MinBlockSize or > SlotHeader.MaxBlockSize || blockSize % 8 != 0)
            Throw.Corrupt(
                $"{path}: blocks of {blockSize} bytes; a multiple of 8 from {SlotHeader.MinBlockSize} to " +
                $"{SlotHeader.MaxBlockSize} was expected.");
        uint slotCount = Atomic.LoadAcquire(ref header->SlotCount);
        if (slotCount is < SlotHeader.MinSlotCount or > SlotHeader.MaxSlotCount || (slotCount & (slotCount - 1)) != 0)
            Throw.Corrupt(
                $"{path}: {slotCount} slots; a power of two from {SlotHeader.MinSlotCount} to " +
                $"{SlotHeader.MaxSlotCount} was expected.");
        uint limit = Atomic.LoadAcquire(ref header->SegmentLimit);
        if (limit is 0 or > QueueHeader.MaxSegments)
            Throw.Corrupt($"{path}: {limit} segments; 1 to {QueueHeader.MaxSegments} were expected.");
        uint distance = Atomic.LoadAcquire(ref header->MinExpansionDistance);
        if (distance >= slotCount)
            Throw.Corrupt($"{path}: an expansion distance of {distance}; it must be below {slotCount}.");

        QueueGeometry geometry = new(
            headerOffset, blockSize, slotCount, limit, Atomic.LoadAcquire(ref header->SegmentsOffset),
            Atomic.LoadAcquire(ref header->Flags), distance, Atomic.LoadAcquire(ref header->PoolOffset));
        ulong stride = Atomic.LoadAcquire(ref header->Stride), segmentStride = Atomic.LoadAcquire(
            ref header->SegmentStride);
        if (stride != geometry.Stride || segmentStride != geometry.SegmentStride)
            Throw.Corrupt(
                $"{path}: strides of {stride} and {segmentStride}; {geometry.Stride} and {geometry.SegmentStride} " +
                "were expected.");
        ulong headersEnd = headerOffset + QueueHeader.ByteSize + limit * QueueSegmentHeader.ByteSize;
        if (geometry.SegmentsOffset % QueueHeader.SlotsAlignment != 0 || geometry.SegmentsOffset < headersEnd ||
            geometry.SegmentsOffset > end ||
            limit * segmentStride > end - geometry.SegmentsOffset)
        {
            Throw.Corrupt(
                $"{path}: {limit} segments of {segmentStride} bytes at {geometry.SegmentsOffset}; they must begin at " +
                "a multiple of " +
                $"{QueueHeader.SlotsAlignment} from {headersEnd} on and end within {end}.");
        }

        if (geometry.PoolOffset != 0 && geometry.PoolOffset < geometry.SegmentsEnd)
            Throw.Corrupt($"{path}: a pool at {geometry.PoolOffset}; the slots end at {geometry.SegmentsEnd}.");
        uint segments = Atomic.LoadAcquire(ref header->Segments);
        if (segments == 0 || segments > limit)
            Throw.Corrupt($"{path}: {segments} prepared segments; 1 to {limit} were expected.");
        return geometry;
    }

    public SlotHeader* Slot(byte* regionBase, uint segment, ulong position) =>
        (SlotHeader*)(regionBase + SegmentsOffset + segment * SegmentStride + (position & (SlotCount - 1)) * Stride);

    /// <summary>The slot that stands at this offset of the file; null when none does.</summary>
    public SlotHeader* SlotAt(byte* regionBase, ulong offset)
    {
        ulong within = offset - SegmentsOffset;
        return offset >= SegmentsOffset && offset < SegmentsEnd && within % SegmentStride % Stride == 0 &&
            within % SegmentStride / Stride < SlotCount
            ? (SlotHeader*)(regionBase + offset)
            : null;
    }

    private static ulong Aligned(ulong size) =>
        (size + QueueHeader.SlotsAlignment - 1) & ~(ulong)(QueueHeader.SlotsAlignment - 1);

    private static int InRange(int value, int least, int most, string what, string unit)
    {
        if (value < least || value > most)
            Throw.Status(IpcStatus.InvalidArgument, $"{what} {least} to {most} {unit}, not {value}.");
        return value;
    }
}
