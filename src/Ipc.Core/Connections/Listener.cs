using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Ipc;

/// <summary>Accepts connections and tells which of them have something to read. One thread at a time watches for all of
/// them.</summary>
/// <remarks>
/// <para>
/// The thread in <see cref="Next"/> (the leader) polls the connections that were active a moment ago, in turn, and the
/// ready bits. A connection that has been empty for a spin budget is armed: the flag in its ring makes the client's
/// next publish set its ready bit and ring. With all of them armed the leader sleeps on the doorbell: idle connections
/// cost nothing, however many there are.
/// </para>
/// <para>
/// What is handed out is lent: nobody else looks at it until it is returned. So several threads can serve: one takes an
/// event, lets the next one lead, and returns the connection when it has read it empty. Returning is one store and a
/// look at the doorbell.
/// </para>
/// <para>
/// Arming is a sleep in small: set the flag, fence, look again <c>[sleep]</c>. Before the leader sleeps it arms
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
        _control = new WaitControl(style, &_header->Doorbell, null);
    }

    /// <summary>Opens the listener <paramref name="name"/>. A left-over of a dead server is replaced.</summary>
    /// <exception cref="IpcException">InUse, with its process, if a live server has the name; and what can go wrong
    /// with a region.</exception>
    public static Listener Open(string name, ListenerOptions? options = null)
    {
        RegionName.Check(name);
        options ??= new ListenerOptions();
        if (options.MaxConnections is < 1 or > RegionGeometry.MaxParticipants - 1)
            Throw.Status(
                IpcStatus.InvalidArgument,
                $"A listener has 1 to {RegionGeometry.MaxParticipants - 1} connections, not {options.MaxConnections}.");
        WaitStyle style = WaitStyle.Of(options.WaitMode, options.SpinLimit);
        ulong maxRing = RingGeometry.CheckRequested(options.MaxRingCapacity);

        _ = PoolGeometry.CheckRequested(options.MaxLoanBudget);
        ListenerEntrance entrance = ListenerEntrance.ForServer(options.MaxConnections, maxRing);
        Region region = Region.Open(name, entrance, OpenMode.CreateNew, Deadline.Now, CancellationToken.None);
        Listener listener = new(region, entrance, options, style);
        entrance.PeersWereRecovered = listener.PeersRecovered;
        return listener;
    }

    /// <summary>The name it was opened with.</summary>
    public string Name => _region.Name;

    /// <summary>Whether who looks for the name finds this listener: not after somebody has removed its file, or put
    /// another in its place. One look at the directory.</summary>
    public bool IsFindable => Os.Current.LeadsTo(_region.Path, _region.File!);

    /// <summary>Connections now, requests that are not answered yet included.</summary>
    public int Count => Atomic.LoadAcquire(ref _count);

    /// <summary>The next thing to do, over all connections. One thread at a time.</summary>
    /// <returns>Ok with an event; Timeout; Stopped; Cancelled; Closed.</returns>
    /// <exception cref="InvalidOperationException">Another thread is in here.</exception>
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

    /// <summary>The next thing to do, if there is something now. See <see cref="Next"/>. Never blocks.</summary>
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
    private void Lead(Connection connection)
    {
        _last = connection;
        ((IPeerPlace)connection).NotePlace();
    }

    /// <summary>Gives a connection back: it is watched again. Any thread. No effect on one that is disposed.</summary>
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

    /// <summary><see cref="Next"/> returns Stopped, now and until resumed.</summary>
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

    /// <summary><see cref="Next"/> works again.</summary>
    public void Resume() => _control.Resume();

    /// <summary>Turns away whom it has not answered, closes all connections with code Shutdown, retires the region,
    /// removes the name. Waits return Closed first.</summary>
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
