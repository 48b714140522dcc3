using System;

namespace Ipc.Rpc;

/// <summary>What a server remembers of calls of methods with <see cref="IpcOnceAttribute"/>.</summary>
/// <remarks>An outcome is what the handler returned or threw. It is remembered until it is older than
/// <see cref="KeepFor"/> or more than <see cref="MaxOutcomes"/> or <see cref="MaxBytes"/> are there; the oldest go
/// first. When an outcome is forgotten, ids that were made before its id, and are not remembered, are refused from then
/// on (<see cref="RpcOnceRefusal.Forgotten"/>): a call that was executed is never executed again.</remarks>
public sealed class RpcOnceOptions
{
    /// <summary>How long an outcome is remembered at most. Expired ones go when the next call of such a method comes.
    /// Default: 10 minutes.</summary>
    public TimeSpan KeepFor { get; set; } = TimeSpan.FromMinutes(10);

    /// <summary>How many calls are remembered at most, those that are being executed included. When all of these are
    /// being executed, a further call fails with <see cref="RpcStatus.ResourceExhausted"/>
    /// (<see cref="RpcOnceRefusal.Full"/>). Default: 65536.</summary>
    public int MaxOutcomes { get; set; } = 65536;

    /// <summary>How many bytes the remembered outcomes may have, each with about 200 bytes besides its message.
    /// Default: 64 MiB.</summary>
    public long MaxBytes { get; set; } = 64L << 20;

    /// <summary>The longest outcome that is remembered, in bytes. Of a longer one only is remembered that the call was
    /// executed: a repeat fails with <see cref="RpcOnceRefusal.NotKept"/>. Default: 1 MiB.</summary>
    public int MaxOutcomeBytes { get; set; } = 1 << 20;

    /// <summary>How far the clock of a client on another machine may be ahead. An id that is further ahead is refused
    /// (<see cref="RpcOnceRefusal.Early"/>). A server that has no store, or a new one, refuses all ids for as long
    /// after its start. Default: zero, which is right for programs of one machine.</summary>
    public TimeSpan MaxClockAhead { get; set; }

    /// <summary>What keeps outcomes longer than the server lives. Default: none. A store is used by one server at a
    /// time; the server does not dispose it.</summary>
    public IOnceStore? Store { get; set; }

    internal RpcOnceOptions Checked()
    {
        if (KeepFor <= TimeSpan.Zero)
            throw new ArgumentOutOfRangeException(nameof(KeepFor), KeepFor, "An outcome is remembered for some time.");
        if (MaxOutcomes < 1)
            throw new ArgumentOutOfRangeException(
                nameof(MaxOutcomes), MaxOutcomes, "At least one call has to be possible.");
        if (MaxOutcomeBytes < 0 || MaxBytes < MaxOutcomeBytes + OnceEntry.Overhead)
            throw new ArgumentOutOfRangeException(
                nameof(MaxBytes),
                MaxBytes,
                "MaxBytes has room for one outcome of MaxOutcomeBytes, " + MaxOutcomeBytes + ", and " +
                    OnceEntry.Overhead + " bytes besides.");
        if (MaxClockAhead < TimeSpan.Zero || MaxClockAhead > TimeSpan.FromDays(1))
            throw new ArgumentOutOfRangeException(
                nameof(MaxClockAhead), MaxClockAhead, "A clock is ahead by nothing, or by a day at most.");
        return Copy();
    }

    /// <summary>An independent copy, with the same store.</summary>
    internal RpcOnceOptions Copy() => (RpcOnceOptions)MemberwiseClone();
}
