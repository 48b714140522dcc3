using System;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc;

/// <summary>Acquiring for a <c>using</c>: what is returned is held until it is disposed. The same to await, which holds
/// no thread (<see cref="AsyncWaitThread"/>).</summary>
public sealed unsafe partial class SharedSemaphore
{
    /// <summary>A held permit. Dispose it once, to release the permit.</summary>
    public readonly struct Lease : IDisposable
    {
        private readonly SharedSemaphore? _semaphore;

        internal Lease(SharedSemaphore semaphore, bool abandoned)
        {
            _semaphore = semaphore;
            Abandoned = abandoned;
        }

        /// <summary>Whether the permit's last holder died or closed without releasing it. Reported once for each such
        /// permit.</summary>
        public bool Abandoned { get; }

        /// <summary>Releases the permit. It has no effect when its object is disposed.</summary>
        /// <exception cref="IpcException">InvalidState: its object holds none, so this one was released
        /// already.</exception>
        public void Dispose() => _semaphore?.Release();
    }

    /// <summary>Acquires a permit, waiting for one if there is none.</summary>
    /// <exception cref="IpcException">Stopped.</exception>
    /// <exception cref="OperationCanceledException">Cancelled.</exception>
    /// <exception cref="ObjectDisposedException">This object is disposed.</exception>
    public Lease Acquire(
        CancellationToken cancellationToken = default) => Acquire(Timeout.InfiniteTimeSpan, cancellationToken);

    /// <summary>Acquires a permit, waiting for one at most for <paramref name="timeout"/>. See
    /// <see cref="Acquire(CancellationToken)"/>.</summary>
    /// <exception cref="TimeoutException">No permit became free in time.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The timeout is negative and not
    /// <c>Timeout.InfiniteTimeSpan</c>.</exception>
    public Lease Acquire(TimeSpan timeout, CancellationToken cancellationToken = default)
    {
        Deadline.Check(timeout, nameof(timeout));
        return TryAcquire(out Lease lease)
            ? lease
            : LeaseOf(Acquire(Deadline.After(timeout), cancellationToken), nameof(Acquire), cancellationToken);
    }

    /// <summary>Acquires a permit if one is free now.</summary>
    public bool TryAcquire(out Lease lease)
    {
        IpcStatus status = Acquire(Deadline.Now);
        bool acquired = status is IpcStatus.Ok or IpcStatus.Abandoned;
        lease = acquired ? new Lease(this, status == IpcStatus.Abandoned) : default;
        return acquired;
    }

    /// <summary>Acquires a permit without blocking a thread. If nobody awaits the result, the permit stays held until
    /// this object is disposed.</summary>
    /// <remarks>Any number of calls may be pending. The continuation runs on the thread pool, or in the context that
    /// awaited it. It allocates nothing in steady state.</remarks>
    /// <exception cref="IpcException">Stopped.</exception>
    /// <exception cref="OperationCanceledException">Cancelled.</exception>
    /// <exception cref="ObjectDisposedException">This object is disposed.</exception>
    public ValueTask<Lease> AcquireAsync(
        CancellationToken cancellationToken = default) => AcquireAsync(Timeout.InfiniteTimeSpan, cancellationToken);

    /// <summary>Acquires a permit without blocking a thread, waiting at most for <paramref name="timeout"/>. See
    /// <see cref="AcquireAsync(CancellationToken)"/>.</summary>
    /// <exception cref="TimeoutException">No permit became free in time.</exception>
    public ValueTask<Lease> AcquireAsync(TimeSpan timeout, CancellationToken cancellationToken = default)
    {
        Deadline.Check(timeout, nameof(timeout));
        if (!cancellationToken.IsCancellationRequested && TryAcquire(out Lease lease))
            return new ValueTask<Lease>(lease);
        AcquireWait wait = AcquireWait.Rent(this);
        return new ValueTask<Lease>(wait, wait.Begin(Deadline.After(timeout), cancellationToken));
    }

    private Lease LeaseOf(IpcStatus status, string call, CancellationToken cancellationToken)
    {
        if (status is not (IpcStatus.Ok or IpcStatus.Abandoned))
            Throw.Ended(status, this, call, cancellationToken);
        return new Lease(this, status == IpcStatus.Abandoned);
    }

    private sealed class AcquireWait : OwnedWait<AcquireWait, SharedSemaphore, Condition, Lease>
    {
        public short Begin(Deadline deadline, CancellationToken cancellationToken)
        {
            Condition = new Condition(Owner);
            return Begin(Owner._sync.Control, Owner._sync.Waiter, Owner._sync.Region.View, deadline, cancellationToken);
        }

        private protected override Lease Finish(IpcStatus status) =>
            Owner.LeaseOf(
                status == IpcStatus.Ok ? Owner.Taken(Condition.Abandoned) : status, nameof(AcquireAsync), Cancel);
    }
}
