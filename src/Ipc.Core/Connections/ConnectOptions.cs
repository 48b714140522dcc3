using System;

namespace Ipc;

/// <summary>How to connect.</summary>
public sealed class ConnectOptions
{
    /// <summary>Ring for what is sent to the server, in bytes: a power of two from 4 KiB to 1 GiB. Default: 256
    /// KiB.</summary>
    public long ToServerCapacity { get; set; } = 256 << 10;

    /// <summary>Ring for what the server sends. Default: 256 KiB.</summary>
    public long ToClientCapacity { get; set; } = 256 << 10;

    /// <summary>For each direction: memory for messages that are too long for its ring, see
    /// <see cref="RingOptions.LoanBudget"/>. Default: 256 MiB.</summary>
    public long LoanBudget { get; set; } = 256 << 20;

    /// <summary>How this side waits.</summary>
    public WaitMode WaitMode { get; set; }

    /// <summary>The longest spin before sleeping. Default (zero): as measured, 50 us.</summary>
    public TimeSpan SpinLimit { get; set; }

    internal WaitStyle Style => WaitStyle.Of(WaitMode, SpinLimit);

    /// <summary>To find the server and be answered. Default, <see cref="Ipc.Deadline.Now"/>: the server must be there,
    /// and answer within 5 seconds.</summary>
    public Deadline Deadline { get; set; }

    /// <summary>Data for the server's decision, at most 240 bytes.</summary>
    public ReadOnlyMemory<byte> Hello { get; set; }
}
