using System;
using System.Threading;

namespace Ipc.Rpc;

/// <summary>One timer per engine, set to the earliest deadline of the calls that no thread waits for; and soon, when a
/// frame found the ring full.</summary>
internal sealed class CallTimer : IDisposable
{
    private const int LongestPause = 16; // milliseconds

    private readonly CallEngine _engine;
    private readonly object _gate = new();
    private Timer? _timer;
    private ulong _due = ulong.MaxValue;
    private ulong _nextDeadline = ulong.MaxValue; // of a call: not every look at the ring is one at all calls
    private int _pause = 1; // [hint]
    private bool _disposed;

    public CallTimer(CallEngine engine) => _engine = engine;

    /// <summary>Sees to it that overdue calls are looked for at <paramref name="deadline"/> at the latest. Who asks has
    /// opened its call's slot and fenced [deadline].</summary>
    public void Schedule(ulong deadline)
    {
        if (deadline >= Volatile.Read(ref _nextDeadline)) // [deadline] its call can be found already
            return; // an earlier look will find the next one: with one timeout for all calls, the usual case

        Uninterrupted.Enter(_gate);
        try
        {
            if (deadline >= _nextDeadline)
                return;

            Volatile.Write(ref _nextDeadline, deadline); // [deadline] sooner than what was there
            FireAt(deadline);
        }
        finally
        {
            Monitor.Exit(_gate);
        }
    }

    /// <summary>Tries again in a moment to send what found the ring full; in longer ones when it does again and
    /// again.</summary>
    public void RetrySoon()
    {
        Uninterrupted.Enter(_gate);
        try
        {
            FireAt(Deadline.After(TimeSpan.FromMilliseconds(_pause)).Nanoseconds);
        }
        finally
        {
            Monitor.Exit(_gate);
        }
    }

    /// <summary>How long a batch may hold back what somebody may wait for, in milliseconds. Tests that look at what is
    /// held back make it longer.</summary>
    internal static int MomentOfABatch { get; set; } = 1;

    /// <summary>Looks in that moment, however often there was no room before.</summary>
    public void FireSoon()
    {
        Uninterrupted.Enter(_gate);
        try
        {
            FireAt(Deadline.After(TimeSpan.FromMilliseconds(MomentOfABatch)).Nanoseconds);
        }
        finally
        {
            Monitor.Exit(_gate);
        }
    }

    /// <summary>There is room again.</summary>
    public void HasRoom() => Volatile.Write(ref _pause, 1);

    /// <summary>For timers: at least until then, and at most what they take.</summary>
    public static TimeSpan PauseUntil(Deadline deadline) =>
        TimeSpan.FromMilliseconds(MillisecondsUntil(deadline.Nanoseconds));

    public void Dispose()
    {
        Uninterrupted.Enter(_gate);
        try
        {
            _disposed = true;
            _timer?.Dispose();
        }
        finally
        {
            Monitor.Exit(_gate);
        }
    }

    private void FireAt(ulong time)
    {
        if (_disposed || time >= _due)
            return;

        _due = time;
        _timer ??= CleanTimer.Make(static state => ((CallTimer)state!).Fire(), this);
        _timer.Change(MillisecondsUntil(time), Timeout.Infinite);
    }

    private void Fire()
    {
        bool overdue;
        Uninterrupted.Enter(_gate);
        try
        {
            _due = ulong.MaxValue;
            _pause = Math.Min(_pause * 2, LongestPause);
            overdue = Deadline.FromNanoseconds(_nextDeadline).HasPassed;
            if (overdue)
                Volatile.Write(ref _nextDeadline, ulong.MaxValue); // [deadline] who comes now schedules itself
            else if (_nextDeadline != ulong.MaxValue)
                FireAt(_nextDeadline);
        }
        finally
        {
            Monitor.Exit(_gate);
        }

        try
        {
            Interlocked.MemoryBarrier(); // [deadline] a call either sees that, or is seen below
            _engine.PublishIfDue();
            _engine.Link.FlushControl();
            _engine.Link.ReadWhatIsThere(); // a reply that came in time, for a caller that has not asked for it yet
            ulong next = overdue ? _engine.EndOverdueCalls() : ulong.MaxValue;
            if (next != ulong.MaxValue)
                Schedule(next);
        }
#pragma warning disable CA1031 // on a timer's thread it would end the process
        catch (Exception e)
#pragma warning restore CA1031
        {
            _engine.Link.EndUnexpectedly(e);
        }
    }

    private static long MillisecondsUntil(ulong deadline)
        => (long)Math.Min(Math.Ceiling(Deadline.FromNanoseconds(deadline).Remaining.TotalMilliseconds), int.MaxValue);
}
