using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Ipc.Rpc;

// A handler that blocks keeps its thread, and there is an end to threads. So one caller's handlers get half of those
// that a server may have. Its further requests are read (credit, items and cancellation come behind them), but begin
// only as threads of its come back, in order. A handler that waits for a callback does not count: the callback may call
// again.

/// <content>How many threads the handlers of one connection keep.</content>
internal sealed partial class Callee
{
    private readonly Queue<HeldCall> _crowd = new(); // they wait for a thread; guarded by _calls, as is the next
    private int _stuck; // [peek] threads that stay in a handler for so long that others have had to take over

    /// <summary>Whether its handlers keep as many threads as they may.</summary>
    public bool IsCrowded
    {
        [MethodImpl(Tiering.Optimized)]
        get => Volatile.Read(ref _stuck) >= Host.MostStuck;
    }

    /// <summary>Keeps a call until a thread that its connection has comes back.</summary>
    public void RunLater(HeldCall call)
    {
        Track(call.Call);
        lock (_calls)
        {
            if (IsCrowded && !_closed)
            {
                _crowd.Enqueue(call);
                return;
            }
        }

        Host.Threads.Run(call);
    }

    /// <summary>The thread that was in the call's handler is free again, or waits for what must be read: another call
    /// may have its place.</summary>
    public void ComeBack(ServerCall call)
    {
        if (NextAfter(call) is { } next)
            Host.Threads.Run(next);
    }

    /// <summary>As <see cref="ComeBack"/>, by a thread that can run another handler at once.</summary>
    /// <returns>What it is to run.</returns>
    public HeldCall? NextAfter(ServerCall call)
    {
        if (!call.IsStuck)
            return null;

        lock (_calls)
        {
            if (!call.IsStuck)
                return null;
            call.IsStuck = false;
            if (_crowd.Count == 0)
            {
                _stuck--;
                return null;
            }

            HeldCall next = _crowd.Dequeue();
            next.Call.IsStuck = true; // whether it will be or not: its thread has this place
            return next;
        }
    }
}
