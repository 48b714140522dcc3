using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Rpc;

/// <summary>Calls back for handlers whose number or order is bounded: while a handler waits for such a call, others may
/// run.</summary>
internal sealed class YieldingCaller : RpcCaller
{
    private readonly RpcCaller _inner;

    public YieldingCaller(RpcCaller inner) => _inner = inner;

    public override TResponse Call<TRequest, TResponse>(
        RpcMethod<TRequest, TResponse> method, in TRequest request, CancellationToken cancellationToken = default)
    {
        CallTurns? turns = Begin();
        try
        {
            return _inner.Call(method, in request, cancellationToken);
        }
        finally
        {
            turns?.EndCallback();
        }
    }

    public override ValueTask<TResponse> CallAsync<TRequest, TResponse>(
        RpcMethod<TRequest, TResponse> method, in TRequest request, CancellationToken cancellationToken = default)
    {
        CallTurns? turns = Begin();
        try
        {
            return EndWith(turns, _inner.CallAsync(method, in request, cancellationToken));
        }
        catch
        {
            turns?.EndCallback();
            throw;
        }
    }

    public override ValueTask<TResponse> CallAsync<TRequest, TResponse, TProgress>(
        RpcProgressMethod<TRequest, TResponse, TProgress> method,
        in TRequest request,
        IProgress<TProgress> progress,
        CancellationToken cancellationToken = default)
    {
        CallTurns? turns = Begin();
        try
        {
            return EndWith(turns, _inner.CallAsync(method, in request, progress, cancellationToken));
        }
        catch
        {
            turns?.EndCallback();
            throw;
        }
    }

    public override void Notify<TRequest>(RpcMethod<TRequest, RpcEmpty> method, in TRequest request) =>
        _inner.Notify(method, in request);

    public override ValueTask NotifyAsync<TRequest>(
        RpcMethod<TRequest, RpcEmpty> method, in TRequest request, CancellationToken cancellationToken = default)
        => _inner.NotifyAsync(method, in request, cancellationToken);

    public override IAsyncEnumerable<TItem> Stream<TRequest, TItem>(
        RpcMethod<TRequest, TItem> method, TRequest request, CancellationToken cancellationToken = default)
        => Through(_inner.Stream(method, request, cancellationToken), CancellationToken.None);

    public override ValueTask<TResponse> ClientStream<TRequest, TIn, TResponse>(
        RpcStreamMethod<TRequest, TIn, TResponse> method,
        TRequest request,
        IAsyncEnumerable<TIn> items,
        CancellationToken cancellationToken = default)
    {
        CallTurns? turns = Begin();
        try
        {
            return EndWith(turns, _inner.ClientStream(method, request, items, cancellationToken));
        }
        catch
        {
            turns?.EndCallback();
            throw;
        }
    }

    public override IAsyncEnumerable<TOut> Duplex<TRequest, TIn, TOut>(
        RpcStreamMethod<TRequest, TIn, TOut> method,
        TRequest request,
        IAsyncEnumerable<TIn> items,
        CancellationToken cancellationToken = default)
        => Through(_inner.Duplex(method, request, items, cancellationToken), CancellationToken.None);

    /// <summary>The handler that calls, if it is one's, leaves its places.</summary>
    private static CallTurns? Begin()
    {
        CallTurns? turns = RpcContext.Current?.Turns;
        turns?.BeginCallback();
        return turns;
    }

    private static ValueTask<T> EndWith<T>(CallTurns? turns, ValueTask<T> call)
    {
        return turns is null ? call : Await(turns, call);

        static async ValueTask<T> Await(CallTurns turns, ValueTask<T> call)
        {
            try
            {
                return await call.ConfigureAwait(false);
            }
            finally
            {
                turns.EndCallback();
            }
        }
    }

    private static async IAsyncEnumerable<T> Through<T>(
        IAsyncEnumerable<T> stream, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        CallTurns? turns = Begin();
        try
        {
            await foreach (T item in stream.WithCancellation(cancellationToken).ConfigureAwait(false))
                yield return item;
        }
        finally
        {
            turns?.EndCallback();
        }
    }
}
