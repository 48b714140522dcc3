using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Globalization;
using System.Threading;
using System.Threading.Tasks;
using RabbitMQ.Client;
using RabbitMQ.Client.Events;
using RabbitMQ.Client.Exceptions;

namespace Ipc.Rpc.RabbitMq;

// Requests that expect an answer go out on the channel that the answers come in on, as direct reply-to wants it,
// without confirms: the answer is one. One-way calls have a channel of their own, with confirms.

/// <summary>A client's connection to the broker, and the calls that are under way on it.</summary>
#pragma warning disable CA1001 // calls that end late still use them; nothing of the system belongs to them
internal sealed partial class ClientLink : BrokerLink
#pragma warning restore CA1001
{
    private static readonly TimeSpan _silence = TimeSpan.FromSeconds(1);

    private readonly ConcurrentDictionary<string, TaskCompletionSource<Answer>> _calls = new();
    private readonly ConcurrentDictionary<Task, bool> _telling = new(); // cancellations that are being sent
    private readonly RabbitMqClientOptions _options;
    private readonly SemaphoreSlim _sending = new(1, 1); // a channel is no place for two who publish
    private IChannel _requests = null!;
    private IChannel _oneWay = null!;
    private long _next;
    private long _heardAt; // when it was last known that somebody consumes

    public ClientLink(IConnection connection, RabbitMqAddress address, RabbitMqClientOptions options)
        : base(connection, address) => _options = options;

    public override async Task OpenAsync(CancellationToken cancellationToken)
    {
        _requests = await OpenChannelAsync(confirms: false, cancellationToken).ConfigureAwait(false);
        _oneWay = await OpenChannelAsync(confirms: true, cancellationToken).ConfigureAwait(false);
        await _requests.ExchangeDeclareAsync(
            Address.CancelExchange, ExchangeType.Fanout, durable: true,
            cancellationToken: cancellationToken).ConfigureAwait(false);
        _requests.BasicReturnAsync += OnReturned;
        AsyncEventingBasicConsumer consumer = new(_requests);
        consumer.ReceivedAsync += OnAnswer;
        await _requests.BasicConsumeAsync(
            Wire.DirectReply, autoAck: true, consumer, cancellationToken).ConfigureAwait(false);
        _ = WatchAsync();
        _ = SayThatStreamsLiveAsync();
    }

    /// <summary>Makes a call and waits for its answer.</summary>
    /// <param name="request">The request.</param>
    /// <param name="attempt">1, or more when it was made before.</param>
    /// <param name="until">Its deadline.</param>
    /// <param name="cancellationToken">Fires at the deadline at the latest.</param>
    /// <exception cref="RpcCallException">It failed on the way.</exception>
    /// <exception cref="OperationCanceledException">The token fired; the servers were told.</exception>
    public async Task<Answer> CallAsync(
        Outgoing request, int attempt, Deadline until, CancellationToken cancellationToken)
    {
        if (!_options.WaitForReady)
            await LookForServersAsync(request.Method, cancellationToken).ConfigureAwait(false);
        string id = Interlocked.Increment(ref _next).ToString(CultureInfo.InvariantCulture);
        TaskCompletionSource<Answer> answer = new(TaskCreationOptions.RunContinuationsAsynchronously);
        CheckPending(request.Method);
        BasicProperties properties = PropertiesOf(request, attempt, until);
        properties.CorrelationId = id;
        properties.ReplyTo = Wire.DirectReply;
        _calls[id] = answer;
        bool mayBeSent = false;
        try
        {
            await TakeTurnAsync(request.Method, cancellationToken).ConfigureAwait(false);
            mayBeSent = true;
            _ = PublishAsync(properties, request.Body, failure => answer.TrySetException(failure));
            return await answer.Task.WaitAsync(cancellationToken).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (mayBeSent)
        {
            Cancel(request.MessageId);
            throw;
        }
        finally
        {
            _calls.TryRemove(id, out _);
        }
    }

    /// <summary>Sends a one-way call, and waits until the broker has it.</summary>
    /// <exception cref="RpcCallException">It has not, or whether it has is not known.</exception>
    public async Task NotifyAsync(
        Outgoing request, int attempt, Deadline until, CancellationToken cancellationToken)
    {
        BasicProperties properties = PropertiesOf(request, attempt, until);
        properties.DeliveryMode = DeliveryModes.Persistent;
        if (HasEnded)
            throw Failed(
                request.Method, RpcStatus.Unavailable, Lost(await Ended.ConfigureAwait(false)), isUnsent: true);
        Task published = _oneWay.BasicPublishAsync(
            string.Empty, Address.WorkQueue, mandatory: true, properties, request.Body,
            CancellationToken.None).AsTask();
        _ = published.ContinueWith(
            static task => _ = task.Exception, TaskScheduler.Default); // whoever waits may have gone
        try
        {
            Task first = await Task.WhenAny(published, Ended).WaitAsync(cancellationToken).ConfigureAwait(false);
            if (first == Ended && !published.IsCompleted)
                throw Failed(
                    request.Method, RpcStatus.Unavailable,
                    Lost(await Ended.ConfigureAwait(false)) + " Whether the broker has the message is not known.");
            await published.ConfigureAwait(false);
        }
        catch (PublishException e) when (e.IsReturn)
        {
            throw NoQueue(request.Method, e);
        }
        catch (PublishException e)
        {
            throw Failed(
                request.Method, RpcStatus.Unavailable,
                Broker.First(Address.Broker) + " did not take the message (it sent a negative confirm). Whether it " +
                "keeps it is not known.",
                inner: e);
        }
        catch (Exception e) when (e is not OperationCanceledException && Broker.IsOfBroker(e))
        {
            throw Failed(
                request.Method, RpcStatus.Unavailable,
                Lost(e.Message) + " Whether the broker has the message is not known.", inner: e);
        }
    }

    public override void Fail(string reason)
    {
        foreach ((string id, TaskCompletionSource<Answer> call) in _calls)
            call.TrySetException(Failed(
                null, RpcStatus.Unavailable,
                Lost(reason) + " Whether the calls that were under way were handled is not known."));
        foreach ((string id, StreamCall stream) in _streams)
            stream.Fail(Failed(
                stream.Method, RpcStatus.Unavailable,
                Lost(reason) + " How far the stream came at its handler is not known."));
    }

    private void CheckPending(RpcMethod method)
    {
        if (_calls.Count + _streams.Count >= _options.MaxPendingCalls)
            throw Failed(
                method,
                RpcStatus.ResourceExhausted,
                _options.MaxPendingCalls + " calls are under way, as many as " + nameof(RabbitMqClientOptions) + "." +
                nameof(RabbitMqClientOptions.MaxPendingCalls) + " allows.",
                isUnsent: true);
    }

    private RpcCallException NoQueue(RpcMethod? method, Exception? inner = null) => Failed(
        method, RpcStatus.Unavailable,
        "There is no queue " + Address.WorkQueue + " at " + Address.Broker + ": no server of the service has run " +
            "there yet. Start one, or let calls wait for one (" + nameof(RabbitMqClientOptions) + "." +
            nameof(RabbitMqClientOptions.WaitForReady) + ").",
        isUnsent: true,
        inner: new ReturnedException(inner));

    private string Lost(string reason) => "The connection to " + Address.Broker + " was lost: " + reason + ".";

    private RpcCallException Failed(
        RpcMethod? method, RpcStatus status, string text, bool isUnsent = false, Exception? inner = null)
        => RpcCallException.OfTransport(status, text, method, Address.Peer, isUnsent: isUnsent, inner: inner);

    private static BasicProperties PropertiesOf(Outgoing request, int attempt, Deadline until)
    {
        Dictionary<string, object?> headers = new(request.Headers);
        if (attempt > 1)
            headers[Wire.Attempt] = attempt;
        BasicProperties properties = new()
        {
            Type = Wire.Type,
            ContentType = Wire.ContentType,
            MessageId = request.MessageId,
            DeliveryMode = DeliveryModes.Transient,
            Headers = headers,
        };
        if (until != Deadline.Never && until.Remaining.TotalMilliseconds < uint.MaxValue)
            properties.Expiration = ((long)Math.Ceiling(until.Remaining.TotalMilliseconds)).ToString(
                CultureInfo.InvariantCulture);
        return properties;
    }

    /// <summary>Waits until nobody else sends: <see cref="PublishAsync"/> lets the next one.</summary>
    private async Task TakeTurnAsync(RpcMethod method, CancellationToken cancellationToken)
    {
        await _sending.WaitAsync(cancellationToken).ConfigureAwait(false);
        if (!HasEnded)
            return;
        _sending.Release();
        throw Failed(method, RpcStatus.Unavailable, Lost(await Ended.ConfigureAwait(false)), isUnsent: true);
    }

    /// <summary>Publishes, and lets the next one. Throws nothing.</summary>
    private async Task PublishAsync(
        BasicProperties properties, byte[] body, Action<RpcCallException> fail)
    {
        try
        {
            await _requests.BasicPublishAsync(
                string.Empty, Address.WorkQueue, mandatory: true, properties, body,
                CancellationToken.None).ConfigureAwait(false);
        }
#pragma warning disable CA1031 // whatever the client throws; the call's
        catch (Exception e)
#pragma warning restore CA1031
        {
            fail(Failed(
                null, RpcStatus.Unavailable, Lost(e.Message) + " Whether the call was handled is not known.",
                inner: e));
        }
        finally
        {
            _sending.Release();
        }
    }

    /// <summary>Tells the servers that nobody waits for the answer any more. It may not arrive.</summary>
    private void Cancel(string messageId)
    {
        Task telling = CancelAsync(messageId);
        if (telling.IsCompleted)
            return;
        _telling[telling] = true;
        _ = telling.ContinueWith(
            done => _telling.TryRemove(done, out _), CancellationToken.None, TaskContinuationOptions.None,
            TaskScheduler.Default);
    }

    private async Task CancelAsync(string messageId)
    {
        try
        {
            using CancellationTokenSource limited = new(_silence);
            await _sending.WaitAsync(limited.Token).ConfigureAwait(false);
            try
            {
                await _requests.BasicPublishAsync(
                    Address.CancelExchange, string.Empty, mandatory: false,
                    new BasicProperties { Type = Wire.Type, MessageId = messageId },
                    ReadOnlyMemory<byte>.Empty, CancellationToken.None).ConfigureAwait(false);
            }
            finally
            {
                _sending.Release();
            }
        }
        catch (Exception e) when (Broker.IsOfBroker(e))
        {
            // as promised: the server's own deadline is what remains
        }
    }

    // The client's thread: only quick things happen here.
    private Task OnAnswer(object sender, BasicDeliverEventArgs message)
    {
        Volatile.Write(ref _heardAt, Environment.TickCount64);
        if (message.BasicProperties.CorrelationId is not { } id)
            return Task.CompletedTask;
        if (_streams.TryGetValue(id, out StreamCall? stream))
            stream.OnMessage(message.BasicProperties, message.Body);
        else if (_calls.TryGetValue(id, out TaskCompletionSource<Answer>? call))
        {
            if (message.Body.Length > _options.MaxMessageBytes)
                call.TrySetException(Failed(
                    null, RpcStatus.ResourceExhausted,
                    "The answer has " + message.Body.Length + " bytes; " + nameof(RabbitMqClientOptions) + "." +
                    nameof(RabbitMqOptions.MaxMessageBytes) + " allows " + _options.MaxMessageBytes + "."));
            else
                call.TrySetResult(new Answer(message.BasicProperties.Headers, message.Body.ToArray()));
        }

        return Task.CompletedTask;
    }

    private Task OnReturned(object sender, BasicReturnEventArgs message)
    {
        if (message.BasicProperties.CorrelationId is not { } id)
            return Task.CompletedTask;
        if (_streams.TryGetValue(id, out StreamCall? stream))
            OnReturned(stream, message.RoutingKey);
        else if (_calls.TryGetValue(id, out TaskCompletionSource<Answer>? call))
            call.TrySetException(NoQueue(null));

        return Task.CompletedTask;
    }

    /// <summary>Before a call after a silence: a request would wait in the queue for a server that does not
    /// come.</summary>
    private async Task LookForServersAsync(RpcMethod method, CancellationToken cancellationToken)
    {
        long heard = Volatile.Read(ref _heardAt);
        if (heard != 0 && Environment.TickCount64 - heard < _silence.TotalMilliseconds)
            return;
        if (await CountServersAsync(cancellationToken).ConfigureAwait(false) == 0)
            throw Failed(method, RpcStatus.Unavailable, Nobody, isUnsent: true);
    }

    /// <summary>How many servers consume the queue.</summary>
    /// <exception cref="RpcCallException">That could not be learned.</exception>
    public async Task<int> CountAsync(CancellationToken cancellationToken)
    {
        using CancellationTokenSource limited = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        limited.CancelAfter(_options.ConnectTimeout);
        try
        {
            long servers = await CountServersAsync(limited.Token).ConfigureAwait(false);
            if (servers <= int.MaxValue)
                return (int)servers;
        }
        catch (OperationCanceledException) when (!cancellationToken.IsCancellationRequested)
        {
            // below
        }

        throw Failed(
            null, RpcStatus.Unavailable,
            Broker.First(Address.Broker) + " does not say how many servers consume the queue " + Address.WorkQueue +
            (HasEnded ? ": the connection was lost." : ", within ConnectTimeout of " + _options.ConnectTimeout + "."),
            isUnsent: true);
    }

    private string Nobody => "Nobody consumes the queue " + Address.WorkQueue + " at " + Address.Broker +
        ". Start a server of the service, or let calls wait for one (" + nameof(RabbitMqClientOptions) + "." +
        nameof(RabbitMqClientOptions.WaitForReady) + ").";

    /// <returns>How many servers consume the queue; any number if that could not be learned.</returns>
    private async Task<long> CountServersAsync(CancellationToken cancellationToken)
    {
        try
        {
            // of its own: the broker closes it when there is no such queue
            IChannel asking = await Connection.CreateChannelAsync(
                cancellationToken: cancellationToken).ConfigureAwait(false);
            await using (asking.ConfigureAwait(false))
            {
                QueueDeclareOk queue = await asking.QueueDeclarePassiveAsync(
                    Address.WorkQueue, cancellationToken).ConfigureAwait(false);
                if (queue.ConsumerCount > 0)
                    Volatile.Write(ref _heardAt, Environment.TickCount64);
                return queue.ConsumerCount;
            }
        }
        catch (OperationInterruptedException e) when (e.ShutdownReason?.ReplyCode == 404)
        {
            return 0;
        }
        catch (Exception e) when (e is not OperationCanceledException && Broker.IsOfBroker(e))
        {
            return long.MaxValue; // the call itself will tell
        }
    }

    /// <summary>Ends calls whose servers have all gone: two looks in a row, without an answer in between.</summary>
    private async Task WatchAsync()
    {
        int looks = 0;
        while (!HasEnded)
        {
            await Task.WhenAny(Ended, Task.Delay(_silence)).ConfigureAwait(false);
            if (HasEnded || _options.WaitForReady || !IsAnyWaiting() ||
                Environment.TickCount64 - Volatile.Read(ref _heardAt) < _silence.TotalMilliseconds)
            {
                looks = 0;
                continue;
            }

            long servers;
            try
            {
                using CancellationTokenSource limited = new(_options.ConnectTimeout);
                servers = await CountServersAsync(limited.Token).ConfigureAwait(false);
            }
            catch (OperationCanceledException)
            {
                continue; // the heartbeat tells whether the broker is alive
            }

            looks = servers == 0 ? looks + 1 : 0;
            if (looks < 2)
                continue;
            RpcCallException gone = Failed(
                null, RpcStatus.Unavailable,
                "All servers have gone while the call was under way. " + Nobody + " Whether the call was " +
                "handled is not known; it waits in the queue, and may be handled yet.");
            foreach ((string id, TaskCompletionSource<Answer> call) in _calls)
                call.TrySetException(gone);
            foreach ((string id, StreamCall stream) in _streams)
            {
                if (!stream.Begun.IsCompleted)
                    stream.Fail(gone); // the others' servers have queues of their own
            }
        }
    }
}
