namespace Ipc;

/// <summary>One object's opening of a semaphore.</summary>
internal sealed unsafe class SemaphoreEntrance : SyncEntrance
{
    private readonly SemaphoreOptions _options;

    public SemaphoreEntrance(SemaphoreOptions options) : base(options)
    {
        _options = options;
        if (options.Permits is < 1 or > (int)SemaphoreHeader.MaxPermits)
            Throw.Status(
                IpcStatus.InvalidArgument,
                $"A semaphore has 1 to {SemaphoreHeader.MaxPermits} permits, not {options.Permits}.");
        Permits = (uint)options.Permits;
    }

    /// <summary>Those of the region, once it is created or checked.</summary>
    public uint Permits { get; set; }

    public override RegionKind Kind => SemaphoreKind.Instance;

    protected override ulong NewBodySize => SemaphoreHeader.ByteSize + (ulong)_options.Permits * sizeof(uint);

    public override RegionEntrance ForAnother() => new SemaphoreEntrance(_options);

    public override void WriteBody(Region region)
    {
        SemaphoreHeader* header = (SemaphoreHeader*)region.Body;
        header->Magic = SemaphoreHeader.MagicValue;
        header->Permits = Permits = (uint)_options.Permits;
    }
}
