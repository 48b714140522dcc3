using System;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Rpc;

/// <summary>How many items of one stream may still be sent. Taken by its pump, given by whoever reads the connection.</summary>
internal sealed class StreamCredit
{
    private readonly object _gate = new();
    private int _available; // given, and not yet the taker's
    private int _taken; // the taker's: all that there was when it last looked, so that most items take no lock
    private TaskCompletionSource<bool>? _waiting;

    public StreamCredit(int first) => _available = first;

    public bool TryTake()
    {
        if (_taken == 0)
        {
            lock (_gate)
            {
                _taken = _available;
                _available = 0;
            }

            if (_taken == 0)
                return false;
        }

        _taken--;
        return true;
    }

    /// <summary>Waits for credit and takes one. One caller at a time.</summary>
    public async Task TakeAsync(CancellationToken cancel)
    {
        while (!TryTake())
        {
            TaskCompletionSource<bool> waiting;
            lock (_gate)
            {
                if (_available != 0)
                    continue;
                waiting = _waiting ??= new TaskCompletionSource<bool>(TaskCreationOptions.RunContinuationsAsynchronously);
            }

            using (cancel.Register(static state => ((TaskCompletionSource<bool>)state!).TrySetCanceled(), waiting, useSynchronizationContext: false))
                await waiting.Task.ConfigureAwait(false);
        }
    }

    /// <summary>Gives more.</summary>
    /// <returns><see langword="false"/> when nobody could ever use that much: the peer does not count.</returns>
    public bool Give(uint items)
    {
        TaskCompletionSource<bool>? waiting;
        lock (_gate)
        {
            if (items > (uint)int.MaxValue - (uint)_available - (uint)Volatile.Read(ref _taken))
                return false;

            _available += (int)items;
            waiting = _waiting;
            _waiting = null;
        }

        waiting?.TrySetResult(true);
        return true;
    }
}
