using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;
using RabbitMQ.Client;
using RabbitMQ.Client.Events;

namespace Ipc.Rpc.RabbitMq;

// The request of a stream is acknowledged when the stream has begun, after its first message on the same channel: a
// stream that lasts for days takes no place among the requests in hand, and the broker never gives a stream that has
// sent items to another server, which would begin it anew. What goes before that is delivered again, and begins at
// another server, marked; its client has had no item then. If it has sent some by then, it cancels the call there: the
// handler has begun, and neither gets an item nor sees an end.
internal sealed partial class ServerLink
{
    private const int MostUnknown = 64;

    private static readonly TimeSpan _patience = TimeSpan.FromSeconds(1);

    // Those that the broker gives before earlier ones were acknowledged. Each is put away at once: this bounds what is
    // on the way to this process when somebody sends without having credit.
    private const ushort ItemsOnTheWay = 64;

    private readonly ConcurrentDictionary<string, ServedStream> _streams = new();
    private IChannel _items = null!;
    private string _takesItems = string.Empty; // its own queue for what clients send
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

            using ServedStream stream = new(terms, terms.Sends
                ? new ItemInbox(
                    _options.StreamWindow, StreamTerms.WindowBytes, _options.MaxMessageBytes,
                    nameof(RabbitMqServerOptions))
                : null);
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
                if (await IsTakenAsync(request, call.Token).ConfigureAwait(false) is { } isOver)
                    return isOver;
                await SendAsync(request.ReplyTo!, FirstOf(request, stream), default).ConfigureAwait(false);
                await _work.BasicAckAsync(request.Tag, multiple: false).ConfigureAwait(false);
                await ServeAsync(request, stream, call.Token).ConfigureAwait(false);
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

    /// <summary>Waits until the handlers are there: the stream has begun for its client with the next word.</summary>
    /// <returns>What <see cref="RunStreamAsync"/> returns, when there will be no stream.</returns>
    private async ValueTask<bool?> IsTakenAsync(Request request, CancellationToken cancellationToken)
    {
        try
        {
            if (await RefusalOfAsync(request, cancellationToken).ConfigureAwait(false) is { } refusal)
            {
                await AnswerAsync(request, [], null, refusal).ConfigureAwait(false);
                return false;
            }

            await _handler.WhenThereAsync(cancellationToken).ConfigureAwait(false);
            return null;
        }
        catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
        {
            return HasEnded || _endsStreams; // else its client has cancelled it
        }
    }

    private BasicProperties FirstOf(Request request, ServedStream stream)
    {
        Dictionary<string, object?> headers = new() { [Wire.Item] = 0L };
        if (stream.Inbox is not null)
        {
            headers[Wire.To] = _takesItems;
            headers[Wire.Credit] = (long)_options.StreamWindow;
            headers[Wire.CreditBytes] = StreamTerms.WindowBytes;
        }

        BasicProperties first = PropertiesOf(request.CorrelationId, headers);
        (first.ReplyTo, first.MessageId) = (_listens, stream.Id);
        return first;
    }

    private async Task OpenItemsAsync(CancellationToken cancellationToken)
    {
        _items = await OpenChannelAsync(Confirms.None, cancellationToken).ConfigureAwait(false);
        QueueDeclareOk own = await _items.QueueDeclareAsync(
            string.Empty, durable: false, exclusive: true, autoDelete: true,
            cancellationToken: cancellationToken).ConfigureAwait(false);
        _takesItems = own.QueueName;
        await _items.BasicQosAsync(0, ItemsOnTheWay, false, cancellationToken).ConfigureAwait(false);
        AsyncEventingBasicConsumer items = new(_items);
        items.ReceivedAsync += OnItem;
        await _items.BasicConsumeAsync(
            own.QueueName, autoAck: false, items, cancellationToken).ConfigureAwait(false);
    }

    /// <summary>Begins no further streams, ends those that are under way, and tells their clients, as far as that is
    /// possible in a moment.</summary>
    public async Task EndStreamsAsync()
    {
        Deadline until = Deadline.After(_patience);
        _endsStreams = true; // first: a stream that begins now looks there when it can be found
        foreach ((string key, ServedStream stream) in _streams)
            stream.End(new RpcCallException(
                RpcStatus.Unavailable, "The stream's server has stopped. How far the stream came is not known."));
        while (!_streams.IsEmpty && !HasEnded && !until.HasPassed)
            await Task.Delay(5).ConfigureAwait(false);
    }

    private RpcCallException? RefusalOf(Request request, int count)
    {
        if (request.WrongStream is { } wrong)
            return new RpcCallException(
                RpcStatus.InvalidArgument, "The stream " + request.Method + " cannot be served: " + wrong + ".");
        return count <= _options.MaxStreams
            ? null
            : new RpcCallException(
                RpcStatus.ResourceExhausted,
                "The server serves " + _options.MaxStreams + " streams, as many as " + nameof(RabbitMqServerOptions) +
                "." + nameof(RabbitMqServerOptions.MaxStreams) + " allows.");
    }

    private async Task ServeAsync(Request request, ServedStream stream, CancellationToken cancellationToken)
    {
        using RequestSpan? span = RequestSpan.Handling(request);
        try
        {
            await ServeAsync(request, stream, span, cancellationToken).ConfigureAwait(false);
        }
        catch (Exception e) // the link's end: nobody has been told how the stream ended
        {
            span?.Failed(e);
            throw;
        }
    }

    /// <summary>Runs the handler, and sends what comes of it.</summary>
    private async Task ServeAsync(
        Request request, ServedStream stream, RequestSpan? span, CancellationToken cancellationToken)
    {
        RpcMetadata? metadata = null;
        RpcCallException? failure = null;
        byte[] answer = [];
        bool isAnswered = request.Stream!.IsAnswered;
        IAsyncEnumerable<byte[]>? items = stream.Inbox is { } inbox
            ? ItemsOf(request, inbox, CancellationToken.None) // whoever enumerates it gives one
            : null;
        try
        {
            if (!isAnswered)
                answer = await _handler.AnswerAsync(
                    request, items!, told => metadata = told, cancellationToken).ConfigureAwait(false);
            else
                failure = await PumpAsync(
                    request,
                    stream,
                    _handler.Stream(request, told => metadata = told, cancellationToken, items),
                    cancellationToken).ConfigureAwait(false);
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
        catch (Exception e) when (e is IpcException || !Broker.IsOfBroker(e)) // its end alone: other streams go on
        {
            failure = new RpcCallException(
                RpcStatus.Internal, "A stream of " + request.Method + " could not be served: " + ErrorText.Of(e), e);
        }

        if (stream.Stopped.IsCancellationRequested && failure?.Status == RpcStatus.Cancelled)
            failure = stream.Failure;
        if (failure is not null)
            span?.Failed(failure);
        if (!HasEnded)
            await AnswerAsync(
                request, answer, metadata, failure, isAnswered ? stream.Sent : null).ConfigureAwait(false);
    }

    /// <summary>Sends items as far as there is credit for them.</summary>
    /// <returns>What is wrong with one of them; <see langword="null"/> at their end.</returns>
    private async Task<RpcCallException?> PumpAsync(
        Request request, ServedStream stream, IAsyncEnumerator<byte[]> items, CancellationToken cancellationToken)
    {
        try
        {
            while (await items.MoveNextAsync().ConfigureAwait(false))
            {
                byte[] item = items.Current;
                if (item.Length > _options.MostToSend)
                    return TooLong(request, item, stream.Sent + 1);
                long number = await stream.TakeAsync(item.Length, cancellationToken).ConfigureAwait(false);
                await SendAsync(
                    request.ReplyTo!, PropertiesOf(request.CorrelationId, new() { [Wire.Item] = number }), item)
                    .ConfigureAwait(false);
            }

            return null;
        }
        finally
        {
            await items.DisposeAsync().ConfigureAwait(false);
        }
    }

    /// <summary>What the client sends. It may send more when half of what it might has been taken from here.</summary>
    private async IAsyncEnumerable<byte[]> ItemsOf(
        Request request, ItemInbox inbox, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        while (await inbox.TakeAsync(cancellationToken).ConfigureAwait(false) is { } item)
        {
            if (inbox.TakeCredit() is { Items: > 0 } credit)
                await GiveAsync(request, credit).ConfigureAwait(false);
            yield return item;
        }
    }

    private async Task GiveAsync(Request request, (long Items, long Bytes) credit)
    {
        try
        {
            await SendAsync(
                request.ReplyTo!,
                PropertiesOf(request.CorrelationId, new()
                {
                    [Wire.Credit] = credit.Items,
                    [Wire.CreditBytes] = credit.Bytes,
                }),
                default).ConfigureAwait(false);
        }
        catch (Exception e) when (Broker.IsOfBroker(e))
        {
            // then the link has ended, and with it the stream
        }
    }

    private RpcCallException TooLong(Request request, byte[] item, long number) => new(
        RpcStatus.ResourceExhausted,
        "Item " + number + " of " + request.Method + " has " + item.Length + " bytes; at its server " +
        _options.SaysMostToSend(nameof(RabbitMqServerOptions)));

    // The client's thread: only quick things happen here.
    private Task OnItem(object sender, BasicDeliverEventArgs message)
    {
        if (message.BasicProperties is { Type: Wire.Type, MessageId: { } key } properties &&
            _streams.TryGetValue(key, out ServedStream? stream))
            stream.OnItem(properties.Headers, message.Body);
        _ = AcknowledgeItemAsync(message.DeliveryTag);
        return Task.CompletedTask;
    }

    private async Task AcknowledgeItemAsync(ulong tag)
    {
        try
        {
            await _items.BasicAckAsync(tag, multiple: false).ConfigureAwait(false);
        }
        catch (Exception e) when (Broker.IsOfBroker(e))
        {
            // then the link has ended
        }
    }

    // The client's thread, as before.
    private void OnWordForStream(string key, IReadOnlyBasicProperties properties)
    {
        if (_streams.TryGetValue(key, out ServedStream? stream))
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
