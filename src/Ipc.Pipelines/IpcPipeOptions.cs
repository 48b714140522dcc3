using System;
using System.Threading;

namespace Ipc.Pipelines;

/// <summary>How to connect a pipe, or make one of a connection.</summary>
public sealed class IpcPipeOptions
{
    /// <summary>Ring for what is sent, in bytes: a power of two from 4 KiB to 1 GiB. Default: 256 KiB.</summary>
    public long SendCapacity { get; set; } = 256 << 10;

    /// <summary>Ring for what is received. Default: 256 KiB.</summary>
    public long ReceiveCapacity { get; set; } = 256 << 10;

    /// <summary>How long to look for the server, and for its answer. Default, zero: it must be there, and answer within
    /// 5 seconds. <see cref="Timeout.InfiniteTimeSpan"/>: for ever.</summary>
    public TimeSpan ConnectTimeout { get; set; }

    /// <summary>Whose server it may be, for a name of the machine (<c>machine/NAME</c>). Default: this user's or
    /// root's.</summary>
    public Access Access { get; set; } = Access.User;

    /// <summary>Data for the server, at most 232 bytes: <see cref="IpcPipe.Hello"/> there.</summary>
    public ReadOnlyMemory<byte> Hello { get; set; }

    /// <summary>How this side waits.</summary>
    public WaitMode WaitMode { get; set; }

    /// <summary>The longest spin before sleeping. Default (zero): as measured, 50 us.</summary>
    public TimeSpan SpinLimit { get; set; }

    /// <summary>What is read is a copy, which the other side cannot change while it is looked at. Default: false, the
    /// bytes in the ring.</summary>
    public bool CopyReads { get; set; }
}
