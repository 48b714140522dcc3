using System;

namespace Ipc;

/// <summary>A ring's capacity and place, checked; and the checks of what stands in it.</summary>
internal readonly unsafe struct RingGeometry
{
    public RingGeometry(ulong headerOffset, ulong capacity, ulong dataOffset)
    {
        HeaderOffset = headerOffset;
        Capacity = capacity;
        DataOffset = dataOffset;
    }

    public ulong HeaderOffset { get; }
    public ulong Capacity { get; }
    public ulong DataOffset { get; }

    /// <summary>The largest payload: half the capacity, less the header.</summary>
    public uint MaxPayload => (uint)(Capacity / 2 - RecordHeader.ByteSize);

    public static bool IsCapacity(ulong capacity) =>
        capacity is >= RingHeader.MinCapacity and <= RingHeader.MaxCapacity && (capacity & (capacity - 1)) == 0;

    /// <summary>Refuses what a caller may not ask for.</summary>
    public static ulong CheckRequested(long capacity)
    {
        if (capacity < 0 || !IsCapacity((ulong)capacity))
        {
            Throw.Status(IpcStatus.InvalidArgument, $"A ring of {capacity} bytes was asked for; the capacity must be a power of two from " +
                $"{RingHeader.MinCapacity} to {RingHeader.MaxCapacity}.");
        }

        return (ulong)capacity;
    }

    /// <summary>Writes the header of a new ring into zeroed memory.</summary>
    public void Write(byte* regionBase)
    {
        RingHeader* header = (RingHeader*)(regionBase + HeaderOffset);
        header->Magic = RingHeader.MagicValue;
        header->Capacity = Capacity;
        header->DataOffset = DataOffset;
    }

    /// <summary>Reads a header once and checks it against the mapping, or against <paramref name="end"/> if that comes first.</summary>
    public static RingGeometry Check(MappedView view, ulong headerOffset, string path, ulong end = ulong.MaxValue)
    {
        end = Math.Min(end, view.Size);
        if (headerOffset % 128 != 0 || headerOffset < RegionHeader.ByteSize || headerOffset > end || end - headerOffset < RingHeader.ByteSize)
            Throw.Corrupt($"{path}: a ring header at {headerOffset}; it must stand at a multiple of 128 within {end} bytes.");

        RingHeader* header = (RingHeader*)(view.Base + headerOffset);
        uint magic = Atomic.LoadAcquire(ref header->Magic);
        if (magic != RingHeader.MagicValue)
            Throw.Corrupt($"{path}: ring magic 0x{magic:X8}, expected 0x{RingHeader.MagicValue:X8}.");
        ulong capacity = Atomic.LoadAcquire(ref header->Capacity);
        if (!IsCapacity(capacity))
            Throw.Corrupt($"{path}: ring capacity {capacity}; it must be a power of two from {RingHeader.MinCapacity} to {RingHeader.MaxCapacity}.");
        ulong dataOffset = Atomic.LoadAcquire(ref header->DataOffset);
        if (dataOffset % RingHeader.DataAlignment != 0 || dataOffset < headerOffset + RingHeader.ByteSize || dataOffset > end || capacity > end - dataOffset)
            Throw.Corrupt($"{path}: ring data of {capacity} bytes at {dataOffset}; it must begin at a multiple of {RingHeader.DataAlignment} and end within {end}.");
        return new RingGeometry(headerOffset, capacity, dataOffset);
    }

    /// <summary>What is wrong with this header at this position; null when nothing is. Not for 0.</summary>
    /// <param name="header">Read once.</param>
    /// <param name="position">Where it stands.</param>
    /// <param name="limit">No record reaches beyond this position.</param>
    /// <param name="size">The bytes it takes.</param>
    /// <param name="isPadding">It covers the rest of the lap and means nothing.</param>
    public string? Judge(ulong header, ulong position, ulong limit, out ulong size, out bool isPadding)
    {
        uint length = RecordHeader.LengthOf(header);
        ulong tag = header >> RecordHeader.TagShift;
        ulong restOfLap = Capacity - (position & (Capacity - 1));
        size = RecordHeader.SizeOf(length);
        isPadding = tag == RecordHeader.PaddingTag;

        if (!isPadding && tag != RecordHeader.RecordTag)
            return $"record header 0x{header:X16} at position {position}: the upper 16 bits are 0x{tag:X4}, 0x8000 or 0xC000 was expected";
        if (isPadding && size != restOfLap)
            return $"padding of {size} bytes at position {position}; {restOfLap} are left of the lap";
        if (!isPadding && length > MaxPayload)
            return $"a payload of {length} bytes at position {position}; this ring takes at most {MaxPayload}";
        if (size > restOfLap)
            return $"a record of {size} bytes at position {position}; {restOfLap} are left of the lap";
        if (size > limit - position)
            return $"a record of {size} bytes at position {position}; the writer may use {limit - position}";
        return null;
    }
}
