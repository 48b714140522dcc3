using System;

namespace Ipc;

/// <summary>Options of a server of named connections.</summary>
public sealed class NamedListenerOptions
{
    /// <summary>Who this server is, for its clients: at most 120 bytes of UTF-8. A client whose conversation is with
    /// another identity begins anew, and is told so. Default: the listener's name. A server that wants a fresh start
    /// each day takes the day's date into it.</summary>
    public string? Identity { get; set; }

    /// <summary>How many clients may be logged in at once, 1 to 16383. Default: 1023.</summary>
    public int MaxConnections { get; set; } = 1023;

    /// <summary>The largest ring of a client, in bytes; a client with a larger one is refused. Default: 64
    /// MiB.</summary>
    public long MaxRingCapacity { get; set; } = 64 << 20;

    /// <summary>The largest loan budget of a client for one direction, in bytes; a client with a larger one is refused.
    /// Default: 1 GiB; 8 MiB in a process of 32 bits.</summary>
    public long MaxLoanBudget { get; set; } = PoolGeometry.DefaultMostBudget;

    /// <summary>How <c>NamedListener.Next</c> and its connections wait.</summary>
    public WaitMode WaitMode { get; set; }

    /// <summary>The longest time that these spin before sleeping. Default (zero): 50 us.</summary>
    public TimeSpan SpinLimit { get; set; }
}
