using System;
using System.Runtime.CompilerServices;

namespace Ipc;

/// <summary>The leader's work: ready bits, requests, polling, arming.</summary>
public sealed unsafe partial class Listener
{
    private const int TurnsBetweenAging = 64;
    private const ulong HotFor = 50_000; // ns; what an empty connection is polled for before it is armed

    /// <summary>An event is in the queue, or was found.</summary>
    [MethodImpl(Tiering.Optimized)]
    private bool FindEvent()
    {
        if (_events.Count > 0)
            return true;
        if (Atomic.LoadAcquire(ref _hasOpened) != 0)
            TakeOpened();
        if (_options.TakeOver)
            LookForSuccessor(); // before a request is taken
        TakeReadyBits();
        if (_events.Count > 0)
            return true;
        if (++_turn % TurnsBetweenAging == 0)
            ArmIdle();
        return PollHot();
    }

    /// <summary>The first event whose connection was not disposed meanwhile.</summary>
    [MethodImpl(Tiering.Optimized)]
    private bool TryTake(out ListenerEvent e)
    {
        while (_events.Count > 0)
        {
            e = _events.Dequeue();
            if (e.Kind == ListenerEventKind.Followed)
                Atomic.StoreRelease(ref _toldOfFollowed, 1);
            else if (e.Connection.IsGone)
                continue;
            return true;
        }

        e = default;
        return false;
    }

    [MethodImpl(Tiering.Optimized)]
    private void TakeReadyBits()
    {
        for (int first = 0; first < _entrance.SlotCount; first += 64)
        {
            ulong* word = _entrance.ReadyWord(_region, first);
            if (Atomic.LoadAcquire(ref *word) == 0)
                continue;
            ulong bits = Atomic.Exchange(word, 0); // [ready]
            for (int bit = 0; bits != 0; bit++, bits >>= 1)
            {
                if ((bits & 1) != 0 && first + bit > 0)
                    Look(first + bit);
            }
        }
    }

    /// <summary>A client says: look at this one.</summary>
    [MethodImpl(Tiering.Optimized)]
    private void Look(int slot)
    {
        ulong state = ListenerSlot.StateOf(Atomic.LoadAcquire(ref _entrance.Slot(_region, slot)->Word));
        if (state == ListenerSlot.Requested)
        {
            if (_looksAside)
                OpenAside(slot);
            else if (!OpensAside(slot) && TakeRequest(slot) is { } asking)
                Found(asking);
        }
        else if (state == ListenerSlot.Attached && _connections[slot] is { } connection && !connection.IsGone)
        {
            connection.IsArmed = false; // its flag is cleared: it has to be polled until it is armed again
            MakeHot(connection);
            if (!connection.IsWatched)
                connection.TellIfEnded(_looksAside);
        }
    }

    [MethodImpl(Tiering.Optimized)]
    private void MakeHot(Connection connection)
    {
        connection.LastActive = Os.Current.Now();
        _hotUnarmed = true;
        if (!connection.IsHot)
        {
            connection.IsHot = true;
            _hot.Add(connection);
        }
    }

    /// <summary>The next one that needs attention is lent, and its event queued. False: all of them have been looked
    /// at.</summary>
    [MethodImpl(Tiering.Optimized)]
    private bool PollHot()
    {
        int count = _hot.Count;
        bool found = false;
        bool someAreGone = false;
        for (int i = 0; i < count && !found; i++)
        {
            Connection connection = _hot[(int)((_turn + (uint)i) % (uint)count)]; // not always the same one first
            if (connection.IsGone)
            {
                // dropped when this is over: it moves another one to its place, which would not be looked at
                someAreGone = true;
                continue;
            }

            if (!connection.IsWatched || connection.IsFinished || !IsDue(connection, out IpcStatus ended) ||
                !connection.TryLend())
            {
                continue;
            }

            found = true;
            connection.IsArmed = false;
            connection.LastActive = Os.Current.Now();
            connection.IsFinished = ended != IpcStatus.Ok;
            _events.Enqueue(
                new ListenerEvent(
                    connection.IsFinished ? ListenerEventKind.Closed : ListenerEventKind.Readable, connection));
            if (connection.IsFinished && ended != IpcStatus.Closed)
                connection.RaiseClosed(ended, _looksAside);
        }

        for (int index = _hot.Count - 1; someAreGone && index >= 0; index--)
        {
            if (_hot[index].IsGone)
                Drop(index);
        }

        return found;
    }

    /// <summary>Something to read; or, when everything was read, its end: the client's, or that it was shut down on
    /// this side (Closed).</summary>
    [MethodImpl(Tiering.Optimized)]
    private static bool IsDue(Connection connection, out IpcStatus ended)
    {
        RingReader watched = connection.Watched;
        if (watched.Poll(out ended))
            return true;
        if (!ReferenceEquals(watched, connection.Reader) && connection.Reader.Poll(out ended))
        {
            // a session has ended: what its client published before it went comes first
            if (watched.Poll(out IpcStatus others) && others == IpcStatus.Ok)
                ended = IpcStatus.Ok;
            return true;
        }

        if (!connection.IsShutDown)
            return false;
        if (!watched.Poll(out ended)) // once more: published before it was shut down
            ended = IpcStatus.Closed;
        return true;
    }

    private void Drop(int index)
    {
        _hot[index].IsHot = false;
        _hot[index] = _hot[_hot.Count - 1];
        _hot.RemoveAt(_hot.Count - 1);
    }

    /// <summary>While others are busy: those that have been empty for long need not be polled.</summary>
    [MethodImpl(Tiering.Optimized)]
    private void ArmIdle()
    {
        if (Waiter.HasBeenRefused)
            return; // a publish that is under way may miss it: they are polled on
        ulong now = Os.Current.Now();
        bool armed = false, allFence = true;
        foreach (Connection connection in _hot)
        {
            if (connection.IsWatched && !connection.IsArmed && now - connection.LastActive > HotFor)
            {
                allFence &= connection.Watched.Arm();
                connection.IsArmed = armed = true;
            }
        }

        if (armed)
        {
            if (!allFence)
                Waiter.FenceOthers(&_header->Doorbell); // [sleep] for all of them
            DropArmed();
        }
    }

    /// <summary>Those that were armed, fenced, and are then found empty once more.</summary>
    [MethodImpl(Tiering.Optimized)]
    private void DropArmed()
    {
        if (Waiter.HasBeenRefused)
            return; // just now
        for (int index = _hot.Count - 1; index >= 0; index--)
        {
            Connection connection = _hot[index];
            if (connection.IsGone || connection.IsFinished)
                Drop(index);
            else if (connection.IsArmed && connection.IsWatched && !IsDue(connection, out _))
                Drop(index);
        }
    }

    /// <summary>Before the leader sleeps: arm all that are polled. What was armed before has been looked at since, and
    /// is left to its flag.</summary>
    /// <returns>All clients fence: <see cref="RingReader.Arm"/>.</returns>
    [MethodImpl(Tiering.Optimized)]
    private bool ArmAll()
    {
        bool allFence = true;
        // [return] what comes back from here on may miss being armed
        _returnsSeen = Atomic.LoadAcquire(ref _returns);
        _hotUnarmed = false;
        for (int index = _hot.Count - 1; index >= 0; index--)
        {
            Connection connection = _hot[index];
            if (connection.IsGone || connection.IsFinished)
            {
                Drop(index);
            }
            else if (connection.IsWatched)
            {
                if (connection.IsArmed && !Waiter.HasBeenRefused)
                {
                    Drop(index);
                }
                else
                {
                    allFence &= connection.Watched.Arm();
                    connection.IsArmed = true;
                }
            }
        }

        return allFence;
    }

    /// <summary>In the look before the sleep: has something come back, or become hot by its ready bit, after the others
    /// were armed? Nobody would ring for it.</summary>
    private bool MissedArming() => _hotUnarmed || Atomic.LoadAcquire(ref _returns) != _returnsSeen; // [return] [ready]

    /// <summary>requested -> attached, or idle. Null when nothing came of it.</summary>
    private Connection? TakeRequest(int slot)
    {
        ListenerSlot* shared = _entrance.Slot(_region, slot);
        ulong requested = Atomic.LoadAcquire(ref shared->Word); // [slot]
        if (ListenerSlot.StateOf(requested) != ListenerSlot.Requested)
            return null;
        Opening?.Invoke();
        // whatever becomes of the request: who is killed before it has left the table is cleaned up after
        _region.WatchParticipant(slot);
        ulong id = ListenerSlot.IdOf(requested);
        ConnectionEntrance layout = new(slot, id);
        Region region;
        string path = ListenerEntrance.ConnectionPath(_region, id);
        try
        {
            region = Region.OpenPlain(path, RegionShare.OfAnybody(_region.Name), layout);
        }
        catch (IpcException)
        {
            // Not there any more, or not what a client makes. The client, if it lives, sees the idle slot and says so;
            // nobody else is concerned.
            _ = Os.Current.TryUnlink(path);
            Atomic.TryExchange(&shared->Word, requested, ListenerSlot.Idle); // [slot]
            return null;
        }

        FaultPoints.Pass(FaultPoints.ListenerAcceptMapped);
        region.Unlink();
        region.CloseFileUnlessNeeded();
        FaultPoints.Pass(FaultPoints.ListenerAcceptUnlinked);

        // From the word that was seen, id and all: if the client was cleaned up meanwhile, the slot may be asking for
        // another one by now, whose ready bit is on its way.
        if (!Atomic.TryExchange(&shared->Word, requested, ListenerSlot.WordOf(id, ListenerSlot.Attached))) // [slot]
        {
            region.CloseFile();
            region.View.Dispose();
            return null;
        }

        Connection connection = Connection.ForServer(region, layout, _region, _entrance, this, slot, _style);
        _ = _options.Protocol.Agree(layout.Protocol, out int version);
        connection.ProtocolVersion = version;
        lock (_connections)
            _connections[slot] = connection;
        int count = Atomic.Increment(ref _count);
        if (KnowsOfSuccessor)
        {
            connection.TurnAway();
            return null;
        }

        string? refusal = Refusal(layout, count, connection.PeerUserId);
        if (refusal is not null)
        {
            connection.Refuse(refusal);
            return null;
        }

        return connection;
    }

    private string? Refusal(ConnectionEntrance layout, int count, uint? user)
    {
        if (!_region.Share.Admits(user))
            return $"this server does not serve user {user}";
        if (count > _options.MaxConnections)
            return $"the server has {_options.MaxConnections} connections, its maximum";
        ulong toServer = layout.ToServer.Capacity, toClient = layout.ToClient.Capacity;
        if (Math.Max(toServer, toClient) > (ulong)_options.MaxRingCapacity)
            return $"the rings have {toServer} and {toClient} bytes, this server allows {_options.MaxRingCapacity}";
        ulong loansToServer = layout.ToServer.Pool?.Geometry.Budget ?? 0;
        ulong loansToClient = layout.ToClient.Pool?.Geometry.Budget ?? 0;
        if (Math.Max(loansToServer, loansToClient) > (ulong)_options.MaxLoanBudget)
            return $"the loan budgets are {loansToServer} and {loansToClient} bytes, this server allows " +
                _options.MaxLoanBudget;
        // a client that reads what the listener says does not come so far
        if (_options.Protocol.Agree(layout.Protocol, out _) != IpcStatus.Ok)
            return $"the client speaks {layout.Protocol}, this server {_options.Protocol}";
        return null;
    }

    /// <summary>A connection's server side has been freed: attached -> idle, the last thing.</summary>
    internal void Forget(Connection connection, bool quiet)
    {
        if (!quiet)
            Atomic.Exchange(ref _spanOut, 1);
        lock (_connections)
            _connections[connection.Slot] = null;
        Atomic.Decrement(ref _count);
        if (!_region.View.TryUse())
            return;
        try
        {
            // [slot]
            Atomic.TryExchange(
                &_entrance.Slot(_region, connection.Slot)->Word,
                ListenerSlot.WordOf(connection.Id, ListenerSlot.Attached),
                ListenerSlot.Idle);
            FaultPoints.Pass(FaultPoints.ListenerSlotIdle);
        }
        finally
        {
            _region.View.Unuse();
        }
    }

    /// <summary>Something to do, or to arm.</summary>
    internal struct EventCondition : IWaitCondition
    {
        private readonly Listener _listener;
        private bool _hasArmed;

        public EventCondition(Listener listener)
        {
            _listener = listener;
            _hasArmed = false;
        }

        public readonly ulong LongestSleep => _listener.LongestSleep;

        public readonly bool IsTrue() => _listener.FindEvent() || (_hasArmed && _listener.MissedArming());

        public readonly IpcStatus PeerStatus() => IpcStatus.Ok;

        [MethodImpl(Tiering.Optimized)]
        public bool BeforeSleep()
        {
            _hasArmed = true;
            return _listener.ArmAll();
        }
    }
}
