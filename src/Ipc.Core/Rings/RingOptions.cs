using System;

namespace Ipc;

/// <summary>How to open a writer or reader of a ring.</summary>
public sealed class RingOptions
{
    /// <summary>Size of the ring in bytes: a power of two from 4 KiB to 1 GiB. Only takes effect when the ring is
    /// created. Default: 1 MiB.</summary>
    public long Capacity { get; set; } = 1 << 20;

    /// <summary>Memory in bytes for messages that are too long for the ring itself (more than half its capacity less
    /// 8): the limit for all of them together, and so for one. 0 (such messages are refused) to 64 GiB. It is allocated
    /// when it is needed, but ten times as much of addresses: a process of 32 bits has too few for the default of
    /// others. Only takes effect when the ring is created. Default: 256 MiB; 8 MiB in a process of 32 bits.</summary>
    public long LoanBudget { get; set; } = PoolGeometry.DefaultBudget;

    /// <summary>Whether to open an existing one, to create one, or either (the default).</summary>
    public OpenMode OpenMode { get; set; }

    /// <summary>How this writer or reader waits.</summary>
    public WaitMode WaitMode { get; set; }

    /// <summary>The longest time to spin before sleeping. Default (zero): 50 us.</summary>
    public TimeSpan SpinLimit { get; set; }

    /// <summary>How long the ring exists. An existing one must have this lifetime
    /// (<see cref="IpcStatus.WrongLifetime"/>). Default: any; a new one exists until it is empty.</summary>
    public Lifetime Lifetime { get; set; }

    /// <summary>With <see cref="OpenMode.OpenExisting"/>: how long to wait until somebody creates it. Default: not at
    /// all. <c>Timeout.InfiniteTimeSpan</c>: without limit.</summary>
    public TimeSpan OpenTimeout { get; set; }

    /// <summary>With whom it is shared, for a name of the machine (<c>machine/NAME</c>). Default: programs of this
    /// user.</summary>
    public Access Access { get; set; } = Access.User;
}
