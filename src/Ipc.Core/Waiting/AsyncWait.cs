using System;
using System.Threading;

namespace Ipc;

/// <summary>A wait that holds no thread: it is looked at by one of the <see cref="AsyncWaitThread"/>s, and completed on
/// the thread pool.</summary>
internal abstract unsafe class AsyncWait
#if NET
    : IThreadPoolWorkItem
#endif
{
#if !NET
    private static readonly WaitCallback s_complete = static wait => ((AsyncWait)wait!).Execute();
#endif

    private ulong _until;

    /// <summary>Of the arrivals of a thread.</summary>
    public AsyncWait? Next { get; set; }

    /// <summary>Where it sleeps. The memory stays mapped until the wait is complete.</summary>
    public WaiterWords* Words { get; protected set; }

    /// <summary>What the word was when everything had been looked at; 0 before that (an announced word has the
    /// sleeper's bit).</summary>
    public uint Announced { get; protected set; }

    /// <summary>Looks, and announces. The wait threads call it, one at a time.</summary>
    /// <param name="until">Becomes when it wants to be looked at again, if that is earlier.</param>
    /// <returns>True: over. <see cref="QueueCompletion"/> is next, and nobody but the pool touches it any
    /// more.</returns>
    public bool Step(ref ulong until)
    {
        bool due = _until != ulong.MaxValue && Os.Current.Now() >= _until;
        if (Announced == 0 || due || Atomic.LoadAcquire(ref Words->Word) != Announced)
        {
            _until = ulong.MaxValue;
            if (Look(ref _until))
                return true;
        }

        until = Math.Min(until, _until);
        return false;
    }

    /// <summary>It ends with an error, whatever it looks like.</summary>
    public abstract void Fail(Exception error);

    /// <summary>The rest happens on the thread pool: user code (a continuation, a buffer's getter) never runs on a wait
    /// thread.</summary>
    public void QueueCompletion() =>
#if NET
        ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
#else
        ThreadPool.UnsafeQueueUserWorkItem(s_complete, this);
#endif

    /// <summary>For the thread pool: completes it.</summary>
    public void Execute() => Complete();

    /// <summary>Looks at what is waited for, announces a sleeper, and looks again. True: over, for whatever reason; it
    /// never throws.</summary>
    private protected abstract bool Look(ref ulong until);

    private protected abstract void Complete();
}
