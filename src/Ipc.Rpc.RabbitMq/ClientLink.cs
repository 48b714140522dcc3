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

// Requests that expect an answer go out on the channel that the answers come in on, as direct reply-to wants it. An
// answer says more than a confirm, so nobody waits for that; but a broker may also refuse a message (a queue that has
// no leader drops it), and only with confirms does it say so. One-way calls have a channel of their own, and wait.

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
    private int _publishing; // [count] one-way calls that the broker has not confirmed

    public ClientLink(IConnection connection, RabbitMqAddress address, RabbitMqClientOptions options)
        : base(connection, address) => _options = options;

    public override async Task OpenAsync(CancellationToken cancellationToken)
    {
        _requests = await OpenChannelAsync(Confirms.Heard, cancellationToken).ConfigureAwait(false);
        _oneWay = await OpenChannelAsync(Confirms.Awaited, cancellationToken).ConfigureAwait(false);
        await _requests.ExchangeDeclareAsync(
            Address.CancelExchange, ExchangeType.Fanout, durable: true,
            cancellationToken: cancellationToken).ConfigureAwait(false);
        _requests.BasicReturnAsync += OnReturned;
        _requests.BasicAcksAsync += OnConfirmed;
        _requests.BasicNacksAsync += OnRefused;
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
            if (!answer.Task.IsCompleted)
                Observe(answer.Task);
        }
    }

    /// <summary>Sends a one-way call, and waits until the broker has it.</summary>
    /// <exception cref="RpcCallException">It has not, or whether it has is not known.</exception>
    public async Task NotifyAsync(
        Outgoing request, int attempt, Deadline until, CancellationToken cancellationToken)
    {
        if (_options.WaitForReady && Volatile.Read(ref _hasNoQueue))
            await LookForServersAsync(request.Method, cancellationToken).ConfigureAwait(false);
        BasicProperties properties = PropertiesOf(request, attempt, until);
        properties.DeliveryMode = DeliveryModes.Persistent;
        if (HasEnded)
            throw Failed(
                request.Method, RpcStatus.Unavailable, Lost(await Ended.ConfigureAwait(false)), isUnsent: true);
        if (Interlocked.Increment(ref _publishing) > _options.MaxPendingCalls)
        {
            Interlocked.Decrement(ref _publishing);
            throw TooMany(request.Method);
        }

        Task published = PublishOneWayAsync(properties, request.Body);
        Observe(published);
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

    /// <summary>It may fail after whoever waits for it has gone.</summary>
    private static void Observe(Task task)
        => _ = task.ContinueWith(
            static failed => _ = failed.Exception,
            CancellationToken.None,
            TaskContinuationOptions.OnlyOnFaulted | TaskContinuationOptions.ExecuteSynchronously,
            TaskScheduler.Default);

    /// <summary>It is kept until the broker has confirmed it, whether or not its caller still waits.</summary>
    private async Task PublishOneWayAsync(BasicProperties properties, byte[] body)
    {
        try
        {
            await _oneWay.BasicPublishAsync(
                string.Empty, Address.WorkQueue, mandatory: true, properties, body,
                CancellationToken.None).ConfigureAwait(false);
        }
        finally
        {
            Interlocked.Decrement(ref _publishing);
        }
    }

    private void CheckPending(RpcMethod method)
    {
        if (_calls.Count + _streams.Count >= _options.MaxPendingCalls)
            throw TooMany(method);
    }

    private RpcCallException TooMany(RpcMethod method)
        => RabbitMqCaller.TooMany(method, _options.MaxPendingCalls, Address.Peer);

    private static bool IsUpTo(string id, long last)
        => long.Parse(id, CultureInfo.InvariantCulture) <= last;

    // Whichever call comes upon it first: the others look at what was learned.
    private string Lost(string reason)
    {
        _options.LearnFrom(reason);
        return "The connection to " + Address.Broker + " was lost: " + reason + ".";
    }

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

    /// <summary>Ends calls whose servers have all gone: two looks in a row, without an answer in between.</summary>
    private async Task WatchAsync()
    {
        int looks = 0;
        long last = 0; // that was made before the last look
        while (!HasEnded)
        {
            await Task.WhenAny(Ended, Task.Delay(_silence)).ConfigureAwait(false);
            if (HasEnded || _options.WaitForReady || !IsAnyWaiting() || WasHeardLately)
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

            looks = servers == 0 && !WasHeardLately ? looks + 1 : 0;
            long before = last;
            last = Interlocked.Read(ref _next);
            if (looks < 2)
                continue;
            RpcCallException gone = Failed(
                null, RpcStatus.Unavailable,
                "All servers have gone while the call was under way. " + Nobody + " Whether the call was " +
                "handled is not known; it waits in the queue, and may be handled yet.");
            foreach ((string id, TaskCompletionSource<Answer> call) in _calls)
            {
                if (IsUpTo(id, before)) // a later one may have seen a server: the next look ends it
                    call.TrySetException(gone);
            }

            foreach ((string id, StreamCall stream) in _streams)
            {
                if (!stream.Begun.IsCompleted && IsUpTo(id, before))
                    stream.Fail(gone); // the others' servers have queues of their own
            }
        }
    }
}
