namespace Ipc;

/// <summary>One object's opening of a mutex, a semaphore or an event.</summary>
internal abstract class SyncEntrance : RegionEntrance
{
    private const int Participants = 256;

    protected SyncEntrance(SyncOptions options)
    {
        AskedLifetime = options.Lifetime;
        AskedAccess = options.Access;
    }

    public override ParticipantRole Role => ParticipantRole.Writer | ParticipantRole.Reader;

    public override Lifetime AskedLifetime { get; }

    public override Access AskedAccess { get; }

    /// <summary>Bytes of a new body.</summary>
    protected abstract ulong NewBodySize { get; }

    public override RegionGeometry NewGeometry()
    {
        ulong bodyOffset = RegionGeometry.TableEnd(Participants); // a multiple of 128
        ulong end = (bodyOffset + NewBodySize + 4095) & ~4095UL;
        return RegionGeometry.For(Participants, bodyOffset, end - bodyOffset, NewLifetime);
    }
}
