namespace Ipc;

/// <summary>A mutex's region.</summary>
internal sealed unsafe class MutexKind : SyncKind
{
    public static readonly MutexKind Instance = new();

    public override KindNumber Number => KindNumber.OfMutex;

    public override WaiterWords* WaiterOf(Region region) => &HeaderOf(region)->Waiting;

    public override void CheckBody(Region region) => Check(region, MutexHeader.ByteSize, MutexHeader.MagicValue);

    protected override void TakeBack(Region region, uint gone)
    {
        uint owner = Atomic.LoadAcquire(ref HeaderOf(region)->Owner);
        if (owner is not (0 or MutexHeader.Abandoned) && IsGone(region, owner, gone))
            Atomic.TryExchange(&HeaderOf(region)->Owner, owner, MutexHeader.Abandoned); // [owner]
    }

    private static MutexHeader* HeaderOf(Region region) => (MutexHeader*)region.Body;
}
