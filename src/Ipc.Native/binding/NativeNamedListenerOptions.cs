using System;

namespace Ipc.Native;

/// <summary>How to listen for named connections: <c>ipc_named_listener_options</c>. What is 0 is the library's default.
/// </summary>
public sealed class NativeNamedListenerOptions
{
    /// <summary>Logged in at a time, 1 to 16383; 0 is 1023.</summary>
    public int MaxConnections { get; set; }

    /// <summary>Bytes; a client with a larger ring is refused. 0 is 64 MiB.</summary>
    public long MaxRingCapacity { get; set; }

    /// <summary>Bytes of a direction; a client with more is refused. 0 is 1 GiB, -1 allows none.</summary>
    public long MaxLoanBudget { get; set; }

    /// <summary>How the listener and its connections wait.</summary>
    public NativeWaitMode WaitMode { get; set; }

    /// <summary>The longest spin before sleeping; zero is the library's, 50 us.</summary>
    public TimeSpan SpinLimit { get; set; }

    /// <summary>Who this server is, 1 to 120 bytes of UTF-8; <see langword="null"/> is its name. A server that cannot
    /// go on where the one before it stopped has another one: its clients begin anew.</summary>
    public string? Identity { get; set; }

    internal NamedListenerOptionsData Data => new()
    {
        MaxConnections = checked((uint)MaxConnections),
        MaxRingCapacity = checked((ulong)MaxRingCapacity),
        MaxLoanBudget = unchecked((ulong)MaxLoanBudget), // -1 is IPC_NO_LOANS
        WaitMode = (int)WaitMode,
        SpinNs = SpinTime.Of(SpinLimit),
    };
}
