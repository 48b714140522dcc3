using System;
using System.Collections.Generic;

namespace Ipc.Rpc;

/// <summary>Which failed calls a client repeats, how often, and after which pause.</summary>
/// <remarks>
/// <para>A call is repeated if its status is one of <see cref="On"/>, attempts are left, its deadline is later than the
/// end of the pause, and repeating it is safe: either its request was not sent
/// (<see cref="RpcCallException.IsUnsent"/>), or its method is marked with <see cref="IpcIdempotentAttribute"/>.</para>
/// <para>The timeout of a call (<see cref="RpcClientOptions.CallTimeout"/>, the deadline of the calling handler)
/// applies to all its attempts together. For telemetry and for the server each attempt is a separate call. Streams, and
/// calls with a stream or with progress, are not repeated.</para>
/// <para>Each attempt encodes the request again, so do not change the request of an asynchronous call before the call
/// has ended.</para>
/// </remarks>
public sealed class RpcRetryPolicy
{
    /// <summary>The maximum number of attempts, including the first. Default: 3.</summary>
    public int Attempts { get; set; } = 3;

    /// <summary>The pause before the second attempt; it doubles before each further one. Each pause is randomly
    /// shortened by up to a half. Default: 50 ms.</summary>
    public TimeSpan FirstPause { get; set; } = TimeSpan.FromMilliseconds(50);

    /// <summary>The longest pause. Default: 2 seconds.</summary>
    public TimeSpan LongestPause { get; set; } = TimeSpan.FromSeconds(2);

    /// <summary>The statuses after which a call is repeated. Default: <see cref="RpcStatus.Unavailable"/>.</summary>
    public IList<RpcStatus> On { get; private set; } = new List<RpcStatus> { RpcStatus.Unavailable };

    internal RpcRetryPolicy Checked()
    {
        if (Attempts < 1)
            throw new ArgumentOutOfRangeException(nameof(Attempts), Attempts, "A call is made once at least.");
        if (FirstPause < TimeSpan.Zero || FirstPause > LongestPause || LongestPause > TimeSpan.FromDays(1))
            throw new ArgumentOutOfRangeException(
                nameof(FirstPause),
                FirstPause,
                "A pause is not negative, and LongestPause, a day at most, is no shorter than FirstPause.");
        var copy = (RpcRetryPolicy)MemberwiseClone();
        copy.On = new List<RpcStatus>(On);
        return copy;
    }
}
