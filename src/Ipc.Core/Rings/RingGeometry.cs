using System;

namespace Ipc;

/// <summary>A ring's capacity and place, and its pool's, checked; and the checks of what stands in it.</summary>
internal readonly unsafe struct RingGeometry
{
    private readonly ulong _newBudget;

    /// <summary>A new ring; <paramref name="budget"/> 0: without a pool. The pool is located once the header is
    /// written.</summary>
    public RingGeometry(ulong headerOffset, ulong capacity, ulong dataOffset, ulong poolOffset, ulong budget)
    {
        HeaderOffset = headerOffset;
        Capacity = capacity;
        DataOffset = dataOffset;
        PoolOffset = budget == 0 ? 0 : poolOffset;
        _newBudget = budget;
        Pool = null;
        Present = capacity;
        File = null;
    }

    private RingGeometry(in RingGeometry checkedSoFar, Pool? pool, ulong present, RegionFile? file)
    {
        this = checkedSoFar;
        Pool = pool;
        Present = present;
        File = file;
    }

    public ulong HeaderOffset { get; }
    public ulong Capacity { get; }
    public ulong DataOffset { get; }

    public ulong PoolOffset { get; }

    /// <summary>Bytes of the data that have memory from the start; the writer makes the rest.</summary>
    public ulong Present { get; }

    /// <summary>In which it makes it, where the mapping is not enough.</summary>
    public RegionFile? File { get; }

    /// <summary>For what is too long for the ring itself; null: there is none.</summary>
    public Pool? Pool { get; }

    /// <summary>The largest payload that stands in the ring itself: half the capacity, less the header.</summary>
    public uint MaxInline => (uint)(Capacity / 2 - RecordHeader.ByteSize);

    /// <summary>The largest payload.</summary>
    public uint MaxPayload => Math.Max(MaxInline, Pool?.MaxLength ?? 0);

    public static bool IsCapacity(ulong capacity) =>
        capacity is >= RingHeader.MinCapacity and <= RingHeader.MaxCapacity && (capacity & (capacity - 1)) == 0;

    /// <summary>Refuses what a caller may not ask for.</summary>
    public static ulong CheckRequested(long capacity)
    {
        if (capacity < 0 || !IsCapacity((ulong)capacity))
        {
            Throw.Status(
                IpcStatus.InvalidArgument,
                $"A ring's capacity is a power of two from {RingHeader.MinCapacity} to {RingHeader.MaxCapacity}, not " +
                $"{capacity}.");
        }

        return (ulong)capacity;
    }

    /// <summary>A new ring of a connection, of whose data only so much has memory from the start.</summary>
    public RingGeometry With(ulong present) => new(this, null, present, null);

    /// <summary>The same ring, in a connection: how much of its data, and of its pool, has memory.</summary>
    public RingGeometry CheckPresent(Region region)
    {
        ulong present = Atomic.LoadAcquire(ref ((RingHeader*)(region.Base + HeaderOffset))->Present);
        if (present % RingHeader.DataAlignment != 0 || present > Capacity)
            Throw.Corrupt(
                $"{region.Path}: a ring of {Capacity} bytes of which {present} have memory; it must be a multiple of " +
                $"{RingHeader.DataAlignment}, and not more.");
        Pool?.FindTable();
        return new RingGeometry(this, Pool, present == 0 ? Capacity : present, File);
    }

    /// <summary>Writes the header of a new ring, and its pool's, into zeroed memory. Returns the same with its
    /// pool.</summary>
    public RingGeometry Write(Region region)
    {
        RingHeader* header = (RingHeader*)(region.Base + HeaderOffset);
        header->Magic = RingHeader.MagicValue;
        header->Capacity = Capacity;
        header->DataOffset = DataOffset;
        header->PoolOffset = PoolOffset;
        header->Present = Present == Capacity ? 0 : Present;
        if (PoolOffset == 0)
            return new RingGeometry(this, null, Present, region.File);
        Pool.WriteHeader(region.Base + PoolOffset, _newBudget);
        return new RingGeometry(
            this, Pool.Locate(region.View, PoolOffset, region.Path, null, file: region.File), Present, region.File);
    }

    /// <summary>Reads a header once and checks it against the mapping, or against <paramref name="end"/> if that comes
    /// first.</summary>
    public static RingGeometry Check(Region region, ulong headerOffset, ulong end = ulong.MaxValue)
    {
        MappedView view = region.View;
        string path = region.Path;
        end = Math.Min(end, view.Size);
        if (headerOffset % 128 != 0 || headerOffset < RegionHeader.ByteSize || headerOffset > end ||
            end - headerOffset < RingHeader.ByteSize)
        {
            Throw.Corrupt(
                $"{path}: a ring header at {headerOffset}; it must stand at a multiple of 128 within {end} bytes.");
        }

        RingHeader* header = (RingHeader*)(view.Base + headerOffset);
        uint magic = Atomic.LoadAcquire(ref header->Magic);
        if (magic != RingHeader.MagicValue)
            Throw.Corrupt($"{path}: ring magic 0x{magic:X8}, expected 0x{RingHeader.MagicValue:X8}.");
        ulong capacity = Atomic.LoadAcquire(ref header->Capacity);
        if (!IsCapacity(capacity))
            Throw.Corrupt(
                $"{path}: ring capacity {capacity}; it must be a power of two from {RingHeader.MinCapacity} to " +
                $"{RingHeader.MaxCapacity}.");
        ulong dataOffset = Atomic.LoadAcquire(ref header->DataOffset);
        if (dataOffset % RingHeader.DataAlignment != 0 || dataOffset < headerOffset + RingHeader.ByteSize ||
            dataOffset > end || capacity > end - dataOffset)
        {
            Throw.Corrupt(
                $"{path}: ring data of {capacity} bytes at {dataOffset}; it must begin at a multiple of " +
                $"{RingHeader.DataAlignment} and end within {end}.");
        }

        ulong poolOffset = Atomic.LoadAcquire(ref header->PoolOffset);
        Pool? pool = poolOffset == 0 ? null : Pool.Locate(view, poolOffset, path, null, end, region.File);
        ulong poolEnd = poolOffset + (pool?.Geometry.Size ?? 0);
        if (pool is not null &&
            (poolOffset < headerOffset + RingHeader.ByteSize ||
                (poolOffset < dataOffset + capacity && dataOffset < poolEnd)))
        {
            Throw.Corrupt(
                $"{path}: a pool of {poolEnd - poolOffset} bytes at {poolOffset} overlaps its ring, " +
                $"header at {headerOffset}, data at {dataOffset} (+{capacity}).");
        }

        return new RingGeometry(
            new RingGeometry(headerOffset, capacity, dataOffset, poolOffset, budget: pool is null ? 0UL : 1),
            pool, capacity, region.File);
    }

    /// <summary>Refuses two rings of one region that overlap.</summary>
    public static void CheckApart(string path, in RingGeometry toServer, in RingGeometry toClient)
    {
        FileRange[] parts =
        {
            new(toServer.HeaderOffset, RingHeader.ByteSize), new(toClient.HeaderOffset, RingHeader.ByteSize),
            new(toServer.DataOffset, toServer.Capacity), new(toClient.DataOffset, toClient.Capacity),
            new(toServer.PoolOffset, toServer.Pool?.Geometry.Size ?? 0),
            new(toClient.PoolOffset, toClient.Pool?.Geometry.Size ?? 0),
        };
        for (int i = 0; i < parts.Length; i++)
        {
            for (int other = 0; other < i; other++)
            {
                if (parts[i].Offset < parts[other].Offset + parts[other].Size &&
                    parts[other].Offset < parts[i].Offset + parts[i].Size)
                {
                    Throw.Corrupt(
                        $"{path}: {parts[i].Size} bytes at {parts[i].Offset} and {parts[other].Size} at " +
                        $"{parts[other].Offset} overlap; rings (headers at " +
                        $"{toServer.HeaderOffset} and {toClient.HeaderOffset}, data at {toServer.DataOffset} and " +
                        $"{toClient.DataOffset}) and their pools must not.");
                }
            }
        }
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
        isPadding = tag == RecordHeader.PaddingTag;
        size = isPadding ? (ulong)length + RecordHeader.ByteSize : RecordHeader.SizeOf(length);

        if (tag == RecordHeader.LoanTag)
        {
            if (Pool is null || length != LoanDescriptor.ByteSize)
                return $"a loan's record of {length} bytes at position {position}; " +
                    $"{(Pool is null ? "this ring has no loans" : "it has 16")}";
        }
        else if (!isPadding && tag != RecordHeader.RecordTag)
        {
            return $"record header 0x{header:X16} at position {position}: the upper 16 bits are 0x{tag:X4}, 0x8000, " +
                "0xA000 or 0xC000 was expected";
        }

        if (isPadding && size != restOfLap)
            return $"padding of {size} bytes at position {position}; {restOfLap} are left of the lap";
        if (!isPadding && length > MaxInline)
            return $"a payload of {length} bytes at position {position}; this ring takes at most {MaxInline}";
        if (size > restOfLap)
            return $"a record of {size} bytes at position {position}; {restOfLap} are left of the lap";
        if (size > limit - position)
            return $"a record of {size} bytes at position {position}; the writer may use {limit - position}";
        return null;
    }
}
