using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Globalization;
using System.Threading;
using System.Threading.Tasks;
using RabbitMQ.Client;

namespace Ipc.Rpc.RabbitMq;

// Items come as answers do. What the client says of a stream goes, mandatory, to a queue that its server's connection
// owns: when that has gone, the broker sends it back, and the stream has ended.
internal sealed partial class ClientLink
{
    private const int WordsInALease = 3;

    private readonly ConcurrentDictionary<string, IncomingStream> _streams = new();

    /// <summary>Asks for a stream, and waits until a server has begun it.</summary>
    /// <param name="request">The request.</param>
    /// <param name="attempt">1, or more when it was made before.</param>
    /// <param name="until">Its deadline.</param>
    /// <param name="cancellationToken">Fires at the deadline at the latest.</param>
    /// <returns>To be closed by <see cref="Close"/>.</returns>
    /// <exception cref="RpcCallException">It did not begin.</exception>
    /// <exception cref="OperationCanceledException">The token fired; the servers were told.</exception>
    public async Task<IncomingStream> OpenAsync(
        Outgoing request, int attempt, Deadline until, CancellationToken cancellationToken)
    {
        if (!_options.WaitForReady)
            await LookForServersAsync(request.Method, cancellationToken).ConfigureAwait(false);
        CheckPending(request.Method);
        string id = Interlocked.Increment(ref _next).ToString(CultureInfo.InvariantCulture);
        StreamTerms terms = new(_options.StreamWindow, StreamTerms.WindowBytes, _options.StreamLease);
        IncomingStream stream = new(request, id, terms, Address.Peer, _options.MaxMessageBytes);
        BasicProperties properties = PropertiesOf(request, attempt, until);
        properties.CorrelationId = id;
        properties.ReplyTo = Wire.DirectReply;
        terms.AddTo(properties.Headers!);
        _streams[id] = stream;
        bool mayBeSent = false;
        bool hasBegun = false;
        try
        {
            await TakeTurnAsync(request.Method, cancellationToken).ConfigureAwait(false);
            mayBeSent = true;
            _ = PublishAsync(properties, request.Body, stream.Fail);
            await stream.Begun.WaitAsync(cancellationToken).ConfigureAwait(false);
            hasBegun = true;
            return stream;
        }
        catch (OperationCanceledException) when (mayBeSent)
        {
            _ = CancelAsync(request.MessageId); // not after a failure: the next attempt has the same id
            throw;
        }
        finally
        {
            if (!hasBegun)
                _streams.TryRemove(id, out _);
        }
    }

    /// <summary>The next item; <see langword="null"/> at the end. Gives credit when it is due.</summary>
    /// <exception cref="RpcCallException">The stream failed.</exception>
    public async ValueTask<byte[]?> NextAsync(IncomingStream stream, CancellationToken cancellationToken)
    {
        byte[]? item = await stream.TakeAsync(cancellationToken).ConfigureAwait(false);
        if (stream.TakeCredit() is { Items: > 0 } credit)
            _ = SayAsync(stream, credit);
        return item;
    }

    /// <summary>Nobody consumes it any more: its server is told if it does not know.</summary>
    public void Close(IncomingStream stream)
    {
        _streams.TryRemove(stream.CorrelationId, out _);
        if (!stream.EndedThere && !HasEnded)
            _ = CancelAsync(stream.MessageId);
    }

    private bool IsAnyWaiting()
    {
        if (!_calls.IsEmpty)
            return true;
        foreach ((string id, IncomingStream stream) in _streams)
        {
            if (!stream.Begun.IsCompleted)
                return true;
        }

        return false;
    }

    private void OnReturned(IncomingStream stream, string queue)
    {
        if (queue == Address.WorkQueue)
            stream.Fail(Failed(stream.Method, RpcStatus.Unavailable, NoQueue, isUnsent: true));
        else if (stream.Server is { } server && server.Queue == queue)
            stream.Fail(Failed(
                stream.Method, RpcStatus.Unavailable,
                "The stream's server, or its connection to " + Address.Broker + ", has gone. How far the stream " +
                "came at its handler is not known."));
    }

    /// <summary>Gives credit, or a sign of life. It may not arrive: the next one tells.</summary>
    private async Task SayAsync(IncomingStream stream, (long Items, long Bytes) credit)
    {
        if (stream.Server is not { } server)
            return;
        BasicProperties properties = new()
        {
            Type = Wire.Type,
            MessageId = server.Key,
            CorrelationId = stream.CorrelationId,
            ReplyTo = Wire.DirectReply,
            DeliveryMode = DeliveryModes.Transient,
        };
        if (credit.Items > 0)
            properties.Headers = new Dictionary<string, object?>
            {
                [Wire.Credit] = credit.Items,
                [Wire.CreditBytes] = credit.Bytes,
            };
        try
        {
            await _sending.WaitAsync().ConfigureAwait(false);
            try
            {
                await _requests.BasicPublishAsync(
                    string.Empty, server.Queue, mandatory: true, properties, ReadOnlyMemory<byte>.Empty,
                    CancellationToken.None).ConfigureAwait(false);
            }
            finally
            {
                _sending.Release();
            }
        }
        catch (Exception e) when (Broker.IsOfBroker(e))
        {
            // then the link has ended, and with it the stream
        }
    }

    private async Task SayThatStreamsLiveAsync()
    {
        while (!HasEnded)
        {
            await Task.WhenAny(Ended, Task.Delay(_options.StreamLease / WordsInALease)).ConfigureAwait(false);
            foreach ((string id, IncomingStream stream) in _streams)
            {
                if (!HasEnded)
                    await SayAsync(stream, default).ConfigureAwait(false);
            }
        }
    }
}
