using System;

namespace Ipc.Pipelines;

/// <summary>How to listen for pipes.</summary>
public sealed class IpcPipeListenerOptions
{
    /// <summary>Pipes at a time, 1 to 16383; one more is refused with words. Default: 1023.</summary>
    public int MaxConnections { get; set; } = 1023;

    /// <summary>A client that brings a larger ring is refused. Default: 64 MiB.</summary>
    public long MaxRingCapacity { get; set; } = 64 << 20;

    /// <summary>How the pipes wait.</summary>
    public WaitMode WaitMode { get; set; }

    /// <summary>The longest spin before sleeping. Default (zero): as measured, 50 us.</summary>
    public TimeSpan SpinLimit { get; set; }

    /// <summary>Who may connect, for a name of the machine (<c>machine/NAME</c>). Default: programs of this
    /// user.</summary>
    public Access Access { get; set; } = Access.User;

    /// <summary>What is read is a copy, which the other side cannot change while it is looked at. Default: false, the
    /// bytes in the ring.</summary>
    public bool CopyReads { get; set; }
}
