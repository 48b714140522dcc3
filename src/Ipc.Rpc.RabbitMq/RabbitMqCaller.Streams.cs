using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Rpc.RabbitMq;

public sealed partial class RabbitMqCaller
{
    /// <summary>Calls a method that returns a stream. Each enumeration is a separate call, sent when its first item is
    /// requested.</summary>
    /// <remarks>
    /// <para>The server is ahead of the consumer by at most <see cref="RabbitMqClientOptions.StreamWindow"/> items, and
    /// its handler by 64 more. Items come in order, each once, and all of them, or the enumeration ends with an
    /// exception after those that came.</para>
    /// <para>A stream that has begun stays at its server. If that goes, or either connection to the broker, it ends
    /// with <see cref="RpcStatus.Unavailable"/>: how far it came there is not known, and nothing begins it anew. A
    /// server that goes without a word is noticed within a third of <see cref="RabbitMqClientOptions.StreamLease"/>
    /// after the broker has noticed it. A request that has not begun may be delivered again, marked, as any other;
    /// <see cref="RabbitMqClientOptions.Retry"/> repeats what was certainly not handled.</para>
    /// <para>Dispose the enumerator: until then the stream lives, at its server, too.</para>
    /// </remarks>
    /// <exception cref="RpcCallException">When an item is asked for. <see cref="RpcStatus.DataLoss"/>: items are
    /// missing, or came twice; <see cref="RpcStatus.ResourceExhausted"/>: more came than there was credit for, or the
    /// server sends <see cref="RabbitMqServerOptions.MaxStreams"/>; others as of any call.</exception>
    /// <inheritdoc/>
    public override IAsyncEnumerable<TItem> Stream<TRequest, TItem>(
        RpcMethod<TRequest, TItem> method, TRequest request, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(method);
        if (method.Kind != RpcMethodKind.ServerStream)
            throw new ArgumentException(
                method.FullName + " is " + method.Kind + " and cannot be called as ServerStream.", nameof(method));
        return ItemsAsync(method, Encode(method, in request), cancellationToken, OfHandler);
    }

    /// <summary>Not supported.</summary>
    /// <exception cref="RpcCallException"><see cref="RpcStatus.Unimplemented"/>.</exception>
    public override ValueTask<TResponse> ClientStream<TRequest, TIn, TResponse>(
        RpcStreamMethod<TRequest, TIn, TResponse> method,
        TRequest request,
        IAsyncEnumerable<TIn> items,
        CancellationToken cancellationToken = default)
        => throw TakesStream(method);

    /// <summary>Not supported.</summary>
    /// <exception cref="RpcCallException"><see cref="RpcStatus.Unimplemented"/>.</exception>
    public override IAsyncEnumerable<TOut> Duplex<TRequest, TIn, TOut>(
        RpcStreamMethod<TRequest, TIn, TOut> method,
        TRequest request,
        IAsyncEnumerable<TIn> items,
        CancellationToken cancellationToken = default)
        => throw TakesStream(method);

    private async IAsyncEnumerable<TItem> ItemsAsync<TRequest, TItem>(
        RpcMethod<TRequest, TItem> method,
        byte[] request,
        CancellationToken ofCall,
        CancellationToken ofHandler,
        [EnumeratorCancellation] CancellationToken ofConsumer = default)
    {
        CancellationToken[] tokens = [ofConsumer, ofCall, ofHandler];
        foreach (CancellationToken token in tokens)
            token.ThrowIfCancellationRequested();
        Deadline until = Deadline.Earlier(_terms.Until, RpcDeadline.Current);
        (ClientLink link, IncomingStream stream) = await Attempts(
            method,
            method.IsIdempotent,
            request,
            async (link, outgoing, attempt, ends, stop) =>
                (link, await link.OpenAsync(outgoing, attempt, ends, stop).ConfigureAwait(false)),
            Timeout.InfiniteTimeSpan,
            tokens).ConfigureAwait(false);
        using CancellationTokenSource stop = StopOf(until, tokens);
        try
        {
            while (await NextAsync(method, link, stream, tokens, stop.Token).ConfigureAwait(false) is { } item)
                yield return Decode(method, item);
        }
        finally
        {
            link.Close(stream);
        }
    }

    private async ValueTask<byte[]?> NextAsync(
        RpcMethod method, ClientLink link, IncomingStream stream, CancellationToken[] tokens, CancellationToken stop)
    {
        try
        {
            if (await link.NextAsync(stream, stop).ConfigureAwait(false) is { } item)
                return item;
        }
        catch (OperationCanceledException e) when (stop.IsCancellationRequested)
        {
            throw Stopped(method, e, tokens);
        }
        catch (RpcCallException e)
        {
            if (stream.LastHeaders is { } last)
                _terms.Answer?.Invoke(Wire.MetadataOf(last));
            throw Whole(e, method, mayBeSent: true);
        }

        _terms.Answer?.Invoke(Wire.MetadataOf(stream.LastHeaders));
        return null;
    }

    private RpcCallException TakesStream(RpcMethod method)
    {
        ArgumentNullException.ThrowIfNull(method);
        return Failed(
            method,
            RpcStatus.Unimplemented,
            method.FullName + " takes a stream, which does not go over a broker. Call it over shared memory or TCP.",
            isUnsent: true);
    }
}
