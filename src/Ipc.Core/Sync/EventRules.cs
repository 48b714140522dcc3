namespace Ipc;

/// <summary>An event's region. Nobody holds an event, so nothing is taken back.</summary>
internal sealed unsafe class EventRules : SyncRules
{
    private readonly EventOptions _options;

    public EventRules(EventOptions options) : base(options.Lifetime) => _options = options;

    /// <summary>That of the region, once it is created or checked.</summary>
    public bool IsManual { get; private set; }

    public override RegionKind Kind => RegionKind.OfEvent;

    protected override ulong NewBodySize => EventHeader.ByteSize;

    public override RegionRules ForAnother() => new EventRules(_options);

    public override WaiterWords* WaiterOf(Region region) => &HeaderOf(region)->Waiting;

    public override void WriteBody(Region region)
    {
        EventHeader* header = HeaderOf(region);
        header->Magic = EventHeader.MagicValue;
        header->Manual = _options.ManualReset ? 1u : 0;
        header->Set = _options.InitiallySet ? 1u : 0;
        IsManual = _options.ManualReset;
    }

    public override void CheckBody(Region region)
    {
        Check(region, EventHeader.ByteSize, EventHeader.MagicValue);
        uint manual = Atomic.LoadAcquire(ref HeaderOf(region)->Manual);
        if (manual > 1)
            Throw.Corrupt($"{region.Path}: an event whose manual reset is {manual}; it is 0 or 1.");
        IsManual = manual == 1;
    }

    protected override void TakeBack(Region region, uint gone)
    {
    }

    private static EventHeader* HeaderOf(Region region) => (EventHeader*)region.Body;
}
