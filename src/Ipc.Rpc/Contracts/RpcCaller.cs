using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Rpc;

/// <summary>Makes calls. Generated proxies use it: an <see cref="RpcClient"/>, the <see cref="RpcContext.Caller"/> of a
/// handler, or an interceptor around either.</summary>
/// <remarks>Every call ends, with a response, an <see cref="RpcCallException"/> or a cancellation. Any number of
/// threads may use one object at once.</remarks>
public abstract class RpcCaller
{
    /// <summary>Calls a method and waits for the response.</summary>
    /// <exception cref="RpcCallException">The call failed; the status says why.</exception>
    /// <exception cref="OperationCanceledException"><paramref name="cancellationToken"/> was triggered; the callee is
    /// told.</exception>
    public abstract TResponse Call<TRequest, TResponse>(
        RpcMethod<TRequest, TResponse> method, in TRequest request, CancellationToken cancellationToken = default);

    /// <summary>Calls a method asynchronously. Await the result exactly once.</summary>
    /// <exception cref="RpcCallException">The call failed; the status says why. What the client itself refuses is
    /// thrown at once, every other failure when the result is awaited.</exception>
    /// <exception cref="OperationCanceledException"><paramref name="cancellationToken"/> was triggered; the callee is
    /// told.</exception>
    public abstract ValueTask<TResponse> CallAsync<TRequest, TResponse>(
        RpcMethod<TRequest, TResponse> method, in TRequest request, CancellationToken cancellationToken = default);

    /// <summary>Makes a task of a call, as generated proxies do. The task may be awaited later, more than once, or not
    /// at all. It is one allocation.</summary>
    /// <remarks><see cref="ValueTask{TResult}.AsTask"/> starts to wait for the answer; this does not, so that a
    /// <see cref="RpcBatch">batch</see> can hold the request back. The calling thread reads the answer itself only
    /// where it has been seen to await each such task before it makes the next.</remarks>
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

    /// <summary>A call that has failed with <paramref name="exception"/>, or was cancelled if it is a cancellation.
    /// Generated methods that return a task use it for exceptions that are thrown before the task exists.</summary>
    public static ValueTask<TResponse> Failed<TResponse>(Exception exception)
    {
        var failed = AsyncTaskMethodBuilder<TResponse>.Create(); // which knows a cancellation from a failure
        failed.SetException(exception ?? throw new ArgumentNullException(nameof(exception)));
        return new ValueTask<TResponse>(failed.Task);
    }

    /// <summary>Calls a method that reports progress until its response. Await the result exactly once.</summary>
    /// <remarks>Reports arrive in order, on one thread at a time, and never after the response. The callee may drop a
    /// report when it has a newer one. An exception of <paramref name="progress"/> fails the call.</remarks>
    public abstract ValueTask<TResponse> CallAsync<TRequest, TResponse, TProgress>(
        RpcProgressMethod<TRequest, TResponse, TProgress> method,
        in TRequest request,
        IProgress<TProgress> progress,
        CancellationToken cancellationToken = default);

    /// <summary>Calls a one-way method. Returns when the request has been published.</summary>
    public abstract void Notify<TRequest>(RpcMethod<TRequest, RpcEmpty> method, in TRequest request);

    /// <summary>Calls a one-way method asynchronously, so that no thread waits when the ring is full. Await the result
    /// exactly once: it completes when the request has been published.</summary>
    /// <remarks>A class that does not override it blocks as <see cref="Notify"/> does.</remarks>
    /// <exception cref="RpcCallException">It was not sent. What the client itself refuses is thrown at once, every
    /// other failure when the result is awaited.</exception>
    /// <exception cref="OperationCanceledException"><paramref name="cancellationToken"/> was triggered before it was
    /// sent.</exception>
    public virtual ValueTask NotifyAsync<TRequest>(
        RpcMethod<TRequest, RpcEmpty> method, in TRequest request, CancellationToken cancellationToken = default)
    {
        cancellationToken.ThrowIfCancellationRequested();
        Notify(method, in request);
        return default;
    }

    /// <summary>Calls a method that returns a stream. Each enumeration is a separate call, sent when its first item is
    /// requested.</summary>
    public abstract IAsyncEnumerable<TItem> Stream<TRequest, TItem>(
        RpcMethod<TRequest, TItem> method, TRequest request, CancellationToken cancellationToken = default);

    /// <summary>Calls a method that takes a stream and returns one response. Await the result exactly once.</summary>
    /// <remarks><paramref name="items"/> is enumerated only while the callee has room for items. If it throws, the call
    /// fails with that exception and the callee sees a cancellation. If the callee answers early, or the call fails
    /// otherwise, its token is cancelled, and it is disposed when it returns; the call does not wait for
    /// that.</remarks>
    public abstract ValueTask<TResponse> ClientStream<TRequest, TIn, TResponse>(
        RpcStreamMethod<TRequest, TIn, TResponse> method,
        TRequest request,
        IAsyncEnumerable<TIn> items,
        CancellationToken cancellationToken = default);

    /// <summary>Calls a method that takes a stream and returns one. Each enumeration is a separate call, sent when its
    /// first item is requested.</summary>
    /// <remarks>The two streams are independent; each has its own credit. <paramref name="items"/> is used as by
    /// <see cref="ClientStream"/>.</remarks>
    public abstract IAsyncEnumerable<TOut> Duplex<TRequest, TIn, TOut>(
        RpcStreamMethod<TRequest, TIn, TOut> method,
        TRequest request,
        IAsyncEnumerable<TIn> items,
        CancellationToken cancellationToken = default);
}
