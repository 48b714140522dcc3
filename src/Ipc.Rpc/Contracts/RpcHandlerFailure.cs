using System;

namespace Ipc.Rpc;

/// <summary>An exception of a handler, or of other code that runs for a call, as reported on the side that runs the
/// code.</summary>
/// <remarks>The caller gets type, text and status; the exception with its stack is available on this side
/// only.</remarks>
public sealed class RpcHandlerFailure
{
    internal RpcHandlerFailure(RpcMethod method, RpcPeer peer, RpcStatus status, Exception exception, bool isOneWay)
    {
        Method = method;
        Peer = peer;
        Status = status;
        Exception = exception;
        IsOneWay = isOneWay;
    }

    /// <summary>The method that was called.</summary>
    public RpcMethod Method { get; }

    /// <summary>The process that called.</summary>
    public RpcPeer Peer { get; }

    /// <summary>The status that the caller got, or would have got if the call were not one-way.</summary>
    public RpcStatus Status { get; }

    /// <summary>The exception, with its stack.</summary>
    public Exception Exception { get; }

    /// <summary>Whether it is reported nowhere else.</summary>
    public bool IsOneWay { get; }

    /// <summary>Whether it was thrown to choose the caller's status and so is no defect: an
    /// <see cref="RpcCallException"/> with any status but <see cref="RpcStatus.Internal"/> and
    /// <see cref="RpcStatus.Unknown"/>.</summary>
    public bool IsIntended => Means(Exception);

    internal static bool Means(Exception thrown) =>
        thrown is RpcCallException { Status: not (RpcStatus.Internal or RpcStatus.Unknown) };
}
