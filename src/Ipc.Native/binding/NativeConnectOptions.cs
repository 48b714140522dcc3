using System;

namespace Ipc.Native;

/// <summary>How to connect: <c>ipc_connect_options</c>. What is 0 is the library's default.</summary>
public sealed class NativeConnectOptions
{
    /// <summary>Bytes of the direction to the server; 0 is 256 KiB.</summary>
    public long ToServerCapacity { get; set; }

    /// <summary>Bytes of the direction to the client; 0 is 256 KiB.</summary>
    public long ToClientCapacity { get; set; }

    /// <summary>How this side waits.</summary>
    public NativeWaitMode WaitMode { get; set; }

    /// <summary>The longest spin before sleeping; zero is the library's, 50 us.</summary>
    public TimeSpan SpinLimit { get; set; }

    /// <summary>To find the server and to be answered; by default the server must be there, and has 5 s to answer.</summary>
    public NativeDeadline Deadline { get; set; }

    /// <summary>Application data for the server's decision, at most 240 bytes.</summary>
    public ReadOnlyMemory<byte> Hello { get; set; }

    /// <summary>Bytes of each direction for records longer than half of it; 0 is 256 MiB, -1 is none.</summary>
    public long LoanBudget { get; set; }

    /// <summary>What the client speaks: see <c>ipc_protocol</c>. By default it says nothing.</summary>
    public NativeProtocol Protocol { get; set; }

    /// <summary>Whose server it may be, for a name of the machine. By default this user's, or root's.</summary>
    public NativeAccess? Access { get; set; }

    internal unsafe ConnectOptionsData Data => new()
    {
        ToServerCapacity = checked((ulong)ToServerCapacity),
        ToClientCapacity = checked((ulong)ToClientCapacity),
        WaitMode = (int)WaitMode,
        SpinNs = SpinTime.Of(SpinLimit),
        Deadline = Deadline.Value,
        HelloLength = (uint)Hello.Length,
        LoanBudget = unchecked((ulong)LoanBudget), // -1 is IPC_NO_LOANS
        ProtocolId = Protocol.Id,
        ProtocolVersion = Protocol.Version,
        ProtocolLeastVersion = Protocol.LeastVersion,
    };
}
