using System;
using System.Threading;

namespace Ipc.Tcp;

/// <content>A way that nobody uses.</content>
internal sealed partial class Wire
{
    private long _idleTimeout;        // ms; 0: never
    private long _usedAt = Clock.Now; // by anything but a sign of life

    /// <summary>From now on the reading thread finds out whether the way is used, by a
    /// <see cref="WireIsIdleException"/>. Any thread.</summary>
    /// <param name="limit">Zero: never.</param>
    /// <param name="grace">ms, for the first use; the limit is counted from its end.</param>
    public void EndWhenIdle(TimeSpan limit, int grace)
    {
        Volatile.Write(ref _usedAt, Clock.Now + grace);
        Volatile.Write(ref _idleTimeout, (long)limit.TotalMilliseconds);
    }

    /// <summary>Who is sending, and has to wait for the other end, is not.</summary>
    private bool IsIdle()
    {
        long limit = Volatile.Read(ref _idleTimeout);
        if (limit == 0 || !Monitor.TryEnter(_sending))
            return false;
        try
        {
            return _outputLength == 0 && Clock.Now - Volatile.Read(ref _usedAt) >= limit;
        }
        finally
        {
            Monitor.Exit(_sending);
        }
    }
}
