using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Rpc;

/// <summary>The handler of a method.</summary>
/// <remarks>
/// The token that a handler gets fires when the caller cancels, its deadline passes, or its process ends. An
/// <see cref="RpcCallException"/> reaches the caller with its status and details; any other exception as
/// <see cref="RpcStatus.Unknown"/> with its type and text. <see cref="RpcContext.Current"/> has the context of the
/// call.
/// </remarks>
public abstract class RpcHandler
{
    private protected RpcHandler(RpcMethod method, RpcMethodKind kind)
    {
        Method = method ?? throw new ArgumentNullException(nameof(method));
        if (method.Kind != kind)
            throw new ArgumentException(
                method.FullName + " is " + method.Kind + " and cannot be handled as " + kind + ".", nameof(method));
    }

    /// <summary>The method that it handles.</summary>
    public RpcMethod Method { get; }

    /// <summary>Whether it runs on the reading thread without another thread taking over.</summary>
    public bool IsInline { get; private set; }

    /// <summary>A handler that returns the response. On a server it runs on the thread that read the request; if it
    /// takes longer than about a millisecond, another thread continues reading.</summary>
    public static RpcHandler Unary<TRequest, TResponse>(
        RpcMethod<TRequest, TResponse> method, Func<TRequest, CancellationToken, TResponse> handler)
        => new SyncHandler<TRequest, TResponse>(method, handler);

    /// <summary>The same for a handler that takes no token, which saves an allocation for each call.</summary>
    public static RpcHandler Unary<TRequest, TResponse>(
        RpcMethod<TRequest, TResponse> method, Func<TRequest, TResponse> handler)
        => new SyncHandler<TRequest, TResponse>(method, handler);

    /// <summary>A handler that returns a task. It starts on the thread that read the request and may continue on
    /// others.</summary>
    public static RpcHandler UnaryAsync<TRequest, TResponse>(
        RpcMethod<TRequest, TResponse> method, Func<TRequest, CancellationToken, ValueTask<TResponse>> handler)
        => new AsyncHandler<TRequest, TResponse>(method, handler);

    /// <summary>The same for a handler that takes no token.</summary>
    public static RpcHandler UnaryAsync<TRequest, TResponse>(
        RpcMethod<TRequest, TResponse> method, Func<TRequest, ValueTask<TResponse>> handler)
        => new AsyncHandler<TRequest, TResponse>(method, handler);

    /// <summary>A handler that also reports progress. Any thread may report while the handler runs; reports reach the
    /// caller in order. When there is no room, the newest report replaces older ones.</summary>
    public static RpcHandler UnaryProgress<TRequest, TResponse, TProgress>(
        RpcProgressMethod<TRequest, TResponse, TProgress> method,
        Func<TRequest, IProgress<TProgress>, CancellationToken, ValueTask<TResponse>> handler)
        => new ProgressHandler<TRequest, TResponse, TProgress>(method, handler);

    /// <summary>A handler whose caller gets no answer; what it throws is counted
    /// (<see cref="RpcServer.FailedOneWayCalls"/>).</summary>
    public static RpcHandler OneWay<TRequest>(
        RpcMethod<TRequest, RpcEmpty> method, Action<TRequest, CancellationToken> handler)
    {
        if (handler is null)
            throw new ArgumentNullException(nameof(handler));
        return new SyncHandler<TRequest, RpcEmpty>(
            method,
            (request, cancellationToken) =>
            {
                handler(request, cancellationToken);
                return default;
            });
    }

    /// <summary>The same for a handler that takes no token.</summary>
    public static RpcHandler OneWay<TRequest>(RpcMethod<TRequest, RpcEmpty> method, Action<TRequest> handler)
    {
        if (handler is null)
            throw new ArgumentNullException(nameof(handler));
        return new SyncHandler<TRequest, RpcEmpty>(
            method,
            request =>
            {
                handler(request);
                return default;
            });
    }

    /// <summary>A handler that returns a task and whose caller gets no answer; what it throws is counted
    /// (<see cref="RpcServer.FailedOneWayCalls"/>).</summary>
    public static RpcHandler OneWayAsync<TRequest>(
        RpcMethod<TRequest, RpcEmpty> method, Func<TRequest, CancellationToken, ValueTask> handler)
    {
        if (handler is null)
            throw new ArgumentNullException(nameof(handler));
        return new AsyncHandler<TRequest, RpcEmpty>(
            method, (request, cancellationToken) => RpcEmpty.After(handler(request, cancellationToken)));
    }

    /// <summary>The same for a handler that takes no token.</summary>
    public static RpcHandler OneWayAsync<TRequest>(
        RpcMethod<TRequest, RpcEmpty> method, Func<TRequest, ValueTask> handler)
    {
        if (handler is null)
            throw new ArgumentNullException(nameof(handler));
        return new AsyncHandler<TRequest, RpcEmpty>(method, request => RpcEmpty.After(handler(request)));
    }

    /// <summary>A handler that returns a stream. Its enumerator advances only while the caller has given
    /// credit.</summary>
    public static RpcHandler ServerStream<TRequest, TItem>(
        RpcMethod<TRequest, TItem> method, Func<TRequest, CancellationToken, IAsyncEnumerable<TItem>> handler)
        => new StreamHandler<TRequest, TItem>(method, handler);

    /// <summary>A handler that gets a stream, which it can enumerate once, and returns a task. It may answer before the
    /// stream has ended.</summary>
    public static RpcHandler ClientStream<TRequest, TIn, TOut>(
        RpcStreamMethod<TRequest, TIn, TOut> method,
        Func<TRequest, IAsyncEnumerable<TIn>, CancellationToken, ValueTask<TOut>> handler)
        => new ClientStreamHandler<TRequest, TIn, TOut>(method, handler);

    /// <summary>A handler that gets a stream, which it can enumerate once, and returns one. The end of the returned one
    /// ends the call.</summary>
    public static RpcHandler Duplex<TRequest, TIn, TOut>(
        RpcStreamMethod<TRequest, TIn, TOut> method,
        Func<TRequest, IAsyncEnumerable<TIn>, CancellationToken, IAsyncEnumerable<TOut>> handler)
        => new DuplexHandler<TRequest, TIn, TOut>(method, handler);

    /// <summary>Runs the handler on the thread that reads the connections, regardless of the options for order and
    /// limits, without another thread taking over: for handlers that return within about a microsecond. If it blocks,
    /// all connections of the server wait.</summary>
    /// <returns>This handler.</returns>
    public RpcHandler Inline()
    {
        IsInline = true;
        return this;
    }

    /// <summary>Handles one request, whose bytes are in the ring until
    /// <see cref="CalleeLink.ReleaseRequest"/>.</summary>
    /// <returns>Whether the calling thread may still read: if not, it must not touch the reading side of any
    /// connection.</returns>
    internal abstract bool Handle(
        HandlerTurn? turn,
        Callee callee,
        in FrameHeader header,
        CallHead? head,
        CallFormat format,
        ReadOnlySpan<byte> body);

    /// <summary>The same for a request that is executed once.</summary>
    internal abstract bool HandleOnce(
        OnceMemory memory,
        HandlerTurn? turn,
        Callee callee,
        in FrameHeader header,
        CallHead? head,
        CallFormat format,
        ReadOnlySpan<byte> body);
}
