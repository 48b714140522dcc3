using System;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Ipc.Rpc;

/// <summary>Where one thread sleeps until it is signalled. A signal that comes early is kept; waking without one is
/// possible.</summary>
internal sealed class Parker
{
    private const int LongestWait = 60_000;

    private bool _signalled;

    /// <summary>Sleeps until a signal, the deadline, or a minute, whichever is first. The caller looks at its condition
    /// again.</summary>
    [MethodImpl(Tiering.Optimized)]
    public void Wait(Deadline deadline)
    {
        lock (this)
        {
            if (!_signalled)
            {
                double remaining = Math.Ceiling(deadline.Remaining.TotalMilliseconds);
                Monitor.Wait(this, (int)Math.Max(0, Math.Min(remaining, LongestWait)));
            }

            _signalled = false;
        }
    }

    public void Signal()
    {
        Uninterrupted.Enter(this);
        try
        {
            _signalled = true;
            Monitor.Pulse(this);
        }
        finally
        {
            Monitor.Exit(this);
        }
    }
}
