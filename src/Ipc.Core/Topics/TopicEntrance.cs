namespace Ipc;

/// <summary>One end's opening of a topic.</summary>
internal sealed unsafe class TopicEntrance : RegionEntrance
{
    private readonly TopicOptions _options;

    private TopicEntrance(TopicOptions options, ParticipantRole role, TopicPolicy policy)
    {
        _options = options;
        Policy = policy;
        Role = role;
    }

    public static TopicEntrance ForWriter(TopicOptions options) => new(options, ParticipantRole.Writer, default);

    public static TopicEntrance ForReader(TopicOptions options, TopicPolicy policy) =>
        new(options, ParticipantRole.Reader, policy);

    /// <summary>Of a reader.</summary>
    public TopicPolicy Policy { get; }

    /// <summary>Set by creating or checking the body.</summary>
    public TopicGeometry Geometry { get; set; }

    /// <summary>For long messages; null: there is none.</summary>
    public Pool? Pool { get; private set; }

    /// <summary>A reader's: the state word of its place since it joined.</summary>
    public uint SeatState { get; set; }

    /// <summary>A reader's: the tail that it joined at.</summary>
    public ulong Joined { get; set; }

    public override RegionKind Kind => TopicKind.Instance;

    public override ParticipantRole Role { get; }

    public override Lifetime AskedLifetime => _options.Lifetime;

    public override Access AskedAccess => _options.Access;

    public override RegionEntrance ForAnother() => new TopicEntrance(_options, Role, Policy);

    public override RegionGeometry NewGeometry()
    {
        Geometry = TopicGeometry.New(_options);
        ulong budget = PoolGeometry.CheckRequested(_options.LoanBudget);
        return RegionGeometry.ForSparse(
            Geometry.Participants, Geometry.BodyOffset, Geometry.SlotsEnd - Geometry.BodyOffset + Pool.SizeOf(budget),
            NewLifetime, Geometry.SlotsEnd + Pool.ReservedOf(budget));
    }

    public override void WriteBody(Region region)
    {
        CheckPolicy(region);
        Geometry.Write(region.Base);
        if (Geometry.PoolOffset != 0)
            Pool.WriteHeader(region.Base + Geometry.PoolOffset, PoolGeometry.CheckRequested(_options.LoanBudget));
        LocatePool(region);
    }

    public void CheckPolicy(Region region)
    {
        if (Role == ParticipantRole.Reader && !Geometry.Allows(Policy))
        {
            Throw.Status(
                IpcStatus.InvalidArgument,
                $"{region.Path} does not allow its readers the policy {Policy}: it allows " +
                $"{(TopicPolicies)(Geometry.Flags >> TopicHeader.PolicyShift) & TopicPolicies.All}.");
        }
    }

    public void LocatePool(Region region) => Pool = Geometry.PoolOffset == 0
        ? null
        : Pool.Locate(
            region.View, Geometry.PoolOffset, region.Path, region, Geometry.BodyOffset + region.Geometry.BodySize);
}
