using System;

namespace Ipc;

/// <summary>Options of a client's named connection.</summary>
public sealed class NamedConnectionOptions
{
    /// <summary>Size of the ring to the server, in bytes: a power of two from 4 KiB to 1 GiB. What the server has not
    /// acknowledged stays in it. Only takes effect when the first client of that name makes it. Default: 1
    /// MiB.</summary>
    public long ToServerCapacity { get; set; } = 1 << 20;

    /// <summary>Size of the ring to the client, likewise. Default: 1 MiB.</summary>
    public long ToClientCapacity { get; set; } = 1 << 20;

    /// <summary>For each direction: memory for messages that are too long for the ring, see
    /// <see cref="RingOptions.LoanBudget"/>. Default: 256 MiB; 8 MiB in a process of 32 bits.</summary>
    public long LoanBudget { get; set; } = PoolGeometry.DefaultBudget;

    /// <summary>How this side waits.</summary>
    public WaitMode WaitMode { get; set; }

    /// <summary>The longest time to spin before sleeping. Default (zero): 50 us.</summary>
    public TimeSpan SpinLimit { get; set; }

    /// <summary>Whether the conversation begins anew when the server is another one, which
    /// <see cref="NamedConnection.Changed"/> tells. Off: logging in throws
    /// <see cref="ConnectionRefusedException"/> with the code <see cref="CloseCode.Identity"/>, and the conversation
    /// stays; see <see cref="NamedConnection.BeginAnew"/>. Default: on.</summary>
    public bool BeginsAnew { get; set; } = true;

    /// <summary>For the server, which gets it at each login and may accept or refuse by it: at most 1024
    /// bytes.</summary>
    public ReadOnlyMemory<byte> Login { get; set; }

    /// <summary>Whether <c>NamedConnection.Receive</c>, and the calls that send and wait, log in by
    /// themselves when there is no session: at once, then after pauses that grow to a second. Default: yes. If not,
    /// call <see cref="NamedConnection.Connect"/>.</summary>
    public bool Reconnect { get; set; } = true;

    internal WaitStyle Style => WaitStyle.Of(WaitMode, SpinLimit);

    internal NamedConnectionOptions Copy() => (NamedConnectionOptions)MemberwiseClone();
}
