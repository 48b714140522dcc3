using System;

namespace Ipc;

/// <summary>Says why the other side of a connection has gone.</summary>
public sealed class ConnectionClosedEventArgs : EventArgs
{
    internal ConnectionClosedEventArgs(IpcStatus reason, int processId)
    {
        Reason = reason;
        ProcessId = processId;
    }

    /// <summary><see cref="IpcStatus.PeerClosed"/> or <see cref="IpcStatus.PeerDied"/>.</summary>
    public IpcStatus Reason { get; }

    /// <summary>The process id of the other side.</summary>
    public int ProcessId { get; }
}
