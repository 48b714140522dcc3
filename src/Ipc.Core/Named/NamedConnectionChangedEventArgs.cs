using System;

namespace Ipc;

/// <summary>What <see cref="NamedConnection.Changed"/> tells.</summary>
public sealed class NamedConnectionChangedEventArgs : EventArgs
{
    internal NamedConnectionChangedEventArgs(NamedChange change) => Change = change;

    /// <summary>What has happened.</summary>
    public NamedChange Change { get; }

    /// <summary>Disconnected: PeerClosed or PeerDied. Otherwise Ok.</summary>
    public IpcStatus Reason { get; internal set; }

    /// <summary>Disconnected: the code with which the server closed the session; None when it has died.</summary>
    public CloseCode Code { get; internal set; }

    /// <summary>Disconnected: the server's words, if it gave any.</summary>
    public string? Text { get; internal set; }

    /// <summary>Reset: the server that the conversation was with.</summary>
    public string? OldIdentity { get; internal set; }

    /// <summary>Reset: the server that there is now.</summary>
    public string? NewIdentity { get; internal set; }

    /// <summary>Reset: how many messages were sent that the former server has not acknowledged.</summary>
    public long LostSent { get; internal set; }

    /// <summary>Reset: how many messages of the former server were not acknowledged here.</summary>
    public long LostReceived { get; internal set; }
}
