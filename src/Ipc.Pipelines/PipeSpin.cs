using System;
using System.Threading;

namespace Ipc.Pipelines;

/// <summary>Looking at the ring for a moment before sleeping: as long as it has paid lately.</summary>
/// <remarks>It holds a thread of the pool, so there are conditions: <see cref="TryBegin"/>.</remarks>
internal struct PipeSpin
{
    private const int TurnsBetweenChecks = 64;

    /// <summary>Half of the processors: the others are for whom they wait for.</summary>
    private static readonly int s_most = Math.Max(1, Environment.ProcessorCount / 2);
    private static int s_spinning; // [hint]

    private readonly Connection _connection;
    private readonly WaitMode _mode;
    private SpinBudget _budget;
    private Deadline _until;
    private int _turn;

    public PipeSpin(Connection connection, WaitMode mode, TimeSpan longest)
    {
        _connection = connection;
        _mode = mode;
        _budget = new SpinBudget((ulong)Math.Max(longest.Ticks, 0) * 100);
        _until = Deadline.Now;
        _turn = 0;
    }

    /// <summary>Begins a moment, if there is a point: a budget, a peer on another processor, threads to spare. Then
    /// <see cref="End"/> is to be called.</summary>
    public bool TryBegin()
    {
        if (_mode == WaitMode.Block)
            return false;
        bool forever = _mode == WaitMode.Spin;
        ulong budget = _budget.Nanoseconds;
        if (!forever && budget == 0)
        {
            _budget.Missed();
            return false;
        }

        if (!forever && (_connection.IsPeerOnThisProcessor() || IsPoolBusy))
            return false;
        if (Interlocked.Increment(ref s_spinning) > s_most && !forever) // [hint]
        {
            Interlocked.Decrement(ref s_spinning); // [hint]
            return false;
        }

        _turn = 0;
        _until = forever ? Deadline.Never : Deadline.After(TimeSpan.FromTicks((long)budget / 100));
        return true;
    }

    /// <summary>A little later. False: the moment is over.</summary>
    public bool Turn()
    {
        SpinPause.Once();
        return ++_turn % TurnsBetweenChecks != 0 || !_until.HasPassed;
    }

    /// <summary>It is over.</summary>
    public void End(bool found)
    {
        Interlocked.Decrement(ref s_spinning); // [hint]
        if (found)
        {
            if (_turn > TurnsBetweenChecks || _budget.Nanoseconds < SpinBudget.Usual)
                _budget.Found();
        }
        else
        {
            _budget.Missed();
        }
    }

    /// <summary>So long did the sleep take that followed.</summary>
    public void Slept(TimeSpan time) => _budget.Slept((ulong)Math.Max(time.Ticks, 0) * 100);

#if NET
    private static bool IsPoolBusy => ThreadPool.PendingWorkItemCount > 0;
#else
    private const bool IsPoolBusy = false;
#endif
}
