using System;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Rpc.RabbitMq;

/// <summary>What a server knows of a stream that it sends: how much its client takes, and whether the client is there.
/// Thread-safe; one at a time takes.</summary>
internal sealed class OutgoingStream : IDisposable
{
    private readonly object _gate = new();
    private readonly CancellationTokenSource _stop;
    private readonly TimeSpan _lease;
    private long _items;
    private long _bytes; // the last item may exceed it
    private TaskCompletionSource? _waiting;
    private RpcCallException? _failure;

    public OutgoingStream(StreamTerms terms)
    {
        (_items, _bytes, _lease) = (terms.Items, terms.Bytes, terms.Lease);
        _stop = new CancellationTokenSource(_lease);
    }

    /// <summary>Nobody guesses it: whoever knows it has had the first message.</summary>
    public string Id { get; } = Guid.NewGuid().ToString("N");

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
                    "Nothing was heard of the stream's client for " + _lease.TotalSeconds + " s (" +
                    nameof(RabbitMqClientOptions) + "." + nameof(RabbitMqClientOptions.StreamLease) + ").");
        }
    }

    /// <summary>Waits until an item may be sent, and takes the credit for one.</summary>
    public async ValueTask TakeAsync(CancellationToken cancellationToken)
    {
        while (true)
        {
            TaskCompletionSource waiting;
            lock (_gate)
            {
                if (_items > 0 && _bytes > 0)
                {
                    _items--;
                    return;
                }

                waiting = _waiting ??= new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            }

            await waiting.Task.WaitAsync(cancellationToken).ConfigureAwait(false);
        }
    }

    /// <summary>The item that was taken for has so many bytes.</summary>
    public void Charge(int length)
    {
        lock (_gate)
            _bytes -= StreamTerms.CostOf(length);
    }

    /// <summary>The client has said something; <see langword="null"/> for credit that it did not speak of.</summary>
    public void Hear(long? items, long? bytes)
    {
        TaskCompletionSource? waiting;
        lock (_gate)
        {
            if (_failure is not null)
                return;
            if (items is < 0 || bytes is < 0 || items > StreamTerms.MaxCredit - _items ||
                bytes > StreamTerms.MaxCredit - Math.Max(0, _bytes))
            {
                End(new RpcCallException(
                    RpcStatus.InvalidArgument,
                    "The stream's client gave credit for " + (items ?? 0) + " items and " + (bytes ?? 0) +
                    " bytes to what it had given before: nobody counts to more than " + StreamTerms.MaxCredit + "."));
                return;
            }

            _items += items ?? 0;
            _bytes += bytes ?? 0;
            waiting = _waiting;
            _waiting = null;
            StopAfter(_lease);
        }

        waiting?.TrySetResult();
    }

    /// <summary>Ends it, unless it has ended in another way.</summary>
    public void End(RpcCallException failure)
    {
        lock (_gate)
        {
            if (_failure is not null)
                return;
            _failure = failure;
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
