using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Rpc;

/// <summary>What runs when a method is called.</summary>
/// <remarks>
/// The token that a handler gets fires when the caller cancels, its deadline passes, or its process ends. An
/// <see cref="RpcException"/> reaches the caller with its status; any other exception as <see cref="RpcStatus.Unknown"/> with
/// its type and text.
/// </remarks>
public abstract class RpcHandler
{
    private protected RpcHandler(RpcMethod method, RpcMethodKind kind)
    {
        Method = method ?? throw new ArgumentNullException(nameof(method));
        if (method.Kind != kind)
            throw new ArgumentException(method.FullName + " is " + method.Kind + " and cannot be handled as " + kind + ".", nameof(method));
    }

    /// <summary>The method that it handles.</summary>
    public RpcMethod Method { get; }

    /// <summary>A handler that returns the response. It runs on the thread that read the request; if it takes longer than
    /// about a millisecond, another thread goes on reading.</summary>
    public static RpcHandler Unary<TRequest, TResponse>(RpcMethod<TRequest, TResponse> method, Func<TRequest, CancellationToken, TResponse> handler)
        => new SyncHandler<TRequest, TResponse>(method, handler);

    /// <summary>A handler that returns a task. It begins on the thread that read the request and continues wherever it likes.</summary>
    public static RpcHandler UnaryAsync<TRequest, TResponse>(RpcMethod<TRequest, TResponse> method, Func<TRequest, CancellationToken, ValueTask<TResponse>> handler)
        => new AsyncHandler<TRequest, TResponse>(method, handler);

    /// <summary>A handler that returns a stream. Its enumerator is moved on only while the caller has given credit.</summary>
    public static RpcHandler ServerStream<TRequest, TItem>(RpcMethod<TRequest, TItem> method, Func<TRequest, CancellationToken, IAsyncEnumerable<TItem>> handler)
        => new StreamHandler<TRequest, TItem>(method, handler);

    /// <summary>Handles one request, whose bytes are in the ring until <see cref="ServerConnection.ReleaseRequest"/>.</summary>
    /// <returns>Whether the calling thread still leads: if not, it must not touch the reading side of any connection.</returns>
    internal abstract bool Handle(Leader leader, ServerConnection connection, in FrameHeader header, ReadOnlySpan<byte> body);
}
