using System;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Ipc.Rpc;

// Leader and followers. One thread, the leader, waits for requests and runs their handlers itself: no hand-over and no
// wake stands between a request and its handler. One other, the standby, looks every millisecond to four, ever more
// seldom as long as all comes on (a look takes a processor from somebody: of calls on one core it was the slowest in a
// hundred), whether the leader is still in the handler that it was in at the last look, or has said that it will wait
// there; if so it takes over the listener and all connections, and a further thread becomes the standby. A leader that
// comes back from such a handler finds itself replaced and waits to be needed.
//
// When the leader has been in no handler for a while the standby goes to sleep for good; the next handler wakes it,
// once. So an idle server runs no thread, and a busy one is looked at some hundred times a second.
//
// Handlers that compute for some tens of microseconds are over long before the standby would notice, and yet everybody
// else waits for them. A connection that was found in the way of others is therefore given to a further thread, which
// reads it aside: it has that one connection and no part in the listener, and gives it back when nothing more comes.
// The standby watches it like the leader; if it is stuck, its connection goes back to the listener.

/// <summary>The threads of one server.</summary>
internal sealed class Crew
{
    private const int LooksBeforeSleep = 50;
    private static readonly TimeSpan _shortestPause = TimeSpan.FromMilliseconds(1);
    private static readonly TimeSpan _longestPause = TimeSpan.FromMilliseconds(4);

    private readonly object _gate = new();
    private readonly Parker _standbyParker = new();
    private readonly Func<Leader, bool> _lead;
    private readonly Action _exhausted;
    private readonly string _name;
    private readonly int _maxThreads;
    // what computes gains nothing from more
    private readonly int _mostAside = Environment.ProcessorCount > 1 ? Environment.ProcessorCount : 0;
    private readonly Queue<Leader> _toBegin = new(); // those aside that no thread has taken up yet
    private Leader? _leader; // the standby's: who becomes it has been called under the gate
    private Leader[] _aside = Array.Empty<Leader>(); // replaced under the gate, never changed [made]
    private int _threads; // but those that have ended because nobody needed them
    private int _reserves; // threads that wait to be the standby
    private bool _hasNone; // the system had no thread when one was last asked for
    private bool _hasStandby;
    private int _asleep;
    private bool _stopped; // stored under the gate [flag]
    private bool _isAsideWanted; // [hint]
    private int _asideCount; // [count]

    /// <summary>Does not start yet.</summary>
    /// <param name="name">For the threads' names.</param>
    /// <param name="maxThreads">With so many handlers blocked at once, nobody takes over.</param>
    /// <param name="lead">Leads until it is replaced, or reads aside until it is through (false), or the server has
    /// stopped (true).</param>
    /// <param name="exhausted">Told that nobody can take over, by a thread that must go on:
    /// <see cref="IsExhausted"/>.</param>
    public Crew(string name, int maxThreads, Func<Leader, bool> lead, Action exhausted)
    {
        _exhausted = exhausted;
        _name = name;
        _maxThreads = maxThreads;
        _lead = lead;
    }

    /// <summary>A thread that nobody needs ends after that.</summary>
    internal TimeSpan IdleThread { get; set; } = TimeSpan.FromSeconds(10);

    /// <summary>Called by a thread that has decided to end. For tests.</summary>
    internal Action? Ending { get; set; }

    /// <summary>Called before a thread is started. For tests.</summary>
    internal Action? Starting { get; set; }

    public bool IsStandbyAsleep => Volatile.Read(ref _asleep) != 0; // [rouse]

    /// <summary>Whether there is no thread to take over from the leader, nor may there be one.</summary>
    public bool IsExhausted
    {
        get
        {
            lock (_gate)
                return !_hasStandby && _reserves == 0 && (_threads >= _maxThreads || _hasNone) && !_stopped;
        }
    }

    public bool IsStopped => Volatile.Read(ref _stopped); // [rouse]

    /// <summary>How often a connection was given to a thread of its own.</summary>
    public int AsideCount => Volatile.Read(ref _asideCount);

    /// <summary>Whether one was refused for want of threads since this was last cleared: whoever has read aside for
    /// long makes room.</summary>
    public bool IsAsideWanted => Volatile.Read(ref _isAsideWanted);

    public void Start()
    {
        var first = new Leader(this, isAside: false);
        _leader = first;
        Exception? error;
        lock (_gate)
        {
            // The standby first: it ends by itself when there is no second one.
            if (TryStartThread(null, out error) && TryStartThread(first, out error))
                return;
        }

        Stop();
        throw error!;
    }

    public void WakeStandby() => _standbyParker.Signal();

    /// <summary>Has a further thread read the connection. The leader calls, and forgets it.</summary>
    /// <returns><see langword="false"/> when there are as many as there may be.</returns>
    public bool TryReadAside(ServerConnection connection)
    {
        lock (_gate)
        {
            bool hasReserve = _reserves > _toBegin.Count;
            if (_stopped || _aside.Length >= _mostAside || (!hasReserve && _threads >= _maxThreads))
            {
                Volatile.Write(ref _isAsideWanted, true);
                return false;
            }

            var aside = new Leader(this, isAside: true);
            aside.Lent.Add(connection);
            Leader[] before = _aside;
            Volatile.Write(ref _aside, _aside.Append(aside).ToArray());
            if (hasReserve)
            {
                _toBegin.Enqueue(aside);
                Monitor.Pulse(_gate);
            }
            else if (!TryStartThread(aside, out _))
            {
                Volatile.Write(ref _aside, before);
                return false;
            }

            Volatile.Write(ref _asideCount, _asideCount + 1);
            return true;
        }
    }

    /// <summary>One that read aside has given its connection back, or somebody has for it.</summary>
    public void LeaveAside(Leader aside)
    {
        lock (_gate)
        {
            Volatile.Write(ref _aside, _aside.Where(other => !ReferenceEquals(other, aside)).ToArray());
            Volatile.Write(ref _isAsideWanted, false);
        }
    }

    /// <summary>The server has stopped and its connections are closed: threads end, those in handlers when they come
    /// back.</summary>
    public void Stop()
    {
        lock (_gate)
        {
            Volatile.Write(ref _stopped, true); // [rouse]
            Monitor.PulseAll(_gate);
        }

        _standbyParker.Signal();

        // Handlers that run aside learn it here, or those that begin only now by themselves [rouse].
        OneSidedFence.Rare();
        foreach (Leader aside in Volatile.Read(ref _aside))
        {
            long state = aside.State;
            if (Leader.IsInHandler(state))
                aside.TryRelieve(state, out _);
        }
    }

    /// <summary>Starts one more. The caller holds the gate.</summary>
    /// <returns><see langword="false"/> when the system has none to give.</returns>
    private bool TryStartThread(Leader? leader, out Exception? error)
    {
        error = null;
        try
        {
            Starting?.Invoke();
            OwnThread.Start(new Thread(() => Run(leader)) { IsBackground = true, Name = "ipc-rpc " + _name });
            _threads++;
        }
        catch (Exception e) when (e is OutOfMemoryException or ThreadStartException)
        {
            error = e;
        }

        _hasNone = error is not null;
        return error is null;
    }

    private void Run(Leader? first)
    {
        Leader? leader = first ?? Next();
        while (leader is not null && !_lead(leader))
            leader = Next();
        Ending?.Invoke();
    }

    /// <summary>Waits until this thread is to lead, or to read aside.</summary>
    /// <returns><see langword="null"/> when it is not needed any more.</returns>
    private Leader? Next()
    {
        if (!WaitToBeNeeded(out Leader? aside) || aside is not null)
            return aside;

        var mine = new Leader(this, isAside: false);
        if (!WatchAndTakeOver(mine))
            return null;

        _leader = mine;
        lock (_gate)
        {
            _hasStandby = false;
            CallStandby();
        }

        return mine;
    }

    /// <summary>Waits until there is something to read aside, or this thread is the standby.</summary>
    private bool WaitToBeNeeded(out Leader? aside)
    {
        lock (_gate)
        {
            aside = null;
            while (!_stopped)
            {
                if (_toBegin.Count != 0)
                {
                    aside = _toBegin.Dequeue();
                    if (!_hasStandby)
                        CallStandby(); // it may have been this one that was called
                    return true;
                }

                if (!_hasStandby)
                {
                    _hasStandby = true;
                    return true;
                }

                _reserves++;
                bool called = Monitor.Wait(_gate, IdleThread);
                _reserves--;
                if (!called && _hasStandby && _toBegin.Count == 0)
                {
                    // Under the same lock: who looks for a standby from here on must find that there may be a new
                    // thread, not one that has already decided to end.
                    _threads--;
                    return false;
                }
            }

            return false;
        }
    }

    /// <summary>Sees to it that a thread becomes the standby. The caller holds the gate.</summary>
    private void CallStandby()
    {
        if (_reserves > _toBegin.Count)
            Monitor.Pulse(_gate);
        else if (_threads >= _maxThreads || !TryStartThread(null, out _))
            _exhausted();
    }

    private bool WatchAndTakeOver(Leader mine)
    {
        int unchanged = 0;
        TimeSpan pause = _shortestPause;
        while (!Volatile.Read(ref _stopped))
        {
            bool same = WatchAside();
            Leader leader = _leader!;
            same &= leader.IsAsBefore(out long state, out bool isStuck);
            if (isStuck && mine.TryTakeOver(leader, state))
                return true;

            unchanged = same ? unchanged + 1 : 0;
            pause = pause + pause < _longestPause ? pause + pause : _longestPause; // it has come on since the last look
            if (unchanged < LooksBeforeSleep)
                _standbyParker.Wait(Deadline.After(pause));
            else
                SleepUnlessBusy(leader);
        }

        return false;
    }

    /// <summary>Looks at those that read aside: what a stuck one has goes back to the listener.</summary>
    /// <returns>Whether nothing has happened there.</returns>
    private bool WatchAside()
    {
        bool same = true;
        foreach (Leader aside in Volatile.Read(ref _aside))
        {
            same &= aside.IsAsBefore(out long state, out bool isStuck);
            if (!isStuck || !aside.TryRelieve(state, out List<ServerConnection> unread))
                continue;

            LeaveAside(aside);
            foreach (ServerConnection connection in unread)
                connection.Return();
        }

        return same;
    }

    private void SleepUnlessBusy(Leader leader)
    {
        Volatile.Write(ref _asleep, 1);
        OneSidedFence.Rare(); // [rouse]
        if (!Leader.IsInHandler(leader.State) &&
            !Volatile.Read(ref _aside).Any(static aside => Leader.IsInHandler(aside.State)) &&
            !Volatile.Read(ref _stopped))
        {
            _standbyParker.Wait(Deadline.Never);
        }

        Volatile.Write(ref _asleep, 0); // [rouse] and by itself no promise: who still reads 1 wakes us for nothing
    }
}
