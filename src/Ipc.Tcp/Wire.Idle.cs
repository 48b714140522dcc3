using System;
using System.Threading;

namespace Ipc.Tcp;

/// <content>A way that nobody uses.</content>
internal sealed partial class Wire
{
    private long _idleTimeout;        // ms; 0: never
    private Func<bool>? _isInUse;     // set before that
    private long _usedAt = Clock.Now; // by anything but a sign of life

    /// <summary>From now on the reading thread finds out whether the way is used, by a
    /// <see cref="WireIsIdleException"/>. Any thread.</summary>
    /// <param name="limit">Zero: never.</param>
    /// <param name="grace">ms, for the first use; the limit is counted from its end.</param>
    /// <param name="isInUse">Whether something that came over it is still to be handled. Called by the reading
    /// thread.</param>
    public void EndWhenIdle(TimeSpan limit, int grace, Func<bool> isInUse)
    {
        _isInUse = isInUse;
        Volatile.Write(ref _usedAt, Clock.Now + grace);
        Volatile.Write(ref _idleTimeout, (long)limit.TotalMilliseconds);
    }

    /// <summary>Who is sending, and has to wait for the other end, is not.</summary>
    private bool IsIdle()
    {
        long limit = Volatile.Read(ref _idleTimeout);
        if (limit == 0)
            return false;
        if (!HasFinished && _isInUse!()) // else nobody is going to handle it
            Volatile.Write(ref _usedAt, Clock.Now);
        if (!Monitor.TryEnter(_sending))
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
