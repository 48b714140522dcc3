using System;

namespace Ipc.Rpc;

/// <summary>Something that a handler, or other code on its call's way, has thrown: what the side that has the code is
/// told of it.</summary>
/// <remarks>The caller gets type, text and status; the exception with its stack stays here.</remarks>
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

    /// <summary>What was called.</summary>
    public RpcMethod Method { get; }

    /// <summary>Who called.</summary>
    public RpcPeer Peer { get; }

    /// <summary>What the caller was told, or would have been if the call were not one-way.</summary>
    public RpcStatus Status { get; }

    /// <summary>What was thrown, with its stack.</summary>
    public Exception Exception { get; }

    /// <summary>Whether nobody else learns of it.</summary>
    public bool IsOneWay { get; }

    /// <summary>Whether it was thrown to choose what the caller is told, and is no defect here: an
    /// <see cref="RpcCallException"/>, unless of the statuses <see cref="RpcStatus.Internal"/> or
    /// <see cref="RpcStatus.Unknown"/>.</summary>
    public bool IsIntended => Means(Exception);

    internal static bool Means(Exception thrown) =>
        thrown is RpcCallException { Status: not (RpcStatus.Internal or RpcStatus.Unknown) };
}
