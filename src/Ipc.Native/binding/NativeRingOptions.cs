using System;

namespace Ipc.Native;

/// <summary>How to open a ring: <c>ipc_ring_options</c>. What is 0 is the library's default.</summary>
public sealed class NativeRingOptions
{
    /// <summary>Bytes, a power of two from 4 KiB to 1 GiB; 0 is 1 MiB. Used only when the ring is created.</summary>
    public long Capacity { get; set; }

    /// <summary>Whether the ring may be made.</summary>
    public NativeOpenMode OpenMode { get; set; }

    /// <summary>How this end waits.</summary>
    public NativeWaitMode WaitMode { get; set; }

    /// <summary>The longest spin before sleeping; zero is the library's, 50 us.</summary>
    public TimeSpan SpinLimit { get; set; }

    /// <summary>How long the ring stays; one that exists must be as asked. Default: no wish; a new one stays until it is empty.</summary>
    public NativeLifetime Lifetime { get; set; }

    /// <summary>For <see cref="NativeOpenMode.Open"/>: until when to wait for a creator.</summary>
    public NativeDeadline Deadline { get; set; }

    /// <summary>Bytes for records longer than half the ring; 0 is 256 MiB, -1 is none. Used only when the ring is created.</summary>
    public long LoanBudget { get; set; }

    /// <summary>With whom it is shared, for a name of the machine. By default this user.</summary>
    public NativeAccess? Access { get; set; }

    internal unsafe RingOptionsData Data => new()
    {
        Capacity = checked((ulong)Capacity),
        OpenMode = (int)OpenMode,
        WaitMode = (int)WaitMode,
        SpinNs = SpinTime.Of(SpinLimit),
        Lifetime = (int)Lifetime,
        Deadline = Deadline.Value,
        LoanBudget = unchecked((ulong)LoanBudget), // -1 is IPC_NO_LOANS
    };
}
