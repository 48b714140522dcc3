using System;

namespace Ipc;

/// <summary>Options of a client's connection.</summary>
public sealed class ConnectOptions
{
    /// <summary>Size of the ring to the server, in bytes: a power of two from 4 KiB to 1 GiB. Default: 256
    /// KiB.</summary>
    public long ToServerCapacity { get; set; } = 256 << 10;

    /// <summary>Size of the ring to the client, likewise. Default: 256 KiB.</summary>
    public long ToClientCapacity { get; set; } = 256 << 10;

    /// <summary>For each direction: memory for messages that are too long for the ring, see
    /// <see cref="RingOptions.LoanBudget"/>. Default: 256 MiB; 8 MiB in a process of 32 bits.</summary>
    public long LoanBudget { get; set; } = PoolGeometry.DefaultBudget;

    /// <summary>How this side waits.</summary>
    public WaitMode WaitMode { get; set; }

    /// <summary>The longest time to spin before sleeping. Default (zero): 50 us.</summary>
    public TimeSpan SpinLimit { get; set; }

    internal WaitStyle Style => WaitStyle.Of(WaitMode, SpinLimit);

    /// <summary>Limits the time to find the server and to get its answer. Default, <see cref="Ipc.Deadline.Now"/>: the
    /// server must exist already, and has 5 seconds to answer.</summary>
    public Deadline Deadline { get; set; }

    /// <summary>Data by which the server may decide whether to accept; at most 240 bytes.</summary>
    public ReadOnlyMemory<byte> Hello { get; set; }

    /// <summary>Whose server it may be, for a name of the machine (<c>machine/NAME</c>). Default: this user's or
    /// root's.</summary>
    public Access Access { get; set; } = Access.User;

    /// <summary>What the client speaks. Default: it says nothing.</summary>
    public ConnectionProtocol Protocol { get; set; }
}
