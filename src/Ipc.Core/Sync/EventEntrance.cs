namespace Ipc;

/// <summary>One object's opening of an event.</summary>
internal sealed unsafe class EventEntrance : SyncEntrance
{
    private readonly EventOptions _options;

    public EventEntrance(EventOptions options) : base(options) => _options = options;

    /// <summary>That of the region, once it is created or checked.</summary>
    public bool IsManual { get; set; }

    public override RegionKind Kind => EventKind.Instance;

    protected override ulong NewBodySize => EventHeader.ByteSize;

    public override RegionEntrance ForAnother() => new EventEntrance(_options);

    public override void WriteBody(Region region)
    {
        EventHeader* header = (EventHeader*)region.Body;
        header->Magic = EventHeader.MagicValue;
        header->Manual = _options.ManualReset ? 1u : 0;
        header->Set = _options.InitiallySet ? 1u : 0;
        IsManual = _options.ManualReset;
    }
}
