using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Rpc.RabbitMq;

/// <summary>What a server knows of a stream that it serves: how much its client takes, what its client has sent, and
/// whether the client is there. Thread-safe.</summary>
internal sealed class ServedStream : IDisposable
{
    private readonly object _gate = new();
    private readonly CancellationTokenSource _stop;
    private readonly StreamTerms _terms;
    private readonly ItemCredit _credit;
    private RpcCallException? _failure;

    /// <param name="terms">What the client asked for.</param>
    /// <param name="inbox">For what the client sends; <see langword="null"/> if it sends nothing.</param>
    public ServedStream(StreamTerms terms, ItemInbox? inbox)
    {
        _terms = terms;
        Inbox = inbox;
        _credit = new ItemCredit(terms.Items, terms.Bytes);
        _stop = new CancellationTokenSource(terms.Lease);
    }

    /// <summary>Nobody guesses it: whoever knows it has had the first message.</summary>
    public string Id { get; } = Guid.NewGuid().ToString("N");

    /// <summary>What the client sends.</summary>
    public ItemInbox? Inbox { get; }

    /// <summary>How many items were sent. Of whoever sends.</summary>
    public long Sent { get; private set; }

    /// <summary>Fires when the client has been silent for its lease or has broken the rules, and when this server
    /// stops.</summary>
    public CancellationToken Stopped => _stop.Token;

    /// <summary>Why <see cref="Stopped"/> has fired.</summary>
    public RpcCallException Failure
    {
        get
        {
            lock (_gate)
                return _failure ??= new RpcCallException(
                    RpcStatus.Unavailable,
                    "Nothing was heard of the stream's client for " + _terms.Lease.TotalSeconds + " s (" +
                    nameof(RabbitMqClientOptions) + "." + nameof(RabbitMqClientOptions.StreamLease) + ").");
        }
    }

    /// <summary>Waits until an item may be sent, and counts it.</summary>
    /// <returns>Its number.</returns>
    public async ValueTask<long> TakeAsync(int length, CancellationToken cancellationToken)
    {
        await _credit.TakeAsync(cancellationToken).ConfigureAwait(false);
        _credit.Charge(length);
        return ++Sent;
    }

    /// <summary>The client has said something; <see langword="null"/> for credit that it did not speak of.</summary>
    public void Hear(long? items, long? bytes)
    {
        lock (_gate)
        {
            if (_failure is not null)
                return;
            if (!_terms.IsAnswered || _credit.Give(items ?? 0, bytes ?? 0))
            {
                StopAfter(_terms.Lease);
                return;
            }
        }

        End(new RpcCallException(
            RpcStatus.InvalidArgument,
            "The stream's client gave credit for " + (items ?? 0) + " items and " + (bytes ?? 0) +
            " bytes to what it had given before: nobody counts to more than " + StreamTerms.MaxCredit + "."));
    }

    /// <summary>The client has sent an item, or says that there are no more. On the connection's thread.</summary>
    public void OnItem(IDictionary<string, object?>? headers, ReadOnlyMemory<byte> body)
    {
        (RpcStatus Status, string What)? wrong;
        if (Inbox is null)
            wrong = (RpcStatus.ResourceExhausted, "An item came, and the request had announced none");
        else if (Wire.NumberOf(headers, Wire.Item) is { } number)
            wrong = Inbox.Add(number, body);
        else if (headers?.ContainsKey(Wire.Count) == true)
            wrong = Inbox.Finish(Wire.NumberOf(headers, Wire.Count));
        else
            wrong = (RpcStatus.DataLoss, "A message of the stream has neither " + Wire.Item + " nor " + Wire.Count);
        if (wrong is { } found)
            End(new RpcCallException(found.Status, "Of the stream that the client sends: " + found.What + "."));
    }

    /// <summary>Ends it, unless it has ended in another way.</summary>
    public void End(RpcCallException failure)
    {
        lock (_gate)
        {
            if (_failure is not null)
                return;
            _failure = failure;
            Inbox?.Fail(failure);
            StopAfter(TimeSpan.Zero); // on a thread of the pool: handlers are told there
        }
    }

    private void StopAfter(TimeSpan time)
    {
        try
        {
            _stop.CancelAfter(time);
        }
        catch (ObjectDisposedException)
        {
            // the stream ended first
        }
    }

    public void Dispose() => _stop.Dispose();
}
