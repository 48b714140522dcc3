using System;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc;

/// <summary>Acquiring for a <c>using</c>: what is returned is held until it is disposed. The same to await, which holds
/// no thread (<see cref="AsyncWaitThread"/>).</summary>
public sealed unsafe partial class SharedSemaphore
{
    /// <summary>A permit, held. Dispose it once: that releases.</summary>
    public readonly struct Lease : IDisposable
    {
        private readonly SharedSemaphore? _semaphore;

        internal Lease(SharedSemaphore semaphore, bool abandoned)
        {
            _semaphore = semaphore;
            Abandoned = abandoned;
        }

        /// <summary>A permit came back from one who died or closed without releasing it: said once for each.</summary>
        public bool Abandoned { get; }

        /// <summary>Gives the permit back. Nothing happens when its object is disposed.</summary>
        /// <exception cref="IpcException">InvalidState: its object has none, so this one has been released
        /// already.</exception>
        public void Dispose() => _semaphore?.Release();
    }

    /// <summary>Acquires a permit, waiting for one if there is none.</summary>
    /// <exception cref="IpcException">Stopped.</exception>
    /// <exception cref="OperationCanceledException">Cancelled.</exception>
    /// <exception cref="ObjectDisposedException">This object is disposed.</exception>
    public Lease Acquire(
        CancellationToken cancellationToken = default) => Acquire(Timeout.InfiniteTimeSpan, cancellationToken);

    /// <summary>Acquires a permit, waiting for one no longer than <paramref name="timeout"/>. See
    /// <see cref="Acquire(CancellationToken)"/>.</summary>
    /// <exception cref="TimeoutException">There was none in time.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The timeout is negative, and not
    /// <c>Timeout.InfiniteTimeSpan</c>.</exception>
    public Lease Acquire(TimeSpan timeout, CancellationToken cancellationToken = default) =>
        LeaseOf(
            Acquire(Deadline.Within(timeout, nameof(timeout)), cancellationToken), nameof(Acquire), cancellationToken);

    /// <summary>A permit, if there is one now.</summary>
    public bool TryAcquire(out Lease lease)
    {
        IpcStatus status = Acquire(Deadline.Now);
        bool acquired = status is IpcStatus.Ok or IpcStatus.Abandoned;
        lease = acquired ? new Lease(this, status == IpcStatus.Abandoned) : default;
        return acquired;
    }

    /// <summary>Acquires a permit without holding a thread meanwhile. A lease that nobody awaits is held until this
    /// object is disposed.</summary>
    /// <remarks>Any number may be pending. The continuation runs on the thread pool, or in the context that awaited it.
    /// Allocates nothing in steady state.</remarks>
    /// <exception cref="IpcException">Stopped.</exception>
    /// <exception cref="OperationCanceledException">Cancelled.</exception>
    /// <exception cref="ObjectDisposedException">This object is disposed.</exception>
    public ValueTask<Lease> AcquireAsync(
        CancellationToken cancellationToken = default) => AcquireAsync(Timeout.InfiniteTimeSpan, cancellationToken);

    /// <summary>Acquires a permit, if one is to be had within <paramref name="timeout"/>. See
    /// <see cref="AcquireAsync(CancellationToken)"/>.</summary>
    /// <exception cref="TimeoutException">There was none in time.</exception>
    public ValueTask<Lease> AcquireAsync(TimeSpan timeout, CancellationToken cancellationToken = default)
    {
        Deadline deadline = Deadline.Within(timeout, nameof(timeout));
        if (!cancellationToken.IsCancellationRequested && TryAcquire(out Lease lease))
            return new ValueTask<Lease>(lease);
        AcquireWait wait = AcquireWait.Rent(this);
        return new ValueTask<Lease>(wait, wait.Begin(deadline, cancellationToken));
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
