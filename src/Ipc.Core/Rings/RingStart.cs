namespace Ipc;

/// <summary>Where an end of a ring begins that has taken over from a predecessor.</summary>
internal struct RingStart
{
    /// <summary>The writer's tail, the reader's position.</summary>
    public ulong Position;

    /// <summary>The writer's first view of the free position.</summary>
    public ulong Free;

    /// <summary>Up to here the reader's records may have been handled by a predecessor.</summary>
    public ulong RedeliverUntil;

    /// <summary>Of a writer: where the last record before <see cref="Position"/> stands, in the ring and not released;
    /// <see cref="None"/>: there is none.</summary>
    public ulong LastRecord;

    public const ulong None = ulong.MaxValue;
}
