using System;

namespace Ipc.Native;

/// <summary>How to listen: <c>ipc_listener_options</c>. What is 0 is the library's default.</summary>
public sealed class NativeListenerOptions
{
    /// <summary>1 to 16383; 0 is 1023.</summary>
    public int MaxConnections { get; set; }

    /// <summary>Bytes; a client that asks for more is refused. 0 is 64 MiB.</summary>
    public long MaxRingCapacity { get; set; }

    /// <summary>How this side waits.</summary>
    public NativeWaitMode WaitMode { get; set; }

    /// <summary>The longest spin before sleeping; zero is the library's, 50 us.</summary>
    public TimeSpan SpinLimit { get; set; }

    /// <summary>Bytes of a direction; a client that asks for more is refused. 0 is 1 GiB.</summary>
    public long MaxLoanBudget { get; set; }

    /// <summary>What its connections speak: see <c>ipc_protocol</c>. By default it says nothing.</summary>
    public NativeProtocol Protocol { get; set; }

    /// <summary>Who may connect, for a name of the machine. By default this user.</summary>
    public NativeAccess? Access { get; set; }

    /// <summary>Takes the name of a live server that was opened with it too, and lets the next one take its own: <see cref="NativeEventKind.Followed"/>.</summary>
    public bool TakeOver { get; set; }

    internal ListenerOptionsData Data => new()
    {
        MaxConnections = checked((uint)MaxConnections),
        MaxRingCapacity = checked((ulong)MaxRingCapacity),
        WaitMode = (int)WaitMode,
        SpinNs = SpinTime.Of(SpinLimit),
        MaxLoanBudget = checked((ulong)MaxLoanBudget),
        ProtocolId = Protocol.Id,
        ProtocolVersion = Protocol.Version,
        ProtocolLeastVersion = Protocol.LeastVersion,
        TakeOver = TakeOver ? (byte)1 : (byte)0,
    };
}
