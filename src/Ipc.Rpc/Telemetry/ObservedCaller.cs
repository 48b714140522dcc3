using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Rpc;

/// <summary>Makes another caller's calls while somebody listens: each in a <see cref="CallSpan"/>.</summary>
/// <remarks>A caller asks <see cref="RpcTelemetry.IsOn"/> and comes here with the version of itself that does not
/// ask.</remarks>
internal sealed class ObservedCaller : RpcCaller
{
    private readonly RpcCaller _direct;

    public ObservedCaller(RpcCaller direct) => _direct = direct;

    public override TResponse Call<TRequest, TResponse>(
        RpcMethod<TRequest, TResponse> method, in TRequest request, CancellationToken cancellationToken = default)
    {
        CallSpan span = CallSpan.Client(method);
        try
        {
            TResponse response = _direct.Call(method, in request, cancellationToken);
            span.End(null);
            return response;
        }
        catch (Exception e)
        {
            span.End(e);
            throw;
        }
    }

    public override ValueTask<TResponse> CallAsync<TRequest, TResponse>(
        RpcMethod<TRequest, TResponse> method, in TRequest request, CancellationToken cancellationToken = default)
    {
        CallSpan span = CallSpan.Client(method);
        try
        {
            ValueTask<TResponse> call = _direct.CallAsync(method, in request, cancellationToken);
            CallSpan.LeaveOpen(in span);
            return Finish(call, span);
        }
        catch (Exception e)
        {
            span.End(e);
            throw;
        }
    }

    public override ValueTask<TResponse> CallAsync<TRequest, TResponse, TProgress>(
        RpcProgressMethod<TRequest, TResponse, TProgress> method,
        in TRequest request,
        IProgress<TProgress> progress,
        CancellationToken cancellationToken = default)
    {
        CallSpan span = CallSpan.Client(method);
        try
        {
            ValueTask<TResponse> call = _direct.CallAsync(method, in request, progress, cancellationToken);
            CallSpan.LeaveOpen(in span);
            return Finish(call, span);
        }
        catch (Exception e)
        {
            span.End(e);
            throw;
        }
    }

    public override void Notify<TRequest>(RpcMethod<TRequest, RpcEmpty> method, in TRequest request)
    {
        CallSpan span = CallSpan.Client(method);
        try
        {
            _direct.Notify(method, in request);
            span.End(null);
        }
        catch (Exception e)
        {
            span.End(e);
            throw;
        }
    }

    public override ValueTask NotifyAsync<TRequest>(
        RpcMethod<TRequest, RpcEmpty> method, in TRequest request, CancellationToken cancellationToken = default)
    {
        CallSpan span = CallSpan.Client(method);
        try
        {
            ValueTask call = _direct.NotifyAsync(method, in request, cancellationToken);
            CallSpan.LeaveOpen(in span);
            return Finish(call, span);
        }
        catch (Exception e)
        {
            span.End(e);
            throw;
        }
    }

    public override IAsyncEnumerable<TItem> Stream<TRequest, TItem>(
        RpcMethod<TRequest, TItem> method, TRequest request, CancellationToken cancellationToken = default)
        => Finish(_direct.Stream(method, request, cancellationToken), method, CancellationToken.None);

    public override ValueTask<TResponse> ClientStream<TRequest, TIn, TResponse>(
        RpcStreamMethod<TRequest, TIn, TResponse> method,
        TRequest request,
        IAsyncEnumerable<TIn> items,
        CancellationToken cancellationToken = default)
    {
        CallSpan span = CallSpan.Client(method);
        try
        {
            ValueTask<TResponse> call = _direct.ClientStream(method, request, items, cancellationToken);
            CallSpan.LeaveOpen(in span);
            return Finish(call, span);
        }
        catch (Exception e)
        {
            span.End(e);
            throw;
        }
    }

    public override IAsyncEnumerable<TOut> Duplex<TRequest, TIn, TOut>(
        RpcStreamMethod<TRequest, TIn, TOut> method,
        TRequest request,
        IAsyncEnumerable<TIn> items,
        CancellationToken cancellationToken = default)
        => Finish(_direct.Duplex(method, request, items, cancellationToken), method, CancellationToken.None);

    private static async ValueTask<TResponse> Finish<TResponse>(ValueTask<TResponse> call, CallSpan span)
    {
        try
        {
            TResponse response = await call.ConfigureAwait(false);
            span.End(null);
            return response;
        }
        catch (Exception e)
        {
            span.End(e);
            throw;
        }
    }

    private static async ValueTask Finish(ValueTask call, CallSpan span)
    {
        try
        {
            await call.ConfigureAwait(false);
            span.End(null);
        }
        catch (Exception e)
        {
            span.End(e);
            throw;
        }
    }

    /// <summary>Each enumeration is a call, and a span, from its first item asked for to its end.</summary>
    private static async IAsyncEnumerable<T> Finish<T>(
        IAsyncEnumerable<T> stream, RpcMethod method, [EnumeratorCancellation] CancellationToken enumeration)
    {
        CallSpan span = CallSpan.Client(method);
        RpcStatus status = RpcStatus.Cancelled; // of who stops asking before the end
        Exception? failure = null;
        IAsyncEnumerator<T> items = stream.GetAsyncEnumerator(enumeration);
        try
        {
            while (true)
            {
                try
                {
                    if (!await items.MoveNextAsync().ConfigureAwait(false))
                        break;
                }
                catch (Exception e)
                {
                    failure = e;
                    status = CallSpan.StatusOf(e);
                    throw;
                }

                yield return items.Current;
            }

            status = RpcStatus.Ok;
        }
        finally
        {
            await items.DisposeAsync().ConfigureAwait(false);
            span.End(status, failure);
        }
    }
}
