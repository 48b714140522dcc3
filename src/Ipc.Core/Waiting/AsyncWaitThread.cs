using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;
using System.Threading;

namespace Ipc;

/// <summary>One thread that sleeps for everybody who awaits: on the words of as many waits as the system lets one
/// thread sleep on.</summary>
/// <remarks>
/// <para>A process has one of them as long as no more than 127 waits are pending at a time (Linux takes 128 words in
/// one call, and one is the thread's own), and one more for each further 127. Where a thread can sleep on one word
/// only, each pending wait has a thread. They are background threads, and end when they have had nothing to do for
/// <see cref="IdleTime"/>: a load context that can be unloaded is not held by them.</para>
/// <para>
/// A round: take what has arrived; look at each wait whose word has changed, or whose time has come, and announce a
/// sleeper there; sleep until one of the words moves. Whose word still is what was announced has missed nothing, by the
/// argument of a thread that sleeps there alone <c>[signal]</c>: so a round costs one load for each wait, and a system
/// call only for those where something happened.
/// </para>
/// <para>What arrives while the thread sleeps changes the thread's own word, on which it sleeps, too. Whether it sleeps
/// is said and read under the lock.</para>
/// </remarks>
internal sealed unsafe class AsyncWaitThread
{
    private static readonly object s_sync = new();
    private static readonly List<AsyncWaitThread> s_threads = new();
    private static readonly int s_capacity = Math.Max(Os.Current.MaxSleepWords - 1, 1);

    private readonly List<AsyncWait> _arrived = new(); // under the lock, like the next two
    private int _load;                                 // what has been added and is not over
    private bool _sleeps;
    private readonly AsyncWait[] _waits = new AsyncWait[s_capacity]; // the thread's own from here on
    private readonly SleepWord[] _words = new SleepWord[s_capacity + 1];
    private readonly uint* _own = (uint*)Marshal.AllocHGlobal(sizeof(uint));
    private int _count;

    private AsyncWaitThread() => *_own = 0;

    /// <summary>When nobody is about to wake it any more.</summary>
    ~AsyncWaitThread()
    {
        // .NET Framework finalizes at its end what is still in use, too
        if (!Environment.HasShutdownStarted && !AppDomain.CurrentDomain.IsFinalizingForUnload())
            Marshal.FreeHGlobal((IntPtr)_own);
    }

    /// <summary>How long one stays that has nothing to do, ns. Tests make it shorter.</summary>
    internal static ulong IdleTime { get; set; } = 10_000_000_000;

    /// <summary>How many there are now. For tests.</summary>
    public static int Count
    {
        get
        {
            lock (s_sync)
                return s_threads.Count;
        }
    }

    /// <summary>Hands the wait to a thread that has room for it, or to a new one. Throws what starting a thread may
    /// throw, nothing else.</summary>
    public static void Add(AsyncWait wait)
    {
        AsyncWaitThread chosen;
        lock (s_sync)
        {
            chosen = s_threads.Find(static thread => thread._load < s_capacity) ?? Start();
            chosen._load++;
            chosen._arrived.Add(wait);
            if (!chosen._sleeps)
                return;
            chosen._sleeps = false;
            Atomic.StoreRelease(ref *chosen._own, *chosen._own + 1);
        }

        Os.Current.Wake(chosen._own, null); // not within the lock: who is woken wants it first of all
        GC.KeepAlive(chosen); // and so its word, even if it has had the time to end
    }

    private static AsyncWaitThread Start()
    {
        AsyncWaitThread started = new();
        OwnThread.Start(new Thread(started.Run) { IsBackground = true, Name = "ipc-async" });
        s_threads.Add(started);
        return started;
    }

    private void Run()
    {
        ulong idleSince = 0;
        for (; ; )
        {
            ulong until = ulong.MaxValue;
            for (int i = 0; i < _count;)
            {
                if (_waits[i].Step(ref until))
                    Finish(i);
                else
                    i++;
            }

            if (_count != 0)
                idleSince = 0;
            else if (idleSince == 0)
                idleSince = Os.Current.Now();
            if (!TakeArrivals(idleSince, ref until, out uint own))
                break;
            if (own != 0)
                Sleep(own, until);
        }
    }

    /// <summary>False: nothing has come for long enough, the thread ends. <paramref name="own"/>: the thread's own
    /// word, when nothing has come; 0 otherwise.</summary>
    private bool TakeArrivals(ulong idleSince, ref ulong until, out uint own)
    {
        lock (s_sync)
        {
            own = 0;
            _sleeps = false;
            foreach (AsyncWait wait in _arrived)
                _waits[_count++] = wait;
            if (_arrived.Count != 0)
            {
                _arrived.Clear();
                return true;
            }

            if (_count == 0)
            {
                if (Os.Current.Now() - idleSince >= IdleTime)
                {
                    s_threads.Remove(this);
                    return false;
                }

                until = idleSince + IdleTime;
            }

            if (*_own == 0)
                *_own = 1; // 0 says that something has come
            own = *_own;
            _sleeps = true;
            return true;
        }
    }

    private void Finish(int index)
    {
        AsyncWait over = _waits[index];
        _waits[index] = _waits[--_count];
        _waits[_count] = null!;
        lock (s_sync)
            _load--;
        over.QueueCompletion();
    }

    private void Sleep(uint own, ulong until)
    {
        int count = 0;
        if (_count < s_capacity || s_capacity > 1) // else it is full, and nothing arrives
            _words[count++] = new SleepWord(_own, null, own);
        for (int i = 0; i < _count; i++)
        {
            WaiterWords* waiter = _waits[i].Words;
            _words[count++] = new SleepWord(&waiter->Word, waiter->Asleep, _waits[i].Announced);
        }

        try
        {
            fixed (SleepWord* words = _words)
                Os.Current.SleepOnAny(words, count, until);
        }
        catch (IpcException)
        {
            EndWhoCannotSleep();
        }
    }

    /// <summary>One of the words cannot be slept on (its file is gone from under it): its wait fails, the others go
    /// on.</summary>
    private void EndWhoCannotSleep()
    {
        for (int i = _count - 1; i >= 0; i--)
        {
            try
            {
                WaiterWords* waiter = _waits[i].Words;
                Os.Current.Sleep(&waiter->Word, waiter->Asleep, _waits[i].Announced, deadline: 1);
            }
            catch (IpcException error)
            {
                _waits[i].Fail(error);
                Finish(i);
            }
        }
    }
}
