namespace Ipc.Tool;

/// <summary>A named connection: what its two names say to each other.</summary>
internal sealed record NamedReport
{
    public required string Server { get; init; }

    public required string Client { get; init; }

    /// <summary>Of the server that it is with; null: none has been there yet.</summary>
    public string? Identity { get; init; }

    public required ulong AcknowledgedByServer { get; init; }

    public required ulong AcknowledgedByClient { get; init; }

    public RingReport? ToServer { get; set; }

    public RingReport? ToClient { get; set; }
}
