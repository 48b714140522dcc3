using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Globalization;
using System.Threading;
using System.Threading.Tasks;
using RabbitMQ.Client;

namespace Ipc.Rpc.RabbitMq;

// Items come as answers do. What the client says of a stream, and the items that it sends, go, mandatory, to queues
// that its server's connection owns: when that has gone, the broker sends them back, and the stream has ended.
internal sealed partial class ClientLink
{
    private const int WordsInALease = 3;

    private readonly ConcurrentDictionary<string, StreamCall> _streams = new();

    /// <summary>Makes a call with a stream in either direction, and waits until a server has begun it.</summary>
    /// <param name="request">The request.</param>
    /// <param name="kind">Which of both directions have a stream.</param>
    /// <param name="attempt">1, or more when it was made before.</param>
    /// <param name="until">Its deadline.</param>
    /// <param name="cancellationToken">Fires at the deadline at the latest.</param>
    /// <returns>To be closed by <see cref="Close"/>.</returns>
    /// <exception cref="RpcCallException">It did not begin.</exception>
    /// <exception cref="OperationCanceledException">The token fired; the servers were told.</exception>
    public async Task<StreamCall> OpenAsync(
        Outgoing request, RpcMethodKind kind, int attempt, Deadline until, CancellationToken cancellationToken)
    {
        await LookForServersAsync(request.Method, cancellationToken).ConfigureAwait(false);
        CheckPending(request.Method);
        string id = Interlocked.Increment(ref _next).ToString(CultureInfo.InvariantCulture);
        StreamTerms terms = new(
            kind == RpcMethodKind.ClientStream ? 0 : _options.StreamWindow,
            StreamTerms.WindowBytes,
            _options.StreamLease,
            kind != RpcMethodKind.ServerStream);
        StreamCall stream = new(request, id, terms, Address.Peer, _options.MaxMessageBytes);
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
            Cancel(request.MessageId); // not after a failure: the next attempt has the same id
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
    public async ValueTask<byte[]?> NextAsync(StreamCall stream, CancellationToken cancellationToken)
    {
        byte[]? item = await stream.TakeAsync(cancellationToken).ConfigureAwait(false);
        if (stream.TakeCredit() is { Items: > 0 } credit)
            _ = SayAsync(stream, credit);
        return item;
    }

    /// <summary>Nobody waits for it any more: its server is told if it does not know, and so is the caller's own
    /// stream. Any number of times.</summary>
    public void Close(StreamCall stream)
    {
        if (!stream.TryClose())
            return;
        stream.Fail(Failed(stream.Method, RpcStatus.Cancelled, "A call to " + stream.Method + " was cancelled."));
        if (!stream.EndedThere && !HasEnded)
            Cancel(stream.MessageId); // first: whoever leaves looks for it there, or among the streams
        _streams.TryRemove(stream.CorrelationId, out _);
    }

    /// <summary>Begins to send what the caller's stream gives, as far as the server takes it, until one of both has
    /// ended. On the pool: a stream that blocks its thread holds up neither the call's end nor its answers.</summary>
    /// <param name="stream">The call.</param>
    /// <param name="source">Is disposed when it comes back; nothing else waits for that.</param>
    /// <param name="encode">Makes a message of an item; what it throws ends the call as what the source throws.</param>
    public void Send<TItem>(StreamCall stream, IAsyncEnumerable<TItem> source, Func<TItem, byte[]> encode)
        => _ = Task.Run(() => SendAsync(stream, source, encode), CancellationToken.None);

    /// <summary>Throws nothing.</summary>
    private async Task SendAsync<TItem>(StreamCall stream, IAsyncEnumerable<TItem> source, Func<TItem, byte[]> encode)
    {
        try
        {
            if (await SendItemsAsync(stream, source, encode).ConfigureAwait(false) && stream.Finish() is { } end)
                await PublishItemAsync(
                    stream, end.Queue, end.Key, (Wire.Count, end.Count), default).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (stream.Stopped.IsCancellationRequested)
        {
            // the call has ended, and the source was told
        }
#pragma warning disable CA1031 // the caller gets it
        catch (Exception e)
#pragma warning restore CA1031
        {
            stream.FailOfSource(e);
        }
    }

    /// <summary>The client ends: so do its streams, and their servers are told, as far as that is possible in a
    /// moment.</summary>
    public override async Task LeaveAsync()
    {
        foreach ((string id, StreamCall stream) in _streams)
        {
            stream.Fail(Failed(
                stream.Method, RpcStatus.Unavailable,
                "The client was disposed. How far the stream came at its handler is not known."));
            if (!stream.EndedThere && _streams.TryRemove(id, out _))
                Cancel(stream.MessageId);
        }

        await Task.WhenAny(Task.WhenAll(_telling.Keys), Task.Delay(_silence)).ConfigureAwait(false);
    }

    /// <returns>Whether the source has given everything; if not, the call ended first.</returns>
    private async Task<bool> SendItemsAsync<TItem>(
        StreamCall stream, IAsyncEnumerable<TItem> source, Func<TItem, byte[]> encode)
    {
        IAsyncEnumerator<TItem> items = source.GetAsyncEnumerator(stream.Stopped);
        try
        {
            while (true)
            {
                await stream.TakeTurnAsync().ConfigureAwait(false);
                if (!await items.MoveNextAsync().ConfigureAwait(false))
                    return true;
                byte[] body = encode(items.Current);
                if (stream.Next(body.Length) is not { } next || !await PublishItemAsync(
                    stream, next.Queue, next.Key, (Wire.Item, next.Number), body).ConfigureAwait(false))
                    return false;
            }
        }
        finally
        {
            await items.DisposeAsync().ConfigureAwait(false);
        }
    }

    /// <returns>Whether the connection was there.</returns>
    private async Task<bool> PublishItemAsync(
        StreamCall stream, string queue, string key, (string Name, long Number) header, ReadOnlyMemory<byte> body)
    {
        BasicProperties properties = new()
        {
            Type = Wire.Type,
            MessageId = key,
            CorrelationId = stream.CorrelationId,
            DeliveryMode = DeliveryModes.Transient,
            Headers = new Dictionary<string, object?> { [header.Name] = header.Number },
        };
        await _sending.WaitAsync(stream.Stopped).ConfigureAwait(false);
        ulong number = 0;
        try
        {
            number = await ExpectConfirmAsync(stream.Fail).ConfigureAwait(false); // at the end nobody would miss it
            await _requests.BasicPublishAsync(
                string.Empty, queue, mandatory: true, properties, body, CancellationToken.None).ConfigureAwait(false);
            return true;
        }
        catch (Exception e) when (Broker.IsOfBroker(e))
        {
            Unexpect(number);
            return false; // then the link has ended, and with it the stream
        }
        finally
        {
            _sending.Release();
        }
    }

    private bool IsAnyWaiting()
    {
        if (!_calls.IsEmpty)
            return true;
        foreach ((string id, StreamCall stream) in _streams)
        {
            if (!stream.Begun.IsCompleted)
                return true;
        }

        return false;
    }

    private void OnReturned(StreamCall stream, string queue)
    {
        if (queue == Address.WorkQueue)
            stream.Fail(NoQueue(stream.Method));
        else if (stream.IsAt(queue))
            stream.Fail(Failed(
                stream.Method, RpcStatus.Unavailable,
                "The stream's server, or its connection to " + Address.Broker + ", has gone. How far the stream " +
                "came at its handler is not known."));
    }

    /// <summary>Gives credit, or a sign of life, which may not arrive: the next one tells.</summary>
    private async Task SayAsync(StreamCall stream, (long Items, long Bytes) credit)
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
                if (credit.Items > 0)
                    await ExpectConfirmAsync(stream.Fail).ConfigureAwait(false); // no other message gives it again
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
            foreach ((string id, StreamCall stream) in _streams)
            {
                if (!HasEnded)
                    await SayAsync(stream, default).ConfigureAwait(false);
            }
        }
    }
}
