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

        lock (_gate)
        {
            if (_disposed || deadline >= _due)
                return;

            Volatile.Write(ref _due, deadline);
            _timer ??= new Timer(static state => ((CallTimer)state!).Fire(), this, Timeout.Infinite, Timeout.Infinite);
            _timer.Change(MillisecondsUntil(deadline), Timeout.Infinite);
        }
    }

    /// <summary>Tries again in a moment to send what found the ring full.</summary>
    public void RetryControlSoon() => Schedule(Deadline.After(_soon).Nanoseconds);

    public void Dispose()
    {
        lock (_gate)
        {
            _disposed = true;
            _timer?.Dispose();
        }
    }

    private void Fire()
    {
        lock (_gate)
            Volatile.Write(ref _due, ulong.MaxValue); // calls that come from here on schedule themselves

        _engine.Link.FlushControl();
        _engine.Link.ReadWhatIsThere(); // a reply that came in time, for a caller that has not asked for it yet
        ulong next = _engine.EndOverdueCalls();
        if (next != ulong.MaxValue)
            Schedule(next);
    }

    private static long MillisecondsUntil(ulong deadline)
        => (long)Math.Min(Math.Ceiling(Deadline.FromNanoseconds(deadline).Remaining.TotalMilliseconds), int.MaxValue);
}
