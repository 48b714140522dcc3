using System;
using System.Collections.Generic;
using System.Runtime.ExceptionServices;
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
    /// <para>Dispose the enumerator: until then the stream lives, at its server, too. That may be done while an item is
    /// waited for: the wait ends with <see cref="RpcStatus.Cancelled"/>.</para>
    /// </remarks>
    /// <exception cref="RpcCallException">When an item is asked for. <see cref="RpcStatus.DataLoss"/>: items are
    /// missing, or came twice; <see cref="RpcStatus.ResourceExhausted"/>: more came than there was credit for, or the
    /// server serves <see cref="RabbitMqServerOptions.MaxStreams"/>; others as of any call.</exception>
    /// <inheritdoc/>
    public override IAsyncEnumerable<TItem> Stream<TRequest, TItem>(
        RpcMethod<TRequest, TItem> method, TRequest request, CancellationToken cancellationToken = default)
    {
        Check(method, RpcMethodKind.ServerStream);
        return new StreamItems<TItem>(
            this, method, method.IsIdempotent, Encode(method, method.Request, in request), method.Response, null,
            [cancellationToken, OfHandler]);
    }

    /// <summary>Calls a method that takes a stream and returns one response. Await the result exactly once.</summary>
    /// <remarks>
    /// <para><paramref name="items"/> is enumerated when a server has begun the call, and from then on only while that
    /// server has room for items: it is ahead of its handler by at most
    /// <see cref="RabbitMqServerOptions.StreamWindow"/> items, and by those that wait within its process. If
    /// <paramref name="items"/> throws, the call fails with that exception and the handler sees a cancellation. If the
    /// handler answers early, or the call fails otherwise, its token is cancelled, and it is disposed when it returns;
    /// the call does not wait for that.</para>
    /// <para>The stream stays at the server that has begun it. If that goes, or either connection to the broker, the
    /// call ends with <see cref="RpcStatus.Unavailable"/>: how far it came there is not known. No other server gets a
    /// part of the stream: where the broker gives the request to another one after items were sent, its handler sees no
    /// item, no end, and a cancellation. <see cref="RabbitMqClientOptions.Retry"/> repeats what has not begun.</para>
    /// </remarks>
    /// <exception cref="RpcCallException">As of any call; <see cref="RpcStatus.ResourceExhausted"/> also when the
    /// server serves <see cref="RabbitMqServerOptions.MaxStreams"/>, or an item is longer than
    /// <see cref="RabbitMqOptions.MaxMessageBytes"/>.</exception>
    /// <inheritdoc/>
    public override ValueTask<TResponse> ClientStream<TRequest, TIn, TResponse>(
        RpcStreamMethod<TRequest, TIn, TResponse> method,
        TRequest request,
        IAsyncEnumerable<TIn> items,
        CancellationToken cancellationToken = default)
    {
        Check(method, RpcMethodKind.ClientStream);
        ArgumentNullException.ThrowIfNull(items);
        cancellationToken.ThrowIfCancellationRequested();
        return UploadAsync(method, Encode(method, method.Request, in request), items, cancellationToken);
    }

    /// <summary>Calls a method that takes a stream and returns one. Each enumeration is a separate call, sent when its
    /// first item is requested.</summary>
    /// <remarks>The two streams are independent; each has its own credit. <paramref name="items"/> is used as by
    /// <see cref="ClientStream"/>, and what comes back comes as from <see cref="Stream"/>. When the handler ends its
    /// stream, the call ends, even if <paramref name="items"/> has not.</remarks>
    /// <exception cref="RpcCallException">When an item is asked for: as of <see cref="Stream"/> and
    /// <see cref="ClientStream"/>.</exception>
    /// <inheritdoc/>
    public override IAsyncEnumerable<TOut> Duplex<TRequest, TIn, TOut>(
        RpcStreamMethod<TRequest, TIn, TOut> method,
        TRequest request,
        IAsyncEnumerable<TIn> items,
        CancellationToken cancellationToken = default)
    {
        Check(method, RpcMethodKind.Duplex);
        ArgumentNullException.ThrowIfNull(items);
        return new StreamItems<TOut>(
            this, method, isIdempotent: false, Encode(method, method.Request, in request), method.Response,
            (link, stream) => link.Send(stream, items, item => EncodeItem(method, item)),
            [cancellationToken, OfHandler]);
    }

    /// <summary>The span of a call with a stream; <see langword="null"/> if nobody listens.</summary>
    internal RequestSpan? SpanOf(RpcMethod method) => RequestSpan.Sending(method, _address, isOneWay: false);

    /// <summary>Makes a call with a stream; again if the policy says so, until a server has begun it.</summary>
    internal Task<(ClientLink Link, StreamCall Stream)> OpenAsync(
        RpcMethod method, bool isIdempotent, byte[] request, CancellationToken[] tokens, RequestSpan? span)
        => Attempts(
            method,
            isIdempotent,
            request,
            async (link, outgoing, attempt, until, stop) =>
                (link, await link.OpenAsync(outgoing, method.Kind, attempt, until, stop).ConfigureAwait(false)),
            Timeout.InfiniteTimeSpan,
            tokens,
            span);

    /// <summary>What ends a stream that begins now beside its tokens: the client's end, and the deadline.</summary>
    internal CancellationTokenSource StopOfStream(CancellationToken[] tokens)
        => StopOf(Deadline.Earlier(_terms.Until, RpcDeadline.Current), tokens);

    /// <summary>Hands over the metadata of a stream's last message, if it came.</summary>
    internal void Tell(StreamCall stream)
    {
        if (stream.LastHeaders is { } last)
            _terms.Answer?.Invoke(Wire.MetadataOf(last));
    }

    /// <summary>The same within an attempt: what the receiver throws is none of the attempt's ends.</summary>
    private void TellWithin(IDictionary<string, object?>? headers)
    {
        if (headers is null || _terms.Answer is not { } receiver)
            return;
        try
        {
            receiver(Wire.MetadataOf(headers));
        }
#pragma warning disable CA1031 // the call fails with it
        catch (Exception e)
#pragma warning restore CA1031
        {
            throw new ReceiverFailedException(ExceptionDispatchInfo.Capture(e));
        }
    }

    private async ValueTask<TResponse> UploadAsync<TRequest, TIn, TResponse>(
        RpcStreamMethod<TRequest, TIn, TResponse> method,
        byte[] request,
        IAsyncEnumerable<TIn> items,
        CancellationToken cancellationToken)
    {
        using RequestSpan? span = SpanOf(method);
        try
        {
            // what the caller's stream throws is not the call's: no attempt follows it, whatever it is
            (Answer? answer, Exception? ofSource) = await Attempts<(Answer?, Exception?)>(
                method,
                isIdempotent: false,
                request,
                async (link, outgoing, attempt, until, stop) =>
                {
                    StreamCall stream = await link.OpenAsync(
                        outgoing, method.Kind, attempt, until, stop).ConfigureAwait(false);
                    try
                    {
                        link.Send(stream, items, item => EncodeItem(method, item));
                        Answer got = await stream.Answered.WaitAsync(stop).ConfigureAwait(false);
                        TellWithin(stream.LastHeaders);
                        return (got, null);
                    }
                    catch (Exception e) when (e == stream.OfSource)
                    {
                        return (null, e);
                    }
                    catch (RpcCallException)
                    {
                        TellWithin(stream.LastHeaders);
                        throw;
                    }
                    finally
                    {
                        link.Close(stream);
                    }
                },
                _terms.Timeout,
                [cancellationToken, OfHandler],
                span).ConfigureAwait(false);
            if (ofSource is not null)
                ExceptionDispatchInfo.Throw(ofSource);
            return Decode(method, method.Response, answer!.Body);
        }
        catch (Exception e)
        {
            span?.Failed(e);
            throw;
        }
    }

    private byte[] EncodeItem<TRequest, TIn, TResponse>(RpcStreamMethod<TRequest, TIn, TResponse> method, TIn item)
    {
        byte[] body;
        try
        {
            body = Wire.Encode(method.Item, in item);
        }
#pragma warning disable CA1031 // whatever a codec throws
        catch (Exception e)
#pragma warning restore CA1031
        {
            throw Failed(
                method, RpcStatus.InvalidArgument,
                "An item for " + method.FullName + " cannot be encoded: " + ErrorText.Of(e), inner: e);
        }

        return body.Length <= _options.MostToSend
            ? body
            : throw Failed(
                method, RpcStatus.ResourceExhausted,
                "An item for " + method.FullName + " has " + body.Length + " bytes; " +
                _options.SaysMostToSend(nameof(RabbitMqClientOptions)) + Raise);
    }

    private static void Check(RpcMethod method, RpcMethodKind kind)
    {
        ArgumentNullException.ThrowIfNull(method);
        if (method.Kind != kind)
            throw new ArgumentException(
                method.FullName + " is " + method.Kind + " and cannot be called as " + kind + ".", nameof(method));
    }
}
