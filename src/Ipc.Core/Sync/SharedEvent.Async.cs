using System;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc;

/// <summary>Waiting that returns when the event is set and throws otherwise; and the same to await, which holds no
/// thread (<see cref="AsyncWaitThread"/>).</summary>
public sealed unsafe partial class SharedEvent
{
    /// <summary>Waits until the event is set. The wait resets it, unless the event has manual reset.</summary>
    /// <exception cref="IpcException">Stopped.</exception>
    /// <exception cref="OperationCanceledException">Cancelled.</exception>
    /// <exception cref="ObjectDisposedException">This object is disposed.</exception>
    public void Wait(
        CancellationToken cancellationToken = default) => Wait(Timeout.InfiniteTimeSpan, cancellationToken);

    /// <summary>Waits until the event is set, at most for <paramref name="timeout"/>. See
    /// <see cref="Wait(CancellationToken)"/>.</summary>
    /// <exception cref="TimeoutException">It was not set in time.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The timeout is negative and not
    /// <c>Timeout.InfiniteTimeSpan</c>.</exception>
    public void Wait(TimeSpan timeout, CancellationToken cancellationToken = default)
    {
        Deadline.Check(timeout, nameof(timeout));
        if (Wait(Deadline.Now, CancellationToken.None) == IpcStatus.Ok)
            return;
        IpcStatus status = Wait(Deadline.After(timeout), cancellationToken);
        if (status != IpcStatus.Ok)
            Throw.Ended(status, this, nameof(Wait), cancellationToken);
    }

    /// <summary>Waits until the event is set, without blocking a thread. The wait resets it, unless the event has
    /// manual reset.</summary>
    /// <remarks>Any number of calls may be pending. The continuation runs on the thread pool, or in the context that
    /// awaited it. It allocates nothing in steady state.</remarks>
    /// <exception cref="IpcException">Stopped.</exception>
    /// <exception cref="OperationCanceledException">Cancelled.</exception>
    /// <exception cref="ObjectDisposedException">This object is disposed.</exception>
    public ValueTask WaitAsync(
        CancellationToken cancellationToken = default) => WaitAsync(Timeout.InfiniteTimeSpan, cancellationToken);

    /// <summary>Waits until the event is set, at most for <paramref name="timeout"/>, without blocking a thread. See
    /// <see cref="WaitAsync(CancellationToken)"/>.</summary>
    /// <exception cref="TimeoutException">It was not set in time.</exception>
    public ValueTask WaitAsync(TimeSpan timeout, CancellationToken cancellationToken = default)
    {
        Deadline.Check(timeout, nameof(timeout));
        if (!cancellationToken.IsCancellationRequested && Wait(Deadline.Now, CancellationToken.None) == IpcStatus.Ok)
            return default;
        SetWait wait = SetWait.Rent(this);
        return new ValueTask(wait, wait.Begin(Deadline.After(timeout), cancellationToken));
    }

    private sealed class SetWait : OwnedWait<SetWait, SharedEvent, Condition, bool>
    {
        public short Begin(Deadline deadline, CancellationToken cancellationToken)
        {
            Condition = new Condition(Owner);
            return Begin(Owner._sync.Control, Owner._sync.Waiter, Owner._sync.Region.View, deadline, cancellationToken);
        }

        private protected override bool Finish(IpcStatus status)
        {
            if (status == IpcStatus.Ok)
                status = Owner.Passed();
            if (status != IpcStatus.Ok)
                Throw.Ended(status, Owner, nameof(WaitAsync), Cancel);
            return true;
        }
    }
}
