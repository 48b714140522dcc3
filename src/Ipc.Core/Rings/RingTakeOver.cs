namespace Ipc;

/// <summary>How an end of a ring takes over from a predecessor; docs/wire-format.md section 4. Under the region
/// lock.</summary>
/// <remarks>
/// Before it has an entry: refused later, it has changed nothing that a successor would not. A new writer finds the
/// tail by walking the published headers from the read position to the first zero, and then zeroes the rest of the
/// ring: whatever the dead one had half-written disappears. A reader that is alive meanwhile releases and zeroes behind
/// itself; a zero that <i>it</i> made is told from the tail by looking at the read position again <c>[walk]</c>. A new
/// reader starts at the read position, and gives back what its predecessor had released.
/// </remarks>
internal readonly unsafe ref struct RingTakeOver
{
    private const uint AnyOwner = 0, NoOwner = uint.MaxValue;

    private readonly Region _region;
    private readonly RingHeader* _header;
    private readonly RingGeometry _geometry;
    private readonly byte* _records;

    private RingTakeOver(Region region, in RingGeometry geometry)
    {
        _region = region;
        _geometry = geometry;
        _header = (RingHeader*)(region.Base + geometry.HeaderOffset);
        _records = region.Base + geometry.DataOffset;
    }

    /// <param name="region">Around the ring.</param>
    /// <param name="geometry">The ring.</param>
    /// <param name="isWriter">Which end is taken over.</param>
    public static RingStart Of(Region region, in RingGeometry geometry, bool isWriter)
    {
        RingTakeOver ring = new(region, geometry);
        ulong read = Atomic.LoadAcquire(ref ring._header->ReadPosition); // [release]
        ulong free = Atomic.LoadAcquire(ref ring._header->FreePosition);
        if (read % RecordHeader.Line != 0 || free % RecordHeader.Line != 0 ||
            read - free > geometry.Capacity ||
            read > RingHeader.MaxPosition)
        {
            Throw.Corrupt(
                $"{region.Path}: read position {read}, free position {free}; both must be multiples of " +
                $"{RecordHeader.Line}, the first at most {RingHeader.MaxPosition}, " +
                $"the second at most {geometry.Capacity} behind the first.");
        }

        return isWriter ? ring.Writing() : ring.Reading(read, free);
    }

    /// <summary>There is a record at the read position: what is behind it was published with it or later. Damage is
    /// nothing that anybody could receive.</summary>
    public static bool HoldsMessages(Region region, in RingGeometry geometry)
    {
        RingTakeOver ring = new(region, geometry);
        ulong position = Atomic.LoadAcquire(ref ring._header->ReadPosition); // [release]
        ulong limit = position + geometry.Capacity;
        for (bool padded = false; ; padded = true)
        {
            // [publish]
            ulong header = position % RecordHeader.Line != 0 || position > RingHeader.MaxPosition
                ? 0
                : Atomic.LoadAcquire(ref *ring.HeaderAt(position));
            if (header == 0 || geometry.Judge(header, position, limit, out ulong size, out bool isPadding) is not null)
                return false;
            if (!isPadding)
                return true;
            if (padded)
                return false; // padding after padding
            position += size;
        }
    }

    /// <summary>Where the last record stands that is not released; <see cref="RingStart.None"/>: there is none. Without
    /// the lock: of a moment. Damage is where it ends.</summary>
    public static ulong LastRecord(Region region, in RingGeometry geometry)
    {
        RingTakeOver ring = new(region, geometry);
        ulong position = Atomic.LoadAcquire(ref ring._header->ReadPosition); // [release]
        ulong limit = position + geometry.Capacity;
        ulong last = RingStart.None;
        while (position % RecordHeader.Line == 0 && position < limit)
        {
            ulong header = Atomic.LoadAcquire(ref *ring.HeaderAt(position)); // [publish]
            if (header == 0 || geometry.Judge(header, position, limit, out ulong size, out bool isPadding) is not null)
                break;
            if (!isPadding)
                last = position;
            position += size;
        }

        return last;
    }

    private ulong* HeaderAt(ulong position) => (ulong*)(_records + (position & (_geometry.Capacity - 1)));

    /// <summary>Loans that a predecessor had taken and not recorded, or read and released; and, when the tail is known,
    /// those of records that were never published. What a living reader is about to free itself may be among them: then
    /// it finds that done.</summary>
    private void FreeLoans(uint owner, ulong? tail)
    {
        ulong read = Atomic.LoadAcquire(ref _header->ReadPosition); // [release]
        _geometry.Pool?.Recover(
            owner, (ulong holder, in LoanDescriptor _) => read <= holder && (tail is null || holder < tail));
    }

    private RingStart Writing()
    {
        ulong tail, last;
        for (int attempt = 0; ; attempt++)
        {
            ulong read = Atomic.LoadAcquire(ref _header->ReadPosition);
            tail = Walk(read, out last);
            ulong now = Atomic.LoadAcquire(ref _header->ReadPosition); // [walk] after the zero
            if (now - read <= tail - read)
                break; // the zero is ahead of the reader: nobody but a writer can have left it
            if (attempt == 1000)
                Throw.Corrupt(
                    $"{_region.Path}: the read position keeps passing what is published, lately {now} after {tail}.");
        }

        ulong free = Atomic.LoadAcquire(ref _header->FreePosition); // [reclaim]
        if (tail - free > _geometry.Capacity)
            Throw.Corrupt(
                $"{_region.Path}: free position {free}; the tail at {tail} is more than {_geometry.Capacity} from it.");
        for (ulong line = tail; line < free + _geometry.Capacity; line += RecordHeader.Line)
            Atomic.StoreRelease(ref *HeaderAt(line), 0); // a reader may be standing at the first
        FreeLoans(AnyOwner, tail);
        return new RingStart { Position = tail, Free = free, LastRecord = last };
    }

    /// <summary>The position of the first zero header from <paramref name="read"/> on.</summary>
    private ulong Walk(ulong read, out ulong last)
    {
        ulong position = read;
        ulong limit = read + _geometry.Capacity;
        last = RingStart.None;
        while (position < limit)
        {
            ulong header = Atomic.LoadAcquire(ref *HeaderAt(position)); // [publish]
            if (header == 0)
                break;
            string? wrong = _geometry.Judge(header, position, limit, out ulong size, out bool isPadding);
            if (wrong is not null)
                Throw.Corrupt($"{_region.Path} holds {wrong}.");
            if (!isPadding)
                last = position;
            position += size;
        }

        return position;
    }

    private RingStart Reading(ulong read, ulong free)
    {
        bool predecessorDied = Atomic.LoadAcquire(ref _header->ReaderState) == (uint)PeerState.Died;
        if (predecessorDied)
            // for our successors, too: we may not get as far as this before we leave
            Atomic.StoreRelease(ref _header->RedeliverUntil, Walk(read, out _));
        ulong redeliverUntil = Atomic.LoadAcquire(ref _header->RedeliverUntil);

        FreeLoans(NoOwner, tail: null); // what the predecessor released last; before the signal

        // As RingReader.ReturnSpace does; also when there is nothing to return: the writer may have gone to sleep since
        // the death.
        Atomic.StoreRelease(ref _header->Space.Wanted, 0);
        for (ulong line = free; line < read; line += RecordHeader.Line)
            *HeaderAt(line) = 0;
        Atomic.StoreRelease(ref _header->FreePosition, read); // [reclaim]
        Atomic.Fence();
        Waiter.SignalAlways(&_header->Space);
        return new RingStart { Position = read, RedeliverUntil = redeliverUntil, LastRecord = RingStart.None };
    }
}
