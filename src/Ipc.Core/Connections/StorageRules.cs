namespace Ipc;

/// <summary>The rules for a region of whatever kind that is only to be removed: nothing beside it belongs to
/// it.</summary>
internal sealed class StorageRules : RegionRules
{
    public StorageRules(RegionKind kind) => Kind = kind;

    public override RegionKind Kind { get; }

    public override ParticipantRole Role => ParticipantRole.None;

    public override RegionRules ForAnother() => this;

    public override RegionGeometry NewGeometry() => throw new System.NotSupportedException();

    public override void WriteBody(Region region) => throw new System.NotSupportedException();

    public override void CheckBody(Region region)
    {
    }
}
