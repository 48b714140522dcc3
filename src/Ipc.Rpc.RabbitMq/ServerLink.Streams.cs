using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Diagnostics;
using System.Threading;
using System.Threading.Tasks;
using RabbitMQ.Client;

namespace Ipc.Rpc.RabbitMq;

// The request of a stream is acknowledged when the stream has begun, after its first message on the same channel: a
// stream that lasts for days takes no place among the requests in hand, and the broker never gives a stream that has
// sent items to another server, which would begin it anew. What goes before that is delivered again, and begins at
// another server, marked; its client has had no item then.
internal sealed partial class ServerLink
{
    private const int MostUnknown = 64;

    private static readonly TimeSpan _patience = TimeSpan.FromSeconds(1);

    private readonly ConcurrentDictionary<string, OutgoingStream> _streams = new();
    private int _streamCount;
    private volatile bool _endsStreams;
    private int _unknown; // answers to words for streams that are not here, which are being sent

    /// <returns>Whether the request has been acknowledged, or must not be.</returns>
    private async Task<bool> RunStreamAsync(Request request, StreamTerms terms)
    {
        int count = Interlocked.Increment(ref _streamCount);
        try
        {
            if (RefusalOf(request, count) is { } refusal)
            {
                await AnswerAsync(request, [], null, refusal).ConfigureAwait(false);
                return false;
            }

            using OutgoingStream stream = new(terms);
            using CancellationTokenSource call = CancellationTokenSource.CreateLinkedTokenSource(
                _lost.Token, stream.Stopped);
            _running[request.MessageId] = call;
            _streams[stream.Id] = stream;
            try
            {
                if (_endsStreams)
                    return true; // it is not: another server gets it when the connection closes
                if (_cancelled.Contains(request.MessageId))
                    return false; // nobody waits for an answer
                BasicProperties first = PropertiesOf(request.CorrelationId, new() { [Wire.Item] = 0L });
                (first.ReplyTo, first.MessageId) = (_listens, stream.Id);
                await SendAsync(request.ReplyTo!, first, default).ConfigureAwait(false);
                await _work.BasicAckAsync(request.Tag, multiple: false).ConfigureAwait(false);
                await PumpAsync(request, stream, call.Token).ConfigureAwait(false);
                return true;
            }
            finally
            {
                _streams.TryRemove(stream.Id, out _);
                _running.TryRemove(new KeyValuePair<string, CancellationTokenSource>(request.MessageId, call));
            }
        }
        finally
        {
            Interlocked.Decrement(ref _streamCount);
        }
    }

    /// <summary>Begins no further streams, ends those that are being sent, and tells their clients, as far as that is
    /// possible in a moment.</summary>
    public async Task EndStreamsAsync()
    {
        Deadline until = Deadline.After(_patience);
        _endsStreams = true; // first: a stream that begins now looks there when it can be found
        foreach ((string key, OutgoingStream stream) in _streams)
            stream.End(new RpcCallException(
                RpcStatus.Unavailable, "The stream's server has stopped. How far the stream came is not known."));
        while (!_streams.IsEmpty && !HasEnded && !until.HasPassed)
            await Task.Delay(5).ConfigureAwait(false);
    }

    private RpcCallException? RefusalOf(Request request, int count)
    {
        if (request.WrongStream is { } wrong)
            return new RpcCallException(
                RpcStatus.InvalidArgument, "The stream " + request.Method + " cannot be sent: " + wrong + ".");
        if (request.Body.Length > _options.MaxMessageBytes)
            return TooLong(request);
        return count <= _options.MaxStreams
            ? null
            : new RpcCallException(
                RpcStatus.ResourceExhausted,
                "The server sends " + _options.MaxStreams + " streams, as many as " + nameof(RabbitMqServerOptions) +
                "." + nameof(RabbitMqServerOptions.MaxStreams) + " allows.");
    }

    /// <summary>Sends items as far as there is credit for them, and the end.</summary>
    private async Task PumpAsync(Request request, OutgoingStream stream, CancellationToken cancellationToken)
    {
        using Activity? activity = RequestHandler.Begin(request);
        RpcMetadata? metadata = null;
        RpcCallException? failure = null;
        long count = 0;
        IAsyncEnumerator<byte[]>? items = null;
        try
        {
            items = _handler.Stream(request, told => metadata = told, cancellationToken);
            while (await items.MoveNextAsync().ConfigureAwait(false))
            {
                byte[] item = items.Current;
                if (item.Length > _options.MaxMessageBytes)
                {
                    failure = TooLong(request, item, count + 1);
                    break;
                }

                await stream.TakeAsync(cancellationToken).ConfigureAwait(false);
                stream.Charge(item.Length);
                await SendAsync(
                    request.ReplyTo!, PropertiesOf(request.CorrelationId, new() { [Wire.Item] = ++count }), item)
                    .ConfigureAwait(false);
            }
        }
        catch (RpcCallException e)
        {
            failure = e;
        }
        catch (OperationCanceledException e)
        {
            failure = new RpcCallException(
                RpcStatus.Cancelled, "A call to " + request.Method + " was cancelled.", e);
        }
        catch (ObjectDisposedException e) when (_handler.IsStopping)
        {
            failure = new RpcCallException(RpcStatus.Unavailable, "The server has stopped.", e);
        }
        finally
        {
            if (items is not null)
                await items.DisposeAsync().ConfigureAwait(false);
        }

        if (stream.Stopped.IsCancellationRequested && failure?.Status == RpcStatus.Cancelled)
            failure = stream.Failure;
        if (failure is not null)
            activity?.SetStatus(ActivityStatusCode.Error, failure.Message);
        if (!HasEnded)
            await AnswerAsync(request, [], metadata, failure, count).ConfigureAwait(false);
    }

    private RpcCallException TooLong(Request request, byte[] item, long number) => new(
        RpcStatus.ResourceExhausted,
        "Item " + number + " of " + request.Method + " has " + item.Length + " bytes; " +
        nameof(RabbitMqServerOptions) + "." + nameof(RabbitMqOptions.MaxMessageBytes) + " of its server allows " +
        _options.MaxMessageBytes + ".");

    // The client's thread: only quick things happen here.
    private void OnWordForStream(string key, IReadOnlyBasicProperties properties)
    {
        if (_streams.TryGetValue(key, out OutgoingStream? stream))
            stream.Hear(
                Wire.NumberOf(properties.Headers, Wire.Credit), Wire.NumberOf(properties.Headers, Wire.CreditBytes));
        else if (properties is { ReplyTo: { Length: > 0 } replyTo, CorrelationId: { Length: > 0 } id } &&
            Wire.Fits(replyTo) && Wire.Fits(id))
            _ = SayUnknownAsync(replyTo, id);
    }

    /// <summary>Whoever waits for a stream that has ended would wait for ever. Not for everybody at once: who asks too
    /// soon asks again.</summary>
    private async Task SayUnknownAsync(string replyTo, string correlationId)
    {
        if (Interlocked.Increment(ref _unknown) <= MostUnknown)
        {
            Dictionary<string, object?> headers = new();
            Wire.AddFailure(headers, new RpcCallException(
                RpcStatus.Unavailable,
                "The stream is not there any more at its server. How far it came there is not known."));
            try
            {
                await SendAsync(replyTo, PropertiesOf(correlationId, headers), default).ConfigureAwait(false);
            }
            catch (Exception e) when (Broker.IsOfBroker(e))
            {
                // then the link has ended
            }
        }

        Interlocked.Decrement(ref _unknown);
    }
}
