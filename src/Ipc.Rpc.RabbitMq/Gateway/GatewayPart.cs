namespace Ipc.Rpc.RabbitMq;

/// <summary>What a part of a gateway has done so far, for its metrics.</summary>
internal sealed record GatewayPart
{
    /// <summary>Calls and streams: of an export those that came, each once, of an import those that were handed
    /// on.</summary>
    public long Calls { get; init; }

    /// <summary>Of an export: calls that were not let pass.</summary>
    public long Refused { get; init; }

    /// <summary>Of an export: calls and streams that have not ended. Those of an import its server's metrics
    /// have.</summary>
    public long UnderWay { get; init; }

    /// <summary>Of an export: messages for the dead-letter queue.</summary>
    public long DeadLetters { get; init; }

    /// <summary>Of a topic: what went to the broker.</summary>
    public long Sent { get; init; }

    /// <summary>Of a topic: what was published here.</summary>
    public long Received { get; init; }

    /// <summary>Of a topic: what did not come or go.</summary>
    public long Lost { get; init; }

    /// <summary>Of a topic: what was left out.</summary>
    public long Unfit { get; init; }

    /// <summary>1 if it serves.</summary>
    public long Serving { get; init; }

    /// <summary>What two of one name have done.</summary>
    public GatewayPart With(GatewayPart other) => new()
    {
        Calls = Calls + other.Calls,
        Refused = Refused + other.Refused,
        UnderWay = UnderWay + other.UnderWay,
        DeadLetters = DeadLetters + other.DeadLetters,
        Sent = Sent + other.Sent,
        Received = Received + other.Received,
        Lost = Lost + other.Lost,
        Unfit = Unfit + other.Unfit,
        Serving = Serving + other.Serving,
    };

    /// <summary>What remains of it when it has ended.</summary>
    public GatewayPart Ended() => this with { UnderWay = 0, Serving = 0 };
}
