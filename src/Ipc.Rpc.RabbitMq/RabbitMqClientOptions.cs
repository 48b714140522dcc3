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
    /// that refuses the client (<see cref="RpcStatus.Unauthenticated"/>) fails it at once in any case.</summary>
    public bool WaitForReady { get; set; }

    /// <summary>Which failed calls are repeated: as <see cref="RpcClientOptions.Retry"/>, one-way calls included.
    /// Default: none. All attempts of a call have the same <see cref="RabbitMqMarks.MessageId"/>.</summary>
    public RpcRetryPolicy? Retry { get; set; }

    /// <summary>How many calls may be under way at once; further ones fail with
    /// <see cref="RpcStatus.ResourceExhausted"/>. Default: 65536.</summary>
    public int MaxPendingCalls { get; set; } = 65536;

    internal RabbitMqClientOptions Checked()
    {
        Check();
        if (CallTimeout < TimeSpan.Zero && CallTimeout != Timeout.InfiniteTimeSpan)
            throw Wrong(nameof(CallTimeout), CallTimeout, "not negative; Timeout.InfiniteTimeSpan is none");
        if (MaxPendingCalls < 1)
            throw Wrong(nameof(MaxPendingCalls), MaxPendingCalls, "1 at least");
        return (RabbitMqClientOptions)MemberwiseClone();
    }
}
