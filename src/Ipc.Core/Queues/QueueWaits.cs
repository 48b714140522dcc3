using System;
using System.Diagnostics;
using System.Threading;

namespace Ipc;

/// <summary>The waits of one object's senders and receivers. In debug builds it holds the object to the promise of a
/// single thread.</summary>
internal sealed unsafe class QueueWaits
{
    private readonly Attachment _place;
    private readonly bool _isSingleThreaded; // promised
    private int _waiting;                    // debug, and promised: a thread waits

    public QueueWaits(Attachment place, bool isSingleThreaded)
    {
        _place = place;
        _isSingleThreaded = isSingleThreaded;
    }

    public IpcStatus Wait<TCondition>(
        ref TCondition condition,
        WaiterWords* waiter,
        Deadline deadline,
        CancellationToken cancellationToken,
        StreamLag? lag = null,
        ulong progress = 0)
        where TCondition : struct, IWaitCondition
    {
        CheckPromise();
        try
        {
            return _place.Control.Wait(ref condition, waiter, deadline, cancellationToken, lag, progress);
        }
        finally
        {
            EndPromise();
        }
    }

    /// <summary>A wait that is awaited is looked at by another thread than its caller's.</summary>
    public void CheckMayAwait()
    {
        if (_isSingleThreaded)
            throw new InvalidOperationException(
                "This queue was opened for a single thread (QueueOptions.SingleThreaded): its asynchronous calls " +
                "cannot wait.");
    }

    [Conditional("DEBUG")]
    private void CheckPromise()
    {
        if (_isSingleThreaded && Atomic.Exchange(ref _waiting, 1) != 0)
            throw new InvalidOperationException("This queue was opened for a single thread, and another waits.");
    }

    [Conditional("DEBUG")]
    private void EndPromise() => Atomic.StoreRelease(ref _waiting, 0);
}
