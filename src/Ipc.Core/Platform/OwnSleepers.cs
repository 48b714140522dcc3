using System;
using System.Collections.Generic;
using System.Threading;

namespace Ipc;

/// <summary>Who sleeps at words that lie in no region: threads of this process. For systems that cannot wait for such a
/// word and for others at once.</summary>
internal static unsafe class OwnSleepers
{
    private static readonly QuietLock s_lock = new();
    private static readonly List<(IntPtr Word, AutoResetEvent Event)> s_asleep = new();

    [ThreadStatic]
    private static AutoResetEvent? t_event;

    /// <summary>This thread sleeps at the word, too, until <see cref="Rise"/>; returns what to wait for. A full
    /// fence.</summary>
    public static IntPtr LieDown(uint* word)
    {
        AutoResetEvent own = t_event ??= new(false);
        s_lock.Enter();
        s_asleep.Add(((IntPtr)word, own));
        s_lock.Leave();
        Atomic.Fence();
        return own.SafeWaitHandle.DangerousGetHandle(); // open as long as the thread lives
    }

    public static void Rise()
    {
        AutoResetEvent own = t_event!;
        s_lock.Enter();
        for (int i = s_asleep.Count - 1; i >= 0; i--)
        {
            if (s_asleep[i].Event == own)
                s_asleep.RemoveAt(i);
        }

        s_lock.Leave();
    }

    public static void Wake(uint* word)
    {
        Atomic.Fence();
        s_lock.Enter();
        foreach ((IntPtr at, AutoResetEvent own) in s_asleep)
        {
            if (at == (IntPtr)word)
                _ = own.Set();
        }

        s_lock.Leave();
    }
}
