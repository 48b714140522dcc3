namespace Ipc.Tool;

/// <summary>A connection that still has a name: its server has not taken it yet.</summary>
internal sealed record ConnectionReport
{
    public required uint Slot { get; init; }

    public required string ConnectionId { get; init; }

    /// <summary>none, accepted, refused.</summary>
    public required string Reply { get; init; }

    public required string ServerClose { get; init; }

    public required string ClientClose { get; init; }

    public required string ServerText { get; init; }

    /// <summary>Hexadecimal.</summary>
    public required string Hello { get; init; }

    public RingReport? ToServer { get; set; }

    public RingReport? ToClient { get; set; }

    public required WaiterReport Session { get; init; }
}
