namespace Ipc;

/// <summary>One end's opening of a ring region.</summary>
internal sealed class RingEntrance : RegionEntrance
{
    private const int Participants = 16;

    private readonly RingOptions _options;

    public RingEntrance(RingOptions options, bool isWriter)
    {
        _options = options;
        Role = isWriter ? ParticipantRole.Writer : ParticipantRole.Reader;
    }

    public override RegionKind Kind => RingKind.Instance;

    public override ParticipantRole Role { get; }

    public override Lifetime AskedLifetime => _options.Lifetime;

    public override Access AskedAccess => _options.Access;

    /// <summary>Set by creating or checking the body.</summary>
    public RingGeometry Geometry { get; set; }

    /// <summary>Where this end begins.</summary>
    public RingStart Start { get; set; }

    public override RegionEntrance ForAnother() => new RingEntrance(_options, Role == ParticipantRole.Writer);

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
            poolOffset + Pool.ReservedOf(budget));
    }

    public override void WriteBody(Region region)
    {
        Geometry = Geometry.Write(region);
        Start = new RingStart { LastRecord = RingStart.None };
    }
}
