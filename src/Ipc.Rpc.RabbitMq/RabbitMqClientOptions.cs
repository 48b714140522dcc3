using System;
using System.Threading;

namespace Ipc.Rpc.RabbitMq;

/// <summary>Options of a <see cref="RabbitMqClient"/>.</summary>
public sealed class RabbitMqClientOptions : RabbitMqOptions
{
    /// <summary>The timeout of calls that are not answered by a stream. Default: none.</summary>
    public TimeSpan CallTimeout { get; set; } = Timeout.InfiniteTimeSpan;

    /// <summary>Whether a call without a broker, or without a server that consumes the service's queue, waits for one,
    /// as long as its deadline and token allow. By default it fails with <see cref="RpcStatus.Unavailable"/>. A broker
    /// that refuses the client (<see cref="RpcStatus.Unauthenticated"/>) fails it at once in any case. The call
    /// waits here: a server is looked for after pauses that grow from <see cref="RabbitMqOptions.FirstPause"/> to a
    /// second.</summary>
    public bool WaitForReady { get; set; }

    /// <summary>Which failed calls are repeated: as <see cref="RpcClientOptions.Retry"/>, one-way calls included.
    /// Default: none. All attempts of a call have the same <see cref="RabbitMqMarks.MessageId"/>.</summary>
    public RpcRetryPolicy? Retry { get; set; }

    /// <summary>How many calls and streams may be under way at once, in all views of a client; further ones fail with
    /// <see cref="RpcStatus.ResourceExhausted"/>, unsent. As many calls may wait for a server, a connection or another
    /// attempt, and as many one-way calls, given up by their callers or not, for the broker's confirmation. Default:
    /// 65536.</summary>
    public int MaxPendingCalls { get; set; } = 65536;

    /// <summary>How many items of a stream may be under way or wait here for its consumer, 1 to 65535; then the server
    /// sends no more. It also sends no more when 1 MiB does, where each item counts for 64 bytes more than it has.
    /// Default: 512.</summary>
    public int StreamWindow { get; set; } = 512;

    /// <summary>How long a stream lives at its server without a word from this client, a second to an hour. The client
    /// gives one three times as often: so it learns that the server has gone, and the server that the client has.
    /// Default: 15 seconds.</summary>
    public TimeSpan StreamLease { get; set; } = TimeSpan.FromSeconds(15);

    /// <summary>A copy. It has the same <see cref="Retry"/>.</summary>
    public RabbitMqClientOptions Copy() => (RabbitMqClientOptions)MemberwiseClone();

    internal RabbitMqClientOptions Checked()
    {
        Check();
        if (CallTimeout < TimeSpan.Zero && CallTimeout != Timeout.InfiniteTimeSpan)
            throw Wrong(nameof(CallTimeout), CallTimeout, "not negative; Timeout.InfiniteTimeSpan is none");
        if (MaxPendingCalls < 1)
            throw Wrong(nameof(MaxPendingCalls), MaxPendingCalls, "1 at least");
        if (StreamWindow is < 1 or > StreamTerms.MostItems)
            throw Wrong(nameof(StreamWindow), StreamWindow, "1 to 65535");
        if (StreamLease < StreamTerms.ShortestLease || StreamLease > StreamTerms.LongestLease)
            throw Wrong(nameof(StreamLease), StreamLease, "a second to an hour");
        return Copy();
    }
}
