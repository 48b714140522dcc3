using System;

namespace Ipc.Rpc.RabbitMq;

/// <summary>What the calls of a <see cref="RabbitMqCaller"/> have in common. Immutable.</summary>
internal sealed record CallTerms
{
    /// <summary>Of calls that are not answered by a stream.</summary>
    public TimeSpan Timeout { get; init; } = System.Threading.Timeout.InfiniteTimeSpan;

    public Deadline Until { get; init; } = Deadline.Never;

    /// <summary>Not to be changed.</summary>
    public RpcMetadata? Metadata { get; init; }

    /// <summary>Who wants to know the metadata of answers.</summary>
    public Action<RpcMetadata>? Answer { get; init; }
}
