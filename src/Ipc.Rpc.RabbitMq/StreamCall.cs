using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using RabbitMQ.Client;

namespace Ipc.Rpc.RabbitMq;

// What comes is of a peer, and not believed. One lock guards what is not guarded elsewhere: above all, whose the stream
// is. A second server may begin it as long as it has neither sent nor got an item.

/// <summary>A call with a stream in one direction or in both, at its client.</summary>
#pragma warning disable CA1001 // its token source has neither a timer nor a handle
internal sealed class StreamCall(Outgoing request, string id, StreamTerms terms, string peer, int maxItemBytes)
#pragma warning restore CA1001
{
    private readonly object _gate = new();
    private readonly TaskCompletionSource _begun = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly TaskCompletionSource<Answer> _answer = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly ItemInbox _inbox = new(terms.Items, terms.Bytes, maxItemBytes, nameof(RabbitMqClientOptions));
    private readonly ItemCredit _credit = new(0, 0);
    private readonly CancellationTokenSource _stop = new();
    private string? _key;
    private string? _control;
    private string? _to;
    private long _sent;
    private bool _finished;
    private bool _over;
    private int _closed; // [once]

    /// <summary>Of the attempt.</summary>
    public string CorrelationId => id;

    /// <summary>Of the call.</summary>
    public string MessageId => request.MessageId;

    public RpcMethod Method => request.Method;

    /// <summary>Completes when a server has the request; fails when none will.</summary>
    public Task Begun => _begun.Task;

    /// <summary>The last message, when it tells of no failure.</summary>
    public Task<Answer> Answered => _answer.Task;

    /// <summary>Fires when the call has ended, in whatever way, on a thread of the pool.</summary>
    public CancellationToken Stopped => _stop.Token;

    /// <summary>What the caller's own stream threw, if that has ended the call.</summary>
    public Exception? OfSource { get; private set; }

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

    /// <summary>Whether this is the first time.</summary>
    public bool TryClose() => Interlocked.Exchange(ref _closed, 1) == 0;

    /// <summary>Whether its server listens there.</summary>
    public bool IsAt(string queue)
    {
        lock (_gate)
            return !_over && (queue == _control || queue == _to);
    }

    /// <summary>Something came. On the connection's thread.</summary>
    public void OnMessage(IReadOnlyBasicProperties properties, ReadOnlyMemory<byte> body)
    {
        IDictionary<string, object?>? headers = properties.Headers;
        lock (_gate)
        {
            if (_over)
                return;
            if (headers?.ContainsKey(Wire.Status) == true)
                OnEnd(headers, body);
            else if (Wire.NumberOf(headers, Wire.Item) is not { } number)
                OnCredit(headers);
            else if (number == 0)
                OnBegun(properties);
            else
                OnItem(number, body);
        }
    }

    /// <summary>The stream will not go on. What came before is handed out first.</summary>
    public void Fail(Exception failure)
    {
        lock (_gate)
            End(failure, null);
    }

    /// <summary>The caller's own stream has thrown.</summary>
    public void FailOfSource(Exception failure)
    {
        lock (_gate)
        {
            if (_over)
                return;
            OfSource = failure;
            End(failure, null);
        }
    }

    /// <returns>The next item; <see langword="null"/> at the end.</returns>
    /// <exception cref="Exception">What the stream failed with.</exception>
    public ValueTask<byte[]?> TakeAsync(CancellationToken cancellationToken) => _inbox.TakeAsync(cancellationToken);

    /// <summary>What the server may be told to send further; nothing until half of a window has been taken.</summary>
    public (long Items, long Bytes) TakeCredit() => _inbox.TakeCredit();

    /// <summary>Waits until the server takes an item.</summary>
    public ValueTask TakeTurnAsync() => _credit.TakeAsync(Stopped);

    /// <summary>An item is about to be sent: from now on the stream is this server's alone.</summary>
    /// <returns>Where, the stream's key there, and the item's number; <see langword="null"/> when the call has
    /// ended.</returns>
    public (string Queue, string Key, long Number)? Next(int length)
    {
        lock (_gate)
        {
            if (_over)
                return null;
            _credit.Charge(length);
            return (_to!, _key!, ++_sent);
        }
    }

    /// <summary>The end is about to be sent.</summary>
    /// <returns>Where, the stream's key there, and how many items there were; <see langword="null"/> when the call has
    /// ended.</returns>
    public (string Queue, string Key, long Count)? Finish()
    {
        lock (_gate)
        {
            if (_over)
                return null;
            _finished = true;
            return (_to!, _key!, _sent);
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
        if (_inbox.Received > 0)
        {
            Break(RpcStatus.DataLoss, "The stream began again after " + _inbox.Received + " items");
            return;
        }

        if (_sent > 0 || _finished)
        {
            Break(
                RpcStatus.Unavailable,
                "The stream's server has gone, and another one has begun it, after " + _sent + " items had been " +
                "sent to the first. How far the stream came there is not known; the other one gets none of it");
            return;
        }

        if (terms.Sends)
        {
            string? to = Wire.TextOf(properties.Headers, Wire.To);
            if (to is not { Length: > 0 } || !Wire.Fits(to) || !_credit.Restart(
                Wire.NumberOf(properties.Headers, Wire.Credit) ?? 0,
                Wire.NumberOf(properties.Headers, Wire.CreditBytes) ?? 0))
            {
                Break(
                    RpcStatus.DataLoss,
                    "The first message of the stream does not say where its items go, or how many may");
                return;
            }

            _to = to;
        }

        (_control, _key) = (control, key);
        _begun.TrySetResult();
    }

    private void OnItem(long number, ReadOnlyMemory<byte> body)
    {
        if (_control is null)
            Break(RpcStatus.DataLoss, "Item " + number + " came before the stream had begun");
        else if (!terms.IsAnswered)
            Break(RpcStatus.DataLoss, "Item " + number + " came, and the answer is none of a stream");
        else if (_inbox.Add(number, body) is { } wrong)
            Break(wrong.Status, wrong.What);
    }

    private void OnCredit(IDictionary<string, object?>? headers)
    {
        if (headers?.ContainsKey(Wire.Credit) != true)
            Break(
                RpcStatus.DataLoss,
                "A message of the stream has neither " + Wire.Item + ", " + Wire.Credit + " nor " + Wire.Status);
        else if (terms.Sends && _control is not null && !_credit.Give(
            Wire.NumberOf(headers, Wire.Credit) ?? -1,
            headers.ContainsKey(Wire.CreditBytes) ? Wire.NumberOf(headers, Wire.CreditBytes) ?? -1 : 0))
            Break(
                RpcStatus.DataLoss,
                "The stream's server gave credit that is none, or more than " + StreamTerms.MaxCredit +
                " with what it had given before");
    }

    private void OnEnd(IDictionary<string, object?> headers, ReadOnlyMemory<byte> body)
    {
        bool isTooLong = !terms.IsAnswered && body.Length > maxItemBytes;
        Answer answer = new(headers, terms.IsAnswered || isTooLong ? [] : body.ToArray());
        EndedThere = true;
        LastHeaders = answer.Headers;
        if (answer.FailureOf(Method, peer) is { } failure)
            End(failure, null);
        else if (_control is null)
            Break(RpcStatus.DataLoss, "An answer came, and no stream: its server is older than streams");
        else if (isTooLong)
            Break(
                RpcStatus.ResourceExhausted,
                "The answer has " + body.Length + " bytes; " + nameof(RabbitMqClientOptions) + "." +
                nameof(RabbitMqOptions.MaxMessageBytes) + " allows " + maxItemBytes);
        else if (terms.IsAnswered && _inbox.Finish(Wire.NumberOf(answer.Headers, Wire.Count)) is { } wrong)
            Break(wrong.Status, wrong.What);
        else
            End(null, answer);
    }

    private void Break(RpcStatus status, string what)
        => End(RpcCallException.OfTransport(status, what + " (" + Method.FullName + ").", Method, peer), null);

    private void End(Exception? failure, Answer? answer)
    {
        if (_over)
            return;
        _over = true;
        if (failure is null)
        {
            _begun.TrySetResult();
            _answer.TrySetResult(answer!);
        }
        else
        {
            _inbox.Fail(failure);
            _begun.TrySetException(failure);
            _answer.TrySetException(failure);
            _ = (_begun.Task.Exception, _answer.Task.Exception); // whoever waits may have gone
        }

        if (terms.Sends) // what the caller's stream has registered must not hold up who reads
            ThreadPool.UnsafeQueueUserWorkItem(static stop => Fire(stop), _stop, preferLocal: false);
    }

    private static void Fire(CancellationTokenSource stop)
    {
        try
        {
            stop.Cancel();
        }
        catch (AggregateException)
        {
            // a registration of the caller's stream threw; the call is over, and nobody is left to be told
        }
    }
}
