using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Rpc;

/// <summary>Makes calls. Generated proxies stand on it: on an <see cref="RpcClient"/>, on what a handler calls its
/// client back with, or on an interceptor around either.</summary>
/// <remarks>Every call ends: response, <see cref="RpcCallException"/>, or cancellation. Any number of threads may use
/// one at once.</remarks>
public abstract class RpcCaller
{
    /// <summary>Calls and waits for the response.</summary>
    /// <exception cref="RpcCallException">The call failed; the status says why.</exception>
    /// <exception cref="OperationCanceledException"><paramref name="cancellationToken"/> was triggered; the callee is
    /// told.</exception>
    public abstract TResponse Call<TRequest, TResponse>(
        RpcMethod<TRequest, TResponse> method, in TRequest request, CancellationToken cancellationToken = default);

    /// <summary>Calls without waiting for the response. Await the result exactly once.</summary>
    /// <exception cref="RpcCallException">The call failed; the status says why. Local refusals are thrown at once, the
    /// rest when awaited.</exception>
    /// <exception cref="OperationCanceledException"><paramref name="cancellationToken"/> was triggered; the callee is
    /// told.</exception>
    public abstract ValueTask<TResponse> CallAsync<TRequest, TResponse>(
        RpcMethod<TRequest, TResponse> method, in TRequest request, CancellationToken cancellationToken = default);

    /// <summary>Makes a task of a call, as generated proxies do: it may be awaited later, more than once, or not at
    /// all. One allocation.</summary>
    /// <remarks>Unlike <see cref="ValueTask{TResult}.AsTask"/>, which begins to wait, it lets a
    /// <see cref="RpcBatch">batch</see> hold the request back, and reads for the answer here only where the thread was
    /// seen to await each such task before it makes the next.</remarks>
    public static Task<TResponse> TaskOf<TResponse>(ValueTask<TResponse> call)
    {
        TaskMaking.IsHere = true;
        try
        {
            return call.AsTask();
        }
        finally
        {
            TaskMaking.IsHere = false;
        }
    }

    /// <summary>A call that has ended with <paramref name="exception"/>: what a generated method that returns a task
    /// does with what is thrown before there is one. A cancellation makes a cancelled task.</summary>
    public static ValueTask<TResponse> Failed<TResponse>(Exception exception)
    {
        var failed = AsyncTaskMethodBuilder<TResponse>.Create(); // which knows a cancellation from a failure
        failed.SetException(exception ?? throw new ArgumentNullException(nameof(exception)));
        return new ValueTask<TResponse>(failed.Task);
    }

    /// <summary>Calls, and reports progress until the response. Await the result exactly once.</summary>
    /// <remarks>Reports come in order, from one thread at a time, and none after the response. The callee leaves out
    /// those that it has newer ones for. What <paramref name="progress"/> throws fails the call.</remarks>
    public abstract ValueTask<TResponse> CallAsync<TRequest, TResponse, TProgress>(
        RpcProgressMethod<TRequest, TResponse, TProgress> method,
        in TRequest request,
        IProgress<TProgress> progress,
        CancellationToken cancellationToken = default);

    /// <summary>Calls a method that gives no answer. Returns when the request has been published.</summary>
    public abstract void Notify<TRequest>(RpcMethod<TRequest, RpcEmpty> method, in TRequest request);

    /// <summary>Calls a method that gives no answer, without waiting for room when the callee does not read. Await the
    /// result exactly once: it completes when the request has been published.</summary>
    /// <remarks>A caller that does not override it waits as <see cref="Notify"/> does.</remarks>
    /// <exception cref="RpcCallException">It was not sent. Local refusals are thrown at once, the rest when
    /// awaited.</exception>
    /// <exception cref="OperationCanceledException"><paramref name="cancellationToken"/> was triggered before it was
    /// sent.</exception>
    public virtual ValueTask NotifyAsync<TRequest>(
        RpcMethod<TRequest, RpcEmpty> method, in TRequest request, CancellationToken cancellationToken = default)
    {
        cancellationToken.ThrowIfCancellationRequested();
        Notify(method, in request);
        return default;
    }

    /// <summary>Asks for a stream: each enumeration is a call of its own, sent when its first item is asked
    /// for.</summary>
    public abstract IAsyncEnumerable<TItem> Stream<TRequest, TItem>(
        RpcMethod<TRequest, TItem> method, TRequest request, CancellationToken cancellationToken = default);

    /// <summary>Sends a stream and gets one response. Await the result exactly once.</summary>
    /// <remarks>Items are asked of <paramref name="items"/> only while the callee has room for them. What it throws
    /// fails the call, and the callee sees a cancellation. When the callee answers early or the call fails otherwise,
    /// its token fires, and it is disposed as soon as it comes back; the call does not wait for that.</remarks>
    public abstract ValueTask<TResponse> ClientStream<TRequest, TIn, TResponse>(
        RpcStreamMethod<TRequest, TIn, TResponse> method,
        TRequest request,
        IAsyncEnumerable<TIn> items,
        CancellationToken cancellationToken = default);

    /// <summary>Sends a stream and gets another: each enumeration is a call of its own, sent when its first item is
    /// asked for.</summary>
    /// <remarks>The two streams do not wait for each other; each has its own credit. For <paramref name="items"/> holds
    /// what <see cref="ClientStream"/> says.</remarks>
    public abstract IAsyncEnumerable<TOut> Duplex<TRequest, TIn, TOut>(
        RpcStreamMethod<TRequest, TIn, TOut> method,
        TRequest request,
        IAsyncEnumerable<TIn> items,
        CancellationToken cancellationToken = default);
}
