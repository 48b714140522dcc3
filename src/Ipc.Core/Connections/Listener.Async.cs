using System;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc;

/// <summary>Waiting for an event without holding a thread; see <see cref="AsyncWaitThread"/>, which does the leader's
/// work meanwhile.</summary>
/// <remarks>
/// A pending wait is the one that leads, but it is inside only while it is looked at: each look takes the place from
/// Pending to Inside and puts it back, so Dispose waits for no more than that. What comes back, or is made hot by its
/// ready bit, after the leader has begun to arm may have missed it <c>[return]</c>: then the doorbell is changed, so
/// that nobody sleeps there, and everything is armed and looked at anew.
/// </remarks>
public sealed unsafe partial class Listener
{
    /// <summary>Waits for the next event of any connection, without blocking a thread. One call at a time, and no
    /// <c>Next</c> meanwhile.</summary>
    /// <remarks>As with <c>Next</c>, the connection is lent until it is returned. The continuation runs on the
    /// thread pool, or in the context that awaited; if there is an event already, the call completes at once. Requests
    /// of clients that are there already are opened and checked on the caller's thread, later ones on the thread pool,
    /// one after another. If nobody awaits the result, the connection of its event stays lent. It allocates nothing in
    /// steady state.</remarks>
    /// <exception cref="IpcException">Stopped.</exception>
    /// <exception cref="OperationCanceledException">Cancelled; no event was taken.</exception>
    /// <exception cref="ObjectDisposedException">The listener was disposed, before or during the call.</exception>
    /// <exception cref="InvalidOperationException">Another thread is in <c>Next</c>, or another call is
    /// pending.</exception>
    public ValueTask<ListenerEvent> NextAsync(
        CancellationToken cancellationToken = default) => NextAsync(Timeout.InfiniteTimeSpan, cancellationToken);

    /// <summary>Waits for the next event, at most for <paramref name="timeout"/>. See
    /// <see cref="NextAsync(CancellationToken)"/>.</summary>
    /// <exception cref="TimeoutException">There was no event in time.</exception>
    public ValueTask<ListenerEvent> NextAsync(TimeSpan timeout, CancellationToken cancellationToken = default) =>
        NextAsync(Deadline.Within(timeout, nameof(timeout)), cancellationToken);

    internal ValueTask<ListenerEvent> NextAsync(Deadline deadline, CancellationToken cancellationToken)
    {
        if (TryGetInside())
        {
            bool pending = false;
            try
            {
                bool isOver = cancellationToken.IsCancellationRequested || _control.IsClosed || _control.IsStopped;
                if (!isOver && FindAndTake(out ListenerEvent next))
                {
                    Lead(next.Connection);
                    return new ValueTask<ListenerEvent>(next);
                }

                pending = true;
            }
            finally
            {
                Atomic.Exchange(ref _inside, pending ? Pending : Free);
            }
        }

        NextWait wait = NextWait.Rent(this);
        return new ValueTask<ListenerEvent>(wait, wait.Begin(deadline, cancellationToken));
    }

    /// <summary>A handle for an event loop: signalled while <see cref="TryNext"/> may have an event.</summary>
    /// <exception cref="InvalidOperationException">Another thread waits here.</exception>
    public ReadyHandle GetReadyHandle() => new(WaitForNextAsync);

    /// <summary>True as soon as <c>Next</c> has something; false when it never will have again: disposed or
    /// stopped.</summary>
    internal ValueTask<bool> WaitForNextAsync(CancellationToken cancellationToken)
    {
        if (TryGetInside())
        {
            bool found = false;
            try
            {
                found = !cancellationToken.IsCancellationRequested && !_control.IsStopped && FindEvent();
            }
            finally
            {
                Atomic.Exchange(ref _inside, found ? Free : Pending);
            }

            if (found)
                return new ValueTask<bool>(true);
        }

        ReadyWait wait = ReadyWait.Rent(this);
        return new ValueTask<bool>(wait, wait.Begin(cancellationToken));
    }

    /// <summary>The first event whose connection is still there. False: everything has been looked at.</summary>
    private bool FindAndTake(out ListenerEvent next)
    {
        next = default;
        while (FindEvent())
        {
            if (TryTake(out next))
                return true;
        }

        return false;
    }

    private sealed class NextWait : OwnedWait<NextWait, Listener, AsyncEventCondition, ListenerEvent>
    {
        public short Begin(Deadline deadline, CancellationToken cancellationToken)
        {
            Condition = new AsyncEventCondition(Owner, takes: true);
            return Begin(Owner._control, Owner._doorbell, Owner._region.View, deadline, cancellationToken);
        }

        private protected override ListenerEvent Finish(IpcStatus status)
        {
            if (status != IpcStatus.Ok)
                Throw.Ended(status, Owner, nameof(NextAsync), Cancel);
            ListenerEvent next = Condition.Taken;
            Owner.Lead(next.Connection);
            return next;
        }

        private protected override void EndCondition() => Atomic.CompareExchange(ref Owner._inside, Free, Pending);
    }

    private sealed class ReadyWait : OwnedWait<ReadyWait, Listener, AsyncEventCondition, bool>
    {
        public short Begin(CancellationToken cancellationToken)
        {
            Condition = new AsyncEventCondition(Owner, takes: false);
            return Begin(Owner._control, Owner._doorbell, Owner._region.View, Deadline.Never, cancellationToken);
        }

        private protected override bool Finish(IpcStatus status)
        {
            if (status == IpcStatus.Cancelled)
                Throw.Ended(status, Owner, nameof(GetReadyHandle), Cancel);
            return status == IpcStatus.Ok;
        }

        private protected override void EndCondition() => Atomic.CompareExchange(ref Owner._inside, Free, Pending);
    }

    /// <summary>An event, which is taken when it is found; or one to be taken by a call that follows.</summary>
    private struct AsyncEventCondition : IWaitCondition
    {
        private readonly Listener _listener;
        private readonly bool _takes;
        private bool _hasArmed;
        private ListenerEvent _taken;

        public AsyncEventCondition(Listener listener, bool takes)
        {
            _listener = listener;
            _takes = takes;
            _hasArmed = false;
            _taken = default;
        }

        public readonly ListenerEvent Taken => _taken;

        public readonly ulong LongestSleep => _listener.LongestSleep;

        public bool IsTrue()
        {
            if (!Enter())
                return false;
            try
            {
                if (_takes ? _listener.FindAndTake(out _taken) : _listener.FindEvent())
                    return true;
                if (_hasArmed && _listener.MissedArming())
                    Waiter.SignalAlways(&_listener._header->Doorbell);
                return false;
            }
            finally
            {
                Leave();
            }
        }

        public readonly IpcStatus PeerStatus() => IpcStatus.Ok;

        public bool BeforeSleep()
        {
            if (!Enter())
                return true;
            try
            {
                _hasArmed = true;
                return _listener.ArmAll();
            }
            finally
            {
                Leave();
            }
        }

        /// <summary>False: it is being disposed, for good.</summary>
        private readonly bool Enter()
        {
            if (Atomic.CompareExchange(ref _listener._inside, Inside, Pending) != Pending)
                return false;
            _listener._looksAside = true;
            return true;
        }

        private readonly void Leave() => Atomic.Exchange(ref _listener._inside, Pending);
    }
}
