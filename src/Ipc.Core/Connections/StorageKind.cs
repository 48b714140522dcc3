namespace Ipc;

/// <summary>A region of whatever kind that is only to be removed: nothing beside it belongs to it.</summary>
internal sealed class StorageKind : RegionKind
{
    public StorageKind(KindNumber number) => Number = number;

    public override KindNumber Number { get; }

    public override void CheckBody(Region region)
    {
    }
}
