using System;
using System.Threading;

namespace Ipc.Tcp;

/// <content>A way that nobody uses.</content>
internal sealed partial class Wire
{
    private long _idleTimeout;        // ms; 0: never
    private Func<bool>? _isInUse;     // set before that, like the next
    private Func<ulong>? _beforeIdleEnd;
    private long _usedAt = Clock.Now; // by anything but a sign of life
    private long _graceUntil;         // set before _idleTimeout
    private bool _hasMessage;         // the reading thread's: a client that sends has come, and needs no grace

    /// <summary>From now on the reading thread finds out whether the way is used, and ends it by a
    /// <see cref="WireIsIdleException"/> when the last words are said. Any thread.</summary>
    /// <param name="limit">Zero: never.</param>
    /// <param name="grace">ms, for the other end's first message; without one the limit is counted from its end,
    /// whatever else goes over the way.</param>
    /// <param name="isInUse">Whether something that came over it is still to be handled. Called by the reading
    /// thread.</param>
    /// <param name="beforeEnd">How many records were handled. Called by the reading thread, while nobody else can
    /// send.</param>
    public void EndWhenIdle(TimeSpan limit, int grace, Func<bool> isInUse, Func<ulong> beforeEnd)
    {
        _isInUse = isInUse;
        _beforeIdleEnd = beforeEnd;
        Volatile.Write(ref _usedAt, Clock.Now);
        Volatile.Write(ref _graceUntil, Clock.Now + grace);
        Volatile.Write(ref _idleTimeout, (long)limit.TotalMilliseconds);
    }

    /// <summary>Not while somebody is sending, and has to wait for the other end. Nobody can begin to between the look
    /// and the last words: the reading thread would wait with him, and nobody would notice that the other end has gone.
    /// So they are said only where there is room for them, too; else the next sign of life ends it.</summary>
    private void EndIfIdle()
    {
        long limit = Volatile.Read(ref _idleTimeout);
        if (limit == 0)
            return;
        if (!HasFinished && _isInUse!()) // else nobody is going to handle it
        {
            Volatile.Write(ref _usedAt, Clock.Now);
            return;
        }

        if (!Monitor.TryEnter(_sending))
            return;
        WireIsIdleException idle;
        try
        {
            long from = _hasMessage
                ? Volatile.Read(ref _usedAt)
                : Math.Max(Volatile.Read(ref _usedAt), Volatile.Read(ref _graceUntil));
            if (_outputLength > 0 || Clock.Now - from < limit || !CanSend)
                return;
            idle = new WireIsIdleException(limit);
            Close(CloseCode.Shutdown, idle.Message, _beforeIdleEnd!());
        }
        finally
        {
            Monitor.Exit(_sending);
        }

        throw idle;
    }
}
