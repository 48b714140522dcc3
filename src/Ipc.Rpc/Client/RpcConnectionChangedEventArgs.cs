using System;

namespace Ipc.Rpc;

/// <summary>One change of a client's connection; see <see cref="RpcClient.ConnectionChanged"/>.</summary>
public sealed class RpcConnectionChangedEventArgs : EventArgs
{
    internal RpcConnectionChangedEventArgs(RpcConnectionChangeKind kind, int serverProcessId, string? reason)
    {
        Kind = kind;
        ServerProcessId = serverProcessId;
        Reason = reason;
    }

    /// <summary>What happened.</summary>
    public RpcConnectionChangeKind Kind { get; }

    /// <summary>The process id of the server.</summary>
    public int ServerProcessId { get; }

    /// <summary>Why a connection was lost; <see langword="null"/> for a new one.</summary>
    public string? Reason { get; }

    /// <inheritdoc/>
    public override string ToString() =>
        Kind + " (process " + ServerProcessId + ")" + (Reason is null ? string.Empty : ": " + Reason);
}
