namespace Ipc;

/// <summary>What the regions of mutex, semaphore and event have in common; docs/wire-format.md section 12.</summary>
/// <remarks>A participant that leaves is treated like one that died: what it has not given back by then, it never will,
/// and what it guarded may be half done.</remarks>
internal abstract unsafe class SyncKind : RegionKind
{
    /// <summary>Where everybody sleeps.</summary>
    public abstract WaiterWords* WaiterOf(Region region);

    /// <summary>Also what is held by nobody: a thread that was still inside a call when its object was disposed may
    /// have left it.</summary>
    public override void Admit(Region region, ParticipantRole role) => TakeBack(region, 0);

    public override void CleanUp(Region region, int index, bool died)
    {
        TakeBack(region, (uint)index + 1);
        if (index != region.Index)
            FaultPoints.Pass(FaultPoints.SyncRecoverDone);
    }

    public override void Wake(Region region) => Waiter.SignalAlways(WaiterOf(region));

    /// <summary>Under the region lock: what the gone one still holds.</summary>
    protected abstract void TakeBack(Region region, uint gone);

    /// <summary>This number is the gone one's, or that of nobody who is there. Nobody joins while the lock is
    /// ours.</summary>
    protected static bool IsGone(Region region, uint owner, uint gone) =>
        owner == gone || owner > (uint)region.Geometry.ParticipantCapacity ||
        Atomic.LoadAcquire(ref region.Entry((int)owner - 1)->State) != ParticipantEntry.Live; // [live]

    /// <summary>Size and magic of a body that somebody else wrote.</summary>
    protected void Check(Region region, ulong size, uint expected)
    {
        if (region.Geometry.BodySize < size)
            Throw.Corrupt(
                $"{region.Path}: a body of {region.Geometry.BodySize} bytes; a {RegionGeometry.NameOf((uint)Number)} " +
                $"has at least {size}.");
        uint magic = Atomic.LoadAcquire(ref *(uint*)region.Body);
        if (magic != expected)
            Throw.Corrupt(
                $"{region.Path}: {RegionGeometry.NameOf((uint)Number)} magic 0x{magic:X8}, expected 0x{expected:X8}.");
    }
}
