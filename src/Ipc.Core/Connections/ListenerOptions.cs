using System;

namespace Ipc;

/// <summary>Options of a listener.</summary>
public sealed class ListenerOptions
{
    /// <summary>How many clients may be connected at once, 1 to 16383; further ones are refused. Default:
    /// 1023.</summary>
    public int MaxConnections { get; set; } = 1023;

    /// <summary>The largest ring of a client, in bytes; a client with a larger one is refused. Default: 64
    /// MiB.</summary>
    public long MaxRingCapacity { get; set; } = 64 << 20;

    /// <summary>The largest loan budget of a client for one direction, in bytes; a client with a larger one is refused.
    /// Default: 1 GiB; 8 MiB in a process of 32 bits.</summary>
    public long MaxLoanBudget { get; set; } = PoolGeometry.DefaultMostBudget;

    /// <summary>How <c>Listener.Next</c> and the writers of its connections wait.</summary>
    public WaitMode WaitMode { get; set; }

    /// <summary>The longest time that these spin before sleeping. Default (zero): 50 us.</summary>
    public TimeSpan SpinLimit { get; set; }

    /// <summary>Who may connect, for a name of the machine (<c>machine/NAME</c>). Default: programs of this
    /// user.</summary>
    public Access Access { get; set; } = Access.User;

    /// <summary>What its connections speak. Default: it says nothing.</summary>
    public ConnectionProtocol Protocol { get; set; }

    /// <summary>Takes the name of a live server that was opened with this too, and lets the next one take its own
    /// (<see cref="ListenerEventKind.Followed"/>): a restart during which clients find a server all the time. On Linux;
    /// on Windows opening fails with InvalidArgument. Default: false.</summary>
    public bool TakeOver { get; set; }

    /// <summary>What holds for a listener, whatever becomes of the caller's object.</summary>
    internal ListenerOptions Copy() => (ListenerOptions)MemberwiseClone();
}
