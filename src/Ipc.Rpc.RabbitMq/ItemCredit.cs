using System;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Rpc.RabbitMq;

/// <summary>How many items may still be sent, and how many bytes. Thread-safe; one at a time takes.</summary>
internal sealed class ItemCredit(long items, long bytes)
{
    private readonly object _gate = new();
    private long _items = items;
    private long _bytes = bytes; // the last item may exceed it
    private bool _held; // credit for one was taken, and its bytes are not known yet
    private TaskCompletionSource? _waiting;

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
                    _held = true;
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
        {
            _bytes -= StreamTerms.CostOf(length);
            _held = false;
        }
    }

    /// <summary>More may be sent.</summary>
    /// <returns><see langword="false"/> for credit that is none: nothing was given.</returns>
    public bool Give(long items, long bytes)
    {
        TaskCompletionSource? waiting;
        lock (_gate)
        {
            if (items < 0 || bytes < 0 || items > StreamTerms.MaxCredit - _items ||
                bytes > StreamTerms.MaxCredit - Math.Max(0, _bytes))
                return false;
            _items += items;
            _bytes += bytes;
            waiting = _waiting;
            _waiting = null;
        }

        waiting?.TrySetResult();
        return true;
    }

    /// <summary>Begins anew, with another receiver: nothing has been sent.</summary>
    /// <returns><see langword="false"/> for credit that is none: nothing was given.</returns>
    public bool Restart(long items, long bytes)
    {
        lock (_gate)
            (_items, _bytes) = (_held ? -1 : 0, 0);
        return items > 0 && bytes > 0 && Give(items, bytes);
    }
}
