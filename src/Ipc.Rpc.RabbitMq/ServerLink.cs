using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Globalization;
using System.Threading;
using System.Threading.Tasks;
using RabbitMQ.Client;
using RabbitMQ.Client.Events;

namespace Ipc.Rpc.RabbitMq;

/// <summary>A server's connection to the broker, and the requests that it has in hand.</summary>
/// <remarks>A request is acknowledged when its answer, or the first message of its stream, has been handed to the
/// broker, or its message to the dead-letter queue. What is not acknowledged when the connection goes is delivered
/// again, to whoever consumes the queue.</remarks>
#pragma warning disable CA1001 // calls that end late still use them; nothing of the system belongs to them
internal sealed partial class ServerLink : BrokerLink
#pragma warning restore CA1001
{
    private const int OfProperties = 4096; // most bytes that they take beside the headers
    private const int BrokersDeliveryLimit = 1000; // far beyond RabbitMqServerOptions.MaxDeliveries

    private readonly RabbitMqServerOptions _options;
    private readonly RequestHandler _handler;
    private readonly Replies _replies;
    private readonly SemaphoreSlim _sending = new(1, 1);
    private readonly CancellationTokenSource _lost = new();
    private readonly ConcurrentDictionary<string, CancellationTokenSource> _running = new();
    private readonly RecentIds _cancelled = new();
    private IChannel _work = null!;
    private IChannel _dead = null!;
    private string _consumerTag = string.Empty;
    private string _listens = string.Empty; // its own queue: cancellations, and what clients say of their streams
    private int _inHand;
    private volatile bool _stopping;

    public ServerLink(
        IConnection connection,
        RabbitMqAddress address,
        RabbitMqServerOptions options,
        RequestHandler handler,
        Replies replies)
        : base(connection, address)
    {
        _replies = replies;
        _options = options;
        _handler = handler;
    }

    /// <summary>Requests that are being handled.</summary>
    public int InHand => Volatile.Read(ref _inHand);

    public override async Task OpenAsync(CancellationToken cancellationToken)
    {
        _work = await OpenChannelAsync(Confirms.None, cancellationToken).ConfigureAwait(false);
        _dead = await OpenChannelAsync(Confirms.Awaited, cancellationToken).ConfigureAwait(false);
        IChannel control = await OpenChannelAsync(Confirms.None, cancellationToken).ConfigureAwait(false);
        Dictionary<string, object?> kind = new()
        {
            ["x-queue-type"] = _options.QueueKind == RabbitMqQueueKind.Quorum ? "quorum" : "classic",
        };
        // RabbitMQ 4 drops by itself what was delivered 21 times, also when whoever had it could not set it aside any
        // more: this product says when, and keeps it
        if (_options.QueueKind == RabbitMqQueueKind.Quorum)
            kind["x-delivery-limit"] = BrokersDeliveryLimit;
        foreach (string queue in new[] { Address.WorkQueue, Address.DeadQueue })
            await _work.QueueDeclareAsync(
                queue, durable: true, exclusive: false, autoDelete: false, kind,
                cancellationToken: cancellationToken).ConfigureAwait(false);
        await control.ExchangeDeclareAsync(
            Address.CancelExchange, ExchangeType.Fanout, durable: true,
            cancellationToken: cancellationToken).ConfigureAwait(false);
        QueueDeclareOk own = await control.QueueDeclareAsync(
            string.Empty, durable: false, exclusive: true, autoDelete: true,
            cancellationToken: cancellationToken).ConfigureAwait(false);
        _listens = own.QueueName;
        await control.QueueBindAsync(
            own.QueueName, Address.CancelExchange, string.Empty,
            cancellationToken: cancellationToken).ConfigureAwait(false);
        AsyncEventingBasicConsumer cancellations = new(control);
        cancellations.ReceivedAsync += OnControl;
        await control.BasicConsumeAsync(
            own.QueueName, autoAck: true, cancellations, cancellationToken).ConfigureAwait(false);

        await OpenItemsAsync(cancellationToken).ConfigureAwait(false);

        await _work.BasicQosAsync(0, (ushort)_options.Prefetch, false, cancellationToken).ConfigureAwait(false);
        AsyncEventingBasicConsumer requests = new(_work);
        requests.ReceivedAsync += OnRequest;
        requests.UnregisteredAsync += OnUnregistered;
        _consumerTag = await _work.BasicConsumeAsync(
            Address.WorkQueue, autoAck: false, requests, cancellationToken).ConfigureAwait(false);
    }

    /// <summary>Takes no more requests, and waits for those in hand.</summary>
    public async Task StopAsync(Deadline until, CancellationToken cancellationToken)
    {
        _stopping = true;
        // a broker that does not answer gives nothing either
        await Task.WhenAny(CancelConsumerAsync(), Task.Delay(_patience, CancellationToken.None)).ConfigureAwait(false);
        while (InHand > 0 && !HasEnded && !until.HasPassed && !cancellationToken.IsCancellationRequested)
            await Task.Delay(5, CancellationToken.None).ConfigureAwait(false);
    }

    private async Task CancelConsumerAsync()
    {
        try
        {
            await _work.BasicCancelAsync(_consumerTag).ConfigureAwait(false);
        }
        catch (Exception e) when (Broker.IsOfBroker(e))
        {
            // then nothing comes either
        }
    }

    public override void Fail(string reason)
    {
        _replies.Ended(reason);
        try
        {
            _lost.Cancel(); // the answers of those in hand reach nobody, and somebody else gets the requests
        }
        catch (AggregateException)
        {
            // a handler's own registration threw; it sees its token all the same
        }
    }

    // The client's thread: what blocks here blocks the whole connection, its end included. So it only begins things.
    private Task OnRequest(object sender, BasicDeliverEventArgs message)
    {
        Request request = new(message);
        Interlocked.Increment(ref _inHand);
        _handler.Came(request);
        _ = HandleAsync(request);
        return Task.CompletedTask;
    }

    /// <summary>The broker has ended the consumer: somebody deleted the queue. A new link declares it anew.</summary>
    private Task OnUnregistered(object sender, ConsumerEventArgs consumer)
    {
        if (!_stopping)
            End("the queue " + Address.WorkQueue + " was deleted");
        return Task.CompletedTask;
    }

    private Task OnControl(object sender, BasicDeliverEventArgs message)
    {
        if (message.BasicProperties is { Type: Wire.Type, MessageId: { Length: > 0 and <= 64 } id })
        {
            if (message.Exchange != Address.CancelExchange)
            {
                OnWordForStream(id, message.BasicProperties);
                return Task.CompletedTask;
            }

            _cancelled.Add(id); // first: a request that begins now looks there
            if (_handler.Remembers)
                ThreadPool.UnsafeQueueUserWorkItem(
                    static one => one._handler.Cancel(one.id), (_handler, id), preferLocal: false);
            if (_running.TryGetValue(id, out CancellationTokenSource? call))
                ThreadPool.UnsafeQueueUserWorkItem(static source => Fire(source), call, preferLocal: false);
        }

        return Task.CompletedTask;
    }

    private static void Fire(CancellationTokenSource source)
    {
        try
        {
            source.Cancel();
        }
        catch (ObjectDisposedException)
        {
            // the call ended first
        }
        catch (AggregateException)
        {
            // a handler's own registration threw
        }
    }

    private async Task HandleAsync(Request request)
    {
        bool isAcknowledged = false;
        try
        {
            if (request.Foreign is { } why)
                await BuryAsync(request, "foreign: " + why).ConfigureAwait(false);
            else if (request.Deliveries > _options.MaxDeliveries)
                isAcknowledged = await BuryTooOftenAsync(request).ConfigureAwait(false);
            else if (request.Stream is { } terms)
                isAcknowledged = await RunStreamAsync(request, terms).ConfigureAwait(false);
            else if (!_cancelled.Contains(request.MessageId))
                await RunAsync(request).ConfigureAwait(false);
            if (!HasEnded && !isAcknowledged)
                await _work.BasicAckAsync(request.Tag, multiple: false).ConfigureAwait(false);
        }
#pragma warning disable CA1031 // whatever happens: it is not acknowledged, so it comes again
        catch (Exception e)
#pragma warning restore CA1031
        {
            if (!HasEnded)
                End("a request could not be dealt with: " + ErrorText.Of(e));
        }
        finally
        {
            Interlocked.Decrement(ref _inHand);
        }
    }

    private async Task RunAsync(Request request)
    {
        // one that is remembered goes on without the connection, and is answered on the next
        CancellationTokenSource call = _handler.Remembers
            ? new CancellationTokenSource()
            : CancellationTokenSource.CreateLinkedTokenSource(_lost.Token);
        _running[request.MessageId] = call;
        Outcome outcome;
        bool isCancelled;
        try
        {
            if (_cancelled.Contains(request.MessageId)) // it came between the look before and this entry
                return;
            outcome = await RefusalOfAsync(request, call.Token).ConfigureAwait(false) is { } refusal
                ? new Outcome([], null, refusal)
                : await _handler.HandleAsync(request, call.Token).WaitAsync(_lost.Token).ConfigureAwait(false);
            isCancelled = call.IsCancellationRequested;
        }
        finally
        {
            _running.TryRemove(new KeyValuePair<string, CancellationTokenSource>(request.MessageId, call));
            if (!_handler.Remembers)
                call.Dispose();
        }

        if (HasEnded)
            return; // somebody else gets the request, and answers it
        if (request.ReplyTo is not null)
            await AnswerAsync(request, outcome.Body, outcome.Metadata, outcome.Failure).ConfigureAwait(false);
        else if (outcome.Failure is { } failure && !(isCancelled && failure.Status == RpcStatus.Cancelled))
            await BuryAsync(
                request, "failed: " + failure.Status + ": " + Wire.Shortened(failure.Message)).ConfigureAwait(false);
    }

    /// <summary>Why a request gets no handler; <see langword="null"/> if it gets one.</summary>
    private ValueTask<RpcCallException?> RefusalOfAsync(Request request, CancellationToken cancellationToken) =>
        request.Body.Length > _options.MaxMessageBytes
            ? new ValueTask<RpcCallException?>(TooLong(request))
            : _handler.RefusalOfAsync(request, cancellationToken);

    private RpcCallException TooLong(Request request) => new(
        RpcStatus.ResourceExhausted,
        "The request for " + request.Method + " has " + request.Body.Length + " bytes; " +
        nameof(RabbitMqServerOptions) + "." + nameof(RabbitMqOptions.MaxMessageBytes) + " of its server allows " +
        _options.MaxMessageBytes + ".");

    /// <summary>With <paramref name="isAwaited"/> somebody is known to be there for it.</summary>
    private async Task AnswerAsync(
        Request request, byte[] body, RpcMetadata? metadata, RpcCallException? failure, long? count = null,
        bool isAwaited = false)
    {
        if (failure is null && body.Length > _options.MostToSend)
        {
            failure = new RpcCallException(
                RpcStatus.ResourceExhausted,
                "What " + request.Method + " returned has " + body.Length + " bytes; at its server " +
                _options.SaysMostToSend(nameof(RabbitMqServerOptions)));
        }

        Dictionary<string, object?> headers = HeadersOf(metadata, ref failure);
        if (count is not null)
            headers[Wire.Count] = count;
        await SendAsync(
            request.ReplyTo!, PropertiesOf(request.CorrelationId, headers),
            failure is null ? body : ReadOnlyMemory<byte>.Empty, isAwaited).ConfigureAwait(false);
    }

    private static BasicProperties PropertiesOf(string? correlationId, Dictionary<string, object?> headers) => new()
    {
        Type = Wire.Type,
        ContentType = Wire.ContentType,
        CorrelationId = correlationId,
        DeliveryMode = DeliveryModes.Transient,
        Headers = headers,
    };

    private async Task SendAsync(
        string replyTo, BasicProperties properties, ReadOnlyMemory<byte> body, bool isAwaited = false)
    {
        if (isAwaited)
            _replies.Sends(replyTo);
        else if (!await _replies.IsThereAsync(replyTo, _lost.Token).ConfigureAwait(false))
            return; // as if it had come too late
        await _sending.WaitAsync().ConfigureAwait(false);
        try
        {
            await _work.BasicPublishAsync(
                string.Empty, replyTo, mandatory: false, properties, body).ConfigureAwait(false);
        }
        finally
        {
            _sending.Release();
        }
    }

    /// <summary>What an answer says beside its message. What does not fit into a frame is left out: the broker would
    /// end the connection, and give the request to the next server.</summary>
    private Dictionary<string, object?> HeadersOf(RpcMetadata? metadata, ref RpcCallException? failure)
    {
        Dictionary<string, object?> headers = new();
        try
        {
            Wire.AddMetadata(headers, metadata);
        }
        catch (RpcCallException e)
        {
            failure ??= e;
            headers.Clear();
        }

        if (failure is null)
        {
            headers[Wire.Status] = 0;
            return headers;
        }

        Wire.AddFailure(headers, failure);
        if (Wire.SizeOf(headers) > Room)
            _ = headers.Remove(Wire.Details);
        if (Wire.SizeOf(headers) > Room)
            headers = new() { [Wire.Status] = (int)failure.Status, [Wire.Text] = Short(failure.Message) };
        return headers;
    }

    /// <summary>For headers: properties are one frame.</summary>
    private int Room => Connection.FrameMax is > 0 and < int.MaxValue and uint most
        ? Math.Max(0, (int)most - OfProperties)
        : int.MaxValue;

    private string Short(string text) => text.Length <= Room / 8 ? text : text[..(Room / 8)];

    // It is acknowledged before its answer, which may end the connection. An answer that has to wait after that would
    // be lost with the connection, and a letter that has to wait for the answer would be buried again by the next one:
    // so whether somebody waits for it is found out before it is buried, and not again after that.
    private async Task<bool> BuryTooOftenAsync(Request request)
    {
        bool isAwaited = request.ReplyTo is { } replyTo &&
            await _replies.IsThereAsync(replyTo, _lost.Token).ConfigureAwait(false);
        string why = "delivered " + request.Deliveries.ToString(CultureInfo.InvariantCulture) + " times, " +
            nameof(RabbitMqServerOptions) + "." + nameof(RabbitMqServerOptions.MaxDeliveries) + " is " +
            _options.MaxDeliveries + ": its servers or their connections went each time";
        await BuryAsync(request, "poison: " + why).ConfigureAwait(false);
        await _work.BasicAckAsync(request.Tag, multiple: false).ConfigureAwait(false);
        if (isAwaited)
            await AnswerAsync(
                request, [], null,
                new RpcCallException(
                    RpcStatus.Aborted,
                    "The request was " + why + ". It is in the queue " + Address.DeadQueue + "."),
                isAwaited: true).ConfigureAwait(false);
        return true;
    }

    /// <summary>Puts a message into the dead-letter queue. When this returns, it is there, and may be
    /// acknowledged.</summary>
    private async Task BuryAsync(Request request, string reason)
    {
        ReadOnlyMemory<byte> body = request.Body;
        if (body.Length > _options.MostOfBroker) // its limit was lowered meanwhile: else it would come again for ever
        {
            int kind = reason.IndexOf(' ', StringComparison.Ordinal) + 1; // "foreign: ", "poison: ", "failed: "
            reason = reason[..kind] + "its " + body.Length + " bytes are more than the broker takes by now, and are " +
                "gone. " + reason[kind..];
            body = default;
        }

        BasicProperties properties = request.CopyOfProperties();
        properties.Expiration = null; // it has to wait for somebody who looks
        properties.DeliveryMode = DeliveryModes.Persistent;
        properties.Headers ??= new Dictionary<string, object?>();
        properties.Headers[Wire.Reason] = reason;
        properties.Headers[Wire.DeadFrom] = Address.WorkQueue;
        if (Wire.SizeOf(properties.Headers) > Room) // it came with as much as a frame takes
            properties.Headers = new Dictionary<string, object?>
            {
                [Wire.Method] = Short(request.Method),
                [Wire.Reason] = Short(reason),
                [Wire.DeadFrom] = Address.WorkQueue,
            };
        await _dead.BasicPublishAsync(
            string.Empty, Address.DeadQueue, mandatory: true, properties, body).ConfigureAwait(false);
        _handler.Buried(request, reason);
    }
}
