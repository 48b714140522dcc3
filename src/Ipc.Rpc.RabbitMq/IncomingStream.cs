using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using RabbitMQ.Client;

namespace Ipc.Rpc.RabbitMq;

// The connection's thread puts items in, the consumer takes them out; one lock guards everything. What comes is of a
// peer, and not believed: items have to be in order, without a gap, no more than credit was given for, and as many as
// their server says at the end.

/// <summary>A stream that comes to a client.</summary>
internal sealed class IncomingStream(Outgoing request, string id, StreamTerms terms, string peer, int maxItemBytes)
{
    private readonly object _gate = new();
    private readonly TaskCompletionSource _begun = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly Queue<byte[]> _items = new();
    private TaskCompletionSource? _waiting;
    private long _received;
    private long _receivedBytes;
    private long _granted = terms.Items;
    private long _grantedBytes = terms.Bytes;
    private long _taken; // this and the next: since credit was last given
    private long _takenBytes;
    private string? _key;
    private string? _control;
    private bool _over;
    private RpcCallException? _failure;

    /// <summary>Of the attempt.</summary>
    public string CorrelationId => id;

    /// <summary>Of the call.</summary>
    public string MessageId => request.MessageId;

    public RpcMethod Method => request.Method;

    /// <summary>Completes when a server has the request; fails when none will.</summary>
    public Task Begun => _begun.Task;

    /// <summary>Whether the server has said that it has ended: nobody has to be told to stop.</summary>
    public bool EndedThere { get; private set; }

    /// <summary>Of the server's last message; <see langword="null"/> when it did not come.</summary>
    public IDictionary<string, object?>? LastHeaders { get; private set; }

    /// <summary>The queue of the server, and its name for the stream; <see langword="null"/> when nothing is to be
    /// said to it.</summary>
    public (string Queue, string Key)? Server
    {
        get
        {
            lock (_gate)
                return _over || _control is null ? null : (_control, _key!);
        }
    }

    /// <summary>Something came. On the connection's thread.</summary>
    public void OnMessage(IReadOnlyBasicProperties properties, byte[] body)
    {
        lock (_gate)
        {
            if (_over)
                return;
            if (properties.Headers?.ContainsKey(Wire.Status) == true)
                OnEnd(new Answer(properties.Headers, body));
            else if (Wire.NumberOf(properties.Headers, Wire.Item) is not { } number)
                Break(RpcStatus.DataLoss, "A message of the stream has neither " + Wire.Item + " nor " + Wire.Status);
            else if (number == 0)
                OnBegun(properties);
            else
                OnItem(number, body);
        }
    }

    /// <summary>The stream will not go on. What came before is handed out first.</summary>
    public void Fail(RpcCallException failure)
    {
        lock (_gate)
            End(failure);
    }

    /// <returns>The next item; <see langword="null"/> at the end.</returns>
    /// <exception cref="RpcCallException">The stream failed.</exception>
    public async ValueTask<byte[]?> TakeAsync(CancellationToken cancellationToken)
    {
        while (true)
        {
            Task waiting;
            lock (_gate)
            {
                cancellationToken.ThrowIfCancellationRequested();
                if (_items.TryDequeue(out byte[]? item))
                {
                    _taken++;
                    _takenBytes += StreamTerms.CostOf(item.Length);
                    return item;
                }

                if (_over)
                    return _failure is null ? null : throw _failure;
                _waiting = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
                waiting = _waiting.Task;
            }

            await waiting.WaitAsync(cancellationToken).ConfigureAwait(false);
        }
    }

    /// <summary>What the server may be told to send further; nothing until half of a window has been taken.</summary>
    public (long Items, long Bytes) TakeCredit()
    {
        lock (_gate)
        {
            if (_over || (_taken * 2 < terms.Items && _takenBytes * 2 < terms.Bytes))
                return default;
            (long Items, long Bytes) credit = (_taken, _takenBytes);
            _granted += _taken;
            _grantedBytes += _takenBytes;
            _taken = _takenBytes = 0;
            return credit;
        }
    }

    private void OnBegun(IReadOnlyBasicProperties properties)
    {
        if (properties is not { ReplyTo: { Length: > 0 } control, MessageId: { Length: > 0 and <= 64 } key } ||
            !Wire.Fits(control))
        {
            Break(RpcStatus.DataLoss, "The first message of the stream does not say where its server listens");
            return;
        }

        // a second server has it: the first one went before the broker knew that it had begun
        if (_received > 0)
        {
            Break(RpcStatus.DataLoss, "The stream began again after " + _received + " items");
            return;
        }

        (_control, _key) = (control, key);
        _begun.TrySetResult();
    }

    private void OnItem(long number, byte[] body)
    {
        if (_control is null)
            Break(RpcStatus.DataLoss, "Item " + number + " came before the stream had begun");
        else if (number != _received + 1)
            Break(RpcStatus.DataLoss, "Item " + number + " came where " + (_received + 1) + " had to");
        else if (_received >= _granted || _receivedBytes >= _grantedBytes)
            Break(
                RpcStatus.ResourceExhausted,
                "Item " + number + " came, for which there was no credit: " + _granted + " items and " +
                _grantedBytes + " bytes were allowed");
        else if (body.Length > maxItemBytes)
            Break(
                RpcStatus.ResourceExhausted,
                "Item " + number + " has " + body.Length + " bytes; " + nameof(RabbitMqClientOptions) + "." +
                nameof(RabbitMqOptions.MaxMessageBytes) + " allows " + maxItemBytes);
        else
        {
            _received = number;
            _receivedBytes += StreamTerms.CostOf(body.Length);
            _items.Enqueue(body);
            Wake();
        }
    }

    private void OnEnd(Answer answer)
    {
        EndedThere = true;
        LastHeaders = answer.Headers;
        if (answer.FailureOf(Method, peer) is { } failure)
            End(failure);
        else if (_control is null)
            Break(RpcStatus.DataLoss, "An answer came, and no stream: its server is older than streams");
        else if (Wire.NumberOf(answer.Headers, Wire.Count) is var count && count != _received)
            Break(
                RpcStatus.DataLoss,
                "The stream has ended after " + (count?.ToString() ?? "an unknown number of") + " items, of which " +
                _received + " came");
        else
            End(null);
    }

    private void Break(RpcStatus status, string what)
        => End(RpcCallException.OfTransport(status, what + " (" + Method.FullName + ").", Method, peer));

    private void End(RpcCallException? failure)
    {
        if (_over)
            return;
        _over = true;
        _failure = failure;
        if (failure is null)
            _begun.TrySetResult();
        else if (_begun.TrySetException(failure))
            _ = _begun.Task.Exception; // whoever waits may have gone
        Wake();
    }

    private void Wake()
    {
        _waiting?.TrySetResult();
        _waiting = null;
    }
}
