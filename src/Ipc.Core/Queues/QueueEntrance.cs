namespace Ipc;

/// <summary>One object's opening of a queue region.</summary>
internal sealed unsafe class QueueEntrance : RegionEntrance
{
    private readonly QueueOptions _options;
    private readonly ulong _budget;
    private readonly uint _participants;

    public QueueEntrance(QueueOptions options)
    {
        _options = options;
        _budget = PoolGeometry.CheckRequested(options.LoanBudget);
        if (options.Participants is < 1 or > RegionGeometry.MaxParticipants)
            Throw.Status(
                IpcStatus.InvalidArgument,
                $"A queue has 1 to {RegionGeometry.MaxParticipants} participants, not {options.Participants}.");
        _participants = (uint)options.Participants;
        // throws what nobody may ask for, also when the queue exists
        Geometry = QueueGeometry.For(options, RegionGeometry.TableEnd(options.Participants));
    }

    /// <summary>That of the region, once it is created or checked.</summary>
    public QueueGeometry Geometry { get; set; }

    /// <summary>Null: messages longer than a block are refused.</summary>
    public Pool? Pool { get; private set; }

    public override RegionKind Kind => QueueKind.Instance;

    public override ParticipantRole Role => ParticipantRole.Writer | ParticipantRole.Reader;

    public override Lifetime AskedLifetime => _options.Lifetime;

    public override Access AskedAccess => _options.Access;

    public override RegionEntrance ForAnother() => new QueueEntrance(_options);

    public override RegionGeometry NewGeometry()
    {
        ulong bodyOffset = RegionGeometry.TableEnd((int)_participants); // a multiple of 128
        Geometry = QueueGeometry.For(_options, bodyOffset);
        ulong end = Geometry.SegmentsEnd + Pool.SizeOf(_budget);
        ulong reserved = _options.Preallocate ? Geometry.SegmentsEnd : Geometry.SegmentsOffset + Geometry.SegmentStride;
        return RegionGeometry.ForSparse((int)_participants, bodyOffset, end - bodyOffset, NewLifetime, reserved,
            new FileRange(Geometry.SegmentsEnd, Pool.ReservedOf(_budget)));
    }

    public override void WriteBody(Region region)
    {
        Geometry.Write(region.Base, _options.Preallocate ? Geometry.SegmentLimit : 1);
        if (_budget != 0)
            Pool.WriteHeader(region.Base + Geometry.PoolOffset, _budget);
        LocatePool(region);
    }

    public void LocatePool(Region region) =>
        Pool = Geometry.PoolOffset == 0
            ? null
            : Pool.Locate(region.View, Geometry.PoolOffset, region.Path, region, BodyEnd(region));

    public static ulong BodyEnd(Region region) => region.Geometry.BodyOffset + region.Geometry.BodySize;
}
