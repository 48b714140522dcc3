namespace Ipc;

/// <summary>One object's opening of a mutex.</summary>
internal sealed unsafe class MutexEntrance : SyncEntrance
{
    private readonly SyncOptions _options;

    public MutexEntrance(SyncOptions options) : base(options) => _options = options;

    public override RegionKind Kind => MutexKind.Instance;

    protected override ulong NewBodySize => MutexHeader.ByteSize;

    public override RegionEntrance ForAnother() => new MutexEntrance(_options);

    public override void WriteBody(Region region) => ((MutexHeader*)region.Body)->Magic = MutexHeader.MagicValue;
}
