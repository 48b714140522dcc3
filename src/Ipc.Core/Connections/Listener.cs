using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Ipc;

/// <summary>Accepts connections and reports which of them have something to read. One thread at a time watches all of
/// them.</summary>
/// <remarks>
/// <para>The thread in <c>Next</c> (the leader) polls the connections that were active a moment ago, in turn,
/// and the ready bits. A connection that has been empty for a spin budget is armed: the flag in its ring makes the
/// client's next publish set its ready bit and ring. With all of them armed the leader sleeps on the doorbell: idle
/// connections cost nothing, however many there are.
/// </para>
/// <para>What is handed out is lent: nobody else looks at it until it is returned. So several threads can serve: one
/// takes an event, lets the next one lead, and returns the connection when it has read it empty. Returning is one store
/// and a look at the doorbell.
/// </para>
/// <para>Arming is a sleep in small: set the flag, fence, look again <c>[sleep]</c>. Before the leader sleeps it arms
/// everything that it polls, then announces itself at the doorbell, whose fence serves for all, then looks at
/// everything once more. What is lent it does not arm: if that comes back between the arming and the announcement,
/// nobody rings for it and the returner finds nobody asleep. So returns are counted <c>[return]</c>, and a leader that
/// has announced itself does not sleep when the count has changed since it began to arm. A look that ended at an event
/// is not one at everything: before the leader arms again, or sleeps, it looks until it finds nothing.
/// </para>
/// </remarks>
public sealed unsafe partial class Listener : IDisposable
{
    private const int CloseTimeoutMilliseconds = 1000;
    private const int Free = 0, Inside = 1, Pending = 2; // values of _inside

    private readonly Region _region;
    private readonly ListenerEntrance _entrance;
    private readonly ListenerHeader* _header;
    private readonly WaiterWords* _doorbell; // its address alone, which is good after the end of the mapping too
    private readonly ListenerOptions _options;
    private readonly WaitStyle _style;
    private readonly WaitControl _control;
    private readonly Connection?[] _connections; // by slot; changed under its lock
    private readonly List<Connection> _hot = new();      // the leader's
    private readonly Queue<ListenerEvent> _events = new(); // the leader's
    private int _count;
    private Connection? _last; // lent
    private int _returns;
    private int _returnsSeen; // the leader's: before it armed
    private bool _hotUnarmed; // the leader's: one has become hot since it armed
    private uint _turn;
    private int _inside;
    private bool _looksAside; // who is inside is a thread that waits for many, and calls no code of the user's
    private int _disposed;
    private int _spanOut; // a connection was disposed while a thread was inside: it may still look at our region

    private Listener(Region region, ListenerEntrance entrance, ListenerOptions options, WaitStyle style)
    {
        _style = style;
        _region = region;
        _entrance = entrance;
        _options = options;
        _header = (ListenerHeader*)region.Body;
        _doorbell = &_header->Doorbell;
        _connections = new Connection?[entrance.SlotCount];
        _control = new WaitControl(style, &_header->Doorbell, null, shown: &region.Entry(region.Index)->Spin);
    }

    /// <summary>Opens the listener <paramref name="name"/>. It replaces what a dead server has left behind.</summary>
    /// <exception cref="IpcException">InUse: a live server has the name (with <see cref="ListenerOptions.TakeOver"/>:
    /// one that was opened without it); the message has its process. Or any status of opening a region.</exception>
    public static Listener Open(string name, ListenerOptions? options = null)
    {
        RegionName.Check(name);
        options = (options ?? new ListenerOptions()).Copy();
        if (options.MaxConnections is < 1 or > RegionGeometry.MaxListenerParticipants - 1)
            Throw.Status(
                IpcStatus.InvalidArgument,
                $"A listener has 1 to {RegionGeometry.MaxListenerParticipants - 1} connections, not " +
                $"{options.MaxConnections}.");
        if (options.TakeOver && !Os.Current.CanReplace)
            Throw.Status(
                IpcStatus.InvalidArgument,
                $"TakeOver is not possible on this system: stop the server \"{name}\", then open it.");
        WaitStyle style = WaitStyle.Of(options.WaitMode, options.SpinLimit);
        ulong maxRing = RingGeometry.CheckRequested(options.MaxRingCapacity);

        _ = PoolGeometry.CheckRequested(options.MaxLoanBudget);
        ListenerEntrance entrance = ListenerEntrance.ForServer(options, maxRing);
        Region region = Region.Open(name, entrance, OpenMode.CreateNew, Deadline.Now, CancellationToken.None);
        Listener listener = new(region, entrance, options, style);
        entrance.PeersWereRecovered = listener.PeersRecovered;
        return listener;
    }

    /// <summary>The name with which it was opened.</summary>
    public string Name => _region.Name;

    /// <summary>Whether the name still leads to this listener. It does not after its file was removed or replaced. It
    /// checks the directory once.</summary>
    public bool IsFindable => Os.Current.LeadsTo(_region.Path, _region.File!);

    /// <summary>The number of connections now, including requests that are not answered yet.</summary>
    public int Count => Atomic.LoadAcquire(ref _count);

    /// <summary>Waits for the next event of any connection. One thread at a time may call it.</summary>
    /// <returns>Ok and an event; or Timeout, Stopped, Cancelled or Closed.</returns>
    /// <exception cref="InvalidOperationException">Another thread is in this method.</exception>
    [MethodImpl(Tiering.Optimized)]
    public IpcStatus Next(out ListenerEvent e, Deadline deadline, CancellationToken cancellationToken = default)
    {
        e = default;
        if (!TryGetInside())
            return IpcStatus.Closed;
        try
        {
            IpcStatus status = _control.IsClosed
                ? IpcStatus.Closed
                : _control.IsStopped ? IpcStatus.Stopped : IpcStatus.Ok;
            while (status == IpcStatus.Ok)
            {
                if (FindEvent())
                {
                    if (TryTake(out e))
                    {
                        Lead(e.Connection);
                        break;
                    }

                    // The rest has not been looked at: what is armed would be left to its flag.
                    continue; // it was disposed meanwhile
                }

                if (deadline == Deadline.Now)
                    return IpcStatus.Timeout; // it was looked at just now, and nothing is going to be waited for

                EventCondition condition = new(this);
                if (_last is { IsGone: true })
                    _last = null;
                _control.WaitsFor(_last); // with more of them, there is none whose processor it is
                status = _control.Wait(ref condition, &_header->Doorbell, deadline, cancellationToken);
            }

            return status;
        }
        finally
        {
            Atomic.Exchange(ref _inside, Free);
        }
    }

    /// <summary>Waits for the next event no longer than <paramref name="timeout"/>; only a wait makes a deadline of it.
    /// See <see cref="Next(out ListenerEvent, Deadline, CancellationToken)"/>.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The timeout is negative, and not
    /// <c>Timeout.InfiniteTimeSpan</c>.</exception>
    [MethodImpl(Tiering.Optimized)]
    public IpcStatus Next(out ListenerEvent e, TimeSpan timeout, CancellationToken cancellationToken = default)
    {
        Deadline.Check(timeout, nameof(timeout));
        IpcStatus status = Next(out e, Deadline.Now, cancellationToken);
        return status == IpcStatus.Timeout ? Next(out e, Deadline.After(timeout), cancellationToken) : status;
    }

    /// <summary>Gets the next event if there is one now. See <c>Next</c>. Never blocks.</summary>
    public bool TryNext(out ListenerEvent e) => Next(out e, Deadline.Now) == IpcStatus.Ok;

    /// <summary>False when this listener is disposed.</summary>
    private bool TryGetInside()
    {
        if (Atomic.CompareExchange(ref _inside, Inside, Free) == Free)
        {
            _looksAside = false;
            return true;
        }

        if (!_control.IsClosed)
            throw new InvalidOperationException(
                "Another thread is in Listener.Next or Accept, or one of them is awaited, or a ReadyHandle is armed; " +
                "one at a time.");
        return false;
    }

    /// <summary>This thread has what is to be done for a connection: from here on that one's client is who ends
    /// waits.</summary>
    private void Lead(Connection? connection)
    {
        _last = connection;
        (connection as IPeerPlace)?.NotePlace();
    }

    /// <summary>Gives a connection back to the listener, which watches it again. It may be called on any thread. It has
    /// no effect on a disposed connection.</summary>
    [MethodImpl(Tiering.Optimized)]
    public void Return(Connection connection)
    {
        Throw.IfNull(connection, nameof(connection));
        if (!connection.TryReturn() || !_region.View.TryUse())
            return;
        try
        {
            // [return] after it is watched again, before we look whether the leader sleeps
            Atomic.Increment(ref _returns);
            Waiter.Signal(&_header->Doorbell); // a leader that sleeps has not looked at this one
        }
        finally
        {
            _region.View.Unuse();
        }
    }

    /// <summary>Makes <c>Next</c> return Stopped, now and until <see cref="Resume"/>.</summary>
    public void Stop()
    {
        if (!_region.View.TryUse())
            return;
        try
        {
            _control.End(IpcStatus.Stopped);
        }
        finally
        {
            _region.View.Unuse();
        }
    }

    /// <summary>Lets <c>Next</c> work again after <see cref="Stop"/>.</summary>
    public void Resume() => _control.Resume();

    /// <summary>Rejects the requests that are not answered, closes all connections with the code Shutdown, retires the
    /// region and removes the name. Waits return Closed before memory is freed.</summary>
    public void Dispose()
    {
        if (Atomic.Exchange(ref _disposed, 1) != 0)
            return;

        _control.End(IpcStatus.Closed);
        bool quiet = WaitUntilOutside();
        quiet &= WaitUntilOpened();
        if (quiet)
            RefuseRequests();
        foreach (Connection connection in Snapshot())
        {
            connection.Shutdown(CloseCode.Shutdown, "The server has ended.");
            connection.Dispose();
        }

        _region.Leave();
        if (quiet && Atomic.LoadAcquire(ref _spanOut) == 0)
            _region.View.Dispose();
        else
            _region.View.LeaveToCollector();
    }

    private bool WaitUntilOutside()
    {
        ulong end = Os.Current.Now() + CloseTimeoutMilliseconds * 1_000_000UL;
        // Taken for good: nobody gets in any more. A pending NextAsync is inside only while it is looked at.
        for (int attempt = 0; Atomic.CompareExchange(ref _inside, Inside, Free) != Free &&
            Atomic.CompareExchange(ref _inside, Inside, Pending) != Pending; attempt++)
        {
            if (Os.Current.Now() > end)
                return false;
            _control.WakeSleepers();
            ClosePause.Take(attempt);
        }

        return true;
    }

    /// <summary>Nobody else hears those that have asked and were not taken yet.</summary>
    private void RefuseRequests()
    {
        for (int slot = 1; slot < _entrance.SlotCount; slot++)
        {
            if (TakeRequest(slot) is { } connection)
                connection.TurnAway();
        }
    }

    private Connection[] Snapshot()
    {
        lock (_connections)
        {
            List<Connection> all = new();
            foreach (Connection? connection in _connections)
            {
                if (connection is not null)
                    all.Add(connection);
            }

            return all.ToArray();
        }
    }

    /// <summary>On the watch thread.</summary>
    private void PeersRecovered()
    {
        foreach (Connection connection in Snapshot())
            connection.PeersRecovered();
    }
}
