namespace Ipc;

/// <summary>A ring region's part in entering, leaving and recovery; docs/wire-format.md section 4.</summary>
internal sealed unsafe class RingKind : RegionKind
{
    public static readonly RingKind Instance = new();

    public override KindNumber Number => KindNumber.OfRing;

    public override Lifetime DefaultLifetime => Lifetime.UntilEmpty;

    public override void CheckBody(Region region) =>
        Of(region).Geometry = RingGeometry.Check(region, region.Geometry.BodyOffset,
            region.Geometry.BodyOffset + region.Geometry.BodySize);

    public override void Admit(Region region, ParticipantRole role)
    {
        bool isWriter = role == ParticipantRole.Writer;
        RingRoles.CheckFree(region, HeaderOf(region), isWriter, isWriter ? "writer" : "reader");
        RingEntrance entrance = Of(region);
        entrance.Start = RingTakeOver.Of(region, entrance.Geometry, isWriter);
    }

    public override void Enter(Region region, int index, ParticipantRole role) =>
        RingRoles.Enter(HeaderOf(region), index, role == ParticipantRole.Writer);

    public override bool Names(Region region, int index) => RingRoles.Names(HeaderOf(region), index);

    public override void CleanUp(Region region, int index, bool died) =>
        RingRoles.Vacate(HeaderOf(region), index, died ? PeerState.Died : PeerState.Left);

    public override void Wake(Region region) => RingRoles.Wake(HeaderOf(region));

    public override bool HoldsMessages(Region region) => RingTakeOver.HoldsMessages(region, Of(region).Geometry);

    private static RingEntrance Of(Region region) => (RingEntrance)region.Entrance;

    private static RingHeader* HeaderOf(Region region) => (RingHeader*)region.Body;
}
