using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Rpc;

/// <summary>Forwards every call. Derive an interceptor from it to override some kinds of call only.</summary>
public abstract class RpcForwardingCaller : RpcCaller
{
    /// <summary>Forwards calls to <paramref name="next"/>.</summary>
    protected RpcForwardingCaller(RpcCaller next) => Next = next ?? throw new ArgumentNullException(nameof(next));

    /// <summary>The caller that calls are forwarded to.</summary>
    protected RpcCaller Next { get; }

    /// <inheritdoc />
    public override TResponse Call<TRequest, TResponse>(
        RpcMethod<TRequest, TResponse> method, in TRequest request, CancellationToken cancellationToken = default)
        => Next.Call(method, in request, cancellationToken);

    /// <inheritdoc />
    public override ValueTask<TResponse> CallAsync<TRequest, TResponse>(
        RpcMethod<TRequest, TResponse> method, in TRequest request, CancellationToken cancellationToken = default)
        => Next.CallAsync(method, in request, cancellationToken);

    /// <inheritdoc />
    public override ValueTask<TResponse> CallAsync<TRequest, TResponse, TProgress>(
        RpcProgressMethod<TRequest, TResponse, TProgress> method,
        in TRequest request,
        IProgress<TProgress> progress,
        CancellationToken cancellationToken = default)
        => Next.CallAsync(method, in request, progress, cancellationToken);

    /// <inheritdoc />
    public override void Notify<TRequest>(RpcMethod<TRequest, RpcEmpty> method, in TRequest request) =>
        Next.Notify(method, in request);

    /// <inheritdoc />
    public override ValueTask NotifyAsync<TRequest>(
        RpcMethod<TRequest, RpcEmpty> method, in TRequest request, CancellationToken cancellationToken = default)
        => Next.NotifyAsync(method, in request, cancellationToken);

    /// <inheritdoc />
    public override IAsyncEnumerable<TItem> Stream<TRequest, TItem>(
        RpcMethod<TRequest, TItem> method, TRequest request, CancellationToken cancellationToken = default)
        => Next.Stream(method, request, cancellationToken);

    /// <inheritdoc />
    public override ValueTask<TResponse> ClientStream<TRequest, TIn, TResponse>(
        RpcStreamMethod<TRequest, TIn, TResponse> method,
        TRequest request,
        IAsyncEnumerable<TIn> items,
        CancellationToken cancellationToken = default)
        => Next.ClientStream(method, request, items, cancellationToken);

    /// <inheritdoc />
    public override IAsyncEnumerable<TOut> Duplex<TRequest, TIn, TOut>(
        RpcStreamMethod<TRequest, TIn, TOut> method,
        TRequest request,
        IAsyncEnumerable<TIn> items,
        CancellationToken cancellationToken = default)
        => Next.Duplex(method, request, items, cancellationToken);
}
