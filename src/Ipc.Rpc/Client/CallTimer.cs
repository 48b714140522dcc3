using System;
using System.Threading;

namespace Ipc.Rpc;

/// <summary>One timer per engine, set to the earliest deadline of the calls that no thread waits for; and soon, when a small frame found the ring full.</summary>
internal sealed class CallTimer : IDisposable
{
    private static readonly TimeSpan _soon = TimeSpan.FromMilliseconds(1);

    private readonly CallEngine _engine;
    private readonly object _gate = new();
    private Timer? _timer;
    private ulong _due = ulong.MaxValue;
    private bool _disposed;

    public CallTimer(CallEngine engine) => _engine = engine;

    /// <summary>Sees to it that overdue calls are looked for at <paramref name="deadline"/> at the latest.</summary>
    public void Schedule(ulong deadline)
    {
        if (deadline >= Volatile.Read(ref _due))
            return; // an earlier look will find the next one: with one timeout for all calls, the usual case

        Uninterrupted.Enter(_gate);
        try
        {
            if (_disposed || deadline >= _due)
                return;

            Volatile.Write(ref _due, deadline);
            _timer ??= MakeTimer();
            _timer.Change(MillisecondsUntil(deadline), Timeout.Infinite);
        }
        finally
        {
            Monitor.Exit(_gate);
        }
    }

    /// <summary>Tries again in a moment to send what found the ring full.</summary>
    public void RetryControlSoon() => Schedule(Deadline.After(_soon).Nanoseconds);

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

    /// <summary>One that knows nothing of who needs it first: it reads for everybody.</summary>
    private Timer MakeTimer()
    {
        if (ExecutionContext.IsFlowSuppressed())
            return Make();
        using (ExecutionContext.SuppressFlow())
            return Make();

        Timer Make() => new(static state => ((CallTimer)state!).Fire(), this, Timeout.Infinite, Timeout.Infinite);
    }

    private void Fire()
    {
        Uninterrupted.Enter(_gate);
        try
        {
            Volatile.Write(ref _due, ulong.MaxValue); // calls that come from here on schedule themselves
        }
        finally
        {
            Monitor.Exit(_gate);
        }

        try
        {
            _engine.Link.FlushControl();
            _engine.Link.ReadWhatIsThere(); // a reply that came in time, for a caller that has not asked for it yet
            ulong next = _engine.EndOverdueCalls();
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
