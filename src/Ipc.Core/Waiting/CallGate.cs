using System.Runtime.CompilerServices;

namespace Ipc;

/// <summary>The door of an object that one thread at a time calls and any thread may close.</summary>
/// <remarks>
/// How closing can be safe while another thread is inside a call that takes five nanoseconds: the call says "inside"
/// with a plain store and then looks at "closed"; closing sets "closed", executes a barrier in every thread of the
/// process, and then looks at "inside". So either the call sees that the object is closed, or the closer sees the call
/// and waits for it. The calls pay two stores to a line that is theirs; closing pays a system call.
/// </remarks>
internal struct CallGate
{
    private const int TimeoutMilliseconds = 1000;

    private int _inside;
    private int _closed;

    /// <summary>Begins a call; false when the object is closed. <see cref="Leave"/> in either case.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool Enter()
    {
        Atomic.StoreRelease(ref _inside, 1);
        return Atomic.LoadAcquire(ref _closed) == 0;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Leave() => Atomic.StoreRelease(ref _inside, 0);

    /// <summary>Lets nobody in any more and ends the waits of who is inside. True when nobody is; the caller keeps the
    /// memory mapped meanwhile.</summary>
    public bool Close(WaitControl control)
    {
        Atomic.Exchange(ref _closed, 1);
        control.End(IpcStatus.Closed);
        bool fenced = Atomic.TryFenceProcess();
        ulong end = Os.Current.Now() + TimeoutMilliseconds * 1_000_000UL;
        for (int attempt = 0; Atomic.LoadAcquire(ref _inside) != 0; attempt++)
        {
            if (Os.Current.Now() > end)
                return false;
            control.WakeSleepers(); // again: a hostile peer may have put the word back
            ClosePause.Take(attempt);
        }

        return fenced;
    }
}
