using System;

namespace Ipc.Rpc;

// When a deadline has passed, the reply may lie in the ring all the same: it came in time, and the thread that has the
// turn to read has not got to it yet. Nobody else can read it. So that a deadline has passed is not enough. It ends a
// call
//
// - as soon as the ring is seen drained after it: all that came has been handled, and the reply was not there; or
// - 10 ms after it was found overdue, if the thread that reads is away in code of the user (a handler, a report of
// progress): nobody has to wait for that; or
// - a second after it was found overdue. That thread does not get on by itself: the machine is busy, or the runtime
// compiles what it is about to do.
//
// Who finds a call overdue and may not end it looks again in a moment. Whoever reads meanwhile completes it, if its
// reply is there. Usually the ring is empty, and the call ends at once. A thread that reads for itself comes to its
// deadline where it has found the ring empty, and needs none of this; or where frames of others come without end: it
// looks at its deadline after every sixteenth of them, and has the second to find its reply among them.

/// <summary>Whether a call whose deadline has passed may be ended for it.</summary>
internal struct Lateness
{
    private static readonly TimeSpan _moment = TimeSpan.FromMilliseconds(1);
    private static readonly TimeSpan _tick = TimeSpan.FromTicks(1);

    private ulong _found; // when it was found overdue; 0: not yet

    /// <summary>How long it is waited for a thread that reads. Tests make both longer.</summary>
    internal static TimeSpan Grace { get; set; } = TimeSpan.FromSeconds(1);

    /// <summary>How long it is waited for one that is away.</summary>
    internal static TimeSpan GraceWhileAway { get; set; } = TimeSpan.FromMilliseconds(10);

    /// <summary>When to look again.</summary>
    public static Deadline NextLook => Deadline.After(_moment);

    /// <summary>Judges a deadline that has passed.</summary>
    /// <param name="deadline">The deadline.</param>
    /// <param name="drained">Whether the ring was seen drained since.</param>
    /// <param name="away">Whether the thread that reads is in code of the user.</param>
    public bool EndsCall(ulong deadline, bool drained, bool away)
    {
        if (drained)
            return true;

        ulong now = Deadline.After(_tick).Nanoseconds;
        if (_found <= deadline) // or it is of an earlier use of the call, by a look that was late
            _found = now;
        return now - _found >= 100 * (ulong)(away ? GraceWhileAway : Grace).Ticks;
    }
}
