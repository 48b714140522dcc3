using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Rpc.RabbitMq;

// The connection's thread puts items in, one consumer takes them out; one lock guards everything. What comes is of a
// peer, and not believed: items have to be in order, without a gap, no more than credit was given for, and as many as
// their sender says at the end.

/// <summary>Where the items of one stream wait for their consumer, at a client or at a server.</summary>
/// <param name="items">Those that may come before more credit is given.</param>
/// <param name="bytes">The same in bytes.</param>
/// <param name="maxItemBytes">Most that an item may have.</param>
/// <param name="options">The type that has this limit.</param>
internal sealed class ItemInbox(long items, long bytes, int maxItemBytes, string options)
{
    private readonly object _gate = new();
    private readonly Queue<byte[]> _items = new();
    private TaskCompletionSource? _waiting;
    private long _received;
    private long _receivedBytes;
    private readonly (long Items, long Bytes) _window = (items, bytes);
    private (long Items, long Bytes) _granted = (items, bytes);
    private long _taken; // this and the next: since credit was last given
    private long _takenBytes;
    private bool _over;
    private Exception? _failure;

    /// <summary>How many items have come.</summary>
    public long Received
    {
        get
        {
            lock (_gate)
                return _received;
        }
    }

    /// <summary>An item has come.</summary>
    /// <returns>What is wrong with it; <see langword="null"/> if nothing is, or if nobody wants it any more.</returns>
    public (RpcStatus Status, string What)? Add(long number, ReadOnlyMemory<byte> body)
    {
        lock (_gate)
        {
            if (_over)
                return _failure is null ? (RpcStatus.DataLoss, "Item " + number + " came after the end") : null;
            if (number != _received + 1)
                return (RpcStatus.DataLoss, "Item " + number + " came where " + (_received + 1) + " had to");
            if (_received >= _granted.Items || _receivedBytes >= _granted.Bytes)
                return (
                    RpcStatus.ResourceExhausted,
                    "Item " + number + " came, for which there was no credit: " + _granted.Items + " items and " +
                    _granted.Bytes + " bytes were allowed");
            if (body.Length > maxItemBytes)
                return (
                    RpcStatus.ResourceExhausted,
                    "Item " + number + " has " + body.Length + " bytes; " + options + "." +
                    nameof(RabbitMqOptions.MaxMessageBytes) + " allows " + maxItemBytes);
            _received = number;
            _receivedBytes += StreamTerms.CostOf(body.Length);
            _items.Enqueue(body.ToArray());
            Wake();
            return null;
        }
    }

    /// <summary>The sender says that so many were all.</summary>
    /// <returns>What is wrong with that; <see langword="null"/> if nothing is.</returns>
    public (RpcStatus Status, string What)? Finish(long? count)
    {
        lock (_gate)
        {
            if (_over)
                return null;
            if (count != _received)
                return (
                    RpcStatus.DataLoss,
                    "The stream has ended after " + (count?.ToString() ?? "an unknown number of") +
                    " items, of which " + _received + " came");
            _over = true;
            Wake();
            return null;
        }
    }

    /// <summary>No more will come. What came before is handed out first.</summary>
    public void Fail(Exception failure)
    {
        lock (_gate)
        {
            if (_over)
                return;
            _over = true;
            _failure = failure;
            Wake();
        }
    }

    /// <returns>The next item; <see langword="null"/> at the end.</returns>
    /// <exception cref="Exception">What the stream failed with.</exception>
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

    /// <summary>What the sender may be told to send further; nothing until half of a window has been taken.</summary>
    public (long Items, long Bytes) TakeCredit()
    {
        lock (_gate)
        {
            if (_over || (_taken * 2 < _window.Items && _takenBytes * 2 < _window.Bytes))
                return default;
            (long Items, long Bytes) credit = (_taken, _takenBytes);
            _granted = (_granted.Items + _taken, _granted.Bytes + _takenBytes);
            _taken = _takenBytes = 0;
            return credit;
        }
    }

    private void Wake()
    {
        _waiting?.TrySetResult();
        _waiting = null;
    }
}
