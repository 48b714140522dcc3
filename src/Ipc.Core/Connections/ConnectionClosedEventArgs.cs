using System;

namespace Ipc;

/// <summary>The other side of a connection has gone.</summary>
public sealed class ConnectionClosedEventArgs : EventArgs
{
    internal ConnectionClosedEventArgs(IpcStatus reason, int processId)
    {
        Reason = reason;
        ProcessId = processId;
    }

    /// <summary><see cref="IpcStatus.PeerClosed"/> or <see cref="IpcStatus.PeerDied"/>.</summary>
    public IpcStatus Reason { get; }

    /// <summary>Its process.</summary>
    public int ProcessId { get; }
}
