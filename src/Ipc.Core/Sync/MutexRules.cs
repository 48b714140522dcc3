namespace Ipc;

/// <summary>A mutex's region.</summary>
internal sealed unsafe class MutexRules : SyncRules
{
    private readonly SyncOptions _options;

    public MutexRules(SyncOptions options) : base(options.Lifetime) => _options = options;

    public override RegionKind Kind => RegionKind.OfMutex;

    protected override ulong NewBodySize => MutexHeader.ByteSize;

    public override RegionRules ForAnother() => new MutexRules(_options);

    public override WaiterWords* WaiterOf(Region region) => &HeaderOf(region)->Waiting;

    public override void WriteBody(Region region) => HeaderOf(region)->Magic = MutexHeader.MagicValue;

    public override void CheckBody(Region region) => Check(region, MutexHeader.ByteSize, MutexHeader.MagicValue);

    protected override void TakeBack(Region region, uint gone)
    {
        uint owner = Atomic.LoadAcquire(ref HeaderOf(region)->Owner);
        if (owner is not (0 or MutexHeader.Abandoned) && IsGone(region, owner, gone))
            Atomic.TryExchange(&HeaderOf(region)->Owner, owner, MutexHeader.Abandoned); // [owner]
    }

    private static MutexHeader* HeaderOf(Region region) => (MutexHeader*)region.Body;
}
