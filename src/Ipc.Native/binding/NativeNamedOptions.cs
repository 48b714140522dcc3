using System;

namespace Ipc.Native;

/// <summary>How to open a named connection: <c>ipc_named_options</c>. What is 0 is the library's default.</summary>
public sealed class NativeNamedOptions
{
    /// <summary>Bytes of the direction to the server; 0 is 1 MiB. What is not acknowledged stays in it. Counts when the
    /// conversation is begun.</summary>
    public long ToServerCapacity { get; set; }

    /// <summary>Bytes of the direction to the client; likewise.</summary>
    public long ToClientCapacity { get; set; }

    /// <summary>Bytes of each direction for messages longer than half of it; 0 is 256 MiB, -1 is none. Likewise.
    /// </summary>
    public long LoanBudget { get; set; }

    /// <summary>How this side waits.</summary>
    public NativeWaitMode WaitMode { get; set; }

    /// <summary>The longest spin before sleeping; zero is the library's, 50 us.</summary>
    public TimeSpan SpinLimit { get; set; }

    /// <summary>For the server, at each login: it may accept or refuse by it. At most 1024 bytes.</summary>
    public ReadOnlyMemory<byte> Login { get; set; }

    /// <summary>Receiving and sending do not log in by themselves: <see cref="NativeNamedConnection.Connect"/> does.
    /// </summary>
    public bool NoReconnect { get; set; }

    internal NamedOptionsData Data => new()
    {
        ToServerCapacity = checked((ulong)ToServerCapacity),
        ToClientCapacity = checked((ulong)ToClientCapacity),
        LoanBudget = unchecked((ulong)LoanBudget), // -1 is IPC_NO_LOANS
        WaitMode = (int)WaitMode,
        SpinNs = SpinTime.Of(SpinLimit),
        LoginLength = (uint)Login.Length,
        NoReconnect = NoReconnect ? (byte)1 : (byte)0,
    };
}
