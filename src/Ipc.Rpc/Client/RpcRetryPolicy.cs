using System;
using System.Collections.Generic;

namespace Ipc.Rpc;

/// <summary>Which failed calls a client makes again, how often, and after what pause.</summary>
/// <remarks>
/// <para>A call is made again when its status is one of <see cref="On"/>, attempts are left, its deadline is not in the
/// pause, and it cannot be done twice by that: either its request was not sent
/// (<see cref="RpcCallException.IsUnsent"/>), or its method is marked with <see cref="IpcIdempotentAttribute"/>. Where
/// it is not known whether the request was handled, the method alone says that doing it twice is harmless.</para>
/// <para>All attempts together have the time that one call has (<see cref="RpcClientOptions.CallTimeout"/>, the
/// deadline of the handler that calls). Each is a call of its own to telemetry and to the server. Streams, and
/// calls with a stream or with progress, are made once.</para>
/// <para>Each attempt sends the request as it is then: with a policy do not change the request of an asynchronous call
/// before that is over.</para>
/// </remarks>
public sealed class RpcRetryPolicy
{
    /// <summary>How often a call is made at most, the first time included; 3 unless set.</summary>
    public int Attempts { get; set; } = 3;

    /// <summary>The pause before the second attempt, of which between a half and all is taken; 50 ms unless set. It
    /// doubles with each further one.</summary>
    public TimeSpan FirstPause { get; set; } = TimeSpan.FromMilliseconds(50);

    /// <summary>What the pause grows to; 2 seconds unless set.</summary>
    public TimeSpan LongestPause { get; set; } = TimeSpan.FromSeconds(2);

    /// <summary>After which statuses; <see cref="RpcStatus.Unavailable"/> unless changed.</summary>
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
