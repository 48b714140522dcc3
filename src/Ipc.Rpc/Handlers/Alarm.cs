using System;
using System.Collections.Generic;
using System.Threading;

namespace Ipc.Rpc;

// Timers of .NET count in a clock that moves in steps of some milliseconds, so what CancelAfter does may come that much
// too early. Whoever was told that a deadline has passed may look at the clock. So an alarm looks, too, and waits on.
//
// To make a timer costs more than many a call that it is for, and nearly all calls end before their deadline. So alarms
// are used again, and one that is given back leaves its timer as it is: that looks what there is to do when it fires,
// and is set anew only for a deadline before that. A steady stream of calls sets it once in the time that each of them
// has. (Not so where that is long: a timer that is set keeps this library from being unloaded.)
//
// (Ipc.Rpc.RabbitMq compiles this file, too.)

/// <summary>Cancels a source at a deadline, never before it.</summary>
/// <remarks>What was registered with the source's token and throws is not heard of: nobody is there to catch
/// it.</remarks>
internal sealed class Alarm
{
    private const int MostKept = 256;
    private const double LongestLeft = 10_000; // ms

    private static readonly Stack<Alarm> s_kept = new();

    private readonly object _gate = new();
    private readonly Timer _timer;
    private ulong _due = ulong.MaxValue; // when the timer fires
    private bool _isFar; // and that was long until then
    private CancellationTokenSource? _source; // null: nothing to cancel
    private Deadline _deadline;

    private Alarm() => _timer = CleanTimer.Make(static state => ((Alarm)state!).Look(), this);

    /// <summary>Sets one; <see langword="null"/> if the deadline never passes.</summary>
    public static Alarm? Set(CancellationTokenSource source, Deadline deadline)
    {
        if (deadline == Deadline.Never)
            return null;

        Alarm alarm = TakeKept() ?? new Alarm();
        lock (alarm._gate)
        {
            alarm._source = source;
            alarm._deadline = deadline;
            if (deadline.Nanoseconds < alarm._due)
                alarm.SetTimer();
        }

        return alarm;
    }

    /// <summary>It is not needed any more. Once, by whoever has it: it is somebody else's afterwards. If it is firing,
    /// it goes on.</summary>
    public void Release()
    {
        lock (_gate)
        {
            _source = null;
            if (_isFar)
                StopTimer();
        }

        lock (s_kept)
        {
            if (s_kept.Count < MostKept)
            {
                s_kept.Push(this);
                return;
            }
        }

        _timer.Dispose();
    }

    private static Alarm? TakeKept()
    {
        lock (s_kept)
            return s_kept.Count == 0 ? null : s_kept.Pop();
    }

    private void SetTimer()
    {
        double remaining = _deadline.Remaining.TotalMilliseconds;
        _due = _deadline.Nanoseconds;
        _isFar = remaining > LongestLeft;
        _timer.Change((long)Math.Min(Math.Ceiling(remaining), int.MaxValue), Timeout.Infinite);
    }

    private void StopTimer()
    {
        _due = ulong.MaxValue;
        _isFar = false;
        _timer.Change(Timeout.Infinite, Timeout.Infinite);
    }

    private void Look()
    {
        CancellationTokenSource source;
        lock (_gate)
        {
            _due = ulong.MaxValue;
            _isFar = false;
            if (_source is null)
                return;
            if (!_deadline.HasPassed)
            {
                SetTimer();
                return;
            }

            source = _source;
            _source = null;
        }

        try
        {
            source.Cancel();
        }
        catch (ObjectDisposedException)
        {
            // What it was for ended first.
        }
        catch (AggregateException)
        {
            // On a timer's thread it would end the process. Whoever registered sees the token all the same.
        }
    }
}
