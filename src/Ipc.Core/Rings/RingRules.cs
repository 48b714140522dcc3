namespace Ipc;

/// <summary>A ring region's part in joining, leaving and recovery; docs/wire-format.md section 4. One object per opened
/// end.</summary>
/// <remarks>
/// An attaching end takes over from a predecessor, before it has an entry: refused, it has changed nothing that a
/// successor would not. A new writer finds the tail by walking the published headers from the read position to the
/// first zero, and then zeroes the rest of the ring: whatever the dead one had half-written disappears. A reader that
/// is alive meanwhile releases and zeroes behind itself; a zero that <i>it</i> made is told from the tail by looking at
/// the read position again <c>[walk]</c>. A new reader starts at the read position, and gives back what its predecessor
/// had released.
/// </remarks>
internal sealed unsafe class RingRules : RegionRules
{
    private const int Participants = 16;
    private const uint AnyOwner = 0, NoOwner = uint.MaxValue;

    private readonly RingOptions _options;
    private readonly bool _isWriter;

    public RingRules(RingOptions options, bool isWriter)
    {
        _options = options;
        _isWriter = isWriter;
    }

    /// <summary>Set by creating or checking the body.</summary>
    public RingGeometry Geometry { get; private set; }

    /// <summary>Where this end starts: the writer's tail, the reader's position.</summary>
    public ulong Position { get; private set; }

    /// <summary>The writer's first view of the free position.</summary>
    public ulong Free { get; private set; }

    /// <summary>Up to here the reader's records may have been handled by a predecessor that died.</summary>
    public ulong RedeliverUntil { get; private set; }

    public override RegionKind Kind => RegionKind.OfRing;

    public override ParticipantRole Role => _isWriter ? ParticipantRole.Writer : ParticipantRole.Reader;

    public override Lifetime AskedLifetime => _options.Lifetime;

    public override Lifetime DefaultLifetime => Lifetime.UntilEmpty;

    public override RegionRules ForAnother() => new RingRules(_options, _isWriter);

    public override RegionGeometry NewGeometry()
    {
        ulong capacity = RingGeometry.CheckRequested(_options.Capacity);
        ulong bodyOffset = RegionGeometry.TableEnd(Participants); // a multiple of 128
        ulong dataOffset =
            (bodyOffset + RingHeader.ByteSize + RingHeader.DataAlignment - 1) & ~(ulong)(RingHeader.DataAlignment - 1);
        ulong budget = PoolGeometry.CheckRequested(_options.LoanBudget);
        ulong poolOffset = dataOffset + capacity;
        Geometry = new RingGeometry(bodyOffset, capacity, dataOffset, poolOffset, budget);
        return RegionGeometry.ForSparse(
            Participants, bodyOffset, poolOffset + Pool.SizeOf(budget) - bodyOffset, NewLifetime,
            poolOffset + Pool.ReservedOf(budget), default);
    }

    public override void WriteBody(Region region)
    {
        Geometry = Geometry.Write(region);
        Position = Free = RedeliverUntil = 0;
    }

    public override void CheckBody(Region region) =>
        Geometry = RingGeometry.Check(region, region.Geometry.BodyOffset,
            region.Geometry.BodyOffset + region.Geometry.BodySize);

    public override void Prepare(Region region)
    {
        RingHeader* header = HeaderOf(region);
        uint owner = Atomic.LoadAcquire(ref _isWriter ? ref header->Writer : ref header->Reader);
        if (IsLive(region, owner))
        {
            Throw.Status(
                IpcStatus.InUse,
                $"Ring {region.Path} has a {(_isWriter ? "writer" : "reader")}, process " +
                $"{region.ProcessOf((int)owner - 1).Pid}; " +
                "it can have one at a time.");
        }

        TakeOver(region, header);
    }

    public override void Join(Region region, int index)
    {
        RingHeader* header = HeaderOf(region);
        if (_isWriter)
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

    public override void Leave(Region region, int index) => Vacate(region, index, PeerState.Left);

    public override void Recover(Region region, int index) => Vacate(region, index,
        // it may have left without the lock [given-up]
        Atomic.LoadAcquire(ref region.Entry(index)->Ended) == ParticipantEntry.EndedByLeaving
            ? PeerState.Left
            : PeerState.Died);

    public override void SignalAll(Region region)
    {
        RingHeader* header = HeaderOf(region);
        Waiter.SignalAlways(&header->Data);
        Waiter.SignalAlways(&header->Space);
    }

    /// <summary>There is a record at the read position: what is behind it was published with it or later. Damage is
    /// nothing that anybody could receive.</summary>
    public override bool HoldsMessages(Region region)
    {
        byte* records = region.Base + Geometry.DataOffset;
        ulong position = Atomic.LoadAcquire(ref HeaderOf(region)->ReadPosition); // [release]
        ulong limit = position + Geometry.Capacity;
        for (bool padded = false; ; padded = true)
        {
            // [publish]
            ulong header = position % RecordHeader.Line != 0 || position > RingHeader.MaxPosition
                ? 0
                : Atomic.LoadAcquire(ref *(ulong*)(records + (position & (Geometry.Capacity - 1))));
            if (header == 0 || Geometry.Judge(header, position, limit, out ulong size, out bool isPadding) is not null)
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
    private void Vacate(Region region, int index, PeerState state)
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
    private void FreeLoans(RingHeader* header, uint owner, ulong? tail)
    {
        ulong read = Atomic.LoadAcquire(ref header->ReadPosition); // [release]
        Geometry.Pool?.Recover(
            owner, (ulong holder, in LoanDescriptor _) => read <= holder && (tail is null || holder < tail));
    }

    private void TakeOver(Region region, RingHeader* header)
    {
        ulong read = Atomic.LoadAcquire(ref header->ReadPosition); // [release]
        ulong free = Atomic.LoadAcquire(ref header->FreePosition);
        if (read % RecordHeader.Line != 0 || free % RecordHeader.Line != 0 || read - free > Geometry.Capacity ||
            read > RingHeader.MaxPosition)
        {
            Throw.Corrupt(
                $"{region.Path}: read position {read}, free position {free}; both must be multiples of " +
                $"{RecordHeader.Line}, the first at most {RingHeader.MaxPosition}, " +
                $"the second at most {Geometry.Capacity} behind the first.");
        }

        if (_isWriter)
            TakeOverWriting(region, header);
        else
            TakeOverReading(region, header, read, free);
    }

    private void TakeOverWriting(Region region, RingHeader* header)
    {
        byte* records = region.Base + Geometry.DataOffset;
        ulong mask = Geometry.Capacity - 1;
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

        Position = tail;
        Free = Atomic.LoadAcquire(ref header->FreePosition); // [reclaim]
        if (tail - Free > Geometry.Capacity)
            Throw.Corrupt(
                $"{region.Path}: free position {Free}; the tail at {tail} is more than {Geometry.Capacity} from it.");
        for (ulong line = tail; line < Free + Geometry.Capacity; line += RecordHeader.Line)
            Atomic.StoreRelease(ref *(ulong*)(records + (line & mask)), 0); // a reader may be standing at the first
        FreeLoans(header, AnyOwner, tail);
    }

    /// <summary>The position of the first zero header from <paramref name="read"/> on.</summary>
    private ulong Walk(Region region, byte* records, ulong read)
    {
        ulong position = read;
        ulong limit = read + Geometry.Capacity;
        while (position < limit)
        {
            // [publish]
            ulong header = Atomic.LoadAcquire(ref *(ulong*)(records + (position & (Geometry.Capacity - 1))));
            if (header == 0)
                break;
            string? wrong = Geometry.Judge(header, position, limit, out ulong size, out _);
            if (wrong is not null)
                Throw.Corrupt($"{region.Path} holds {wrong}.");
            position += size;
        }

        return position;
    }

    private void TakeOverReading(Region region, RingHeader* header, ulong read, ulong free)
    {
        byte* records = region.Base + Geometry.DataOffset;
        bool predecessorDied = Atomic.LoadAcquire(ref header->ReaderState) == (uint)PeerState.Died;
        if (predecessorDied)
            // for our successors, too: we may not get as far as this before we leave
            Atomic.StoreRelease(ref header->RedeliverUntil, Walk(region, records, read));
        RedeliverUntil = Atomic.LoadAcquire(ref header->RedeliverUntil);

        FreeLoans(header, NoOwner, tail: null); // what the predecessor released last; before the signal

        // As RingReader.ReturnSpace does; also when there is nothing to return: the writer may have gone to sleep since
        // the death.
        Atomic.StoreRelease(ref header->Space.Wanted, 0);
        for (ulong line = free; line < read; line += RecordHeader.Line)
            *(ulong*)(records + (line & (Geometry.Capacity - 1))) = 0;
        Atomic.StoreRelease(ref header->FreePosition, read); // [reclaim]
        Atomic.Fence();
        Waiter.SignalAlways(&header->Space);
        Position = read;
    }

    private static RingHeader* HeaderOf(Region region) => (RingHeader*)region.Body;
}
