using System;

namespace Ipc.Rpc;

/// <summary>A call failed. A handler throws it to choose the status that its caller gets.</summary>
public sealed class RpcException : Exception
{
    /// <summary>Fails a call with a status and a text.</summary>
    public RpcException(RpcStatus status, string text)
        : this(status, null, text, null)
    {
    }

    /// <summary>Fails a call with a status, a text, and the failure behind it, which stays on this side.</summary>
    public RpcException(RpcStatus status, string text, Exception? inner)
        : this(status, null, text, inner)
    {
    }

    internal RpcException(RpcStatus status, string? remoteType, string text, Exception? inner)
        : base(text, inner)
    {
        Status = status;
        RemoteType = remoteType;
    }

    /// <summary>Why it failed.</summary>
    public RpcStatus Status { get; }

    /// <summary>The full name of the exception that the handler threw; <see langword="null"/> if the failure is another one.</summary>
    public string? RemoteType { get; }
}
