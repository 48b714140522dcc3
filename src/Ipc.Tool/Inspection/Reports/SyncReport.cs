namespace Ipc.Tool;

/// <summary>A mutex, a semaphore or an event.</summary>
internal sealed record SyncReport
{
    /// <summary>Mutex: who has it.</summary>
    public int? Owner { get; init; }

    /// <summary>The last owner, or holders of permits, died holding it, and nobody has been told yet.</summary>
    public bool? Abandoned { get; init; }

    public uint? Permits { get; init; }

    public int? Held { get; init; }

    /// <summary>Event: stays set until reset.</summary>
    public bool? Manual { get; init; }

    public bool? Set { get; init; }

    public required WaiterReport Waiting { get; init; }
}
