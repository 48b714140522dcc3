using System;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Rpc;

/// <summary>How much of one stream may still be sent, in items and in bytes. Taken by its pump, given by whoever reads
/// the connection.</summary>
/// <remarks>An item may be sent while there is any of both; what it counts for is known when it has been written
/// (<see cref="Charge"/>), so the last one may exceed the bytes.</remarks>
internal sealed class StreamCredit
{
    private readonly object _gate = new();
    private long _available; // given, and not yet the taker's
    private long _availableBytes = FlowRules.FirstBytes;
    // these and the next: the taker's: all that there was when it last looked, so that most items take no lock
    private long _taken; // [count]
    private long _takenBytes; // [count]
    private TaskCompletionSource<bool>? _waiting;

    public StreamCredit(int first) => _available = first;

    public bool TryTake()
    {
        if (_taken == 0 || _takenBytes <= 0)
        {
            lock (_gate)
            {
                Volatile.Write(ref _taken, _taken + _available);
                Volatile.Write(ref _takenBytes, _takenBytes + _availableBytes);
                _available = _availableBytes = 0;
            }

            if (_taken == 0 || _takenBytes <= 0)
                return false;
        }

        Volatile.Write(ref _taken, _taken - 1);
        return true;
    }

    /// <summary>Whether the pump has waited for credit since the last item.</summary>
    public bool HasWaited { get; private set; }

    /// <summary>The item that was taken for was sent, and counts for so much.</summary>
    public void Charge(long bytes)
    {
        Volatile.Write(ref _takenBytes, _takenBytes - bytes);
        HasWaited = false;
    }

    /// <summary>Waits for credit and takes one. One caller at a time.</summary>
    public async Task TakeAsync(CancellationToken cancellationToken)
    {
        while (!TryTake())
        {
            TaskCompletionSource<bool> waiting;
            lock (_gate)
            {
                if (_available + _taken != 0 && _availableBytes + _takenBytes > 0)
                    continue;
                waiting = _waiting ??= new TaskCompletionSource<bool>(
                    TaskCreationOptions.RunContinuationsAsynchronously);
            }

            HasWaited = true;
            using (cancellationToken.Register(
                static state => ((TaskCompletionSource<bool>)state!).TrySetCanceled(),
                waiting,
                useSynchronizationContext: false))
            {
                await waiting.Task.ConfigureAwait(false);
            }
        }
    }

    /// <summary>Gives more.</summary>
    /// <returns><see langword="false"/> when nobody could ever use that much: the peer does not count.</returns>
    public bool Give(ItemCredit more)
    {
        TaskCompletionSource<bool>? waiting;
        lock (_gate)
        {
            if (more.Items > FlowRules.MaxCredit - _available - Volatile.Read(ref _taken)
                || more.Bytes >
                    (ulong)(FlowRules.MaxCredit - _availableBytes - Math.Max(0, Volatile.Read(ref _takenBytes))))
                return false;

            _available += more.Items;
            _availableBytes += (long)more.Bytes;
            waiting = _waiting;
            _waiting = null;
        }

        waiting?.TrySetResult(true);
        return true;
    }
}
