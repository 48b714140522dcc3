using System;

namespace Ipc;

/// <summary>How to listen.</summary>
public sealed class ListenerOptions
{
    /// <summary>Clients at a time, 1 to 4095; one more is refused with words. Default: 1023.</summary>
    public int MaxConnections { get; set; } = 1023;

    /// <summary>A client that brings a larger ring is refused. Default: 64 MiB.</summary>
    public long MaxRingCapacity { get; set; } = 64 << 20;

    /// <summary>A client that brings a larger loan budget (for a direction) is refused. Default: 1 GiB.</summary>
    public long MaxLoanBudget { get; set; } = 1 << 30;

    /// <summary>How <see cref="Listener.Next"/> waits, and the writers of its connections.</summary>
    public WaitMode WaitMode { get; set; }

    /// <summary>The longest spin of these before sleeping. Default (zero): as measured, 50 us.</summary>
    public TimeSpan SpinLimit { get; set; }
}
