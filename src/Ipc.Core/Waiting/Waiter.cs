using System;
using System.Runtime.CompilerServices;

namespace Ipc;

/// <summary>Sleeping on a word of shared memory, and waking who sleeps. Twin of waiter.c; docs/wire-format.md section
/// 3.</summary>
/// <remarks>
/// The question is always the same: a publisher stores its data, then looks whether somebody sleeps; a sleeper says
/// that it sleeps, then looks for data. Each must see the other's store or both go wrong at once: data lies there and
/// nobody wakes. That takes a full barrier between store and load on both sides. Publishing is frequent and sleeping is
/// rare, so the sleeper executes both barriers: its own, and by membarrier the one of every thread that may be
/// publishing <c>[sleep]</c>.
/// <para>
/// Who cannot take part: a publisher whose process could not register fences itself (<see cref="PublishersFence"/>). A
/// sleeper that cannot call membarrier writes <c>fence_required</c>, which stands beside the word so that a publisher
/// reads both with one load; a publisher that was just between its store and its load may have missed it, so that
/// sleeper sleeps in short slices until such a store must long have drained.
/// </para>
/// <para>
/// A membarrier costs 600 ns, and many times that where it has to interrupt other processors: much of a round trip
/// between two that share a processor and sleep each time. So a sleeper that comes back again and again asks the
/// publishers for their fence for now, with one more membarrier: who published before it is done, and all others know
/// <c>[ask]</c>. From then on nobody who sleeps there needs one, until the publishers' fences have met nobody for a
/// while.
/// </para>
/// <para>
/// The word changes with every signal, and the kernel compares it before putting anybody to sleep: a signal between the
/// sleeper's last look and its sleep is seen <c>[signal]</c>. A hostile peer can spoil its own wake-ups, no more: loops
/// over the word are bounded, and what ends a wait from this side (stop, close, cancel) changes the word again and
/// wakes without looking.
/// </para>
/// <para>Windows has no membarrier for other processes: there every publisher fences, and no sleeper asks.</para>
/// </remarks>
internal static unsafe class Waiter
{
    /// <summary>This process does not take part in the asymmetric fence: it fences after each publish.</summary>
    public static readonly bool PublishersFence = !Os.Current.CanFenceOthers;

    private static readonly bool s_everybodyFences = Os.Current.EverybodyFences;

    // when membarrier was refused to a sleeper of ours (a filter that is installed late), or an armed word was asked at
    // after that; 0 never. A race of two costs nothing
    private static ulong s_refusedAt;

    /// <summary>This process cannot fence for others: its sleepers ask publishers to do it.</summary>
    private static bool SleepersAsk =>
        !s_everybodyFences && (PublishersFence || Atomic.LoadAcquire(ref s_refusedAt) != 0);

    private const ulong SleeperOrFence = WaiterWords.SleeperBit | (ulong)WaiterWords.Fence << 32;

    // So many fences in vain cost less than the membarriers of the sleeps that come before them.
    private const uint SleepsBeforeAsking = 4;
    private const uint FencesInVain = 16;

    // ns; how long a sleeper whose flag may have been missed sleeps at a time
    private const ulong SliceLength = 10_000_000;
    private const ulong SlicePeriod = 20_000_000;  // ns; for how long

    /// <summary>After a publish: there is somebody to wake, or a fence to execute. Call <see cref="Signal"/>,
    /// <see cref="TryTakeSleeper"/> or <see cref="IsArmed"/> next: what is loaded before them is loaded before the
    /// fence.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool NeedsSignal(WaiterWords* waiter)
    {
        if (PublishersFence)
            Atomic.Fence();
        // [sleep] [ask] Both words in one load: the sleeper's flag, and fence_required.
        return (Atomic.LoadAcquire(ref *(ulong*)&waiter->Word) & SleeperOrFence) != 0;
    }

    /// <summary>Wakes who sleeps, if anybody does.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Signal(WaiterWords* waiter)
    {
        if (NeedsSignal(waiter) && TryTakeSleeper(waiter))
            Wake(waiter);
    }

    /// <summary>Clears the sleeper's flag; false when there was none. Who gets true must wake (or do what stands for
    /// it).</summary>
    [MethodImpl(MethodImplOptions.NoInlining | Tiering.Optimized)]
    public static bool TryTakeSleeper(WaiterWords* waiter)
    {
        if (!IsArmed(waiter))
            return false;
        for (int attempt = 0; attempt < 1000; attempt++)
        {
            uint word = Atomic.LoadAcquire(ref waiter->Word);
            if ((word & WaiterWords.SleeperBit) == 0)
                return false; // woken by somebody else
            // [signal]
            if (Atomic.TryExchange(&waiter->Word, word, (word & ~WaiterWords.SleeperBit) + WaiterWords.SignalStep))
            {
                FaultPoints.Pass(FaultPoints.WaiterSignalWordChanged);
                return true;
            }
        }

        return true; // only a peer that rewrites the word all the time gets here; a wake too many harms nobody
    }

    /// <summary>The publisher's fence, where it is asked for, and then whether somebody sleeps or is about to.
    /// </summary>
    [MethodImpl(Tiering.Optimized)]
    public static bool IsArmed(WaiterWords* waiter)
    {
        uint asked = Atomic.LoadAcquire(ref waiter->FenceRequired); // [ask]
        if ((asked & WaiterWords.Fence) != 0)
            Atomic.Fence(); // [sleep] the sleeper does not do it for us
        bool isArmed = (Atomic.LoadAcquire(ref waiter->Word) & WaiterWords.SleeperBit) != 0; // [sleep]
        if (WaiterWords.IsSettled(asked))
            CountFence(waiter, asked, isArmed);
        return isArmed;
    }

    /// <summary>Changes the word and wakes, whether or not anybody seems to sleep: for closing, stopping and
    /// recovery.</summary>
    public static void SignalAlways(WaiterWords* waiter)
    {
        for (int attempt = 0; attempt < 1000; attempt++)
        {
            uint word = Atomic.LoadAcquire(ref waiter->Word);
            if (Atomic.TryExchange(&waiter->Word, word, (word & ~WaiterWords.SleeperBit) + WaiterWords.SignalStep))
                break;
        }

        Wake(waiter);
    }

    /// <summary>Says that this thread is about to sleep. The caller looks at its condition once more, then sleeps with
    /// the result.</summary>
    /// <param name="waiter">Where.</param>
    /// <param name="othersFence">Of what the caller has armed before, of all of it: <see cref="Arm"/>.</param>
    [MethodImpl(Tiering.Optimized)]
    public static uint Announce(WaiterWords* waiter, bool othersFence = true)
    {
        uint word = Atomic.LoadAcquire(ref waiter->Word);
        Atomic.TryOr(&waiter->Word, WaiterWords.SleeperBit); // [sleep] a full barrier on this side
        FaultPoints.Pass(FaultPoints.WaiterFlagSet);
        if (!othersFence || !IsSettled(waiter))
            FenceOthers(waiter);
        return word | WaiterWords.SleeperBit;
    }

    /// <summary>Sets the sleeper's flag without sleeping: the next publish will "signal". The caller fences, unless
    /// this is true, and looks again.</summary>
    /// <returns>Publishers fence here.</returns>
    [MethodImpl(Tiering.Optimized)]
    public static bool Arm(WaiterWords* waiter)
    {
        Atomic.TryOr(&waiter->Word, WaiterWords.SleeperBit);
        if (IsSettled(waiter))
            return true;
        if (!SleepersAsk)
        {
            uint asked = Ask(waiter);
            if (asked == 0 || !TryFenceOthers())
                return false;
            Settle(waiter, asked);
            return true;
        }

        if (Atomic.LoadAcquire(ref waiter->FenceRequired) != WaiterWords.Fence)
        {
            Atomic.StoreRelease(ref waiter->FenceRequired, WaiterWords.Fence);
            if (HasBeenRefused)
                Atomic.StoreRelease(ref s_refusedAt, Os.Current.Now()); // whoever sleeps for it sleeps in slices
        }

        return false;
    }

    /// <summary>The sleeper's bit is set. Whoever published without a fence is seen by the look that follows, all
    /// others see the bit.</summary>
    private static bool IsSettled(WaiterWords* waiter)
    {
        if (s_everybodyFences)
            return true; // the sleeper's own half was the change of the word [sleep]
        if (SleepersAsk || !WaiterWords.IsSettled(Atomic.LoadAcquire(ref waiter->FenceRequired)))
            return false;
        Atomic.Fence(); // a read-modify-write is none everywhere
        return WaiterWords.IsSettled(Atomic.LoadAcquire(ref waiter->FenceRequired)); // [ask]
    }

    /// <summary>What the next membarrier settles; 0: nothing. Who asked for what is found here may have been killed
    /// before it was.</summary>
    private static uint Ask(WaiterWords* waiter)
    {
        uint seen = Atomic.LoadAcquire(ref waiter->FenceRequired);
        if ((seen & WaiterWords.Fence) != 0)
            return (seen & WaiterWords.ForNow) != 0 ? seen : 0;
        uint sleeps = Atomic.LoadAcquire(ref waiter->FenceCount) + 1;
        Atomic.StoreRelease(ref waiter->FenceCount, sleeps < SleepsBeforeAsking ? sleeps : 0);
        if (sleeps < SleepsBeforeAsking)
            return 0;
        uint asked = (seen & ~(WaiterWords.Asking - 1)) + WaiterWords.Asking + WaiterWords.Fence + WaiterWords.ForNow;
        if (!Atomic.TryExchange(&waiter->FenceRequired, seen, asked)) // [ask]
            return 0;
        FaultPoints.Pass(FaultPoints.WaiterAsked);
        return asked;
    }

    /// <summary>If it is that asking still: another one has had no membarrier yet.</summary>
    private static void Settle(WaiterWords* waiter, uint asked)
    {
        if (asked != 0)
            Atomic.TryExchange(&waiter->FenceRequired, asked, asked | WaiterWords.Settled); // [ask]
    }

    /// <summary>Nothing but speed follows from the count, so it may lose some, and anybody may write anything
    /// there.</summary>
    private static void CountFence(WaiterWords* waiter, uint asked, bool metSomebody)
    {
        uint inVain = metSomebody ? 0 : Atomic.LoadAcquire(ref waiter->FenceCount) + 1;
        if (inVain >= FencesInVain)
            Atomic.TryExchange(&waiter->FenceRequired, asked, asked & ~(WaiterWords.Asking - 1)); // [ask]
        Atomic.StoreRelease(ref waiter->FenceCount, inVain < FencesInVain ? inVain : 0);
    }

    /// <summary>If this process cannot fence for others: asks publishers to do it, where nobody publishes yet. Who
    /// begins later never misses it.</summary>
    public static void AskEarly(WaiterWords* waiter)
    {
        if (SleepersAsk)
            Atomic.StoreRelease(ref waiter->FenceRequired, WaiterWords.Fence);
    }

    /// <summary>Membarrier was there, and is forbidden by now: what is armed may be missed by a publish that is under
    /// way, and has to be looked at again.</summary>
    public static bool HasBeenRefused => !PublishersFence && Atomic.LoadAcquire(ref s_refusedAt) != 0;

    /// <summary>The sleeper's half of the fence for everything it has flagged.</summary>
    [MethodImpl(Tiering.Optimized)]
    public static void FenceOthers(WaiterWords* waiter)
    {
        if (s_everybodyFences)
            return;
        if (!SleepersAsk)
        {
            uint asked = Ask(waiter);
            if (TryFenceOthers())
            {
                Settle(waiter, asked);
                return;
            }
        }

        Atomic.StoreRelease(ref waiter->FenceRequired, WaiterWords.Fence);
        Atomic.Fence();
    }

    private static bool TryFenceOthers()
    {
        if (Os.Current.TryFenceOthers())
            return true;
        Atomic.StoreRelease(ref s_refusedAt, Os.Current.Now());
        return false;
    }

    /// <summary>Until when a sleep may last. For a while it is sliced where the fence is not certain: from the first
    /// announcement of a wait on, for a publish that was under way then may have missed the request, whoever made
    /// it.</summary>
    /// <param name="deadline">CLOCK_MONOTONIC, ns.</param>
    /// <param name="announcedAt">Of one wait, which has announced itself and looked: 0 the first time.</param>
    public static ulong LimitSleep(ulong deadline, ref ulong announcedAt)
    {
        if (SleepersAsk)
        {
            ulong now = Os.Current.Now();
            if (announcedAt == 0)
                announcedAt = now;
            if (now < Math.Max(announcedAt, Atomic.LoadAcquire(ref s_refusedAt)) + SlicePeriod)
                return Math.Min(deadline, now + SliceLength);
        }

        return deadline;
    }

    /// <summary>For who has taken the sleeper.</summary>
    public static void Wake(WaiterWords* waiter) => Os.Current.Wake(&waiter->Word, waiter->Asleep);
}
