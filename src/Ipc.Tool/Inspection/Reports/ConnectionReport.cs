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

    /// <summary>On which the server last waited for this client or woke it; null: not known. Where both are the same, neither spins for the other.</summary>
    public int? ServerProcessor { get; init; }

    /// <summary>The same of the client.</summary>
    public int? ClientProcessor { get; init; }

    public required WaiterReport Session { get; init; }
}
