using System;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Ipc.Rpc;

// Leader and followers. One thread, the leader, waits for requests and runs their handlers itself: no hand-over and no wake
// stands between a request and its handler. One other, the standby, looks once a millisecond whether the leader is still in the handler
// that it was in at the last look, or has said that it will wait there; if so it takes over the listener and all connections, and a
// further thread becomes the standby. A leader that comes back from such a handler finds itself replaced and waits to be needed.
//
// When the leader has been in no handler for a while the standby goes to sleep for good; the next handler wakes it, once.
// So an idle server runs no thread, and a busy one is looked at a thousand times a second.

/// <summary>The threads of one server.</summary>
internal sealed class Crew
{
    private const int LooksBeforeSleep = 50;
    private static readonly TimeSpan _look = TimeSpan.FromMilliseconds(1);
    private static readonly TimeSpan _idleThread = TimeSpan.FromSeconds(10);

    private readonly object _gate = new();
    private readonly Parker _standbyParker = new();
    private readonly Func<Leader, bool> _lead;
    private readonly string _name;
    private readonly int _maxThreads;
    private Leader? _leader;
    private int _threads;
    private int _reserves; // threads that wait to be the standby
    private bool _hasStandby;
    private int _asleep;
    private bool _stopped;

    /// <summary>Does not start yet.</summary>
    /// <param name="name">For the threads' names.</param>
    /// <param name="maxThreads">With so many handlers blocked at once, nobody takes over.</param>
    /// <param name="lead">Leads until it is replaced (false) or the server has stopped (true).</param>
    public Crew(string name, int maxThreads, Func<Leader, bool> lead)
    {
        _name = name;
        _maxThreads = maxThreads;
        _lead = lead;
    }

    public bool IsStandbyAsleep => Volatile.Read(ref _asleep) != 0;

    public void Start()
    {
        var first = new Leader(this);
        Volatile.Write(ref _leader, first);
        lock (_gate)
        {
            StartThread(first);
            StartThread(null);
        }
    }

    public void WakeStandby() => _standbyParker.Signal();

    /// <summary>The server has stopped: threads end, those in handlers when they come back.</summary>
    public void Stop()
    {
        lock (_gate)
        {
            _stopped = true;
            Monitor.PulseAll(_gate);
        }

        _standbyParker.Signal();
    }

    private void StartThread(Leader? leader)
    {
        _threads++;
        var thread = new Thread(() => Run(leader)) { IsBackground = true, Name = "ipc-rpc " + _name };
        thread.Start();
    }

    private void Run(Leader? leader)
    {
        LeadAndStandBy(leader);
        lock (_gate)
            _threads--;
    }

    // On its own: with the lock behind it, the loop makes the ahead-of-time compiler of .NET 9 crash.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void LeadAndStandBy(Leader? first)
    {
        Leader? leader = first ?? StandBy();
        while (leader is not null && !_lead(leader))
            leader = StandBy();
    }

    /// <summary>Waits until this thread is to lead.</summary>
    /// <returns><see langword="null"/> when it is not needed any more.</returns>
    private Leader? StandBy()
    {
        if (!BecomeStandby())
            return null;

        var mine = new Leader(this);
        if (!WatchAndTakeOver(mine))
            return null;

        Volatile.Write(ref _leader, mine);
        lock (_gate)
        {
            _hasStandby = false;
            if (_reserves != 0)
                Monitor.Pulse(_gate);
            else if (_threads < _maxThreads)
                StartThread(null);
        }

        return mine;
    }

    private bool BecomeStandby()
    {
        lock (_gate)
        {
            while (_hasStandby && !_stopped)
            {
                _reserves++;
                bool called = Monitor.Wait(_gate, _idleThread);
                _reserves--;
                if (!called && _hasStandby)
                    return false;
            }

            if (_stopped)
                return false;
            _hasStandby = true;
            return true;
        }
    }

    private bool WatchAndTakeOver(Leader mine)
    {
        Leader? watched = null;
        long seen = 0;
        int unchanged = 0;
        while (!Volatile.Read(ref _stopped))
        {
            Leader leader = Volatile.Read(ref _leader)!;
            long state = leader.State;
            bool same = ReferenceEquals(leader, watched) && state == seen;
            if ((same || leader.IsUrgent) && Leader.IsInHandler(state) && mine.TryTakeOver(leader, state))
                return true;
            unchanged = same ? unchanged + 1 : 0;

            watched = leader;
            seen = state;
            if (unchanged < LooksBeforeSleep)
                _standbyParker.Wait(Deadline.After(_look));
            else
                SleepUnlessBusy(leader);
        }

        return false;
    }

    private void SleepUnlessBusy(Leader leader)
    {
        Interlocked.Exchange(ref _asleep, 1); // [lead]
        if (!Leader.IsInHandler(leader.State) && !Volatile.Read(ref _stopped))
            _standbyParker.Wait(Deadline.Never);
        Volatile.Write(ref _asleep, 0);
    }
}
