using System;
using System.Diagnostics;

namespace Ipc.Rpc;

// Who awaits a ValueTask of a call says so: it asks for its status, and then this thread may as well read for a moment
// (ClientChannel.Polling.cs). Who gets a Task does not: most await it at once, some collect many, and for them reading
// here would make a queue of calls that are meant to run side by side. What they do is seen in the call before, if that
// was left alone: when the next one is made while it is pending, or sooner than anybody could have been woken for it,
// its caller goes on without it. So each thread leaves one call alone now and then, and all calls while it collects.
//
// A call that is left alone takes two wakes of threads, a hundred times what it takes otherwise, and so does the next
// one: it is made on the pool's thread, which knows nothing yet. So how often that is tried goes by what there is to
// gain, the time that threads have read for their calls: after a millisecond, then ever more seldom (each 128th call
// made the slowest two in a hundred). What was read for in vain was left alone as well.

/// <summary>Whether a thread that makes tasks of calls waits for each of them before it makes the next.</summary>
internal sealed class TaskHabit
{
    private const int SignsOfWaiting = 2;
    private static readonly long _firstTry = Stopwatch.Frequency / 1_000; // 1 ms
    private static readonly long _lastTry = 16 * _firstTry;
    private static readonly long _soon = Stopwatch.Frequency / 50_000; // 20 us

    [ThreadStatic]
    private static TaskHabit? _here;

    private PendingSlot? _left; // of the last call that was left alone
    private uint _leftUse;
    private long _leftAt;
    private long _readFor; // since the last try
    private long _untilTry = 1; // the second call
    private int _signs;
    private bool _collects;

    /// <summary>That of the calling thread, if it is making a task of a call.</summary>
    public static TaskHabit? Making => TaskMaking.IsHere ? _here ??= new TaskHabit() : null;

    /// <summary>Whether the thread should read for a call that a task is made of, which is likely to be awaited at
    /// once.</summary>
    /// <param name="call">The call.</param>
    /// <param name="now">What the stopwatch says.</param>
    public bool MayPoll(PendingCall call, long now)
    {
        if (_left is { } left)
        {
            bool goesOn = now - _leftAt < _soon || (left.IsPending(out uint use) && use == _leftUse);
            _left = null;
            _signs = goesOn ? 0 : _signs + 1;
            if (goesOn)
            {
                _collects = true;
                _untilTry = _firstTry;
            }
            else if (_signs >= SignsOfWaiting)
            {
                _collects = false;
            }
        }

        if (!_collects && _readFor < _untilTry)
            return true;

        if (!_collects)
            _untilTry = Math.Min(Math.Max(2 * _untilTry, _firstTry), _lastTry);
        _readFor = 0;
        Leave(call, now);
        return false;
    }

    /// <summary>The thread has read for a call.</summary>
    /// <param name="call">The call.</param>
    /// <param name="took">How long, by the stopwatch.</param>
    /// <param name="inVain">Whether it is still pending.</param>
    public void HasPolled(PendingCall call, long took, bool inVain)
    {
        _readFor += took;
        if (inVain)
            Leave(call, at: 0); // its answer may come any moment: that the thread is soon back says nothing
    }

    private void Leave(PendingCall call, long at)
    {
        _left = call.Slot;
        _leftUse = call.Use;
        _leftAt = at;
    }
}
