using System;

namespace Ipc;

/// <summary>How to open an end of a ring.</summary>
public sealed class RingOptions
{
    /// <summary>Bytes for records: a power of two from 4 KiB to 1 GiB. Used only when the ring is created. Default: 1
    /// MiB.</summary>
    public long Capacity { get; set; } = 1 << 20;

    /// <summary>Memory for messages that are too long for the ring itself (more than half its capacity less 8): so many
    /// bytes may be under way at one time, and one message can have. 0 (no such messages) to 64 GiB. Memory is taken
    /// when it is needed. Used only when the ring is created. Default: 256 MiB.</summary>
    public long LoanBudget { get; set; } = 256 << 20;

    /// <summary>Create, attach, or either. Default: either.</summary>
    public OpenMode OpenMode { get; set; }

    /// <summary>How this end waits.</summary>
    public WaitMode WaitMode { get; set; }

    /// <summary>The longest spin before sleeping. Default (zero): as measured, 50 us.</summary>
    public TimeSpan SpinLimit { get; set; }

    /// <summary>How long the ring stays. One that exists must be as asked (<see cref="IpcStatus.WrongLifetime"/>).
    /// Default: no wish; a new one stays until it is empty.</summary>
    public Lifetime Lifetime { get; set; }

    /// <summary>With <see cref="OpenMode.OpenExisting"/>: how long to wait for a creator. Default: not at all.
    /// <c>Timeout.InfiniteTimeSpan</c>: for ever.</summary>
    public TimeSpan OpenTimeout { get; set; }
}
