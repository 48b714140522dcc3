using System;
using System.Threading;

namespace Ipc.Rpc;

// Timers of .NET count in a clock that moves in steps of some milliseconds, so what CancelAfter does may come that much
// too early. Whoever was told that a deadline has passed may look at the clock. So this looks, too, and waits on.
//
// (Ipc.Rpc.RabbitMq compiles this file, too.)

/// <summary>Its token fires at a deadline, never before it, and with the tokens of others.</summary>
/// <remarks>What was registered with its token and throws at the deadline is not heard of: nobody is there to catch
/// it.</remarks>
internal class DeadlineSource : CancellationTokenSource
{
    private readonly object _gate = new();
    private readonly CancellationTokenRegistration[] _others;
    private Deadline _deadline = Deadline.Never;
    private Timer? _timer;
    private bool _isDisposed;

    public DeadlineSource(params CancellationToken[] others)
    {
        _others = others.Length == 0 ? [] : new CancellationTokenRegistration[others.Length];
        for (int i = 0; i < others.Length; i++)
        {
            _others[i] = others[i].Register(
                static state => ((DeadlineSource)state!).Cancel(), this, useSynchronizationContext: false);
        }
    }

    /// <summary>Sets the deadline. Nothing happens when it is disposed.</summary>
    public void CancelAt(Deadline deadline)
    {
        lock (_gate)
        {
            _deadline = deadline;
            SetTimer();
        }
    }

    protected override void Dispose(bool disposing)
    {
        if (disposing)
        {
            foreach (CancellationTokenRegistration other in _others)
                other.Dispose(); // and waits until it has cancelled this, if it is about to
            lock (_gate)
            {
                _isDisposed = true;
                _timer?.Dispose();
            }
        }

        base.Dispose(disposing);
    }

    private void SetTimer()
    {
        if (_isDisposed || _deadline == Deadline.Never)
            return;

        _timer ??= CleanTimer.Make(static state => ((DeadlineSource)state!).Look(), this);
        _timer.Change(
            (long)Math.Min(Math.Ceiling(_deadline.Remaining.TotalMilliseconds), int.MaxValue), Timeout.Infinite);
    }

    private void Look()
    {
        lock (_gate)
        {
            if (!_deadline.HasPassed)
            {
                SetTimer();
                return;
            }
        }

        try
        {
            Cancel();
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
