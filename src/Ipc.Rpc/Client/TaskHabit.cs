using System;
using System.Diagnostics;

namespace Ipc.Rpc;

// Who awaits a ValueTask of a call says so: it asks for its status, and then this thread may as well read for a moment
// (ClientChannel.Polling.cs). Who gets a Task does not: most await it at once, some collect many, and for them reading
// here would make a queue of calls that are meant to run side by side. What they do is seen in the call before, if that
// was left alone: when the next one is made while it is pending, or sooner than anybody could have been woken for it,
// its caller goes on without it. So each thread leaves one call alone now and then (the second, then each 128th), and
// all calls while it collects.

/// <summary>Whether a thread that makes tasks of calls waits for each of them before it makes the next.</summary>
internal sealed class TaskHabit
{
    private const int CallsBetweenTries = 128;
    private const int SignsOfWaiting = 2;
    private static readonly long _soon = Stopwatch.Frequency / 50_000; // 20 us

    [ThreadStatic]
    private static TaskHabit? _here;

    private PendingSlot? _left; // of the last call that was left alone
    private uint _leftUse;
    private long _leftAt;
    private int _untilTry = 1;
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
                _collects = true;
            else if (_signs >= SignsOfWaiting)
                _collects = false;
        }

        if (!_collects && --_untilTry >= 0)
            return true;

        _untilTry = CallsBetweenTries;
        _left = call.Slot;
        _leftUse = call.Use;
        _leftAt = now;
        return false;
    }
}
