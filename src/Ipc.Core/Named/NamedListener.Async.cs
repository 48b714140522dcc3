using System;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc;

/// <content>Waiting for an event without holding a thread; see <see cref="AsyncWaitThread"/>.</content>
public sealed partial class NamedListener
{
    /// <summary>Waits for the next event of any connection, without blocking a thread. One call at a time, and no
    /// <c>Next</c> meanwhile.</summary>
    /// <remarks>What it returns is what <c>Next</c> does, lent in the same way. The continuation runs on the
    /// thread pool, or in the context that awaited; if there is an event already, the call completes at once, and
    /// allocates nothing. A client that logs in is looked at, and its conversation attached, on the calling thread or
    /// on the pool's, as in <see cref="Listener.NextAsync(CancellationToken)"/>. If nobody awaits the result, the
    /// connection of its event stays lent.</remarks>
    /// <exception cref="IpcException">Stopped.</exception>
    /// <exception cref="OperationCanceledException">Cancelled; no event was taken.</exception>
    /// <exception cref="ObjectDisposedException">The listener was disposed, before or during the call.</exception>
    /// <exception cref="InvalidOperationException">Another thread is in <c>Next</c>, or another call is
    /// pending.</exception>
    public ValueTask<NamedEvent> NextAsync(CancellationToken cancellationToken = default) =>
        NextAsync(Timeout.InfiniteTimeSpan, cancellationToken);

    /// <summary>Waits for the next event, at most for <paramref name="timeout"/>. See
    /// <see cref="NextAsync(CancellationToken)"/>.</summary>
    /// <exception cref="TimeoutException">There was no event in time.</exception>
    public ValueTask<NamedEvent> NextAsync(TimeSpan timeout, CancellationToken cancellationToken = default) =>
        NextAsync(Deadline.Within(timeout, nameof(timeout)), cancellationToken);

    /// <summary>A handle for an event loop: signalled while <see cref="TryNext"/> may have an event.</summary>
    /// <exception cref="InvalidOperationException">Another thread waits here.</exception>
    public ReadyHandle GetReadyHandle() => new(WaitForNextAsync);

    private async ValueTask<bool> WaitForNextAsync(CancellationToken cancellationToken)
    {
        EnterNext();
        try
        {
            return _events.Count > 0 || await _listener.WaitForNextAsync(cancellationToken).ConfigureAwait(false);
        }
        finally
        {
            LeaveNext();
        }
    }

    private async ValueTask<NamedEvent> NextAsync(Deadline deadline, CancellationToken cancellationToken)
    {
        EnterNext();
        try
        {
            for (; ; )
            {
                if (TryTake(out NamedEvent e))
                    return e;
                Take(await _listener.NextAsync(deadline, cancellationToken).ConfigureAwait(false));
            }
        }
        catch (IpcException error) when (error.Status == IpcStatus.Stopped && IsDisposed)
        {
            throw new ObjectDisposedException(GetType().FullName, error); // Close stops it first
        }
        finally
        {
            LeaveNext();
        }
    }
}
