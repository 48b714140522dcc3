using System;

namespace Ipc;

/// <summary>The opening of a region of whatever kind that is only to be removed.</summary>
internal sealed class StorageEntrance : RegionEntrance
{
    public StorageEntrance(KindNumber kind) => Kind = new StorageKind(kind);

    public override RegionKind Kind { get; }

    public override ParticipantRole Role => ParticipantRole.None;

    public override RegionEntrance ForAnother() => this;

    public override RegionGeometry NewGeometry() => throw new NotSupportedException();

    public override void WriteBody(Region region) => throw new NotSupportedException();
}
