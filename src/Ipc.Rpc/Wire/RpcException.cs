using System;
using System.Collections.Generic;

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

    /// <summary>Fails a call with a status, a text, and messages that say more; <see cref="RpcDetail.Of"/> makes them.</summary>
    /// <remarks>Details that do not fit into a frame are left out when they are sent, the last ones first.</remarks>
    public RpcException(RpcStatus status, string text, IReadOnlyList<RpcDetail> details, Exception? inner = null)
        : this(status, null, text, inner, details ?? throw new ArgumentNullException(nameof(details)))
    {
    }

    internal RpcException(RpcStatus status, string? remoteType, string text, Exception? inner, IReadOnlyList<RpcDetail>? details = null)
        : base(text, inner)
    {
        Details = details ?? Array.Empty<RpcDetail>();
        Status = status;
        RemoteType = remoteType;
    }

    /// <summary>Why it failed.</summary>
    public RpcStatus Status { get; }

    /// <summary>The full name of the exception that the handler threw; <see langword="null"/> if the failure is another one.</summary>
    public string? RemoteType { get; }

    /// <summary>Messages that say more, in the order in which the handler gave them.</summary>
    public IReadOnlyList<RpcDetail> Details { get; }
}
