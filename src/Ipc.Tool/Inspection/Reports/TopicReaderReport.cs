namespace Ipc.Tool;

/// <summary>One reader of a topic.</summary>
internal sealed record TopicReaderReport
{
    public required int Participant { get; init; }

    /// <summary>active, evicted.</summary>
    public required string State { get; init; }

    /// <summary>reliable, evict, lossy, latest.</summary>
    public required string Policy { get; init; }

    public required ulong Cursor { get; init; }

    /// <summary>Messages that it has not released yet.</summary>
    public required ulong Behind { get; init; }

    public required ulong Lost { get; init; }

    public required ulong Joined { get; init; }

    public ulong? EvictedAt { get; init; }
}
