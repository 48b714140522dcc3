using System;

namespace Ipc;

/// <summary>A topic's measures and places, checked. Read once from a hostile file, or laid out for a new one;
/// docs/wire-format.md section 10.</summary>
internal readonly unsafe struct TopicGeometry
{
    public const ulong MaxPosition = 1UL << 62; // nobody gets there

    private const uint PageSize = 4096;
    private const int MaxWriterCount = RegionGeometry.MaxParticipants - (int)TopicHeader.MaxReaderCount;

    private TopicGeometry(
        ulong bodyOffset,
        uint blockSize,
        uint slotCount,
        int participants,
        uint maxReaders,
        uint flags,
        ulong readersOffset,
        ulong slotsOffset,
        ulong poolOffset)
    {
        BodyOffset = bodyOffset;
        BlockSize = blockSize;
        SlotCount = slotCount;
        Participants = participants;
        MaxReaders = maxReaders;
        Flags = flags;
        ReadersOffset = readersOffset;
        SlotsOffset = slotsOffset;
        PoolOffset = poolOffset;
    }

    public ulong BodyOffset { get; }
    public uint BlockSize { get; }
    public uint SlotCount { get; }
    public int Participants { get; }
    public uint MaxReaders { get; }
    public uint Flags { get; }
    public ulong ReadersOffset { get; }
    public ulong SlotsOffset { get; }
    public ulong PoolOffset { get; }

    public int MaxWriters => Participants - (int)MaxReaders;

    public ulong Stride => SlotHeader.StrideOf(BlockSize);

    /// <summary>The lap of a position is what is left after this many bits.</summary>
    public int LapShift => LogOf(SlotCount);

    public ulong SlotsEnd => SlotsOffset + RoundUp(SlotCount * Stride, PageSize);

    public bool IsSingleWriter => (Flags & TopicHeader.SingleWriterFlag) != 0;

    public bool Allows(TopicPolicy policy) => (Flags >> TopicHeader.PolicyShift >> (int)policy & 1) != 0;

    /// <summary>Lays a topic out; refuses what a caller may not ask for.</summary>
    public static TopicGeometry New(TopicOptions options)
    {
        if (options.BlockSize is < 8 or > (int)SlotHeader.MaxBlockSize)
            Refuse($"A topic's blocks have 8 to {SlotHeader.MaxBlockSize} bytes, not {options.BlockSize}.");
        if (options.BlockCount is < 2 or > (int)SlotHeader.MaxSlotCount)
            Refuse($"A topic has 2 to {SlotHeader.MaxSlotCount} blocks, not {options.BlockCount}.");
        if (options.MaxReaders is < 1 or > (int)TopicHeader.MaxReaderCount)
            Refuse($"A topic has 1 to {TopicHeader.MaxReaderCount} readers, not {options.MaxReaders}.");
        if (options.MaxWriters is < 1 or > MaxWriterCount)
            Refuse($"A topic has 1 to {MaxWriterCount} writers, not {options.MaxWriters}.");
        if ((options.AllowedPolicies & TopicPolicies.All) == 0 || (options.AllowedPolicies & ~TopicPolicies.All) != 0)
            Refuse(
                $"AllowedPolicies has the bits {(int)options.AllowedPolicies:x}, there are only the policies " +
                $"{(int)TopicPolicies.All:x}.");

        uint slotCount = (uint)options.BlockCount;
        while ((slotCount & (slotCount - 1)) != 0)
            slotCount = (slotCount | (slotCount - 1)) + 1;

        int participants = options.MaxReaders + options.MaxWriters;
        ulong bodyOffset = RegionGeometry.TableEnd(participants); // a multiple of 128
        ulong readersOffset = bodyOffset + TopicHeader.ByteSize;
        ulong slotsOffset = RoundUp(readersOffset + (ulong)participants * TopicReaderEntry.ByteSize, PageSize);
        uint flags =
            (options.SingleWriter ? TopicHeader.SingleWriterFlag : 0) |
                (uint)options.AllowedPolicies << TopicHeader.PolicyShift;
        uint blockSize = ((uint)options.BlockSize + 7) & ~7u;
        ulong slotsEnd = slotsOffset + RoundUp(slotCount * SlotHeader.StrideOf(blockSize), PageSize);
        return new TopicGeometry(
            bodyOffset, blockSize, slotCount, participants, (uint)options.MaxReaders, flags, readersOffset, slotsOffset,
            PoolGeometry.CheckRequested(options.LoanBudget) == 0 ? 0 : slotsEnd);
    }

    /// <summary>Writes the header of a new topic into zeroed memory. Positions start at the second lap: a slot of zeros
    /// is "before the first".</summary>
    public void Write(byte* regionBase)
    {
        TopicHeader* header = (TopicHeader*)(regionBase + BodyOffset);
        header->Magic = TopicHeader.MagicValue;
        header->BlockSize = BlockSize;
        header->SlotCount = SlotCount;
        header->MaxReaders = MaxReaders;
        header->Stride = Stride;
        header->SlotsOffset = SlotsOffset;
        header->ReadersOffset = ReadersOffset;
        header->Flags = Flags;
        header->PoolOffset = PoolOffset;
        header->Tail = SlotCount;
    }

    /// <summary>Reads a header once and checks every number of it.</summary>
    public static TopicGeometry Check(byte* regionBase, in RegionGeometry region, string path)
    {
        ulong end = region.BodyOffset + region.BodySize;
        if (region.BodySize < TopicHeader.ByteSize)
            Throw.Corrupt($"{path}: a body of {region.BodySize} bytes, a topic's has at least {TopicHeader.ByteSize}.");

        TopicHeader* header = (TopicHeader*)(regionBase + region.BodyOffset);
        uint magic = Atomic.LoadAcquire(ref header->Magic);
        uint blockSize = Atomic.LoadAcquire(ref header->BlockSize);
        uint slotCount = Atomic.LoadAcquire(ref header->SlotCount);
        uint maxReaders = Atomic.LoadAcquire(ref header->MaxReaders);
        ulong stride = Atomic.LoadAcquire(ref header->Stride);
        ulong slotsOffset = Atomic.LoadAcquire(ref header->SlotsOffset);
        ulong readersOffset = Atomic.LoadAcquire(ref header->ReadersOffset);
        uint flags = Atomic.LoadAcquire(ref header->Flags);
        ulong poolOffset = Atomic.LoadAcquire(ref header->PoolOffset);
        uint participants = (uint)region.ParticipantCapacity;

        if (magic != TopicHeader.MagicValue)
            Throw.Corrupt($"{path}: topic magic 0x{magic:X8}, expected 0x{TopicHeader.MagicValue:X8}.");
        if (blockSize is < 8 or > SlotHeader.MaxBlockSize || blockSize % 8 != 0)
            Throw.Corrupt(
                $"{path}: blocks of {blockSize} bytes; a multiple of 8 from 8 to {SlotHeader.MaxBlockSize} was " +
                "expected.");
        if (slotCount is < 2 or > SlotHeader.MaxSlotCount || (slotCount & (slotCount - 1)) != 0)
            Throw.Corrupt(
                $"{path}: {slotCount} slots; a power of two from 2 to {SlotHeader.MaxSlotCount} was expected.");
        if (stride != SlotHeader.StrideOf(blockSize))
            Throw.Corrupt(
                $"{path}: slots {stride} bytes apart; {SlotHeader.StrideOf(blockSize)} were expected for blocks of " +
                $"{blockSize}.");
        if (maxReaders is < 1 or > TopicHeader.MaxReaderCount || maxReaders >= participants)
            Throw.Corrupt(
                $"{path}: {maxReaders} readers at most; 1 to {TopicHeader.MaxReaderCount} were expected, and fewer " +
                $"than {participants} participants.");
        ulong readersSize = (ulong)participants * TopicReaderEntry.ByteSize;
        if (readersOffset % 128 != 0 || readersOffset < region.BodyOffset + TopicHeader.ByteSize ||
            readersOffset > end || readersSize > end - readersOffset)
        {
            Throw.Corrupt(
                $"{path}: reader entries of {readersSize} bytes at {readersOffset}; they must begin at a multiple of " +
                $"128 behind the header and end within {end}.");
        }

        if (slotsOffset % PageSize != 0 || slotsOffset < readersOffset + readersSize || slotsOffset > end ||
            slotCount * stride > end - slotsOffset)
        {
            Throw.Corrupt(
                $"{path}: slots of {slotCount * stride} bytes at {slotsOffset}; they must begin at a multiple of " +
                $"{PageSize} behind the readers and end within {end}.");
        }

        TopicGeometry geometry = new(
            region.BodyOffset,
            blockSize,
            slotCount,
            (int)participants,
            maxReaders,
            flags,
            readersOffset,
            slotsOffset,
            poolOffset);
        if (poolOffset != 0 && (poolOffset % PageSize != 0 || poolOffset < geometry.SlotsEnd || poolOffset >= end))
            Throw.Corrupt(
                $"{path}: a pool at {poolOffset}; it must begin at a multiple of {PageSize} from {geometry.SlotsEnd} " +
                $"and end within {end}.");
        return geometry;
    }


    private static ulong RoundUp(ulong value, uint unit) => (value + unit - 1) & ~(ulong)(unit - 1);

    private static int LogOf(uint powerOfTwo)
    {
        int log = 0;
        while (1u << log < powerOfTwo)
            log++;
        return log;
    }

    private static void Refuse(string why) => Throw.Status(IpcStatus.InvalidArgument, why);
}
