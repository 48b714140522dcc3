namespace Ipc;

/// <summary>A ring region's part in entering, leaving and recovery; docs/wire-format.md section 4.</summary>
/// <remarks>
/// An attaching end takes over from a predecessor, before it has an entry: refused, it has changed nothing that a
/// successor would not. A new writer finds the tail by walking the published headers from the read position to the
/// first zero, and then zeroes the rest of the ring: whatever the dead one had half-written disappears. A reader that
/// is alive meanwhile releases and zeroes behind itself; a zero that <i>it</i> made is told from the tail by looking at
/// the read position again <c>[walk]</c>. A new reader starts at the read position, and gives back what its predecessor
/// had released.
/// </remarks>
internal sealed unsafe class RingKind : RegionKind
{
    public static readonly RingKind Instance = new();

    private const uint AnyOwner = 0, NoOwner = uint.MaxValue;

    public override KindNumber Number => KindNumber.OfRing;

    public override Lifetime DefaultLifetime => Lifetime.UntilEmpty;

    public override void CheckBody(Region region) =>
        Of(region).Geometry = RingGeometry.Check(region, region.Geometry.BodyOffset,
            region.Geometry.BodyOffset + region.Geometry.BodySize);

    public override void Admit(Region region, ParticipantRole role)
    {
        RingHeader* header = HeaderOf(region);
        bool isWriter = role == ParticipantRole.Writer;
        uint owner = Atomic.LoadAcquire(ref isWriter ? ref header->Writer : ref header->Reader);
        if (IsLive(region, owner))
        {
            Throw.Status(
                IpcStatus.InUse,
                $"{region.Path} has a {(isWriter ? "writer" : "reader")} already, process " +
                $"{region.ProcessOf((int)owner - 1).Pid}: end that process, or use another name.");
        }

        TakeOver(region, header, isWriter);
    }

    public override void Enter(Region region, int index, ParticipantRole role)
    {
        RingHeader* header = HeaderOf(region);
        if (role == ParticipantRole.Writer)
        {
            Atomic.StoreRelease(ref header->Writer, (uint)index + 1);
            Atomic.StoreRelease(ref header->WriterState, (uint)PeerState.Live);
        }
        else
        {
            Atomic.StoreRelease(ref header->Reader, (uint)index + 1);
            Atomic.StoreRelease(ref header->ReaderState, (uint)PeerState.Live);
        }
    }

    public override bool Names(Region region, int index)
    {
        RingHeader* header = HeaderOf(region);
        return Atomic.LoadAcquire(ref header->Writer) == index + 1 ||
            Atomic.LoadAcquire(ref header->Reader) == index + 1;
    }

    public override void CleanUp(Region region, int index, bool died) =>
        Vacate(region, index, died ? PeerState.Died : PeerState.Left);

    public override void Wake(Region region)
    {
        RingHeader* header = HeaderOf(region);
        Waiter.SignalAlways(&header->Data);
        Waiter.SignalAlways(&header->Space);
    }

    /// <summary>There is a record at the read position: what is behind it was published with it or later. Damage is
    /// nothing that anybody could receive.</summary>
    public override bool HoldsMessages(Region region)
    {
        RingGeometry geometry = Of(region).Geometry;
        byte* records = region.Base + geometry.DataOffset;
        ulong position = Atomic.LoadAcquire(ref HeaderOf(region)->ReadPosition); // [release]
        ulong limit = position + geometry.Capacity;
        for (bool padded = false; ; padded = true)
        {
            // [publish]
            ulong header = position % RecordHeader.Line != 0 || position > RingHeader.MaxPosition
                ? 0
                : Atomic.LoadAcquire(ref *(ulong*)(records + (position & (geometry.Capacity - 1))));
            if (header == 0 || geometry.Judge(header, position, limit, out ulong size, out bool isPadding) is not null)
                return false;
            if (!isPadding)
                return true;
            if (padded)
                return false; // padding after padding
            position += size;
        }
    }

    /// <summary>The owner is one plus the index of a live entry. Anything else, nonsense included, is nobody. Only the
    /// dead have been recovered: no need to ask the kernel.</summary>
    public static bool IsLive(Region region, uint owner) =>
        owner != 0 && owner <= (uint)region.Geometry.ParticipantCapacity &&
        Atomic.LoadAcquire(ref region.Entry((int)owner - 1)->State) == ParticipantEntry.Live;

    /// <summary>State first, owner second: killed in between, the owner is still named and it is done again.</summary>
    private static void Vacate(Region region, int index, PeerState state)
    {
        RingHeader* header = HeaderOf(region);
        if (Atomic.LoadAcquire(ref header->Writer) == index + 1)
        {
            Atomic.StoreRelease(ref header->WriterState, (uint)state); // [close]: after what it published
            Atomic.StoreRelease(ref header->Writer, 0);
        }

        if (Atomic.LoadAcquire(ref header->Reader) == index + 1)
        {
            Atomic.StoreRelease(ref header->ReaderState, (uint)state); // [close]
            Atomic.StoreRelease(ref header->Reader, 0);
        }
    }

    /// <summary>At a take-over: loans that a predecessor had taken and not recorded, or read and released; and, when
    /// the tail is known, those of records that were never published. What a living reader is about to free itself may
    /// be among them: then it finds that done.</summary>
    private static void FreeLoans(Region region, uint owner, ulong? tail)
    {
        ulong read = Atomic.LoadAcquire(ref HeaderOf(region)->ReadPosition); // [release]
        Of(region).Geometry.Pool?.Recover(
            owner, (ulong holder, in LoanDescriptor _) => read <= holder && (tail is null || holder < tail));
    }

    private static void TakeOver(Region region, RingHeader* header, bool isWriter)
    {
        RingEntrance entrance = Of(region);
        ulong read = Atomic.LoadAcquire(ref header->ReadPosition); // [release]
        ulong free = Atomic.LoadAcquire(ref header->FreePosition);
        if (read % RecordHeader.Line != 0 || free % RecordHeader.Line != 0 ||
            read - free > entrance.Geometry.Capacity ||
            read > RingHeader.MaxPosition)
        {
            Throw.Corrupt(
                $"{region.Path}: read position {read}, free position {free}; both must be multiples of " +
                $"{RecordHeader.Line}, the first at most {RingHeader.MaxPosition}, " +
                $"the second at most {entrance.Geometry.Capacity} behind the first.");
        }

        if (isWriter)
            TakeOverWriting(region, entrance, header);
        else
            TakeOverReading(region, entrance, header, read, free);
    }

    private static void TakeOverWriting(Region region, RingEntrance entrance, RingHeader* header)
    {
        byte* records = region.Base + entrance.Geometry.DataOffset;
        ulong mask = entrance.Geometry.Capacity - 1;
        ulong tail;
        for (int attempt = 0; ; attempt++)
        {
            ulong read = Atomic.LoadAcquire(ref header->ReadPosition);
            tail = Walk(region, records, read);
            ulong now = Atomic.LoadAcquire(ref header->ReadPosition); // [walk] after the zero
            if (now - read <= tail - read)
                break; // the zero is ahead of the reader: nobody but a writer can have left it
            if (attempt == 1000)
                Throw.Corrupt(
                    $"{region.Path}: the read position keeps passing what is published, lately {now} after {tail}.");
        }

        entrance.Position = tail;
        entrance.Free = Atomic.LoadAcquire(ref header->FreePosition); // [reclaim]
        if (tail - entrance.Free > entrance.Geometry.Capacity)
            Throw.Corrupt(
                $"{region.Path}: free position {entrance.Free}; the tail at {tail} is more than " +
                $"{entrance.Geometry.Capacity} from it.");
        for (ulong line = tail; line < entrance.Free + entrance.Geometry.Capacity; line += RecordHeader.Line)
            Atomic.StoreRelease(ref *(ulong*)(records + (line & mask)), 0); // a reader may be standing at the first
        FreeLoans(region, AnyOwner, tail);
    }

    /// <summary>The position of the first zero header from <paramref name="read"/> on.</summary>
    private static ulong Walk(Region region, byte* records, ulong read)
    {
        RingGeometry geometry = Of(region).Geometry;
        ulong position = read;
        ulong limit = read + geometry.Capacity;
        while (position < limit)
        {
            // [publish]
            ulong header = Atomic.LoadAcquire(ref *(ulong*)(records + (position & (geometry.Capacity - 1))));
            if (header == 0)
                break;
            string? wrong = geometry.Judge(header, position, limit, out ulong size, out _);
            if (wrong is not null)
                Throw.Corrupt($"{region.Path} holds {wrong}.");
            position += size;
        }

        return position;
    }

    private static void TakeOverReading(
        Region region, RingEntrance entrance, RingHeader* header, ulong read, ulong free)
    {
        byte* records = region.Base + entrance.Geometry.DataOffset;
        bool predecessorDied = Atomic.LoadAcquire(ref header->ReaderState) == (uint)PeerState.Died;
        if (predecessorDied)
            // for our successors, too: we may not get as far as this before we leave
            Atomic.StoreRelease(ref header->RedeliverUntil, Walk(region, records, read));
        entrance.RedeliverUntil = Atomic.LoadAcquire(ref header->RedeliverUntil);

        FreeLoans(region, NoOwner, tail: null); // what the predecessor released last; before the signal

        // As RingReader.ReturnSpace does; also when there is nothing to return: the writer may have gone to sleep since
        // the death.
        Atomic.StoreRelease(ref header->Space.Wanted, 0);
        for (ulong line = free; line < read; line += RecordHeader.Line)
            *(ulong*)(records + (line & (entrance.Geometry.Capacity - 1))) = 0;
        Atomic.StoreRelease(ref header->FreePosition, read); // [reclaim]
        Atomic.Fence();
        Waiter.SignalAlways(&header->Space);
        entrance.Position = read;
    }

    private static RingEntrance Of(Region region) => (RingEntrance)region.Entrance;

    private static RingHeader* HeaderOf(Region region) => (RingHeader*)region.Body;
}
